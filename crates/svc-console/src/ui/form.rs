//! Parts of forms that several places have.

use maud::{Markup, html};
use svc_model::{ListQuery, administration::account::Account, query::parse_pairs};

use crate::{
    href::Href,
    problem::{Problem, Result},
    texts::Texts,
    ui::notice,
    visit::Visit,
};

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

/// The hidden field with which a form says who has opened it.
pub(crate) fn account_field(account: &Account) -> Markup {
    html! { input type="hidden" name="account" value=(account.uid); }
}

/// What the key Enter in a field of a form does, which else would be what its first button does.
pub(crate) fn default_button(name: &str, value: &str) -> Markup {
    html! { button.visually-hidden name=(name) value=(value) tabindex="-1" aria-hidden="true" {} }
}

/// The same where that is what the form itself is sent for.
pub(crate) fn default_submit() -> Markup {
    html! { button.visually-hidden tabindex="-1" aria-hidden="true" {} }
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
        account: &Account,
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
            (self.form(visit, account, &html! {}))
        }))
    }

    /// Whether the form has the name.
    pub(crate) fn is_given(&self, visit: &Visit) -> bool {
        let typed = visit.form().text("confirm").trim();
        self.name.is_none_or(|name| name == typed)
    }

    /// The question as a form; `hidden` are further fields of it.
    pub(crate) fn form(&self, visit: &Visit, account: &Account, hidden: &Markup) -> Markup {
        let texts = visit.texts;
        html! {
            (self.what)
            form.stack method="post" action=(self.action) {
                (account_field(account))
                (hidden)
                @if let Some(name) = self.name {
                    label { (texts.with("confirm-name", [("name", name.into())]))
                        input name="confirm" autocomplete="off" autocapitalize="none" spellcheck="false" required;
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
