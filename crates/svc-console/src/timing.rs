//! Where the time of an answer went: the header `Server-Timing`, which the tools of browsers show beside each request.

use std::{
    fmt::Write as _,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request, Response};
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use svc_model::wire::{Body, BoxError, BoxFuture, Timer, Transport, TransportError};

pub(crate) const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// How many calls are named, and how much of the path of each: proxies take heads of a few kilobytes.
const MOST_NAMED: usize = 10;
const LONGEST_PATH: usize = 80;

/// The clock of one visit. Copies of it are the same clock.
#[derive(Clone, Debug)]
pub(crate) struct Timing {
    began: Instant,
    calls: Arc<Mutex<Calls>>,
}

/// What was asked of the service.
#[derive(Debug, Default)]
struct Calls {
    /// How many are not answered yet, and since when that is more than none.
    open: usize,
    since: Option<Instant>,
    /// How long at least one was not answered.
    busy: Duration,
    made: usize,
    named: Vec<(String, Duration)>,
}

/// A call that is not answered completely. It ends with this value.
#[derive(Debug)]
struct Open {
    calls: Arc<Mutex<Calls>>,
    what: String,
    began: Instant,
}

impl Timing {
    pub(crate) fn start() -> Self {
        Self {
            began: Instant::now(),
            calls: Arc::default(),
        }
    }

    /// The same transport, whose calls are timed.
    pub(crate) fn around(&self, transport: Arc<dyn Transport>) -> Arc<dyn Transport> {
        Arc::new(Timed {
            transport,
            timing: self.clone(),
        })
    }

    /// The value of the header: all of the time until now, the part of it in which the service was being asked, and the calls.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        let now = Instant::now();
        let mut value = format!("total;dur={}", milliseconds(now - self.began));
        let calls = self.calls.lock();
        let still_busy = calls.since.map(|since| now - since).unwrap_or_default();
        let busy = milliseconds(calls.busy + still_busy);
        let _ = write!(value, ", api;dur={busy};desc=\"{} calls\"", calls.made);
        for (number, (what, took)) in (1..).zip(&calls.named) {
            let took = milliseconds(*took);
            let _ = write!(value, ", call-{number};dur={took};desc=\"{what}\"");
        }
        HeaderValue::try_from(value).ok()
    }

    fn open(&self, request: &Request<Body>) -> Open {
        let began = Instant::now();
        let mut calls = self.calls.lock();
        calls.open += 1;
        calls.made += 1;
        calls.since.get_or_insert(began);
        Open {
            calls: Arc::clone(&self.calls),
            what: what(request),
            began,
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let now = Instant::now();
        let mut calls = self.calls.lock();
        calls.open -= 1;
        if calls.open == 0
            && let Some(since) = calls.since.take()
        {
            calls.busy += now - since;
        }
        if calls.named.len() < MOST_NAMED {
            let what = std::mem::take(&mut self.what);
            calls.named.push((what, now - self.began));
        }
    }
}

/// The timer of the runtime, for the deadlines of calls: the usual one of a client wakes a thread of its own for each of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuntimeTimer {
    start: tokio::time::Instant,
}

impl RuntimeTimer {
    pub(crate) fn new() -> Self {
        Self {
            start: tokio::time::Instant::now(),
        }
    }
}

impl Timer for RuntimeTimer {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(async move { tokio::time::sleep(duration).await })
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

/// Method and path, in the way of a quoted text. What a filter looks for is left out.
fn what(request: &Request<Body>) -> String {
    let path = request.uri().path().chars().take(LONGEST_PATH);
    let path: String = path.filter(|letter| !r#""\"#.contains(*letter)).collect();
    format!("{} {path}", request.method())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1e3)
}

/// A transport whose calls are timed.
#[derive(Debug)]
struct Timed {
    transport: Arc<dyn Transport>,
    timing: Timing,
}

impl Transport for Timed {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        let open = self.timing.open(&request);
        let answer = self.transport.send(request);
        Box::pin(async move {
            let (head, body) = answer.await?.into_parts();
            let body = match body.as_bytes() {
                Some(_) => body,
                None => Body::stream(TimedBody {
                    body,
                    open: Some(open),
                }),
            };
            Ok(Response::from_parts(head, body))
        })
    }
}

/// A body whose call ends with it.
#[derive(Debug)]
struct TimedBody {
    body: Body,
    open: Option<Open>,
}

impl http_body::Body for TimedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() {
            self.open = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use svc_model::wire::transport_fn;

    use super::*;

    /// What a part of a header says, by its name.
    fn part<'h>(header: &'h str, name: &str) -> &'h str {
        let mut parts = header.split(", ");
        parts.find(|part| part.starts_with(name)).unwrap()
    }

    fn duration(header: &str, name: &str) -> f64 {
        let (_, rest) = part(header, name).split_once("dur=").unwrap();
        rest.split(';').next().unwrap().parse().unwrap()
    }

    async fn asked(paths: &[&str]) -> String {
        let timing = Timing::start();
        let slow = transport_fn(|_| async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(Response::new(Body::stream(Body::from("x"))))
        });
        let transport = timing.around(Arc::new(slow));
        let calls = paths.iter().map(async |path| {
            let mut request = Request::new(Body::empty());
            *request.uri_mut() = path.parse().unwrap();
            let answer = transport.send(request).await.unwrap();
            answer.into_body().collect(9).await.unwrap()
        });
        futures_util::future::join_all(calls).await;
        let header = timing.header().unwrap();
        header.to_str().unwrap().to_owned()
    }

    #[tokio::test]
    async fn calls_side_by_side_take_their_time_once() {
        let header = asked(&["/a?secret=1", "/b"]).await;
        assert_eq!(
            part(&header, "call-1").split("desc=").nth(1),
            Some("\"GET /a\"")
        );
        assert!(
            part(&header, "api").ends_with("desc=\"2 calls\""),
            "{header}"
        );
        let (first, second) = (duration(&header, "call-1"), duration(&header, "call-2"));
        let (all, total) = (duration(&header, "api"), duration(&header, "total"));
        assert!(first >= 20.0 && second >= 20.0, "{header}");
        assert!(all < first + second && all <= total, "{header}");
    }

    #[tokio::test]
    async fn neither_a_long_path_nor_many_calls_make_a_long_header() {
        let path = format!("/\"{}", "x".repeat(2_000));
        let header = asked(&vec![path.as_str(); 50]).await;
        assert!(header.len() < 1_500, "{}", header.len());
        assert!(header.contains("desc=\"50 calls\"") && header.contains("desc=\"GET /xx"));
    }
}
