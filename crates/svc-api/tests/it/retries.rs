//! Which calls are tried again, and how often.

use std::time::Duration;

use http::StatusCode;
use serde_json::json;
use svc_api::{
    Client, RetryPolicy,
    wire::{TransportErrorKind, mock::MockTransport},
};

use crate::support::{TestTimer, Upload, answer, builder, client};

fn patient(mock: &MockTransport, timer: &TestTimer) -> Client {
    builder(mock).timer(timer.clone()).build().unwrap()
}

fn failing(count: usize, kind: TransportErrorKind) -> MockTransport {
    (0..count).fold(MockTransport::new(), |mock, _| mock.fail(kind))
}

#[tokio::test]
async fn an_idempotent_call_is_tried_again_after_every_passing_failure() {
    for status in [429, 502, 503, 504] {
        let timer = TestTimer::default();
        let mock = MockTransport::new()
            .answer(StatusCode::from_u16(status).unwrap(), "")
            .fail(TransportErrorKind::Interrupted)
            .answer(StatusCode::OK, "[]");
        patient(&mock, &timer).pages().list().await.unwrap();
        assert_eq!(mock.requests().len(), 3, "{status}");
        let sleeps = timer.sleeps();
        assert!(
            sleeps
                .iter()
                .all(|pause| *pause <= Duration::from_millis(200)),
            "{sleeps:?}"
        );
    }
}

#[tokio::test]
async fn the_last_failure_is_the_error() {
    let timer = TestTimer::default();
    let mock = failing(2, TransportErrorKind::Interrupted).answer(StatusCode::BAD_GATEWAY, "");
    let error = patient(&mock, &timer).pages().list().await.unwrap_err();
    assert_eq!(error.status(), Some(StatusCode::BAD_GATEWAY));
    assert_eq!(mock.requests().len(), 3);
}

#[tokio::test]
async fn a_call_that_may_have_done_something_is_not_tried_again() {
    let timer = TestTimer::default();
    for status in [429, 502, 503, 504] {
        let mock = MockTransport::new().answer(StatusCode::from_u16(status).unwrap(), "");
        let orders = patient(&mock, &timer).records("shop", "orders");
        orders.create(&json!({})).await.map(drop).unwrap_err();
        assert_eq!(mock.requests().len(), 1, "{status}");
    }
    let mock = failing(1, TransportErrorKind::Interrupted);
    let orders = patient(&mock, &timer).records("shop", "orders");
    orders.update(1, &json!({})).await.map(drop).unwrap_err();
    assert_eq!(mock.requests().len(), 1);
}

#[tokio::test]
async fn a_call_that_was_never_sent_is_tried_again_whatever_it_is() {
    let timer = TestTimer::default();
    let mock = failing(2, TransportErrorKind::Connect).answer(StatusCode::CREATED, "{}");
    let orders = patient(&mock, &timer).records("shop", "orders");
    orders.create(&json!({})).await.unwrap();
    assert_eq!(mock.requests().len(), 3);
}

#[tokio::test]
async fn a_call_with_if_match_does_not_count_as_idempotent() {
    let timer = TestTimer::default();
    let mock = failing(1, TransportErrorKind::Interrupted);
    let orders = patient(&mock, &timer).records("shop", "orders");
    let replace = orders.replace(1, &json!({})).if_match("\"1\"");
    replace.await.map(drop).unwrap_err();
    assert_eq!(mock.requests().len(), 1);

    let mock = failing(1, TransportErrorKind::Interrupted).answer(StatusCode::OK, "{}");
    let orders = patient(&mock, &timer).records("shop", "orders");
    orders.replace(1, &json!({})).await.unwrap();
    assert_eq!(mock.requests().len(), 2);
}

#[tokio::test]
async fn errors_that_will_not_pass_are_told_at_once() {
    let timer = TestTimer::default();
    for status in [400, 403, 404, 409, 412, 500, 501] {
        let mock = MockTransport::new().answer(StatusCode::from_u16(status).unwrap(), "");
        let error = patient(&mock, &timer).pages().list().await.unwrap_err();
        assert!(!error.is_retryable());
        assert_eq!(mock.requests().len(), 1, "{status}");
    }
    for kind in [
        TransportErrorKind::Timeout,
        TransportErrorKind::Invalid,
        TransportErrorKind::Other,
    ] {
        let mock = failing(1, kind);
        patient(&mock, &timer).pages().list().await.unwrap_err();
        assert_eq!(mock.requests().len(), 1, "{kind:?}");
    }
}

#[tokio::test]
async fn retry_after_is_waited_for() {
    let timer = TestTimer::default();
    let mock = MockTransport::new()
        .answer_with(|_| {
            Ok(answer(
                StatusCode::TOO_MANY_REQUESTS,
                ("retry-after", "7"),
                "",
            ))
        })
        .answer(StatusCode::OK, "[]");
    patient(&mock, &timer).pages().list().await.unwrap();
    assert_eq!(timer.sleeps(), [Duration::from_secs(7)]);
}

#[tokio::test]
async fn a_retry_after_that_is_longer_than_the_longest_pause_is_left_to_the_caller() {
    let timer = TestTimer::default();
    let mock = MockTransport::new().answer_with(|_| {
        Ok(answer(
            StatusCode::TOO_MANY_REQUESTS,
            ("retry-after", "11"),
            "",
        ))
    });
    let error = patient(&mock, &timer).pages().list().await.unwrap_err();
    assert!(error.is_throttled());
    assert_eq!(error.retry_after(), Some(Duration::from_secs(11)));
    assert!(timer.sleeps().is_empty());
}

#[tokio::test]
async fn without_a_timer_only_calls_that_were_never_sent_are_tried_again() {
    let mock = failing(1, TransportErrorKind::Connect).answer(StatusCode::OK, "[]");
    client(&mock).pages().list().await.unwrap();
    for mock in [
        failing(1, TransportErrorKind::Interrupted),
        MockTransport::new().answer(StatusCode::SERVICE_UNAVAILABLE, ""),
    ] {
        client(&mock).pages().list().await.unwrap_err();
        assert_eq!(mock.requests().len(), 1);
    }
}

#[tokio::test]
async fn the_number_of_tries_is_set_per_client_and_per_call() {
    let timer = TestTimer::default();
    let mock = failing(9, TransportErrorKind::Connect);
    let client = builder(&mock)
        .timer(timer)
        .retry(RetryPolicy::never())
        .build()
        .unwrap();
    client.pages().list().await.unwrap_err();
    assert_eq!(mock.requests().len(), 1);
    client.pages().list().max_tries(5).await.unwrap_err();
    assert_eq!(mock.requests().len(), 6);
    client.pages().list().max_tries(0).await.unwrap_err();
    assert_eq!(mock.requests().len(), 7);
}

#[tokio::test]
async fn all_calls_of_a_client_share_a_budget_of_tries() {
    let timer = TestTimer::default();
    let mock = failing(11, TransportErrorKind::Connect);
    let client = builder(&mock)
        .timer(timer)
        .retry(RetryPolicy::default().budget(3))
        .build()
        .unwrap();
    for _ in 0..8 {
        client.clone().pages().list().await.unwrap_err();
    }
    // Eight first tries, and three more.
    assert_eq!((mock.requests().len(), mock.unused()), (11, 0));
}

#[tokio::test]
async fn a_call_whose_body_is_a_stream_is_not_tried_again() {
    let timer = TestTimer::default();
    let mock = failing(1, TransportErrorKind::Connect);
    let error = patient(&mock, &timer).call(Upload).await.unwrap_err();
    assert!(error.is_connect());
    assert_eq!(mock.requests().len(), 1);
}

#[tokio::test]
async fn a_body_that_breaks_off_is_tried_again() {
    #[derive(Debug)]
    struct Broken;

    impl http_body::Body for Broken {
        type Data = bytes::Bytes;
        type Error = svc_api::wire::TransportError;

        fn poll_frame(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<Result<http_body::Frame<bytes::Bytes>, Self::Error>>> {
            std::task::Poll::Ready(Some(Err(TransportErrorKind::Interrupted.into())))
        }
    }

    let timer = TestTimer::default();
    let mock = MockTransport::new()
        .answer_with(|_| Ok(http::Response::new(svc_api::wire::Body::stream(Broken))))
        .answer(StatusCode::OK, "[]");
    patient(&mock, &timer).pages().list().await.unwrap();
    assert_eq!(mock.requests().len(), 2);
}
