//! Projects: what everything else belongs to, and what an API key opens.

pub(crate) mod environments;
pub(crate) mod names;
pub(crate) mod resources;
pub(crate) mod scope;
mod view;

pub use self::environments::{
    Environment, EnvironmentCopy, EnvironmentPatch, Environments, NewEnvironment,
};
pub use self::resources::{
    ConnectedResource, Engine, NewResource, Resource, ResourcePatch, Resources, url_hint,
};
pub(crate) use self::scope::{Located, ProjectRow, ScopeRow};

use std::collections::HashMap;

use jiff::Timestamp;
use svc_data::{Row, Value};
use svc_model::{
    EnvironmentName, Project, ProjectName, Scope, administration::sign_in::SignInPatch,
};
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::credentials::AccountRights;
use crate::database::{Reader, Tx, columns, handle, json, row, values};
use crate::error::{Error, ErrorKind, Result};
use crate::people::{Authentication, accounts, members, teams};

/// Whose API key is made when nobody is named and the project has no owner.
const FIRST_OWNER: &str = "admin@localhost";

/// How many names are looked up by one statement.
const NAMED_AT_ONCE: usize = 500;

const COLUMNS: &str = "p.uid AS project_uid, p.unique_name, p.name, p.color, p.domain, p.sign_up, p.params, \
     p.date_add, p.owner_uid, p.authentication, p.default_environment";

/// A project and its settings. (An API client gets a [`svc_model::Project`].)
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProjectSettings {
    /// Its name in paths.
    pub unique_name: ProjectName,
    /// Its name for people.
    pub name: String,
    /// Its colour in interfaces, where chosen.
    pub color: Option<String>,
    /// The domain its application answers at, where it has one.
    pub domain: Option<String>,
    /// The account that owns it, once there is one.
    pub owner_uid: Option<Uuid>,
    /// Whether users may register themselves.
    pub sign_up: bool,
    /// How its users sign in.
    pub authentication: Authentication,
    /// The environment of requests that name none.
    pub default_environment: Option<EnvironmentName>,
    /// Its settings, a JSON object as text.
    pub params: String,
    /// When it was made.
    pub date_add: Timestamp,
}

/// What a new project is made of; see [`NewProject::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewProject {
    /// Its name in paths.
    pub unique_name: ProjectName,
    /// Its name for people; the unique name when `None`.
    pub name: Option<String>,
    /// Its colour in interfaces.
    pub color: Option<String>,
    /// The domain its application answers at.
    pub domain: Option<String>,
    /// E-mail address of its owner, who becomes an administrator; an account is made when new. The first
    /// administrator later when `None`.
    pub owner: Option<String>,
    /// Whether users may register themselves.
    pub sign_up: bool,
    /// Its settings, a JSON object as text; an empty one when `None`.
    pub params: Option<String>,
}

impl NewProject {
    /// A project with nothing but a unique name; sign-up is off.
    pub fn new(unique_name: impl Into<ProjectName>) -> Self {
        Self {
            unique_name: unique_name.into(),
            name: None,
            color: None,
            domain: None,
            owner: None,
            sign_up: false,
            params: None,
        }
    }
}

/// A change of a project; what is `None` stays. See [`Projects::update`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ProjectPatch {
    /// Another name for people.
    pub name: Option<String>,
    /// Another colour; `Some(None)` removes it.
    pub color: Option<Option<String>>,
    /// Another domain; `Some(None)` removes it.
    pub domain: Option<Option<String>>,
    /// Another default environment; `Some(None)` is `prod`.
    pub default_environment: Option<Option<EnvironmentName>>,
    /// What changes of how users sign in.
    pub sign_in: SignInPatch,
    /// Other settings, a JSON object as text, in place of all there were.
    pub params: Option<String>,
}

handle! {
    /// The store's projects: [`Store::projects`](crate::Store::projects).
    Projects,
    /// The projects.
    projects
}

impl Projects<'_> {
    /// All projects, the oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list(&self) -> Result<Vec<ProjectSettings>> {
        self.store
            .read(|reader| {
                let sql = format!("SELECT {COLUMNS} FROM projects p ORDER BY p.date_add, p.uid");
                reader.list(&sql, &[], from_row)
            })
            .await
    }

    /// One project.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none of that name.
    pub async fn get(&self, project: &ProjectName) -> Result<ProjectSettings> {
        let project = project.clone();
        self.store
            .read(move |reader| from_row(&get(reader, &project)?))
            .await
    }

    /// The names of those of these projects that there are, as they are shown, by their unique names.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn names(&self, projects: Vec<ProjectName>) -> Result<HashMap<ProjectName, String>> {
        self.store
            .read(move |reader| {
                let mut names = HashMap::with_capacity(projects.len());
                for listed in projects.chunks(NAMED_AT_ONCE) {
                    let places: Vec<_> = (1..=listed.len()).map(|at| format!("?{at}")).collect();
                    let sql = format!(
                        "SELECT unique_name, name FROM projects WHERE unique_name IN ({})",
                        places.join(", ")
                    );
                    let values: Vec<Value> =
                        listed.iter().map(|name| name.to_string().into()).collect();
                    names.extend(reader.list(&sql, &values, |row| {
                        Ok((row::get(row, "unique_name")?, row.get("name")?))
                    })?);
                }
                Ok(names)
            })
            .await
    }

    /// Those of these projects that there are, as an account sees them that they are open to.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn get_all_for(
        &self,
        account: Uuid,
        rights: &AccountRights,
        projects: Vec<ProjectName>,
    ) -> Result<Vec<Project>> {
        let rights = rights.clone();
        self.store
            .read(move |reader| {
                let sql = format!("SELECT {COLUMNS} FROM projects p WHERE p.unique_name = ?1");
                let mut found = Vec::with_capacity(projects.len());
                for name in &projects {
                    if let Some(row) = reader.query_one(&sql, &values![name])? {
                        found.push(view::of(reader, &row, account, &rights)?);
                    }
                }
                Ok(found)
            })
            .await
    }

    /// One project that is open to an account, as an API client sees it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none of that name, or it is not open to the account.
    pub async fn get_for(
        &self,
        account: Uuid,
        rights: &AccountRights,
        project: &ProjectName,
    ) -> Result<Project> {
        let (project, rights) = (project.clone(), rights.clone());
        self.store
            .read(move |reader| {
                if rights.in_project(&project).is_none() {
                    return Err(missing(&project));
                }
                let row = get(reader, &project)?;
                view::of(reader, &row, account, &rights)
            })
            .await
    }

    /// The e-mail address of a project's owner; of one that nobody owns, that of the account which API keys are made for
    /// when nobody is named.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such project.
    pub async fn owner_email(&self, project: &ProjectName) -> Result<String> {
        match self.get(project).await?.owner_uid {
            Some(owner) => Ok(self.store.accounts().get(owner).await?.email),
            None => Ok(FIRST_OWNER.to_owned()),
        }
    }

    /// Makes a project, with its environment `prod` and the teams Administrator, Editor and Read Only,
    /// in one transaction.
    ///
    /// # Errors
    /// A field error on `unique_name` when it is not valid or taken, on `email` when the owner's address is not valid, on
    /// `params` when they are not a JSON object.
    pub async fn create(&self, new: NewProject) -> Result<ProjectSettings> {
        names::check_project(&new.unique_name)?;
        self.store
            .write(move |tx| {
                let (name, owner) = (new.unique_name.clone(), new.owner.clone());
                let uid = insert(tx, new)?;
                let mut prod = NewEnvironment::new(EnvironmentName::default());
                prod.name = Some("Production".to_owned());
                environments::insert(tx, &uid, prod)?;
                teams::create_shipped(tx, &uid)?;
                if let Some(email) = owner {
                    let account = accounts::find_or_create(tx, &email)?;
                    let team = teams::administrators(tx, &uid)?;
                    members::put(tx, &uid, &account, &team)?;
                }
                let entry = AuditEntry::new("projects.create").project(&name);
                tx.changed_row("projects", &uid, entry)?;
                from_row(&get(tx, &name)?)
            })
            .await
    }

    /// Changes a project.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none of that name; a field error
    /// on `params` when they are not a JSON object, and on the settings of `authentication` that cannot be.
    pub async fn update(
        &self,
        project: &ProjectName,
        patch: ProjectPatch,
    ) -> Result<ProjectSettings> {
        self.store
            .write_in(project.clone(), move |tx, project: ProjectRow| {
                let uid = &project.uid;
                let old = from_row(&get(tx, &project.name)?)?;
                let params = match patch.params {
                    Some(params) => json::object("params", params)?,
                    None => old.params,
                };
                let before = tx.tag("projects", uid)?;
                let name = patch.name.unwrap_or(old.name);
                let color = patch.color.unwrap_or(old.color);
                let domain = patch.domain.unwrap_or(old.domain);
                let sign_up = patch.sign_in.sign_up.unwrap_or(old.sign_up);
                if let Some(Some(environment)) = &patch.default_environment
                    && ScopeRow::find(tx, &Scope::new(&project.name, environment))?.is_none()
                {
                    let message = "the project has no such environment";
                    return Err(Error::invalid_field("default_environment", message));
                }
                let default_environment =
                    patch.default_environment.unwrap_or(old.default_environment);
                let is_about_sign_up =
                    patch.sign_in.sign_up.is_some() || patch.sign_in.sign_up_team.is_some();
                let authentication = old.authentication.changed(patch.sign_in).check()?;
                if sign_up && is_about_sign_up {
                    let team = teams::of_sign_up(tx, uid, &authentication);
                    team.map_err(|error| match error.kind() {
                        ErrorKind::Invalid => {
                            Error::invalid_field("sign_up_team", error.to_string())
                        }
                        _ => error,
                    })?;
                }
                let authentication = authentication.to_text()?;
                tx.execute(
                    "UPDATE projects SET name = ?1, color = ?2, domain = ?3, sign_up = ?4, params = ?5, \
                     authentication = ?7, default_environment = ?8 WHERE uid = ?6",
                    &values![
                        name, color, domain, sign_up, params, uid, authentication,
                        default_environment
                    ],
                )?;
                let entry = project.entry("projects.update").before(before);
                tx.changed_row("projects", uid, entry)?;
                from_row(&get(tx, &project.name)?)
            })
            .await
    }

    /// Removes a project with everything that belongs to it, in one transaction.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none of that name.
    pub async fn delete(&self, project: &ProjectName) -> Result<()> {
        self.store
            .write_in(project.clone(), |tx, project: ProjectRow| {
                tx.delete_row("projects", &project.uid, project.entry("projects.delete"))
            })
            .await
    }
}

/// The row of a project.
fn get(reader: &mut Reader<'_>, project: &ProjectName) -> Result<Row> {
    let sql = format!("SELECT {COLUMNS} FROM projects p WHERE p.unique_name = ?1");
    reader
        .query_one(&sql, &values![project])?
        .ok_or_else(|| missing(project))
}

fn missing(project: &ProjectName) -> Error {
    Error::not_found(format!("there is no project {project}"))
}

fn insert(tx: &mut Tx<'_>, new: NewProject) -> Result<String> {
    let uid = Uuid::now_v7().to_string();
    let unique_name = new.unique_name;
    let name = new.name.unwrap_or_else(|| unique_name.to_string());
    let params = json::object_or_empty("params", new.params)?;
    let (color, domain, sign_up) = (new.color, new.domain, new.sign_up);
    let row = row! {
        uid, unique_name, name, color, domain, sign_up, params, date_add: tx.now()
    };
    let taken = format!("there is a project {unique_name} already; choose another name");
    tx.insert("projects", &row)
        .map_err(|error| error.if_taken("unique_name", taken))?;
    Ok(uid)
}

fn from_row(row: &Row) -> Result<ProjectSettings> {
    columns!(row => ProjectSettings {
        authentication: Authentication::from_row(row)?,
        unique_name, name, color, domain, owner_uid, sign_up, default_environment, params, date_add
    })
}
