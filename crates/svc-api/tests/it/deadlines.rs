//! How long a call may take.

use std::{future::ready, time::Duration};

use http::{HeaderValue, StatusCode};
use svc_api::{
    AuthError, AuthTarget, RequestOptions, RetryPolicy, TokenProvider,
    wire::{BoxFuture, Deadline, Timer, TransportErrorKind},
};
use svc_testing::ScriptedTransport;

use crate::support::{TestTimer, answer, builder};

#[tokio::test]
async fn a_call_ends_at_its_deadline_even_if_the_transport_never_answers() {
    let timer = TestTimer::default();
    let script = ScriptedTransport::new().never_answer();
    let client = builder(&script).timer(timer.clone()).build().unwrap();
    let list = client.pages().list().deadline(Duration::from_secs(3));
    let error = list.await.unwrap_err();
    assert!(error.is_timeout() && error.is_retryable());
    assert_eq!(
        error.to_string(),
        "pages.list: the service did not answer in time"
    );
    assert_eq!(timer.sleeps(), [Duration::from_secs(3)]);
}

#[tokio::test]
async fn a_deadline_holds_for_the_token_provider_too() {
    let script = ScriptedTransport::new();
    let client = builder(&script)
        .timer(TestTimer::default())
        .token_provider(Stuck)
        .build()
        .unwrap();
    assert!(client.pages().list().await.unwrap_err().is_timeout());
    let account = client.account();
    assert!(account.headers().await.unwrap_err().is_timeout());
    assert!(account.is_authenticated().await.unwrap_err().is_timeout());
    assert!(script.requests().is_empty());
}

#[tokio::test]
async fn is_authenticated_has_one_deadline_for_the_credential_and_the_call() {
    let timer = TestTimer::default();
    let script = ScriptedTransport::new().never_answer();
    let client = builder(&script)
        .timer(timer.clone())
        .token_provider(Slow(timer.clone()))
        .deadline(Duration::from_secs(30))
        .build()
        .unwrap();
    let account = client.account();
    assert!(account.is_authenticated().await.unwrap_err().is_timeout());
    // The provider takes 20 seconds the first time.
    let left: Vec<_> = script
        .requests()
        .iter()
        .map(|request| request.deadline())
        .collect();
    assert_eq!(left, [Some(Deadline(Duration::from_secs(10)))]);
    assert_eq!(timer.now(), Duration::from_secs(30));
    // The options of a call override the client's deadline.
    let options = RequestOptions::new().deadline(Duration::from_secs(1));
    let headers = account.headers_with(&options).await.unwrap();
    assert_eq!(headers.unwrap()["authorization"], "JWT slow");
}

/// A provider that never returns a credential.
#[derive(Debug)]
struct Stuck;

impl TokenProvider for Stuck {
    fn authorization<'a>(
        &'a self,
        _: AuthTarget<'a>,
    ) -> BoxFuture<'a, Result<Option<HeaderValue>, AuthError>> {
        Box::pin(std::future::pending())
    }
}

/// A provider that takes 20 seconds for its first credential.
#[derive(Debug)]
struct Slow(TestTimer);

impl TokenProvider for Slow {
    fn authorization<'a>(
        &'a self,
        _: AuthTarget<'a>,
    ) -> BoxFuture<'a, Result<Option<HeaderValue>, AuthError>> {
        if self.0.now().is_zero() {
            self.0.pass(Duration::from_secs(20));
        }
        Box::pin(ready(Ok(Some(HeaderValue::from_static("JWT slow")))))
    }
}

#[tokio::test]
async fn each_try_gets_the_remaining_time() {
    let timer = TestTimer::default();
    let clock = timer.clone();
    let script = ScriptedTransport::new()
        .answer_with(move |_| {
            clock.pass(Duration::from_secs(4));
            Err(TransportErrorKind::Interrupted.into())
        })
        .answer(StatusCode::OK, "[]");
    let client = builder(&script)
        .timer(timer)
        .deadline(Duration::from_secs(10))
        .retry(RetryPolicy::default().base_delay(Duration::ZERO))
        .build()
        .unwrap();
    client.pages().list().await.unwrap();
    let left: Vec<_> = script
        .requests()
        .iter()
        .map(|request| request.deadline())
        .collect();
    assert_eq!(
        left,
        [10, 6].map(|seconds| Some(Deadline(Duration::from_secs(seconds))))
    );
}

#[tokio::test]
async fn no_pause_ends_after_the_deadline() {
    let timer = TestTimer::default();
    let script = ScriptedTransport::new().answer_with(|_| {
        let retry_after = ("retry-after", "5");
        Ok(answer(StatusCode::SERVICE_UNAVAILABLE, retry_after, ""))
    });
    let client = builder(&script).timer(timer.clone()).build().unwrap();
    let list = client.pages().list().deadline(Duration::from_secs(5));
    // The error of the service is returned at once, not a timeout later.
    let error = list.await.unwrap_err();
    assert_eq!(error.status(), Some(StatusCode::SERVICE_UNAVAILABLE));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(5)));
    assert!(timer.sleeps().is_empty());
}

#[tokio::test]
async fn a_deadline_too_long_for_clocks_is_no_deadline() {
    let timer = TestTimer::default();
    let script = ScriptedTransport::new().answer(StatusCode::OK, "[]");
    let client = builder(&script).timer(timer).build().unwrap();
    client.pages().list().deadline(Duration::MAX).await.unwrap();
}
