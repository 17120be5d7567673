//! Places inside JSON columns, and conditions on them.

use std::{fmt, str::FromStr};

use serde_json::{Value, value::RawValue};

use super::FilterError;
use crate::Lookup;

/// The maximum number of parts of a [`JsonPath`].
pub const MAX_PATH_PARTS: usize = 32;
/// The maximum position of an element in a [`JsonPath`].
pub const MAX_PATH_ELEMENT: u32 = 2_147_483_647;

/// Where a value is inside a JSON document: names of members and positions of elements, from the outside in.
///
/// On the wire an array of texts and whole numbers: `["lines", 0, "price"]`. A text names a member of an object, also one
/// that consists of digits; a number is the position of an element of an array, from 0.
///
/// ```
/// use svc_model::JsonPath;
///
/// let path = JsonPath::member("lines").then_element(0).then_member("price");
/// assert_eq!(path.to_string(), r#"["lines",0,"price"]"#);
/// assert_eq!(r#"["lines", 0, "price"]"#.parse(), Ok(path));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JsonPath(Vec<PathPart>);

/// A step from a JSON value to one inside it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PathPart {
    /// To the member of an object that has this name.
    Member(String),
    /// To the element of an array at this position, from 0 to [`MAX_PATH_ELEMENT`].
    Element(u32),
}

impl JsonPath {
    /// The path to a member of the document.
    pub fn member(name: impl Into<String>) -> Self {
        Self(vec![PathPart::Member(name.into())])
    }

    /// The path to an element of the document.
    pub fn element(position: u32) -> Self {
        Self(vec![PathPart::Element(position)])
    }

    /// The path to a member of what this path leads to.
    #[must_use]
    pub fn then_member(mut self, name: impl Into<String>) -> Self {
        self.0.push(PathPart::Member(name.into()));
        self
    }

    /// The path to an element of what this path leads to.
    #[must_use]
    pub fn then_element(mut self, position: u32) -> Self {
        self.0.push(PathPart::Element(position));
        self
    }

    /// The parts, from the outside in.
    pub fn parts(&self) -> &[PathPart] {
        &self.0
    }

    /// Reads the array of the wire.
    pub(super) fn read(json: &str) -> Result<Self, String> {
        let parts: Vec<&RawValue> = serde_json::from_str(json)
            .map_err(|_| r#"must be an array such as ["lines", 0, "price"]"#.to_owned())?;
        let path: Result<Vec<_>, _> = parts.into_iter().map(PathPart::read).collect();
        let path = Self(path?);
        path.check()?;
        Ok(path)
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let is_far = |part: &PathPart| matches!(part, PathPart::Element(position) if *position > MAX_PATH_ELEMENT);
        match self.0.len() {
            0 => Err("must have at least one part".to_owned()),
            MAX_PATH_PARTS.. if self.0.len() > MAX_PATH_PARTS => {
                Err(format!("may have at most {MAX_PATH_PARTS} parts"))
            }
            _ if self.0.iter().any(is_far) => Err(not_a_part()),
            _ => Ok(()),
        }
    }
}

impl PathPart {
    fn read(raw: &RawValue) -> Result<Self, String> {
        let json = raw.get();
        match json.as_bytes().first() {
            Some(b'"') => serde_json::from_str(json)
                .map(Self::Member)
                .map_err(|error| error.to_string()),
            _ => json.parse().map(Self::Element).map_err(|_| not_a_part()),
        }
    }
}

fn not_a_part() -> String {
    format!(
        "a part must be the name of a member or the position of an element, from 0 to {MAX_PATH_ELEMENT}"
    )
}

impl FromStr for JsonPath {
    type Err = FilterError;

    /// Reads the array of the wire, and checks its limits.
    fn from_str(json: &str) -> Result<Self, FilterError> {
        Self::read(json).map_err(FilterError)
    }
}

impl fmt::Display for JsonPath {
    /// Writes the array of the wire.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.0.iter().map(|part| match part {
            PathPart::Member(name) => Value::from(name.as_str()),
            PathPart::Element(position) => Value::from(*position),
        });
        write!(f, "{}", parts.collect::<Value>())
    }
}

/// A JSON value that a place inside a JSON column is compared with; numbers keep all of their digits.
///
/// ```
/// use svc_model::JsonOperand;
///
/// assert_eq!(JsonOperand::from("a").as_json(), r#""a""#);
/// assert_eq!(JsonOperand::from([1, 2]).as_json(), "[1,2]");
/// assert_eq!(JsonOperand::parse("1.10")?.as_json(), "1.10");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonOperand(String);

impl JsonOperand {
    /// The value that a JSON text means.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn parse(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<&RawValue>(json).map(Self::from)
    }

    /// The value as JSON text.
    pub fn as_json(&self) -> &str {
        &self.0
    }
}

impl From<&RawValue> for JsonOperand {
    fn from(raw: &RawValue) -> Self {
        Self(raw.get().to_owned())
    }
}

macro_rules! operand {
    ($($type:ty),*) => {$(
        impl From<$type> for JsonOperand {
            fn from(value: $type) -> Self {
                Self(Value::from(value).to_string())
            }
        }
    )*};
}

operand!(&str, String, bool, i32, i64, u32, u64, f64, Value);

impl<T: Into<JsonOperand>> From<Vec<T>> for JsonOperand {
    fn from(values: Vec<T>) -> Self {
        let values: Vec<String> = values.into_iter().map(|value| value.into().0).collect();
        Self(format!("[{}]", values.join(",")))
    }
}

impl<T: Into<JsonOperand>, const N: usize> From<[T; N]> for JsonOperand {
    fn from(values: [T; N]) -> Self {
        Self::from(Vec::from(values))
    }
}

/// A comparison of a place inside a JSON column with a JSON value. A place that is not there, and JSON's `null`, are like
/// NULL; a value of another type than that of the place is not equal to it, and neither greater nor less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceCondition {
    /// The field of the model.
    pub field: String,
    /// The place inside the field's value.
    pub path: JsonPath,
    /// How the place is compared.
    pub lookup: Lookup,
    /// The value that the place is compared with.
    pub value: JsonOperand,
}

impl PlaceCondition {
    /// Compares the place at `path` in `field` with `value`.
    pub fn new(
        field: impl Into<String>,
        path: JsonPath,
        lookup: Lookup,
        value: impl Into<JsonOperand>,
    ) -> Self {
        Self {
            field: field.into(),
            path,
            lookup,
            value: value.into(),
        }
    }

    /// Checks the path, and that the value has the shape that the lookup requires.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self {
            field,
            path,
            lookup,
            value,
        } = self;
        path.check()
            .map_err(|message| format!("the path in {field} {message}"))?;
        if !lookup.takes_list() {
            return match value.as_json() {
                "null" => Err(format!("{field}: null is compared with the lookup isnull")),
                _ => Ok(()),
            };
        }
        let values = serde_json::from_str::<Vec<&RawValue>>(value.as_json())
            .map_err(|_| format!("{field}__{lookup} needs an array of values"))?;
        match (lookup, values.len()) {
            (Lookup::In, 0) => Err(format!("{field}__in needs at least one value")),
            (Lookup::Range, 2) | (Lookup::In, _) => Ok(()),
            (Lookup::Range, count) => Err(format!("{field}__range needs two values, not {count}")),
            _ => Ok(()),
        }
    }
}
