//! A database of our own on a PostgreSQL server: the same statements as on SQLite, but for the texts that differ.
//!
//! All that writes does so one after the other, on every node: a transaction that writes waits for the others by an advisory
//! lock. So none is ended for the sake of another one, and what was read in it is still so when it writes.

mod listen;
mod session;
mod value;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{runtime::Handle, sync::OnceCell, task};

pub(super) use self::value::{Param, Read};
use self::{listen::Changes, session::Session};
use super::{Connection, DeclaredModel, Migration};
pub(super) use crate::engine::postgres::{StoreLease as Lease, translate_fault as translate};
use crate::{
    Error, Resource, ResourceOptions, Result, Structure,
    admission::Work,
    engine::postgres::{Store, StorePool as Pool, typed_view},
};

/// How many connections to the server are made.
const CONNECTIONS: usize = 10;
/// How long a statement may take, with the time until its turn. A caller is to hear of an outage within five seconds.
const TIMEOUT: Duration = Duration::from_millis(4_500);
/// How long one may take by the clock of the server.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(4);
/// How long a statement may take that brings the structure up to date, such as one that makes an index of many rows, and how
/// long other processes wait for that.
const MIGRATION_TIMEOUT: Duration = Duration::from_secs(1_800);
/// How long such a statement waits for those that use the table, while others wait behind it.
const MIGRATION_LOCK_TIMEOUT: Duration = Duration::from_secs(30);
/// The number of the lock that those have who bring a structure up to date, or make one. It is that of nobody else.
pub(super) const MIGRATION_LOCK: i64 = 6_079_174_263_129;
/// What those that migrate wait for, and those that ask for the lock. The numbers are those of nobody else.
const MIGRATING: &str = "SELECT pg_catalog.pg_advisory_lock(6079174263129)";
const LOCKING: &str = "SELECT pg_catalog.pg_advisory_lock(6079174263130)";
const MIGRATED: &str = "SELECT pg_catalog.pg_advisory_unlock(6079174263129)";
/// The columns of a view.
const COLUMNS: &str = "SELECT attname::text FROM pg_catalog.pg_attribute \
     WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum";
/// The statements that the views of declared models were made with, which the history of migrations keeps as its comment.
const KNOWN_VIEWS: &str =
    "SELECT pg_catalog.obj_description('refinery_schema_history'::regclass, 'pg_class')";
const HAS_HISTORY: &str = "SELECT pg_catalog.to_regclass('refinery_schema_history') IS NOT NULL";
const KEEP_VIEWS: &str = "COMMENT ON TABLE refinery_schema_history IS";

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
    /// Connects the database of a URL.
    pub(super) async fn at(url: &str, wording: Wording) -> Result<Arc<Self>> {
        let rest = ["postgres:", "postgresql:"]
            .into_iter()
            .find_map(|scheme| url.strip_prefix(scheme));
        let rest = rest.ok_or_else(|| {
            Error::invalid("the database is given as postgres://USER:PASSWORD@HOST:PORT/DATABASE")
        })?;
        Self::open(rest, wording).await
    }

    /// Connects the database that follows `postgres:` in a URL.
    async fn open(rest: &str, wording: Wording) -> Result<Arc<Self>> {
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

    /// The number of the last migration that was applied; `None` when there was none.
    pub(super) async fn migration(&self) -> Result<Option<u32>> {
        if !self.has_structure().await? {
            return Ok(None);
        }
        let lease = self.lease().await?;
        let newest = "SELECT max(version) FROM refinery_schema_history";
        let newest = lease.client()?.query_one(newest, &[]).await;
        let newest = newest.and_then(|row| row.try_get::<_, Option<i32>>(0));
        let newest = lease.give_back(newest.map_err(translate))?;
        Ok(newest.and_then(|version| u32::try_from(version).ok()))
    }

    /// Hears of what others change from now on.
    pub(super) fn listen(self: &Arc<Self>) {
        self.changes.listen(self.store.source());
    }

    /// Tells a text to all processes that listen.
    pub(super) async fn tell(&self, text: &str) -> Result<()> {
        let lease = self.lease().await?;
        let notify = "SELECT pg_notify($1, $2)";
        let told = lease
            .client()?
            .execute(notify, &[&listen::TOLD, &text])
            .await;
        lease.give_back(told.map(drop).map_err(translate))
    }

    /// What is known of changes.
    pub(super) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Where it is, without a password, for messages.
    fn pool(&self) -> &Pool {
        self.store.pool()
    }

    pub(super) async fn lease(&self) -> Result<Lease> {
        let (pool, until) = (self.pool(), Instant::now() + TIMEOUT);
        pool.get(Work::internal("store"), until, pool).await
    }

    pub(super) async fn migrate(
        &self,
        migrations: &[Migration],
        declared: &[DeclaredModel],
    ) -> Result<()> {
        let known = known_migrations(migrations, self.wording)?;
        let mut lease = self.lease().await?;
        let client = lease.client_mut()?;
        let lock = async {
            let limits = |lock: Duration| {
                let statement = MIGRATION_TIMEOUT.as_millis();
                let lock = lock.as_millis();
                format!("SET statement_timeout = {statement}; SET lock_timeout = {lock}")
            };
            client.batch_execute(&limits(MIGRATION_TIMEOUT)).await?;
            client.batch_execute(MIGRATING).await?;
            client.batch_execute(&limits(MIGRATION_LOCK_TIMEOUT)).await
        };
        lock.await.map_err(translate)?;
        let runner = refinery::Runner::new(&known);
        let done = match runner.run_async(&mut **client).await {
            Ok(_) => type_views(client, declared).await,
            Err(error) => Err(refused(error, known.len())),
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
            let mut session = Session::new(&server, lease, handle, writes);
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

/// Migrations as they are on the server.
pub(super) fn known_migrations(
    migrations: &[Migration],
    wording: Wording,
) -> Result<Vec<refinery::Migration>> {
    let known = migrations.iter().map(|migration| {
        let name = format!("V{}__{}", migration.version, migration.name);
        let sql = reworded(migration.sql, wording);
        let migration = refinery::Migration::unapplied(&name, &sql);
        migration.map_err(|error| Error::internal(format!("migration {name}: {error}")))
    });
    known.collect()
}

/// Makes the views of declared models whose columns have the declared types, where they are not there as they are now.
async fn type_views(client: &tokio_postgres::Client, declared: &[DeclaredModel]) -> Result<()> {
    let made = views_of(client, declared).await?;
    if made.is_empty() {
        return Ok(());
    }
    let all = format!("BEGIN; {made}; COMMIT");
    client.batch_execute(&all).await.map_err(translate)
}

/// The statements that make the views of declared models whose columns have the declared types; none where they are there as
/// they are now.
pub(super) async fn views_of(
    client: &tokio_postgres::Client,
    declared: &[DeclaredModel],
) -> Result<String> {
    if declared.is_empty() {
        return Ok(String::new());
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
        return Ok(String::new());
    }
    Ok(format!("{made} {KEEP_VIEWS} {}", quoted_text(&made)))
}

/// A text as a statement has it.
fn quoted_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn refused(error: refinery::Error, known: usize) -> Error {
    use refinery::error::Kind;
    let message = match error.kind() {
        Kind::MissingVersion(applied) => format!(
            "the store was written by a newer version of this program (its structure has step {applied}, and this version knows {known}); use that version or a newer one"
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
