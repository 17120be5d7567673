//! SQL of clients on SQLite, behind the second lock: connections that cannot write, and an authorizer that
//! lets statements read and nothing else.

use std::{path::Path, sync::Arc};

use rusqlite::{
    Connection, ErrorCode,
    config::DbConfig,
    hooks::{AuthAction, AuthContext, Authorization},
    limits::Limit,
    params_from_iter,
};

use self::budget::MAX_LENGTH;
use super::{
    aggregate::Aggregate,
    bound::bind_scalar,
    column_type::Declared,
    connection::Source,
    fault::Fault,
    functions,
    limiter::Limiter,
    pool,
    select::{SqliteDialect, Statement},
    session::Session,
};
use crate::{
    Error, Field, Result,
    guard::{Engine, is_function_listed},
    plan::ListPlan,
    query::quoted,
    record::excerpt::RowExcerpts,
    sql::{SqlJob, SqlOutput, SqlPlan, SqlRows, SqlSelect, SqlTask, column_names},
};

mod budget;
mod writer;

/// How many queries of clients run at once; others wait, and records do not wait for them.
const READERS: usize = 2;
/// The most instructions of a query; between two rows none of them looks at the clock. A query with as many binds as are
/// allowed needs some 30 000.
const MAX_INSTRUCTIONS: i32 = 50_000;

/// Starts the connections for SQL of clients.
pub(super) async fn start(path: &Path) -> Result<pool::Pool> {
    let source = Source {
        path: path.to_owned(),
        set_wal: false,
        untouched: false,
        prepare: Arc::new(lock),
    };
    let options = pool::Options {
        source,
        readers: READERS,
        writable: false,
        waits: Arc::default(),
    };
    tokio::task::spawn_blocking(move || pool::Pool::start(options))
        .await
        .unwrap_or_else(|_| Err(Error::internal("opening the database panicked")))
}

/// Locks a connection, which is read-only already.
fn lock(connection: &mut Connection, limiter: &Limiter) -> rusqlite::Result<()> {
    functions::register(connection, limiter)?;
    functions::bounded::register(connection, limiter, MAX_LENGTH.unsigned_abs() as usize)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, MAX_LENGTH),
        (Limit::SQLITE_LIMIT_VDBE_OP, MAX_INSTRUCTIONS),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, value)?;
    }
    connection.authorizer(Some(authorize))
}

/// Lets statements read; and the pool begin and end its views.
fn authorize(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select
        | AuthAction::Read { .. }
        | AuthAction::Recursive
        | AuthAction::Transaction { .. } => Authorization::Allow,
        AuthAction::Function { function_name } => {
            let name = function_name.to_ascii_lowercase();
            match name.starts_with("svc_") || is_function_listed(Engine::Sqlite, &name) {
                true => Authorization::Allow,
                false => Authorization::Deny,
            }
        }
        _ => Authorization::Deny,
    }
}

/// Runs a query on one of these connections. What SQLite has against the query is said in its words.
pub(super) fn run(session: Session<'_>, job: &SqlJob) -> Result<SqlOutput, Fault> {
    answer(session, job).map_err(|fault| match fault {
        Fault::Sqlite(error) => match about_the_query(&error) {
            Some(message) => Error::invalid(message).with_source(error).into(),
            None => Fault::Sqlite(error),
        },
        translated => translated,
    })
}

fn answer(session: Session<'_>, job: &SqlJob) -> Result<SqlOutput, Fault> {
    if job.schema.as_deref().is_some_and(|schema| schema != "main") {
        let message = "an SQLite database has one schema, main";
        return Err(Error::invalid_field("schema", message).into());
    }
    budget::lift(&session)?;
    let plan = job.plan(columns(&session, job.statement.sql())?)?;
    let inner = Inner {
        session,
        job,
        plan: &plan,
    };
    let mut rows = match &plan.task {
        SqlTask::Rows { skip, limit } => match plan.excerpts(&SqliteDialect)? {
            None => inner.rows(&inner.plain(), None, *skip, *limit)?,
            Some(rows) => inner.selected(rows, *skip, *limit)?,
        },
        SqlTask::List(list) => inner.selected(plan.page(&SqliteDialect, list)?, 0, list.limit)?,
        SqlTask::Aggregate(aggregate) => {
            let mut aggregate = Aggregate::new(&plan.model, aggregate.clone())?;
            let wrapped = inner.wrapped(aggregate.statement_mut());
            budget::limit(&session, &wrapped.sql)?;
            *aggregate.statement_mut() = wrapped;
            SqlRows::of_aggregate(aggregate.answer(session)?)
        }
    };
    if let Some(counted) = &plan.count {
        rows.count = Some(inner.count(counted)?);
    }
    Ok(job.answer(&plan, rows)?)
}

/// What an error says about the query, if it is one of the query and not of the file.
fn about_the_query(error: &rusqlite::Error) -> Option<String> {
    let (code, message) = match error {
        rusqlite::Error::SqliteFailure(code, message) => (code.code, message.clone()),
        rusqlite::Error::SqlInputError { error, msg, .. } => (error.code, Some(msg.clone())),
        // A text of several statements, or of none.
        rusqlite::Error::MultipleStatement => {
            return Some("there are several statements".to_owned());
        }
        _ => return None,
    };
    // What SQLite says of a query that needs too many instructions.
    if code == ErrorCode::OutOfMemory {
        return Some(format!(
            "the query is too long: it needs more than {MAX_INSTRUCTIONS} instructions of SQLite"
        ));
    }
    if code == ErrorCode::TooBig {
        return Some(
            "a text or blob is too long for this query: the more a query does with its values, the shorter they may be"
                .to_owned(),
        );
    }
    let of_the_query = matches!(
        code,
        ErrorCode::Unknown
            | ErrorCode::TypeMismatch
            | ErrorCode::AuthorizationForStatementDenied
            | ErrorCode::ReadOnly
            | ErrorCode::ParameterOutOfRange
    );
    of_the_query.then(|| message.unwrap_or_else(|| "the query cannot be run".to_owned()))
}

/// The columns that a query returns.
fn columns(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<Field>> {
    let statement = connection.prepare_cached(sql)?;
    let columns: Vec<_> = statement.columns().collect();
    let names = column_names(columns.iter().map(|column| column.name()));
    let fields = names.into_iter().zip(&columns).map(|(name, column)| {
        let db_type = column.decl_type().unwrap_or_default();
        Declared::parse(db_type).field(name, db_type)
    });
    Ok(fields.collect())
}

/// The query of a client, and what is to be done with it.
struct Inner<'a> {
    session: Session<'a>,
    job: &'a SqlJob,
    plan: &'a SqlPlan,
}

impl Inner<'_> {
    /// The query as it stands.
    fn plain(&self) -> Statement {
        Statement {
            sql: self.job.statement.sql().to_owned(),
            values: self.job.binds.iter().map(bind_scalar).collect(),
        }
    }

    /// A statement about the query, with the query in front. Its placeholders are numbered on from those of
    /// the query, since they have no numbers.
    fn wrapped(&self, statement: &Statement) -> Statement {
        let Statement { sql, mut values } = self.plain();
        values.extend(statement.values.iter().cloned());
        Statement {
            sql: self.plan.wrap(&sql, &statement.sql, quoted),
            values,
        }
    }

    fn count(&self, plan: &ListPlan) -> Result<u64, Fault> {
        let count = self.plan.counted(&SqliteDialect, plan)?;
        let Statement { sql, values } = self.wrapped(&Statement::select(&count));
        budget::limit(&self.session, &sql)?;
        let mut prepared = self.session.prepare_cached(&sql)?;
        let count: i64 = prepared.query_row(params_from_iter(&values), |row| row.get(0))?;
        Ok(count.unsigned_abs())
    }

    /// The rows of a statement about the query, after the first `skip`.
    fn selected(&self, rows: SqlSelect, skip: u64, limit: u32) -> rusqlite::Result<SqlRows> {
        let statement = self.wrapped(&Statement::select(&rows.select));
        self.rows(&statement, rows.excerpts, skip, limit)
    }

    /// The rows of a statement after the first `skip`, as arrays.
    fn rows(
        &self,
        statement: &Statement,
        excerpts: Option<RowExcerpts>,
        skip: u64,
        limit: u32,
    ) -> rusqlite::Result<SqlRows> {
        budget::limit(&self.session, &statement.sql)?;
        let mut prepared = self.session.prepare_cached(&statement.sql)?;
        let mut rows = prepared.query(params_from_iter(&statement.values))?;
        for _ in 0..skip {
            if rows.next()?.is_none() {
                break;
            }
        }
        writer::write(self.plan, excerpts, &mut rows, limit)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use rusqlite::params;

    use super::*;
    use crate::{
        engine::sqlite::connection::{Open, Prepare, Role, Slot},
        guard::{Binds, check},
    };

    /// What a query may not do, in SQLite's own words.
    const ATTACKS: [&str; 26] = [
        "DELETE FROM t",
        "INSERT INTO t VALUES (9, 'x')",
        "UPDATE t SET name = 'x'",
        "REPLACE INTO t VALUES (1, 'x')",
        "DROP TABLE t",
        "ALTER TABLE t ADD COLUMN x",
        "CREATE TABLE x (a)",
        "CREATE TEMP TABLE x (a)",
        "CREATE TEMP VIEW x AS SELECT 1",
        "CREATE INDEX i ON t (name)",
        "CREATE VIRTUAL TABLE v USING fts5(a)",
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END",
        "WITH x AS (SELECT 1) DELETE FROM t",
        "WITH x AS (SELECT 1) INSERT INTO t SELECT 9, 'x' FROM x",
        "ATTACH 'other.db' AS other",
        "DETACH main",
        "PRAGMA writable_schema = 1",
        "PRAGMA query_only = 0",
        "PRAGMA journal_mode = delete",
        "VACUUM",
        "VACUUM INTO 'copy.db'",
        "REINDEX",
        "ANALYZE",
        "SAVEPOINT s",
        "SELECT load_extension('x')",
        "EXPLAIN DELETE FROM t",
    ];

    struct File {
        slot: Slot,
        folder: tempfile::TempDir,
    }

    impl File {
        /// A file, opened for SQL of clients, or as the writer of records is.
        fn new(locked: bool) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
                CREATE INDEX by_name ON t (name);
                INSERT INTO t VALUES (1, 'one'), (2, 'two');";
            let (role, prepare): (_, Prepare) = match locked {
                true => (Role::Reader, Arc::new(lock)),
                false => (Role::Writer, Arc::new(functions::register)),
            };
            let slot = Slot::of_new_file(folder.path(), sql, role, prepare);
            Self { slot, folder }
        }

        fn open(&self) -> &Open {
            self.slot.current().unwrap()
        }

        /// Rows and structure, as another connection sees them, and the files beside.
        fn state(&self) -> (String, usize) {
            let connection = Connection::open(self.folder.path().join("t.db")).unwrap();
            let state = "SELECT (SELECT group_concat(id || name) FROM t)
                || (SELECT group_concat(sql) FROM sqlite_schema) || (SELECT count(*) FROM sqlite_temp_schema)";
            let state = connection.query_row(state, [], |row| row.get(0)).unwrap();
            drop(connection);
            (state, self.folder.path().read_dir().unwrap().count())
        }
    }

    #[test]
    fn without_the_guard_the_connection_lets_nothing_be_changed() {
        let file = File::new(true);
        let before = file.state();
        for sql in ATTACKS {
            assert!(file.open().execute_batch(sql).is_err(), "{sql}");
            assert_eq!(file.state(), before, "{sql}");
        }
        // Of several statements the first may be harmless.
        assert!(
            file.open()
                .execute_batch("SELECT 1; DELETE FROM t")
                .is_err()
        );
        assert_eq!(file.state(), before);
        let rows: i64 = file
            .open()
            .query_row("SELECT count(*) FROM t", [], |row| row.get(0))
            .unwrap();
        assert_eq!(rows, 2, "and it can be used afterwards");
    }

    #[test]
    fn without_the_locked_connection_the_guard_lets_nothing_through() {
        let file = File::new(false);
        let before = file.state();
        for sql in ATTACKS {
            for text in [
                sql.to_owned(),
                format!("SELECT 1; {sql}"),
                format!("/* SELECT */ {sql} -- SELECT"),
                format!("SELECT * FROM t) AS q; {sql}; SELECT * FROM (SELECT 1"),
            ] {
                let checked = check(&text, Engine::Sqlite, Binds::NONE);
                if let Ok(checked) = checked {
                    // It would run as it is, on a connection that may write.
                    let _ = file.open().execute_batch(checked.sql());
                    panic!("{text}: {}", checked.sql());
                }
            }
        }
        assert_eq!(file.state(), before);
    }

    #[test]
    fn with_neither_a_query_still_ends_in_time_and_leaves_the_connection_usable() {
        for endless in [
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)
             SELECT count(*) FROM n a, n b, n c",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n ORDER BY random()",
        ] {
            let file = File::new(false);
            let deadline = Instant::now() + Duration::from_millis(100);
            file.slot.limiter().set(Some(deadline), None);
            let ended = file
                .open()
                .query_row(endless, [], |row| row.get::<_, i64>(0))
                .unwrap_err();
            assert_eq!(
                ended.sqlite_error_code(),
                Some(ErrorCode::OperationInterrupted),
                "{endless}"
            );
            file.slot.limiter().lift();
            let one: i64 = file
                .open()
                .query_row("SELECT ?1", params![1], |row| row.get(0))
                .unwrap();
            assert_eq!(one, 1);
        }
    }

    #[test]
    fn a_query_ends_in_time_inside_of_every_function() {
        let a = "printf('%.*c', 8000000, 'a')";
        let short = "printf('%.*c', 3000000, 'a') || 'b'";
        let file = File::new(true);
        for sql in [
            format!("instr({a}, {short})"),
            format!("length(replace({a}, {short}, 'x'))"),
            format!("length(trim({a}, {short}))"),
            format!("length(ltrim({a}, {short}))"),
            format!("{a} LIKE '%' || printf('%.*c', 40000, 'a') || 'b'"),
            format!("{a} GLOB '*' || printf('%.*c', 40000, 'a') || 'b'"),
            format!("{a} LIKE printf('%.*c', 40000, '%') || 'b'"),
            format!("length(hex({a}))"),
            format!("length(quote({a}))"),
            format!("svc_icontains({a}, {short})"),
            format!("length(soundex({a}))"),
            "length(printf('%,.*f', 10000000, 1.5))".to_owned(),
            format!("json_valid('[' || {a} || ']')"),
            format!("length(json_array({a}))"),
            format!("length(upper({a}) || lower({a}))"),
            format!("(SELECT length(group_concat(x)) FROM (SELECT {a} AS x UNION ALL SELECT {a}))"),
            format!("(SELECT count(*) FROM json_each('[' || replace({a}, 'a', '1,') || '1]'))"),
        ] {
            // Enough for what is linear, in a build without optimisation too, and a hundredth of what is not.
            let begun = Instant::now();
            file.slot
                .limiter()
                .set(Some(begun + Duration::from_secs(2)), None);
            let ended = file
                .open()
                .query_row(&format!("SELECT {sql}"), [], |row| row.get::<_, i64>(0));
            file.slot.limiter().lift();
            let took = begun.elapsed();
            assert!(took < Duration::from_secs(20), "{sql}: {took:?} {ended:?}");
        }
    }

    #[test]
    fn no_text_or_blob_of_a_query_grows_without_end() {
        let file = File::new(true);
        for sql in [
            "SELECT hex(zeroblob(1000000000))",
            "SELECT length(replace(hex(zeroblob(10000000)), '0', 'aaaaaaaaaaaaaaaaaaaa'))",
            "SELECT printf('%1000000000d', 1)",
            "WITH RECURSIVE n(t) AS (SELECT 'x' UNION ALL SELECT t || t FROM n) SELECT max(length(t)) FROM n",
        ] {
            let mut statement = file.open().prepare(sql);
            let ended = statement
                .as_mut()
                .map(|statement| statement.query_row([], |row| row.get::<_, i64>(0)));
            let refused = match ended {
                Ok(Err(error)) => error,
                Err(_) => continue,
                Ok(Ok(length)) => panic!("{sql}: {length}"),
            };
            assert!(about_the_query(&refused).is_some(), "{sql}: {refused}");
        }
    }
}
