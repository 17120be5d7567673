//! The audit trail, as requests write to it: who asks, and the lines about what is written outside of the store.

use std::{future::Future, sync::Arc, time::Duration};

use http::request::Parts;
use svc_store::{Actor, ActorKind, AuditEntry, SessionIdentity, Store};
use tokio::{runtime::Handle, sync::Semaphore};

use crate::{access::Place, failure::Failure, request::RequestId, state::State};

/// The writes that are being done, as many at once as requests: those of callers who have left count too.
#[derive(Debug)]
pub(crate) struct Writing {
    places: Arc<Semaphore>,
    most: u32,
}

impl Writing {
    pub(crate) fn new(most: usize) -> Self {
        let most = u32::try_from(most.min(Semaphore::MAX_PERMITS)).unwrap_or(u32::MAX);
        Self {
            places: Arc::new(Semaphore::new(most as usize)),
            most,
        }
    }

    /// Waits until those that are being done are done, but no longer than this.
    pub(crate) async fn finish(&self, patience: Duration) {
        let all = self.places.acquire_many(self.most);
        if tokio::time::timeout(patience, all).await.is_err() {
            tracing::warn!("writes were still going on when the service ended");
        }
    }
}

impl State {
    /// The store for what this actor writes by this request.
    pub(crate) fn store_for(&self, actor: Actor, parts: &Parts) -> Store {
        if !self.config.audit {
            return self.store.unaudited();
        }
        let id = parts.extensions.get::<RequestId>();
        self.store
            .acting(actor, id.and_then(|RequestId(id)| id.to_str().ok()))
    }
}

/// The user of a session.
pub(crate) fn user(session: &SessionIdentity) -> Actor {
    Actor::new(ActorKind::User, session.user_uid, &session.email)
}

/// A line about a model of a resource.
pub(crate) fn entry(action: &'static str, place: &Place, model: &str) -> AuditEntry {
    AuditEntry::new(action)
        .place(&place.project, &place.environment)
        .resource(place.resource.as_str())
        .model(model)
}

/// Writes outside of the store, and appends the lines about it before the result is given. Both are done to the end
/// when the caller leaves, so that nobody writes without a line by not waiting for the answer.
pub(crate) async fn noted<T: Send + 'static>(
    state: &State,
    store: Store,
    write: impl Future<Output = Result<T, Failure>> + Send + 'static,
    lines: impl FnOnce(&T) -> Vec<AuditEntry> + Send + 'static,
) -> Result<T, Failure> {
    if !store.audit().is_on() {
        return write.await;
    }
    // The semaphore is never closed.
    let place = Arc::clone(&state.writing.places).acquire_owned().await.ok();
    let written = tokio::spawn(async move {
        let _place = place;
        let written = write.await?;
        append(&store, lines(&written)).await;
        Ok(written)
    });
    written
        .await
        .unwrap_or_else(|error| Err(Failure::Internal(format!("a write ended early: {error}"))))
}

/// Appends a line about what was done, while nobody waits for it but a shutdown.
pub(crate) fn append_later(state: &State, store: Store, entry: AuditEntry) {
    if !store.audit().is_on() {
        return;
    }
    // Without a runtime the service has ended.
    let Ok(runtime) = Handle::try_current() else {
        return;
    };
    let places = Arc::clone(&state.writing.places);
    // Taken here and now where there is one, so that a shutdown sees it.
    let place = Arc::clone(&places).try_acquire_owned().ok();
    runtime.spawn(async move {
        let _place = match place {
            Some(place) => Some(place),
            None => places.acquire_owned().await.ok(),
        };
        append(&store, vec![entry]).await;
    });
}

/// Appends lines about what was done. Where the store does not take them, they go to the log: the answer is to tell
/// the truth about what was done, which cannot be taken back any more.
pub(crate) async fn append(store: &Store, entries: Vec<AuditEntry>) {
    if let Err(error) = store.audit().append(entries.clone()).await {
        for entry in entries {
            tracing::error!(
                %error,
                actor = ?store.audit().actor(),
                request_id = store.audit().request_id(),
                line = ?entry,
                "a line of the audit trail could not be written; what it tells was done"
            );
        }
    }
}
