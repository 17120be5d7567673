//! What is known of a record's past.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use svc_api::{Client, Error};
use svc_model::{
    Paginated, RecordId,
    administration::history::GetLine,
    records::{Collection, GetHistory, HistoryEntry},
};

use crate::places::model::Model;

/// A page of the history of a record.
pub(super) async fn page(
    model: &Model<'_>,
    id: &RecordId,
    after: Option<&str>,
    per_page: u32,
) -> Result<Paginated<HistoryEntry>, Error> {
    let collection = model.collection();
    let mut operation = GetHistory::new(collection, id.clone());
    operation.after = after.map(str::to_owned);
    operation.per_page = Some(per_page);
    model.context.client.call(operation).send().await
}

/// What names a line of the audit trail.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LineOf<'l> {
    /// Its unique ID.
    Uid(&'l str),
    /// The request that has left it.
    Request(&'l str),
}

/// A page of what a line of the audit trail says of each of its records.
pub(crate) async fn line(
    client: &Client,
    of: Collection,
    line: LineOf<'_>,
    after: Option<&str>,
    per_page: u32,
) -> Result<Paginated<HistoryEntry>, Error> {
    let mut operation = GetLine::new(of.scope, of.resource, of.model);
    match line {
        LineOf::Uid(uid) => operation.line = Some(uid.to_owned()),
        LineOf::Request(request) => operation.request_id = Some(request.to_owned()),
    }
    operation.per_page = Some(per_page);
    operation.after = after.map(str::to_owned);
    client.call(operation).send().await
}

/// What a change did to a field, as JSON.
pub(super) struct Change<'e> {
    pub(super) field: &'e str,
    pub(super) old: Option<&'e RawValue>,
    pub(super) new: Option<&'e RawValue>,
    pub(super) cut_old: Option<u64>,
    pub(super) cut_new: Option<u64>,
}

/// The properties of a change to a field, whose values may be null.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Properties<'e> {
    #[serde(borrow, deserialize_with = "present")]
    old: Option<&'e RawValue>,
    #[serde(borrow, deserialize_with = "present")]
    new: Option<&'e RawValue>,
    cut: Lengths,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Lengths {
    old: Option<u64>,
    new: Option<u64>,
}

/// A value that is there, also where it is null.
fn present<'e, D: Deserializer<'e>>(deserializer: D) -> Result<Option<&'e RawValue>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

impl<'e> Change<'e> {
    fn read(field: &'e str, raw: &'e RawValue) -> Self {
        let Properties { old, new, cut } = serde_json::from_str(raw.get()).unwrap_or_default();
        Self {
            field,
            old,
            new,
            cut_old: cut.old,
            cut_new: cut.new,
        }
    }

    /// Whether this brought back what the other change had replaced.
    fn reverses(&self, other: &Self) -> bool {
        let is_same = |one: Option<&RawValue>, other: Option<&RawValue>| {
            one.map(RawValue::get) == other.map(RawValue::get)
        };
        let is_known = !self.is_cut() && !other.is_cut();
        is_known && is_same(self.old, other.new) && is_same(self.new, other.old)
    }

    /// Whether what it was, or what it became, is not known whole.
    pub(super) fn is_cut(&self) -> bool {
        self.cut_old.is_some() || self.cut_new.is_some()
    }
}

/// What an entry of a history did to each field; `None` where the values were not kept.
pub(super) fn changes(entry: &HistoryEntry) -> Option<Vec<Change<'_>>> {
    let kept = entry.changes.as_ref()?;
    let changes = kept.iter();
    Some(
        changes
            .map(|(field, raw)| Change::read(field, raw))
            .collect(),
    )
}

/// Which of the earlier changes of a record, the newest first, a change has taken back: all that it did, and nothing else.
pub(super) fn taken_back(
    change: Option<&[Change<'_>]>,
    earlier: &[Option<Vec<Change<'_>>>],
) -> Option<usize> {
    let change = change.filter(|change| !change.is_empty())?;
    let reverses = |other: &Option<Vec<Change<'_>>>| {
        let Some(other) = other else {
            return false;
        };
        let mut fields = change.iter();
        change.len() == other.len()
            && fields.all(|field| {
                let mut others = other.iter();
                let other = others.find(|other| other.field == field.field);
                other.is_some_and(|other| field.reverses(other))
            })
    };
    earlier.iter().position(reverses)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(changes: &serde_json::Value) -> HistoryEntry {
        let entry = json!({
            "time": "2026-07-01T12:00:00Z", "action": "records.update", "actor": {"kind": "account"}, "changes": changes
        });
        serde_json::from_value(entry).unwrap()
    }

    /// Which of the earlier entries an entry has taken back.
    fn found(entry: &HistoryEntry, earlier: &[HistoryEntry]) -> Option<usize> {
        let earlier: Vec<_> = earlier.iter().map(changes).collect();
        taken_back(changes(entry).as_deref(), &earlier)
    }

    #[test]
    fn a_change_takes_back_the_newest_one_that_it_reverses_whole() {
        let made = || entry(&json!({"a": {"old": 1, "new": 2}, "b": {"old": null, "new": "x"}}));
        let back = entry(&json!({"a": {"old": 2, "new": 1}, "b": {"old": "x", "new": null}}));
        let other = || entry(&json!({"a": {"old": 5, "new": 1}}));
        assert_eq!(found(&back, &[other(), made(), made()]), Some(1));
        // Only a part of it, and more than it.
        let part = entry(&json!({"a": {"old": 2, "new": 1}}));
        assert_eq!(found(&part, &[made()]), None);
        assert_eq!(found(&back, &[part]), None);
        // Of a value that is not known whole nobody can say so.
        let cut = entry(&json!({"a": {"old": "x", "new": "y", "cut": {"old": 9}}}));
        let back = entry(&json!({"a": {"old": "y", "new": "x"}}));
        assert_eq!(found(&back, &[cut]), None);
        assert_eq!(found(&entry(&json!({})), &[entry(&json!({}))]), None);
    }

    #[test]
    fn a_value_that_is_null_is_told_from_one_that_is_not_there() {
        let entry = entry(&json!({"a": {"old": null}, "b": {"new": null, "cut": {"new": 7}}}));
        let changes = changes(&entry).unwrap();
        let [a, b] = changes.as_slice() else {
            panic!("two changes");
        };
        let is_null = |value: Option<&RawValue>| value.map(RawValue::get) == Some("null");
        assert!(is_null(a.old) && a.new.is_none() && !a.is_cut());
        assert!(is_null(b.new) && b.old.is_none() && b.cut_new == Some(7));
    }
}
