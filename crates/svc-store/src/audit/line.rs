//! Lines of the trail, and which of them are wanted.

use jiff::Timestamp;
use svc_data::{Row, Value};
use svc_model::{EnvironmentName, ProjectName};
use uuid::Uuid;

use super::actor::Actor;
use crate::clock;
use crate::database::{columns, row};
use crate::error::{Error, Result};

/// A line of the trail.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditLine {
    /// Identifier. Later lines have a larger one.
    pub uid: Uuid,
    /// When it was done.
    pub time: Timestamp,
    /// The project, where it was about one.
    pub project: Option<String>,
    /// The environment, where it was about one.
    pub environment: Option<String>,
    /// Who did it.
    pub actor: Actor,
    /// What was done: a group and a verb, such as `records.update`.
    pub action: String,
    /// The resource.
    pub resource: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The primary key of a record, as it is written in a path; the uid or the name of anything else.
    pub record: Option<String>,
    /// The `X-Request-Id` of the request; `None` for what was no request.
    pub request_id: Option<String>,
    /// The entity tag of what it was, without quotes; `None` where it was not there.
    pub before: Option<String>,
    /// The entity tag of what it is, without quotes; `None` where it was deleted.
    pub after: Option<String>,
    /// The status of the answer to a request that was sent elsewhere; `None` for anything else, and where none came.
    pub status: Option<u16>,
    /// Whether nobody knows how the write ended: the service was ended before it knew.
    pub outcome_is_unknown: bool,
    /// How many records it is about, where it is about several.
    pub records: Option<u64>,
    /// The primary keys of these records; empty where the service was ended before it could write them.
    pub keys: Vec<String>,
}

/// Which lines are wanted; what is `None` lets all through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditFilter {
    /// The project.
    pub project: Option<ProjectName>,
    /// The environment.
    pub environment: Option<EnvironmentName>,
    /// An action, such as `records.update`, or all of a group: `records`.
    pub action: Option<String>,
    /// The kind, the uid or the label of who did it.
    pub actor: Option<String>,
    /// The resource.
    pub resource: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The key, uid or name of what was changed.
    pub record: Option<String>,
    /// The request.
    pub request_id: Option<String>,
    /// Only writes of which nobody knows how they ended.
    pub outcome_is_unknown: bool,
    /// Not before this time.
    pub since: Option<Timestamp>,
    /// Before this time.
    pub until: Option<Timestamp>,
    /// Older than this line: what follows a page that ended with it.
    pub behind: Option<Uuid>,
}

/// The least `uid` that a line of this time can have.
pub(super) fn first_uid(time: Timestamp) -> String {
    Uuid::from_u128(u128::try_from(time.as_millisecond()).unwrap_or(0) << 80).to_string()
}

impl AuditFilter {
    /// Bounds of the `uid` of lines between two times, which has an index: not less than the first, and less than the second.
    /// They let more lines through than the times themselves, and all of these while the clock was set back by no more
    /// than a day.
    #[must_use]
    pub fn uid_bounds(
        since: Option<Timestamp>,
        until: Option<Timestamp>,
    ) -> (Option<String>, Option<String>) {
        // Behind a clock that was set back, identifiers are ahead of it.
        let margin = jiff::SignedDuration::from_hours(24);
        let until = until.map(|until| first_uid(until.saturating_add(margin).unwrap_or(until)));
        (since.map(first_uid), until)
    }
}

/// The statement for the lines that a filter lets through, the newest first.
pub(super) fn select(filter: &AuditFilter, limit: u32) -> (String, Vec<Value>) {
    let mut tests = vec!["1 = 1".to_owned()];
    let mut values = Vec::new();
    let mut test = |test: &str, value: Option<String>| {
        if let Some(value) = value {
            values.push(Value::from(value));
            tests.push(test.replace("?1", &format!("?{}", values.len())));
        }
    };
    let (project, environment) = (&filter.project, &filter.environment);
    let project = project.as_ref().map(ToString::to_string);
    let environment = environment.as_ref().map(ToString::to_string);
    // One of a record is found by the record, whose index is not taken where another one has the order, too.
    test(
        match filter.record {
            None => "project = ?1",
            Some(_) => "COALESCE(project, '') = ?1",
        },
        project,
    );
    test("environment = ?1", environment);
    let (group, action) = match &filter.action {
        Some(action) if action.contains('.') => (None, Some(action.clone())),
        group => (group.clone(), None),
    };
    test("action = ?1", action);
    // The character behind `.` is `/`.
    let first = group.as_ref().map(|name| format!("{name}."));
    test("action >= ?1", first);
    test("action < ?1", group.map(|name| format!("{name}/")));
    let is_actor = "(actor_uid = ?1 OR actor_label = ?1 OR actor_kind = ?1)";
    test(is_actor, filter.actor.clone());
    test("resource = ?1", filter.resource.clone());
    test("model = ?1", filter.model.clone());
    // By an index, and of the lines about several records by what they hold.
    let holds = "(record = ?1 OR uid IN (SELECT held.uid FROM audit AS held WHERE held.keys IS NOT NULL \
         AND EXISTS (SELECT 1 FROM json_each(held.keys) AS key WHERE key.value = ?1)))";
    test(holds, filter.record.clone());
    test("request_id = ?1", filter.request_id.clone());
    let unknown = filter.outcome_is_unknown;
    test("outcome = ?1", unknown.then(|| "unknown".to_owned()));
    // By the identifier, which has an index, down to the millisecond, and by the time from there.
    let (since, until) = AuditFilter::uid_bounds(filter.since, filter.until);
    test("uid >= ?1", since);
    test("date_add >= ?1", filter.since.map(clock::to_text));
    test("date_add < ?1", filter.until.map(clock::to_text));
    test("uid < ?1", until);
    test("uid < ?1", filter.behind.map(|uid| uid.to_string()));
    let sql = format!(
        "SELECT uid, date_add, project, environment, actor_kind, actor_uid, actor_label, action, resource, model, \
         record, request_id, before_tag, after_tag, status, outcome, records, keys FROM audit WHERE {} ORDER BY uid DESC LIMIT {limit}",
        tests.join(" AND ")
    );
    (sql, values)
}

pub(super) fn from_row(row: &Row) -> Result<AuditLine> {
    let actor = Actor {
        kind: row::get(row, "actor_kind")?,
        uid: row::get(row, "actor_uid")?,
        label: row::get(row, "actor_label")?,
    };
    let status: Option<i64> = row.get("status")?;
    let records: Option<i64> = row.get("records")?;
    columns!(row => AuditLine {
        time: row::get(row, "date_add")?,
        before: row::get(row, "before_tag")?,
        after: row::get(row, "after_tag")?,
        status: status.and_then(|status| u16::try_from(status).ok()),
        outcome_is_unknown: row.get::<Option<String>>("outcome")?.is_some(),
        records: records.map(i64::unsigned_abs),
        keys: read_keys(row.get::<Option<String>>("keys")?.as_deref())?,
        actor: actor,
        uid, project, environment, action, resource, model, record, request_id
    })
}

/// Reads the keys of a line.
pub(super) fn read_keys(keys: Option<&str>) -> Result<Vec<String>> {
    let unreadable = |source| {
        Error::internal("the keys of a line of the audit trail are no JSON").with_source(source)
    };
    keys.map_or(Ok(Vec::new()), |keys| {
        serde_json::from_str(keys).map_err(unreadable)
    })
}
