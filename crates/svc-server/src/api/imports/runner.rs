//! The worker of imports: goes on with those that nobody works on, until the service ends.

use std::{pin::pin, sync::Arc, time::Duration};

use jiff::SignedDuration;
use svc_data::{NewRecords, turns::Caller};
use svc_model::{JsonObject, wire::BoxFuture};
use svc_store::Import;
use tokio::{
    sync::watch,
    task::{JoinSet, spawn_blocking},
    time::{Instant, MissedTickBehavior, interval, sleep},
};
use uuid::Uuid;

use super::{
    batches::read_ahead,
    claim::{CLAIMED_FOR, Claim},
    file::wrong,
    lost::Lost,
    settings::Settings,
};
use crate::{
    auth::access::{Access, Write},
    http::{ApiError, ApiResult},
    state::Shared,
};

/// How many imports this process works on at once, and how many of one connected database.
const AT_ONCE: (usize, usize) = (8, 2);
/// How often a claim is kept, and how often it is looked for imports without a wake-up.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a database may be away before an import fails.
const PATIENCE: Duration = Duration::from_secs(600);
/// The longest pause before another try.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How often a batch may take too long before an import fails.
const MOST_TIMEOUTS: u32 = 3;
/// How many rows may be refused: more than anybody corrects by hand. Their texts take up to so many bytes.
const MOST_REFUSED: (u64, usize) = (100_000, 256 << 20);
/// How often old imports are looked for.
const PURGE_EVERY: Duration = Duration::from_secs(3_600);

/// What it is time for.
enum Due {
    Work,
    Purge,
    Lost,
}

/// Works on imports until `stop` turns true; those that are being worked on then end with their batch, and others go on.
pub(crate) async fn run(state: Shared, mut stop: watch::Receiver<bool>) {
    let mut working = JoinSet::new();
    let mut looks = interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut purges = interval(PURGE_EVERY);
    purges.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut lost = Lost::new(state.config.import_grace);
    loop {
        let due = tokio::select! {
            _ = stop.wait_for(|&stop| stop) => break,
            () = state.imports.woken() => Due::Work,
            _ = looks.tick() => Due::Work,
            Some(_) = working.join_next() => Due::Work,
            _ = purges.tick() => Due::Purge,
            // The embedded store has all files itself.
            () = lost.is_time(), if state.store.is_on_server() => Due::Lost,
        };
        match due {
            Due::Work => {}
            Due::Purge => purge(&state).await,
            Due::Lost => lost.look(&state).await,
        }
        let free = AT_ONCE.0.saturating_sub(working.len());
        if let Ok(most @ 1..) = u32::try_from(free) {
            // What is wrong with the store is logged by those who watch it.
            let _ = begin(&state, &stop, most, &mut working).await;
        }
    }
    let grace = state.config.shutdown_grace;
    let ended = async { while working.join_next().await.is_some() {} };
    if tokio::time::timeout(grace, ended).await.is_err() {
        tracing::warn!("an import was still being written; the next start goes on with it");
    }
}

/// Claims imports and begins to work on them.
async fn begin(
    state: &Shared,
    stop: &watch::Receiver<bool>,
    most: u32,
    working: &mut JoinSet<()>,
) -> Result<(), svc_store::Error> {
    let imports = state.store.imports();
    // A claim of its own each time: what this process does not know to be its work is not.
    let runner = Uuid::now_v7();
    for uid in imports.claim(runner, CLAIMED_FOR, most).await? {
        let Some(import) = imports.find(uid).await? else {
            continue;
        };
        let place = (import.scope.clone(), import.resource.clone());
        let guard = state.imports.begin(uid, place, AT_ONCE.1);
        let Some(working_on) = guard else {
            let pause = SignedDuration::try_from(LOOK_EVERY).unwrap_or_default();
            imports.release(uid, runner, pause).await?;
            continue;
        };
        let work = Work {
            state: Arc::clone(state),
            import: Arc::new(import),
            claim: Claim {
                store: state.store.clone(),
                import: uid,
                runner,
            },
            stop: stop.clone(),
        };
        let work = async move {
            work.run().await;
            drop(working_on);
        };
        working.spawn(Caller::of(("import", uid)).run(work));
    }
    Ok(())
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

/// Why an import failed, as its starter reads it.
fn message_of(error: &ApiError) -> String {
    if let ApiError::Internal(cause) = error {
        tracing::error!(%cause, "an import failed by a fault of the service");
    }
    error.to_string()
}

struct Work {
    state: Shared,
    import: Arc<Import>,
    claim: Claim,
    stop: watch::Receiver<bool>,
}

impl Work {
    async fn run(self) {
        let (uid, claim) = (self.import.uid, self.claim.runner);
        let imports = self.state.store.imports();
        let settled = match Box::pin(self.go_on()).await {
            Ok(Ended::Done) => imports.end(uid, claim, None).await.inspect(|&is_ended| {
                if is_ended {
                    remove_file(&self.state, uid);
                }
            }),
            Ok(Ended::Stopped | Ended::Lost) => Ok(false),
            Err(error) => {
                let message = message_of(&error);
                tracing::warn!(import = %uid, message, "an import failed");
                imports.end(uid, claim, Some(message)).await
            }
        };
        let settled = match settled {
            Ok(true) => Ok(()),
            // Whoever cancelled it waits for this.
            Ok(false) => imports.release(uid, claim, SignedDuration::ZERO).await,
            Err(error) => Err(error),
        };
        if let Err(error) = settled {
            // The claim ends, and then it is gone on with.
            tracing::warn!(%error, import = %uid, "what became of an import could not be noted");
        }
    }

    async fn go_on(&self) -> ApiResult<Ended> {
        let (imports, uid) = (self.state.store.imports(), self.import.uid);
        let settings = Arc::new(Settings::from_json(&self.import.settings)?);
        let file = imports.open_file(uid).map_err(|error| {
            tracing::error!(%error, import = %uid, "the file of an import cannot be read");
            ApiError::NotFound("its file is not there any more; import it again".to_owned())
        })?;
        let model = self.patiently(|state, import| {
            Box::pin(async move {
                let access = Access::<Write>::of_starter(&state, &import).await?;
                Ok(Arc::clone(access.records().await?.model()))
            })
        });
        let model = match model.await? {
            Tried::Done(model) => model,
            Tried::Ended(ended) => return Ok(ended),
        };
        let number = |number: i64| u64::try_from(number).unwrap_or_default();
        let done = number(self.import.rows_read);
        let (mut refused, mut bytes) = (number(self.import.refused), 0);
        let longest = self.state.config.body_limit;
        let description = model.description();
        let options = settings.options();
        // What does not fit the model is said when the batch is written.
        let read = move |bodies: &Arc<[JsonObject]>| {
            let read = NewRecords::read(&model, bodies, &options);
            read.ok()
        };
        let mut batches = read_ahead(file, (*settings).clone(), description, longest, done, read);
        loop {
            let batch = match self.unless_ended(batches.next()).await? {
                Tried::Ended(ended) => return Ok(ended),
                Tried::Done(None) => return Ok(Ended::Done),
                Tried::Done(Some(batch)) => batch,
            };
            let batch = batch.map_err(|unreadable| wrong(unreadable.to_string()))?;
            let batch = Arc::new(batch);
            let last = batch.last();
            let whole = Arc::clone(&batch);
            let (settings, claim) = (Arc::clone(&settings), self.claim.clone());
            let written = self.patiently(move |state, import| {
                let (batch, settings) = (Arc::clone(&batch), Arc::clone(&settings));
                let claim = claim.clone();
                Box::pin(async move {
                    let step = batch.write(&state, &import, &claim, &settings).await?;
                    let rows = step.refused.iter();
                    let bytes: usize = rows.map(|row| row.row.len() + row.errors.len()).sum();
                    let refused = step.refused.len() as u64;
                    state.store.imports().advance(import.uid, step).await?;
                    Ok((refused, bytes))
                })
            });
            let written = written.await?;
            // To free its many small pieces takes a while, for which the next batch does not wait.
            spawn_blocking(move || drop(whole));
            match written {
                Tried::Ended(ended) => return Ok(ended),
                Tried::Done((rows, more)) => (refused, bytes) = (refused + rows, bytes + more),
            }
            if refused > MOST_REFUSED.0 || bytes > MOST_REFUSED.1 {
                return Err(wrong(format!(
                    "{refused} rows up to row {last} were refused, more than are kept; correct the file, or how it is read"
                )));
            }
        }
    }

    /// Tries something until it succeeds, while it fails by what may pass.
    async fn patiently<T>(
        &self,
        attempt: impl Fn(Shared, Arc<Import>) -> BoxFuture<'static, ApiResult<T>>,
    ) -> ApiResult<Tried<T>> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(500);
        let mut timeouts = 0;
        loop {
            let attempt = attempt(Arc::clone(&self.state), Arc::clone(&self.import));
            // Others may have ended the import while this process was cut off.
            let tried = match self.ended().await {
                Ok(None) => self.claimed(attempt).await,
                Ok(Some(ended)) => return Ok(Tried::Ended(ended)),
                Err(error) => Err(error),
            };
            let error = match tried {
                Ok(value) => return Ok(Tried::Done(value)),
                Err(error) => error,
            };
            timeouts += u32::from(matches!(error, ApiError::Timeout(_)));
            if timeouts >= MOST_TIMEOUTS {
                return Err(wrong(format!(
                    "{error}, {timeouts} times; import the rest with a smaller _batch, and with _skip"
                )));
            }
            if !may_pass(&error) || begun.elapsed() > PATIENCE {
                return Err(error);
            }
            tracing::debug!(%error, import = %self.import.uid, "a batch of an import is tried again");
            if let Tried::Ended(ended) = self.unless_ended(sleep(pause)).await? {
                return Ok(Tried::Ended(ended));
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Waits for something, unless the work is to end meanwhile. Keeps the claim.
    async fn unless_ended<T>(&self, work: impl Future<Output = T>) -> ApiResult<Tried<T>> {
        let mut work = pin!(work);
        let mut stop = self.stop.clone();
        loop {
            tokio::select! {
                result = &mut work => return Ok(Tried::Done(result)),
                _ = stop.wait_for(|&stop| stop) => return Ok(Tried::Ended(Ended::Stopped)),
                () = sleep(LOOK_EVERY) => {}
            }
            match self.ended().await {
                Ok(Some(ended)) => return Ok(Tried::Ended(ended)),
                // The store may be what is away.
                Err(error) if !may_pass(&error) => return Err(error),
                Ok(None) | Err(_) => {}
            }
        }
    }

    /// Whether the work is to end before the next batch. Keeps the claim.
    async fn ended(&self) -> ApiResult<Option<Ended>> {
        if *self.stop.borrow() {
            return Ok(Some(Ended::Stopped));
        }
        let is_kept = self.claim.keep().await?;
        Ok((!is_kept).then_some(Ended::Lost))
    }

    /// Keeps the claim while something is done to its end.
    async fn claimed<T>(&self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                result = &mut work => return result,
                () = sleep(LOOK_EVERY) => {
                    // A claim that is lost is noticed before the next batch, and this one is written once.
                    let _ = self.claim.keep().await;
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
