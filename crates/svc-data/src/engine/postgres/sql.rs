//! SQL of clients on PostgreSQL, behind the second lock: a transaction that only reads, on connections of its
//! own, which is rolled back whatever happens.

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use sea_query::{PostgresQueryBuilder, SelectStatement, SqlWriter, SqlWriterValues, Value};
use tokio_postgres::{
    Row, Transaction,
    error::SqlState,
    types::{Kind as SqlKind, Type as SqlType},
};

use super::{
    aggregate::Aggregate,
    connect::Lease,
    discover::Sizes,
    fault,
    literal::text,
    select::{Bound, PostgresDialect, Statement},
    special::VALUES,
    types::{Order, Type, type_named},
    value,
};
use crate::{
    Error, Field, Result,
    engine::answers::RowsWriter,
    guard::{Attribute, Engine, is_function_listed},
    plan::ListPlan,
    query::{Dialect as _, SELF, all_fields, quoted},
    record::excerpt::RowExcerpts,
    sql::{SqlJob, SqlOutput, SqlPlan, SqlRows, SqlSelect, SqlTask, column_names},
    value::Scalar,
};

/// How many queries of clients run at once; others wait, and records do not wait for them.
pub(super) const CONNECTIONS: usize = 2;
/// What is set on their connections.
pub(super) const SETTINGS: &str = "SET default_transaction_read_only = on; SET lock_timeout = '2s'";

/// Runs a query.
pub(super) async fn run(lease: &mut Lease, job: &SqlJob) -> Result<SqlOutput> {
    let answer = match attempt(lease, job, SqlType::UNKNOWN).await {
        // Nothing in the query says what a text is to be read as.
        Err(error) if fault::code(&error) == Some(&SqlState::INDETERMINATE_DATATYPE) => {
            attempt(lease, job, SqlType::TEXT).await
        }
        answer => answer,
    };
    answer.map_err(fault::about_the_query)
}

async fn attempt(lease: &mut Lease, job: &SqlJob, untyped: SqlType) -> Result<SqlOutput> {
    let client: &mut tokio_postgres::Client = lease.client_mut()?;
    let transaction = client.build_transaction().read_only(true).start().await;
    let transaction = transaction.map_err(fault::translate)?;
    if let Some(schema) = &job.schema {
        set_schema(&transaction, schema).await?;
    }
    refuse_hidden_calls(&transaction, job).await?;
    let types: Vec<SqlType> = job
        .binds
        .iter()
        .map(|bind| type_of(bind, &untyped))
        .collect();
    let inner = transaction
        .prepare_typed(job.statement.sql(), &types)
        .await
        .map_err(fault::translate)?;
    let columns = inner.columns();
    let names = column_names(columns.iter().map(|column| column.name()));
    let fields = names.into_iter().zip(columns);
    let fields = fields.map(|(name, column)| field(name, column.type_(), column.type_modifier()));
    let plan = job.plan(fields.collect())?;
    let query = Query {
        job,
        plan: &plan,
        transaction: &transaction,
        types,
    };
    let mut rows = match &plan.task {
        SqlTask::Rows { skip, limit } if plan.shown.excerpt.is_some() => {
            let rows = plan.excerpts(&PostgresDialect)?;
            let rows = rows.ok_or_else(|| Error::internal("excerpts have no statement"))?;
            query.selected(&rows, *skip, *limit).await?
        }
        SqlTask::Rows { skip, limit } => {
            let statement = match columns.iter().all(|column| value::is_known(column.type_())) {
                true => query.plain(),
                false => query.shown(),
            };
            query.rows(&statement, None, *skip, *limit).await?
        }
        SqlTask::List(list) => {
            let page = plan.page(&PostgresDialect, list)?;
            query.selected(&page, 0, list.limit).await?
        }
        SqlTask::Aggregate(aggregate) => SqlRows::of_aggregate(
            query
                .aggregate(Aggregate::new(&plan.model, aggregate.clone())?)
                .await?,
        ),
    };
    if let Some(counted) = &plan.count {
        rows.count = Some(query.count(counted).await?);
    }
    transaction.rollback().await.map_err(fault::translate)?;
    job.answer(&plan, rows)
}

/// Lets names be looked for in a schema, for this transaction.
async fn set_schema(transaction: &Transaction<'_>, schema: &str) -> Result<()> {
    let known = transaction
        .query_opt(
            "SELECT set_config('search_path', quote_ident(nspname), true) FROM pg_catalog.pg_namespace
             WHERE nspname = $1 AND has_schema_privilege(oid, 'USAGE')",
            &[&schema],
        )
        .await
        .map_err(fault::translate)?;
    match known {
        Some(_) => Ok(()),
        None => Err(Error::invalid_field("schema", "there is no such schema")),
    }
}

/// Of names after a dot, those that are functions which a query may not call, unless they are columns of the
/// relations before the dot. What PostgreSQL's own functions compute from their argument alone does no harm.
const HIDDEN_CALLS: &str = "
SELECT a.name
FROM ROWS FROM (unnest($1::text[]), unnest($2::text[])) AS a(name, relations)
JOIN pg_catalog.pg_proc p ON p.proname = a.name
WHERE (p.oid >= 16384 OR p.provolatile <> 'i')
    AND (p.pronargs - p.pronargdefaults <= 1 AND p.pronargs >= 1 OR p.provariadic <> 0)
    AND (a.relations = '' OR EXISTS (
        SELECT 1 FROM unnest(string_to_array(a.relations, E'\\x1f')) AS r(relation)
        WHERE NOT EXISTS (SELECT 1 FROM pg_catalog.pg_attribute c
            WHERE c.attrelid = to_regclass(r.relation) AND c.attname = a.name AND NOT c.attisdropped)))";

/// Refuses calls of functions that are written as columns: PostgreSQL reads `x.f` as `f(x)` where there is no column.
async fn refuse_hidden_calls(transaction: &Transaction<'_>, job: &SqlJob) -> Result<()> {
    let may_call = |name: &str| is_function_listed(Engine::Postgres, name);
    let asked = job.statement.attributes().iter();
    let asked: Vec<&Attribute> = asked.filter(|asked| !may_call(&asked.name)).collect();
    if asked.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = asked.iter().map(|asked| asked.name.as_str()).collect();
    let relations: Vec<String> = asked.iter().map(|asked| quoted_relations(asked)).collect();
    let found = transaction
        .query(HIDDEN_CALLS, &[&names, &relations])
        .await
        .map_err(fault::translate)?;
    let Some(row) = found.first() else {
        return Ok(());
    };
    let name: &str = row.try_get(0).map_err(fault::translate)?;
    Err(Error::invalid_field(
        "query",
        format!(
            "`.{name}` may be a call of the function `{name}`, which a query may not call; if it is a column, give it another name in the subquery"
        ),
    ))
}

/// The names of relations, as `to_regclass` reads them, with a separator that no name has.
fn quoted_relations(attribute: &Attribute) -> String {
    let relations = attribute.relations.iter();
    let relations = relations.map(|parts| {
        parts
            .iter()
            .map(|part| quoted(part))
            .collect::<Vec<_>>()
            .join(".")
    });
    relations.collect::<Vec<_>>().join("\x1f")
}

/// The type that a value is bound as; `untyped` where the query is to say.
fn type_of(bind: &Scalar, untyped: &SqlType) -> SqlType {
    match bind {
        Scalar::Integer(number) if i32::try_from(*number).is_ok() => SqlType::INT4,
        Scalar::Integer(_) => SqlType::INT8,
        Scalar::Float(_) => SqlType::FLOAT8,
        Scalar::Boolean(_) => SqlType::BOOL,
        Scalar::Json(_) => SqlType::JSONB,
        _ => untyped.clone(),
    }
}

/// A column of a query.
pub(super) fn field(name: String, sort: &SqlType, typmod: i32) -> Field {
    let category = match sort.kind() {
        SqlKind::Array(_) => "A",
        _ => "",
    };
    let typtype = match sort.kind() {
        SqlKind::Enum(_) => "e",
        _ => "b",
    };
    let order = Order {
        is_there: category == "A",
        has_operators: true,
    };
    let known = type_named(sort.name(), typtype, category, order);
    let sizes = Sizes::of(known, typmod);
    let plain = |name: &str| match name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    {
        true => name.to_owned(),
        false => quoted(name),
    };
    let db_type = format!("{}.{}", plain(sort.schema()), plain(sort.name()));
    let mut field = Field::of_type(name, known, sizes.max_length, &db_type, &VALUES);
    field.max_length = None;
    field.detail.order_is_unknown = true;
    field.precision = sizes.precision;
    field.scale = sizes.scale;
    if let SqlKind::Enum(words) = sort.kind() {
        field.options.clone_from(words);
    }
    field
}

/// The query of a client, and what is to be done with it.
struct Query<'a> {
    job: &'a SqlJob,
    plan: &'a SqlPlan,
    transaction: &'a Transaction<'a>,
    types: Vec<SqlType>,
}

impl Query<'_> {
    /// The query as it stands.
    fn plain(&self) -> Statement {
        let binds = self.job.binds.iter();
        Statement {
            sql: self.job.statement.sql().to_owned(),
            values: binds.map(|bind| Bound(text(Type::Text, bind))).collect(),
        }
    }

    /// The query with its columns in the form in which they are read.
    fn shown(&self) -> Statement {
        let mut select = sea_query::Query::select();
        PostgresDialect.from(&mut select, &self.plan.model, SELF);
        all_fields(&PostgresDialect, &mut select, &self.plan.model);
        self.wrapped(&select)
    }

    /// A statement about the query, with the query in front, whose placeholders come first.
    fn wrapped(&self, select: &SelectStatement) -> Statement {
        let Statement { sql, mut values } = self.plain();
        let mut writer = SqlWriterValues::new("$", true);
        for _ in &values {
            writer.push_param(Value::String(None), &PostgresQueryBuilder);
        }
        let placeholders = writer.to_string().len();
        select.build_collect(PostgresQueryBuilder, &mut writer);
        let (text, sea_query::Values(more)) = writer.into_parts();
        values.extend(
            more.into_iter()
                .skip(values.len())
                .map(<Bound as crate::engine::statement::Bound>::of),
        );
        let text = text.get(placeholders..).unwrap_or_default();
        Statement {
            sql: self.plan.wrap(&sql, text, quoted),
            values,
        }
    }

    /// Starts a statement, of which at most so many rows are fetched.
    async fn start(
        &self,
        statement: &Statement,
        most: u64,
    ) -> Result<impl Stream<Item = Result<Row, tokio_postgres::Error>>> {
        let transaction = self.transaction;
        let prepared = transaction
            .prepare_typed(&statement.sql, &self.types)
            .await
            .map_err(fault::translate)?;
        let portal = transaction.bind_raw(&prepared, &statement.values).await;
        let portal = portal.map_err(fault::translate)?;
        let most = i32::try_from(most).unwrap_or(i32::MAX);
        let rows = transaction.query_portal_raw(&portal, most).await;
        rows.map_err(fault::translate)
    }

    async fn aggregate(&self, aggregate: Aggregate) -> Result<Bytes> {
        let statement = self.wrapped(aggregate.select());
        let rows = self.start(&statement, u64::MAX).await?;
        aggregate.answer(std::pin::pin!(rows)).await
    }

    async fn count(&self, plan: &ListPlan) -> Result<u64> {
        let statement = self.wrapped(&self.plan.counted(&PostgresDialect, plan)?);
        let rows = self.start(&statement, 1).await?;
        let row = std::pin::pin!(rows).next().await;
        let row = row.ok_or_else(|| Error::internal("a count gave no row"))?;
        let row = row.map_err(fault::translate)?;
        let counted: i64 = row.try_get(0).map_err(fault::translate)?;
        Ok(counted.unsigned_abs())
    }

    /// The rows of a statement about the query, after the first `skip`.
    async fn selected(&self, rows: &SqlSelect, skip: u64, limit: u32) -> Result<SqlRows> {
        let statement = self.wrapped(&rows.select);
        let excerpts = rows.excerpts.clone();
        self.rows(&statement, excerpts, skip, limit).await
    }

    /// The rows of a statement after the first `skip`, as arrays.
    async fn rows(
        &self,
        statement: &Statement,
        excerpts: Option<RowExcerpts>,
        skip: u64,
        limit: u32,
    ) -> Result<SqlRows> {
        let most = skip.saturating_add(u64::from(limit)).saturating_add(1);
        let mut rows = std::pin::pin!(self.start(statement, most).await?);
        let mut writer = RowsWriter::new(&self.plan.model.fields, excerpts, limit);
        let mut to_skip = skip;
        while let Some(row) = rows.next().await {
            let row = row.map_err(fault::translate)?;
            if to_skip > 0 {
                to_skip -= 1;
                continue;
            }
            if writer.is_full() {
                continue;
            }
            if !writer.row(&row, &self.plan.zone)? {
                break;
            }
        }
        Ok(writer.finish(|_, field| field.field_type))
    }
}

#[cfg(test)]
mod tests {
    use svc_tests::servers::{PostgresServer, Server as _};

    use super::*;
    use crate::{
        ResourceOptions,
        engine::{Driver as _, postgres::Postgres},
    };

    /// What a query may not do, in PostgreSQL's own words.
    const ATTACKS: [&str; 24] = [
        "DELETE FROM t",
        "INSERT INTO t VALUES (9, 'x')",
        "UPDATE t SET name = 'x'",
        "TRUNCATE t",
        "DROP TABLE t",
        "ALTER TABLE t ADD COLUMN x int",
        "CREATE TABLE x (a int)",
        "CREATE INDEX i ON t (name)",
        "CREATE SCHEMA x",
        "CREATE ROLE x",
        "GRANT SELECT ON t TO PUBLIC",
        "COMMENT ON TABLE t IS 'x'",
        "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
        "WITH x AS (INSERT INTO t VALUES (9, 'x') RETURNING *) SELECT * FROM x",
        "SELECT 1; DELETE FROM t",
        "SELECT nextval('s')",
        "SELECT setval('s', 100)",
        "SELECT changes()",
        "CALL deletes()",
        "VACUUM t",
        "REINDEX TABLE t",
        "SELECT * INTO x FROM t",
        "SELECT * FROM t FOR UPDATE",
        "SELECT lo_create(1)",
    ];

    #[test]
    fn behind_the_guard_the_transaction_lets_nothing_be_changed() {
        let server = PostgresServer::start();
        let url = server.database(
            "CREATE TABLE t (id int PRIMARY KEY, name text); INSERT INTO t VALUES (1, 'one'), (2, 'two');
             CREATE SEQUENCE s;
             CREATE FUNCTION changes() RETURNS int LANGUAGE sql AS 'DELETE FROM t RETURNING 1';
             CREATE PROCEDURE deletes() LANGUAGE sql AS 'DELETE FROM t';",
        );
        crate::tests::block_on(attack(url.strip_prefix("postgres:").unwrap()));
    }

    #[test]
    fn a_function_is_not_called_as_if_it_were_a_column() {
        let server = PostgresServer::shared();
        let url = server.database(
            "CREATE TABLE t (id int PRIMARY KEY, total int); INSERT INTO t VALUES (1, 5);
             CREATE FUNCTION f(anyelement) RETURNS int LANGUAGE sql AS 'SELECT 42';
             CREATE FUNCTION total(anyelement) RETURNS int LANGUAGE sql AS 'SELECT 42';
             CREATE FUNCTION of_t(t) RETURNS int LANGUAGE sql AS 'SELECT 42';",
        );
        let rest = url.strip_prefix("postgres:").unwrap();
        crate::tests::block_on(async {
            let driver = Postgres::connect(rest, &ResourceOptions::default()).unwrap();
            let ask = async |sql: &str| {
                let query = svc_model::sql::SqlQuery::new(sql);
                driver.sql(SqlJob::new(&query, Engine::Postgres)?).await
            };
            for sql in [
                "select x.f from (select 1) as x",
                "select (x).f from (select 1) as x",
                "select (5).f",
                "select (x.a).f from (select 1 as a) as x",
                "select (row(1, 2)).f",
                "select t.f from t",
                "select t.of_t from t",
                "select public.t.of_t from t",
                "select 1 from t order by t.of_t",
                "select x.total from (select 1) as x",
                "select x.total from (select * from t) as x, t",
                "with x as (select 1) select x.f from x",
                "select t.total from t where exists (select t.total from (select 1) as t)",
                "select (0.1).pg_sleep",
                "select ('x').version, ('/etc/passwd').pg_read_file",
            ] {
                let refused = ask(sql).await.expect_err(sql);
                assert_eq!(
                    refused.kind(),
                    crate::ErrorKind::Invalid,
                    "{sql}: {refused}"
                );
                assert!(
                    refused.to_string().contains("may be a call"),
                    "{sql}: {refused}"
                );
            }
            for sql in [
                "select t.total from t",
                "select x.total from t as x where x.total > 1",
                "select public.t.total from t",
                "select x.total from (select total from t) as x",
                "select x.f from (select id as f from t) as x",
                "with x(f) as (select 1) select x.f from x",
                "select (x).id from t as x",
                "select n.nspname from pg_catalog.pg_namespace as n",
            ] {
                ask(sql).await.expect(sql);
            }
        });
    }

    async fn attack(rest: &str) {
        let driver = Postgres::connect(rest, &ResourceOptions::default()).unwrap();
        let query = async |sql: &str| driver.sql(SqlJob::unchecked(sql)).await;
        let state = "SELECT (SELECT string_agg(id || name, ',' ORDER BY id) FROM t) AS rows, (SELECT last_value FROM s) AS last,
            (SELECT count(*) FROM pg_class) AS things, (SELECT count(*) FROM pg_roles) AS roles";
        let before = crate::tests::attack(&driver, state, &ATTACKS).await;
        // What is set in one query is gone in the next.
        for sql in [
            "SELECT set_config('transaction_read_only', 'off', false)",
            "SET transaction_read_only = off",
        ] {
            let _ = query(sql).await;
            assert!(query("DELETE FROM t").await.is_err(), "{sql}");
            assert!(query("SELECT changes()").await.is_err(), "{sql}");
        }
        assert_eq!(query(state).await.unwrap().data, before);
    }
}
