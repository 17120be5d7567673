//! Resources: the connected databases of an environment, and the APIs that its HTTP proxy calls. Their addresses
//! may hold passwords and are kept sealed.

mod engine;

use jiff::Timestamp;
use svc_data::{Connection, Row, Value};
use svc_model::{EnvironmentName, ProjectName, ResourceName};
use uuid::Uuid;

pub use self::engine::Engine;
use crate::audit::{self, AuditEntry};
use crate::clock;
use crate::environments;
use crate::error::{Error, is_taken};
use crate::json;
use crate::names;
use crate::row;
use crate::seal::Sealer;
use crate::secret::Secret;
use crate::secret_tokens;
use crate::store::Store;

const COLUMNS: &str = "r.uid AS resource_uid, p.unique_name AS project, e.unique_name AS environment, \
     r.unique_name, r.name, r.engine, r.params, r.date_add, r.url";

/// A connected database, or an API that is called through the HTTP proxy, without its address.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource {
    /// Identifier.
    pub uid: Uuid,
    /// The project it belongs to.
    pub project: ProjectName,
    /// The environment it belongs to.
    pub environment: EnvironmentName,
    /// Its API name, unique within the environment.
    pub unique_name: ResourceName,
    /// Its name for people.
    pub name: String,
    /// Which engine it is.
    pub engine: Engine,
    /// Its settings, a JSON object as text.
    pub params: String,
    /// When it was connected.
    pub date_add: Timestamp,
}

/// A connected database with its address.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConnectedResource {
    /// The resource.
    pub resource: Resource,
    /// The address, such as `sqlite:/srv/shop.db` or `postgres://app:...@db/shop`.
    pub url: Secret,
}

/// What a resource is made of; see [`NewResource::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewResource {
    /// Its API name.
    pub unique_name: ResourceName,
    /// Its address.
    pub url: Secret,
    /// Its name for people; the API name when `None`.
    pub name: Option<String>,
    /// Its settings, a JSON object as text; an empty one when `None`.
    pub params: Option<String>,
}

impl NewResource {
    /// A resource with nothing but a name and an address.
    pub fn new(unique_name: impl Into<ResourceName>, url: Secret) -> Self {
        Self {
            unique_name: unique_name.into(),
            url,
            name: None,
            params: None,
        }
    }
}

/// The connected databases: [`Store::resources`].
#[derive(Debug, Clone, Copy)]
pub struct Resources<'a> {
    store: &'a Store,
}

impl Store {
    /// The connected databases of environments.
    pub fn resources(&self) -> Resources<'_> {
        Resources { store: self }
    }
}

impl Resources<'_> {
    /// The resources of an environment, by name.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn list(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
    ) -> Result<Vec<Resource>, Error> {
        let (project, environment) = (project.clone(), environment.clone());
        self.store
            .read(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                let sql = select("WHERE r.environment_uid = ?1 ORDER BY r.unique_name");
                conn.query(&sql, &[environment_uid.into()])?
                    .iter()
                    .map(from_row)
                    .collect()
            })
            .await
    }

    /// One resource with its address.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none of that name.
    pub async fn get(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        resource: &ResourceName,
    ) -> Result<ConnectedResource, Error> {
        let (project, environment, resource) =
            (project.clone(), environment.clone(), resource.clone());
        let sealer = self.store.sealer().clone();
        self.store
            .read(move |conn| {
                let sql = select(
                    "WHERE p.unique_name = ?1 AND e.unique_name = ?2 AND r.unique_name = ?3",
                );
                let names = [
                    project.as_str().into(),
                    environment.as_str().into(),
                    resource.as_str().into(),
                ];
                let row = conn
                    .query_one(&sql, &names)?
                    .ok_or_else(|| missing(&resource))?;
                open(&sealer, &row)
            })
            .await
    }

    /// Every connected database of every project, with its address.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list_connected(&self) -> Result<Vec<ConnectedResource>, Error> {
        let sealer = self.store.sealer().clone();
        self.store
            .read(move |conn| {
                let sql = select(
                    "WHERE r.engine <> ?1 ORDER BY p.unique_name, e.unique_name, r.unique_name",
                );
                conn.query(&sql, &[Engine::Http.as_str().into()])?
                    .iter()
                    .map(|row| open(&sealer, row))
                    .collect()
            })
            .await
    }

    /// Connects a database. The address is checked for its form, not whether something answers there.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment; a field
    /// error on `unique_name` (unfit, reserved or taken), `url` or `params`.
    pub async fn create(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        new: NewResource,
    ) -> Result<Resource, Error> {
        let (project, environment) = (project.clone(), environment.clone());
        let checked = self.check(new)?;
        self.store
            .write(move |conn| insert(conn, &project, &environment, checked))
            .await
    }

    /// Connects a database, or gives the resource of that name this address, and the name and settings
    /// where they are given. Nothing is written when nothing changes. Another address takes the secret tokens
    /// along: they were set for the one before.
    ///
    /// # Errors
    /// As [`create`](Self::create), but for a name that is taken.
    pub async fn replace(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        new: NewResource,
    ) -> Result<Resource, Error> {
        // An address that cannot be opened any more is no reason to stop: it is about to be replaced.
        if let Ok(old) = self.get(project, environment, &new.unique_name).await {
            let renamed = new
                .name
                .as_ref()
                .is_some_and(|name| *name != old.resource.name);
            let set = new
                .params
                .as_ref()
                .is_some_and(|params| *params != old.resource.params);
            if old.url == new.url && !renamed && !set {
                return Ok(old.resource);
            }
        }
        let (project, environment) = (project.clone(), environment.clone());
        let checked = self.check(new)?;
        let sealer = self.store.sealer().clone();
        self.store
            .write(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                let sql = select("WHERE r.environment_uid = ?1 AND r.unique_name = ?2");
                let names = [environment_uid.into(), checked.new.unique_name.as_str().into()];
                let Some(row) = conn.query_one(&sql, &names)? else {
                    return insert(conn, &project, &environment, checked);
                };
                let old = from_row(&row)?;
                // What cannot be opened any more is another address.
                let same = open(&sealer, &row).is_ok_and(|kept| kept.url == checked.new.url);
                if !same {
                    secret_tokens::clear(conn, old.uid)?;
                }
                let before = tag(conn, &old.uid.to_string())?;
                let url = sealer.seal(&context(old.uid), checked.new.url.expose())?;
                conn.execute(
                    "UPDATE resources SET url = ?1, engine = ?2, name = ?3, params = ?4 WHERE uid = ?5",
                    &[
                        Value::from(url),
                        checked.engine.as_str().into(),
                        checked.new.name.unwrap_or(old.name).into(),
                        checked.new.params.unwrap_or(old.params).into(),
                        old.uid.to_string().into(),
                    ],
                )?;
                let new = get(conn, old.uid)?;
                let entry = entry(conn, "resources.update", &new)?.before(before);
                Ok((new, entry))
            })
            .await
    }

    /// Disconnects a database; its static and secret tokens go with it, its data stays where it is.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none of that name.
    pub async fn delete(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        resource: &ResourceName,
    ) -> Result<(), Error> {
        let (project, environment, resource) =
            (project.clone(), environment.clone(), resource.clone());
        self.store
            .write(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                let uid = uid(conn, &environment_uid, &resource)?;
                let entry = AuditEntry::new("resources.delete")
                    .place(&project, &environment)
                    .resource(resource.as_str())
                    .before(tag(conn, &uid)?);
                conn.execute("DELETE FROM resources WHERE uid = ?1", &[uid.into()])?;
                Ok(((), entry))
            })
            .await
    }

    /// Checks and seals before the transaction, so that nobody waits for it.
    fn check(&self, new: NewResource) -> Result<Checked, Error> {
        names::check_resource(&new.unique_name)?;
        let engine = Engine::of_url(&new.url)?;
        let params = new
            .params
            .map(|params| json::object("params", params))
            .transpose()?;
        let uid = Uuid::now_v7();
        let sealed = self.store.sealer().seal(&context(uid), new.url.expose())?;
        Ok(Checked {
            uid,
            engine,
            sealed,
            now: self.store.clock().now(),
            new: NewResource { params, ..new },
        })
    }
}

/// A resource whose parts have been checked.
struct Checked {
    new: NewResource,
    uid: Uuid,
    engine: Engine,
    sealed: String,
    now: Timestamp,
}

/// The identifier of a resource.
pub(crate) fn uid(
    conn: &mut dyn Connection,
    environment_uid: &str,
    resource: &ResourceName,
) -> Result<String, Error> {
    let found = conn.query_one(
        "SELECT uid FROM resources WHERE environment_uid = ?1 AND unique_name = ?2",
        &[environment_uid.into(), resource.as_str().into()],
    )?;
    Ok(found.ok_or_else(|| missing(resource))?.get("uid")?)
}

/// The resources of all environments of a project, by environment and name.
pub(crate) fn list_of_project(
    conn: &mut dyn Connection,
    project_uid: &str,
) -> Result<Vec<Resource>, Error> {
    let sql = select("WHERE e.project_uid = ?1 ORDER BY e.date_add, e.uid, r.unique_name");
    conn.query(&sql, &[project_uid.into()])?
        .iter()
        .map(from_row)
        .collect()
}

fn get(conn: &mut dyn Connection, uid: Uuid) -> Result<Resource, Error> {
    let sql = select("WHERE r.uid = ?1");
    let row = conn.query_one(&sql, &[uid.to_string().into()])?;
    from_row(&row.ok_or_else(|| Error::internal("a resource that was written is missing"))?)
}

fn insert(
    conn: &mut dyn Connection,
    project: &ProjectName,
    environment: &EnvironmentName,
    checked: Checked,
) -> Result<(Resource, AuditEntry), Error> {
    let environment_uid = environments::uid(conn, project, environment)?;
    let Checked {
        new,
        uid,
        engine,
        sealed,
        now,
    } = checked;
    let name = new.unique_name;
    conn.execute(
        "INSERT INTO resources (uid, environment_uid, unique_name, name, engine, url, params, date_add) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        &[
            Value::from(uid.to_string()),
            environment_uid.into(),
            name.as_str().into(),
            new.name.unwrap_or_else(|| name.to_string()).into(),
            engine.as_str().into(),
            sealed.into(),
            json::object_or_empty("params", new.params)?.into(),
            clock::to_text(now).into(),
        ],
    )
    .map_err(|error| match is_taken(&error) {
        true => Error::invalid_field(
            "unique_name",
            format!("the environment has a resource {name} already; choose another name"),
        ),
        false => error.into(),
    })?;
    let made = get(conn, uid)?;
    let entry = entry(conn, "resources.create", &made)?;
    Ok((made, entry))
}

/// The line about a resource that was just written.
fn entry(
    conn: &mut dyn Connection,
    action: &'static str,
    resource: &Resource,
) -> Result<AuditEntry, Error> {
    let entry = AuditEntry::new(action)
        .place(&resource.project, &resource.environment)
        .resource(resource.unique_name.as_str());
    Ok(entry.after(tag(conn, &resource.uid.to_string())?))
}

/// The entity tag of a resource. Its address is sealed anew with each change.
fn tag(conn: &mut dyn Connection, uid: &str) -> Result<Option<String>, Error> {
    audit::tag(
        conn,
        "SELECT * FROM resources WHERE uid = ?1",
        &[uid.into()],
    )
}

fn missing(resource: &ResourceName) -> Error {
    Error::not_found(format!(
        "there is no resource {resource} in this environment"
    ))
}

/// What binds a sealed address to its row.
fn context(uid: Uuid) -> String {
    format!("resource {uid}")
}

fn select(rest: &str) -> String {
    format!(
        "SELECT {COLUMNS} FROM resources r JOIN environments e ON e.uid = r.environment_uid \
         JOIN projects p ON p.uid = e.project_uid {rest}"
    )
}

fn open(sealer: &Sealer, row: &Row) -> Result<ConnectedResource, Error> {
    let resource = from_row(row)?;
    let url = sealer.open(&context(resource.uid), &row.get::<String>("url")?).map_err(|_| {
        Error::unavailable(format!(
            "the address of resource {} in project {} cannot be opened with the store's key; connect it again",
            resource.unique_name, resource.project
        ))
    })?;
    Ok(ConnectedResource { resource, url })
}

fn from_row(row: &Row) -> Result<Resource, Error> {
    Ok(Resource {
        uid: row::uid(row, "resource_uid")?,
        project: ProjectName::from(row.get::<String>("project")?),
        environment: EnvironmentName::from(row.get::<String>("environment")?),
        unique_name: ResourceName::from(row.get::<String>("unique_name")?),
        name: row.get("name")?,
        engine: Engine::stored(&row.get::<String>("engine")?)?,
        params: row.get("params")?,
        date_add: row::time(row, "date_add")?,
    })
}
