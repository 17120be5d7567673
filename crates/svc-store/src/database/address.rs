//! Where the service that runs on a store can be reached, for programs beside it that make links.

use jiff::Timestamp;

use super::Store;
use crate::database::{row, values};
use crate::error::Result;

/// The addresses of the service that started last on a store. It may have ended since.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceAddress {
    /// The data host, without a trailing slash.
    pub base_url: String,
    /// The application host, which ends in `/api`.
    pub app_base_url: String,
    /// When the service started.
    pub started: Timestamp,
}

impl Store {
    /// Keeps where the service that starts now can be reached.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn set_service_address(&self, base_url: &str, app_base_url: &str) -> Result<()> {
        let values = values![base_url, app_base_url, self.clock().now()];
        self.write(move |tx| {
            tx.housekeeping().execute(
                "INSERT INTO service_address (id, base_url, app_base_url, date_add) VALUES (1, ?1, ?2, ?3) \
                 ON CONFLICT (id) DO UPDATE SET base_url = excluded.base_url, \
                 app_base_url = excluded.app_base_url, date_add = excluded.date_add",
                &values,
            )
        })
        .await?;
        Ok(())
    }

    /// Where the service that started last can be reached; `None` when none has started yet.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn service_address(&self) -> Result<Option<ServiceAddress>> {
        self.read(|reader| {
            let sql = "SELECT base_url, app_base_url, date_add FROM service_address WHERE id = 1";
            reader.find(sql, &[], |row| {
                Ok(ServiceAddress {
                    base_url: row.get("base_url")?,
                    app_base_url: row.get("app_base_url")?,
                    started: row::get(row, "date_add")?,
                })
            })
        })
        .await
    }
}
