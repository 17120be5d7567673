//! Records of connected databases (specification, section 4; wire contract, section 4).

mod aggregate;

use std::sync::Arc;

use axum::{
    Router,
    extract::{ConnectInfo, Request, State},
    routing::get,
};
use bytes::Bytes;
use http::{StatusCode, request::Parts};
use svc_data::{IfMatch, Model, Page, RecordJson, Resource};
use svc_model::{Invalid, ListQuery, RecordView, records, wire::Operation as _};

use crate::{
    answer::{Answer, empty_answer, raw_json_answer, tagged_answer},
    body::read_object,
    credentials::authorized,
    failure::Failure,
    links,
    listener::Peer,
    request::{Segments, if_match},
    router::route,
    state::Shared,
};

pub(crate) fn routes() -> Router<Shared> {
    let list_path = records::List::<records::Record>::INFO.path_template;
    let item_path = records::Get::<records::Record>::INFO.path_template;
    let router = route(Router::new(), list_path, get(list).post(create));
    let item = get(retrieve).patch(update).put(replace).delete(delete);
    let router = route(router, item_path, item);
    let aggregate_path = records::Aggregate::INFO.path_template;
    let group_path = records::Group::INFO.path_template;
    let router = route(
        router,
        aggregate_path,
        get(aggregate::aggregate).post(aggregate::aggregate),
    );
    route(
        router,
        group_path,
        get(aggregate::group).post(aggregate::group),
    )
}

type CollectionSegments = Segments<(String, String, String, String)>;
type ItemSegments = Segments<(String, String, String, String, String)>;

async fn list(
    State(state): State<Shared>,
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    Segments((project, environment, resource, model)): CollectionSegments,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let resource = authorized(&state, &parts, project, environment, resource).await?;
    let query_text = parts.uri.query().unwrap_or_default();
    let (model, query) = read_against(&resource, &model, |model| {
        ListQuery::parse(query_text, &|name| model.has_field(name))
    })
    .await?;
    let page = resource.list(&model, &query).await?;
    if query.no_pagination {
        return Ok(raw_json_answer(StatusCode::OK, [page.results]));
    }
    let origin = links::origin(&state.config, &parts.headers, peer);
    let path = parts.uri.path().trim_end_matches('/');
    let link = |number, after: Option<&str>| {
        format!(
            "{origin}{path}?{}",
            links::page_query(query_text, number, after)
        )
    };
    let next = page
        .has_more
        .then(|| link(query.page.saturating_add(1), page.after.as_deref()));
    // From a page past the end, the last one comes before.
    let pages = page
        .count
        .map(|count| count.div_ceil(u64::from(query.limit())).max(1));
    let before = query.page.saturating_sub(1).min(pages.unwrap_or(u64::MAX));
    let previous = (query.page > 1).then(|| link(before, None));
    Ok(raw_json_answer(
        StatusCode::OK,
        envelope(&query, page, next.as_deref(), previous.as_deref()),
    ))
}

/// Reads a query against the model's fields; before a name is refused as unknown, the structure is read
/// anew if it has changed.
async fn read_against<T>(
    resource: &Resource,
    name: &str,
    read: impl Fn(&Model) -> Result<T, Invalid>,
) -> Result<(Arc<Model>, T), Failure> {
    let model = resource.find_model(name).await?;
    match read(&model) {
        Ok(query) => Ok((model, query)),
        Err(invalid) => {
            if !resource.reload_if_changed().await? {
                return Err(invalid.into());
            }
            let model = resource.find_model(name).await?;
            let query = read(&model)?;
            Ok((model, query))
        }
    }
}

/// The paginated envelope around rows that the driver wrote.
fn envelope(
    query: &ListQuery,
    page: Page,
    next: Option<&str>,
    previous: Option<&str>,
) -> [Bytes; 3] {
    let per_page = u64::from(query.limit());
    let number =
        |number: Option<u64>| number.map_or_else(|| "null".to_owned(), |number| number.to_string());
    let text = |text: Option<&str>| serde_json::Value::from(text).to_string();
    let head = format!(
        r#"{{"count":{},"next":{},"previous":{},"num_pages":{},"per_page":{per_page},"has_more":{},"results":"#,
        number(page.count),
        text(next),
        text(previous),
        number(page.count.map(|count| count.div_ceil(per_page))),
        page.has_more,
    );
    [head.into(), page.results, Bytes::from_static(b"}")]
}

async fn retrieve(
    State(state): State<Shared>,
    Segments((project, environment, resource, model, id)): ItemSegments,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let resource = authorized(&state, &parts, project, environment, resource).await?;
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
    let (parts, body) = request.into_parts();
    let resource = authorized(&state, &parts, project, environment, resource).await?;
    let model = resource.find_model(&model).await?;
    let view = RecordView::parse(parts.uri.query().unwrap_or_default())?;
    let object = read_object(&parts.headers, body, &state.config).await?;
    let RecordJson { body, etag, .. } = resource.create(&model, &object, &view).await?;
    Ok(tagged_answer(StatusCode::CREATED, [body], &etag, None))
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

async fn change(
    State(state): State<Shared>,
    Segments((project, environment, resource, model, id)): ItemSegments,
    request: Request,
    change: Change,
) -> Result<Answer, Failure> {
    let (parts, body) = request.into_parts();
    let resource = authorized(&state, &parts, project, environment, resource).await?;
    let model = resource.find_model(&model).await?;
    let view = RecordView::parse(parts.uri.query().unwrap_or_default())?;
    let tags = read_if_match(&parts)?;
    let object = read_object(&parts.headers, body, &state.config).await?;
    let changed = match change {
        Change::Update => {
            resource
                .update(&model, &id, &object, tags.as_ref(), &view)
                .await?
        }
        Change::Replace => {
            resource
                .replace(&model, &id, &object, tags.as_ref(), &view)
                .await?
        }
    };
    Ok(tagged_answer(
        StatusCode::OK,
        [changed.body],
        &changed.etag,
        None,
    ))
}

async fn delete(
    State(state): State<Shared>,
    Segments((project, environment, resource, model, id)): ItemSegments,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let resource = authorized(&state, &parts, project, environment, resource).await?;
    let model = resource.find_model(&model).await?;
    RecordView::parse(parts.uri.query().unwrap_or_default())?;
    let tags = read_if_match(&parts)?;
    resource.delete(&model, &id, tags.as_ref()).await?;
    Ok(empty_answer(StatusCode::NO_CONTENT))
}

fn read_if_match(parts: &Parts) -> Result<Option<IfMatch>, Failure> {
    if_match(&parts.headers)?
        .map(|tags| IfMatch::parse(&tags))
        .transpose()
        .map_err(Failure::from)
}
