//! A request body on its way to its handler. While its caller is waited for, the request is not worked on, and does not
//! count among those that are.

use std::{
    error::Error,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use parking_lot::Mutex;
use svc_model::wire::BoxFuture;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::{
    Config,
    http::{
        body::memory::{HeldBody, NoBodyMemory},
        limits::permits::{Permit, Slot},
        listener::registry::Entry,
    },
};

/// How long a body may take before its rate counts.
const GRACE: Duration = Duration::from_secs(5);

/// A body did not arrive in time.
#[derive(Debug, thiserror::Error)]
#[error("the request body did not arrive in time")]
pub(crate) struct TooSlow;

/// Why a body did not arrive as a whole, where that is not the fault of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    TooSlow,
    NoMemory,
}

impl Cause {
    /// The cause of an error that reading a body gave.
    pub(crate) fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        let mut chain = std::iter::successors(Some(error), |&error| error.source());
        chain.find_map(|error| match error {
            error if error.is::<TooSlow>() => Some(Self::TooSlow),
            error if error.is::<NoBodyMemory>() => Some(Self::NoMemory),
            _ => None,
        })
    }
}

/// Whether a handler takes the body of its request piece by piece, as an extension of the request. Such a body is not kept in
/// memory, and may take longer than others, and longer than an answer may, as long as it arrives fast enough.
#[derive(Debug, Default)]
pub(crate) struct Streaming {
    is_on: AtomicBool,
    ended: Mutex<Option<Instant>>,
}

impl Streaming {
    /// The body is taken piece by piece from now on.
    pub(crate) fn begin(&self) {
        self.is_on.store(true, Ordering::Relaxed);
    }

    fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// All of the body is there.
    fn end(&self) {
        self.ended.lock().get_or_insert_with(Instant::now);
    }

    /// When an answer is due that may take this long from the end of the body on; `None` when it is overdue.
    pub(crate) fn due(&self, timeout: Duration) -> Option<Instant> {
        if !self.is_on() {
            return None;
        }
        let now = Instant::now();
        let due = self.ended.lock().unwrap_or(now) + timeout;
        (due > now).then_some(due)
    }
}

/// The body of a request that is worked on.
pub(crate) struct Arriving {
    body: Body,
    slot: Arc<Slot>,
    /// What was received takes memory until the request is answered.
    held: Arc<Mutex<HeldBody>>,
    connection: Option<Arc<Entry>>,
    streaming: Arc<Streaming>,
    limits: Limits,
    received: u64,
    /// When something was received last.
    last: Option<Instant>,
    /// When it was first waited for.
    begun: Option<Instant>,
    state: State,
}

#[derive(Clone, Copy)]
struct Limits {
    timeout: Duration,
    rate: u64,
}

impl Limits {
    /// When so many bytes are too few.
    fn deadline(self, begun: Instant, received: u64) -> Instant {
        begun + self.earned(received).min(self.timeout)
    }

    /// The same for a body that is taken piece by piece: the whole of it may take longer, a piece may not.
    fn deadline_of_stream(self, begun: Instant, received: u64, last: Instant) -> Instant {
        let due = last + self.timeout;
        match self.rate {
            0 => due,
            _ => due.min(begun + self.earned(received)),
        }
    }

    /// How long so many bytes may take.
    fn earned(self, received: u64) -> Duration {
        let earned = received.checked_div(self.rate).map(Duration::from_secs);
        earned.map_or(self.timeout, |earned| GRACE.saturating_add(earned))
    }
}

enum State {
    /// Its bytes are there, or were not asked for yet.
    Ready,
    /// Its caller is waited for.
    Waiting(Pin<Box<Sleep>>),
    /// It is complete, and waits to be worked on again.
    Returning(BoxFuture<'static, Permit>),
    Ended,
}

impl Arriving {
    pub(crate) fn new(
        body: Body,
        slot: Arc<Slot>,
        held: Arc<Mutex<HeldBody>>,
        connection: Option<Arc<Entry>>,
        streaming: Arc<Streaming>,
        config: &Config,
    ) -> Self {
        Self {
            body,
            slot,
            held,
            connection,
            streaming,
            limits: Limits {
                timeout: config.body_timeout,
                rate: config.min_transfer_rate,
            },
            received: 0,
            last: None,
            begun: None,
            state: State::Ready,
        }
    }

    /// Waits for the caller: gives the permit back, and looks at the clock.
    fn poll_deadline(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let begun = *self.begun.get_or_insert_with(Instant::now);
        if let State::Ready = self.state {
            self.slot.leave();
            if let Some(connection) = &self.connection {
                connection.activity.begin_receiving();
            }
            let deadline = self.deadline(begun);
            self.state = State::Waiting(Box::pin(sleep_until(deadline)));
        }
        loop {
            let deadline = self.deadline(begun);
            let State::Waiting(timer) = &mut self.state else {
                return Poll::Pending;
            };
            ready!(timer.as_mut().poll(context));
            if deadline <= Instant::now() {
                return Poll::Ready(());
            }
            timer.as_mut().reset(deadline);
        }
    }

    /// When what was received by now is too little.
    fn deadline(&self, begun: Instant) -> Instant {
        let (limits, received) = (self.limits, self.received);
        match self.streaming.is_on() {
            true => limits.deadline_of_stream(begun, received, self.last.unwrap_or(begun)),
            false => limits.deadline(begun, received),
        }
    }

    /// Nothing more is waited for.
    fn end_waiting(&mut self, next: State) {
        if let State::Waiting(_) = std::mem::replace(&mut self.state, next)
            && let Some(connection) = &self.connection
        {
            connection.activity.end_receiving();
        }
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        let is_read = matches!(self.state, State::Ended | State::Returning(_));
        if let Some(connection) = &self.connection
            && !is_read
        {
            connection.activity.leave_body_unread();
        }
        self.end_waiting(State::Ended);
    }
}

impl http_body::Body for Arriving {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = &mut *self;
        loop {
            match &mut this.state {
                State::Ended => return Poll::Ready(None),
                State::Returning(permit) => {
                    let permit = ready!(permit.as_mut().poll(context));
                    this.slot.enter(permit);
                    this.state = State::Ended;
                    return Poll::Ready(None);
                }
                State::Ready | State::Waiting(_) => {}
            }
            match Pin::new(&mut this.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => {
                    let size = frame.data_ref().map_or(0, Bytes::len);
                    this.received = this.received.saturating_add(size as u64);
                    if this.streaming.is_on() {
                        this.last = Some(Instant::now());
                    } else if let Err(error) = this.held.lock().grow(size) {
                        return Poll::Ready(Some(Err(Box::new(error))));
                    }
                    return Poll::Ready(Some(Ok(frame)));
                }
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Some(Err(error.into()))),
                Poll::Ready(None) => {
                    this.streaming.end();
                    let next = match this.state {
                        State::Waiting(_) => State::Returning(this.slot.permit_again()),
                        _ => State::Ended,
                    };
                    this.end_waiting(next);
                }
                Poll::Pending => {
                    ready!(this.poll_deadline(context));
                    return Poll::Ready(Some(Err(Box::new(TooSlow))));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        // What has arrived may still have to wait until it is worked on.
        matches!(self.state, State::Ended)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt as _, Full, channel::Channel};
    use svc_data::turns::Caller;

    use super::*;
    use crate::http::{body::memory::BodyMemory, limits::permits::Permits};

    fn config() -> Config {
        Config {
            max_requests: 1,
            body_timeout: Duration::from_secs(30),
            min_transfer_rate: 10,
            ..Config::default()
        }
    }

    async fn arriving<B>(body: B, permits: &Permits) -> Arriving
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<axum::BoxError>,
    {
        let slot = Slot::new(
            permits,
            Caller::default(),
            false,
            permits.acquire(Caller::default(), false).await,
        );
        let held = BodyMemory::new(&config()).begin(Caller::default());
        let held = Arc::new(Mutex::new(held));
        let streaming = Arc::default();
        Arriving::new(Body::new(body), slot, held, None, streaming, &config())
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_has_no_permit_while_its_body_arrives_and_one_afterwards() {
        let permits = Permits::new(&config());
        let (mut sender, body) = Channel::<Bytes>::new(1);
        let slow = tokio::spawn(arriving(body, &permits).await.collect());
        // Another one works, and ends, in the meantime.
        let other = permits.acquire(Caller::default(), false).await;
        sender.send_data(Bytes::from_static(b"late")).await.unwrap();
        drop(sender);
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(!slow.is_finished(), "it goes on without a permit");
        drop(other);
        assert_eq!(slow.await.unwrap().unwrap().to_bytes(), "late");
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_is_there_keeps_its_permit() {
        let permits = Permits::new(&config());
        let mut body = arriving(Full::from("here"), &permits).await;
        while body.frame().await.is_some() {}
        assert!(http_body::Body::is_end_stream(&body));
        let second = tokio::time::timeout(
            Duration::from_secs(1),
            permits.acquire(Caller::default(), false),
        );
        assert!(second.await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_is_taken_piece_by_piece_may_take_long_but_not_pause_for_long() {
        for (pauses, seconds, arrives) in [(vec![1; 100], 100, true), (vec![1, 31], 31, false)] {
            let permits = Permits::new(&config());
            let (mut sender, body) = Channel::<Bytes>::new(1);
            let body = arriving(body, &permits).await;
            let streaming = Arc::clone(&body.streaming);
            assert_eq!(streaming.due(Duration::from_secs(9)), None);
            streaming.begin();
            let begun = Instant::now();
            tokio::spawn(async move {
                for pause in pauses {
                    tokio::time::sleep(Duration::from_secs(pause)).await;
                    if sender.send_data(vec![0; 4_000].into()).await.is_err() {
                        return;
                    }
                }
            });
            let collected = body.collect().await;
            assert_eq!(collected.is_ok(), arrives);
            assert!(begun.elapsed().as_secs().abs_diff(seconds) < 2);
            // The time of the answer begins at its end.
            assert!(streaming.due(Duration::from_secs(9)).is_some());
            tokio::time::sleep(Duration::from_secs(10)).await;
            assert_eq!(streaming.due(Duration::from_secs(9)).is_none(), arrives);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_has_to_arrive_at_the_minimum_rate_and_in_time() {
        for (bytes, seconds) in [(0, 5), (5, 7), (11, 30), (1_000, 30)] {
            let permits = Permits::new(&config());
            let (mut sender, body) = Channel::<Bytes>::new(1);
            let body = arriving(body, &permits).await;
            let begun = Instant::now();
            tokio::spawn(async move {
                loop {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    if sender.send_data(vec![0; bytes].into()).await.is_err() {
                        return;
                    }
                }
            });
            let error = body.collect().await.err().unwrap();
            assert_eq!(Cause::of(&*error), Some(Cause::TooSlow));
            let least = Duration::from_secs(seconds);
            assert!(
                (least..least + Duration::from_secs(2)).contains(&begun.elapsed()),
                "{bytes}"
            );
        }
    }
}
