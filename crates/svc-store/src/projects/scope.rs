//! Which project, and which environment of it: the identifiers behind the names that an operation gives.

use svc_model::{EnvironmentName, ProjectName, ResourceName};

use crate::audit::AuditEntry;
use crate::database::{Reader, Store, Tx, values};
use crate::error::Error;

/// A project that there is.
#[derive(Debug, Clone)]
pub(crate) struct ProjectRow {
    pub(crate) uid: String,
    pub(crate) name: ProjectName,
}

/// An environment that there is.
#[derive(Debug, Clone)]
pub(crate) struct ScopeRow {
    pub(crate) project_uid: String,
    pub(crate) environment_uid: String,
    pub(crate) project: ProjectName,
    pub(crate) environment: EnvironmentName,
}

/// What is looked up of an environment, by the names of the project and of the environment.
pub(crate) trait Scoped: Sized {
    /// The environment of these names; `None` when there is none.
    fn find(
        reader: &mut Reader<'_>,
        project: &ProjectName,
        environment: &EnvironmentName,
    ) -> Result<Option<Self>, Error>;
}

impl ProjectRow {
    /// The project of this name, or an error that says that there is none.
    pub(crate) fn get(reader: &mut Reader<'_>, name: &ProjectName) -> Result<Self, Error> {
        let sql = "SELECT uid FROM projects WHERE unique_name = ?1";
        let uid = reader.find(sql, &values![name], |row| Ok(row.get("uid")?))?;
        match uid {
            Some(uid) => Ok(Self {
                uid,
                name: name.clone(),
            }),
            None => Err(Error::not_found(format!("there is no project {name}"))),
        }
    }

    /// A line about the project.
    pub(crate) fn entry(&self, action: &'static str) -> AuditEntry {
        AuditEntry::new(action).project(&self.name)
    }
}

impl ScopeRow {
    /// The environment of these names, or an error that says that there is none.
    pub(crate) fn get(
        reader: &mut Reader<'_>,
        project: &ProjectName,
        environment: &EnvironmentName,
    ) -> Result<Self, Error> {
        Self::find(reader, project, environment)?.ok_or_else(|| missing(project, environment))
    }

    /// The identifier of a resource of the environment.
    pub(crate) fn resource_uid(
        &self,
        reader: &mut Reader<'_>,
        resource: &ResourceName,
    ) -> Result<String, Error> {
        let sql = "SELECT uid FROM resources WHERE environment_uid = ?1 AND unique_name = ?2";
        let values = values![self.environment_uid, resource];
        reader
            .find(sql, &values, |row| Ok(row.get("uid")?))?
            .ok_or_else(|| missing_resource(resource))
    }

    /// A line about the environment.
    pub(crate) fn entry(&self, action: &'static str) -> AuditEntry {
        AuditEntry::new(action).place(&self.project, &self.environment)
    }
}

impl Scoped for ScopeRow {
    fn find(
        reader: &mut Reader<'_>,
        project: &ProjectName,
        environment: &EnvironmentName,
    ) -> Result<Option<Self>, Error> {
        let sql = "SELECT p.uid AS project_uid, e.uid AS environment_uid FROM environments e \
             JOIN projects p ON p.uid = e.project_uid WHERE p.unique_name = ?1 AND e.unique_name = ?2";
        reader.find(sql, &values![project, environment], |row| {
            Ok(Self {
                project_uid: row.get("project_uid")?,
                environment_uid: row.get("environment_uid")?,
                project: project.clone(),
                environment: environment.clone(),
            })
        })
    }
}

/// What is said of an environment that there is not.
fn missing(project: &ProjectName, environment: &EnvironmentName) -> Error {
    Error::not_found(format!(
        "there is no environment {environment} in project {project}"
    ))
}

/// What is said of a resource that there is not.
pub(crate) fn missing_resource(resource: &ResourceName) -> Error {
    Error::not_found(format!(
        "there is no resource {resource} in this environment"
    ))
}

impl Store {
    /// Reads in a project, which is looked up first.
    pub(crate) async fn read_project<T, F>(
        &self,
        project: &ProjectName,
        work: F,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut Reader<'_>, ProjectRow) -> Result<T, Error> + Send + 'static,
    {
        let project = project.clone();
        self.read(move |reader| {
            let project = ProjectRow::get(reader, &project)?;
            work(reader, project)
        })
        .await
    }

    /// Writes in a project, which is looked up first.
    pub(crate) async fn write_project<T, F>(
        &self,
        project: &ProjectName,
        work: F,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>, ProjectRow) -> Result<T, Error> + Send + 'static,
    {
        let project = project.clone();
        self.write(move |tx| {
            let project = ProjectRow::get(tx, &project)?;
            work(tx, project)
        })
        .await
    }

    /// Reads in an environment, which is looked up first.
    pub(crate) async fn read_scope<S, T, F>(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        work: F,
    ) -> Result<T, Error>
    where
        S: Scoped,
        T: Send + 'static,
        F: FnOnce(&mut Reader<'_>, S) -> Result<T, Error> + Send + 'static,
    {
        let (project, environment) = (project.clone(), environment.clone());
        self.read(move |reader| {
            let scope = S::find(reader, &project, &environment)?;
            work(
                reader,
                scope.ok_or_else(|| missing(&project, &environment))?,
            )
        })
        .await
    }

    /// Writes in an environment, which is looked up first.
    pub(crate) async fn write_scope<S, T, F>(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        work: F,
    ) -> Result<T, Error>
    where
        S: Scoped,
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>, S) -> Result<T, Error> + Send + 'static,
    {
        let (project, environment) = (project.clone(), environment.clone());
        self.write(move |tx| {
            let scope = S::find(tx, &project, &environment)?;
            work(tx, scope.ok_or_else(|| missing(&project, &environment))?)
        })
        .await
    }
}
