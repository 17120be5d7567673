//! Service requests: requests that the service sends on behalf of a user.

use super::*;

fn service_request(more: &[(&'static str, &'static str)]) -> ServiceRequest {
    let headers = [
        ("x-svc-project", "demo"),
        ("x-svc-environment", "staging"),
        ("x-svc-service-token", "service"),
    ];
    let mut map = HeaderMap::new();
    for (name, value) in headers.iter().chain(more) {
        map.insert(*name, HeaderValue::from_static(value));
    }
    ServiceRequest::from_headers(&map).unwrap()
}

#[tokio::test]
async fn service_requests_rule_1_a_client_is_made_from_the_three_headers() {
    let script = ok(&["[]"]);
    let client = Client::builder()
        .service_request(&service_request(&[]))
        .transport(script.clone())
        .build()
        .unwrap();
    assert_eq!(client.project().unwrap().as_str(), "demo");
    assert!(!client.draft());
    client.records("shop", "orders").list().await.unwrap();
    assert_eq!(
        sent(&script),
        ["GET /projects/demo/staging/shop/models/orders JWT service"]
    );
}

#[tokio::test]
async fn service_requests_rule_2_base_url_and_draft_are_set_on_the_client() {
    let request = service_request(&[
        ("x-svc-api-base-url", "https://elsewhere.example.com/"),
        ("x-svc-draft", "false"),
    ]);
    let client = Client::builder()
        .service_request(&request)
        .transport(ScriptedTransport::new())
        .build()
        .unwrap();
    let url = client.api_base_url().as_str();
    assert_eq!(url, "https://elsewhere.example.com");
    assert!(client.draft());
}

#[tokio::test]
async fn service_requests_rule_3_a_service_token_is_loaded_into_a_client() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::OK, "[]")
        .answer(StatusCode::UNAUTHORIZED, REFUSED);
    let (client, store) = signed_in(&script);
    let account = client.account();
    account.load_service_token(ServiceToken::new("service").unwrap());
    client.records("shop", "orders").list().await.unwrap();
    assert_eq!(store.tokens(), Some(state(STATE_1)));
    // A service token cannot be renewed.
    let orders = client.records("shop", "orders");
    let error = orders.list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Auth);
    assert!(!error.is_retryable());
    assert_eq!(
        sent(&script),
        ["GET /projects/demo/prod/shop/models/orders JWT service"; 2]
    );
    account.logout().await.unwrap();
    assert!(account.headers().await.unwrap().is_none());
}

#[tokio::test]
async fn service_requests_rule_4_each_request_can_have_a_client_with_a_store_of_its_own() {
    let script = ok(&["[]", "[]", "[]"]);
    let shared = builder(&script).build().unwrap();
    shared
        .account()
        .load_service_token(ServiceToken::new("service").unwrap());
    for text in [STATE_1, STATE_2] {
        let client = shared.with_session_store(MemoryStore::holding(state(text)));
        client.records("shop", "orders").list().await.unwrap();
    }
    shared.records("shop", "orders").list().await.unwrap();
    let path = "GET /projects/demo/prod/shop/models/orders";
    assert_eq!(
        sent(&script),
        [
            format!("{path} JWT a1"),
            format!("{path} JWT a2"),
            format!("{path} JWT service")
        ]
    );
}
