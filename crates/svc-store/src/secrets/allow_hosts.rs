//! Hosts that the HTTP proxy may reach for a project although their addresses are not public.

use jiff::Timestamp;
use svc_data::Row;
use svc_model::ProjectName;

use crate::database::{Reader, handle, row, values};
use crate::error::{Error, Result};
use crate::projects::ProjectRow;
use crate::secrets::HostPort;

/// A host that a project may reach.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllowHost {
    /// The host, and the port where only one is allowed.
    pub host: HostPort,
    /// When it was allowed.
    pub date_add: Timestamp,
}

handle! {
    /// The allow-lists of projects: [`Store::allow_hosts`](crate::Store::allow_hosts).
    AllowHosts,
    /// The hosts that the HTTP proxy may reach for projects although they are not public.
    allow_hosts
}

impl AllowHosts<'_> {
    /// The hosts of a project, by name.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project.
    pub async fn list(&self, project: &ProjectName) -> Result<Vec<AllowHost>> {
        self.store
            .read_in(project.clone(), |reader, project: ProjectRow| {
                list(reader, &project.uid)
            })
            .await
    }

    /// Allows a host with every port, or with one. One that was allowed before stays allowed.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project.
    pub async fn add(&self, project: &ProjectName, host: &HostPort) -> Result<()> {
        let host = host.to_string();
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let row = row! { project_uid: project.uid, host, date_add: tx.now() };
                match tx.insert("allow_hosts", &row) {
                    Err(error) if !error.is_taken() => return Err(error),
                    _ => tx.changed(project.entry("allow_hosts.create").record(host)),
                }
                Ok(())
            })
            .await
    }

    /// Removes a host from the list.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project, or the host is not on its
    /// list.
    pub async fn remove(&self, project: &ProjectName, host: &HostPort) -> Result<()> {
        let host = host.to_string();
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let sql = "DELETE FROM allow_hosts WHERE project_uid = ?1 AND host = ?2";
                if tx.execute(sql, &values![project.uid, host])? == 0 {
                    let name = project.name;
                    return Err(Error::not_found(format!(
                        "{host} is not on the list of project {name}"
                    )));
                }
                tx.changed(project.entry("allow_hosts.delete").record(host));
                Ok(())
            })
            .await
    }
}

/// The hosts of a project, by name.
pub(crate) fn list(reader: &mut Reader<'_>, project_uid: &str) -> Result<Vec<AllowHost>> {
    let sql = "SELECT host, date_add FROM allow_hosts WHERE project_uid = ?1 ORDER BY host";
    reader.list(sql, &values![project_uid], from_row)
}

fn from_row(row: &Row) -> Result<AllowHost> {
    Ok(AllowHost {
        host: HostPort::parse(&row.get::<String>("host")?)?,
        date_add: row::get(row, "date_add")?,
    })
}
