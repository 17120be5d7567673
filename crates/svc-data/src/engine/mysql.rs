//! The engine of MySQL and MariaDB.

use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use bytes::Bytes;

use self::connect::{Lease, Pool, Source};
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
mod read;
mod select;
mod special;
mod sql;
mod types;
mod value;
mod write;

pub(crate) use self::select::MysqlDialect;

/// A connected MySQL or MariaDB database.
pub(crate) struct Mysql {
    pool: Pool,
    /// The connections on which SQL of clients runs.
    sql: Pool,
    database: String,
    timeout: Duration,
}

impl fmt::Debug for Mysql {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mysql").finish_non_exhaustive()
    }
}

impl Mysql {
    /// Connects what follows `mysql:` in a URL.
    pub(crate) fn connect(rest: &str, options: &ResourceOptions) -> Result<Self, Error> {
        let source = Source::parse(rest)?;
        let timeout = options.statement_timeout;
        Ok(Self {
            pool: source.pool(
                options.connections,
                Admission::shared(options.connections),
                timeout,
                &[],
            )?,
            sql: source.pool(
                sql::CONNECTIONS,
                Admission::in_order(sql::CONNECTIONS),
                timeout,
                sql::SETTINGS,
            )?,
            database: source.database().to_owned(),
            timeout,
        })
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
impl Driver for Mysql {
    async fn structure(&self) -> Result<Structure, Error> {
        self.on(Work::internal("structure"), async |lease| {
            discover::discover(lease.conn()?).await
        })
        .await
    }

    async fn structure_version(&self) -> Result<i64, Error> {
        self.on(Work::internal("structure_version"), async |lease| {
            discover::version(lease.conn()?).await
        })
        .await
    }

    async fn list(&self, model: &Arc<Model>, plan: ListPlan) -> Result<Part, Error> {
        let query = read::list_query(model, plan)?;
        self.on(query.work(), async |lease| read::list(lease, &query).await)
            .await
    }

    async fn aggregate(&self, model: &Arc<Model>, plan: AggregatePlan) -> Result<Bytes, Error> {
        let work = plan.work(model);
        let aggregate = aggregate::Aggregate::new(model, plan)?;
        self.on(work, async |lease| {
            aggregate.run(lease, |statement| statement).await
        })
        .await
    }

    async fn retrieve(
        &self,
        model: &Arc<Model>,
        key: Values,
        shown: Projection,
    ) -> Result<RecordJson, Error> {
        let mut query = by_key(&MysqlDialect, model, &key)?;
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
            async |lease| write::bulk_create(lease, model, &plan).await,
        )
        .await
    }

    async fn cursor_behind(
        &self,
        model: &Arc<Model>,
        key: Values,
        order: Vec<(usize, bool)>,
    ) -> Result<String, Error> {
        let place = PlaceQuery::new(&MysqlDialect, model, &key, &order)?;
        let statement = select::Statement::select(&place.select);
        let values = self
            .on(
                Work::new(&model.name, "cursor_behind", false),
                async |lease| read::place(lease, model, &order, &statement).await,
            )
            .await?;
        Ok(place.cursor(model, values))
    }

    fn sql_engine(&self) -> Engine {
        Engine::Mysql
    }

    async fn sql(&self, job: SqlJob) -> Result<SqlAnswer, Error> {
        let database = self.database.as_str();
        let work = Work::new("", "sql", true);
        let run = async |lease: &mut Lease| sql::run(lease, &job, database).await;
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
