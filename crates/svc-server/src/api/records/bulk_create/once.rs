//! A bulk create with an idempotency key, which is done once however often it is sent.
//!
//! The mark of the key lies in the store: written right before the database commits, settled after it. A request
//! whose mark was not settled asks the database whether it has committed.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use bytes::Bytes;
use http::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use svc_data::{BeforeCommit, BulkOptions, ErrorKind, Prepared, turns::Caller};
use svc_model::{
    Invalid, JsonObject, RecordId,
    records::{IDEMPOTENCY_KEY, MAX_IDEMPOTENCY_KEY},
};
use svc_store::{AuditEntry, Store, WriteKey, WriteMark};

use super::{BulkCreate, Outcome, lines, of_updated, outcomes, refused};
use crate::{
    audit::write_audited,
    http::{ApiError, ApiResult, response::etag_of},
    state::Shared,
};

/// Reads the key, where there is one.
pub(crate) fn read_key(headers: &HeaderMap) -> ApiResult<Option<String>> {
    let Some(value) = headers.get(IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    match value.to_str() {
        Ok(key) if (1..=MAX_IDEMPOTENCY_KEY).contains(&key.len()) => Ok(Some(key.to_owned())),
        _ => Err(Invalid::field(
            "Idempotency-Key",
            format!("must be 1 to {MAX_IDEMPOTENCY_KEY} characters of ASCII"),
        )
        .into()),
    }
}

/// A hash of records and of how they are created. `zone` is that of their times without an offset, where one is given.
pub(crate) fn hash_of(
    options: &BulkOptions,
    zone: Option<&str>,
    bodies: &[JsonObject],
) -> ApiResult<String> {
    let sent = match (&options.on_conflict, zone) {
        (Some(unique), None) => serde_json::to_vec(&(options.atomic, unique, bodies)),
        (None, None) => serde_json::to_vec(&(options.atomic, bodies)),
        (unique, Some(zone)) => serde_json::to_vec(&(options.atomic, unique, zone, bodies)),
    };
    let sent = sent.map_err(|error| ApiError::Internal(error.to_string()))?;
    Ok(etag_of(&sent))
}

/// How the database is asked whether it has committed.
#[derive(Serialize, Deserialize)]
struct Evidence {
    transaction: Option<String>,
    /// The keys and entity tags of the records; a tag is empty where the key alone was read back.
    records: Vec<(String, String)>,
}

/// What became of the records, in short.
#[derive(Serialize, Deserialize)]
struct Summary {
    records: usize,
    /// What is answered about those that were refused, by their position.
    refused: BTreeMap<usize, Box<RawValue>>,
    /// The positions of those that were there and were changed.
    #[serde(default)]
    updated: BTreeSet<usize>,
}

/// What was done for a request.
enum Done {
    Now(Vec<Result<svc_data::RecordJson, svc_data::Error>>),
    /// It was done before. The lines about it are missing where the service ended right after the commit.
    Before(Vec<Outcome>, Vec<AuditEntry>),
}

/// Creates the records of this [hash](hash_of) unless that was done before. It is done to its end when the caller leaves.
pub(super) async fn run(
    state: &Shared,
    create: BulkCreate,
    key: String,
    hash: String,
) -> ApiResult<Vec<Outcome>> {
    let key = create.records.write_key(key);
    let state = Arc::clone(state);
    let done = tokio::spawn(Caller::current().run(async move {
        // The same request may still be at work for a caller who has left.
        let _alone = state.write_keys.lock(&key).await;
        let (store, entry) = (create.store.clone(), create.entry.clone());
        let model = Arc::clone(create.records.model());
        let work = {
            let (store, key) = (store.clone(), key.clone());
            async move { create.once(&store, &key, hash).await }
        };
        let begun = entry.clone();
        let done = write_audited(&state, store.clone(), begun, work, move |done| match done {
            Done::Now(results) => lines(&entry, &model, results),
            Done::Before(_, lines) => lines.clone(),
        });
        let outcomes = match Box::pin(done).await? {
            Done::Now(results) => outcomes(results)?,
            Done::Before(outcomes, _) => outcomes,
        };
        if let Err(error) = store.write_marks().settle(&key).await {
            // The next request with this key asks the database.
            tracing::warn!(%error, "the mark of a bulk create could not be settled");
        }
        Ok(outcomes)
    }));
    done.await
        .unwrap_or_else(|error| Err(ApiError::Internal(format!("a write ended early: {error}"))))
}

impl BulkCreate {
    async fn once(mut self, store: &Store, key: &WriteKey, hash: String) -> ApiResult<Done> {
        let mark = store.write_marks().find(key).await?;
        if let Some(mark) = &mark {
            if mark.request_hash != hash {
                return Err(Invalid::field(
                    "Idempotency-Key",
                    "this key was used for other records; send the same ones, or choose another key",
                )
                .into());
            }
            if let Some(done) = self.done_before(mark).await? {
                return Ok(done);
            }
        }
        let seen = mark.map(|mark| mark.attempt);
        let before = self.options.before_commit.take();
        self.options.before_commit = Some(self.watch(store, key, seen, hash, before));
        let created = self.records.bulk_create(&self.bodies, self.options);
        Ok(Done::Now(created.await?))
    }

    /// What became of the records, if an earlier try has committed them.
    async fn done_before(&self, mark: &WriteMark) -> ApiResult<Option<Done>> {
        let strange = |error: serde_json::Error| {
            ApiError::Internal(format!("a mark of the store cannot be read: {error}"))
        };
        let summary: Summary = serde_json::from_str(&mark.outcome).map_err(strange)?;
        let mut missing = Vec::new();
        if let Some(evidence) = &mark.evidence {
            let evidence: Evidence = serde_json::from_str(evidence).map_err(strange)?;
            let records = evidence.records.into_iter();
            let records: Vec<_> = records
                .map(|(id, etag)| (RecordId::from(id), etag))
                .collect();
            let transaction = evidence.transaction.as_deref();
            match self.records.was_committed(transaction, &records).await? {
                Some(true) => {
                    missing = self.missing_lines(&summary, &records);
                }
                Some(false) => return Ok(None),
                None => {
                    return Err(ApiError::Undecided(
                        "the service ended while these records were committed, and it cannot be found out whether \
                         they were, since the table has no primary key or the records were changed since: look for \
                         them, and send those that are missing with another Idempotency-Key"
                            .to_owned(),
                    ));
                }
            }
        }
        let outcomes = (0..summary.records).map(|position| match summary.refused.get(&position) {
            None => Ok(super::Done {
                record: Bytes::from_static(b"{}"),
                is_updated: summary.updated.contains(&position),
            }),
            Some(refusal) => Err(refusal.clone()),
        });
        Ok(Some(Done::Before(outcomes.collect(), missing)))
    }

    /// The lines about records of which keys are known, in their order, and the entity tag where it is one record.
    fn missing_lines(&self, summary: &Summary, records: &[(RecordId, String)]) -> Vec<AuditEntry> {
        let done = (0..summary.records).filter(|position| !summary.refused.contains_key(position));
        let (updated, created): (Vec<_>, Vec<_>) = done
            .zip(records)
            .partition(|(position, _)| summary.updated.contains(position));
        let lines = [
            (self.entry.clone(), created),
            (of_updated(&self.entry), updated),
        ];
        let lines = lines
            .into_iter()
            .filter_map(|(entry, records)| match records.as_slice() {
                [] => None,
                [(_, (id, etag))] => Some(entry.record(id.as_str()).after(etag)),
                records => {
                    let keys = records.iter().map(|(_, (id, _))| (id.as_str(), None));
                    Some(entry.records(keys))
                }
            });
        lines.collect()
    }

    /// Writes the mark before the commit, behind what else is done before it.
    fn watch(
        &self,
        store: &Store,
        key: &WriteKey,
        seen: Option<i64>,
        hash: String,
        before: Option<BeforeCommit>,
    ) -> BeforeCommit {
        let (store, key, model) = (store.clone(), key.clone(), Arc::clone(self.records.model()));
        Arc::new(move |prepared: &Prepared<'_>| {
            let (store, key, hash) = (store.clone(), key.clone(), hash.clone());
            let texts = texts(&model, prepared);
            let before = before.as_ref().map(|before| before(prepared));
            Box::pin(async move {
                let (evidence, outcome) = texts?;
                if let Some(before) = before {
                    before.await?;
                }
                let marks = store.write_marks();
                let written = marks.prepare(&key, seen, &hash, evidence, outcome).await;
                let unavailable =
                    |message: String| svc_data::Error::new(ErrorKind::Unavailable, message);
                match written {
                    Ok(true) => Ok(()),
                    Ok(false) => Err(unavailable(
                        "another process does a bulk create with the same key".to_owned(),
                    )),
                    Err(error) => Err(unavailable(format!(
                        "the mark of a bulk create could not be written: {error}"
                    ))),
                }
            })
        })
    }
}

/// Evidence and outcome, as the store keeps them.
fn texts(
    model: &svc_data::Model,
    prepared: &Prepared<'_>,
) -> Result<(String, String), svc_data::Error> {
    let strange = |error: serde_json::Error| svc_data::Error::internal(error.to_string());
    let mut evidence = Evidence {
        transaction: prepared.transaction.map(str::to_owned),
        records: Vec::new(),
    };
    let mut summary = Summary {
        records: prepared.results.len(),
        refused: BTreeMap::new(),
        updated: BTreeSet::new(),
    };
    for (position, result) in prepared.results.iter().enumerate() {
        match result {
            Ok(record) => {
                if record.before.is_some() {
                    summary.updated.insert(position);
                }
                evidence
                    .records
                    .push((record.id(model)?.as_str().to_owned(), record.etag.clone()));
            }
            Err(error) => {
                let refusal = refused(error.clone())
                    .map_err(|_| svc_data::Error::internal("a refusal without messages"))?;
                summary.refused.insert(position, refusal);
            }
        }
    }
    Ok((
        serde_json::to_string(&evidence).map_err(strange)?,
        serde_json::to_string(&summary).map_err(strange)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_records_in_another_time_zone_are_others() {
        let options = BulkOptions::default();
        let bodies = [serde_json::from_str(r#"{"at": "2026-01-01T12:00:00"}"#).unwrap()];
        let hash = |zone| hash_of(&options, zone, &bodies).unwrap();
        assert_eq!(hash(None), hash(None));
        assert_ne!(hash(None), hash(Some("+02:00")));
        assert_ne!(hash(Some("+01:00")), hash(Some("+02:00")));
    }
}
