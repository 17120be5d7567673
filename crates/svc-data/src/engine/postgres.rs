//! The PostgreSQL engine.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::OnceCell;

use self::{
    connect::{Lease, Pool, Source},
    probe::Probe,
};
use crate::{
    Before, Error, IfMatch, Model, RecordJson, ResourceOptions, Structure,
    admission::{Admission, Work},
    engine::{
        Driver, Update,
        server::gate::{GRACE, no_answer},
    },
    guard::Engine,
    plan::{AggregatePlan, ListPlan},
    query::{PlaceQuery, by_key},
    record::{BulkPlan, Part, Projection},
    sql::{SqlAnswer, SqlJob},
    value::Values,
};

mod aggregate;
mod connect;
mod discover;
mod fault;
mod literal;
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

/// The pause between two questions whether a transaction has ended.
const TRANSACTION_PAUSE: Duration = Duration::from_millis(50);

/// A connected PostgreSQL database.
pub(crate) struct Postgres {
    pool: Pool,
    /// The connections on which SQL of clients runs.
    sql: Pool,
    known: OnceCell<Known>,
    timeout: Duration,
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
    /// Connects what follows `postgres:` in a URL.
    pub(crate) fn connect(rest: &str, options: &ResourceOptions) -> Result<Self, Error> {
        let source = Source::parse(rest)?;
        let timeout = options.statement_timeout;
        Ok(Self {
            pool: source.pool(
                options.connections,
                Admission::shared(options.connections),
                timeout,
                &read::settings(timeout),
            )?,
            sql: source.pool(
                sql::CONNECTIONS,
                Admission::in_order(sql::CONNECTIONS),
                timeout,
                sql::SETTINGS,
            )?,
            known: OnceCell::new(),
            timeout,
        })
    }

    async fn known(&self, lease: &Lease) -> Result<&Known, Error> {
        let find_out = async || {
            let server = discover::server(lease.client()?).await?;
            Ok(Known {
                server,
                counts: read::Known::new(server.has_snapshots),
            })
        };
        self.known.get_or_try_init(find_out).await
    }

    /// Does something with records on a connection, and gives up when that takes longer than a statement may, the
    /// time until a connection is free included.
    async fn on<T>(
        &self,
        work: Work,
        run: impl AsyncFnOnce(&mut Lease) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.on_pool(&self.pool, &self.sql, work, run).await
    }

    async fn on_pool<T>(
        &self,
        pool: &Pool,
        other: &Pool,
        work: Work,
        run: impl AsyncFnOnce(&mut Lease) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let deadline = Instant::now() + self.timeout;
        let mut lease = pool.get(work, deadline, other).await?;
        let result = tokio::time::timeout_at((deadline + GRACE).into(), run(&mut lease)).await;
        lease.give_back(result.unwrap_or_else(|_| Err(no_answer())))
    }
}

#[async_trait]
impl Driver for Postgres {
    async fn structure(&self) -> Result<Structure, Error> {
        self.pool.forget_statements();
        self.on(Work::internal("structure"), async |lease| {
            let server = self.known(lease).await?.server;
            discover::discover(lease.client()?, server).await
        })
        .await
    }

    async fn structure_version(&self) -> Result<i64, Error> {
        self.on(Work::internal("structure_version"), async |lease| {
            discover::version(lease.client()?).await
        })
        .await
    }

    async fn list(&self, model: &Arc<Model>, plan: ListPlan) -> Result<Part, Error> {
        let probes = Probe::of_filter(model, plan.test.as_ref());
        let query = read::list_query(model, plan)?;
        self.on(query.work(), async |lease| {
            let known = self.known(lease).await?;
            match read::list(lease, &query, &known.counts).await {
                Err(error) => Err(probe::blame(lease, probes, None, error).await),
                part => part,
            }
        })
        .await
    }

    async fn aggregate(&self, model: &Arc<Model>, plan: AggregatePlan) -> Result<Bytes, Error> {
        let work = plan.work(model);
        let probes = Probe::of_filter(model, plan.test.as_ref());
        let aggregate = aggregate::Aggregate::new(model, plan)?;
        self.on(work, async |lease| match aggregate.run(lease).await {
            Err(error) => Err(probe::blame(lease, probes, None, error).await),
            answer => answer,
        })
        .await
    }

    async fn retrieve(
        &self,
        model: &Arc<Model>,
        key: Values,
        shown: Projection,
    ) -> Result<RecordJson, Error> {
        let mut query = by_key(&PostgresDialect, model, &key)?;
        let statement = select::Statement::select(query.limit(1));
        self.on(Work::new(&model.name, "retrieve", false), async |lease| {
            read::retrieve(lease, model, &statement, &shown).await
        })
        .await
    }

    async fn create(
        &self,
        model: &Arc<Model>,
        values: Values,
        shown: Projection,
    ) -> Result<RecordJson, Error> {
        let create = write::Create::new(model, &values, shown)?;
        self.on(Work::new(&model.name, "create", false), async |lease| {
            create.run(lease).await
        })
        .await
    }

    async fn bulk_create(
        &self,
        model: &Arc<Model>,
        plan: BulkPlan,
    ) -> Result<Vec<Result<RecordJson, Error>>, Error> {
        self.on(
            Work::new(&model.name, "bulk_create", false),
            async |lease| {
                let has_names = self.known(lease).await?.server.has_row_ids;
                write::bulk_create(lease, model, &plan, has_names).await
            },
        )
        .await
    }

    async fn transaction_outcome(&self, name: &str) -> Result<Option<bool>, Error> {
        let Ok(name) = name.parse::<i64>() else {
            return Ok(None);
        };
        let deadline = tokio::time::Instant::now() + self.timeout;
        loop {
            let work = Work::internal("transaction_status");
            let status = self.on(work, async |lease| {
                write::transaction_status(lease, name).await
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

    async fn cursor_behind(
        &self,
        model: &Arc<Model>,
        key: Values,
        order: Vec<(usize, bool)>,
    ) -> Result<String, Error> {
        let place = PlaceQuery::new(&PostgresDialect, model, &key, &order)?;
        let statement = select::Statement::select(&place.select);
        let values = self
            .on(
                Work::new(&model.name, "cursor_behind", false),
                async |lease| read::place(lease, model, &statement).await,
            )
            .await?;
        Ok(place.cursor(model, values))
    }

    fn sql_engine(&self) -> Engine {
        Engine::Postgres
    }

    async fn sql(&self, job: SqlJob) -> Result<SqlAnswer, Error> {
        let work = Work::new("", "sql", true);
        let run = async |lease: &mut Lease| sql::run(lease, &job).await;
        self.on_pool(&self.sql, &self.pool, work, run).await
    }

    async fn update(&self, model: &Arc<Model>, update: Update) -> Result<RecordJson, Error> {
        let change = write::Change::update(model, update)?;
        let changed = self
            .on(Work::new(&model.name, "update", false), async |lease| {
                change.run(lease).await
            })
            .await?;
        changed.into_updated()
    }

    async fn delete(
        &self,
        model: &Arc<Model>,
        key: Values,
        if_match: Option<IfMatch>,
    ) -> Result<Before, Error> {
        let change = write::Change::delete(model, key, if_match)?;
        let changed = self
            .on(Work::new(&model.name, "delete", false), async |lease| {
                change.run(lease).await
            })
            .await?;
        Ok(changed.before)
    }
}
