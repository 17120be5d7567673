//! Tokens that come from the store.

use svc_auth::{AuthErrorKind, FileStore, MemoryStore};

use crate::support::{Server, TestClock, WatchedStore, at_once, block_on, builder, header, poll};

#[test]
fn a_store_that_makes_us_wait_is_asked_once_and_waited_for_at_the_first_use() {
    let server = Server::new(&TestClock::new());
    let mut store = WatchedStore::default();
    store.kept = MemoryStore::holding(server.login());
    store.gate.close();
    let session = builder(&server).store(store.clone()).build();
    assert!(!session.is_signed_in());
    let mut calls: Vec<_> = (0..100).map(|_| Box::pin(header(&session))).collect();
    assert!(calls.iter_mut().all(|call| poll(call).is_pending()));
    store.gate.open();
    for call in calls {
        assert_eq!(block_on(call).unwrap().unwrap(), "JWT a1");
    }
    assert_eq!(store.log(), ["load"]);
}

#[test]
fn signing_in_wins_over_tokens_that_come_late() {
    let server = Server::new(&TestClock::new());
    let mut store = WatchedStore::default();
    store.kept = MemoryStore::holding(server.login());
    store.gate.close();
    let session = builder(&server).store(store.clone()).build();
    let mut call = Box::pin(header(&session));
    assert!(poll(&mut call).is_pending());
    block_on(session.set(server.login())).unwrap();
    store.gate.open();
    assert_eq!(block_on(call).unwrap().unwrap(), "JWT a2");
    block_on(session.sign_out()).unwrap();
    assert_eq!(at_once(header(&session)).unwrap(), None);
}

#[test]
fn a_store_that_cannot_be_read_fails_calls_until_it_can() {
    let server = Server::new(&TestClock::new());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    std::fs::write(&path, r#"{"svc_auth": "hidden"}"#).unwrap();
    let session = builder(&server).store(FileStore::new(&path)).build();
    assert!(!session.is_signed_in());
    let error = block_on(header(&session)).unwrap_err();
    assert_eq!(error.kind(), AuthErrorKind::Permanent);
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("tokens.json is damaged"), "{cause}");
    assert!(cause.contains("delete it and sign in again"), "{cause}");
    assert!(!format!("{error:?}").contains("hidden"));

    let tokens = r#"{"svc_auth":{"access_token":"a","refresh_token":"r"}}"#;
    std::fs::write(&path, tokens).unwrap();
    assert_eq!(block_on(header(&session)).unwrap().unwrap(), "JWT a");
}
