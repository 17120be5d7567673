//! A transaction on the server: its statements are sent together where nothing has to be known in between.

use std::{
    mem,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use futures_util::{
    TryStreamExt as _,
    future::{join_all, try_join_all},
};
use tokio::{runtime::Handle, time::timeout};
use tokio_postgres::{Client, Statement};

use super::{
    Lease, Server, TIMEOUT, Wording, listen, reworded, translate,
    value::{Param, Read},
};
use crate::{
    Error, Result,
    database::{Connection, Row, Value},
};

/// What those that write wait for. The number is that of nobody else.
const WRITING: &str = "SELECT pg_catalog.pg_advisory_xact_lock(6079174263128)";
/// A process that is paused in the middle of a write, or cut off, would keep all others waiting: the server ends its transaction
/// before they give up, which they do by the timeout of statements.
const BEGIN_WRITE: &str =
    "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '2500ms'; SET LOCAL lock_timeout = 0";
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// A statement that fails takes back itself alone, as it does on SQLite.
const SAVEPOINT: &str = "statement";
/// How many sets of values are sent before their answers are waited for.
const MANY: usize = 256;

/// A transaction, on the thread where its work runs.
pub(super) struct Session<'a> {
    server: &'a Server,
    lease: Lease,
    handle: Handle,
    writes: bool,
    has_begun: bool,
    has_savepoint: bool,
    /// Whether the others are to hear of the change.
    announces: bool,
    /// What goes with the commit: statements, each with its sets of values.
    at_end: Vec<(String, Vec<Vec<Value>>)>,
    /// Whether one of these failed, so that nothing may be kept.
    has_failed: bool,
}

/// What a statement gave.
#[derive(Default)]
struct Answer {
    rows: Vec<tokio_postgres::Row>,
    changed: u64,
}

/// A request that is sent at once. Its answer wakes nobody: it is there when that of a later request is.
fn sent<T>(request: impl Future<Output = T>) -> impl Future<Output = T> {
    let mut request = Box::pin(request);
    let first = request
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()));
    async move {
        match first {
            Poll::Ready(answer) => answer,
            Poll::Pending => request.await,
        }
    }
}

/// Runs a statement with a set of values.
async fn ask(
    client: &Client,
    prepared: &Statement,
    set: &[Value],
) -> Result<Answer, tokio_postgres::Error> {
    let rows = client.query_raw(prepared, set.iter().map(Param)).await?;
    let mut rows = std::pin::pin!(rows);
    let mut all = Vec::new();
    while let Some(row) = rows.try_next().await? {
        all.push(row);
    }
    let changed = rows.rows_affected().unwrap_or(0);
    Ok(Answer { rows: all, changed })
}

impl<'a> Session<'a> {
    pub(super) fn new(server: &'a Server, lease: Lease, handle: Handle, writes: bool) -> Self {
        Self {
            server,
            lease,
            handle,
            writes,
            has_begun: false,
            has_savepoint: false,
            announces: false,
            at_end: Vec::new(),
            has_failed: false,
        }
    }

    /// Runs a statement with each of these sets of values, behind those that were to go with the commit.
    fn run(&mut self, sql: &str, sets: &[&[Value]], is_write: bool) -> Result<Answer> {
        self.run_at_end()?;
        self.run_now(sql, sets, is_write)
    }

    /// Runs what was to go with the commit.
    fn run_at_end(&mut self) -> Result<()> {
        for (sql, sets) in mem::take(&mut self.at_end) {
            let sets: Vec<&[Value]> = sets.iter().map(Vec::as_slice).collect();
            let done = self.run_now(&sql, &sets, true);
            self.has_failed |= done.is_err();
            done?;
        }
        Ok(())
    }

    /// Runs a statement. What has to be said before goes with it, without waiting for an answer in between.
    fn run_now(&mut self, sql: &str, sets: &[&[Value]], is_write: bool) -> Result<Answer> {
        if is_write {
            refuse_nul(sets.iter().copied().flatten())?;
        }
        let sql = to_postgres(sql, self.server.wording);
        // Before anything is said: a statement that cannot be read changes nothing.
        let prepared = self.lease.prepare(&sql);
        let prepared = match self.handle.block_on(in_time(prepared)) {
            Ok(prepared) => prepared,
            Err(error) => {
                if self.has_savepoint {
                    self.back_to_savepoint()?;
                }
                return Err(error);
            }
        };
        let before = self.before(is_write);
        let mut is_prepared = true;
        let lease = &self.lease;
        let work = async {
            let client = lease.client()?;
            let ask = try_join_all(sets.iter().map(|set| ask(client, &prepared, set)));
            let answers = match before.is_empty() {
                true => ask.await,
                false => {
                    let begin = sent(client.batch_execute(&before));
                    let answers = ask.await;
                    let begun = begin.await;
                    is_prepared = begun.is_ok();
                    begun.and(answers)
                }
            };
            answers.map_err(translate)
        };
        let done = self.handle.block_on(in_time(work));
        // Without the savepoint the whole transaction has failed.
        if done.is_err() && is_prepared && self.has_savepoint && is_write {
            self.back_to_savepoint()?;
        }
        let add = |mut all: Answer, answer: Answer| {
            all.changed += answer.changed;
            all.rows.extend(answer.rows);
            all
        };
        Ok(done?.into_iter().reduce(add).unwrap_or_default())
    }

    /// What has to be said before the next statement.
    fn before(&mut self, is_write: bool) -> String {
        let mut before = Vec::new();
        if !self.has_begun {
            self.has_begun = true;
            match self.writes {
                true => before.extend([BEGIN_WRITE.to_owned(), WRITING.to_owned()]),
                false => before.push(BEGIN_READ.to_owned()),
            }
        }
        if self.writes && is_write {
            if self.has_savepoint {
                before.push(format!("RELEASE SAVEPOINT {SAVEPOINT}"));
            }
            self.has_savepoint = true;
            before.push(format!("SAVEPOINT {SAVEPOINT}"));
        }
        before.join("; ")
    }

    fn back_to_savepoint(&self) -> Result<()> {
        let client = self.lease.client()?;
        let back = format!("ROLLBACK TO SAVEPOINT {SAVEPOINT}");
        let back = client.batch_execute(&back);
        let back = async { back.await.map_err(translate) };
        self.handle.block_on(in_time(back))
    }

    /// The statements that go with the commit, prepared. They have no savepoint: where one fails, nothing is kept.
    fn prepare_at_end(&mut self) -> Result<Vec<(Statement, Vec<Vec<Value>>)>> {
        let begin = match self.at_end.is_empty() {
            true => String::new(),
            false => self.before(false),
        };
        let (wording, lease) = (self.server.wording, &self.lease);
        let at_end = mem::take(&mut self.at_end);
        self.handle.block_on(in_time(async {
            if !begin.is_empty() {
                let client = lease.client()?;
                client.batch_execute(&begin).await.map_err(translate)?;
            }
            let mut prepared = Vec::with_capacity(at_end.len());
            for (sql, sets) in at_end {
                prepared.push((lease.prepare(&to_postgres(&sql, wording)).await?, sets));
            }
            Ok(prepared)
        }))
    }

    /// Ends the transaction as its work has ended, and gives the connection back.
    pub(super) fn end<T, E: From<Error>>(mut self, done: Result<T, E>) -> Result<T, E> {
        let at_end = match done {
            Ok(_) if self.has_failed => Err(Error::internal("a statement of the commit failed")),
            Ok(_) => self.prepare_at_end(),
            Err(_) => Ok(Vec::new()),
        };
        let (done, at_end) = match at_end {
            Ok(at_end) => (done, at_end),
            Err(error) => (done.and(Err(error.into())), Vec::new()),
        };
        let Self {
            server,
            lease,
            handle,
            writes,
            has_begun,
            announces,
            ..
        } = self;
        if !has_begun {
            // Nothing was asked.
            let _ = lease.give_back(Ok(()));
            return done;
        }
        let keeps = writes && done.is_ok();
        let end = match (keeps, announces) {
            (true, true) => listen::ANNOUNCED_COMMIT,
            (true, false) => "COMMIT",
            (false, _) => "ROLLBACK",
        };
        let end = async move {
            let ended = in_time(async {
                let client = lease.client()?;
                let asks = at_end.iter().flat_map(|(prepared, sets)| {
                    sets.iter().map(move |set| sent(ask(client, prepared, set)))
                });
                let asks: Vec<_> = asks.collect();
                // Where a statement fails, the server does not commit.
                let ended = client.batch_execute(end).await;
                let mut asked = join_all(asks).await.into_iter();
                let asked = asked.try_for_each(|answer| answer.map(drop));
                let done = asked.and(ended).map_err(translate);
                if done.is_err() && keeps {
                    // What comes before the commit may have failed too.
                    client.batch_execute("ROLLBACK").await.map_err(translate)?;
                }
                done
            });
            let ended = ended.await;
            lease.give_back(ended)
        };
        if keeps {
            let ended = handle.block_on(end);
            if announces {
                // Also where it is not known whether it was done.
                server.changes.note();
            }
            ended?;
        } else {
            // Nobody has to wait for it. What fails closes the connection, which ends the transaction too.
            handle.spawn(async { drop(end.await) });
        }
        done
    }
}

/// Refuses values that the server cannot keep.
fn refuse_nul<'v>(mut values: impl Iterator<Item = &'v Value>) -> Result<()> {
    match values.any(|value| matches!(value, Value::Text(text) if text.contains('\0'))) {
        true => Err(Error::invalid(
            "a text holds the character U+0000, which PostgreSQL cannot keep; leave it out",
        )),
        false => Ok(()),
    }
}

/// Waits for the server, but not for long.
async fn in_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let late = |_| Err(Error::unavailable("the database does not answer"));
    timeout(TIMEOUT, work).await.unwrap_or_else(late)
}

impl Connection for Session<'_> {
    fn announce(&mut self) {
        self.announces = true;
    }

    fn execute(&mut self, sql: &str, params: &[Value]) -> Result<u64> {
        Ok(self.run(sql, &[params], true)?.changed)
    }

    fn execute_at_end(
        &mut self,
        sql: &str,
        rows: &mut dyn Iterator<Item = Vec<Value>>,
    ) -> Result<()> {
        let sets: Vec<Vec<Value>> = rows.take(MANY).collect();
        refuse_nul(sets.iter().flatten())?;
        let kept: usize = self.at_end.iter().map(|(_, sets)| sets.len()).sum();
        if kept + sets.len() > MANY {
            self.run_at_end()?;
        }
        self.at_end.push((sql.to_owned(), sets));
        // What is left is too much to be sent without waiting.
        self.execute_many(sql, rows).map(drop)
    }

    fn query(&mut self, sql: &str, params: &[Value]) -> Result<Vec<Row>> {
        let rows = self.run(sql, &[params], false)?.rows;
        let Some(first) = rows.first() else {
            return Ok(Vec::new());
        };
        let columns = first
            .columns()
            .iter()
            .map(|column| column.name().to_owned());
        let columns: Arc<[String]> = columns.collect();
        let rows = rows.iter().map(|row| {
            let values = (0..row.len()).map(|index| {
                let Read(value) = row.try_get(index).map_err(translate)?;
                Ok(value)
            });
            Ok(Row::new(
                Arc::clone(&columns),
                values.collect::<Result<_>>()?,
            ))
        });
        rows.collect()
    }

    fn read_text(
        &mut self,
        sql: &str,
        params: &[Value],
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<bool> {
        let rows = self.run(sql, &[params], false)?.rows;
        let Some(row) = rows.first() else {
            return Ok(false);
        };
        take(row.try_get::<_, &str>(0).map_err(translate)?.as_bytes());
        Ok(true)
    }

    fn execute_many(
        &mut self,
        sql: &str,
        rows: &mut dyn Iterator<Item = Vec<Value>>,
    ) -> Result<u64> {
        let mut changed = 0;
        loop {
            let sets: Vec<Vec<Value>> = rows.take(MANY).collect();
            if sets.is_empty() {
                return Ok(changed);
            }
            let sets: Vec<&[Value]> = sets.iter().map(Vec::as_slice).collect();
            changed += self.run(sql, &sets, true)?.changed;
        }
    }
}

/// A statement as PostgreSQL reads it: placeholders are `$1`, not `?1`.
fn to_postgres(sql: &str, wording: Wording) -> String {
    let sql = reworded(sql, wording);
    let mut text = String::with_capacity(sql.len());
    let mut quote = None;
    for c in sql.chars() {
        match (quote, c) {
            (None, '?') => {
                text.push('$');
                continue;
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_numbered_as_the_server_reads_them_and_texts_stay() {
        let wording: Wording = &[("json_object(", "json_build_object(")];
        assert_eq!(
            to_postgres(
                "SELECT '?1', \"a?\", json_object('a', ?2) WHERE b = ?1",
                wording
            ),
            "SELECT '?1', \"a?\", json_build_object('a', $2) WHERE b = $1"
        );
        assert_eq!(
            to_postgres("SELECT 'it''s ?1', ?1", &[]),
            "SELECT 'it''s ?1', $1"
        );
    }
}
