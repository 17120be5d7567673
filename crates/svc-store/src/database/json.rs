//! JSON that the store keeps as text: checked when it comes in, never looked at again.

use serde::de::IgnoredAny;
use svc_model::JsonObject;

use crate::error::{Error, Result};

/// A JSON object as text; the empty object when none is given.
pub(crate) fn object_or_empty(field: &str, text: Option<String>) -> Result<String> {
    text.map_or_else(|| Ok("{}".to_owned()), |text| object(field, text))
}

/// A JSON object as text.
pub(crate) fn object(field: &str, text: String) -> Result<String> {
    match serde_json::from_str::<JsonObject>(&text) {
        Ok(_) => Ok(text),
        Err(error) => Err(Error::invalid_field(
            field,
            format!("must be a JSON object: {error}"),
        )),
    }
}

/// Whether a text holds JSON, and if not, where it ends to be.
pub(crate) fn check(text: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str::<IgnoredAny>(text).map(drop)
}

/// The object that a text of the store holds.
pub(crate) fn to_object(text: &str) -> Result<JsonObject> {
    serde_json::from_str(text).map_err(Error::caused(
        "the store holds a text that is not a JSON object",
    ))
}

/// One object of the properties of two, given as compact texts: of a name that both have, the value of the second at
/// the place of the first. Read once as a whole, so that very many properties stay linear.
pub(crate) fn merge(first: &str, second: &str) -> Result<String> {
    to_text(&to_object(&join(first, second))?)
}

/// An object as text.
pub(crate) fn to_text(object: &JsonObject) -> Result<String> {
    serde_json::to_string(object).map_err(unwritable)
}

pub(crate) fn unwritable(source: serde_json::Error) -> Error {
    Error::caused("a value cannot be written as JSON")(source)
}

/// One object of the properties of two, given as compact texts. Of a name that both have, a reader
/// the text takes the value of the second at the place of the first, as [`JsonObject`] does.
pub(crate) fn join(first: &str, second: &str) -> String {
    let (first, second) = (inner(first), inner(second));
    let separator = if first.is_empty() || second.is_empty() {
        ""
    } else {
        ","
    };
    format!("{{{first}{separator}{second}}}")
}

fn inner(object: &str) -> &str {
    let object = object.strip_prefix('{').unwrap_or(object);
    object.strip_suffix('}').unwrap_or(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_objects_keep_the_first_place_and_the_last_value() {
        for (first, second, joined) in [
            ("{}", "{}", "{}"),
            (r#"{"a":1}"#, "{}", r#"{"a":1}"#),
            ("{}", r#"{"a":1}"#, r#"{"a":1}"#),
            (
                r#"{"a":1,"b":{}}"#,
                r#"{"c":[{}],"a":2}"#,
                r#"{"a":2,"b":{},"c":[{}]}"#,
            ),
        ] {
            let read: JsonObject = serde_json::from_str(&join(first, second)).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), joined);
        }
    }

    #[test]
    fn settings_must_be_an_object() {
        assert_eq!(object_or_empty("params", None).unwrap(), "{}");
        assert!(object("params", r#" {"a": 1} "#.to_owned()).is_ok());
        for text in ["", "[]", "7", "{", "{} {}"] {
            assert!(object("params", text.to_owned()).is_err(), "{text}");
        }
    }
}
