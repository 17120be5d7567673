//! A form as it is shown: with what is known or was typed, and with what the service has said about it beside its fields.
//!
//! A form over something that there is holds, unseen, what it was opened with: only what differs from that is changed, so
//! that what somebody else has changed meanwhile stays.

use http::StatusCode;
use maud::{Markup, html};
use svc_api::Error;
use svc_model::Invalid;

use super::notice;
use crate::{
    answer::Answer,
    problem::{Result, status_of},
    texts::Texts,
    visit::Visit,
};

/// A form, and what is wrong with it.
#[derive(Debug)]
pub(crate) struct Filled<'v> {
    visit: &'v Visit,
    is_typed: bool,
    /// Whether it changes something that there is, and so holds what it was opened with.
    is_over: bool,
    /// The fields that somebody else has changed to something else meanwhile.
    conflicts: Vec<&'static str>,
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
    /// The password of who is signed in.
    pub(crate) const OWN_PASSWORD: Self = Self {
        kind: Some("password"),
        is_required: false,
        keyboard: None,
        autocomplete: Some("current-password"),
    };
}

impl<'v> Filled<'v> {
    /// The form that a page is about: it was typed when it was sent without the name of another action.
    pub(crate) fn new(visit: &'v Visit) -> Self {
        Self {
            visit,
            is_typed: visit.is_post() && visit.form().get("action").is_none(),
            is_over: false,
            conflicts: Vec::new(),
            errors: Vec::new(),
            message: None,
            status: StatusCode::OK,
        }
    }

    /// The same of a form that changes something that there is.
    pub(crate) fn over(visit: &'v Visit) -> Self {
        Self {
            is_over: true,
            ..Self::new(visit)
        }
    }

    /// What was entered into a field, where it was changed in the form; `known` is what it holds now. Where somebody else
    /// has made something else of it meanwhile, the form comes back and says so.
    pub(crate) fn changed(&mut self, name: &'static str, known: &str) -> Option<&'v str> {
        let form = self.visit.form();
        let typed = form.get(name)?.trim();
        let before = form.get(&base_of(name)).unwrap_or(known);
        if typed == plain(before) || typed == plain(known) {
            return None;
        }
        if plain(before) != plain(known) {
            self.conflicts.push(name);
        }
        Some(typed)
    }

    /// The same of a field that may be empty, which is `Some(None)`.
    pub(crate) fn changed_or_emptied(
        &mut self,
        name: &'static str,
        known: Option<&str>,
    ) -> Option<Option<String>> {
        let typed = self.changed(name, known.unwrap_or_default())?;
        Some((!typed.is_empty()).then(|| typed.to_owned()))
    }

    /// The same of a field for yes or no, of which two people cannot make two different things.
    pub(crate) fn changed_check(&self, name: &str, known: bool) -> Option<bool> {
        let form = self.visit.form();
        let is_checked = form.get(name).is_some();
        let before = form
            .get(&base_of(name))
            .map_or(known, |before| before == CHECKED);
        (is_checked != before && is_checked != known).then_some(is_checked)
    }

    /// Saves by `send` what was changed; says whether it is saved, or there was nothing to save. Nothing is saved where
    /// something is wrong with a field, or somebody else has changed it meanwhile.
    ///
    /// # Errors
    /// When the session has ended: then signing in comes first.
    pub(crate) async fn save<P: Default + PartialEq>(
        &mut self,
        patch: P,
        fields: &[&str],
        send: impl AsyncFnOnce(P) -> Result<(), Error>,
    ) -> Result<bool> {
        if !self.conflicts.is_empty() {
            self.status = StatusCode::PRECONDITION_FAILED;
            let text = self.visit.texts.get("fields-conflict");
            self.message = Some(notice::error(self.visit, &text));
            return Ok(false);
        }
        if !self.errors.is_empty() {
            return Ok(false);
        }
        if patch == P::default() {
            return Ok(true);
        }
        match send(patch).await {
            Ok(()) => Ok(true),
            Err(error) => {
                self.refuse(error, fields)?;
                Ok(false)
            }
        }
    }

    /// The service has refused what was sent. `fields` are those of the form: what is said about them stands beside them.
    ///
    /// # Errors
    /// When the session has ended: then signing in comes first.
    pub(crate) fn refuse(&mut self, error: Error, fields: &[&str]) -> Result<()> {
        self.status = status_of(&error);
        let errors = error.field_errors().to_vec();
        let are_beside = are_beside(error.general_errors(), &errors, fields);
        let refused = notice::refused(self.visit, error)?;
        self.errors = errors;
        self.message = Some(match are_beside {
            true => self.fields_wrong(),
            false => refused,
        });
        Ok(())
    }

    /// The same for what was refused without a call.
    pub(crate) fn refuse_invalid(&mut self, invalid: &Invalid, fields: &[&str]) {
        self.status = StatusCode::BAD_REQUEST;
        self.errors = invalid.field_errors().to_vec();
        self.message = Some(
            match are_beside(invalid.general_errors(), &self.errors, fields) {
                true => self.fields_wrong(),
                false => notice::error(self.visit, &notice::words_of(invalid)),
            },
        );
    }

    /// Something is wrong with a field before the service is asked.
    pub(crate) fn refuse_field(&mut self, name: &str, message: String) {
        self.status = StatusCode::BAD_REQUEST;
        self.errors.push((name.to_owned(), vec![message]));
        self.message = Some(self.fields_wrong());
    }

    fn fields_wrong(&self) -> Markup {
        notice::error(self.visit, &self.visit.texts.get("fields-wrong"))
    }

    /// The texts in the language of who fills it in.
    pub(crate) fn texts(&self) -> &'static Texts {
        self.visit.texts
    }

    /// Whether something is wrong with what was sent.
    pub(crate) fn is_refused(&self) -> bool {
        self.status != StatusCode::OK
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
        let form = self.visit.form();
        match self.is_typed {
            true if !self.is_over => form.text(name),
            // A field that was not changed in the form shows the present value.
            true => match form.get(name) {
                Some(typed) if typed.trim() != plain(form.get(&base_of(name)).unwrap_or(known)) => {
                    typed
                }
                _ => known,
            },
            false => known,
        }
    }

    /// The hidden field with what a field holds now, which is what the form is opened with.
    pub(crate) fn base(&self, name: &str, known: &str) -> Markup {
        html! {
            @if self.is_over { input type="hidden" name=(base_of(name)) value=(known); }
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
        let (error, errors) = self.said_of(name, known);
        // A password is entered again.
        let value = (kind != Some("password")).then(|| self.value(name, known));
        html! {
            label { (label)
                input type=[kind] name=(name) value=[value] required[is_required] inputmode=[keyboard]
                    autocomplete=(autocomplete.unwrap_or("off")) spellcheck="false" aria-invalid=[error.as_ref().map(|_| "true")]
                    aria-describedby=[error.as_deref()];
            }
            (self.base(name, known))
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
        let mut named = options.iter();
        let now = named.find(|(value, _)| value == known);
        let (error, errors) = self.said_of(name, now.map_or(known, |(_, text)| text));
        html! {
            label { (label)
                select name=(name) aria-invalid=[error.as_ref().map(|_| "true")] aria-describedby=[error.as_deref()] {
                    @for (value, text) in options {
                        option value=(value) selected[value == chosen] { (text) }
                    }
                }
            }
            (self.base(name, known))
            (errors)
        }
    }

    /// A field for yes or no.
    pub(crate) fn check(&self, name: &str, label: &str, known: bool) -> Markup {
        let is_checked = match self.is_typed {
            true if self.is_over => self.changed_check(name, known).unwrap_or(known),
            true => self.visit.form().get(name).is_some(),
            false => known,
        };
        html! {
            label.check {
                input type="checkbox" name=(name) value=(CHECKED) checked[is_checked];
                (label)
            }
            (self.base(name, if known { CHECKED } else { "" }))
        }
    }

    /// What is said about a field, and the id of the element that says it: what is wrong with it, and what somebody else
    /// has made of it meanwhile, which `now` is.
    pub(crate) fn said_of(&self, name: &str, now: &str) -> (Option<String>, Markup) {
        let (id, errors) = self.errors_of(name);
        if !self.conflicts.contains(&name) {
            return (id, errors);
        }
        let texts = self.visit.texts;
        let own = format!("conflict-{name}");
        let said = html! {
            (errors)
            p.conflict id=(own) {
                (texts.get("fields-now")) " "
                @if now.is_empty() { span.empty { (texts.get("empty")) } } @else { bdi { (now) } }
            }
        };
        let ids: Vec<String> = id.into_iter().chain([own]).collect();
        (Some(ids.join(" ")), said)
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

/// What a checkbox sends.
const CHECKED: &str = "1";

/// The hidden field with what another field held when the form was opened.
fn base_of(name: &str) -> String {
    format!("was:{name}")
}

/// A text as a browser sends it that shows it in one line, without what stands around it.
fn plain(text: &str) -> String {
    text.replace(['\r', '\n'], "").trim().to_owned()
}

/// Whether all that is wrong can stand beside one of these fields.
fn are_beside(general: &[String], errors: &[(String, Vec<String>)], fields: &[&str]) -> bool {
    let is_beside = |(name, _): &(String, Vec<String>)| fields.contains(&&**name);
    !errors.is_empty() && general.is_empty() && errors.iter().all(is_beside)
}
