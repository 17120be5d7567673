//! Whether the store can be used: it accepts writes, and it is not damaged.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
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
#[derive(Debug)]
pub(crate) struct StoreHealth {
    /// For how long what is cached is believed while the store is away.
    grace: Duration,
    begun: Instant,
    /// Since when the store is away, in milliseconds after `begun`, and one; 0 while it answers.
    away_since: AtomicU64,
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
    pub(crate) fn new(grace: Duration) -> Self {
        Self {
            grace,
            begun: Instant::now(),
            away_since: AtomicU64::new(0),
            is_failing: AtomicBool::new(false),
            is_damaged: AtomicBool::new(false),
            last: Mutex::default(),
            checking: tokio::sync::Mutex::default(),
        }
    }

    /// The store was asked for changes at this time and has answered.
    pub(crate) fn set_present(&self) {
        self.away_since.store(0, Ordering::Relaxed);
    }

    /// The store was asked for changes at this time and does not answer.
    pub(crate) fn set_away(&self, asked: Instant, error: &svc_store::Error) {
        let since = self.millis(asked) + 1;
        let known =
            (self.away_since).compare_exchange(0, since, Ordering::Relaxed, Ordering::Relaxed);
        if known.is_ok() {
            self.report_failure(error);
        }
    }

    /// Refuses all when the store has been away for longer than what is cached may be believed.
    pub(crate) fn ensure_known(&self) -> ApiResult<()> {
        let since = self.away_since.load(Ordering::Relaxed);
        if since == 0 || self.millis(Instant::now()) < since + self.grace_millis() {
            return Ok(());
        }
        Err(ApiError::StoreUnavailable(format!(
            "the service's store has been away for more than {} seconds (--store-grace)",
            self.grace.as_secs()
        )))
    }

    fn grace_millis(&self) -> u64 {
        u64::try_from(self.grace.as_millis()).unwrap_or(u64::MAX / 2)
    }

    fn millis(&self, at: Instant) -> u64 {
        let passed = at.saturating_duration_since(self.begun);
        u64::try_from(passed.as_millis()).unwrap_or(u64::MAX / 2)
    }

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
            // Seldom, so that it takes no part of the memory of every write.
            true => Box::pin(self.check(state)).await,
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
