//! Names and values: query parameters, headers, fields of forms. They are an array of `{name, value}`, an object, or the
//! JSON text of either.

use serde::Deserialize as _;
use serde_json::Value;

/// What a list of names and values may look like.
const FORMS: &str =
    "must be an array of {\"name\", \"value\"}, an object, or the JSON text of either";

/// The most bytes of names and values together: a name counts for each of its values.
const MOST_BYTES: usize = 64 << 20;

/// Names and values, in their order.
pub(super) type Pairs = Vec<(String, String)>;

/// Reads names and values from JSON.
pub(super) fn parse(json: &str) -> Result<Pairs, String> {
    match serde_json::from_str(json) {
        Ok(Value::String(text)) => parse_text(&text),
        Ok(value) => of_value(value),
        Err(_) => Err(FORMS.to_owned()),
    }
}

/// Reads names and values from a text that holds JSON; there are none in an empty one.
pub(super) fn parse_text(text: &str) -> Result<Pairs, String> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let value = Value::deserialize(&mut json).and_then(|value| json.end().map(|()| value));
    of_value(value.map_err(|_| FORMS.to_owned())?)
}

fn of_value(value: Value) -> Result<Pairs, String> {
    let mut pairs = Collected {
        pairs: Vec::new(),
        left: MOST_BYTES,
    };
    match value {
        Value::Null => {}
        Value::Object(object) => {
            for (name, value) in object {
                pairs.push(name, value)?;
            }
        }
        Value::Array(items) => {
            for item in items {
                let Value::Object(mut item) = item else {
                    return Err(FORMS.to_owned());
                };
                let (name, value) = (item.remove("name"), item.remove("value"));
                let (Some(Value::String(name)), true) = (name, item.is_empty()) else {
                    return Err(FORMS.to_owned());
                };
                pairs.push(name, value.unwrap_or_default())?;
            }
        }
        _ => return Err(FORMS.to_owned()),
    }
    Ok(pairs.pairs)
}

struct Collected {
    pairs: Pairs,
    /// How many bytes may still be added.
    left: usize,
}

impl Collected {
    /// Adds a value, each of an array, and nothing for a null.
    fn push(&mut self, name: String, value: Value) -> Result<(), String> {
        match value {
            Value::Array(values) => {
                for value in values {
                    // Counted first: one long name with very many values would fill the memory.
                    self.left = self.left.checked_sub(name.len()).ok_or_else(|| {
                        format!("names and values must be at most {MOST_BYTES} bytes together")
                    })?;
                    self.push_one(name.clone(), value)?;
                }
                Ok(())
            }
            value => self.push_one(name, value),
        }
    }

    fn push_one(&mut self, name: String, value: Value) -> Result<(), String> {
        let value = match value {
            Value::Null => return Ok(()),
            Value::String(text) => text,
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Array(_) | Value::Object(_) => {
                return Err("values must be texts, numbers, booleans or null".to_owned());
            }
        };
        self.pairs.push((name, value));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Vec<String> {
        let pairs = parse(json).unwrap_or_else(|error| panic!("{json}: {error}"));
        pairs
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect()
    }

    #[test]
    fn all_forms_say_the_same() {
        for json in [
            r#"[{"name":"a","value":"1"},{"name":"b","value":2},{"name":"a","value":true}]"#,
            r#""[{\"name\":\"a\",\"value\":\"1\"},{\"name\":\"b\",\"value\":2},{\"name\":\"a\",\"value\":true}]""#,
        ] {
            assert_eq!(read(json), ["a=1", "b=2", "a=true"]);
        }
        assert_eq!(
            read(r#"{"a":["1",2],"b":null,"c":1.50}"#),
            ["a=1", "a=2", "c=1.5"]
        );
        for nothing in ["null", "[]", "{}", r#""""#, r#"" ""#, r#""{}""#] {
            assert!(read(nothing).is_empty(), "{nothing}");
        }
    }

    #[test]
    fn a_long_name_is_not_repeated_for_any_number_of_values() {
        let json = |values: usize| {
            let (name, values) = ("n".repeat(1 << 20), vec!["1"; values].join(","));
            format!("{{\"{name}\":[{values}]}}")
        };
        assert_eq!(parse(&json(8)).unwrap().len(), 8);
        let message = parse(&json(1_000_000)).unwrap_err();
        assert!(message.contains("bytes together"), "{message}");
    }

    #[test]
    fn anything_else_is_refused() {
        for json in [
            "7",
            "true",
            "[1]",
            r#"[["a","1"]]"#,
            r#"[{"value":"1"}]"#,
            r#"[{"name":7,"value":"1"}]"#,
            r#"[{"name":"a","value":"1","more":1}]"#,
            r#"{"a":{}}"#,
            r#""a=1""#,
            r#""{}{}""#,
        ] {
            assert!(parse(json).is_err(), "{json}");
        }
    }
}
