//! The slots of a journal as bytes. A line that is longer than a slot goes on in others: the first one names the next, and so on.

use super::NewLine;

/// Bytes of a slot: all columns of a line, unless a key is very long, or values are kept.
pub(super) const SLOT_BYTES: usize = 1024;
/// Bytes in front of a line: its length, the checksum of its JSON, by which one is known that was written in part, and
/// what is known of it.
pub(super) const HEAD: usize = 3 * size_of::<u32>();
/// Where in the head it says what is known of the line.
pub(super) const KNOWN: usize = 2 * size_of::<u32>();
/// Known of a line: nothing, or it is whole and its write was done, or in addition the store did not take it.
pub(super) const BEGUN: u32 = 0;
pub(super) const SETTLED: u32 = 1;
pub(super) const REFUSED: u32 = 2;
/// Added to what is known of a line that goes on in other slots. The number of the next slot is behind the head.
pub(super) const GOES_ON: u32 = 4;
/// In place of what is known: the slot has a part of a line that begins in another.
const PART: u32 = 8;
/// The most bytes of a line in the journal.
const MAX_LINE: usize = 64 << 10;
/// Bytes of a line in each of several slots, behind the head and the number of the next slot.
const PART_BYTES: usize = SLOT_BYTES - HEAD - size_of::<u32>();

/// What a slot has.
pub(super) enum Noted {
    Nothing,
    Begun(NewLine),
    Settled(NewLine),
    Refused(NewLine),
    Unreadable,
}

/// How many slots a line of so many bytes takes beside the first one; `None` where it is too long.
pub(super) fn more_slots(length: usize) -> Option<usize> {
    match length {
        _ if length <= SLOT_BYTES - HEAD => Some(0),
        _ if length <= MAX_LINE => Some(length.div_ceil(PART_BYTES) - 1),
        _ => None,
    }
}

/// The bytes of each of the slots that a line takes.
pub(super) fn encode(json: &[u8], known: u32, slots: &[u32]) -> Vec<Vec<u8>> {
    let head = |bytes: &mut Vec<u8>, numbers: &[u32]| {
        numbers
            .iter()
            .for_each(|number| bytes.extend(number.to_le_bytes()));
    };
    let length = u32::try_from(json.len()).unwrap_or_default();
    let checksum = crc32fast::hash(json);
    if slots.len() <= 1 {
        let mut bytes = Vec::with_capacity(HEAD + json.len());
        head(&mut bytes, &[length, checksum, known]);
        bytes.extend_from_slice(json);
        return vec![bytes];
    }
    let parts = json.chunks(PART_BYTES).enumerate();
    let parts = parts.map(|(number, part)| {
        let mut bytes = Vec::with_capacity(SLOT_BYTES);
        match number {
            0 => head(&mut bytes, &[length, checksum, known | GOES_ON]),
            _ => {
                let length = u32::try_from(part.len()).unwrap_or_default();
                head(&mut bytes, &[length, 0, PART]);
            }
        }
        head(
            &mut bytes,
            &[slots.get(number + 1).copied().unwrap_or_default()],
        );
        bytes.extend_from_slice(part);
        bytes
    });
    parts.collect()
}

/// What the slots of a file have.
pub(super) fn decode(file: &[u8]) -> impl Iterator<Item = Noted> {
    file.chunks(SLOT_BYTES).map(|slot| decode_slot(file, slot))
}

fn decode_slot(file: &[u8], slot: &[u8]) -> Noted {
    let [Some(length), Some(checksum), Some(known)] = [0, 4, KNOWN].map(|at| number(slot, at))
    else {
        return Noted::Unreadable;
    };
    if length == 0 || known == PART {
        return Noted::Nothing;
    }
    let json = match known & GOES_ON {
        0 => slot
            .get(HEAD..)
            .and_then(|rest| rest.get(..length as usize))
            .map(<[u8]>::to_vec),
        _ => join(file, slot, length as usize),
    };
    let whole = json.filter(|json| crc32fast::hash(json) == checksum);
    let line = whole.and_then(|json| serde_json::from_slice::<NewLine>(&json).ok());
    match (line, known & !GOES_ON) {
        (Some(line), BEGUN) => Noted::Begun(line),
        (Some(line), SETTLED) => Noted::Settled(line.known()),
        (Some(line), REFUSED) => Noted::Refused(line.known()),
        _ => Noted::Unreadable,
    }
}

/// A line that goes on in other slots.
fn join(file: &[u8], first: &[u8], length: usize) -> Option<Vec<u8>> {
    if length > MAX_LINE {
        return None;
    }
    let mut json = Vec::with_capacity(length);
    let mut slot = first;
    loop {
        let rest = length - json.len();
        let begin = HEAD + size_of::<u32>();
        json.extend_from_slice(slot.get(begin..begin + rest.min(PART_BYTES))?);
        if json.len() >= length {
            return Some(json);
        }
        let next = number(slot, HEAD)? as usize * SLOT_BYTES;
        // The last slot may end early, as the file does.
        slot = file.get(next..file.len().min(next + SLOT_BYTES))?;
    }
}

fn number(slot: &[u8], at: usize) -> Option<u32> {
    let bytes = slot.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}
