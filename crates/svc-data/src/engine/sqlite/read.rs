//! Lists and single records, read from SQLite.

mod walk;

use std::{sync::Arc, time::Instant};

use rusqlite::{Connection, params_from_iter};

use super::{
    bound::{Bound, keep},
    fault::{Fault, is_too_big},
    lookup::Lookup,
    misfits::Misfits,
    select::{MAX_BOUND, SqliteDialect, Statement},
    session::Session,
    size::{bounded, refuse_large_rows},
};
use crate::{
    Field, Model, RecordJson, Result,
    admission::Work,
    engine::answers::Cells as _,
    engine::statement,
    plan::ListPlan,
    query::{PageWriter, by_key, cursor::KeyValue},
    record::{Counted, Part, Projection, RawValue, no_such_record, raw::too_large_value},
    value::{Scalar, time::Zone},
};

/// A list as statements that can be sent to a reader.
pub(crate) struct ListQuery {
    misfits: Misfits,
    list: statement::ListQuery<Bound>,
    work: Work,
    /// What its only statement is made of, where that was made before for other values.
    lookup: Option<Lookup>,
}

impl ListQuery {
    pub(crate) fn new(model: &Arc<Model>, plan: ListPlan) -> Result<Self> {
        let misfits = Misfits::of(model, plan.test.as_ref())?;
        let list = statement::ListQuery::new(&SqliteDialect, model, plan, MAX_BOUND)?;
        Ok(Self {
            misfits,
            work: list.work(),
            list,
            lookup: None,
        })
    }

    /// A list of the records of a lookup, whose statement is made already.
    pub(super) fn of_lookup(lookup: Lookup) -> Self {
        Self {
            misfits: Misfits::default(),
            list: lookup.list(),
            work: lookup.work(),
            lookup: Some(lookup),
        }
    }

    /// What the list is when it waits for its turn.
    pub(crate) fn work(&self) -> Work {
        self.work
    }

    /// Runs the list on a reader.
    pub(crate) fn run(&self, session: Session<'_>) -> Result<Part, Fault> {
        let query = &self.list.query;
        session.check_version(&query.model)?;
        self.misfits.check(session)?;
        let columns = query.shown.fields.len() + query.keys().len();
        bounded(
            &session,
            columns,
            || self.read(session),
            || {
                // Of what is cut, no more than the beginning is read.
                let excerpt = query.shown.excerpt.as_ref();
                let is_whole = |index: &usize| !excerpt.is_some_and(|it| it.cuts(*index));
                let shown = query.shown.fields.iter().copied().filter(is_whole);
                let shown: Vec<usize> = shown.collect();
                let check =
                    |page| refuse_large_rows(session, &query.model, page, &shown, query.limit);
                match &self.lookup {
                    Some(lookup) => check(&lookup.select()?),
                    None => query.pages.iter().try_for_each(check),
                }
            },
        )
    }

    /// Reads the page, and counts.
    fn read(&self, session: Session<'_>) -> Result<Part, Fault> {
        let query = &self.list.query;
        let mut page = PageWriter::new(query);
        for place in 0..self.list.pages.len() {
            match walk::write(session, &self.list, place, &mut page) {
                Ok(false) => {}
                Ok(true) => break,
                // The row belongs to what follows.
                Err(Fault::Sqlite(error)) if is_too_big(&error) && page.is_full() => break,
                Err(error) => return Err(error),
            }
        }
        let mut part = page.finish();
        if let Some(statement) = self.list.prove_count(&mut part) {
            part.count = self.count(session, statement)?;
        }
        Ok(part)
    }

    /// How many records match: known from before, counted, or estimated where that will do.
    fn count(&self, session: Session<'_>, statement: &Statement) -> Result<Option<Counted>, Fault> {
        let query = &self.list.query;
        let estimate = || {
            let is_all = query.test.is_none() && query.model.scope.is_none();
            let estimate = is_all.then(|| estimate(&session, &query.model.table));
            estimate.flatten().map(Counted::estimate)
        };
        if self.list.is_estimated()
            && let Some(estimate) = estimate()
        {
            return Ok(Some(estimate));
        }
        let count = || -> Result<u64, Fault> {
            let values = params_from_iter(&statement.values);
            let mut prepared = session.prepare_cached(&statement.sql)?;
            let count: i64 = prepared.query_row(values, |row| row.get(0))?;
            Ok(count.unsigned_abs())
        };
        let Some(reader) = session.reader else {
            return Ok(Some(Counted::exact(count()?)));
        };
        // The rows of the page were read in the transaction that this is asked in, so they are of one state.
        let mut pragma = session.prepare_cached("PRAGMA data_version")?;
        let version: u32 = pragma.query_row([], |row| row.get(0))?;
        let key = statement.key();
        if query.count_stays
            && let Some(count) = reader.counts.get(&version, &key)
        {
            return Ok(Some(Counted::exact(count)));
        }
        let counted = match self.list.counting_time() {
            None => count(),
            Some(time) => {
                let turn = reader.limiter.until(Instant::now() + time);
                let counted = count();
                let is_late =
                    matches!(&counted, Err(Fault::Sqlite(error)) if turn.has_ended(error));
                drop(turn);
                if is_late {
                    return Ok(estimate());
                }
                counted
            }
        };
        let count = counted?;
        if query.count_stays {
            reader.counts.keep(version, &key, count);
        }
        Ok(Some(Counted::exact(count)))
    }
}

/// What ANALYZE found of the number of rows, where it has run.
fn estimate(connection: &Connection, table: &str) -> Option<u64> {
    let stat: String = connection
        .prepare_cached(
            "SELECT stat FROM main.sqlite_stat1 WHERE tbl = ?1 ORDER BY idx IS NULL DESC LIMIT 1",
        )
        .and_then(|mut statement| statement.query_row([table], |row| row.get(0)))
        .ok()?;
    stat.split(' ').next()?.parse().ok()
}

/// Reads one record.
pub(crate) fn retrieve(
    session: Session<'_>,
    model: &Model,
    key: &[(usize, Scalar)],
    statement: &Statement,
    shown: &Projection,
) -> Result<RecordJson, Fault> {
    session.check_version(model)?;
    let fields: Vec<usize> = (0..model.fields.len()).collect();
    let found = bounded(
        &session,
        fields.len(),
        || one(session, model, statement, shown),
        // The entity tag is that of the whole record.
        || {
            let select = by_key(&SqliteDialect, model, key)?;
            refuse_large_rows(session, model, &select, &fields, 1)
        },
    )?;
    Ok(found.ok_or_else(|| no_such_record(model))?)
}

/// Reads the value of one field of a record.
pub(crate) fn value(
    session: Session<'_>,
    model: &Model,
    field: &Field,
    statement: &Statement,
    zone: &Zone,
) -> Result<Option<RawValue>, Fault> {
    session.check_version(model)?;
    bounded(
        &session,
        1,
        || {
            let mut prepared = session.prepare_cached(&statement.sql)?;
            let mut rows = prepared.query(params_from_iter(&statement.values))?;
            let row = rows.next()?.ok_or_else(|| no_such_record(model))?;
            Ok(row.value(field, 0, zone)?)
        },
        || Err(too_large_value(model, field).into()),
    )
}

/// Reads what one record has in the columns of an order.
pub(crate) fn place(
    session: Session<'_>,
    model: &Model,
    statement: &Statement,
) -> Result<Vec<KeyValue>, Fault> {
    let mut prepared = session.prepare_cached(&statement.sql)?;
    let columns = prepared.column_count();
    let mut rows = prepared.query(params_from_iter(&statement.values))?;
    let row = rows.next()?.ok_or_else(|| no_such_record(model))?;
    (0..columns)
        .map(|position| Ok(keep(row.get_ref(position)?)))
        .collect()
}

/// Reads the record that a statement over all fields returns.
pub(crate) fn one(
    session: Session<'_>,
    model: &Model,
    statement: &Statement,
    shown: &Projection,
) -> Result<Option<RecordJson>, Fault> {
    let mut prepared = session.prepare_cached(&statement.sql)?;
    let mut rows = prepared.query(params_from_iter(&statement.values))?;
    Ok(match rows.next()? {
        Some(row) => Some(row.record(&model.fields, shown)?),
        None => None,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rusqlite::StatementStatus;
    use svc_model::{ListQuery as Query, Lookup};

    use super::*;
    use crate::engine::sqlite::{connection::Role, test_file::File};

    impl File {
        fn new(folder: &Path) -> Self {
            let sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, status TEXT, at DATETIME NOT NULL, code TEXT UNIQUE NOT NULL);
                CREATE INDEX by_status ON t (status, at);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                INSERT INTO t SELECT i, CASE WHEN i % 5 THEN 's' || (i % 3) END, '2026-01-01 00:00:' || printf('%02d', i % 60), i FROM n;
                ANALYZE;";
            Self::of(folder, sql, Role::DirectReader)
        }

        /// A list of the records of `t`.
        pub(super) fn list(&self, query: &Query, change: impl Fn(&mut ListPlan)) -> ListQuery {
            let model = self.structure.model("t").unwrap();
            let mut plan = ListPlan::resolve(&self.structure, model, query).unwrap();
            change(&mut plan);
            ListQuery::new(model, plan).unwrap()
        }

        /// Reads at most so many pages, one after the other, and returns the number of their records. `change` changes
        /// the plan of each, and `look` gets how SQLite means to run its statements.
        fn read(
            &self,
            mut query: Query,
            pages: usize,
            change: impl Fn(&mut ListPlan),
            look: impl Fn(&Query, Vec<String>),
        ) -> usize {
            let session = self.session();
            let mut seen = 0;
            for _ in 0..pages {
                let list = self.list(&query, &change);
                look(&query, plans(&session, &list));
                let part = list.run(session).unwrap();
                seen += part.len;
                query.after = part.after;
                if query.after.is_none() {
                    break;
                }
            }
            seen
        }

        fn count(&self, sql: &str) -> usize {
            let count: i64 = self.session().query_row(sql, [], |row| row.get(0)).unwrap();
            usize::try_from(count).unwrap()
        }
    }

    /// How SQLite means to run the statements of a page.
    fn plans(connection: &Connection, list: &ListQuery) -> Vec<String> {
        list.list
            .pages
            .iter()
            .map(|statement| {
                let mut explain = connection
                    .prepare(&format!("EXPLAIN QUERY PLAN {}", statement.sql))
                    .unwrap();
                let lines: Vec<String> = explain
                    .query_map(params_from_iter(&statement.values), |row| row.get(3))
                    .unwrap()
                    .map(Result::unwrap)
                    .collect();
                lines.join("; ")
            })
            .collect()
    }

    #[test]
    fn the_statement_that_is_made_once_for_keys_that_are_numbers_is_that_of_each_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::new(folder.path());
        let model = file.structure.model("t").unwrap();
        let all = Statement::all_fields(&SqliteDialect, model).unwrap();
        assert!(all.by_number.is_some());
        for number in [7, -1, i64::MIN] {
            let key = [(0, Scalar::Integer(number))];
            let made = Statement::of_record(&SqliteDialect, model, &key).unwrap();
            let select = by_key(&SqliteDialect, model, &key).unwrap().limit(1).take();
            let written = Statement::select(&select);
            assert_eq!((made.sql, made.values), (written.sql, written.values));
        }
    }

    #[test]
    fn a_page_that_goes_on_does_not_sort_its_records_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::new(folder.path());
        let query = Query::new()
            .per_page(7)
            .filter("status", Lookup::In, ["s0", "s1"]);
        let seen = file.read(
            query,
            usize::MAX,
            |plan| plan.continues = plan.after.is_some(),
            |query, plans| {
                let sorts = plans.iter().any(|plan| plan.contains("TEMP B-TREE"));
                assert!(query.after.is_none() || !sorts, "{plans:?}");
            },
        );
        let all = "SELECT count(*) FROM t WHERE status IN ('s0', 's1')";
        assert_eq!(seen, file.count(all));
    }

    #[test]
    fn records_of_known_keys_are_looked_up_by_these_and_not_by_the_filter_or_the_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::new(folder.path());
        for order in ["status", "-at", "code", "id"] {
            let query = Query::new().per_page(3).order_by(order);
            let seen = file.read(
                query.filter("status", Lookup::In, ["s0", "s1"]),
                usize::MAX,
                |plan| {
                    let keys = (1..=40).map(Scalar::Integer).collect();
                    plan.among = Some(crate::plan::Test::In(0, keys));
                },
                |_, plans| {
                    let looks_up =
                        |plan: &String| plan.contains("USING INTEGER PRIMARY KEY (rowid=?)");
                    assert!(plans.iter().any(looks_up), "{order}: {plans:?}");
                },
            );
            let all = "SELECT count(*) FROM t WHERE status IN ('s0', 's1') AND id <= 40";
            assert_eq!(seen, file.count(all));
        }
    }

    /// How many steps of its virtual machine SQLite takes for the statements of a page.
    fn steps(connection: &Connection, list: &ListQuery) -> i32 {
        let taken = list.list.pages.iter().map(|statement| {
            let mut prepared = connection.prepare(&statement.sql).unwrap();
            let mut rows = prepared.query(params_from_iter(&statement.values)).unwrap();
            while rows.next().unwrap().is_some() {}
            drop(rows);
            prepared.get_status(StatementStatus::VmStep)
        });
        taken.sum()
    }

    #[test]
    fn a_page_begins_at_its_cursor_where_a_filter_bounds_the_order_too() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::new(folder.path());
        for (order, field, lookup, bound) in [
            ("code", "code", Lookup::Gte, "1"),
            ("-code", "code", Lookup::Lt, "9999"),
            ("id", "id", Lookup::Gt, "1"),
            ("-id", "id", Lookup::Lte, "499"),
            ("status,at", "status", Lookup::Gte, "s0"),
        ] {
            let mut query = Query::new().per_page(10).filter(field, lookup, bound);
            for part in order.split(',') {
                query = query.order_by(part);
            }
            let session = file.session();
            let (mut second, mut last) = (None, 0);
            loop {
                let list = file.list(&query, |_| {});
                if query.after.is_some() {
                    last = steps(&session, &list);
                    second.get_or_insert(last);
                }
                query.after = list.run(session).unwrap().after;
                if query.after.is_none() {
                    break;
                }
            }
            let second = second.expect(order);
            assert!(last < second * 2, "{order}: {second} and {last}");
        }
    }

    #[test]
    fn the_rows_behind_a_cursor_are_found_by_an_index_whatever_page_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::new(folder.path());
        for order in ["", "-at", "status,at", "-status,-at", "status,-at", "code"] {
            let mut query = Query::new().per_page(7);
            for part in order.split(',').filter(|part| !part.is_empty()) {
                query = query.order_by(part);
            }
            let by_index = !["-at", "status,-at"].contains(&order);
            let look = |query: &Query, plans: Vec<String>| {
                for plan in plans {
                    let finds =
                        plan.starts_with("SEARCH t0 USING") && !plan.contains("TEMP B-TREE");
                    assert!(
                        query.after.is_none() || !by_index || finds,
                        "{order}: {plan}"
                    );
                }
            };
            file.read(query, 3, |_| {}, look);
        }
    }
}
