//! The pages that links in mails lead to, for projects without pages of their own. They are the same for every
//! project, and hold nothing of a request: the script reads the code, which stands behind `#`.

use axum::extract::Request;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, header};

use crate::http::response::ApiResponse;

/// The path of the style sheet and of the script.
pub(super) const STYLE_PATH: &str = "/projects/{project}/{environment}/auth/account.css";
pub(super) const SCRIPT_PATH: &str = "/projects/{project}/{environment}/auth/account.js";

const PAGE: &str = include_str!("page/account.html");
const STYLE: &str = include_str!("page/account.css");
const SCRIPT: &str = include_str!("page/account.js");

/// Nothing but the page's own files is loaded or run, and it is shown in no frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

pub(super) async fn page(request: Request) -> ApiResponse {
    // The files lie beside the page, whichever way its path was written.
    let up = match request.uri().path().ends_with('/') {
        true => "../",
        false => "",
    };
    answer("text/html; charset=utf-8", PAGE.replace("{up}", up).into())
}

pub(super) async fn style() -> ApiResponse {
    answer(
        "text/css; charset=utf-8",
        Bytes::from_static(STYLE.as_bytes()),
    )
}

pub(super) async fn script() -> ApiResponse {
    let script = Bytes::from_static(SCRIPT.as_bytes());
    answer("text/javascript; charset=utf-8", script)
}

fn answer(media_type: &'static str, body: Bytes) -> ApiResponse {
    let mut answer = Response::new([body].into());
    *answer.status_mut() = StatusCode::OK;
    let headers = answer.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-cache"),
    ] {
        let (name, value): (HeaderName, _) = (name, HeaderValue::from_static(value));
        headers.insert(name, value);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_nothing_inline_that_its_policy_forbids() {
        assert!(!PAGE.contains("style=") && !PAGE.contains("<style") && !PAGE.contains(" on"));
        assert_eq!(PAGE.matches("<script").count(), 1);
        assert!(PAGE.contains("<script src="));
        assert!(!SCRIPT.contains("innerHTML") && !SCRIPT.contains("eval("));
    }
}
