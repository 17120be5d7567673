//! Hosts that the HTTP proxy may reach for a project although their addresses are not public.

use jiff::Timestamp;
use svc_data::{Connection, Row, Value};
use svc_model::ProjectName;

use crate::audit::AuditEntry;
use crate::clock;
use crate::error::{Error, is_taken};
use crate::host_port::HostPort;
use crate::projects;
use crate::row;
use crate::store::Store;

/// A host that a project may reach.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllowHost {
    /// The host, and the port where only one is allowed.
    pub host: HostPort,
    /// When it was allowed.
    pub date_add: Timestamp,
}

/// The allow-lists of projects: [`Store::allow_hosts`].
#[derive(Debug, Clone, Copy)]
pub struct AllowHosts<'a> {
    store: &'a Store,
}

impl Store {
    /// The hosts that the HTTP proxy may reach for projects although they are not public.
    pub fn allow_hosts(&self) -> AllowHosts<'_> {
        AllowHosts { store: self }
    }
}

impl AllowHosts<'_> {
    /// The hosts of a project, by name.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project.
    pub async fn list(&self, project: &ProjectName) -> Result<Vec<AllowHost>, Error> {
        let project = project.clone();
        self.store
            .read(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                list(conn, &project_uid)
            })
            .await
    }

    /// Allows a host with every port, or with one. One that was allowed before stays so.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project.
    pub async fn add(&self, project: &ProjectName, host: &HostPort) -> Result<(), Error> {
        let (project, host) = (project.clone(), host.clone());
        let now = self.store.clock().now();
        self.store
            .write(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                let added = conn.execute(
                    "INSERT INTO allow_hosts (project_uid, host, date_add) VALUES (?1, ?2, ?3)",
                    &[
                        Value::from(project_uid),
                        host.to_string().into(),
                        clock::to_text(now).into(),
                    ],
                );
                match added {
                    Err(error) if !is_taken(&error) => Err(error.into()),
                    _ => {
                        let entry = AuditEntry::new("allow_hosts.create").project(&project);
                        Ok(((), entry.record(host.to_string())))
                    }
                }
            })
            .await
    }

    /// Takes a host off the list.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project, or the host is not on its
    /// list.
    pub async fn remove(&self, project: &ProjectName, host: &HostPort) -> Result<(), Error> {
        let (project, host) = (project.clone(), host.clone());
        self.store
            .write(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                let removed = conn.execute(
                    "DELETE FROM allow_hosts WHERE project_uid = ?1 AND host = ?2",
                    &[project_uid.into(), host.to_string().into()],
                )?;
                match removed {
                    0 => Err(Error::not_found(format!(
                        "{host} is not on the list of project {project}"
                    ))),
                    _ => {
                        let entry = AuditEntry::new("allow_hosts.delete").project(&project);
                        Ok(((), entry.record(host.to_string())))
                    }
                }
            })
            .await
    }
}

/// The hosts of a project, by name.
pub(crate) fn list(conn: &mut dyn Connection, project_uid: &str) -> Result<Vec<AllowHost>, Error> {
    conn.query(
        "SELECT host, date_add FROM allow_hosts WHERE project_uid = ?1 ORDER BY host",
        &[project_uid.into()],
    )?
    .iter()
    .map(from_row)
    .collect()
}

fn from_row(row: &Row) -> Result<AllowHost, Error> {
    Ok(AllowHost {
        host: HostPort::parse(&row.get::<String>("host")?)?,
        date_add: row::time(row, "date_add")?,
    })
}
