//! Coming in without a password: by a link for one use, and into a service that nobody operates yet.

use http::StatusCode;
use maud::{Markup, html};

use super::sign_in;
use crate::{
    FirstOperator,
    answer::Answer,
    problem::{Problem, Result},
    ui::{
        form::{email_and_password, token_field},
        frame::plain_page,
        notice,
    },
    visit::Visit,
};

/// A link for one use. Opening it changes nothing: a mail program may open it too.
pub(crate) async fn answer(visit: &Visit) -> Result<Answer> {
    let texts = visit.texts;
    if visit.is_post() {
        return Ok(match visit.sign_in_with(visit.form().text("code")).await? {
            Some(cookie) => {
                sign_in::replace_session(visit).await;
                Answer::go(&visit.root).cookie(&cookie)
            }
            None => {
                let message = notice::error(visit, &texts.get("enter-invalid"));
                let page = plain_page(
                    visit,
                    &texts.get("sign-in"),
                    &html! {
                        (message)
                        p { a.button href=(visit.root.below(["sign-in"])) { (texts.get("sign-in")) } }
                    },
                );
                Answer::page(page).status(StatusCode::BAD_REQUEST)
            }
        });
    }
    visit.codes()?;
    let query = visit.query()?;
    let title = texts.get("enter");
    let page = plain_page(
        visit,
        &title,
        &html! {
            p.brand { "svc" }
            h1 { (title) }
            p { (texts.get("enter-what")) }
            form method="post" action=(visit.root.below(["enter"])) {
                (token_field(visit))
                input type="hidden" name="code" value=(query.text("code"));
                button.primary autofocus { (texts.get("sign-in")) }
            }
        },
    );
    Ok(Answer::page(page).secret())
}

/// The page that makes the first operator.
pub(crate) async fn first_run(visit: &Visit) -> Result<Answer> {
    let query = visit.query()?;
    if !visit.is_post() {
        let code = query.text("code");
        return Ok(match is_first_run(visit, code).await? {
            true => Answer::page(first_run_page(visit, code, None)).secret(),
            false => late(visit),
        });
    }
    let form = visit.form();
    let (code, email, password) = (form.text("code"), form.text("email"), form.text("password"));
    let made = visit.codes()?.make_operator(code, email, password).await;
    match made.map_err(Problem::Unavailable)? {
        FirstOperator::Made => sign_in::with_password(visit).await,
        FirstOperator::TooLate => Ok(late(visit)),
        FirstOperator::Refused(why) => {
            let message = notice::error(visit, &why);
            let page = first_run_page(visit, code, Some(message));
            Ok(Answer::page(page).status(StatusCode::BAD_REQUEST))
        }
    }
}

async fn is_first_run(visit: &Visit, code: &str) -> Result<bool> {
    let known = visit.codes()?.is_first_run(code).await;
    known.map_err(Problem::Unavailable)
}

fn first_run_page(visit: &Visit, code: &str, message: Option<Markup>) -> Markup {
    let texts = visit.texts;
    let title = texts.get("first-run");
    plain_page(
        visit,
        &title,
        &html! {
            p.brand { "svc" }
            h1 { (title) }
            p { (texts.get("first-run-what")) }
            @if let Some(message) = message { (message) }
            form.stack method="post" action=(visit.root.below(["first-run"])) {
                (token_field(visit))
                input type="hidden" name="code" value=(code);
                (email_and_password(texts, visit.form().text("email"), "new-password"))
            button.primary { (texts.get("first-run-make")) }
            }
        },
    )
}

fn late(visit: &Visit) -> Answer {
    let texts = visit.texts;
    let message = notice::error(visit, &texts.get("first-run-late"));
    let page = plain_page(
        visit,
        &texts.get("first-run"),
        &html! {
            (message)
            p { a.button href=(visit.root.below(["sign-in"])) { (texts.get("sign-in")) } }
        },
    );
    Answer::page(page).status(StatusCode::BAD_REQUEST)
}
