//! The worker of imports: goes on with those that nobody works on, until the service ends.

use std::{sync::Arc, time::Duration};

use jiff::SignedDuration;
use svc_data::turns::Caller;
use svc_model::wire::BoxFuture;
use svc_store::ImportState;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval, sleep},
};
use uuid::Uuid;

use super::{batches::read_ahead, file::wrong, settings::Settings, write::BatchWrite};
use crate::{
    auth::access::{Access, Write},
    http::{ApiError, ApiResult},
    state::Shared,
};

/// How many imports this process works on at once.
const AT_ONCE: u32 = 4;
/// How long nobody else goes on with an import after this process was heard of last.
const CLAIMED_FOR: SignedDuration = SignedDuration::from_secs(6);
/// How often a claim is kept, and how often it is looked for imports without a wake-up.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a database may be away before an import fails.
const PATIENCE: Duration = Duration::from_secs(600);
/// The longest pause before another try.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How often old imports are looked for.
const PURGE_EVERY: Duration = Duration::from_secs(3_600);

/// Works on imports until `stop` turns true; those that are being worked on then end with their batch, and others go on.
pub(crate) async fn run(state: Shared, mut stop: watch::Receiver<bool>) {
    let mut working = JoinSet::new();
    let mut looks = interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut purges = interval(PURGE_EVERY);
    purges.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let is_time_to_purge = tokio::select! {
            _ = stop.wait_for(|&stop| stop) => break,
            () = state.imports.woken() => false,
            _ = looks.tick() => false,
            Some(_) = working.join_next() => false,
            _ = purges.tick() => true,
        };
        if is_time_to_purge {
            purge(&state).await;
        }
        let busy = u32::try_from(working.len()).unwrap_or(AT_ONCE);
        let most = AT_ONCE.saturating_sub(busy);
        if most == 0 {
            continue;
        }
        let imports = state.store.imports();
        // What is wrong with the store is logged by those who watch it.
        let claimed = imports.claim(state.imports.runner, CLAIMED_FOR, most).await;
        for uid in claimed.unwrap_or_default() {
            let work = work(Arc::clone(&state), uid, stop.clone());
            working.spawn(Caller::of(("import", uid)).run(work));
        }
    }
    let grace = state.config.shutdown_grace;
    let ended = async { while working.join_next().await.is_some() {} };
    if tokio::time::timeout(grace, ended).await.is_err() {
        tracing::warn!("an import was still being written; the next start goes on with it");
    }
}

async fn purge(state: &Shared) {
    let imports = state.store.imports();
    match imports.forget_old().await {
        Ok(old) => {
            for uid in old {
                remove_file(state, uid);
            }
        }
        Err(error) => tracing::warn!(%error, "old imports could not be removed"),
    }
    if let Err(error) = imports.remove_lost_files().await {
        tracing::warn!(%error, "files of imports could not be looked through");
    }
}

fn remove_file(state: &Shared, uid: Uuid) {
    if let Err(error) = state.store.imports().remove_file(uid) {
        tracing::warn!(%error, import = %uid, "the file of an import could not be removed");
    }
}

/// How the work on an import ended.
enum Ended {
    /// All rows were read.
    Done,
    /// The service ends.
    Stopped,
    /// It was cancelled, or another process goes on with it.
    Lost,
}

async fn work(state: Shared, uid: Uuid, stop: watch::Receiver<bool>) {
    let imports = state.store.imports();
    let runner = state.imports.runner;
    let _working = state.imports.begin(uid);
    let work = Work {
        state: Arc::clone(&state),
        uid,
        stop,
    };
    let settled = match Box::pin(work.go_on()).await {
        Ok(Ended::Done) => {
            let ended = imports.end(uid, ImportState::Done, None).await;
            if ended.is_ok() {
                remove_file(&state, uid);
            }
            ended.map(drop)
        }
        Ok(Ended::Stopped) => imports.release(uid, runner).await,
        Ok(Ended::Lost) => Ok(()),
        Err(error) => {
            let message = message_of(&error);
            tracing::warn!(import = %uid, message, "an import failed");
            let ended = imports.end(uid, ImportState::Failed, Some(message)).await;
            ended.map(drop)
        }
    };
    if let Err(error) = settled {
        // The claim ends, and then it is gone on with.
        tracing::warn!(%error, import = %uid, "what became of an import could not be noted");
    }
}

/// Why an import failed, as its starter reads it.
fn message_of(error: &ApiError) -> String {
    if let ApiError::Internal(cause) = error {
        tracing::error!(%cause, "an import failed by a fault of the service");
    }
    error.to_string()
}

struct Work {
    state: Shared,
    uid: Uuid,
    stop: watch::Receiver<bool>,
}

impl Work {
    async fn go_on(&self) -> ApiResult<Ended> {
        let imports = self.state.store.imports();
        let Some(import) = imports.find(self.uid).await? else {
            return Ok(Ended::Lost);
        };
        let settings = Arc::new(Settings::from_json(&import.settings)?);
        let file = imports.open_file(self.uid).map_err(|error| {
            tracing::error!(%error, import = %self.uid, "the file of an import cannot be read");
            ApiError::NotFound("its file is not there any more; import it again".to_owned())
        })?;
        let done = u64::try_from(import.rows_read).unwrap_or_default();
        let import = Arc::new(import);
        let model = {
            let import = Arc::clone(&import);
            self.patiently(move |state| {
                let import = Arc::clone(&import);
                Box::pin(async move {
                    let access = Access::<Write>::of_starter(&state, &import).await?;
                    Ok(access.records().await?.model().description())
                })
            })
        };
        let model = match model.await? {
            Tried::Done(model) => model,
            Tried::Ended(ended) => return Ok(ended),
        };
        let longest = self.state.config.body_limit;
        let mut batches = read_ahead(file, (*settings).clone(), model, longest, done);
        loop {
            if let Some(ended) = self.ended().await? {
                return Ok(ended);
            }
            let Some(batch) = batches.recv().await else {
                return Ok(Ended::Done);
            };
            let batch = batch.map_err(|unreadable| wrong(unreadable.to_string()))?;
            let batch = Arc::new(BatchWrite::new(batch, &settings));
            let (import, settings) = (Arc::clone(&import), Arc::clone(&settings));
            let written = self.patiently(move |state| {
                let (batch, import) = (Arc::clone(&batch), Arc::clone(&import));
                let settings = Arc::clone(&settings);
                Box::pin(async move {
                    let step = batch.write(&state, &import, &settings).await?;
                    Ok(state.store.imports().advance(import.uid, step).await?)
                })
            });
            if let Tried::Ended(ended) = written.await? {
                return Ok(ended);
            }
        }
    }

    /// Tries something until it succeeds, while it fails by what may pass.
    async fn patiently<T>(
        &self,
        attempt: impl Fn(Shared) -> BoxFuture<'static, ApiResult<T>>,
    ) -> ApiResult<Tried<T>> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(500);
        loop {
            let error = match self.claimed(attempt(Arc::clone(&self.state))).await {
                Ok(value) => return Ok(Tried::Done(value)),
                Err(error) => error,
            };
            if !may_pass(&error) || begun.elapsed() > PATIENCE {
                return Err(error);
            }
            tracing::debug!(%error, import = %self.uid, "a batch of an import is tried again");
            let mut stop = self.stop.clone();
            tokio::select! {
                _ = stop.wait_for(|&stop| stop) => {}
                () = self.claimed(sleep(pause)) => {}
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
            match self.ended().await {
                Ok(Some(ended)) => return Ok(Tried::Ended(ended)),
                Ok(None) => {}
                // The store may be what is away.
                Err(error) if may_pass(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether the work is to end before the next batch. Keeps the claim.
    async fn ended(&self) -> ApiResult<Option<Ended>> {
        if *self.stop.borrow() {
            return Ok(Some(Ended::Stopped));
        }
        let is_kept = self.keep().await?;
        Ok((!is_kept).then_some(Ended::Lost))
    }

    async fn keep(&self) -> Result<bool, svc_store::Error> {
        let runner = self.state.imports.runner;
        let imports = self.state.store.imports();
        imports.keep(self.uid, runner, CLAIMED_FOR).await
    }

    /// Keeps the claim while something is done.
    async fn claimed<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                result = &mut work => return result,
                () = sleep(LOOK_EVERY) => {
                    // A claim that is lost is noticed before the next batch, and this one is written once.
                    let _ = self.keep().await;
                }
            }
        }
    }
}

enum Tried<T> {
    Done(T),
    Ended(Ended),
}

/// Whether the same may succeed later.
fn may_pass(error: &ApiError) -> bool {
    matches!(
        error,
        ApiError::Unavailable(_)
            | ApiError::StoreUnavailable(_)
            | ApiError::Overloaded(_)
            | ApiError::Timeout(_)
            | ApiError::Throttled { .. }
    )
}
