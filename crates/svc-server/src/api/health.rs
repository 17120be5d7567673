//! `/healthz` tells that the process lives, `/readyz` that it can serve: it does not end, and its store
//! can be read and written and is not damaged (wire contract, section 10).

use std::sync::atomic::{AtomicBool, Ordering};

use axum::{Router, extract::State, routing::get};
use bytes::Bytes;
use http::StatusCode;

use crate::{
    api::routes::Routes as _,
    http::{
        error::Failure,
        response::{Answer, raw_json_answer},
    },
    state::Shared,
};

/// Whether the service takes requests: until a shutdown begins.
#[derive(Debug)]
pub(crate) struct Readiness(AtomicBool);

impl Default for Readiness {
    fn default() -> Self {
        Self(AtomicBool::new(true))
    }
}

impl Readiness {
    /// A shutdown began: load balancers are to send requests elsewhere.
    pub(crate) fn end(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .at("/healthz", get(healthz))
        .at("/readyz", get(readyz))
}

/// Whether a path is one of the two.
pub(crate) fn is_health(path: &str) -> bool {
    matches!(path.trim_end_matches('/'), "/healthz" | "/readyz")
}

async fn healthz() -> Answer {
    raw_json_answer(StatusCode::OK, [Bytes::from_static(br#"{"status":"ok"}"#)])
}

async fn readyz(State(state): State<Shared>) -> Result<Answer, Failure> {
    if !state.readiness.0.load(Ordering::Relaxed) {
        return Err(Failure::Unavailable(
            "the service is shutting down".to_owned(),
        ));
    }
    state.store_health.check(&state).await?;
    Ok(healthz().await)
}
