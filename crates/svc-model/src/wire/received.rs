//! Requests as a service receives them, and reading operations from them.

use std::{borrow::Cow, fmt, mem};

use http::{HeaderMap, HeaderName};
use serde_json::value::RawValue;

use super::{Operation, PathPart};
use crate::{
    Draft, Invalid, JsonObject, MAX_PER_PAGE,
    lookup::parse_bool,
    query::{Pair, parse_pairs, read_integer},
};

/// An operation that a service reads from a request: the inverse of [`Operation::to_request`], declared with
/// `#[operation(read)]`.
///
/// ```
/// use http::HeaderMap;
/// use svc_model::{JsonObject, pages::Publish, wire::{ReadOperation, ReceivedRequest}};
///
/// let path = ["demo", "prod"].map(String::from);
/// let headers = HeaderMap::new();
/// let read = |body: &str| {
///     let body = serde_json::from_str(body).unwrap();
///     Publish::from_request(ReceivedRequest::new(path.clone(), "", &headers, body)?)
/// };
/// assert_eq!(read(r#"{"uids":["5f0c"]}"#)?.uids, Some(vec!["5f0c".into()]));
/// let invalid = read(r#"{"uid":["5f0c"],"uids":7}"#).unwrap_err();
/// assert_eq!(invalid.field_errors().len(), 2);
/// # Ok::<(), svc_model::Invalid>(())
/// ```
pub trait ReadOperation: Operation + Sized {
    /// Whether the request has a JSON body.
    const HAS_BODY: bool;

    /// Reads the operation from a request.
    ///
    /// # Errors
    /// [`Invalid`] with every field and parameter that is missing, of the wrong type or unknown.
    fn from_request(request: ReceivedRequest<'_>) -> Result<Self, Invalid>;
}

/// A type that is read from a whole JSON body, field by field: `#[derive(ReadBody)]`.
pub trait ReadBody: Sized {
    /// Reads the body; `None` when it is invalid, in which case the request keeps the error.
    fn read_body(request: &mut ReceivedRequest<'_>) -> Option<Self>;

    /// Reads a value from a JSON object.
    ///
    /// # Errors
    /// [`Invalid`] with every property that is missing, of the wrong type or unknown.
    fn from_body(body: JsonObject) -> Result<Self, Invalid> {
        let mut request = ReceivedRequest::of_body(body);
        let read = Self::read_body(&mut request);
        request.finish()?;
        read.ok_or_else(Invalid::new)
    }
}

/// A type that can be a property of a JSON body that a service reads.
pub trait BodyProperty: Sized {
    /// The description of a valid value, such as `text`.
    const EXPECTED: &'static str;
    /// Whether null is a valid value.
    const IS_NULLABLE: bool = false;

    /// Reads the value; `None` when it is invalid.
    fn read(json: &RawValue) -> Option<Self>;

    /// The value of a property that is left out; `None` when it is required.
    fn absent() -> Option<Self> {
        None
    }
}

impl BodyProperty for String {
    const EXPECTED: &'static str = "text";

    fn read(json: &RawValue) -> Option<Self> {
        serde_json::from_str(json.get()).ok()
    }
}

impl BodyProperty for bool {
    const EXPECTED: &'static str = "true or false";

    fn read(json: &RawValue) -> Option<Self> {
        serde_json::from_str(json.get()).ok()
    }
}

impl BodyProperty for u32 {
    const EXPECTED: &'static str = "a whole number";

    fn read(json: &RawValue) -> Option<Self> {
        serde_json::from_str(json.get()).ok()
    }
}

impl BodyProperty for Vec<String> {
    const EXPECTED: &'static str = "an array of texts";

    fn read(json: &RawValue) -> Option<Self> {
        serde_json::from_str(json.get()).ok()
    }
}

impl BodyProperty for JsonObject {
    const EXPECTED: &'static str = "a JSON object";

    fn read(json: &RawValue) -> Option<Self> {
        serde_json::from_str(json.get()).ok()
    }
}

impl<T: BodyProperty> BodyProperty for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    const IS_NULLABLE: bool = true;

    fn read(json: &RawValue) -> Option<Self> {
        match json.get() {
            "null" => Some(None),
            _ => T::read(json).map(Some),
        }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// A type that can be one or more parameters of a query string that a service reads.
pub trait ReadQuery: Sized {
    /// Reads the value; `None` when it is invalid, in which case the request keeps the error.
    fn read_query(request: &mut ReceivedRequest<'_>) -> Option<Self>;
}

impl ReadQuery for Draft {
    fn read_query(request: &mut ReceivedRequest<'_>) -> Option<Self> {
        let Some(value) = request.take_parameter("draft") else {
            return Some(Self::default());
        };
        let draft = value.parse().ok();
        if draft.is_none() {
            let message = "must be 0 or 1";
            request.wrong_parameters.push_field("draft", message);
        }
        draft
    }
}

/// A type that can be the value of one parameter of a query string that a service reads.
pub trait ParameterValue: Sized {
    /// The description of a valid value, such as `an integer of at least 1`.
    const EXPECTED: &'static str;

    /// Reads the value; `None` when the text is invalid.
    fn read(text: &str) -> Option<Self>;
}

/// The number of a page.
impl ParameterValue for u64 {
    const EXPECTED: &'static str = "an integer of at least 1";

    fn read(text: &str) -> Option<Self> {
        read_integer(text)
    }
}

/// The number of entries on a page, at most [`MAX_PER_PAGE`].
impl ParameterValue for u32 {
    const EXPECTED: &'static str = "an integer of at least 1";

    fn read(text: &str) -> Option<Self> {
        let number = read_integer(text)?;
        Some(Self::try_from(number).map_or(MAX_PER_PAGE, |number| number.min(MAX_PER_PAGE)))
    }
}

impl ParameterValue for String {
    const EXPECTED: &'static str = "text";

    fn read(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl ParameterValue for bool {
    const EXPECTED: &'static str = "1 or 0";

    fn read(text: &str) -> Option<Self> {
        parse_bool(text)
    }
}

/// The parts of a request as a service received them, and the errors in those that were already read. `Debug` shows
/// none of the values: a body may contain a password, and a header a credential.
pub struct ReceivedRequest<'r> {
    segments: std::vec::IntoIter<String>,
    query: Vec<Pair<'r>>,
    headers: Option<&'r HeaderMap>,
    body: JsonObject,
    known_parameters: Vec<&'static str>,
    known_properties: Vec<&'static str>,
    /// Errors in the query string, which are reported before all others.
    wrong_parameters: Invalid,
    invalid: Invalid,
}

impl fmt::Debug for ReceivedRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReceivedRequest").finish_non_exhaustive()
    }
}

impl<'r> ReceivedRequest<'r> {
    /// A request from which nothing was read yet. `path` has the values of the names in the path template, in their
    /// order, unescaped; `query` is the query string as it was received.
    ///
    /// # Errors
    /// [`Invalid`] when the query string is not UTF-8 once it is unescaped.
    pub fn new(
        path: impl Into<Vec<String>>,
        query: &'r str,
        headers: &'r HeaderMap,
        body: JsonObject,
    ) -> Result<Self, Invalid> {
        Ok(Self {
            segments: path.into().into_iter(),
            query: parse_pairs(query).map_err(|error| Invalid::general(error.to_string()))?,
            headers: Some(headers),
            ..Self::of_body(body)
        })
    }

    /// A request with only a body.
    pub fn of_body(body: JsonObject) -> Self {
        Self {
            segments: Vec::new().into_iter(),
            query: Vec::new(),
            headers: None,
            body,
            known_parameters: Vec::new(),
            known_properties: Vec::new(),
            wrong_parameters: Invalid::new(),
            invalid: Invalid::new(),
        }
    }

    /// Reads the next values of the path.
    pub fn path<T: PathPart>(&mut self) -> Option<T> {
        T::take_from(&mut self.segments)
    }

    /// Reads a part of the query string.
    pub fn query<T: ReadQuery>(&mut self) -> Option<T> {
        T::read_query(self)
    }

    /// Reads one parameter of the query string, if it is present.
    pub fn parameter<T: ParameterValue>(&mut self, name: &'static str) -> Option<Option<T>> {
        let Some(text) = self.take_parameter(name) else {
            return Some(None);
        };
        let value = T::read(&text);
        if value.is_none() {
            let message = format!("must be {}", T::EXPECTED);
            self.wrong_parameters.push_field(name, message);
        }
        value.map(Some)
    }

    /// Reads a header, if it is present. Several headers with the same name count as one list.
    pub fn header(&mut self, name: &'static str) -> Option<Option<String>> {
        let mut list: Option<String> = None;
        let values = self
            .headers
            .map(|headers| headers.get_all(HeaderName::from_static(name)));
        for value in values.into_iter().flatten() {
            let Ok(value) = value.to_str() else {
                self.invalid
                    .push_field(&header_title(name), "must be ASCII text");
                return None;
            };
            match &mut list {
                Some(list) => {
                    list.push_str(", ");
                    list.push_str(value);
                }
                None => list = Some(value.to_owned()),
            }
        }
        Some(list)
    }

    /// Removes and returns the whole body.
    pub fn take_body(&mut self) -> JsonObject {
        mem::take(&mut self.body)
    }

    /// Reads a property of the body.
    pub fn property<T: BodyProperty>(&mut self, name: &'static str) -> Option<T> {
        match self.take_property(name) {
            Some(json) => self.read_property(name, &json),
            None => {
                let absent = T::absent();
                if absent.is_none() {
                    self.invalid.push_field(name, "this field is required");
                }
                absent
            }
        }
    }

    /// Reads a property of the body that may be left out. Whether null is valid depends on the type of the value.
    pub fn present_property<T: BodyProperty>(&mut self, name: &'static str) -> Option<Option<T>> {
        match self.take_property(name) {
            Some(json) => self.read_property(name, &json).map(Some),
            None => Some(None),
        }
    }

    /// Returns a property of the body as unchanged JSON, if it is present.
    pub fn raw_property(&mut self, name: &'static str) -> Option<Box<RawValue>> {
        self.take_property(name)
    }

    /// Reads a property of the body with the function `read`, whose error says what a value must be; null and the empty
    /// text count as left out.
    pub fn lenient_property<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&RawValue) -> Result<T, String>,
    ) -> Option<T> {
        let json = self.take_property(name)?;
        if matches!(json.get(), "null" | r#""""#) {
            return None;
        }
        read(&json)
            .map_err(|message| self.invalid.push_field(name, message))
            .ok()
    }

    /// Checks that there were no errors so far.
    ///
    /// # Errors
    /// [`Invalid`] with all errors so far.
    pub fn check(&self) -> Result<(), Invalid> {
        self.invalid.clone().into_result()
    }

    /// Removes a parameter and returns its value, if it is present. The last one with the name counts.
    fn take_parameter(&mut self, name: &'static str) -> Option<Cow<'r, str>> {
        self.known_parameters.push(name);
        let mut found = None;
        self.query.retain_mut(|(key, value)| {
            let is_it = key == name;
            if is_it {
                found = Some(mem::take(value));
            }
            !is_it
        });
        found
    }

    fn take_property(&mut self, name: &'static str) -> Option<Box<RawValue>> {
        self.known_properties.push(name);
        self.body.remove(name)
    }

    fn read_property<T: BodyProperty>(&mut self, name: &str, json: &RawValue) -> Option<T> {
        let value = T::read(json);
        if value.is_none() {
            let or_null = if T::IS_NULLABLE { " or null" } else { "" };
            let message = format!("must be {}{or_null}", T::EXPECTED);
            self.invalid.push_field(name, message);
        }
        value
    }

    /// Checks that there were no errors and that nothing unknown is left. Every operation accepts `draft`, which clients
    /// set for all of their calls.
    ///
    /// # Errors
    /// [`Invalid`] with all errors in the query string or, if there are none, in the rest of the request.
    pub fn finish(mut self) -> Result<(), Invalid> {
        if !self.known_parameters.contains(&"draft") {
            Draft::read_query(&mut self);
        }
        let Self {
            query,
            body,
            known_parameters,
            known_properties,
            mut wrong_parameters,
            mut invalid,
            ..
        } = self;
        let known = known_parameters.join(", ");
        for (key, _) in query {
            wrong_parameters.push_general(format!("unknown parameter {key:?}; known is {known}"));
        }
        wrong_parameters.into_result()?;
        let known = match known_properties.as_slice() {
            [] => "no field is known".to_owned(),
            [one] => format!("known is {one}"),
            many => format!("known are: {}", many.join(", ")),
        };
        for (name, _) in body.iter() {
            invalid.push_field(name, format!("this field cannot be given here; {known}"));
        }
        invalid.into_result()
    }
}

/// The name of a header in its usual spelling: `If-Match`.
fn header_title(name: &str) -> String {
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    });
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: &str) -> ReceivedRequest<'static> {
        ReceivedRequest::of_body(serde_json::from_str(body).unwrap())
    }

    fn names(result: Result<(), Invalid>) -> Vec<String> {
        let invalid = result.unwrap_err();
        let fields = invalid.field_errors().iter();
        fields.map(|(name, _)| name.clone()).collect()
    }

    #[test]
    fn every_field_that_is_wrong_is_named() {
        let mut request = request(r#"{"email":7,"is_admin":true,"first_name":[]}"#);
        assert_eq!(request.property::<String>("email"), None);
        assert_eq!(request.property::<String>("password"), None);
        assert_eq!(request.property::<Option<String>>("first_name"), None);
        assert_eq!(
            names(request.finish()),
            ["email", "password", "first_name", "is_admin"]
        );
    }

    #[test]
    fn an_absent_property_is_distinguished_from_null_where_it_matters() {
        let body = r#"{"first_name":null,"last_name":"Lee"}"#;
        let mut names = request(body);
        let mut present = |name| names.present_property::<Option<String>>(name);
        assert_eq!(present("first_name"), Some(Some(None)));
        assert_eq!(present("last_name"), Some(Some(Some("Lee".to_owned()))));
        assert_eq!(present("language"), Some(None));
        assert_eq!(names.finish(), Ok(()));
        let mut text = request(r#"{"group":null}"#);
        assert_eq!(text.present_property::<String>("group"), None);
        assert!(text.finish().is_err());
    }

    #[test]
    fn a_request_accepts_draft_and_no_unknown_parameter() {
        let headers = HeaderMap::new();
        let finish = |query| {
            let request = ReceivedRequest::new([], query, &headers, JsonObject::new());
            request.and_then(ReceivedRequest::finish)
        };
        assert_eq!(finish(""), Ok(()));
        assert_eq!(finish("draft=1"), Ok(()));
        assert_eq!(
            finish("draft=2"),
            Err(Invalid::field("draft", "must be 0 or 1"))
        );
        let unknown = Invalid::general(r#"unknown parameter "drft"; known is draft"#);
        assert_eq!(finish("drft=1"), Err(unknown));
    }

    #[test]
    fn debug_shows_no_value_of_a_request() {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", http::HeaderValue::from_static("hidden"));
        let body = serde_json::from_str(r#"{"password":"hidden"}"#).unwrap();
        let request = ReceivedRequest::new(["hidden".to_owned()], "a=hidden", &headers, body);
        assert!(!format!("{request:?}").contains("hidden"));
    }

    #[test]
    fn several_headers_with_the_same_name_are_one_list() {
        let mut headers = HeaderMap::new();
        for tag in ["\"a\"", "\"b\""] {
            headers.append("if-match", http::HeaderValue::from_static(tag));
        }
        let mut request = ReceivedRequest::new([], "", &headers, JsonObject::new()).unwrap();
        let tags = request.header("if-match").flatten();
        assert_eq!(tags.as_deref(), Some("\"a\", \"b\""));
        assert_eq!(request.header("if-none-match"), Some(None));
    }
}
