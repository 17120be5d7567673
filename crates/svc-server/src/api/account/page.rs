//! The pages that links in mails lead to, for projects without pages of their own. They are the same for every
//! project, and hold nothing of a request: the script reads the code, which follows `#`.

use axum::extract::{Request, State};
use bytes::Bytes;
use http::header;

use crate::{
    api::console::CONSOLE,
    http::{ApiResponse, response::page_response},
    state::Shared,
};

/// The names of the style sheet and of the script, beside the calls.
pub(super) const STYLE: &str = "account.css";
pub(super) const SCRIPT: &str = "account.js";

const PAGE: &str = include_str!("page/account.html");
const STYLE_SHEET: &str = include_str!("page/account.css");
const SCRIPT_FILE: &str = include_str!("page/account.js");

/// Nothing but the page's own files is loaded or run, and it is shown in no frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

pub(super) async fn page(State(state): State<Shared>, request: Request) -> ApiResponse {
    let path = request.uri().path();
    // The files lie beside the page, whichever way its path was written.
    let up = match path.ends_with('/') {
        true => "../",
        false => "",
    };
    // Users of a project sign in to an application that the service does not know.
    let has_console = state.console.get().is_some() && path.starts_with(OF_ACCOUNTS);
    let console = match has_console {
        true => format!("{up}../../..{CONSOLE}/"),
        false => String::new(),
    };
    let page = PAGE.replace("{up}", up).replace("{console}", &console);
    answer("text/html; charset=utf-8", page.into())
}

/// What the paths of the pages for accounts of the service begin with; three names are behind the address of the service.
const OF_ACCOUNTS: &str = "/api/account/auth/";

pub(super) async fn style() -> ApiResponse {
    answer("text/css; charset=utf-8", STYLE_SHEET.into())
}

pub(super) async fn script() -> ApiResponse {
    answer("text/javascript; charset=utf-8", SCRIPT_FILE.into())
}

fn answer(media_type: &'static str, body: Bytes) -> ApiResponse {
    let headers = [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    page_response(body, headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_nothing_inline_that_its_policy_forbids() {
        assert!(!PAGE.contains("style=") && !PAGE.contains("<style") && !PAGE.contains(" on"));
        assert_eq!(PAGE.matches("<script").count(), 1);
        assert!(PAGE.contains("<script src="));
        assert!(!SCRIPT_FILE.contains("innerHTML") && !SCRIPT_FILE.contains("eval("));
    }
}
