//! The history of a record: the lines about it, with what they did to its values.

mod cursor;
mod line;

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};
use serde_json::value::{RawValue, to_raw_value};
use svc_data::Row;
use svc_model::records::{HistoryActor, HistoryEntry, HistoryQuery};
use svc_model::{JsonObject, Scope};
use uuid::Uuid;

use self::cursor::Cursor;
use super::Audit;
use super::actor::{Actor, ActorKind};
use super::changes::{Changes, Kept};
use crate::clock;
use crate::database::{Reader, row, values};
use crate::error::{Error, Result};

/// Among how many lines the one is looked for that a write followed. Their order is that in which the service learnt of the
/// writes, which of writes at the same time may be another than that of the database. A cursor names fewer lines than that.
const LOOKED_AT: usize = 64;
/// How far such lines are apart at most.
const CLOSE: SignedDuration = SignedDuration::from_secs(2);

/// The record whose history is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryOf {
    /// The environment.
    pub scope: Scope,
    /// The resource.
    pub resource: String,
    /// The model.
    pub model: String,
    /// The primary key, as it is written in a path.
    pub record: String,
}

impl HistoryOf {
    /// The record of this key.
    pub fn new(
        scope: Scope,
        resource: impl Into<String>,
        model: impl Into<String>,
        record: impl Into<String>,
    ) -> Self {
        Self {
            scope,
            resource: resource.into(),
            model: model.into(),
            record: record.into(),
        }
    }
}

/// A part of a history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryPage {
    /// What was done: the newest first where they are of one record, and in the order of the keys where they are of one line.
    pub entries: Vec<HistoryEntry>,
    /// The cursor behind the last one, where more follow.
    pub after: Option<String>,
    /// How many there are in all, where that is known.
    pub count: Option<u64>,
}

impl Audit<'_> {
    /// A part of the history of a record, the newest first. It is there as soon as its writes are acknowledged, and stays when
    /// the record is deleted. Fields that may not be read are left out.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the cursor is not valid, else when the store cannot be read.
    pub async fn history(
        &self,
        of: &HistoryOf,
        query: &HistoryQuery,
        may_read: impl Fn(&str) -> bool + Send + 'static,
    ) -> Result<HistoryPage> {
        let cursor = query.after.as_deref().map(Cursor::parse).transpose()?;
        let mut cursor = cursor.unwrap_or_default();
        self.collect().await;
        let (of, wanted) = (of.clone(), query.per_page as usize);
        self.store
            .read(move |reader| {
                let lines = lines(reader, &of, &cursor, wanted + LOOKED_AT)?;
                let mut rest = VecDeque::from(lines);
                let mut entries = Vec::new();
                while entries.len() < wanted
                    && let Some(line) = next(&mut rest, &cursor)
                {
                    entries.push(line.entry(reader, &may_read)?);
                    cursor.given.push(line.uid);
                    cursor.expected = line.before;
                }
                let after = rest.front().map(|line| cursor.before(line.uid).to_text());
                Ok(HistoryPage {
                    entries,
                    after,
                    count: None,
                })
            })
            .await
    }
}

/// The columns that a [`Line`] is read from, besides `place`.
const COLUMNS: &str =
    "uid, date_add, actor_kind, actor_uid, actor_label, action, before_tag, after_tag, outcome";

/// What tells lines about writes to records from others. What users do themselves, such as signing in, is no change of their
/// record. The character behind `.` is `/`.
const WRITES: &str =
    "(action >= 'records.' AND action < 'records/' OR action >= 'users.' AND action < 'users/')";

/// A line about a record.
struct Line {
    uid: Uuid,
    time: Timestamp,
    actor: Actor,
    action: String,
    before: Option<String>,
    after: Option<String>,
    is_unknown: bool,
    /// The place of the record among those that the line is about, where they are several.
    place: Option<usize>,
}

/// Lines about a record from a place on, the newest first.
fn lines(
    reader: &mut Reader<'_>,
    of: &HistoryOf,
    cursor: &Cursor,
    most: usize,
) -> Result<Vec<Line>> {
    // No identifier is larger than this one.
    let newest = cursor.newest.unwrap_or(Uuid::max()).to_string();
    let (project, environment) = (
        of.scope.project.to_string(),
        of.scope.environment.to_string(),
    );
    let values = values![
        of.record,
        of.resource,
        of.model,
        project,
        environment,
        newest
    ];
    let most = most + cursor.given.len();
    let [of_one, of_many] = statements(most);
    let mut lines = reader.list(&of_one, &values, Line::from_row)?;
    lines.extend(reader.list(&of_many, &values, Line::from_row)?);
    lines.sort_unstable_by_key(|line| std::cmp::Reverse(line.uid));
    lines.retain(|line| !cursor.given.contains(&line.uid));
    lines.truncate(most - cursor.given.len());
    Ok(lines)
}

/// The statements for lines about one record, and for those about several of which it is one.
fn statements(most: usize) -> [String; 2] {
    // With `COALESCE` no index is used for what very many lines have.
    let is_of = format!(
        "resource = ?2 AND model = ?3 AND COALESCE(project, '') = ?4 AND environment = ?5 AND uid <= ?6 AND {WRITES}"
    );
    // A line about one record may have its key alone, and what was done to it then, or the keys of all.
    let of_one = format!(
        "SELECT {COLUMNS}, CASE WHEN keys IS NOT NULL THEN 0 END AS place FROM audit WHERE record = ?1 AND {is_of} ORDER BY uid DESC LIMIT {most}"
    );
    let of_many = format!(
        "SELECT {COLUMNS}, (SELECT MIN(key.key) FROM json_each(keys) AS key WHERE key.value = ?1) AS place FROM audit \
         WHERE keys IS NOT NULL AND COALESCE(record, '') = '' AND {is_of} AND EXISTS (SELECT 1 FROM json_each(keys) AS key WHERE key.value = ?1) \
         ORDER BY uid DESC LIMIT {most}"
    );
    [of_one, of_many]
}

/// The next line of a history: that of the write that the expected tag came from, where it is among the newest ones, else the
/// last one of them.
fn next(rest: &mut VecDeque<Line>, cursor: &Cursor) -> Option<Line> {
    let newest = rest.front()?;
    let waits = cursor.given.iter().filter(|given| **given < newest.uid);
    // A line that many others went before is not put off any longer: a cursor has room for so many. No line comes before one
    // that has no tags, whose place among others cannot be known.
    if waits.count() + 1 >= LOOKED_AT || !newest.has_tags() {
        return rest.pop_front();
    }
    let is_close =
        |line: &&Line| newest.time.duration_since(line.time).abs() <= CLOSE && line.has_tags();
    let close: Vec<&Line> = rest.iter().take(LOOKED_AT).take_while(is_close).collect();
    let expected = cursor.expected.as_ref();
    let found = expected.and_then(|expected| {
        let mut close = close.iter();
        close.position(|line| line.after.as_ref() == Some(expected))
    });
    let found = found.unwrap_or_else(|| last(&close));
    rest.remove(found)
}

/// The last one of the writes that followed the first of these lines, one after the other; itself where none did, and where they
/// lead back to it, since a value came back.
fn last(close: &[&Line]) -> usize {
    let follows = |line: &Line, other: &Line| {
        line.after.is_some() && other.before == line.after && other.after != other.before
    };
    let mut reached = vec![0];
    let mut looked_at = 0;
    while let Some((place, line)) = reached
        .get(looked_at)
        .and_then(|place| Some((*place, close.get(*place)?)))
    {
        looked_at += 1;
        let followers = close.iter().enumerate();
        let mut followers = followers
            .filter(|(other, it)| *other != place && follows(line, it))
            .map(|(other, _)| other)
            .peekable();
        if followers.peek().is_none() {
            return place;
        }
        let new: Vec<usize> = followers.filter(|it| !reached.contains(it)).collect();
        reached.extend(new);
    }
    0
}

impl Line {
    fn has_tags(&self) -> bool {
        self.before.is_some() || self.after.is_some()
    }

    fn from_row(row: &Row) -> Result<Self> {
        let place: Option<i64> = row.get("place")?;
        Ok(Self {
            uid: row::get(row, "uid")?,
            time: row::get(row, "date_add")?,
            actor: Actor {
                kind: row::get(row, "actor_kind")?,
                uid: row::get(row, "actor_uid")?,
                label: row::get(row, "actor_label")?,
            },
            action: row::get(row, "action")?,
            before: row::get(row, "before_tag")?,
            after: row::get(row, "after_tag")?,
            is_unknown: row.get::<Option<String>>("outcome")?.is_some(),
            place: place.and_then(|place| usize::try_from(place).ok()),
        })
    }

    fn without_values(&self) -> HistoryEntry {
        let Actor { kind, uid, label } = &self.actor;
        let uid = uid.map(|uid| uid.to_string());
        let actor = HistoryActor::new(ActorKind::as_str(*kind), uid, label.clone());
        let mut entry = HistoryEntry::new(clock::to_text(self.time), actor, &self.action);
        entry.outcome = self.is_unknown.then(|| super::row::UNKNOWN.to_owned());
        entry
    }

    fn entry(
        &self,
        reader: &mut Reader<'_>,
        may_read: &dyn Fn(&str) -> bool,
    ) -> Result<HistoryEntry> {
        let mut entry = self.without_values();
        let sql = "SELECT changes FROM audit WHERE uid = ?1";
        let kept = reader.find(sql, &values![self.uid], |row| {
            Ok(row.get::<Option<String>>("changes")?)
        })?;
        if let Some(json) = kept.flatten() {
            let kept = match self.place {
                Some(place) => Changes::of_place(&json, place).map_err(unreadable)?,
                None => Some(serde_json::from_str(&json).map_err(unreadable)?),
            };
            entry.changes = kept.map(|kept| by_field(kept, may_read)).transpose()?;
        }
        Ok(entry)
    }
}

/// What was done to each field that may be read.
fn by_field(json: &RawValue, may_read: &dyn Fn(&str) -> bool) -> Result<JsonObject> {
    let Kept { old, new, cut } = serde_json::from_str(json.get()).map_err(unreadable)?;
    let mut changes = JsonObject::new();
    let of_deleted = old.iter().filter(|(field, _)| !new.contains(field));
    let fields = new.iter().chain(of_deleted).map(|(field, _)| field);
    for field in fields.filter(|field| may_read(field)) {
        let mut lengths = JsonObject::new();
        let mut change = JsonObject::new();
        for (name, values, cut) in [("old", &old, &cut.old), ("new", &new, &cut.new)] {
            copy(values, field, &mut change, name)?;
            copy(cut, field, &mut lengths, name)?;
        }
        if !lengths.is_empty() {
            change.set("cut", &lengths).map_err(unreadable)?;
        }
        changes.set_raw(field, to_raw_value(&change).map_err(unreadable)?);
    }
    Ok(changes)
}

fn copy(from: &JsonObject, field: &str, to: &mut JsonObject, name: &str) -> Result<()> {
    if let Some(value) = from.get_raw(field) {
        let value = RawValue::from_string(value.to_owned()).map_err(unreadable)?;
        to.set_raw(name, value);
    }
    Ok(())
}

fn unreadable(source: serde_json::Error) -> Error {
    Error::internal("values that the audit trail keeps cannot be read").with_source(source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[tokio::test]
    async fn the_lines_about_a_record_are_found_by_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let indexes = ["(record=? AND uid<?)", "(resource=? AND model=? AND uid<?)"];
        for (sql, index) in statements(10).into_iter().zip(indexes) {
            let plan = store.read(move |reader| {
                let explain = format!("EXPLAIN QUERY PLAN {sql}");
                let values = values!["1", "shop", "orders", "main", "prod", "z"];
                reader.list(&explain, &values, |row| Ok(row.get::<String>("detail")?))
            });
            let plan = plan.await.unwrap();
            assert!(plan[0].contains(index), "{plan:?}");
        }
    }

    fn line(number: u8, before: &str, after: &str) -> Line {
        let tag = |tag: &str| (!tag.is_empty()).then(|| tag.to_owned());
        Line {
            uid: Uuid::from_u128(number.into()),
            time: Timestamp::UNIX_EPOCH,
            actor: Actor::anonymous(),
            action: "records.update".to_owned(),
            before: tag(before),
            after: tag(after),
            is_unknown: false,
            place: None,
        }
    }

    /// The order in which lines come of which these are the newest first.
    fn order(lines: Vec<Line>) -> Vec<u128> {
        let mut rest = VecDeque::from(lines);
        let mut cursor = Cursor::default();
        while let Some(line) = next(&mut rest, &cursor) {
            cursor.given.push(line.uid);
            cursor.expected = line.before;
        }
        cursor.given.iter().map(Uuid::as_u128).collect()
    }

    #[test]
    fn a_line_is_put_off_for_so_many_others_that_a_cursor_can_name_them() {
        let tag = |number: u8| format!("t{number}");
        // One that nothing follows, before a long chain.
        let mut lines = vec![line(200, "a", &tag(199)), line(199, "x", "y")];
        lines.extend(
            (1..=100)
                .rev()
                .map(|number| line(number, &tag(number - 1), &tag(number))),
        );
        lines[0].before = Some(tag(100));
        let order = order(lines);
        assert_eq!(order.iter().position(|uid| *uid == 199), Some(LOOKED_AT));
        assert_eq!(order.len(), 102);
    }

    #[test]
    fn a_write_comes_behind_the_one_that_it_followed() {
        let swapped = vec![
            line(5, "d", "e"),
            line(4, "b", "c"),
            line(3, "c", "d"),
            line(2, "a", "b"),
        ];
        assert_eq!(order(swapped), [5, 3, 4, 2]);
        let newest = vec![line(3, "b", "c"), line(2, "c", "d"), line(1, "a", "b")];
        assert_eq!(order(newest), [2, 3, 1]);
        let several = vec![
            line(4, "b", "c"),
            line(3, "a", "b"),
            line(2, "d", "e"),
            line(1, "c", "d"),
        ];
        assert_eq!(order(several), [2, 1, 4, 3]);
        // Something else has changed the record meanwhile.
        let broken = vec![line(4, "y", "z"), line(3, "b", "c"), line(2, "c", "d")];
        assert_eq!(order(broken), [4, 2, 3]);
    }

    #[test]
    fn the_order_of_lines_stays_where_it_fits_and_where_none_does() {
        let back_and_forth = vec![
            line(4, "b", "a"),
            line(3, "a", "b"),
            line(2, "b", "a"),
            line(1, "", "b"),
        ];
        assert_eq!(order(back_and_forth), [4, 3, 2, 1]);
        let came_back = vec![line(3, "c", "b"), line(2, "b", "c"), line(1, "q", "r")];
        assert_eq!(order(came_back), [3, 2, 1]);
        let unchanged = vec![line(3, "y", "b"), line(2, "b", "b"), line(1, "", "b")];
        assert_eq!(order(unchanged), [3, 2, 1]);
        let elsewhere = vec![line(3, "x", "y"), line(2, "p", "q"), line(1, "", "a")];
        assert_eq!(order(elsewhere), [3, 2, 1]);
        let without_tags = vec![
            line(4, "b", "c"),
            line(3, "", ""),
            line(2, "", ""),
            line(1, "a", "b"),
        ];
        assert_eq!(order(without_tags), [4, 3, 2, 1]);
    }

    #[test]
    fn a_field_that_may_not_be_read_does_not_exist() {
        let kept = r#"{"old":{"a":1,"pay":2},"new":{"a":9007199254740993,"pay":3},"cut":{"new":{"pay":9}}}"#;
        let kept: &RawValue = serde_json::from_str(kept).unwrap();
        let shown = |may_read: &dyn Fn(&str) -> bool| {
            serde_json::to_string(&by_field(kept, may_read).unwrap()).unwrap()
        };
        assert_eq!(
            shown(&|_| true),
            r#"{"a":{"old":1,"new":9007199254740993},"pay":{"old":2,"new":3,"cut":{"new":9}}}"#
        );
        assert_eq!(
            shown(&|field| field == "a"),
            r#"{"a":{"old":1,"new":9007199254740993}}"#
        );
    }
}
