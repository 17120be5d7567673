//! JSON as it came: objects whose properties are looked up, what a string says, and where a text that is meant to be JSON has its fault.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;
use svc_model::JsonObject;

/// An object whose properties are looked up by name.
pub(crate) trait Object {
    /// The value of a property as JSON.
    fn raw(&self, name: &str) -> Option<&RawValue>;
}

impl Object for JsonObject {
    fn raw(&self, name: &str) -> Option<&RawValue> {
        let mut properties = self.iter();
        properties
            .find(|(known, _)| *known == name)
            .map(|(_, raw)| raw)
    }
}

/// An object that borrows its properties from the JSON that it was read from, for tables of thousands of values.
#[derive(Debug, Default)]
pub(crate) struct Borrowed<'j>(Vec<(Cow<'j, str>, &'j RawValue)>);

impl<'j> Borrowed<'j> {
    /// Reads an object; anything else has no properties.
    pub(crate) fn read(json: &'j RawValue) -> Self {
        serde_json::from_str(json.get()).unwrap_or_default()
    }

    /// The properties of an object that is the value of this property.
    pub(crate) fn object(&self, name: &str) -> Borrowed<'j> {
        self.find(name).map(Borrowed::read).unwrap_or_default()
    }

    fn find(&self, name: &str) -> Option<&'j RawValue> {
        let mut properties = self.0.iter();
        properties
            .find(|(known, _)| known == name)
            .map(|(_, raw)| *raw)
    }
}

impl Object for Borrowed<'_> {
    fn raw(&self, name: &str) -> Option<&RawValue> {
        self.find(name)
    }
}

impl<'de> Deserialize<'de> for Borrowed<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Properties;

        impl<'de> Visitor<'de> for Properties {
            type Value = Borrowed<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut properties = Vec::with_capacity(16);
                while let Some((Name(name), raw)) = map.next_entry()? {
                    properties.push((name, raw));
                }
                Ok(Borrowed(properties))
            }
        }

        deserializer.deserialize_map(Properties)
    }
}

/// A name, which is borrowed where nothing in it is escaped.
#[derive(Deserialize)]
struct Name<'j>(#[serde(borrow)] Cow<'j, str>);

/// What a JSON string says; `None` for any other value.
pub(crate) fn text(json: &str) -> Option<Cow<'_, str>> {
    // Of numbers nothing is asked: a reader would write a whole sentence about each one.
    if !json.starts_with('"') {
        return None;
    }
    match json.contains('\\') {
        false => serde_json::from_str(json).ok().map(Cow::Borrowed),
        true => serde_json::from_str(json).ok().map(Cow::Owned),
    }
}

/// What is wrong with a text that is meant to be JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The character of the line, counted from 1.
    pub(crate) column: usize,
    /// How many units of UTF-16 are before it, where lines end with LF: as scripts of a browser count.
    pub(crate) units: usize,
    /// What was expected there.
    pub(crate) message: String,
}

/// Looks whether a text is JSON.
pub(crate) fn check(text: &str) -> Result<(), Fault> {
    let error = match serde_json::from_str::<&RawValue>(text) {
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    let line = error.line().max(1);
    // The column is counted in bytes.
    let in_line = text.split('\n').nth(line - 1).unwrap_or_default();
    let before = error.column().saturating_sub(1);
    let before = in_line.char_indices().take_while(|(at, _)| *at < before);
    let before: String = before.map(|(_, character)| character).collect();
    let lines_before = text.split('\n').take(line - 1);
    let units = |line: &str| line.trim_end_matches('\r').encode_utf16().count();
    let units_before: usize = lines_before.map(|line| units(line) + 1).sum();
    let message = error.to_string();
    let message = message
        .split_once(" at line ")
        .map_or(&*message, |(message, _)| message);
    Err(Fault {
        line,
        column: before.chars().count() + 1,
        units: units_before + units(&before),
        message: message.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_found_by_their_names_also_by_escaped_ones() {
        let json = r#"{"a": 1.10, "\u00e4\"": {"b": "x"}, "c": null}"#;
        let json = RawValue::from_string(json.to_owned()).unwrap();
        let object = Borrowed::read(&json);
        assert_eq!(object.raw("a").map(RawValue::get), Some("1.10"));
        assert_eq!(object.raw("c").map(RawValue::get), Some("null"));
        assert!(object.raw("d").is_none());
        let inner = object.object("ä\"");
        assert_eq!(inner.raw("b").map(RawValue::get), Some("\"x\""));
        assert!(object.object("a").raw("b").is_none());
        let owned: JsonObject = serde_json::from_str(json.get()).unwrap();
        assert_eq!(owned.raw("a").map(RawValue::get), Some("1.10"));
    }

    #[test]
    fn only_a_string_says_a_text() {
        assert!(matches!(text(r#""a b""#), Some(Cow::Borrowed("a b"))));
        assert_eq!(text(r#""a\"\u00e4""#).as_deref(), Some("a\"ä"));
        for other in ["1.10", "null", "[\"a\"]", "\"a", ""] {
            assert_eq!(text(other), None, "{other}");
        }
    }

    #[test]
    fn a_fault_is_named_by_line_and_character() {
        assert_eq!(check(" {\"a\": [1, 2.50]}\n"), Ok(()));
        let fault = check("{\n  \"ä\": \"öö\" 7\n}").unwrap_err();
        assert_eq!((fault.line, fault.column, fault.units), (2, 13, 14));
        let fault = check("{\r\n\"😀\" 7}").unwrap_err();
        assert_eq!((fault.line, fault.column, fault.units), (2, 5, 7));
        assert!(!fault.message.contains("line"), "{}", fault.message);
        assert_eq!(check("").unwrap_err().line, 1);
        assert_eq!(check("{\n\n").unwrap_err().line, 3);
        assert!(check("{} {}").is_err());
        // Without harm, however deep it is.
        assert!(check(&"[".repeat(100_000)).is_err());
    }
}
