//! Marks of bulk creates that carry an idempotency key: what was about to be committed, and what became of it, so
//! that a request that is sent again is done once.
//!
//! The records lie in a database that shares no transaction with the store. A mark is therefore written before the
//! commit, with evidence by which the database can be asked later, and settled after it.

use jiff::{SignedDuration, Timestamp};
use svc_data::Value;
use svc_model::{ResourceName, Scope};

use crate::database::{columns, handle, values};
use crate::error::Result;

/// How long a mark is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(24 * 30);
/// The columns of the primary key, as the values of [`WriteKey::values`] are bound.
const IS_KEY: &str =
    "project = ?1 AND environment = ?2 AND resource = ?3 AND model = ?4 AND idempotency_key = ?5";

/// What a mark is found by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WriteKey {
    /// The environment of the connected database.
    pub scope: Scope,
    /// The connected database.
    pub resource: ResourceName,
    /// The model that is written.
    pub model: String,
    /// The key that the caller chose.
    pub idempotency_key: String,
}

impl WriteKey {
    fn values(&self) -> Vec<Value> {
        let scope = &self.scope;
        values![
            scope.project,
            scope.environment,
            self.resource,
            self.model,
            self.idempotency_key
        ]
        .into()
    }
}

/// What is known of a request that was done before, or begun.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteMark {
    /// The number of the try that wrote the mark.
    pub attempt: i64,
    /// The hash of what was sent.
    pub request_hash: String,
    /// How the database can be asked whether it has committed the records, as JSON; `None` once that is known.
    pub evidence: Option<String>,
    /// What became of each record, as JSON.
    pub outcome: String,
}

handle! {
    /// The marks of the store: [`Store::write_marks`](crate::Store::write_marks).
    WriteMarks,
    /// The marks of bulk creates that carry a key.
    write_marks
}

impl WriteMarks<'_> {
    /// The mark of a key.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn find(&self, key: &WriteKey) -> Result<Option<WriteMark>> {
        let values = key.values();
        let sql = format!(
            "SELECT attempt, request_hash, evidence, outcome FROM write_marks WHERE {IS_KEY}"
        );
        self.store
            .read(move |reader| {
                reader.find(
                    &sql,
                    &values,
                    |row| columns!(row => WriteMark { attempt, request_hash, evidence, outcome }),
                )
            })
            .await
    }

    /// Writes the mark of a request that is about to be committed, in place of the one of the try `seen`, or of
    /// none. Says whether it was written: another process may have done so in between.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn prepare(
        &self,
        key: &WriteKey,
        seen: Option<i64>,
        request_hash: &str,
        evidence: String,
        outcome: String,
    ) -> Result<bool> {
        let now = self.store.clock().now();
        let mut values = key.values();
        let attempt = seen.unwrap_or_default();
        values.extend(values![request_hash, evidence, outcome, now, attempt]);
        let sql = match seen {
            None => "INSERT INTO write_marks (project, environment, resource, model, idempotency_key, attempt, \
                 request_hash, evidence, outcome, date_add) VALUES (?1, ?2, ?3, ?4, ?5, ?10 + 1, ?6, ?7, ?8, ?9) \
                 ON CONFLICT DO NOTHING"
                .to_owned(),
            Some(_) => format!(
                "UPDATE write_marks SET attempt = attempt + 1, request_hash = ?6, evidence = ?7, outcome = ?8, \
                 date_add = ?9 WHERE {IS_KEY} AND attempt = ?10"
            ),
        };
        let oldest = now.checked_sub(KEPT).unwrap_or(Timestamp::MIN);
        self.store
            .write(move |tx| {
                let expired = "DELETE FROM write_marks WHERE date_add < ?1";
                tx.housekeeping().execute(expired, &values![oldest])?;
                Ok(tx.execute(&sql, &values)? > 0)
            })
            .await
    }

    /// Says that what was prepared was committed.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn settle(&self, key: &WriteKey) -> Result<()> {
        let values = key.values();
        let sql = format!("UPDATE write_marks SET evidence = NULL WHERE {IS_KEY}");
        self.store
            .write(move |tx| tx.housekeeping().execute(&sql, &values))
            .await?;
        Ok(())
    }
}
