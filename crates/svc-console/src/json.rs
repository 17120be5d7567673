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
    fn raw(&self, name: &str) -> Option<&str>;
}

impl Object for JsonObject {
    fn raw(&self, name: &str) -> Option<&str> {
        self.get_raw(name)
    }
}

/// A record of an answer with many: its names and values stand in one text behind each other, as they came.
#[derive(Debug, Default)]
pub(crate) struct Row {
    text: String,
    /// Where each name ends, and the value behind it.
    ends: Vec<(usize, usize)>,
}

impl Row {
    /// The properties of an object that is the value of this property.
    pub(crate) fn object(&self, name: &str) -> Borrowed<'_> {
        self.raw(name).map(Borrowed::read).unwrap_or_default()
    }
}

impl Object for Row {
    fn raw(&self, name: &str) -> Option<&str> {
        let mut start = 0;
        for (name_end, end) in &self.ends {
            if self.text.as_bytes().get(start..*name_end) == Some(name.as_bytes()) {
                return self.text.get(*name_end..*end);
            }
            start = *end;
        }
        None
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Properties;

        impl<'de> Visitor<'de> for Properties {
            type Value = Row;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                // The length of most records, so that they are not moved while they are read.
                let mut row = Row {
                    text: String::with_capacity(512),
                    ends: Vec::with_capacity(16),
                };
                while let Some((Name(name), raw)) = map.next_entry::<_, &RawValue>()? {
                    row.text.push_str(&name);
                    let name_end = row.text.len();
                    row.text.push_str(raw.get());
                    row.ends.push((name_end, row.text.len()));
                }
                Ok(row)
            }
        }

        deserializer.deserialize_map(Properties)
    }
}

/// An object that borrows its properties from the JSON that it was read from.
#[derive(Debug, Default)]
pub(crate) struct Borrowed<'j>(Vec<(Cow<'j, str>, &'j RawValue)>);

impl<'j> Borrowed<'j> {
    /// Reads an object; anything else has no properties.
    fn read(json: &'j str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// The properties of an object that is the value of this property.
    pub(crate) fn object(&self, name: &str) -> Borrowed<'j> {
        let found = self.find(name);
        found.map(|raw| Self::read(raw.get())).unwrap_or_default()
    }

    fn find(&self, name: &str) -> Option<&'j RawValue> {
        let mut properties = self.0.iter();
        properties
            .find(|(known, _)| known == name)
            .map(|(_, raw)| *raw)
    }
}

impl Object for Borrowed<'_> {
    fn raw(&self, name: &str) -> Option<&str> {
        self.find(name).map(RawValue::get)
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

/// What a string says that is JSON, as an answer of the service; `None` for any other value.
pub(crate) fn text(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    match inner.contains('\\') {
        false => Some(Cow::Borrowed(inner)),
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
        let row: Row = serde_json::from_str(json).unwrap();
        let owned: JsonObject = serde_json::from_str(json).unwrap();
        let objects: [&dyn Object; 3] = [&row, &owned, &Borrowed::read(json)];
        for object in objects {
            assert_eq!(object.raw("a"), Some("1.10"));
            assert_eq!(object.raw("c"), Some("null"));
            assert_eq!(object.raw("d"), None);
            // A name may be written in another way than the text of the record has it.
            assert_eq!(object.raw("ä\""), Some(r#"{"b": "x"}"#));
        }
        let inner = row.object("ä\"");
        assert_eq!(inner.raw("b"), Some("\"x\""));
        assert_eq!(inner.object("b").raw("b"), None);
        assert_eq!(row.object("a").raw("b"), None);
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
