//! The password and the e-mail address that one signs in with.

use maud::{Markup, html};
use svc_api::{
    Error,
    auth::account::{ChangeEmail, ChangeEmailComplete, ChangePassword, Password},
};
use svc_model::Realm;

use super::{Own, Part, keys};
use crate::{
    answer::Answer,
    problem::{Problem, Result},
    ui::{
        filled::{Filled, Input},
        form::account_field,
        notice,
    },
};

/// The forms of the place: the names of their actions, and their fields.
const PASSWORD: (&str, &[&str]) = (
    "password",
    &["current_password", "new_password", "repeated_password"],
);
const EMAIL: (&str, &[&str]) = ("email", &["new_email", "current_password"]);
const CODE: (&str, &[&str]) = ("code", &["code"]);

/// The forms, and what they send.
pub(super) async fn answer(own: &Own<'_>) -> Result<Answer> {
    let visit = own.visit;
    if visit.is_post() {
        return match visit.form().text("action") {
            "password" => change_password(own).await,
            "email" => change_email(own).await,
            "code" => confirm_email(own).await,
            _ => Err(Problem::NoAction),
        };
    }
    let texts = visit.texts;
    let message = match visit.query()?.get("done") {
        Some("password") => html! {
            (notice::done(&texts.get("profile-password-changed")))
            (keys::still_valid(own).await?)
        },
        Some("email") => notice::done(&texts.get("profile-email-sent")),
        Some("code") => notice::done(&texts.get("profile-email-changed")),
        _ => Markup::default(),
    };
    Ok(Answer::page(page(own, &message, None)))
}

/// The password as it was entered; `None` where an account that has none leaves it out.
fn current(own: &Own<'_>) -> Option<Password> {
    let text = own.visit.form().text("current_password");
    (!text.is_empty()).then(|| Password::from(text))
}

async fn change_password(own: &Own<'_>) -> Result<Answer> {
    let visit = own.visit;
    let new = visit.form().text("new_password");
    if new != visit.form().text("repeated_password") {
        let mut filled = Filled::new(visit);
        let differs = visit.texts.get("profile-password-differs");
        filled.refuse_field("repeated_password", differs);
        return Ok(again(own, PASSWORD.0, &filled));
    }
    let change = ChangePassword::new(Realm::Service, new, current(own));
    let changed = match own.client.call(change).send().await {
        Ok(changed) => changed,
        Err(error) => return refused(own, PASSWORD, error),
    };
    let answer = Answer::go(&own.place(Part::Security).with("done", "password"));
    // Every session has ended; this browser goes on with the new one.
    let tokens = changed.new_state;
    let kept = tokens.and_then(|tokens| visit.keep(tokens));
    Ok(match kept {
        Some(kept) => answer.cookie(&kept),
        None => answer,
    })
}

async fn change_email(own: &Own<'_>) -> Result<Answer> {
    let new = own.visit.form().text("new_email").trim();
    let change = ChangeEmail::new(Realm::Service, new, current(own));
    match own.client.call(change).send().await {
        Ok(_) => Ok(Answer::go(&own.place(Part::Security).with("done", "email"))),
        Err(error) => refused(own, EMAIL, error),
    }
}

async fn confirm_email(own: &Own<'_>) -> Result<Answer> {
    let code = own.visit.form().text("code").trim();
    let confirm = ChangeEmailComplete::new(Realm::Service, code);
    match own.client.call(confirm).send().await {
        Ok(_) => Ok(Answer::go(&own.place(Part::Security).with("done", "code"))),
        Err(error) => refused(own, CODE, error),
    }
}

/// The forms again, with what the service says beside the fields of the one that was sent.
fn refused(own: &Own<'_>, (form, fields): (&str, &[&str]), error: Error) -> Result<Answer> {
    let mut filled = Filled::new(own.visit);
    filled.refuse(error, fields)?;
    Ok(again(own, form, &filled))
}

fn again(own: &Own<'_>, form: &str, filled: &Filled<'_>) -> Answer {
    filled.answer(page(own, &filled.message(), Some((form, filled))))
}

/// The forms; `sent` is the one that is shown again.
fn page(own: &Own<'_>, message: &Markup, sent: Option<(&str, &Filled<'_>)>) -> Markup {
    let (visit, texts) = (own.visit, own.visit.texts);
    let place = own.place(Part::Security);
    let empty = Filled::new(visit);
    let of = |(form, _): (&str, &[&str])| match sent {
        Some((sent, filled)) if sent == form => filled,
        _ => &empty,
    };
    let (password, email, code) = (of(PASSWORD), of(EMAIL), of(CODE));
    let new_email = Input {
        autocomplete: Some("email"),
        ..Input::EMAIL
    };
    let (code_error, code_errors) = code.errors_of("code");
    own.page(
        Part::Security,
        &html! {
            (message)
            section {
                h2 { (texts.get("profile-password")) }
                form.stack method="post" action=(place) {
                    (account_field(own.visit))
                    input type="hidden" name="username" value=(own.account.email) autocomplete="username";
                    (password.text("current_password", &texts.get("profile-password-now"), "", Input::OWN_PASSWORD))
                    (password.text("new_password", &texts.get("profile-password-new"), "", Input::PASSWORD))
                    (password.text("repeated_password", &texts.get("profile-password-repeated"), "", Input::PASSWORD))
                    p.small.muted { (texts.get("profile-password-what")) }
                    div.actions { button.primary name="action" value=(PASSWORD.0) { (texts.get("profile-password-change")) } }
                }
            }
            section {
                h2 { (texts.get("email")) }
                p { bdi { (own.account.email) } }
                form.stack method="post" action=(place.clone().with("step", "email")) {
                    (account_field(own.visit))
                    (email.text("new_email", &texts.get("profile-email-new"), visit.form().text("new_email"), new_email))
                    (email.text("current_password", &texts.get("profile-password-now"), "", Input::OWN_PASSWORD))
                    p.small.muted { (texts.get("profile-email-what")) }
                    div.actions { button.primary name="action" value=(EMAIL.0) { (texts.get("profile-email-send")) } }
                }
                form.stack method="post" action=(place.clone().with("step", "code")) {
                    (account_field(own.visit))
                    label { (texts.get("profile-email-code"))
                        input name="code" required autocomplete="one-time-code" autocapitalize="none" spellcheck="false"
                            aria-invalid=[code_error.as_ref().map(|_| "true")] aria-describedby=[code_error.as_deref()];
                    }
                    (code_errors)
                    div.actions { button name="action" value=(CODE.0) { (texts.get("profile-email-confirm")) } }
                }
            }
        },
    )
}
