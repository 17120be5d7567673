//! Which calls are tried again, and how often.

use std::time::Duration;

use http::{HeaderValue, StatusCode, header};
use serde_json::json;
use svc_api::{Client, RequestOptions, RetryPolicy, wire::TransportErrorKind};
use svc_testing::ScriptedTransport;

use crate::support::{TestTimer, Upload, answer, builder, client};

fn patient(script: &ScriptedTransport, timer: &TestTimer) -> Client {
    builder(script).timer(timer.clone()).build().unwrap()
}

fn failing(count: usize, kind: TransportErrorKind) -> ScriptedTransport {
    (0..count).fold(ScriptedTransport::new(), |script, _| script.fail(kind))
}

#[tokio::test]
async fn an_idempotent_call_is_tried_again_after_every_transient_failure() {
    for status in [429, 502, 503, 504] {
        let timer = TestTimer::default();
        let script = ScriptedTransport::new()
            .answer(StatusCode::from_u16(status).unwrap(), "")
            .fail(TransportErrorKind::Interrupted)
            .answer(StatusCode::OK, "[]");
        patient(&script, &timer).pages().list().await.unwrap();
        assert_eq!(script.requests().len(), 3, "{status}");
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
    let script = failing(2, TransportErrorKind::Interrupted).answer(StatusCode::BAD_GATEWAY, "");
    let error = patient(&script, &timer).pages().list().await.unwrap_err();
    assert_eq!(error.status(), Some(StatusCode::BAD_GATEWAY));
    assert_eq!(script.requests().len(), 3);
}

#[tokio::test]
async fn a_call_that_may_have_done_something_is_not_tried_again() {
    let timer = TestTimer::default();
    for status in [429, 502, 503, 504] {
        let script = ScriptedTransport::new().answer(StatusCode::from_u16(status).unwrap(), "");
        let orders = patient(&script, &timer).records("shop", "orders");
        orders.create(&json!({})).await.map(drop).unwrap_err();
        assert_eq!(script.requests().len(), 1, "{status}");
    }
    let script = failing(1, TransportErrorKind::Interrupted);
    let orders = patient(&script, &timer).records("shop", "orders");
    orders.update(1, &json!({})).await.map(drop).unwrap_err();
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test]
async fn a_call_that_was_never_sent_is_tried_again_even_if_it_is_not_idempotent() {
    let timer = TestTimer::default();
    let script = failing(2, TransportErrorKind::Connect).answer(StatusCode::CREATED, "{}");
    let orders = patient(&script, &timer).records("shop", "orders");
    orders.create(&json!({})).await.unwrap();
    assert_eq!(script.requests().len(), 3);
}

#[tokio::test]
async fn a_call_with_if_match_does_not_count_as_idempotent() {
    let timer = TestTimer::default();
    let script = failing(1, TransportErrorKind::Interrupted);
    let orders = patient(&script, &timer).records("shop", "orders");
    let replace = orders.replace(1, &json!({})).if_match("\"1\"");
    replace.await.map(drop).unwrap_err();
    assert_eq!(script.requests().len(), 1);

    let script = failing(1, TransportErrorKind::Interrupted).answer(StatusCode::OK, "{}");
    let orders = patient(&script, &timer).records("shop", "orders");
    orders.replace(1, &json!({})).await.unwrap();
    assert_eq!(script.requests().len(), 2);
}

#[tokio::test]
async fn permanent_errors_are_returned_at_once() {
    let timer = TestTimer::default();
    for status in [400, 403, 404, 409, 412, 500, 501] {
        let script = ScriptedTransport::new().answer(StatusCode::from_u16(status).unwrap(), "");
        let error = patient(&script, &timer).pages().list().await.unwrap_err();
        assert!(!error.is_retryable());
        assert_eq!(script.requests().len(), 1, "{status}");
    }
    for kind in [
        TransportErrorKind::Timeout,
        TransportErrorKind::Invalid,
        TransportErrorKind::Other,
    ] {
        let script = failing(1, kind);
        patient(&script, &timer).pages().list().await.unwrap_err();
        assert_eq!(script.requests().len(), 1, "{kind:?}");
    }
}

#[tokio::test]
async fn a_retry_waits_for_retry_after() {
    let timer = TestTimer::default();
    let script = ScriptedTransport::new()
        .answer_with(|_| {
            Ok(answer(
                StatusCode::TOO_MANY_REQUESTS,
                ("retry-after", "7"),
                "",
            ))
        })
        .answer(StatusCode::OK, "[]");
    patient(&script, &timer).pages().list().await.unwrap();
    assert_eq!(timer.sleeps(), [Duration::from_secs(7)]);
}

/// 429 with a `Retry-After`.
fn throttled(retry_after: &'static str) -> ScriptedTransport {
    let header = ("retry-after", retry_after);
    ScriptedTransport::new()
        .answer_with(move |_| Ok(answer(StatusCode::TOO_MANY_REQUESTS, header, "")))
}

#[tokio::test]
async fn a_retry_after_beyond_the_deadline_gives_the_answer_at_once() {
    let timer = TestTimer::default();
    let script = throttled("31");
    let error = patient(&script, &timer).pages().list().await.unwrap_err();
    assert!(error.is_throttled());
    assert_eq!(error.retry_after(), Some(Duration::from_secs(31)));
    assert!(timer.sleeps().is_empty());
}

#[tokio::test]
async fn without_a_deadline_the_longest_pause_limits_retry_after() {
    let timer = TestTimer::default();
    let client = patient(&throttled("11"), &timer);
    let options = RequestOptions::new().no_deadline();
    let list = client.pages().list().options(options);
    assert!(list.await.unwrap_err().is_throttled());
    assert!(timer.sleeps().is_empty());
}

#[tokio::test]
async fn a_retry_after_that_is_a_date_is_waited_for_from_the_date_of_the_response() {
    let timer = TestTimer::default();
    let script = ScriptedTransport::new()
        .answer_with(|_| {
            let header = ("retry-after", "Sun, 06 Nov 1994 08:49:42 GMT");
            let mut answer = answer(StatusCode::SERVICE_UNAVAILABLE, header, "");
            let date = HeaderValue::from_static("Sun, 06 Nov 1994 08:49:37 GMT");
            answer.headers_mut().insert(header::DATE, date);
            Ok(answer)
        })
        .answer(StatusCode::OK, "[]");
    patient(&script, &timer).pages().list().await.unwrap();
    assert_eq!(timer.sleeps(), [Duration::from_secs(5)]);
}

#[tokio::test]
async fn a_retry_after_that_means_nothing_is_not_there_and_one_without_end_is_not_waited_for() {
    const YEAR_9999: &str = "Fri, 31 Dec 9999 23:59:59 GMT";
    const NOW: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    // Retry-After, Date, tries, what the error says.
    for (after, date, tries, said) in [
        ("", NOW, 3, None),
        ("-5", NOW, 3, None),
        ("5.5", NOW, 3, None),
        ("soon", NOW, 3, None),
        ("\u{fffd}", NOW, 3, None),
        (YEAR_9999, "", 3, None),
        (YEAR_9999, "soon", 3, None),
        ("Mon, 31 Dec 99999 23:59:59 GMT", NOW, 3, None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", NOW, 3, seconds(0)),
        ("0", NOW, 3, seconds(0)),
        (YEAR_9999, NOW, 1, seconds(252_618_189_022)),
        ("18446744073709551615", NOW, 1, seconds(u64::MAX)),
        ("99999999999999999999", NOW, 1, seconds(u64::MAX)),
    ] {
        for (status, options) in [
            (429, RequestOptions::new()),
            (503, RequestOptions::new()),
            (429, RequestOptions::new().no_deadline()),
        ] {
            let timer = TestTimer::default();
            let script = (0..tries).fold(ScriptedTransport::new(), |script, _| {
                script.answer_with(move |_| {
                    let status = StatusCode::from_u16(status).unwrap();
                    let mut answer = answer(status, ("date", date), "");
                    let after = HeaderValue::from_bytes(after.as_bytes()).unwrap();
                    answer.headers_mut().insert(header::RETRY_AFTER, after);
                    Ok(answer)
                })
            });
            let list = patient(&script, &timer).pages().list().options(options);
            let error = list.await.unwrap_err();
            assert_eq!(script.requests().len(), tries, "{after}");
            assert_eq!(
                (error.status().unwrap().as_u16(), error.retry_after()),
                (status, said)
            );
            let longest = Duration::from_millis(200);
            assert!(
                timer.sleeps().iter().all(|pause| *pause <= longest),
                "{after}"
            );
        }
    }
}

#[tokio::test]
async fn a_client_over_a_transport_of_its_own_waits_and_tries_again_without_further_settings() {
    for script in [
        failing(1, TransportErrorKind::Connect),
        failing(1, TransportErrorKind::Interrupted),
        ScriptedTransport::new().answer(StatusCode::SERVICE_UNAVAILABLE, ""),
    ] {
        let script = script.answer(StatusCode::OK, "[]");
        client(&script).pages().list().await.unwrap();
        assert_eq!(script.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_client_over_a_transport_of_its_own_keeps_its_deadline() {
    let script = ScriptedTransport::new().never_answer();
    let list = client(&script).pages().list();
    let error = list.deadline(Duration::from_millis(5)).await.unwrap_err();
    assert!(error.is_timeout());
}

#[tokio::test]
async fn the_number_of_tries_is_set_per_client_and_per_call() {
    let timer = TestTimer::default();
    let script = failing(9, TransportErrorKind::Connect);
    let client = builder(&script)
        .timer(timer)
        .retry(RetryPolicy::never())
        .build()
        .unwrap();
    client.pages().list().await.unwrap_err();
    assert_eq!(script.requests().len(), 1);
    client.pages().list().max_tries(5).await.unwrap_err();
    assert_eq!(script.requests().len(), 6);
    client.pages().list().max_tries(0).await.unwrap_err();
    assert_eq!(script.requests().len(), 7);
}

#[tokio::test]
async fn all_calls_of_a_client_share_a_budget_of_tries() {
    let timer = TestTimer::default();
    let script = failing(11, TransportErrorKind::Connect);
    let client = builder(&script)
        .timer(timer)
        .retry(RetryPolicy::default().budget(3))
        .build()
        .unwrap();
    for _ in 0..8 {
        client.clone().pages().list().await.unwrap_err();
    }
    // Eight first tries, and three retries.
    assert_eq!((script.requests().len(), script.unused()), (11, 0));
}

#[tokio::test]
async fn a_call_whose_body_is_a_stream_is_not_tried_again() {
    let timer = TestTimer::default();
    let script = failing(1, TransportErrorKind::Connect);
    let error = patient(&script, &timer).call(Upload).await.unwrap_err();
    assert!(error.is_connect());
    assert_eq!(script.requests().len(), 1);
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
    let script = ScriptedTransport::new()
        .answer_with(|_| Ok(http::Response::new(svc_api::wire::Body::stream(Broken))))
        .answer(StatusCode::OK, "[]");
    patient(&script, &timer).pages().list().await.unwrap();
    assert_eq!(script.requests().len(), 2);
}
