//! Answers to browsers, with the headers that all of them have.

use std::{
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use http_body::Frame;
use maud::Markup;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use svc_model::wire::{Body, BoxFuture, TransportError};

use crate::href::Href;

/// What a page may load and do: only what comes from here. Scripts may make markup of texts only through one policy.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types svc",
);
const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
const CLEAR_SITE_DATA: HeaderName = HeaderName::from_static("clear-site-data");

/// An answer that is nearly ready.
#[derive(Debug)]
pub(crate) struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Body,
}

/// A page that is sent as it is made: a beginning, and what follows when it is ready.
struct Parts {
    first: Bytes,
    rest: Option<BoxFuture<'static, Bytes>>,
}

impl http_body::Body for Parts {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        if !self.first.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(mem::take(&mut self.first)))));
        }
        let Some(rest) = &mut self.rest else {
            return Poll::Ready(None);
        };
        let rest = ready!(rest.as_mut().poll(context));
        self.rest = None;
        Poll::Ready(Some(Ok(Frame::data(rest))))
    }
}

impl Answer {
    /// A page, or a part of one.
    pub(crate) fn page(markup: Markup) -> Self {
        let mut answer = Self {
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            body: Body::from(Bytes::from(markup.into_string())),
        };
        let html = HeaderValue::from_static("text/html; charset=utf-8");
        answer.headers.insert(header::CONTENT_TYPE, html);
        // Kept so that going back shows what was there, and asked for again before it is shown.
        let cache = HeaderValue::from_static("private, no-cache");
        answer.headers.insert(header::CACHE_CONTROL, cache);
        // A part is no answer where the whole page is asked for.
        let part = HeaderValue::from_static("svc-fragment");
        answer.headers.insert(header::VARY, part);
        answer
    }

    /// A page whose rest follows when it is ready. What is left to do ends when the browser goes away.
    pub(crate) fn page_in_parts(first: String, rest: BoxFuture<'static, String>) -> Self {
        let mut answer = Self::page(Markup::default());
        answer.body = Body::stream(Parts {
            first: first.into(),
            rest: Some(Box::pin(async move { rest.await.into() })),
        });
        answer
    }

    /// A redirect to where a form has led (303: by GET).
    pub(crate) fn see_other(to: &str) -> Self {
        let mut answer = Self {
            status: StatusCode::SEE_OTHER,
            headers: HeaderMap::new(),
            body: Body::empty(),
        };
        if let Ok(to) = HeaderValue::try_from(to) {
            answer.headers.insert(header::LOCATION, to);
        }
        let cache = HeaderValue::from_static("no-store");
        answer.headers.insert(header::CACHE_CONTROL, cache);
        answer
    }

    /// The same to a place of the console.
    pub(crate) fn go(to: &Href) -> Self {
        Self::see_other(&to.to_string())
    }

    /// A file that never changes under its address.
    pub(crate) fn file(media_type: &'static str, bytes: &'static [u8]) -> Self {
        let mut headers = HeaderMap::new();
        let kept = HeaderValue::from_static("public, max-age=31536000, immutable");
        headers.insert(header::CACHE_CONTROL, kept);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        Self {
            status: StatusCode::OK,
            headers,
            body: Body::from(Bytes::from_static(bytes)),
        }
    }

    /// A file that a browser saves under this name. Its body may stream.
    pub(crate) fn download(name: &str, media_type: &'static str, body: Body) -> Self {
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        let cache = HeaderValue::from_static("no-store");
        headers.insert(header::CACHE_CONTROL, cache);
        if let Ok(disposition) = HeaderValue::try_from(attachment(name)) {
            headers.insert(header::CONTENT_DISPOSITION, disposition);
        }
        Self {
            status: StatusCode::OK,
            headers,
            body,
        }
    }

    /// The same, which a browser without scripts asks for again after so many seconds.
    #[must_use]
    pub(crate) fn again_after(mut self, seconds: u32) -> Self {
        self.headers.insert(header::REFRESH, seconds.into());
        self
    }

    /// The same for a page with a secret, which no browser may keep. The service does not compress such a page, since its length
    /// would tell of the secret.
    #[must_use]
    pub(crate) fn secret(mut self) -> Self {
        let cache = HeaderValue::from_static("no-store");
        self.headers.insert(header::CACHE_CONTROL, cache);
        self
    }

    #[must_use]
    pub(crate) fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// The same with a cookie that is set or removed.
    #[must_use]
    pub(crate) fn cookie(mut self, cookie: &str) -> Self {
        if let Ok(mut cookie) = HeaderValue::try_from(cookie) {
            cookie.set_sensitive(true);
            self.headers.append(header::SET_COOKIE, cookie);
        }
        self
    }

    /// The same with a cookie, unless it sets or removes one already.
    #[must_use]
    pub(crate) fn cookie_unless_set(self, cookie: &str) -> Self {
        match self.headers.contains_key(header::SET_COOKIE) {
            true => self,
            false => self.cookie(cookie),
        }
    }

    /// The same, after which the browser forgets what it has kept of the console.
    #[must_use]
    pub(crate) fn forget(mut self) -> Self {
        let cache = HeaderValue::from_static("\"cache\"");
        self.headers.insert(CLEAR_SITE_DATA, cache);
        self
    }

    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        *headers = self.headers;
        headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
        let same = HeaderValue::from_static("same-origin");
        headers.insert(header::REFERRER_POLICY, same);
        let nosniff = HeaderValue::from_static("nosniff");
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
        let none = HeaderValue::from_static("camera=(), geolocation=(), microphone=()");
        headers.insert(PERMISSIONS, none);
        response
    }
}

/// The header that has a browser save what it is sent, under a name that it may not like.
fn attachment(name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let plain: String = name
        .chars()
        .map(|letter| if plain(letter) { letter } else { '_' })
        .collect();
    let whole = utf8_percent_encode(name, NON_ALPHANUMERIC);
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{whole}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_not_taken_for_a_part_of_it() {
        let response = Answer::page(Markup::default()).into_response();
        assert_eq!(response.headers()[header::VARY], "svc-fragment");
    }

    #[test]
    fn the_name_of_a_download_cannot_leave_its_header() {
        assert_eq!(
            attachment("a\"; x=\r\nä.csv"),
            "attachment; filename=\"a___x____.csv\"; filename*=UTF-8''a%22%3B%20x%3D%0D%0A%C3%A4%2Ecsv"
        );
    }
}
