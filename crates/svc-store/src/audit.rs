//! The audit trail: every write leaves a line that says who changed what, when, by which request, and the entity tags
//! of what it was and what it is. Lines hold names, keys and hashes, no secret, and of records
//! what [changed](Changes) in them, which only [`Audit::history`] gives.
//!
//! A line about the store itself is written in the transaction of that change. One about a record of a
//! connected database is [appended](Audit::append) before the change is answered. There is no way to change a line,
//! and only [`Audit::purge`] removes the oldest.

mod actor;
mod changes;
mod entry;
mod history;
mod journal;
mod line;
mod row;
mod tag;
pub(crate) mod write_marks;

pub use self::write_marks::{WriteKey, WriteMark, WriteMarks};

use std::collections::HashSet;
use std::path::Path;

use jiff::Timestamp;
use uuid::Uuid;

pub(crate) use self::actor::By;
pub use self::actor::{Actor, ActorKind};
pub use self::changes::Changes;
pub use self::entry::{AuditEntry, EntityTag};
pub use self::history::{HistoryOf, HistoryPage};
use self::journal::Notes;
pub use self::journal::{BegunWrite, WriteJournal};
pub use self::line::{AuditFilter, AuditLine};
pub(crate) use self::row::{INSERT, NewLine};
pub(crate) use self::tag::tag;
use crate::database::{Store, handle, values};
use crate::error::Result;

/// How many lines are removed in one transaction, so that writes get their turn in between.
const PURGED_AT_ONCE: u32 = 5_000;

/// A line that a process has noted and the trail does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingLine {
    /// The line.
    pub line: AuditLine,
    /// Whether the service that noted it runs: it may still write the line by itself.
    pub service_runs: bool,
}

handle! {
    /// The audit trail of the store: [`Store::audit`].
    Audit,
    /// The audit trail.
    audit
}

impl Store {
    /// The same store, whose lines say that this actor wrote, by this request. A store that was just opened says
    /// that the program itself did.
    #[must_use]
    pub fn acting(&self, actor: Actor, request_id: Option<&str>) -> Self {
        let request_id = request_id.map(str::to_owned);
        self.by(By { actor, request_id })
    }
}

impl<'a> Audit<'a> {
    /// Who the lines of this store are about.
    pub fn actor(&self) -> Option<&'a Actor> {
        self.store.audited_by().map(|by| &by.actor)
    }

    /// The request that the lines of this store are about.
    pub fn request_id(&self) -> Option<&'a str> {
        self.store.audited_by()?.request_id.as_deref()
    }

    /// Whether writes through this store leave lines.
    pub fn is_on(&self) -> bool {
        self.store.audited_by().is_some()
    }

    /// Appends lines about what was done elsewhere, in one transaction with those of others who append now. They are
    /// on the disk when this gives `Ok`. [`Store::revision`] stays.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn append(&self, entries: Vec<AuditEntry>) -> Result<()> {
        if !self.is_on() || entries.is_empty() {
            return Ok(());
        }
        self.store
            .write(move |tx| {
                entries.into_iter().for_each(|entry| tx.audit(entry));
                Ok(())
            })
            .await
    }

    /// Opens a journal of writes for this process, after it has made lines of what processes noted in theirs that
    /// ended without clearing it. One journal is enough for a process.
    ///
    /// # Errors
    /// When the store or its folder cannot be written.
    pub async fn open_journal(&self) -> Result<WriteJournal> {
        let recovered = journal::recover(self.store).await?;
        if recovered > 0 {
            tracing::warn!(
                writes = recovered,
                "a service ended before it knew how writes ended; `svc audit check` lists them"
            );
        }
        WriteJournal::open(self.store).await
    }

    /// The lines that are missing from the trail: what processes have noted, and the store has not taken. Writes
    /// that running services are at now are among them.
    ///
    /// # Errors
    /// When the store's folder cannot be read.
    pub async fn missing_lines(&self) -> Result<Vec<MissingLine>> {
        let mut missing = Vec::new();
        for Notes {
            begun,
            settled,
            refused,
            ended,
            ..
        } in journal::notes(self.store).await?
        {
            // What a running service has settled is on its way.
            let settled = settled.into_iter().filter(|_| ended);
            for line in begun.into_iter().chain(settled).chain(refused) {
                missing.push(MissingLine {
                    line: line.into_line()?,
                    service_runs: !ended,
                });
            }
        }
        let found = self
            .found(missing.iter().map(|missing| missing.line.uid))
            .await?;
        missing.retain(|missing| !found.contains(&missing.line.uid));
        Ok(missing)
    }

    /// The lines that a filter lets through, the newest first, at most as many as asked for.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list(&self, filter: &AuditFilter, limit: u32) -> Result<Vec<AuditLine>> {
        self.collect().await;
        let (sql, values) = line::select(filter, limit);
        self.store
            .read(move |reader| reader.list(&sql, &values, line::from_row))
            .await
    }

    /// Those of these lines that the trail has.
    async fn found(&self, uids: impl Iterator<Item = Uuid>) -> Result<HashSet<Uuid>> {
        let uids: Vec<Uuid> = uids.collect();
        self.store
            .read(move |reader| {
                let sql = "SELECT uid FROM audit WHERE uid = ?1";
                let mut found = HashSet::new();
                for uid in uids {
                    if reader.find(sql, &values![uid], |_| Ok(()))?.is_some() {
                        found.insert(uid);
                    }
                }
                Ok(found)
            })
            .await
    }

    /// Appends the lines that only the journals of services have yet, so that what is listed next has them.
    pub async fn collect(&self) {
        if let Err(error) = journal::collect(self.store).await {
            tracing::warn!(%error, "lines of what was written just now may be missing from the audit trail");
        }
    }

    /// Removes the lines that are older than this, and says how many there were. The file of the store gets smaller when
    /// they were a good part of it.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn purge(&self, older_than: Timestamp) -> Result<u64> {
        let mut all = 0;
        loop {
            let bound = line::first_uid(older_than);
            let purged = self
                .store
                .write(move |tx| {
                    let sql = format!(
                        "DELETE FROM audit WHERE uid IN \
                         (SELECT uid FROM audit WHERE uid < ?1 ORDER BY uid LIMIT {PURGED_AT_ONCE})"
                    );
                    tx.housekeeping().execute(&sql, &values![bound])
                })
                .await?;
            all += purged;
            if purged < PURGED_AT_ONCE.into() {
                break;
            }
        }
        if all > 0 {
            self.store.database().shrink().await?;
        }
        Ok(all)
    }
}

/// What the journals of services hold.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundJournals {
    /// How many services run that write to connected databases.
    pub running: usize,
    /// How many journals were left by services that were killed.
    pub left: usize,
    /// How many writes they had begun whose outcome is not known.
    pub unknown: usize,
    /// How many lines of the audit trail only they have.
    pub lines: usize,
    /// How many entries cannot be read.
    pub unreadable: usize,
}

/// What the journals in a folder hold. The caller holds the lock of the folder.
pub(crate) fn journals(dir: &Path) -> Result<FoundJournals> {
    let mut found = FoundJournals::default();
    for notes in journal::notes_in(dir)? {
        found.unreadable += notes.unreadable;
        if notes.ended {
            found.left += 1;
            found.unknown += notes.begun.len();
            found.lines += notes.settled.len() + notes.refused.len();
        } else {
            found.running += 1;
        }
    }
    Ok(found)
}
