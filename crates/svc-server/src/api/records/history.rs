//! The history of a record (wire contract, section 11): who changed it, when, and what its fields had before and after.

use std::net::IpAddr;

use axum::extract::ConnectInfo;
use http::StatusCode;
use svc_model::{Paginated, records::HistoryQuery};
use svc_store::HistoryPage;

use crate::{
    auth::access::{Call, Read, ResourceRequest},
    http::{ApiResponse, ApiResult, links, request::Peer, response::json_response},
    state::statements::Running,
};

pub(crate) async fn get_history(
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    call: Call<Read>,
) -> ApiResult {
    let query = HistoryQuery::parse(call.request.query())?;
    let running = call.access.begin_request(&call.request)?;
    let records = call.access.records().await?;
    let read = records.history(&call.request.state.store, &query);
    let page = running.unless_cancelled(read).await??;
    Ok(page_of(page, query.per_page, &call.request, peer, &running))
}

/// The answer with a page of a history.
pub(crate) fn page_of(
    page: HistoryPage,
    per_page: u32,
    request: &ResourceRequest,
    peer: IpAddr,
    running: &Running,
) -> ApiResponse {
    let ResourceRequest { state, parts } = request;
    let next = page.after.map(|after| {
        format!(
            "{}{}?{}",
            links::origin(&state.config, &parts.headers, peer),
            parts.uri.path().trim_end_matches('/'),
            links::page_query(request.query(), ("_after", &after))
        )
    });
    let mut answer = Paginated::of_all(page.entries);
    // That of a record is not counted.
    answer.count = page.count;
    answer.per_page = Some(u64::from(per_page));
    answer.has_more = Some(next.is_some());
    answer.next = next;
    let mut answer = json_response(StatusCode::OK, &answer);
    running.id().tell(&mut answer);
    answer
}
