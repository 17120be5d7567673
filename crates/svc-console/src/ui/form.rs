//! Parts of forms that several places have.

use maud::{Markup, html};
use svc_model::{ListQuery, query::parse_pairs};

use crate::{
    assets::TYPED,
    href::Href,
    problem::{Problem, Result},
    session::TOKEN,
    texts::Texts,
    ui::notice,
    visit::{Form, Visit},
};

/// The field that has everything that was entered into the form around this one.
pub(crate) const AROUND: &str = "around";

/// Fields that say something about a form, and that nobody enters.
const HIDDEN: [&str; 5] = ["account", "etag", "key", "action", AROUND];

/// The name of a field with a secret, which no page shows as a text that can be read.
pub(crate) const SECRET: &str = "secret";

/// Who somebody is: an e-mail address and a password, which `autocomplete` says whether it is a new one.
pub(crate) fn email_and_password(texts: &Texts, email: &str, autocomplete: &str) -> Markup {
    html! {
        label { (texts.get("email"))
            input type="email" name="email" value=(email) autocomplete="username" required autofocus;
        }
        label { (texts.get("password"))
            input type="password" name="password" autocomplete=(autocomplete) required;
        }
    }
}

/// The hidden fields with which a form says who has opened it, and that it is one of the console.
pub(crate) fn account_field(visit: &Visit) -> Markup {
    html! {
        @if let Ok(account) = visit.account() { input type="hidden" name="account" value=(account.uid); }
        (token_field(visit))
    }
}

/// The hidden field with which a form says that it is one of the console, for browsers that do not say where it comes from.
pub(crate) fn token_field(visit: &Visit) -> Markup {
    html! {
        @if let Some(token) = visit.token() { input type="hidden" name=(TOKEN) value=(token); }
    }
}

/// What was entered, as fields that nobody sees: all of it but the token, which is another one now, and passwords and secrets,
/// which are entered again.
pub(crate) fn kept_fields(visit: &Visit) -> Markup {
    html! {
        @for (name, value) in kept(visit.form()) { input type="hidden" name=(name) value=(value); }
        (token_field(visit))
    }
}

/// The fields of a form that may be sent again as they are.
pub(crate) fn kept(form: &Form) -> impl Iterator<Item = (&str, &str)> {
    let fields = form.iter();
    let is_hidden = |name: &str| name.contains("password") || name == SECRET;
    fields.filter(move |(name, _)| !is_hidden(name) && *name != TOKEN)
}

/// What was entered, for somebody to read and to copy.
pub(crate) fn entered(visit: &Visit) -> Markup {
    let around = Form::parse(visit.form().text(AROUND)).unwrap_or_default();
    let fields = kept(visit.form()).chain(kept(&around));
    let fields = fields.filter(|(name, value)| {
        !value.is_empty() && !HIDDEN.contains(name) && !name.starts_with("was:")
    });
    let fields: Vec<_> = fields.collect();
    html! {
        @if !fields.is_empty() {
            details.entered {
                summary { (visit.texts.get("entered")) }
                dl {
                    @for (name, value) in fields {
                        dt { bdi { (name) } }
                        dd { pre.long { bdi { (value) } } }
                    }
                }
            }
        }
    }
}

/// What the key Enter in a field of a form does, which else would be what its first button does.
pub(crate) fn default_button(name: &str, value: &str) -> Markup {
    html! { button.visually-hidden name=(name) value=(value) tabindex="-1" aria-hidden="true" {} }
}

/// The same where that is what the form itself is sent for.
pub(crate) fn default_submit() -> Markup {
    html! { button.visually-hidden tabindex="-1" aria-hidden="true" {} }
}

/// What stands right before a form whose text a module keeps until it is sent: it offers what was typed before, and not sent.
pub(crate) fn typed_before(visit: &Visit) -> Markup {
    let texts = visit.texts;
    html! {
        script type="module" src=(TYPED.href(&visit.root)) {}
        div.notice.typed data-typed=(if visit.is_post() { "again" } else { "" }) role="alert" hidden {
            p { (texts.get("typed-before")) " " time {} }
            div.actions {
                button type="button" { (texts.get("typed-put")) }
                button type="button" name="discard" { (texts.get("typed-discard")) }
            }
        }
    }
}

/// The question before something that destroys.
pub(crate) struct Confirmation<'a> {
    /// What happens, and how much of it.
    pub(crate) what: Markup,
    /// Where the answer is sent to.
    pub(crate) action: Href,
    /// Where nothing happens.
    pub(crate) cancel: Href,
    /// What the button says.
    pub(crate) button: String,
    /// A name that has to be typed.
    pub(crate) name: Option<&'a str>,
    /// Whether it cannot be done.
    pub(crate) is_forbidden: bool,
}

/// What came of a question.
pub(crate) enum Outcome {
    /// It was answered and done, which leads here.
    Done(Href),
    /// It is to be shown, with what went wrong.
    Ask(Markup),
}

impl Confirmation<'_> {
    /// Does it when the form was sent with what it asks for; else the question is to be shown.
    pub(crate) async fn ask(
        &self,
        visit: &Visit,
        act: impl AsyncFnOnce() -> Result<Href>,
    ) -> Result<Outcome> {
        let mut wrong = None;
        if visit.is_post() && !self.is_forbidden {
            if !self.is_given(visit) {
                wrong = Some(self.not_given(visit));
            } else {
                match act().await {
                    Ok(to) => return Ok(Outcome::Done(to)),
                    Err(Problem::Api(error)) => wrong = Some(notice::of_error(visit, &error)),
                    Err(problem) => return Err(problem),
                }
            }
        }
        Ok(Outcome::Ask(html! {
            @if let Some(wrong) = wrong { (wrong) }
            (self.form(visit, &html! {}))
        }))
    }

    /// Whether the form has the name.
    pub(crate) fn is_given(&self, visit: &Visit) -> bool {
        let typed = visit.form().text("confirm").trim();
        self.name.is_none_or(|name| name == typed)
    }

    /// The question as a form; `hidden` are further fields of it.
    pub(crate) fn form(&self, visit: &Visit, hidden: &Markup) -> Markup {
        let texts = visit.texts;
        html! {
            (self.what)
            form.stack method="post" action=(self.action) {
                (account_field(visit))
                (hidden)
                @if let Some(name) = self.name.filter(|_| !self.is_forbidden) {
                    label { (texts.with("confirm-name", [("name", name.into())]))
                        input name="confirm" value=(visit.form().text("confirm")) autocomplete="off" autocapitalize="none" spellcheck="false" required;
                    }
                }
                div.actions {
                    button.danger disabled[self.is_forbidden] { (self.button) }
                    a.button href=(self.cancel) { (texts.get("cancel")) }
                }
            }
        }
    }

    /// The same after a form without the name.
    pub(crate) fn not_given(&self, visit: &Visit) -> Markup {
        let name = self.name.unwrap_or_default();
        let text = visit
            .texts
            .with("confirm-name-wrong", [("name", name.into())]);
        notice::error(visit, &text)
    }
}

/// The parameters of a list as hidden fields of a form.
pub(crate) fn hidden(query: &ListQuery, without: impl FnOnce(&mut ListQuery)) -> Markup {
    let mut query = query.clone();
    without(&mut query);
    let text = query.to_query_string();
    let pairs = parse_pairs(text.as_str()).unwrap_or_default();
    html! {
        @for (name, value) in pairs {
            input type="hidden" name=(name) value=(value);
        }
    }
}
