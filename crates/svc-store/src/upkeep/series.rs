//! Copies that are made again and again in one folder, of which the newest are kept.

use std::fs::{self, File, TryLockError};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hmac::Mac as _;
use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};

use super::backup::{BackupOptions, check_is_file};
use crate::database::{Store, blocking, make_private_dir, private_file};
use crate::error::{Error, Result};

const PREFIX: &str = "svc-backup-";
const SUFFIX: &str = ".db";
/// The time in the name of a copy, in UTC: names sort as times do.
const TIME: &str = "%Y%m%dT%H%M%SZ";
/// What follows the name of a copy that was not completed.
const UNFINISHED: [&str; 2] = [".db.partial", ".db.partial-journal"];
/// How long to wait while another process makes the copy.
const OTHER_PAUSE: Duration = Duration::from_secs(5);

/// Copies of a store that are made again and again in one folder.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BackupSeries {
    /// The folder. The copies of several stores may be in it.
    pub dir: PathBuf,
    /// The time from one copy to the next; at least a second.
    pub every: Duration,
    /// How many copies are kept. Older ones are removed once a new one is complete.
    pub keep: NonZeroUsize,
    /// How a copy is made.
    pub options: BackupOptions,
}

/// What [`Store::continue_backups`] has done.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BackupTurn {
    /// The copy that was made; `None` when it was not time for one, or when another process makes it.
    pub made: Option<PathBuf>,
    /// How many older copies were removed.
    pub removed: usize,
    /// When to look again.
    pub wait: Duration,
}

impl BackupSeries {
    /// Copies without the key in this folder.
    pub fn new(dir: impl Into<PathBuf>, every: Duration, keep: NonZeroUsize) -> Self {
        Self {
            dir: dir.into(),
            every,
            keep,
            options: BackupOptions::default(),
        }
    }
}

impl Store {
    /// Makes the folder of copies where it is missing (mode 0700).
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`](crate::ErrorKind::Unavailable) when it cannot be made or is no folder, and when the store is
    /// in a PostgreSQL database.
    pub async fn prepare_backups(&self, series: &BackupSeries) -> Result<()> {
        check_is_file(self)?;
        let dir = series.dir.clone();
        blocking(move || {
            make_private_dir(&dir).map_err(|error| unusable(&dir, &error))?;
            fs::read_dir(&dir).map_err(|error| unusable(&dir, &error))?;
            Ok(())
        })
        .await
    }

    /// Makes the next copy when it is time: when the newest copy of this store in the folder is older than
    /// [`every`](BackupSeries::every), whichever process made it. Then older copies of this store are removed; other
    /// files are left alone.
    ///
    /// # Errors
    /// As [`backup_with`](Self::backup_with), and when the folder cannot be read.
    pub async fn continue_backups(&self, series: &BackupSeries) -> Result<BackupTurn> {
        let names = Names::of(self);
        let idle = |wait| BackupTurn {
            made: None,
            removed: 0,
            wait,
        };
        let wait = names.wait(series, self.clock().now()).await?;
        if !wait.is_zero() {
            return Ok(idle(wait));
        }
        let (dir, lock_name) = (series.dir.clone(), names.lock());
        let Some(_lock) = blocking(move || lock(&dir, &lock_name)).await? else {
            return Ok(idle(series.every.min(OTHER_PAUSE)));
        };
        // Another process may have made it before it gave the lock away.
        let now = self.clock().now();
        let wait = names.wait(series, now).await?;
        if !wait.is_zero() {
            return Ok(idle(wait));
        }
        let file = series.dir.join(names.copy(now));
        self.backup_with(&file, series.options).await?;
        let removed = names.remove_old(series, &file).await?;
        Ok(BackupTurn {
            made: Some(file),
            removed,
            wait: series.every,
        })
    }
}

/// The names of the copies of one store.
#[derive(Clone)]
struct Names {
    /// Tells the copies of one store from those of another in the same folder.
    id: String,
}

impl Names {
    fn of(store: &Store) -> Self {
        let mac = store.sealer().derive("backup series").finalize();
        let bytes = mac.into_bytes();
        let id = bytes.iter().take(4).map(|byte| format!("{byte:02x}"));
        Self { id: id.collect() }
    }

    fn copy(&self, time: Timestamp) -> String {
        format!("{PREFIX}{}-{}{SUFFIX}", time.strftime(TIME), self.id)
    }

    fn lock(&self) -> String {
        format!(".{PREFIX}{}.lock", self.id)
    }

    /// When the copy of this name was made; `None` for a file that is no copy of this store.
    fn time(&self, name: &str, suffix: &str) -> Option<Timestamp> {
        let rest = name.strip_prefix(PREFIX)?.strip_suffix(suffix)?;
        let time = rest.strip_suffix(&self.id)?.strip_suffix('-')?;
        let time = DateTime::strptime(TIME, time).ok()?;
        let time = time.to_zoned(TimeZone::UTC).ok()?.timestamp();
        // Written in another way it is not a name that was given here.
        (name == format!("{PREFIX}{}-{}{suffix}", time.strftime(TIME), self.id)).then_some(time)
    }

    /// How long it is until the next copy.
    async fn wait(&self, series: &BackupSeries, now: Timestamp) -> Result<Duration> {
        let (names, dir) = (self.clone(), series.dir.clone());
        let times = blocking(move || names.list(&dir, SUFFIX)).await?;
        // One from the future was made when the clock was wrong, and says nothing about the last one.
        let past = times.into_iter().map(|(time, _)| time);
        let Some(newest) = past.filter(|time| *time <= now).max() else {
            return Ok(Duration::ZERO);
        };
        let every = SignedDuration::try_from(series.every).unwrap_or(SignedDuration::MAX);
        let left = every.saturating_sub(now.duration_since(newest));
        Ok(Duration::try_from(left).unwrap_or_default())
    }

    /// The files of this store with this ending, with their times.
    fn list(&self, dir: &Path, suffix: &str) -> Result<Vec<(Timestamp, PathBuf)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(dir).map_err(|error| unusable(dir, &error))? {
            let entry = entry.map_err(|error| unusable(dir, &error))?;
            let time = entry
                .file_name()
                .to_str()
                .and_then(|name| self.time(name, suffix));
            found.extend(time.map(|time| (time, entry.path())));
        }
        found.sort();
        Ok(found)
    }

    /// Removes all but the newest copies, and what processes left that were killed while they made one. Says how many copies
    /// were removed.
    async fn remove_old(&self, series: &BackupSeries, made: &Path) -> Result<usize> {
        let (names, series, made) = (self.clone(), series.clone(), made.to_owned());
        blocking(move || {
            for suffix in UNFINISHED {
                for (_, file) in names.list(&series.dir, suffix)? {
                    remove(&file);
                }
            }
            let mut copies = names.list(&series.dir, SUFFIX)?;
            copies.retain(|(_, file)| *file != made);
            let too_many = (copies.len() + 1).saturating_sub(series.keep.get());
            let old = copies.iter().take(too_many);
            Ok(old.filter(|(_, file)| remove(file)).count())
        })
        .await
    }
}

/// Keeps other processes from making the same copy; `None` when one of them does.
fn lock(dir: &Path, name: &str) -> Result<Option<File>> {
    let file = private_file().create(true).open(dir.join(name));
    let file = file.map_err(|error| unusable(dir, &error))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(None),
        // Some network file systems know no locks; then two processes may make a copy each.
        _ => Ok(Some(file)),
    }
}

/// Removes a file, and says whether that was possible.
fn remove(file: &Path) -> bool {
    let removed = fs::remove_file(file);
    if let Err(error) = &removed {
        tracing::warn!(file = %file.display(), %error, "an old backup cannot be removed; remove it by hand");
    }
    removed.is_ok()
}

fn unusable(dir: &Path, error: &io::Error) -> Error {
    let (shown, remedy) = (
        dir.display(),
        "let the user who runs the service write there, or choose another folder",
    );
    Error::unavailable(format!(
        "the folder of backups {shown} cannot be used: {error}; {remedy}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_were_given_here_are_copies_of_this_store() {
        let names = Names {
            id: "1a2b3c4d".to_owned(),
        };
        let time: Timestamp = "2026-11-24T14:30:00Z".parse().unwrap();
        let name = names.copy(time);
        assert_eq!(name, "svc-backup-20261124T143000Z-1a2b3c4d.db");
        assert_eq!(names.time(&name, SUFFIX), Some(time));
        for other in [
            "svc-backup-20261124T143000Z-99999999.db",
            "svc-backup-20261124T143000Z-1a2b3c4d.db.old",
            "svc-backup-2026-1a2b3c4d.db",
            "svc-backup-20261324T143000Z-1a2b3c4d.db",
            "svc-backup--1a2b3c4d.db",
            "backup-20261124T143000Z-1a2b3c4d.db",
        ] {
            assert_eq!(names.time(other, SUFFIX), None, "{other}");
        }
        assert!(names.copy(time + Duration::from_secs(1)) > name);
    }
}
