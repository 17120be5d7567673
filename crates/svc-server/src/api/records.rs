//! Records of connected databases (specification, section 4; wire contract, section 4).

mod aggregate;
pub(crate) mod bulk_create;
mod change_all;
pub(crate) mod history;
pub(crate) mod list;
mod references;
mod siblings;
mod value;

use std::{future::Future, sync::Arc};

use http::StatusCode;
use svc_data::{Model, RecordJson, Written};
use svc_model::{
    RecordView,
    records::{self, CreateQuery, Record},
    wire::Operation,
};
use svc_store::{AuditEntry, Changes};

use crate::{
    api::{routes::Routes, tools},
    audit::write_noted,
    auth::access::{Call, Change, Delete, Read, Records, ResourceRequest, Write},
    http::{
        ApiResponse, ApiResult,
        response::{empty_response, raw_json_response, tagged_response},
    },
};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .on::<records::List<Record>, _>(list::list)
        .on::<records::Create<Record>, _>(create)
        .on::<records::Get<Record>, _>(retrieve)
        .on::<records::Update<Record>, _>(update)
        .on::<records::Replace<Record>, _>(replace)
        .on::<records::Delete, _>(delete)
        .on::<records::UpdateAll, _>(change_all::update_all)
        .on::<records::DeleteAll, _>(change_all::delete_all)
        .on::<records::BulkCreate<Record>, _>(bulk_create::bulk_create)
        .on::<records::GetSiblings, _>(siblings::get_siblings)
        .on::<records::GetReferences, _>(references::get_references)
        .on::<records::GetHistory, _>(history::get_history)
        .on::<records::GetValue, _>(value::get_value)
        .on_question::<records::Aggregate, _>(aggregate::aggregate)
        .on_question::<records::Group, _>(aggregate::group)
}

async fn retrieve(call: Call<Read>) -> ApiResult {
    let records = call.access.records().await?;
    let view = RecordView::parse(call.request.query())?;
    let RecordJson { body, etag, .. } = records.retrieve(&view).await?;
    // The tag is that of the record. It says nothing about related ones, which a cache would keep.
    let headers = view.expand.is_none().then_some(&call.request.parts.headers);
    Ok(tagged_response(StatusCode::OK, [body], &etag, headers))
}

async fn create(call: Call<Write>) -> ApiResult {
    if call.access.path().is_tools() {
        return Box::pin(tools::create(call)).await;
    }
    let records = call.access.records().await?;
    let query = CreateQuery::parse(call.request.query())?;
    let object = call.request.read_object(call.body).await?;
    let may_read = records.may_read();
    let entry = records.audit_entry::<records::Create<Record>>();
    let create = |records: Records<_>| async move { records.create(&object, query).await };
    let record = write(call.request, records, entry, create).await?;
    let status = match record.before {
        Some(_) => StatusCode::OK,
        None => StatusCode::CREATED,
    };
    Ok(answer(may_read, status, record))
}

async fn update(call: Call<Write>) -> ApiResult {
    change::<records::Update<Record>>(call, Change::Update).await
}

async fn replace(call: Call<Write>) -> ApiResult {
    change::<records::Replace<Record>>(call, Change::Replace).await
}

async fn change<O: Operation>(call: Call<Write>, change: Change) -> ApiResult {
    if call.access.path().is_tools() {
        return Box::pin(tools::change(call)).await;
    }
    let records = call.access.records().await?;
    let view = RecordView::parse_of_write(call.request.query())?;
    let tags = call.request.if_match()?;
    let object = call.request.read_object(call.body).await?;
    let may_read = records.may_read();
    let entry = records.audit_entry::<O>().record(records.id());
    let change = |records: Records<_>| async move {
        records.change(change, &object, tags.as_ref(), view).await
    };
    let changed = write(call.request, records, entry, change).await?;
    Ok(answer(may_read, StatusCode::OK, changed))
}

/// Writes to one record, with its line in the audit trail. `entry` is what is known of the write before it begins.
async fn write<R, T, W>(
    request: ResourceRequest,
    records: Records<R>,
    entry: AuditEntry,
    write: impl FnOnce(Records<R>) -> W,
) -> ApiResult<T>
where
    T: Send + Sync + 'static,
    for<'r> Written<'r>: From<&'r T>,
    W: Future<Output = ApiResult<T>> + Send + 'static,
{
    let store = request.store_for(records.actor());
    let records = records.keeping(&request.state.config);
    let model = Arc::clone(records.model());
    let entry = Arc::new(entry);
    let begun = Arc::clone(&entry);
    let notes_commits = records.notes_commits();
    let write = |note| write(records.noting(note));
    let line = move |written: Written<'_>| described(AuditEntry::clone(&entry), &model, written);
    write_noted(&request.state, store, begun, notes_commits, write, line).await
}

/// The answer to a write. The entity tag is made of the whole record, so that it is for those who may read it.
fn answer(may_read: bool, status: StatusCode, record: RecordJson) -> ApiResponse {
    let RecordJson { body, etag, .. } = record;
    if may_read {
        tagged_response(status, [body], &etag, None)
    } else {
        raw_json_response(status, [body])
    }
}

async fn delete(call: Call<Delete>) -> ApiResult {
    if call.access.path().is_tools() {
        return tools::delete(call).await;
    }
    let records = call.access.records().await?;
    RecordView::parse_of_write(call.request.query())?;
    let tags = call.request.if_match()?;
    let entry = records
        .audit_entry::<records::Delete>()
        .record(records.id());
    let delete = |records: Records<_>| async move { records.delete(tags.as_ref()).await };
    write(call.request, records, entry, delete).await?;
    Ok(empty_response(StatusCode::NO_CONTENT))
}

/// The line about what a write did to a record.
fn described(entry: AuditEntry, model: &Model, written: Written<'_>) -> AuditEntry {
    let entry = entry.changes(changes(written).and_then(Changes::of_record));
    match (written.before, written.after) {
        (Some(before), after) => {
            let mut entry = entry.record(before.id.as_str()).before(&before.etag);
            if entry.action == <records::Create<Record>>::INFO.name {
                // An upsert that found the record.
                entry.action = <records::Update<Record>>::INFO.name;
            }
            match after {
                Some(record) => entry.after(&record.etag),
                None => entry,
            }
        }
        (None, Some(record)) => created(entry, model, record),
        (None, None) => entry,
    }
}

/// What a write did to the values of a record, where they are kept.
fn changes(written: Written<'_>) -> Option<String> {
    written.changes().unwrap_or_else(|error| {
        // The record was written, and so is to be its line.
        tracing::error!(%error, "the values of a record cannot be kept in the audit trail");
        None
    })
}

/// The line about a record that was created.
fn created(entry: AuditEntry, model: &Model, record: &RecordJson) -> AuditEntry {
    let entry = entry.after(&record.etag);
    match record.id(model) {
        Ok(id) => entry.record(id.as_str()),
        // The record is there, and so is to be its line.
        Err(error) => {
            tracing::error!(%error, "a record has no key for the audit trail");
            entry
        }
    }
}
