//! Changes of all records that a query selects (wire contract, section 11).

use http::StatusCode;
use svc_data::{ChangedRecords, CommitGate, Model};
use svc_model::{
    Invalid,
    records::{ChangeAllQuery, DeleteAll, Deleted, UpdateAll, Updated},
};
use svc_store::AuditEntry;

use crate::{
    api::tools,
    audit::write_audited,
    auth::access::{Call, Delete, ResourceRequest, Write},
    http::{ApiError, ApiResult, error::suggestion, response::json_response},
};

pub(super) async fn update_all(call: Call<Write>) -> ApiResult {
    let Call {
        access,
        request,
        body,
    } = call;
    if access.path().is_tools() {
        return Err(tools::not_allowed_on_list(access.model_name()));
    }
    refuse_if_match(&request)?;
    let query = request.query();
    let (records, query) = access.select_to_change(|model| read(query, model)).await?;
    let object = request.read_object(body).await?;
    let running = records.begin_request(&request)?;
    let id = running.id();
    let records = records.keeping(&request.state.config);
    let entry = records.audit_entry::<UpdateAll>();
    let store = request.store_for(records.actor());
    let ResourceRequest { state, .. } = request;
    let begun = entry.clone();
    let update = async move {
        let gate = CommitGate::default();
        let update = records.update_all(&query, &object, &gate);
        running.unless_cancelled_before(&gate, update).await?
    };
    let lines = move |changed: &_| lines(&entry, changed);
    let changed = write_audited(&state, store, begun, update, lines).await?;
    let answer = Updated::new(changed.keys.len() as u64);
    let mut answer = json_response(StatusCode::OK, &answer);
    id.tell(&mut answer);
    Ok(answer)
}

pub(super) async fn delete_all(call: Call<Delete>) -> ApiResult {
    let Call {
        access, request, ..
    } = call;
    if access.path().is_tools() {
        return Err(tools::not_allowed_on_list(access.model_name()));
    }
    refuse_if_match(&request)?;
    let query = request.query();
    let (records, query) = access.select_to_change(|model| read(query, model)).await?;
    let running = records.begin_request(&request)?;
    let id = running.id();
    let records = records.keeping(&request.state.config);
    let entry = records.audit_entry::<DeleteAll>();
    let store = request.store_for(records.actor());
    let ResourceRequest { state, .. } = request;
    let begun = entry.clone();
    let delete = async move {
        let gate = CommitGate::default();
        let delete = records.delete_all(&query, &gate);
        running.unless_cancelled_before(&gate, delete).await?
    };
    let lines = move |changed: &_| lines(&entry, changed);
    let changed = write_audited(&state, store, begun, delete, lines).await?;
    let answer = Deleted::new(changed.keys.len() as u64);
    let mut answer = json_response(StatusCode::OK, &answer);
    id.tell(&mut answer);
    Ok(answer)
}

/// Refuses the entity tag of one record, which is no condition for many.
fn refuse_if_match(request: &ResourceRequest) -> ApiResult<()> {
    match request.if_match()? {
        None => Ok(()),
        Some(_) => Err(ApiError::Invalid(Invalid::general(
            "If-Match is for one record; name how many records have to match with _expect",
        ))),
    }
}

/// Reads which records are meant.
fn read(query: &str, model: &Model) -> Result<ChangeAllQuery, Invalid> {
    ChangeAllQuery::parse(query, &|name| model.has_field(name))
        .map_err(|invalid| suggestion::in_list(&invalid, model))
}

/// The line about the records that were changed. It has their keys also where it is about one, which its request leads to.
fn lines(entry: &AuditEntry, changed: &ChangedRecords) -> Vec<AuditEntry> {
    let ChangedRecords { keys, changes, .. } = changed;
    if keys.is_empty() {
        return Vec::new();
    }
    let entry = match keys.as_slice() {
        [only] => entry.clone().record(only.as_str()),
        _ => entry.clone(),
    };
    let changes = changes.iter().cloned().chain(std::iter::repeat(None));
    let keys = keys.iter().map(|key| key.as_str());
    vec![entry.records(keys.zip(changes))]
}
