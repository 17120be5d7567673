//! `/metrics`: figures for Prometheus. On the listener of the service they take an operator's credential; on a listener of
//! their own everybody who reaches it may read them.

mod text;

use axum::{
    Router,
    extract::State,
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, HeaderValue, header};
use prometheus::TEXT_FORMAT;
use svc_model::wire::Level;

use super::{health, routes::Routes, unknown_path};
use crate::{
    auth::account::account,
    http::{ApiResult, compression::compressed},
    state::Shared,
};

/// Where the figures are.
const METRICS: &str = "/metrics";

/// The figures, for operators.
pub(crate) fn routes() -> Routes {
    Routes::new().get(METRICS, of_operator)
}

/// The listener of the figures, which is told nothing about callers. It says too how the service is.
pub(crate) fn router(state: Shared) -> Router {
    let metrics = Routes::new().get_free(METRICS, metrics).layered(compressed);
    let routes = health::routes().merge(metrics);
    let router = routes.into_router().fallback(unknown_path);
    router.with_state(state)
}

async fn of_operator(state: State<Shared>, headers: HeaderMap) -> ApiResult<Response> {
    let account = account(&state, &headers).await?;
    account.check(Level::Operator, None)?;
    metrics(state).await
}

async fn metrics(State(state): State<Shared>) -> ApiResult<Response> {
    let text = text::to_text(&state).await?;
    let mut response = text.into_response();
    let format = HeaderValue::from_static(TEXT_FORMAT);
    response.headers_mut().insert(header::CONTENT_TYPE, format);
    Ok(response)
}
