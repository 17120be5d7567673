//! Operations that are composed at run time, and responses that are returned unchanged.

use http::{HeaderValue, StatusCode, header};
use svc_api::{
    ErrorKind, RequestOptions,
    auth::{AuthState, MemoryStore, account},
    model::{proxy, records},
    wire::{AnyOperation, Body, Operation, OperationInfo},
};
use svc_testing::ScriptedTransport;

use crate::support::{builder, client};

static LIST: OperationInfo = <records::List>::INFO;
static PROXY: OperationInfo = proxy::Send::INFO;
static LOGIN: OperationInfo = account::Login::INFO;
static CHANGE_PASSWORD: OperationInfo = account::ChangePassword::INFO;

const STATE_1: &str = r#"{"access_token":"a1","refresh_token":"r1"}"#;
const STATE_2: &str = r#"{"access_token":"a2","refresh_token":"r2"}"#;

fn operation(info: &'static OperationInfo, arguments: &[&str]) -> AnyOperation {
    let mut operation = AnyOperation::new(info);
    operation.arguments = arguments.iter().map(ToString::to_string).collect();
    operation
}

fn state(text: &str) -> AuthState {
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn a_response_is_returned_unchanged() {
    let script = ScriptedTransport::new().answer(StatusCode::OK, "[ 1.50 ]");
    let mut list = operation(&LIST, &["demo", "prod", "shop", "orders"]);
    list.query.push("_order_by", "-id");
    let options = RequestOptions::new();
    let answer = client(&script).send_any(&list, &options).await.unwrap();
    assert_eq!(answer.body(), "[ 1.50 ]");
    let requests = script.requests();
    let path = requests[0].uri.path_and_query().unwrap();
    assert_eq!(path, "/projects/demo/prod/shop/models/orders?_order_by=-id");
    assert_eq!(requests[0].operation(), Some(&LIST));
}

#[tokio::test]
async fn an_error_of_the_service_is_the_error_of_the_call() {
    let body = r#"{"detail":"no","error_code":"not_found"}"#;
    let script = ScriptedTransport::new().answer(StatusCode::NOT_FOUND, body);
    let list = operation(&LIST, &["demo", "prod", "shop", "orders"]);
    let error = client(&script)
        .send_any(&list, &RequestOptions::new())
        .await;
    let error = error.unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(
        (error.operation(), error.detail()),
        (Some("records.list"), Some("no"))
    );
}

#[tokio::test]
async fn a_response_that_the_proxy_passes_on_is_returned_with_any_status() {
    let script = ScriptedTransport::new().answer_with(|_| {
        let mut response = http::Response::new(Body::from("teapot"));
        *response.status_mut() = StatusCode::IM_A_TEAPOT;
        let value = HeaderValue::from_static("upstream");
        response.headers_mut().insert(proxy::X_SVC_PROXY, value);
        Ok(response)
    });
    let send = operation(&PROXY, &[]);
    let answer = client(&script)
        .send_any(&send, &RequestOptions::new())
        .await
        .unwrap();
    assert_eq!(answer.status(), StatusCode::IM_A_TEAPOT);
    assert_eq!(answer.body(), "teapot");
}

#[tokio::test]
async fn without_a_project_nothing_is_sent() {
    let script = ScriptedTransport::new();
    let list = operation(&LIST, &["", "prod", "shop", "orders"]);
    let error = client(&script)
        .send_any(&list, &RequestOptions::new())
        .await;
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Request);
    assert!(error.to_string().contains("no project is set"), "{error}");
    assert!(script.requests().is_empty());
}

#[tokio::test]
async fn tokens_in_a_response_are_saved() {
    let login = format!(r#"{{"token":{STATE_1},"user":{{"uid":"7f"}}}}"#);
    let changed = format!(r#"{{"result":true,"new_state":{STATE_2}}}"#);
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, login.clone())
        .answer(StatusCode::OK, changed);
    let store = MemoryStore::new();
    let client = builder(&script)
        .session_store(store.clone())
        .build()
        .unwrap();
    let account = client.account();

    let mut call = operation(&LOGIN, &["demo", "prod"]);
    call.body = Some(r#"{"email":"ann@example.com","password":"correct horse"}"#.into());
    let answer = account
        .send_any(&call, &RequestOptions::new())
        .await
        .unwrap();
    assert_eq!(answer.body(), login.as_str());
    assert_eq!(store.tokens(), Some(state(STATE_1)));

    let mut call = operation(&CHANGE_PASSWORD, &["demo", "prod"]);
    call.body = Some(r#"{"new_password":"battery staple"}"#.into());
    account
        .send_any(&call, &RequestOptions::new())
        .await
        .unwrap();
    assert_eq!(store.tokens(), Some(state(STATE_2)));
    let requests = script.requests();
    assert_eq!(requests[1].headers[header::AUTHORIZATION], "JWT a1");
}

#[tokio::test]
async fn a_response_without_tokens_leaves_the_session_unchanged() {
    for body in ["", "[]", r#"{"result":true}"#, r#"{"token":7}"#, "<html>"] {
        let script = ScriptedTransport::new().answer(StatusCode::OK, body);
        let store = MemoryStore::holding(state(STATE_1));
        let client = builder(&script)
            .session_store(store.clone())
            .build()
            .unwrap();
        let call = operation(&LOGIN, &["demo", "prod"]);
        let answer = client
            .account()
            .send_any(&call, &RequestOptions::new())
            .await;
        assert_eq!(answer.unwrap().body(), body);
        assert_eq!(store.tokens(), Some(state(STATE_1)), "{body}");
    }
}
