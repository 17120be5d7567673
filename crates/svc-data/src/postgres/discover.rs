//! Reads the structure of a PostgreSQL database from its catalogue.

use std::collections::HashMap;

use serde_json::value::RawValue;
use tokio_postgres::{Client, Row};

use super::{fault, select::ROW_ID, types::Type};
use crate::{
    Error, Field, Model, Structure,
    scalar::Kind,
    structure::{Default, ForeignKey, Rule, Storage, Writes, relate},
};

/// The tables and views that the user of this service may read, without those of extensions and without
/// partitions, which their table shows.
const TABLES: &str = "
SELECT c.oid, n.nspname::text, c.relname::text, c.relkind::text,
    n.nspname = current_schema(),
    pg_catalog.pg_relation_is_updatable(c.oid, true),
    has_table_privilege(c.oid, 'INSERT') OR has_any_column_privilege(c.oid, 'INSERT'),
    has_table_privilege(c.oid, 'UPDATE') OR has_any_column_privilege(c.oid, 'UPDATE'),
    has_table_privilege(c.oid, 'DELETE'),
    c.relkind IN ('r', 'm') AND NOT c.relrowsecurity AND NOT c.relhassubclass
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'crdb_internal')
    AND n.nspname NOT LIKE 'pg\\_%'
    AND has_schema_privilege(n.oid, 'USAGE')
    AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT'))
    AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d
        WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
ORDER BY n.nspname, c.relname";

/// The columns of those tables. A domain is looked through to the type that it is made of.
const COLUMNS: &str = "
WITH RECURSIVE base(domain, type, typmod, not_null) AS (
    SELECT oid, typbasetype, typtypmod, typnotnull FROM pg_catalog.pg_type WHERE typtype = 'd'
    UNION ALL
    SELECT b.domain, t.typbasetype, t.typtypmod, b.not_null OR t.typnotnull
    FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.type WHERE t.typtype = 'd'
)
SELECT a.attrelid, a.attnum, a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod),
    CASE WHEN b.domain IS NULL THEN a.atttypmod ELSE b.typmod END,
    a.attnotnull OR coalesce(b.not_null, false), a.attidentity::text, a.attgenerated::text,
    pg_catalog.pg_get_expr(d.adbin, d.adrelid), t.oid, t.typname::text, t.typtype::text,
    t.typcategory::text,
    t.typtype IN ('r', 'm') OR EXISTS (SELECT 1 FROM pg_catalog.pg_opclass o
        JOIN pg_catalog.pg_am m ON m.oid = o.opcmethod
        WHERE m.amname = 'btree' AND o.opcdefault AND o.opcintype = t.oid)
FROM pg_catalog.pg_attribute a
LEFT JOIN base b ON b.domain = a.atttypid AND NOT EXISTS
    (SELECT 1 FROM pg_catalog.pg_type x WHERE x.oid = b.type AND x.typtype = 'd')
JOIN pg_catalog.pg_type t ON t.oid = coalesce(b.type, a.atttypid)
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = ANY($1) AND a.attnum > 0 AND NOT a.attisdropped
    AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attrelid, a.attnum";

/// Foreign keys and CHECK rules.
const CONSTRAINTS: &str = "
SELECT conrelid, conname::text, contype::text, conkey::int2[], confrelid, confkey::int2[]
FROM pg_catalog.pg_constraint
WHERE contype IN ('f', 'c') AND conrelid = ANY($1) AND conkey IS NOT NULL ORDER BY conrelid, conname";

/// The unique indexes, of which one may be the primary key.
const INDEXES: &str = "
SELECT i.indrelid, c.relname::text, i.indisprimary, i.indkey::int2[], i.indnkeyatts
FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
WHERE i.indisunique AND i.indrelid = ANY($1) ORDER BY i.indrelid, c.relname";

/// The words of enumerations.
const WORDS: &str =
    "SELECT enumtypid, enumlabel::text FROM pg_catalog.pg_enum ORDER BY enumtypid, enumsortorder";

/// A number that changes when a column of a table does.
const VERSION: &str = "
SELECT coalesce(('x' || substr(md5(string_agg(concat_ws(' ', c.oid, c.relname, n.nspname, c.relkind, a.attnum,
    a.attname, a.atttypid, a.atttypmod, a.attnotnull, a.attidentity, a.attgenerated), ',' ORDER BY c.oid, a.attnum)), 1, 16))::bit(64)::int8, 0)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'crdb_internal') AND n.nspname NOT LIKE 'pg\\_%'";

/// What a server is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Server {
    /// Whether tables have the row id of PostgreSQL.
    pub(super) has_row_ids: bool,
    /// Whether it names the state of the database that a statement sees.
    pub(super) has_snapshots: bool,
}

/// Finds out what a server is.
pub(super) async fn server(client: &Client) -> Result<Server, Error> {
    let row = client
        .query_one(
            "SELECT version(), current_setting('server_version_num')::int4",
            &[],
        )
        .await
        .map_err(fault::translate)?;
    let version: String = get(&row, 0)?;
    let number: i32 = get(&row, 1)?;
    let itself = version.starts_with("PostgreSQL") && !version.contains("-YB-");
    Ok(Server {
        has_row_ids: itself,
        has_snapshots: itself && number >= 130_000,
    })
}

/// The state of the structure.
pub(super) async fn version(client: &Client) -> Result<i64, Error> {
    let row = client.query_one(VERSION, &[]).await;
    get(&row.map_err(fault::translate)?, 0)
}

/// Reads the whole structure.
pub(super) async fn discover(client: &Client, server: Server) -> Result<Structure, Error> {
    let query = async |sql, oids: &Vec<u32>| -> Result<Vec<Row>, Error> {
        let rows = client.query(sql, &[oids]).await;
        rows.map_err(fault::translate)
    };
    let structure_version = version(client).await?;
    let rows = client.query(TABLES, &[]).await;
    let mut tables: Vec<Table> = Vec::new();
    for row in rows.map_err(fault::translate)? {
        tables.push(Table::read(&row)?);
    }
    let oids: Vec<u32> = tables.iter().map(|table| table.oid).collect();
    let places: HashMap<u32, usize> = oids.iter().copied().zip(0..).collect();
    let mut words: HashMap<u32, Vec<String>> = HashMap::new();
    for row in client.query(WORDS, &[]).await.map_err(fault::translate)? {
        words.entry(get(&row, 0)?).or_default().push(get(&row, 1)?);
    }
    let place = |row: &Row| -> Result<usize, Error> {
        let known = places.get(&get::<u32>(row, 0)?).copied();
        known.ok_or_else(|| Error::internal("the catalogue speaks of a table nobody asked for"))
    };
    // Names of types with their schema, whatever the search path, so that they can be written into statements.
    let search_path: String = get(
        &client
            .query_one("SELECT current_setting('search_path')", &[])
            .await
            .map_err(fault::translate)?,
        0,
    )?;
    let set = async |path: &str| -> Result<(), Error> {
        let set = "SELECT set_config('search_path', $1, false)";
        let done = client.query(set, &[&path]).await;
        done.map(drop).map_err(fault::translate)
    };
    set("").await?;
    let columns = query(COLUMNS, &oids).await;
    set(&search_path).await?;
    for row in columns? {
        let column = Column::read(&row, &words)?;
        if let Some(table) = tables.get_mut(place(&row)?) {
            table.columns.push(column);
        }
    }
    for row in query(CONSTRAINTS, &oids).await? {
        if let Some(table) = tables.get_mut(place(&row)?) {
            table.constraints.push(Constraint {
                name: get(&row, 1)?,
                is_check: get::<String>(&row, 2)? == "c",
                columns: get(&row, 3)?,
                to_table: get(&row, 4)?,
                to_columns: get::<Option<Vec<i16>>>(&row, 5)?.unwrap_or_default(),
            });
        }
    }
    for row in query(INDEXES, &oids).await? {
        if let Some(table) = tables.get_mut(place(&row)?) {
            let mut columns: Vec<i16> = get(&row, 3)?;
            columns.truncate(usize::try_from(get::<i16>(&row, 4)?).unwrap_or(0));
            table.indexes.push(Index {
                name: get(&row, 1)?,
                is_primary: get(&row, 2)?,
                columns,
            });
        }
    }
    tables.retain(|table| !table.columns.is_empty());
    let mut models: Vec<Model> = tables
        .iter()
        .map(|table| table.model(&tables, server, structure_version))
        .collect();
    relate(&mut models);
    Ok(Structure::new(models, structure_version))
}

fn get<'r, T: tokio_postgres::types::FromSql<'r>>(row: &'r Row, at: usize) -> Result<T, Error> {
    row.try_get(at).map_err(fault::translate)
}

struct Table {
    oid: u32,
    schema: String,
    name: String,
    kind: String,
    in_default_schema: bool,
    /// Whether what it gives depends on nothing but its own rows: no policy, and no table that inherits from it
    /// and may lie elsewhere.
    is_stored: bool,
    writes: Writes,
    columns: Vec<Column>,
    constraints: Vec<Constraint>,
    indexes: Vec<Index>,
}

struct Column {
    number: i16,
    not_null: bool,
    field: Field,
}

struct Constraint {
    name: String,
    is_check: bool,
    columns: Vec<i16>,
    to_table: u32,
    to_columns: Vec<i16>,
}

struct Index {
    name: String,
    is_primary: bool,
    columns: Vec<i16>,
}

impl Table {
    fn read(row: &Row) -> Result<Self, Error> {
        let kind: String = get(row, 3)?;
        // What PostgreSQL itself can write through a view, or a trigger does.
        let can: i32 = get(row, 5)?;
        let writes = |bit: i32, at: usize| -> Result<bool, Error> {
            Ok(can & bit != 0 && get::<bool>(row, at)?)
        };
        Ok(Self {
            oid: get(row, 0)?,
            schema: get(row, 1)?,
            name: get(row, 2)?,
            in_default_schema: get::<Option<bool>>(row, 4)?.unwrap_or(false),
            writes: Writes {
                create: writes(8, 6)?,
                update: writes(4, 7)?,
                delete: writes(16, 8)?,
            },
            is_stored: get(row, 9)?,
            kind,
            columns: Vec::new(),
            constraints: Vec::new(),
            indexes: Vec::new(),
        })
    }

    /// The name in paths.
    fn model_name(&self) -> String {
        match self.in_default_schema {
            true => self.name.clone(),
            false => format!("{}.{}", self.schema, self.name),
        }
    }

    fn is_view(&self) -> bool {
        matches!(self.kind.as_str(), "v" | "m")
    }

    /// The fields of these columns; none when one of them cannot be seen, or is an expression.
    fn fields(&self, numbers: &[i16]) -> Option<Vec<usize>> {
        let position = |number: &i16| {
            self.columns
                .iter()
                .position(|column| column.number == *number)
        };
        numbers.iter().map(position).collect()
    }

    fn model(&self, tables: &[Self], server: Server, structure_version: i64) -> Model {
        let primary = self.indexes.iter().find(|index| index.is_primary);
        let key = primary.and_then(|index| self.fields(&index.columns));
        let primary_key_auto = key.is_none();
        let row_id =
            (primary_key_auto && server.has_row_ids && matches!(self.kind.as_str(), "r" | "m"))
                .then(|| ROW_ID.to_owned());
        let in_key = |index: &usize| key.as_ref().is_some_and(|key| key.contains(index));
        let fields: Vec<Field> = self
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                let mut field = column.field.clone();
                field.nullable = !column.not_null && !in_key(&index);
                field.required =
                    field.editable && field.default.is_none() && !field.nullable && !self.is_view();
                field
            })
            .collect();
        let mut by_name = HashMap::new();
        for (index, field) in fields.iter().enumerate() {
            by_name.entry(field.name.clone()).or_insert(index);
        }
        let checks = self.constraints.iter().filter(|rule| rule.is_check);
        Model {
            name: self.model_name(),
            schema: Some(self.schema.clone()),
            table: self.name.clone(),
            is_view: self.is_view(),
            primary_key_auto,
            writes: self.writes,
            relations: Vec::new(),
            by_name,
            key: key.unwrap_or_else(|| vec![0]),
            distinct_rows: !primary_key_auto || row_id.is_some(),
            row_id,
            foreign_keys: self.foreign_keys(tables),
            checks: checks
                .filter_map(|rule| self.rule(&rule.name, &rule.columns))
                .collect(),
            uniques: self
                .indexes
                .iter()
                .filter_map(|index| self.rule(&index.name, &index.columns))
                .collect(),
            // RETURNING tells what the triggers before the write made of the row.
            has_triggers: false,
            is_stored: self.is_stored,
            scope: None,
            fields: fields.into(),
            structure_version,
        }
    }

    fn rule(&self, name: &str, columns: &[i16]) -> Option<Rule> {
        Some(Rule {
            name: Some(name.to_owned()),
            text: String::new(),
            fields: self.fields(columns)?,
        })
    }

    fn foreign_keys(&self, tables: &[Self]) -> Vec<ForeignKey> {
        let mut keys = Vec::new();
        for key in self.constraints.iter().filter(|rule| !rule.is_check) {
            let Some(fields) = self.fields(&key.columns) else {
                continue;
            };
            let target = tables.iter().find(|table| table.oid == key.to_table);
            let columns = target.and_then(|target| {
                let fields = target.fields(&key.to_columns)?;
                let names = fields.iter().filter_map(|index| target.columns.get(*index));
                Some(names.map(|column| column.field.name.clone()).collect())
            });
            keys.push(ForeignKey {
                name: Some(key.name.clone()),
                fields,
                table: target.map(Self::model_name).unwrap_or_default(),
                columns: columns.unwrap_or_default(),
            });
        }
        keys
    }
}

impl Column {
    fn read(row: &Row, words: &HashMap<u32, Vec<String>>) -> Result<Self, Error> {
        let name: String = get(row, 2)?;
        let typmod: i32 = get(row, 4)?;
        let not_null: bool = get(row, 5)?;
        let identity: String = get(row, 6)?;
        let generated: String = get(row, 7)?;
        let default: Option<String> = get(row, 8)?;
        let type_name: String = get(row, 10)?;
        let type_sort: String = get(row, 11)?;
        let category: String = get(row, 12)?;
        let sort = Type::of(&type_name, &type_sort, &category, get(row, 13)?);
        let sizes = Sizes::of(sort, typmod);
        let default = match (identity.as_str(), generated.as_str(), default) {
            ("", "", None) => None,
            ("", "", Some(sql)) => Some(read_default(sort.kind(), sql)),
            ("", _, _) => None,
            _ => Some(Default::AutoIncrement),
        };
        Ok(Self {
            number: get(row, 1)?,
            not_null,
            field: Field {
                json_key: format!("{}:", serde_json::Value::from(name.as_str())),
                name,
                field_type: sort.field_type(sizes.max_length),
                db_type: get(row, 3)?,
                nullable: !not_null,
                required: false,
                // "always" means that the database does not take a value.
                editable: generated.is_empty() && identity != "a",
                max_length: sizes.max_length,
                precision: sizes.precision,
                scale: sizes.scale,
                related: None,
                options: words
                    .get(&get(row, 9)?)
                    .filter(|_| sort == Type::Enum)
                    .cloned()
                    .unwrap_or_default(),
                kind: sort.kind(),
                default,
                storage: Storage::Postgres(sort),
            },
        })
    }
}

/// The sizes that a type is declared with.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) max_length: Option<u32>,
    pub(super) precision: Option<u32>,
    pub(super) scale: Option<u32>,
}

impl Sizes {
    /// Reads them out of the number that PostgreSQL keeps them in.
    pub(super) fn of(sort: Type, typmod: i32) -> Self {
        let mut sizes = Self {
            max_length: None,
            precision: None,
            scale: None,
        };
        match sort {
            Type::Text | Type::FixedText if typmod >= 4 => {
                sizes.max_length = u32::try_from(typmod - 4).ok();
            }
            Type::Numeric if typmod >= 4 => {
                sizes.precision = u32::try_from((typmod - 4) >> 16 & 0xffff).ok();
                // Eleven bits with a sign; less than zero rounds before the point.
                let scale = (((typmod - 4) & 0x7ff) ^ 1024) - 1024;
                sizes.scale = u32::try_from(scale).ok();
            }
            Type::Time | Type::Timestamp | Type::TimestampTz => {
                sizes.precision = u32::try_from(typmod).ok();
            }
            _ => {}
        }
        sizes
    }
}

/// Reads the expression of a default.
fn read_default(kind: Kind, sql: String) -> Default {
    let lower = sql.to_ascii_lowercase();
    if lower.starts_with("nextval(") {
        return Default::AutoIncrement;
    }
    let words = [
        "now()",
        "current_timestamp",
        "current_date",
        "current_time",
        "localtime",
        "transaction_timestamp()",
        "statement_timestamp()",
        "clock_timestamp()",
    ];
    if words.iter().any(|word| lower.contains(word)) {
        return Default::Now(sql);
    }
    let json = match literal(&sql) {
        Some(None) => Some(serde_json::Value::Null.to_string()),
        Some(Some(text)) => match kind {
            Kind::Json if serde_json::from_str::<&RawValue>(&text).is_ok() => Some(text),
            Kind::Integer if text.parse::<i64>().is_ok() => Some(text),
            Kind::Float => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => {
                    Some(serde_json::Value::from(number).to_string())
                }
                _ => None,
            },
            Kind::Boolean => Some(text).filter(|text| matches!(text.as_str(), "true" | "false")),
            _ => Some(serde_json::Value::from(text).to_string()),
        },
        None => None,
    };
    match json.and_then(|json| RawValue::from_string(json).ok()) {
        Some(json) => Default::Literal(sql, json),
        None => Default::Expression(sql),
    }
}

/// The text of a constant such as `'a'::text`, `5` or `NULL`; the inner none is NULL.
fn literal(sql: &str) -> Option<Option<String>> {
    let rest = match sql.strip_prefix('\'') {
        Some(rest) => rest,
        None => {
            let word = sql.split("::").next().unwrap_or_default();
            let word = word.trim_start_matches('(').trim_end_matches(')');
            return match word {
                "NULL" => Some(None),
                "true" | "false" => Some(Some(word.to_owned())),
                _ => word
                    .parse::<f64>()
                    .is_ok_and(f64::is_finite)
                    .then(|| Some(word.to_owned())),
            };
        }
    };
    let mut text = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        if c != '\'' {
            text.push(c);
            continue;
        }
        match rest.get(at + 1..) {
            Some(after) if after.starts_with('\'') => {
                text.push('\'');
                chars.next();
            }
            // Nothing but the type may follow.
            Some("") => return Some(Some(text)),
            Some(after) if after.starts_with("::") && !after.contains(['(', '|', '+']) => {
                return Some(Some(text));
            }
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_told_from_expressions() {
        let default = |kind, sql: &str| match read_default(kind, sql.to_owned()) {
            Default::Literal(_, json) => json.get().to_owned(),
            other => format!("{other:?}")
                .split('(')
                .next()
                .unwrap_or_default()
                .to_owned(),
        };
        assert_eq!(default(Kind::Text, "'it''s'::text"), "\"it's\"");
        assert_eq!(default(Kind::Integer, "5"), "5");
        assert_eq!(default(Kind::Integer, "'-1'::integer"), "-1");
        assert_eq!(default(Kind::Integer, "(- 1)"), "Expression");
        assert_eq!(default(Kind::Decimal, "0.50"), "\"0.50\"");
        assert_eq!(default(Kind::Boolean, "true"), "true");
        assert_eq!(default(Kind::Json, "'{\"a\": 1}'::jsonb"), "{\"a\": 1}");
        assert_eq!(default(Kind::Text, "NULL::character varying"), "null");
        assert_eq!(
            default(Kind::Text, "('a'::text || 'b'::text)"),
            "Expression"
        );
        assert_eq!(default(Kind::Text, "upper('a'::text)"), "Expression");
        assert_eq!(
            default(Kind::DateTime, "timezone('utc'::text, now())"),
            "Now"
        );
        assert_eq!(
            default(Kind::Integer, "nextval('a_seq'::regclass)"),
            "AutoIncrement"
        );
        assert_eq!(default(Kind::Uuid, "gen_random_uuid()"), "Expression");
    }

    #[test]
    fn sizes_are_read_from_the_modifier() {
        assert_eq!(Sizes::of(Type::Text, 14).max_length, Some(10));
        assert_eq!(Sizes::of(Type::Text, -1).max_length, None);
        let numeric = Sizes::of(Type::Numeric, (10 << 16 | 2) + 4);
        assert_eq!((numeric.precision, numeric.scale), (Some(10), Some(2)));
        assert_eq!(Sizes::of(Type::TimestampTz, 3).precision, Some(3));
        assert_eq!(Sizes::of(Type::TimestampTz, -1).precision, None);
    }
}
