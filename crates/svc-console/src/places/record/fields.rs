//! The fields of a record as a form. Only what was changed is sent, and what was not touched stays the same bytes.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::value::RawValue;
use svc_model::{
    JsonObject, RecordId,
    resources::{FieldDescription, FieldType},
};

use crate::{
    places::{model::Model, records::cut},
    texts::Texts,
    ui::cell::cell,
    visit::Form,
};

/// Texts that are longer than this, or have lines, get more than one line.
const ONE_LINE: usize = 80;

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
    entered: BTreeMap<String, Entered>,
    /// What the fields held when the form was opened.
    base: BTreeMap<String, Entered>,
    /// What is to be written.
    pub(super) changes: JsonObject,
    pub(super) errors: BTreeMap<String, Vec<String>>,
    /// The fields that somebody else has changed to something else meanwhile, with what they hold now.
    pub(super) conflicts: BTreeMap<String, Entered>,
    /// How long the values are that are too long for the form.
    cut: BTreeMap<String, u64>,
    is_new: bool,
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
fn entered(record: &JsonObject, field: &str) -> Entered {
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

/// The fields of the form.
pub(super) fn fields(model: &Model<'_>, sent: &Sent) -> Markup {
    html! {
        div.fields {
            @for (at, field) in model.description.fields.iter().enumerate() {
                (one(model, sent, field, at))
            }
        }
    }
}

fn one(model: &Model<'_>, sent: &Sent, field: &FieldDescription, at: usize) -> Markup {
    let texts = model.visit.texts;
    let name = &field.name;
    let can = model.description.can;
    let is_written = if sent.is_new { can.create } else { can.update };
    let cut = sent.cut.get(name);
    let is_open = is_written
        && field.editable
        && !field.read_only
        && cut.is_none()
        && field.field != FieldType::BinaryField;
    let now = sent.entered.get(name).unwrap_or(&Entered::Untouched);
    let errors = sent.errors.get(name);
    let (id, error_id) = (format!("f{at}"), format!("e{at}"));
    html! {
        div.field.wrong[errors.is_some()] {
            label for=(id) {
                bdi { (name) }
                @if field.required && sent.is_new { span.required title=(texts.get("required")) { " *" } }
                span.small.muted { " " (field.db_field) }
            }
            div {
                @if is_open {
                    (input(texts, field, now, &id, errors.map(|_| error_id.as_str())))
                    (states(texts, sent, field, now))
                    (before(sent, name))
                } @else {
                    p.fixed {
                        @match now {
                            _ if cut.is_some() => (texts.with("too-long", [("count", cut.copied().unwrap_or_default().into())])),
                            Entered::Text(text) => (shown(texts, field, text)),
                            Entered::Null => span.null { "NULL" },
                            Entered::Untouched => span.muted { (texts.get("by-database")) },
                        }
                    }
                }
                @if let Some(theirs) = sent.conflicts.get(name) { (conflict(texts, theirs)) }
                @if let Some(messages) = errors {
                    p.field-error id=(error_id) { (messages.join("; ")) }
                }
                @if let Some((relation, related)) = model.leads_to(name) {
                    p.small.muted {
                        @match now {
                            Entered::Text(key) if related.primary_key_field == relation.related_field => {
                                a href=(model.record_of(&related.model, &RecordId::from(key.as_str()))) {
                                    (texts.with("refers-open", [("model", related.model.as_str().into()), ("key", key.as_str().into())]))
                                }
                            },
                            _ => (texts.with("refers-to", [("model", related.model.as_str().into())])),
                        }
                    }
                }
            }
        }
    }
}

fn shown(texts: &Texts, field: &FieldDescription, text: &str) -> Markup {
    let json = serde_json::Value::from(text).to_string();
    let raw = RawValue::from_string(json).ok();
    cell(texts, field.field, raw.as_deref(), None)
}

fn input(
    texts: &Texts,
    field: &FieldDescription,
    now: &Entered,
    id: &str,
    error: Option<&str>,
) -> Markup {
    let name = format!("value:{}", field.name);
    let text = match now {
        Entered::Text(text) => text.as_str(),
        _ => "",
    };
    let invalid = error.map(|_| "true");
    let is_long = text.len() > ONE_LINE
        || text.contains('\n')
        || matches!(
            field.field,
            FieldType::TextField
                | FieldType::JsonField
                | FieldType::ArrayField
                | FieldType::GeometryField
        );
    let keyboard = match field.field {
        FieldType::IntegerField => Some("numeric"),
        FieldType::DecimalField | FieldType::FloatField => Some("decimal"),
        _ => None,
    };
    html! {
        @if field.field == FieldType::BooleanField {
            select id=(id) name=(name) aria-invalid=[invalid] aria-describedby=[error] {
                @if text.is_empty() { option value="" selected {} }
                option value="true" selected[is_true(text)] { (texts.get("yes")) }
                option value="false" selected[is_false(text)] { (texts.get("no")) }
            }
        } @else if is_long {
            // A browser drops the first line break of what it is given.
            textarea id=(id) name=(name) rows=(rows(text)) aria-invalid=[invalid] aria-describedby=[error] spellcheck="false" {
                "\n" (text)
            }
        } @else {
            input id=(id) name=(name) value=(text) inputmode=[keyboard] autocomplete="off" aria-invalid=[invalid]
                aria-describedby=[error];
        }
    }
}

fn is_true(text: &str) -> bool {
    text == "true"
}

fn is_false(text: &str) -> bool {
    text == "false"
}

fn rows(text: &str) -> usize {
    text.lines().count().clamp(3, 16)
}

/// Value, NULL or default: three different things.
fn states(texts: &Texts, sent: &Sent, field: &FieldDescription, now: &Entered) -> Markup {
    let name = format!("state:{}", field.name);
    let may_be_left_out = sent.is_new && !field.required;
    let option = |value: &str, is_chosen: bool, text: &str| {
        html! {
            label.check { input type="radio" name=(name) value=(value) checked[is_chosen]; (text) }
        }
    };
    let is_null = *now == Entered::Null;
    let is_untouched = *now == Entered::Untouched && may_be_left_out;
    html! {
        @if field.null || may_be_left_out {
            span.states {
                (option("text", !is_null && !is_untouched, &texts.get("state-value")))
                @if field.null { (option("null", is_null, "NULL")) }
                @if may_be_left_out { (option("default", is_untouched, &texts.get("state-default"))) }
            }
        } @else {
            input type="hidden" name=(name) value="text";
        }
    }
}

/// What the field held when the form was opened.
fn before(sent: &Sent, name: &str) -> Markup {
    let (state, text) = match sent.base.get(name) {
        Some(Entered::Text(text)) => ("text", text.as_str()),
        Some(Entered::Null) => ("null", ""),
        _ => ("none", ""),
    };
    html! {
        input type="hidden" name=(format!("was-state:{name}")) value=(state);
        @if state == "text" {
            input type="hidden" name=(format!("was:{name}")) value=(text);
        }
    }
}

/// What somebody else has made of a field meanwhile.
fn conflict(texts: &Texts, theirs: &Entered) -> Markup {
    html! {
        p.conflict {
            (texts.get("conflict-theirs")) " "
            @match theirs {
                Entered::Text(text) => bdi { (text) },
                _ => span.null { "NULL" },
            }
        }
    }
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
