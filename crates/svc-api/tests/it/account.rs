//! Accounts: which requests are sent, what is saved, and the rules of the specification, section 5,
//! that the client must follow.

mod of_service;
mod service_requests;

use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use http::{HeaderMap, HeaderValue, StatusCode, header};
use svc_api::{
    ApiToken, Client, ErrorKind,
    auth::{
        AuthState, MemoryStore, ServiceRequest, ServiceToken, StoreError, StoredTokens, Swap,
        TokenStore,
    },
    wire::{Body, BoxFuture, TransportErrorKind},
};
use svc_testing::ScriptedTransport;

use crate::support::{builder, client};

const STATE_1: &str = r#"{"access_token":"a1","refresh_token":"r1"}"#;
const STATE_2: &str = r#"{"access_token":"a2","refresh_token":"r2"}"#;
const USER: &str = r#"{"uid":"7f","username":"ann@example.com","has_password":true}"#;
const REFUSED: &str = r#"{"detail":"no","error_code":"not_authenticated"}"#;

fn state(text: &str) -> AuthState {
    serde_json::from_str(text).unwrap()
}

/// A client whose user is signed in.
fn signed_in(script: &ScriptedTransport) -> (Client, MemoryStore) {
    let store = MemoryStore::holding(state(STATE_1));
    let client = builder(script)
        .session_store(store.clone())
        .build()
        .unwrap();
    (client, store)
}

/// `METHOD path authorization body` of each call.
fn sent(script: &ScriptedTransport) -> Vec<String> {
    let show = |value: Option<&HeaderValue>| {
        value.map_or("-".to_owned(), |value| value.to_str().unwrap().to_owned())
    };
    script
        .requests()
        .iter()
        .map(|request| {
            format!(
                "{} {} {} {}",
                request.method,
                request.uri.path_and_query().unwrap().as_str(),
                show(request.headers.get(header::AUTHORIZATION)),
                std::str::from_utf8(&request.body).unwrap()
            )
            .replace("/projects/demo/prod/auth/", "")
            .trim_end()
            .to_owned()
        })
        .collect()
}

fn ok(bodies: &[&str]) -> ScriptedTransport {
    bodies
        .iter()
        .fold(ScriptedTransport::new(), |script, body| {
            script.answer(StatusCode::OK, (*body).to_owned())
        })
}

#[tokio::test]
async fn a_user_lists_and_ends_their_own_sessions() {
    let page = r#"{"count":1,"next":null,"previous":null,"results":[{"uid":"s1","date_add":"2026-01-01T00:00:00Z",
        "last_use":"2026-01-02T00:00:00Z","user_agent":null,"address":"127.0.0.1","current":true}]}"#;
    let script = ok(&[page])
        .answer(StatusCode::NO_CONTENT, String::new())
        .answer(StatusCode::NO_CONTENT, String::new());
    let (client, store) = signed_in(&script);
    let account = client.account();
    let sessions = account.sessions().per_page(10).await.unwrap();
    assert!(sessions.results[0].current);
    account.end_session("s2").await.unwrap();
    account.end_other_sessions().await.unwrap();
    assert_eq!(
        sent(&script),
        [
            "GET sessions?_per_page=10 JWT a1",
            "DELETE sessions/s2 JWT a1",
            "DELETE sessions JWT a1"
        ]
    );
    // The session of the client goes on.
    assert_eq!(store.tokens(), Some(state(STATE_1)));
}

#[tokio::test]
async fn user_sessions_rule_1_login_returns_tokens_and_user_and_signs_in() {
    let login = format!(r#"{{"token":{STATE_1},"user":{USER}}}"#);
    let script = ok(&[&login, "[]"]);
    let store = MemoryStore::new();
    let client = builder(&script)
        .session_store(store.clone())
        .build()
        .unwrap();
    let account = client.account();
    let answer = account
        .login_via_email_password("ann@example.com", "correct horse")
        .await
        .unwrap();
    assert_eq!(answer.token, state(STATE_1));
    assert_eq!(answer.user.uid, "7f");
    assert!(answer.user.has_password);
    assert_eq!(store.tokens(), Some(state(STATE_1)));
    client.records("shop", "orders").list().await.unwrap();
    assert_eq!(
        sent(&script),
        [
            r#"POST login - {"email":"ann@example.com","password":"correct horse"}"#,
            "GET /projects/demo/prod/shop/models/orders JWT a1",
        ]
    );
}

#[tokio::test]
async fn a_login_that_is_refused_leaves_everything_as_it_was() {
    let script = ScriptedTransport::new().answer(StatusCode::UNAUTHORIZED, REFUSED);
    let (client, store) = signed_in(&script);
    let login = client.account().login_via_email_password("a@b.c", "wrong");
    let error = login.await.unwrap_err();
    assert!(error.is_unauthenticated());
    assert_eq!(store.tokens(), Some(state(STATE_1)));
    assert_eq!(client.account().session().tokens(), store.tokens());
}

#[tokio::test]
async fn user_sessions_rule_2_a_new_client_restores_its_user() {
    let (client, _) = signed_in(&ScriptedTransport::new());
    assert!(client.account().session().is_signed_in());
    let headers = client.account().headers().await.unwrap().unwrap();
    assert_eq!(headers[header::AUTHORIZATION], "JWT a1");
}

#[tokio::test]
async fn user_sessions_rule_4_a_token_about_to_expire_is_refreshed_before_the_call() {
    let script = ok(&[STATE_2, "[]", "[]"]);
    let mut tokens = state(STATE_1);
    tokens.access_token_expires = Some("2026-09-15T12:00:00Z".into());
    let now = Arc::new(AtomicU64::new(1_789_473_600 - 29));
    let clock = Arc::clone(&now);
    let client = builder(&script)
        .session_store(MemoryStore::holding(tokens))
        .clock(move || Duration::from_secs(clock.load(Ordering::Relaxed)))
        .build()
        .unwrap();
    let orders = client.records("shop", "orders");
    orders.list().await.unwrap();
    orders.list().await.unwrap();
    assert_eq!(
        sent(&script),
        [
            r#"POST refresh - {"refresh_token":"r1"}"#,
            "GET /projects/demo/prod/shop/models/orders JWT a2",
            "GET /projects/demo/prod/shop/models/orders JWT a2",
        ]
    );
    let agent = &script.requests()[0].headers[header::USER_AGENT];
    assert!(agent.to_str().unwrap().starts_with("svc-api/"));
}

#[tokio::test]
async fn a_refused_token_is_renewed_and_the_call_replayed_once() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::UNAUTHORIZED, REFUSED)
        .answer(StatusCode::OK, STATE_2)
        .answer(StatusCode::UNAUTHORIZED, REFUSED);
    let (client, store) = signed_in(&script);
    let error = client.records("shop", "orders").get(7).await.unwrap_err();
    assert!(error.is_unauthenticated());
    assert_eq!(
        sent(&script),
        [
            "GET /projects/demo/prod/shop/models/orders/7 JWT a1",
            r#"POST refresh - {"refresh_token":"r1"}"#,
            "GET /projects/demo/prod/shop/models/orders/7 JWT a2",
        ]
    );
    assert_eq!(store.tokens(), Some(state(STATE_2)));
}

#[tokio::test]
async fn calls_that_are_refused_at_the_same_time_cause_one_refresh() {
    let script = (0..3).fold(ScriptedTransport::new(), |script, _| {
        script.answer(StatusCode::UNAUTHORIZED, REFUSED)
    });
    // One refresh, and each call a second time.
    let script = script.answer(StatusCode::OK, STATE_2);
    let script = (0..3).fold(script, |script, _| script.answer(StatusCode::OK, "{}"));
    // All three are sent before the first refusal is looked at.
    let all_sent = Arc::new(tokio::sync::Barrier::new(3));
    let transport = {
        let (script, all_sent) = (script.clone(), Arc::clone(&all_sent));
        svc_api::wire::transport_fn(move |request: http::Request<Body>| {
            let (script, all_sent) = (script.clone(), Arc::clone(&all_sent));
            async move {
                let is_first = request
                    .headers()
                    .get(header::AUTHORIZATION)
                    .is_some_and(|value| value == "JWT a1");
                let answer = svc_api::wire::Transport::send(&script, request).await;
                if is_first {
                    all_sent.wait().await;
                }
                answer
            }
        })
    };
    let client = Client::builder()
        .project("demo")
        .api_base_url("https://data.example.com")
        .transport(transport)
        .session_store(MemoryStore::holding(state(STATE_1)))
        .build()
        .unwrap();
    let orders = client.records("shop", "orders");
    let (one, two, three) = tokio::join!(
        orders.get(1).send(),
        orders.get(2).send(),
        orders.get(3).send()
    );
    assert!(one.is_ok() && two.is_ok() && three.is_ok());
    let refreshes = sent(&script);
    let refreshes = refreshes.iter().filter(|call| call.contains("refresh -"));
    assert_eq!(refreshes.count(), 1);
    assert_eq!(script.unused(), 0);
}

#[tokio::test]
async fn user_sessions_rule_6_logout_deletes_the_tokens_and_sends_nothing() {
    let script = ScriptedTransport::new();
    let (client, store) = signed_in(&script);
    let clone = client.clone();
    client.account().logout().await.unwrap();
    assert_eq!(store.tokens(), None);
    assert!(!clone.account().session().is_signed_in());
    assert!(client.account().headers().await.unwrap().is_none());
    assert!(script.requests().is_empty());
}

#[tokio::test]
async fn logout_with_revoke_calls_the_service_and_succeeds_whatever_the_response() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::NO_CONTENT, "")
        .fail(TransportErrorKind::Timeout);
    for _ in 0..2 {
        let (client, store) = signed_in(&script);
        client.account().logout().revoke().await.unwrap();
        assert_eq!(store.tokens(), None);
        // Nothing is left to revoke.
        client.account().logout().revoke().await.unwrap();
    }
    assert_eq!(sent(&script), ["POST logout JWT a1", "POST logout JWT a1"]);
}

#[tokio::test]
async fn user_sessions_rule_7_the_api_token_takes_priority_and_survives_logout() {
    let script = ok(&["[]", "[]", USER, "{}"]);
    let client = builder(&script)
        .api_token(ApiToken::new("token").unwrap())
        .session_store(MemoryStore::holding(state(STATE_1)))
        .build()
        .unwrap();
    let account = client.account();
    client.records("shop", "orders").list().await.unwrap();
    let headers = account.headers().await.unwrap().unwrap();
    assert_eq!(headers[header::AUTHORIZATION], "Bearer token");
    account.logout().await.unwrap();
    client.records("shop", "orders").list().await.unwrap();
    assert!(account.is_authenticated().await.unwrap().authenticated);
    let calls = sent(&script);
    assert!(calls.iter().all(|call| call.contains("Bearer token")));
    assert_eq!(calls.len(), 3);
}

#[tokio::test]
async fn user_sessions_rule_8_without_headers_no_request_is_sent() {
    let script = ScriptedTransport::new();
    let check = client(&script).account().is_authenticated().await.unwrap();
    assert!(!check.authenticated);
    assert_eq!(check.user, None);
    assert!(script.requests().is_empty());
}

#[tokio::test]
async fn user_sessions_rule_8_with_headers_a_request_is_sent() {
    let script = ok(&[USER]);
    let (client, _) = signed_in(&script);
    let check = client.account().is_authenticated().await.unwrap();
    assert!(check.authenticated);
    assert_eq!(check.user.unwrap().uid, "7f");
    assert_eq!(sent(&script), ["GET user JWT a1"]);
}

#[tokio::test]
async fn user_sessions_rule_8_request_failures_are_errors() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::INTERNAL_SERVER_ERROR, "")
        .fail(TransportErrorKind::Timeout)
        // Refused, renewed, and refused again.
        .answer(StatusCode::UNAUTHORIZED, REFUSED)
        .answer(StatusCode::OK, STATE_2)
        .answer(StatusCode::UNAUTHORIZED, REFUSED)
        // Refused, and the renewal is refused too.
        .answer(StatusCode::UNAUTHORIZED, REFUSED)
        .answer(StatusCode::UNAUTHORIZED, REFUSED);
    let (client, store) = signed_in(&script);
    let account = client.account();
    let error = account.is_authenticated().await.unwrap_err();
    assert_eq!(error.status(), Some(StatusCode::INTERNAL_SERVER_ERROR));
    assert!(account.is_authenticated().await.unwrap_err().is_timeout());
    let error = account.is_authenticated().await.unwrap_err();
    assert!(error.is_unauthenticated());
    let error = account.is_authenticated().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Auth);
    assert_eq!(
        error.to_string(),
        "account.user: the session has ended; sign in again"
    );
    assert_eq!(script.unused(), 0);
    // That ended the session, so no request is sent now.
    assert_eq!(store.tokens(), None);
    let check = account.is_authenticated().await.unwrap();
    assert!(!check.authenticated);
}

#[tokio::test]
async fn signing_up_does_not_sign_the_user_in() {
    let registered = format!(r#"{{"result":true,"user":{USER}}}"#);
    let script = ScriptedTransport::new()
        .answer(StatusCode::CREATED, registered)
        .answer(StatusCode::OK, r#"{"result":false}"#);
    let client = client(&script);
    let account = client.account();
    let answer = account
        .register_via_email_password("ann@example.com", "pw")
        .first_name("Ann")
        .last_name("Lee")
        .language("en")
        .timezone("Europe/Berlin")
        .await
        .unwrap();
    assert!(answer.result);
    assert_eq!(answer.user.unwrap().uid, "7f");
    let answer = account.register_via_email_password("x@y.z", "pw").await;
    assert!(!answer.unwrap().result);
    assert!(!account.session().is_signed_in());
    assert_eq!(
        sent(&script),
        [
            r#"POST register - {"email":"ann@example.com","password":"pw","first_name":"Ann","last_name":"Lee","language":"en","timezone":"Europe/Berlin"}"#,
            r#"POST register - {"email":"x@y.z","password":"pw"}"#,
        ]
    );
}

#[tokio::test]
async fn passwords_are_changed_and_the_new_tokens_saved() {
    let changed = format!(r#"{{"result":true,"new_state":{STATE_2}}}"#);
    let script = ok(&[&changed, &changed, &changed, r#"{"result":false}"#]);
    let (client, store) = signed_in(&script);
    let account = client.account();
    let change = account.change_password("new", Some("old".into()));
    let answer = change.await.unwrap();
    assert!(answer.result);
    assert_eq!(answer.new_state, Some(state(STATE_2)));
    assert_eq!(store.tokens(), Some(state(STATE_2)));

    account.logout().await.unwrap();
    account
        .reset_password_complete("c0de", "new")
        .await
        .unwrap();
    assert_eq!(store.tokens(), Some(state(STATE_2)));

    account.logout().await.unwrap();
    let accept = account.accept_invitation("c0de", "pw");
    accept.first_name("Ann").last_name("Lee").await.unwrap();
    assert_eq!(store.tokens(), Some(state(STATE_2)));
    let answer = account.change_password("newer", None).await.unwrap();
    assert!(!answer.result);
    assert_eq!(store.tokens(), Some(state(STATE_2)));
    assert_eq!(
        sent(&script),
        [
            r#"POST change_password JWT a1 {"new_password":"new","current_password":"old"}"#,
            r#"POST reset_password_complete - {"code":"c0de","new_password":"new"}"#,
            r#"POST accept_invitation - {"code":"c0de","password":"pw","first_name":"Ann","last_name":"Lee"}"#,
            r#"POST change_password JWT a2 {"new_password":"newer"}"#,
        ]
    );
}

#[tokio::test]
async fn a_changed_password_does_not_sign_in_a_user_who_has_signed_out_meanwhile() {
    let changed = format!(r#"{{"result":true,"new_state":{STATE_2}}}"#);
    let store = MemoryStore::holding(state(STATE_1));
    // The user signs out while the call is in progress.
    let slot: Arc<std::sync::OnceLock<Client>> = Arc::default();
    let transport = {
        let slot = Arc::clone(&slot);
        svc_api::wire::transport_fn(move |_| {
            let (slot, changed) = (Arc::clone(&slot), changed.clone());
            async move {
                let client = slot.get().unwrap();
                client.account().logout().await.unwrap();
                Ok(http::Response::new(Body::from(changed)))
            }
        })
    };
    let client = Client::builder()
        .project("demo")
        .transport(transport)
        .session_store(store.clone())
        .build()
        .unwrap();
    slot.set(client.clone()).unwrap();
    let answer = client.account().change_password("new", None).await.unwrap();
    assert!(answer.result);
    assert_eq!(store.tokens(), None);
    assert!(!client.account().session().is_signed_in());
}

#[tokio::test]
async fn codes_are_requested_and_addresses_changed() {
    let script = ok(&[
        r#"{"result":true}"#,
        r#"{"result":true,"sent_confirmation_to":"x@y.z"}"#,
        r#"{"result":true,"old_email":"a@b.c","new_email":"x@y.z"}"#,
    ]);
    let (client, store) = signed_in(&script);
    let account = client.account();
    assert!(account.reset_password("a@b.c").await.unwrap().result);
    let asked = account.change_email("x@y.z", Some("pw".into()));
    let asked = asked.await.unwrap();
    assert_eq!(asked.sent_confirmation_to.as_deref(), Some("x@y.z"));
    let changed = account.change_email_complete("c0de").await.unwrap();
    assert_eq!(changed.old_email.as_deref(), Some("a@b.c"));
    assert_eq!(changed.new_email.as_deref(), Some("x@y.z"));
    assert_eq!(store.tokens(), Some(state(STATE_1)));
    assert_eq!(
        sent(&script),
        [
            r#"POST reset_password - {"email":"a@b.c"}"#,
            r#"POST change_email JWT a1 {"new_email":"x@y.z","current_password":"pw"}"#,
            r#"POST change_email_complete - {"code":"c0de"}"#,
        ]
    );
}

#[tokio::test]
async fn a_client_with_draft_on_sends_it_with_account_calls_too() {
    let script = ScriptedTransport::new()
        .answer(StatusCode::UNAUTHORIZED, REFUSED)
        .answer(StatusCode::OK, STATE_2)
        .answer(StatusCode::OK, USER);
    let client = builder(&script)
        .draft(true)
        .session_store(MemoryStore::holding(state(STATE_1)))
        .build()
        .unwrap();
    client.account().is_authenticated().await.unwrap();
    assert_eq!(
        sent(&script),
        [
            "GET user?draft=1 JWT a1",
            r#"POST refresh?draft=1 - {"refresh_token":"r1"}"#,
            "GET user?draft=1 JWT a2",
        ]
    );
}

#[tokio::test]
async fn a_call_that_requires_a_session_fails_with_a_clear_error_when_nobody_is_signed_in() {
    let script = ScriptedTransport::new().answer(StatusCode::UNAUTHORIZED, REFUSED);
    let client = client(&script);
    let error = client.account().change_email("x@y.z", None).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "account.change_email: the service answered 401 Unauthorized: no \
         (the call carried no credential; sign in first, or give the client an api_token)"
    );
}

/// A store that refuses every write.
#[derive(Debug)]
struct Full;

impl TokenStore for Full {
    fn load(&self) -> BoxFuture<'_, Result<Option<StoredTokens>, StoreError>> {
        Box::pin(ready(Ok(Some(StoredTokens::begin(state(STATE_1))))))
    }

    fn replace<'a>(&'a self, _: Option<&'a StoredTokens>) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(ready(Err(StoreError::new("the disk is full"))))
    }

    fn swap<'a>(
        &'a self,
        _: &'a StoredTokens,
        _: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<Swap, StoreError>> {
        Box::pin(ready(Err(StoreError::new("the disk is full"))))
    }
}

#[tokio::test]
async fn tokens_that_cannot_be_stored_are_not_used() {
    let login = format!(r#"{{"token":{STATE_2},"user":{USER}}}"#);
    let script = ok(&[&login]);
    let client = builder(&script).session_store(Full).build().unwrap();
    let account = client.account();
    let error = account.login_via_email_password("a@b.c", "pw").await;
    let error = error.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Store);
    assert_eq!(error.to_string(), "account.login: the disk is full");
    assert_eq!(account.session().tokens(), Some(state(STATE_1)));
    let error = account.logout().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Store);
    assert!(!account.session().is_signed_in());
}

#[test]
fn debug_shows_no_secret() {
    let script = ScriptedTransport::new();
    let hidden = state(r#"{"access_token":"hidden-1","refresh_token":"hidden-2"}"#);
    let builder = builder(&script).session_store(MemoryStore::holding(hidden));
    let mut shown = format!("{builder:?}");
    let client = builder.build().unwrap();
    let account = client.account();
    account.load_service_token(ServiceToken::new("hidden-3").unwrap());
    shown += &format!(
        "{client:?} {account:?} {:?} {:?} {:?} {:?}",
        account.session(),
        account.logout(),
        account.login_via_email_password("a@b.c", "hidden-4"),
        account.change_email_complete("hidden-5"),
    );
    assert!(!shown.contains("hidden"), "{shown}");
}

#[tokio::test]
async fn a_sign_in_without_a_usable_token_is_an_error_and_signs_nobody_in() {
    let user = format!(r#","user":{USER}}}"#);
    let token = |token: &str| format!(r#"{{"token":{token}{user}"#);
    for body in [
        "[]".to_owned(),
        "{}".to_owned(),
        token("{}"),
        token("5"),
        token(r#"["a1","r1",null,null]"#),
        token(r#"{"access_token":5,"refresh_token":"r1"}"#),
        token(r#"{"access_token":"","refresh_token":"r1"}"#),
    ] {
        let store = MemoryStore::new();
        let client = builder(&ok(&[&body])).session_store(store.clone());
        let account = client.build().unwrap().account();
        let login = account.login_via_email_password("ann@example.com", "correct horse");
        assert_eq!(login.await.unwrap_err().kind(), ErrorKind::Decode, "{body}");
        assert_eq!(store.tokens(), None, "{body}");
    }
}
