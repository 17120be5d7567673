//! Changes of all records that a query selects (wire contract, section 11).

use http::StatusCode;
use svc_data::Model;
use svc_model::{
    Invalid, RecordId,
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
    let entry = records.audit_entry::<UpdateAll>();
    let store = request.store_for(records.actor());
    let ResourceRequest { state, .. } = request;
    let begun = entry.clone();
    let update = async move { records.update_all(&query, &object).await };
    let lines = move |keys: &Vec<RecordId>| lines(&entry, keys);
    let keys = write_audited(&state, store, &begun, update, lines).await?;
    let answer = Updated::new(keys.len() as u64);
    Ok(json_response(StatusCode::OK, &answer))
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
    let entry = records.audit_entry::<DeleteAll>();
    let store = request.store_for(records.actor());
    let ResourceRequest { state, .. } = request;
    let begun = entry.clone();
    let delete = async move { records.delete_all(&query).await };
    let lines = move |keys: &Vec<RecordId>| lines(&entry, keys);
    let keys = write_audited(&state, store, &begun, delete, lines).await?;
    let answer = Deleted::new(keys.len() as u64);
    Ok(json_response(StatusCode::OK, &answer))
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

/// The line about the records that were changed.
fn lines(entry: &AuditEntry, keys: &[RecordId]) -> Vec<AuditEntry> {
    match keys {
        [] => Vec::new(),
        [key] => vec![entry.clone().record(key.as_str())],
        keys => {
            let keys = keys.iter().map(|key| key.as_str().to_owned());
            vec![entry.clone().records(keys)]
        }
    }
}
