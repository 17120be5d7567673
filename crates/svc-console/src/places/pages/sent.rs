//! What the form of a page holds. Only what was changed is sent, and what was not touched stays the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;
use svc_model::{JsonObject, UpdatePageSettings, json_text};

use super::content::{Content, FIELDS, OWN, normal};
use crate::{
    json::{self, Fault},
    texts::Texts,
    visit::Form,
};

/// The name of the structure's field, and that of the rest.
pub(super) const PARAMS: &str = "params";
pub(super) const REST: &str = "rest";

/// What a form holds, what of it is sent, and what is wrong with it.
#[derive(Clone, Debug, Default)]
pub(super) struct Sent {
    pub(super) fields: BTreeMap<&'static str, String>,
    pub(super) params: String,
    pub(super) rest: String,
    /// What is to be written.
    pub(super) changes: JsonObject,
    pub(super) errors: BTreeMap<String, Vec<String>>,
    /// What is wrong with the structure or the rest as JSON.
    pub(super) faults: BTreeMap<&'static str, Fault>,
    /// The fields that somebody else has changed to something else meanwhile.
    pub(super) conflicts: BTreeSet<&'static str>,
}

impl Sent {
    /// A form about a page that was just read.
    pub(super) fn of_content(content: &Content) -> Self {
        Self {
            fields: content.fields.clone(),
            params: content.params_shown(),
            rest: content.rest_shown(),
            ..Self::default()
        }
    }

    /// The form that was sent. `base` is what the page held when the form was opened.
    pub(super) fn of_form(texts: &Texts, form: &Form, base: &Content) -> Self {
        let mut sent = Self {
            params: normal(form.text(PARAMS)),
            rest: normal(form.text(REST)),
            ..Self::default()
        };
        for name in FIELDS {
            let Some(before) = base.field(name) else {
                continue;
            };
            let now = form.get(name).unwrap_or(before).to_owned();
            if now != before {
                sent.change_field(texts, name, &now);
            }
            sent.fields.insert(name, now);
        }
        if form.get(PARAMS).is_some() && sent.params != base.params_shown() {
            sent.change_params(base);
        }
        if form.get(REST).is_some() && sent.rest != base.rest_shown() {
            sent.change_rest(texts, base);
        }
        sent
    }

    /// Whether nothing is wrong with it.
    pub(super) fn is_right(&self) -> bool {
        self.errors.is_empty() && self.faults.is_empty()
    }

    /// Refuses the page itself, and those below it, as the page above. `below` are the unique names of all these.
    pub(super) fn check_parent(&mut self, texts: &Texts, below: &[String]) {
        let parent = self.fields.get("parent").filter(|name| !name.is_empty());
        let Some(parent) = parent else { return };
        let is_chosen = self.changes.contains("parent");
        let is_named = is_chosen || self.changes.contains("unique_name");
        let own = self.fields.get("unique_name").map(|name| name.trim());
        let is_own = is_named && own == Some(parent.trim());
        if is_own || (is_chosen && below.contains(parent)) {
            self.error("parent", texts.get("pages-parent-own"));
        }
    }

    /// The update that writes what was changed.
    pub(super) fn update(&self) -> UpdatePageSettings {
        UpdatePageSettings::new().with_properties(self.changes.clone())
    }

    /// Lays the documents out again, as far as they are JSON.
    pub(super) fn format(&mut self) {
        for text in [&mut self.params, &mut self.rest] {
            if json::check(text).is_ok() {
                *text = json_text::pretty(text);
            }
        }
    }

    fn error(&mut self, field: &str, message: String) {
        self.errors
            .entry(field.to_owned())
            .or_default()
            .push(message);
    }

    fn change_field(&mut self, texts: &Texts, name: &str, now: &str) {
        if name == "order" && !now.trim().is_empty() {
            let raw = RawValue::from_string(now.trim().to_owned()).ok();
            match raw.filter(|raw| !raw.get().starts_with(['"', '{', '[', 't', 'f', 'n'])) {
                Some(raw) => self.changes.set_raw(name, raw),
                None => self.error(name, texts.get("pages-order-wrong")),
            }
            return;
        }
        match now.trim().is_empty() {
            true => self.changes.set_raw(name, RawValue::NULL.to_owned()),
            false => set_text(&mut self.changes, name, now),
        }
    }

    fn change_params(&mut self, base: &Content) {
        if let Err(fault) = json::check(&self.params) {
            self.faults.insert(PARAMS, fault);
            return;
        }
        let text = match base.is_compact() {
            true => json_text::compact(&self.params),
            // The line ends that the text has had.
            false if base.params.contains("\r\n") => self.params.replace('\n', "\r\n"),
            false => self.params.clone(),
        };
        if text != base.params {
            set_text(&mut self.changes, PARAMS, &text);
        }
    }

    fn change_rest(&mut self, texts: &Texts, base: &Content) {
        let text = match self.rest.trim().is_empty() {
            true => "{}",
            false => self.rest.as_str(),
        };
        if let Err(fault) = json::check(text) {
            self.faults.insert(REST, fault);
            return;
        }
        let Ok(now) = serde_json::from_str::<JsonObject>(text) else {
            self.error(REST, texts.get("pages-rest-wrong"));
            return;
        };
        for (name, value) in now.iter() {
            let has_field = FIELDS.contains(&name) && base.field(name).is_some();
            if has_field || name == PARAMS || OWN.contains(&name) {
                self.error(
                    REST,
                    texts.with("pages-rest-taken", [("name", name.into())]),
                );
                continue;
            }
            let value = json_text::compact(value.get());
            let before = base.rest.get_raw(name).unwrap_or("null");
            if json_text::compact(before) != value
                && let Ok(value) = RawValue::from_string(value)
            {
                self.changes.set_raw(name, value);
            }
        }
        for (name, value) in base.rest.iter() {
            if !now.contains(name) && value.get() != "null" {
                self.changes.set_raw(name, RawValue::NULL.to_owned());
            }
        }
    }

    /// The same form over what somebody else has made of the page meanwhile: what was not changed here is theirs, and
    /// what both have changed is named.
    pub(super) fn merged(mut self, base: &Content, theirs: &Content) -> Self {
        for name in FIELDS {
            let (Some(was), Some(now)) = (base.field(name), theirs.field(name)) else {
                continue;
            };
            let mine = self.fields.entry(name).or_default();
            if mine == was {
                now.clone_into(mine);
            } else if now != was && mine != now {
                self.conflicts.insert(name);
            }
        }
        let texts = [
            (
                PARAMS,
                &mut self.params,
                base.params_shown(),
                theirs.params_shown(),
            ),
            (REST, &mut self.rest, base.rest_shown(), theirs.rest_shown()),
        ];
        for (name, mine, was, now) in texts {
            if *mine == was {
                *mine = now;
            } else if now != was && *mine != now {
                self.conflicts.insert(name);
            }
        }
        self
    }
}

/// Sets a property to a text.
pub(super) fn set_text(object: &mut JsonObject, name: &str, text: &str) {
    // A text can always be written as JSON.
    if object.set(name, text).is_err() {
        object.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use svc_model::PageSettings;

    use super::*;

    const PAGE: &str = r#"{"uid":"1","name":"A","unique_name":"a","view":"custom","order":2,"params":"{\"z\":1.50,\"a\":9007199254740993}","more":{"x": [1.0]},"gone":7}"#;

    fn content(json: &str) -> Content {
        let page: PageSettings = serde_json::from_str(json).unwrap();
        Content::of(&page)
    }

    /// The form as a browser sends it, with some fields changed.
    fn sent(base: &Content, changed: &[(&str, &str)]) -> Sent {
        let shown = Sent::of_content(base);
        let mut fields: BTreeMap<String, String> = shown
            .fields
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        fields.insert(PARAMS.into(), shown.params.replace('\n', "\r\n"));
        fields.insert(REST.into(), shown.rest.replace('\n', "\r\n"));
        for (name, value) in changed {
            fields.insert((*name).to_owned(), (*value).to_owned());
        }
        let mut query = svc_model::QueryString::new();
        for (name, value) in &fields {
            query.push(name, value);
        }
        let form = Form::parse(query.as_str()).unwrap();
        Sent::of_form(Texts::of(&HeaderMap::new()), &form, base)
    }

    fn changes(changed: &[(&str, &str)]) -> String {
        let sent = sent(&content(PAGE), changed);
        assert!(sent.is_right(), "{:?} {:?}", sent.errors, sent.faults);
        serde_json::to_string(&sent.changes).unwrap()
    }

    #[test]
    fn what_was_not_touched_is_not_sent() {
        assert_eq!(changes(&[]), "{}");
        assert_eq!(changes(&[("name", "B")]), r#"{"name":"B"}"#);
        assert_eq!(changes(&[("name", " ")]), r#"{"name":null}"#);
        assert_eq!(changes(&[("order", "1.50")]), r#"{"order":1.50}"#);
        // The layout alone is the form's.
        assert_eq!(
            changes(&[("params", "{\"z\":1.50,  \"a\":9007199254740993}")]),
            "{}"
        );
    }

    #[test]
    fn a_changed_document_keeps_digits_and_order() {
        let params = "{\r\n  \"z\": 1.50,\r\n  \"b\": 1e400,\r\n  \"a\": 9007199254740993\r\n}";
        assert_eq!(
            changes(&[("params", params)]),
            r#"{"params":"{\"z\":1.50,\"b\":1e400,\"a\":9007199254740993}"}"#
        );
        let rest = "{\"more\":{\"x\":[1.0]},\"new\": 1.10}";
        assert_eq!(changes(&[("rest", rest)]), r#"{"new":1.10,"gone":null}"#);
    }

    #[test]
    fn a_document_that_somebody_laid_out_stays_as_it_is() {
        let base = content(r#"{"params":"{\r\n \"a\": 1}\r\n"}"#);
        assert!(sent(&base, &[]).changes.is_empty());
        let sent = sent(&base, &[("params", "{\r\n \"a\": 2}\r\n")]);
        let text: Option<String> = sent.changes.get("params").unwrap();
        assert_eq!(text.as_deref(), Some("{\r\n \"a\": 2}\r\n"));
    }

    #[test]
    fn what_is_wrong_is_beside_its_field() {
        let base = content(PAGE);
        let wrong = sent(&base, &[("order", "x"), ("params", "{\n]"), ("rest", "[]")]);
        assert!(wrong.errors.contains_key("order") && wrong.errors.contains_key("rest"));
        assert_eq!(wrong.faults["params"].line, 2);
        for taken in ["uid", "name", "params"] {
            let rest = format!("{{\"{taken}\":\"x\"}}");
            assert!(!sent(&base, &[("rest", &rest)]).is_right(), "{taken}");
        }
        for order in ["\"1\"", "null", "{}", "true"] {
            assert!(!sent(&base, &[("order", order)]).is_right(), "{order}");
        }
    }

    #[test]
    fn changes_of_different_fields_are_merged_and_those_of_the_same_are_named() {
        let base = content(PAGE);
        let mine = sent(&base, &[("name", "Mine"), ("params", "{}")]);
        let theirs = content(&PAGE.replace("\"name\":\"A\"", "\"name\":\"A\",\"resource\":\"r\""));
        let merged = mine.clone().merged(&base, &theirs);
        assert!(merged.conflicts.is_empty());
        assert_eq!(merged.fields["name"], "Mine");
        assert_eq!(merged.fields["resource"], "r");
        assert_eq!(merged.params, "{}");
        let theirs = content(&PAGE.replace("1.50", "1.60"));
        let merged = mine.merged(&base, &theirs);
        assert_eq!(
            merged.conflicts.iter().copied().collect::<Vec<_>>(),
            ["params"]
        );
        assert_eq!(merged.params, "{}");
    }
}
