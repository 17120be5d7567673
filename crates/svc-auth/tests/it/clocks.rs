//! A clock that is not that of the service, or jumps.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    task::Poll,
    time::Duration,
};

use svc_auth::{AuthErrorKind, Clock, MemoryStore, Session};

use crate::support::{
    ACCESS_LIFE, Server, TestClock, Trouble, at_once, block_on, builder, header, poll, reject,
};

const HOUR: i64 = 3600;
/// By an hour, by about the life of a token, to before the first and to after the last moment of it.
const JUMPS: [i64; 7] = [
    HOUR,
    -HOUR,
    885,
    -885,
    20,
    1000 * 24 * HOUR,
    -10 * 24 * HOUR,
];

/// The clock of the service, from which this one differs after a jump.
#[derive(Clone, Debug)]
struct Jumping {
    service: TestClock,
    ahead: Arc<AtomicI64>,
}

impl Clock for Jumping {
    fn now(&self) -> Duration {
        let now = i64::try_from(self.service.now().as_secs()).unwrap();
        let now = now + self.ahead.load(Ordering::SeqCst);
        Duration::from_secs(now.try_into().unwrap())
    }
}

struct World {
    session: Session,
    server: Server,
    clock: Jumping,
}

/// A session whose token is about to expire.
fn due(delay: usize) -> World {
    let service = TestClock::new();
    let server = Server::new(&service).delay(delay);
    let server = server.grace(Duration::from_secs(10));
    let clock = Jumping {
        service,
        ahead: Arc::default(),
    };
    let store = MemoryStore::holding(server.login());
    let session = builder(&server).store(store).clock(clock.clone()).build();
    clock.service.pass(ACCESS_LIFE - 20);
    World {
        session,
        server,
        clock,
    }
}

impl World {
    fn jump(&self, seconds: i64) {
        self.clock.ahead.store(seconds, Ordering::SeqCst);
    }

    /// A call each ten seconds of an hour, of which the service refuses those whose token is too old.
    fn calls_for_an_hour(&self) {
        let (mut newest, mut issued) = (String::new(), 0);
        for second in (0..3600).step_by(10) {
            for _ in 0..2 {
                let sent = block_on(header(&self.session)).unwrap().unwrap();
                if newest != sent {
                    (newest, issued) = (sent, second);
                }
                if second - issued < ACCESS_LIFE {
                    break;
                }
                reject(&self.session, newest.clone().leak());
            }
            assert!(second - issued < ACCESS_LIFE, "the repeat has a new token");
            self.clock.service.pass(10);
        }
        assert_eq!(self.server.ended(), 0);
    }
}

#[test]
fn a_jump_at_any_moment_of_a_refresh_costs_one_more_and_no_call() {
    for jump in JUMPS {
        for polls in 0..14 {
            let world = due(4);
            let mut call = Box::pin(header(&world.session));
            let mut early = None;
            for _ in 0..polls {
                if let Poll::Ready(result) = poll(&mut call) {
                    early = Some(result);
                    break;
                }
            }
            world.jump(jump);
            let sent = early.unwrap_or_else(|| block_on(call)).unwrap();
            assert!(sent.is_some());
            for _ in 0..100 {
                assert!(block_on(header(&world.session)).unwrap().is_some());
            }
            let refreshes = world.server.refreshes();
            assert!(
                refreshes <= 2,
                "{refreshes} after {polls} polls and {jump} s"
            );
        }
    }
}

#[test]
fn with_a_clock_that_is_wrong_a_token_is_renewed_as_often_as_it_expires() {
    for jump in JUMPS {
        let world = due(0);
        world.jump(jump);
        world.calls_for_an_hour();
        let wrong = world.server.refreshes();
        assert!((3..=6).contains(&wrong), "{wrong} refreshes after {jump} s");
        // So it is when the clock is set right again.
        world.jump(0);
        world.calls_for_an_hour();
        let right = world.server.refreshes() - wrong;
        assert!((3..=6).contains(&right), "{right} refreshes after {jump} s");
    }
}

#[test]
fn a_clock_that_is_set_back_ends_the_pause_after_a_failure() {
    for jump in [-1, -HOUR, HOUR] {
        let world = due(0);
        world.server.troubles(&[Trouble::Status(500)]);
        reject(&world.session, "JWT a1");
        let error = at_once(header(&world.session)).unwrap_err();
        assert_eq!(error.kind(), AuthErrorKind::Transient);
        assert!(at_once(header(&world.session)).is_err());
        assert_eq!(world.server.refreshes(), 1);
        world.jump(jump);
        assert_eq!(at_once(header(&world.session)).unwrap().unwrap(), "JWT a2");
        world.calls_for_an_hour();
    }
}

#[test]
fn after_a_jump_a_refresh_whose_answer_was_lost_is_sent_again_when_nothing_is_left_to_lose() {
    for jump in JUMPS {
        let world = due(0);
        world
            .server
            .troubles(&[Trouble::LostAnswer, Trouble::LostAnswer]);
        assert_eq!(at_once(header(&world.session)).unwrap().unwrap(), "JWT a1");
        let refreshes = world.server.refreshes();
        world.jump(jump);
        // The service does not know the token any more, and still takes the refresh token a second time.
        reject(&world.session, "JWT a1");
        let sent = at_once(header(&world.session)).unwrap().unwrap();
        assert_ne!(sent, "JWT a1", "after {jump} s");
        assert_eq!(world.server.refreshes(), refreshes + 1);
        world.calls_for_an_hour();
    }
}
