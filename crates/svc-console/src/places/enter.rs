//! Coming in without a password: by a link for one use, and into a service that nobody operates yet.

use http::StatusCode;
use maud::{Markup, html};

use super::sign_in;
use crate::{
    FirstOperator,
    answer::Answer,
    problem::{Problem, Result},
    ui::{
        filled::{Filled, Input},
        form::token_field,
        frame::plain_page,
        notice,
    },
    visit::Visit,
};

/// Who the first operator is.
const USERNAME: Input = Input {
    autocomplete: Some("username"),
    ..Input::EMAIL
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
    let mut filled = Filled::new(visit);
    if !visit.is_post() {
        let code = query.text("code");
        return Ok(match is_first_run(visit, code).await? {
            true => Answer::page(first_run_page(visit, code, &filled)).secret(),
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
            filled.refuse_invalid(&why, &["email", "password"]);
            Ok(filled.answer(first_run_page(visit, code, &filled)))
        }
    }
}

async fn is_first_run(visit: &Visit, code: &str) -> Result<bool> {
    let known = visit.codes()?.is_first_run(code).await;
    known.map_err(Problem::Unavailable)
}

fn first_run_page(visit: &Visit, code: &str, filled: &Filled<'_>) -> Markup {
    let texts = visit.texts;
    let title = texts.get("first-run");
    let (error, errors) = filled.errors_of("password");
    plain_page(
        visit,
        &title,
        &html! {
            p.brand { "svc" }
            h1 { (title) }
            p { (texts.get("first-run-what")) }
            (filled.message())
            form.stack method="post" action=(visit.root.below(["first-run"])) {
                (token_field(visit))
                input type="hidden" name="code" value=(code);
                (filled.text("email", &texts.get("email"), "", USERNAME))
                // It is entered again.
                label { (texts.get("password"))
                    input type="password" name="password" autocomplete="new-password" required
                        aria-invalid=[error.as_ref().map(|_| "true")] aria-describedby=[error.as_deref()];
                }
                (errors)
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
