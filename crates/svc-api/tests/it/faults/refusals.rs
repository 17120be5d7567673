//! A session at a service that refuses its tokens, or loses the answers to its refreshes.

use std::sync::atomic::Ordering;

use svc_api::ErrorKind;

use super::{
    server::answer,
    service::{Service, call, client},
};

#[tokio::test]
async fn a_service_that_refuses_every_token_costs_one_refresh_for_all_callers_and_one_repeat_each()
{
    let service = Service::default();
    service.set(|state| state.refuses = true);
    let server = service.start().await;
    let (client, _) = client(&server, false);
    let mut calls = tokio::task::JoinSet::new();
    (0..200).for_each(|_| drop(calls.spawn(call(&client, 7))));
    for result in calls.join_all().await {
        assert!(result.unwrap_err().is_unauthenticated());
    }
    assert_eq!(server.requests("refresh").len(), 1);
    assert_eq!(server.requests("7").len(), 400);
    // Later calls are as modest, and end nothing.
    for number in 1..=3 {
        assert!(call(&client, 7).await.unwrap_err().is_unauthenticated());
        assert_eq!(server.requests("refresh").len(), 1 + number);
        assert_eq!(server.requests("7").len(), 400 + 2 * number);
    }
    service.set(|state| state.refuses = false);
    call(&client, 7).await.unwrap();
    assert_eq!(server.requests("refresh").len(), 4);
}

#[tokio::test]
async fn a_refresh_whose_answer_is_lost_is_sent_again_and_the_caller_sees_nothing() {
    let page = "<html><title>Sign in to the network</title>";
    for lost in [
        String::new(),
        "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"access".to_owned(),
        answer("200 OK", page),
        answer("200 OK", "{}"),
    ] {
        let service = Service::default();
        service.set(|state| (state.has_grace, state.lost) = (true, vec![lost.clone()]));
        let server = service.start().await;
        let (client, _) = client(&server, true);
        call(&client, 7).await.unwrap();
        assert_eq!(server.requests("refresh").len(), 2, "{lost}");
        assert_eq!(server.requests("7").len(), 1);
    }
}

#[tokio::test]
async fn while_the_answers_to_refreshes_are_lost_calls_fail_in_passing_and_then_go_on() {
    let gateway = answer("504 Gateway Timeout", "<html><title>Late</title>");
    for (lost, refreshes) in [(vec![String::new(); 2], 2), (vec![gateway], 1)] {
        let service = Service::default();
        service.set(|state| (state.has_grace, state.lost) = (true, lost));
        let server = service.start().await;
        let (client, now) = client(&server, true);
        for _ in 0..3 {
            let error = call(&client, 7).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Auth);
            assert!(error.is_retryable(), "{error}");
        }
        assert_eq!(server.requests("refresh").len(), refreshes);
        now.fetch_add(3, Ordering::SeqCst);
        call(&client, 7).await.unwrap();
        assert_eq!(server.requests("7").len(), 1);
    }
}

#[tokio::test]
async fn where_a_refresh_token_works_only_once_a_lost_answer_ends_the_session_with_a_clear_error() {
    let service = Service::default();
    service.set(|state| state.lost = vec![String::new()]);
    let server = service.start().await;
    let (client, _) = client(&server, true);
    let error = call(&client, 7).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Auth);
    assert!(!error.is_retryable());
    let message = "records.get: the session has ended; sign in again";
    assert_eq!(error.to_string(), message);
    assert_eq!(server.requests("refresh").len(), 2);
    // From then on it is as if nobody had signed in.
    assert!(client.account().session().tokens().is_none());
    let error = call(&client, 7).await.unwrap_err();
    assert!(
        error.is_unauthenticated() && error.to_string().contains("carried no credential"),
        "{error}"
    );
    assert_eq!(server.requests("refresh").len(), 2);
}
