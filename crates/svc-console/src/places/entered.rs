//! What somebody has entered into a field, and the JSON of it: numbers and texts stay as they were typed.

mod input;

use serde_json::value::RawValue;
use svc_model::{
    JsonObject,
    resources::{FieldDescription, FieldType},
};

pub(crate) use self::input::{Input, input};

/// What a field of the form holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    /// This text.
    Text(String),
    /// NULL.
    Null,
    /// Nothing: the database is to fill it, or it stays as it is.
    Untouched,
}

/// The value of a field as the form shows it: JSON as it is, also where it is a string.
pub(crate) fn entered(record: &JsonObject, field: &FieldDescription) -> Entered {
    match record.get_raw(&field.name) {
        None => Entered::Untouched,
        Some("null") => Entered::Null,
        Some(raw) if field.field == FieldType::JsonField => Entered::Text(raw.to_owned()),
        Some(raw) => Entered::Text(serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned())),
    }
}

/// A text with the ends of lines that a browser sends, or that there were: forms change all of them.
pub(crate) fn with_lines_of(text: &str, before: &Entered) -> String {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    match before {
        Entered::Text(before) if before.contains("\r\n") => lines.replace('\n', "\r\n"),
        Entered::Text(before) if before.contains('\r') && !before.contains('\n') => {
            lines.replace('\n', "\r")
        }
        _ => lines,
    }
}

/// What a browser makes of a value that nobody has touched. A page cannot hold the character U+0000.
pub(crate) fn normal(entered: &Entered) -> Entered {
    match entered {
        Entered::Text(text) => {
            Entered::Text(with_lines_of(text, entered).replace('\0', "\u{FFFD}"))
        }
        other => other.clone(),
    }
}

/// The JSON of what was entered; `None` for nothing.
pub(crate) fn to_json(
    field: &FieldDescription,
    entered: &Entered,
) -> Result<Option<Box<RawValue>>, String> {
    let raw = |json: String| {
        RawValue::from_string(json)
            .map(Some)
            .map_err(|error| error.to_string())
    };
    let text = match entered {
        Entered::Untouched => return Ok(None),
        Entered::Null => return raw("null".to_owned()),
        Entered::Text(text) => text,
    };
    let is_number = serde_json::from_str::<serde_json::Number>(text).is_ok();
    match field.field {
        FieldType::JsonField | FieldType::ArrayField => raw(text.clone()),
        FieldType::BooleanField if matches!(text.as_str(), "true" | "false") => raw(text.clone()),
        FieldType::IntegerField | FieldType::FloatField | FieldType::ForeignKey
            if is_number && !is_text_column(field) =>
        {
            raw(text.clone())
        }
        _ => raw(serde_json::Value::from(text.as_str()).to_string()),
    }
}

/// Whether the database keeps the field as text, as some foreign keys are.
fn is_text_column(field: &FieldDescription) -> bool {
    let kind = field.db_field.to_ascii_lowercase();
    ["char", "text", "uuid", "enum"]
        .iter()
        .any(|part| kind.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_lines_stay_what_they_were() {
        let crlf = Entered::Text("a\r\nb".to_owned());
        assert_eq!(with_lines_of("a\r\nb\r\nc", &crlf), "a\r\nb\r\nc");
        let lf = Entered::Text("a\nb".to_owned());
        assert_eq!(with_lines_of("a\r\nb\r\nc", &lf), "a\nb\nc");
        let cr = Entered::Text("a\rb".to_owned());
        assert_eq!(with_lines_of("a\r\nb\r\nc", &cr), "a\rb\rc");
        // A browser makes one of all kinds.
        let mixed = Entered::Text("a\rb\nc\r\nd".to_owned());
        assert_eq!(normal(&mixed), Entered::Text("a\r\nb\r\nc\r\nd".to_owned()));
        let zero = Entered::Text("a\0b".to_owned());
        assert_eq!(normal(&zero), Entered::Text("a\u{FFFD}b".to_owned()));
    }

    #[test]
    fn a_string_in_a_json_field_keeps_its_quotes() {
        let record: JsonObject = serde_json::from_str(r#"{"j": "12", "t": "12"}"#).unwrap();
        let shown = |name, kind| entered(&record, &FieldDescription::new(name, kind, ""));
        let text = |text: &str| Entered::Text(text.to_owned());
        assert_eq!(shown("j", FieldType::JsonField), text("\"12\""));
        assert_eq!(shown("t", FieldType::TextField), text("12"));
    }

    #[test]
    fn numbers_and_json_are_sent_as_they_were_typed() {
        let json = |kind, db: &str, text: &str| {
            let made = to_json(
                &FieldDescription::new("f", kind, db),
                &Entered::Text(text.to_owned()),
            );
            made.map(|json| json.map(|json| json.get().to_owned()))
        };
        let digits = "123456789012345678901234567890";
        assert_eq!(
            json(FieldType::IntegerField, "bigint", digits),
            Ok(Some(digits.to_owned()))
        );
        assert_eq!(
            json(FieldType::DecimalField, "numeric", "1.50"),
            Ok(Some("\"1.50\"".to_owned()))
        );
        assert_eq!(
            json(FieldType::JsonField, "jsonb", "{\"a\": 1.0}"),
            Ok(Some("{\"a\": 1.0}".to_owned()))
        );
        assert!(json(FieldType::JsonField, "jsonb", "{a").is_err());
        assert_eq!(
            json(FieldType::GeometryField, "point", "POINT(3 4)"),
            Ok(Some("\"POINT(3 4)\"".to_owned()))
        );
        assert_eq!(
            json(FieldType::ForeignKey, "varchar(9)", "007"),
            Ok(Some("\"007\"".to_owned()))
        );
        assert_eq!(
            json(FieldType::CharField, "varchar", ""),
            Ok(Some("\"\"".to_owned()))
        );
    }
}
