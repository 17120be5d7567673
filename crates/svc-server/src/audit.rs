//! The audit trail, as requests write to it: who asks, and the lines about what is written outside of the store.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    thread,
};

use svc_data::{CommitNote, Written, turns::Caller};
use svc_model::wire::BoxFuture;
use svc_store::{Actor, ActorKind, AuditEntry, BegunWrite, SessionIdentity, Store};
use tokio::{runtime::Handle, sync::OwnedSemaphorePermit};

use crate::{
    http::{ApiError, ApiResult},
    state::{Shared, State},
};

/// The user of a session.
pub(crate) fn user(session: &SessionIdentity) -> Actor {
    Actor::new(ActorKind::User, session.user_uid, &session.email)
}

/// Writes outside of the store, and appends the lines about it before the result is given. Both are done to the end
/// when the caller leaves, so that nobody writes without a line by not waiting for the answer. `entry` is what is
/// known of the write before it begins. A write whose line the store does not take is not acknowledged.
pub(crate) async fn write_audited<T: Send + Sync + 'static>(
    state: &Shared,
    store: Store,
    entry: AuditEntry,
    write: impl Future<Output = ApiResult<T>> + Send + 'static,
    lines: impl Fn(&T) -> Vec<AuditEntry> + Send + Sync + 'static,
) -> ApiResult<T> {
    if !store.audit().is_on() {
        return write.await;
    }
    let permit = permit(state).await;
    let begun = state.writing.begin(state, &store, Arc::new(entry)).await?;
    let begun = Begun::new(begun, permit);
    finish(state, store, begun, write, lines).await
}

/// The same for a write to one record. Where the database notes what it commits, the line is in the journal before the write
/// is committed, which takes less time.
pub(crate) async fn write_noted<T, W, F>(
    state: &Shared,
    store: Store,
    entry: Arc<AuditEntry>,
    notes_commits: bool,
    write: impl FnOnce(Option<Arc<dyn CommitNote>>) -> W,
    line: F,
) -> ApiResult<T>
where
    T: Send + Sync + 'static,
    for<'r> Written<'r>: From<&'r T>,
    W: Future<Output = ApiResult<T>> + Send + 'static,
    F: Fn(Written<'_>) -> AuditEntry + Send + Sync + 'static,
{
    if !store.audit().is_on() {
        return write(None).await;
    }
    let permit = permit(state).await;
    let begun = match notes_commits {
        true => state.writing.expect(state, &store, entry).await?,
        false => state.writing.begin(state, &store, entry).await?,
    };
    let begun = Begun::new(begun, permit);
    let line = Arc::new(line);
    let note = begun.begun.as_ref().map(|begun| -> Arc<dyn CommitNote> {
        let (begun, line) = (Arc::clone(begun), Arc::clone(&line));
        Arc::new(LineNote { begun, line })
    });
    let lines = move |result: &T| vec![line(result.into())];
    finish(state, store, begun, write(note), lines).await
}

/// A write that has begun, and its place among those that may be done at once.
struct Begun {
    begun: Option<Arc<BegunWrite>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Begun {
    fn new(begun: Option<BegunWrite>, permit: Option<OwnedSemaphorePermit>) -> Self {
        Self {
            begun: begun.map(Arc::new),
            permit,
        }
    }
}

async fn permit(state: &Shared) -> Option<OwnedSemaphorePermit> {
    // The semaphore is never closed.
    state.writing.permits().acquire_owned().await.ok()
}

async fn finish<T: Send + Sync + 'static>(
    state: &Shared,
    store: Store,
    Begun { begun, permit }: Begun,
    write: impl Future<Output = ApiResult<T>> + Send + 'static,
    lines: impl Fn(&T) -> Vec<AuditEntry> + Send + Sync + 'static,
) -> ApiResult<T> {
    let state = Arc::clone(state);
    let whole = async move {
        let _permit = permit;
        match write.await {
            Ok(written) => {
                settle(&state, &store, begun.as_deref(), || lines(&written)).await?;
                Ok(written)
            }
            Err(failure) => {
                if let Some(begun) = begun {
                    begun.cancel();
                }
                Err(failure)
            }
        }
    };
    ToTheEnd(Some(Box::pin(Caller::current().run(whole)))).await
}

/// A future that goes on by itself when nobody waits for it any more.
struct ToTheEnd<T: Send + 'static>(Option<BoxFuture<'static, T>>);

impl<T: Send + 'static> Future for ToTheEnd<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let Some(future) = &mut self.0 else {
            return Poll::Pending;
        };
        let output = ready!(future.as_mut().poll(context));
        self.0 = None;
        Poll::Ready(output)
    }
}

impl<T: Send + 'static> Drop for ToTheEnd<T> {
    fn drop(&mut self) {
        // One that has panicked cannot go on, and without a runtime the service has ended.
        if let Some(future) = self.0.take()
            && !thread::panicking()
            && let Ok(runtime) = Handle::try_current()
        {
            runtime.spawn(future);
        }
    }
}

/// Notes the line of a write in the journal before the write is committed.
struct LineNote<F> {
    begun: Arc<BegunWrite>,
    line: Arc<F>,
}

impl<F: Fn(Written<'_>) -> AuditEntry + Send + Sync> CommitNote for LineNote<F> {
    fn prepare(&self, written: Written<'_>) {
        self.begun.prepare((self.line)(written));
    }

    fn sync(&self) {
        self.begun.sync();
    }
}

impl<F> fmt::Debug for LineNote<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineNote")
            .field("begun", &self.begun)
            .finish_non_exhaustive()
    }
}

/// Appends a line about what was done, while nobody waits for it but a shutdown.
pub(crate) fn append_later(
    state: &Shared,
    store: Store,
    begun: Option<BegunWrite>,
    entry: AuditEntry,
) {
    if !store.audit().is_on() {
        return;
    }
    // Without a runtime the service has ended.
    let Ok(runtime) = Handle::try_current() else {
        return;
    };
    let permits = state.writing.permits();
    // Taken here and now where there is one, so that a shutdown sees it.
    let permit = Arc::clone(&permits).try_acquire_owned().ok();
    let state = Arc::clone(state);
    runtime.spawn(async move {
        let _permit = match permit {
            Some(permit) => Some(permit),
            None => permits.acquire_owned().await.ok(),
        };
        // Nobody waits for the answer any more, and the failure is in the log.
        let _ = settle(&state, &store, begun.as_ref(), || vec![entry.clone()]).await;
    });
}

/// Appends lines about what was done. Where the store does not take them, they go to the log; the lines of a write
/// that was recorded wait in the journal too, and the write must not be acknowledged.
async fn settle(
    state: &State,
    store: &Store,
    begun: Option<&BegunWrite>,
    entries: impl Fn() -> Vec<AuditEntry> + Send + Sync,
) -> ApiResult<()> {
    let appended = match begun {
        Some(begun) => begun.settle(&entries).await,
        None => store.audit().append(entries()).await,
    };
    let Err(error) = appended else {
        return Ok(());
    };
    for entry in entries() {
        tracing::error!(
            %error,
            actor = ?store.audit().actor(),
            request_id = store.audit().request_id(),
            line = ?entry,
            "a line of the audit trail could not be written; what it describes was done"
        );
    }
    if begun.is_none() {
        return Ok(());
    }
    state.store_health.report_failure(&error);
    Err(ApiError::StoreUnavailable(
        "the change was made, but it is not acknowledged: the service's store does not take its line of the audit \
         trail now; read what you changed before you repeat the request"
            .to_owned(),
    ))
}
