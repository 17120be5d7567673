//! Records of connected databases (specification, section 4; wire contract, section 4).

mod aggregate;
mod bulk_create;
mod list;
mod siblings;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    routing::get,
};
use http::{StatusCode, request::Parts};
use svc_data::{Before, IfMatch, Model, RecordJson};
use svc_model::{
    Invalid, RecordView,
    records::{self, Record},
    wire::Operation as _,
};
use svc_store::AuditEntry;

use crate::{
    access::{Access, Action, Place, authorized},
    answer::{Answer, empty_answer, raw_json_answer, tagged_answer},
    audit::{self, write_audited},
    body::read_object,
    failure::Failure,
    request::{Segments, if_match},
    router::Routes as _,
    state::Shared,
    suggestion, tools,
};

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .on::<records::List<Record>, _>(list::list)
        .on::<records::Create<Record>, _>(create)
        .on::<records::Get<Record>, _>(retrieve)
        .on::<records::Update<Record>, _>(update)
        .on::<records::Replace<Record>, _>(replace)
        .on::<records::Delete, _>(delete)
        .on::<records::BulkCreate<Record>, _>(bulk_create::bulk_create)
        .on::<records::GetSiblings, _>(siblings::get_siblings)
        .on::<records::Aggregate, _>(aggregate::aggregate)
        .at(
            records::Aggregate::INFO.path_template,
            get(aggregate::aggregate),
        )
        .on::<records::Group, _>(aggregate::group)
        .at(records::Group::INFO.path_template, get(aggregate::group))
}

type CollectionSegments = Segments<(String, String, String, String)>;
type ItemSegments = Segments<(String, String, String, String, String)>;

/// Reads a query against the model's fields; before a name is refused as unknown, the structure is read
/// anew if it has changed.
async fn read_against<T>(
    resource: &Access,
    name: &str,
    read: impl Fn(&Model) -> Result<T, Invalid>,
) -> Result<(Arc<Model>, T), Failure> {
    let model = resource.find_model(name).await?;
    match read(&model) {
        Ok(query) => Ok((model, query)),
        Err(invalid) => {
            if !resource.reload_if_changed().await? {
                return Err(suggestion::with_fields(&invalid, &model).into());
            }
            let model = resource.find_model(name).await?;
            let query =
                read(&model).map_err(|invalid| suggestion::with_fields(&invalid, &model))?;
            Ok((model, query))
        }
    }
}

async fn retrieve(
    State(state): State<Shared>,
    Segments((project, environment, resource, model, id)): ItemSegments,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let place = Place::new(project, environment, resource);
    let resource = authorized(&state, &parts, &place, Action::Read(&model)).await?;
    let model = resource.find_model(&model).await?;
    let view = RecordView::parse(parts.uri.query().unwrap_or_default())?;
    let RecordJson { body, etag, .. } = resource.retrieve(&model, &id, &view).await?;
    Ok(tagged_answer(
        StatusCode::OK,
        [body],
        &etag,
        Some(&parts.headers),
    ))
}

async fn create(
    State(state): State<Shared>,
    Segments((project, environment, resource, model)): CollectionSegments,
    request: Request,
) -> Result<Answer, Failure> {
    let place = Place::new(project, environment, resource);
    if place.is_tools() {
        return tools::create(&state, &place, &model, request).await;
    }
    let (parts, body) = request.into_parts();
    let resource = authorized(&state, &parts, &place, Action::Write(&model)).await?;
    let model = resource.find_model(&model).await?;
    let view = RecordView::parse(parts.uri.query().unwrap_or_default())?;
    let view = resource.view_of_written(&model.name, view);
    let object = read_object(&parts.headers, body, &state.config).await?;
    let may_read = resource.may_read(&model.name);
    let store = state.store_for(resource.actor(), &parts);
    let entry = audit::entry("records.create", &place, &model.name);
    let written = Arc::clone(&model);
    let create = async move { Ok(resource.create(&model, &object, &view).await?) };
    let line = entry.clone();
    let created = write_audited(&state, store, &entry, create, move |record| {
        vec![created(line, &written, record)]
    });
    Ok(answer(may_read, StatusCode::CREATED, created.await?))
}

async fn update(
    state: State<Shared>,
    segments: ItemSegments,
    request: Request,
) -> Result<Answer, Failure> {
    change(state, segments, request, Change::Update).await
}

async fn replace(
    state: State<Shared>,
    segments: ItemSegments,
    request: Request,
) -> Result<Answer, Failure> {
    change(state, segments, request, Change::Replace).await
}

enum Change {
    Update,
    Replace,
}

impl Change {
    fn action(&self) -> &'static str {
        match self {
            Self::Update => "records.update",
            Self::Replace => "records.replace",
        }
    }
}

async fn change(
    State(state): State<Shared>,
    Segments((project, environment, resource, model, id)): ItemSegments,
    request: Request,
    change: Change,
) -> Result<Answer, Failure> {
    let place = Place::new(project, environment, resource);
    if place.is_tools() {
        return tools::change(&state, &place, (&model, &id), request).await;
    }
    let (parts, body) = request.into_parts();
    let resource = authorized(&state, &parts, &place, Action::Write(&model)).await?;
    let model = resource.find_model(&model).await?;
    let view = RecordView::parse(parts.uri.query().unwrap_or_default())?;
    let view = resource.view_of_written(&model.name, view);
    let tags = read_if_match(&parts)?;
    let object = read_object(&parts.headers, body, &state.config).await?;
    let may_read = resource.may_read(&model.name);
    let store = state.store_for(resource.actor(), &parts);
    let entry = audit::entry(change.action(), &place, &model.name);
    let begun = entry.clone().record(&id);
    let write = async move {
        let tags = tags.as_ref();
        let changed = match change {
            Change::Update => resource.update(&model, &id, &object, tags, &view).await,
            Change::Replace => resource.replace(&model, &id, &object, tags, &view).await,
        };
        Ok(changed.map_err(|error| resource.without_hidden_constraint(error))?)
    };
    let changed = write_audited(&state, store, &begun, write, |changed: &RecordJson| {
        let entry = match &changed.before {
            Some(before) => with_before(entry, before),
            None => entry,
        };
        vec![entry.after(&changed.etag)]
    });
    Ok(answer(may_read, StatusCode::OK, changed.await?))
}

/// The answer to a write. The entity tag is made of the whole record, so that it is for those who may read it.
fn answer(may_read: bool, status: StatusCode, record: RecordJson) -> Answer {
    let RecordJson { body, etag, .. } = record;
    if may_read {
        tagged_answer(status, [body], &etag, None)
    } else {
        raw_json_answer(status, [body])
    }
}

async fn delete(
    State(state): State<Shared>,
    Segments((project, environment, resource, model, id)): ItemSegments,
    request: Request,
) -> Result<Answer, Failure> {
    let place = Place::new(project, environment, resource);
    if place.is_tools() {
        return tools::delete(&state, &place, (&model, &id), request).await;
    }
    let (parts, _) = request.into_parts();
    let resource = authorized(&state, &parts, &place, Action::Delete(&model)).await?;
    let model = resource.find_model(&model).await?;
    RecordView::parse(parts.uri.query().unwrap_or_default())?;
    let tags = read_if_match(&parts)?;
    let store = state.store_for(resource.actor(), &parts);
    let entry = audit::entry("records.delete", &place, &model.name);
    let begun = entry.clone().record(&id);
    let delete = async move {
        let deleted = resource.delete(&model, &id, tags.as_ref()).await;
        Ok(deleted.map_err(|error| resource.without_hidden_constraint(error))?)
    };
    write_audited(&state, store, &begun, delete, |before| {
        vec![with_before(entry, before)]
    })
    .await?;
    Ok(empty_answer(StatusCode::NO_CONTENT))
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

/// Says what a record was.
fn with_before(entry: AuditEntry, before: &Before) -> AuditEntry {
    entry.record(before.id.as_str()).before(&before.etag)
}

pub(crate) fn read_if_match(parts: &Parts) -> Result<Option<IfMatch>, Failure> {
    if_match(&parts.headers)?
        .map(|tags| IfMatch::parse(&tags))
        .transpose()
        .map_err(Failure::from)
}
