//! Reads the structure of a PostgreSQL database from its catalogue.

mod defaults;
mod indexes;
mod sizes;

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use tokio_postgres::{Client, Row, error::SqlState};

use self::defaults::read_default;
use self::indexes::{INDEXES, Indexes};
pub(super) use self::sizes::Sizes;
use super::{
    fault,
    select::ROW_ID,
    special::VALUES,
    types::{Order, Type, type_named},
};
use svc_model::records::DeleteRule;

use crate::{
    Error, Field, Model, Result, Structure,
    structure::{Default, ForeignKey, Rule, Writes, relate},
};

/// The tables and views that the user of this service may read, without those of extensions and without
/// partitions, which their table shows.
const TABLES: &str = "
SELECT c.oid, n.nspname::text, c.relname::text, c.relkind::text,
    n.nspname = current_schema(),
    CASE WHEN c.relkind IN ('r', 'p') THEN 28 WHEN c.relkind = 'm' THEN 0 END,
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

/// What PostgreSQL can write through views and foreign tables. It waits for locks on them and on what they select
/// from.
const UPDATABLE: &str = "SELECT oid, pg_catalog.pg_relation_is_updatable(oid, true) FROM pg_catalog.unnest($1::oid[]) AS oid";

/// The writes that are assumed of a view while another session has a lock on it or on its tables: all of them. The
/// database refuses those that it cannot do.
const ALL_WRITES: i32 = 28;

/// The columns of those tables. A domain is looked through to the type that it is made of, and a type has an order
/// where all its parts have one.
const COLUMNS: &str = "
WITH RECURSIVE base(domain, type, typmod, not_null) AS (
    SELECT oid, typbasetype, typtypmod, typnotnull FROM pg_catalog.pg_type WHERE typtype = 'd'
    UNION ALL
    SELECT b.domain, t.typbasetype, t.typtypmod, b.not_null OR t.typnotnull
    FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.type WHERE t.typtype = 'd'
), bare(domain, type, typmod, not_null) AS (
    SELECT b.* FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.type WHERE t.typtype <> 'd'
), parts(whole, part) AS (
    SELECT DISTINCT a.atttypid, a.atttypid FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = ANY($1) AND a.attnum > 0 AND NOT a.attisdropped
    UNION
    SELECT p.whole, x.part FROM parts p JOIN pg_catalog.pg_type t ON t.oid = p.part CROSS JOIN LATERAL (
        SELECT t.typbasetype WHERE t.typtype = 'd'
        UNION ALL SELECT t.typelem WHERE t.typtype = 'b' AND t.typcategory = 'A' AND t.typelem <> 0
        UNION ALL SELECT c.atttypid FROM pg_catalog.pg_attribute c
            WHERE t.typtype = 'c' AND c.attrelid = t.typrelid AND c.attnum > 0 AND NOT c.attisdropped) x(part)
), classes(type, less) AS (
    SELECT o.opcintype, p.oprname FROM pg_catalog.pg_opclass o
    JOIN pg_catalog.pg_am m ON m.oid = o.opcmethod
    JOIN pg_catalog.pg_amop a ON a.amopfamily = o.opcfamily AND a.amoplefttype = o.opcintype
        AND a.amoprighttype = o.opcintype AND a.amopstrategy = 1
    JOIN pg_catalog.pg_operator p ON p.oid = a.amopopr
    WHERE m.amname = 'btree' AND o.opcdefault
), unordered(type) AS (
    SELECT DISTINCT p.whole FROM parts p JOIN pg_catalog.pg_type t ON t.oid = p.part
    WHERE t.typtype NOT IN ('d', 'c', 'r', 'm', 'e')
        AND NOT (t.typtype = 'b' AND t.typcategory = 'A' AND t.typelem <> 0)
        AND NOT EXISTS (SELECT 1 FROM classes c WHERE c.type = t.oid OR EXISTS (
            SELECT 1 FROM pg_catalog.pg_cast x WHERE x.castsource = t.oid AND x.casttarget = c.type
                AND x.castmethod = 'b' AND x.castcontext = 'i'))
)
SELECT a.attrelid, a.attnum, a.attname::text, pg_catalog.format_type(a.atttypid, a.atttypmod),
    CASE WHEN b.domain IS NULL THEN a.atttypmod ELSE b.typmod END,
    a.attnotnull OR coalesce(b.not_null, false), a.attidentity::text, a.attgenerated::text,
    pg_catalog.pg_get_expr(d.adbin, d.adrelid), t.oid, t.typname::text, t.typtype::text,
    t.typcategory::text, NOT EXISTS (SELECT 1 FROM unordered u WHERE u.type = a.atttypid),
    pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(t.typname),
    coalesce((SELECT c.less = '<' FROM classes c WHERE c.type = t.oid LIMIT 1), true),
    e.oid, e.typname::text, e.typtype::text, e.typcategory::text,
    pg_catalog.quote_ident(en.nspname) || '.' || pg_catalog.quote_ident(e.typname)
FROM pg_catalog.pg_attribute a
LEFT JOIN bare b ON b.domain = a.atttypid
JOIN pg_catalog.pg_type t ON t.oid = coalesce(b.type, a.atttypid)
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
LEFT JOIN bare eb ON eb.domain = t.typelem
LEFT JOIN pg_catalog.pg_type e ON t.typtype = 'b' AND t.typcategory = 'A' AND e.oid = coalesce(eb.type, t.typelem)
LEFT JOIN pg_catalog.pg_namespace en ON en.oid = e.typnamespace
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = ANY($1) AND a.attnum > 0 AND NOT a.attisdropped
    AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attrelid, a.attnum";

/// Foreign keys, CHECK and EXCLUDE rules.
const CONSTRAINTS: &str = "
SELECT conrelid, conname::text, contype::text, conkey::int2[], confrelid, confkey::int2[], confdeltype::text
FROM pg_catalog.pg_constraint
WHERE contype IN ('f', 'c', 'x') AND conrelid = ANY($1) AND conkey IS NOT NULL ORDER BY conrelid, conname";

/// The words of enumerations.
const WORDS: &str =
    "SELECT enumtypid, enumlabel::text FROM pg_catalog.pg_enum ORDER BY enumtypid, enumsortorder";

/// A number that changes when a table, a column, a right, a default, a constraint, an index or an enumeration does. It
/// reads the catalogue alone, so that it waits for no table.
const VERSION: &str = "
WITH tables AS (
    SELECT c.oid, c.relname, n.nspname, c.relkind, c.relacl
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'crdb_internal') AND n.nspname NOT LIKE 'pg\\_%'
), parts(part) AS (
    SELECT concat_ws(' ', 't', t.oid, t.relname, t.nspname, t.relkind, t.relacl::text, a.attnum, a.attname, a.atttypid,
        a.atttypmod, a.attnotnull, a.attidentity, a.attgenerated, d.oid)
    FROM tables t JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid
    LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT concat_ws(' ', 'c', c.oid, c.conname) FROM pg_catalog.pg_constraint c
    WHERE c.conrelid IN (SELECT oid FROM tables)
    UNION ALL
    SELECT concat_ws(' ', 'i', i.indexrelid, i.indisprimary, i.indisvalid) FROM pg_catalog.pg_index i
    WHERE i.indrelid IN (SELECT oid FROM tables)
    UNION ALL
    SELECT concat_ws(' ', 'e', e.oid, e.enumlabel, e.enumsortorder) FROM pg_catalog.pg_enum e
)
SELECT coalesce(('x' || substr(md5(string_agg(part, ',' ORDER BY part)), 1, 16))::bit(64)::int8, 0) FROM parts";

/// How long a lock on a view, or on what it selects from, is waited for, in the words of `lock_timeout`.
const LOCK_PATIENCE: &str = "100ms";

/// What a server is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Server {
    /// Whether tables have the row id of PostgreSQL.
    pub(super) has_row_ids: bool,
    /// Whether it names the state of the database that a statement sees.
    pub(super) has_snapshots: bool,
}

/// Finds out what a server is.
pub(super) async fn server(client: &Client) -> Result<Server> {
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
pub(super) async fn version(client: &Client) -> Result<i64> {
    let row = client.query_one(VERSION, &[]).await;
    get(&row.map_err(fault::translate)?, 0)
}

/// Reads the whole structure.
pub(super) async fn discover(client: &Client, server: Server) -> Result<Structure> {
    let query = async |sql, oids: &Vec<u32>| -> Result<Vec<Row>> {
        client.query(sql, &[oids]).await.map_err(fault::translate)
    };
    let structure_version = version(client).await?;
    let rows = client.query(TABLES, &[]).await;
    let mut tables: Vec<Table> = Vec::new();
    let rows = rows.map_err(fault::translate)?;
    let updatable = updatable(client, &rows).await?;
    for row in rows {
        tables.push(Table::read(&row, &updatable)?);
    }
    let oids: Vec<u32> = tables.iter().map(|table| table.oid).collect();
    let places: HashMap<u32, usize> = oids.iter().copied().zip(0..).collect();
    let mut words: HashMap<u32, Vec<String>> = HashMap::new();
    for row in client.query(WORDS, &[]).await.map_err(fault::translate)? {
        words.entry(get(&row, 0)?).or_default().push(get(&row, 1)?);
    }
    let place = |row: &Row| -> Result<usize> {
        let known = places.get(&get::<u32>(row, 0)?).copied();
        known.ok_or_else(|| Error::internal("the catalogue names a table that was not requested"))
    };
    // Names of types with their schema, whatever the search path, so that they can be written into statements.
    let search_path = setting(client, "search_path").await?;
    set(client, "search_path", "").await?;
    let columns = query(COLUMNS, &oids).await;
    set(client, "search_path", &search_path).await?;
    for row in columns? {
        if let Some(table) = tables.get_mut(place(&row)?) {
            table.columns.push(Column::read(&row, &words)?);
        }
    }
    for row in query(CONSTRAINTS, &oids).await? {
        if let Some(table) = tables.get_mut(place(&row)?) {
            table.constraints.push(Constraint {
                name: get(&row, 1)?,
                sort: get(&row, 2)?,
                columns: get(&row, 3)?,
                to_table: get(&row, 4)?,
                to_columns: get::<Option<Vec<i16>>>(&row, 5)?.unwrap_or_default(),
                rule: match get::<&str>(&row, 6)? {
                    "c" => DeleteRule::Cascade,
                    "n" => DeleteRule::SetNull,
                    _ => DeleteRule::Restrict,
                },
            });
        }
    }
    for row in query(INDEXES, &oids).await? {
        if let Some(table) = tables.get_mut(place(&row)?) {
            table.indexes.add(&row)?;
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

/// What can be written through the relations for which the catalogue alone does not say it. It waits for no lock.
async fn updatable(client: &Client, tables: &[Row]) -> Result<HashMap<u32, i32>> {
    let mut asked: Vec<u32> = Vec::new();
    for row in tables {
        if get::<Option<i32>>(row, 5)?.is_none() {
            asked.push(get(row, 0)?);
        }
    }
    let mut known = HashMap::with_capacity(asked.len());
    if asked.is_empty() {
        return Ok(known);
    }
    let before = setting(client, "lock_timeout").await?;
    set(client, "lock_timeout", LOCK_PATIENCE).await?;
    let mut portions = vec![asked];
    // Half by half, until the locked ones are found.
    while let Some(mut portion) = portions.pop() {
        match client.query(UPDATABLE, &[&portion]).await {
            Ok(rows) => {
                for row in rows {
                    known.insert(get(&row, 0)?, get(&row, 1)?);
                }
            }
            Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {
                if let [locked] = portion.as_slice() {
                    known.insert(*locked, ALL_WRITES);
                } else {
                    portions.push(portion.split_off(portion.len() / 2));
                    portions.push(portion);
                }
            }
            Err(error) => return Err(fault::translate(error)),
        }
    }
    set(client, "lock_timeout", &before).await?;
    Ok(known)
}

/// What a setting of the connection is.
async fn setting(client: &Client, name: &'static str) -> Result<String> {
    let sql = format!("SELECT current_setting('{name}')");
    let row = client.query_one(&sql, &[]).await;
    get(&row.map_err(fault::translate)?, 0)
}

/// Changes a setting of the connection.
async fn set(client: &Client, name: &'static str, value: &str) -> Result<()> {
    let sql = format!("SELECT set_config('{name}', $1, false)");
    let done = client.query(&sql, &[&value]).await;
    done.map(drop).map_err(fault::translate)
}

pub(super) fn get<'r, T: tokio_postgres::types::FromSql<'r>>(row: &'r Row, at: usize) -> Result<T> {
    row.try_get(at).map_err(fault::translate)
}

struct Table {
    oid: u32,
    schema: String,
    name: String,
    kind: String,
    in_default_schema: bool,
    /// Whether what it gives depends on nothing but its own rows: no policy, and no table that inherits from it
    /// and may be elsewhere.
    is_stored: bool,
    writes: Writes,
    columns: Vec<Column>,
    constraints: Vec<Constraint>,
    indexes: Indexes,
}

struct Column {
    number: i16,
    not_null: bool,
    field: Field,
}

struct Constraint {
    name: String,
    /// `f`, `c` or `x`, as the catalogue says.
    sort: String,
    columns: Vec<i16>,
    to_table: u32,
    to_columns: Vec<i16>,
    /// What becomes of a record when the one that a foreign key refers to is deleted.
    rule: DeleteRule,
}

impl Table {
    fn read(row: &Row, updatable: &HashMap<u32, i32>) -> Result<Self> {
        let kind: String = get(row, 3)?;
        // What PostgreSQL itself can write through a view, or a trigger does.
        let can = match get::<Option<i32>>(row, 5)? {
            Some(can) => can,
            None => updatable.get(&get(row, 0)?).copied().unwrap_or(0),
        };
        let writes =
            |bit: i32, at: usize| -> Result<bool> { Ok(can & bit != 0 && get::<bool>(row, at)?) };
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
            indexes: Indexes::default(),
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
        let primary = self.indexes.unique.iter().find(|index| index.is_primary);
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
                field.indexed = self.indexes.leading.contains(&column.number);
                let indexes = self.indexes.null_is_last.iter();
                let indexes = indexes.filter(|(number, _)| *number == column.number);
                let before = indexes.filter_map(|(_, before)| self.fields(before));
                field.detail.null_is_last_behind = before.collect();
                field.required =
                    field.editable && field.default.is_none() && !field.nullable && !self.is_view();
                field
            })
            .collect();
        let checks = self.constraints.iter().filter(|rule| rule.sort == "c");
        let exclusions = self.constraints.iter().filter(|rule| rule.sort == "x");
        let exclusions = exclusions.filter_map(|rule| self.rule(&rule.name, &rule.columns));
        Model {
            schema: Some(self.schema.clone()),
            table: self.name.clone(),
            is_view: self.is_view(),
            primary_key_auto,
            writes: self.writes,
            key: key.unwrap_or_else(|| vec![0]),
            distinct_rows: !primary_key_auto || row_id.is_some(),
            row_id,
            foreign_keys: self.foreign_keys(tables),
            checks: checks
                .filter_map(|rule| self.rule(&rule.name, &rule.columns))
                .collect(),
            uniques: self
                .indexes
                .unique
                .iter()
                .filter_map(|index| self.rule(&index.name, &index.columns))
                .chain(exclusions)
                .collect(),
            unique_keys: self
                .indexes
                .unique
                .iter()
                .filter(|index| index.is_whole)
                .filter_map(|index| self.fields(&index.columns))
                .collect(),
            // RETURNING shows what the triggers before the write made of the row.
            has_triggers: false,
            is_stored: self.is_stored,
            all_fields: OnceLock::new(),
            structure_version,
            ..Model::of_columns(&self.model_name(), fields)
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
        for key in self.constraints.iter().filter(|rule| rule.sort == "f") {
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
                rule: key.rule,
            });
        }
        keys
    }
}

impl Column {
    fn read(row: &Row, words: &HashMap<u32, Vec<String>>) -> Result<Self> {
        let name: String = get(row, 2)?;
        let typmod: i32 = get(row, 4)?;
        let not_null: bool = get(row, 5)?;
        let identity: String = get(row, 6)?;
        let generated: String = get(row, 7)?;
        let default: Option<String> = get(row, 8)?;
        let type_name: String = get(row, 10)?;
        let type_sort: String = get(row, 11)?;
        let category: String = get(row, 12)?;
        let order = Order {
            is_there: get(row, 13)?,
            has_operators: get(row, 15)?,
        };
        let sort = type_named(&type_name, &type_sort, &category, order);
        let sizes = Sizes::of(sort, typmod);
        let default = match (identity.as_str(), generated.as_str(), default) {
            ("", "", None) => None,
            ("", "", Some(sql)) => Some(read_default(sort.kind(), sql)),
            ("", _, _) => None,
            _ => Some(Default::AutoIncrement),
        };
        let db_type: String = get(row, 3)?;
        let mut field = Field::of_type(name, sort, sizes.max_length, &db_type, &VALUES);
        if let Type::Array | Type::UnorderedArray = sort {
            field.detail.element = element(row, typmod, words)?;
        }
        field.detail.bound_type = get(row, 14)?;
        field.detail.srid = (sort == Type::Geometry).then(|| srid(typmod));
        // "always" means that the database does not accept a value.
        field.editable = generated.is_empty() && identity != "a";
        field.precision = sizes.precision;
        field.scale = sizes.scale;
        if let (Type::Enum, Some(words)) = (sort, words.get(&get(row, 9)?)) {
            field.options.clone_from(words);
        }
        field.default = default;
        Ok(Self {
            number: get(row, 1)?,
            not_null,
            field,
        })
    }
}

/// The elements of an array, as a column of their own.
fn element(
    row: &Row,
    typmod: i32,
    words: &HashMap<u32, Vec<String>>,
) -> Result<Option<Arc<Field>>> {
    let Some(type_name) = get::<Option<String>>(row, 17)? else {
        return Ok(None);
    };
    let (type_sort, category): (String, String) = (get(row, 18)?, get(row, 19)?);
    let sort = type_named(&type_name, &type_sort, &category, Order::COMMON);
    let sizes = Sizes::of(sort, typmod);
    let name = "element".to_owned();
    let mut element = Field::of_type(name, sort, sizes.max_length, &type_name, &VALUES);
    element.precision = sizes.precision;
    element.scale = sizes.scale;
    element.detail.bound_type = get(row, 20)?;
    if let (Type::Enum, Some(words)) = (sort, words.get(&get(row, 16)?)) {
        element.options.clone_from(words);
    }
    Ok(Some(Arc::new(element)))
}

/// The system of coordinates that PostGIS keeps in the modifier of a type, in 20 bits with a sign.
fn srid(typmod: i32) -> i32 {
    match typmod {
        ..0 => 0,
        _ => ((typmod & 0x0fff_ff00) - (typmod & 0x1000_0000)) >> 8,
    }
}
