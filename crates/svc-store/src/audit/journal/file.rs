//! The file of a journal: [slots] of one size, each with a head and a line as JSON, or a part of one. A slot of length 0 is
//! free.

use std::collections::VecDeque;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use uuid::Uuid;

use super::slots::{self, BEGUN, GOES_ON, HEAD, KNOWN, Noted, REFUSED, SETTLED, SLOT_BYTES};
use super::{NewLine, Notes};
use crate::database::{private_file, sync_dir};
use crate::error::{Error, Result};

/// What the name of a journal begins with; an identifier follows.
const PREFIX: &str = "store.writes.";
/// How many slots the file grows by.
const GROWN_BY: u32 = 64;
/// How many slots are cleared by one call of the system.
const CLEARED_AT_ONCE: usize = 256;
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

/// The slots in the file that one write has.
#[derive(Debug)]
pub(super) struct Slot {
    first: u32,
    /// Those in which a line may go on that is longer than one.
    more: Vec<u32>,
    /// Whether the line that it has goes on in them.
    goes_on: bool,
}

impl Slot {
    fn new(first: u32) -> Self {
        Self {
            first,
            more: Vec::new(),
            goes_on: false,
        }
    }
}

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

    #[cfg(all(test, unix))]
    pub(super) fn over(file: File) -> Self {
        Self {
            file,
            path: PathBuf::new(),
            slots: Mutex::default(),
        }
    }

    /// A free slot; the file grows where all are taken.
    pub(super) fn take(&self) -> Result<Slot> {
        self.take_number().map(Slot::new)
    }

    fn take_number(&self) -> Result<u32> {
        let mut slots = self.slots.lock();
        if let Some(slot) = slots.free.pop_front() {
            return Ok(slot);
        }
        // Written and not only made longer, so that the disk has the space when a note comes.
        let begin = slots.all;
        self.write_at(&vec![0; SLOT_BYTES * GROWN_BY as usize], begin, 0)
            .map_err(|source| unusable(&self.path, source))?;
        let end = begin + GROWN_BY;
        slots.all = end;
        slots.free.extend(begin + 1..end);
        Ok(begin)
    }

    /// Notes in a slot what is known of a write so far. Of a line that is too long for one, the key of the record and values are
    /// left out.
    pub(super) fn note(&self, slot: &mut Slot, line: &NewLine) -> Result<()> {
        let mut json = to_json(line)?;
        if slots::more_slots(json.len()) != Some(0) {
            json = to_json(&line.clone().without_record())?;
        }
        if slots::more_slots(json.len()) != Some(0) {
            return Err(Error::internal(
                "a line of the audit trail is too long to be noted",
            ));
        }
        slot.goes_on = false;
        self.write(&[slot.first], &json, BEGUN)
    }

    /// Writes the line of a write that was done into a slot, and says whether it has its place there: one that is too
    /// long has none.
    pub(super) fn settle(&self, slot: &mut Slot, line: &NewLine) -> Result<bool> {
        self.place(slot, line, SETTLED)
    }

    /// Writes the line of a write that is about to be committed into a slot, and says whether it has its place there. Its
    /// outcome is unknown until it is [confirmed](Self::confirm).
    pub(super) fn prepare(&self, slot: &mut Slot, line: &NewLine) -> Result<bool> {
        self.place(slot, line, BEGUN)
    }

    fn place(&self, slot: &mut Slot, line: &NewLine, known: u32) -> Result<bool> {
        let json = to_json(line)?;
        let Some(more) = slots::more_slots(json.len()) else {
            return Ok(false);
        };
        while slot.more.len() < more {
            match self.take_number() {
                Ok(number) => slot.more.push(number),
                // The line is waited for in the table, as one that is too long.
                Err(error) => {
                    tracing::warn!(%error, "a line of the audit trail has no place in the journal of writes");
                    return Ok(false);
                }
            }
        }
        slot.goes_on = more > 0;
        let more = slot.more.iter().take(more);
        let numbers: Vec<u32> = std::iter::once(&slot.first).chain(more).copied().collect();
        self.write(&numbers, &json, known)?;
        Ok(true)
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
        let known = match slot.goes_on {
            true => known | GOES_ON,
            false => known,
        };
        self.write_at(&known.to_le_bytes(), slot.first, KNOWN)
            .map_err(|source| unusable(&self.path, source))
    }

    /// Writes a line into these slots.
    fn write(&self, numbers: &[u32], json: &[u8], known: u32) -> Result<()> {
        let parts = slots::encode(json, known, numbers);
        let mut parts = parts.into_iter();
        // The first one last, which names the others. Neighbours are written at once.
        let Some(first) = parts.next() else {
            return Ok(());
        };
        let rest: Vec<(u32, Vec<u8>)> = numbers.iter().skip(1).copied().zip(parts).collect();
        let written = rest
            .chunk_by(|(slot, _), (next, _)| slot + 1 == *next)
            .try_for_each(|run| {
                let Some((begin, _)) = run.first() else {
                    return Ok(());
                };
                let bytes: Vec<&[u8]> = run.iter().map(|(_, bytes)| bytes.as_slice()).collect();
                self.write_at(&bytes.concat(), *begin, 0)
            });
        let written = written.and_then(|()| match numbers.first() {
            Some(slot) => self.write_at(&first, *slot, 0),
            None => Ok(()),
        });
        written.map_err(|source| unusable(&self.path, source))
    }

    /// Waits until everything that was written before is on the disk.
    pub(super) fn sync(&self) -> Result<()> {
        self.file
            .sync_data()
            .map_err(|source| unusable(&self.path, source))
    }

    /// Clears slots and gives them back.
    pub(super) fn clear(&self, slots: impl IntoIterator<Item = Slot>) {
        let (first, more): (Vec<u32>, Vec<Vec<u32>>) = slots
            .into_iter()
            .map(|slot| (slot.first, slot.more))
            .unzip();
        // Those that name others before these, so that no line is found without its end.
        self.clear_numbers(first);
        self.clear_numbers(more.into_iter().flatten().collect());
    }

    fn clear_numbers(&self, mut slots: Vec<u32>) {
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
    pub(super) fn give_back(&self, slot: Slot) {
        let mut slots = self.slots.lock();
        slots.free.push_back(slot.first);
        slots.free.extend(slot.more);
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
    for noted in slots::decode(&bytes) {
        match noted {
            Noted::Begun(line) => notes.begun.push(line),
            Noted::Settled(line) => notes.settled.push(line),
            Noted::Refused(line) => notes.refused.push(line),
            Noted::Nothing => {}
            Noted::Unreadable => notes.unreadable += 1,
        }
    }
    Ok(notes)
}

fn to_json(line: &NewLine) -> Result<Vec<u8>> {
    serde_json::to_vec(line).map_err(Error::caused("a line of the audit trail cannot be noted"))
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
    use crate::audit::{AuditEntry, By, Changes};

    fn line(record: &str) -> NewLine {
        let entry = AuditEntry::new("records.create").record(record);
        NewLine::new(Uuid::now_v7(), Timestamp::UNIX_EPOCH, &By::program(), entry)
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
        let mut slot = journal.take().unwrap();
        journal.note(&mut slot, &line("begun").unknown()).unwrap();
        assert_eq!(only(dir.path()).begun.len(), 1);
        let settled = line("42");
        assert!(journal.settle(&mut slot, &settled).unwrap());
        journal.sync().unwrap();
        let notes = only(dir.path());
        assert_eq!((notes.begun, notes.settled), (vec![], vec![settled]));
        journal.clear([slot]);
        let notes = only(dir.path());
        assert_eq!((notes.settled, notes.unreadable), (vec![], 0));
    }

    #[test]
    fn a_line_has_the_values_that_a_write_changed_as_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let journal = JournalFile::create(dir.path()).unwrap();
        let mut slot = journal.take().unwrap();
        let changes = r#"{"new":{"id": 1.50,"text":"\"\u00e9é\n"}}"#;
        let entry = AuditEntry::new("records.create")
            .record("1")
            .changes(Changes::of_record(changes.to_owned()));
        let line = NewLine::new(Uuid::now_v7(), Timestamp::UNIX_EPOCH, &By::program(), entry);
        assert!(journal.settle(&mut slot, &line).unwrap());
        let settled = only(dir.path()).settled;
        let kept = settled[0].values_for(false).pop();
        assert_eq!(kept, Some(svc_data::Value::Text(changes.to_owned())));
        assert_eq!(settled, [line]);
    }

    #[test]
    fn a_line_that_is_too_long_for_its_slot_stays_a_note() {
        let dir = tempfile::tempdir().unwrap();
        let journal = JournalFile::create(dir.path()).unwrap();
        let mut slot = journal.take().unwrap();
        journal.note(&mut slot, &line("42")).unwrap();
        assert!(
            !journal
                .settle(&mut slot, &line(&"k".repeat(65_536)))
                .unwrap()
        );
        assert_eq!(only(dir.path()).begun.len(), 1);
    }

    #[test]
    fn a_line_that_was_written_in_part_is_found_to_be_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let journal = JournalFile::create(dir.path()).unwrap();
        let mut slot = journal.take().unwrap();
        assert!(journal.settle(&mut slot, &line("42")).unwrap());
        let mut bytes = fs::read(&journal.path).unwrap();
        let at = bytes.windows(2).position(|pair| pair == b"42").unwrap();
        // As where the second half of a slot did not reach the disk.
        bytes[at] = b'5';
        fs::write(&journal.path, bytes).unwrap();
        let notes = only(dir.path());
        assert_eq!((notes.settled.len(), notes.unreadable), (0, 1));
    }

    #[test]
    fn a_line_that_is_longer_than_a_slot_goes_on_in_others() {
        let dir = tempfile::tempdir().unwrap();
        let journal = JournalFile::create(dir.path()).unwrap();
        let mut slots: Vec<Slot> = (0..3).map(|_| journal.take().unwrap()).collect();
        let lengths = [SLOT_BYTES, 10 * SLOT_BYTES, 60 * SLOT_BYTES];
        let lines = lengths.map(|length| line(&"k".repeat(length)));
        for (slot, line) in slots.iter_mut().zip(&lines) {
            journal.note(slot, &line.clone().unknown()).unwrap();
            assert!(journal.prepare(slot, &line.clone().unknown()).unwrap());
        }
        assert_eq!(only(dir.path()).begun, lines.clone().map(NewLine::unknown));
        for slot in &slots {
            journal.confirm(slot).unwrap();
        }
        let notes = only(dir.path());
        assert_eq!((notes.begun, notes.settled), (vec![], lines.to_vec()));
        // One that takes fewer slots than it has.
        assert!(journal.settle(&mut slots[2], &line("42")).unwrap());
        journal.refuse(&slots[2]).unwrap();
        assert_eq!(only(dir.path()).refused.len(), 1);
        journal.clear(slots);
        let notes = only(dir.path());
        assert_eq!(
            (notes.settled, notes.refused, notes.unreadable),
            (vec![], vec![], 0)
        );
        let free = journal.slots.lock();
        assert_eq!(free.free.len(), free.all as usize);
    }

    #[test]
    fn a_line_whose_end_is_missing_is_found_to_be_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let journal = JournalFile::create(dir.path()).unwrap();
        let mut slot = journal.take().unwrap();
        let long = line(&"k".repeat(3 * SLOT_BYTES));
        assert!(journal.settle(&mut slot, &long).unwrap());
        journal.clear_numbers(slot.more.clone());
        let notes = only(dir.path());
        assert_eq!((notes.settled.len(), notes.unreadable), (0, 1));
    }
}
