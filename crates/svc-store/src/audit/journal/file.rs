//! The file of a journal: places of one size, each with a length and a line as JSON. A place of length 0 is free.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use super::{NewLine, Notes};
use crate::database::private_file;
use crate::error::Error;

/// What the name of a journal begins with; an identifier follows.
const PREFIX: &str = "store.writes.";
/// Bytes of a place: all columns of a line, unless a key is very long.
const PLACE: usize = 2048;
/// How many places the file grows by.
const GROWN_BY: u32 = 64;
/// Bytes in front of a line: its length.
const LENGTH: usize = size_of::<u32>();

/// The journal of this process, locked while it is open.
pub(super) struct JournalFile {
    file: File,
    path: PathBuf,
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    /// How many there are.
    all: u32,
    free: Vec<u32>,
}

/// A place in the file that one write has.
#[derive(Debug)]
pub(super) struct Slot(u32);

impl JournalFile {
    /// Makes the file. The caller holds the lock of the folder, so that nobody takes the file for one that was left.
    pub(super) fn create(dir: &Path) -> Result<Self, Error> {
        let path = dir.join(format!("{PREFIX}{}", Uuid::now_v7().simple()));
        let made = private_file().create_new(true).open(&path);
        let file = made.map_err(|source| unusable(&path, source))?;
        match file.try_lock() {
            // Without locks it cannot be known that a process has ended: its journal stays.
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
                return Err(unusable(&path, error));
            }
            _ => {}
        }
        let journal = Self {
            file,
            path,
            places: Mutex::default(),
        };
        let first = journal.take()?;
        journal.give_back(first);
        Ok(journal)
    }

    /// A free place; the file grows where all are taken.
    pub(super) fn take(&self) -> Result<Slot, Error> {
        let mut places = self.lock_places();
        if let Some(place) = places.free.pop() {
            return Ok(Slot(place));
        }
        // Written and not only made longer, so that the disk has the room when a note comes.
        let begin = places.all;
        self.write_at(&vec![0; PLACE * GROWN_BY as usize], begin)
            .map_err(|source| unusable(&self.path, source))?;
        let end = begin + GROWN_BY;
        places.all = end;
        places.free.extend((begin + 1..end).rev());
        Ok(Slot(begin))
    }

    /// Writes a line into a place. Of one that is too long, the key of the record is left out.
    pub(super) fn write(&self, slot: &Slot, line: &NewLine) -> Result<(), Error> {
        let unwritable = |source| {
            Error::internal("a line of the audit trail cannot be noted").with_source(source)
        };
        let mut json = serde_json::to_vec(line).map_err(unwritable)?;
        if json.len() > PLACE - LENGTH {
            json = serde_json::to_vec(&line.clone().without_record()).map_err(unwritable)?;
        }
        let length = u32::try_from(json.len()).unwrap_or(u32::MAX);
        if json.len() > PLACE - LENGTH {
            return Err(Error::internal(
                "a line of the audit trail is too long to be noted",
            ));
        }
        let mut bytes = Vec::with_capacity(LENGTH + json.len());
        bytes.extend(length.to_le_bytes());
        bytes.extend(json);
        self.write_at(&bytes, slot.0)
            .map_err(|source| unusable(&self.path, source))
    }

    /// Clears a place and gives it back.
    pub(super) fn clear(&self, slot: Slot) {
        match self.write_at(&[0; LENGTH], slot.0) {
            Ok(()) => self.give_back(slot),
            // The line is in the trail: a note that stays is found to be there already.
            Err(error) => tracing::warn!(%error, "the journal of writes cannot be written"),
        }
    }

    /// Gives back a place that nothing was written into.
    pub(super) fn give_back(&self, Slot(place): Slot) {
        self.lock_places().free.push(place);
    }

    /// Removes the file when every place is free.
    pub(super) fn remove_when_clear(&self) {
        let places = self.lock_places();
        if places.free.len() == places.all as usize
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::warn!(%error, "the journal of writes cannot be removed");
        }
    }

    #[cfg(unix)]
    fn write_at(&self, bytes: &[u8], place: u32) -> io::Result<()> {
        use std::os::unix::fs::FileExt as _;
        self.file
            .write_all_at(bytes, u64::from(place) * PLACE as u64)
    }

    #[cfg(windows)]
    fn write_at(&self, bytes: &[u8], place: u32) -> io::Result<()> {
        use std::os::windows::fs::FileExt as _;
        let mut at = u64::from(place) * PLACE as u64;
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = self.file.seek_write(rest, at)?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            at += written as u64;
            rest = rest.get(written..).unwrap_or_default();
        }
        Ok(())
    }

    fn lock_places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the journals of a folder. The caller holds the lock of the folder.
pub(super) fn read_all(dir: &Path) -> Result<Vec<Notes>, Error> {
    let mut all = Vec::new();
    let entries = fs::read_dir(dir).map_err(|source| unusable(dir, source))?;
    for entry in entries {
        let entry = entry.map_err(|source| unusable(dir, source))?;
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            match read(&entry.path()) {
                Ok(notes) => all.push(notes),
                // Its process has just ended in good order.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(unusable(&entry.path(), error)),
            }
        }
    }
    Ok(all)
}

fn read(path: &Path) -> io::Result<Notes> {
    let mut file = File::open(path)?;
    let ended = file.try_lock().is_ok();
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let mut notes = Notes {
        path: path.to_owned(),
        ended,
        lines: Vec::new(),
        unreadable: 0,
    };
    for place in bytes.chunks(PLACE) {
        match read_place(place) {
            Some(Some(line)) => notes.lines.push(line),
            Some(None) => {}
            None => notes.unreadable += 1,
        }
    }
    Ok(notes)
}

/// The line in a place, `Some(None)` when it is free, and `None` when it cannot be read.
fn read_place(place: &[u8]) -> Option<Option<NewLine>> {
    let (length, rest) = place.split_first_chunk::<LENGTH>()?;
    match u32::from_le_bytes(*length) as usize {
        0 => Some(None),
        length => serde_json::from_slice(rest.get(..length)?).ok().map(Some),
    }
}

/// Removes the journal of a process that has ended.
pub(super) fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unusable(path, error)),
        _ => Ok(()),
    }
}

fn unusable(path: &Path, source: io::Error) -> Error {
    Error::unavailable(format!(
        "the journal of writes {} cannot be used: {source}; free some space, or let the user who runs this program \
         write there",
        path.display()
    ))
    .with_source(source)
}
