//! History: what writes through the service did to a record.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::Collection;
use crate::{
    Draft, Invalid, JsonObject, PageQuery, Paginated, RecordId,
    query::parse_pairs,
    wire::{Operation, PagedOperation},
};

/// History: `GET B/{id}/history`, 200 with a page of [`HistoryEntry`], the newest first. It stays when the record is deleted.
///
/// The pages follow each other by their cursors; their number is not known.
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/{resource}/models/{model}/{id}/history")]
#[operation(name = "records.get_history", credential = StaticToken, answer = Paginated<HistoryEntry>)]
#[operation(new = "Gets who changed a record, when, and what its fields had before and after.")]
#[non_exhaustive]
pub struct GetHistory {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// The key of the record.
    #[wire(path)]
    pub id: RecordId,
    /// The number of the page; no other than 1 is allowed.
    #[wire(query = "page")]
    pub page: Option<u64>,
    /// The number of entries on a page: 25 when `None`, at most [`MAX_HISTORY_PAGE`].
    #[wire(query = "_per_page")]
    pub per_page: Option<u32>,
    /// The cursor that the page begins after.
    #[wire(query = "_after")]
    pub after: Option<String>,
    /// The ID under which it is listed while it runs; the service chooses one when this is `None`.
    #[wire(header = "x-statement-id")]
    pub statement_id: Option<String>,
}

impl PagedOperation for GetHistory {
    type Item = HistoryEntry;

    fn set_page(&mut self, page: u64) {
        self.page = Some(page);
    }

    fn set_per_page(&mut self, per_page: u32) {
        self.per_page = Some(per_page);
    }

    fn seek(&mut self, PageQuery { after, .. }: PageQuery) -> bool {
        let moved = after != self.after;
        (self.page, self.after) = (None, after);
        moved
    }
}

/// The maximum number of entries on a page of a history.
pub const MAX_HISTORY_PAGE: u32 = 100;

/// Which part of a history is wanted, as the service reads it from the query string.
///
/// ```
/// use svc_model::records::HistoryQuery;
///
/// let query = HistoryQuery::parse("_per_page=500")?;
/// assert_eq!((query.per_page, query.after), (100, None));
/// assert!(HistoryQuery::parse("_order_by=id").is_err());
/// # Ok::<(), svc_model::Invalid>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryQuery {
    /// The number of entries on the page.
    pub per_page: u32,
    /// The cursor that the page begins after.
    pub after: Option<String>,
}

impl Default for HistoryQuery {
    fn default() -> Self {
        Self {
            per_page: 25,
            after: None,
        }
    }
}

impl HistoryQuery {
    /// Reads the query string.
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter and malformed value.
    pub fn parse(query: &str) -> Result<Self, Invalid> {
        Self::parse_with(query, |_, _| false)
    }

    /// Reads the query string, of which `other` takes parameters that are not about pages.
    pub(crate) fn parse_with(
        query: &str,
        mut other: impl FnMut(&str, &str) -> bool,
    ) -> Result<Self, Invalid> {
        let pairs = parse_pairs(query).map_err(|error| Invalid::general(error.to_string()))?;
        let mut read = Self::default();
        let mut invalid = Invalid::new();
        for (key, value) in &pairs {
            if other(key, value) {
                continue;
            }
            match &**key {
                "_per_page" => match value.parse::<u64>() {
                    Ok(number @ 1..) => {
                        let number = number.min(u64::from(MAX_HISTORY_PAGE));
                        read.per_page = u32::try_from(number).unwrap_or(MAX_HISTORY_PAGE);
                    }
                    _ => invalid.push_field(key, "must be a number of at least 1"),
                },
                "_after" if !value.is_empty() => read.after = Some(value.to_string()),
                "_after" => invalid.push_field(key, "is not a cursor of this service"),
                "page" if value == "1" => {}
                "page" => invalid.push_field(key, "follow `next` to further pages of a history"),
                // A client with `draft` on sends this parameter with every request.
                "draft" => {
                    if let Err(error) = value.parse::<Draft>() {
                        invalid.push_field(key, error.to_string());
                    }
                }
                _ => invalid.push_general(format!("unknown parameter {key:?}")),
            }
        }
        invalid.into_result().map(|()| read)
    }
}

/// What a write did to a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HistoryEntry {
    /// When: a date text in UTC.
    pub time: String,
    /// Who.
    pub actor: HistoryActor,
    /// The operation, such as `records.update`.
    pub action: String,
    /// The unique ID of its line of the audit trail, where the entries are those of a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// The key of the record, where the entries are those of a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// `unknown` where the service was ended before it knew whether the write was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The fields that were changed, each a [`FieldChange`]; `None` where their values were not kept.
    pub changes: Option<JsonObject>,
}

impl HistoryEntry {
    /// An entry without values.
    pub fn new(time: impl Into<String>, actor: HistoryActor, action: impl Into<String>) -> Self {
        Self {
            time: time.into(),
            actor,
            action: action.into(),
            line: None,
            record: None,
            outcome: None,
            changes: None,
        }
    }

    /// What was done to a field; `None` where it was not changed, or that is not known.
    ///
    /// ```
    /// use svc_model::records::HistoryEntry;
    ///
    /// let entry: HistoryEntry = serde_json::from_str(
    ///     r#"{"time":"2026-11-24T08:00:00Z","actor":{"kind":"user","uid":null,"label":"ada@example.com"},
    ///         "action":"records.update","changes":{"status":{"old":null,"new":"paid"}}}"#,
    /// )?;
    /// let change = entry.change("status").expect("it was changed");
    /// assert_eq!(change.new, Some("paid".into()));
    /// assert_eq!(change.old, Some(serde_json::Value::Null));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn change(&self, field: &str) -> Option<FieldChange> {
        self.changes.as_ref()?.get(field).ok().flatten()
    }
}

/// Who made a write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HistoryActor {
    /// The credential: `api_key`, `account`, `static_token`, `user`, `service_token`, `anonymous`, or `program` for the service
    /// itself.
    pub kind: String,
    /// The identifier of the credential or the user.
    pub uid: Option<String>,
    /// The name that people know it by: an e-mail address, or the prefix of a token.
    pub label: Option<String>,
}

impl HistoryActor {
    /// The holder of a credential.
    pub fn new(kind: impl Into<String>, uid: Option<String>, label: Option<String>) -> Self {
        Self {
            kind: kind.into(),
            uid,
            label,
        }
    }
}

/// What a write did to a field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FieldChange {
    /// The value before the write; `None` where the record was created, [`Value::Null`] for NULL.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub old: Option<Value>,
    /// The value after the write; `None` where the record was deleted, [`Value::Null`] for NULL.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub new: Option<Value>,
    /// The lengths of values that were too long to be kept whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<CutLengths>,
}

/// How many bytes values have of which a [`FieldChange`] has the beginning, as text: the bytes of a text, and of anything else
/// those of its JSON. `None` for a value that is whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CutLengths {
    /// The length of the value before the write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<u64>,
    /// The length of the value after the write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<u64>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_of_other_lists_are_refused() {
        for wrong in [
            "_per_page=0",
            "_per_page=x",
            "_after=",
            "page=2",
            "_search=a",
            "id=1",
        ] {
            assert!(HistoryQuery::parse(wrong).is_err(), "{wrong}");
        }
        let query = HistoryQuery::parse("page=1&_per_page=2&_after=x&draft=1").unwrap();
        assert_eq!((query.per_page, query.after.as_deref()), (2, Some("x")));
        assert_eq!(HistoryQuery::parse("").unwrap(), HistoryQuery::default());
    }

    #[test]
    fn the_next_page_is_found_by_its_cursor() {
        let collection = Collection::new(("p", "prod"), "r", "m");
        let mut history = GetHistory::new(collection, 7);
        let page: Paginated<HistoryEntry> = serde_json::from_str(
            r#"{"count":null,"next":"https://example.com/x?_after=a~b","previous":null,"results":[]}"#,
        )
        .unwrap();
        assert!(history.seek(page.next_query().unwrap()));
        assert_eq!(history.query().as_str(), "_after=a~b");
        assert!(!history.seek(page.next_query().unwrap()));
    }
}
