//! Backups of the store that the service makes by itself.

use std::time::Duration;

use svc_store::{BackupOptions, BackupSeries, Store};

use crate::{Config, Error};

/// How long to wait after a failure, unless copies are made more often.
const RETRY: Duration = Duration::from_secs(60);
/// The longest and the shortest pause between two looks at the folder, whose files and the clock others may change.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);

/// The backups that the settings ask for, in a folder that can be used.
pub(crate) async fn prepare(config: &Config, store: &Store) -> Result<Option<BackupSeries>, Error> {
    let settings = &config.backups;
    let Some(dir) = &settings.dir else {
        return Ok(None);
    };
    let mut series = BackupSeries::new(dir, settings.every, settings.keep);
    series.options = BackupOptions::default().with_key(settings.with_key);
    let prepared = store.prepare_backups(&series).await;
    prepared.map_err(|error| config.wrong("backup-dir", &error.to_string()))?;
    Ok(Some(series))
}

/// Makes backups until it is aborted.
pub(crate) async fn run(store: Store, series: BackupSeries) {
    let (dir, every) = (series.dir.display(), series.every.as_secs());
    tracing::info!(%dir, every, keep = series.keep, "backups of the store are made");
    loop {
        let wait = match store.continue_backups(&series).await {
            Ok(turn) => {
                if let Some(file) = turn.made {
                    let (file, removed) = (file.display(), turn.removed);
                    tracing::info!(%file, removed, "a backup of the store was made");
                }
                turn.wait
            }
            Err(error) => {
                let wait = RETRY.min(series.every);
                let retry_after = wait.as_secs();
                tracing::error!(%error, retry_after, "the backup of the store failed; it is tried again");
                wait
            }
        };
        tokio::time::sleep(wait.clamp(SHORTEST_PAUSE, LONGEST_PAUSE)).await;
    }
}
