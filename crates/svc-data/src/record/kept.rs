//! The values of a record that are kept for its history: what it was before a write, and what it is after it.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue as RawJson;

use crate::{
    Error, Model, Result,
    value::json::{write_integer, write_text},
};

/// The most bytes of values that are kept of one record, before the write and after it together.
const MAX_RECORD: usize = 256 << 10;
/// Values of another type than text, arrays and objects are longer than this in no column but one of JSON.
const SHORT: usize = 64;

/// Which values of records are kept for their history, and how much of each.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KeepValues {
    /// The most bytes that are kept of a text, an array or an object.
    pub limit: usize,
    /// The names of the fields that are never kept.
    pub left_out: Vec<String>,
}

impl KeepValues {
    /// Keeps all fields, and so much of each.
    #[must_use]
    pub fn up_to(limit: usize) -> Self {
        Self {
            limit,
            left_out: Vec::new(),
        }
    }
}

/// The same for one model.
#[derive(Clone, Debug)]
pub(crate) struct Keeping(Arc<OfModel>);

#[derive(Debug)]
struct OfModel {
    limit: usize,
    fields: Option<Arc<[usize]>>,
}

impl Keeping {
    pub(crate) fn new(model: &Model, values: &KeepValues) -> Self {
        let is_kept = |index: &usize| {
            let field = model.fields.get(*index);
            field.is_some_and(|field| !values.left_out.contains(&field.name))
        };
        let fields = (!values.left_out.is_empty())
            .then(|| (0..model.fields.len()).filter(is_kept).collect());
        Self(Arc::new(OfModel {
            limit: values.limit,
            fields,
        }))
    }

    /// The fields that are kept, in the order of the columns; `None` for all.
    pub(crate) fn fields(&self) -> Option<&Arc<[usize]>> {
        self.0.fields.as_ref()
    }

    /// Keeps a record, of which this is a JSON object with the fields that are kept.
    pub(crate) fn keep(&self, object: Bytes) -> Kept {
        Kept::Whole {
            object,
            limit: self.0.limit,
        }
    }
}

/// What is kept of a record.
#[derive(Clone, Debug, Default)]
pub(crate) enum Kept {
    #[default]
    Nothing,
    /// Its fields, as a JSON object.
    Whole { object: Bytes, limit: usize },
    /// What a write did to it, as [`changes`](Self::changed) gives it.
    Changes(String),
}

impl Kept {
    /// What changed between two states of a record.
    pub(crate) fn between(before: &Self, after: &Self) -> Result<Self> {
        let (
            Self::Whole { object, limit },
            Self::Whole {
                object: changed, ..
            },
        ) = (before, after)
        else {
            return Ok(Self::Nothing);
        };
        let (before, after) = (fields(object)?, fields(changed)?);
        let (mut old, mut new) = (Side::new(*limit), Side::new(*limit));
        for ((name, before), (_, after)) in before.iter().zip(&after) {
            if before.get() != after.get() {
                old.add(name, before)?;
                new.add(name, after)?;
            }
        }
        Ok(Self::Changes(joined(Some(old), Some(new))))
    }

    /// What a write did that created the record, or changed it.
    pub(crate) fn as_created(&self) -> Result<Option<String>> {
        Ok(match self {
            Self::Nothing => None,
            Self::Changes(changes) => Some(changes.clone()),
            Self::Whole { object, limit } => Some(joined(None, Some(Side::of(object, *limit)?))),
        })
    }

    /// What a write did that deleted the record.
    pub(crate) fn as_deleted(&self) -> Result<Option<String>> {
        Ok(match self {
            Self::Nothing => None,
            Self::Changes(changes) => Some(changes.clone()),
            Self::Whole { object, limit } => Some(joined(Some(Side::of(object, *limit)?), None)),
        })
    }

    /// How many bytes it takes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Whole { object, .. } => object.len(),
            Self::Changes(changes) => changes.len(),
        }
    }
}

/// The JSON `{"old": {...}, "new": {...}, "cut": {"old": {...}, "new": {...}}}`.
fn joined(old: Option<Side>, new: Option<Side>) -> String {
    let sides = [("old", old), ("new", new)].map(|(name, side)| side.map(|side| (name, side)));
    let write = |part: &dyn Fn(&Side) -> Option<&Vec<u8>>| {
        let mut out = Vec::new();
        for (name, side) in sides.iter().flatten() {
            if let Some(part) = part(side) {
                out.push(if out.is_empty() { b'{' } else { b',' });
                write_text(&mut out, name);
                out.push(b':');
                out.extend_from_slice(part);
            }
        }
        out
    };
    let mut out = write(&|side| Some(&side.object));
    let cut = write(&|side| side.cut.as_ref());
    if !cut.is_empty() {
        out.extend_from_slice(b",\"cut\":");
        out.extend_from_slice(&cut);
        out.push(b'}');
    }
    out.push(b'}');
    // Made of JSON, which is text.
    String::from_utf8(out).unwrap_or_default()
}

/// The values that a record has before a write, or after it.
struct Side {
    limit: usize,
    /// How many bytes may still be added.
    rest: usize,
    object: Vec<u8>,
    /// The whole lengths of the values that were cut, as an object.
    cut: Option<Vec<u8>>,
}

impl Side {
    fn new(limit: usize) -> Self {
        Self {
            limit,
            rest: MAX_RECORD / 2,
            object: b"{}".to_vec(),
            cut: None,
        }
    }

    /// All fields of an object.
    fn of(object: &[u8], limit: usize) -> Result<Self> {
        let mut side = Self::new(limit);
        // None of its values can be longer than it is itself.
        if object.len() <= limit.min(side.rest) {
            side.object = object.to_vec();
            return Ok(side);
        }
        for (name, value) in fields(object)? {
            side.add(&name, value)?;
        }
        Ok(side)
    }

    /// Adds a value, or its beginning where it is too long.
    fn add(&mut self, name: &str, value: &RawJson) -> Result<()> {
        let json = value.get();
        let most = self.limit.min(self.rest);
        let may_be_cut =
            json.len() > most && (json.len() > SHORT || json.starts_with(['"', '[', '{']));
        let part = match may_be_cut {
            true => cut(json, most)?,
            false => None,
        };
        let before = self.object.len();
        member(&mut self.object, name, |out| match &part {
            Some((begin, _)) => write_text(out, begin),
            None => out.extend_from_slice(json.as_bytes()),
        });
        self.rest = self.rest.saturating_sub(self.object.len() - before);
        if let Some((_, length)) = part {
            let lengths = self.cut.get_or_insert_with(|| b"{}".to_vec());
            member(lengths, name, |out| write_integer(out, length));
        }
        Ok(())
    }
}

/// Adds a member to a JSON object.
fn member(object: &mut Vec<u8>, name: &str, write: impl FnOnce(&mut Vec<u8>)) {
    object.pop();
    if object.len() > 1 {
        object.push(b',');
    }
    write_text(object, name);
    object.push(b':');
    write(object);
    object.push(b'}');
}

/// The first bytes of a value as text, and how many the whole has: those of a text itself, and of anything else those of its
/// JSON. `None` where it is not too long.
fn cut(json: &str, most: usize) -> Result<Option<(String, usize)>> {
    let mut text = match json.starts_with('"') {
        true => serde_json::from_str(json).map_err(unreadable)?,
        false => json.to_owned(),
    };
    let length = text.len();
    if length <= most {
        return Ok(None);
    }
    text.truncate(text.floor_char_boundary(most));
    Ok(Some((text, length)))
}

/// The members of a JSON object, in their order.
fn fields(object: &[u8]) -> Result<Vec<(String, &RawJson)>> {
    let Fields(fields) = serde_json::from_slice(object).map_err(unreadable)?;
    Ok(fields)
}

fn unreadable(source: serde_json::Error) -> Error {
    Error::internal("a record that is kept is no JSON").with_source(source)
}

struct Fields<'a>(Vec<(String, &'a RawJson)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(json: &'static str, limit: usize) -> Kept {
        Kept::Whole {
            object: Bytes::from_static(json.as_bytes()),
            limit,
        }
    }

    fn between(before: &'static str, after: &'static str, limit: usize) -> String {
        let changes = Kept::between(&whole(before, limit), &whole(after, limit)).unwrap();
        changes.as_created().unwrap().unwrap()
    }

    #[test]
    fn only_what_differs_is_kept_of_a_change_byte_by_byte() {
        let before = r#"{"id":9007199254740993,"price":"1.50","doc":{"a": 1.0},"same":"x"}"#;
        let after = r#"{"id":9007199254740993,"price":"1.5","doc":{"a": 1.00},"same":"x"}"#;
        assert_eq!(
            between(before, after, 100),
            r#"{"old":{"price":"1.50","doc":{"a": 1.0}},"new":{"price":"1.5","doc":{"a": 1.00}}}"#
        );
        assert_eq!(between(before, before, 100), r#"{"old":{},"new":{}}"#);
    }

    #[test]
    fn a_created_record_has_new_values_and_a_deleted_one_old_ones() {
        let record = whole(r#"{"id":1,"name":"Ada"}"#, 100);
        let created = record.as_created().unwrap().unwrap();
        assert_eq!(created, r#"{"new":{"id":1,"name":"Ada"}}"#);
        let deleted = record.as_deleted().unwrap().unwrap();
        assert_eq!(deleted, r#"{"old":{"id":1,"name":"Ada"}}"#);
        assert_eq!(Kept::Nothing.as_created().unwrap(), None);
    }

    #[test]
    fn a_long_value_is_cut_between_two_characters_and_keeps_its_length() {
        let record = whole(
            r#"{"id":12345,"a":"ééé","b":[1,2,3],"c":"ab\n","d":null}"#,
            3,
        );
        assert_eq!(
            record.as_created().unwrap().unwrap(),
            r#"{"new":{"id":12345,"a":"é","b":"[1,","c":"ab\n","d":null},"cut":{"new":{"a":6,"b":7}}}"#
        );
    }

    #[test]
    fn values_differ_by_what_is_behind_the_place_where_they_are_cut() {
        assert_eq!(
            between(r#"{"a":"xxxx1"}"#, r#"{"a":"xxxx2"}"#, 4),
            r#"{"old":{"a":"xxxx"},"new":{"a":"xxxx"},"cut":{"old":{"a":5},"new":{"a":5}}}"#
        );
    }

    #[test]
    fn a_record_of_many_long_values_keeps_so_many_bytes_in_all() {
        let value = format!("\"{}\"", "x".repeat(40_000));
        let fields: Vec<String> = (0..200).map(|at| format!("\"f{at}\":{value}")).collect();
        let record = Kept::Whole {
            object: format!("{{{}}}", fields.join(",")).into(),
            limit: 1 << 20,
        };
        let kept = record.as_deleted().unwrap().unwrap();
        assert!(kept.len() < MAX_RECORD, "{}", kept.len());
        assert!(kept.contains(r#""f199":40000"#));
    }
}
