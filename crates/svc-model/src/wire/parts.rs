//! Traits of the fields of an operation, by the part of the request that `#[derive(Operation)]` makes of them.

use bytes::Bytes;
use serde::Serialize;

use super::{Operation, PathArguments, RequestError};
use crate::{PageQuery, Paginated, QueryString, comma_list::write_list};

/// A field that fills one or more names of a path template.
pub trait PathPart {
    /// Appends the values, in the order of the template's names.
    fn push_to<'a>(&'a self, arguments: &mut PathArguments<'a>);

    /// Reads the values from a path, in the same order; `None` when there are too few.
    fn take_from(segments: &mut impl Iterator<Item = String>) -> Option<Self>
    where
        Self: Sized;
}

impl PathPart for String {
    fn push_to<'a>(&'a self, arguments: &mut PathArguments<'a>) {
        arguments.push(self);
    }

    fn take_from(segments: &mut impl Iterator<Item = String>) -> Option<Self> {
        segments.next()
    }
}

/// A field with several parameters of a query string, or with one that the type names.
pub trait QueryPart {
    /// The names of the parameters, if they are always the same.
    const NAMES: &'static [&'static str] = &[];

    /// Appends the parameters.
    fn write(&self, query: &mut QueryString);
}

/// An operation with a field for several parameters of the query string.
pub trait HasQuery {
    /// The type of the field.
    type Query: QueryPart;

    /// The field.
    fn query_mut(&mut self) -> &mut Self::Query;
}

/// An operation that returns a list page by page.
pub trait PagedOperation: Operation<Response = Paginated<Self::Item>> {
    /// The type of the entries.
    type Item;

    /// Sets the number of the page, starting at 1.
    fn set_page(&mut self, page: u64);

    /// Sets the number of entries on a page.
    fn set_per_page(&mut self, per_page: u32);

    /// Moves to another page, such as [`Paginated::next_query`] gives; `false` when this is already the current page.
    fn seek(&mut self, page: PageQuery) -> bool;
}

/// An operation that can return a selection of the columns of records, or of the properties of pages.
pub trait HasFields {
    /// Requests only these; of records the primary key too.
    fn set_fields(&mut self, fields: Vec<String>);
}

/// An operation that can be made conditional on an entity tag, with the header `If-Match`.
pub trait HasIfMatch {
    /// The entity tag; `None` for no condition.
    fn if_match_mut(&mut self) -> &mut Option<String>;
}

/// An operation whose caller can choose the ID under which it is listed while it runs, with the header `X-Statement-Id`.
pub trait HasStatementId {
    /// The ID; `None` leaves it to the service.
    fn statement_id_mut(&mut self) -> &mut Option<String>;
}

/// A field that is the value of one parameter of a query string.
pub trait QueryValue {
    /// Appends the parameter, unless there is no value.
    fn write(&self, name: &str, query: &mut QueryString);
}

impl QueryValue for bool {
    fn write(&self, name: &str, query: &mut QueryString) {
        if *self {
            query.push(name, "1");
        }
    }
}

impl<T: ToString> QueryValue for Option<T> {
    fn write(&self, name: &str, query: &mut QueryString) {
        if let Some(value) = self {
            query.push(name, &value.to_string());
        }
    }
}

/// A comma list; nothing where it is empty.
impl QueryValue for Vec<String> {
    fn write(&self, name: &str, query: &mut QueryString) {
        if !self.is_empty() {
            query.push(name, &write_list(self.iter().cloned()));
        }
    }
}

/// Writes a JSON body.
///
/// # Errors
/// When the value cannot be written as JSON.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Bytes, RequestError> {
    serde_json::to_vec(value).map(Bytes::from).map_err(not_json)
}

/// A JSON object that is written one property after another; null properties are left out.
#[derive(Debug, Default)]
pub struct BodyProperties(Vec<u8>);

impl BodyProperties {
    /// An object without properties.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a property.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    pub fn with<T: Serialize + ?Sized>(
        mut self,
        name: &str,
        value: &T,
    ) -> Result<Self, RequestError> {
        let before = self.0.len();
        self.0.push(if before == 0 { b'{' } else { b',' });
        serde_json::to_writer(&mut self.0, name).map_err(not_json)?;
        self.0.push(b':');
        let value_at = self.0.len();
        serde_json::to_writer(&mut self.0, value).map_err(not_json)?;
        if self.0.get(value_at..) == Some(b"null") {
            self.0.truncate(before);
        }
        Ok(self)
    }

    /// The body.
    pub fn encode(mut self) -> Bytes {
        if self.0.is_empty() {
            self.0.push(b'{');
        }
        self.0.push(b'}');
        self.0.into()
    }
}

fn not_json(error: serde_json::Error) -> RequestError {
    RequestError::new("the body cannot be written as JSON").with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_leaves_out_null_properties() {
        let body = |first: Option<&str>, second: Option<u8>| {
            let body = BodyProperties::new().with("first", &first).unwrap();
            body.with("second", &second).unwrap().encode()
        };
        assert_eq!(body(None, None), "{}");
        assert_eq!(body(Some("null"), None), r#"{"first":"null"}"#);
        assert_eq!(body(None, Some(7)), r#"{"second":7}"#);
        assert_eq!(body(Some("a"), Some(7)), r#"{"first":"a","second":7}"#);
    }
}
