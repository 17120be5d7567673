//! The file of a journal: slots of one size, each with a head and a line as JSON. A slot of length 0 is free.

use std::collections::VecDeque;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use uuid::Uuid;

use super::{NewLine, Notes};
use crate::database::{private_file, sync_dir};
use crate::error::{Error, Result};

/// What the name of a journal begins with; an identifier follows.
const PREFIX: &str = "store.writes.";
/// Bytes of a slot: all columns of a line, unless a key is very long.
const SLOT_BYTES: usize = 1024;
/// How many slots the file grows by.
const GROWN_BY: u32 = 64;
/// How many slots are cleared by one call of the system.
const CLEARED_AT_ONCE: usize = 256;
/// Bytes in front of a line: its length, the checksum of its JSON, by which one is known that was written in part, and
/// what is known of it.
const HEAD: usize = 3 * size_of::<u32>();
/// Where in the head it says what is known of the line.
const KNOWN: usize = 2 * size_of::<u32>();
/// Known of a line: nothing, or it is whole and its write was done, or in addition the store did not take it.
const BEGUN: u32 = 0;
const SETTLED: u32 = 1;
const REFUSED: u32 = 2;

/// The journal of this process, locked while it is open.
pub(super) struct JournalFile {
    file: File,
    path: PathBuf,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    /// How many there are.
    all: u32,
    /// In turns, so that writes at the same time have neighbouring slots, which are synced together.
    free: VecDeque<u32>,
}

/// A slot in the file that one write has.
#[derive(Debug)]
pub(super) struct Slot(u32);

impl JournalFile {
    /// Makes the file. The caller holds the lock of the folder, so that no other process takes the file for one that was left behind.
    pub(super) fn create(dir: &Path) -> Result<Self> {
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
            slots: Mutex::default(),
        };
        journal.give_back(journal.take()?);
        let synced = journal.file.sync_all().and_then(|()| sync_dir(dir));
        synced.map_err(|source| unusable(&journal.path, source))?;
        Ok(journal)
    }

    /// A free slot; the file grows where all are taken.
    pub(super) fn take(&self) -> Result<Slot> {
        let mut slots = self.slots.lock();
        if let Some(slot) = slots.free.pop_front() {
            return Ok(Slot(slot));
        }
        // Written and not only made longer, so that the disk has the space when a note comes.
        let begin = slots.all;
        self.write_at(&vec![0; SLOT_BYTES * GROWN_BY as usize], begin, 0)
            .map_err(|source| unusable(&self.path, source))?;
        let end = begin + GROWN_BY;
        slots.all = end;
        slots.free.extend(begin + 1..end);
        Ok(Slot(begin))
    }

    /// Notes in a slot what is known of a write so far. Of a line that is too long, the key of the record is left out.
    pub(super) fn note(&self, slot: &Slot, line: &NewLine) -> Result<()> {
        let mut json = to_json(line)?;
        if !fits(&json) {
            json = to_json(&line.clone().without_record())?;
        }
        if !fits(&json) {
            return Err(Error::internal(
                "a line of the audit trail is too long to be noted",
            ));
        }
        self.write(slot, &json, BEGUN)
    }

    /// Writes the line of a write that was done into a slot, and says whether it has its place there: one that is too
    /// long has none.
    pub(super) fn settle(&self, slot: &Slot, line: &NewLine) -> Result<bool> {
        self.place(slot, line, SETTLED)
    }

    /// Writes the line of a write that is about to be committed into a slot, and says whether it has its place there. Its
    /// outcome is unknown until it is [confirmed](Self::confirm).
    pub(super) fn prepare(&self, slot: &Slot, line: &NewLine) -> Result<bool> {
        self.place(slot, line, BEGUN)
    }

    fn place(&self, slot: &Slot, line: &NewLine, known: u32) -> Result<bool> {
        let json = to_json(line)?;
        let fits = fits(&json);
        if fits {
            self.write(slot, &json, known)?;
        }
        Ok(fits)
    }

    /// Says that what was prepared was committed.
    pub(super) fn confirm(&self, slot: &Slot) -> Result<()> {
        self.mark(slot, SETTLED)
    }

    /// Says that the store did not take a line that was settled.
    pub(super) fn refuse(&self, slot: &Slot) -> Result<()> {
        self.mark(slot, REFUSED)
    }

    fn mark(&self, slot: &Slot, known: u32) -> Result<()> {
        self.write_at(&known.to_le_bytes(), slot.0, KNOWN)
            .map_err(|source| unusable(&self.path, source))
    }

    fn write(&self, slot: &Slot, json: &[u8], known: u32) -> Result<()> {
        let length = u32::try_from(json.len()).unwrap_or_default();
        let mut bytes = Vec::with_capacity(HEAD + json.len());
        for number in [length, crc32fast::hash(json), known] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(json);
        self.write_at(&bytes, slot.0, 0)
            .map_err(|source| unusable(&self.path, source))
    }

    /// Waits until everything that was written before is on the disk.
    pub(super) fn sync(&self) -> Result<()> {
        self.file
            .sync_data()
            .map_err(|source| unusable(&self.path, source))
    }

    /// Clears slots and gives them back.
    pub(super) fn clear(&self, slots: impl IntoIterator<Item = Slot>) {
        let mut slots: Vec<u32> = slots.into_iter().map(|Slot(slot)| slot).collect();
        slots.sort_unstable();
        let neighbours = |slot: &u32, next: &u32| slot + 1 == *next;
        for run in slots.chunk_by(neighbours) {
            for run in run.chunks(CLEARED_AT_ONCE) {
                let bytes = match run {
                    [_] => HEAD,
                    run => run.len() * SLOT_BYTES,
                };
                let Some(first) = run.first() else { continue };
                match self.write_at(&vec![0; bytes], *first, 0) {
                    Ok(()) => self.slots.lock().free.extend(run),
                    // The lines are in the trail: notes that stay are found to be there already.
                    Err(error) => tracing::warn!(%error, "the journal of writes cannot be written"),
                }
            }
        }
    }

    /// Gives back a slot that nothing was written into.
    pub(super) fn give_back(&self, Slot(slot): Slot) {
        self.slots.lock().free.push_back(slot);
    }

    /// Removes the file when every slot is free.
    pub(super) fn remove_when_clear(&self) {
        let slots = self.slots.lock();
        if slots.free.len() == slots.all as usize
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::warn!(%error, "the journal of writes cannot be removed");
        }
    }

    #[cfg(unix)]
    fn write_at(&self, bytes: &[u8], slot: u32, offset: usize) -> io::Result<()> {
        use std::os::unix::fs::FileExt as _;
        self.file
            .write_all_at(bytes, u64::from(slot) * SLOT_BYTES as u64 + offset as u64)
    }

    #[cfg(windows)]
    fn write_at(&self, bytes: &[u8], slot: u32, offset: usize) -> io::Result<()> {
        use std::os::windows::fs::FileExt as _;
        let mut at = u64::from(slot) * SLOT_BYTES as u64 + offset as u64;
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
}

/// Reads the journals of a folder. The caller holds the lock of the folder.
pub(super) fn read_all(dir: &Path) -> Result<Vec<Notes>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).map_err(|source| unusable(dir, source))? {
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
        begun: Vec::new(),
        settled: Vec::new(),
        refused: Vec::new(),
        unreadable: 0,
    };
    for slot in bytes.chunks(SLOT_BYTES) {
        match read_slot(slot) {
            Noted::Begun(line) => notes.begun.push(line),
            Noted::Settled(line) => notes.settled.push(line),
            Noted::Refused(line) => notes.refused.push(line),
            Noted::Nothing => {}
            Noted::Unreadable => notes.unreadable += 1,
        }
    }
    Ok(notes)
}

/// What a slot has.
enum Noted {
    Nothing,
    Begun(NewLine),
    Settled(NewLine),
    Refused(NewLine),
    Unreadable,
}

fn read_slot(slot: &[u8]) -> Noted {
    let number = |at: usize| {
        let bytes = slot.get(at..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    };
    let [Some(length), Some(checksum), Some(known)] = [0, 4, KNOWN].map(number) else {
        return Noted::Unreadable;
    };
    if length == 0 {
        return Noted::Nothing;
    }
    let json = slot
        .get(HEAD..)
        .and_then(|rest| rest.get(..length as usize));
    let whole = json.filter(|json| crc32fast::hash(json) == checksum);
    let line = whole.and_then(|json| serde_json::from_slice::<NewLine>(json).ok());
    match (line, known) {
        (Some(line), BEGUN) => Noted::Begun(line),
        (Some(line), SETTLED) => Noted::Settled(line.known()),
        (Some(line), REFUSED) => Noted::Refused(line.known()),
        _ => Noted::Unreadable,
    }
}

fn to_json(line: &NewLine) -> Result<Vec<u8>> {
    serde_json::to_vec(line).map_err(Error::caused("a line of the audit trail cannot be noted"))
}

fn fits(json: &[u8]) -> bool {
    json.len() <= SLOT_BYTES - HEAD
}

/// Removes the journal of a process that has ended.
pub(super) fn remove(path: &Path) -> Result<()> {
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

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::audit::{AuditEntry, By};

    fn line(record: &str) -> NewLine {
        let entry = AuditEntry::new("records.create").record(record);
        NewLine::new(
            Uuid::now_v7(),
            Timestamp::UNIX_EPOCH,
            &By::program(),
            &entry,
        )
    }

    fn only(dir: &Path) -> Notes {
        let mut all = read_all(dir).unwrap();
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    #[test]
    fn a_line_takes_the_place_of_its_note() {
        let dir = tempfile::tempdir().unwrap();
        let journal = JournalFile::create(dir.path()).unwrap();
        let slot = journal.take().unwrap();
        journal.note(&slot, &line("begun").unknown()).unwrap();
        assert_eq!(only(dir.path()).begun.len(), 1);
        let settled = line("42");
        assert!(journal.settle(&slot, &settled).unwrap());
        journal.sync().unwrap();
        let notes = only(dir.path());
        assert_eq!((notes.begun, notes.settled), (vec![], vec![settled]));
        journal.clear([slot]);
        let notes = only(dir.path());
        assert_eq!((notes.settled, notes.unreadable), (vec![], 0));
    }

    #[test]
    fn a_line_that_is_too_long_for_its_slot_stays_a_note() {
        let dir = tempfile::tempdir().unwrap();
        let journal = JournalFile::create(dir.path()).unwrap();
        let slot = journal.take().unwrap();
        journal.note(&slot, &line("42")).unwrap();
        assert!(
            !journal
                .settle(&slot, &line(&"k".repeat(SLOT_BYTES)))
                .unwrap()
        );
        assert_eq!(only(dir.path()).begun.len(), 1);
    }

    #[test]
    fn a_line_that_was_written_in_part_is_found_to_be_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let journal = JournalFile::create(dir.path()).unwrap();
        let slot = journal.take().unwrap();
        assert!(journal.settle(&slot, &line("42")).unwrap());
        let mut bytes = fs::read(&journal.path).unwrap();
        let at = bytes.windows(2).position(|pair| pair == b"42").unwrap();
        // As where the second half of a slot did not reach the disk.
        bytes[at] = b'5';
        fs::write(&journal.path, bytes).unwrap();
        let notes = only(dir.path());
        assert_eq!((notes.settled.len(), notes.unreadable), (0, 1));
    }
}
