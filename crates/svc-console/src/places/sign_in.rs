//! Signing in and out.

use http::StatusCode;
use maud::{Markup, html};
use svc_api::auth::account::{Login, Logout};
use svc_model::Realm;

use crate::{
    answer::Answer,
    href::own_path,
    problem::{Problem, Result, status_of},
    session::{TOKEN, token_in},
    ui::{
        form::{email_and_password, kept, token_field},
        frame::plain_page,
        notice,
    },
    visit::{Form, Visit},
};

/// The page for signing in, and what it sends.
pub(crate) async fn answer(visit: &Visit) -> Result<Answer> {
    if !visit.is_post() {
        let query = visit.query()?;
        let next = query.text("next");
        return Ok(Answer::page(page(
            visit,
            &Wanted {
                next,
                ..Wanted::default()
            },
            None,
        )));
    }
    with_password(visit).await
}

/// Signs in with the e-mail address and the password of the form.
pub(crate) async fn with_password(visit: &Visit) -> Result<Answer> {
    let form = visit.form();
    let wanted = Wanted {
        next: form.text("next"),
        form: form.get("form"),
        email: form.text("email"),
    };
    let login = Login::new(Realm::Service, wanted.email, form.text("password"));
    let signed_in = match visit.client()?.call(login).send().await {
        Ok(signed_in) => signed_in,
        Err(error) => {
            let message = match error.status() {
                Some(StatusCode::UNAUTHORIZED) => {
                    notice::error(visit, &visit.texts.get("sign-in-wrong"))
                }
                _ => notice::of_error(visit, &error),
            };
            let status = status_of(&error);
            let again = match visit.fragment() {
                Some(_) => part(visit, &wanted, &message),
                None => page(visit, &wanted, Some(message)),
            };
            return Ok(Answer::page(again).status(status));
        }
    };
    let kept = visit.keep(signed_in.token);
    let kept = kept.ok_or_else(|| Problem::Unavailable("the session cannot be kept".into()))?;
    replace_session(visit).await;
    if visit.fragment().is_some() {
        return Ok(Answer::page(Markup::default()).cookie(&kept));
    }
    let next = own_path(&visit.root, wanted.next).unwrap_or_else(|| visit.root.path());
    let answer = match wanted.form {
        Some(form) => Answer::page(again(visit, next, &Form::parse(form)?, &kept)),
        None => Answer::see_other(next),
    };
    Ok(answer.cookie(&kept))
}

/// Ends the session.
pub(crate) async fn sign_out(visit: &Visit) -> Result<Answer> {
    if !visit.is_post() {
        return Err(Problem::OtherMethod);
    }
    end_session(visit).await?;
    let to = visit.root.below(["sign-in"]);
    Ok(Answer::go(&to).cookie(&visit.clear_cookie()).forget())
}

/// Ends the session that the browser has had before it signed in again: nobody else has its cookie.
pub(crate) async fn replace_session(visit: &Visit) {
    if let Err(problem) = end_session(visit).await {
        tracing::warn!(
            ?problem,
            "a session that another one has replaced cannot be ended"
        );
    }
}

/// Ends the session of the browser, if it has one.
async fn end_session(visit: &Visit) -> Result<()> {
    if !visit.is_signed_in() {
        return Ok(());
    }
    let logout = Logout::new(Realm::Service);
    match visit.client()?.call(logout).send().await {
        // A session that has ended is what was wanted.
        Err(error) if !error.is_unauthenticated() => Err(error.into()),
        _ => Ok(()),
    }
}

/// The page for signing in, in place of one that needs it. A form that was sent comes back after it.
pub(crate) fn asked(visit: &Visit) -> Answer {
    let here = visit.here();
    if visit.fragment().is_some() {
        let message = notice::error(visit, &visit.texts.get("sign-in-ended"));
        // The module that changes a cell in its place goes on after it.
        let part = match visit.fragment() {
            Some("cell") => part(visit, &Wanted::default(), &message),
            _ => message,
        };
        return Answer::page(part).status(StatusCode::UNAUTHORIZED);
    }
    if !visit.is_post() {
        let place = visit.root.below(["sign-in"]);
        let place = match here == visit.root.path() {
            true => place,
            false => place.with("next", &here),
        };
        return Answer::go(&place);
    }
    let page = asked_with_form(visit, &visit.texts.get("sign-in-ended"));
    Answer::page(page).status(StatusCode::UNAUTHORIZED)
}

/// The same where another account has signed in than the one that opened the form.
pub(crate) fn asked_for_other(visit: &Visit) -> Answer {
    let page = asked_with_form(visit, &visit.texts.get("problem-other-account"));
    Answer::page(page).status(StatusCode::CONFLICT)
}

/// The page for signing in, behind which the form is sent again.
fn asked_with_form(visit: &Visit, message: &str) -> Markup {
    let mut form = svc_model::QueryString::new();
    for (name, value) in kept(visit.form()) {
        form.push(name, value);
    }
    let here = visit.here();
    let wanted = Wanted {
        next: &here,
        form: Some(form.as_str()),
        email: "",
    };
    page(visit, &wanted, Some(notice::error(visit, message)))
}

/// What somebody wanted who has to sign in first.
#[derive(Debug, Default)]
struct Wanted<'a> {
    next: &'a str,
    /// The form that was sent, as it was encoded.
    form: Option<&'a str>,
    email: &'a str,
}

fn page(visit: &Visit, wanted: &Wanted<'_>, message: Option<Markup>) -> Markup {
    let texts = visit.texts;
    let title = texts.get("sign-in");
    plain_page(
        visit,
        &title,
        &html! {
            p.brand { "svc" }
            h1 { (title) }
            @if let Some(message) = message { (message) }
            (form(visit, wanted))
            p.forgotten { a href=(visit.root.below(["forgotten"])) { (texts.get("forgotten")) } }
        },
    )
}

/// The form for signing in by itself, with what is said about it.
fn part(visit: &Visit, wanted: &Wanted<'_>, message: &Markup) -> Markup {
    html! { (message) (form(visit, wanted)) }
}

fn form(visit: &Visit, wanted: &Wanted<'_>) -> Markup {
    let texts = visit.texts;
    html! {
        form.stack method="post" action=(visit.root.below(["sign-in"])) {
            (token_field(visit))
            input type="hidden" name="next" value=(wanted.next);
            @if let Some(form) = wanted.form {
                input type="hidden" name="form" value=(form);
            }
            (email_and_password(texts, wanted.email, "current-password"))
            button.primary { (texts.get("sign-in")) }
        }
    }
}

/// The form that was sent when the session had ended, to be sent again with the cookie of the new one.
fn again(visit: &Visit, action: &str, form: &Form, cookie: &str) -> Markup {
    let texts = visit.texts;
    let title = texts.get("sign-in-again-title");
    plain_page(
        visit,
        &title,
        &html! {
            h1 { (title) }
            p { (texts.get("sign-in-again")) }
            form method="post" action=(action) {
                @for (name, value) in form.iter() {
                    input type="hidden" name=(name) value=(value);
                }
                input type="hidden" name=(TOKEN) value=(token_in(cookie));
                button.primary autofocus { (texts.get("go-on")) }
            }
        },
    )
}
