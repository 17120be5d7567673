//! New tokens are stored before they are used.

use svc_auth::{AuthErrorKind, Session, StoredTokens, TokenStore};

use crate::support::{
    Server, TestClock, WatchedStore, at_once, block_on, builder, header, poll, reject,
};

fn due() -> (Session, Server, TestClock, WatchedStore) {
    let clock = TestClock::new();
    let server = Server::new(&clock);
    let store = WatchedStore::default();
    let session = builder(&server).store(store.clone()).build();
    block_on(session.set(server.login())).unwrap();
    clock.pass(880);
    (session, server, clock, store)
}

fn sent(session: &Session) -> String {
    block_on(header(session)).unwrap().unwrap()
}

#[test]
fn a_refresh_reads_and_writes_under_the_lease() {
    let (session, _, _, store) = due();
    assert_eq!(sent(&session), "JWT a2");
    assert_eq!(
        store.log(),
        ["load", "replace", "lease", "load", "swap", "lease back"]
    );
}

#[test]
fn tokens_are_not_given_before_they_are_stored() {
    let (session, _, _, store) = due();
    let mut call = Box::pin(header(&session));
    while store.kept.tokens() == session.tokens() {
        assert!(poll(&mut call).is_pending());
    }
    // Stored, and the store has not answered yet.
    assert_eq!(store.kept.tokens().unwrap().access_token.expose(), "a2");
    assert_eq!(session.tokens().unwrap().access_token.expose(), "a1");
    assert_eq!(block_on(call).unwrap().unwrap(), "JWT a2");
}

#[test]
fn tokens_that_cannot_be_stored_are_kept_back_and_stored_later() {
    let (session, server, clock, store) = due();
    store.broken(true);
    assert_eq!(sent(&session), "JWT a1");
    assert_eq!(server.refreshes(), 1);
    clock.pass(30);
    // By now the old token has expired, and the new one cannot be stored yet.
    let error = block_on(header(&session)).unwrap_err();
    assert_eq!(error.kind(), AuthErrorKind::Transient);
    let cause = std::error::Error::source(&error).unwrap();
    assert_eq!(cause.to_string(), "the disk is full");
    store.broken(false);
    clock.pass(10);
    assert_eq!(sent(&session), "JWT a2");
    assert_eq!(store.kept.tokens(), session.tokens());
    // The used up token was never presented again.
    assert_eq!(server.refreshes(), 1);

    // So it is when the tokens that were kept back are due themselves by then.
    clock.pass(840);
    store.broken(true);
    assert_eq!(sent(&session), "JWT a2");
    clock.pass(1000);
    store.broken(false);
    assert_eq!(sent(&session), "JWT a4");
    assert_eq!(server.ended(), 0);
    assert_eq!(store.kept.tokens(), session.tokens());
}

#[test]
fn a_login_that_cannot_be_stored_changes_nothing() {
    let (session, server, _, store) = due();
    let before = session.tokens();
    store.broken(true);
    assert!(block_on(session.set(server.login())).is_err());
    assert_eq!(session.tokens(), before);
    // Signing out forgets the tokens here, and tells that they are still in the store.
    let error = block_on(session.sign_out()).unwrap_err();
    assert_eq!(error.to_string(), "the disk is full");
    assert!(!session.is_signed_in());
    assert_eq!(store.kept.tokens(), before);
}

#[test]
fn newer_tokens_of_the_session_are_taken_from_the_store() {
    let (session, server, clock, store) = due();
    let other = builder(&server).store(store).build();
    assert_eq!(sent(&other), "JWT a2");
    assert_eq!(sent(&session), "JWT a2");
    assert_eq!(server.refreshes(), 1);

    // So it is for a refused token.
    reject(&other, "JWT a2");
    assert_eq!(sent(&other), "JWT a3");
    reject(&session, "JWT a2");
    assert_eq!(sent(&session), "JWT a3");
    assert_eq!(server.refreshes(), 2);

    // Newer ones that are due themselves are refreshed.
    clock.pass(900);
    assert_eq!(sent(&other), "JWT a4");
    clock.pass(900);
    assert_eq!(sent(&session), "JWT a5");
    assert_eq!(sent(&other), "JWT a5");
    assert_eq!(server.ended(), 0);
}

#[test]
fn older_tokens_in_the_store_are_not_taken() {
    let (session, server, clock, store) = due();
    let old = at_once(store.kept.load()).unwrap();
    assert_eq!(sent(&session), "JWT a2");
    // Somebody has put a copy of the file back.
    at_once(store.kept.replace(old.as_ref())).unwrap();
    clock.pass(880);
    assert_eq!(sent(&session), "JWT a3");
    assert_eq!(server.ended(), 0);
    assert_eq!(store.kept.tokens(), session.tokens());
}

#[test]
fn a_refused_token_that_another_one_has_used_up_ends_nothing() {
    let (session, server, _, store) = due();
    let server = server.delay(2);
    let kept = at_once(store.kept.load()).unwrap().unwrap();
    // The other one has no lease with us, and is done while our refresh is under way.
    let mut call = Box::pin(header(&session));
    assert!(poll(&mut call).is_pending());
    let (_, answer) = server.refresh(br#"{"refresh_token":"r1"}"#);
    let newer = kept.renewed(serde_json::from_str(&answer).unwrap());
    let newer: StoredTokens = newer;
    at_once(store.kept.replace(Some(&newer))).unwrap();
    server.troubles(&[]);
    assert_eq!(block_on(call).unwrap().unwrap(), "JWT a2");
    assert_eq!(session.tokens(), store.kept.tokens());
}
