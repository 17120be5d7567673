//! Environments: each project has `prod` and as many more as it likes. Pages, resources and their tokens
//! belong to one environment.

use jiff::Timestamp;
use svc_data::{Connection, Row, Value};
use svc_model::{EnvironmentName, ProjectName};
use uuid::Uuid;

use crate::audit::{self, AuditEntry};
use crate::clock;
use crate::error::{Error, is_taken};
use crate::json;
use crate::names;
use crate::pages;
use crate::projects;
use crate::row;
use crate::store::Store;

/// An environment of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Environment {
    /// Its name in paths, unique within the project.
    pub unique_name: EnvironmentName,
    /// Its name for people.
    pub name: String,
    /// Its colour in interfaces, where chosen.
    pub color: Option<String>,
    /// Its settings, a JSON object as text.
    pub params: String,
    /// When it was made.
    pub date_add: Timestamp,
}

/// What a new environment is made of; see [`NewEnvironment::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewEnvironment {
    /// Its name in paths.
    pub unique_name: EnvironmentName,
    /// Its name for people; the unique name when `None`.
    pub name: Option<String>,
    /// Its colour in interfaces.
    pub color: Option<String>,
    /// Its settings, a JSON object as text; an empty one when `None`.
    pub params: Option<String>,
}

impl NewEnvironment {
    /// An environment with nothing but a unique name.
    pub fn new(unique_name: impl Into<EnvironmentName>) -> Self {
        Self {
            unique_name: unique_name.into(),
            name: None,
            color: None,
            params: None,
        }
    }
}

/// Changes of an environment; what is `None` stays.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct EnvironmentPatch {
    /// Another name for people.
    pub name: Option<String>,
    /// Another colour; `Some(None)` takes it away.
    pub color: Option<Option<String>>,
    /// Other settings, a JSON object as text, in place of all there were.
    pub params: Option<String>,
}

/// What is copied from one environment to another; see [`EnvironmentCopy::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EnvironmentCopy {
    /// The environment that is copied.
    pub from: EnvironmentName,
    /// The environment that gets the copies; it must exist.
    pub to: EnvironmentName,
    /// Whether the pages and the settings that `to` has are replaced; otherwise it must have none.
    pub replace: bool,
}

impl EnvironmentCopy {
    /// A copy into an environment that has no pages.
    pub fn new(from: impl Into<EnvironmentName>, to: impl Into<EnvironmentName>) -> Self {
        Self {
            from: from.into(),
            to: to.into(),
            replace: false,
        }
    }
}

/// The environments of the store's projects: [`Store::environments`].
#[derive(Debug, Clone, Copy)]
pub struct Environments<'a> {
    store: &'a Store,
}

impl Store {
    /// The environments of projects.
    pub fn environments(&self) -> Environments<'_> {
        Environments { store: self }
    }
}

impl Environments<'_> {
    /// The environments of a project, the oldest first: `prod` leads.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project.
    pub async fn list(&self, project: &ProjectName) -> Result<Vec<Environment>, Error> {
        let project = project.clone();
        self.store
            .read(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                list(conn, &project_uid)
            })
            .await
    }

    /// Adds an environment to a project.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project; a field error
    /// on `unique_name` when it is unfit or taken, on `params` when they are no JSON object.
    pub async fn create(
        &self,
        project: &ProjectName,
        new: NewEnvironment,
    ) -> Result<Environment, Error> {
        names::check_environment(&new.unique_name)?;
        let project = project.clone();
        let now = self.store.clock().now();
        self.store
            .write(move |conn| {
                let project_uid = projects::uid(conn, &project)?;
                let made = insert(conn, &project_uid, new, now)?;
                let uid = uid(conn, &project, &made.unique_name)?;
                let after = tag(conn, &uid)?;
                let entry = AuditEntry::new("environments.create")
                    .place(&project, &made.unique_name)
                    .after(after);
                Ok((made, entry))
            })
            .await
    }

    /// Changes an environment.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment; a field error on
    /// `params` when they are no JSON object.
    pub async fn update(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        patch: EnvironmentPatch,
    ) -> Result<Environment, Error> {
        let (project, environment) = (project.clone(), environment.clone());
        self.store
            .write(move |conn| {
                let uid = uid(conn, &project, &environment)?;
                let before = tag(conn, &uid)?;
                let old = get(conn, &uid)?;
                let params = match patch.params {
                    Some(params) => json::object("params", params)?,
                    None => old.params,
                };
                conn.execute(
                    "UPDATE environments SET name = ?1, color = ?2, params = ?3 WHERE uid = ?4",
                    &[
                        Value::from(patch.name.unwrap_or(old.name)),
                        patch.color.unwrap_or(old.color).into(),
                        params.into(),
                        (&uid).into(),
                    ],
                )?;
                let entry = AuditEntry::new("environments.update")
                    .place(&project, &environment)
                    .before(before)
                    .after(tag(conn, &uid)?);
                Ok((get(conn, &uid)?, entry))
            })
            .await
    }

    /// Copies the pages of an environment, in both layers, and its settings into another one of the project, in one
    /// transaction, and says how many pages there are. Resources, tokens and users stay where they are.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project or environment;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when both are the same, or when the second has pages or
    /// settings that are not to be replaced.
    pub async fn copy(&self, project: &ProjectName, copy: EnvironmentCopy) -> Result<u64, Error> {
        let EnvironmentCopy { from, to, replace } = copy;
        if from == to {
            return Err(Error::refused(format!(
                "{from} cannot be copied into itself; name another environment"
            )));
        }
        let project = project.clone();
        let now = clock::to_text(self.store.clock().now());
        self.store
            .write(move |conn| {
                let source = from;
                let from = uid(conn, &project, &source)?;
                let to_uid = uid(conn, &project, &to)?;
                let before = tag(conn, &to_uid)?;
                if replace {
                    pages::remove_all(conn, &to_uid)?;
                } else if pages::is_any(conn, &to_uid)? || has_settings(conn, &to_uid)? {
                    return Err(Error::refused(format!(
                        "environment {to} has pages or settings of its own; replace them (--replace), copy into a new one, or \
                         bring over the pages that differ (svc pages promote)"
                    )));
                }
                conn.execute(
                    "UPDATE environments SET params = (SELECT f.params FROM environments f WHERE f.uid = ?1) \
                     WHERE uid = ?2",
                    &[from.as_str().into(), to_uid.as_str().into()],
                )?;
                let copied = pages::copy_all(conn, &from, &to_uid, &now)?;
                let entry = AuditEntry::new("environments.copy")
                    .place(&project, &to)
                    .record(source.as_str())
                    .before(before)
                    .after(tag(conn, &to_uid)?);
                Ok((copied, entry))
            })
            .await
    }

    /// Removes an environment with its pages, resources and tokens, in one transaction.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for `prod`, which stays as long as its project.
    pub async fn delete(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
    ) -> Result<(), Error> {
        if environment.as_str() == EnvironmentName::PROD {
            return Err(Error::refused(
                "prod is the published environment and stays as long as its project; remove the project instead",
            ));
        }
        let (project, environment) = (project.clone(), environment.clone());
        self.store
            .write(move |conn| {
                let uid = uid(conn, &project, &environment)?;
                let before = tag(conn, &uid)?;
                conn.execute("DELETE FROM environments WHERE uid = ?1", &[uid.into()])?;
                let entry = AuditEntry::new("environments.delete").place(&project, &environment);
                Ok(((), entry.before(before)))
            })
            .await
    }
}

/// The entity tag of an environment.
fn tag(conn: &mut dyn Connection, uid: &str) -> Result<Option<String>, Error> {
    audit::tag(
        conn,
        "SELECT * FROM environments WHERE uid = ?1",
        &[uid.into()],
    )
}

/// The identifier of an environment.
pub(crate) fn uid(
    conn: &mut dyn Connection,
    project: &ProjectName,
    environment: &EnvironmentName,
) -> Result<String, Error> {
    let found = conn.query_one(
        "SELECT e.uid FROM environments e JOIN projects p ON p.uid = e.project_uid \
         WHERE p.unique_name = ?1 AND e.unique_name = ?2",
        &[project.as_str().into(), environment.as_str().into()],
    )?;
    match found {
        Some(row) => Ok(row.get("uid")?),
        None => Err(Error::not_found(format!(
            "there is no environment {environment} in project {project}"
        ))),
    }
}

/// An environment by its identifier.
fn get(conn: &mut dyn Connection, uid: &str) -> Result<Environment, Error> {
    let found = conn.query_one(
        "SELECT unique_name, name, color, params, date_add FROM environments WHERE uid = ?1",
        &[uid.into()],
    )?;
    match found {
        Some(row) => from_row(&row),
        None => Err(Error::internal(
            "an environment is gone in the middle of a transaction",
        )),
    }
}

/// Whether an environment has settings.
fn has_settings(conn: &mut dyn Connection, environment_uid: &str) -> Result<bool, Error> {
    let found = conn.query(
        "SELECT uid FROM environments WHERE uid = ?1 AND params <> '{}'",
        &[environment_uid.into()],
    )?;
    Ok(!found.is_empty())
}

/// The environments of a project, the oldest first.
pub(crate) fn list(
    conn: &mut dyn Connection,
    project_uid: &str,
) -> Result<Vec<Environment>, Error> {
    conn.query(
        "SELECT unique_name, name, color, params, date_add FROM environments WHERE project_uid = ?1 \
         ORDER BY date_add, uid",
        &[project_uid.into()],
    )?
    .iter()
    .map(from_row)
    .collect()
}

pub(crate) fn insert(
    conn: &mut dyn Connection,
    project_uid: &str,
    new: NewEnvironment,
    now: Timestamp,
) -> Result<Environment, Error> {
    let made = Environment {
        name: new.name.unwrap_or_else(|| new.unique_name.to_string()),
        unique_name: new.unique_name,
        color: new.color,
        params: json::object_or_empty("params", new.params)?,
        date_add: now,
    };
    conn.execute(
        "INSERT INTO environments (uid, project_uid, unique_name, name, color, params, date_add) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        &[
            Value::from(Uuid::now_v7().to_string()),
            project_uid.into(),
            made.unique_name.as_str().into(),
            (&made.name).into(),
            made.color.clone().into(),
            (&made.params).into(),
            clock::to_text(now).into(),
        ],
    )
    .map_err(|error| match is_taken(&error) {
        true => Error::invalid_field(
            "unique_name",
            format!(
                "the project has an environment {} already; choose another name",
                made.unique_name
            ),
        ),
        false => error.into(),
    })?;
    Ok(made)
}

fn from_row(row: &Row) -> Result<Environment, Error> {
    Ok(Environment {
        unique_name: EnvironmentName::from(row.get::<String>("unique_name")?),
        name: row.get("name")?,
        color: row.get("color")?,
        params: row.get("params")?,
        date_add: row::time(row, "date_add")?,
    })
}
