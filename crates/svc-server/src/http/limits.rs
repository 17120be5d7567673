//! The layers around the router: request ids, the log line, limits of number and time, panics, CORS.

pub(crate) mod permits;

use std::{any::Any, net::IpAddr, panic::AssertUnwindSafe, pin::pin, sync::Arc, time};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
    response::{IntoResponse as _, Response},
};
use futures_util::FutureExt as _;
use http::{HeaderName, HeaderValue, Version, header};
use http_body::Body as _;
use parking_lot::Mutex;
use svc_data::turns::Caller;
use svc_model::{Invalid, X_REQUEST_ID};
use tokio::time::{Instant, timeout_at};
use tower::ServiceExt as _;
use uuid::Uuid;

#[cfg(feature = "otlp")]
use crate::spans::{Answered, Spans};
use crate::{
    Config,
    auth::{
        access::acting,
        throttle::{self, network},
    },
    http::{
        ApiError,
        body::{
            arriving::{Arriving, Streaming},
            memory::BodyMemory,
        },
        cors::{self, Cors},
        limits::permits::{Permits, Slot},
        listener::registry::Entry,
        log,
        request::{Peer, RequestId},
        response::headers,
        trace::Trace,
    },
    metrics::requests::{HttpMetrics, MethodLabel, Route, UNMATCHED, routed},
};

/// The path that says whether the process is alive.
pub(crate) const HEALTH: &str = "/healthz";
/// The path that says whether it can serve requests.
pub(crate) const READY: &str = "/readyz";
const REQUEST_ID: HeaderName = HeaderName::from_static(X_REQUEST_ID);
/// The longest request id of a caller that is taken over.
const MAX_REQUEST_ID: usize = 128;

/// The limits that all listeners share.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    permits: Permits,
    bodies: Arc<BodyMemory>,
    metrics: Arc<HttpMetrics>,
    #[cfg(feature = "otlp")]
    spans: Option<Arc<Spans>>,
}

impl Limits {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            permits: Permits::new(config),
            bodies: BodyMemory::new(config),
            metrics: Arc::default(),
            #[cfg(feature = "otlp")]
            spans: None,
        }
    }

    /// The same limits, with requests that are recorded as spans.
    #[cfg(feature = "otlp")]
    pub(crate) fn tracing(self, spans: Option<Arc<Spans>>) -> Self {
        Self { spans, ..self }
    }

    /// The same limits, with requests that are counted here.
    pub(crate) fn counting(self, metrics: &Arc<HttpMetrics>) -> Self {
        Self {
            metrics: Arc::clone(metrics),
            ..self
        }
    }

    /// Puts everything around a router.
    pub(crate) fn around(&self, router: Router, config: &Config) -> Arc<Stack> {
        Arc::new(Stack {
            router,
            cors: cors::of(&config.cors_origins),
            limits: self.clone(),
            config: Arc::new(config.clone()),
        })
    }
}

/// A router with all layers around it. These are plain calls: as layers of the router each would cost an
/// allocation or two for every request.
#[derive(Debug)]
pub(crate) struct Stack {
    router: Router,
    cors: Option<Cors>,
    limits: Limits,
    config: Arc<Config>,
}

impl Stack {
    /// Names the request, answers it, and writes its log line.
    pub(crate) async fn answer(&self, mut request: Request) -> Response {
        let given = request
            .headers()
            .get(REQUEST_ID)
            .filter(|id| is_fit(id))
            .cloned();
        let id = given.unwrap_or_else(new_id);
        let (begun, method) = (time::Instant::now(), MethodLabel::of(request.method()));
        let metrics = &self.limits.metrics;
        let _active = metrics.begin();
        name_host(&mut request);
        let trace = Trace::of(request.headers());
        #[cfg(feature = "otlp")]
        let recorded = self.limits.spans.as_ref().map(|spans| {
            let trace = trace.unwrap_or_else(Trace::begin);
            (spans, trace, time::SystemTime::now())
        });
        #[cfg(feature = "otlp")]
        let trace = recorded
            .as_ref()
            .map_or(trace, |(_, trace, _)| Some(*trace));
        let line = log::Line::begin(&request, &id, trace);
        let extensions = request.extensions_mut();
        extensions.insert(RequestId(id.clone()));
        if let Some(trace) = trace {
            extensions.insert(trace);
        }
        // Boxed: the futures around it are moved, each with the size of what is in it.
        let answer = Box::pin(self.answer_unless_malformed(request));
        let (mut response, route) = routed(answer).await;
        headers::complete(response.headers_mut());
        let (route, elapsed) = (route.as_deref(), begun.elapsed());
        metrics.observe(method, route, response.status(), elapsed);
        if let Some(line) = line {
            line.end(&response, route.map_or(UNMATCHED, Route::pattern), elapsed);
        }
        #[cfg(feature = "otlp")]
        if let Some((spans, trace, begun)) = recorded {
            spans.record(Answered {
                trace,
                method: method.as_str(),
                route: route.map(Route::pattern),
                status: response.status(),
                request_id: id.to_str().unwrap_or_default(),
                begun,
            });
        }
        response.headers_mut().insert(REQUEST_ID, id);
        response
    }

    async fn answer_unless_malformed(&self, request: Request) -> Response {
        if !names_its_host(&request) {
            ApiError::from(Invalid::general("one Host header is required")).into_response()
        } else if let Some(cors) = &self.cors {
            Box::pin(cors.answer(request, |request| self.answer_in_time(request))).await
        } else {
            self.answer_in_time(request).await
        }
    }

    async fn answer_in_time(&self, mut request: Request) -> Response {
        let has_body = !request.body().is_end_stream();
        let streaming = has_body.then(Arc::<Streaming>::default);
        if let Some(streaming) = &streaming {
            request.extensions_mut().insert(Arc::clone(streaming));
        }
        let timeout = self.config.request_timeout;
        let mut due = Instant::now() + timeout;
        let mut work = pin!(self.work(request, streaming.clone()));
        loop {
            if let Ok(response) = timeout_at(due, &mut work).await {
                return response;
            }
            match streaming.as_ref().and_then(|body| body.due(timeout)) {
                Some(later) => due = later,
                None => {
                    let message = "the request took too long".to_owned();
                    return ApiError::Timeout(message).into_response();
                }
            }
        }
    }

    /// Answers a request once there is a permit to work on it.
    async fn work(&self, request: Request, streaming: Option<Arc<Streaming>>) -> Response {
        let config = &self.config;
        let Limits {
            permits, bodies, ..
        } = &self.limits;
        // Health checks do not wait for a permit.
        if matches!(request.uri().path().trim_end_matches('/'), HEALTH | READY) {
            return self.route(request).await;
        }
        let credential = request.headers().get(header::AUTHORIZATION);
        let is_anonymous = credential.is_none();
        let caller = Caller::of((
            address(&request, config).map(network),
            credential.map(HeaderValue::as_bytes),
        ));
        let permit = permits.acquire(caller, is_anonymous).await;
        let Some(streaming) = streaming else {
            let _permit = permit;
            return caller.run(self.route(request)).await;
        };
        let slot = Slot::new(permits, caller, is_anonymous, permit);
        let connection = request.extensions().get::<Arc<Entry>>().cloned();
        // It is given back with the answer: until then the handler has the body in one form or another.
        let held = Arc::new(Mutex::new(bodies.begin(caller)));
        let (arriving, arrived) = (Arc::clone(&slot), Arc::clone(&held));
        let request = request.map(|body| {
            let body = Arriving::new(body, arriving, arrived, connection, streaming, config);
            Body::new(body)
        });
        let response = caller.run(self.route(request)).await;
        // A handler may have kept the body.
        slot.leave();
        response
    }

    /// Has the router answer, and answers for it when it panics.
    async fn route(&self, request: Request) -> Response {
        let work = async |request| {
            let answered = AssertUnwindSafe(self.router.clone().oneshot(request));
            match answered.catch_unwind().await {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(panic) => answer_panic(panic),
            }
        };
        acting::marked(request, work).await
    }
}

/// Where a request comes from.
fn address(request: &Request, config: &Config) -> Option<IpAddr> {
    let peer = request.extensions().get::<ConnectInfo<Peer>>();
    let ConnectInfo(Peer(peer)) = peer?;
    Some(throttle::caller(config, request.headers(), *peer))
}

/// Writes the authority of an HTTP/2 request, which need not have a `Host`, where links and others look for it.
fn name_host(request: &mut Request) {
    if request.version() == Version::HTTP_2
        && !request.headers().contains_key(header::HOST)
        && let Some(authority) = request.uri().authority()
        && let Ok(host) = HeaderValue::from_str(authority.as_str())
    {
        request.headers_mut().insert(header::HOST, host);
    }
}

/// Whether a request says which host it is for: HTTP/1.1 wants exactly one `Host` (RFC 9112, section 3.2).
fn names_its_host(request: &Request) -> bool {
    request.version() != Version::HTTP_11
        || request.headers().get_all(header::HOST).iter().count() == 1
}

/// An id for a request or statement that has none. It is no secret, so that its numbers need not come from the system.
pub(crate) fn new_id() -> HeaderValue {
    let id = uuid::Builder::from_random_bytes(fastrand::u128(..).to_ne_bytes()).into_uuid();
    let mut text = Uuid::encode_buffer();
    // A UUID is visible ASCII.
    HeaderValue::from_str(id.hyphenated().encode_lower(&mut text))
        .unwrap_or(HeaderValue::from_static("-"))
}

/// Whether a caller's request id can be written into a log line.
fn is_fit(id: &HeaderValue) -> bool {
    let bytes = id.as_bytes();
    !bytes.is_empty() && bytes.len() <= MAX_REQUEST_ID && bytes.iter().all(u8::is_ascii_graphic)
}

// It was caught by value.
#[expect(clippy::needless_pass_by_value)]
fn answer_panic(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown");
    ApiError::Internal(format!("a handler panicked: {text}")).into_response()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::routing::get;
    use http::StatusCode;
    use http_body_util::BodyExt as _;

    use super::*;

    fn request(path: &str) -> Request {
        let request = Request::builder().uri(path).header(header::HOST, "a");
        request.body(Body::empty()).unwrap()
    }

    async fn answer(router: Router, config: &Config, path: &str) -> (StatusCode, String, String) {
        let stack = Limits::new(config).around(router, config);
        let response = stack.answer(request(path)).await;
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
        let stack = limits.around(Router::new().route("/", get(slow)), &config);
        let begun = Instant::now();
        let call = || stack.answer(request("/"));
        let answers = tokio::join!(call(), call(), call());
        for answer in [answers.0, answers.1, answers.2] {
            assert_eq!(answer.status(), StatusCode::OK);
        }
        assert_eq!(begun.elapsed().as_secs(), 3, "one after the other");
    }

    #[tokio::test(start_paused = true)]
    async fn the_question_whether_the_service_lives_does_not_wait_behind_its_work() {
        let config = Config {
            max_requests: 1,
            ..Config::default()
        };
        let router = Router::new()
            .route("/", get(std::future::pending::<()>))
            .route("/healthz", get(async || "ok"));
        let stack = Limits::new(&config).around(router, &config);
        let call = |path: &str| {
            let (stack, request) = (Arc::clone(&stack), request(path));
            async move { stack.answer(request).await }
        };
        let busy = tokio::spawn(call("/"));
        tokio::task::yield_now().await;
        let begun = Instant::now();
        assert_eq!(call("/healthz").await.status(), StatusCode::OK);
        assert!(begun.elapsed().is_zero());
        busy.abort();
    }
}
