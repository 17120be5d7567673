//! Waiting without a runtime: a slot that a thread fills, a limit on a future, two futures at once.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    task::{Poll, Waker},
    thread,
    time::Duration,
};

/// How long something may take that is expected to happen at once. Long, for machines under load.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// A slot that is filled once, perhaps by another thread, and awaited.
pub(super) struct Signal<T>(Arc<Mutex<Slot<T>>>);

struct Slot<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

impl<T> Signal<T> {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Slot {
            value: None,
            waker: None,
        })))
    }

    pub(super) fn set(&self, value: T) {
        let mut slot = self.slot();
        slot.value = Some(value);
        if let Some(waker) = slot.waker.take() {
            drop(slot);
            waker.wake();
        }
    }

    pub(super) async fn wait(&self) -> T {
        poll_fn(|context| {
            let mut slot = self.slot();
            match slot.value.take() {
                Some(value) => Poll::Ready(value),
                None => {
                    slot.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }

    fn slot(&self) -> MutexGuard<'_, Slot<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Clone for Signal<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// What `future` gives, unless it takes longer than `limit`.
pub(super) async fn within<F: Future>(limit: Duration, future: F) -> Option<F::Output> {
    let passed = Signal::new();
    let alarm = passed.clone();
    let (finished, still_waiting) = mpsc::channel::<()>();
    thread::spawn(move || {
        // The other end goes when the future has finished or was dropped.
        if still_waiting.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
            alarm.set(());
        }
    });
    let first = first(future, passed.wait()).await;
    drop(finished);
    match first {
        First::Left(value) => Some(value),
        First::Right(()) => None,
    }
}

pub(super) enum First<A, B> {
    Left(A),
    Right(B),
}

/// The output of whichever future is ready first; the other is dropped.
pub(super) async fn first<A: Future, B: Future>(left: A, right: B) -> First<A::Output, B::Output> {
    let mut left = pin!(left);
    let mut right = pin!(right);
    poll_fn(|context| {
        if let Poll::Ready(value) = left.as_mut().poll(context) {
            return Poll::Ready(First::Left(value));
        }
        right.as_mut().poll(context).map(First::Right)
    })
    .await
}

/// The outputs of both futures, which run side by side.
pub(super) async fn both<A: Future, B: Future>(left: A, right: B) -> (A::Output, B::Output) {
    let mut left = pin!(left);
    let mut right = pin!(right);
    let (mut left_value, mut right_value) = (None, None);
    poll_fn(|context| {
        if left_value.is_none()
            && let Poll::Ready(value) = left.as_mut().poll(context)
        {
            left_value = Some(value);
        }
        if right_value.is_none()
            && let Poll::Ready(value) = right.as_mut().poll(context)
        {
            right_value = Some(value);
        }
        match (left_value.take(), right_value.take()) {
            (Some(left), Some(right)) => Poll::Ready((left, right)),
            (left, right) => {
                (left_value, right_value) = (left, right);
                Poll::Pending
            }
        }
    })
    .await
}
