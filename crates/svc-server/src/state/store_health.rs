//! Whether the store can be used: it accepts writes, and it is not damaged.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use svc_data::FileFault;

use crate::{
    http::{ApiError, ApiResult},
    state::State,
};

/// How long the result of a check is used again.
const CHECK_KEPT: Duration = Duration::from_secs(1);

/// What is known of the store.
#[derive(Debug, Default)]
pub(crate) struct StoreHealth {
    /// Whether the store refused a line of the audit trail: no write begins until it accepts one.
    is_failing: AtomicBool,
    is_damaged: AtomicBool,
    last: Mutex<Option<Checked>>,
    /// Held by the one that checks.
    checking: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct Checked {
    at: Instant,
    /// Why the store cannot be used; `None` when it can.
    fault: Option<String>,
}

impl StoreHealth {
    /// Whether the store is known not to take writes.
    pub(crate) fn is_failing(&self) -> bool {
        self.is_failing.load(Ordering::Relaxed)
    }

    /// A line of the audit trail could not be written.
    pub(crate) fn report_failure(&self, error: &svc_store::Error) {
        self.is_failing.store(true, Ordering::Relaxed);
        self.keep(Some(describe(error)));
    }

    /// Whether the file of the store was found to be damaged.
    pub(crate) fn set_damaged(&self, is_damaged: bool) {
        self.is_damaged.store(is_damaged, Ordering::Relaxed);
        self.last.lock().take();
    }

    /// Lets a write begin unless the store is known not to take its line.
    pub(crate) async fn ensure_writable(&self, state: &State) -> ApiResult<()> {
        match self.is_failing() {
            false => Ok(()),
            true => self.check(state).await,
        }
    }

    /// Whether the store can be read and written, and is not damaged. The result is used again for a second.
    pub(crate) async fn check(&self, state: &State) -> ApiResult<()> {
        if let Some(result) = self.recent() {
            return result;
        }
        let _checking = self.checking.lock().await;
        // Somebody else may have checked meanwhile.
        if let Some(result) = self.recent() {
            return result;
        }
        let fault = match self.is_damaged.load(Ordering::Relaxed) {
            true => Some(FileFault::Damaged.to_string()),
            false => try_writing(state).await.err().map(|error| describe(&error)),
        };
        let was_failing = self.is_failing.swap(fault.is_some(), Ordering::Relaxed);
        match &fault {
            Some(fault) if !was_failing => {
                tracing::error!(%fault, "the store cannot be used");
            }
            None if was_failing => tracing::info!("the store takes writes again"),
            _ => {}
        }
        self.keep(fault);
        self.recent().unwrap_or(Ok(()))
    }

    fn keep(&self, fault: Option<String>) {
        let at = Instant::now();
        let mut last = self.last.lock();
        *last = Some(Checked { at, fault });
    }

    fn recent(&self) -> Option<ApiResult<()>> {
        let last = self.last.lock();
        let checked = last
            .as_ref()
            .filter(|checked| checked.at.elapsed() < CHECK_KEPT)?;
        Some(match &checked.fault {
            None => Ok(()),
            Some(fault) => Err(ApiError::StoreUnavailable(format!(
                "the service's store cannot be used: {fault}"
            ))),
        })
    }
}

/// Writes what waits to be written, and a little more.
async fn try_writing(state: &State) -> Result<(), svc_store::Error> {
    state.writing.flush(&state.store).await?;
    state.store.check_writable().await
}

/// Why the store cannot be used, without a path.
fn describe(error: &svc_store::Error) -> String {
    match error.file_fault() {
        Some(fault) => fault.to_string(),
        None => error.public_message().to_owned(),
    }
}
