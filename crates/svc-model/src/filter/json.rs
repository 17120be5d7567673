//! Trees of conditions as the JSON of the wire.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, MapAccess, Visitor},
    ser::{Error as _, SerializeMap},
};
use serde_json::value::RawValue;

use super::{Condition, Filter, JsonPath, Operand, PlaceCondition, check_operand};
use crate::{Lookup, comma_list::read_list};

impl Serialize for Filter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::And(filters) => map.serialize_entry("and", filters)?,
            Self::Or(filters) => map.serialize_entry("or", filters)?,
            Self::Not(filter) => map.serialize_entry("not", filter)?,
            Self::Place(PlaceCondition {
                field,
                path,
                lookup,
                value,
            }) => {
                let raw = |json: String| RawValue::from_string(json).map_err(S::Error::custom);
                map.serialize_entry("field", field)?;
                map.serialize_entry("path", &raw(path.to_string())?)?;
                if *lookup != Lookup::Exact {
                    map.serialize_entry("lookup", lookup.as_str())?;
                }
                map.serialize_entry("value", &raw(value.as_json().to_owned())?)?;
            }
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
            r#"an object: {"and": [...]}, {"or": [...]}, {"not": ...} or {"field", "path"?, "lookup"?, "value"}"#,
        )
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Filter, A::Error> {
        let (mut operator, mut field, mut path) = (None, None, None);
        let (mut lookup, mut value) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            let again = match key.as_str() {
                "and" => operator.replace(Filter::And(map.next_value()?)).is_some(),
                "or" => operator.replace(Filter::Or(map.next_value()?)).is_some(),
                "not" => operator.replace(Filter::Not(map.next_value()?)).is_some(),
                "field" => field.replace(map.next_value::<String>()?).is_some(),
                "path" => path.replace(map.next_value::<Box<RawValue>>()?).is_some(),
                "lookup" => lookup.replace(map.next_value::<String>()?).is_some(),
                "value" => value.replace(map.next_value::<Box<RawValue>>()?).is_some(),
                other => {
                    return Err(A::Error::custom(format_args!(
                        "unknown key {other:?}; expected and, or, not, or field, path, lookup, value"
                    )));
                }
            };
            if again {
                return Err(A::Error::custom(
                    "an object holds one of and, or, not, field, once",
                ));
            }
        }
        match (operator, field) {
            (Some(operator), None) if path.is_none() && lookup.is_none() && value.is_none() => {
                Ok(operator)
            }
            (None, Some(field)) => {
                read_condition(field, path.as_deref(), lookup.as_deref(), value.as_deref())
                    .map_err(A::Error::custom)
            }
            (None, None) => Err(A::Error::custom("expected one of and, or, not, field")),
            (Some(_), _) => Err(A::Error::custom(
                "an object holds an operator or a condition, not both",
            )),
        }
    }
}

fn read_condition(
    field: String,
    path: Option<&RawValue>,
    lookup: Option<&str>,
    value: Option<&RawValue>,
) -> Result<Filter, String> {
    let lookup = match lookup {
        Some(word) => word.parse().map_err(|error| format!("{field}: {error}"))?,
        None => Lookup::Exact,
    };
    let Some(value) = value else {
        return Err(format!("the condition on {field} has no value"));
    };
    let Some(path) = path else {
        let value = read_operand(lookup, value)?;
        check_operand(&field, lookup, &value)?;
        return Ok(Filter::Condition(Condition {
            field,
            lookup,
            value,
        }));
    };
    let path =
        JsonPath::read(path.get()).map_err(|message| format!("the path in {field} {message}"))?;
    let condition = PlaceCondition::new(field, path, lookup, value);
    condition.check()?;
    Ok(Filter::Place(condition))
}

/// Reads a JSON scalar, or an array of them, as text. Numbers keep all of their digits. An array that a whole column is
/// equal to is one value.
fn read_operand(lookup: Lookup, raw: &RawValue) -> Result<Operand, String> {
    let is_array = raw.get().starts_with('[');
    match lookup {
        Lookup::Exact | Lookup::Ne if is_array => Ok(Operand::One(raw.get().to_owned())),
        _ if is_array => read_array(raw.get()).map(Operand::Many),
        _ if lookup.takes_elements() => read_values(lookup, &scalar_text(raw)?).map(Operand::Many),
        _ => scalar_text(raw).map(Operand::One),
    }
}

/// Reads the list of a lookup that [takes](Lookup::takes_list) one: a comma list, or a JSON array where elements are
/// meant.
pub(crate) fn read_values(lookup: Lookup, text: &str) -> Result<Vec<String>, String> {
    match text.trim_start().starts_with('[') && lookup.takes_elements() {
        true => read_array(text),
        false if text.is_empty() => Ok(Vec::new()),
        false => read_list(text).map_err(str::to_owned),
    }
}

/// Reads an array of JSON scalars.
fn read_array(json: &str) -> Result<Vec<String>, String> {
    let values: Vec<&RawValue> =
        serde_json::from_str(json).map_err(|error| format!("must be a JSON array: {error}"))?;
    values.into_iter().map(scalar_text).collect()
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
    use crate::JsonOperand;

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
            (
                r#"{"field":"a","lookup":"gt","value":[1]}"#,
                "takes one value",
            ),
            (
                r#"{"field":"a","lookup":"contains_any","value":[null]}"#,
                "isnull",
            ),
            (
                r#"{"field":"a","lookup":"contains_all","value":"[1"}"#,
                "must be a JSON array",
            ),
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
            (r#"{"path":["a"],"value":1}"#, "expected one of"),
            (r#"{"path":["a"],"or":[]}"#, "not both"),
            (
                r#"{"field":"a","path":["a"],"path":["b"],"value":1}"#,
                "once",
            ),
            (r#"{"nor":[]}"#, "unknown key \"nor\""),
            ("{", "EOF"),
        ] {
            let message = refused(json);
            assert!(message.contains(expected), "{json}: {message}");
        }
    }
    #[test]
    fn arrays_are_compared_with_arrays_and_comma_lists() {
        let read = |lookup: &str, value: &str| {
            let json = format!(r#"{{"field":"a","lookup":"{lookup}","value":{value}}}"#);
            json.parse::<Filter>().unwrap()
        };
        let any = |values: &[&str]| Filter::field("a", Lookup::ContainsAny, values);
        assert_eq!(
            read("contains_any", r#"["x,y",1.10]"#),
            any(&["x,y", "1.10"])
        );
        assert_eq!(read("contains_any", r#""x,\"y,z\"""#), any(&["x", "y,z"]));
        assert_eq!(read("contains_any", r#""[\"x\",2]""#), any(&["x", "2"]));
        assert_eq!(read("contains_any", "5"), any(&["5"]));
        assert_eq!(read("contains_any", "[]"), any(&[]));
        assert_eq!(read("contains_any", r#""""#), any(&[]));
        assert_eq!(
            read("exact", r#"["x", null]"#),
            Filter::field("a", Lookup::Exact, r#"["x", null]"#)
        );
        assert_eq!(read("len__gte", "2"), Filter::field("a", Lookup::LenGte, 2));
    }

    #[test]
    fn a_place_keeps_its_path_and_the_json_of_its_value() {
        for (json, path, value) in [
            (
                r#"{"field":"d","path":["a",0,"b"],"value":1.10}"#,
                JsonPath::member("a").then_element(0).then_member("b"),
                "1.10",
            ),
            (
                r#"{"value":"1","path":["0"],"field":"d"}"#,
                JsonPath::member("0"),
                r#""1""#,
            ),
            (
                r#"{"field":"d","path":["","$.\"\\'ö日"],"value":{"x":[null]}}"#,
                JsonPath::member("").then_member("$.\"\\'ö日"),
                r#"{"x":[null]}"#,
            ),
            (
                r#"{"field":"d","path":[2147483647],"value":[1,"a"]}"#,
                JsonPath::element(2_147_483_647),
                r#"[1,"a"]"#,
            ),
        ] {
            let value = JsonOperand::parse(value).unwrap();
            let expected = Filter::place("d", path, Lookup::Exact, value);
            let read: Filter = json.parse().unwrap();
            assert_eq!(read, expected, "{json}");
            let written = serde_json::to_string(&read).unwrap();
            assert_eq!(written.parse::<Filter>().unwrap(), expected, "{written}");
        }
    }

    #[test]
    fn a_malformed_place_is_refused() {
        let many = format!(
            r#"{{"field":"d","path":[{}],"value":1}}"#,
            vec![r#""a""#; 10_000].join(",")
        );
        for (json, expected) in [
            (r#"{"field":"d","path":[],"value":1}"#, "at least one part"),
            (
                r#"{"field":"d","path":"a.b","value":1}"#,
                "must be an array",
            ),
            (r#"{"field":"d","path":null,"value":1}"#, "must be an array"),
            (
                r#"{"field":"d","path":[-1],"value":1}"#,
                "position of an element",
            ),
            (
                r#"{"field":"d","path":[1.5],"value":1}"#,
                "position of an element",
            ),
            (
                r#"{"field":"d","path":[null],"value":1}"#,
                "position of an element",
            ),
            (
                r#"{"field":"d","path":[["a"]],"value":1}"#,
                "position of an element",
            ),
            (
                r#"{"field":"d","path":[2147483648],"value":1}"#,
                "position of an element",
            ),
            (
                r#"{"field":"d","path":[99999999999999999999],"value":1}"#,
                "position of an element",
            ),
            (many.as_str(), "the path in d may have at most 32 parts"),
            (r#"{"field":"d","path":["a"],"value":null}"#, "isnull"),
            (
                r#"{"field":"d","path":["a"]}"#,
                "the condition on d has no value",
            ),
            (
                r#"{"field":"d","path":["a"],"lookup":"in","value":1}"#,
                "needs an array",
            ),
            (
                r#"{"field":"d","path":["a"],"lookup":"in","value":[]}"#,
                "at least one value",
            ),
            (
                r#"{"field":"d","path":["a"],"lookup":"range","value":[1,2,3]}"#,
                "two values, not 3",
            ),
        ] {
            let message = refused(json);
            assert!(message.contains(expected), "{json}: {message}");
        }
    }
}
