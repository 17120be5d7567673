//! What the form of a record holds. Only what was changed is sent, and what was not touched stays the same bytes.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use svc_model::{
    JsonObject,
    resources::{FieldDescription, FieldType},
};

use crate::{
    places::{model::Model, records::cut},
    visit::Form,
};

/// What a field of the form holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entered {
    /// This text.
    Text(String),
    /// NULL.
    Null,
    /// Nothing: the database is to fill it, or it stays as it is.
    Untouched,
}

/// What a form holds, what of it is sent, and what is wrong with it.
#[derive(Clone, Debug, Default)]
pub(super) struct Sent {
    pub(super) entered: BTreeMap<String, Entered>,
    /// What the fields held when the form was opened.
    pub(super) base: BTreeMap<String, Entered>,
    /// What is to be written.
    pub(super) changes: JsonObject,
    pub(super) errors: BTreeMap<String, Vec<String>>,
    /// The fields that somebody else has changed to something else meanwhile, with what they hold now.
    pub(super) conflicts: BTreeMap<String, Entered>,
    /// How long the values are that are too long for the form.
    pub(super) cut: BTreeMap<String, u64>,
    pub(super) is_new: bool,
}

impl Sent {
    /// A form about a record that was just read.
    pub(super) fn of_record(model: &Model<'_>, record: &JsonObject) -> Self {
        let mut sent = Self::default();
        for field in &model.description.fields {
            match cut(record, &field.name) {
                Some(length) => {
                    sent.cut.insert(field.name.clone(), length);
                }
                None => {
                    sent.entered
                        .insert(field.name.clone(), entered(record, &field.name));
                }
            }
        }
        sent.base.clone_from(&sent.entered);
        sent
    }

    /// A form for a new record, in which some fields are filled in already.
    pub(super) fn of_new(model: &Model<'_>, given: &Form) -> Self {
        let mut sent = Self {
            is_new: true,
            ..Self::default()
        };
        for field in &model.description.fields {
            let entered = match given.get(&field.name) {
                Some(text) => Entered::Text(text.to_owned()),
                None => Entered::Untouched,
            };
            sent.entered.insert(field.name.clone(), entered);
        }
        sent
    }

    /// The form that was sent. `record` is what there is now, for values that are too long for the form.
    pub(super) fn of_form(model: &Model<'_>, form: &Form, record: Option<&JsonObject>) -> Self {
        let mut sent = Self {
            is_new: record.is_none(),
            ..Self::default()
        };
        for field in &model.description.fields {
            let name = &field.name;
            if let Some(length) = record.and_then(|record| cut(record, name)) {
                sent.cut.insert(name.clone(), length);
                continue;
            }
            let before = match form.get(&format!("was-state:{name}")) {
                Some("null") => Entered::Null,
                Some("text") => Entered::Text(form.text(&format!("was:{name}")).to_owned()),
                _ => Entered::Untouched,
            };
            let Some(state) = form.get(&format!("state:{name}")) else {
                // A field that cannot be written is not in the form.
                if let Some(record) = record {
                    sent.entered.insert(name.clone(), entered(record, name));
                }
                continue;
            };
            let text = form.text(&format!("value:{name}"));
            let now = match state {
                "null" => Entered::Null,
                "default" => Entered::Untouched,
                _ => Entered::Text(with_lines_of(text, &before)),
            };
            // A text that is typed where NULL or the default was, and no other choice made, is what was meant.
            let now = match (now, &before) {
                (Entered::Null, Entered::Null) | (Entered::Untouched, Entered::Untouched)
                    if !text.is_empty() =>
                {
                    Entered::Text(with_lines_of(text, &before))
                }
                (now, _) => now,
            };
            if now != normal(&before) && now != before {
                match to_json(field, &now) {
                    Ok(Some(json)) => sent.changes.set_raw(name, json),
                    Ok(None) => {}
                    Err(message) => {
                        sent.errors.entry(name.clone()).or_default().push(message);
                    }
                }
            }
            sent.entered.insert(name.clone(), now);
            sent.base.insert(name.clone(), before);
        }
        sent
    }

    /// The same over what somebody else has written meanwhile: what only they have changed is theirs, what only this form has
    /// changed is this form's, and where both have, the form's stays and theirs is shown.
    pub(super) fn merged(mut self, model: &Model<'_>, record: &JsonObject) -> Self {
        for field in &model.description.fields {
            let name = &field.name;
            let theirs = entered(record, name);
            let base = self.base.get(name).cloned().unwrap_or(Entered::Untouched);
            let is_changed_here = self.changes.contains(name);
            if normal(&theirs) != normal(&base) {
                if is_changed_here && self.entered.get(name) != Some(&theirs) {
                    self.conflicts.insert(name.clone(), theirs.clone());
                } else {
                    self.entered.insert(name.clone(), theirs.clone());
                }
            }
            self.base.insert(name.clone(), theirs);
        }
        self
    }
}

/// The value of a field as the form shows it.
pub(super) fn entered(record: &JsonObject, field: &str) -> Entered {
    match record.get_raw(field) {
        None => Entered::Untouched,
        Some("null") => Entered::Null,
        Some(raw) => Entered::Text(serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned())),
    }
}

/// A text with the ends of lines that a browser sends, or that there were: forms change all of them.
fn with_lines_of(text: &str, before: &Entered) -> String {
    let lines = text.replace("\r\n", "\n");
    match before {
        Entered::Text(before) if before.contains("\r\n") => lines.replace('\n', "\r\n"),
        _ => lines,
    }
}

/// What a browser makes of a value that nobody has touched.
fn normal(entered: &Entered) -> Entered {
    match entered {
        Entered::Text(text) => Entered::Text(with_lines_of(text, entered)),
        other => other.clone(),
    }
}

/// The JSON of what was entered; `None` for nothing.
fn to_json(field: &FieldDescription, entered: &Entered) -> Result<Option<Box<RawValue>>, String> {
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
        FieldType::JsonField | FieldType::ArrayField | FieldType::GeometryField => {
            raw(text.clone())
        }
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
            json(FieldType::ForeignKey, "varchar(9)", "007"),
            Ok(Some("\"007\"".to_owned()))
        );
        assert_eq!(
            json(FieldType::CharField, "varchar", ""),
            Ok(Some("\"\"".to_owned()))
        );
    }
}
