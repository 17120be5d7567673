//! Records in and out: pages, single records with their entity tag, and the bodies of writes.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use svc_model::{Count, Invalid, JsonObject, ListQuery, RecordId, RecordView};

use crate::{Error, ErrorKind, Field, Model, Resource, plan::Shown, scalar::Scalar, time::Zone};

/// The longest cursor that becomes part of a link, in characters.
const MAX_CURSOR: usize = 4_000;

/// A page of records, or the first part of one.
#[derive(Debug)]
#[non_exhaustive]
pub struct Page {
    /// A JSON array of records.
    pub results: Bytes,
    /// How many records are in it.
    pub len: usize,
    /// How many records match in all; `None` when it was not asked for, and in parts but the first.
    pub count: Option<u64>,
    /// Whether more records follow.
    pub has_more: bool,
    /// The cursor behind the last record, for the `_after` of the next page. `None` where nothing follows,
    /// and where a value to order by is too long for a link; then the next page goes by its number.
    pub after: Option<String>,
    /// What of the page is still to be read. While there is a rest, `has_more` and `after` are about the
    /// records that belong to it.
    pub rest: Option<Rest>,
}

/// The rest of a large page, which is read in parts so that it is never in memory as a whole.
///
/// Each part is read when it is asked for. Records that are changed in between may appear as they were or
/// as they are; those that are not are neither skipped nor repeated.
#[derive(Debug)]
pub struct Rest {
    resource: Resource,
    model: Arc<Model>,
    query: ListQuery,
}

impl Rest {
    /// Reads the next part.
    ///
    /// # Errors
    /// As [`Resource::list`].
    pub async fn read(self) -> Result<Page, Error> {
        self.resource.list(&self.model, &self.query).await
    }
}

/// What a driver gives of a page: all of it, or the first records and where they end.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) results: Bytes,
    pub(crate) len: usize,
    pub(crate) count: Option<u64>,
    pub(crate) has_more: bool,
    pub(crate) after: Option<String>,
}

impl Page {
    /// The page that begins with a part.
    pub(crate) fn of_part(
        resource: &Resource,
        model: &Arc<Model>,
        query: &ListQuery,
        part: Part,
    ) -> Self {
        let Part {
            results,
            len,
            count,
            has_more,
            after,
        } = part;
        let left = (query.limit() as usize).saturating_sub(len);
        let rest = after.clone().filter(|_| left > 0).map(|after| {
            let mut query = query.clone();
            query.no_pagination = false;
            query.per_page = u32::try_from(left).ok();
            query.after = Some(after);
            query.count = Count::None;
            Rest {
                resource: resource.clone(),
                model: Arc::clone(model),
                query,
            }
        });
        Self {
            results,
            len,
            count,
            has_more,
            after: after.filter(|cursor| cursor.len() <= MAX_CURSOR),
            rest,
        }
    }
}

/// One record.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordJson {
    /// A JSON object.
    pub body: Bytes,
    /// The entity tag of the whole record, with its quotes, whatever fields are shown.
    pub etag: String,
    /// What it was before, where it was changed just now.
    pub before: Option<Before>,
}

impl RecordJson {
    /// A record that was not changed.
    pub(crate) fn new(body: Bytes, etag: String) -> Self {
        Self {
            body,
            etag,
            before: None,
        }
    }

    /// The primary key, as it stands in a path.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal) when this is no record of the model.
    pub fn id(&self, model: &Model) -> Result<RecordId, Error> {
        let strange = || Error::internal("a record has no primary key");
        let body: JsonObject = serde_json::from_slice(&self.body)
            .map_err(|source| Error::internal("a record is no JSON").with_source(source))?;
        let parts = model.primary_key().map(|field| {
            let json = body.get_raw(&field.name).ok_or_else(strange)?;
            Ok(match json.starts_with('"') {
                true => serde_json::from_str(json).map_err(|_| strange())?,
                false => json.to_owned(),
            })
        });
        let parts: Vec<String> = parts.collect::<Result<_, Error>>()?;
        Ok(match parts.as_slice() {
            // As the path of such a model is read.
            [only] => RecordId::from(only.as_str()),
            parts => RecordId::composite(parts),
        })
    }
}

/// What a record was before it was changed or deleted, as it was found in the same transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Before {
    /// Its primary key, as it stands in a path. It may differ from the one that was asked for where the database
    /// takes both for equal.
    pub id: RecordId,
    /// Its entity tag, with its quotes.
    pub etag: String,
}

impl Before {
    /// That of a record of which at least the [key](key_shown) is shown.
    pub(crate) fn of(model: &Model, record: RecordJson) -> Result<Self, Error> {
        Ok(Self {
            id: record.id(model)?,
            etag: record.etag,
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
    pub(crate) fn updated(before: Before, record: RecordJson) -> Self {
        Self {
            before,
            record: Some(record),
        }
    }

    pub(crate) fn deleted(before: Before) -> Self {
        Self {
            before,
            record: None,
        }
    }

    /// The record after an update, which knows what it was before.
    pub(crate) fn into_updated(self) -> Result<RecordJson, Error> {
        let mut record = self
            .record
            .ok_or_else(|| Error::internal("an update gave no record"))?;
        record.before = Some(self.before);
        Ok(record)
    }
}

/// Shows the primary key of a record, and nothing else of it.
pub(crate) fn key_shown(model: &Model) -> Result<Shown, Error> {
    let mut view = RecordView::default();
    view.fields = Some(Vec::new());
    Shown::resolve(model, &view)
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
    pub fn parse(header: &str) -> Result<Self, Error> {
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

/// What a body is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Create,
    Update,
    Replace,
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

/// The error for a record that is not the one that the caller last saw.
pub(crate) fn changed_since() -> Error {
    Error::new(
        ErrorKind::PreconditionFailed,
        "the record has changed since it was read; read it again",
    )
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

    /// Adds a field and its value; `sort` tells values of different types apart.
    pub(crate) fn add(&mut self, field: &Field, sort: u8, value: &[u8]) {
        // The key is a JSON string with a colon behind: it cannot run into what follows.
        self.0.update(field.json_key.as_bytes());
        self.0.update([sort]);
        self.0.update((value.len() as u64).to_le_bytes());
        self.0.update(value);
    }

    /// The tag, with its quotes.
    pub(crate) fn finish(self) -> String {
        let digest = self.0.finalize();
        let short = digest.get(..24).unwrap_or(&digest);
        format!("\"{}\"", URL_SAFE_NO_PAD.encode(short))
    }
}

/// Reads the primary key of a path. A text that cannot be a key belongs to no record.
pub(crate) fn read_key(model: &Model, id: &str) -> Result<Vec<(usize, Scalar)>, Error> {
    let parts = match model.key.as_slice() {
        [_] => vec![id.to_owned()],
        _ => RecordId::from(id).parts(),
    };
    if parts.len() != model.key.len() {
        return Err(no_such_record(model));
    }
    let zone = Zone::parse(None).map_err(Error::internal)?;
    model
        .key
        .iter()
        .zip(parts)
        .map(|(index, part)| {
            let value = Scalar::from_text(model.at(*index)?, &part, &zone)
                .map_err(|_| no_such_record(model))?;
            Ok((*index, value))
        })
        .collect()
}

/// Reads the body of a write against the fields of the model.
pub(crate) fn read_body(
    model: &Model,
    body: &JsonObject,
    zone: &Zone,
    purpose: Purpose,
) -> Result<Vec<(usize, Scalar)>, Error> {
    let mut invalid = Invalid::new();
    let mut values = Vec::with_capacity(body.len());
    for (name, raw) in body.iter() {
        let Some((index, field)) = model
            .index_of(name)
            .and_then(|index| Some((index, model.fields.get(index)?)))
        else {
            invalid.push_field(name, "unknown field");
            continue;
        };
        if !field.editable {
            invalid.push_field(name, "the database computes this field; leave it out");
            continue;
        }
        match Scalar::from_json(field, raw, zone) {
            Ok(Scalar::Null)
                if !field.nullable && field.default.as_ref().is_none_or(|d| d.sql().is_some()) =>
            {
                invalid.push_field(name, "this field may not be null");
            }
            Ok(value) => match check_size(field, &value) {
                Ok(()) => values.push((index, value)),
                Err(message) => invalid.push_field(name, message),
            },
            Err(message) => invalid.push_field(name, message),
        }
    }
    if purpose != Purpose::Update {
        for (index, field) in model.fields.iter().enumerate() {
            // The key of a record that is replaced stands in the path.
            let given = purpose == Purpose::Replace && model.key.contains(&index);
            if field.required && !given && !body.contains(&field.name) {
                invalid.push_field(&field.name, "this field is required");
            }
        }
    }
    invalid.into_result()?;
    Ok(values)
}

/// Holds a value to the declared size of its column, which not every engine does by itself.
fn check_size(field: &Field, value: &Scalar) -> Result<(), String> {
    match value {
        Scalar::Text(text) => match field.max_length {
            Some(most) if text.chars().count() > most as usize => {
                Err(format!("at most {most} characters are allowed"))
            }
            _ if !field.options.is_empty() && !field.options.contains(text) => {
                Err(format!("must be one of {}", field.options.join(", ")))
            }
            _ => Ok(()),
        },
        Scalar::Integer(number) => match field.integers() {
            Some((least, most)) if !(least..=most).contains(number) => {
                Err(format!("must be an integer between {least} and {most}"))
            }
            _ => Ok(()),
        },
        Scalar::Decimal(digits) => {
            let fraction = digits.split_once('.').map_or("", |(_, fraction)| fraction);
            let fraction = fraction.trim_end_matches('0').len();
            if let Some(scale) = field.scale
                && fraction > scale as usize
            {
                return Err(format!(
                    "at most {scale} digits behind the point are allowed"
                ));
            }
            let most = field
                .precision
                .map(|precision| precision.saturating_sub(field.scale.unwrap_or(0)) as usize);
            let whole = digits.split('.').next().unwrap_or_default();
            let whole = whole.trim_start_matches(['-', '0']).len();
            match most {
                Some(most) if whole > most => Err(format!(
                    "at most {most} digits before the point are allowed"
                )),
                _ => Ok(()),
            }
        }
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
