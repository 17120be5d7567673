//! The driver of a database server, for those engines that are one: what PostgreSQL and MySQL do in their own ways is
//! the trait [`ServerEngine`].

mod bulk;
pub(super) mod change;
pub(super) mod connections;
mod engine;
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

use self::{
    change::Change,
    connections::Connections,
    gate::{GRACE, no_answer},
    lease::{ConnectionManager, Faults as _, Lease},
    pipelines::ReadOn,
    upsert::{Upsert, repeated},
};
use super::{ChangeRequest, Driver, PoolUse, answers::Cells, statement::Statement};
use crate::{
    Model, RecordJson, Result, Structure,
    admission::Work,
    functions::FunctionCall,
    guard::Engine,
    plan::{AggregatePlan, ListPlan},
    query::{Around, PlaceQuery, one_field},
    record::{
        BulkPlan, BulkResults, Changed, Note, Part, Projection, RawValue, RecordBody,
        change_all::{ChangeAll, ChangedRecords},
        no_such_record,
        raw::too_large_value,
    },
    sql::{SqlJob, SqlOutput},
    value::{Values, time::Zone},
};

pub(crate) use self::engine::{AtOnce, CreateRecord, Page, ServerEngine};

/// The pause between two questions whether a transaction has ended.
const TRANSACTION_PAUSE: Duration = Duration::from_millis(50);

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
        let change = Change::new(model, request, E::stored)?;
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
