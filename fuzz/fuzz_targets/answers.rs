//! Answers to the client: whatever a server sends, the caller gets a value or an error, and no secret in its text.
#![no_main]

use arbitrary::Arbitrary;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use libfuzzer_sys::fuzz_target;
use svc_api::Client;
use svc_auth::StoredTokens;
use svc_model::wire::{Body, transport_fn};

#[derive(Arbitrary, Clone, Debug)]
struct Case {
    call: u8,
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

fuzz_target!(|case: Case| {
    let _tokens = serde_json::from_slice::<StoredTokens>(&case.body);
    let answer = case.clone();
    let transport = transport_fn(move |_| {
        let answer = answer.clone();
        async move {
            let mut response = Response::new(Body::from(answer.body));
            *response.status_mut() =
                StatusCode::from_u16(answer.status % 900 + 100).unwrap_or(StatusCode::OK);
            for (name, value) in &answer.headers {
                if let (Ok(name), Ok(value)) =
                    (name.parse::<HeaderName>(), HeaderValue::from_bytes(value))
                {
                    response.headers_mut().append(name, value);
                }
            }
            Ok(response)
        }
    });
    let client = Client::builder()
        .project("main")
        .transport(transport)
        .build()
        .expect("a client can be made");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("the runtime starts");
    let text = runtime.block_on(async {
        match case.call % 8 {
            0 => client.records("shop", "orders").list().await.map(drop),
            1 => client.records("shop", "orders").get("1").await.map(drop),
            2 => client.records("shop", "orders").count().await.map(drop),
            3 => client.pages().list().await.map(drop),
            4 => client
                .account()
                .login_via_email_password("a@example.com", "password")
                .await
                .map(drop),
            5 => client.users().list().await.map(drop),
            6 => client.resource("shop").model_descriptions().await.map(drop),
            _ => client.projects().list().await.map(drop),
        }
        .err()
        .map(|error| format!("{error} {error:?}"))
    });
    assert!(
        text.is_none_or(|text| text.len() < 100_000),
        "an error is longer than a page"
    );
});
