//! The rows of pages: SQL, and the way between columns and the properties of the wire.

use jiff::Timestamp;
use svc_data::{Connection, Row, Value};
use svc_model::{Draft, JsonObject, PageUid};

use super::Page;
use super::fields::Fields;
use crate::clock;
use crate::error::{Error, is_taken};
use crate::json;
use crate::names;
use crate::secret::random_bytes;

const COLUMNS: &str = "p.uid, e.unique_name AS environment, p.view, p.unique_name, p.name, p.resource, p.model, \
     p.params, p.properties, p.revision, p.date_add";

/// Columns that are properties of the same name.
const TEXTS: [&str; 9] = [
    "uid",
    "environment",
    "view",
    "unique_name",
    "name",
    "resource",
    "model",
    "params",
    "date_add",
];
/// Properties that the service knows, in their order, before their values are set.
const KNOWN: &str = r#"{"uid":"","environment":"","view":"","unique_name":"","name":null,"resource":null,"model":null,"params":"","draft":false,"deleted":false,"date_add":""}"#;

/// How many numbered names are tried for a page without `unique_name` before one is drawn at random.
const NUMBERED_NAMES: u32 = 20;

/// The pages of an environment, the oldest first.
pub(super) fn list(
    conn: &mut dyn Connection,
    environment_uid: &str,
    draft: Draft,
) -> Result<Vec<Page>, Error> {
    let sql = select("WHERE p.environment_uid = ?1 AND p.layer = ?2 ORDER BY p.date_add, p.uid");
    let rows = conn.query(&sql, &[environment_uid.into(), layer(draft).into()])?;
    rows.iter().map(to_page).collect()
}

/// The row of a page.
pub(super) fn get(
    conn: &mut dyn Connection,
    environment_uid: &str,
    draft: Draft,
    uid: &PageUid,
) -> Result<Row, Error> {
    let sql = select("WHERE p.environment_uid = ?1 AND p.layer = ?2 AND p.uid = ?3");
    let page = [
        environment_uid.into(),
        layer(draft).into(),
        uid.as_str().into(),
    ];
    conn.query_one(&sql, &page)?
        .ok_or_else(|| Error::not_found("there is no such page in this environment"))
}

/// Writes a new page.
pub(super) fn insert(
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
            &names::slug(name.as_deref().unwrap_or_default()),
        )?,
    };
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
            clock::to_text(now).into(),
        ],
    )
    .map_err(taken)?;
    Ok(())
}

/// Writes the given fields over a row.
pub(super) fn update(
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
        // Joined as text and read once, so that very many properties stay linear.
        let joined = json::join(
            &row.get::<String>("properties")?,
            &to_json(&fields.properties)?,
        );
        set.push_if("properties", Some(to_json(&to_object(&joined)?)?));
    }
    set.push_if("date_update", Some(clock::to_text(now)));
    let Assignments {
        columns,
        mut values,
    } = set;
    let (uid_at, layer_at) = (values.len() + 1, values.len() + 2);
    values.push(row.get::<String>("uid")?.into());
    values.push(layer(draft).into());
    let columns = columns.join(", ");
    let sql = format!(
        "UPDATE pages SET {columns}, revision = revision + 1 WHERE uid = ?{uid_at} AND layer = ?{layer_at}"
    );
    conn.execute(&sql, &values).map_err(taken)?;
    Ok(())
}

/// Deletes a page from its layer.
pub(super) fn delete(conn: &mut dyn Connection, draft: Draft, uid: &PageUid) -> Result<(), Error> {
    let page = [uid.as_str().into(), layer(draft).into()];
    conn.execute("DELETE FROM pages WHERE uid = ?1 AND layer = ?2", &page)?;
    Ok(())
}

/// The page of a row. Its `params` are escaped for the wire, never parsed.
pub(super) fn to_page(row: &Row) -> Result<Page, Error> {
    let properties: String = row.get("properties")?;
    // Read with the known names already in place: setting them finds each among the first few, however
    // many properties the caller has stored.
    let mut settings = to_object(&json::join(KNOWN, &properties))?;
    for name in TEXTS {
        settings
            .set(name, &row.get::<Option<String>>(name)?)
            .map_err(unwritable)?;
    }
    Ok(Page {
        settings: settings.into(),
        etag: etag(row)?,
    })
}

/// The strong entity tag of a row: no two states of any page share one.
pub(super) fn etag(row: &Row) -> Result<String, Error> {
    Ok(format!(
        "\"{}-{}\"",
        row.get::<String>("uid")?,
        row.get::<i64>("revision")?
    ))
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

/// A free `unique_name` made from a page's slug.
fn free_name(
    conn: &mut dyn Connection,
    environment_uid: &str,
    draft: Draft,
    slug: &str,
) -> Result<String, Error> {
    let numbered = (2..=NUMBERED_NAMES).map(|number| format!("{slug}_{number}"));
    for candidate in std::iter::once(slug.to_owned()).chain(numbered) {
        let found = conn.query(
            "SELECT uid FROM pages WHERE environment_uid = ?1 AND layer = ?2 AND unique_name = ?3",
            &[
                environment_uid.into(),
                layer(draft).into(),
                (&candidate).into(),
            ],
        )?;
        if found.is_empty() {
            return Ok(candidate);
        }
    }
    Ok(format!(
        "{slug}_{:016x}",
        u64::from_ne_bytes(random_bytes()?)
    ))
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

fn to_object(text: &str) -> Result<JsonObject, Error> {
    serde_json::from_str(text).map_err(|source| {
        Error::internal("a stored page has properties that are no JSON object").with_source(source)
    })
}

fn to_json(properties: &JsonObject) -> Result<String, Error> {
    serde_json::to_string(properties).map_err(unwritable)
}

fn unwritable(source: serde_json::Error) -> Error {
    Error::internal("a page cannot be written as JSON").with_source(source)
}
