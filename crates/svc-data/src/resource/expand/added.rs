//! Records with what comes with each of them, as JSON.

use std::{iter, ops::Range};

use bytes::Bytes;

use super::MOST_OF_EACH;
use crate::{
    Error, Result,
    plan::expand::ExpandPlan,
    record::Beside,
    resource::keys::{Values, unreadable},
};

/// The records of a part: its JSON, and what was read beside it.
pub(super) struct Records<'r> {
    json: &'r [u8],
    pub(super) ends: &'r [usize],
    pub(super) values: Values<'r>,
}

impl<'r> Records<'r> {
    pub(super) fn new(json: &'r [u8], beside: &'r Beside, width: usize) -> Self {
        Self {
            json,
            ends: &beside.ends,
            values: Values::new(beside, width),
        }
    }

    /// Each record as a JSON object.
    pub(super) fn iter(&self) -> impl Iterator<Item = Result<&'r [u8]>> {
        let json = self.json;
        let missing = || Error::internal("a record of a page is missing");
        ranges(self.ends).map(move |range| json.get(range).ok_or_else(missing))
    }
}

/// Where the elements of a JSON array are, by their ends: behind the bracket, and behind the comma of the one before.
fn ranges(ends: &[usize]) -> impl Iterator<Item = Range<usize>> {
    let starts = iter::once(1).chain(ends.iter().map(|end| end + 1));
    starts.zip(ends).map(|(start, end)| start..*end)
}

/// A JSON array of records, and where each of them ends.
pub(super) struct Array {
    pub(super) json: Bytes,
    pub(super) ends: Vec<usize>,
}

impl Array {
    /// The records.
    pub(super) fn records(&self) -> impl Iterator<Item = Bytes> {
        ranges(&self.ends).map(|range| self.json.slice(range))
    }
}

/// What comes with records by one relation.
pub(super) struct Added<'r> {
    pub(super) relation: &'r ExpandPlan,
    /// Which value each record was looked up by.
    pub(super) of_record: Vec<Option<usize>>,
    pub(super) found: Found,
}

impl Added<'_> {
    /// The related records of a record.
    pub(super) fn of(&self, record: usize) -> &[usize] {
        let value = self.of_record.get(record).copied().flatten();
        value.map_or(&[], |value| self.found.of_value(value))
    }

    pub(super) fn json(&self, related: usize) -> &[u8] {
        self.found.records.get(related).map_or(b"null", |json| json)
    }

    /// Writes what belongs to a record.
    fn write(&self, out: &mut Vec<u8>, record: usize) {
        let related = self.of(record);
        if !self.relation.is_many || self.relation.records.is_none() {
            let json = related
                .first()
                .map_or(&b"null"[..], |first| self.json(*first));
            out.extend_from_slice(json);
            return;
        }
        out.push(b'[');
        for (number, related) in related.iter().take(MOST_OF_EACH).enumerate() {
            if number > 0 {
                out.push(b',');
            }
            out.extend_from_slice(self.json(*related));
        }
        out.push(b']');
    }
}

/// Related records.
#[derive(Default)]
pub(super) struct Found {
    /// JSON objects.
    records: Vec<Bytes>,
    /// These in the order of the values that they were looked up by, and where those of each value end.
    order: Vec<usize>,
    ends: Vec<usize>,
}

impl Found {
    /// Assigns records to so many values.
    pub(super) fn new(read: Read, values: usize) -> Self {
        // How many there are of each value, then where the first of each comes, and at last where the last one ends.
        let mut ends = vec![0; values];
        for value in read.of_value.iter().flatten() {
            if let Some(count) = ends.get_mut(*value) {
                *count += 1;
            }
        }
        let mut all = 0;
        for end in &mut ends {
            let count = *end;
            *end = all;
            all += count;
        }
        let mut order = vec![0; all];
        for (number, value) in read.of_value.iter().enumerate() {
            if let Some(end) = value.and_then(|value| ends.get_mut(value))
                && let Some(place) = order.get_mut(*end)
            {
                *place = number;
                *end += 1;
            }
        }
        Self {
            records: read.records,
            order,
            ends,
        }
    }

    /// The places of the records of a value.
    fn of_value(&self, value: usize) -> &[usize] {
        let before = value
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        let end = self.ends.get(value).copied().unwrap_or(0);
        let range = before.copied().unwrap_or(0)..end;
        self.order.get(range).unwrap_or_default()
    }
}

/// Related records that were read, and which value each belongs to; `None` where it equals none of them.
#[derive(Default)]
pub(super) struct Read {
    pub(super) records: Vec<Bytes>,
    pub(super) of_value: Vec<Option<usize>>,
}

/// How many related records are returned with a record.
pub(super) fn most_of(relation: &ExpandPlan) -> usize {
    match relation.is_many {
        true => MOST_OF_EACH,
        false => 1,
    }
}

/// The records of a part with what was added to them.
pub(super) fn write(records: &Records<'_>, added: &[Added<'_>]) -> Result<Array> {
    const ADDED: usize = 32;
    let count = records.ends.len();
    let names = added.iter().map(|added| {
        let name = serde_json::to_string(&added.relation.name).map_err(unreadable)?;
        Ok(format!("{name}:"))
    });
    let names: Vec<String> = names.collect::<Result<_>>()?;
    let mut size = records.json.len() + 2;
    for (added, name) in added.iter().zip(&names) {
        let related = (0..count).flat_map(|record| added.of(record));
        let related = related.map(|related| added.json(*related).len() + 1);
        size += related.sum::<usize>() + count * name.len();
    }
    let mut out = Vec::with_capacity(size + count * ADDED);
    let mut ends = Vec::with_capacity(count);
    out.push(b'[');
    for (number, json) in records.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        let json = json?;
        let fields = json.strip_suffix(b"}").unwrap_or(json);
        out.extend_from_slice(fields);
        if fields.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(b"\"_expand\":{");
        for (place, (added, name)) in added.iter().zip(&names).enumerate() {
            if place > 0 {
                out.push(b',');
            }
            out.extend_from_slice(name.as_bytes());
            added.write(&mut out, number);
        }
        let cut = added
            .iter()
            .filter(|added| added.of(number).len() > most_of(added.relation));
        let cut = cut.filter(|added| added.relation.is_many);
        let cut: Vec<&str> = cut.map(|added| added.relation.name.as_str()).collect();
        if !cut.is_empty() {
            out.extend_from_slice(b",\"_more\":");
            serde_json::to_writer(&mut out, &cut).map_err(unreadable)?;
        }
        out.extend_from_slice(b"}}");
        ends.push(out.len());
    }
    out.push(b']');
    let json = out.into();
    Ok(Array { json, ends })
}
