//! What stands around the router: request ids, the log line, limits of number and time, panics, CORS.

use std::{any::Any, sync::Arc};

use axum::{
    Router,
    extract::Request,
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
};
use http::{HeaderName, HeaderValue, Version, header};
use svc_model::{Invalid, X_REQUEST_ID};
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;
use uuid::Uuid;

use crate::{Config, audit::RequestId, cors, failure::Failure, health, log};

const REQUEST_ID: HeaderName = HeaderName::from_static(X_REQUEST_ID);
/// The longest request id of a caller that is taken over.
const MAX_REQUEST_ID: usize = 128;

/// The limits that all listeners share.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    requests: Arc<Semaphore>,
}

impl Limits {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            requests: Arc::new(Semaphore::new(config.max_requests)),
        }
    }

    /// Puts everything around a router.
    pub(crate) fn apply(&self, router: Router, config: &Config) -> Router {
        let requests = Arc::clone(&self.requests);
        let timeout = config.request_timeout;
        let router =
            router
                .layer(CatchPanicLayer::custom(answer_panic))
                .layer(middleware::from_fn(move |request: Request, next: Next| {
                    let requests = Arc::clone(&requests);
                    async move {
                        let answered = async {
                            // Whoever asks whether the service lives does not wait behind its work. The
                            // semaphore is never closed.
                            let _place = match health::is_health(request.uri().path()) {
                                true => None,
                                false => requests.acquire().await.ok(),
                            };
                            next.run(request).await
                        };
                        match tokio::time::timeout(timeout, answered).await {
                            Ok(response) => response,
                            Err(_) => Failure::Timeout("the request took too long".to_owned())
                                .into_response(),
                        }
                    }
                }));
        cors::apply(router, &config.cors_origins).layer(middleware::from_fn(identify))
    }
}

/// Whether a request says which host it is for: HTTP/1.1 wants exactly one `Host` (RFC 9112, section 3.2).
fn names_its_host(request: &Request) -> bool {
    request.version() != Version::HTTP_11
        || request.headers().get_all(header::HOST).iter().count() == 1
}

/// Names the request and writes its log line.
async fn identify(mut request: Request, next: Next) -> Response {
    let given = request
        .headers()
        .get(REQUEST_ID)
        .filter(|id| is_fit(id))
        .cloned();
    let id = given.unwrap_or_else(|| {
        // A UUID is visible ASCII.
        HeaderValue::try_from(Uuid::new_v4().to_string()).unwrap_or(HeaderValue::from_static("-"))
    });
    request.extensions_mut().insert(RequestId(id.clone()));
    let line = log::Line::begin(&request, &id);
    let mut response = if names_its_host(&request) {
        next.run(request).await
    } else {
        Failure::from(Invalid::general("one Host header is required")).into_response()
    };
    if let Some(line) = line {
        line.end(&response);
    }
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

/// Whether a caller's request id can stand in a log line.
fn is_fit(id: &HeaderValue) -> bool {
    let bytes = id.as_bytes();
    !bytes.is_empty() && bytes.len() <= MAX_REQUEST_ID && bytes.iter().all(u8::is_ascii_graphic)
}

// The layer hands it over by value.
#[expect(clippy::needless_pass_by_value)]
fn answer_panic(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown");
    Failure::Internal(format!("a handler panicked: {text}")).into_response()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::{body::Body, routing::get};
    use http::StatusCode;
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;

    use super::*;

    async fn answer(router: Router, config: &Config, path: &str) -> (StatusCode, String, String) {
        let router = Limits::new(config).apply(router, config);
        let request = Request::builder()
            .uri(path)
            .header(header::HOST, "a")
            .body(Body::empty())
            .unwrap();
        let response = router.oneshot(request).await.unwrap();
        let id = response.headers()[REQUEST_ID].to_str().unwrap().to_owned();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, id, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn a_panic_in_a_handler_is_answered_and_named_like_any_request() {
        async fn panics() {
            panic!("secret of the handler");
        }
        let router = Router::new().route("/", get(panics));
        let (status, id, body) = answer(router, &Config::default(), "/").await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(body, r#"{"detail":"internal error","error_code":"error"}"#);
        assert_eq!(id.len(), 36);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_takes_too_long_is_answered_in_time() {
        let router = Router::new().route("/", get(std::future::pending::<()>));
        let config = Config {
            request_timeout: Duration::from_secs(3),
            ..Config::default()
        };
        let (status, _, body) = answer(router, &config, "/").await;
        assert_eq!(status, StatusCode::GATEWAY_TIMEOUT);
        assert!(body.contains(r#""error_code":"timeout""#), "{body}");
    }

    #[tokio::test(start_paused = true)]
    async fn requests_over_the_limit_wait_for_their_turn() {
        let config = Config {
            max_requests: 1,
            ..Config::default()
        };
        let limits = Limits::new(&config);
        let slow = || tokio::time::sleep(Duration::from_secs(1));
        let router = limits.apply(Router::new().route("/", get(slow)), &config);
        let begun = tokio::time::Instant::now();
        let call = || {
            let request = Request::builder()
                .uri("/")
                .header(header::HOST, "a")
                .body(Body::empty())
                .unwrap();
            router.clone().oneshot(request)
        };
        let answers = tokio::join!(call(), call(), call());
        for answer in [answers.0, answers.1, answers.2] {
            assert_eq!(answer.unwrap().status(), StatusCode::OK);
        }
        assert_eq!(begun.elapsed().as_secs(), 3, "one after the other");
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_asks_whether_the_service_lives_does_not_wait_behind_its_work() {
        let config = Config {
            max_requests: 1,
            ..Config::default()
        };
        let router = Router::new()
            .route("/", get(std::future::pending::<()>))
            .route("/healthz", get(async || "ok"));
        let router = Limits::new(&config).apply(router, &config);
        let call = |path: &str| {
            let request = Request::builder()
                .uri(path)
                .header(header::HOST, "a")
                .body(Body::empty());
            router.clone().oneshot(request.unwrap())
        };
        let busy = tokio::spawn(call("/"));
        tokio::task::yield_now().await;
        let begun = tokio::time::Instant::now();
        assert_eq!(call("/healthz").await.unwrap().status(), StatusCode::OK);
        assert!(begun.elapsed().is_zero());
        busy.abort();
    }
}
