//! A file lock that can be awaited without blocking the thread that runs the future.

use std::{
    fs::{File, TryLockError},
    future::poll_fn,
    io,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    task::{Poll, Waker},
    thread,
    time::Duration,
};

use super::open_lock;
use crate::store::Lease;

/// A lease ends after this time at the latest. A refresh takes less; a refresh that nobody polls any
/// more must not block all others.
pub(super) const LONGEST: Duration = Duration::from_secs(60);

/// Locks the file at `path` until the lease is dropped, but at most for `longest`.
///
/// If the lock is free, it is returned at once. Otherwise a thread waits for it; when the caller has
/// gone meanwhile, the lock is released as soon as the thread gets it. A thread keeps it in both cases.
pub(super) async fn take(path: PathBuf, longest: Duration) -> io::Result<Lease> {
    let file = open_lock(&path)?;
    match file.try_lock() {
        Ok(()) => {
            let (lock, keeper) = Lock::new(file);
            in_thread(move || keeper.keep(longest))?;
            return Ok(Lease::new(lock));
        }
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let slot = Arc::new(Mutex::new(Slot::default()));
    let answer = Answer(Arc::clone(&slot));
    in_thread(move || {
        if let Err(error) = file.lock() {
            return answer.give(Err(error));
        }
        let (lock, keeper) = Lock::new(file);
        answer.give(Ok(Lease::new(lock)));
        keeper.keep(longest);
    })?;
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

fn in_thread(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new()
        .name("svc-auth-lease".to_owned())
        .spawn(work)
        .map(drop)
}

/// A file that is locked until this is dropped or the time of its [`Keeper`] is over.
struct Lock {
    file: Arc<Mutex<Option<File>>>,
    /// Dropping it ends the keeper.
    _dropped: mpsc::Sender<()>,
}

/// The part of a [`Lock`] in the thread.
struct Keeper {
    file: Arc<Mutex<Option<File>>>,
    dropped: mpsc::Receiver<()>,
}

impl Lock {
    fn new(file: File) -> (Self, Keeper) {
        let file = Arc::new(Mutex::new(Some(file)));
        let (sender, dropped) = mpsc::channel();
        let keeper = Keeper {
            file: Arc::clone(&file),
            dropped,
        };
        let lock = Self {
            file,
            _dropped: sender,
        };
        (lock, keeper)
    }
}

impl Drop for Lock {
    /// Closes the file here, so that the lock is released when this function returns.
    fn drop(&mut self) {
        drop(lock(&self.file).take());
    }
}

impl Keeper {
    fn keep(self, longest: Duration) {
        // Nothing is ever sent: this returns when the sender is dropped or the time is over.
        let _ = self.dropped.recv_timeout(longest);
        drop(lock(&self.file).take());
    }
}

#[derive(Default)]
struct Slot {
    answer: Option<io::Result<Lease>>,
    waker: Option<Waker>,
}

fn lock<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The side of the slot in the thread.
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
    fn the_first_poll_returns_a_free_lease() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let mut lease = pin!(take(path, LONGEST));
        let polled = lease.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(polled, Poll::Ready(Ok(_))));
    }

    #[test]
    fn a_lease_that_is_never_given_back_ends_automatically() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = block_on(take(path.clone(), Duration::from_millis(5))).unwrap();
        let next = block_on(take(path, LONGEST)).unwrap();
        drop((held, next));
    }
}
