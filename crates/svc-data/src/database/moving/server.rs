//! The databases on a PostgreSQL server that are copied from and to.

use std::{borrow::Cow, pin::pin, sync::Arc, time::Duration};

use futures_util::TryStreamExt as _;
use jiff::Timestamp;
use tokio::{runtime::Handle, time::timeout};
use tokio_postgres::{
    Client,
    binary_copy::BinaryCopyInWriter,
    types::{ToSql, Type},
};

use super::{HISTORY, NotAdded, Table, Values};
use crate::{
    Error, ErrorKind, Result,
    database::{
        DeclaredModel, Migration, Value, Wording,
        server::{
            Lease, MIGRATION_LOCK, Param, Read, Server, known_migrations, translate, views_of,
        },
    },
    query::quoted,
};

/// How long to wait for an answer, or for the next rows.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How long to wait for other processes that open a database, or copy into it.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
/// How long the server may take to bring everything to its disk.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(600);
/// Rows are sent for as long as it takes.
const SETTINGS: &str = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0";
const BEGIN_VIEW: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1";
/// Where tables are made, and whether this user may make some there.
const PLACE: &str = "SELECT current_schema()::text, current_user::text, \
     has_schema_privilege(current_schema(), 'CREATE')";
/// A thing in the schemas that are searched for the tables of the store, but for what belongs to an extension.
const ANYTHING: &str = "SELECT n.nspname::text, c.relname::text, c.relkind::text FROM pg_catalog.pg_class c \
     JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname = ANY (current_schemas(false)) AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') \
     AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass \
         AND d.objid = c.oid AND d.deptype = 'e') \
     ORDER BY c.relname <> $1, n.nspname, c.relname LIMIT 1";
/// As the library of migrations makes it, which commits each step by itself.
const MAKE_HISTORY: &str = "CREATE TABLE refinery_schema_history (version INT4 PRIMARY KEY, name VARCHAR(255), \
     applied_on VARCHAR(255), checksum VARCHAR(255))";
const ADD_HISTORY: &str = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) VALUES ($1, $2, $3, $4)";
/// The columns of a table, none where there is no such table.
const COLUMNS: &str = "SELECT attname::text FROM pg_catalog.pg_attribute \
     WHERE attrelid = pg_catalog.to_regclass(pg_catalog.quote_ident($1::text)) AND attnum > 0 AND NOT attisdropped \
     ORDER BY attnum";
const TABLES: &str = "SELECT relname::text FROM pg_catalog.pg_class \
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> $1 ORDER BY relname";
const KEY: &str = "SELECT a.attname::text FROM pg_catalog.pg_index i \
     CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(number, place) \
     JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
     WHERE i.indrelid = pg_catalog.to_regclass(pg_catalog.quote_ident($1::text)) AND i.indisprimary ORDER BY k.place";
const REFERS: &str = "SELECT DISTINCT r.relname::text FROM pg_catalog.pg_constraint c \
     JOIN pg_catalog.pg_class r ON r.oid = c.confrelid \
     WHERE c.conrelid = pg_catalog.to_regclass(pg_catalog.quote_ident($1::text)) AND c.contype = 'f'";

/// A connection of its own, in one transaction.
pub(super) struct Side {
    lease: Lease,
    handle: Handle,
    /// The tables that rows were added to.
    filled: Vec<String>,
}

impl Side {
    /// A view of a database that stays as it is.
    pub(super) async fn snapshot(server: &Arc<Server>) -> Result<Self> {
        let side = Self::open(server).await?;
        in_time(side.lease.client()?.batch_execute(BEGIN_VIEW)).await?;
        Ok(side)
    }

    /// A database that holds nothing, with this structure.
    pub(super) async fn create(
        url: &str,
        migrations: &[Migration],
        wording: Wording,
        declared: &[DeclaredModel],
    ) -> Result<Self> {
        let server = Server::at(url, wording).await?;
        let known = known_migrations(migrations, wording)?;
        let side = Self::open(&server).await?;
        let client = side.lease.client()?;
        let lock = format!(
            "SET lock_timeout = {}; BEGIN; SELECT pg_catalog.pg_advisory_xact_lock({MIGRATION_LOCK}); SET lock_timeout = 0",
            LOCK_TIMEOUT.as_millis()
        );
        let locked = timeout(LOCK_TIMEOUT + TIMEOUT, client.batch_execute(&lock)).await;
        let locked = locked.map_err(|_| silent())?.map_err(translate);
        locked.map_err(|error| match error.kind() {
            ErrorKind::Timeout => Error::unavailable(
                "another process opens this database or copies into it; end it, or try again when it has ended",
            )
            .with_source(error),
            _ => error,
        })?;
        check_empty(client).await?;
        in_time(client.batch_execute(MAKE_HISTORY)).await?;
        for migration in &known {
            let sql = migration.sql().unwrap_or_default();
            in_time(client.batch_execute(sql)).await?;
            let (version, name) = (migration.version(), migration.name());
            let (time, checksum) = (
                Timestamp::now().to_string(),
                migration.checksum().to_string(),
            );
            let row: [&(dyn ToSql + Sync); 4] = [&version, &name, &time, &checksum];
            in_time(client.execute(ADD_HISTORY, &row)).await?;
        }
        let views = views_of(client, declared).await?;
        in_time(client.batch_execute(&views)).await?;
        Ok(side)
    }

    async fn open(server: &Server) -> Result<Self> {
        let lease = server.lease().await?;
        in_time(lease.client()?.batch_execute(SETTINGS)).await?;
        Ok(Self {
            lease,
            handle: Handle::current(),
            filled: Vec::new(),
        })
    }

    pub(super) fn execute(&self, sql: &str) -> Result<()> {
        let client = self.lease.client()?;
        self.handle.block_on(in_time(client.batch_execute(sql)))
    }

    fn texts(&self, sql: &str, about: &str) -> Result<Vec<String>> {
        let client = self.lease.client()?;
        let rows = async { in_time(client.query(sql, &[&about])).await };
        let rows = self.handle.block_on(rows)?;
        let texts = rows.iter().map(|row| row.try_get(0).map_err(translate));
        texts.collect()
    }

    pub(super) fn columns(&self, table: &str) -> Result<Option<Vec<String>>> {
        let columns = self.texts(COLUMNS, table)?;
        Ok((!columns.is_empty()).then_some(columns))
    }

    /// The tables, each with those that it refers to.
    pub(super) fn tables(&self) -> Result<Vec<(Table, Vec<String>)>> {
        let tables = self.texts(TABLES, HISTORY)?.into_iter().map(|name| {
            let columns = self.texts(COLUMNS, &name)?;
            let position = |name| columns.iter().position(|column| *column == name);
            let key = self.texts(KEY, &name)?;
            let key = key.into_iter().filter_map(position).collect();
            let refers = self.texts(REFERS, &name)?;
            Ok((Table { name, columns, key }, refers))
        });
        tables.collect()
    }

    pub(super) fn read(&self, sql: &str, take: &mut dyn FnMut(Values) -> Result<()>) -> Result<()> {
        let client = self.lease.client()?;
        let work = async {
            let none = std::iter::empty::<&(dyn ToSql + Sync)>();
            let rows = in_time(client.query_raw(sql, none)).await?;
            let mut rows = pin!(rows);
            while let Some(row) = in_time(rows.try_next()).await? {
                let values = (0..row.len()).map(|at| {
                    let Read(value) = row.try_get(at).map_err(translate)?;
                    Ok(value)
                });
                take(values.collect::<Result<_>>()?)?;
            }
            Ok(())
        };
        self.handle.block_on(work)
    }

    pub(super) fn add(&mut self, table: &Table, rows: &[Values]) -> Result<(), NotAdded> {
        if self.filled.last() != Some(&table.name) {
            self.filled.push(table.name.clone());
        }
        let not_added = |error| NotAdded { row: None, error };
        let client = self.lease.client().map_err(not_added)?;
        self.handle.block_on(send(client, table, rows))
    }

    pub(super) fn finish(mut self) -> Result<()> {
        let client = self.lease.client()?;
        let tables: Vec<String> = self.filled.iter().map(|name| quoted(name)).collect();
        if !tables.is_empty() {
            // Otherwise the first statements on many rows are planned as if there were none.
            let analyze = format!("ANALYZE {}", tables.join(", "));
            let analyzed = timeout(COMMIT_TIMEOUT, client.batch_execute(&analyze));
            let analyzed = self.handle.block_on(analyzed);
            analyzed.map_err(|_| silent())?.map_err(translate)?;
        }
        let committed = timeout(COMMIT_TIMEOUT, client.batch_execute("COMMIT"));
        let committed = match self.handle.block_on(committed) {
            Ok(committed) => committed.map_err(translate),
            Err(_) => Err(silent()),
        };
        committed.map_err(|error| match error.kind() {
            ErrorKind::Unavailable | ErrorKind::Timeout => Error::unavailable(format!(
                "it is not known whether the database was completed, since the server did not answer in the end ({error}); look \
                 whether it is there"
            ))
            .with_source(error),
            _ => error,
        })?;
        // The connection has settings of its own.
        self.lease.close();
        Ok(())
    }
}

/// Refuses a database that holds anything, and one where no tables can be made.
async fn check_empty(client: &Client) -> Result<()> {
    let place = in_time(client.query_one(PLACE, &[])).await?;
    let schema: Option<String> = place.try_get(0).map_err(translate)?;
    let user: String = place.try_get(1).map_err(translate)?;
    let may_create: Option<bool> = place.try_get(2).map_err(translate)?;
    let Some(schema) = schema else {
        return Err(Error::unavailable(
            "the database has no schema for new tables: create one that search_path names, such as public",
        ));
    };
    if may_create != Some(true) {
        return Err(Error::unavailable(format!(
            "the user {user} may not make tables in the schema {schema} of the database: grant it with GRANT CREATE ON SCHEMA \
             {} TO {}",
            quoted(&schema),
            quoted(&user)
        )));
    }
    let Some(found) = in_time(client.query_opt(ANYTHING, &[&HISTORY])).await? else {
        return Ok(());
    };
    let text = |at| found.try_get::<_, String>(at).map_err(translate);
    let (schema, name, kind) = (text(0)?, text(1)?, text(2)?);
    if name == HISTORY {
        return Err(Error::unavailable(
            "the database is not empty: a store was made in it; name a new database",
        ));
    }
    let kind = match kind.as_str() {
        "v" | "m" => "view",
        "S" => "sequence",
        _ => "table",
    };
    Err(Error::unavailable(format!(
        "the database is not empty: it has the {kind} {schema}.{name}; name a new database"
    )))
}

/// Sends rows. The rules of the table are checked when all of them are there.
async fn send(client: &Client, table: &Table, rows: &[Values]) -> Result<(), NotAdded> {
    let of_no_row = |error| NotAdded { row: None, error };
    let columns: Vec<String> = table.columns.iter().map(|name| quoted(name)).collect();
    let (name, columns) = (quoted(&table.name), columns.join(", "));
    let types = format!("SELECT {columns} FROM {name}");
    let types = in_time(client.prepare(&types)).await.map_err(of_no_row)?;
    let types = types.columns().iter().map(|column| column.type_().clone());
    let types: Vec<Type> = types.collect();
    let copy = format!("COPY {name} ({columns}) FROM STDIN (FORMAT binary)");
    let sink = in_time(client.copy_in(&copy)).await.map_err(of_no_row)?;
    let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
    for (at, row) in rows.iter().enumerate() {
        let of_row = |error| NotAdded {
            row: Some(at),
            error,
        };
        check(row, &types).map_err(of_row)?;
        let fitting: Vec<Cow<'_, Value>> = row.iter().zip(&types).map(fit).collect();
        let params = fitting.iter().map(|value| Param(value));
        let sent = in_time(writer.as_mut().write_raw(params));
        if let Err(error) = sent.await {
            // What the server says of rows before this one it says in the end.
            return Err(refused_row(error));
        }
    }
    in_time(writer.finish())
        .await
        .map(drop)
        .map_err(refused_row)
}

/// Refuses values that the server does not keep as they are.
fn check(row: &Values, types: &[Type]) -> Result<()> {
    for (value, kind) in row.iter().zip(types) {
        let fits = match (value, kind) {
            (Value::Text(text), _) if text.contains('\0') => {
                return Err(Error::invalid(
                    "a text holds the character U+0000, which PostgreSQL cannot keep",
                ));
            }
            (Value::Null, _) => true,
            (Value::Text(_), kind) => <&str as ToSql>::accepts(kind),
            (Value::Bool(_) | Value::Int(0 | 1), &Type::BOOL) => true,
            (Value::Int(number), &Type::INT2) => i16::try_from(*number).is_ok(),
            (Value::Int(number), &Type::INT4) => i32::try_from(*number).is_ok(),
            (Value::Int(_), &Type::INT8) | (Value::Float(_), &Type::FLOAT8) => true,
            (Value::Blob(_), &Type::BYTEA) => true,
            _ => false,
        };
        if !fits {
            let what = match value {
                Value::Int(_) => "a number",
                Value::Text(_) => "a text",
                Value::Blob(_) => "bytes",
                _ => "a value",
            };
            return Err(Error::invalid(format!(
                "{what} does not fit into a column of the type {kind}"
            )));
        }
    }
    Ok(())
}

/// SQLite keeps truth values as numbers.
fn fit<'v>((value, kind): (&'v Value, &Type)) -> Cow<'v, Value> {
    match (value, kind) {
        (Value::Int(number), &Type::BOOL) => Cow::Owned(Value::Bool(*number != 0)),
        _ => Cow::Borrowed(value),
    }
}

/// A refusal by the server, which names the line of the copy where one row is the reason.
fn refused_row(error: Error) -> NotAdded {
    let reason = std::error::Error::source(&error)
        .and_then(|source| source.downcast_ref::<tokio_postgres::Error>())
        .and_then(tokio_postgres::Error::as_db_error);
    // Such as `COPY audit, line 5`.
    let place = reason.and_then(|reason| reason.where_());
    let line = place.and_then(|place| place.split_once(", line "));
    let digits = line.map(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next());
    let line = digits.flatten().and_then(|line| line.parse::<usize>().ok());
    NotAdded {
        row: line.and_then(|line| line.checked_sub(1)),
        error,
    }
}

/// Waits for the server, but not for ever.
async fn in_time<T>(work: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T> {
    match timeout(TIMEOUT, work).await {
        Ok(done) => done.map_err(translate),
        Err(_) => Err(silent()),
    }
}

fn silent() -> Error {
    Error::unavailable(format!(
        "the database server has not answered for {} seconds",
        TIMEOUT.as_secs()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_server_would_keep_in_another_way_is_refused() {
        let fits = |value: Value, kind| check(&vec![value], &[kind]).is_ok();
        assert!(fits(Value::Int(1), Type::BOOL) && !fits(Value::Int(2), Type::BOOL));
        assert!(fits(Value::Int(7), Type::INT4) && !fits(Value::Int(1 << 40), Type::INT4));
        assert!(fits("é".into(), Type::TEXT) && !fits("a\0".into(), Type::TEXT));
        assert!(fits(Value::Null, Type::BYTEA) && !fits("x".into(), Type::INT8));
        assert!(fits(vec![0_u8].into(), Type::BYTEA) && !fits(vec![0_u8].into(), Type::TEXT));
        let fitting = |kind| fit((&Value::Int(1), &kind)).into_owned();
        assert_eq!(fitting(Type::BOOL), Value::Bool(true));
        assert_eq!(fitting(Type::INT8), Value::Int(1));
    }
}
