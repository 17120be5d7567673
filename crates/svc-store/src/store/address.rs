//! Where the service that runs on a store can be reached, for programs beside it that make links.

use jiff::Timestamp;

use super::Store;
use crate::clock;
use crate::error::Error;
use crate::row;

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
    pub async fn set_service_address(
        &self,
        base_url: &str,
        app_base_url: &str,
    ) -> Result<(), Error> {
        let now = clock::to_text(self.clock().now());
        let values = [base_url.into(), app_base_url.into(), now.into()];
        self.write_unnoted(move |conn| {
            conn.execute(
                "INSERT INTO service_address (id, base_url, app_base_url, date_add) VALUES (1, ?1, ?2, ?3) \
                 ON CONFLICT (id) DO UPDATE SET base_url = excluded.base_url, \
                 app_base_url = excluded.app_base_url, date_add = excluded.date_add",
                &values,
            )?;
            Ok(())
        })
        .await
    }

    /// Where the service that started last can be reached; `None` when none has started yet.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn service_address(&self) -> Result<Option<ServiceAddress>, Error> {
        self.read(|conn| {
            let row = conn.query_one(
                "SELECT base_url, app_base_url, date_add FROM service_address WHERE id = 1",
                &[],
            )?;
            row.map(|row| {
                Ok(ServiceAddress {
                    base_url: row.get("base_url")?,
                    app_base_url: row.get("app_base_url")?,
                    started: row::time(&row, "date_add")?,
                })
            })
            .transpose()
        })
        .await
    }
}
