//! JSON values with all digits of their numbers, however they are written.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    fmt::{self, Write as _},
};

use serde::{
    Deserializer as _,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use svc_model::PathPart;

use super::read_decimal;

/// How deep a value may be nested to be read as [`Exact`].
const MAX_DEPTH: usize = 128;

/// A JSON value that equals another one if the two mean the same. Of a member that occurs twice the last value counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Exact {
    Null,
    Boolean(bool),
    Number(Number),
    Text(String),
    Array(Vec<Self>),
    Object(BTreeMap<String, Self>),
}

impl Exact {
    /// Reads JSON text; none where it is not JSON, or nested too deep.
    pub(crate) fn parse(json: &str) -> Option<Self> {
        let raw: &RawValue = serde_json::from_str(json).ok()?;
        Self::read(raw, MAX_DEPTH)
    }

    fn read(raw: &RawValue, depth: usize) -> Option<Self> {
        let json = raw.get();
        let below = depth.checked_sub(1);
        Some(match json.as_bytes().first()? {
            b'n' => Self::Null,
            b't' => Self::Boolean(true),
            b'f' => Self::Boolean(false),
            b'"' => Self::Text(serde_json::from_str(json).ok()?),
            b'[' => {
                let items: Vec<&RawValue> = serde_json::from_str(json).ok()?;
                let items = items.into_iter().map(|item| Self::read(item, below?));
                Self::Array(items.collect::<Option<_>>()?)
            }
            b'{' => {
                let members: BTreeMap<String, &RawValue> = serde_json::from_str(json).ok()?;
                let members = members.into_iter();
                let members = members.map(|(name, item)| Some((name, Self::read(item, below?)?)));
                Self::Object(members.collect::<Option<_>>()?)
            }
            _ => Self::Number(Number::of(json)),
        })
    }
}

/// A decimal number, whatever its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    negative: bool,
    /// What 0.`digits` is multiplied with, as a power of ten.
    exponent: i64,
    /// Without zeros at either end; empty for zero.
    digits: String,
}

impl Number {
    /// The number that a JSON number means.
    fn of(json: &str) -> Self {
        let (negative, rest) = match json.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, json),
        };
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let written = format!("{whole}{fraction}");
        let digits = written.trim_start_matches('0');
        let zeros = length(&written) - length(digits);
        let digits = digits.trim_end_matches('0');
        if digits.is_empty() {
            return Self {
                negative: false,
                exponent: 0,
                digits: String::new(),
            };
        }
        // An exponent that no integer holds is as good as the largest one.
        let exponent = exponent.parse().unwrap_or(match exponent.starts_with('-') {
            true => i64::MIN,
            false => i64::MAX,
        });
        Self {
            negative,
            exponent: exponent.saturating_add(length(whole) - zeros),
            digits: digits.to_owned(),
        }
    }
}

fn length(digits: &str) -> i64 {
    i64::try_from(digits.len()).unwrap_or(i64::MAX)
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let size = |number: &Self| match (number.digits.is_empty(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let magnitude = || {
            let exponents = self.exponent.cmp(&other.exponent);
            exponents.then_with(|| self.digits.cmp(&other.digits))
        };
        match (size(self).cmp(&size(other)), self.negative) {
            (Ordering::Equal, true) => magnitude().reverse(),
            (Ordering::Equal, false) => magnitude(),
            (unequal, _) => unequal,
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Writes JSON in one spelling: without blanks, exponents and needless escapes, each member once, in the order of names.
///
/// # Errors
/// A message where a number has too many digits.
pub(crate) fn plain_json(json: &str) -> Result<String, String> {
    let raw = serde_json::from_str::<&RawValue>(json).map_err(|_| "must be JSON".to_owned())?;
    let mut out = String::with_capacity(json.len());
    write_plain(&mut out, raw, MAX_DEPTH)?;
    Ok(out)
}

fn write_plain(out: &mut String, raw: &RawValue, depth: usize) -> Result<(), String> {
    let json = raw.get();
    let wrong = |_| "must be JSON".to_owned();
    let below = || depth.checked_sub(1).ok_or("is nested too deep");
    match json.as_bytes().first() {
        Some(b'n' | b't' | b'f') => out.push_str(json),
        Some(b'"') => write_text(out, &serde_json::from_str::<String>(json).map_err(wrong)?),
        Some(b'[') => {
            out.push('[');
            let items: Vec<&RawValue> = serde_json::from_str(json).map_err(wrong)?;
            for (position, item) in items.into_iter().enumerate() {
                out.push_str(if position > 0 { "," } else { "" });
                write_plain(out, item, below()?)?;
            }
            out.push(']');
        }
        Some(b'{') => {
            out.push('{');
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(json).map_err(wrong)?;
            for (position, (name, item)) in members.into_iter().enumerate() {
                out.push_str(if position > 0 { "," } else { "" });
                write_text(out, &name);
                out.push(':');
                write_plain(out, item, below()?)?;
            }
            out.push('}');
        }
        _ => out.push_str(&read_decimal(json)?),
    }
    Ok(())
}

fn write_text(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = write!(out, "{}", serde_json::Value::from(text));
}

/// What is at a place inside a JSON document. A name leads to a member of an object alone, a position to an element of an
/// array alone. None where nothing is there, or the text is not JSON.
#[cfg(feature = "sqlite")]
pub(crate) fn at<'j>(json: &'j str, path: &[PathPart]) -> Option<&'j RawValue> {
    let mut here: &RawValue = serde_json::from_str(json).ok()?;
    for part in path {
        let mut reader = serde_json::Deserializer::from_str(here.get());
        here = match part {
            PathPart::Member(name) if here.get().starts_with('{') => {
                reader.deserialize_map(Member(name)).ok()??
            }
            PathPart::Element(position) if here.get().starts_with('[') => {
                reader.deserialize_seq(Element(*position)).ok()??
            }
            _ => return None,
        };
    }
    Some(here)
}

/// Reads the member of an object that has the name; of several the last one.
struct Member<'n>(&'n str);

impl<'de> Visitor<'de> for Member<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(is_meant) = map.next_key_seed(IsName(self.0))? {
            match is_meant {
                true => found = Some(map.next_value()?),
                false => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}

/// Whether a name is this one.
struct IsName<'n>(&'n str);

impl<'de> DeserializeSeed<'de> for IsName<'_> {
    type Value = bool;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for IsName<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}

/// Reads the element of an array at the position.
struct Element(u32);

impl<'de> Visitor<'de> for Element {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        for _ in 0..self.0 {
            if items.next_element::<IgnoredAny>()?.is_none() {
                return Ok(None);
            }
        }
        let found = items.next_element()?;
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(json: &str) -> Number {
        Number::of(json)
    }

    #[test]
    fn numbers_of_any_size_are_equal_and_ordered_by_what_they_mean() {
        for (one, other) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("-0.0", "0"),
            ("0e99999999999999999999", "0"),
            ("0.001", "1E-3"),
            ("12.50e1", "125"),
        ] {
            assert_eq!(number(one), number(other), "{one} {other}");
        }
        let ordered = [
            "-1e99999999999999999999",
            "-1e400",
            "-9007199254740993",
            "-9007199254740992",
            "-0.5",
            "-1e-400",
            "0",
            "1e-99999999999999999999",
            "1e-400",
            "0.1",
            "0.10000000000000001",
            "9",
            "10",
            "9007199254740992",
            "9007199254740993",
            "12345678901234567890123",
            "1e400",
        ];
        for (position, one) in ordered.iter().enumerate() {
            for (place, other) in ordered.iter().enumerate() {
                let order = number(one).cmp(&number(other));
                assert_eq!(order, position.cmp(&place), "{one} {other}");
            }
        }
    }

    #[test]
    fn values_are_equal_however_they_are_written() {
        let read = Exact::parse;
        assert_eq!(
            read(r#"{"a": [1, "\u00e9"], "b": null}"#),
            read(r#"{"b":null,"a":[1.0,"é"]}"#)
        );
        assert_eq!(read(r#"{"a":1,"a":2}"#), read(r#"{"a":2}"#));
        assert_ne!(read("[1,2]"), read("[2,1]"));
        assert_ne!(read("9007199254740993"), read("9007199254740992"));
        assert_eq!(read("{broken"), None);
        assert_eq!(read(&"[".repeat(100_000)), None);
        let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
        assert_eq!(read(&deep), None);
    }

    #[test]
    fn json_is_written_in_one_spelling() {
        assert_eq!(
            plain_json(" {\"b\": 1.50e2, \"a\": [\"\\u00e9\\/\", null], \"b\": -0.10} ").unwrap(),
            r#"{"a":["é/",null],"b":-0.10}"#
        );
        assert!(plain_json("[1e99999]").is_err());
        assert!(plain_json("[").is_err());
    }

    #[cfg(feature = "sqlite")]
    #[test]
    fn a_place_is_found_by_names_of_members_and_positions_of_elements() {
        use svc_model::JsonPath;

        let document = r#"{"a": [{"b": 1, "b": 2}, 3], "": {"0": "x", "\u00f6": 5}, "$.\"": 4}"#;
        let found = |path: JsonPath| at(document, path.parts()).map(RawValue::get);
        for (path, value) in [
            (JsonPath::member("a").then_element(1), Some("3")),
            (
                JsonPath::member("a").then_element(0).then_member("b"),
                Some("2"),
            ),
            (JsonPath::member("").then_member("0"), Some("\"x\"")),
            (JsonPath::member("").then_member("ö"), Some("5")),
            (JsonPath::member("$.\""), Some("4")),
            (JsonPath::member("").then_element(0), None),
            (JsonPath::member("a").then_member("1"), None),
            (JsonPath::member("a").then_element(2_147_483_647), None),
            (JsonPath::element(0), None),
            (JsonPath::member("a").then_element(1).then_element(0), None),
        ] {
            assert_eq!(found(path.clone()), value, "{path}");
        }
        let path = JsonPath::member("a");
        assert!(at("{\"a\": 1", path.parts()).is_none());
        assert!(at("{\"a\": 1} x", path.parts()).is_none());
        let deep = format!("{{\"a\": {}1{}}}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(at(&deep, path.parts()).is_some());
    }
}
