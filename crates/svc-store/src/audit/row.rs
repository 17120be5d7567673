//! A line as it is written: into the table, and before that into the journal of writes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use svc_data::Value;
use uuid::Uuid;

use super::actor::{Actor, ActorKind, By};
use super::changes::Changes;
use super::entry::AuditEntry;
use super::line::{AuditLine, read_keys};
use crate::clock;
use crate::database::values;
use crate::error::Result;

/// Inserts a line.
pub(crate) const INSERT: &str = "INSERT INTO audit (uid, date_add, project, environment, actor_kind, actor_uid, \
     actor_label, action, resource, model, record, request_id, before_tag, after_tag, status, outcome, records, keys, \
     changes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";
/// The `outcome` of a line about a write whose end nobody knows.
pub(super) const UNKNOWN: &str = "unknown";

/// The columns of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NewLine {
    uid: Uuid,
    date_add: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    environment: Option<String>,
    actor_kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    actor_uid: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    actor_label: Option<String>,
    action: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    record: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before_tag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after_tag: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    /// How many records it is about, where it is about several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    records: Option<i64>,
    /// Their keys, as a JSON array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keys: Option<String>,
    /// What was done to their values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    changes: Option<Changes>,
}

impl NewLine {
    /// The line about a change that was made at this time, under an identifier of that time.
    pub(crate) fn new(uid: Uuid, now: Timestamp, by: &By, entry: AuditEntry) -> Self {
        let records = records(&entry);
        let actor = entry.actor.as_ref().unwrap_or(&by.actor);
        Self {
            uid,
            date_add: clock::to_text(now),
            actor_kind: actor.kind.as_str().to_owned(),
            actor_uid: actor.uid,
            actor_label: actor.label.clone(),
            project: entry.project,
            environment: entry.environment,
            action: entry.action.to_owned(),
            resource: entry.resource,
            model: entry.model,
            record: entry.record,
            request_id: by.request_id.clone(),
            before_tag: entry.before,
            after_tag: entry.after,
            status: entry.status,
            outcome: None,
            records,
            keys: records.and_then(|_| serde_json::to_string(&entry.keys).ok()),
            changes: entry.changes,
        }
    }

    /// The same line about a write whose end nobody knows.
    pub(super) fn unknown(mut self) -> Self {
        self.outcome = Some(UNKNOWN.to_owned());
        self
    }

    /// The same line about a write that is known to be done.
    pub(super) fn known(mut self) -> Self {
        self.outcome = None;
        self
    }

    /// Its identifier.
    pub(super) fn uid(&self) -> Uuid {
        self.uid
    }

    /// The same line with another identifier.
    pub(super) fn with_uid(self, uid: Uuid) -> Self {
        Self { uid, ..self }
    }

    /// The same line without the key of the record, or the keys of several, and without values.
    pub(super) fn without_record(self) -> Self {
        Self {
            record: None,
            keys: None,
            changes: None,
            ..self
        }
    }

    /// The line as it is read.
    pub(super) fn into_line(self) -> Result<AuditLine> {
        Ok(AuditLine {
            uid: self.uid,
            time: clock::from_text(&self.date_add)?,
            project: self.project,
            environment: self.environment,
            actor: Actor {
                kind: ActorKind::stored(&self.actor_kind)?,
                uid: self.actor_uid,
                label: self.actor_label,
            },
            action: self.action,
            resource: self.resource,
            model: self.model,
            record: self.record,
            request_id: self.request_id,
            before: self.before_tag,
            after: self.after_tag,
            status: self.status,
            outcome_is_unknown: self.outcome.is_some(),
            records: self.records.map(i64::unsigned_abs),
            keys: read_keys(self.keys.as_deref())?,
        })
    }

    /// The values of [`INSERT`], in its order.
    fn values(&self) -> Vec<Value> {
        values! {
            self.uid, self.date_add, self.project, self.environment, self.actor_kind, self.actor_uid,
            self.actor_label, self.action, self.resource, self.model, self.record, self.request_id,
            self.before_tag, self.after_tag, self.status.map(i64::from), self.outcome, self.records,
            self.keys, self.changes.as_ref().map(Changes::as_json)
        }
        .into()
    }

    /// The same for a store in a file or on a server. A text on a server cannot hold the character U+0000, and a line must not be lost for it.
    pub(crate) fn values_for(&self, is_on_server: bool) -> Vec<Value> {
        let mut values = self.values();
        if is_on_server {
            for value in &mut values {
                if let Value::Text(text) = value
                    && text.contains('\0')
                {
                    *text = text.replace('\0', "\u{FFFD}");
                }
            }
        }
        values
    }
}

/// How many records an entry is about, where it is about several.
fn records(entry: &AuditEntry) -> Option<i64> {
    let number = entry.keys.len();
    (number > 0).then(|| i64::try_from(number).unwrap_or(i64::MAX))
}
