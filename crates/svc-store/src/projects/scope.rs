//! Which project, and which environment of it: the identifiers behind the names that an operation gives.

use svc_data::Row;
use svc_model::{ProjectName, ResourceName, Scope};

use crate::audit::AuditEntry;
use crate::database::{Reader, Store, Tx, columns, row, values};
use crate::error::{Error, Result};

/// The row of a project: its identifier and its name.
#[derive(Debug, Clone)]
pub(crate) struct ProjectRow {
    pub(crate) uid: String,
    pub(crate) name: ProjectName,
}

/// The row of an environment, with its identifiers and names.
#[derive(Debug, Clone)]
pub(crate) struct ScopeRow {
    pub(crate) project_uid: String,
    pub(crate) environment_uid: String,
    pub(crate) names: Scope,
}

/// What is looked up by names that an operation gives.
pub(crate) trait Located: Sized {
    type Names: Send + 'static;

    /// What has these names; `None` when nothing has.
    fn find(reader: &mut Reader<'_>, names: &Self::Names) -> Result<Option<Self>>;

    /// The error when nothing has these names.
    fn missing(names: &Self::Names) -> Error;

    /// What has these names, or an error that says that nothing has.
    fn get(reader: &mut Reader<'_>, names: &Self::Names) -> Result<Self> {
        Self::find(reader, names)?.ok_or_else(|| Self::missing(names))
    }
}

impl ProjectRow {
    /// A line about the project.
    pub(crate) fn entry(&self, action: &'static str) -> AuditEntry {
        AuditEntry::new(action).project(&self.name)
    }
}

impl ScopeRow {
    /// What a query for a row selects, what from, and of which names, `?1` and `?2`.
    pub(crate) const COLUMNS: &str = "p.uid AS project_uid, e.uid AS environment_uid, p.unique_name AS project, e.unique_name AS environment";
    pub(crate) const TABLES: &str = "environments e JOIN projects p ON p.uid = e.project_uid";
    pub(crate) const NAMED: &str = "p.unique_name = ?1 AND e.unique_name = ?2";

    /// The row of a query for these columns.
    pub(crate) fn from_row(row: &Row) -> Result<Self> {
        columns!(row => Self { names: row::scope(row)?, project_uid, environment_uid })
    }

    /// The identifier of a resource of the environment.
    pub(crate) fn resource_uid(
        &self,
        reader: &mut Reader<'_>,
        resource: &ResourceName,
    ) -> Result<String> {
        let sql = "SELECT uid FROM resources WHERE environment_uid = ?1 AND unique_name = ?2";
        let values = values![self.environment_uid, resource];
        reader
            .find(sql, &values, |row| Ok(row.get("uid")?))?
            .ok_or_else(|| missing_resource(resource))
    }

    /// A line about the environment.
    pub(crate) fn entry(&self, action: &'static str) -> AuditEntry {
        AuditEntry::new(action).scope(&self.names)
    }
}

impl Located for ProjectRow {
    type Names = ProjectName;

    fn find(reader: &mut Reader<'_>, name: &ProjectName) -> Result<Option<Self>> {
        reader.find(
            "SELECT uid FROM projects WHERE unique_name = ?1",
            &values![name],
            |row| columns!(row => Self { uid, name: name.clone() }),
        )
    }

    fn missing(name: &ProjectName) -> Error {
        Error::not_found(format!("there is no project {name}"))
    }
}

impl Located for ScopeRow {
    type Names = Scope;

    fn find(reader: &mut Reader<'_>, scope: &Scope) -> Result<Option<Self>> {
        let sql = format!(
            "SELECT {} FROM {} WHERE {}",
            Self::COLUMNS,
            Self::TABLES,
            Self::NAMED
        );
        reader.find(
            &sql,
            &values![scope.project, scope.environment],
            Self::from_row,
        )
    }

    fn missing(scope: &Scope) -> Error {
        let (project, environment) = (&scope.project, &scope.environment);
        Error::not_found(format!(
            "there is no environment {environment} in project {project}"
        ))
    }
}

/// The error about a resource that does not exist.
pub(crate) fn missing_resource(resource: &ResourceName) -> Error {
    Error::not_found(format!(
        "there is no resource {resource} in this environment"
    ))
}

impl Store {
    /// Reads in a project or an environment, which is looked up first.
    pub(crate) async fn read_in<L, T, F>(&self, names: L::Names, work: F) -> Result<T>
    where
        L: Located,
        T: Send + 'static,
        F: FnOnce(&mut Reader<'_>, L) -> Result<T> + Send + 'static,
    {
        self.read(move |reader| {
            let found = L::get(reader, &names)?;
            work(reader, found)
        })
        .await
    }

    /// Writes in a project or an environment, which is looked up first.
    pub(crate) async fn write_in<L, T, F>(&self, names: L::Names, work: F) -> Result<T>
    where
        L: Located,
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>, L) -> Result<T> + Send + 'static,
    {
        self.write(move |tx| {
            let found = L::get(tx, &names)?;
            work(tx, found)
        })
        .await
    }
}
