//! Serving one connection until it ends, or until the deadline of its state is over.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::{Poll, ready},
    time::Duration,
};

use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use super::activity::{Activity, Timing, Window};

/// How long a connection that is asked to end may take to say so to its caller.
const FAREWELL: Duration = Duration::from_secs(1);
/// How long a connection of HTTP/1 without a request stays open after a shutdown began: a request that is on its way is
/// answered, and its answer says that the connection ends.
const LAST_REQUEST: Duration = Duration::from_millis(500);

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// By its caller, by an error, or by a shutdown.
    Finished,
    /// No whole request came in time.
    Idle,
    /// What was answered was not read in time.
    Unread,
}

/// Polls a connection until it ends. `end` asks it to end once its requests are answered.
pub(super) async fn supervise<C, E>(
    connection: C,
    end: impl Fn(Pin<&mut C>),
    activity: &Activity,
    timing: &Timing,
    mut shutdown: watch::Receiver<bool>,
) -> End
where
    C: Future<Output = Result<(), E>>,
    E: std::fmt::Display,
{
    let mut connection = pin!(connection);
    let mut shutdown = pin!(shutdown.wait_for(|&stop| stop));
    let mut is_ending = false;
    let mut awaits_last_request = false;
    let mut farewell: Option<Instant> = None;
    let mut window: Option<Window> = None;
    let mut timer = pin!(sleep_until(activity.moved() + timing.header));
    poll_fn(|context| {
        loop {
            if let Poll::Ready(result) = connection.as_mut().poll(context) {
                if let Err(error) = result {
                    tracing::debug!(%error, "a connection ended early");
                }
                return Poll::Ready(match farewell {
                    Some(_) if !is_ending => End::Idle,
                    _ => End::Finished,
                });
            }
            if !is_ending && shutdown.as_mut().poll(context).is_ready() {
                is_ending = true;
                // HTTP/2 has a message for it.
                awaits_last_request = !activity.is_http2();
                if awaits_last_request {
                    timer.as_mut().reset(Instant::now() + LAST_REQUEST);
                } else {
                    end(connection.as_mut());
                }
                continue;
            }
            // The deadline of an unread answer may be sooner than what the timer waits for.
            match (activity.is_blocked(), window) {
                (false, _) => window = None,
                (true, Some(_)) => {}
                (true, None) => {
                    let begun = Window::begin(activity.written());
                    window = Some(begun);
                    if begun.end(timing) < timer.deadline() {
                        timer.as_mut().reset(begun.end(timing));
                    }
                }
            }
            ready!(timer.as_mut().poll(context));
            let now = Instant::now();
            if awaits_last_request && activity.is_idle() && now >= activity.moved() + LAST_REQUEST {
                awaits_last_request = false;
                end(connection.as_mut());
                // A head of which only a part has arrived is not a request.
                farewell = Some(now + FAREWELL);
                timer.as_mut().reset(now + FAREWELL);
                continue;
            }
            if farewell.take().is_some() && activity.is_idle() {
                return Poll::Ready(if is_ending { End::Finished } else { End::Idle });
            }
            let next = if let Some(current) = window {
                if now < current.end(timing) {
                    current.end(timing)
                } else if let Some(next) = current.next(activity.written(), timing) {
                    window = Some(next);
                    next.end(timing)
                } else {
                    return Poll::Ready(End::Unread);
                }
            } else if !activity.is_idle() {
                // Work, bodies and streams have deadlines of their own. That of the next state is not sooner.
                now + timing.header
            } else if now < activity.moved() + timing.header {
                activity.moved() + timing.header
            } else {
                end(connection.as_mut());
                let until = now + FAREWELL;
                farewell = Some(until);
                timer.as_mut().reset(until);
                continue;
            };
            timer.as_mut().reset(match awaits_last_request {
                true => next.min(now + LAST_REQUEST),
                false => next,
            });
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::*;

    const TIMING: Timing = Timing {
        header: Duration::from_secs(30),
        write: Duration::from_secs(10),
        least_read: 100,
    };

    async fn run(
        connection: impl Future<Output = Result<(), &'static str>>,
        activity: &Activity,
    ) -> (End, u64) {
        let begun = Instant::now();
        let (_stop, stopped) = watch::channel(false);
        let end = supervise(connection, |_| {}, activity, &TIMING, stopped).await;
        (end, begun.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request_ends() {
        let activity = Activity::new(Instant::now());
        assert_eq!(
            run(std::future::pending(), &activity).await,
            (End::Idle, 31)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_shutdown_waits_for_requests_and_not_for_half_a_head() {
        for (seconds, expected) in [(0, 1), (20, 20)] {
            let activity = Activity::new(Instant::now());
            let (stop, stopped) = watch::channel(true);
            let connection = async {
                if seconds > 0 {
                    activity.begin_request();
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                    activity.end_request();
                    return Ok::<_, &str>(());
                }
                std::future::pending().await
            };
            let begun = Instant::now();
            let end = supervise(connection, |_| {}, &activity, &TIMING, stopped).await;
            assert_eq!(end, End::Finished);
            assert_eq!(begun.elapsed().as_secs(), expected);
            drop(stop);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_comes_right_after_a_shutdown_began_is_answered() {
        let activity = Activity::new(Instant::now());
        let (_stop, stopped) = watch::channel(true);
        let asked_to_end = AtomicBool::new(false);
        let connection = async {
            tokio::time::sleep(Duration::from_millis(400)).await;
            assert!(!asked_to_end.load(Relaxed));
            activity.begin_request();
            tokio::time::sleep(Duration::from_secs(20)).await;
            activity.end_request();
            Ok::<_, &str>(())
        };
        let end = |_: Pin<&mut _>| asked_to_end.store(true, Relaxed);
        let begun = Instant::now();
        let end = supervise(connection, end, &activity, &TIMING, stopped).await;
        assert_eq!(end, End::Finished);
        assert_eq!(begun.elapsed().as_millis(), 20_400);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_ends_so_long_after_its_last_request() {
        let activity = Activity::new(Instant::now());
        let connection = async {
            activity.begin_request();
            tokio::time::sleep(Duration::from_secs(100)).await;
            activity.end_request();
            std::future::pending().await
        };
        assert_eq!(run(connection, &activity).await, (End::Idle, 131));
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_does_not_read_ends_sooner() {
        let activity = Activity::new(Instant::now());
        let connection = async {
            activity.begin_request();
            tokio::time::sleep(Duration::from_secs(2)).await;
            activity.block();
            std::future::pending().await
        };
        assert_eq!(run(connection, &activity).await, (End::Unread, 12));
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_reads_slowly_goes_on_at_the_minimum_rate() {
        for (bytes, end) in [(9, (End::Unread, 10)), (10, (End::Finished, 60))] {
            let activity = Activity::new(Instant::now());
            let connection = async {
                activity.begin_request();
                activity.block();
                for _ in 0..60 {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    activity.wrote(bytes);
                    activity.block();
                }
                Ok(())
            };
            assert_eq!(run(connection, &activity).await, end);
        }
    }
}
