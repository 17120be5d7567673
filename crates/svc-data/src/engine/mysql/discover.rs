//! Reads the structure of a MySQL or MariaDB database from its information schema.

use std::{collections::HashMap, sync::OnceLock};

use mysql_async::{Conn, Row, prelude::Queryable as _};
use serde_json::value::RawValue;

use super::{
    connect::is_mariadb,
    fault,
    special::VALUES,
    types::{Type, type_named},
};
use svc_model::records::DeleteRule;

use crate::{
    Error, Field, Model, Result, Structure,
    structure::{Default, ForeignKey, Kind, Rule, Writes, relate},
};

const TABLES: &str = "
SELECT t.TABLE_NAME, t.TABLE_TYPE = 'VIEW', COALESCE(v.IS_UPDATABLE, 'YES') = 'YES'
FROM information_schema.TABLES t LEFT JOIN information_schema.VIEWS v
    ON v.TABLE_SCHEMA = t.TABLE_SCHEMA AND v.TABLE_NAME = t.TABLE_NAME
WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED') ORDER BY 1";

const COLUMNS: &str = "
SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, DATA_TYPE, IS_NULLABLE = 'YES', COLUMN_DEFAULT, EXTRA,
    CAST(CHARACTER_MAXIMUM_LENGTH AS UNSIGNED), CAST(NUMERIC_PRECISION AS UNSIGNED),
    CAST(NUMERIC_SCALE AS UNSIGNED), CAST(DATETIME_PRECISION AS UNSIGNED), CHARACTER_SET_NAME, COLLATION_NAME
FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, ORDINAL_POSITION";

/// The unique indexes, and the first columns of the others.
const INDEXES: &str = "
SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME, SUB_PART IS NOT NULL, NON_UNIQUE = 0,
    SEQ_IN_INDEX = 1 AND INDEX_TYPE <> 'FULLTEXT'
FROM information_schema.STATISTICS
WHERE TABLE_SCHEMA = DATABASE() AND (NON_UNIQUE = 0 OR SEQ_IN_INDEX = 1) ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX";

const FOREIGN_KEYS: &str = "
SELECT k.TABLE_NAME, k.CONSTRAINT_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME,
    COALESCE(r.DELETE_RULE, '')
FROM information_schema.KEY_COLUMN_USAGE k LEFT JOIN information_schema.REFERENTIAL_CONSTRAINTS r
    ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = k.TABLE_NAME
WHERE k.TABLE_SCHEMA = DATABASE() AND k.REFERENCED_TABLE_SCHEMA = DATABASE()
ORDER BY k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION";

const CHECKS_OF_MARIADB: &str = "
SELECT TABLE_NAME, CONSTRAINT_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS
WHERE CONSTRAINT_SCHEMA = DATABASE()";

const CHECKS_OF_MYSQL: &str = "
SELECT t.TABLE_NAME, c.CONSTRAINT_NAME, c.CHECK_CLAUSE
FROM information_schema.CHECK_CONSTRAINTS c JOIN information_schema.TABLE_CONSTRAINTS t
    ON t.CONSTRAINT_SCHEMA = c.CONSTRAINT_SCHEMA AND t.CONSTRAINT_NAME = c.CONSTRAINT_NAME
WHERE c.CONSTRAINT_SCHEMA = DATABASE() AND t.CONSTRAINT_TYPE = 'CHECK'";

/// A number that changes when a column, its default, a foreign key of a table or the first column of an index does. The
/// columns know whether an index begins with them, which is cheaper than a list of all indexes.
const VERSION: &str = "
SELECT CAST((
    SELECT COALESCE(SUM(CRC32(CONCAT_WS(' ', TABLE_NAME, ORDINAL_POSITION, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE,
        COLUMN_DEFAULT, EXTRA, COLUMN_KEY)) * (1 + ORDINAL_POSITION % 7)), 0)
    FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()
) + (
    SELECT COALESCE(SUM(CRC32(CONCAT_WS(' ', TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, ORDINAL_POSITION,
        REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME)) * 11), 0)
    FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = DATABASE()
) AS UNSIGNED)";

/// The state of the structure.
pub(super) async fn version(conn: &mut Conn) -> Result<i64> {
    let version: Option<u64> = conn.query_first(VERSION).await.map_err(fault::translate)?;
    Ok(version.unwrap_or_default().cast_signed())
}

/// Reads the whole structure.
pub(super) async fn discover(conn: &mut Conn) -> Result<Structure> {
    let structure_version = version(conn).await?;
    let first: Option<(String, String)> = conn
        .query_first("SELECT VERSION(), DATABASE()")
        .await
        .map_err(fault::translate)?;
    let (server, schema) = first.unwrap_or_default();
    let is_mariadb = is_mariadb(&server);
    let mut tables: Vec<Table> = Vec::new();
    for row in rows(conn, TABLES).await? {
        tables.push(Table {
            name: get(&row, 0)?,
            is_view: get(&row, 1)?,
            is_updatable: get(&row, 2)?,
            ..Table::default()
        });
    }
    let names = tables.iter().map(|table| table.name.clone());
    let places: HashMap<String, usize> = names.zip(0..).collect();
    // Rules come before columns, since one of them may say that a text is JSON.
    let checks = match is_mariadb {
        true => CHECKS_OF_MARIADB,
        false => CHECKS_OF_MYSQL,
    };
    // Old servers have no rules, and no table of them.
    for row in rows(conn, checks).await.unwrap_or_default() {
        if let Some(table) = find(&mut tables, &places, &row)? {
            table.checks.push((get(&row, 1)?, get(&row, 2)?));
        }
    }
    for row in rows(conn, COLUMNS).await? {
        if let Some(table) = find(&mut tables, &places, &row)? {
            table.fields.push(read_field(&row, table, is_mariadb)?);
        }
    }
    for row in rows(conn, INDEXES).await? {
        if let Some(table) = find(&mut tables, &places, &row)? {
            let (name, column): (String, Option<String>) = (get(&row, 1)?, get(&row, 2)?);
            if get(&row, 5)? {
                table.leading.extend(column.clone());
            }
            if !get::<bool>(&row, 4)? {
                continue;
            }
            let is_prefix: bool = get(&row, 3)?;
            if is_prefix {
                table.prefixes.push(name.clone());
            }
            named(&mut table.indexes, name).push(column.unwrap_or_default());
        }
    }
    for row in rows(conn, FOREIGN_KEYS).await? {
        if let Some(table) = find(&mut tables, &places, &row)? {
            let columns = named(&mut table.references, get(&row, 1)?);
            let rule = DeleteRule::of_sql(&get::<String>(&row, 5)?);
            columns.push((get(&row, 2)?, get(&row, 3)?, get(&row, 4)?, rule));
        }
    }
    tables.retain(|table| !table.fields.is_empty());
    let mut models: Vec<Model> = tables
        .into_iter()
        .map(|table| table.model(&schema, structure_version))
        .collect();
    relate(&mut models);
    Ok(Structure::new(models, structure_version))
}

async fn rows(conn: &mut Conn, sql: &str) -> Result<Vec<Row>> {
    conn.query(sql).await.map_err(fault::translate)
}

pub(super) fn get<T: mysql_async::prelude::FromValue>(row: &Row, at: usize) -> Result<T> {
    row.get_opt(at)
        .and_then(Result::ok)
        .ok_or_else(|| Error::internal("the information schema gave something unexpected"))
}

fn find<'t>(
    tables: &'t mut [Table],
    places: &HashMap<String, usize>,
    row: &Row,
) -> Result<Option<&'t mut Table>> {
    let place = places.get(&get::<String>(row, 0)?).copied();
    Ok(place.and_then(|place| tables.get_mut(place)))
}

/// The list of a name, which is the last one or a new one.
fn named<T>(lists: &mut Vec<(String, Vec<T>)>, name: String) -> &mut Vec<T> {
    if lists.last().is_none_or(|(last, _)| *last != name) {
        lists.push((name, Vec::new()));
    }
    let last = lists.len() - 1;
    &mut lists[last].1
}

/// A column, the table that it refers to, the column there, and what becomes of a record when that one is deleted.
type Reference = (String, String, String, DeleteRule);

#[derive(Default)]
struct Table {
    name: String,
    is_view: bool,
    is_updatable: bool,
    fields: Vec<Field>,
    /// Name and text.
    checks: Vec<(String, String)>,
    /// Name and columns of the unique ones.
    indexes: Vec<(String, Vec<String>)>,
    /// The first columns of the indexes that comparisons can use.
    leading: Vec<String>,
    /// The indexes in which of some column only the first characters are.
    prefixes: Vec<String>,
    /// Name, and what each column of it refers to.
    references: Vec<(String, Vec<Reference>)>,
}

impl Table {
    fn positions<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Option<Vec<usize>> {
        let names = names.into_iter();
        let position = |name: &String| self.fields.iter().position(|field| field.name == *name);
        names.map(position).collect()
    }

    fn model(mut self, schema: &str, structure_version: i64) -> Model {
        let primary = self.indexes.iter().find(|(name, _)| name == "PRIMARY");
        let key = primary.and_then(|(_, columns)| self.positions(columns));
        let primary_key_auto = key.is_none();
        let writes = match self.is_view && !self.is_updatable {
            true => Writes::NONE,
            false => Writes::ALL,
        };
        let uniques = self.indexes.iter().filter_map(|(name, columns)| {
            Some(Rule {
                name: Some(name.clone()),
                text: String::new(),
                fields: self.positions(columns)?,
            })
        });
        let uniques = uniques.collect();
        let whole = self.indexes.iter();
        let whole = whole.filter(|(name, _)| !self.prefixes.contains(name));
        let unique_keys = whole.filter_map(|(_, columns)| self.positions(columns));
        let unique_keys = unique_keys.collect();
        let checks = self.checks.iter().map(|(name, text)| {
            let spoken_of = |field: &Field| text.contains(&format!("`{}`", field.name));
            Rule {
                name: Some(name.clone()),
                text: text.clone(),
                fields: (0..self.fields.len())
                    .filter(|index| self.fields.get(*index).is_some_and(spoken_of))
                    .collect(),
            }
        });
        let checks = checks.collect();
        let foreign_keys = self.references.iter().filter_map(|(name, columns)| {
            Some(ForeignKey {
                name: Some(name.clone()),
                fields: self.positions(columns.iter().map(|(here, ..)| here))?,
                table: columns.first().map(|(_, table, ..)| table.clone())?,
                columns: columns
                    .iter()
                    .map(|(_, _, there, _)| there.clone())
                    .collect(),
                rule: columns.first().map(|(.., rule)| *rule)?,
            })
        });
        let foreign_keys = foreign_keys.collect();
        for field in &mut self.fields {
            field.indexed = self.leading.contains(&field.name);
        }
        if self.is_view {
            for field in &mut self.fields {
                field.required = false;
            }
        }
        Model {
            schema: Some(schema.to_owned()),
            is_view: self.is_view,
            primary_key_auto,
            writes,
            key: key.unwrap_or_else(|| vec![0]),
            distinct_rows: !primary_key_auto,
            foreign_keys,
            checks,
            uniques,
            unique_keys,
            has_triggers: true,
            is_stored: !self.is_view,
            all_fields: OnceLock::new(),
            structure_version,
            ..Model::of_columns(&self.name, self.fields)
        }
    }
}

fn read_field(row: &Row, table: &Table, is_mariadb: bool) -> Result<Field> {
    let name: String = get(row, 1)?;
    let declared: String = get(row, 2)?;
    let type_name: String = get(row, 3)?;
    let nullable: bool = get(row, 4)?;
    let default: Option<String> = get(row, 5)?;
    let extra = get::<String>(row, 6)?.to_ascii_lowercase();
    let max_length: Option<u32> = get(row, 7)?;
    let precision: Option<u32> = get(row, 8)?;
    let scale: Option<u32> = get(row, 9)?;
    let fraction: Option<u32> = get(row, 10)?;
    let collation = get::<Option<String>>(row, 11)?.zip(get(row, 12)?);
    let mut sort = type_named(&type_name, &declared.to_ascii_lowercase());
    let is_valid_json = format!("json_valid(`{name}`)");
    let is_json = |(_, text): &(String, String)| text.eq_ignore_ascii_case(&is_valid_json);
    if type_name == "longtext" && table.checks.iter().any(is_json) {
        sort = Type::JsonText;
    }
    let generated = extra.contains("virtual generated") || extra.contains("stored generated");
    let default = match default {
        _ if extra.contains("auto_increment") => Some(Default::AutoIncrement),
        _ if generated => None,
        Some(text) => read_default(sort.kind(), text, &extra, is_mariadb),
        None => None,
    };
    let is_short = matches!(type_name.as_str(), "char" | "varchar");
    let max_length = max_length.filter(|_| is_short);
    let mut field = Field::of_type(name, sort, max_length, &declared, &VALUES);
    match sort {
        Type::Enum => field.options = words(&declared),
        Type::Set => field.detail.members = words(&declared),
        Type::Decimal => (field.precision, field.scale) = (precision, scale),
        Type::Time | Type::Timestamp => field.precision = fraction,
        _ => {}
    }
    field.detail.collation = collation;
    field.nullable = nullable;
    field.required = !nullable && default.is_none() && !generated;
    field.editable = !generated;
    field.default = default;
    Ok(field)
}

/// Reads a default. MariaDB gives SQL, MySQL the text of a constant or says that it is an expression.
fn read_default(kind: Kind, text: String, extra: &str, is_mariadb: bool) -> Option<Default> {
    let lower = text.to_ascii_lowercase();
    let is_now = ["current_timestamp", "now(", "curdate(", "curtime(", "utc_"];
    let is_expression = !is_mariadb && extra.contains("default_generated");
    if is_now.iter().any(|word| lower.starts_with(word)) {
        return Some(Default::Now(text));
    }
    if is_expression {
        return Some(Default::Expression(text));
    }
    let constant = match is_mariadb {
        false => text.clone(),
        true if lower == "null" => return None,
        true => match text
            .strip_prefix('\'')
            .and_then(|text| text.strip_suffix('\''))
        {
            Some(inner) => inner.replace("''", "'").replace("\\\\", "\\"),
            None if text.parse::<f64>().is_ok() => text.clone(),
            None => return Some(Default::Expression(text)),
        },
    };
    let json = match kind {
        Kind::Integer if constant.parse::<i64>().is_ok() => constant,
        Kind::Boolean if constant == "0" => "false".to_owned(),
        Kind::Boolean if constant == "1" => "true".to_owned(),
        Kind::Float if constant.parse::<f64>().is_ok_and(f64::is_finite) => {
            serde_json::Value::from(constant.parse::<f64>().unwrap_or_default()).to_string()
        }
        _ => serde_json::Value::from(constant).to_string(),
    };
    Some(match RawValue::from_string(json) {
        Ok(json) => Default::Literal(text, json),
        Err(_) => Default::Expression(text),
    })
}

/// The words of `enum('a','b')`.
pub(super) fn words(declared: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = declared.chars().peekable();
    while let Some(c) = chars.next() {
        match (&mut word, c) {
            (None, '\'') => word = Some(String::new()),
            (None, _) => {}
            (Some(text), '\'') if chars.peek() == Some(&'\'') => {
                chars.next();
                text.push('\'');
            }
            (Some(_), '\'') => words.extend(word.take()),
            (Some(text), '\\') => text.extend(chars.next().map(|c| match c {
                '0' => '\0',
                'n' => '\n',
                'r' => '\r',
                other => other,
            })),
            (Some(text), c) => text.push(c),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_an_enumeration_may_hold_anything() {
        assert_eq!(words("enum('a','it''s','b,c')"), ["a", "it's", "b,c"]);
        assert_eq!(words(r"enum('x\\y','\n')"), ["x\\y", "\n"]);
        assert_eq!(words("enum('')"), [""]);
        assert!(words("int").is_empty());
    }

    #[test]
    fn constants_are_told_from_expressions() {
        let default = |kind, text: &str, extra, maria| match read_default(
            kind,
            text.to_owned(),
            extra,
            maria,
        ) {
            Some(Default::Literal(_, json)) => json.get().to_owned(),
            Some(Default::Now(_)) => "now".to_owned(),
            Some(Default::Expression(_)) => "expression".to_owned(),
            _ => "none".to_owned(),
        };
        assert_eq!(default(Kind::Text, "'it''s'", "", true), "\"it's\"");
        assert_eq!(default(Kind::Text, "NULL", "", true), "none");
        assert_eq!(default(Kind::Text, "uuid()", "", true), "expression");
        assert_eq!(default(Kind::Integer, "7", "", true), "7");
        assert_eq!(default(Kind::Boolean, "1", "", true), "true");
        assert_eq!(
            default(Kind::DateTime, "current_timestamp()", "", true),
            "now"
        );
        assert_eq!(default(Kind::Text, "it's", "", false), "\"it's\"");
        assert_eq!(
            default(Kind::Text, "uuid()", "default_generated", false),
            "expression"
        );
    }
}
