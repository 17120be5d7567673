//! Bulk create (wire contract, section 4).

use std::sync::Arc;

use axum::extract::{Request, State};
use bytes::{BufMut as _, BytesMut};
use http::StatusCode;
use svc_model::records::{BulkQuery, MAX_BULK};

use super::CollectionSegments;
use crate::{
    access::{Action, Place, authorized},
    answer::{Answer, raw_json_answer},
    audit::{self, noted},
    body::read_objects,
    failure::Failure,
    request::Segments,
    state::Shared,
};

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
    let records = read_objects(&parts.headers, body, &state.config, MAX_BULK).await?;
    let view = resource.view_of_written(&model.name, query.view);
    let store = state.store_for(resource.actor(), &parts);
    let entry = audit::entry("records.bulk_create", &place, &model.name);
    let written = Arc::clone(&model);
    let create = async move {
        let created = resource.bulk_create(&model, &records, query.atomic, &view);
        Ok(created.await?)
    };
    let results = noted(&state, store, create, move |results: &Vec<_>| {
        let records = results.iter().filter_map(|result| result.as_ref().ok());
        let lines = records.map(|record| super::created(entry.clone(), &written, record));
        lines.collect()
    });
    let results = results.await?;
    let mut out = BytesMut::with_capacity(64 * results.len());
    out.put_u8(b'[');
    for (number, result) in results.into_iter().enumerate() {
        if number > 0 {
            out.put_u8(b',');
        }
        match result {
            Ok(record) => {
                out.put_slice(br#"{"success":true,"record":"#);
                out.put_slice(&record.body);
            }
            Err(error) => {
                let Failure::Invalid(errors) = Failure::from(error) else {
                    return Err(Failure::Internal(
                        "a record of a bulk create failed in another way than by being refused"
                            .to_owned(),
                    ));
                };
                out.put_slice(br#"{"success":false,"errors":"#);
                let errors = serde_json::to_vec(&errors)
                    .map_err(|error| Failure::Internal(error.to_string()))?;
                out.put_slice(&errors);
            }
        }
        out.put_u8(b'}');
    }
    out.put_u8(b']');
    Ok(raw_json_answer(StatusCode::OK, [out.freeze()]))
}
