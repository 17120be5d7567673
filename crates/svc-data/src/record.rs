//! Records in and out: pages, single records with their entity tag, and the bodies of writes.

mod body;
mod bulk;
pub(crate) mod change_all;
mod commit_gate;
mod commit_note;
pub(crate) mod excerpt;
pub(crate) mod fixed;
pub(crate) mod kept;
mod key_values;
pub(crate) mod projection;
pub(crate) mod raw;
pub(crate) mod refusal;
mod upsert;

use std::mem::take;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use svc_model::{CountIs, JsonObject, RecordId};

pub(crate) use self::commit_note::Note;
use self::key_values::key_values;
pub(crate) use self::{
    body::{Purpose, RecordBody, check_size, read_body, read_key},
    bulk::{BulkPlan, BulkResults, take_back},
    kept::{Keeping, Kept},
    projection::Projection,
    upsert::UniqueKey,
};
pub use self::{
    bulk::{BeforeCommit, Prepared},
    change_all::ChangedRecords,
    commit_gate::CommitGate,
    commit_note::{CommitNote, Written},
    kept::KeepValues,
    raw::{RawValue, ValueForm},
};
use crate::{Error, ErrorKind, Field, Model, Result};

/// What a driver returns of a page: all of it, or the first records and where they end.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) results: Bytes,
    pub(crate) len: usize,
    pub(crate) count: Option<Counted>,
    pub(crate) has_more: bool,
    /// The cursor before its first record, where the list was read from a number of records on.
    pub(crate) before: Option<String>,
    /// How many records are before the place where reading began, as far as that is known.
    pub(crate) offset: Option<u64>,
    /// The cursor behind the record that was read last, where more follow.
    pub(crate) after: Option<String>,
    /// Where its records are, and what was read beside them.
    pub(crate) beside: Option<Beside>,
}

/// Where the records of a part are in its JSON, and the values of some fields of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beside {
    /// Where each record ends.
    pub(crate) ends: Vec<usize>,
    /// The values of the records as JSON, one behind the other, and where each of them ends.
    pub(crate) values: Vec<u8>,
    pub(crate) value_ends: Vec<usize>,
}

/// How many records match, and how that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) number: u64,
    pub(crate) is: CountIs,
}

impl Counted {
    pub(crate) fn exact(number: u64) -> Self {
        let is = CountIs::Exact;
        Self { number, is }
    }

    pub(crate) fn estimate(number: u64) -> Self {
        let is = CountIs::Estimate;
        Self { number, is }
    }
}

/// One record.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordJson {
    /// A JSON object.
    pub body: Bytes,
    /// The entity tag of the whole record, with its quotes, whatever fields are shown. Empty where [the primary key was
    /// enough](crate::BulkOptions::keys_suffice).
    pub etag: String,
    /// What it was before, where it was changed just now.
    pub before: Option<Before>,
    /// What is kept of it for its history.
    pub(crate) kept: Kept,
}

impl RecordJson {
    /// A record that was not changed.
    pub(crate) fn new(body: Bytes, etag: String) -> Self {
        Self {
            body,
            etag,
            before: None,
            kept: Kept::Nothing,
        }
    }

    /// The same record, of which this is kept.
    pub(crate) fn keep(self, kept: Kept) -> Self {
        Self { kept, ..self }
    }

    /// Its fields and their values.
    pub(crate) fn fields(&self) -> Result<JsonObject> {
        serde_json::from_slice(&self.body)
            .map_err(|source| Error::internal("a record is no JSON").with_source(source))
    }

    /// The primary key, as it appears in a path.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal) when this is no record of the model.
    pub fn id(&self, model: &Model) -> Result<RecordId> {
        let strange = || Error::internal("a record has no primary key");
        let names = model.primary_key().map(|field| field.name.as_str());
        let values = key_values(&names.collect::<Vec<_>>(), &self.body)
            .map_err(|source| Error::internal("a record is no JSON").with_source(source))?;
        let parts = values.into_iter().map(|value| {
            let json = value.ok_or_else(strange)?.get();
            Ok(match json.starts_with('"') {
                true => serde_json::from_str(json).map_err(|_| strange())?,
                false => json.to_owned(),
            })
        });
        let parts: Vec<String> = parts.collect::<Result<_>>()?;
        Ok(match parts.as_slice() {
            // As the path of such a model is read.
            [only] => RecordId::from(only.as_str()),
            parts => RecordId::composite(parts),
        })
    }
}

/// What a record was before it was changed or deleted, as it was found in the same transaction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Before {
    /// Its primary key, as it appears in a path. It may differ from the requested one where the database
    /// treats both as equal.
    pub id: RecordId,
    /// Its entity tag, with its quotes.
    pub etag: String,
    /// What is kept of it for its history.
    pub(crate) kept: Kept,
}

impl Before {
    /// That of a record of which at least the [key](Projection::of_key) is shown.
    pub(crate) fn of(model: &Model, record: RecordJson) -> Result<Self> {
        Ok(Self {
            id: record.id(model)?,
            etag: record.etag,
            kept: record.kept,
        })
    }
}

/// What became of a record.
pub(crate) struct Changed {
    /// What it was.
    pub(crate) before: Before,
    /// What it is, unless it was deleted.
    record: Option<RecordJson>,
}

impl Changed {
    pub(crate) fn written(&self) -> Written<'_> {
        Written {
            before: Some(&self.before),
            after: self.record.as_ref(),
        }
    }

    pub(crate) fn updated(mut before: Before, mut record: RecordJson) -> Result<Self> {
        // At once, so that what changed alone stays in memory.
        record.kept = Kept::between(&take(&mut before.kept), &record.kept)?;
        Ok(Self {
            before,
            record: Some(record),
        })
    }

    pub(crate) fn deleted(before: Before) -> Self {
        Self {
            before,
            record: None,
        }
    }

    /// The record after an update, which knows what it was before.
    pub(crate) fn into_updated(self) -> Result<RecordJson> {
        let mut record = self
            .record
            .ok_or_else(|| Error::internal("an update gave no record"))?;
        record.before = Some(self.before);
        Ok(record)
    }
}

/// The precondition of an `If-Match` header (RFC 9110, section 13.1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IfMatch {
    /// `*`: the record exists.
    Any,
    /// The record has one of these entity tags, quotes included.
    Tags(Vec<String>),
}

impl IfMatch {
    /// Reads the value of the header. Weak tags are read and never match.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when it is no list of entity tags.
    pub fn parse(header: &str) -> Result<Self> {
        if header.trim() == "*" {
            return Ok(Self::Any);
        }
        let wrong =
            || Error::invalid("If-Match must be * or a list of entity tags in double quotes");
        let mut tags = Vec::new();
        let mut rest = header.trim();
        loop {
            let weak = rest.starts_with("W/");
            let quoted = rest
                .strip_prefix("W/")
                .unwrap_or(rest)
                .strip_prefix('"')
                .ok_or_else(wrong)?;
            let (tag, after) = quoted.split_once('"').ok_or_else(wrong)?;
            if !weak {
                tags.push(format!("\"{tag}\""));
            }
            rest = after.trim_start();
            if rest.is_empty() {
                return Ok(Self::Tags(tags));
            }
            rest = rest.strip_prefix(',').ok_or_else(wrong)?.trim_start();
        }
    }

    /// Whether a record with this entity tag is meant (strong comparison).
    #[must_use]
    pub fn holds(&self, etag: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Tags(tags) => tags.iter().any(|tag| tag == etag),
        }
    }
}

/// The error for a record that is not there.
pub(crate) fn no_such_record(model: &Model) -> Error {
    Error::not_found(format!("no such record in {:?}", model.name))
}

/// The error of a record that was as it should be, and is not kept since another of the same atomic bulk
/// create was refused.
pub(crate) fn taken_back() -> Error {
    Error::invalid("not created, since another record was refused and all or none are wanted")
}

/// The error for a key that is that of several records.
pub(crate) fn several_records() -> Error {
    Error::invalid("several records have this key, so that none of them can be changed by it")
}

/// The error for a record that was written and is not where it should be.
pub(crate) fn taken_away() -> Error {
    Error::invalid("a rule of the database took the record away or changed its key")
}

/// Makes the entity tag of a record: a hash of the names of its fields and of what is stored in them.
pub(crate) struct Tag(Sha256);

impl Tag {
    pub(crate) fn new() -> Self {
        Self(Sha256::new())
    }

    /// Adds a field and its value; `sort` distinguishes values of different types.
    pub(crate) fn add(&mut self, field: &Field, sort: u8, value: &[u8]) {
        // The key is a JSON string with a colon after it: it cannot run into what follows.
        self.0.update(field.json_key.as_bytes());
        self.0.update([sort]);
        self.0.update((value.len() as u64).to_le_bytes());
        self.0.update(value);
    }

    /// The tag, with its quotes.
    pub(crate) fn finish(self) -> String {
        let digest = self.0.finalize();
        let short = digest.get(..24).unwrap_or(&digest);
        let mut tag = String::with_capacity(34);
        tag.push('"');
        URL_SAFE_NO_PAD.encode_string(short, &mut tag);
        tag.push('"');
        tag
    }
}

/// Refuses a record that is not the one that the caller last saw, where the caller has seen one.
pub(crate) fn check_precondition(if_match: Option<&IfMatch>, found: &RecordJson) -> Result<()> {
    match if_match {
        Some(if_match) if !if_match.holds(&found.etag) => Err(Error::new(
            ErrorKind::PreconditionFailed,
            "it changed since its ETag was read; read it again and repeat the change",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_match_is_a_star_or_a_list_of_tags() {
        assert_eq!(IfMatch::parse(" * ").unwrap(), IfMatch::Any);
        assert_eq!(
            IfMatch::parse("\"a\", W/\"b\" ,\"c,d\"").unwrap(),
            IfMatch::Tags(vec!["\"a\"".into(), "\"c,d\"".into()])
        );
        for header in ["", "a", "\"a", "\"a\" \"b\"", "\"a\","] {
            assert!(IfMatch::parse(header).is_err(), "{header}");
        }
    }

    #[test]
    fn weak_tags_never_match() {
        assert!(!IfMatch::parse("W/\"a\"").unwrap().holds("\"a\""));
        assert!(IfMatch::parse("\"a\"").unwrap().holds("\"a\""));
    }
}
