//! Functions and procedures of connected databases (wire contract, section 11).

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use svc_model::functions;

use crate::{
    api::routes::Routes,
    audit::write_audited,
    auth::access::{Administer, Call},
    http::{ApiResult, response::raw_json_response},
};

pub(crate) fn routes() -> Routes {
    Routes::new().on::<functions::Call, _>(call)
}

async fn call(call: Call<Administer>) -> ApiResult {
    let Call {
        access,
        request,
        body,
    } = call;
    request.check_query()?;
    let arguments = request.read_object_or_nothing(body).await?;
    let running = access.begin_request(&request)?;
    let id = running.id();
    let entry = access.function_entry();
    let (begun, line) = (entry.clone(), entry);
    let store = request.store_for(access.actor());
    let state = Arc::clone(&request.state);
    // Done to the end when the caller leaves, as other writes are; it can be cancelled by its id.
    let called = async move { running.unless_cancelled(access.call(&arguments)).await? };
    let lines = move |_: &Bytes| vec![line.clone()];
    let data = write_audited(&state, store, begun, called, lines).await?;
    let head = Bytes::from_static(br#"{"data":"#);
    let pieces = [head, data, Bytes::from_static(b"}")];
    let mut answer = raw_json_response(StatusCode::OK, pieces);
    id.tell(&mut answer);
    Ok(answer)
}
