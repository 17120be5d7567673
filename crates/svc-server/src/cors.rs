//! Calls of browsers from other origins (WHATWG Fetch, "CORS protocol").

use std::time::Duration;

use axum::{
    Router,
    extract::Request,
    middleware::{self, Next},
    response::Response,
};
use http::{HeaderName, Method, StatusCode, header};
use svc_model::{X_REQUEST_ID, proxy::X_SVC_PROXY};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::{
    config::Origin,
    rows::{TOTAL_COUNT, TRUNCATED},
};

/// How long a browser may keep the answer to its preflight.
const MAX_AGE: Duration = Duration::from_secs(3600);

/// Lets browsers call from these origins; none is let in when there are none.
pub(crate) fn apply(router: Router, origins: &[Origin]) -> Router {
    if origins.is_empty() {
        return router;
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
            request_id.clone(),
        ])
        .expose_headers([
            header::ETAG,
            header::LINK,
            header::LOCATION,
            header::RETRY_AFTER,
            TOTAL_COUNT,
            TRUNCATED,
            HeaderName::from_static(X_SVC_PROXY),
            request_id,
        ])
        .max_age(MAX_AGE);
    let plain = router.clone();
    router
        .layer(layer)
        .layer(middleware::from_fn(move |request, next| {
            route_options(plain.clone(), request, next)
        }))
}

/// Only a preflight is the CORS layer's to answer; another `OPTIONS` is the router's.
async fn route_options(plain: Router, request: Request, next: Next) -> Response {
    if request.method() != Method::OPTIONS {
        return next.run(request).await;
    }
    if !request
        .headers()
        .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
    {
        return match tower::ServiceExt::oneshot(plain, request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
    }
    let mut response = next.run(request).await;
    if response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}
