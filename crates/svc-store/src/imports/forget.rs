//! Imports that ended long ago.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::{ImportState, Imports};
use crate::database::{row, values};
use crate::error::Result;

/// How long an import and its refused rows are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 7);
/// How many refused rows are removed in one transaction.
const FORGOTTEN_AT_ONCE: u64 = 2_000;

impl Imports<'_> {
    /// Forgets the imports that ended a week ago: their identifiers.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn forget_old(&self) -> Result<Vec<Uuid>> {
        let old = "SELECT uid FROM imports WHERE state <> ?1 AND date_end < ?2";
        let old: Vec<Uuid> = self
            .store
            .read(move |reader| {
                let oldest = reader.now().checked_sub(KEPT).unwrap_or(Timestamp::MIN);
                let values = values![ImportState::Running.as_str(), oldest];
                reader.list(old, &values, |row| row::get(row, "uid"))
            })
            .await?;
        for uid in &old {
            // In portions, so that others write meanwhile.
            while self.forget_some(*uid).await? {}
        }
        Ok(old)
    }

    /// Removes refused rows of an import, and at the end the import itself: whether there may be more.
    async fn forget_some(&self, uid: Uuid) -> Result<bool> {
        self.store
            .write(move |tx| {
                let sql = format!(
                    "DELETE FROM import_refusals WHERE import_uid = ?1 AND row_number IN \
                     (SELECT row_number FROM import_refusals WHERE import_uid = ?1 ORDER BY row_number LIMIT {FORGOTTEN_AT_ONCE})"
                );
                let removed = tx.housekeeping().execute(&sql, &values![uid])?;
                if removed == FORGOTTEN_AT_ONCE {
                    return Ok(true);
                }
                let sql = "DELETE FROM imports WHERE uid = ?1";
                tx.housekeeping().execute(sql, &values![uid])?;
                Ok(false)
            })
            .await
    }
}
