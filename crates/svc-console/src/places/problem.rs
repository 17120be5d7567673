//! The page that says why a place could not answer.

use maud::{Markup, html};

use super::sign_in;
use crate::{
    answer::Answer,
    href::Href,
    problem::Problem,
    ui::{
        form::{entered, kept_fields},
        frame::plain_page,
        notice,
    },
    visit::Visit,
};

/// The page about it.
pub(super) fn answer(visit: &Visit, problem: &Problem) -> Answer {
    match problem {
        Problem::SignedOut => return sign_in::asked(visit),
        Problem::OtherAccount if visit.is_post() && visit.fragment().is_none() => {
            return sign_in::asked_for_other(visit);
        }
        _ => {}
    }
    let status = problem.status();
    if visit.fragment().is_some() {
        let message = message_of(visit, problem);
        return Answer::page(message).status(status);
    }
    let title = visit.texts.get("problem-title");
    let page = plain_page(
        visit,
        &title,
        &html! {
            h1 { (title) }
            (message_of(visit, problem))
            @if visit.is_post() && matches!(problem, Problem::StaleForm | Problem::Foreign) { (entered(visit)) }
            @if visit.is_post() && problem.may_pass() { (again(visit)) }
            div.actions {
                @if let Some(environment) = environment(visit) {
                    a.button href=(environment) { (visit.texts.get("problem-environment")) }
                }
                a.button href=(visit.root) { (visit.texts.get("problem-home")) }
            }
        },
    );
    Answer::page(page).status(status)
}

/// What was entered, to be sent again.
fn again(visit: &Visit) -> Markup {
    html! {
        form method="post" action=(visit.here()) {
            (kept_fields(visit))
            button.primary { (visit.texts.get("problem-again")) }
        }
    }
}

/// The first place of the environment that the address is below.
fn environment(visit: &Visit) -> Option<Href> {
    let parts = visit.path().ok()?;
    match &parts[..] {
        [projects, project, environment, _, ..] if projects == "projects" => {
            Some(visit.root.below([projects, project, environment]))
        }
        _ => None,
    }
}

/// What went wrong, and what to do.
fn message_of(visit: &Visit, problem: &Problem) -> Markup {
    let texts = visit.texts;
    let text = match problem {
        Problem::NotFound => texts.get("problem-not-found"),
        Problem::OtherMethod => texts.get("problem-method"),
        Problem::NotUtf8 => texts.get("problem-not-utf8"),
        Problem::NotAForm => texts.get("problem-not-a-form"),
        Problem::NoAction => texts.get("problem-no-action"),
        Problem::TooLarge => texts.get("problem-too-large"),
        Problem::TooLargeToKeep => texts.get("problem-too-large-to-keep"),
        Problem::TooManyParameters => texts.get("sql-too-many-parameters"),
        Problem::StaleForm => texts.get("problem-stale-form"),
        Problem::Foreign => texts.get("problem-foreign"),
        Problem::Forbidden => texts.get("problem-forbidden"),
        Problem::SignedOut => texts.get("sign-in-ended"),
        Problem::OtherAccount => texts.get("problem-other-account"),
        Problem::NotAdministrator => texts.get("problem-not-administrator"),
        Problem::NotOperator => texts.get("problem-not-operator"),
        Problem::OnlySeeing => texts.get("problem-only-seeing"),
        Problem::Suspended => texts.get("problem-suspended"),
        Problem::Unavailable(error) => {
            tracing::warn!(%error, "sessions of the console cannot be looked up");
            texts.get("problem-unavailable")
        }
        Problem::Api(error) => return notice::of_error(visit, error),
    };
    notice::error(visit, &text)
}
