//! The HTTP proxy: the request that is sent, and which service a response comes from.

use http::{Method, Response, StatusCode};
use serde_json::{Value, json};
use svc_api::{
    Client, ErrorKind,
    auth::{AuthState, MemoryStore},
    wire::Body,
};
use svc_testing::ScriptedTransport;

use crate::support::{TestTimer, builder};

fn signed_in(script: &ScriptedTransport) -> Client {
    let tokens = r#"{"access_token":"access","refresh_token":"refresh"}"#;
    let tokens: AuthState = serde_json::from_str(tokens).unwrap();
    builder(script)
        .session_store(MemoryStore::holding(tokens))
        .timer(TestTimer::default())
        .build()
        .unwrap()
}

/// A response of the other service.
fn upstream(status: StatusCode, body: &'static str) -> Response<Body> {
    Response::builder()
        .status(status)
        .header("x-svc-proxy", "upstream")
        .header("x-total", "7")
        .body(Body::from(body))
        .unwrap()
}

fn sent(script: &ScriptedTransport) -> Vec<Value> {
    let bodies = script.requests().into_iter().map(|request| {
        assert_eq!(request.method, Method::POST);
        assert_eq!(request.uri, "https://app.example.com/api/proxy_request/");
        assert_eq!(request.headers["authorization"], "JWT access");
        serde_json::from_slice(&request.body).unwrap()
    });
    bodies.collect()
}

#[tokio::test]
async fn a_request_is_described_in_json_and_its_response_returned_unchanged() {
    let script =
        ScriptedTransport::new().answer_with(|_| Ok(upstream(StatusCode::CREATED, "{\"id\":9}")));
    let answer = signed_in(&script)
        .proxy()
        .post("https://api.crm.example/people")
        .resource("crm")
        .query_param("dry", "1")
        .header("Authorization", "Bearer {-token-}")
        .secret_token("token")
        .context("name", "Ann")
        .json(&json!({"name": "{{name}}"}))
        .await
        .unwrap();
    assert_eq!(answer.status, StatusCode::CREATED);
    assert_eq!(answer.headers["x-total"], "7");
    assert_eq!(answer.json::<Value>().unwrap()["id"], 9);
    let expected = json!({
        "project": "demo",
        "environment": "prod",
        "resource": "crm",
        "method": "POST",
        "url": "https://api.crm.example/people",
        "query_params": [{"name": "dry", "value": "1"}],
        "headers": [{"name": "Authorization", "value": "Bearer {-token-}"}],
        "body_type": "JSON",
        "body": {"name": "{{name}}"},
        "secret_tokens": "token",
        "context": {"name": "Ann"},
    });
    assert_eq!(sent(&script), [expected]);
}

#[tokio::test]
async fn every_body_type_has_its_method() {
    let mut script = ScriptedTransport::new();
    for _ in 0..4 {
        script = script.answer_with(|_| Ok(upstream(StatusCode::OK, "")));
    }
    let client = signed_in(&script);
    let call = || client.proxy().post("https://a.example/");
    call().form([("a", "1"), ("a", "2")]).await.unwrap();
    call().form_data([("b", "1")]).await.unwrap();
    call().text("plain").await.unwrap();
    let mut variables = serde_json::Map::new();
    variables.insert("n".to_owned(), 7.into());
    call().graphql("query($n:Int){a}", variables).await.unwrap();
    let bodies = sent(&script);
    let bodies = bodies
        .iter()
        .map(|sent| (&sent["body_type"], &sent["body"]));
    let expected = [
        (
            "FormUrlEncoded",
            json!([{"name": "a", "value": "1"}, {"name": "a", "value": "2"}]),
        ),
        ("FormData", json!([{"name": "b", "value": "1"}])),
        ("Raw", json!("plain")),
        (
            "GraphQL",
            json!({"query": "query($n:Int){a}", "variables": {"n": 7}}),
        ),
    ];
    for ((body_type, body), expected) in bodies.zip(expected) {
        assert_eq!((body_type.as_str().unwrap(), body.clone()), expected);
    }
}

#[tokio::test]
async fn an_error_status_of_the_other_service_is_not_an_error_and_is_not_retried() {
    for status in [
        StatusCode::UNAUTHORIZED,
        StatusCode::TOO_MANY_REQUESTS,
        StatusCode::SERVICE_UNAVAILABLE,
    ] {
        let script = ScriptedTransport::new().answer_with(move |_| Ok(upstream(status, "no")));
        let answer = signed_in(&script).proxy().get("https://a.example/").await;
        assert_eq!(answer.unwrap().status, status);
        assert_eq!(sent(&script).len(), 1);
    }
}

#[tokio::test]
async fn an_error_status_of_this_service_is_an_error() {
    let body = r#"{"detail":"no","error_code":"bad_gateway"}"#;
    let script = ScriptedTransport::new().answer(StatusCode::BAD_GATEWAY, body);
    let call = signed_in(&script).proxy().get("https://a.example/");
    let error = call.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Status);
    assert_eq!(error.status(), Some(StatusCode::BAD_GATEWAY));
    assert_eq!(error.error_response().unwrap().code(), Some("bad_gateway"));
}

#[tokio::test]
async fn a_body_that_cannot_be_json_fails_before_it_is_sent_and_debug_shows_no_body() {
    let script = ScriptedTransport::new();
    let client = signed_in(&script);
    let call = client.proxy().post("https://a.example/?hidden");
    let call = call.json(&json!({"password": "hidden"}));
    assert!(!format!("{call:?}").contains("hidden"), "{call:?}");
    let map = std::collections::BTreeMap::from([(vec![1_u8], 1)]);
    let error = client.proxy().post("https://a.example/").json(&map).await;
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Request);
    assert!(script.requests().is_empty());
}
