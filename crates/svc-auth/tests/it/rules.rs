//! The rules of the specification, section 5, as far as they are the session's business. The
//! others are with the client, in `svc-api`.

use std::time::Duration;

use svc_auth::{AuthState, FileStore, MemoryStore, STORAGE_KEY, ServiceToken, Session, TokenStore};
use svc_model::wire::Credential;

use crate::support::{
    START, Server, TestClock, at_once, authorization, block_on, builder, header, tokens,
};

fn jwt(token: &str) -> Option<String> {
    Some(format!("JWT {token}"))
}

#[test]
fn user_sessions_rule_2_tokens_are_kept_under_svc_auth_and_restored_with_the_session() {
    assert_eq!(STORAGE_KEY, "svc_auth");
    let server = Server::new(&TestClock::new());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    let session = builder(&server).store(FileStore::new(&path)).build();
    let state = server.login();
    block_on(session.set(state.clone())).unwrap();

    let text = std::fs::read_to_string(&path).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["svc_auth"]["access_token"], "a1");
    assert_eq!(file["svc_auth"]["refresh_token"], "r1");

    // A client that is made later has them before it is asked for anything.
    let restored = builder(&server).store(FileStore::new(&path)).build();
    assert_eq!(restored.tokens(), Some(state));
    assert_eq!(at_once(header(&restored)).unwrap(), jwt("a1"));
}

#[test]
fn user_sessions_rule_3_access_tokens_are_sent_with_the_prefix_jwt() {
    let server = Server::new(&TestClock::new());
    let session = builder(&server).build();
    for credential in [Credential::Session, Credential::StaticToken] {
        assert_eq!(at_once(authorization(&session, credential)).unwrap(), None);
    }
    block_on(session.set(server.login())).unwrap();
    for (credential, sent) in [
        (Credential::Session, jwt("a1")),
        (Credential::StaticToken, jwt("a1")),
        (Credential::ApiKey, None),
        (Credential::Anonymous, None),
    ] {
        assert_eq!(at_once(authorization(&session, credential)).unwrap(), sent);
    }
    let headers = at_once(session.headers()).unwrap().unwrap();
    assert_eq!(headers.len(), 1);
    assert_eq!(headers["authorization"], "JWT a1");
}

/// Whether a session refreshes before a call, when its tokens have so many seconds to live.
fn refreshes(access: Option<u64>, refresh: Option<u64>) -> bool {
    let server = Server::new(&TestClock::new());
    let AuthState {
        access_token,
        refresh_token,
        ..
    } = server.login();
    let at = |seconds: Option<u64>| seconds.map(|seconds| START + Duration::from_secs(seconds));
    let state = tokens(
        access_token.expose(),
        refresh_token.expose(),
        at(access),
        at(refresh),
    );
    let session = builder(&server).store(MemoryStore::holding(state)).build();
    let sent = block_on(header(&session)).unwrap();
    let refreshed = server.refreshes() == 1;
    assert_eq!(sent, jwt(if refreshed { "a2" } else { "a1" }));
    refreshed
}

#[test]
fn user_sessions_rule_4_either_expiry_under_30_seconds_away_is_refreshed_first() {
    assert!(!refreshes(Some(30), Some(1000)));
    assert!(refreshes(Some(29), Some(1000)));
    assert!(refreshes(Some(0), Some(1000)));
    assert!(!refreshes(Some(1000), Some(30)));
    assert!(refreshes(Some(1000), Some(29)));
    // Only what is known counts.
    assert!(refreshes(Some(29), None));
    assert!(refreshes(None, Some(29)));
    assert!(!refreshes(Some(1000), None));
    assert!(!refreshes(None, None));
}

#[test]
fn user_sessions_rule_4_an_expiry_that_cannot_be_read_is_not_known() {
    let server = Server::new(&TestClock::new());
    let mut state = server.login();
    state.access_token_expires = Some("in a quarter of an hour".into());
    state.refresh_token_expires = None;
    let session = builder(&server).store(MemoryStore::holding(state)).build();
    assert_eq!(at_once(header(&session)).unwrap(), jwt("a1"));
    assert_eq!(server.refreshes(), 0);
}

#[test]
fn user_sessions_rule_5_clients_share_the_store_and_existing_ones_keep_their_state() {
    let clock = TestClock::new();
    let server = Server::new(&clock);
    let store = MemoryStore::new();
    let shop = builder(&server).store(store.clone()).build();
    let crm = Session::builder(
        std::sync::Arc::new(server.clone()),
        "https://data.test".parse().unwrap(),
        "crm",
        "prod",
    )
    .clock(clock.clone())
    .store(store.clone())
    .build();
    block_on(shop.set(server.login())).unwrap();
    block_on(crm.set(server.login())).unwrap();
    // The one entry is the last one's, and the first client goes on with its own.
    assert_eq!(store.tokens(), crm.tokens());
    assert_eq!(at_once(header(&shop)).unwrap(), jwt("a1"));
    assert_eq!(at_once(header(&crm)).unwrap(), jwt("a2"));

    // A refresh does not take the tokens of another session, nor overwrite them.
    clock.pass(890);
    assert_eq!(block_on(header(&shop)).unwrap(), jwt("a3"));
    assert_eq!(store.tokens(), crm.tokens());
    assert_eq!(block_on(header(&crm)).unwrap(), jwt("a4"));
    assert_eq!(store.tokens(), crm.tokens());
    clock.pass(890);
    assert_eq!(block_on(header(&shop)).unwrap(), jwt("a5"));
    assert_eq!(server.ended(), 0);

    // A client that is made now restores what is there when it is of its project.
    let later = |project| {
        let server = std::sync::Arc::new(server.clone());
        let url = "https://data.test".parse().unwrap();
        let builder = Session::builder(server, url, project, "prod").clock(clock.clone());
        builder.store(store.clone()).build().tokens()
    };
    assert_eq!(later("crm"), crm.tokens());
    assert_eq!(later("shop"), None);
}

#[test]
fn user_sessions_rule_6_signing_out_clears_this_client_and_the_entry_and_nothing_else() {
    let clock = TestClock::new();
    let server = Server::new(&clock);
    let store = MemoryStore::new();
    let first = builder(&server).store(store.clone()).build();
    block_on(first.set(server.login())).unwrap();
    let second = builder(&server).store(store.clone()).build();
    block_on(first.sign_out()).unwrap();
    assert!(!first.is_signed_in());
    assert_eq!(at_once(header(&first)).unwrap(), None);
    assert_eq!(store.tokens(), None);

    // The service was not told, and the other client neither: it goes on.
    assert_eq!(server.refreshes(), 0);
    assert_eq!(at_once(header(&second)).unwrap(), jwt("a1"));
    clock.pass(890);
    assert_eq!(block_on(header(&second)).unwrap(), jwt("a2"));
    // It does not sign the store in again.
    assert_eq!(at_once(store.load()).unwrap(), None);
}

#[test]
fn service_requests_rule_3_a_service_token_is_sent_with_the_prefix_jwt_until_sign_out() {
    let server = Server::new(&TestClock::new());
    let store = MemoryStore::holding(server.login());
    let session = builder(&server).store(store.clone()).build();
    session.load_service_token(ServiceToken::new("service").unwrap());
    assert_eq!(at_once(header(&session)).unwrap(), jwt("service"));
    // It is not stored, and a login does not take its place.
    assert_eq!(store.tokens(), session.tokens());
    block_on(session.set(server.login())).unwrap();
    assert_eq!(at_once(header(&session)).unwrap(), jwt("service"));
    assert_eq!(server.refreshes(), 0);
    block_on(session.sign_out()).unwrap();
    assert_eq!(at_once(header(&session)).unwrap(), None);
}

#[test]
fn service_requests_rule_4_stores_can_be_request_scoped() {
    let clock = TestClock::new();
    let server = Server::new(&clock);
    let users: Vec<_> = (0..10)
        .map(|_| {
            let store = MemoryStore::holding(server.login());
            (builder(&server).store(store.clone()).build(), store)
        })
        .collect();
    clock.pass(890);
    for (number, (session, store)) in users.iter().enumerate() {
        let sent = block_on(header(session)).unwrap();
        assert_eq!(sent, jwt(&format!("a{}", 11 + number)));
        assert_eq!(store.tokens(), session.tokens());
    }
    assert_eq!(server.refreshes(), 10);
}
