//! The engine of MySQL and MariaDB.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;

use self::connect::{Lease, Pool, Source};
use crate::{
    Before, Error, IfMatch, Model, RecordJson, ResourceOptions, Structure,
    driver::{Driver, Values},
    gate::{GRACE, no_answer},
    guard::Engine,
    plan::{AggregatePlan, ListPlan, Shown},
    query::{PlaceQuery, by_key},
    records::Part,
    sql::{SqlAnswer, SqlJob},
};

mod aggregate;
mod connect;
mod discover;
mod fault;
mod read;
mod select;
mod sql;
mod types;
mod value;
mod write;

pub(crate) use self::select::MysqlDialect;
pub(crate) use self::types::Type;

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
            pool: source.pool(options.connections, timeout, &[])?,
            sql: source.pool(sql::CONNECTIONS, timeout, sql::SETTINGS)?,
            database: source.database().to_owned(),
            timeout,
        })
    }

    /// Does something on a connection, and gives up when that takes longer than a statement may.
    async fn on<T>(
        &self,
        pool: &Pool,
        work: impl AsyncFnOnce(&mut Lease) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut lease = pool.get().await?;
        let result = tokio::time::timeout(self.timeout + GRACE, work(&mut lease)).await;
        lease.give_back(result.unwrap_or_else(|_| Err(no_answer())))
    }
}

#[async_trait]
impl Driver for Mysql {
    async fn structure(&self) -> Result<Structure, Error> {
        self.on(&self.pool, async |lease| {
            discover::discover(lease.conn()?).await
        })
        .await
    }

    async fn structure_version(&self) -> Result<i64, Error> {
        self.on(&self.pool, async |lease| {
            discover::version(lease.conn()?).await
        })
        .await
    }

    async fn list(&self, model: &Arc<Model>, plan: ListPlan) -> Result<Part, Error> {
        let query = read::ListQuery::new(model, plan)?;
        self.on(&self.pool, async |lease| query.run(lease).await)
            .await
    }

    async fn aggregate(&self, model: &Arc<Model>, plan: AggregatePlan) -> Result<Bytes, Error> {
        let aggregate = aggregate::Aggregate::new(model, plan)?;
        self.on(&self.pool, async |lease| {
            aggregate.run(lease, |statement| statement).await
        })
        .await
    }

    async fn retrieve(
        &self,
        model: &Arc<Model>,
        key: Values,
        shown: Shown,
    ) -> Result<RecordJson, Error> {
        let query = by_key(&MysqlDialect, model, &key)?;
        let statement = select::Statement::select(query.clone().limit(1));
        self.on(&self.pool, async |lease| {
            read::retrieve(lease, model, &statement, &shown).await
        })
        .await
    }

    async fn create(
        &self,
        model: &Arc<Model>,
        values: Values,
        shown: Shown,
    ) -> Result<RecordJson, Error> {
        let create = write::Create::new(model, &values, shown)?;
        self.on(&self.pool, async |lease| create.run(lease).await)
            .await
    }

    async fn bulk_create(
        &self,
        model: &Arc<Model>,
        records: Vec<Values>,
        atomic: bool,
        shown: Shown,
    ) -> Result<Vec<Result<RecordJson, Error>>, Error> {
        self.on(&self.pool, async |lease| {
            write::bulk_create(lease, model, &records, atomic, &shown).await
        })
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
            .on(&self.pool, async |lease| {
                read::place(lease, model, &order, &statement).await
            })
            .await?;
        Ok(place.cursor(model, values))
    }

    fn sql_engine(&self) -> Engine {
        Engine::Mysql
    }

    async fn sql(&self, job: SqlJob) -> Result<SqlAnswer, Error> {
        let database = self.database.as_str();
        self.on(&self.sql, async |lease| {
            sql::run(lease, &job, database).await
        })
        .await
    }

    async fn update(
        &self,
        model: &Arc<Model>,
        key: Values,
        values: Values,
        replace: bool,
        if_match: Option<IfMatch>,
        shown: Shown,
    ) -> Result<RecordJson, Error> {
        let change = write::Change::update(model, key, values, replace, if_match, shown)?;
        let changed = self
            .on(&self.pool, async |lease| change.run(lease).await)
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
            .on(&self.pool, async |lease| change.run(lease).await)
            .await?;
        Ok(changed.before)
    }
}
