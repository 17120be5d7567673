//! What is known of a record's past.

use serde_json::value::RawValue;
use svc_api::Error;
use svc_model::{
    JsonObject, Paginated, RecordId,
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
    let scope = &model.context.scope;
    let scope = (scope.project.clone(), scope.environment.clone());
    let collection = Collection::new(scope, model.resource.clone(), model.name.clone());
    let mut operation = GetHistory::new(collection, id.clone());
    operation.after = after.map(str::to_owned);
    operation.per_page = Some(per_page);
    model.context.client.call(operation).send().await
}

/// What a change did to a field, as JSON.
pub(super) struct Change<'e> {
    pub(super) field: &'e str,
    pub(super) old: Option<Box<RawValue>>,
    pub(super) new: Option<Box<RawValue>>,
    pub(super) cut_old: Option<u64>,
    pub(super) cut_new: Option<u64>,
}

impl<'e> Change<'e> {
    pub(super) fn read(field: &'e str, raw: &RawValue) -> Self {
        let object: JsonObject = serde_json::from_str(raw.get()).unwrap_or_default();
        let value = |name| {
            let raw: Option<&str> = object.get_raw(name);
            raw.and_then(|raw| RawValue::from_string(raw.to_owned()).ok())
        };
        let cut: Option<JsonObject> = object.get("cut").ok().flatten();
        let cut = |name| cut.as_ref().and_then(|cut| cut.get(name).ok().flatten());
        Self {
            field,
            old: value("old"),
            new: value("new"),
            cut_old: cut("old"),
            cut_new: cut("new"),
        }
    }

    /// Whether this brought back what the other change had replaced.
    fn reverses(&self, other: &Self) -> bool {
        let text = |value: &Option<Box<RawValue>>| value.as_deref().map(|raw| raw.get().to_owned());
        let is_known = !self.is_cut() && !other.is_cut();
        is_known && text(&self.old) == text(&other.new) && text(&self.new) == text(&other.old)
    }

    /// Whether what it was, or what it became, is not known whole.
    pub(super) fn is_cut(&self) -> bool {
        self.cut_old.is_some() || self.cut_new.is_some()
    }
}

/// Which of the earlier changes of a record, the newest first, a change has taken back: all that it did, and nothing else.
pub(super) fn taken_back(entry: &HistoryEntry, earlier: &[HistoryEntry]) -> Option<usize> {
    let changes = entry
        .changes
        .as_ref()
        .filter(|changes| !changes.is_empty())?;
    let reverses = |other: &HistoryEntry| {
        let Some(others) = &other.changes else {
            return false;
        };
        let mut fields = changes.iter();
        changes.len() == others.len()
            && fields.all(|(field, raw)| {
                let mut others = others.iter();
                let other = others.find(|(name, _)| *name == field);
                other.is_some_and(|(_, other)| {
                    Change::read(field, raw).reverses(&Change::read(field, other))
                })
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

    #[test]
    fn a_change_takes_back_the_newest_one_that_it_reverses_whole() {
        let made = || entry(&json!({"a": {"old": 1, "new": 2}, "b": {"old": null, "new": "x"}}));
        let back = entry(&json!({"a": {"old": 2, "new": 1}, "b": {"old": "x", "new": null}}));
        let other = || entry(&json!({"a": {"old": 5, "new": 1}}));
        assert_eq!(taken_back(&back, &[other(), made(), made()]), Some(1));
        // Only a part of it, and more than it.
        let part = entry(&json!({"a": {"old": 2, "new": 1}}));
        assert_eq!(taken_back(&part, &[made()]), None);
        assert_eq!(taken_back(&back, &[part]), None);
        // Of a value that is not known whole nobody can say so.
        let cut = entry(&json!({"a": {"old": "x", "new": "y", "cut": {"old": 9}}}));
        let back = entry(&json!({"a": {"old": "y", "new": "x"}}));
        assert_eq!(taken_back(&back, &[cut]), None);
        assert_eq!(taken_back(&entry(&json!({})), &[entry(&json!({}))]), None);
    }
}
