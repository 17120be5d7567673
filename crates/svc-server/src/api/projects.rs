//! Projects: list and read (wire contract, section 8).

use axum::extract::{ConnectInfo, State};
use http::StatusCode;
use svc_model::{DEFAULT_PER_PAGE, Paginated, projects};

use super::call::Call;
use crate::{
    api::routes::Routes,
    http::{ApiResult, links, request::Peer, response::json_response},
    state::Shared,
};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .on::<projects::List, _>(list)
        .on::<projects::Get, _>(retrieve)
}

async fn list(
    State(state): State<Shared>,
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    call: Call<projects::List>,
) -> ApiResult {
    let parts = &call.parts;
    let query = parts.uri.query().unwrap_or_default();
    let page = call.operation.page.unwrap_or(1);
    let per_page = call.operation.per_page.unwrap_or(DEFAULT_PER_PAGE);
    let skipped =
        usize::try_from((page - 1).saturating_mul(u64::from(per_page))).unwrap_or(usize::MAX);
    let (uid, rights) = (call.account.uid(), call.account.rights());
    let projects = call.store.projects();
    let listed = projects.list_for(uid, rights, (skipped, per_page as usize));
    let (results, all) = listed.await?;
    let count = all as u64;
    let has_more = skipped.saturating_add(results.len()) < all;
    let origin = links::origin(&state.config, &parts.headers, peer);
    let link = |page: u64| {
        let query = links::page_query(query, ("page", &page.to_string()));
        format!("{origin}{}?{query}", parts.uri.path())
    };
    let mut envelope = Paginated::of_all(results);
    envelope.count = Some(count);
    envelope.next = has_more.then(|| link(page + 1));
    envelope.previous = (page > 1).then(|| link(page - 1));
    envelope.num_pages = Some(count.div_ceil(u64::from(per_page)));
    envelope.per_page = Some(per_page.into());
    envelope.has_more = Some(has_more);
    Ok(json_response(StatusCode::OK, &envelope))
}

async fn retrieve(call: Call<projects::Get>) -> ApiResult {
    let Call {
        account, operation, ..
    } = &call;
    let projects = call.store.projects();
    let found = projects.get_for(account.uid(), account.rights(), &operation.project);
    let project = found.await?;
    Ok(json_response(StatusCode::OK, &project))
}
