//! Environments: each project has `prod` and as many more as it likes. Pages, resources and their tokens
//! belong to one environment.

use jiff::Timestamp;
use svc_data::Row;
use svc_model::{EnvironmentName, ProjectName, Scope};
use uuid::Uuid;

use crate::database::{Reader, Tx, columns, handle, json, row, values};
use crate::error::{Error, Result};
use crate::pages;
use crate::projects::{Located, ProjectRow, ScopeRow, names};

const COLUMNS: &str = "unique_name, name, color, params, date_add";

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
    /// Another colour; `Some(None)` removes it.
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
    /// Whether the pages are copied.
    pub pages: bool,
    /// Whether the settings are copied.
    pub settings: bool,
    /// Whether the pages and the settings that `to` has are replaced; otherwise it must have none.
    pub replace: bool,
}

impl EnvironmentCopy {
    /// A copy of pages and settings into an environment that has none.
    pub fn new(from: impl Into<EnvironmentName>, to: impl Into<EnvironmentName>) -> Self {
        Self {
            from: from.into(),
            to: to.into(),
            pages: true,
            settings: true,
            replace: false,
        }
    }
}

handle! {
    /// The environments of the store's projects: [`Store::environments`](crate::Store::environments).
    Environments,
    /// The environments of projects.
    environments
}

impl Environments<'_> {
    /// The environments of a project, the oldest first: `prod` leads.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project.
    pub async fn list(&self, project: &ProjectName) -> Result<Vec<Environment>> {
        self.store
            .read_in(project.clone(), |reader, project: ProjectRow| {
                list(reader, &project.uid)
            })
            .await
    }

    /// Adds an environment to a project.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project; a field error
    /// on `unique_name` when it is not valid or taken, on `params` when they are not a JSON object.
    pub async fn create(&self, project: &ProjectName, new: NewEnvironment) -> Result<Environment> {
        names::check_environment(&new.unique_name)?;
        self.store
            .write_in(project.clone(), |tx, project: ProjectRow| {
                let uid = insert(tx, &project.uid, new)?;
                let made = get(tx, &uid)?;
                let entry = project
                    .entry("environments.create")
                    .after(tx.tag("environments", &uid)?);
                tx.changed(entry.environment(&made.unique_name));
                Ok(made)
            })
            .await
    }

    /// Changes an environment.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment; a field error on
    /// `params` when they are not a JSON object.
    pub async fn update(&self, scope: &Scope, patch: EnvironmentPatch) -> Result<Environment> {
        self.store
            .write_in(scope.clone(), |tx, scope: ScopeRow| {
                let uid = &scope.environment_uid;
                let before = tx.tag("environments", uid)?;
                let old = get(tx, uid)?;
                let params = match patch.params {
                    Some(params) => json::object("params", params)?,
                    None => old.params,
                };
                let name = patch.name.unwrap_or(old.name);
                let color = patch.color.unwrap_or(old.color);
                tx.execute(
                    "UPDATE environments SET name = ?1, color = ?2, params = ?3 WHERE uid = ?4",
                    &values![name, color, params, uid],
                )?;
                let entry = scope.entry("environments.update").before(before);
                tx.changed_row("environments", uid, entry)?;
                get(tx, uid)
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
    pub async fn copy(&self, project: &ProjectName, copy: EnvironmentCopy) -> Result<u64> {
        let EnvironmentCopy {
            from,
            to,
            pages: copies_pages,
            settings: copies_settings,
            replace,
        } = copy;
        if from == to {
            return Err(Error::refused(format!(
                "{from} cannot be copied into itself; name another environment"
            )));
        }
        let project = project.clone();
        self.store
            .write(move |tx| {
                let source = ScopeRow::get(tx, &Scope::new(&project, &from))?.environment_uid;
                let scope = ScopeRow::get(tx, &Scope::new(&project, &to))?;
                let target = &scope.environment_uid;
                let before = tx.tag("environments", target)?;
                let is_taken = (copies_pages && pages::has_any(tx, target)?)
                    || (copies_settings && has_settings(tx, target)?);
                if is_taken && !replace {
                    return Err(Error::refused(format!(
                        "environment {to} has pages or settings of its own; replace them (--replace), copy into a new one, or \
                         bring over the pages that differ (svc pages promote)"
                    )));
                }
                if copies_settings {
                    tx.execute(
                        "UPDATE environments SET params = (SELECT f.params FROM environments f WHERE f.uid = ?1) \
                         WHERE uid = ?2",
                        &values![source, target],
                    )?;
                }
                let mut copied = 0;
                if copies_pages {
                    pages::remove_all(tx, target)?;
                    copied = pages::copy_all(tx, &source, target)?;
                }
                let entry = scope.entry("environments.copy").record(from.as_str());
                tx.changed_row("environments", target, entry.before(before))?;
                Ok(copied)
            })
            .await
    }

    /// Removes an environment with its pages, resources and tokens, in one transaction. Where it was the one that is opened
    /// first, that is `prod` again.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment;
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for `prod`, which stays as long as its project.
    pub async fn delete(&self, scope: &Scope) -> Result<()> {
        if scope.environment.as_str() == EnvironmentName::PROD {
            return Err(Error::refused(
                "prod is the published environment and stays as long as its project; remove the project instead",
            ));
        }
        self.store
            .write_in(scope.clone(), |tx, scope: ScopeRow| {
                let sql = "UPDATE projects SET default_environment = NULL \
                     WHERE uid = ?1 AND default_environment = ?2";
                tx.execute(sql, &values![scope.project_uid, scope.names.environment])?;
                let entry = scope.entry("environments.delete");
                tx.delete_row("environments", &scope.environment_uid, entry)
            })
            .await
    }
}

/// An environment by its identifier.
fn get(reader: &mut Reader<'_>, uid: &str) -> Result<Environment> {
    let sql = format!("SELECT {COLUMNS} FROM environments WHERE uid = ?1");
    reader
        .find(&sql, &values![uid], from_row)?
        .ok_or_else(|| Error::internal("an environment is gone in the middle of a transaction"))
}

/// Whether an environment has settings.
fn has_settings(reader: &mut Reader<'_>, environment_uid: &str) -> Result<bool> {
    let sql = "SELECT uid FROM environments WHERE uid = ?1 AND params <> '{}'";
    reader.exists(sql, &values![environment_uid])
}

/// The environments of a project, the oldest first.
pub(crate) fn list(reader: &mut Reader<'_>, project_uid: &str) -> Result<Vec<Environment>> {
    let sql =
        format!("SELECT {COLUMNS} FROM environments WHERE project_uid = ?1 ORDER BY date_add, uid");
    reader.list(&sql, &values![project_uid], from_row)
}

/// Writes a new environment, and gives its identifier.
pub(crate) fn insert(tx: &mut Tx<'_>, project_uid: &str, new: NewEnvironment) -> Result<String> {
    let uid = Uuid::now_v7().to_string();
    let unique_name = new.unique_name;
    let name = new.name.unwrap_or_else(|| unique_name.to_string());
    let params = json::object_or_empty("params", new.params)?;
    let row = row! {
        uid, project_uid, unique_name, name, color: new.color, params, date_add: tx.now()
    };
    let taken =
        format!("the project has an environment {unique_name} already; choose another name");
    tx.insert("environments", &row)
        .map_err(|error| error.if_taken("unique_name", taken))?;
    Ok(uid)
}

fn from_row(row: &Row) -> Result<Environment> {
    columns!(row => Environment { unique_name, name, color, params, date_add })
}
