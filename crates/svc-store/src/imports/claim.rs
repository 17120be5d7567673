//! Who works on an import: one process at a time, which claims it for a while.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::{ImportState, Imports, LOOKED_AT};
use crate::database::{row, values};
use crate::error::Result;

impl Imports<'_> {
    /// Claims running imports that nobody works on and whose files are on this machine, for a while, those first that were begun
    /// first: their identifiers.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn claim(&self, runner: Uuid, time: SignedDuration, most: u32) -> Result<Vec<Uuid>> {
        let free = "SELECT uid FROM imports WHERE state = ?1 AND (runner_until IS NULL OR runner_until < ?2) \
             ORDER BY date_add, uid LIMIT ?3";
        // Looked for before the store is written, which happens rarely.
        let found = self
            .store
            .read(move |reader| {
                let values = values![ImportState::Running.as_str(), reader.now(), LOOKED_AT];
                reader.list(free, &values, |row| row::get::<Uuid>(row, "uid"))
            })
            .await?;
        let here: Vec<Uuid> = found
            .into_iter()
            .filter(|uid| self.has_file(*uid))
            .collect();
        if here.is_empty() {
            return Ok(Vec::new());
        }
        self.store
            .write(move |tx| {
                let now = tx.now();
                let running = ImportState::Running.as_str();
                let free: Vec<Uuid> = tx.list(free, &values![running, now, LOOKED_AT], |row| {
                    row::get(row, "uid")
                })?;
                let free = free.into_iter().filter(|uid| here.contains(uid));
                let free: Vec<Uuid> = free.take(most as usize).collect();
                let until = now.checked_add(time).unwrap_or(Timestamp::MAX);
                for uid in &free {
                    let sql = "UPDATE imports SET runner = ?1, runner_until = ?2 WHERE uid = ?3";
                    tx.housekeeping()
                        .execute(sql, &values![runner, until, uid])?;
                }
                Ok(free)
            })
            .await
    }

    /// Keeps the claim of an import, also of one that was ended, whose last batch is still being written. `false` where another
    /// process has it, or it does not run any more.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn keep(&self, uid: Uuid, runner: Uuid, time: SignedDuration) -> Result<bool> {
        self.store
            .write(move |tx| {
                let until = tx.now().checked_add(time).unwrap_or(Timestamp::MAX);
                let sql = "UPDATE imports SET runner_until = ?1 WHERE uid = ?2 AND runner = ?3";
                if tx
                    .housekeeping()
                    .execute(sql, &values![until, uid, runner])?
                    == 0
                {
                    return Ok(false);
                }
                let runs = "SELECT uid FROM imports WHERE uid = ?1 AND state = ?2";
                tx.exists(runs, &values![uid, ImportState::Running.as_str()])
            })
            .await
    }

    /// Whether any process works on an import, be it on the last batch of one that was cancelled.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn is_worked_on(&self, uid: Uuid) -> Result<bool> {
        self.store
            .read(move |reader| {
                let claimed = "SELECT uid FROM imports WHERE uid = ?1 AND runner IS NOT NULL AND runner_until > ?2";
                let now = reader.now();
                reader.exists(claimed, &values![uid, now])
            })
            .await
    }

    /// Gives the claim of an import back: it can be claimed again after this time.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn release(&self, uid: Uuid, runner: Uuid, pause: SignedDuration) -> Result<()> {
        self.store
            .write(move |tx| {
                let until = tx.now().checked_add(pause).unwrap_or(Timestamp::MAX);
                let sql = "UPDATE imports SET runner = NULL, runner_until = ?1 WHERE uid = ?2 AND runner = ?3";
                let values = values![until, uid, runner];
                tx.housekeeping().execute(sql, &values).map(drop)
            })
            .await
    }
}
