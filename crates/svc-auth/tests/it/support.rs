//! A service that rotates refresh tokens, a clock that the tests turn, a store that is watched.

use std::{
    collections::{HashMap, HashSet},
    future::poll_fn,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard},
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::Duration,
};

use http::{HeaderValue, Method, Response, StatusCode};
use svc_auth::{
    AccessToken, AuthError, AuthState, AuthTarget, Clock, Lease, MemoryStore, RefreshToken,
    Session, SessionBuilder, StoreError, StoredTokens, Swap, TokenProvider, TokenStore,
};
use svc_model::wire::{
    Body, BoxFuture, Credential, Host, OperationInfo, Transport, TransportError, TransportErrorKind,
};

/// Runs a future on this thread, which sleeps while there is nothing to do.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// Polls once.
pub(crate) fn poll<F: Future + ?Sized>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
    future
        .as_mut()
        .poll(&mut Context::from_waker(Waker::noop()))
}

/// The output of a future that need not wait.
pub(crate) fn at_once<F: Future>(future: F) -> F::Output {
    match poll(&mut Box::pin(future)) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the future had to wait"),
    }
}

/// Gives way so many times.
pub(crate) async fn yields(times: usize) {
    let mut left = times;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Lets nobody through while it is closed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate(Arc<Mutex<(bool, Vec<Waker>)>>);

impl Gate {
    pub(crate) fn close(&self) {
        self.0.lock().unwrap().0 = true;
    }

    pub(crate) fn open(&self) {
        let waiting = {
            let mut gate = self.0.lock().unwrap();
            gate.0 = false;
            std::mem::take(&mut gate.1)
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    async fn pass(&self) {
        poll_fn(|context| {
            let mut gate = self.0.lock().unwrap();
            if !gate.0 {
                return Poll::Ready(());
            }
            gate.1.push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}

/// When the tests begin: 2026-09-15T12:00:00Z.
pub(crate) const START: Duration = Duration::from_secs(1_789_473_600);
/// How long the access tokens of [`Server`] live.
pub(crate) const ACCESS_LIFE: u64 = 900;
/// How long its refresh tokens live.
pub(crate) const REFRESH_LIFE: u64 = 30 * 86_400;

/// Time that passes when a test says so.
#[derive(Clone, Debug)]
pub(crate) struct TestClock(Arc<Mutex<Duration>>);

impl TestClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(START)))
    }

    /// Sets the seconds since the beginning.
    pub(crate) fn set(&self, seconds: u64) {
        *self.0.lock().unwrap() = START + Duration::from_secs(seconds);
    }

    pub(crate) fn pass(&self, seconds: u64) {
        *self.0.lock().unwrap() += Duration::from_secs(seconds);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Duration {
        *self.0.lock().unwrap()
    }
}

/// RFC 3339 of a moment on the day of [`START`] or in the months after.
pub(crate) fn rfc3339(time: Duration) -> String {
    let seconds = time.as_secs() - START.as_secs() + 12 * 3600;
    let (mut month, mut day) = (9, 15 + seconds / 86_400);
    for (length, next) in [(30, 10), (31, 11), (30, 12)] {
        if day > length && month == next - 1 {
            (month, day) = (next, day - length);
        }
    }
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("2026-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// A service that gives each refresh token once, and ends the session of one that comes again.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    sessions: Arc<Mutex<Sessions>>,
    clock: TestClock,
    /// What each answer has to come through.
    pub(crate) gate: Gate,
}

#[derive(Debug, Default)]
struct Sessions {
    /// The session of a refresh token, and when it was used up.
    refresh: HashMap<String, (u32, Option<Duration>)>,
    ended: HashSet<u32>,
    /// When the headers with access tokens expire.
    access: HashMap<String, Duration>,
    /// How long a token that was used up still works.
    grace: Duration,
    /// What is to happen to the next refreshes.
    troubles: Vec<Trouble>,
    /// How many times an answer gives way before it comes.
    delay: usize,
    issued: u32,
    refreshes: u32,
}

/// What happens to a refresh.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trouble {
    /// Another status; nothing is done.
    Status(u16),
    /// No answer; nothing is done.
    Unreachable,
    /// Another status, although all is done: a gateway has lost the answer.
    LateStatus(u16),
    /// No answer, although all is done.
    LostAnswer,
    /// A panic.
    Panic,
}

impl Server {
    pub(crate) fn new(clock: &TestClock) -> Self {
        Self {
            sessions: Arc::default(),
            clock: clock.clone(),
            gate: Gate::default(),
        }
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions
            .lock()
            .unwrap_or_else(|error| error.into_inner())
    }

    pub(crate) fn grace(self, grace: Duration) -> Self {
        self.sessions().grace = grace;
        self
    }

    pub(crate) fn delay(self, yields: usize) -> Self {
        self.sessions().delay = yields;
        self
    }

    /// Lets the next refreshes go wrong, one after the other.
    pub(crate) fn troubles(&self, troubles: &[Trouble]) {
        self.sessions().troubles = troubles.iter().rev().copied().collect();
    }

    /// Begins a session.
    pub(crate) fn login(&self) -> AuthState {
        let session = self.sessions().issued + 1;
        self.issue(session)
    }

    fn issue(&self, session: u32) -> AuthState {
        let now = self.clock.now();
        let mut sessions = self.sessions();
        sessions.issued += 1;
        let number = sessions.issued;
        let refresh = format!("r{number}");
        sessions.refresh.insert(refresh.clone(), (session, None));
        let access = format!("a{number}");
        let expires = now + Duration::from_secs(ACCESS_LIFE);
        sessions.access.insert(format!("JWT {access}"), expires);
        tokens(
            &access,
            &refresh,
            Some(expires),
            Some(now + Duration::from_secs(REFRESH_LIFE)),
        )
    }

    /// Whether a call with this header is answered with 401, since its token has expired.
    pub(crate) fn refuses(&self, header: &str) -> bool {
        self.sessions().access[header] <= self.clock.now()
    }

    /// How many refreshes were asked for.
    pub(crate) fn refreshes(&self) -> u32 {
        self.sessions().refreshes
    }

    /// How many sessions were ended because a refresh token came again.
    pub(crate) fn ended(&self) -> usize {
        self.sessions().ended.len()
    }

    /// How many hold on to the service.
    pub(crate) fn holders(&self) -> usize {
        Arc::strong_count(&self.sessions)
    }

    /// Answers a refresh with status and body.
    pub(crate) fn refresh(&self, body: &[u8]) -> (StatusCode, String) {
        let refused = (
            StatusCode::UNAUTHORIZED,
            r#"{"detail":"the session has ended"}"#.to_owned(),
        );
        let request: serde_json::Value = serde_json::from_slice(body).unwrap();
        let token = request["refresh_token"].as_str().unwrap();
        let now = self.clock.now();
        let session = {
            let mut sessions = self.sessions();
            sessions.refreshes += 1;
            let grace = sessions.grace;
            let Some((session, used)) = sessions.refresh.get_mut(token) else {
                return refused;
            };
            let session = *session;
            let is_late = used.is_some_and(|used| now - used >= grace);
            used.get_or_insert(now);
            if is_late {
                sessions.ended.insert(session);
            }
            if sessions.ended.contains(&session) {
                return refused;
            }
            session
        };
        let state = self.issue(session);
        (StatusCode::OK, serde_json::to_string(&state).unwrap())
    }
}

impl Transport for Server {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            assert!(request.uri().path().ends_with("/auth/refresh"));
            assert!(request.headers().get("authorization").is_none());
            let (trouble, delay) = {
                let mut sessions = self.sessions();
                (sessions.troubles.pop(), sessions.delay)
            };
            let body = request.body().as_bytes().unwrap().clone();
            // Half of the way there, half of it back.
            yields(delay).await;
            self.gate.pass().await;
            let answer = match trouble {
                None | Some(Trouble::LostAnswer) => self.refresh(&body),
                Some(Trouble::LateStatus(status)) => {
                    self.refresh(&body);
                    (StatusCode::from_u16(status).unwrap(), String::new())
                }
                Some(trouble) => {
                    self.sessions().refreshes += 1;
                    let status = match trouble {
                        Trouble::Status(status) => status,
                        Trouble::Panic => panic!("the transport is broken"),
                        _ => return Err(TransportErrorKind::Connect.into()),
                    };
                    (StatusCode::from_u16(status).unwrap(), String::new())
                }
            };
            yields(delay).await;
            if matches!(trouble, Some(Trouble::LostAnswer)) {
                return Err(TransportErrorKind::Interrupted.into());
            }
            let mut response = Response::new(Body::from(answer.1));
            *response.status_mut() = answer.0;
            Ok(response)
        })
    }
}

/// A pair of tokens with these expiries.
pub(crate) fn tokens(
    access: &str,
    refresh: &str,
    access_expires: Option<Duration>,
    refresh_expires: Option<Duration>,
) -> AuthState {
    let mut state = AuthState::new(
        AccessToken::new(access).unwrap(),
        RefreshToken::new(refresh).unwrap(),
    );
    state.access_token_expires = access_expires.map(rfc3339);
    state.refresh_token_expires = refresh_expires.map(rfc3339);
    state
}

/// A session of the demo project at `server`.
pub(crate) fn builder(server: &Server) -> SessionBuilder {
    Session::builder(
        Arc::new(server.clone()),
        "https://data.test".parse().unwrap(),
        "demo",
        "prod",
    )
    .clock(server.clock.clone())
}

static RECORDS: OperationInfo = operation(Credential::StaticToken);
static PROXY: OperationInfo = operation(Credential::Session);
static PAGES: OperationInfo = operation(Credential::ApiKey);
static LOGIN: OperationInfo = operation(Credential::Anonymous);

const fn operation(credential: Credential) -> OperationInfo {
    OperationInfo::new("test.get", Method::GET, Host::Data, "/x", credential, true)
}

/// The header of a call that this credential opens.
pub(crate) async fn authorization(
    session: &Session,
    credential: Credential,
) -> Result<Option<String>, AuthError> {
    let operation = match credential {
        Credential::StaticToken => &RECORDS,
        Credential::Session => &PROXY,
        Credential::ApiKey => &PAGES,
        _ => &LOGIN,
    };
    let header = session
        .authorization(AuthTarget::new(operation, None))
        .await?;
    Ok(header.map(|header| {
        assert!(header.is_sensitive());
        header.to_str().unwrap().to_owned()
    }))
}

/// The header of a call that a session opens.
pub(crate) async fn header(session: &Session) -> Result<Option<String>, AuthError> {
    authorization(session, Credential::Session).await
}

/// Tells the session that a header was refused.
pub(crate) fn reject(session: &Session, header: &'static str) {
    let target = AuthTarget::new(&PROXY, None);
    session.rejected(target, &HeaderValue::from_static(header));
}

/// A [`MemoryStore`] that can be out of order, and writes down what is done with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct WatchedStore {
    pub(crate) kept: MemoryStore,
    state: Arc<Mutex<Watched>>,
    /// What each look into the store has to come through.
    pub(crate) gate: Gate,
}

#[derive(Debug, Default)]
struct Watched {
    log: Vec<&'static str>,
    broken: bool,
}

impl WatchedStore {
    pub(crate) fn broken(&self, broken: bool) {
        self.state.lock().unwrap().broken = broken;
    }

    pub(crate) fn log(&self) -> Vec<&'static str> {
        self.state.lock().unwrap().log.clone()
    }

    fn step(&self, what: &'static str) -> Result<(), StoreError> {
        let broken = {
            let mut state = self.state.lock().unwrap();
            state.log.push(what);
            state.broken
        };
        if broken && what != "load" && what != "lease" {
            return Err(StoreError::new("the disk is full"));
        }
        Ok(())
    }
}

impl TokenStore for WatchedStore {
    fn load(&self) -> BoxFuture<'_, Result<Option<StoredTokens>, StoreError>> {
        Box::pin(async move {
            self.step("load")?;
            self.gate.pass().await;
            self.kept.load().await
        })
    }

    fn replace<'a>(
        &'a self,
        tokens: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.step("replace")?;
            self.kept.replace(tokens).await
        })
    }

    fn swap<'a>(
        &'a self,
        expected: &'a StoredTokens,
        new: Option<&'a StoredTokens>,
    ) -> BoxFuture<'a, Result<Swap, StoreError>> {
        Box::pin(async move {
            self.step("swap")?;
            let swap = self.kept.swap(expected, new).await;
            yields(3).await;
            swap
        })
    }

    fn lease(&self) -> BoxFuture<'_, Result<Lease, StoreError>> {
        Box::pin(async move {
            self.step("lease")?;
            let state = Arc::clone(&self.state);
            Ok(Lease::new(Returned(state)))
        })
    }
}

struct Returned(Arc<Mutex<Watched>>);

impl Drop for Returned {
    fn drop(&mut self) {
        self.0.lock().unwrap().log.push("lease back");
    }
}
