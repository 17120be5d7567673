//! The kit passes a transport that is right, and finds each thing that is wrong.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::{Arc, mpsc},
    task::{Context, Poll, Wake, Waker},
    thread,
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, Uri, header};
use http_body::{Body as HttpBody, Frame};

use super::{Rule, check, std_transport::StdTransport, wait::Signal};
use crate::wire::{
    Body, BoxError, Deadline, Transport, TransportError, TransportErrorKind, transport_fn,
};

type Answer = Result<Response<Body>, TransportError>;

/// Runs a future on this thread.
pub(super) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// The rules that do not hold for a transport. Each has a thread: a rule that does not hold is one
/// that takes its time.
fn broken_by<F, Fut>(send: F) -> Vec<Rule>
where
    F: Fn(Request<Body>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Answer> + Send + 'static,
{
    let transport = transport_fn(send);
    thread::scope(|scope| {
        let checks: Vec<_> = Rule::ALL
            .iter()
            .map(|rule| scope.spawn(|| block_on(rule.check(&transport))))
            .collect();
        checks
            .into_iter()
            .filter_map(|check| check.join().unwrap().err())
            .map(|failure| failure.rule())
            .collect()
    })
}

async fn right(request: Request<Body>) -> Answer {
    StdTransport.send(request).await
}

/// The same request again, without its body.
fn again(request: &Request<Body>) -> Request<Body> {
    let mut copy = Request::new(Body::empty());
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    *copy.extensions_mut() = request.extensions().clone();
    copy
}

#[test]
fn a_transport_that_is_right_passes() {
    block_on(check(&StdTransport)).unwrap();
}

#[test]
fn following_redirects_is_found() {
    let broken = broken_by(async |request| {
        let second = again(&request);
        let response = right(request).await?;
        let Some(location) = response.headers().get(header::LOCATION) else {
            return Ok(response);
        };
        let mut second = second;
        let authority = second.uri().authority().unwrap().clone();
        *second.uri_mut() = Uri::builder()
            .scheme("http")
            .authority(authority)
            .path_and_query(location.to_str().unwrap())
            .build()
            .unwrap();
        right(second).await
    });
    assert_eq!(broken, [Rule::RedirectsAreNotFollowed]);
}

#[test]
fn repeating_what_got_no_answer_is_found() {
    let broken = broken_by(async |request| {
        let second = again(&request);
        match right(request).await {
            Err(error) if error.kind() == TransportErrorKind::Interrupted => right(second).await,
            result => result,
        }
    });
    assert_eq!(broken, [Rule::NothingIsRetried]);
}

#[test]
fn repeating_what_was_refused_is_found() {
    let broken = broken_by(async |request| {
        let second = again(&request);
        let response = right(request).await?;
        if response.headers().contains_key(header::RETRY_AFTER)
            && !response.headers().contains_key(header::WWW_AUTHENTICATE)
        {
            return right(second).await;
        }
        Ok(response)
    });
    assert_eq!(broken, [Rule::NothingIsRetried]);
}

/// A body that ends where it should fail.
struct Silenced(Body);

impl HttpBody for Silenced {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match Pin::new(&mut self.0).poll_frame(context) {
            Poll::Ready(Some(Err(error)))
                if error
                    .downcast_ref::<TransportError>()
                    .is_some_and(|error| error.kind() == TransportErrorKind::Body) =>
            {
                Poll::Ready(None)
            }
            other => other,
        }
    }
}

#[test]
fn a_silently_truncated_body_is_found() {
    let broken = broken_by(async |request| {
        Ok(right(request)
            .await?
            .map(|body| Body::stream(Silenced(body))))
    });
    assert_eq!(broken, [Rule::TruncatedBodyIsAnError]);
}

#[test]
fn an_added_header_is_found() {
    for (name, value) in [
        (header::ACCEPT_ENCODING, "gzip"),
        (header::COOKIE, "a=1"),
        (header::AUTHORIZATION, "Bearer x"),
    ] {
        let broken = broken_by(move |mut request: Request<Body>| {
            request
                .headers_mut()
                .entry(name.clone())
                .or_insert(HeaderValue::from_static(value));
            right(request)
        });
        assert_eq!(broken, [Rule::NothingIsAdded]);
    }
}

#[test]
fn a_changed_request_is_found() {
    let broken = broken_by(|mut request: Request<Body>| {
        let uri = request.uri().to_string().replace("%20", "+");
        if let Ok(uri) = uri.parse() {
            *request.uri_mut() = uri;
        }
        right(request)
    });
    assert_eq!(broken, [Rule::RequestArrivesUnchanged]);
}

#[test]
fn a_response_that_is_held_back_until_it_is_complete_is_found() {
    let broken = broken_by(async |request| {
        let (parts, body) = right(request).await?.into_parts();
        let body = body.collect(usize::MAX).await?;
        Ok(Response::from_parts(parts, body.into()))
    });
    // To such a transport the body of a call that is given up later looks like a head that is late.
    assert_eq!(
        broken,
        [
            Rule::ResponseStreams,
            Rule::DeadlineHoldsForTheBody,
            Rule::DroppedBodyHangsUp
        ]
    );
}

#[test]
fn an_ignored_deadline_is_found() {
    let broken = broken_by(|mut request: Request<Body>| {
        request.extensions_mut().remove::<Deadline>();
        right(request)
    });
    assert_eq!(
        broken,
        [Rule::DeadlineHoldsForTheHead, Rule::DeadlineHoldsForTheBody]
    );
}

#[test]
fn a_status_that_becomes_an_error_is_found() {
    let broken = broken_by(async |request| {
        let response = right(request).await?;
        if response.status() == http::StatusCode::NOT_FOUND {
            return Err(TransportErrorKind::Other.into());
        }
        Ok(response)
    });
    assert_eq!(broken, [Rule::EveryStatusIsAnAnswer]);
}

#[test]
fn a_lost_content_encoding_is_found() {
    let broken = broken_by(async |request| {
        let mut response = right(request).await?;
        response.headers_mut().remove(header::CONTENT_ENCODING);
        Ok(response)
    });
    assert_eq!(broken, [Rule::NothingIsDecompressed]);
}

#[test]
fn a_call_that_goes_on_after_it_was_given_up_is_found() {
    let broken = broken_by(async |request| {
        let answer = Signal::new();
        let given = answer.clone();
        thread::spawn(move || given.set(block_on(right(request))));
        answer.wait().await
    });
    assert_eq!(broken, [Rule::DroppedCallHangsUp]);
}

#[test]
fn errors_of_the_wrong_kind_are_found() {
    for (kind, rules) in [
        (
            TransportErrorKind::Connect,
            vec![Rule::RefusedConnectionWasNeverSent],
        ),
        (
            TransportErrorKind::Interrupted,
            vec![Rule::MissingAnswerIsInterrupted],
        ),
        (
            TransportErrorKind::Invalid,
            vec![Rule::UnusableUriIsInvalid],
        ),
        (
            TransportErrorKind::Body,
            vec![Rule::BrokenRequestBodyIsAnError],
        ),
    ] {
        let broken = broken_by(move |request| async move {
            match right(request).await {
                Err(error) if error.kind() == kind => {
                    Err(TransportError::new(TransportErrorKind::Other, error))
                }
                result => result,
            }
        });
        assert_eq!(broken, rules);
    }
}

#[test]
fn a_wrong_claim_that_nothing_was_sent_is_found() {
    for claim in [true, false] {
        let broken = broken_by(move |request| async move {
            right(request)
                .await
                .map_err(|error| error.with_never_sent(claim))
        });
        let expected = if claim {
            vec![Rule::MissingAnswerIsInterrupted]
        } else {
            vec![
                Rule::RefusedConnectionWasNeverSent,
                Rule::UnusableUriIsInvalid,
            ]
        };
        assert_eq!(broken, expected);
    }
}

#[test]
fn headers_that_are_made_text_are_found() {
    let broken = broken_by(async |request| {
        let mut response = right(request).await?;
        for value in response.headers_mut().values_mut() {
            let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
            *value = HeaderValue::try_from(text).unwrap();
        }
        Ok(response)
    });
    assert_eq!(broken, [Rule::HeaderValuesAreBytes]);
}

#[test]
fn calls_that_wait_for_each_other_are_found() {
    // One thread does one call after the other, in the order in which they came.
    let (jobs, waiting) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
    thread::spawn(move || waiting.into_iter().for_each(|job| job()));
    let transport = transport_fn(move |request| {
        let answer = Signal::new();
        let given = answer.clone();
        let wanted = Signal::new();
        let still_wanted = wanted.clone();
        let job = move || {
            let call = super::wait::first(right(request), still_wanted.wait());
            if let super::wait::First::Left(result) = block_on(call) {
                given.set(result);
            }
        };
        jobs.send(Box::new(job)).unwrap();
        let given_up = GivenUp(wanted);
        async move {
            let _given_up = given_up;
            answer.wait().await
        }
    });
    // One rule after the other: this transport makes them wait for each other, too.
    let failures = block_on(check(&transport)).unwrap_err();
    let broken: Vec<_> = failures.iter().map(super::Failure::rule).collect();
    assert_eq!(broken, [Rule::CallsRunSideBySide]);
}

/// Says so when it is dropped.
struct GivenUp(Signal<()>);

impl Drop for GivenUp {
    fn drop(&mut self) {
        self.0.set(());
    }
}

#[test]
fn a_failure_says_which_rule_and_what_was_seen() {
    let refuse = transport_fn(async |_| Err(TransportErrorKind::Other.into()));
    let failure = block_on(Rule::LargeBodiesArriveWhole.check(&refuse)).unwrap_err();
    let text = failure.to_string();
    assert!(text.contains("Bodies of several MiB"), "{text}");
    assert!(text.contains("the transport failed"), "{text}");
    let failures = block_on(check(&refuse)).unwrap_err();
    assert!(failures.iter().count() >= Rule::ALL.len() - 1);
    assert!(format!("{failures:?}").contains("LargeBodiesArriveWhole"));
}

#[test]
fn a_call_that_never_ends_is_given_up() {
    let started = std::time::Instant::now();
    let outcome = block_on(super::wait::within(
        Duration::from_millis(20),
        std::future::pending::<()>(),
    ));
    assert!(outcome.is_none());
    assert!(started.elapsed() >= Duration::from_millis(20));
}
