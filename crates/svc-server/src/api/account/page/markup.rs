//! The pages as HTML.

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, html};
use serde_json::{Map, Value};

use super::{FORM, Purpose, SCRIPT, STYLE, form::Form, texts::Texts};

/// The page of a call, where a browser has it.
pub(super) struct Page {
    pub(super) purpose: Purpose,
    pub(super) texts: &'static Texts,
    /// The way to the folder of the calls.
    pub(super) up: String,
    /// The way to the console, for who can sign in there.
    pub(super) console: Option<String>,
}

/// What is wrong with what was sent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Wrong {
    /// With all of it.
    general: Vec<String>,
    /// With fields of the form.
    fields: BTreeMap<String, Vec<String>>,
}

impl Wrong {
    /// Something that concerns no field.
    pub(super) fn general(text: &str) -> Self {
        Self {
            general: vec![text.to_owned()],
            fields: BTreeMap::new(),
        }
    }

    /// What the service has answered to a call.
    pub(super) fn of_answer(page: &Page, body: &[u8]) -> Self {
        let body: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
        let mut wrong = Self::default();
        if let Some(detail) = body.get("detail").and_then(Value::as_str) {
            return Self::general(detail);
        }
        for (field, messages) in body {
            let messages = messages.as_array().into_iter().flatten();
            let messages = messages.filter_map(|message| message.as_str().map(str::to_owned));
            if page.purpose.has_field(&field) {
                wrong.fields.insert(field, messages.collect());
            } else if field == "non_field_errors" {
                wrong.general.extend(messages);
            } else {
                let named = messages.map(|message| format!("{field}: {message}"));
                wrong.general.extend(named);
            }
        }
        match wrong == Self::default() {
            true => Self::general(page.texts.no_answer),
            false => wrong,
        }
    }
}

/// A field of the form.
struct Field<'a> {
    name: &'static str,
    label: &'static str,
    /// What was entered before.
    value: &'a str,
    autocomplete: &'static str,
    is_password: bool,
    is_required: bool,
}

impl Page {
    /// The form, with what was entered and what is wrong with it.
    pub(super) fn form(&self, entered: &Form, wrong: &Wrong) -> Markup {
        let (texts, purpose) = (self.texts, self.purpose);
        let own = purpose.texts(texts);
        let names = [
            (
                "first_name",
                texts.first_name,
                &entered.first_name,
                "given-name",
            ),
            (
                "last_name",
                texts.last_name,
                &entered.last_name,
                "family-name",
            ),
        ];
        self.around(&html! {
            p { (own.text) }
            p #incomplete .error role="alert" hidden { (texts.incomplete) }
            @if !wrong.general.is_empty() {
                div.error role="alert" {
                    @for message in &wrong.general { p { (message) } }
                }
            }
            form method="post" action={ (self.up) (purpose.name()) "/" (FORM) } {
                div #code-part {
                    (field(wrong, &Field {
                        name: "code",
                        label: texts.code,
                        value: &entered.code,
                        autocomplete: "off",
                        is_password: false,
                        is_required: true,
                    }))
                    p.hint { (texts.paste) }
                }
                @if purpose.has_names() {
                    @for (name, label, value, autocomplete) in names {
                        div {
                            (field(wrong, &Field {
                                name,
                                label,
                                value,
                                autocomplete,
                                is_password: false,
                                is_required: false,
                            }))
                        }
                    }
                }
                @if let Some(name) = purpose.password() {
                    div {
                        (field(wrong, &Field {
                            name,
                            label: texts.password,
                            value: "",
                            autocomplete: "new-password",
                            is_password: true,
                            is_required: true,
                        }))
                    }
                }
                button { (own.button) }
            }
        })
    }

    /// What is left to say when the call was made.
    pub(super) fn done(&self) -> Markup {
        self.around(&html! {
            p role="status" { (self.purpose.texts(self.texts).done) }
            @if let Some(console) = &self.console {
                p { a href=(console) { (self.texts.console) } }
            }
        })
    }

    fn around(&self, main: &Markup) -> Markup {
        let title = self.purpose.texts(self.texts).title;
        html! {
            (DOCTYPE)
            html lang=(self.texts.language) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="robots" content="noindex";
                    title { (title) }
                    link rel="stylesheet" href={ (self.up) (STYLE) };
                    script type="module" src={ (self.up) (SCRIPT) } {}
                }
                body {
                    main {
                        h1 { (title) }
                        (main)
                    }
                }
            }
        }
    }
}

/// A field with its label, and with what is wrong about it.
fn field(wrong: &Wrong, field: &Field<'_>) -> Markup {
    let Field { name, value, .. } = *field;
    let messages = wrong.fields.get(name);
    let about = messages.map(|_| format!("{name}-error"));
    html! {
        label {
            (field.label)
            input #(name) name=(name) value=(value) type=[field.is_password.then_some("password")]
                autocomplete=(field.autocomplete) autocapitalize=[(name == "code").then_some("none")]
                spellcheck=[(name == "code").then_some("false")] required[field.is_required]
                minlength=[field.is_password.then_some("8")]
                aria-invalid=[about.as_ref().map(|_| "true")] aria-describedby=[&about];
        }
        @if let (Some(messages), Some(about)) = (messages, &about) {
            div id=(about) {
                @for message in messages { p.field-error { (message) } }
            }
        }
    }
}
