//! Page settings: the pages of an environment (specification, section 4; wire contract, section 8).
//!
//! The properties that the service knows have columns; all others are kept as the caller wrote them, in
//! the caller's order. `params` is text for the store as well: it is checked once, when it is written.

mod fields;
mod if_match;

use jiff::Timestamp;
use svc_data::{Connection, Row, Value};
use svc_model::{Draft, EnvironmentName, JsonObject, PageSettings, PageUid, ProjectName};
use uuid::Uuid;

use self::fields::Fields;
use crate::clock;
use crate::environments;
use crate::error::{Error, is_taken};
use crate::names;
use crate::secret::random_bytes;
use crate::store::Store;

const COLUMNS: &str = "p.uid, e.unique_name AS environment, p.view, p.unique_name, p.name, p.resource, p.model, \
     p.params, p.properties, p.revision, p.date_add";

/// How many numbered names are tried for a page without `unique_name` before one is drawn at random.
const NUMBERED_NAMES: u32 = 20;

/// A page with its entity tag.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// Its settings: the properties that the service knows, then the caller's.
    pub settings: PageSettings,
    /// The strong `ETag` (RFC 9110, section 8.8.3), with its quotes. It changes with every change.
    pub etag: String,
}

/// The pages of the store's environments: [`Store::pages`].
///
/// Every function takes the layer of the request ([`Draft`]). This version has the published layer
/// only, and both values speak of it.
#[derive(Debug, Clone, Copy)]
pub struct Pages<'a> {
    store: &'a Store,
}

impl Store {
    /// The page settings of environments.
    pub fn pages(&self) -> Pages<'_> {
        Pages { store: self }
    }
}

impl Pages<'_> {
    /// The pages of an environment, the oldest first.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn list(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        draft: Draft,
    ) -> Result<Vec<PageSettings>, Error> {
        let (project, environment) = (project.clone(), environment.clone());
        self.store
            .read(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                let sql = select(
                    "WHERE p.environment_uid = ?1 AND p.layer = ?2 ORDER BY p.date_add, p.uid",
                );
                let rows = conn.query(&sql, &[environment_uid.into(), layer(draft).into()])?;
                rows.iter().map(|row| Ok(from_row(row)?.settings)).collect()
            })
            .await
    }

    /// One page, with its entity tag.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or page.
    pub async fn get(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        draft: Draft,
        uid: &PageUid,
    ) -> Result<Page, Error> {
        let (project, environment, uid) = (project.clone(), environment.clone(), uid.clone());
        self.store
            .read(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                from_row(&get(conn, &environment_uid, draft, &uid)?)
            })
            .await
    }

    /// Makes a page of the caller's properties. `uid`, `environment`, `draft`, `deleted` and `date_add`
    /// are the service's, values for them are ignored; `view` is `custom` when absent, `unique_name` made
    /// from `name`, `params` an empty object.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment; a field
    /// error for every property of the wrong type, for `params` that hold no JSON, and for a
    /// `unique_name` that is taken.
    pub async fn create(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        draft: Draft,
        settings: PageSettings,
    ) -> Result<Page, Error> {
        let (project, environment) = (project.clone(), environment.clone());
        let now = self.store.clock().now();
        let fields = Fields::of_new(settings.into_properties())?;
        self.store
            .write(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                let uid = PageUid::from(Uuid::now_v7().to_string());
                insert(conn, &environment_uid, draft, &uid, fields, now)?;
                from_row(&get(conn, &environment_uid, draft, &uid)?)
            })
            .await
    }

    /// Changes a page: `params` replaces the stored text, other properties are merged, those that are
    /// not in `patch` stay. With `if_match`, the value of an `If-Match` header, only when the page still
    /// has one of its entity tags.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or page,
    /// [`ErrorKind::PreconditionFailed`](crate::ErrorKind::PreconditionFailed), and the field errors of
    /// [`create`](Self::create).
    pub async fn update(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        draft: Draft,
        uid: &PageUid,
        patch: JsonObject,
        if_match: Option<&str>,
    ) -> Result<Page, Error> {
        let (project, environment, uid) = (project.clone(), environment.clone(), uid.clone());
        let if_match = if_match.map(str::to_owned);
        let now = self.store.clock().now();
        let fields = Fields::of_patch(patch)?;
        self.store
            .write(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                let row = get(conn, &environment_uid, draft, &uid)?;
                if_match::check(if_match.as_deref(), &etag(&row)?)?;
                if fields.is_empty() {
                    return from_row(&row);
                }
                update(conn, &row, draft, fields, now)?;
                from_row(&get(conn, &environment_uid, draft, &uid)?)
            })
            .await
    }

    /// Deletes a page for good. `if_match` as in [`update`](Self::update).
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment or page,
    /// [`ErrorKind::PreconditionFailed`](crate::ErrorKind::PreconditionFailed).
    pub async fn delete(
        &self,
        project: &ProjectName,
        environment: &EnvironmentName,
        draft: Draft,
        uid: &PageUid,
        if_match: Option<&str>,
    ) -> Result<(), Error> {
        let (project, environment, uid) = (project.clone(), environment.clone(), uid.clone());
        let if_match = if_match.map(str::to_owned);
        self.store
            .write(move |conn| {
                let environment_uid = environments::uid(conn, &project, &environment)?;
                let row = get(conn, &environment_uid, draft, &uid)?;
                if_match::check(if_match.as_deref(), &etag(&row)?)?;
                conn.execute(
                    "DELETE FROM pages WHERE uid = ?1 AND layer = ?2",
                    &[uid.as_str().into(), layer(draft).into()],
                )?;
                Ok(())
            })
            .await
    }
}

/// The layer that a request speaks of. This version writes published pages only.
fn layer(draft: Draft) -> &'static str {
    match draft {
        Draft::Off | Draft::On => "published",
    }
}

fn select(rest: &str) -> String {
    format!("SELECT {COLUMNS} FROM pages p JOIN environments e ON e.uid = p.environment_uid {rest}")
}

fn get(
    conn: &mut dyn Connection,
    environment_uid: &str,
    draft: Draft,
    uid: &PageUid,
) -> Result<Row, Error> {
    let sql = select("WHERE p.environment_uid = ?1 AND p.layer = ?2 AND p.uid = ?3");
    let found = conn.query_one(
        &sql,
        &[
            environment_uid.into(),
            layer(draft).into(),
            uid.as_str().into(),
        ],
    )?;
    found.ok_or_else(|| Error::not_found("there is no such page in this environment"))
}

fn insert(
    conn: &mut dyn Connection,
    environment_uid: &str,
    draft: Draft,
    uid: &PageUid,
    fields: Fields,
    now: Timestamp,
) -> Result<(), Error> {
    let name = fields.name.flatten();
    let unique_name = match fields.unique_name {
        Some(given) => given,
        None => free_name(
            conn,
            environment_uid,
            draft,
            name.as_deref().unwrap_or_default(),
        )?,
    };
    let now = clock::to_text(now);
    conn.execute(
        "INSERT INTO pages (uid, layer, environment_uid, unique_name, view, name, resource, model, params, \
         properties, revision, date_add, date_update) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 1, ?11, ?11)",
        &[
            Value::from(uid.as_str()),
            layer(draft).into(),
            environment_uid.into(),
            unique_name.into(),
            fields.view.unwrap_or_else(|| "custom".to_owned()).into(),
            name.into(),
            fields.resource.flatten().into(),
            fields.model.flatten().into(),
            fields.params.unwrap_or_else(|| "{}".to_owned()).into(),
            to_json(&fields.properties)?.into(),
            now.into(),
        ],
    )
    .map_err(taken)?;
    Ok(())
}

/// Writes the given fields over a row.
fn update(
    conn: &mut dyn Connection,
    row: &Row,
    draft: Draft,
    fields: Fields,
    now: Timestamp,
) -> Result<(), Error> {
    let mut set = Assignments::default();
    set.push_if("view", fields.view);
    set.push_if("unique_name", fields.unique_name);
    set.push_if("name", fields.name);
    set.push_if("resource", fields.resource);
    set.push_if("model", fields.model);
    set.push_if("params", fields.params);
    if !fields.properties.is_empty() {
        let mut properties = stored_properties(row)?;
        for (name, value) in fields.properties.iter() {
            properties.set_raw(name, value.to_owned());
        }
        set.push_if("properties", Some(to_json(&properties)?));
    }
    set.push_if("date_update", Some(clock::to_text(now)));
    let Assignments {
        columns,
        mut values,
    } = set;
    let (uid, layer_at) = (values.len() + 1, values.len() + 2);
    values.push(row.get::<String>("uid")?.into());
    values.push(layer(draft).into());
    let columns = columns.join(", ");
    let sql = format!(
        "UPDATE pages SET {columns}, revision = revision + 1 WHERE uid = ?{uid} AND layer = ?{layer_at}"
    );
    conn.execute(&sql, &values).map_err(taken)?;
    Ok(())
}

/// The columns of an UPDATE with their values.
#[derive(Default)]
struct Assignments {
    columns: Vec<String>,
    values: Vec<Value>,
}

impl Assignments {
    fn push_if(&mut self, column: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.values.push(value.into());
            self.columns
                .push(format!("{column} = ?{}", self.values.len()));
        }
    }
}

/// A free `unique_name` made from a page's name.
fn free_name(
    conn: &mut dyn Connection,
    environment_uid: &str,
    draft: Draft,
    name: &str,
) -> Result<String, Error> {
    let slug = names::slug(name);
    let mut is_free =
        |candidate: &str| -> Result<bool, Error> {
            let found = conn.query(
            "SELECT uid FROM pages WHERE environment_uid = ?1 AND layer = ?2 AND unique_name = ?3",
            &[environment_uid.into(), layer(draft).into(), candidate.into()],
        )?;
            Ok(found.is_empty())
        };
    if is_free(&slug)? {
        return Ok(slug);
    }
    for number in 2..=NUMBERED_NAMES {
        let candidate = format!("{slug}_{number}");
        if is_free(&candidate)? {
            return Ok(candidate);
        }
    }
    Ok(format!(
        "{slug}_{:016x}",
        u64::from_ne_bytes(random_bytes()?)
    ))
}

fn taken(error: svc_data::Error) -> Error {
    if is_taken(&error) {
        Error::invalid_field(
            "unique_name",
            "another page of this environment has this name; choose another one",
        )
    } else {
        error.into()
    }
}

/// The page of a row. Its `params` are escaped for the wire, never parsed.
fn from_row(row: &Row) -> Result<Page, Error> {
    let unwritable = |source: serde_json::Error| {
        Error::internal("a stored page cannot be written as JSON").with_source(source)
    };
    let mut settings = JsonObject::new();
    for name in [
        "uid",
        "environment",
        "view",
        "unique_name",
        "name",
        "resource",
        "model",
        "params",
    ] {
        settings
            .set(name, &row.get::<Option<String>>(name)?)
            .map_err(unwritable)?;
    }
    settings.set("draft", &false).map_err(unwritable)?;
    settings.set("deleted", &false).map_err(unwritable)?;
    settings
        .set("date_add", &row.get::<String>("date_add")?)
        .map_err(unwritable)?;
    for (name, value) in stored_properties(row)?.iter() {
        settings.set_raw(name, value.to_owned());
    }
    Ok(Page {
        settings: settings.into(),
        etag: etag(row)?,
    })
}

/// The strong entity tag of a row: no two states of any page share one.
fn etag(row: &Row) -> Result<String, Error> {
    Ok(format!(
        "\"{}-{}\"",
        row.get::<String>("uid")?,
        row.get::<i64>("revision")?
    ))
}

fn stored_properties(row: &Row) -> Result<JsonObject, Error> {
    serde_json::from_str(&row.get::<String>("properties")?).map_err(|source| {
        Error::internal("a stored page has properties that are no JSON object").with_source(source)
    })
}

fn to_json(properties: &JsonObject) -> Result<String, Error> {
    serde_json::to_string(properties).map_err(|source| {
        Error::internal("properties cannot be written as JSON").with_source(source)
    })
}
