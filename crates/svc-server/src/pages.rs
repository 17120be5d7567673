//! Page settings (specification, section 4, "Pages"; wire contract, section 8).

use axum::{
    Router,
    extract::{Request, State},
    routing::get,
};
use http::{StatusCode, request::Parts};
use svc_model::{
    Draft, EnvironmentName, Invalid, PageSettings, PageUid, ProjectName, pages,
    wire::Operation as _,
};
use svc_store::Store;

use crate::{
    answer::{Answer, empty_answer, json_answer, tagged_answer},
    application::PREFIX,
    body::read_object,
    credentials,
    failure::Failure,
    request::{Segments, if_match, read_draft},
    router::route,
    state::Shared,
};

pub(crate) fn routes() -> Router<Shared> {
    let list_path = format!("{PREFIX}{}", pages::List::INFO.path_template);
    let item_path = format!("{PREFIX}{}", pages::Get::INFO.path_template);
    let router = route(Router::new(), &list_path, get(list).post(create));
    route(
        router,
        &item_path,
        get(retrieve).patch(update).delete(delete),
    )
}

/// Where the pages are that a request speaks of, once its credential is known to cover them.
struct Place {
    project: ProjectName,
    environment: EnvironmentName,
    draft: Draft,
    /// The store, to write to by whoever asks.
    store: Store,
}

async fn authorized(
    state: &Shared,
    parts: &Parts,
    project: String,
    environment: String,
) -> Result<Place, Failure> {
    let project = ProjectName::from(project);
    let account = credentials::account(state, &parts.headers).await?;
    account.check(&project, &parts.method)?;
    let draft = read_draft(parts.uri.query())?;
    if draft == Draft::On && !parts.method.is_safe() {
        return Err(Invalid::field(
            "draft",
            "drafts cannot be written yet; with draft=0 the published page is changed",
        )
        .into());
    }
    Ok(Place {
        project,
        environment: environment.into(),
        draft,
        store: state.store_for(account.actor(), parts),
    })
}

async fn list(
    State(state): State<Shared>,
    Segments((project, environment)): Segments<(String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let pages = state
        .store
        .pages()
        .list(&place.project, &place.environment, place.draft)
        .await?;
    Ok(json_answer(StatusCode::OK, &pages))
}

async fn create(
    State(state): State<Shared>,
    Segments((project, environment)): Segments<(String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, body) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let object = read_object(&parts.headers, body, &state.config).await?;
    let settings = PageSettings::from(object);
    let created = place
        .store
        .pages()
        .create(&place.project, &place.environment, place.draft, settings)
        .await?;
    answer(StatusCode::CREATED, &created, None)
}

async fn retrieve(
    State(state): State<Shared>,
    Segments((project, environment, uid)): Segments<(String, String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let uid = PageUid::from(uid);
    let page = state
        .store
        .pages()
        .get(&place.project, &place.environment, place.draft, &uid)
        .await?;
    answer(StatusCode::OK, &page, Some(&parts))
}

async fn update(
    State(state): State<Shared>,
    Segments((project, environment, uid)): Segments<(String, String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, body) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let uid = PageUid::from(uid);
    let tags = if_match(&parts.headers)?;
    let patch = read_object(&parts.headers, body, &state.config).await?;
    let updated = place
        .store
        .pages()
        .update(
            &place.project,
            &place.environment,
            place.draft,
            &uid,
            patch,
            tags.as_deref(),
        )
        .await?;
    answer(StatusCode::OK, &updated, None)
}

async fn delete(
    State(state): State<Shared>,
    Segments((project, environment, uid)): Segments<(String, String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let place = authorized(&state, &parts, project, environment).await?;
    let uid = PageUid::from(uid);
    let tags = if_match(&parts.headers)?;
    place
        .store
        .pages()
        .delete(
            &place.project,
            &place.environment,
            place.draft,
            &uid,
            tags.as_deref(),
        )
        .await?;
    Ok(empty_answer(StatusCode::NO_CONTENT))
}

fn answer(
    status: StatusCode,
    page: &svc_store::Page,
    request: Option<&Parts>,
) -> Result<Answer, Failure> {
    let body = serde_json::to_vec(&page.settings)
        .map_err(|error| Failure::Internal(format!("a page cannot be written as JSON: {error}")))?;
    Ok(tagged_answer(
        status,
        [body.into()],
        &page.etag,
        request.map(|parts| &parts.headers),
    ))
}
