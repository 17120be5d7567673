//! Resources: the connected databases of an environment, and the APIs that its HTTP proxy calls. Their addresses
//! may hold passwords and are kept sealed.

mod engine;

use jiff::Timestamp;
use svc_data::Row;
use svc_model::{ResourceName, Scope, resources::ResourceParams};
use uuid::Uuid;

pub use self::engine::Engine;
use crate::audit::AuditEntry;
use crate::database::{Reader, Tx, columns, handle, row, values};
use crate::error::{Error, Result};
use crate::projects::scope::missing_resource;
use crate::projects::{ScopeRow, names};
use crate::secrets::{Sealer, Secret, secret_tokens};

const COLUMNS: &str = "r.uid, p.unique_name AS project, e.unique_name AS environment, \
     r.unique_name, r.name, r.engine, r.params, r.date_add, r.url";

/// A connected database, or an API that is called through the HTTP proxy, without its address.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource {
    /// Identifier.
    pub uid: Uuid,
    /// The environment it belongs to.
    pub scope: Scope,
    /// Its API name, unique within the environment.
    pub unique_name: ResourceName,
    /// Its name for people.
    pub name: String,
    /// Which engine it is.
    pub engine: Engine,
    /// Its settings, a JSON object as text, which [`ResourceParams`] reads.
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
    /// Its settings, a JSON object as text, which [`ResourceParams`] reads; an empty one when `None`.
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

handle! {
    /// The connected databases: [`Store::resources`](crate::Store::resources).
    Resources,
    /// The connected databases of environments.
    resources
}

impl Resources<'_> {
    /// The resources of an environment, by name.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn list(&self, scope: &Scope) -> Result<Vec<Resource>> {
        self.store
            .read_in(scope.clone(), |reader, scope: ScopeRow| {
                let sql = select("WHERE r.environment_uid = ?1 ORDER BY r.unique_name");
                reader.list(&sql, &values![scope.environment_uid], from_row)
            })
            .await
    }

    /// One resource with its address.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none of that name.
    pub async fn get(&self, scope: &Scope, resource: &ResourceName) -> Result<ConnectedResource> {
        let sql = select("WHERE p.unique_name = ?1 AND e.unique_name = ?2 AND r.unique_name = ?3");
        let names = values![scope.project, scope.environment, resource];
        let found = self.store.read(move |reader| {
            let sealer = reader.sealer();
            reader.find(&sql, &names, |row| open(sealer, row))
        });
        found.await?.ok_or_else(|| missing_resource(resource))
    }

    /// Every connected database of every project, with its address.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list_connected(&self) -> Result<Vec<ConnectedResource>> {
        let sql =
            select("WHERE r.engine <> ?1 ORDER BY p.unique_name, e.unique_name, r.unique_name");
        self.store
            .read(move |reader| {
                let sealer = reader.sealer();
                let http = values![Engine::Http.as_str()];
                reader.list(&sql, &http, |row| open(sealer, row))
            })
            .await
    }

    /// Connects a database. The address is checked for its form, not whether something answers there.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment; a field
    /// error on `unique_name` (not valid, reserved or taken), `url` or `params`, of which the path is named, such as
    /// `params.labels.orders`.
    pub async fn create(&self, scope: &Scope, new: NewResource) -> Result<Resource> {
        let checked = self.check(new)?;
        self.store
            .write_in(scope.clone(), |tx, scope: ScopeRow| {
                insert(tx, &scope, checked)
            })
            .await
    }

    /// Connects a database, or gives the resource of that name this address, and the name and settings
    /// where they are given. Nothing is written when nothing changes. Another address removes the
    /// secret tokens: they were set for the previous one.
    ///
    /// # Errors
    /// As [`create`](Self::create), but for a name that is taken.
    pub async fn replace(&self, scope: &Scope, new: NewResource) -> Result<Resource> {
        // An address that cannot be opened any more is no reason to stop: it is about to be replaced.
        if let Ok(old) = self.get(scope, &new.unique_name).await {
            let kept = &old.resource;
            let renamed = new.name.as_ref().is_some_and(|name| *name != kept.name);
            let set = new.params.as_ref();
            let set = set.is_some_and(|params| *params != kept.params);
            if old.url == new.url && !renamed && !set {
                return Ok(old.resource);
            }
        }
        let checked = self.check(new)?;
        self.store
            .write_in(scope.clone(), |tx, scope: ScopeRow| {
                let sql = select("WHERE r.environment_uid = ?1 AND r.unique_name = ?2");
                let names = values![scope.environment_uid, checked.new.unique_name];
                let Some(row) = tx.query_one(&sql, &names)? else {
                    return insert(tx, &scope, checked);
                };
                let Checked { new, engine, .. } = checked;
                let old = from_row(&row)?;
                // What cannot be opened any more is another address.
                if !open(tx.sealer(), &row).is_ok_and(|kept| kept.url == new.url) {
                    secret_tokens::clear(tx, old.uid)?;
                }
                let before = tx.tag("resources", old.uid)?;
                let url = tx.sealer().seal(&context(old.uid), new.url.expose())?;
                let name = new.name.unwrap_or(old.name);
                let params = new.params.unwrap_or(old.params);
                tx.execute(
                    "UPDATE resources SET url = ?1, engine = ?2, name = ?3, params = ?4 WHERE uid = ?5",
                    &values![url, engine.as_str(), name, params, old.uid],
                )?;
                written(tx, "resources.update", old.uid, before)
            })
            .await
    }

    /// Disconnects a database; its static and secret tokens go with it, its data stays where it is.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none of that name.
    pub async fn delete(&self, scope: &Scope, resource: &ResourceName) -> Result<()> {
        let resource = resource.clone();
        self.store
            .write_in(scope.clone(), move |tx, scope: ScopeRow| {
                let uid = scope.resource_uid(tx, &resource)?;
                let entry = scope.entry("resources.delete").resource(resource.as_str());
                tx.delete_row("resources", uid, entry)
            })
            .await
    }

    /// Checks and seals before the transaction, so that no other write waits for it.
    fn check(&self, new: NewResource) -> Result<Checked> {
        names::check_resource(&new.unique_name)?;
        let engine = Engine::of_url(&new.url)?;
        if let Some(params) = &new.params {
            ResourceParams::parse(params)?;
        }
        let uid = Uuid::now_v7();
        let sealed = self.store.sealer().seal(&context(uid), new.url.expose())?;
        Ok(Checked {
            uid,
            engine,
            sealed,
            new,
        })
    }
}

/// A resource whose parts have been checked.
struct Checked {
    new: NewResource,
    uid: Uuid,
    engine: Engine,
    sealed: String,
}

/// The resources of all environments of a project, by environment and name.
pub(crate) fn list_of_project(reader: &mut Reader<'_>, project_uid: &str) -> Result<Vec<Resource>> {
    let sql = select("WHERE e.project_uid = ?1 ORDER BY e.date_add, e.uid, r.unique_name");
    reader.list(&sql, &values![project_uid], from_row)
}

fn get(reader: &mut Reader<'_>, uid: Uuid) -> Result<Resource> {
    reader
        .find(&select("WHERE r.uid = ?1"), &values![uid], from_row)?
        .ok_or_else(|| Error::internal("a resource that was written is missing"))
}

fn insert(tx: &mut Tx<'_>, scope: &ScopeRow, checked: Checked) -> Result<Resource> {
    let Checked { new, uid, .. } = checked;
    let unique_name = new.unique_name;
    let name = new.name.unwrap_or_else(|| unique_name.to_string());
    let params = new.params.unwrap_or_else(|| "{}".to_owned());
    let (environment_uid, engine) = (&scope.environment_uid, checked.engine.as_str());
    let row = row! {
        uid, environment_uid, unique_name, name, engine, url: checked.sealed, params, date_add: tx.now()
    };
    let taken =
        format!("the environment has a resource {unique_name} already; choose another name");
    tx.insert("resources", &row)
        .map_err(|error| error.if_taken("unique_name", taken))?;
    written(tx, "resources.create", uid, None)
}

/// Leaves the line about a resource that was just written, and gives the resource.
fn written(
    tx: &mut Tx<'_>,
    action: &'static str,
    uid: Uuid,
    before: Option<String>,
) -> Result<Resource> {
    let resource = get(tx, uid)?;
    let entry = AuditEntry::new(action)
        .scope(&resource.scope)
        .resource(resource.unique_name.as_str());
    // Its address is sealed again with each change, so that the tag changes too.
    tx.changed_row("resources", uid, entry.before(before))?;
    Ok(resource)
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

fn open(sealer: &Sealer, row: &Row) -> Result<ConnectedResource> {
    let resource = from_row(row)?;
    let url = sealer.open(&context(resource.uid), &row.get::<String>("url")?).map_err(|_| {
        Error::unavailable(format!(
            "the address of resource {} in project {} cannot be opened with the store's key; connect it again",
            resource.unique_name, resource.scope.project
        ))
    })?;
    Ok(ConnectedResource { resource, url })
}

fn from_row(row: &Row) -> Result<Resource> {
    columns!(row => Resource {
        scope: row::scope(row)?, uid, unique_name, name, engine, params, date_add
    })
}
