//! Bulk create (wire contract, section 4).

mod once;

use std::sync::Arc;

use axum::extract::{Request, State};
use bytes::{BufMut as _, Bytes, BytesMut};
use http::StatusCode;
use serde_json::value::{RawValue, to_raw_value};
use svc_data::{BulkOptions, Model, RecordJson};
use svc_model::{
    JsonObject,
    records::{BulkQuery, MAX_BULK},
};
use svc_store::{AuditEntry, Store};

use super::CollectionSegments;
use crate::{
    access::{Access, Action, Place, authorized},
    answer::{Answer, raw_json_answer},
    audit::{self, write_audited},
    body::read_objects,
    failure::Failure,
    refusal::Refusal,
    request::Segments,
    state::Shared,
};

/// A bulk create whose request was read.
struct BulkCreate {
    place: Place,
    resource: Access,
    model: Arc<Model>,
    records: Vec<JsonObject>,
    options: BulkOptions,
    store: Store,
    /// What every line about it has in common.
    entry: AuditEntry,
}

/// What became of a record: it, or what is answered about its refusal.
type Outcome = Result<Bytes, Box<RawValue>>;

pub(super) async fn bulk_create(
    State(state): State<Shared>,
    Segments((project, environment, resource, model)): CollectionSegments,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, body) = request.into_parts();
    let place = Place::new(project, environment, resource);
    let resource = authorized(&state, &parts, &place, Action::Write(&model)).await?;
    if place.is_tools() {
        return Err(Failure::NotFound(
            "users and teams are created one at a time".to_owned(),
        ));
    }
    let model = resource.find_model(&model).await?;
    let query = BulkQuery::parse(parts.uri.query().unwrap_or_default())?;
    let key = once::read_key(&parts.headers)?;
    let records = read_objects(&parts.headers, body, &state.config, MAX_BULK).await?;
    let mut options = BulkOptions::default();
    options.atomic = query.atomic;
    options.view = resource.view_of_written(&model.name, query.view);
    let create = BulkCreate {
        entry: audit::entry("records.bulk_create", &place, &model.name),
        store: state.store_for(resource.actor(), &parts),
        place,
        resource,
        model,
        records,
        options,
    };
    let outcomes = match key {
        Some(key) => once::run(&state, create, key).await?,
        None => create.run(&state).await?,
    };
    Ok(answer(&outcomes))
}

impl BulkCreate {
    /// Creates the records and appends their lines.
    async fn run(self, state: &Shared) -> Result<Vec<Outcome>, Failure> {
        let Self {
            resource,
            model,
            records,
            options,
            store,
            entry,
            ..
        } = self;
        let written = Arc::clone(&model);
        let create = async move {
            let created = resource.bulk_create(&model, &records, &options);
            Ok(created.await?)
        };
        let begun = entry.clone();
        let results = write_audited(state, store, &begun, create, move |results: &Vec<_>| {
            lines(&entry, &written, results)
        });
        outcomes(results.await?)
    }
}

/// The lines about the records that were created.
fn lines(
    entry: &AuditEntry,
    model: &Model,
    results: &[Result<RecordJson, svc_data::Error>],
) -> Vec<AuditEntry> {
    let records = results.iter().filter_map(|result| result.as_ref().ok());
    let lines = records.map(|record| super::created(entry.clone(), model, record));
    lines.collect()
}

fn outcomes(results: Vec<Result<RecordJson, svc_data::Error>>) -> Result<Vec<Outcome>, Failure> {
    let outcomes = results.into_iter().map(|result| match result {
        Ok(record) => Ok(Ok(record.body)),
        Err(error) => refused(error).map(Err),
    });
    outcomes.collect()
}

/// What is answered about a refused record.
fn refused(error: svc_data::Error) -> Result<Box<RawValue>, Failure> {
    let refusal = match Failure::from(error) {
        Failure::Invalid(errors) => Refusal::from(errors),
        Failure::Refused(refusal) => *refusal,
        _ => {
            return Err(Failure::Internal(
                "a record of a bulk create failed in another way than by being refused".to_owned(),
            ));
        }
    };
    to_raw_value(&refusal.in_bulk()).map_err(|error| Failure::Internal(error.to_string()))
}

fn answer(outcomes: &[Outcome]) -> Answer {
    let mut out = BytesMut::with_capacity(64 * outcomes.len());
    out.put_u8(b'[');
    for (number, outcome) in outcomes.iter().enumerate() {
        if number > 0 {
            out.put_u8(b',');
        }
        match outcome {
            Ok(record) => {
                out.put_slice(br#"{"success":true,"record":"#);
                out.put_slice(record);
                out.put_u8(b'}');
            }
            Err(refusal) => out.put_slice(refusal.get().as_bytes()),
        }
    }
    out.put_u8(b']');
    raw_json_answer(StatusCode::OK, [out.freeze()])
}
