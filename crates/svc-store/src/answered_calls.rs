//! Calls of the administration that carried a key, so that one that is sent again gets the first answer.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::Mac as _;
use jiff::SignedDuration;
use uuid::Uuid;

use crate::database::{handle, row, values};
use crate::error::Result;

/// How long an answer is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(24);
/// How long a call may take; one that began before and has no answer was cut off.
const TIMEOUT: SignedDuration = SignedDuration::from_mins(2);

/// What is known of a call when one with its key begins.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnsweredCall {
    /// Nothing: it is to be done.
    New,
    /// It is being done.
    Running,
    /// It was done.
    Answered {
        /// What it was answered with.
        answer: String,
        /// The entity tag of what it was about, where the answer had one.
        etag: Option<String>,
    },
    /// Another call had the key.
    Other,
}

handle! {
    /// The calls that carried a key: [`Store::answered_calls`](crate::Store::answered_calls).
    AnsweredCalls,
    /// The calls that carried a key.
    answered_calls
}

impl AnsweredCalls<'_> {
    /// Begins a call of an account with a key. `request` tells it from other calls: all that the caller sent. It may hold
    /// a password, so that what is kept of it is made with the store's key.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn begin(
        &self,
        account: Uuid,
        operation: &'static str,
        key: &str,
        request: &[u8],
    ) -> Result<AnsweredCall> {
        let key = key.to_owned();
        let mut hash = self.store.sealer().derive("answered calls");
        hash.update(request);
        let request_hash = URL_SAFE_NO_PAD.encode(hash.finalize().into_bytes());
        self.store
            .write(move |tx| {
                let now = tx.now();
                let before = |span| now.checked_sub(span).unwrap_or(now);
                // Each by an index of its own.
                for (ended, span) in [("", KEPT), ("answer IS NULL AND", TIMEOUT)] {
                    let sql = format!("DELETE FROM answered_calls WHERE {ended} date_add <= ?1");
                    tx.housekeeping().execute(&sql, &values![before(span)])?;
                }
                let known = tx.query_one(
                    "SELECT request_hash, answer, etag FROM answered_calls \
                     WHERE account_uid = ?1 AND operation = ?2 AND idempotency_key = ?3",
                    &values![account, operation, key],
                )?;
                let Some(known) = known else {
                    let row = row! {
                        account_uid: account, operation, idempotency_key: key, request_hash, date_add: now
                    };
                    tx.insert("answered_calls", &row)?;
                    return Ok(AnsweredCall::New);
                };
                if known.get::<String>("request_hash")? != request_hash {
                    return Ok(AnsweredCall::Other);
                }
                let answer: Option<String> = known.get("answer")?;
                let etag = known.get("etag")?;
                Ok(match answer {
                    Some(answer) => AnsweredCall::Answered { answer, etag },
                    None => AnsweredCall::Running,
                })
            })
            .await
    }

    /// Keeps the answer of a call.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn end(
        &self,
        account: Uuid,
        operation: &'static str,
        key: &str,
        answer: &str,
        etag: Option<&str>,
    ) -> Result<()> {
        let values = values![answer, account, operation, key, etag];
        let sql = "UPDATE answered_calls SET answer = ?1, etag = ?5 \
             WHERE account_uid = ?2 AND operation = ?3 AND idempotency_key = ?4";
        self.store
            .write(move |tx| tx.housekeeping().execute(sql, &values).map(drop))
            .await
    }

    /// Forgets a call that failed: one with its key may be tried again.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn forget(&self, account: Uuid, operation: &'static str, key: &str) -> Result<()> {
        let values = values![account, operation, key];
        let sql = "DELETE FROM answered_calls \
             WHERE account_uid = ?1 AND operation = ?2 AND idempotency_key = ?3";
        self.store
            .write(move |tx| tx.housekeeping().execute(sql, &values).map(drop))
            .await
    }
}
