//! Every schedule of a refresh: where its callers are cancelled, times what comes instead of an
//! answer, with and without a spawner, alone and beside another session of the same store.
//!
//! Nothing here runs by itself. Time passes in the steps of [`STEPS`], and after each of them
//! everything that is alive is polled once, so that a schedule always runs the same way.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::Poll,
    time::Duration,
};

use http::{Response, StatusCode};
use svc_auth::{
    AuthError, AuthState, Lease, MemoryStore, Session, StoreError, StoredTokens, Swap, TokenStore,
};
use svc_model::wire::{
    Body, BoxFuture, Deadline, Spawner, Timer, Transport, TransportError, TransportErrorKind,
};

use crate::support::{TestClock, header, poll, tokens};

/// How long the service takes a refresh token that is used up.
const GRACE: u64 = 10;
/// The second in which the first refresh begins: the access token has 20 seconds to live.
const BEGIN: u64 = 880;
const ACCESS_LIFE: u64 = 900;
/// When everything is polled, in seconds after [`BEGIN`].
const STEPS: [u64; 13] = [0, 0, 1, 4, 5, 6, 9, 12, 19, 21, 31, 36, 45];
/// By then after its begin each call has ended.
const LONGEST_CALL: u64 = 36;

/// What comes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Success,
    /// The answer comes after 12 seconds.
    LateSuccess,
    /// The session has ended at the service.
    Refused(u16),
    /// An error of the service, which has used the token up or not.
    Status5xx {
        used_up: bool,
    },
    /// No answer in time.
    Timeout {
        used_up: bool,
    },
    /// The connection breaks off.
    Lost {
        used_up: bool,
    },
    /// No answer, and the transport does not keep to its deadline either.
    Never {
        used_up: bool,
    },
}

const ANSWERS: [Answer; 12] = [
    Answer::Success,
    Answer::LateSuccess,
    Answer::Refused(401),
    Answer::Refused(403),
    Answer::Status5xx { used_up: false },
    Answer::Status5xx { used_up: true },
    Answer::Timeout { used_up: false },
    Answer::Timeout { used_up: true },
    Answer::Lost { used_up: false },
    Answer::Lost { used_up: true },
    Answer::Never { used_up: false },
    Answer::Never { used_up: true },
];

/// A service with one session, whose refresh tokens are numbered.
#[derive(Debug, Default)]
struct Service {
    newest: u64,
    /// When the tokens before the newest were used up.
    used_up: Vec<u64>,
    ended: bool,
    /// What comes of the next requests, the last one first.
    script: Vec<Answer>,
    /// The newest token that a client has received.
    received: u64,
    requests: usize,
    /// What must never happen.
    faults: Vec<String>,
}

impl Service {
    fn refresh(&mut self, number: u64, now: u64) -> Option<u64> {
        if self.ended || number > self.newest {
            return None;
        }
        if number == self.newest {
            self.used_up.push(now);
            self.newest += 1;
        }
        let used_up = self.used_up[usize::try_from(number).unwrap()];
        if now - used_up > GRACE {
            // Nothing but the last chance of a client that never got the answer excuses this.
            if self.received > number || now < access_expires(number, &self.used_up) {
                self.faults
                    .push(format!("r{number} came {} s after its use", now - used_up));
            }
            self.ended = true;
            return None;
        }
        Some(number + 1)
    }
}

/// When the access token of a pair expires.
fn access_expires(number: u64, used_up: &[u64]) -> u64 {
    let issued = number.checked_sub(1);
    issued.map_or(0, |before| used_up[usize::try_from(before).unwrap()]) + ACCESS_LIFE
}

fn pair(number: u64, issued: u64) -> AuthState {
    let start = crate::support::START;
    let expires = start + Duration::from_secs(issued + ACCESS_LIFE);
    let (access, refresh) = (format!("a{number}"), format!("r{number}"));
    tokens(&access, &refresh, Some(expires), None)
}

#[derive(Clone, Debug)]
struct World {
    clock: TestClock,
    service: Arc<Mutex<Service>>,
    store: MemoryStore,
    is_leased: Arc<Mutex<bool>>,
    spawned: Tasks,
}

#[derive(Clone, Default)]
struct Tasks(Arc<Mutex<Vec<BoxFuture<'static, ()>>>>);

impl std::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tasks")
    }
}

impl Spawner for Tasks {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.0.lock().unwrap().push(task);
    }
}

impl World {
    fn new(script: &[Answer]) -> Self {
        let service = Service {
            script: script.iter().rev().copied().collect(),
            ..Service::default()
        };
        Self {
            clock: TestClock::new(),
            service: Arc::new(Mutex::new(service)),
            store: MemoryStore::holding(pair(0, 0)),
            is_leased: Arc::default(),
            spawned: Tasks::default(),
        }
    }

    fn session(&self, has_spawner: bool) -> Session {
        let transport = Arc::new(self.clone());
        let url = "https://data.test".parse().unwrap();
        let builder = Session::builder(transport, url, "demo", "prod")
            .clock(self.clock.clone())
            .timer(self.clone())
            .store(self.clone());
        match has_spawner {
            true => builder.spawner(self.spawned.clone()).build(),
            false => builder.build(),
        }
    }

    fn now(&self) -> u64 {
        (svc_auth::Clock::now(&self.clock) - crate::support::START).as_secs()
    }

    fn poll_spawned(&self) {
        let mut tasks = std::mem::take(&mut *self.spawned.0.lock().unwrap());
        tasks.retain_mut(|task| poll(task).is_pending());
        self.spawned.0.lock().unwrap().extend(tasks);
    }

    /// Waits until a second of the clock.
    async fn until(&self, second: u64) {
        std::future::poll_fn(|_| match self.now() >= second {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }
}

impl Timer for World {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let world = self.clone();
        let end = world.now() + duration.as_secs();
        Box::pin(async move { world.until(end).await })
    }

    fn now(&self) -> Duration {
        svc_auth::Clock::now(&self.clock)
    }
}

impl Transport for World {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            let body = request.body().as_bytes().unwrap().clone();
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            let number = body["refresh_token"].as_str().unwrap()[1..]
                .parse()
                .unwrap();
            let Deadline(limit) = *request.extensions().get().unwrap();
            let sent = self.now();
            let deadline = sent + limit.as_secs();
            let (answer, next) = {
                let mut service = self.service.lock().unwrap();
                service.requests += 1;
                let answer = service.script.pop().unwrap_or(Answer::Success);
                let next = match answer {
                    Answer::Refused(_) => {
                        service.ended = true;
                        None
                    }
                    Answer::Success
                    | Answer::LateSuccess
                    | Answer::Status5xx { used_up: true }
                    | Answer::Timeout { used_up: true }
                    | Answer::Lost { used_up: true }
                    | Answer::Never { used_up: true } => service.refresh(number, sent),
                    _ => None,
                };
                (answer, next)
            };
            let issued = sent;
            match answer {
                // The answer takes a moment.
                Answer::Success | Answer::Refused(_) | Answer::Status5xx { .. } => {
                    self.until(sent + 1).await;
                }
                Answer::LateSuccess => {
                    self.until(deadline.min(sent + 12)).await;
                    // What has come is read, though it is late.
                    if self.now() < sent + 12 {
                        return Err(TransportErrorKind::Timeout.into());
                    }
                }
                Answer::Timeout { .. } => {
                    self.until(deadline).await;
                    return Err(TransportErrorKind::Timeout.into());
                }
                Answer::Lost { .. } => {
                    self.until(sent + 1).await;
                    return Err(TransportErrorKind::Interrupted.into());
                }
                Answer::Never { .. } => std::future::pending().await,
            }
            let mut response = Response::new(Body::empty());
            *response.status_mut() = match (answer, next) {
                (Answer::Refused(status), _) => StatusCode::from_u16(status).unwrap(),
                (Answer::Status5xx { .. }, _) => StatusCode::BAD_GATEWAY,
                (_, None) => StatusCode::UNAUTHORIZED,
                (_, Some(next)) => {
                    let mut service = self.service.lock().unwrap();
                    service.received = service.received.max(next);
                    let text = serde_json::to_vec(&pair(next, issued)).unwrap();
                    *response.body_mut() = Body::from(text);
                    StatusCode::OK
                }
            };
            Ok(response)
        })
    }
}

/// Gives the lease back.
struct Leased(Arc<Mutex<bool>>);

impl Drop for Leased {
    fn drop(&mut self) {
        *self.0.lock().unwrap() = false;
    }
}

impl TokenStore for World {
    fn load(&self) -> BoxFuture<'_, Result<Option<StoredTokens>, StoreError>> {
        self.store.load()
    }

    fn replace<'a>(
        &'a self,
        tokens: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        self.store.replace(tokens)
    }

    fn swap<'a>(
        &'a self,
        expected: &'a StoredTokens,
        new: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<Swap, StoreError>> {
        self.store.swap(expected, new)
    }

    /// A lease that does not end by itself, so that none is kept unseen.
    fn lease(&self) -> BoxFuture<'_, Result<Lease, StoreError>> {
        Box::pin(std::future::poll_fn(|_| {
            let mut is_leased = self.is_leased.lock().unwrap();
            if *is_leased {
                return Poll::Pending;
            }
            *is_leased = true;
            Poll::Ready(Ok(Lease::new(Leased(Arc::clone(&self.is_leased)))))
        }))
    }
}

/// A call, and when it comes and goes.
#[derive(Clone, Copy, Debug)]
struct Call {
    /// Whether it is one of the second session.
    is_other: bool,
    /// The step in which it begins.
    begins: usize,
    /// The step before which it is cancelled.
    cancelled: usize,
}

const NEVER: usize = usize::MAX;

#[derive(Debug)]
struct Schedule {
    has_spawner: bool,
    answers: [Answer; 2],
    calls: Vec<Call>,
}

type Running<'a> = Pin<Box<dyn Future<Output = Result<Option<String>, AuthError>> + 'a>>;

impl Schedule {
    /// Runs the schedule. An error is what must not have happened.
    fn run(&self) -> Result<(), String> {
        let world = World::new(&self.answers);
        let sessions = [0, 1].map(|_| world.session(self.has_spawner));
        let mut running: Vec<Option<(u64, Running<'_>)>> =
            self.calls.iter().map(|_| None).collect();
        for (step, second) in STEPS.into_iter().enumerate() {
            world.clock.set(BEGIN + second);
            for (call, running) in self.calls.iter().zip(&mut running) {
                if call.cancelled == step {
                    *running = None;
                } else if call.begins == step {
                    let session = &sessions[usize::from(call.is_other)];
                    *running = Some((second, Box::pin(header(session))));
                }
                if let Some((began, future)) = running {
                    match poll(future) {
                        Poll::Ready(result) => {
                            self.check(&world, result)?;
                            *running = None;
                        }
                        Poll::Pending if second >= *began + LONGEST_CALL => {
                            return Err(format!("a call of second {began} has not ended"));
                        }
                        Poll::Pending => {}
                    }
                }
            }
            world.poll_spawned();
            let is_polled = running.iter().any(Option::is_some) || !world.spawned.is_empty();
            if *world.is_leased.lock().unwrap() && !is_polled {
                return Err(format!("nobody polls and the lease is kept in step {step}"));
            }
        }
        drop(running);
        self.end(&world, &sessions[0])
    }

    /// Whether a call may have this result.
    fn check(
        &self,
        world: &World,
        result: Result<Option<String>, AuthError>,
    ) -> Result<(), String> {
        let service = world.service.lock().unwrap();
        match result {
            Ok(Some(_)) => Ok(()),
            _ if service.ended => Ok(()),
            Ok(None) => Err("a call found nobody signed in".to_owned()),
            Err(error) if error.kind() == svc_auth::AuthErrorKind::Transient => Ok(()),
            Err(error) => Err(format!("a call failed: {error}")),
        }
    }

    /// From now on the service answers, so that a caller with a session goes on.
    fn end(&self, world: &World, session: &Session) -> Result<(), String> {
        world.service.lock().unwrap().script.clear();
        let mut last = String::new();
        let mut now = world.now();
        for _ in 0..20 {
            let mut call: Running<'_> = Box::pin(header(session));
            let began = now;
            let result = loop {
                if let Poll::Ready(result) = poll(&mut call) {
                    break result;
                }
                world.poll_spawned();
                now += 1;
                world.clock.set(now);
                if now > began + LONGEST_CALL {
                    return Err("the last call does not end".to_owned());
                }
            };
            let service = world.service.lock().unwrap();
            if let Some(fault) = service.faults.first() {
                return Err(fault.clone());
            }
            match result {
                _ if service.ended => return Ok(()),
                Ok(Some(_)) => return Ok(()),
                Ok(None) => return Err("somebody was signed out".to_owned()),
                Err(error) => last = error.to_string(),
            }
            drop(service);
            now += 1;
            world.clock.set(now);
        }
        Err(format!("the session does not come back: {last}"))
    }
}

impl Tasks {
    fn is_empty(&self) -> bool {
        self.0.lock().unwrap().is_empty()
    }
}

/// Runs schedules and counts them.
fn run_all(schedules: impl Iterator<Item = Schedule>) -> usize {
    let mut count = 0;
    for schedule in schedules {
        if let Err(fault) = schedule.run() {
            panic!("{fault}: {schedule:?}");
        }
        count += 1;
    }
    count
}

fn answers() -> impl Iterator<Item = [Answer; 2]> {
    ANSWERS
        .into_iter()
        .flat_map(|first| ANSWERS.map(|second| [first, second]))
}

/// The steps before which a call that begins in a step may be cancelled.
fn cancellations(begins: usize) -> impl Iterator<Item = usize> {
    (begins + 1..STEPS.len()).chain([NEVER])
}

#[test]
fn no_schedule_of_cancelled_calls_and_lost_answers_signs_anybody_out() {
    let schedules = [false, true].into_iter().flat_map(|has_spawner| {
        answers().flat_map(move |answers| {
            cancellations(0).flat_map(move |first| {
                [1, 3, 7, 10].into_iter().flat_map(move |begins| {
                    cancellations(begins).map(move |second| Schedule {
                        has_spawner,
                        answers,
                        calls: vec![
                            Call {
                                is_other: false,
                                begins: 0,
                                cancelled: first,
                            },
                            Call {
                                is_other: false,
                                begins,
                                cancelled: second,
                            },
                        ],
                    })
                })
            })
        })
    });
    let count = run_all(schedules);
    println!("{count} schedules of one session");
    assert!(count > 100_000, "{count}");
}

#[test]
fn no_schedule_of_two_sessions_that_share_a_store_signs_anybody_out() {
    let schedules = answers().flat_map(|answers| {
        cancellations(0).flat_map(move |first| {
            (0..STEPS.len() - 1).flat_map(move |begins| {
                cancellations(begins).map(move |second| Schedule {
                    has_spawner: true,
                    answers,
                    calls: vec![
                        Call {
                            is_other: false,
                            begins: 0,
                            cancelled: first,
                        },
                        Call {
                            is_other: true,
                            begins,
                            cancelled: second,
                        },
                    ],
                })
            })
        })
    });
    let count = run_all(schedules);
    println!("{count} schedules of two sessions");
    assert!(count > 100_000, "{count}");
}

#[test]
fn a_call_with_a_valid_token_does_not_wait_for_the_refresh_of_another_session() {
    for has_spawner in [false, true] {
        let world = World::new(&[Answer::Never { used_up: false }]);
        let sessions = [0, 1].map(|_| world.session(has_spawner));
        world.clock.set(BEGIN);
        let mut first: Running<'_> = Box::pin(header(&sessions[0]));
        assert!(poll(&mut first).is_pending());
        for _ in 0..500 {
            let mut other: Running<'_> = Box::pin(header(&sessions[1]));
            match poll(&mut other) {
                Poll::Ready(result) => assert_eq!(result.unwrap().unwrap(), "JWT a0"),
                Poll::Pending => panic!("it waits for the lease"),
            }
        }
        // Once its token has expired, it has to wait, and gets its turn when the first one is gone.
        world.clock.set(ACCESS_LIFE + 1);
        let mut other: Running<'_> = Box::pin(header(&sessions[1]));
        assert!(poll(&mut other).is_pending());
        drop(first);
        if has_spawner {
            assert!(*world.is_leased.lock().unwrap());
            // The spawner ends what the first call began.
            for second in 0..60 {
                world.clock.set(BEGIN + 20 + second);
                world.poll_spawned();
            }
        }
        let result = (0..60).find_map(|second| {
            world.clock.set(BEGIN + 80 + second);
            world.poll_spawned();
            match poll(&mut other) {
                Poll::Ready(result) => Some(result),
                Poll::Pending => None,
            }
        });
        assert_eq!(result.unwrap().unwrap().unwrap(), "JWT a1");
    }
}
