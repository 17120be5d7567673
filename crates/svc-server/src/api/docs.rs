//! `/api/docs`: a page that shows the API definitions, that of the application host and those of resources, and sends calls
//! to this service. All of it comes from the program itself. The script asks for a credential and keeps it in memory.

use std::io::Read as _;

use axum::extract::{Request, State};
use bytes::Bytes;
use flate2::read::GzDecoder;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::{
    api::routes::{PREFIX, Routes},
    http::{
        ApiError, ApiResponse, ApiResult,
        response::{etag_of, is_known, page_response, unmodified_response},
    },
    state::Shared,
};

const PAGE: &str = include_str!("docs/docs.html");
const STYLE_SHEET: &str = include_str!("docs/docs.css");
const SCRIPT: &str = include_str!("docs/docs.js");
/// Stands in the page for the address of the data host, when that is another one than the page's own.
const DATA_HOST: &str = "{data_host}";
/// Stands in the page for the path to the folder of its files.
const FOLDER: &str = "{folder}";

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// A file of Swagger UI.
struct Vendored {
    media_type: &'static str,
    etag: &'static str,
    gzip: &'static [u8],
}

static SWAGGER_SCRIPT: Vendored = Vendored {
    media_type: JAVASCRIPT,
    etag: env!("SWAGGER_UI_SCRIPT_TAG"),
    gzip: include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js.gz")),
};

static SWAGGER_STYLE: Vendored = Vendored {
    media_type: CSS,
    etag: env!("SWAGGER_UI_STYLE_TAG"),
    gzip: include_bytes!(concat!(env!("OUT_DIR"), "/swagger-ui.css.gz")),
};

pub(crate) fn routes() -> Routes {
    let at = |name: &str| format!("{PREFIX}/docs{name}");
    Routes::new()
        .get_free(&at(""), page)
        .get_free(&at("/docs.css"), async |headers: HeaderMap| {
            own(&headers, CSS, STYLE_SHEET)
        })
        .get_free(&at("/docs.js"), async |headers: HeaderMap| {
            own(&headers, JAVASCRIPT, SCRIPT)
        })
        .get_free(&at("/swagger-ui.css"), async |headers: HeaderMap| {
            SWAGGER_STYLE.answer(&headers)
        })
        .get_free(&at("/swagger-ui.js"), async |headers: HeaderMap| {
            SWAGGER_SCRIPT.answer(&headers)
        })
}

async fn page(State(state): State<Shared>, request: Request) -> ApiResult {
    // The files are below the page, whichever way its path was written.
    let folder = match request.uri().path().ends_with('/') {
        true => "",
        false => "docs/",
    };
    let data_host = match (state.config.data_listen, &state.config.public_url) {
        (Some(_), None) => state.base_url(),
        _ => "",
    };
    let page = PAGE.replace(FOLDER, folder).replace(DATA_HOST, data_host);
    let headers = [
        (header::CONTENT_TYPE, HTML),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    let mut answer = page_response(page.into(), headers);
    let policy = HeaderValue::try_from(policy(data_host))
        .map_err(|error| ApiError::Internal(error.to_string()))?;
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(answer)
}

/// Nothing but the page's own files is loaded or run, no host but those of the service is called, and it is shown in no
/// frame. The images are in the style sheet of Swagger UI.
fn policy(data_host: &str) -> String {
    let connect = format!("'self' {data_host}");
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src {}; \
         form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
        connect.trim_end()
    )
}

fn own(request: &HeaderMap, media_type: &'static str, text: &'static str) -> ApiResponse {
    let etag = etag_of(text.as_bytes());
    file(request, &etag, media_type, || {
        Bytes::from_static(text.as_bytes())
    })
}

fn file(
    request: &HeaderMap,
    etag: &str,
    media_type: &'static str,
    body: impl FnOnce() -> Bytes,
) -> ApiResponse {
    let mut answer = match is_known(request, etag) {
        true => unmodified_response(etag),
        false => page_response(body(), [(header::CONTENT_TYPE, media_type)]),
    };
    let mut insert = |name: HeaderName, value: Option<HeaderValue>| {
        answer
            .headers_mut()
            .extend(value.map(|value| (name, value)));
    };
    insert(header::ETAG, HeaderValue::from_str(etag).ok());
    // It is the same for everybody, and another one after an update.
    let kept = HeaderValue::from_static("public, no-cache");
    insert(header::CACHE_CONTROL, Some(kept));
    answer
}

impl Vendored {
    fn answer(&self, request: &HeaderMap) -> ApiResult {
        let is_compressed = accepts_gzip(request);
        let body = match is_compressed {
            true => Bytes::from_static(self.gzip),
            false => self.decompressed()?,
        };
        let mut answer = file(request, self.etag, self.media_type, || body);
        let headers = answer.headers_mut();
        if is_compressed && headers.contains_key(header::CONTENT_TYPE) {
            let gzip = HeaderValue::from_static("gzip");
            headers.insert(header::CONTENT_ENCODING, gzip);
        }
        let vary = HeaderValue::from_static("accept-encoding");
        headers.insert(header::VARY, vary);
        Ok(answer)
    }

    fn decompressed(&self) -> ApiResult<Bytes> {
        let mut bytes = Vec::new();
        let read = GzDecoder::new(self.gzip).read_to_end(&mut bytes);
        read.map_err(|error| ApiError::Internal(error.to_string()))?;
        Ok(bytes.into())
    }
}

/// Whether a caller reads gzip, as all browsers do.
fn accepts_gzip(request: &HeaderMap) -> bool {
    let accepted = request.get_all(header::ACCEPT_ENCODING).iter();
    let accepted = accepted.filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=");
        let is_refused = weight.is_some_and(|weight| weight.parse() == Ok(0.0));
        matches!(name.trim(), "gzip" | "*") && !is_refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_nothing_inline_that_its_policy_forbids() {
        assert!(!PAGE.contains("style=") && !PAGE.contains("<style") && !PAGE.contains(" on"));
        assert_eq!(
            PAGE.matches("<script").count(),
            PAGE.matches("<script src=").count()
        );
        assert!(!SCRIPT.contains("innerHTML") && !SCRIPT.contains("eval("));
        assert!(!SCRIPT.contains("Storage") && !SCRIPT.contains("cookie"));
    }

    #[test]
    fn the_files_of_swagger_ui_are_whole() {
        for (file, text) in [
            (&SWAGGER_SCRIPT, "SwaggerUIBundle"),
            (&SWAGGER_STYLE, ".swagger-ui"),
        ] {
            // The decoder compares checksum and length.
            let bytes = file.decompressed().unwrap();
            assert!(String::from_utf8_lossy(&bytes).contains(text));
            assert!(bytes.len() > 3 * file.gzip.len());
        }
    }

    #[test]
    fn gzip_is_sent_to_those_who_read_it() {
        for (value, expected) in [
            ("gzip, deflate, br", true),
            ("br;q=1, gzip;q=0.5", true),
            ("*", true),
            ("gzip;q=0", false),
            ("br", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, value.parse().unwrap());
            assert_eq!(accepts_gzip(&headers), expected, "{value}");
        }
    }

    #[test]
    fn calls_are_allowed_to_the_own_hosts_only() {
        assert!(policy("").contains("connect-src 'self';"));
        let other = policy("https://127.0.0.1:81");
        assert!(other.contains("connect-src 'self' https://127.0.0.1:81;"));
    }
}
