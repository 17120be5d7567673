//! The client in a page, over the browser's `fetch`, with a timer for its deadlines and tries.
//!
//! wasm-bindgen makes a module of it, whose `countCustomers` JavaScript calls.
#![cfg(target_family = "wasm")]

use std::time::Duration;

use bytes::Bytes;
use fragile::Fragile;
use futures_util::stream::try_unfold;
use gloo_timers::future::TimeoutFuture;
use http_body::Frame;
use http_body_util::StreamBody;
use js_sys::{Array, Object, Uint8Array};
use svc_api::wire::{Body, BoxFuture, TransportError, TransportErrorKind as Kind, with_deadline};
use svc_api::{ApiToken, Client, wire};
use wasm_bindgen::{JsCast, JsError, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Headers, ReadableStreamDefaultReader as Reader,
    ReadableStreamReadResult as Read, RequestCache, RequestCredentials, RequestInit,
    RequestRedirect, Response, window,
};

/// Sends requests with `fetch`. All of it stays on the thread of the page.
#[derive(Debug)]
pub struct Transport;

impl wire::Transport for Transport {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let deadline = request.extensions().get().copied();
        let exchange = with_deadline(&Timer, deadline, exchange(request));
        Box::pin(Fragile::new(exchange))
    }
}

async fn exchange(request: http::Request<Body>) -> Result<http::Response<Body>, TransportError> {
    if !matches!(request.uri().scheme_str(), Some("http" | "https")) {
        return Err(Kind::Invalid.into());
    }
    let (parts, body) = request.into_parts();
    let (init, abort) = init(&parts).map_err(failed)?;
    // In one piece, since browsers send streams over HTTP/2 only.
    let body = body.collect(usize::MAX).await?;
    if !body.is_empty() {
        init.set_body(&Uint8Array::from(&*body));
    }
    let window = window().ok_or(Kind::Other)?;
    let fetched = window.fetch_with_str_and_init(&parts.uri.to_string(), &init);
    let fetched = JsFuture::from(fetched).await.map_err(failed)?;
    let fetched: Response = fetched.unchecked_into();
    // The status of a redirect is 0, an error: browsers hide where it leads.
    let mut response = http::Response::builder().status(fetched.status());
    for header in fetched.headers().entries() {
        let header = Array::from(&header.map_err(failed)?);
        let [name, value] = [0, 1].map(|at| header.get(at).as_string().unwrap_or_default());
        response = response.header(name, value.chars().map(|c| c as u8).collect::<Vec<_>>());
    }
    let reader = fetched.body().map(|body| Reader::new(&body));
    let reader = reader.transpose().map_err(failed)?;
    let body = StreamBody::new(Fragile::new(try_unfold((reader, abort), next_piece)));
    let response = response.body(Body::stream(body));
    response.map_err(TransportError::from_source)
}

/// The options of `fetch`, in whose headers a character stands for a byte.
fn init(parts: &http::request::Parts) -> Result<(RequestInit, Abort), JsValue> {
    let headers = Headers::new()?;
    for (name, value) in &parts.headers {
        // Another `User-Agent` than the browser's would need the permission of the service (CORS).
        if name != http::header::USER_AGENT {
            let value: String = value.as_bytes().iter().copied().map(char::from).collect();
            headers.append(name.as_str(), &value)?;
        }
    }
    let (init, abort) = (RequestInit::new(), Abort(AbortController::new()?));
    init.set_method(parts.method.as_str());
    init.set_headers(&headers);
    init.set_cache(RequestCache::NoStore);
    init.set_credentials(RequestCredentials::Omit);
    init.set_redirect(RequestRedirect::Manual);
    init.set_signal(Some(&abort.0.signal()));
    Ok((init, abort))
}

type Unread = (Option<Reader>, Abort);

async fn next_piece(
    (reader, abort): Unread,
) -> Result<Option<(Frame<Bytes>, Unread)>, TransportError> {
    let Some(reader) = reader else {
        return Ok(None);
    };
    let read = JsFuture::from(reader.read()).await.map_err(failed)?;
    let read: Read = read.unchecked_into();
    let bytes = (read.get_done() == Some(false)).then(|| Uint8Array::new(&read.get_value()));
    Ok(bytes.map(|bytes| (Frame::data(bytes.to_vec().into()), (Some(reader), abort))))
}

/// A browser does not say whether the request was sent.
fn failed(error: JsValue) -> TransportError {
    let text = String::from(Object::from(error).to_string());
    TransportError::new(Kind::Interrupted, text)
}

/// Aborts the exchange when the call or the body of its response is dropped.
struct Abort(AbortController);

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Waits with `setTimeout`.
#[derive(Debug)]
pub struct Timer;

impl wire::Timer for Timer {
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        // With more than this, JavaScript would not wait at all.
        let longest = i32::MAX as u128;
        let milliseconds = duration.as_millis().min(longest) as u32;
        Box::pin(Fragile::new(TimeoutFuture::new(milliseconds)))
    }

    fn now(&self) -> Duration {
        let clock = window().and_then(|window| window.performance());
        Duration::from_secs_f64(clock.map_or(0.0, |clock| clock.now() / 1e3))
    }
}

/// The number of customers in the shop of a project.
///
/// # Errors
/// Those of the client.
#[wasm_bindgen(js_name = countCustomers)]
pub async fn count_customers(
    base_url: String,
    project: String,
    token: String,
) -> Result<Option<f64>, JsError> {
    let client = Client::builder()
        .api_base_url(base_url)
        .project(project)
        .token_for("shop", ApiToken::new(token)?)
        .transport(Transport)
        .timer(Timer)
        .build()?;
    let page = client.records("shop", "customers").list().send().await?;
    Ok(page.count.map(|count| count as f64))
}
