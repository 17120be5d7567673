//! Which backups of the store the service makes.

use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

/// Which backups the service makes by itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BackupConfig {
    /// The folder of the backups; without one none are made. Default none.
    pub dir: Option<PathBuf>,
    /// The time from one backup to the next. Default a day.
    pub every: Duration,
    /// How many backups are kept. Default 7.
    pub keep: NonZeroUsize,
    /// Whether the key of the store is in them. Default `false`.
    pub with_key: bool,
}

impl Default for BackupConfig {
    fn default() -> Self {
        Self {
            dir: None,
            every: Duration::from_secs(24 * 3_600),
            keep: NonZeroUsize::MIN.saturating_add(6),
            with_key: false,
        }
    }
}
