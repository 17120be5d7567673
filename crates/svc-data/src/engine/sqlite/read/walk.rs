//! The rows of a page, which there may be two ways to.
//!
//! Where a filter has an index and the order of a list has another one, SQLite prefers that of the filter: it looks up
//! all records that match and sorts them, for each page again. The other way is to walk through the records in their
//! order and to test each, which is short where many match. Which way is shorter is not known before, so both are tried
//! in turns with more and more steps, and at last the preferred one to its end. So a page takes no more than a few times
//! the shorter way. The next page of the kind begins with the way that was shorter.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

use rusqlite::params_from_iter;

use crate::{
    engine::{
        sqlite::{
            bound::{Bound, keep},
            connection::Open,
            fault::Fault,
            select::{SqliteDialect, Statement},
            session::Session,
            ways::Way,
        },
        statement::ListQuery,
    },
    query::{PageQuery, PageWriter},
};

/// How many steps of the virtual machine a way may take at first for each record of a page, beside one for each
/// column.
const STEPS: usize = 100;
/// How often both ways are tried, and how many times as many steps they may take then.
const GROWTH: [u64; 3] = [1, 4, 16];

/// Writes the rows that a statement of a list returns, and says whether the page is full.
pub(super) fn write(
    session: Session<'_>,
    list: &ListQuery<Bound>,
    place: usize,
    page: &mut PageWriter<'_>,
) -> Result<bool, Fault> {
    let query = &list.query;
    let Some(preferred) = list.pages.get(place) else {
        return Ok(false);
    };
    let (Some(open), Some(_)) = (session.reader, &query.test) else {
        return write_rows(session, query, preferred, page);
    };
    let statement = BuildHasherDefault::<DefaultHasher>::new().hash_one(&preferred.sql);
    let known = || open.ways.known(query.model.structure_version);
    let shorter = known().shorter.get(&statement).copied();
    let walk = match shorter {
        Some(None) => None,
        Some(Some(_)) => walk(list, place)?,
        None => find_walk(session, list, place, preferred)?,
    };
    let Some(walk) = walk else {
        if shorter.is_none() {
            known().shorter.insert(statement, None);
        }
        return write_rows(session, query, preferred, page);
    };
    let mut ways = [(Way::Preferred, preferred), (Way::Walk, &walk)];
    if shorter == Some(Some(Way::Walk)) {
        ways.reverse();
    }
    let (way, is_full) = match write_in_turns(session, open, ways, query, page)? {
        Some(written) => written,
        None => (Way::Preferred, write_rows(session, query, preferred, page)?),
    };
    if shorter != Some(Some(way)) {
        known().shorter.insert(statement, Some(way));
    }
    Ok(is_full)
}

/// Writes the rows in the way that gets to their end first, and says which one that was and whether the page is full.
/// `None` when neither does in the steps that it may take; then nothing is written.
fn write_in_turns(
    session: Session<'_>,
    open: &Open,
    ways: [(Way, &Statement); 2],
    query: &PageQuery,
    page: &mut PageWriter<'_>,
) -> Result<Option<(Way, bool)>, Fault> {
    let begin = page.mark();
    let rows = (query.limit as u64).saturating_add(query.offset);
    let steps = rows.saturating_mul((STEPS + query.shown.fields.len()) as u64);
    for growth in GROWTH {
        for (way, statement) in ways {
            let budget = open.limiter.budget(steps.saturating_mul(growth));
            match write_rows(session, query, statement, page) {
                Ok(is_full) => return Ok(Some((way, is_full))),
                // What only a walk meets is wrong with records that do not match.
                Err(error) if way == Way::Preferred && !budget.is_spent() => return Err(error),
                Err(_) => page.take_back(&begin),
            }
        }
    }
    Ok(None)
}

/// Writes the rows that a statement returns, and says whether the page is full.
fn write_rows(
    session: Session<'_>,
    query: &PageQuery,
    statement: &Statement,
    page: &mut PageWriter<'_>,
) -> Result<bool, Fault> {
    let mut prepared = session.prepare_cached(&statement.sql)?;
    let mut rows = prepared.query(params_from_iter(&statement.values))?;
    while let Some(row) = rows.next()? {
        if page.is_full() {
            return Ok(true);
        }
        page.write(row, || {
            let values = query.key_positions.iter();
            let kept = values.map(|position| row.get_ref(*position).map(keep));
            Ok::<_, Fault>(Some(kept.collect::<rusqlite::Result<_>>()?))
        })?;
    }
    Ok(false)
}

/// The statement at a place of a list as a walk, where there is one that need not sort while the preferred way does.
fn find_walk(
    session: Session<'_>,
    list: &ListQuery<Bound>,
    place: usize,
    preferred: &Statement,
) -> Result<Option<Statement>, Fault> {
    if !sorts(session, preferred)? {
        return Ok(None);
    }
    let walk = walk(list, place)?;
    // Where SQLite cannot run it, it is no way.
    Ok(walk.filter(|walk| sorts(session, walk).is_ok_and(|sorts| !sorts)))
}

fn walk(list: &ListQuery<Bound>, place: usize) -> Result<Option<Statement>, Fault> {
    let select = list.query.walk(&SqliteDialect, place)?;
    Ok(select.map(|select| Statement::select(&select)))
}

/// Whether SQLite means to sort the rows of a statement.
fn sorts(session: Session<'_>, statement: &Statement) -> rusqlite::Result<bool> {
    let mut explain = session.prepare(&format!("EXPLAIN QUERY PLAN {}", statement.sql))?;
    let mut lines = explain.query(params_from_iter(&statement.values))?;
    while let Some(line) = lines.next()? {
        let step: String = line.get("detail")?;
        if step.starts_with("USE TEMP B-TREE FOR ") {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;
    use serde_json::Value;
    use svc_model::{ListQuery as Query, Lookup};

    use super::*;
    use crate::engine::sqlite::{connection::Role, read::ListQuery, test_file::File};

    /// How many records of a page.
    const PAGE: u32 = 10;

    /// A table of so many records. Of `even` there are half of them, of `seldom` one in thirty, of `once` one; `old` are
    /// the first half.
    fn table(folder: &tempfile::TempDir, records: u32) -> File {
        let sql = format!(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, parity TEXT, rate TEXT, age TEXT, at DATETIME, text TEXT);
            CREATE INDEX by_parity ON t (parity, at);
            CREATE INDEX by_rate ON t (rate, at);
            CREATE INDEX by_age ON t (age, at);
            CREATE INDEX by_at ON t (at);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {records})
            INSERT INTO t SELECT i, iif(i % 2, 'odd', 'even'),
                iif(i = {records} / 2, 'once', iif(i % 30, 'often', 'seldom')),
                iif(i * 2 > {records}, 'new', 'old'),
                '2026-01-01 00:00:' || printf('%02d', i * 7 % 60), 'a' FROM n;"
        );
        File::of(folder.path(), &sql, Role::DirectReader)
    }

    fn filter(field: &str, value: &str) -> Query {
        let query = Query::new().per_page(PAGE).count(svc_model::Count::None);
        query.filter(field, Lookup::Exact, value)
    }

    /// Reads all pages of a list, and returns the keys of the records and the steps that each page took.
    fn walk_through(file: &File, mut query: Query) -> (Vec<i64>, Vec<u64>) {
        let session = file.session();
        let limiter = &session.reader.unwrap().limiter;
        let (mut keys, mut steps) = (Vec::new(), Vec::new());
        loop {
            let before = limiter.steps();
            let part = file.list(&query, |_| {}).run(session).unwrap();
            steps.push(limiter.steps() - before);
            let records: Vec<Value> = serde_json::from_slice(&part.results).unwrap();
            keys.extend(records.iter().map(|record| record["id"].as_i64().unwrap()));
            query.after = part.after;
            if query.after.is_none() {
                return (keys, steps);
            }
        }
    }

    /// The keys of the records that SQLite itself finds.
    fn keys(file: &File, sql: &str) -> Vec<i64> {
        let session = file.session();
        let mut statement = session.prepare(sql).unwrap();
        let keys = statement.query_map([], |row| row.get(0)).unwrap();
        keys.map(Result::unwrap).collect()
    }

    /// How many steps a statement takes to its end.
    fn steps(session: Session<'_>, statement: &Statement) -> u64 {
        let mut prepared = session.prepare(&statement.sql).unwrap();
        let mut rows = prepared.query(params_from_iter(&statement.values)).unwrap();
        while rows.next().unwrap().is_some() {}
        drop(rows);
        u64::try_from(prepared.get_status(StatementStatus::VmStep)).unwrap()
    }

    fn walk_of(list: &ListQuery, session: Session<'_>) -> Option<Statement> {
        find_walk(session, &list.list, 0, &list.list.pages[0]).unwrap()
    }

    #[test]
    fn a_page_of_a_filter_that_many_records_match_takes_no_more_steps_where_more_of_them_match() {
        let most = |records: u32| {
            let folder = tempfile::tempdir().unwrap();
            let file = table(&folder, records);
            let (keys, steps) = walk_through(&file, filter("parity", "even"));
            assert_eq!(keys.len(), records as usize / 2);
            let all: u64 = steps.iter().sum();
            (*steps.iter().max().unwrap(), all / steps.len() as u64)
        };
        let (few, many) = (most(1_000), most(20_000));
        assert!(many.0 <= few.0 * 2, "{few:?} {many:?}");
        assert!(many.1 <= few.1 * 2, "{few:?} {many:?}");
    }

    #[test]
    fn a_page_takes_a_few_times_the_steps_of_the_shorter_way_at_most() {
        let folder = tempfile::tempdir().unwrap();
        let file = table(&folder, 20_000);
        let session = file.session();
        let limiter = &session.reader.unwrap().limiter;
        for (field, value) in [
            ("parity", "even"),
            ("rate", "often"),
            ("rate", "seldom"),
            ("rate", "once"),
            ("rate", "never"),
            ("age", "new"),
            ("age", "old"),
        ] {
            for query in [
                filter(field, value),
                filter(field, value).filter("id", Lookup::Gt, "15000"),
                filter(field, value).order_by("at"),
            ] {
                let list = file.list(&query, |_| {});
                let preferred = &list.list.pages[0];
                let walk = walk_of(&list, session);
                let ways = [Some(preferred), walk.as_ref()];
                let shorter = ways.into_iter().flatten().map(|way| steps(session, way));
                let shorter = shorter.min().unwrap();
                for _ in 0..3 {
                    let before = limiter.steps();
                    list.run(session).unwrap();
                    let taken = limiter.steps() - before;
                    assert!(
                        taken <= shorter * 8 + 8 * 1_060,
                        "{field} {value}: {taken}, {shorter}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_pages_have_the_records_of_the_filter_whichever_way_leads_to_them() {
        let folder = tempfile::tempdir().unwrap();
        let file = table(&folder, 3_000);
        for (field, value) in [
            ("parity", "even"),
            ("rate", "seldom"),
            ("rate", "once"),
            ("rate", "never"),
            ("age", "new"),
            ("age", "old"),
        ] {
            for (order, sorted) in [
                ("id", "id"),
                ("-id", "id DESC"),
                ("at", "at, id"),
                ("-at", "at DESC, id DESC"),
            ] {
                let query = filter(field, value).order_by(order);
                let (found, _) = walk_through(&file, query);
                let sql = format!("SELECT id FROM t WHERE {field} = '{value}' ORDER BY {sorted}");
                assert_eq!(found, keys(&file, &sql), "{field} {value} {order}");
            }
        }
    }

    #[test]
    fn there_is_a_walk_only_where_it_spares_a_sort() {
        let folder = tempfile::tempdir().unwrap();
        let file = table(&folder, 100);
        let session = file.session();
        for (query, is_walked) in [
            (filter("parity", "even"), true),
            (filter("parity", "even").order_by("at"), false),
            // No index has this order.
            (filter("parity", "even").order_by("text"), false),
            (
                filter("rate", "seldom").filter("parity", Lookup::Exact, "even"),
                true,
            ),
            (filter("text", "a"), false),
            (filter("id", "5"), false),
            (Query::new(), false),
        ] {
            let list = file.list(&query, |_| {});
            assert_eq!(walk_of(&list, session).is_some(), is_walked, "{query:?}");
        }
    }

    #[test]
    fn a_walk_ends_where_the_filter_bounds_the_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = table(&folder, 20_000);
        let query = filter("parity", "even").filter("id", Lookup::Gt, "19900");
        let walk = walk_of(&file.list(&query, |_| {}), file.session()).unwrap();
        assert!(steps(file.session(), &walk) < 2_000);
        let (keys, _) = walk_through(&file, query);
        assert_eq!(keys.len(), 50);
    }

    #[test]
    fn what_is_wrong_with_a_record_that_does_not_match_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, parity TEXT, doc TEXT);
            CREATE INDEX by_parity ON t (parity, doc);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3001)
            INSERT INTO t (parity, doc)
                SELECT iif(i % 2, 'odd', 'even'), iif(i % 2, 'broken', '{\"kind\":\"whole\"}') FROM n;
            ALTER TABLE t ADD COLUMN kind TEXT AS (json_extract(doc, '$.kind'));";
        let file = File::of(folder.path(), sql, Role::DirectReader);
        let query = filter("kind", "whole").filter("parity", Lookup::Exact, "even");
        let session = file.session();
        let walk = walk_of(&file.list(&query, |_| {}), session).unwrap();
        let mut prepared = session.prepare(&walk.sql).unwrap();
        let mut rows = prepared.query(params_from_iter(&walk.values)).unwrap();
        assert!(rows.next().is_err());
        let (found, _) = walk_through(&file, query);
        let all = "SELECT id FROM t WHERE parity = 'even' ORDER BY id DESC";
        assert_eq!(found, keys(&file, all));
    }

    #[test]
    fn the_next_page_of_the_kind_begins_with_the_way_that_was_shorter() {
        let folder = tempfile::tempdir().unwrap();
        let file = table(&folder, 20_000);
        let (_, steps) = walk_through(&file, filter("parity", "even"));
        let (first, others) = steps.split_first().unwrap();
        // Beside the pages themselves, what is tried in vain for the first one, the second one, and the last one.
        let others: u64 = others.iter().sum();
        assert!(others / 1_000 < 400, "{first} {others}");
    }
}
