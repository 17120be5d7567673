//! Transactions on the store's database: reads, changes, and how changes are declared to the audit trail.

use std::mem;
use std::ops::{Deref, DerefMut};

use jiff::Timestamp;
use svc_data::{Connection, Row, Value};

use super::{Bind, Store, values};
use crate::audit::{AuditEntry, INSERT, tag};
use crate::error::{Error, Result};
use crate::secrets::Sealer;

/// A view of the database that does not change underneath it.
pub(crate) struct Reader<'c> {
    conn: &'c mut (dyn Connection + 'c),
    store: &'c Store,
    now: Timestamp,
}

/// A change of the store: what is written, the lines of the audit trail about it, and the revision that caches watch
/// become one transaction. It reads as a [`Reader`] does.
pub(crate) struct Tx<'c> {
    reader: Reader<'c>,
    lines: Vec<AuditEntry>,
    moves_revision: bool,
    /// Whether something was written.
    has_written: bool,
    /// Whether the change was declared: audited, or housekeeping.
    is_accounted_for: bool,
}

impl<'c> Reader<'c> {
    pub(crate) fn new(
        conn: &'c mut (dyn Connection + 'c),
        store: &'c Store,
        now: Timestamp,
    ) -> Self {
        Self { conn, store, now }
    }

    /// When the work was asked for.
    pub(crate) fn now(&self) -> Timestamp {
        self.now
    }

    /// What seals and opens the store's secrets.
    pub(crate) fn sealer(&self) -> &'c Sealer {
        self.store.sealer()
    }

    /// The store itself.
    pub(crate) fn store(&self) -> &'c Store {
        self.store
    }

    /// The rows of a statement.
    pub(crate) fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
        let _timed = self.store.statement_durations().begin();
        Ok(self.conn.query(sql, values)?)
    }

    /// The only row of a statement, or none.
    pub(crate) fn query_one(&mut self, sql: &str, values: &[Value]) -> Result<Option<Row>> {
        let _timed = self.store.statement_durations().begin();
        Ok(self.conn.query_one(sql, values)?)
    }

    /// What the rows of a statement hold.
    pub(crate) fn list<T>(
        &mut self,
        sql: &str,
        values: &[Value],
        from_row: impl FnMut(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.query(sql, values)?.iter().map(from_row).collect()
    }

    /// What the only row of a statement holds, or none.
    pub(crate) fn find<T>(
        &mut self,
        sql: &str,
        values: &[Value],
        from_row: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<Option<T>> {
        self.query_one(sql, values)?
            .as_ref()
            .map(from_row)
            .transpose()
    }

    /// Whether a statement gives any row.
    pub(crate) fn exists(&mut self, sql: &str, values: &[Value]) -> Result<bool> {
        Ok(!self.query(sql, values)?.is_empty())
    }

    /// Hands over the text in the first column of the first row. Says whether there was a row.
    pub(crate) fn read_text(
        &mut self,
        sql: &str,
        values: &[Value],
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<bool> {
        let _timed = self.store.statement_durations().begin();
        Ok(self.conn.read_text(sql, values, take)?)
    }

    /// The entity tag of the row of a table that has this identifier; `None` when there is none.
    pub(crate) fn tag(&mut self, table: &str, uid: impl Bind) -> Result<Option<String>> {
        let sql = format!("SELECT * FROM {table} WHERE uid = ?1");
        self.tag_of(&sql, &values![uid])
    }

    /// The entity tag of the rows of a statement; `None` when there are none.
    pub(crate) fn tag_of(&mut self, sql: &str, values: &[Value]) -> Result<Option<String>> {
        Ok(tag(&self.query(sql, values)?))
    }
}

impl<'c> Tx<'c> {
    pub(crate) fn new(reader: Reader<'c>) -> Self {
        Self {
            reader,
            lines: Vec::new(),
            moves_revision: false,
            has_written: false,
            is_accounted_for: false,
        }
    }

    /// Runs a statement and says how many rows it changed.
    pub(crate) fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        self.has_written = true;
        let _timed = self.store.statement_durations().begin();
        self.refuse_nul(values)?;
        Ok(self.conn.execute(sql, values)?)
    }

    /// Runs a statement that goes with the commit where the store is on a server: nobody waits for its answer, and where it
    /// fails, nothing is changed.
    pub(crate) fn execute_at_end(&mut self, sql: &str, values: &[Value]) -> Result<()> {
        self.has_written = true;
        self.refuse_nul(values)?;
        let mut rows = std::iter::once(values.to_vec());
        Ok(self.conn.execute_at_end(sql, &mut rows)?)
    }

    /// Refuses a text that the database of the store cannot keep.
    fn refuse_nul(&self, values: &[Value]) -> Result<()> {
        let has_nul = |value: &Value| matches!(value, Value::Text(text) if text.contains('\0'));
        match self.store.is_on_server() && values.iter().any(has_nul) {
            true => Err(Error::refused(
                "a text holds the character U+0000, which the database of the store cannot keep; leave it out",
            )),
            false => Ok(()),
        }
    }

    /// Inserts a row, which [`row!`](super::row!) makes.
    pub(crate) fn insert(&mut self, table: &str, row: &[(&'static str, Value)]) -> Result<()> {
        let (columns, values): (Vec<&str>, Vec<Value>) = row.iter().cloned().unzip();
        let places: Vec<String> = (1..=row.len()).map(|at| format!("?{at}")).collect();
        let (columns, places) = (columns.join(", "), places.join(", "));
        let sql = format!("INSERT INTO {table} ({columns}) VALUES ({places})");
        self.execute(&sql, &values).map(drop)
    }

    /// Runs one statement for every set of values.
    pub(crate) fn execute_many(
        &mut self,
        sql: &str,
        rows: &mut dyn Iterator<Item = Vec<Value>>,
    ) -> Result<u64> {
        self.has_written = true;
        let _timed = self.store.statement_durations().begin();
        Ok(self.conn.execute_many(sql, rows)?)
    }

    /// Declares a change of something that caches may hold: a line of the audit trail, and another revision.
    pub(crate) fn changed(&mut self, entry: AuditEntry) {
        self.audit(entry);
        self.move_revision();
    }

    /// Declares a change of something that caches may hold, with the entity tag that the row of a table has now.
    pub(crate) fn changed_row(
        &mut self,
        table: &str,
        uid: impl Bind,
        entry: AuditEntry,
    ) -> Result<()> {
        let after = self.tag(table, uid)?;
        self.changed(entry.after(after));
        Ok(())
    }

    /// Deletes the row of a table that has this identifier, and says so with the entity tag that it had.
    pub(crate) fn delete_row(
        &mut self,
        table: &str,
        uid: impl Bind,
        entry: AuditEntry,
    ) -> Result<()> {
        let before = self.tag(table, &uid)?;
        let sql = format!("DELETE FROM {table} WHERE uid = ?1");
        self.execute(&sql, &values![uid])?;
        self.changed(entry.before(before));
        Ok(())
    }

    /// Declares a change of something that no cache holds: a line of the audit trail.
    pub(crate) fn audit(&mut self, entry: AuditEntry) {
        self.lines.push(entry);
        self.is_accounted_for = true;
    }

    /// Declares that something changed that a cache may hold.
    pub(crate) fn move_revision(&mut self) {
        self.moves_revision = true;
    }

    /// Has all nodes hear of this change.
    pub(crate) fn announce(&mut self) {
        self.conn.announce();
    }

    /// Declares that this is the store's own housekeeping, or the continuation of something: it leaves no line.
    pub(crate) fn housekeeping(&mut self) -> &mut Self {
        self.is_accounted_for = true;
        self
    }

    /// Writes the lines and the revision into the transaction. A change that was not declared is refused, so that
    /// none can be made without its line.
    pub(crate) fn finish(mut self) -> Result<()> {
        if self.has_written && !self.is_accounted_for {
            return Err(Error::internal(
                "a change of the store has no line in the audit trail",
            ));
        }
        if self.moves_revision {
            self.execute_at_end(
                "UPDATE store_state SET revision = revision + 1 WHERE id = 1",
                &[],
            )?;
            self.announce();
        }
        let (store, entries) = (self.store, mem::take(&mut self.lines));
        let is_on_server = store.is_on_server();
        if let Some(by) = store.audited_by()
            && !entries.is_empty()
        {
            let lines = entries.into_iter().map(|entry| store.new_line(by, entry));
            let mut lines = lines.map(|line| line.values_for(is_on_server));
            self.conn.execute_at_end(INSERT, &mut lines)?;
        }
        Ok(())
    }
}

impl<'c> Deref for Tx<'c> {
    type Target = Reader<'c>;

    fn deref(&self) -> &Reader<'c> {
        &self.reader
    }
}

impl<'c> DerefMut for Tx<'c> {
    fn deref_mut(&mut self) -> &mut Reader<'c> {
        &mut self.reader
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[tokio::test]
    async fn a_change_that_says_nothing_of_itself_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let insert = "INSERT INTO store_probe (id, filler) VALUES (1, 'x')";
        let refused = store.write(|tx| tx.execute(insert, &[])).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Internal);
        let rows = store.read(|reader| reader.query("SELECT id FROM store_probe", &[]));
        assert!(rows.await.unwrap().is_empty());
        let kept = store.write(|tx| tx.housekeeping().execute(insert, &[]));
        assert_eq!(kept.await.unwrap(), 1);
    }
}
