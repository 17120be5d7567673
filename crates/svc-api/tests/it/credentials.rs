//! The credential of a call, and what happens after it is refused.

use std::sync::{Arc, Mutex};

use http::{HeaderValue, StatusCode, header};
use svc_api::{
    ApiKey, ApiToken, AuthError, AuthTarget, ErrorKind, TokenProvider, model::ResourceName,
    wire::BoxFuture,
};
use svc_testing::ScriptedTransport;

use crate::support::{Upload, builder, client};

fn sent(script: &ScriptedTransport) -> Vec<Option<String>> {
    script
        .requests()
        .iter()
        .map(|request| {
            let value = request.headers.get(header::AUTHORIZATION)?;
            assert!(value.is_sensitive());
            Some(value.to_str().unwrap().to_owned())
        })
        .collect()
}

fn empty_answers(count: usize) -> ScriptedTransport {
    (0..count).fold(ScriptedTransport::new(), |script, _| {
        script.answer(StatusCode::OK, "[]")
    })
}

/// A provider of several credentials, which moves to the next one at each refusal.
#[derive(Clone, Debug)]
struct Steps(Arc<Mutex<(Vec<&'static str>, Vec<String>)>>);

impl Steps {
    fn new(credentials: impl IntoIterator<Item = &'static str>) -> Self {
        let mut credentials: Vec<_> = credentials.into_iter().collect();
        credentials.reverse();
        Self(Arc::new(Mutex::new((credentials, Vec::new()))))
    }

    fn refused(&self) -> Vec<String> {
        self.0.lock().unwrap().1.clone()
    }
}

impl TokenProvider for Steps {
    fn authorization<'a>(
        &'a self,
        _: AuthTarget<'a>,
    ) -> BoxFuture<'a, Result<Option<HeaderValue>, AuthError>> {
        let step = self.0.lock().unwrap().0.last().copied();
        Box::pin(async move {
            // Not ready at once, like a refresh.
            tokio::task::yield_now().await;
            match step {
                Some(step) => Ok(Some(HeaderValue::from_static(step))),
                None => Err(AuthError::new("the session is over; sign in again")),
            }
        })
    }

    fn rejected(&self, target: AuthTarget<'_>, refused: &HeaderValue) {
        let mut state = self.0.lock().unwrap();
        let refused = refused.to_str().unwrap();
        state.1.push(format!(
            "{} {:?} {refused}",
            target.operation.name, target.resource
        ));
        if state.0.len() > 1 || refused == "JWT last" {
            state.0.pop();
        }
    }
}

#[tokio::test]
async fn each_host_and_resource_gets_its_own_credential() {
    let script = empty_answers(6);
    let client = builder(&script)
        .api_key(ApiKey::new("key").unwrap())
        .api_token(ApiToken::new("token").unwrap())
        .token_for("shop", ApiToken::new("shop-token").unwrap())
        .token_for(ResourceName::TOOLS, ApiToken::new("tools-token").unwrap())
        .build()
        .unwrap();
    client.pages().list().await.unwrap();
    client.projects().list().await.unwrap();
    client.records("shop", "orders").list().await.unwrap();
    client.records("crm", "people").list().await.unwrap();
    client.users().list().await.unwrap();
    client.teams().list().await.unwrap();
    let expected = [
        "Bearer key",
        "Bearer key",
        "shop-token",
        "Bearer token",
        "tools-token",
        "tools-token",
    ];
    assert_eq!(sent(&script), expected.map(|value| Some(value.to_owned())));
}

#[tokio::test]
async fn the_api_token_is_sent_as_bearer_where_no_other_credential_is_set() {
    let script = empty_answers(2);
    let token = ApiToken::new("token").unwrap();
    let client = builder(&script).api_token(token).build().unwrap();
    client.pages().list().await.unwrap();
    client.records("shop", "orders").list().await.unwrap();
    assert_eq!(
        sent(&script),
        [Some("Bearer token".into()), Some("Bearer token".into())]
    );
}

#[tokio::test]
async fn a_header_of_the_call_replaces_the_credential() {
    let script = empty_answers(1);
    let provider = Steps::new([]);
    let client = builder(&script).token_provider(provider).build().unwrap();
    let list = client.pages().list();
    let own = HeaderValue::from_static("Bearer own");
    list.header(header::AUTHORIZATION, own).await.unwrap();
    assert_eq!(sent(&script), [Some("Bearer own".into())]);
}

#[tokio::test]
async fn a_call_without_credential_is_sent_and_its_refusal_says_what_is_missing() {
    let refusal = r#"{"detail":"authentication is required","error_code":"not_authenticated"}"#;
    let script = ScriptedTransport::new()
        .answer(StatusCode::UNAUTHORIZED, refusal)
        .answer(StatusCode::UNAUTHORIZED, refusal);
    let client = client(&script);
    let error = client.records("shop", "orders").list().await.unwrap_err();
    assert!(error.is_unauthenticated());
    assert_eq!(
        error.to_string(),
        "records.list: the service answered 401 Unauthorized: authentication is required \
         (the call carried no credential; give the client an api_token, \
         or a token for the resource with token_for)"
    );
    let error = client.pages().list().await.unwrap_err();
    assert!(
        error.to_string().contains("give the client an api_key"),
        "{error}"
    );
    assert_eq!(sent(&script), [None, None]);
}

#[tokio::test]
async fn a_call_is_replayed_once_with_a_newer_credential() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::UNAUTHORIZED, "")
        .answer(StatusCode::CREATED, "{}");
    let provider = Steps::new(["JWT old", "JWT new"]);
    let client = builder(&script)
        .token_provider(provider.clone())
        .build()
        .unwrap();
    // Replayed although it is not idempotent, since a 401 means that nothing was done.
    let orders = client.records("shop", "orders");
    orders.create(&serde_json::json!({"a": 1})).await.unwrap();
    assert_eq!(
        sent(&script),
        [Some("JWT old".into()), Some("JWT new".into())]
    );
    assert_eq!(
        provider.refused(),
        ["records.create Some(\"shop\") JWT old"]
    );
    assert!(
        script
            .requests()
            .iter()
            .all(|request| request.body == r#"{"a":1}"#)
    );
}

#[tokio::test]
async fn a_second_refusal_is_returned() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::UNAUTHORIZED, "")
        .answer(StatusCode::UNAUTHORIZED, "");
    let provider = Steps::new(["JWT one", "JWT two", "JWT three"]);
    let client = builder(&script).token_provider(provider).build().unwrap();
    let error = client.pages().list().await.unwrap_err();
    assert!(error.is_unauthenticated());
    assert_eq!(
        sent(&script),
        [Some("JWT one".into()), Some("JWT two".into())]
    );
}

#[tokio::test]
async fn the_same_credential_is_not_sent_again() {
    let script = ScriptedTransport::new().answer(StatusCode::UNAUTHORIZED, "");
    let provider = Steps::new(["JWT only"]);
    let client = builder(&script)
        .token_provider(provider.clone())
        .build()
        .unwrap();
    assert!(
        client
            .pages()
            .list()
            .await
            .unwrap_err()
            .is_unauthenticated()
    );
    assert_eq!(provider.refused().len(), 1);
    assert_eq!(script.requests().len(), 1);

    let script = ScriptedTransport::new().answer(StatusCode::UNAUTHORIZED, "");
    let token = ApiToken::new("token").unwrap();
    let client = builder(&script).api_token(token).build().unwrap();
    assert!(
        client
            .pages()
            .list()
            .await
            .unwrap_err()
            .is_unauthenticated()
    );
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test]
async fn the_error_of_a_provider_fails_the_call_before_it_is_sent() {
    let script = ScriptedTransport::new();
    let client = builder(&script)
        .token_provider(Steps::new([]))
        .build()
        .unwrap();
    let error = client.pages().list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Auth);
    assert_eq!(
        error.to_string(),
        "pages.list: the session is over; sign in again"
    );
    assert!(script.requests().is_empty());
}

#[tokio::test]
async fn an_operation_that_needs_no_credential_is_sent_without_one() {
    let script = ScriptedTransport::new().answer(StatusCode::OK, "7");
    let provider = Steps::new(["JWT session"]);
    let client = builder(&script).token_provider(provider).build().unwrap();
    assert_eq!(client.call(Upload).send().await.unwrap(), 7);
    assert_eq!(sent(&script), [None]);
    assert_eq!(script.requests()[0].body, "a stream");
}

#[tokio::test]
async fn a_session_that_ends_with_the_refusal_is_reported() {
    let script = ScriptedTransport::new().answer(StatusCode::UNAUTHORIZED, "");
    let client = builder(&script)
        .token_provider(Steps::new(["JWT last"]))
        .build()
        .unwrap();
    let error = client.pages().list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Auth);
}

#[tokio::test]
async fn the_api_token_takes_priority_over_a_provider() {
    let script = empty_answers(1);
    let client = builder(&script)
        .token_provider(Steps::new(["JWT session"]))
        .api_token(ApiToken::new("token").unwrap())
        .build()
        .unwrap();
    client.pages().list().await.unwrap();
    assert_eq!(sent(&script), [Some("Bearer token".into())]);
}

#[test]
fn debug_shows_no_secret() {
    let script = ScriptedTransport::new();
    let builder = builder(&script)
        .api_key(ApiKey::new("hidden-1").unwrap())
        .api_token(ApiToken::new("hidden-2").unwrap())
        .token_for("shop", ApiToken::new("hidden-3").unwrap());
    let mut shown = format!("{builder:?}");
    let client = builder.build().unwrap();
    let secret = HeaderValue::from_static("hidden-4");
    let call = client.pages().list().header(header::AUTHORIZATION, secret);
    shown += &format!("{client:?} {call:?} {:?}", client.records("shop", "orders"));
    assert!(!shown.contains("hidden"), "{shown}");
    assert!(shown.contains("demo"), "{shown}");
}
