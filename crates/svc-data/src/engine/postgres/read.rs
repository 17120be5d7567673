//! Lists and single records, read from PostgreSQL.

use std::{sync::Arc, time::Duration};

use deadpool_postgres::Transaction;
use futures_util::{Stream, StreamExt as _};
use tokio_postgres::{GenericClient, IsolationLevel, Row, Statement as Prepared};

use super::{
    connect::Lease,
    fault,
    select::{Bound, PostgresDialect, Statement},
    value,
};
use crate::{
    Error, ErrorKind, Model, Result,
    engine::{counts::Counts, server::Page},
    plan::ListPlan,
    query::{PageQuery, PageWriter},
    record::{Counted, Part},
};

/// Up to how many rows a page is read in one go. A larger one is fetched in portions, so that no more of it is
/// sent than is used.
const DIRECT: usize = 200;
/// How many rows the first portion has, and a later one at most.
const PORTION: (i32, i32) = (64, 2_000);
/// How many bytes of rows a portion is meant to have.
const PORTION_SIZE: usize = 512 << 10;

/// A list as statements.
pub(super) type ListQuery = crate::engine::statement::ListQuery<Bound>;

/// The counts that are known, and whether the server can say what state of the database they belong to.
pub(super) struct Known {
    counts: Counts<String>,
    has_snapshots: bool,
}

impl Known {
    pub(super) fn new(has_snapshots: bool) -> Self {
        Self {
            counts: Counts::new(),
            has_snapshots,
        }
    }

    /// Whether the count of a list may be known from before.
    fn remembers(&self, list: &ListQuery) -> bool {
        list.count.is_some() && list.query.count_stays && self.has_snapshots
    }
}

/// What is set on connections for records: a statement that waits for a lock leaves its connection to others long
/// before it would time out.
pub(super) fn settings(timeout: Duration) -> String {
    format!("SET lock_timeout = {}", (timeout / 3).as_millis().max(1))
}

/// What identifies the state of the database that a statement sees: which transactions have ended by then. A standby does not
/// know that of all.
const SNAPSHOT: &str = "SELECT CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_current_snapshot()::text END";

/// Turns the plan of a list into statements. There is no limit of values: a list of them is one.
pub(super) fn list_query(model: &Arc<Model>, plan: ListPlan) -> Result<ListQuery> {
    ListQuery::new(&PostgresDialect, model, plan, usize::MAX)
}

/// Runs a list.
pub(super) async fn list(lease: &mut Lease, list: &ListQuery, known: &Known) -> Result<Part> {
    let mut page = PageWriter::new(&list.query);
    let snapshot = match list.query.limit <= DIRECT {
        true => read_at_once(lease, list, known, &mut page).await?,
        false => {
            read_in_portions(lease, list, &mut page).await?;
            None
        }
    };
    counted(lease, list, known, page.finish(), snapshot).await
}

/// A page with the number of records that match, if they are to be counted; `snapshot` is the state of the database that it has.
pub(super) async fn counted(
    lease: &mut Lease,
    list: &ListQuery,
    known: &Known,
    mut part: Part,
    snapshot: Option<String>,
) -> Result<Part> {
    if let Some(statement) = list.prove_count(&mut part) {
        part.count = count(lease, list, statement, known, snapshot).await?;
    }
    Ok(part)
}

/// Whether a list may be read on a connection that other reads share: by one statement that reads what is stored, with a count that may
/// be known.
pub(super) fn fits_pipeline(list: &ListQuery, known: &Known) -> bool {
    let is_short = list.pages.len() == 1 && list.query.limit <= DIRECT && list.query.count_stays;
    is_short && (list.count.is_none() || known.remembers(list)) && !list.is_estimated()
}

/// Reads the page of such a list.
pub(super) async fn page_in_pipeline(
    lease: &Lease,
    list: &ListQuery,
    known: &Known,
) -> Result<Page> {
    let mut page = PageWriter::new(&list.query);
    let (prepared, state) = prepare(lease, list, known).await?;
    let snapshot = read_pages(&**lease.client()?, list, &prepared, state, &mut page).await?;
    let mut part = page.finish();
    if part.has_more && part.len < list.query.limit {
        return Ok(Page::Cut);
    }
    let Some(statement) = list.prove_count(&mut part) else {
        return Ok(Page::Whole(part));
    };
    let count = snapshot.as_ref();
    let count = count.and_then(|snapshot| known.counts.get(snapshot, &statement.key()));
    Ok(match count {
        Some(count) => {
            part.count = Some(Counted::exact(count));
            Page::Whole(part)
        }
        None => Page::Uncounted(part, snapshot),
    })
}

/// Reads the page, and in the same breath the state of the database where a count may be known.
async fn read_at_once(
    lease: &mut Lease,
    list: &ListQuery,
    known: &Known,
    page: &mut PageWriter<'_>,
) -> Result<Option<String>> {
    let (prepared, state) = prepare(lease, list, known).await?;
    if list.pages.len() == 1 {
        return read_pages(&**lease.client()?, list, &prepared, state, page).await;
    }
    // What is read may write, such as a view of a function that does.
    let view = one_view(lease, false).await?;
    let snapshot = read_pages(&*view, list, &prepared, state, page).await?;
    view.commit().await.map_err(fault::translate)?;
    Ok(snapshot)
}

/// The statements of the pages, and the one that asks for the state of the database where a count may be known.
async fn prepare(
    lease: &Lease,
    list: &ListQuery,
    known: &Known,
) -> Result<(Vec<Prepared>, Option<Prepared>)> {
    let mut prepared = Vec::with_capacity(list.pages.len());
    for statement in &list.pages {
        prepared.push(lease.prepare(&statement.sql).await?);
    }
    let state = match known.remembers(list) {
        true => Some(lease.prepare(SNAPSHOT).await?),
        false => None,
    };
    Ok((prepared, state))
}

/// A transaction whose statements see the same state of the database.
async fn one_view(lease: &mut Lease, read_only: bool) -> Result<Transaction<'_>> {
    let transaction = lease
        .client_mut()?
        .build_transaction()
        .read_only(read_only)
        .isolation_level(IsolationLevel::RepeatableRead);
    transaction.start().await.map_err(fault::translate)
}

async fn read_pages(
    client: &impl GenericClient,
    list: &ListQuery,
    prepared: &[Prepared],
    mut state: Option<Prepared>,
    page: &mut PageWriter<'_>,
) -> Result<Option<String>> {
    let mut snapshot = None;
    for (statement, prepared) in list.pages.iter().zip(prepared) {
        let rows = client.query_raw(prepared, &statement.values);
        let rows = match state.take() {
            Some(state) => {
                // The state is asked for first, so that the count is not older than the page.
                let (state, rows) = tokio::join!(client.query_one(&state, &[]), rows);
                let state = state.map_err(fault::translate)?;
                snapshot = state.try_get(0).map_err(fault::translate)?;
                rows
            }
            None => rows.await,
        };
        let rows = std::pin::pin!(rows.map_err(fault::translate)?);
        if write(page, &list.query, rows).await?.is_full {
            break;
        }
    }
    Ok(snapshot)
}

async fn read_in_portions(
    lease: &mut Lease,
    list: &ListQuery,
    page: &mut PageWriter<'_>,
) -> Result<()> {
    let mut prepared = Vec::with_capacity(list.pages.len());
    for statement in &list.pages {
        prepared.push(lease.prepare(&statement.sql).await?);
    }
    let transaction = one_view(lease, true).await?;
    'pages: for (statement, prepared) in list.pages.iter().zip(&prepared) {
        let portal = transaction
            .bind_raw(prepared, &statement.values)
            .await
            .map_err(fault::translate)?;
        let (mut portion, most) = PORTION;
        loop {
            let rows = transaction.query_portal_raw(&portal, portion).await;
            let rows = std::pin::pin!(rows.map_err(fault::translate)?);
            let before = page.written();
            let written = write(page, &list.query, rows).await?;
            if written.is_full {
                break 'pages;
            }
            if written.rows < portion {
                break;
            }
            let bytes = (page.written() - before) / usize::try_from(portion).unwrap_or(1);
            let fitting = PORTION_SIZE / bytes.max(1);
            portion = i32::try_from(fitting).unwrap_or(most).clamp(1, most);
        }
    }
    transaction.commit().await.map_err(fault::translate)
}

/// How many records match: known from before, counted, or estimated where that will do.
async fn count(
    lease: &mut Lease,
    list: &ListQuery,
    statement: &Statement,
    known: &Known,
    snapshot: Option<String>,
) -> Result<Option<Counted>> {
    if list.is_estimated()
        && let Some(estimate) = estimate(lease, list).await?
    {
        return Ok(Some(estimate));
    }
    let key = statement.key();
    if let Some(snapshot) = &snapshot
        && let Some(count) = known.counts.get(snapshot, &key)
    {
        return Ok(Some(Counted::exact(count)));
    }
    let mut statement = statement.clone();
    let remembers = known.remembers(list);
    if remembers {
        // The state that the count itself sees.
        statement.sql = format!("SELECT ({}), ({SNAPSHOT})", statement.sql);
    }
    let row = match list.counting_time() {
        None => one(lease, &statement).await?,
        Some(time) => match one_within(lease, &statement, time).await {
            Err(error) if error.kind() == ErrorKind::Timeout => return estimate(lease, list).await,
            row => row?,
        },
    };
    let row = row.ok_or_else(|| Error::internal("a count gave no row"))?;
    let count: i64 = row.try_get(0).map_err(fault::translate)?;
    let count = count.unsigned_abs();
    if remembers && let Some(snapshot) = row.try_get(1).map_err(fault::translate)? {
        known.counts.keep(snapshot, &key, count);
    }
    Ok(Some(Counted::exact(count)))
}

/// The first row of a statement that may run only so long.
async fn one_within(
    lease: &mut Lease,
    statement: &Statement,
    time: Duration,
) -> Result<Option<Row>> {
    let prepared = lease.prepare(&statement.sql).await?;
    let transaction = lease.client_mut()?.transaction();
    // Dropped, it is rolled back.
    let transaction = transaction.await.map_err(fault::translate)?;
    let limit = format!("SET LOCAL statement_timeout = {}", time.as_millis());
    let limited = transaction.batch_execute(&limit).await;
    limited.map_err(fault::translate)?;
    let rows = transaction.query_raw(&prepared, &statement.values).await;
    let mut rows = std::pin::pin!(rows.map_err(fault::translate)?);
    let mut first = None;
    while let Some(row) = rows.next().await {
        first.get_or_insert(row.map_err(fault::translate)?);
    }
    transaction.commit().await.map_err(fault::translate)?;
    Ok(first)
}

struct Written {
    rows: i32,
    is_full: bool,
}

/// Writes rows of a page.
async fn write(
    page: &mut PageWriter<'_>,
    query: &PageQuery,
    mut rows: impl Stream<Item = Result<Row, tokio_postgres::Error>> + Unpin,
) -> Result<Written> {
    let mut written = Written {
        rows: 0,
        is_full: false,
    };
    while let Some(row) = rows.next().await {
        let row = row.map_err(fault::translate)?;
        written.is_full = page.is_full();
        if written.is_full {
            break;
        }
        written.rows += 1;
        page.write::<_, Error>(&row, || {
            let positions = query.key_positions.iter();
            positions.map(|at| value::key(&row, *at)).collect()
        })?;
    }
    Ok(written)
}

/// How many rows the planner expects to match.
async fn estimate(lease: &Lease, list: &ListQuery) -> Result<Option<Counted>> {
    let Some(expected) = &list.expected else {
        return Ok(None);
    };
    let explain = Statement {
        sql: format!("EXPLAIN {}", expected.sql),
        values: expected.values.clone(),
    };
    let Some(row) = one(lease, &explain).await? else {
        return Ok(None);
    };
    // Of the first step of the plan: `Seq Scan on t  (cost=0.00..35.50 rows=2550 width=4)`.
    let plan: String = row.try_get(0).map_err(fault::translate)?;
    let rows = plan.split_once(" rows=").and_then(|(_, rest)| {
        let (rows, _) = rest.split_once(' ')?;
        rows.parse().ok()
    });
    Ok(rows.map(Counted::estimate))
}

/// The first row of a statement.
pub(super) async fn one(lease: &Lease, statement: &Statement) -> Result<Option<Row>> {
    let prepared = lease.prepare(&statement.sql).await?;
    let rows = lease.client()?.query_raw(&prepared, &statement.values);
    let mut rows = std::pin::pin!(rows.await.map_err(fault::translate)?);
    let mut first = None;
    while let Some(row) = rows.next().await {
        first.get_or_insert(row.map_err(fault::translate)?);
    }
    Ok(first)
}
