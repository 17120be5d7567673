//! A file lock that is waited for without blocking whoever runs the future.

use std::{
    future::poll_fn,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    task::{Poll, Waker},
    thread,
    time::Duration,
};

use super::lock_file;
use crate::store::Lease;

/// A lease ends after this time at the latest. A refresh takes less; a refresh that is left waiting,
/// because nobody asks for its outcome any more, must not keep all others from theirs.
pub(super) const LONGEST: Duration = Duration::from_secs(60);

/// The lock of the file at `path`, until it is dropped, and for no longer than `longest`.
///
/// A thread waits for the lock and then keeps it. When the caller has gone meanwhile, the lock is
/// given back as soon as it is there.
pub(super) async fn take(path: PathBuf, longest: Duration) -> io::Result<Lease> {
    let slot = Arc::new(Mutex::new(Slot::default()));
    let answer = Answer(Arc::clone(&slot));
    thread::Builder::new()
        .name("svc-auth-lease".to_owned())
        .spawn(move || keep(&path, longest, answer))?;
    poll_fn(|context| {
        let mut slot = lock(&slot);
        if let Some(answer) = slot.answer.take() {
            return Poll::Ready(answer);
        }
        slot.waker = Some(context.waker().clone());
        Poll::Pending
    })
    .await
}

fn keep(path: &Path, longest: Duration, answer: Answer) {
    let file = match lock_file(path) {
        Ok(file) => file,
        Err(error) => return answer.give(Err(error)),
    };
    let (lease, dropped) = mpsc::channel::<()>();
    answer.give(Ok(Lease::new(lease)));
    // Nothing is ever sent: this ends when the lease is dropped, or has lasted long enough.
    let _ = dropped.recv_timeout(longest);
    drop(file);
}

#[derive(Default)]
struct Slot {
    answer: Option<io::Result<Lease>>,
    waker: Option<Waker>,
}

fn lock(slot: &Mutex<Slot>) -> MutexGuard<'_, Slot> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread's end of the slot.
struct Answer(Arc<Mutex<Slot>>);

impl Answer {
    fn give(self, answer: io::Result<Lease>) {
        let waker = {
            let mut slot = lock(&self.0);
            slot.answer = Some(answer);
            slot.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        task::{Context, Wake},
        thread::Thread,
    };

    use super::*;

    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    fn block_on<F: Future>(future: F) -> F::Output {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut future = pin!(future);
        loop {
            match future.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(output) => return output,
                Poll::Pending => thread::park(),
            }
        }
    }

    #[test]
    fn a_lease_that_is_never_given_back_ends_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = block_on(take(path.clone(), Duration::from_millis(5))).unwrap();
        let next = block_on(take(path, LONGEST)).unwrap();
        drop((held, next));
    }
}
