//! Reads the structure of an SQLite database from its own tables of contents.

use std::{collections::HashMap, sync::OnceLock};

use regex::Regex;
use rusqlite::Connection;
use serde_json::value::RawValue;

use super::{column_type::Declared, rules};
use svc_model::records::DeleteRule;

use crate::{
    Field, Model,
    structure::{Default, ForeignKey, Kind, Storage, Suffix, TemporalForm, Writes, relate},
};

mod expressions;
mod indexes;
mod sample;
mod views;

use indexes::Indexes;
use sample::sample;

pub(crate) use self::views::{ViewSample, set_seen};

/// Reads all models, and the version of the structure. What cannot be read, for want of an extension, is left out.
pub(crate) fn discover(connection: &Connection) -> rusqlite::Result<(Vec<Model>, i64)> {
    let version = schema_version(connection)?;
    let mut tables: Vec<Table> = connection
        .prepare(
            "SELECT name, type, wr FROM pragma_table_list \
             WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') \
             AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
        )?
        .query_map([], |row| {
            Ok(Table {
                name: row.get(0)?,
                sort: row.get(1)?,
                without_rowid: row.get(2)?,
                ..Table::default()
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    let mut texts = Texts::read(connection)?;
    tables.retain_mut(|table| match table.read(connection, &mut texts) {
        Ok(()) => !table.columns.is_empty(),
        Err(error) => {
            tracing::warn!(table = table.name, %error, "a table or view cannot be read and is left out");
            false
        }
    });
    let names = tables.iter().map(|table| table.name.to_ascii_lowercase());
    let places: HashMap<String, usize> = names.zip(0..).collect();
    let find = |name: &str| tables.get(*places.get(&name.to_ascii_lowercase())?);
    let mut models: Vec<Model> = tables
        .iter()
        .map(|table| table.model(find, version))
        .collect();
    relate(&mut models);
    for (model, table) in models.iter_mut().zip(&tables) {
        views::set_kinds_of_expressions(model, &table.sql);
        if let Err(error) = sample(connection, model, table) {
            tracing::warn!(table = table.name, %error, "the form of the dates in a table cannot be read");
        }
    }
    Ok((models, version))
}

/// The number that SQLite raises with every change of the structure.
pub(crate) fn schema_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("PRAGMA schema_version")?
        .query_row([], |row| row.get(0))
}

/// The statements that made tables, views and triggers. They are read together, since SQLite finds none by its name
/// without reading all.
#[derive(std::default::Default)]
struct Texts {
    /// Those of tables and views, by name.
    tables: HashMap<String, String>,
    /// Those of the triggers of a table, by its name in lower case.
    triggers: HashMap<String, Vec<String>>,
}

impl Texts {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut texts = Self::default();
        let mut statement = connection.prepare(
            "SELECT type, name, tbl_name, sql FROM main.sqlite_schema \
             WHERE type IN ('table', 'view', 'trigger') AND sql IS NOT NULL",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let text = |at: usize| -> rusqlite::Result<String> {
                Ok(String::from_utf8_lossy(row.get_ref(at)?.as_bytes()?).into_owned())
            };
            if text(0)? == "trigger" {
                let table = text(2)?.to_ascii_lowercase();
                texts.triggers.entry(table).or_default().push(text(3)?);
            } else {
                texts.tables.insert(text(1)?, text(3)?);
            }
        }
        Ok(texts)
    }
}

/// The first name of row ids that no column has.
pub(super) fn row_id(is_column: impl Fn(&str) -> bool) -> Option<&'static str> {
    let mut names = ["rowid", "_rowid_", "oid"].into_iter();
    names.find(|name| !is_column(name))
}

#[derive(std::default::Default)]
struct Table {
    name: String,
    sort: String,
    without_rowid: bool,
    columns: Vec<Column>,
    /// The columns of the primary key, in its order.
    key: Vec<usize>,
    /// Whether the key is another name of the row id.
    key_is_row_id: bool,
    indexes: Indexes,
    references: Vec<Reference>,
    sql: String,
    triggers: Vec<String>,
}

struct Column {
    name: String,
    declared: String,
    not_null: bool,
    default: Option<String>,
    key: i64,
    generated: bool,
}

#[derive(std::default::Default)]
struct Reference {
    columns: Vec<String>,
    table: String,
    /// The columns there; `None` means its primary key.
    to: Vec<Option<String>>,
    rule: DeleteRule,
}

impl Table {
    fn is_view(&self) -> bool {
        self.sort == "view"
    }

    fn read(&mut self, connection: &Connection, texts: &mut Texts) -> rusqlite::Result<()> {
        self.columns = connection
            .prepare_cached(
                "SELECT name, type, \"notnull\", dflt_value, pk, hidden \
                 FROM pragma_table_xinfo(?1, 'main') WHERE hidden <> 1 ORDER BY cid",
            )?
            .query_map([&self.name], |row| {
                Ok(Column {
                    name: row.get(0)?,
                    declared: row.get(1)?,
                    not_null: row.get(2)?,
                    default: row.get(3)?,
                    key: row.get(4)?,
                    generated: row.get::<_, i64>(5)? >= 2,
                })
            })?
            .collect::<rusqlite::Result<_>>()?;
        let places = self.columns.iter().map(|column| column.key).zip(0..);
        let mut key: Vec<(i64, usize)> = places.filter(|(place, _)| *place > 0).collect();
        key.sort_unstable();
        self.key = key.into_iter().map(|(_, index)| index).collect();
        self.key_is_row_id = match self.key.as_slice() {
            [only] if !self.without_rowid => {
                self.columns
                    .get(*only)
                    .is_some_and(|c| c.declared.eq_ignore_ascii_case("integer"))
                    // INTEGER PRIMARY KEY DESC gets an index of its own and is no row id.
                    && !connection
                        .prepare_cached("SELECT 1 FROM pragma_index_list(?1, 'main') WHERE origin = 'pk'")?
                        .exists([&self.name])?
            }
            _ => false,
        };
        self.indexes = Indexes::read(connection, self)?;
        let mut last: Option<i64> = None;
        let mut statement = connection.prepare_cached(
            "SELECT id, \"table\", \"from\", \"to\", on_delete FROM pragma_foreign_key_list(?1, 'main') ORDER BY id, seq",
        )?;
        let mut rows = statement.query([&self.name])?;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            if last.replace(id) != Some(id) {
                self.references.push(Reference {
                    table: row.get(1)?,
                    rule: DeleteRule::of_sql(row.get_ref(4)?.as_str()?),
                    ..Reference::default()
                });
            }
            if let Some(reference) = self.references.last_mut() {
                reference.columns.push(row.get(2)?);
                reference.to.push(row.get(3)?);
            }
        }
        self.sql = texts.tables.remove(&self.name).unwrap_or_default();
        let triggers = texts.triggers.remove(&self.name.to_ascii_lowercase());
        self.triggers = triggers.unwrap_or_default();
        Ok(())
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.columns
            .iter()
            .position(|column| column.name == name)
            .or_else(|| {
                self.columns
                    .iter()
                    .position(|column| column.name.eq_ignore_ascii_case(name))
            })
    }

    fn model<'t>(&self, find: impl Fn(&str) -> Option<&'t Self>, structure_version: i64) -> Model {
        let primary_key_auto = self.key.is_empty();
        let key = if primary_key_auto {
            vec![0]
        } else {
            self.key.clone()
        };
        let key_is_unique = self.without_rowid
            || self.key_is_row_id
            || (!primary_key_auto
                && self
                    .key
                    .iter()
                    .all(|index| self.columns.get(*index).is_some_and(|c| c.not_null)));
        let name_of_row_id = (!self.is_view() && !self.without_rowid)
            .then(|| row_id(|name| self.column(name).is_some()))
            .flatten();
        let row_id = name_of_row_id.filter(|_| !key_is_unique).map(str::to_owned);
        let has_triggers = !self.triggers.is_empty() || self.sort != "table";
        let fields: Vec<Field> = self
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| Field {
                indexed: self.indexes.leading.contains(&index),
                ..self.field(column)
            })
            .collect();
        let names: Vec<&str> = self.columns.iter().map(|c| c.name.as_str()).collect();
        Model {
            schema: Some("main".to_owned()),
            is_view: self.is_view(),
            primary_key_auto,
            writes: if self.is_view() {
                view_writes(&self.triggers)
            } else {
                Writes::ALL
            },
            key,
            distinct_rows: key_is_unique || row_id.is_some(),
            row_id,
            new_row_id: name_of_row_id.filter(|_| !has_triggers),
            foreign_keys: self.foreign_keys(find),
            checks: rules::checks(&self.sql, &names),
            // SQLite names the columns itself when it refuses.
            uniques: Vec::new(),
            unique_keys: self.indexes.unique_keys.clone(),
            has_triggers,
            is_stored: self.sort == "table",
            all_fields: OnceLock::new(),
            structure_version,
            ..Model::of_columns(&self.name, fields)
        }
    }

    fn foreign_keys<'t>(&self, find: impl Fn(&str) -> Option<&'t Self>) -> Vec<ForeignKey> {
        let mut keys = Vec::new();
        for reference in &self.references {
            let fields: Option<Vec<usize>> = reference
                .columns
                .iter()
                .map(|name| self.column(name))
                .collect();
            let Some(fields) = fields else { continue };
            let target = find(&reference.table);
            let columns = target.and_then(|target| {
                reference
                    .to
                    .iter()
                    .enumerate()
                    .map(|(position, to)| {
                        let index = match to {
                            Some(name) => target.column(name)?,
                            None => *target.key.get(position)?,
                        };
                        target.columns.get(index).map(|column| column.name.clone())
                    })
                    .collect::<Option<Vec<String>>>()
            });
            keys.push(ForeignKey {
                name: None,
                fields,
                table: target.map_or_else(|| reference.table.clone(), |table| table.name.clone()),
                columns: columns.unwrap_or_default(),
                rule: reference.rule,
            });
        }
        keys
    }

    fn field(&self, column: &Column) -> Field {
        let declared = Declared::parse(&column.declared);
        let auto = self.key_is_row_id && column.key > 0;
        let default = if auto {
            Some(Default::AutoIncrement)
        } else {
            column.default.as_deref().map(read_default)
        };
        let in_key = column.key > 0;
        let nullable = !(column.not_null || auto || (in_key && self.without_rowid));
        let editable = !column.generated;
        let mut field = declared.field(column.name.clone(), &column.declared);
        field.required =
            editable && !auto && default.is_none() && (!nullable || in_key) && !self.is_view();
        field.detail.holds_anything = true;
        field.nullable = nullable;
        field.editable = editable;
        field.max_length = declared.max_length;
        field.default = default;
        if let Kind::Date | Kind::DateTime = field.kind {
            field.storage = Storage::Temporal {
                form: TemporalForm::Text {
                    separator: b' ',
                    fraction: 0,
                    suffix: Suffix::None,
                },
                uniform: false,
            };
        }
        field
    }
}

/// A view can be written where a trigger does it instead.
fn view_writes(triggers: &[String]) -> Writes {
    let has = |what: &str| {
        Regex::new(&format!(r"(?i)\bINSTEAD\s+OF\s+{what}\b"))
            .is_ok_and(|pattern| triggers.iter().any(|sql| pattern.is_match(sql)))
    };
    Writes {
        create: has("INSERT"),
        update: has("UPDATE"),
        delete: has("DELETE"),
    }
}

fn read_default(sql: &str) -> Default {
    let trimmed = sql.trim();
    let upper = trimmed.to_ascii_uppercase();
    let json = |value: serde_json::Value| RawValue::from_string(value.to_string()).ok();
    if matches!(
        upper.as_str(),
        "CURRENT_TIMESTAMP" | "CURRENT_DATE" | "CURRENT_TIME"
    ) || (upper.contains("'NOW'") && upper.contains('('))
        || upper.contains("UNIXEPOCH()")
    {
        return Default::Now(sql.to_owned());
    }
    let literal = match upper.as_str() {
        "NULL" => json(serde_json::Value::Null),
        "TRUE" => json(true.into()),
        "FALSE" => json(false.into()),
        _ if trimmed.starts_with('\'') && trimmed.ends_with('\'') && trimmed.len() >= 2 => trimmed
            .get(1..trimmed.len() - 1)
            .filter(|inner| !inner.replace("''", "").contains('\''))
            .and_then(|inner| json(inner.replace("''", "'").into())),
        _ => trimmed
            .parse::<i64>()
            .ok()
            .and_then(|number| json(number.into()))
            .or_else(|| {
                trimmed
                    .parse::<f64>()
                    .ok()
                    .filter(|number| number.is_finite())
                    .and_then(|number| json(number.into()))
            }),
    };
    match literal {
        Some(literal) => Default::Literal(sql.to_owned(), literal),
        None => Default::Expression(sql.to_owned()),
    }
}
