//! The PostgreSQL engine.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use sea_query::Expr;
use tokio::sync::OnceCell;
use tokio_postgres::{Row, error::SqlState};

use self::{
    connect::{Lease, Manager, Source},
    probe::Probe,
    select::{Bound, Statement},
};
use super::server::{
    AtOnce, Page, ServerDriver, ServerEngine,
    change::{Change, found},
};
use crate::{
    Error, ErrorKind, Field, Location, Model, ResourceOptions, Result, Structure,
    admission::{Admission, Work},
    functions::FunctionCall,
    guard::Engine,
    plan::{AggregatePlan, ListPlan},
    query::{Dialect, cursor::KeyValue},
    record::{
        Changed, Part,
        change_all::{ChangeAll, ChangedRecords},
    },
    sql::{SqlJob, SqlOutput},
    value::Scalar,
};

mod aggregate;
mod connect;
#[cfg(feature = "sqlite")]
mod declare;
mod discover;
mod fault;
mod functions;
#[cfg(feature = "sqlite")]
mod listen;
mod literal;
mod place;
mod probe;
mod read;
mod select;
mod special;
mod sql;
mod stream;
mod types;
mod value;
mod write;

pub(crate) use self::select::PostgresDialect;
#[cfg(feature = "sqlite")]
pub(crate) use self::{
    connect::{Lease as StoreLease, Pool as StorePool, Source as StoreSource},
    declare::{Store, typed_view},
    fault::translate as translate_fault,
};

/// A connected PostgreSQL database.
#[derive(Default)]
pub(crate) struct Postgres {
    known: OnceCell<Known>,
    upserts: write::Upserts,
    /// The models, where they are declared rather than looked for. They are read, and nothing else.
    #[cfg(feature = "sqlite")]
    declared: Option<declare::Declared>,
}

/// What was found out about the server when it was first reached.
struct Known {
    server: discover::Server,
    counts: read::Known,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").finish_non_exhaustive()
    }
}

impl Postgres {
    /// Where the server is that follows `postgres:` in a URL.
    pub(crate) fn location(rest: &str) -> Result<Location> {
        connect::location(rest)
    }

    /// Connects what follows `postgres:` in a URL.
    pub(crate) fn connect(rest: &str, options: &ResourceOptions) -> Result<ServerDriver<Self>> {
        Self::over(&Source::parse(rest, options.servers.clone())?, options)
    }

    /// Connects what was read from a URL.
    fn over(source: &Source, options: &ResourceOptions) -> Result<ServerDriver<Self>> {
        let timeout = options.statement_timeout;
        let admission = Admission::shared(options.connections).counting(&options.waits);
        let sql_admission = Admission::in_order(sql::CONNECTIONS).counting(&options.waits);
        let settings = read::settings(timeout);
        Ok(ServerDriver {
            pool: Arc::new(source.pool(options.connections, admission, timeout, &settings)?),
            sql: Arc::new(source.pool(sql::CONNECTIONS, sql_admission, timeout, sql::SETTINGS)?),
            engine: Self::default(),
            timeout,
        })
    }

    /// Whether the models are declared.
    fn is_declared(&self) -> bool {
        #[cfg(feature = "sqlite")]
        return self.declared.is_some();
        #[cfg(not(feature = "sqlite"))]
        false
    }

    async fn known(&self, lease: &Lease) -> Result<&Known> {
        let find_out = async || {
            let server = discover::server(lease.client()?).await?;
            Ok(Known {
                server,
                counts: read::Known::new(server.has_snapshots),
            })
        };
        self.known.get_or_try_init(find_out).await
    }
}

impl ServerEngine for Postgres {
    type Manager = Manager;
    type Bound = Bound;
    type Row = Row;
    type List = (read::ListQuery, Vec<Probe>);
    type Aggregate = (aggregate::Aggregate, Vec<Probe>);
    type Create = write::Create;

    const ENGINE: Engine = Engine::Postgres;
    const DIALECT: &'static dyn Dialect = &PostgresDialect;
    const BEGIN: &'static str = "BEGIN";
    const RELEASES_SAVEPOINTS: bool = true;
    const WRITES_ALONE: bool = true;

    /// The tables that prepared statements name may be others by now.
    fn forget_structure(manager: &Manager) {
        manager.statement_caches.clear();
    }

    async fn structure(&self, lease: &mut Lease) -> Result<Structure> {
        #[cfg(feature = "sqlite")]
        if let Some(declared) = &self.declared {
            return declared.structure();
        }
        let server = self.known(lease).await?.server;
        discover::discover(lease.client()?, server).await
    }

    async fn structure_version(lease: &mut Lease) -> Result<i64> {
        discover::version(lease.client()?).await
    }

    async fn version(lease: &mut Lease) -> Result<String> {
        let shown = lease.client()?.query_one("SHOW server_version", &[]).await;
        shown
            .and_then(|row| row.try_get(0))
            .map_err(fault::translate)
    }

    fn plan_list(model: &Arc<Model>, plan: ListPlan) -> Result<(Work, Self::List)> {
        let probes = Probe::of_filter(model, plan.test.as_ref());
        let list = read::list_query(model, plan)?;
        Ok((list.work(), (list, probes)))
    }

    async fn list(&self, lease: &mut Lease, (list, probes): Self::List) -> Result<Part> {
        let known = self.known(lease).await?;
        match read::list(lease, &list, &known.counts).await {
            Err(error) => Err(probe::blame(lease, probes, None, error).await),
            part => part,
        }
    }

    fn plan_aggregate(model: &Arc<Model>, plan: AggregatePlan) -> Result<Self::Aggregate> {
        let probes = Probe::of_filter(model, plan.test.as_ref());
        Ok((aggregate::Aggregate::new(model, plan)?, probes))
    }

    async fn aggregate(lease: &mut Lease, (aggregate, probes): Self::Aggregate) -> Result<Bytes> {
        match aggregate.run(lease).await {
            Err(error) => Err(probe::blame(lease, probes, None, error).await),
            answer => answer,
        }
    }

    async fn one(lease: &mut Lease, statement: &Statement) -> Result<Option<Row>> {
        read::one(lease, statement).await
    }

    async fn one_in_pipeline(lease: &Lease, statement: &Statement) -> Result<Option<Row>> {
        read::one(lease, statement).await
    }

    fn fits_pipeline(&self, (list, _): &Self::List) -> bool {
        let known = self.known.get();
        known.is_some_and(|known| read::fits_pipeline(list, &known.counts))
    }

    async fn page_in_pipeline(&self, lease: &Lease, (list, _): &Self::List) -> Result<Page> {
        let known = self.known(lease).await?;
        read::page_in_pipeline(lease, list, &known.counts).await
    }

    async fn count_page(
        &self,
        lease: &mut Lease,
        (list, probes): Self::List,
        page: Part,
        state: Option<String>,
    ) -> Result<Part> {
        let known = self.known(lease).await?;
        match read::counted(lease, &list, &known.counts, page, state).await {
            Err(error) => Err(probe::blame(lease, probes, None, error).await),
            part => part,
        }
    }

    fn keys(_: &Model, _: &[(usize, bool)], row: &Row) -> Result<Vec<KeyValue>> {
        let not_text = || Error::internal("a value that orders a record is not text");
        let keys = (0..row.len()).map(|position| value::key(row, position)?.ok_or_else(not_text));
        keys.collect()
    }

    async fn sql(&self, lease: &mut Lease, job: &SqlJob) -> Result<SqlOutput> {
        if self.is_declared() {
            return Err(Error::invalid("this resource has no SQL"));
        }
        sql::run(lease, job).await
    }

    fn stored(field: &Field, scalar: &Scalar) -> Result<Expr, String> {
        write::stored(field, scalar).map(Expr::val)
    }

    async fn call(
        &self,
        lease: &mut Lease,
        structure: &Structure,
        call: &FunctionCall,
    ) -> Result<Bytes> {
        if self.is_declared() {
            return Err(Error::invalid("this resource has no functions"));
        }
        functions::call(lease, structure, call).await
    }

    async fn change_all(
        lease: &mut Lease,
        model: &Model,
        request: &ChangeAll,
    ) -> Result<ChangedRecords> {
        write::change_all(lease, model, request).await
    }

    async fn change(lease: &mut Lease, change: &Change) -> Result<Changed> {
        write::change(lease, change).await
    }

    async fn change_found(
        lease: &mut Lease,
        change: &Change,
        in_transaction: bool,
        _is_there: bool,
    ) -> Result<Option<Changed>> {
        let changed = match in_transaction {
            true => write::change_within(lease, change).await,
            false => write::change(lease, change).await,
        };
        found(changed)
    }

    async fn change_or_create(
        &self,
        lease: &mut Lease,
        change: &Change,
        create: &Self::Create,
    ) -> Result<AtOnce> {
        write::change_or_create(&self.upserts, lease, change, create).await
    }

    async fn lock_upserts(lease: &mut Lease, model: &Model) -> Result<()> {
        write::lock_upserts(lease, model).await
    }

    fn is_deadlock(error: &Error) -> bool {
        fault::is_deadlock(error)
    }

    async fn run(lease: &mut Lease, sql: &str) -> Result<()> {
        let done = lease.client()?.batch_execute(sql).await;
        done.map_err(fault::translate)
    }

    fn is_refusal(error: &Error) -> bool {
        error.kind() == ErrorKind::Invalid || fault::is_about_a_value(error)
    }

    async fn blame(
        lease: &mut Lease,
        create: &Self::Create,
        recover: Option<&str>,
        error: Error,
    ) -> Error {
        probe::blame(lease, create.probes(), recover, error).await
    }

    async fn creates_together(lease: &mut Lease, model: &Model) -> Result<bool> {
        write::creates_together(lease, model).await
    }

    async fn create_together(
        lease: &mut Lease,
        model: &Model,
        records: &[&Self::Create],
        keys_alone: bool,
        savepoint: &str,
    ) -> Result<Vec<Row>> {
        write::create_together(lease, model, records, keys_alone, savepoint).await
    }

    async fn transaction_name(&self, lease: &mut Lease) -> Result<Option<String>> {
        if !self.known(lease).await?.server.has_row_ids {
            return Ok(None);
        }
        let number = lease.prepare("SELECT txid_current()::text").await?;
        let row = lease.client()?.query_one(&number, &[]).await;
        let row = row.map_err(fault::translate)?;
        row.try_get(0).map_err(fault::translate)
    }

    fn transaction_number(name: &str) -> Option<i64> {
        name.parse().ok()
    }

    async fn transaction_status(lease: &mut Lease, number: i64) -> Result<Option<String>> {
        let client = lease.client()?;
        match client.query_one("SELECT txid_status($1)", &[&number]).await {
            Ok(row) => row.try_get(0).map_err(fault::translate),
            // It is in the future: this is another server.
            Err(error) if error.code() == Some(&SqlState::INVALID_PARAMETER_VALUE) => Ok(None),
            Err(error) => Err(fault::translate(error)),
        }
    }
}
