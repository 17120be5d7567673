//! How long requests took, by method, route and status, and how many are worked on.

use std::{
    cell::Cell,
    collections::HashMap,
    pin::pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use http::{Method, StatusCode};
use parking_lot::RwLock;
use svc_data::{DurationCounts, Durations};

use super::families::Families;

/// The methods that are told apart, with their labels.
const METHODS: [(Method, &str); 9] = [
    (Method::GET, "GET"),
    (Method::POST, "POST"),
    (Method::PUT, "PUT"),
    (Method::PATCH, "PATCH"),
    (Method::DELETE, "DELETE"),
    (Method::HEAD, "HEAD"),
    (Method::OPTIONS, "OPTIONS"),
    (Method::CONNECT, "CONNECT"),
    (Method::TRACE, "TRACE"),
];
/// The label of all other methods.
const OTHER_METHOD: &str = "_OTHER";
/// The route of a request whose path belongs to none.
pub(crate) const UNMATCHED: &str = "unmatched";

tokio::task_local! {
    /// The route of the request that is being answered, once it is known.
    static ROUTE: Cell<Option<Arc<Route>>>;
}

/// A route, as requests are counted for it.
#[derive(Debug)]
pub(crate) struct Route {
    /// The pattern of its path.
    pattern: Box<str>,
    /// The times of most requests, by the place of the method: those that were answered with 200. They are found without
    /// a lock.
    succeeded: [OnceLock<Arc<Durations>>; METHODS.len()],
}

impl Route {
    /// A route with this pattern.
    pub(crate) fn new(pattern: &str) -> Arc<Self> {
        Arc::new(Self {
            pattern: pattern.into(),
            succeeded: Default::default(),
        })
    }

    /// The pattern of its path.
    pub(crate) fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Says that this is the route of the request that is being answered.
    pub(crate) fn enter(self: Arc<Self>) {
        // Where nobody counts, nobody has to know.
        let _ = ROUTE.try_with(|route| route.set(Some(self)));
    }
}

/// Answers a request by `work`, and says which route it had.
pub(crate) async fn routed<F: Future>(work: F) -> (F::Output, Option<Arc<Route>>) {
    let mut work = pin!(ROUTE.scope(Cell::new(None), work));
    let answer = work.as_mut().await;
    let route = work.as_mut().take_value().and_then(Cell::into_inner);
    (answer, route)
}

/// A method, as requests are counted for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MethodLabel(usize);

impl MethodLabel {
    pub(crate) fn of(method: &Method) -> Self {
        let known = METHODS.iter().position(|(known, _)| known == method);
        Self(known.unwrap_or(METHODS.len()))
    }

    pub(crate) fn as_str(self) -> &'static str {
        METHODS.get(self.0).map_or(OTHER_METHOD, |(_, label)| label)
    }
}

/// What is counted of requests.
#[derive(Debug, Default)]
pub(crate) struct HttpMetrics {
    begun: AtomicU64,
    ended: AtomicU64,
    series: RwLock<Series>,
}

/// Times by status and method, and then by route.
type Series = HashMap<(u16, &'static str), HashMap<Box<str>, Arc<Durations>>>;

/// A request that is being answered, until it is dropped.
#[derive(Debug)]
pub(crate) struct ActiveRequest<'m>(&'m HttpMetrics);

impl HttpMetrics {
    /// A request begins.
    pub(crate) fn begin(&self) -> ActiveRequest<'_> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        ActiveRequest(self)
    }

    /// A request was answered.
    pub(crate) fn observe(
        &self,
        method: MethodLabel,
        route: Option<&Route>,
        status: StatusCode,
        time: Duration,
    ) {
        let pattern = route.map_or(UNMATCHED, Route::pattern);
        let known = route.and_then(|route| route.succeeded.get(method.0));
        match known.filter(|_| status == StatusCode::OK) {
            Some(known) => known
                .get_or_init(|| self.durations(method, pattern, status))
                .observe(time),
            None => self.durations(method, pattern, status).observe(time),
        }
    }

    fn durations(&self, method: MethodLabel, pattern: &str, status: StatusCode) -> Arc<Durations> {
        let key = (status.as_u16(), method.as_str());
        let known = self.series.read();
        let found = known.get(&key).and_then(|routes| routes.get(pattern));
        if let Some(found) = found {
            return Arc::clone(found);
        }
        drop(known);
        let mut series = self.series.write();
        let routes = series.entry(key).or_default();
        Arc::clone(routes.entry(pattern.into()).or_default())
    }

    /// What was counted until now: all requests that were answered, and those with a status of 500 or above.
    pub(super) fn totals(&self) -> (DurationCounts, u64) {
        let (mut all, mut errors) = (DurationCounts::default(), 0);
        for ((status, _), routes) in self.series.read().iter() {
            for durations in routes.values() {
                let counts = durations.counts();
                all += counts;
                if *status >= 500 {
                    errors += counts.count;
                }
            }
        }
        (all, errors)
    }

    pub(crate) fn add_to(&self, families: &mut Families) {
        let series = self.series.read();
        let mut requests: Vec<_> = series
            .iter()
            .flat_map(|((status, method), routes)| {
                routes.iter().map(move |(route, durations)| {
                    let labels = vec![
                        ("http_request_method", (*method).to_owned()),
                        ("http_route", route.to_string()),
                        ("http_response_status_code", status.to_string()),
                    ];
                    (labels, durations.counts())
                })
            })
            .collect();
        drop(series);
        requests.sort_by(|(one, _), (other, _)| one.cmp(other));
        families.histogram(
            "http_server_request_duration_seconds",
            "How long requests took, from their head to the head of the answer.",
            requests,
        );
        let ended = self.ended.load(Ordering::Relaxed);
        let active = self.begun.load(Ordering::Relaxed).saturating_sub(ended);
        families.gauge(
            "http_server_active_requests",
            "How many requests are being answered.",
            [(Vec::new(), active as f64)],
        );
    }
}

impl Drop for ActiveRequest<'_> {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(metrics: &HttpMetrics) -> String {
        let mut families = Families::default();
        metrics.add_to(&mut families);
        families.to_text().unwrap()
    }

    #[tokio::test]
    async fn requests_are_counted_by_the_pattern_of_their_route_and_unknown_ones_together() {
        let metrics = HttpMetrics::default();
        let route = Route::new("/things/{id}/");
        let (answer, entered) = routed(async {
            Arc::clone(&route).enter();
            7
        })
        .await;
        assert_eq!(
            (answer, entered.map(|route| route.pattern.clone())),
            (7, Some("/things/{id}/".into()))
        );
        assert!(routed(async {}).await.1.is_none());

        let (time, get) = (Duration::from_millis(1), MethodLabel::of(&Method::GET));
        let brew = MethodLabel::of(&Method::from_bytes(b"BREW").unwrap());
        for status in [StatusCode::OK, StatusCode::OK, StatusCode::NOT_FOUND] {
            metrics.observe(get, Some(&route), status, time);
        }
        metrics.observe(brew, None, StatusCode::NOT_FOUND, time);
        let written = text(&metrics);
        for line in [
            r#"{http_request_method="GET",http_route="/things/{id}/",http_response_status_code="200"} 2"#,
            r#"{http_request_method="GET",http_route="/things/{id}/",http_response_status_code="404"} 1"#,
            r#"{http_request_method="_OTHER",http_route="unmatched",http_response_status_code="404"} 1"#,
        ] {
            let line = format!("http_server_request_duration_seconds_count{line}");
            assert!(written.contains(&line), "{line}\n{written}");
        }
    }

    #[test]
    fn a_request_is_active_until_it_is_answered_or_its_caller_has_left() {
        let metrics = HttpMetrics::default();
        let (one, other) = (metrics.begin(), metrics.begin());
        assert!(text(&metrics).contains("http_server_active_requests 2\n"));
        drop((one, other));
        assert!(text(&metrics).contains("http_server_active_requests 0\n"));
    }
}
