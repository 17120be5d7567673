//! Conditions on fields, and trees of them for the `_filter` parameter.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::value::RawValue;

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
    /// The values of `in`, or the two of `range`.
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
/// `{"field", "lookup"?, "value"}`. An empty `and` matches every record, an empty `or` matches none.
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

    /// The nesting depth of the operators; 0 for a single condition.
    pub fn depth(&self) -> usize {
        match self {
            Self::And(filters) | Self::Or(filters) => {
                1 + filters.iter().map(Self::depth).max().unwrap_or(0)
            }
            Self::Not(filter) => 1 + filter.depth(),
            Self::Condition(_) => 0,
        }
    }

    /// The number of conditions in the tree.
    pub fn conditions(&self) -> usize {
        match self {
            Self::And(filters) | Self::Or(filters) => filters.iter().map(Self::conditions).sum(),
            Self::Not(filter) => filter.conditions(),
            Self::Condition(_) => 1,
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

/// The error for a `_filter` that is not a valid [`Filter`]; the message says where it is wrong and what is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FilterError(String);

impl Serialize for Filter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::And(filters) => map.serialize_entry("and", filters)?,
            Self::Or(filters) => map.serialize_entry("or", filters)?,
            Self::Not(filter) => map.serialize_entry("not", filter)?,
            Self::Condition(condition) => {
                map.serialize_entry("field", &condition.field)?;
                if condition.lookup != Lookup::Exact {
                    map.serialize_entry("lookup", condition.lookup.as_str())?;
                }
                match &condition.value {
                    Operand::One(value) => map.serialize_entry("value", value)?,
                    Operand::Many(values) => map.serialize_entry("value", values)?,
                }
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Filter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FilterVisitor)
    }
}

struct FilterVisitor;

impl<'de> Visitor<'de> for FilterVisitor {
    type Value = Filter;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            r#"an object: {"and": [...]}, {"or": [...]}, {"not": ...} or {"field", "lookup"?, "value"}"#,
        )
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Filter, A::Error> {
        let (mut operator, mut field, mut lookup, mut value) = (None, None, None, None);
        while let Some(key) = map.next_key::<String>()? {
            let again = match key.as_str() {
                "and" => operator.replace(Filter::And(map.next_value()?)).is_some(),
                "or" => operator.replace(Filter::Or(map.next_value()?)).is_some(),
                "not" => operator.replace(Filter::Not(map.next_value()?)).is_some(),
                "field" => field.replace(map.next_value::<String>()?).is_some(),
                "lookup" => lookup.replace(map.next_value::<String>()?).is_some(),
                "value" => value.replace(map.next_value::<JsonOperand>()?).is_some(),
                other => {
                    return Err(A::Error::custom(format_args!(
                        "unknown key {other:?}; expected and, or, not, or field, lookup, value"
                    )));
                }
            };
            if again {
                return Err(A::Error::custom(
                    "an object holds one of and, or, not, field, once",
                ));
            }
        }
        match (operator, field, lookup, value) {
            (Some(operator), None, None, None) => Ok(operator),
            (None, Some(field), lookup, Some(JsonOperand(value))) => {
                let lookup = match lookup {
                    Some(word) => word
                        .parse()
                        .map_err(|error| A::Error::custom(format_args!("{field}: {error}")))?,
                    None => Lookup::Exact,
                };
                check_operand(&field, lookup, &value).map_err(A::Error::custom)?;
                Ok(Filter::Condition(Condition {
                    field,
                    lookup,
                    value,
                }))
            }
            (None, Some(field), _, None) => Err(A::Error::custom(format_args!(
                "the condition on {field} has no value"
            ))),
            (None, None, ..) => Err(A::Error::custom("expected one of and, or, not, field")),
            (Some(_), ..) => Err(A::Error::custom(
                "an object holds an operator or a condition, not both",
            )),
        }
    }
}

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
        (Lookup::In | Lookup::Range, Operand::One(_)) => {
            Err(format!("{field}__{lookup} needs an array of values"))
        }
        (lookup, Operand::Many(_)) if !lookup.takes_list() => {
            Err(format!("{field}__{lookup} takes one value, not an array"))
        }
        _ => Ok(()),
    }
}

/// A JSON scalar, or an array of them, as text. Numbers keep all of their digits.
struct JsonOperand(Operand);

impl<'de> Deserialize<'de> for JsonOperand {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Scalars;

        impl<'de> Visitor<'de> for Scalars {
            type Value = Operand;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of values")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Operand, A::Error> {
                let mut texts = Vec::new();
                while let Some(value) = values.next_element::<&RawValue>()? {
                    texts.push(scalar_text(value).map_err(A::Error::custom)?);
                }
                Ok(Operand::Many(texts))
            }
        }

        let raw = <&RawValue>::deserialize(deserializer)?;
        if raw.get().starts_with('[') {
            let mut json = serde_json::Deserializer::from_str(raw.get());
            return json
                .deserialize_seq(Scalars)
                .map(Self)
                .map_err(D::Error::custom);
        }
        scalar_text(raw)
            .map(|text| Self(Operand::One(text)))
            .map_err(D::Error::custom)
    }
}

fn scalar_text(raw: &RawValue) -> Result<String, String> {
    match raw.get().as_bytes().first() {
        Some(b'"') => serde_json::from_str(raw.get()).map_err(|error| error.to_string()),
        Some(b'n') => Err("null is compared with the lookup isnull".to_owned()),
        Some(b'{' | b'[') => Err("a value is a text, a number or a boolean".to_owned()),
        _ => Ok(raw.get().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(json: &str) -> String {
        json.parse::<Filter>().unwrap_err().to_string()
    }

    #[test]
    fn numbers_keep_their_digits() {
        let filter: Filter =
            r#"{"field":"n","lookup":"in","value":[9007199254740993,1.10,true,"x"]}"#
                .parse()
                .unwrap();
        assert_eq!(
            filter,
            Filter::field("n", Lookup::In, ["9007199254740993", "1.10", "true", "x"])
        );
    }

    #[test]
    fn a_tree_deeper_than_eight_operators_is_refused() {
        let nested = |depth: usize| {
            format!(
                "{}{{\"field\":\"a\",\"value\":1}}{}",
                "{\"not\":".repeat(depth),
                "}".repeat(depth)
            )
        };
        assert!(nested(8).parse::<Filter>().is_ok());
        assert_eq!(refused(&nested(9)), "at most 8 operators may be nested");
        assert!(refused(&nested(100_000)).contains("recursion limit"));
    }

    #[test]
    fn more_than_a_hundred_conditions_are_refused() {
        let wide = |count: usize| {
            format!(
                "{{\"or\":[{}]}}",
                vec![r#"{"field":"a","value":1}"#; count].join(",")
            )
        };
        assert!(wide(100).parse::<Filter>().is_ok());
        assert_eq!(refused(&wide(101)), "at most 100 conditions are taken");
    }

    #[test]
    fn a_malformed_tree_is_refused_and_the_message_says_what_is_expected() {
        for (json, expected) in [
            ("[]", "expected an object"),
            ("{}", "expected one of and, or, not, field"),
            (r#"{"and":[],"or":[]}"#, "once"),
            (r#"{"and":[],"field":"a","value":1}"#, "not both"),
            (r#"{"field":"a"}"#, "the condition on a has no value"),
            (
                r#"{"field":"a","lookup":"like","value":1}"#,
                "a: unknown lookup; known are exact",
            ),
            (r#"{"field":"a","value":null}"#, "isnull"),
            (r#"{"field":"a","value":{"b":1}}"#, "a value is a text"),
            (r#"{"field":"a","value":[1]}"#, "takes one value"),
            (
                r#"{"field":"a","lookup":"in","value":"1,2"}"#,
                "needs an array",
            ),
            (
                r#"{"field":"a","lookup":"in","value":[]}"#,
                "at least one value",
            ),
            (
                r#"{"field":"a","lookup":"range","value":[1]}"#,
                "two values",
            ),
            (r#"{"nor":[]}"#, "unknown key \"nor\""),
            ("{", "EOF"),
        ] {
            let message = refused(json);
            assert!(message.contains(expected), "{json}: {message}");
        }
    }
}
