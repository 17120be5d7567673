//! The history of a record (wire contract, section 11): who changed it, when, and what its fields had before and after.

use axum::extract::ConnectInfo;
use http::StatusCode;
use svc_model::{Paginated, records::HistoryQuery};

use crate::{
    auth::access::{Call, Read},
    http::{ApiResult, links, request::Peer, response::json_response},
};

pub(crate) async fn get_history(
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    call: Call<Read>,
) -> ApiResult {
    let query_text = call.request.query();
    let query = HistoryQuery::parse(query_text)?;
    let running = call.access.begin_request(&call.request)?;
    let records = call.access.records().await?;
    let state = &call.request.state;
    let read = records.history(&state.store, &query);
    let page = running.unless_cancelled(read).await??;
    let parts = &call.request.parts;
    let next = page.after.map(|after| {
        format!(
            "{}{}?{}",
            links::origin(&state.config, &parts.headers, peer),
            parts.uri.path().trim_end_matches('/'),
            links::page_query(query_text, ("_after", &after))
        )
    });
    let mut answer = Paginated::of_all(page.entries);
    // It is not counted.
    answer.count = None;
    answer.per_page = Some(u64::from(query.per_page));
    answer.has_more = Some(next.is_some());
    answer.next = next;
    let mut answer = json_response(StatusCode::OK, &answer);
    running.id().tell(&mut answer);
    Ok(answer)
}
