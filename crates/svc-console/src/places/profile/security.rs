//! The password and the e-mail address that one signs in with.

use http::StatusCode;
use maud::{Markup, html};
use svc_api::auth::account::{ChangeEmail, ChangeEmailComplete, ChangePassword, Password};
use svc_model::Realm;

use super::{Own, Part, keys};
use crate::{
    answer::Answer,
    problem::{Problem, Result, status_of},
    ui::{form::account_field, notice},
};

/// The forms, and what they send.
pub(super) async fn answer(own: &Own<'_>) -> Result<Answer> {
    let visit = own.visit;
    if visit.is_post() {
        return match visit.form().text("action") {
            "password" => change_password(own).await,
            "email" => change_email(own).await,
            "code" => confirm_email(own).await,
            _ => Err(Problem::NotFound),
        };
    }
    let texts = visit.texts;
    let message = match visit.query()?.get("done") {
        Some("password") => Some(html! {
            (notice::done(&texts.get("profile-password-changed")))
            (keys::still_valid(own).await?)
        }),
        Some("email") => Some(notice::done(&texts.get("profile-email-sent"))),
        Some("code") => Some(notice::done(&texts.get("profile-email-changed"))),
        _ => None,
    };
    Ok(Answer::page(page(own, message)))
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
        let message = notice::error(visit, &visit.texts.get("profile-password-differs"));
        return Ok(Answer::page(page(own, Some(message))).status(StatusCode::BAD_REQUEST));
    }
    let change = ChangePassword::new(Realm::Service, new, current(own));
    let changed = match own.client.call(change).send().await {
        Ok(changed) => changed,
        Err(error) => return refused(own, error),
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
        Err(error) => refused(own, error),
    }
}

async fn confirm_email(own: &Own<'_>) -> Result<Answer> {
    let code = own.visit.form().text("code").trim();
    let confirm = ChangeEmailComplete::new(Realm::Service, code);
    match own.client.call(confirm).send().await {
        Ok(_) => Ok(Answer::go(&own.place(Part::Security).with("done", "code"))),
        Err(error) => refused(own, error),
    }
}

fn refused(own: &Own<'_>, error: svc_api::Error) -> Result<Answer> {
    let status = status_of(&error);
    let message = notice::refused(own.visit, error)?;
    Ok(Answer::page(page(own, Some(message))).status(status))
}

fn page(own: &Own<'_>, message: Option<Markup>) -> Markup {
    let (visit, texts) = (own.visit, own.visit.texts);
    let place = own.place(Part::Security);
    let password = |name: &str, label: String, autocomplete: &str| {
        html! {
            label { (label)
                input type="password" name=(name) autocomplete=(autocomplete);
            }
        }
    };
    own.page(
        Part::Security,
        &html! {
            @if let Some(message) = message { (message) }
            section {
                h2 { (texts.get("profile-password")) }
                form.stack method="post" action=(place) {
                    (account_field(own.visit))
                    input type="hidden" name="username" value=(own.account.email) autocomplete="username";
                    (password("current_password", texts.get("profile-password-now"), "current-password"))
                    (password("new_password", texts.get("profile-password-new"), "new-password"))
                    (password("repeated_password", texts.get("profile-password-repeated"), "new-password"))
                    p.small.muted { (texts.get("profile-password-what")) }
                    div.actions { button.primary name="action" value="password" { (texts.get("profile-password-change")) } }
                }
            }
            section {
                h2 { (texts.get("email")) }
                p { bdi { (own.account.email) } }
                form.stack method="post" action=(place.clone().with("step", "email")) {
                    (account_field(own.visit))
                    label { (texts.get("profile-email-new"))
                        input type="email" name="new_email" value=(visit.form().text("new_email")) autocomplete="email" required;
                    }
                    (password("current_password", texts.get("profile-password-now"), "current-password"))
                    p.small.muted { (texts.get("profile-email-what")) }
                    div.actions { button.primary name="action" value="email" { (texts.get("profile-email-send")) } }
                }
                form.stack method="post" action=(place.clone().with("step", "code")) {
                    (account_field(own.visit))
                    label { (texts.get("profile-email-code"))
                        input name="code" required autocomplete="one-time-code" autocapitalize="none" spellcheck="false";
                    }
                    div.actions { button name="action" value="code" { (texts.get("profile-email-confirm")) } }
                }
            }
        },
    )
}
