//! Bulk create (wire contract, section 4).

mod once;

use std::sync::Arc;

use bytes::{BufMut as _, Bytes, BytesMut};
use http::StatusCode;
use serde_json::value::{RawValue, to_raw_value};
use svc_data::{BulkOptions, Model, RecordJson};
use svc_model::{
    JsonObject,
    records::{self, BulkQuery, MAX_BULK},
    wire::Operation as _,
};
use svc_store::{AuditEntry, Store};

use crate::{
    audit::write_audited,
    auth::access::{Call, Records, ResourceRequest, Write},
    http::{
        ApiError, ApiResponse, ApiResult, body::read_objects, error::refusal::Refusal,
        response::raw_json_response,
    },
    state::Shared,
};

pub(crate) use self::once::{hash_of, read_key};

/// A bulk create whose request was read.
struct BulkCreate {
    records: Records<Write>,
    bodies: Arc<[JsonObject]>,
    options: BulkOptions,
    store: Store,
    /// What every line about it has in common.
    entry: AuditEntry,
}

/// The outcome of a record: what became of it, or the response to its refusal.
pub(crate) type Outcome = Result<Done, Box<RawValue>>;

/// A record that was created, or that was there and was changed.
pub(crate) struct Done {
    record: Bytes,
    pub(crate) is_updated: bool,
}

pub(super) async fn bulk_create(
    Call {
        access,
        request,
        body,
    }: Call<Write>,
) -> ApiResult {
    if access.path().is_tools() {
        return Err(ApiError::NotFound(
            "users and teams are created one at a time".to_owned(),
        ));
    }
    let records = access.records().await?.keeping(&request.state.config);
    let query = BulkQuery::parse(request.query())?;
    let key = read_key(&request.parts.headers)?;
    let store = request.store_for(records.actor());
    let ResourceRequest { state, parts } = request;
    let bodies = read_objects(&parts.headers, body, &state.config, MAX_BULK).await?;
    let mut options = BulkOptions::default();
    options.atomic = query.atomic;
    options.on_conflict = query.on_conflict;
    options.view = query.view;
    let create = BulkCreate {
        entry: records.audit_entry::<records::BulkCreate>(),
        records,
        bodies: bodies.into(),
        options,
        store,
    };
    let outcomes = match key {
        Some(key) => {
            let hash = hash_of(
                &create.options,
                create.options.view.time_zone.as_deref(),
                &create.bodies,
            )?;
            once::run(&state, create, key, hash).await?
        }
        None => create.run(&state).await?,
    };
    Ok(answer(&outcomes))
}

/// Creates records, once for the key and their [hash](hash_of) however often it is called. Their values are not kept in the audit trail, unless the
/// records [say so](Records::keeping).
pub(crate) async fn create_once(
    state: &Shared,
    records: Records<Write>,
    bodies: Arc<[JsonObject]>,
    hash: String,
    options: BulkOptions,
    store: Store,
    key: String,
) -> ApiResult<Vec<Outcome>> {
    let create = BulkCreate {
        entry: records.audit_entry::<records::BulkCreate>(),
        records,
        bodies,
        options,
        store,
    };
    once::run(state, create, key, hash).await
}

impl BulkCreate {
    /// Creates the records and appends their lines.
    async fn run(self, state: &Shared) -> ApiResult<Vec<Outcome>> {
        let Self {
            records,
            bodies,
            options,
            store,
            entry,
        } = self;
        let model = Arc::clone(records.model());
        let create = async move { records.bulk_create(&bodies, options).await };
        let begun = entry.clone();
        let results = write_audited(state, store, begun, create, move |results: &Vec<_>| {
            lines(&entry, &model, results)
        });
        outcomes(results.await?)
    }
}

/// The lines about the records that were created and about those that were changed, with what was done to the first of them.
/// Where it is one record, the line has its entity tag too.
fn lines(
    entry: &AuditEntry,
    model: &Model,
    results: &[Result<RecordJson, svc_data::Error>],
) -> Vec<AuditEntry> {
    let (updated, created): (Vec<&RecordJson>, Vec<&RecordJson>) = results
        .iter()
        .flatten()
        .partition(|record| record.before.is_some());
    let lines = [(entry.clone(), created), (of_updated(entry), updated)];
    let lines = lines
        .into_iter()
        .filter_map(|(entry, records)| match records.as_slice() {
            [] => None,
            [record] => Some(super::described(entry, model, (*record).into())),
            records => {
                let each = records.iter().map(|record| {
                    let key = match record.id(model) {
                        Ok(id) => id.as_str().to_owned(),
                        // The record is there, and so is to be its line.
                        Err(error) => {
                            tracing::error!(%error, "a record has no key for the audit trail");
                            String::new()
                        }
                    };
                    (key, super::changes((*record).into()))
                });
                Some(entry.records(each))
            }
        });
    lines.collect()
}

/// The line about the records that were there and were changed.
fn of_updated(entry: &AuditEntry) -> AuditEntry {
    let mut entry = entry.clone();
    entry.action = records::UpdateAll::INFO.name;
    entry
}

fn outcomes(results: Vec<Result<RecordJson, svc_data::Error>>) -> ApiResult<Vec<Outcome>> {
    let outcomes = results.into_iter().map(|result| match result {
        Ok(record) => Ok(Ok(Done {
            is_updated: record.before.is_some(),
            record: record.body,
        })),
        Err(error) => refused(error).map(Err),
    });
    outcomes.collect()
}

/// What is answered about a refused record.
pub(crate) fn refused(error: svc_data::Error) -> ApiResult<Box<RawValue>> {
    let refusal = match ApiError::from(error) {
        ApiError::Invalid(errors) => Refusal::from(errors),
        ApiError::Refused(refusal) => *refusal,
        _ => {
            return Err(ApiError::Internal(
                "a record of a bulk create failed in another way than by being refused".to_owned(),
            ));
        }
    };
    to_raw_value(&refusal.in_bulk()).map_err(|error| ApiError::Internal(error.to_string()))
}

fn answer(outcomes: &[Outcome]) -> ApiResponse {
    let mut out = BytesMut::with_capacity(64 * outcomes.len());
    out.put_u8(b'[');
    for (number, outcome) in outcomes.iter().enumerate() {
        if number > 0 {
            out.put_u8(b',');
        }
        match outcome {
            Ok(done) => {
                out.put_slice(match done.is_updated {
                    true => br#"{"success":true,"updated":true,"record":"#,
                    false => br#"{"success":true,"record":"#,
                });
                out.put_slice(&done.record);
                out.put_u8(b'}');
            }
            Err(refusal) => out.put_slice(refusal.get().as_bytes()),
        }
    }
    out.put_u8(b']');
    raw_json_response(StatusCode::OK, [out.freeze()])
}
