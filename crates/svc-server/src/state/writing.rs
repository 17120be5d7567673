//! The writes that are being done, and the journal of those that may not be without their line of the audit trail.

use std::{sync::Arc, time::Duration};

use svc_store::{AuditEntry, BegunWrite, Store, WriteJournal};
use tokio::sync::{OnceCell, Semaphore};

use super::State;
use crate::{
    config::{AuditMode, Config},
    http::ApiResult,
};

/// The writes that are being done, as many at once as requests: those of callers who have left count too.
#[derive(Debug)]
pub(crate) struct Writing {
    permits: Arc<Semaphore>,
    most: u32,
    mode: AuditMode,
    /// Opened when the service starts, or as soon as the store's folder can be written.
    journal: OnceCell<WriteJournal>,
}

impl Writing {
    pub(crate) fn new(config: &Config) -> Self {
        let most = config.max_requests.min(Semaphore::MAX_PERMITS);
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        Self {
            permits: Arc::new(Semaphore::new(most as usize)),
            most,
            mode: config.audit,
            journal: OnceCell::new(),
        }
    }

    /// A permit for each write that may be done at once.
    pub(crate) fn permits(&self) -> Arc<Semaphore> {
        Arc::clone(&self.permits)
    }

    /// Opens the journal of writes where it is needed and is not open, and appends the lines that wait in it.
    pub(crate) async fn flush(&self, store: &Store) -> Result<(), svc_store::Error> {
        if self.mode != AuditMode::On {
            return Ok(());
        }
        let open = || async { store.audit().open_journal().await };
        self.journal.get_or_try_init(open).await?.flush().await
    }

    /// Whether the store did not take the lines that were appended last.
    pub(crate) fn lines_wait(&self) -> bool {
        self.journal.get().is_some_and(WriteJournal::is_failing)
    }

    /// Waits until those that are being done are done, but no longer than this, and closes the journal.
    pub(crate) async fn finish(&self, patience: Duration) {
        let all = self.permits.acquire_many(self.most);
        if tokio::time::timeout(patience, all).await.is_err() {
            tracing::warn!("writes were still going on when the service ended");
        }
        if let Some(journal) = self.journal.get() {
            journal.close().await;
        }
    }

    /// Notes a write before it begins, where no write may be without its line.
    pub(crate) async fn begin(
        &self,
        state: &State,
        store: &Store,
        entry: Arc<AuditEntry>,
    ) -> ApiResult<Option<BegunWrite>> {
        let journal = self.journal(state, store).await?;
        let begun = journal.map(|journal| journal.begin(store, entry));
        Ok(begun.transpose()?)
    }

    /// Makes place in the journal for a write that notes itself, where no write may be without its line.
    pub(crate) async fn expect(
        &self,
        state: &State,
        store: &Store,
        entry: Arc<AuditEntry>,
    ) -> ApiResult<Option<BegunWrite>> {
        let journal = self.journal(state, store).await?;
        let expected = journal.map(|journal| journal.expect(store, entry));
        Ok(expected.transpose()?)
    }

    /// The journal, where no write may be without its line.
    async fn journal(&self, state: &State, store: &Store) -> ApiResult<Option<&WriteJournal>> {
        if self.mode != AuditMode::On || !store.audit().is_on() {
            return Ok(None);
        }
        state.store_health.ensure_writable(state).await?;
        if self.journal.get().is_none() {
            Box::pin(self.flush(&state.store)).await?;
        }
        Ok(self.journal.get())
    }
}
