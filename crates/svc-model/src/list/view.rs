//! How one record is returned.

use super::{Expand, ListQuery, TimeZoned};
use crate::{
    Draft, Invalid, QueryString,
    comma_list::read_fields,
    query::{parse_pairs, read_integer},
    wire::{HasFields, HasQuery, QueryPart},
};

/// How one record is returned: the parameters of retrieve, create, update, replace and delete.
///
/// ```
/// use svc_model::RecordView;
///
/// let view = RecordView::parse("_fields=id,status&tz=Europe/Berlin")?;
/// assert_eq!(view.fields.as_deref(), Some(&["id".to_owned(), "status".to_owned()][..]));
/// assert!(RecordView::parse("status=paid").is_err());
/// # Ok::<(), svc_model::Invalid>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordView {
    /// `_fields`: only these columns, and the primary key; all when `None`.
    pub fields: Option<Vec<String>>,
    /// `_expand`: related records that come with the record; only for retrieve.
    pub expand: Option<Expand>,
    /// `_excerpt`: texts, binary data and JSON that are longer are cut; only for retrieve.
    pub excerpt: Option<u32>,
    /// `tz`: UTC offset or IANA time zone of date texts in requests and responses; UTC when `None`.
    pub time_zone: Option<String>,
}

impl RecordView {
    /// Reads the query string of an operation on one record.
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter and malformed value.
    pub fn parse(query: &str) -> Result<Self, Invalid> {
        let pairs = parse_pairs(query).map_err(|error| Invalid::general(error.to_string()))?;
        let mut view = Self::default();
        let mut invalid = Invalid::new();
        for (key, value) in &pairs {
            view.read_parameter(key, value, &mut invalid);
        }
        invalid.into_result().map(|()| view)
    }

    /// Reads the query string of a write, whose answer has no related records and no excerpts.
    ///
    /// # Errors
    /// As [`parse`](Self::parse); [`Invalid`] also for `_expand` and `_excerpt`.
    pub fn parse_of_write(query: &str) -> Result<Self, Invalid> {
        let view = Self::parse(query)?;
        let mut invalid = Invalid::new();
        for (key, is_given) in [
            ("_expand", view.expand.is_some()),
            ("_excerpt", view.excerpt.is_some()),
        ] {
            if is_given {
                invalid.push_field(key, "is a parameter of lists and retrieve alone");
            }
        }
        invalid.into_result().map(|()| view)
    }

    /// The query string that [`parse`](Self::parse) reads back.
    pub fn to_query_string(&self) -> QueryString {
        let list = ListQuery {
            fields: self.fields.clone(),
            expand: self.expand.clone(),
            excerpt: self.excerpt,
            time_zone: self.time_zone.clone(),
            ..ListQuery::default()
        };
        list.to_query_string()
    }

    pub(super) fn read_parameter(&mut self, key: &str, value: &str, invalid: &mut Invalid) {
        match key {
            "_fields" => match read_fields(value) {
                Some(fields) => self.fields = Some(fields),
                None => invalid.push_field(key, "must be a comma list of fields"),
            },
            "_expand" => match value.parse() {
                Ok(expand) => self.expand = Some(expand),
                Err(error) => invalid.push_field(key, error.to_string()),
            },
            "_excerpt" => match read_integer(value) {
                Some(most) => self.excerpt = Some(u32::try_from(most).unwrap_or(u32::MAX)),
                None => invalid.push_field(key, "must be an integer of at least 1"),
            },
            "tz" if value.is_empty() => {
                invalid.push_field(
                    key,
                    "must be a UTC offset such as +02:00 or a zone such as Europe/Berlin",
                );
            }
            "tz" => self.time_zone = Some(value.to_owned()),
            // A client with `draft` on sends this parameter with every request.
            "draft" => {
                if let Err(error) = value.parse::<Draft>() {
                    invalid.push_field(key, error.to_string());
                }
            }
            _ => invalid.push_general(format!("unknown parameter {key:?}")),
        }
    }
}

impl TimeZoned for RecordView {
    fn set_time_zone(&mut self, time_zone: String) {
        self.time_zone = Some(time_zone);
    }
}

impl<O: HasQuery<Query = RecordView>> HasFields for O {
    fn set_fields(&mut self, fields: Vec<String>) {
        self.query_mut().fields = Some(fields);
    }
}

impl QueryPart for RecordView {
    fn write(&self, query: &mut QueryString) {
        query.extend(self.to_query_string());
    }
}
