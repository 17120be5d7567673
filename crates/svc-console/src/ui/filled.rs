//! A form as it is shown: with what is known or was typed, and with what the service has said about it beside its fields.

use http::StatusCode;
use maud::{Markup, html};
use svc_api::Error;

use super::notice;
use crate::{
    answer::Answer,
    problem::{Result, status_of},
    visit::Visit,
};

/// A form, and what is wrong with it.
#[derive(Debug)]
pub(crate) struct Filled<'v> {
    visit: &'v Visit,
    is_typed: bool,
    errors: Vec<(String, Vec<String>)>,
    message: Option<Markup>,
    status: StatusCode,
}

/// What else an input has.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Input {
    /// The type, where it is not plain text.
    pub(crate) kind: Option<&'static str>,
    pub(crate) is_required: bool,
    pub(crate) keyboard: Option<&'static str>,
    pub(crate) autocomplete: Option<&'static str>,
}

impl Input {
    /// An e-mail address of somebody else.
    pub(crate) const EMAIL: Self = Self {
        kind: Some("email"),
        is_required: true,
        keyboard: None,
        autocomplete: None,
    };
    /// A text that must be there.
    pub(crate) const REQUIRED: Self = Self {
        kind: None,
        is_required: true,
        keyboard: None,
        autocomplete: None,
    };
    /// A whole number that must be there.
    pub(crate) const NUMBER: Self = Self {
        kind: None,
        is_required: true,
        keyboard: Some("numeric"),
        autocomplete: None,
    };
    /// A new password of somebody else.
    pub(crate) const PASSWORD: Self = Self {
        kind: Some("password"),
        is_required: false,
        keyboard: None,
        autocomplete: Some("new-password"),
    };
}

impl<'v> Filled<'v> {
    /// The form that a page is about: it was typed when it was sent without the name of another action.
    pub(crate) fn new(visit: &'v Visit) -> Self {
        Self {
            visit,
            is_typed: visit.is_post() && visit.form().get("action").is_none(),
            errors: Vec::new(),
            message: None,
            status: StatusCode::OK,
        }
    }

    /// The service has refused what was sent. `fields` are those of the form: what is said about them stands beside them.
    ///
    /// # Errors
    /// When the session has ended: then signing in comes first.
    pub(crate) fn refuse(&mut self, error: Error, fields: &[&str]) -> Result<()> {
        self.status = status_of(&error);
        let errors = error.field_errors().to_vec();
        let are_beside = !errors.is_empty()
            && error.general_errors().is_empty()
            && errors.iter().all(|(name, _)| fields.contains(&&**name));
        let refused = notice::refused(self.visit, error)?;
        self.errors = errors;
        self.message = Some(match are_beside {
            true => notice::error(self.visit, &self.visit.texts.get("fields-wrong")),
            false => refused,
        });
        Ok(())
    }

    /// Something is wrong with a field before the service is asked.
    pub(crate) fn refuse_field(&mut self, name: &str, message: String) {
        self.status = StatusCode::BAD_REQUEST;
        self.errors.push((name.to_owned(), vec![message]));
        self.message = Some(notice::error(
            self.visit,
            &self.visit.texts.get("fields-wrong"),
        ));
    }

    /// Something went well.
    pub(crate) fn done(&mut self, text: &str) {
        self.message = Some(notice::done(text));
    }

    /// What is said above the form.
    pub(crate) fn message(&self) -> Markup {
        self.message.clone().unwrap_or_default()
    }

    /// The page, with the status that the form has.
    pub(crate) fn answer(&self, page: Markup) -> Answer {
        Answer::page(page).status(self.status)
    }

    /// What a field holds: what was typed, else what is known.
    pub(crate) fn value<'s>(&'s self, name: &str, known: &'s str) -> &'s str {
        match self.is_typed {
            true => self.visit.form().text(name),
            false => known,
        }
    }

    /// A field for a text.
    pub(crate) fn text(&self, name: &str, label: &str, known: &str, input: Input) -> Markup {
        let Input {
            kind,
            is_required,
            keyboard,
            autocomplete,
        } = input;
        let (error, errors) = self.errors_of(name);
        html! {
            label { (label)
                input type=[kind] name=(name) value=(self.value(name, known)) required[is_required] inputmode=[keyboard]
                    autocomplete=(autocomplete.unwrap_or("off")) spellcheck="false" aria-invalid=[error.as_ref().map(|_| "true")]
                    aria-describedby=[error.as_deref()];
            }
            (errors)
        }
    }

    /// A field for one of several values, each with its name.
    pub(crate) fn choice(
        &self,
        name: &str,
        label: &str,
        known: &str,
        options: &[(String, String)],
    ) -> Markup {
        let chosen = self.value(name, known);
        let (error, errors) = self.errors_of(name);
        html! {
            label { (label)
                select name=(name) aria-invalid=[error.as_ref().map(|_| "true")] aria-describedby=[error.as_deref()] {
                    @for (value, text) in options {
                        option value=(value) selected[value == chosen] { (text) }
                    }
                }
            }
            (errors)
        }
    }

    /// A field for yes or no.
    pub(crate) fn check(&self, name: &str, label: &str, known: bool) -> Markup {
        let is_checked = match self.is_typed {
            true => self.visit.form().get(name).is_some(),
            false => known,
        };
        html! {
            label.check {
                input type="checkbox" name=(name) value="1" checked[is_checked];
                (label)
            }
        }
    }

    /// What is wrong with a field, and the id of the element that says so.
    pub(crate) fn errors_of(&self, name: &str) -> (Option<String>, Markup) {
        let mut errors = self.errors.iter();
        let Some((_, messages)) = errors.find(|(known, _)| known == name) else {
            return (None, Markup::default());
        };
        let id = format!("error-{name}");
        let text = html! { p.field-error id=(id) { (messages.join("; ")) } };
        (Some(id), text)
    }
}
