//! Calls of browsers from other origins (WHATWG Fetch, "CORS protocol").

use std::{convert::Infallible, time::Duration};

use axum::{extract::Request, response::Response};
use http::{HeaderName, Method, StatusCode, header};
use svc_model::{X_REQUEST_ID, proxy::X_SVC_PROXY, records::IDEMPOTENCY_KEY};
use tower::{Layer as _, ServiceExt as _, service_fn};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::{
    auth::{
        access::acting::{ACT_AS, ACTING_AS},
        rate_limit::{RATE_LIMIT, RATE_LIMIT_POLICY},
    },
    config::Origin,
    http::{
        error::refusal::{X_CONSTRAINT, X_CONSTRAINT_COLUMNS},
        response::rows::{TOTAL_COUNT, TRUNCATED},
    },
    state::statements::STATEMENT_ID,
};

/// How long a browser may keep the answer to its preflight.
const MAX_AGE: Duration = Duration::from_secs(3600);

/// Which browsers may call.
#[derive(Clone, Debug)]
pub(crate) struct Cors(CorsLayer);

/// The rules for browsers of these origins. `None` without an origin: then no browser may call.
pub(crate) fn of(origins: &[Origin]) -> Option<Cors> {
    if origins.is_empty() {
        return None;
    }
    let request_id = HeaderName::from_static(X_REQUEST_ID);
    let allowed = if origins.iter().any(Origin::is_any) {
        AllowOrigin::any()
    } else {
        AllowOrigin::list(origins.iter().filter_map(Origin::header).cloned())
    };
    let layer = CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([
            Method::GET,
            Method::HEAD,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
        ])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::ACCEPT,
            header::IF_MATCH,
            header::IF_NONE_MATCH,
            header::IF_RANGE,
            header::RANGE,
            IDEMPOTENCY_KEY,
            STATEMENT_ID,
            ACT_AS,
            request_id.clone(),
        ])
        .expose_headers([
            header::ACCEPT_RANGES,
            header::CONTENT_DISPOSITION,
            header::CONTENT_RANGE,
            header::ETAG,
            header::LINK,
            header::LOCATION,
            header::RETRY_AFTER,
            RATE_LIMIT,
            RATE_LIMIT_POLICY,
            TOTAL_COUNT,
            TRUNCATED,
            X_CONSTRAINT,
            X_CONSTRAINT_COLUMNS,
            STATEMENT_ID,
            ACTING_AS,
            HeaderName::from_static(X_SVC_PROXY),
            request_id,
        ])
        .max_age(MAX_AGE);
    Some(Cors(layer))
}

impl Cors {
    /// Answers a request by `work`, with what browsers have to know. Only a preflight is answered here; another `OPTIONS`
    /// is like any request.
    pub(crate) async fn answer<F: Future<Output = Response>>(
        &self,
        request: Request,
        mut work: impl FnMut(Request) -> F,
    ) -> Response {
        let is_options = request.method() == Method::OPTIONS;
        let asks = header::ACCESS_CONTROL_REQUEST_METHOD;
        if is_options && !request.headers().contains_key(asks) {
            return work(request).await;
        }
        let work = service_fn(|request| {
            let answered = work(request);
            async { Ok::<_, Infallible>(answered.await) }
        });
        let answered = self.0.layer(work).oneshot(request).await;
        let mut response = answered.unwrap_or_else(|never| match never {});
        if is_options && response.status() == StatusCode::OK {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        response
    }
}
