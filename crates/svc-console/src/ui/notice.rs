//! What went wrong, or went well, as a line on the page.

use maud::{Markup, html};
use svc_api::Error;
use svc_model::Invalid;

use crate::{
    problem::{Result, Silence},
    texts::Texts,
    visit::Visit,
};

/// Something went wrong.
pub(crate) fn error(visit: &Visit, text: &str) -> Markup {
    html! {
        div.notice.error role="alert" {
            p { (text) }
            @if let Some(id) = visit.request_id() {
                p.small { (visit.texts.get("request-id")) " " code { (id) } }
            }
        }
    }
}

/// The service has refused a call: what it says, and the request that it names.
pub(crate) fn of_error(visit: &Visit, error: &Error) -> Markup {
    of_error_in(visit.texts, visit.request_id(), error)
}

/// The same where the visit is over; `request` is the identifier of its request.
pub(crate) fn of_error_in(texts: &Texts, request: Option<&str>, error: &Error) -> Markup {
    let silence = Silence::of(error).map(|silence| match silence {
        Silence::Away => texts.get("service-away"),
        Silence::Unanswered => texts.get("service-unanswered"),
    });
    let general = error.general_errors();
    let fields = error.field_errors();
    let id = error.request_id().or(request);
    html! {
        div.notice.error role="alert" {
            @if let Some(silence) = silence {
                p { (silence) }
            } @else if let Some(detail) = error.detail() {
                p { (detail) }
            } @else if general.is_empty() && fields.is_empty() {
                p { (error) }
            }
            @for message in general {
                p { (message) }
            }
            @for (field, messages) in fields {
                p { code { (field) } ": " (messages.join("; ")) }
            }
            @if let Some(id) = id {
                p.small { (texts.get("request-id")) " " code { (id) } }
            }
        }
    }
}

/// What the service has refused, as one line of text.
pub(crate) fn words(texts: &Texts, error: &Error) -> String {
    match Silence::of(error) {
        Some(Silence::Away) => return texts.get("service-away"),
        Some(Silence::Unanswered) => return texts.get("service-unanswered"),
        None => {}
    }
    let said = joined(error.general_errors(), error.field_errors());
    match error.detail() {
        Some(detail) => detail.to_owned(),
        None if said.is_empty() => error.to_string(),
        None => said,
    }
}

/// The same within a line, with the request that it names.
pub(crate) fn within_line(texts: &Texts, error: &Error) -> Markup {
    html! {
        (words(texts, error))
        @if let Some(id) = error.request_id() { " (" (texts.get("request-id")) " " code { (id) } ")" }
    }
}

/// What is wrong with values, as one line of text.
pub(crate) fn words_of(invalid: &Invalid) -> String {
    joined(invalid.general_errors(), invalid.field_errors())
}

fn joined(general: &[String], fields: &[(String, Vec<String>)]) -> String {
    let fields = fields.iter();
    let fields = fields.map(|(field, messages)| format!("{field}: {}", messages.join("; ")));
    let all: Vec<String> = general.iter().cloned().chain(fields).collect();
    all.join(" · ")
}

/// The same for a form that is shown again.
///
/// # Errors
/// When the session has ended: then signing in comes first.
pub(crate) fn refused(visit: &Visit, error: Error) -> Result<Markup> {
    match error.is_unauthenticated() {
        true => Err(error.into()),
        false => Ok(of_error(visit, &error)),
    }
}

/// Something went well, and this can be done about it.
pub(crate) fn done_with(text: &str, action: &Markup) -> Markup {
    html! {
        div.notice.done.with-action role="status" { p { (text) } (action) }
    }
}

/// Something went well.
pub(crate) fn done(text: &str) -> Markup {
    html! {
        div.notice.done role="status" { p { (text) } }
    }
}
