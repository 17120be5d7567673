//! `/healthz` says that the process is alive, `/readyz` that it can serve: it does not end, and its store
//! can be read and written and is not damaged (wire contract, section 10).

use axum::extract::State;
use bytes::Bytes;
use http::StatusCode;
use serde_json::json;

use crate::{
    api::routes::Routes,
    http::{
        ApiError, ApiResponse, ApiResult,
        limits::{HEALTH, READY},
        response::{json_response, raw_json_response},
    },
    state::Shared,
};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get_free(HEALTH, healthz)
        .get_free(READY, readyz)
}

pub(crate) async fn healthz() -> ApiResponse {
    raw_json_response(StatusCode::OK, [Bytes::from_static(br#"{"status":"ok"}"#)])
}

async fn readyz(State(state): State<Shared>) -> ApiResult {
    if state.is_ending() {
        return Err(ApiError::Unavailable(
            "the service is shutting down".to_owned(),
        ));
    }
    state.store_health.check(&state).await?;
    // The earlier certificate stays in force: it is no reason to send callers elsewhere.
    match state.tls.as_ref().and_then(|tls| tls.fault()) {
        Some(fault) => Ok(json_response(
            StatusCode::OK,
            &json!({ "status": "ok", "tls": fault }),
        )),
        None => Ok(healthz().await),
    }
}
