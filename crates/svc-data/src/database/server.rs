//! A database of our own on a PostgreSQL server: the same statements as on SQLite, but for the texts that differ.
//!
//! All that writes does so one after the other, on every node: a transaction that writes waits for the others by an advisory
//! lock. So none is ended for the sake of another one, and what was read in it is still so when it writes.

mod listen;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::BytesMut;
use futures_util::{TryStreamExt as _, future::try_join_all};
use tokio::{runtime::Handle, sync::OnceCell, task, time::timeout};
use tokio_postgres::Statement;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use self::listen::Changes;
use super::{Connection, DeclaredModel, Migration, Row, Value};
use crate::{
    Error, Resource, ResourceOptions, Result, Structure,
    admission::Work,
    engine::postgres::{
        Store, StoreLease as Lease, StorePool as Pool, translate_fault as translate, typed_view,
    },
};

/// How many connections to the server are made.
const CONNECTIONS: usize = 10;
/// How long a statement may take, with the time until its turn. A caller is to hear of an outage within five seconds.
const TIMEOUT: Duration = Duration::from_millis(4_500);
/// How long one may take by the clock of the server.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(4);
/// How long to wait for other processes that bring the structure up to date.
const MIGRATION_TIMEOUT: Duration = Duration::from_secs(60);
/// What those that write wait for, and those that migrate. The numbers are those of nobody else.
const WRITING: &str = "SELECT pg_catalog.pg_advisory_xact_lock(6079174263128)";
const MIGRATING: &str = "SELECT pg_catalog.pg_advisory_lock(6079174263129)";
const LOCKING: &str = "SELECT pg_catalog.pg_advisory_lock(6079174263130)";
const MIGRATED: &str = "SELECT pg_catalog.pg_advisory_unlock(6079174263129)";
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// The columns of a view.
const COLUMNS: &str = "SELECT attname::text FROM pg_catalog.pg_attribute \
     WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum";
/// The statements that the views of declared models were made with, which the history of migrations keeps as its comment.
const KNOWN_VIEWS: &str =
    "SELECT pg_catalog.obj_description('refinery_schema_history'::regclass, 'pg_class')";
const HAS_HISTORY: &str = "SELECT pg_catalog.to_regclass('refinery_schema_history') IS NOT NULL";
const KEEP_VIEWS: &str = "COMMENT ON TABLE refinery_schema_history IS";
/// A statement that fails takes back itself alone, as it does on SQLite.
const SAVEPOINT: &str = "statement";

/// How many sets of values are sent before their answers are waited for.
const MANY: usize = 256;

/// What of a statement or a migration is written in another way for PostgreSQL: a text that stands in it, and what stands there
/// instead.
pub type Wording = &'static [(&'static str, &'static str)];

/// The database on a server.
pub(super) struct Server {
    store: Store,
    wording: Wording,
    /// The tables and views of it, which do not change while it is open.
    structure: OnceCell<Arc<Structure>>,
    /// What is known of changes, of this process and others.
    changes: Changes,
}

impl Server {
    /// Connects the database that follows `postgres:` in a URL.
    pub(super) async fn open(rest: &str, wording: Wording) -> Result<Arc<Self>> {
        let options = ResourceOptions {
            statement_timeout: STATEMENT_TIMEOUT,
            connections: CONNECTIONS,
            ..ResourceOptions::default()
        };
        let server = Self {
            store: Store::connect(rest, &options)?,
            wording,
            structure: OnceCell::new(),
            changes: Changes::default(),
        };
        Ok(Arc::new(server))
    }

    /// Whether migrations were applied before.
    pub(super) async fn has_structure(&self) -> Result<bool> {
        let lease = self.lease().await?;
        let found = lease.client()?.query_one(HAS_HISTORY, &[]).await;
        let found = found.and_then(|row| row.try_get(0)).map_err(translate);
        lease.give_back(found)
    }

    /// Hears of what others change from now on.
    pub(super) fn listen(self: &Arc<Self>) {
        self.changes.listen(self.store.source());
    }

    /// What is known of changes.
    pub(super) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Where it is, without a password, for messages.
    fn pool(&self) -> &Pool {
        self.store.pool()
    }

    async fn lease(&self) -> Result<Lease> {
        let (pool, until) = (self.pool(), Instant::now() + TIMEOUT);
        pool.get(Work::internal("store"), until, pool).await
    }

    pub(super) async fn migrate(
        &self,
        migrations: &[Migration],
        declared: &[DeclaredModel],
    ) -> Result<()> {
        let mut known = Vec::with_capacity(migrations.len());
        for migration in migrations {
            let name = format!("V{}__{}", migration.version, migration.name);
            let sql = reworded(migration.sql, self.wording);
            let migration = refinery::Migration::unapplied(&name, &sql);
            known.push(
                migration.map_err(|error| Error::internal(format!("migration {name}: {error}")))?,
            );
        }
        let mut lease = self.lease().await?;
        let client = lease.client_mut()?;
        let lock = async {
            let wait = format!("SET statement_timeout = {}", MIGRATION_TIMEOUT.as_millis());
            client.batch_execute(&wait).await?;
            client.batch_execute(MIGRATING).await
        };
        lock.await.map_err(translate)?;
        let runner = refinery::Runner::new(&known);
        let done = match runner.run_async(&mut **client).await {
            Ok(_) => type_views(client, declared).await,
            Err(error) => Err(refused(error)),
        };
        let unlocked = client.batch_execute(MIGRATED).await.map_err(translate);
        // It has settings of its own.
        lease.close();
        done.and(unlocked)
    }

    pub(super) async fn read<T, E, F>(self: &Arc<Self>, f: F) -> Result<T, E>
    where
        F: FnOnce(&mut dyn Connection) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.run(false, f).await
    }

    pub(super) async fn write<T, E, F>(self: &Arc<Self>, f: F) -> Result<T, E>
    where
        F: FnOnce(&mut dyn Connection) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        self.run(true, f).await
    }

    /// Runs `f` in a transaction, on a thread where it may wait.
    async fn run<T, E, F>(self: &Arc<Self>, writes: bool, f: F) -> Result<T, E>
    where
        F: FnOnce(&mut dyn Connection) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let lease = self.lease().await?;
        let (server, handle) = (Arc::clone(self), Handle::current());
        let work = task::spawn_blocking(move || {
            let mut session = Session {
                server: &server,
                lease,
                handle,
                writes,
                has_begun: false,
                has_savepoint: false,
                announces: false,
            };
            let done = f(&mut session);
            session.end(done)
        });
        work.await
            .unwrap_or_else(|_| Err(Error::internal("work on the store panicked").into()))
    }

    pub(super) async fn lock(&self) -> Result<DatabaseLock> {
        let lease = self.lease().await?;
        let locked = lease.client()?.batch_execute(LOCKING).await;
        locked.map_err(translate)?;
        Ok(DatabaseLock { _lease: lease })
    }

    /// Declared models as a resource.
    pub(super) async fn resource(
        &self,
        name: String,
        models: Vec<DeclaredModel>,
    ) -> Result<Resource> {
        let read = async || {
            let mut lease = self.lease().await?;
            let structure = self.store.structure(&mut lease).await;
            lease.give_back(structure).map(Arc::new)
        };
        let structure = self.structure.get_or_try_init(read).await?;
        let driver = Box::new(self.store.declared(structure, models));
        Resource::over(name, driver, Duration::ZERO).await
    }
}

/// What [`Database::lock`](super::Database::lock) gives: nobody else has it until this is dropped.
pub struct DatabaseLock {
    /// Closed when it is dropped, with which the server ends the lock.
    _lease: Lease,
}

impl std::fmt::Debug for DatabaseLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DatabaseLock").finish_non_exhaustive()
    }
}

/// Makes the views of declared models whose columns have the declared types, where they are not there as they are now.
async fn type_views(client: &tokio_postgres::Client, declared: &[DeclaredModel]) -> Result<()> {
    if declared.is_empty() {
        return Ok(());
    }
    let mut made = String::new();
    for model in declared {
        let columns = client.query(COLUMNS, &[&model.table]).await;
        let columns = columns.map_err(translate)?;
        let columns = columns.iter().map(|row| row.try_get(0));
        let columns = columns
            .collect::<Result<Vec<String>, _>>()
            .map_err(translate)?;
        made += &typed_view(model, &columns);
    }
    let known = client.query_one(KNOWN_VIEWS, &[]).await;
    let known: Option<String> = known.and_then(|row| row.try_get(0)).map_err(translate)?;
    if known.as_deref() == Some(&*made) {
        return Ok(());
    }
    let note = format!("{KEEP_VIEWS} {}", quoted_text(&made));
    let all = format!("BEGIN; {made} {note}; COMMIT");
    client.batch_execute(&all).await.map_err(translate)
}

/// A text as a statement has it.
fn quoted_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn refused(error: refinery::Error) -> Error {
    use refinery::error::Kind;
    let message = match error.kind() {
        Kind::MissingVersion(applied) => format!(
            "the store was written by a newer version of this program (its structure has step {applied}); use that version or a newer one"
        ),
        Kind::DivergentVersion(applied, _) => format!(
            "the store was written by another build of this program (step {applied} of its structure differs); use that build"
        ),
        _ => format!("the structure of the store cannot be brought up to date: {error}"),
    };
    Error::unavailable(message).with_source(error)
}

/// A text with each of these in place of the others.
fn reworded(sql: &str, wording: Wording) -> String {
    let mut text = sql.to_owned();
    for (from, to) in wording {
        if text.contains(from) {
            text = text.replace(from, to);
        }
    }
    text
}

/// A statement as PostgreSQL reads it: placeholders are `$1`, not `?1`.
fn to_postgres(sql: &str, wording: Wording) -> String {
    let sql = reworded(sql, wording);
    let mut text = String::with_capacity(sql.len());
    let mut quote = None;
    for c in sql.chars() {
        match (quote, c) {
            (None, '?') => {
                text.push('$');
                continue;
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
        text.push(c);
    }
    text
}

/// A transaction, on the thread where its work runs.
struct Session<'a> {
    server: &'a Server,
    lease: Lease,
    handle: Handle,
    writes: bool,
    has_begun: bool,
    has_savepoint: bool,
    /// Whether the others are to hear of the change.
    announces: bool,
}

/// What a statement gave.
#[derive(Default)]
struct Answer {
    rows: Vec<tokio_postgres::Row>,
    changed: u64,
}

/// Runs a statement with a set of values.
async fn ask(
    client: &tokio_postgres::Client,
    prepared: &Statement,
    set: &[Value],
) -> Result<Answer, tokio_postgres::Error> {
    let rows = client.query_raw(prepared, set.iter().map(Param)).await?;
    let mut rows = std::pin::pin!(rows);
    let mut all = Vec::new();
    while let Some(row) = rows.try_next().await? {
        all.push(row);
    }
    let changed = rows.rows_affected().unwrap_or(0);
    Ok(Answer { rows: all, changed })
}

impl Session<'_> {
    /// Runs a statement with each of these sets of values. What has to be said before goes with it, without waiting for an
    /// answer in between.
    fn run(&mut self, sql: &str, sets: &[&[Value]], is_write: bool) -> Result<Answer> {
        let has_nul = |value: &Value| matches!(value, Value::Text(text) if text.contains('\0'));
        if is_write && sets.iter().copied().flatten().any(has_nul) {
            return Err(Error::invalid(
                "a text holds the character U+0000, which PostgreSQL cannot keep; leave it out",
            ));
        }
        let sql = to_postgres(sql, self.server.wording);
        // Before anything is said: a statement that cannot be read changes nothing.
        let prepared = self.lease.prepare(&sql);
        let prepared = match self.handle.block_on(in_time(prepared)) {
            Ok(prepared) => prepared,
            Err(error) => {
                if self.has_savepoint {
                    self.back_to_savepoint()?;
                }
                return Err(error);
            }
        };
        let before = self.before(is_write);
        let mut is_prepared = true;
        let lease = &self.lease;
        let work = async {
            let client = lease.client()?;
            let ask = try_join_all(sets.iter().map(|set| ask(client, &prepared, set)));
            let answers = match before.is_empty() {
                true => ask.await,
                false => {
                    let (begun, answers) = tokio::join!(client.batch_execute(&before), ask);
                    is_prepared = begun.is_ok();
                    begun.and(answers)
                }
            };
            answers.map_err(translate)
        };
        let done = self.handle.block_on(in_time(work));
        // Without the savepoint the whole transaction has failed.
        if done.is_err() && is_prepared && self.has_savepoint && is_write {
            self.back_to_savepoint()?;
        }
        let add = |mut all: Answer, answer: Answer| {
            all.changed += answer.changed;
            all.rows.extend(answer.rows);
            all
        };
        Ok(done?.into_iter().reduce(add).unwrap_or_default())
    }

    /// What has to be said before the next statement.
    fn before(&mut self, is_write: bool) -> String {
        let mut before = Vec::new();
        if !self.has_begun {
            self.has_begun = true;
            match self.writes {
                true => before.extend(["BEGIN".to_owned(), WRITING.to_owned()]),
                false => before.push(BEGIN_READ.to_owned()),
            }
        }
        if self.writes && is_write {
            if self.has_savepoint {
                before.push(format!("RELEASE SAVEPOINT {SAVEPOINT}"));
            }
            self.has_savepoint = true;
            before.push(format!("SAVEPOINT {SAVEPOINT}"));
        }
        before.join("; ")
    }

    fn back_to_savepoint(&self) -> Result<()> {
        let client = self.lease.client()?;
        let back = format!("ROLLBACK TO SAVEPOINT {SAVEPOINT}");
        let back = client.batch_execute(&back);
        let back = async { back.await.map_err(translate) };
        self.handle.block_on(in_time(back))
    }

    /// Ends the transaction as its work has ended, and gives the connection back.
    fn end<T, E: From<Error>>(self, done: Result<T, E>) -> Result<T, E> {
        let Self {
            server,
            lease,
            handle,
            writes,
            has_begun,
            announces,
            ..
        } = self;
        if !has_begun {
            // Nothing was asked.
            let _ = lease.give_back(Ok(()));
            return done;
        }
        let keeps = writes && done.is_ok();
        let end = match (keeps, announces) {
            (true, true) => listen::ANNOUNCED_COMMIT,
            (true, false) => "COMMIT",
            (false, _) => "ROLLBACK",
        };
        let end = async move {
            let ended = in_time(async {
                let client = lease.client()?;
                client.batch_execute(end).await.map_err(translate)
            });
            let ended = ended.await;
            lease.give_back(ended)
        };
        if keeps {
            let ended = handle.block_on(end);
            if announces {
                // Also where it is not known whether it was done.
                server.changes.note();
            }
            ended?;
        } else {
            // Nobody has to wait for it. What fails closes the connection, which ends the transaction too.
            handle.spawn(async { drop(end.await) });
        }
        done
    }
}

/// Waits for the server, but not for long.
async fn in_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let late = |_| Err(Error::unavailable("the database does not answer"));
    timeout(TIMEOUT, work).await.unwrap_or_else(late)
}

impl Connection for Session<'_> {
    fn announce(&mut self) {
        self.announces = true;
    }

    fn execute(&mut self, sql: &str, params: &[Value]) -> Result<u64> {
        Ok(self.run(sql, &[params], true)?.changed)
    }

    fn query(&mut self, sql: &str, params: &[Value]) -> Result<Vec<Row>> {
        let rows = self.run(sql, &[params], false)?.rows;
        let Some(first) = rows.first() else {
            return Ok(Vec::new());
        };
        let columns = first
            .columns()
            .iter()
            .map(|column| column.name().to_owned());
        let columns: Arc<[String]> = columns.collect();
        let rows = rows.iter().map(|row| {
            let values = (0..row.len()).map(|index| {
                let Read(value) = row.try_get(index).map_err(translate)?;
                Ok(value)
            });
            Ok(Row::new(
                Arc::clone(&columns),
                values.collect::<Result<_>>()?,
            ))
        });
        rows.collect()
    }

    fn read_text(
        &mut self,
        sql: &str,
        params: &[Value],
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<bool> {
        let rows = self.run(sql, &[params], false)?.rows;
        let Some(row) = rows.first() else {
            return Ok(false);
        };
        take(row.try_get::<_, &str>(0).map_err(translate)?.as_bytes());
        Ok(true)
    }

    fn execute_many(
        &mut self,
        sql: &str,
        rows: &mut dyn Iterator<Item = Vec<Value>>,
    ) -> Result<u64> {
        let mut changed = 0;
        loop {
            let sets: Vec<Vec<Value>> = rows.take(MANY).collect();
            if sets.is_empty() {
                return Ok(changed);
            }
            let sets: Vec<&[Value]> = sets.iter().map(Vec::as_slice).collect();
            changed += self.run(sql, &sets, true)?.changed;
        }
    }
}

/// A value, written as the type that the statement has at its place.
#[derive(Debug)]
struct Param<'a>(&'a Value);

impl ToSql for Param<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        let wrong = || format!("{:?} is no value of the type {ty}", self.0).into();
        match (self.0, ty) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Bool(truth), &Type::BOOL) => truth.to_sql(ty, out),
            (Value::Int(number), &Type::INT8) => number.to_sql(ty, out),
            (Value::Int(number), &Type::INT4) => {
                i32::try_from(*number).map_err(|_| wrong())?.to_sql(ty, out)
            }
            (Value::Int(number), &Type::INT2) => {
                i16::try_from(*number).map_err(|_| wrong())?.to_sql(ty, out)
            }
            (Value::Float(number), &Type::FLOAT8) => number.to_sql(ty, out),
            (Value::Text(text), ty) if <&str as ToSql>::accepts(ty) => {
                // No text on the server holds U+0000, and what stands for it is looked for in vain.
                text.replace('\0', "\u{FFFD}").as_str().to_sql(ty, out)
            }
            (Value::Blob(bytes), &Type::BYTEA) => bytes.as_slice().to_sql(ty, out),
            _ => Err(wrong()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A value that was read.
struct Read(Value);

impl<'a> FromSql<'a> for Read {
    fn from_sql(
        ty: &Type,
        raw: &'a [u8],
    ) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        let value = match *ty {
            Type::BOOL => Value::Bool(bool::from_sql(ty, raw)?),
            Type::INT2 => Value::Int(i16::from_sql(ty, raw)?.into()),
            Type::INT4 => Value::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
            Type::FLOAT8 => Value::Float(f64::from_sql(ty, raw)?),
            Type::BYTEA => Value::Blob(raw.to_vec()),
            Type::JSON => Value::Text(std::str::from_utf8(raw)?.to_owned()),
            _ => Value::Text(String::from_sql(ty, raw)?),
        };
        Ok(Self(value))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(Value::Null))
    }

    fn accepts(ty: &Type) -> bool {
        matches!(
            *ty,
            Type::BOOL
                | Type::INT2
                | Type::INT4
                | Type::INT8
                | Type::FLOAT8
                | Type::BYTEA
                | Type::JSON
        ) || <String as FromSql<'a>>::accepts(ty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_numbered_as_the_server_reads_them_and_texts_stay() {
        let wording: Wording = &[("json_object(", "json_build_object(")];
        assert_eq!(
            to_postgres(
                "SELECT '?1', \"a?\", json_object('a', ?2) WHERE b = ?1",
                wording
            ),
            "SELECT '?1', \"a?\", json_build_object('a', $2) WHERE b = $1"
        );
        assert_eq!(
            to_postgres("SELECT 'it''s ?1', ?1", &[]),
            "SELECT 'it''s ?1', $1"
        );
    }
}
