//! The kit accepts a correct transport and detects each violation.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::future::join_all;
use http::{HeaderValue, Request, Response, Uri, header};
use http_body::{Body as HttpBody, Frame};
use svc_model::wire::{
    Body, BoxError, Deadline, Transport, TransportError, TransportErrorKind, transport_fn,
};
use svc_testing::conformance::{Failure, Rule, check};
use svc_transport::HyperTransport;
use tokio::sync::Mutex;

type Answer = Result<Response<Body>, TransportError>;

/// The rules that a correct transport breaks when it is wrapped by `send`.
async fn broken_by<F, Fut>(send: F) -> Vec<Rule>
where
    F: Fn(Right, Request<Body>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Answer> + Send + 'static,
{
    let right = Right::new();
    let transport = transport_fn(move |request| send(right.clone(), request));
    // The rules run concurrently, since a violated rule takes long.
    let checks = join_all(Rule::ALL.iter().map(|rule| rule.check(&transport))).await;
    let failures = checks.into_iter().filter_map(Result::err);
    failures.map(|failure| failure.rule()).collect()
}

/// A transport that follows all rules.
#[derive(Clone)]
struct Right(Arc<HyperTransport>);

impl Right {
    fn new() -> Self {
        Self(Arc::new(HyperTransport::new().unwrap()))
    }

    fn send(&self, request: Request<Body>) -> impl Future<Output = Answer> + use<> {
        let transport = Arc::clone(&self.0);
        async move { transport.send(request).await }
    }
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

#[tokio::test(flavor = "multi_thread")]
async fn a_correct_transport_passes() {
    check(&*Right::new().0).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn following_redirects_is_detected() {
    let broken = broken_by(async |right, request| {
        let second = again(&request);
        let response = right.send(request).await?;
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
        right.send(second).await
    })
    .await;
    assert_eq!(broken, [Rule::RedirectsAreNotFollowed]);
}

#[tokio::test(flavor = "multi_thread")]
async fn repeating_a_request_without_a_response_is_detected() {
    let broken = broken_by(async |right, request| {
        let second = again(&request);
        match right.send(request).await {
            Err(error) if error.kind() == TransportErrorKind::Interrupted => {
                right.send(second).await
            }
            result => result,
        }
    })
    .await;
    assert_eq!(broken, [Rule::NothingIsRetried]);
}

#[tokio::test(flavor = "multi_thread")]
async fn repeating_a_refused_request_is_detected() {
    let broken = broken_by(async |right, request| {
        let second = again(&request);
        let response = right.send(request).await?;
        if response.headers().contains_key(header::RETRY_AFTER)
            && !response.headers().contains_key(header::WWW_AUTHENTICATE)
        {
            return right.send(second).await;
        }
        Ok(response)
    })
    .await;
    assert_eq!(broken, [Rule::NothingIsRetried]);
}

/// A body that ends normally where it should fail.
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
                    .is_some_and(|error| error.kind() != TransportErrorKind::Timeout) =>
            {
                Poll::Ready(None)
            }
            other => other,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silently_truncated_body_is_detected() {
    let broken = broken_by(async |right, request| {
        Ok(right
            .clone()
            .send(request)
            .await?
            .map(|body| Body::stream(Silenced(body))))
    })
    .await;
    assert_eq!(broken, [Rule::TruncatedBodyIsAnError]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_added_header_is_detected() {
    for (name, value) in [
        (header::ACCEPT_ENCODING, "gzip"),
        (header::COOKIE, "a=1"),
        (header::AUTHORIZATION, "Bearer x"),
    ] {
        let broken = broken_by(move |right, mut request: Request<Body>| {
            request
                .headers_mut()
                .entry(name.clone())
                .or_insert(HeaderValue::from_static(value));
            right.send(request)
        })
        .await;
        assert_eq!(broken, [Rule::NothingIsAdded]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_request_is_detected() {
    let broken = broken_by(|right, mut request: Request<Body>| {
        let uri = request.uri().to_string().replace("%20", "+");
        if let Ok(uri) = uri.parse() {
            *request.uri_mut() = uri;
        }
        right.send(request)
    })
    .await;
    assert_eq!(broken, [Rule::RequestArrivesUnchanged]);
}

#[tokio::test(flavor = "multi_thread")]
async fn holding_a_response_back_until_it_is_complete_is_detected() {
    let broken = broken_by(async |right, request| {
        let (parts, body) = right.send(request).await?.into_parts();
        let body = body.collect(usize::MAX).await?;
        Ok(Response::from_parts(parts, body.into()))
    })
    .await;
    // To such a transport, a body that is late looks like a head that is late.
    assert_eq!(
        broken,
        [
            Rule::ResponseStreams,
            Rule::DeadlineHoldsForTheBody,
            Rule::DroppedBodyHangsUp
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ignored_deadline_is_detected() {
    let broken = broken_by(|right, mut request: Request<Body>| {
        request.extensions_mut().remove::<Deadline>();
        right.send(request)
    })
    .await;
    assert_eq!(
        broken,
        [Rule::DeadlineHoldsForTheHead, Rule::DeadlineHoldsForTheBody]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_that_becomes_an_error_is_detected() {
    let broken = broken_by(async |right, request| {
        let response = right.send(request).await?;
        if response.status() == http::StatusCode::NOT_FOUND {
            return Err(TransportErrorKind::Other.into());
        }
        Ok(response)
    })
    .await;
    assert_eq!(broken, [Rule::EveryStatusIsAnAnswer]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_content_encoding_is_detected() {
    let broken = broken_by(async |right, request| {
        let mut response = right.send(request).await?;
        response.headers_mut().remove(header::CONTENT_ENCODING);
        Ok(response)
    })
    .await;
    assert_eq!(broken, [Rule::NothingIsDecompressed]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_continues_after_it_was_cancelled_is_detected() {
    let broken =
        broken_by(async |right, request| tokio::spawn(right.send(request)).await.unwrap()).await;
    assert_eq!(broken, [Rule::DroppedCallHangsUp]);
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_the_wrong_kind_are_detected() {
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
        let broken = broken_by(move |right, request| async move {
            match right.send(request).await {
                Err(error) if error.kind() == kind => {
                    Err(TransportError::new(TransportErrorKind::Other, error))
                }
                result => result,
            }
        })
        .await;
        assert_eq!(broken, rules);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_claim_that_nothing_was_sent_is_detected() {
    for claim in [true, false] {
        let broken = broken_by(move |right, request| async move {
            right
                .clone()
                .send(request)
                .await
                .map_err(|error| error.with_never_sent(claim))
        })
        .await;
        let expected = if claim {
            vec![Rule::MissingAnswerIsInterrupted, Rule::EndlessHeadIsAnError]
        } else {
            vec![
                Rule::RefusedConnectionWasNeverSent,
                Rule::UnusableUriIsInvalid,
            ]
        };
        assert_eq!(broken, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_that_are_converted_to_text_are_detected() {
    let broken = broken_by(async |right, request| {
        let mut response = right.send(request).await?;
        for value in response.headers_mut().values_mut() {
            let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
            *value = HeaderValue::try_from(text).unwrap();
        }
        Ok(response)
    })
    .await;
    assert_eq!(broken, [Rule::HeaderValuesAreBytes]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_response_from_the_wrong_place_is_detected() {
    for (mark, rule) in [
        ("x-surplus", Rule::SurplusBytesAreNoResponse),
        ("x-last", Rule::InterimResponsesAreSkipped),
    ] {
        let broken = broken_by(move |right, request| async move {
            let response = right.send(request).await?;
            Ok(match response.headers().contains_key(mark) {
                true => Response::new(Body::from("wrong")),
                false => response,
            })
        })
        .await;
        assert_eq!(broken, [rule]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_wait_for_each_other_are_detected() {
    let right = Right::new();
    let one_at_a_time = Arc::new(Mutex::new(()));
    let transport = transport_fn(move |request| {
        let (right, one_at_a_time) = (right.clone(), Arc::clone(&one_at_a_time));
        async move {
            let _turn = one_at_a_time.lock().await;
            right.send(request).await
        }
    });
    // One rule after the other, since this transport would make concurrent rules wait for each other.
    let failures = check(&transport).await.unwrap_err();
    let broken: Vec<_> = failures.iter().map(Failure::rule).collect();
    assert_eq!(broken, [Rule::CallsRunSideBySide]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_names_the_rule_and_the_observed_behaviour() {
    let refuse = transport_fn(async |_| Err(TransportErrorKind::Other.into()));
    let failure = Rule::LargeBodiesArriveWhole
        .check(&refuse)
        .await
        .unwrap_err();
    let text = failure.to_string();
    assert!(text.contains("Bodies of several MiB"), "{text}");
    assert!(text.contains("the transport failed"), "{text}");
    let failures = check(&refuse).await.unwrap_err();
    assert!(failures.iter().count() >= Rule::ALL.len() - 1);
    assert!(format!("{failures:?}").contains("LargeBodiesArriveWhole"));
}
