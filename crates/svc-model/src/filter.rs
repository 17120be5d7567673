//! Conditions on fields, and trees of them for the `_filter` parameter.

pub(crate) mod json;
mod place;

pub use self::place::{
    JsonOperand, JsonPath, MAX_PATH_ELEMENT, MAX_PATH_PARTS, PathPart, PlaceCondition,
};
use crate::Lookup;

/// The maximum nesting depth of `and`, `or` and `not` in a [`Filter`].
pub const MAX_FILTER_DEPTH: usize = 8;
/// The maximum number of conditions in the tree of a list query, and of filters as keys of its query string.
pub const MAX_CONDITIONS: usize = 100;

/// One comparison: a field, a lookup, and the value that the field is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The field of the model.
    pub field: String,
    /// How the field is compared.
    pub lookup: Lookup,
    /// The value that the field is compared with.
    pub value: Operand,
}

impl Condition {
    /// Compares `field` with `value`.
    pub fn new(field: impl Into<String>, lookup: Lookup, value: impl Into<Operand>) -> Self {
        Self {
            field: field.into(),
            lookup,
            value: value.into(),
        }
    }
}

/// The value that a field is compared with, as text; the service converts it to the type of the column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operand {
    /// One value.
    One(String),
    /// The values of `in`, the two of `range`, or the elements that an array is compared with.
    Many(Vec<String>),
}

macro_rules! one {
    ($($type:ty),*) => {$(
        impl From<$type> for Operand {
            fn from(value: $type) -> Self {
                Self::One(value.to_string())
            }
        }
    )*};
}

one!(&str, bool, i32, i64, u32, u64, f64);

impl From<String> for Operand {
    fn from(value: String) -> Self {
        Self::One(value)
    }
}

impl<T: ToString> From<Vec<T>> for Operand {
    fn from(values: Vec<T>) -> Self {
        Self::Many(values.iter().map(ToString::to_string).collect())
    }
}

impl<T: ToString> From<&[T]> for Operand {
    fn from(values: &[T]) -> Self {
        Self::Many(values.iter().map(ToString::to_string).collect())
    }
}

impl<T: ToString, const N: usize> From<[T; N]> for Operand {
    fn from(values: [T; N]) -> Self {
        Self::from(values.as_slice())
    }
}

/// A tree of conditions: the `_filter` parameter.
///
/// On the wire `{"and": [...]}`, `{"or": [...]}`, `{"not": ...}` or
/// `{"field", "path"?, "lookup"?, "value"}`. An empty `and` matches every record, an empty `or` matches none.
///
/// ```
/// use svc_model::{Filter, Lookup};
///
/// let filter = Filter::or([
///     Filter::field("status", Lookup::In, ["paid", "shipped"]),
///     !Filter::field("amount", Lookup::Lt, 100),
/// ]);
/// let text = serde_json::to_string(&filter)?;
/// assert_eq!(
///     text,
///     r#"{"or":[{"field":"status","lookup":"in","value":["paid","shipped"]},{"not":{"field":"amount","lookup":"lt","value":"100"}}]}"#,
/// );
/// assert_eq!(text.parse::<Filter>()?, filter);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Filter {
    /// All of the conditions hold.
    And(Vec<Self>),
    /// At least one of the conditions holds.
    Or(Vec<Self>),
    /// The condition does not hold; three-valued, so a comparison with NULL stays unknown.
    Not(Box<Self>),
    /// The comparison holds.
    Condition(Condition),
    /// The comparison of a place inside a JSON column holds.
    Place(PlaceCondition),
}

impl Filter {
    /// A filter that matches when all of these hold.
    pub fn and(filters: impl IntoIterator<Item = Self>) -> Self {
        Self::And(filters.into_iter().collect())
    }

    /// A filter that matches when at least one of these holds.
    pub fn or(filters: impl IntoIterator<Item = Self>) -> Self {
        Self::Or(filters.into_iter().collect())
    }

    /// One comparison.
    pub fn field(field: impl Into<String>, lookup: Lookup, value: impl Into<Operand>) -> Self {
        Self::Condition(Condition::new(field, lookup, value))
    }

    /// One comparison of a place inside a JSON column.
    ///
    /// ```
    /// use svc_model::{Filter, JsonPath, Lookup};
    ///
    /// let price = JsonPath::member("lines").then_element(0).then_member("price");
    /// let filter = Filter::place("doc", price, Lookup::Gte, 10);
    /// let text = serde_json::to_string(&filter)?;
    /// assert_eq!(text, r#"{"field":"doc","path":["lines",0,"price"],"lookup":"gte","value":10}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn place(
        field: impl Into<String>,
        path: JsonPath,
        lookup: Lookup,
        value: impl Into<JsonOperand>,
    ) -> Self {
        Self::Place(PlaceCondition::new(field, path, lookup, value))
    }

    /// The nesting depth of the operators; 0 for a single condition.
    pub fn depth(&self) -> usize {
        match self {
            Self::And(filters) | Self::Or(filters) => {
                1 + filters.iter().map(Self::depth).max().unwrap_or(0)
            }
            Self::Not(filter) => 1 + filter.depth(),
            Self::Condition(_) | Self::Place(_) => 0,
        }
    }

    /// The number of conditions in the tree.
    pub fn conditions(&self) -> usize {
        match self {
            Self::And(filters) | Self::Or(filters) => filters.iter().map(Self::conditions).sum(),
            Self::Not(filter) => filter.conditions(),
            Self::Condition(_) | Self::Place(_) => 1,
        }
    }
}

impl std::ops::Not for Filter {
    type Output = Self;

    fn not(self) -> Self {
        Self::Not(Box::new(self))
    }
}

impl std::str::FromStr for Filter {
    type Err = FilterError;

    /// Reads the JSON of a `_filter` parameter and checks its limits.
    fn from_str(json: &str) -> Result<Self, FilterError> {
        // serde_json itself stops at 128 levels, so this cannot exhaust the stack.
        let filter: Self = serde_json::from_str(json).map_err(|error| {
            FilterError(format!(
                r#"must be a JSON tree such as {{"and": [{{"field": "id", "value": 1}}]}}: {error}"#
            ))
        })?;
        if filter.depth() > MAX_FILTER_DEPTH {
            return Err(FilterError(format!(
                "at most {MAX_FILTER_DEPTH} operators may be nested"
            )));
        }
        if filter.conditions() > MAX_CONDITIONS {
            return Err(FilterError(format!(
                "at most {MAX_CONDITIONS} conditions are taken"
            )));
        }
        Ok(filter)
    }
}

/// The error for a text that is not a valid [`Filter`] or [`JsonPath`]; the message says where it is wrong and what is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FilterError(String);

/// Checks that a value has the shape that its lookup requires.
pub(crate) fn check_operand(field: &str, lookup: Lookup, value: &Operand) -> Result<(), String> {
    match (lookup, value) {
        (Lookup::In, Operand::Many(values)) if values.is_empty() => {
            Err(format!("{field}__in needs at least one value"))
        }
        (Lookup::Range, Operand::Many(values)) if values.len() != 2 => Err(format!(
            "{field}__range needs two values, not {}",
            values.len()
        )),
        (lookup, Operand::One(_)) if lookup.takes_list() => {
            Err(format!("{field}__{lookup} needs an array of values"))
        }
        (lookup, Operand::Many(_)) if !lookup.takes_list() => {
            Err(format!("{field}__{lookup} takes one value, not an array"))
        }
        _ => Ok(()),
    }
}
