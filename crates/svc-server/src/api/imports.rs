//! Imports: files whose rows become records, in the background (wire contract, section 11).

mod batches;
mod claim;
mod csv_quotes;
mod csv_rows;
mod file;
mod lost;
mod ndjson_rows;
mod reader;
mod row;
pub(crate) mod runner;
mod settings;
mod write;

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use serde::Serialize;
use serde_json::value::RawValue;
use svc_model::{
    Invalid,
    imports::{self, Begin, Cancel, Get, ImportQuery, ImportState, ListRefused, Resume},
    query::parse_pairs,
    wire::{BoxFuture, Operation},
};
use svc_store::{AuditEntry, Import, NewImport, RefusedRow};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use self::{file::receive, reader::Reader, settings::Settings};
use crate::{
    api::{records::bulk_create::read_key, routes::Routes},
    audit::write_audited,
    auth::access::{Access, Call, Describe, ResourceRequest, Write},
    http::{
        ApiError, ApiResult,
        response::{
            Chunks, json_response, raw_json_response,
            rows::{Format, More, RowWriter},
        },
    },
    state::Shared,
};

/// How many refused rows are read at a time.
const REFUSED_AT_ONCE: u32 = 500;
/// How long the answer to a cancellation waits for the batch that is being written.
const BATCH_ENDS_IN: Duration = Duration::from_secs(10);
/// How often it is asked whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub(crate) fn routes() -> Routes {
    Routes::new()
        .on::<Begin, _>(begin)
        .on::<Get, _>(get)
        .on::<ListRefused, _>(list_refused)
        .on::<Cancel, _>(cancel)
        .on::<Resume, _>(resume)
}

async fn begin(call: Call<Write>) -> ApiResult {
    let Call {
        access,
        request,
        body,
    } = call;
    if access.path().is_tools() {
        return Err(ApiError::NotFound(
            "users and teams are created one at a time".to_owned(),
        ));
    }
    let path = access.path().clone();
    let records = access.records().await?;
    let ResourceRequest { state, parts } = &request;
    let query = ImportQuery::parse(request.query())?;
    let dry_run = query.dry_run;
    let settings = Settings::new(&parts.headers, query)?;
    let key = read_key(&parts.headers)?;
    // Refused before the file is sent: a bulk create of nothing asks whether there can be one.
    records.bulk_create(&[], settings.options()).await?;

    let store = request.store_for(records.actor());
    let entry = records.audit_entry::<Begin>();
    let mut new = NewImport::new(
        path.scope,
        path.resource,
        &*records.model().name,
        records.actor(),
    );
    // A dry run is no repetition of an import.
    let read_by = format!("{dry_run} {}", settings.to_json()?);
    let file = receive(&request, body, &store, new.uid, &read_by).await?;
    let row_limit = state.config.body_limit;
    let description = records.model().description();
    let (opened, read_settings) = (file.open()?, settings.clone());
    let checked = tokio::task::spawn_blocking(move || {
        let Settings { form, columns, .. } = read_settings;
        Reader::new(opened, form, &columns, &description, row_limit).map(drop)
    });
    checked
        .await
        .map_err(|error| ApiError::Internal(error.to_string()))??;

    let hash = file.hash.clone();
    new.request_hash.clone_from(&hash);
    new.idempotency_key = key;
    new.settings = settings.to_json()?;
    new.dry_run = dry_run;
    new.bytes = file.bytes;
    let begun = entry.clone();
    let acting = store.clone();
    // Done to its end when the caller leaves, so that an import has its file.
    let begin = async move {
        let begin = tokio::spawn(async move {
            let imports = acting.imports();
            let uid = new.uid;
            let begun = imports.begin(new).await;
            let needs_file = match &begun {
                Ok((_, is_new)) => *is_new,
                // It may have begun all the same.
                Err(_) => !matches!(imports.find(uid).await, Ok(None)),
            };
            if needs_file {
                file.keep();
            }
            begun
        });
        let begun = begin
            .await
            .map_err(|error| ApiError::Internal(error.to_string()))?;
        Ok(begun?)
    };
    let lines = move |(import, is_new): &(Import, bool)| match is_new {
        true => vec![entry.clone().record(import.uid.to_string())],
        false => Vec::new(),
    };
    let begun = write_audited(state, store, begun, begin, lines);
    let (import, is_new) = Box::pin(begun).await?;
    if import.request_hash != hash {
        return Err(Invalid::field(
            "Idempotency-Key",
            "this key was used for another file or other parameters; send the same ones, or choose another key",
        )
        .into());
    }
    state.imports.wake();
    let status = match is_new {
        true => StatusCode::ACCEPTED,
        false => StatusCode::OK,
    };
    Ok(json_response(status, &shown(import)))
}

async fn get(call: Call<Describe>) -> ApiResult {
    call.request.check_query()?;
    let import = seen(&call.request.state, &call.access).await?;
    Ok(json_response(StatusCode::OK, &shown(import)))
}

async fn cancel(call: Call<Describe>) -> ApiResult {
    call.request.check_query()?;
    let (access, request) = (call.access, call.request);
    let state = &request.state;
    let import = seen(state, &access).await?;
    let imports = state.store.imports();
    let is_changed = imports.cancel(import.uid).await?;
    // What the batch does that is being written, here or at another node, counts.
    let begun = Instant::now();
    while imports.is_worked_on(import.uid).await? && begun.elapsed() < BATCH_ENDS_IN {
        sleep(LOOK_EVERY).await;
    }
    changed::<Cancel>(&access, &request, &import, is_changed).await
}

async fn resume(call: Call<Describe>) -> ApiResult {
    call.request.check_query()?;
    let (access, request) = (call.access, call.request);
    let state = &request.state;
    let import = seen(state, &access).await?;
    let is_changed = state.store.imports().resume(import.uid).await?;
    state.imports.wake();
    changed::<Resume>(&access, &request, &import, is_changed).await
}

/// Answers what an import is by now, with a line about what was changed.
async fn changed<O: Operation>(
    access: &Access<Describe>,
    request: &ResourceRequest,
    import: &Import,
    is_changed: bool,
) -> ApiResult {
    if is_changed {
        let store = request.store_for(access.actor());
        let entry = AuditEntry::new(O::INFO.name)
            .scope(&import.scope)
            .resource(import.resource.as_str())
            .model(&import.model)
            .record(import.uid.to_string());
        store.audit().append(vec![entry]).await?;
    }
    let import = request.state.store.imports().find(import.uid).await?;
    let import = import.ok_or_else(not_found)?;
    Ok(json_response(StatusCode::OK, &shown(import)))
}

async fn list_refused(call: Call<Describe>) -> ApiResult {
    let (after, most) = read_page(call.request.query())?;
    let import = seen(&call.request.state, &call.access).await?;
    let rows = Refused {
        state: Shared::clone(&call.request.state),
        uid: import.uid,
        after,
        left: most,
    };
    let Some(format) = Format::accepted(&call.request.parts.headers) else {
        let body = rows.json(true).await?;
        return Ok(raw_json_response(StatusCode::OK, body));
    };
    let columns = ["number", "row", "errors"].map(str::to_owned).to_vec();
    let writer = RowWriter::new(format, columns);
    let head = Chunks::from([writer.head()?]);
    let rows = rows.in_format(writer).await?;
    Ok(format.answer(head.followed_by(async move { Ok(rows) })))
}

/// Reads `_after` and `_per_page`.
fn read_page(query: &str) -> Result<(i64, u64), Invalid> {
    let pairs = parse_pairs(query).map_err(|error| Invalid::general(error.to_string()))?;
    let mut invalid = Invalid::new();
    let (mut after, mut most) = (0, u64::MAX);
    for (key, value) in &pairs {
        match (&**key, value.parse::<u64>()) {
            ("_after", Ok(number)) => after = i64::try_from(number).unwrap_or(i64::MAX),
            ("_per_page", Ok(number)) if number > 0 => most = number,
            ("_after", _) => invalid.push_field("_after", "must be the number of a row"),
            ("_per_page", _) => {
                invalid.push_field("_per_page", "must be a number of rows, at least 1");
            }
            // A client with `draft` on sends this parameter with every request.
            ("draft", _) => {}
            _ => invalid.push_general(format!("unknown parameter {key:?}")),
        }
    }
    invalid.into_result().map(|()| (after, most))
}

/// Refused rows that are still to be sent.
struct Refused {
    state: Shared,
    uid: Uuid,
    after: i64,
    left: u64,
}

impl Refused {
    /// The next rows as a JSON array; `None` behind the last.
    async fn next(&mut self) -> ApiResult<Option<Vec<RefusedRow>>> {
        let most = u64::from(REFUSED_AT_ONCE).min(self.left);
        let most = u32::try_from(most).unwrap_or(REFUSED_AT_ONCE);
        if most == 0 {
            return Ok(None);
        }
        let imports = self.state.store.imports();
        let rows = imports.refused(self.uid, self.after, most).await?;
        let Some(last) = rows.last() else {
            return Ok(None);
        };
        self.after = last.number;
        self.left -= rows.len() as u64;
        Ok(Some(rows))
    }

    /// The rows as elements of a JSON array, portion by portion while they are sent.
    fn json(mut self, is_first: bool) -> BoxFuture<'static, ApiResult<Chunks>> {
        Box::pin(async move {
            let Some(rows) = self.next().await? else {
                let end: &[u8] = if is_first { b"[]" } else { b"]" };
                return Ok([Bytes::from_static(end)].into());
            };
            let mut text = written(&rows)?;
            // Of the array of this portion, the elements are sent.
            text.pop();
            if let Some(first) = text.first_mut()
                && !is_first
            {
                *first = b',';
            }
            let more: More = Box::pin(async move { Ok(self.json(false).await?) });
            Ok(Chunks::from([Bytes::from(text)]).followed_by(more))
        })
    }

    fn in_format(mut self, writer: RowWriter) -> BoxFuture<'static, ApiResult<Chunks>> {
        Box::pin(async move {
            let Some(rows) = self.next().await? else {
                return Ok(Chunks::default());
            };
            let text = Bytes::from(written(&rows)?);
            writer.write(text, move |writer| -> Option<More> {
                Some(Box::pin(async move { Ok(self.in_format(writer).await?) }))
            })
        })
    }
}

/// Rows as a JSON array of objects.
fn written(rows: &[RefusedRow]) -> ApiResult<Vec<u8>> {
    #[derive(Serialize)]
    struct Listed<'a> {
        number: i64,
        row: &'a RawValue,
        errors: &'a RawValue,
    }
    let strange = |error: serde_json::Error| ApiError::Internal(error.to_string());
    let rows: Vec<_> = rows
        .iter()
        .map(|row| {
            Ok(Listed {
                number: row.number,
                row: serde_json::from_str(&row.row).map_err(strange)?,
                errors: serde_json::from_str(&row.errors).map_err(strange)?,
            })
        })
        .collect::<ApiResult<_>>()?;
    serde_json::to_vec(&rows).map_err(strange)
}

/// The import that the path names, where the caller may see it: who began it, and administrators.
async fn seen(state: &Shared, access: &Access<Describe>) -> ApiResult<Import> {
    let uid = access.import().parse::<Uuid>().map_err(|_| not_found())?;
    let import = state.store.imports().find(uid).await?;
    let is_seen = |import: &Import| {
        import.scope == access.path().scope
            && import.resource == access.path().resource
            && import.model == access.model_name()
            && access.is_of(&import.actor)
    };
    import.filter(is_seen).ok_or_else(not_found)
}

fn not_found() -> ApiError {
    ApiError::NotFound("there is no such import, or it ended more than a week ago".to_owned())
}

/// An import as callers see it.
fn shown(import: Import) -> imports::Import {
    let number = |number: i64| u64::try_from(number).unwrap_or_default();
    let state = match import.state {
        svc_store::ImportState::Running => ImportState::Running,
        svc_store::ImportState::Done => ImportState::Done,
        svc_store::ImportState::Cancelled => ImportState::Cancelled,
        _ => ImportState::Failed,
    };
    let date_add = format!("{:.6}", import.date_add);
    let mut shown = imports::Import::new(import.uid.to_string(), state, date_add);
    shown.dry_run = import.dry_run;
    shown.read = number(import.rows_read);
    shown.made = number(import.made);
    shown.updated = number(import.updated);
    shown.refused = number(import.refused);
    shown.bytes = number(import.bytes);
    shown.bytes_read = number(import.bytes_read.min(import.bytes));
    shown.message = import.message;
    shown.date_end = import.date_end.map(|date| format!("{date:.6}"));
    shown
}
