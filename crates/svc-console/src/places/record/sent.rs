//! What the form of a record holds. Only what was changed is sent, and what was not touched stays the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use svc_model::JsonObject;

use crate::{
    places::{
        entered::{Entered, entered, normal, to_json, with_lines_of},
        model::{Model, cut},
    },
    visit::Form,
};

/// What a field held before two people changed it, and what it holds now.
#[derive(Clone, Debug)]
pub(super) struct Conflict {
    pub(super) base: Entered,
    pub(super) theirs: Entered,
}

/// A text as a form holds it unseen: as JSON, since browsers change the ends of lines in all that they send.
pub(super) fn written_before(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn read_before(json: &str) -> String {
    serde_json::from_str(json).unwrap_or_else(|_| json.to_owned())
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
    /// The fields that somebody else has changed to something else meanwhile.
    pub(super) conflicts: BTreeMap<String, Conflict>,
    /// How long the values are that are too long for the form.
    pub(super) cut: BTreeMap<String, u64>,
    /// The fields that are neither in the form nor known otherwise: they stay as they are.
    pub(super) unread: BTreeSet<String>,
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
                        .insert(field.name.clone(), entered(record, field));
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
                Some("text") => Entered::Text(read_before(form.text(&format!("was:{name}")))),
                _ => Entered::Untouched,
            };
            let Some(state) = form.get(&format!("state:{name}")) else {
                // A field that cannot be written is not in the form.
                if let Some(record) = record {
                    sent.entered.insert(name.clone(), entered(record, field));
                    if record.get_raw(name).is_none() {
                        sent.unread.insert(name.clone());
                    }
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
            // What somebody else has made of it was taken: the form was opened with it.
            let now = match form.get(&format!("take:{name}")) {
                Some("theirs") => before.clone(),
                _ => now,
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
            let theirs = entered(record, field);
            let base = self.base.get(name).cloned().unwrap_or(Entered::Untouched);
            let is_changed_here = self.changes.contains(name);
            if normal(&theirs) != normal(&base) {
                if is_changed_here && self.entered.get(name) != Some(&theirs) {
                    let theirs = theirs.clone();
                    self.conflicts
                        .insert(name.clone(), Conflict { base, theirs });
                } else {
                    self.entered.insert(name.clone(), theirs.clone());
                }
            }
            self.base.insert(name.clone(), theirs);
        }
        self
    }
}
