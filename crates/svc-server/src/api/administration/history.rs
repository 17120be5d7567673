//! The history of a record, and what a line of the audit trail says of each of its records. Who may read the records there is decided as on the data host.

use axum::extract::ConnectInfo;
use svc_model::administration::history::{Get, GetLine, LineQuery};

use crate::{
    api::{
        records::history::{get_history, page_of},
        routes::Routes,
    },
    auth::access::{Call, Read},
    http::{ApiResult, request::Peer},
};

pub(super) fn routes() -> Routes {
    Routes::new()
        .on::<Get, _>(get_history)
        .on::<GetLine, _>(get_line)
}

async fn get_line(ConnectInfo(Peer(peer)): ConnectInfo<Peer>, call: Call<Read>) -> ApiResult {
    let query = LineQuery::parse(call.request.query())?;
    let running = call.access.begin_request(&call.request)?;
    let records = call.access.records().await?;
    let read = records.history_of_line(&call.request.state.store, &query);
    let page = running.unless_cancelled(read).await??;
    Ok(page_of(
        page,
        query.page.per_page,
        &call.request,
        peer,
        &running,
    ))
}
