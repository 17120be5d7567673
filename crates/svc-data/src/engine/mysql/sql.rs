//! SQL of clients on MySQL and MariaDB, behind the second lock: a transaction that only reads, on connections of
//! its own, which is rolled back whatever happens.

use mysql_async::{
    Column, Value,
    consts::{ColumnFlags, ColumnType},
    prelude::Queryable as _,
};

use super::{
    aggregate::Aggregate,
    connect::Lease,
    fault,
    read::one,
    select::{MysqlDialect, Statement, quoted, stored},
    special::VALUES,
    types::Type,
};
use crate::{
    Error, Field, Result,
    engine::{answers::RowsWriter, statement::Bound as _},
    plan::ListPlan,
    record::excerpt::RowExcerpts,
    sql::{SqlJob, SqlOutput, SqlPlan, SqlRows, SqlSelect, SqlTask, column_names},
};

/// How many queries of clients run at once; others wait, and records do not wait for them.
pub(super) const CONNECTIONS: usize = 2;
/// What is set on their connections.
pub(super) const SETTINGS: &[&str] = &[
    "SET SESSION TRANSACTION READ ONLY",
    "SET SESSION lock_wait_timeout = 2",
];
/// Lets a query return all its rows.
const UNLIMITED: &str = "SET SESSION sql_select_limit = DEFAULT";
/// The character set of bytes that are no text.
const BINARY: u16 = 63;

/// Runs a query.
pub(super) async fn run(lease: &mut Lease, job: &SqlJob, schema: &str) -> Result<SqlOutput> {
    if job.schema.as_deref().is_some_and(|asked| asked != schema) {
        return Err(Error::invalid_field(
            "schema",
            "a resource of MySQL has one schema, that of its database",
        ));
    }
    // A query that failed may have left its limit behind.
    for statement in [UNLIMITED, "START TRANSACTION READ ONLY"] {
        let done = lease.client_mut()?.query_drop(statement).await;
        done.map_err(fault::translate)?;
    }
    let answer = attempt(lease, job).await;
    if let Ok(conn) = lease.client_mut() {
        let ended = conn.query_drop("ROLLBACK").await;
        if answer.is_ok() {
            ended.map_err(fault::translate)?;
        }
    }
    answer.map_err(fault::about_the_query)
}

async fn attempt(lease: &mut Lease, job: &SqlJob) -> Result<SqlOutput> {
    let inner = lease.client_mut()?.prep(job.statement.sql()).await;
    let inner = inner.map_err(fault::translate)?;
    let columns = inner.columns();
    let names: Vec<_> = columns.iter().map(|column| column.name_str()).collect();
    let names = column_names(names.iter().map(AsRef::as_ref));
    let fields = names.into_iter().zip(columns.iter());
    let plan = job.plan(fields.map(|(name, column)| field(name, column)).collect())?;
    let query = Query { job, plan: &plan };
    let mut rows = match &plan.task {
        SqlTask::Rows { skip, limit } => match plan.excerpts(&MysqlDialect)? {
            None => {
                query
                    .rows(lease, &query.plain(), None, *skip, *limit)
                    .await?
            }
            Some(SqlSelect { select, excerpts }) => {
                let statement = query.in_its_order(Statement::select(&select), *skip, *limit);
                query
                    .rows(lease, &statement, excerpts, *skip, *limit)
                    .await?
            }
        },
        SqlTask::List(list) => {
            let SqlSelect { select, excerpts } = plan.page(&MysqlDialect, list)?;
            let statement = query.wrapped(Statement::select(&select));
            query
                .rows(lease, &statement, excerpts, 0, list.limit)
                .await?
        }
        SqlTask::Aggregate(aggregate) => {
            let aggregate = Aggregate::new(&plan.model, aggregate.clone())?;
            let answer = aggregate.run(lease, |statement| query.wrapped(statement));
            SqlRows::of_aggregate(answer.await?)
        }
    };
    if let Some(counted) = &plan.count {
        rows.count = Some(query.count(lease, counted).await?);
    }
    job.answer(&plan, rows)
}

/// A column of a query.
pub(super) fn field(name: String, column: &Column) -> Field {
    use ColumnType as Sql;
    let is_binary = column.character_set() == BINARY;
    let unsigned = column.flags().contains(ColumnFlags::UNSIGNED_FLAG);
    let integer = |bits| Type::Integer { bits, unsigned };
    let sort = match column.column_type() {
        Sql::MYSQL_TYPE_TINY if column.column_length() == 1 => Type::Boolean,
        Sql::MYSQL_TYPE_TINY => integer(8),
        Sql::MYSQL_TYPE_SHORT | Sql::MYSQL_TYPE_YEAR => integer(16),
        Sql::MYSQL_TYPE_INT24 => integer(24),
        Sql::MYSQL_TYPE_LONG => integer(32),
        Sql::MYSQL_TYPE_LONGLONG => integer(64),
        Sql::MYSQL_TYPE_FLOAT => Type::Real,
        Sql::MYSQL_TYPE_DOUBLE => Type::Double,
        Sql::MYSQL_TYPE_DECIMAL | Sql::MYSQL_TYPE_NEWDECIMAL => Type::Decimal,
        Sql::MYSQL_TYPE_DATE | Sql::MYSQL_TYPE_NEWDATE => Type::Date,
        Sql::MYSQL_TYPE_TIME | Sql::MYSQL_TYPE_TIME2 => Type::Time,
        Sql::MYSQL_TYPE_DATETIME
        | Sql::MYSQL_TYPE_TIMESTAMP
        | Sql::MYSQL_TYPE_DATETIME2
        | Sql::MYSQL_TYPE_TIMESTAMP2 => Type::Timestamp,
        Sql::MYSQL_TYPE_JSON => Type::Jsonb,
        Sql::MYSQL_TYPE_BIT | Sql::MYSQL_TYPE_GEOMETRY => Type::Bytes,
        Sql::MYSQL_TYPE_NULL => Type::Text,
        _ if is_binary => Type::Bytes,
        _ => Type::Text,
    };
    let mut field = Field::of_type(name, sort, Some(1), "", &VALUES);
    // Nobody says how long a text may be.
    field.max_length = None;
    field.scale = Some(column.decimals().into()).filter(|_| sort == Type::Decimal);
    field
}

/// How many rows are read, to find out whether more follow.
fn most(skip: u64, limit: u32) -> u64 {
    skip.saturating_add(u64::from(limit)).saturating_add(1)
}

/// The query of a client, and what is to be done with it.
struct Query<'a> {
    job: &'a SqlJob,
    plan: &'a SqlPlan,
}

impl Query<'_> {
    /// The query as it stands.
    fn plain(&self) -> Statement {
        let binds = self.job.binds.iter();
        Statement {
            sql: self.job.statement.sql().to_owned(),
            values: binds
                .map(|bind| Value::of(stored(Type::Text, bind)))
                .collect(),
        }
    }

    /// A statement about the query, with the query in front, whose placeholders come first.
    fn wrapped(&self, statement: Statement) -> Statement {
        let Statement { sql, mut values } = self.plain();
        values.extend(statement.values);
        Statement {
            sql: self.plan.wrap(&sql, &statement.sql, quoted),
            values,
        }
    }

    /// The same, of the rows as they stand: a query in another one keeps its order where it has a limit.
    fn in_its_order(&self, statement: Statement, skip: u64, limit: u32) -> Statement {
        let Statement { sql, mut values } = self.plain();
        values.extend(statement.values);
        let sql = match self.job.statement.is_limited() {
            true => sql,
            false => format!("{sql} LIMIT {}", most(skip, limit)),
        };
        Statement {
            sql: self.plan.wrap(&sql, &statement.sql, quoted),
            values,
        }
    }

    async fn count(&self, lease: &mut Lease, plan: &ListPlan) -> Result<u64> {
        let count = self.plan.counted(&MysqlDialect, plan)?;
        let row = one(lease, &self.wrapped(Statement::select(&count))).await?;
        row.and_then(|row| row.get::<u64, _>(0))
            .ok_or_else(|| Error::internal("a count gave no number"))
    }

    /// The rows of a statement after the first `skip`, as arrays.
    async fn rows(
        &self,
        lease: &mut Lease,
        statement: &Statement,
        excerpts: Option<RowExcerpts>,
        skip: u64,
        limit: u32,
    ) -> Result<SqlRows> {
        let mut writer = RowsWriter::new(&self.plan.model.fields, excerpts, limit);
        let mut to_skip = skip;
        // Holds for a query without a LIMIT of its own.
        let conn = lease.client_mut()?;
        let capped = format!("SET SESSION sql_select_limit = {}", most(skip, limit));
        conn.query_drop(capped).await.map_err(fault::translate)?;
        let rows = conn.exec_iter(statement.sql.as_str(), statement.params());
        let mut rows = rows.await.map_err(fault::translate)?;
        while let Some(row) = rows.next().await.map_err(fault::translate)? {
            if to_skip > 0 {
                to_skip -= 1;
                continue;
            }
            if writer.is_full() || !writer.row(&row, &self.plan.zone)? {
                break;
            }
        }
        drop(rows);
        let rows = writer.finish(|_, field| field.field_type);
        if rows.more && self.plan.count.is_none() {
            // Much may be left that would have to be read.
            lease.close();
        } else {
            let done = lease.client_mut()?.query_drop(UNLIMITED).await;
            done.map_err(fault::translate)?;
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use svc_tests::servers::{MariadbServer, Server as _};

    use super::*;
    use crate::{
        ResourceOptions,
        engine::{Driver as _, mysql::Mysql},
    };

    /// What a query may not do, in MariaDB's own words.
    const ATTACKS: [&str; 17] = [
        "DELETE FROM t",
        "INSERT INTO t VALUES (9, 'x')",
        "REPLACE INTO t VALUES (1, 'x')",
        "UPDATE t SET name = 'x'",
        "TRUNCATE t",
        "DROP TABLE t",
        "ALTER TABLE t ADD COLUMN x int",
        "CREATE TABLE x (a int)",
        "CREATE INDEX i ON t (name)",
        "RENAME TABLE t TO x",
        "SELECT 1; DELETE FROM t",
        "SELECT changes()",
        "CALL deletes()",
        "SELECT * FROM t INTO OUTFILE '/tmp/svc-test-outfile'",
        "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t",
        "LOCK TABLES t WRITE",
        "CREATE USER x",
    ];

    #[test]
    fn behind_the_guard_the_transaction_lets_nothing_be_changed() {
        let server = MariadbServer::start();
        let url = server.database(
            "CREATE TABLE t (id int PRIMARY KEY, name varchar(20)); INSERT INTO t VALUES (1, 'one'), (2, 'two');
             CREATE FUNCTION changes() RETURNS int MODIFIES SQL DATA BEGIN DELETE FROM t; RETURN 1; END;
             CREATE PROCEDURE deletes() DELETE FROM t;",
        );
        crate::tests::block_on(attack(url.strip_prefix("mysql:").unwrap()));
    }

    async fn attack(rest: &str) {
        let driver = Mysql::connect(rest, &ResourceOptions::default()).unwrap();
        let query = async |sql: &str| driver.sql(SqlJob::unchecked(sql)).await;
        let state = "SELECT (SELECT group_concat(id, name ORDER BY id) FROM t) AS rows_of_t,
            (SELECT count(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()) AS columns_there";
        let before = crate::tests::attack(&driver, state, &ATTACKS).await;
        // What is set in one query does not open the next.
        for sql in [
            "SET SESSION TRANSACTION READ WRITE",
            "SET autocommit = 1",
            "COMMIT",
        ] {
            let _ = query(sql).await;
            let _ = query("DELETE FROM t").await;
            assert_eq!(query(state).await.unwrap().data, before, "{sql}");
        }
    }
}
