//! Projects: list and read (wire contract, section 8).

use axum::extract::{ConnectInfo, Request, State};
use http::StatusCode;
use svc_model::{Invalid, ListQuery, Paginated, ProjectName, projects};

use crate::{
    api::routes::Routes,
    auth::credentials,
    http::{
        error::Failure,
        links,
        request::Peer,
        request::Segments,
        response::{Answer, json_answer},
    },
    state::Shared,
};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .on::<projects::List, _>(list)
        .gives("ProjectPage")
        .on::<projects::Get, _>(retrieve)
        .gives("Project")
}

async fn list(
    State(state): State<Shared>,
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let account = credentials::account(&state, &parts.headers).await?;
    let query = parts.uri.query().unwrap_or_default();
    let (page, per_page) = read_place(query)?;
    let uid = account.identity().account_uid;
    let all = state.store.projects().list_for(uid).await?;
    let count = all.len() as u64;
    let skipped =
        usize::try_from((page - 1).saturating_mul(u64::from(per_page))).unwrap_or(usize::MAX);
    let shown = all.iter().skip(skipped).take(per_page as usize);
    let results: Vec<_> = shown.collect();
    let has_more = skipped.saturating_add(results.len()) < all.len();
    let origin = links::origin(&state.config, &parts.headers, peer);
    let link = |page| {
        format!(
            "{origin}{}?{}",
            parts.uri.path(),
            links::page_query(query, page, None)
        )
    };
    let mut envelope = Paginated::of_all(results);
    envelope.count = Some(count);
    envelope.next = has_more.then(|| link(page + 1));
    envelope.previous = (page > 1).then(|| link(page - 1));
    envelope.num_pages = Some(count.div_ceil(u64::from(per_page)));
    envelope.per_page = Some(per_page.into());
    envelope.has_more = Some(has_more);
    Ok(json_answer(StatusCode::OK, &envelope))
}

async fn retrieve(
    State(state): State<Shared>,
    Segments(project): Segments<String>,
    request: Request,
) -> Result<Answer, Failure> {
    let project = ProjectName::from(project);
    let (parts, _) = request.into_parts();
    let account = credentials::account(&state, &parts.headers).await?;
    account.check(&project, &parts.method)?;
    if parts.uri.query().is_some_and(|query| !query.is_empty()) {
        crate::http::request::read_draft(parts.uri.query())?;
    }
    let uid = account.identity().account_uid;
    let project = state.store.projects().get_for(uid, &project).await?;
    Ok(json_answer(StatusCode::OK, &project))
}

/// `page` and `_per_page`, which the list grammar reads; a list of projects has no other parameters.
fn read_place(query: &str) -> Result<(u64, u32), Failure> {
    let list = ListQuery::parse(query, &|_| false)?;
    let (page, per_page) = (list.page, list.limit());
    let mut place = ListQuery::new().page(page);
    place.per_page = list.per_page;
    if place != list {
        return Err(Invalid::general("a list of projects takes page and _per_page").into());
    }
    Ok((page, per_page))
}
