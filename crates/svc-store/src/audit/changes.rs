//! What writes did to the values of records, as lines keep it.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use svc_model::JsonObject;

/// The most bytes of a line about several records that are kept of their values.
const MAX_OF_MANY: usize = 1 << 20;

/// What a write did to the values of a record, or of each of several: JSON, kept as it is.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Changes(Box<RawValue>);

impl Changes {
    /// What was done to one record: the JSON `{"old": {...}, "new": {...}}`, as `svc_data::Written::changes` gives it. Anything
    /// but JSON is left out.
    #[must_use]
    pub fn of_record(json: String) -> Option<Self> {
        match RawValue::from_string(json) {
            Ok(json) => Some(Self(json)),
            Err(error) => {
                tracing::error!(%error, "values that were to be kept in the audit trail are no JSON");
                None
            }
        }
    }

    /// What was done to each of several records, `None` where that is not known. The first of them are kept, up to a mebibyte
    /// in all.
    #[must_use]
    pub fn of_records(each: impl IntoIterator<Item = Option<String>>) -> Option<Self> {
        let (mut array, mut known) = ("[".to_owned(), 0);
        for (number, changes) in each.into_iter().enumerate() {
            let changes = changes.as_deref().unwrap_or("null");
            if array.len() + changes.len() > MAX_OF_MANY {
                break;
            }
            if number > 0 {
                array.push(',');
            }
            array.push_str(changes);
            if changes != "null" {
                // What follows the last one that is known is left out.
                known = array.len();
            }
        }
        array.truncate(known);
        array.push(']');
        (known > 0).then(|| Self::of_record(array)).flatten()
    }

    /// The JSON.
    #[must_use]
    pub fn as_json(&self) -> &str {
        self.0.get()
    }

    /// What was done to each of several records, in the order of their keys; nothing behind the last one that is known.
    pub(super) fn of_each(json: &str) -> Result<Vec<Option<&RawValue>>, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// What was done to the record that has this place among those of its line.
    pub(super) fn of_place(
        json: &str,
        place: usize,
    ) -> Result<Option<&RawValue>, serde_json::Error> {
        Ok(Self::of_each(json)?.get(place).copied().flatten())
    }
}

/// What a write did to the values of a record, field by field.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Kept {
    pub(super) old: JsonObject,
    pub(super) new: JsonObject,
    #[serde(skip_serializing_if = "Lengths::is_empty")]
    pub(super) cut: Lengths,
}

/// The whole lengths of values of which only the beginning is kept.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Lengths {
    pub(super) old: JsonObject,
    pub(super) new: JsonObject,
}

impl Lengths {
    fn is_empty(&self) -> bool {
        self.old.is_empty() && self.new.is_empty()
    }
}

/// What two changes of a record did together, one after the other. `None` where that of one is not known.
pub(super) fn together(earlier: Option<&str>, later: Option<&str>) -> Option<String> {
    let (earlier, later) = (earlier?, later?);
    let merged = serde_json::from_str(earlier).and_then(|earlier: Kept| {
        let later: Kept = serde_json::from_str(later)?;
        serde_json::to_string(&earlier.and_then(&later))
    });
    match merged {
        Ok(merged) => Some(merged),
        Err(error) => {
            tracing::error!(%error, "values that were to be kept in the audit trail are no changes");
            None
        }
    }
}

impl Kept {
    fn and_then(mut self, later: &Self) -> Self {
        let known_before = |field: &str| self.old.contains(field);
        let first: Vec<String> = later
            .old
            .iter()
            .map(|(field, _)| field.to_owned())
            .filter(|field| !known_before(field))
            .collect();
        for field in &first {
            copy(&later.old, field, &mut self.old);
            copy(&later.cut.old, field, &mut self.cut.old);
        }
        for (field, _) in later.new.iter() {
            self.cut.new.remove(field);
            copy(&later.new, field, &mut self.new);
            copy(&later.cut.new, field, &mut self.cut.new);
        }
        // What came back did not change.
        let is_back = |field: &str| {
            let is_cut = self.cut.old.contains(field) || self.cut.new.contains(field);
            !is_cut && self.old.get_raw(field) == self.new.get_raw(field)
        };
        let fields = self.new.iter().map(|(field, _)| field);
        let back: Vec<String> = fields
            .filter(|field| is_back(field))
            .map(str::to_owned)
            .collect();
        for field in back {
            self.old.remove(&field);
            self.new.remove(&field);
        }
        self
    }
}

fn copy(from: &JsonObject, field: &str, to: &mut JsonObject) {
    let value = from
        .get_raw(field)
        .map(|value| RawValue::from_string(value.to_owned()));
    if let Some(Ok(value)) = value {
        to.set_raw(field, value);
    }
}

/// Without the values, which are nothing for a log.
impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Changes({} bytes)", self.as_json().len())
    }
}

impl PartialEq for Changes {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json()
    }
}

impl Eq for Changes {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_several_records_is_found_by_its_place() {
        let each = [
            Some("{\"new\":1}".to_owned()),
            None,
            Some("{\"new\":3}".to_owned()),
            None,
        ];
        let changes = Changes::of_records(each).unwrap();
        assert_eq!(changes.as_json(), r#"[{"new":1},null,{"new":3}]"#);
        let of_place = |place| {
            let found = Changes::of_place(changes.as_json(), place).unwrap();
            found.map(|found| found.get().to_owned())
        };
        assert_eq!(of_place(0).as_deref(), Some("{\"new\":1}"));
        assert_eq!(of_place(2).as_deref(), Some("{\"new\":3}"));
        assert_eq!((of_place(1), of_place(3)), (None, None));
        assert_eq!(Changes::of_records([None, None]), None);
    }

    #[test]
    fn two_changes_of_a_record_are_one_from_the_first_value_to_the_last() {
        let one = r#"{"old":{"a":1,"b":"x","c":null},"new":{"a":2,"b":"y","c":3}}"#;
        let two = r#"{"old":{"a":2,"c":3,"d":[1]},"new":{"a":1,"c":4,"d":[2]}}"#;
        assert_eq!(
            together(Some(one), Some(two)).as_deref(),
            Some(r#"{"old":{"b":"x","c":null,"d":[1]},"new":{"b":"y","c":4,"d":[2]}}"#)
        );
        let long = r#"{"old":{"a":1},"new":{"a":"xx"},"cut":{"new":{"a":9}}}"#;
        let short = r#"{"old":{"a":"xx"},"new":{"a":"z"},"cut":{"old":{"a":9}}}"#;
        assert_eq!(
            together(Some(long), Some(short)).as_deref(),
            Some(r#"{"old":{"a":1},"new":{"a":"z"}}"#)
        );
        // Of two beginnings nobody can say whether the whole is the same.
        assert_eq!(
            together(Some(short), Some(long)).as_deref(),
            Some(r#"{"old":{"a":"xx"},"new":{"a":"xx"},"cut":{"old":{"a":9},"new":{"a":9}}}"#)
        );
        assert_eq!(together(Some(one), None), None);
        assert_eq!(together(None, Some(two)), None);
    }

    #[test]
    fn so_much_is_kept_of_many_records_and_no_more() {
        let one = format!("{{\"new\":\"{}\"}}", "x".repeat(1_000));
        let each = (0..2_000).map(|_| Some(one.clone()));
        let kept = Changes::of_records(each).unwrap();
        assert!((MAX_OF_MANY - 2_000..=MAX_OF_MANY + 1).contains(&kept.as_json().len()));
    }
}
