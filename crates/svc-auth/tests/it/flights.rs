//! One refresh for all who wait, whatever becomes of them.

use std::{pin::Pin, task::Poll};

use svc_auth::{AuthError, AuthErrorKind, MemoryStore, Session};

use crate::support::{
    Server, TestClock, Trouble, at_once, block_on, builder, header, poll, reject,
};

type Call<'a> = Pin<Box<dyn Future<Output = Result<Option<String>, AuthError>> + 'a>>;

fn call(session: &Session) -> Call<'_> {
    Box::pin(header(session))
}

/// A session whose token is about to expire, at a service that takes its time.
fn due(delay: usize) -> (Session, Server, TestClock, MemoryStore) {
    let clock = TestClock::new();
    let server = Server::new(&clock).delay(delay);
    let store = MemoryStore::holding(server.login());
    let session = builder(&server).store(store.clone()).build();
    clock.pass(880);
    (session, server, clock, store)
}

fn sent(result: Result<Option<String>, AuthError>) -> String {
    result.unwrap().unwrap()
}

#[test]
fn ten_thousand_callers_on_an_expired_token_make_one_refresh() {
    let (session, server, clock, _) = due(3);
    clock.pass(1000);
    server.gate.close();
    let mut calls: Vec<_> = (0..10_000).map(|_| call(&session)).collect();
    assert!(calls.iter_mut().all(|call| poll(call).is_pending()));
    server.gate.open();
    for call in calls {
        assert_eq!(sent(block_on(call)), "JWT a2");
    }
    assert_eq!(server.refreshes(), 1);
}

#[test]
fn callers_on_many_threads_make_one_refresh() {
    let (session, server, ..) = due(50);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..100 {
                    assert_eq!(sent(block_on(header(&session))), "JWT a2");
                }
            });
        }
    });
    assert_eq!(server.refreshes(), 1);
}

#[test]
fn a_leader_that_is_dropped_after_any_number_of_polls_loses_nothing() {
    for polls in 0..20 {
        let (session, server, ..) = due(4);
        let mut leader = call(&session);
        for _ in 0..polls {
            if poll(&mut leader).is_ready() {
                break;
            }
        }
        let mut follower = call(&session);
        let early = poll(&mut follower);
        drop(leader);
        let token = match early {
            Poll::Ready(result) => sent(result),
            Poll::Pending => sent(block_on(follower)),
        };
        assert_eq!(token, "JWT a2", "after {polls} polls");
        assert_eq!(server.refreshes(), 1, "after {polls} polls");
    }
}

#[test]
fn a_refresh_that_everybody_left_goes_on_with_the_next_call() {
    for polls in 1..20 {
        let (session, server, ..) = due(4);
        let mut leader = call(&session);
        for _ in 0..polls {
            if poll(&mut leader).is_ready() {
                break;
            }
        }
        drop(leader);
        assert_eq!(sent(block_on(header(&session))), "JWT a2");
        assert_eq!(server.refreshes(), 1, "after {polls} polls");
    }
}

#[test]
fn ten_thousand_callers_who_come_and_go_as_they_like_make_one_refresh_for_each_token() {
    let (session, server, clock, store) = due(4);
    let mut random = 0x2545_f491_u32;
    let mut next = |below: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % below
    };
    for round in 1..=100 {
        let mut calls: Vec<_> = (0..100).map(|_| call(&session)).collect();
        while !calls.is_empty() {
            let chosen = next(calls.len());
            // A refused or a lost token would be an error.
            let is_done = match poll(&mut calls[chosen]) {
                Poll::Ready(result) => sent(result).starts_with("JWT a"),
                Poll::Pending => next(4) == 0,
            };
            if is_done {
                drop(calls.swap_remove(chosen));
            }
        }
        assert!(!sent(block_on(header(&session))).is_empty());
        assert_eq!(server.refreshes(), round);
        assert_eq!(store.tokens(), session.tokens());
        clock.pass(890);
    }
    drop(session);
    assert_eq!(server.holders(), 1);
}

#[test]
fn a_transport_that_panics_is_an_error_and_the_session_lives() {
    let (session, server, clock, _) = due(1);
    server.troubles(&[Trouble::Panic, Trouble::Panic]);
    // The access token is still valid.
    assert_eq!(sent(block_on(header(&session))), "JWT a1");
    clock.pass(100);
    server.gate.close();
    let mut calls: Vec<_> = (0..3).map(|_| call(&session)).collect();
    assert!(calls.iter_mut().all(|call| poll(call).is_pending()));
    server.gate.open();
    for call in calls {
        let error = block_on(call).unwrap_err();
        assert_eq!(error.kind(), AuthErrorKind::Transient);
    }
    clock.pass(10);
    assert_eq!(sent(block_on(header(&session))), "JWT a2");
    assert_eq!(server.refreshes(), 3);
}

#[test]
fn a_failure_in_passing_keeps_a_valid_token_and_cools_down() {
    let (session, server, clock, _) = due(0);
    server.troubles(&[
        Trouble::Status(429),
        Trouble::Unreachable,
        Trouble::Status(404),
    ]);
    for _ in 0..100 {
        assert_eq!(sent(at_once(header(&session))), "JWT a1");
    }
    assert_eq!(server.refreshes(), 1);
    clock.pass(9);
    assert_eq!(sent(at_once(header(&session))), "JWT a1");
    assert_eq!(server.refreshes(), 1);
    clock.pass(1);
    assert_eq!(sent(at_once(header(&session))), "JWT a1");
    assert_eq!(server.refreshes(), 2);
    // Now the token expires while the session cools down: nothing is left to send.
    clock.pass(9);
    assert_eq!(sent(at_once(header(&session))), "JWT a1");
    clock.pass(1);
    let error = at_once(header(&session)).unwrap_err();
    assert_eq!(error.kind(), AuthErrorKind::Transient);
    assert_eq!(error.to_string(), "the session could not be refreshed");
    assert_eq!(server.refreshes(), 3);
    assert!(at_once(header(&session)).is_err());
    assert_eq!(server.refreshes(), 3);
    clock.pass(10);
    assert_eq!(sent(at_once(header(&session))), "JWT a2");
}

#[test]
fn while_the_answer_to_a_refresh_is_missing_its_token_is_kept_back_until_nothing_is_left_to_lose() {
    for trouble in [Trouble::Status(503), Trouble::LateStatus(504)] {
        let (session, server, clock, _) = due(0);
        let server = server.grace(std::time::Duration::from_secs(10));
        server.troubles(&[trouble; 4]);
        assert_eq!(sent(at_once(header(&session))), "JWT a1");
        assert_eq!(server.refreshes(), 1);
        // As long as the service takes a token that is used up, it is sent again, with pauses.
        for (second, refreshes) in [(2, 1), (3, 2), (5, 2), (6, 3), (9, 3), (12, 3), (19, 3)] {
            clock.set(880 + second);
            assert_eq!(sent(at_once(header(&session))), "JWT a1");
            assert_eq!(server.refreshes(), refreshes, "after {second} s");
        }
        assert_eq!(server.ended(), 0);
        // The access token has expired, and the refresh token is all there is.
        clock.set(900);
        let last = at_once(header(&session));
        assert_eq!(server.refreshes(), 4);
        match trouble {
            // It was not used up, although that was not known.
            Trouble::Status(_) => {
                assert_eq!(last.unwrap_err().kind(), AuthErrorKind::Transient);
                clock.set(903);
                assert_eq!(sent(at_once(header(&session))), "JWT a2");
                assert_eq!(server.ended(), 0);
            }
            _ => assert_eq!(last.unwrap_err().kind(), AuthErrorKind::Transient),
        }
    }
}

#[test]
fn an_expired_token_that_cannot_be_renewed_fails_all_who_wait_once() {
    let (session, server, clock, _) = due(2);
    clock.pass(1000);
    server.troubles(&[Trouble::Unreachable]);
    server.gate.close();
    let mut calls: Vec<_> = (0..100).map(|_| call(&session)).collect();
    assert!(calls.iter_mut().all(|call| poll(call).is_pending()));
    server.gate.open();
    for call in calls {
        let error = block_on(call).unwrap_err();
        assert_eq!(error.kind(), AuthErrorKind::Transient);
        let cause = std::error::Error::source(&error).unwrap();
        assert_eq!(cause.to_string(), "could not connect to the service");
    }
    assert_eq!(server.refreshes(), 1);
    assert!(session.is_signed_in());
}

#[test]
fn an_answer_that_was_lost_is_asked_for_again_at_once() {
    let (session, server, clock, _) = due(0);
    let server = server.grace(std::time::Duration::from_secs(10));
    server.troubles(&[Trouble::LostAnswer]);
    assert_eq!(sent(at_once(header(&session))), "JWT a3");
    assert_eq!(server.refreshes(), 2);
    clock.pass(1000);
    assert_eq!(sent(at_once(header(&session))), "JWT a4");
    assert_eq!(server.ended(), 0);
}

#[test]
fn without_cool_down_each_call_tries_once() {
    let clock = TestClock::new();
    let server = Server::new(&clock);
    let session = builder(&server)
        .store(MemoryStore::holding(server.login()))
        .cool_down(std::time::Duration::ZERO)
        .build();
    clock.pass(1000);
    server.troubles(&[Trouble::Status(500), Trouble::Status(502)]);
    assert!(at_once(header(&session)).is_err());
    assert!(at_once(header(&session)).is_err());
    assert_eq!(sent(at_once(header(&session))), "JWT a2");
    assert_eq!(server.refreshes(), 3);
}

#[test]
fn tokens_that_have_expired_from_the_beginning_are_sent_until_they_are_refused() {
    let clock = TestClock::new();
    let server = Server::new(&clock);
    let session = builder(&server)
        .store(MemoryStore::holding(server.login()))
        // A clock that is far ahead.
        .clock(|| crate::support::START + std::time::Duration::from_secs(5_000))
        .build();
    for _ in 0..10 {
        assert_eq!(sent(at_once(header(&session))), "JWT a2");
    }
    reject(&session, "JWT a2");
    assert_eq!(sent(at_once(header(&session))), "JWT a3");
    assert_eq!(server.refreshes(), 2);
}

#[test]
fn a_refused_token_is_refreshed_by_the_next_call() {
    let (session, server, clock, _) = due(0);
    server.troubles(&[Trouble::Status(500)]);
    assert_eq!(sent(at_once(header(&session))), "JWT a1");
    // The cool-down is about tokens that still work.
    reject(&session, "JWT a1");
    assert_eq!(sent(at_once(header(&session))), "JWT a2");
    assert_eq!(server.refreshes(), 2);

    // Late refusals of the old token cause nothing.
    for _ in 0..10 {
        reject(&session, "JWT a1");
        assert_eq!(sent(at_once(header(&session))), "JWT a2");
    }
    assert_eq!(server.refreshes(), 2);

    // While a refused token cannot be renewed, it is not sent, and not every call tries.
    server.troubles(&[Trouble::Status(500)]);
    reject(&session, "JWT a2");
    for _ in 0..10 {
        let error = at_once(header(&session)).unwrap_err();
        assert_eq!(error.kind(), AuthErrorKind::Transient);
        reject(&session, "JWT a2");
    }
    assert_eq!(server.refreshes(), 3);
    clock.pass(10);
    assert_eq!(sent(at_once(header(&session))), "JWT a3");
}

#[test]
fn a_token_of_unknown_expiry_is_renewed_when_it_is_refused() {
    let server = Server::new(&TestClock::new());
    let mut state = server.login();
    state.access_token_expires = None;
    state.refresh_token_expires = None;
    let session = builder(&server).store(MemoryStore::holding(state)).build();
    assert_eq!(sent(at_once(header(&session))), "JWT a1");
    reject(&session, "JWT a1");
    assert_eq!(sent(at_once(header(&session))), "JWT a2");
}

#[test]
fn a_flight_holds_nothing_of_the_session() {
    let (session, server, _, store) = due(4);
    let mut leader: Pin<Box<dyn Future<Output = _>>> = {
        let session = session.clone();
        Box::pin(async move { header(&session).await.is_ok() })
    };
    assert!(poll(&mut leader).is_pending());
    drop((session, leader));
    // What is left of the flight went with the session: server and store are ours alone again.
    assert_eq!(server.holders(), 1);
    drop(store);
}
