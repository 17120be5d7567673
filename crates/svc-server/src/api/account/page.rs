//! The pages that links in mails lead to, for projects without pages of their own: a form for the call that the code in
//! the link is for. They need no script. Where there is one, it takes the code, which follows `#`, into the form.

mod form;
mod markup;
mod texts;

use axum::{
    body::Body,
    extract::{ConnectInfo, Request, State},
    handler::Handler,
    response::IntoResponse as _,
};
use http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts};
use http_body_util::BodyExt as _;
use maud::Markup;

use self::{
    form::{Form, Unread},
    markup::{Page, Wrong},
    texts::{CallTexts, Texts},
};
use super::BODY_LIMIT;
use crate::{
    api::{
        console::CONSOLE,
        routes::{Routed, Routes},
    },
    http::{ApiResponse, links, request::Peer, response::page_response},
    state::Shared,
};

/// The names of the style sheet and of the script, beside the calls.
const STYLE: &str = "account.css";
const SCRIPT: &str = "account.js";
/// What follows the path of a call where the form of its page is sent to.
const FORM: &str = "form";
/// What the paths of the pages for accounts of the service begin with; three names are behind the address of the service.
const OF_ACCOUNTS: &str = "/api/account/auth/";

const STYLE_SHEET: &str = include_str!("page/account.css");
const SCRIPT_FILE: &str = include_str!("page/account.js");

/// Nothing but the page's own files is loaded or run, it is shown in no frame, and its form goes to the service alone.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; \
     base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/// The calls that codes in mails are for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    AcceptInvitation,
    ResetPassword,
    ChangeEmail,
}

impl Purpose {
    /// The name of the call in its path.
    fn name(self) -> &'static str {
        match self {
            Self::AcceptInvitation => "accept_invitation",
            Self::ResetPassword => "reset_password_complete",
            Self::ChangeEmail => "change_email_complete",
        }
    }

    /// The field for the new password.
    fn password(self) -> Option<&'static str> {
        match self {
            Self::AcceptInvitation => Some("password"),
            Self::ResetPassword => Some("new_password"),
            Self::ChangeEmail => None,
        }
    }

    /// Whether the call asks for the name of a person.
    fn has_names(self) -> bool {
        matches!(self, Self::AcceptInvitation)
    }

    /// Whether the form has a field of this name.
    fn has_field(self, name: &str) -> bool {
        let is_name = matches!(name, "first_name" | "last_name");
        name == "code" || self.password() == Some(name) || (is_name && self.has_names())
    }

    fn texts(self, texts: &Texts) -> &CallTexts {
        match self {
            Self::AcceptInvitation => &texts.accept_invitation,
            Self::ResetPassword => &texts.reset_password,
            Self::ChangeEmail => &texts.change_email,
        }
    }
}

/// The page at the path of a call, and what its form is sent to: `call` answers the call itself.
pub(super) fn routes<T: 'static>(
    below: &str,
    purpose: Purpose,
    call: impl Handler<T, Shared>,
) -> Routes {
    let path = format!("{below}/auth/{}", purpose.name());
    let form_path = format!("{path}/{FORM}");
    // The call is counted where rates are limited, and its refusal is a page too.
    let call = Routed::new(&form_path, call);
    let show = move |State(state): State<Shared>, request: Request| async move {
        show(purpose, &state, &request.into_parts().0)
    };
    let submit = move |State(state): State<Shared>, request: Request| {
        submit(purpose, call.clone(), state, request)
    };
    Routes::new()
        .get_free(&path, show)
        // Where a browser is after the form, if somebody opens the address again.
        .get_free(&form_path, show)
        .post_free(&form_path, submit)
}

/// The files of the pages.
pub(super) fn files(below: &str) -> Routes {
    let file = |media_type, text: &'static str| {
        move || async move {
            let headers = [
                (header::CONTENT_TYPE, media_type),
                (header::CACHE_CONTROL, "no-cache"),
            ];
            page_response(text.into(), headers)
        }
    };
    let style = file("text/css; charset=utf-8", STYLE_SHEET);
    let script = file("text/javascript; charset=utf-8", SCRIPT_FILE);
    Routes::new()
        .get_free(&format!("{below}/auth/{STYLE}"), style)
        .get_free(&format!("{below}/auth/{SCRIPT}"), script)
}

fn show(purpose: Purpose, service: &Shared, request: &Parts) -> ApiResponse {
    let page = page(purpose, service, request);
    let form = page.form(&Form::default(), &Wrong::default());
    answer(StatusCode::OK, form, "no-cache")
}

/// Makes the call that a form asks for, and shows what came of it.
async fn submit<T: 'static>(
    purpose: Purpose,
    call: Routed<impl Handler<T, Shared>>,
    service: Shared,
    request: Request,
) -> ApiResponse {
    let (mut parts, body) = request.into_parts();
    let page = page(purpose, &service, &parts);
    let origin = match parts.extensions.get::<ConnectInfo<Peer>>() {
        Some(ConnectInfo(Peer(peer))) => links::origin(&service.config, &parts.headers, *peer),
        None => "".into(),
    };
    let form = Form::read(&parts, body, &service.config, &origin).await;
    let (form, answered) = match form {
        Ok(form) => {
            let json = HeaderValue::from_static("application/json");
            parts.headers.insert(header::CONTENT_TYPE, json);
            parts.headers.remove(header::CONTENT_LENGTH);
            // What follows `?` is nothing that the page has asked for.
            if let Ok(path) = parts.uri.path().parse() {
                parts.uri = path;
            }
            let body = Body::from(form.to_json(purpose));
            let request = Request::from_parts(parts, body);
            (form, call.call(request, service).await)
        }
        Err(Unread::Failed(error)) => (Form::default(), error.into_response()),
        Err(unread) => {
            let (status, text) = match unread {
                Unread::Foreign => (StatusCode::FORBIDDEN, page.texts.foreign),
                _ => (StatusCode::UNSUPPORTED_MEDIA_TYPE, page.texts.not_a_form),
            };
            let form = page.form(&Form::default(), &Wrong::general(text));
            return answer(status, form, "no-store");
        }
    };
    let (head, body) = answered.into_parts();
    let shown = match head.status.is_success() {
        true => page.done(),
        false => {
            // Answers of the service that refuse are short.
            let body = body.collect().await;
            let body = body.map(|body| body.to_bytes()).unwrap_or_default();
            page.form(&form, &Wrong::of_answer(&page, &body))
        }
    };
    let mut answer = answer(head.status, shown, "no-store");
    keep_waits(&head.headers, answer.headers_mut());
    answer
}

/// Takes over what an answer says of waiting.
fn keep_waits(from: &HeaderMap, to: &mut HeaderMap) {
    for name in ["retry-after", "ratelimit", "ratelimit-policy"] {
        if let Some(value) = from.get(name) {
            to.insert(name, value.clone());
        }
    }
}

/// The page of a call at the path of a request.
fn page(purpose: Purpose, service: &Shared, request: &Parts) -> Page {
    let path = request.uri.path();
    // Users of a project sign in to an application that the service does not know.
    let has_console = service.console.get().is_some() && path.starts_with(OF_ACCOUNTS);
    let up = way_up(path);
    Page {
        purpose,
        texts: Texts::of(&request.headers),
        console: has_console.then(|| format!("{up}../../..{CONSOLE}/")),
        up,
    }
}

/// The way from the path of a page to the folder of the calls, whichever way the path was written: it may be below
/// another one outside, so that links are relative.
fn way_up(path: &str) -> String {
    let bare = path.trim_end_matches('/');
    let levels = usize::from(bare != path) + usize::from(bare.ends_with(&format!("/{FORM}")));
    "../".repeat(levels)
}

fn answer(status: StatusCode, page: Markup, kept: &'static str) -> ApiResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::VARY, "accept-language"),
        (header::CACHE_CONTROL, kept),
    ];
    let mut answer = page_response(page.into_string().into(), headers);
    *answer.status_mut() = status;
    answer
}

#[cfg(test)]
mod tests;
