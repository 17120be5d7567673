//! What ends a session, and what wins over a refresh that is under way.

use svc_auth::{AuthErrorKind, MemoryStore, ServiceToken, Session, StoredTokens, TokenStore};

use crate::support::{
    Server, TestClock, Trouble, at_once, block_on, builder, header, poll, reject,
};

fn due(delay: usize) -> (Session, Server, MemoryStore) {
    let clock = TestClock::new();
    let server = Server::new(&clock).delay(delay);
    let store = MemoryStore::holding(server.login());
    let session = builder(&server).store(store.clone()).build();
    clock.pass(880);
    (session, server, store)
}

#[test]
fn a_refusal_ends_the_session_here_and_in_the_store() {
    for status in [401, 403] {
        let (session, server, store) = due(2);
        server.troubles(&[Trouble::Status(status)]);
        server.gate.close();
        let mut calls: Vec<_> = (0..5).map(|_| Box::pin(header(&session))).collect();
        assert!(calls.iter_mut().all(|call| poll(call).is_pending()));
        server.gate.open();
        for call in calls {
            let error = block_on(call).unwrap_err();
            assert_eq!(error.kind(), AuthErrorKind::Permanent);
            assert_eq!(error.to_string(), "the session has ended; sign in again");
        }
        assert_eq!(server.refreshes(), 1);
        assert_eq!(session.tokens(), None);
        assert_eq!(store.tokens(), None);
        // From then on it is as if nobody had signed in.
        assert_eq!(at_once(header(&session)).unwrap(), None);
        block_on(session.set(server.login())).unwrap();
        assert!(at_once(header(&session)).unwrap().is_some());
    }
}

#[test]
fn any_other_status_ends_nothing() {
    for status in [302, 400, 404, 408, 429, 500, 503] {
        let (session, server, store) = due(0);
        server.troubles(&[Trouble::Status(status)]);
        assert_eq!(at_once(header(&session)).unwrap().unwrap(), "JWT a1");
        assert_eq!(store.tokens(), session.tokens());
    }
}

#[test]
fn a_refusal_leaves_the_tokens_of_another_session_in_the_store() {
    let (session, server, store) = due(0);
    let foreign = StoredTokens::begin(server.login());
    at_once(store.replace(Some(&foreign))).unwrap();
    server.troubles(&[Trouble::Status(401)]);
    assert!(at_once(header(&session)).is_err());
    assert_eq!(session.tokens(), None);
    assert_eq!(at_once(store.load()).unwrap(), Some(foreign));
}

#[test]
fn signing_out_wins_over_a_refresh_at_every_moment() {
    for polls in 0..12 {
        let (session, _, store) = due(4);
        let mut refreshing = Box::pin(header(&session));
        let mut early = None;
        for _ in 0..polls {
            if let std::task::Poll::Ready(result) = poll(&mut refreshing) {
                early = Some(result);
                break;
            }
        }
        at_once(session.sign_out()).unwrap();
        let result = early.unwrap_or_else(|| block_on(refreshing)).unwrap();
        assert!(result.is_none() || polls > 0);
        assert_eq!(session.tokens(), None, "after {polls} polls");
        assert_eq!(store.tokens(), None, "after {polls} polls");
        assert_eq!(at_once(header(&session)).unwrap(), None);
    }
}

#[test]
fn a_new_login_wins_over_a_refresh_at_every_moment() {
    for polls in 0..12 {
        let (session, server, store) = due(4);
        let mut refreshing = Box::pin(header(&session));
        let mut early = false;
        for _ in 0..polls {
            if poll(&mut refreshing).is_ready() {
                early = true;
                break;
            }
        }
        let login = server.login();
        at_once(session.set(login.clone())).unwrap();
        let expected = format!("JWT {}", login.access_token.expose());
        if !early {
            assert_eq!(block_on(refreshing).unwrap().unwrap(), expected);
        }
        assert_eq!(
            session.tokens().as_ref(),
            Some(&login),
            "after {polls} polls"
        );
        assert_eq!(store.tokens(), Some(login), "after {polls} polls");
    }
}

#[test]
fn the_answer_to_an_older_call_does_not_sign_in_again() {
    let (session, server, store) = due(0);
    let mark = session.mark();
    at_once(session.sign_out()).unwrap();
    assert!(!at_once(session.update(mark, server.login())).unwrap());
    assert!(!session.is_signed_in());
    assert_eq!(store.tokens(), None);

    let mark = session.mark();
    let login = server.login();
    assert!(at_once(session.update(mark, login.clone())).unwrap());
    assert_eq!(session.tokens().as_ref(), Some(&login));
    assert_eq!(store.tokens(), Some(login));
    // Somebody else has signed in meanwhile.
    assert!(!at_once(session.update(mark, server.login())).unwrap());
}

#[test]
fn a_refused_service_token_cannot_be_renewed() {
    let server = Server::new(&TestClock::new());
    let session = builder(&server).build();
    session.load_service_token(ServiceToken::new("service").unwrap());
    reject(&session, "JWT another");
    assert!(at_once(header(&session)).is_ok());
    reject(&session, "JWT service");
    let error = at_once(header(&session)).unwrap_err();
    assert_eq!(error.kind(), AuthErrorKind::Permanent);
    assert_eq!(
        error.to_string(),
        "the service token was refused, and cannot be renewed; load another one"
    );
    session.load_service_token(ServiceToken::new("newer").unwrap());
    assert_eq!(at_once(header(&session)).unwrap().unwrap(), "JWT newer");
    assert_eq!(server.refreshes(), 0);
}

#[test]
fn debug_shows_no_token() {
    let server = Server::new(&TestClock::new());
    let session = builder(&server).build();
    let state = crate::support::tokens("hidden-1", "hidden-2", None, None);
    block_on(session.set(state)).unwrap();
    session.load_service_token(ServiceToken::new("hidden-3").unwrap());
    let shown = format!("{session:?} {:?}", builder(&server));
    assert!(!shown.contains("hidden"), "{shown}");
    assert!(shown.contains("demo"), "{shown}");
}
