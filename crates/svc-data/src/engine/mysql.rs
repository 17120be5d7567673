//! The engine of MySQL and MariaDB.

use std::sync::Arc;

use bytes::Bytes;
use mysql_async::{Row, Value, prelude::Queryable as _};
use sea_query::Expr;

use self::{
    connect::{Lease, Manager, Source},
    select::Statement,
};
use super::server::{ServerDriver, ServerEngine, change::Change};
use crate::{
    Error, Field, Location, Model, ResourceOptions, Result, Structure,
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
mod discover;
mod fault;
mod functions;
mod hosts;
mod place;
mod read;
mod select;
mod special;
mod sql;
mod types;
mod value;
mod write;

pub(crate) use self::select::MysqlDialect;

/// A connected MySQL or MariaDB database.
#[derive(Debug)]
pub(crate) struct Mysql {
    database: String,
}

impl Mysql {
    /// Where the server is that follows `mysql:` in a URL.
    pub(crate) fn location(rest: &str) -> Result<Location> {
        Ok(Source::parse(rest, None)?.location())
    }

    /// Connects what follows `mysql:` in a URL.
    pub(crate) fn connect(rest: &str, options: &ResourceOptions) -> Result<ServerDriver<Self>> {
        let source = Source::parse(rest, options.servers.clone())?;
        let timeout = options.statement_timeout;
        let admission = Admission::shared(options.connections).counting(&options.waits);
        let sql_admission = Admission::in_order(sql::CONNECTIONS).counting(&options.waits);
        Ok(ServerDriver {
            pool: Arc::new(source.pool(options.connections, admission, timeout, &[])?),
            sql: Arc::new(source.pool(sql::CONNECTIONS, sql_admission, timeout, sql::SETTINGS)?),
            engine: Self {
                database: source.database().to_owned(),
            },
            timeout,
        })
    }
}

impl ServerEngine for Mysql {
    type Manager = Manager;
    type Bound = Value;
    type Row = Row;
    type List = read::ListQuery;
    type Aggregate = aggregate::Aggregate;
    type Create = write::Create;

    const ENGINE: Engine = Engine::Mysql;
    const DIALECT: &'static dyn Dialect = &MysqlDialect;
    const BEGIN: &'static str = "START TRANSACTION";
    const RELEASES_SAVEPOINTS: bool = false;
    const WRITES_ALONE: bool = false;

    async fn structure(&self, lease: &mut Lease) -> Result<Structure> {
        discover::discover(lease.client_mut()?).await
    }

    async fn structure_version(lease: &mut Lease) -> Result<i64> {
        discover::version(lease.client_mut()?).await
    }

    async fn version(lease: &mut Lease) -> Result<String> {
        let version = lease.client_mut()?.query_first("SELECT VERSION()").await;
        let version: Option<String> = version.map_err(fault::translate)?;
        Ok(version.unwrap_or_default())
    }

    fn plan_list(model: &Arc<Model>, plan: ListPlan) -> Result<(Work, Self::List)> {
        let list = read::list_query(model, plan)?;
        Ok((list.work(), list))
    }

    async fn list(&self, lease: &mut Lease, list: Self::List) -> Result<Part> {
        read::list(lease, &list).await
    }

    fn plan_aggregate(model: &Arc<Model>, plan: AggregatePlan) -> Result<Self::Aggregate> {
        aggregate::Aggregate::new(model, plan)
    }

    async fn aggregate(lease: &mut Lease, aggregate: Self::Aggregate) -> Result<Bytes> {
        aggregate.run(lease, |statement| statement).await
    }

    async fn one(lease: &mut Lease, statement: &Statement) -> Result<Option<Row>> {
        read::one(lease, statement).await
    }

    fn keys(model: &Model, order: &[(usize, bool)], row: &Row) -> Result<Vec<KeyValue>> {
        let not_text = || {
            Error::invalid(
                "a value that orders the record is not valid text, so that its place in the order is not known",
            )
        };
        let keys = order.iter().enumerate().map(|(position, (index, _))| {
            value::key(model.at(*index)?, value::cell(row, position)?).ok_or_else(not_text)
        });
        keys.collect()
    }

    async fn sql(&self, lease: &mut Lease, job: &SqlJob) -> Result<SqlOutput> {
        sql::run(lease, job, &self.database).await
    }

    fn stored(field: &Field, scalar: &Scalar) -> Result<Expr, String> {
        write::stored(field, scalar)
    }

    async fn call(
        &self,
        lease: &mut Lease,
        structure: &Structure,
        call: &FunctionCall,
    ) -> Result<Bytes> {
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
        _in_transaction: bool,
        is_there: bool,
    ) -> Result<Option<Changed>> {
        write::change_found(lease, change, is_there).await
    }

    fn is_deadlock(error: &Error) -> bool {
        fault::is_deadlock(error)
    }

    async fn run(lease: &mut Lease, sql: &str) -> Result<()> {
        let done = lease.client_mut()?.query_drop(sql).await;
        done.map_err(fault::translate)
    }
}
