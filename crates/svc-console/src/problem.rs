//! Why a place could not answer, and the page that says so.

use http::StatusCode;
use maud::{Markup, html};
use svc_api::Error;

use crate::{
    BoxError,
    answer::Answer,
    places::sign_in,
    ui::{frame::plain_page, notice},
    visit::Visit,
};

pub(crate) type Result<T, E = Problem> = std::result::Result<T, E>;

/// Why a place could not answer.
#[derive(Debug)]
pub(crate) enum Problem {
    /// There is no such place.
    NotFound,
    /// The place does not have this method.
    OtherMethod,
    /// The path or the form is not UTF-8.
    NotUtf8,
    /// What was sent is no form.
    NotAForm,
    /// The form is too large.
    TooLarge,
    /// The form was sent by another site.
    Foreign,
    /// Nobody is signed in.
    SignedOut,
    /// Who is signed in is not who has opened the form.
    OtherAccount,
    /// Nobody can say now whose session it is.
    Unavailable(BoxError),
    /// The service has refused a call, or could not be reached.
    Api(Box<Error>),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        match error.is_unauthenticated() {
            true => Self::SignedOut,
            false => Self::Api(Box::new(error)),
        }
    }
}

impl Problem {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::OtherMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotUtf8 => StatusCode::BAD_REQUEST,
            Self::NotAForm => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Foreign => StatusCode::FORBIDDEN,
            Self::SignedOut => StatusCode::UNAUTHORIZED,
            Self::OtherAccount => StatusCode::CONFLICT,
            Self::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Api(error) => error.status().unwrap_or(StatusCode::BAD_GATEWAY),
        }
    }

    /// The page about it.
    pub(crate) fn into_answer(self, visit: &Visit) -> Answer {
        if matches!(self, Self::SignedOut) {
            return sign_in::asked(visit);
        }
        let status = self.status();
        if visit.fragment().is_some() {
            let told = self.told(visit);
            return Answer::page(told).status(status);
        }
        let title = visit.texts.get("problem-title");
        let page = plain_page(
            visit,
            &title,
            &html! {
                h1 { (title) }
                (self.told(visit))
                p { a.button href=(visit.root) { (visit.texts.get("problem-home")) } }
            },
        );
        Answer::page(page).status(status)
    }

    /// What went wrong, and what to do.
    fn told(&self, visit: &Visit) -> Markup {
        let texts = visit.texts;
        let text = match self {
            Self::NotFound => texts.get("problem-not-found"),
            Self::OtherMethod => texts.get("problem-method"),
            Self::NotUtf8 => texts.get("problem-not-utf8"),
            Self::NotAForm => texts.get("problem-not-a-form"),
            Self::TooLarge => texts.get("problem-too-large"),
            Self::Foreign => texts.get("problem-foreign"),
            Self::SignedOut => texts.get("sign-in-ended"),
            Self::OtherAccount => texts.get("problem-other-account"),
            Self::Unavailable(error) => {
                tracing::warn!(%error, "sessions of the console cannot be looked up");
                texts.get("problem-unavailable")
            }
            Self::Api(error) => return notice::of_error(visit, error),
        };
        notice::error(visit, &text)
    }
}
