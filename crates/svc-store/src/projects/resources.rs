//! Resources: the connected databases of an environment, and the APIs that its HTTP proxy calls. Their addresses
//! may hold passwords and are kept sealed.

mod engine;
mod hint;

use jiff::Timestamp;
use svc_data::{ResourceUrl, Row};
use svc_model::{ResourceName, Scope, resources::ResourceParams};
use uuid::Uuid;

pub use self::engine::Engine;
pub use self::hint::url_hint;
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

/// What of a resource is changed. What is `None` stays as it is.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ResourcePatch {
    /// Another name for people.
    pub name: Option<String>,
    /// Other settings, a JSON object as text, in place of all there were; [`ResourceParams`] reads it.
    pub params: Option<String>,
    /// Another address.
    pub url: Option<Secret>,
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

    /// The resources of an environment, by name, each with the [hint](url_hint) of its address; `None` where that cannot be
    /// opened with the store's key any more.
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub async fn list_with_hints(&self, scope: &Scope) -> Result<Vec<(Resource, Option<String>)>> {
        self.store
            .read_in(scope.clone(), |reader, scope: ScopeRow| {
                let sql = select("WHERE r.environment_uid = ?1 ORDER BY r.unique_name");
                let sealer = reader.sealer();
                reader.list(&sql, &values![scope.environment_uid], |row| {
                    let hint = open(sealer, row).ok().map(|opened| url_hint(&opened.url));
                    Ok((from_row(row)?, hint))
                })
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

    /// Keeps the hint of each address that was stored without one.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn complete_hints(&self) -> Result<()> {
        let sql = select("WHERE r.url_hint IS NULL");
        let without = self.store.read(move |reader| {
            let sealer = reader.sealer();
            reader.list(&sql, &[], |row| Ok(open(sealer, row).ok()))
        });
        let opened: Vec<_> = without.await?.into_iter().flatten().collect();
        if opened.is_empty() {
            return Ok(());
        }
        self.store
            .write(move |tx| {
                for ConnectedResource { resource, url } in &opened {
                    let sql = "UPDATE resources SET url_hint = ?1 WHERE uid = ?2";
                    let values = values![url_hint(url), resource.uid];
                    tx.housekeeping().execute(sql, &values)?;
                }
                Ok(())
            })
            .await
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

    /// Whether a new resource may have this API name.
    ///
    /// # Errors
    /// As [`create`](Self::create), for `unique_name`.
    pub async fn check_new_name(&self, scope: &Scope, name: &ResourceName) -> Result<()> {
        names::check_resource(name)?;
        let name = name.clone();
        self.store
            .read_in(scope.clone(), move |reader, scope: ScopeRow| {
                match find(reader, &scope, &name)? {
                    Some(_) => Err(Error::invalid_field("unique_name", taken(&name))),
                    None => Ok(()),
                }
            })
            .await
    }

    /// Connects a database, or [changes](Self::update) the resource of that name: it gets this address, and the name and
    /// settings where they are given.
    ///
    /// # Errors
    /// As [`create`](Self::create), but for a name that is taken.
    pub async fn replace(&self, scope: &Scope, new: NewResource) -> Result<Resource> {
        let checked = self.check(new)?;
        self.store
            .write_in(scope.clone(), |tx, scope: ScopeRow| {
                let Some(row) = find(tx, &scope, &checked.new.unique_name)? else {
                    return insert(tx, &scope, checked);
                };
                let new = checked.new;
                let change = Change {
                    name: new.name,
                    params: new.params,
                    url: Some((new.url, checked.engine)),
                };
                change.apply(tx, &row)
            })
            .await
    }

    /// Changes what is given of a resource; its tokens stay. Nothing is written when nothing changes. Another address
    /// removes the secret tokens: they were set for the previous one. Its API name stays: rights, pages and tokens refer to
    /// it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none of that name; a field error on `url`, also
    /// when a database would become an HTTP API or the other way, and on `params`, of which the path is named.
    pub async fn update(
        &self,
        scope: &Scope,
        resource: &ResourceName,
        patch: ResourcePatch,
    ) -> Result<Resource> {
        let ResourcePatch { name, params, url } = patch;
        if let Some(params) = &params {
            ResourceParams::parse(params)?;
        }
        let with_engine = |url: Secret| check_url(&url).map(|engine| (url, engine));
        let change = Change {
            name,
            params,
            url: url.map(with_engine).transpose()?,
        };
        let resource = resource.clone();
        self.store
            .write_in(scope.clone(), move |tx, scope: ScopeRow| {
                let row = find(tx, &scope, &resource)?.ok_or_else(|| missing_resource(&resource))?;
                let old: Engine = row::get(&row, "engine")?;
                if let Some((_, engine)) = &change.url
                    && engine.is_database() != old.is_database()
                {
                    return Err(Error::invalid_field(
                        "url",
                        "a database cannot become an HTTP API, nor the other way; add another resource",
                    ));
                }
                change.apply(tx, &row)
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
        let engine = check_url(&new.url)?;
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

/// What is changed of a resource, checked.
struct Change {
    name: Option<String>,
    params: Option<String>,
    url: Option<(Secret, Engine)>,
}

impl Change {
    /// Changes the resource of a row. What has been sealed with another key is another address.
    fn apply(self, tx: &mut Tx<'_>, row: &Row) -> Result<Resource> {
        let old = from_row(row)?;
        let kept = open(tx.sealer(), row).ok().map(|opened| opened.url);
        let url = self.url.filter(|(url, _)| kept.as_ref() != Some(url));
        let name = self.name.filter(|name| *name != old.name);
        let params = self.params.filter(|params| *params != old.params);
        if url.is_none() && name.is_none() && params.is_none() {
            return Ok(old);
        }
        let before = tx.tag("resources", old.uid)?;
        let (sealed, engine) = match &url {
            Some((url, engine)) => {
                secret_tokens::clear(tx, old.uid)?;
                let sealed = tx.sealer().seal(&context(old.uid), url.expose())?;
                (sealed, *engine)
            }
            None => (row.get::<String>("url")?, old.engine),
        };
        let (name, params) = (name.unwrap_or(old.name), params.unwrap_or(old.params));
        let hint = url.as_ref().map(|(url, _)| url).or(kept.as_ref());
        let hint = hint.map(url_hint);
        tx.execute(
            "UPDATE resources SET url = ?1, engine = ?2, name = ?3, params = ?4, url_hint = ?6 WHERE uid = ?5",
            &values![sealed, engine.as_str(), name, params, old.uid, hint],
        )?;
        written(tx, "resources.update", old.uid, before)
    }
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

/// The row of a resource of an environment.
fn find(reader: &mut Reader<'_>, scope: &ScopeRow, resource: &ResourceName) -> Result<Option<Row>> {
    let sql = select("WHERE r.environment_uid = ?1 AND r.unique_name = ?2");
    reader.query_one(&sql, &values![scope.environment_uid, resource])
}

/// Reads an address as far as that is possible without looking whether something is there.
fn check_url(url: &Secret) -> Result<Engine> {
    let engine = Engine::of_url(url)?;
    if engine.is_database() {
        let parsed = url.expose().parse::<ResourceUrl>();
        let located = parsed.and_then(|url| url.location());
        // None of these errors quotes the address.
        located.map_err(|error| Error::invalid_field("url", error.public_message()))?;
    }
    Ok(engine)
}

fn insert(tx: &mut Tx<'_>, scope: &ScopeRow, checked: Checked) -> Result<Resource> {
    let Checked { new, uid, .. } = checked;
    let unique_name = new.unique_name;
    let name = new.name.unwrap_or_else(|| unique_name.to_string());
    let params = new.params.unwrap_or_else(|| "{}".to_owned());
    let (environment_uid, engine) = (&scope.environment_uid, checked.engine.as_str());
    let row = row! {
        uid, environment_uid, unique_name, name, engine, url: checked.sealed, url_hint: url_hint(&new.url), params,
        date_add: tx.now()
    };
    let taken = taken(&unique_name);
    tx.insert("resources", &row)
        .map_err(|error| error.if_taken("unique_name", taken))?;
    written(tx, "resources.create", uid, None)
}

fn taken(name: &ResourceName) -> String {
    format!("the environment has a resource {name} already; choose another name")
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
