//! The driver of a database server, for those engines that are one: what PostgreSQL and MySQL do in their own ways is
//! the trait [`ServerEngine`].

mod bulk;
pub(super) mod change;
pub(super) mod connections;
pub(super) mod functions;
pub(super) mod gate;
pub(super) mod lease;
mod pipelines;
pub(super) mod resolve;
pub(super) mod tls;
pub(super) mod transaction;
mod upsert;

use std::{
    fmt,
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bytes::Bytes;
use sea_query::Expr;

use self::{
    change::Change,
    connections::Connections,
    gate::{GRACE, no_answer},
    lease::{ConnectionManager, Faults as _, Lease},
    pipelines::ReadOn,
    upsert::{Upsert, repeated},
};
use super::{
    ChangeRequest, Driver, PoolUse,
    answers::Cells,
    statement::{Bound, Statement},
};
use crate::{
    Error, ErrorKind, Field, Model, RecordJson, Result, Structure,
    admission::Work,
    functions::FunctionCall,
    guard::Engine,
    plan::{AggregatePlan, ListPlan},
    query::{Around, Dialect, PlaceQuery, cursor::KeyValue, one_field},
    record::{
        BulkPlan, BulkResults, Changed, Note, Part, Projection, RawValue, RecordBody,
        change_all::{ChangeAll, ChangedRecords},
        no_such_record,
        raw::too_large_value,
    },
    sql::{SqlJob, SqlOutput},
    value::{Scalar, Values, time::Zone},
};

pub(super) use self::upsert::AtOnce;

/// The pause between two questions whether a transaction has ended.
const TRANSACTION_PAUSE: Duration = Duration::from_millis(50);

/// What an engine of a database server does in its own way. What is planned needs no connection.
pub(crate) trait ServerEngine: fmt::Debug + Send + Sync + Sized + 'static {
    /// What makes its connections.
    type Manager: ConnectionManager;
    /// A value as it is bound.
    type Bound: Bound + Send + Sync;
    type Row: Cells<Error = Error> + Send + Sync;
    /// The list of records as statements.
    type List: Send + Sync;
    /// An aggregate.
    type Aggregate: Send + Sync;
    /// A record to be created.
    type Create: CreateRecord<Self::Manager>;

    const ENGINE: Engine;
    const DIALECT: &'static dyn Dialect;
    /// Begins a transaction.
    const BEGIN: &'static str;
    /// Whether the savepoint of a record that was created is released.
    const RELEASES_SAVEPOINTS: bool;
    /// Whether one record is written by one statement, without a transaction around it.
    const WRITES_ALONE: bool;

    /// Forgets what connections keep of the structure that was known before.
    fn forget_structure(_manager: &Self::Manager) {}

    fn structure(
        &self,
        lease: &mut Lease<Self::Manager>,
    ) -> impl Future<Output = Result<Structure>> + Send;

    fn structure_version(
        lease: &mut Lease<Self::Manager>,
    ) -> impl Future<Output = Result<i64>> + Send;

    /// What the server calls its version.
    fn version(lease: &mut Lease<Self::Manager>) -> impl Future<Output = Result<String>> + Send;

    fn plan_list(model: &Arc<Model>, plan: ListPlan) -> Result<(Work, Self::List)>;

    fn list(
        &self,
        lease: &mut Lease<Self::Manager>,
        list: Self::List,
    ) -> impl Future<Output = Result<Part>> + Send;

    fn plan_aggregate(model: &Arc<Model>, plan: AggregatePlan) -> Result<Self::Aggregate>;

    fn aggregate(
        lease: &mut Lease<Self::Manager>,
        aggregate: Self::Aggregate,
    ) -> impl Future<Output = Result<Bytes>> + Send;

    /// The first row of a statement.
    fn one(
        lease: &mut Lease<Self::Manager>,
        statement: &Statement<Self::Bound>,
    ) -> impl Future<Output = Result<Option<Self::Row>>> + Send;

    /// The same on a connection that other reads share.
    fn one_in_pipeline(
        _lease: &Lease<Self::Manager>,
        _statement: &Statement<Self::Bound>,
    ) -> impl Future<Output = Result<Option<Self::Row>>> + Send {
        async { Err(Error::internal("this engine shares no connections")) }
    }

    /// Whether a list may be read on a connection that other reads share.
    fn fits_pipeline(&self, _list: &Self::List) -> bool {
        false
    }

    /// Reads the page of such a list there.
    fn page_in_pipeline(
        &self,
        _lease: &Lease<Self::Manager>,
        _list: &Self::List,
    ) -> impl Future<Output = Result<Page>> + Send {
        async { Err(Error::internal("this engine shares no connections")) }
    }

    /// Counts the records of a list whose page was read there.
    fn count_page(
        &self,
        _lease: &mut Lease<Self::Manager>,
        _list: Self::List,
        _page: Part,
        _state: Option<String>,
    ) -> impl Future<Output = Result<Part>> + Send {
        async { Err(Error::internal("this engine shares no connections")) }
    }

    /// What a row of nothing but the columns of an order has in them.
    fn keys(model: &Model, order: &[(usize, bool)], row: &Self::Row) -> Result<Vec<KeyValue>>;

    /// Runs a query of a client.
    fn sql(
        &self,
        lease: &mut Lease<Self::Manager>,
        job: &SqlJob,
    ) -> impl Future<Output = Result<SqlOutput>> + Send;

    /// Calls a function or procedure, in a transaction of its own.
    fn call(
        &self,
        lease: &mut Lease<Self::Manager>,
        structure: &Structure,
        call: &FunctionCall,
    ) -> impl Future<Output = Result<Bytes>> + Send;

    /// A value in the form that a column accepts; refused where something of it would be lost.
    fn stored(field: &Field, scalar: &Scalar) -> Result<Expr, String>;

    /// Changes or deletes a record; returns what it was, and after an update what it is.
    fn change(
        lease: &mut Lease<Self::Manager>,
        change: &Change,
    ) -> impl Future<Output = Result<Changed>> + Send;

    /// Changes the record that has unique values, if there is one; in a transaction that is open, or as a whole.
    /// `is_there` where one that was to be created was refused for their sake.
    fn change_found(
        lease: &mut Lease<Self::Manager>,
        change: &Change,
        in_transaction: bool,
        is_there: bool,
    ) -> impl Future<Output = Result<Option<Changed>>> + Send;

    /// Changes the record that has unique values, or creates one, with one statement outside of transactions.
    fn change_or_create(
        &self,
        _lease: &mut Lease<Self::Manager>,
        _change: &Change,
        _create: &Self::Create,
    ) -> impl Future<Output = Result<AtOnce>> + Send {
        async { Ok(AtOnce::Unsuited) }
    }

    /// Waits in an open transaction until no other one changes or creates many records of a model, where waiting for each of
    /// these records may end in a deadlock that the server is slow to see.
    fn lock_upserts(
        _lease: &mut Lease<Self::Manager>,
        _model: &Model,
    ) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }

    /// Whether a transaction was ended since another one waits for it.
    fn is_deadlock(error: &Error) -> bool;

    /// Changes or deletes all records that pass a test, in a transaction that is open.
    fn change_all(
        lease: &mut Lease<Self::Manager>,
        model: &Model,
        request: &ChangeAll,
    ) -> impl Future<Output = Result<ChangedRecords>> + Send;

    /// Runs a statement that returns no rows.
    fn run(lease: &mut Lease<Self::Manager>, sql: &str) -> impl Future<Output = Result<()>> + Send;

    /// Whether an error is about one record, so that others can be created after it.
    fn is_refusal(error: &Error) -> bool {
        error.kind() == ErrorKind::Invalid
    }

    /// Names the field that an error is about which names none. Inside a transaction, `recover` makes the connection
    /// usable again.
    fn blame(
        _lease: &mut Lease<Self::Manager>,
        _create: &Self::Create,
        _recover: Option<&str>,
        error: Error,
    ) -> impl Future<Output = Error> + Send {
        async move { error }
    }

    /// Whether a statement that creates several records of a model does what one statement for each of them does.
    fn creates_together(
        _lease: &mut Lease<Self::Manager>,
        _model: &Model,
    ) -> impl Future<Output = Result<bool>> + Send {
        async { Ok(false) }
    }

    /// Creates records, of which there is at least one, in an open transaction, with fewer statements than records, behind
    /// the statement that makes a savepoint. Gives their rows: all fields, or those of the primary key in the order of the
    /// columns. When it fails, the transaction is as after any statement that failed.
    fn create_together(
        _lease: &mut Lease<Self::Manager>,
        _model: &Model,
        _records: &[&Self::Create],
        _keys_alone: bool,
        _savepoint: &str,
    ) -> impl Future<Output = Result<Vec<Self::Row>>> + Send {
        async { Err(Error::internal("this engine creates records one at a time")) }
    }

    /// The name of the transaction that is open, where the server can say later how it ended.
    fn transaction_name(
        &self,
        _lease: &mut Lease<Self::Manager>,
    ) -> impl Future<Output = Result<Option<String>>> + Send {
        async { Ok(None) }
    }

    /// The number of a transaction, by its name; `None` where the server cannot say how it ended.
    fn transaction_number(_name: &str) -> Option<i64> {
        None
    }

    /// How a transaction ended, or that it has not; `None` for one that the server does not know or has forgotten.
    fn transaction_status(
        _lease: &mut Lease<Self::Manager>,
        _number: i64,
    ) -> impl Future<Output = Result<Option<String>>> + Send {
        async { Ok(None) }
    }
}

/// A record to be created, in the way of an engine.
pub(crate) trait CreateRecord<M: ConnectionManager>: Sized + Send + Sync {
    fn new(model: &Arc<Model>, body: &RecordBody, shown: Projection) -> Result<Self>;

    /// Creates the record, and nothing else.
    fn run(&self, lease: &mut Lease<M>) -> impl Future<Output = Result<RecordJson>> + Send;

    /// Creates the record in a transaction that is open.
    fn insert(&self, lease: &mut Lease<M>) -> impl Future<Output = Result<RecordJson>> + Send;

    /// Creates the record, unless another has its unique values.
    fn insert_new(
        &self,
        lease: &mut Lease<M>,
    ) -> impl Future<Output = Result<Option<RecordJson>>> + Send;
}

/// A page that was read on a connection that other reads share.
pub(crate) enum Page {
    /// With the number of records, where that is asked for.
    Whole(Part),
    /// Its records are yet to be counted. The text names the state of the database, if it is known.
    Uncounted(Part, Option<String>),
    /// It was too large, so that much of it was still to come.
    Cut,
}

/// A connected database of a server.
pub(crate) struct ServerDriver<E: ServerEngine> {
    pub(super) engine: E,
    pub(super) pool: Arc<Connections<E::Manager>>,
    /// The connections on which SQL of clients runs.
    pub(super) sql: Arc<Connections<E::Manager>>,
    pub(super) timeout: Duration,
}

impl<E: ServerEngine> fmt::Debug for ServerDriver<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.engine.fmt(f)
    }
}

impl<E: ServerEngine> ServerDriver<E> {
    /// Does something with records on a connection, and gives up when that takes longer than a statement may, the
    /// time until a connection is free included.
    async fn on<T>(
        &self,
        work: Work,
        run: impl AsyncFnOnce(&mut Lease<E::Manager>) -> Result<T>,
    ) -> Result<T> {
        self.on_pool(&self.pool, &self.sql, work, run).await
    }

    async fn on_pool<T>(
        &self,
        pool: &Connections<E::Manager>,
        other: &Connections<E::Manager>,
        work: Work,
        run: impl AsyncFnOnce(&mut Lease<E::Manager>) -> Result<T>,
    ) -> Result<T> {
        let deadline = self.deadline();
        let lease = pool.get(work, deadline, other).await?;
        run_on(lease, deadline, run).await
    }

    /// The row of a statement about a stored record.
    async fn one_row(&self, work: Work, statement: &Statement<E::Bound>) -> Result<Option<E::Row>> {
        let deadline = self.deadline();
        let lease = match self.pool.get_for_read(work, deadline, &self.sql).await? {
            ReadOn::Own(lease) => lease,
            ReadOn::Shared(place) => {
                let read = E::one_in_pipeline(place.lease()?, statement);
                let row = answer(place.answer(read), deadline).await;
                drop(place);
                match row {
                    Some(row) => return Ok(row),
                    None => self.get_again(work, deadline).await?,
                }
            }
        };
        let one = async |lease: &mut Lease<E::Manager>| E::one(lease, statement).await;
        run_on(lease, deadline, one).await
    }

    /// A connection for what could not be done as a whole on a shared one.
    async fn get_again(&self, work: Work, deadline: Instant) -> Result<Lease<E::Manager>> {
        if Instant::now() >= deadline {
            return Err(no_answer());
        }
        self.pool.get(work, deadline, &self.sql).await
    }

    /// When what is begun now has to be done.
    fn deadline(&self) -> Instant {
        Instant::now() + self.timeout
    }
}

/// What is answered on a shared connection, unless the deadline is over before.
async fn answer<T>(shared: impl Future<Output = Option<T>>, deadline: Instant) -> Option<T> {
    let answer = tokio::time::timeout_at(deadline.into(), shared).await;
    answer.ok().flatten()
}

/// Does something on a connection, and gives up a moment after the deadline.
async fn run_on<M: ConnectionManager, T>(
    mut lease: Lease<M>,
    deadline: Instant,
    run: impl AsyncFnOnce(&mut Lease<M>) -> Result<T>,
) -> Result<T> {
    let result = tokio::time::timeout_at((deadline + GRACE).into(), run(&mut lease)).await;
    lease.give_back(result.unwrap_or_else(|_| Err(no_answer())))
}

#[async_trait]
impl<E: ServerEngine> Driver for ServerDriver<E> {
    async fn structure(&self) -> Result<Structure> {
        E::forget_structure(self.pool.manager());
        let work = Work::internal("structure");
        self.on(work, async |lease| self.engine.structure(lease).await)
            .await
    }

    async fn structure_version(&self) -> Result<i64> {
        let work = Work::internal("structure_version");
        self.on(work, async |lease| E::structure_version(lease).await)
            .await
    }

    async fn version(&self) -> Result<String> {
        let work = Work::internal("version");
        self.on(work, async |lease| E::version(lease).await).await
    }

    async fn ping(&self) -> Result<()> {
        self.pool.ping().await
    }

    fn pool_use(&self) -> PoolUse {
        self.pool.pool_use() + self.sql.pool_use()
    }

    async fn list(&self, model: &Arc<Model>, plan: ListPlan) -> Result<Part> {
        let (work, list) = E::plan_list(model, plan)?;
        if !self.engine.fits_pipeline(&list) {
            return self
                .on(work, async |lease| self.engine.list(lease, list).await)
                .await;
        }
        let deadline = self.deadline();
        let lease = match self.pool.get_for_read(work, deadline, &self.sql).await? {
            ReadOn::Own(lease) => lease,
            ReadOn::Shared(place) => {
                let read = self.engine.page_in_pipeline(place.lease()?, &list);
                let page = answer(place.answer(read), deadline).await;
                drop(place);
                match page {
                    Some(Page::Whole(part)) => return Ok(part),
                    Some(Page::Uncounted(part, state)) => {
                        let lease = self.get_again(work, deadline).await?;
                        let count = async |lease: &mut Lease<E::Manager>| {
                            self.engine.count_page(lease, list, part, state).await
                        };
                        return run_on(lease, deadline, count).await;
                    }
                    Some(Page::Cut) => self.pool.was_long(&work),
                    None => {}
                }
                self.get_again(work, deadline).await?
            }
        };
        let whole = async |lease: &mut Lease<E::Manager>| self.engine.list(lease, list).await;
        run_on(lease, deadline, whole).await
    }

    async fn aggregate(&self, model: &Arc<Model>, plan: AggregatePlan) -> Result<Bytes> {
        let work = plan.work(model);
        let aggregate = E::plan_aggregate(model, plan)?;
        self.on(work, async |lease| E::aggregate(lease, aggregate).await)
            .await
    }

    async fn retrieve(
        &self,
        model: &Arc<Model>,
        key: Values,
        shown: Projection,
    ) -> Result<RecordJson> {
        let statement = Statement::of_record(E::DIALECT, model, &key)?;
        let work = Work::new(&model.name, "retrieve", false);
        let row = match model.is_stored {
            true => self.one_row(work, &statement).await?,
            false => {
                self.on(work, async |lease| E::one(lease, &statement).await)
                    .await?
            }
        };
        let row = row.ok_or_else(|| no_such_record(model))?;
        row.record(&model.fields, &shown)
    }

    async fn value(
        &self,
        model: &Arc<Model>,
        key: Values,
        index: usize,
        zone: Zone,
    ) -> Result<Option<RawValue>> {
        let field = model.at(index)?;
        let statement = Statement::select(&one_field(E::DIALECT, model, &key, field)?);
        let work = Work::new(&model.name, ("value", index), false);
        let row = self.on(work, async |lease| E::one(lease, &statement).await);
        let row = row.await?.ok_or_else(|| no_such_record(model))?;
        // NULL, which has no size, is small.
        match row.number(1)? {
            Some(0) => Err(too_large_value(model, field)),
            _ => row.value(field, 0, &zone),
        }
    }

    async fn create(
        &self,
        model: &Arc<Model>,
        body: RecordBody,
        shown: Projection,
        _note: Note,
    ) -> Result<RecordJson> {
        if !body.unique.is_empty() {
            let upsert = Upsert::<E>::new(model, &body, shown)?;
            let work = Work::new(&model.name, "upsert", false);
            return self
                .on(work, async |lease| upsert.run(&self.engine, lease).await)
                .await;
        }
        let create = E::Create::new(model, &body, shown)?;
        let work = Work::new(&model.name, "create", false);
        self.on(work, async |lease| repeated!(E, create.run(lease).await))
            .await
    }

    async fn bulk_create(&self, model: &Arc<Model>, plan: BulkPlan) -> Result<BulkResults> {
        let work = Work::new(&model.name, "bulk_create", false);
        self.on(work, async |lease| {
            bulk::bulk_create(&self.engine, lease, model, &plan).await
        })
        .await
    }

    async fn transaction_outcome(&self, name: &str) -> Result<Option<bool>> {
        let Some(number) = E::transaction_number(name) else {
            return Ok(None);
        };
        let deadline = tokio::time::Instant::now() + self.timeout;
        loop {
            let status = self.on(Work::internal("transaction_status"), async |lease| {
                E::transaction_status(lease, number).await
            });
            match status.await?.as_deref() {
                Some("committed") => return Ok(Some(true)),
                Some("aborted") => return Ok(Some(false)),
                // Its connection is gone, and the server has not noticed yet.
                Some(_) if tokio::time::Instant::now() < deadline => {
                    tokio::time::sleep(TRANSACTION_PAUSE).await;
                }
                Some(_) => return Err(no_answer()),
                None => return Ok(None),
            }
        }
    }

    async fn cursors(
        &self,
        model: &Arc<Model>,
        key: Values,
        order: Vec<(usize, bool)>,
    ) -> Result<Around> {
        let place = PlaceQuery::new(E::DIALECT, model, &key, &order)?;
        let statement = Statement::select(&place.select);
        let work = Work::new(&model.name, "cursors", false);
        let row = self.on(work, async |lease| E::one(lease, &statement).await);
        let row = row.await?.ok_or_else(|| no_such_record(model))?;
        Ok(place.cursors(model, E::keys(model, &order, &row)?))
    }

    fn sql_engine(&self) -> Engine {
        E::ENGINE
    }

    async fn sql(&self, job: SqlJob) -> Result<SqlOutput> {
        let work = Work::new("", "sql", true);
        self.on_pool(&self.sql, &self.pool, work, async |lease| {
            self.engine.sql(lease, &job).await
        })
        .await
    }

    fn has_functions(&self) -> bool {
        true
    }

    async fn call(&self, structure: &Structure, call: FunctionCall) -> Result<Bytes> {
        let work = Work::new("", ("call", call.names()), true);
        self.on(work, async |lease| {
            self.engine.call(lease, structure, &call).await
        })
        .await
    }

    async fn change_all(&self, model: &Arc<Model>, request: ChangeAll) -> Result<ChangedRecords> {
        let is_write = request.values.is_some();
        let work = Work::new(&model.name, ("change_all", is_write), true);
        self.on(work, async |lease| {
            repeated!(E, {
                E::run(lease, E::BEGIN).await?;
                let changed = E::change_all(lease, model, &request).await;
                let changed = changed.map_err(|error| E::Manager::explain(model, error, is_write));
                let changed = changed.and_then(|changed| request.gate.pass().map(|()| changed));
                transaction::finish::<E, _>(lease, model, changed, is_write).await
            })
        })
        .await
    }

    async fn change(
        &self,
        model: &Arc<Model>,
        request: ChangeRequest,
        _note: Note,
    ) -> Result<Changed> {
        let change = Change::new::<E>(model, request)?;
        let shape = if change.is_write() {
            "update"
        } else {
            "delete"
        };
        let work = Work::new(&model.name, shape, false);
        self.on(work, async |lease| {
            repeated!(E, E::change(lease, &change).await)
        })
        .await
    }
}
