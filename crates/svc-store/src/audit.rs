//! The audit trail: every write leaves a line that says who changed what, when, by which request, and the entity tags
//! of what it was and what it is. Lines hold names, keys and hashes; no secret, and nothing of what was written.
//!
//! A line about the store itself is written in the transaction of the change it tells. One about a record of a
//! connected database is [appended](Audit::append) before the change is answered. There is no way to change a line,
//! and only [`Audit::purge`] takes the oldest away.

mod actor;
mod entry;
mod line;
mod tag;

use jiff::Timestamp;
use svc_data::{Connection, Value};
use uuid::Uuid;

pub use self::actor::{Actor, ActorKind};
pub use self::entry::{AuditEntry, EntityTag};
pub use self::line::{AuditFilter, AuditLine};
pub(crate) use self::tag::tag;
use crate::clock;
use crate::error::Error;
use crate::store::Store;

const INSERT: &str = "INSERT INTO audit (uid, date_add, project, environment, actor_kind, actor_uid, actor_label, \
     action, resource, model, record, request_id, before_tag, after_tag, status) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
/// How many lines are taken away in one transaction, so that writes get their turn in between.
const PURGED_AT_ONCE: u32 = 5_000;

/// Whose writes a store's lines tell of.
#[derive(Debug)]
pub(crate) struct By {
    actor: Actor,
    request_id: Option<String>,
}

impl By {
    /// The program itself, as it is used from the command line.
    pub(crate) fn program() -> Self {
        Self {
            actor: Actor::program(None),
            request_id: None,
        }
    }
}

/// The audit trail of the store: [`Store::audit`].
#[derive(Debug, Clone, Copy)]
pub struct Audit<'a> {
    store: &'a Store,
}

impl Store {
    /// The audit trail.
    pub fn audit(&self) -> Audit<'_> {
        Audit { store: self }
    }

    /// The same store, whose lines say that this actor wrote, by this request. A store that was just opened says
    /// that the program itself did.
    #[must_use]
    pub fn acting(&self, actor: Actor, request_id: Option<&str>) -> Self {
        let request_id = request_id.map(str::to_owned);
        self.by(Some(By { actor, request_id }))
    }

    /// The same store, whose writes leave no lines.
    #[must_use]
    pub fn unaudited(&self) -> Self {
        self.by(None)
    }

    /// Writes the lines of a change into its transaction.
    pub(crate) fn note<'e>(
        &self,
        conn: &mut dyn Connection,
        entries: impl IntoIterator<Item = &'e AuditEntry>,
    ) -> Result<(), Error> {
        let Some(by) = self.who() else {
            return Ok(());
        };
        let mut lines = entries.into_iter().map(|entry| {
            let now = self.clock().now();
            values(entry, by, self.line_uid(now), now)
        });
        conn.execute_many(INSERT, &mut lines)?;
        Ok(())
    }
}

impl<'a> Audit<'a> {
    /// Who the lines of this store are about.
    pub fn actor(&self) -> Option<&'a Actor> {
        self.store.who().map(|by| &by.actor)
    }

    /// The request that the lines of this store are about.
    pub fn request_id(&self) -> Option<&'a str> {
        self.store.who()?.request_id.as_deref()
    }

    /// Whether writes through this store leave lines.
    pub fn is_on(&self) -> bool {
        self.store.who().is_some()
    }

    /// Appends lines about what was done elsewhere, in one transaction with those of others who append now. They are
    /// on the disk when this gives `Ok`. [`Store::revision`] stays.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn append(&self, entries: Vec<AuditEntry>) -> Result<(), Error> {
        if !self.is_on() || entries.is_empty() {
            return Ok(());
        }
        let store = self.store.clone();
        self.store
            .write_unnoted(move |conn| store.note(conn, &entries))
            .await
    }

    /// The lines that a filter lets through, the newest first, at most as many as asked for.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn list(&self, filter: &AuditFilter, limit: u32) -> Result<Vec<AuditLine>, Error> {
        let (sql, values) = line::select(filter, limit);
        self.store
            .read(move |conn| {
                let rows = conn.query(&sql, &values)?;
                rows.iter().map(line::from_row).collect()
            })
            .await
    }

    /// Takes the lines away that are older than this, and says how many there were.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn purge(&self, older_than: Timestamp) -> Result<u64, Error> {
        let mut all = 0;
        loop {
            let bound = line::first_uid(older_than);
            let purged = self
                .store
                .write_unnoted(move |conn| {
                    let sql = format!(
                        "DELETE FROM audit WHERE uid IN \
                         (SELECT uid FROM audit WHERE uid < ?1 ORDER BY uid LIMIT {PURGED_AT_ONCE})"
                    );
                    Ok(conn.execute(&sql, &[bound.into()])?)
                })
                .await?;
            all += purged;
            if purged < PURGED_AT_ONCE.into() {
                return Ok(all);
            }
        }
    }
}

/// The columns of a line, in the order of [`INSERT`].
fn values(entry: &AuditEntry, by: &By, uid: Uuid, now: Timestamp) -> Vec<Value> {
    let actor = entry.actor.as_ref().unwrap_or(&by.actor);
    vec![
        uid.to_string().into(),
        clock::to_text(now).into(),
        entry.project.as_deref().into(),
        entry.environment.as_deref().into(),
        actor.kind.as_str().into(),
        actor.uid.map(|uid| uid.to_string()).into(),
        actor.label.as_deref().into(),
        entry.action.into(),
        entry.resource.as_deref().into(),
        entry.model.as_deref().into(),
        entry.record.as_deref().into(),
        by.request_id.as_deref().into(),
        entry.before.as_deref().into(),
        entry.after.as_deref().into(),
        entry.status.map(i64::from).into(),
    ]
}
