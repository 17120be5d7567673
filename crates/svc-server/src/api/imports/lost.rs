//! Imports whose file is on a node that does not come back: after a while they end as failed.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use svc_store::{Import, RunningImport, WriteKey};
use tokio::time::{Interval, MissedTickBehavior, interval};
use uuid::Uuid;

use super::{settings::Settings, write::batch_key};
use crate::state::Shared;

/// How many times it is looked within the time after which an import is given up, and the longest pause between.
const LOOKS: u32 = 5;
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// What this process knows of the imports that run anywhere.
#[derive(Debug)]
pub(super) struct Lost {
    grace: Duration,
    every: Duration,
    ticks: Interval,
    watch: Watch,
}

/// Since when each import shows no sign of its node, by the clock of this process.
#[derive(Debug, Default)]
struct Watch {
    looked: Option<Instant>,
    seen: HashMap<Uuid, (RunningImport, Instant)>,
}

/// An import that shows no sign of its node.
#[derive(Debug)]
struct Silent {
    import: RunningImport,
    since: Duration,
}

impl Lost {
    /// Imports are given up whose node was not seen for this time.
    pub(super) fn new(grace: Duration) -> Self {
        let every = (grace / LOOKS).min(LONGEST_PAUSE);
        let every = every.max(Duration::from_millis(100));
        let mut ticks = interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            grace,
            every,
            ticks,
            watch: Watch::default(),
        }
    }

    /// Completes when it is time to look again.
    pub(super) async fn is_time(&mut self) {
        self.ticks.tick().await;
    }

    /// Shows which files this node has, and gives up the imports of those who do not.
    pub(super) async fn look(&mut self, state: &Shared) {
        if let Err(error) = self.try_look(state).await {
            tracing::debug!(%error, "it cannot be looked for imports whose node is gone");
        }
    }

    async fn try_look(&mut self, state: &Shared) -> Result<(), svc_store::Error> {
        let imports = state.store.imports();
        let running = imports.running().await?;
        for silent in self.watch.look(running, Instant::now(), self.every) {
            let Silent { import, since } = silent;
            if import.is_here {
                imports.show_file(import.uid).await?;
            } else if since >= self.grace {
                let Some(found) = imports.find(import.uid).await? else {
                    continue;
                };
                let message = message(state, &found, self.grace).await?;
                if imports.give_up(&import, message.clone()).await? {
                    tracing::warn!(import = %import.uid, message, "an import was given up");
                }
            }
        }
        Ok(())
    }
}

impl Watch {
    /// The imports that are as they were at the last look. Where that was long ago, since this process or the store was away,
    /// nodes have all of the time again to show themselves.
    fn look(&mut self, running: Vec<RunningImport>, now: Instant, every: Duration) -> Vec<Silent> {
        let last = self.looked.replace(now);
        let mut known = std::mem::take(&mut self.seen);
        if last.is_some_and(|last| now.saturating_duration_since(last) > every * 2) {
            known.clear();
        }
        let mut silent = Vec::new();
        for import in running {
            let known = known.remove(&import.uid);
            let since = known.filter(|(known, _)| *known == import);
            let since = since.map(|(_, since)| since);
            if let Some(since) = since {
                silent.push(Silent {
                    import: import.clone(),
                    since: now.saturating_duration_since(since),
                });
            }
            self.seen.insert(import.uid, (import, since.unwrap_or(now)));
        }
        silent
    }
}

/// Why the import failed, what it has done, and how to go on.
async fn message(
    state: &Shared,
    import: &Import,
    grace: Duration,
) -> Result<String, svc_store::Error> {
    let read = u64::try_from(import.rows_read).unwrap_or_default();
    let settings = Settings::from_json(&import.settings).ok();
    let skip = settings.as_ref().map_or(0, |settings| settings.skip) + read;
    let key = WriteKey {
        scope: import.scope.clone(),
        resource: import.resource.clone(),
        model: import.model.clone(),
        idempotency_key: batch_key(&import.uid.to_string(), read),
    };
    // It was about to be committed when the node was seen last.
    let may_be_more = state.store.write_marks().find(&key).await?.is_some();
    let more = match settings.filter(|_| may_be_more) {
        Some(settings) => format!(
            " (look first whether the next rows, up to row {}, are there: they may have been written last)",
            skip + u64::from(settings.batch)
        ),
        None => String::new(),
    };
    Ok(format!(
        "the node of the service that has the file was not seen for {} seconds; what was imported stays: {read} rows were read. \
         When the node is back, resume the import; or import the file again with _skip={skip}{more}",
        grace.as_secs()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(uid: Uuid, claimed_until: &str) -> RunningImport {
        RunningImport::new(uid, claimed_until, false)
    }

    #[test]
    fn an_import_is_silent_as_long_as_its_claim_stays_the_same() {
        let (uid, every) = (Uuid::nil(), Duration::from_secs(2));
        let mut watch = Watch::default();
        let begun = Instant::now();
        let mut look = |claim: &str, seconds: u64| {
            let at = begun + Duration::from_secs(seconds);
            let silent = watch.look(vec![import(uid, claim)], at, every);
            silent.first().map(|silent| silent.since.as_secs())
        };
        assert_eq!(look("", 0), None);
        assert_eq!(look("", 2), Some(2));
        assert_eq!(look("a", 4), None);
        assert_eq!(look("a", 6), Some(2));
        assert_eq!(look("a", 8), Some(4));
        // Nothing was seen meanwhile.
        assert_eq!(look("a", 20), None);
        assert_eq!(look("a", 22), Some(2));
    }
}
