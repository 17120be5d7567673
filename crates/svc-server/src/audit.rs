//! The audit trail, as requests write to it: who asks, and the lines about what is written outside of the store.

use std::{future::Future, sync::Arc};

use svc_data::turns::Caller;
use svc_store::{Actor, ActorKind, AuditEntry, BegunWrite, SessionIdentity, Store};
use tokio::runtime::Handle;

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
pub(crate) async fn write_audited<T: Send + 'static>(
    state: &Shared,
    store: Store,
    entry: &AuditEntry,
    write: impl Future<Output = ApiResult<T>> + Send + 'static,
    lines: impl FnOnce(&T) -> Vec<AuditEntry> + Send + 'static,
) -> ApiResult<T> {
    if !store.audit().is_on() {
        return write.await;
    }
    // The semaphore is never closed.
    let permit = state.writing.permits().acquire_owned().await.ok();
    let begun = state.writing.begin(state, &store, entry).await?;
    let state = Arc::clone(state);
    let written = tokio::spawn(Caller::current().run(async move {
        let _permit = permit;
        match write.await {
            Ok(written) => {
                settle(&state, &store, begun, lines(&written)).await?;
                Ok(written)
            }
            Err(failure) => {
                if let Some(begun) = begun {
                    begun.cancel();
                }
                Err(failure)
            }
        }
    }));
    written
        .await
        .unwrap_or_else(|error| Err(ApiError::Internal(format!("a write ended early: {error}"))))
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
        let _ = settle(&state, &store, begun, vec![entry]).await;
    });
}

/// Appends lines about what was done. Where the store does not take them, they go to the log; the lines of a write
/// that was recorded wait in the journal too, and the write must not be acknowledged.
async fn settle(
    state: &State,
    store: &Store,
    begun: Option<BegunWrite>,
    entries: Vec<AuditEntry>,
) -> ApiResult<()> {
    let must_have_line = begun.is_some();
    let appended = match begun {
        Some(begun) => begun.settle(&entries).await,
        None => store.audit().append(entries.clone()).await,
    };
    let Err(error) = appended else {
        return Ok(());
    };
    for entry in entries {
        tracing::error!(
            %error,
            actor = ?store.audit().actor(),
            request_id = store.audit().request_id(),
            line = ?entry,
            "a line of the audit trail could not be written; what it describes was done"
        );
    }
    if !must_have_line {
        return Ok(());
    }
    state.store_health.report_failure(&error);
    Err(ApiError::StoreUnavailable(
        "the change was made, but it is not acknowledged: the service's store does not take its line of the audit \
         trail now; read what you changed before you repeat the request"
            .to_owned(),
    ))
}
