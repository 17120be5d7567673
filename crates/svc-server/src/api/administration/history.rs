//! The history of a record, and what a request did to several. Who may read the records there is decided as on the data host.

use axum::extract::ConnectInfo;
use svc_model::administration::history::{Get, GetRequest, RequestQuery};

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
        .on::<GetRequest, _>(get_request)
}

async fn get_request(ConnectInfo(Peer(peer)): ConnectInfo<Peer>, call: Call<Read>) -> ApiResult {
    let query = RequestQuery::parse(call.request.query())?;
    let running = call.access.begin_request(&call.request)?;
    let records = call.access.records().await?;
    let read = records.history_of_request(&call.request.state.store, &query);
    let page = running.unless_cancelled(read).await??;
    Ok(page_of(
        page,
        query.page.per_page,
        &call.request,
        peer,
        &running,
    ))
}
