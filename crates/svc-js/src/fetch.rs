//! A transport that uses `fetch`.

use std::{cell::Cell, rc::Rc, sync::Arc};

use fragile::Fragile;
use gloo_timers::callback::Timeout;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode, header};
use js_sys::{Date, Promise, Reflect, Uint8Array};
use svc_model::{
    X_REQUEST_ID,
    proxy::X_SVC_PROXY,
    wire::{
        Body, BoxFuture, Deadline, Transport, TransportError,
        TransportErrorKind::{self, Connect, Interrupted, Invalid, Other},
    },
};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Headers, RequestCache, RequestCredentials, RequestInit, RequestRedirect,
};

use crate::{error::text_of, local_future::local};

#[wasm_bindgen]
extern "C" {
    fn fetch(url: &str, init: &RequestInit) -> Promise;
}

/// The maximum size of a request body that is a stream.
const STREAM_LIMIT: usize = 64 << 20;

/// The headers that calls read. The complete headers are in [`AllHeaders`].
static NAMES: [HeaderName; 5] = [
    header::CONTENT_TYPE,
    header::ETAG,
    header::RETRY_AFTER,
    HeaderName::from_static(X_REQUEST_ID),
    HeaderName::from_static(X_SVC_PROXY),
];

/// Extension of a response: its headers as a JavaScript object.
#[derive(Clone, Debug)]
pub(crate) struct AllHeaders(Arc<Fragile<Headers>>);

impl AllHeaders {
    pub(crate) fn get(&self) -> &Headers {
        self.0.get()
    }
}

/// A transport that uses the `fetch` of the browser or of Node.
///
/// It returns a response when its whole body has arrived, which every call waits for anyway. Cookies are neither sent
/// nor kept, and nothing is cached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FetchTransport;

impl Transport for FetchTransport {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        local(exchange(request))
    }
}

/// Aborts the exchange when this is dropped before the end or when the time is over.
struct CutOff {
    controller: AbortController,
    is_late: Rc<Cell<bool>>,
    _timeout: Option<Timeout>,
}

impl CutOff {
    fn new(deadline: Option<&Deadline>) -> Result<Self, TransportError> {
        let controller = AbortController::new().map_err(|error| failed(Other, &error))?;
        let is_late = Rc::new(Cell::new(false));
        let timeout = deadline.and_then(|Deadline(left)| {
            let (controller, is_late) = (controller.clone(), Rc::clone(&is_late));
            let over = move || {
                is_late.set(true);
                controller.abort();
            };
            // JavaScript has a longest time to wait.
            let milliseconds = u32::try_from(left.as_millis()).ok()?;
            (milliseconds <= i32::MAX as u32).then(|| Timeout::new(milliseconds, over))
        });
        Ok(Self {
            controller,
            is_late,
            _timeout: timeout,
        })
    }

    /// Converts the error to a timeout if the exchange was aborted by this timer.
    fn or_late(&self, error: TransportError) -> TransportError {
        match self.is_late.get() {
            true => TransportErrorKind::Timeout.into(),
            false => error,
        }
    }
}

impl Drop for CutOff {
    fn drop(&mut self) {
        self.controller.abort();
    }
}

async fn exchange(request: Request<Body>) -> Result<Response<Body>, TransportError> {
    let (parts, body) = request.into_parts();
    let body = body.collect(STREAM_LIMIT).await?;
    let cut_off = CutOff::new(parts.extensions.get())?;

    let init = RequestInit::new();
    init.set_method(parts.method.as_str());
    init.set_headers(headers_of(&parts.headers)?.as_ref());
    init.set_cache(RequestCache::NoStore);
    init.set_credentials(RequestCredentials::Omit);
    init.set_redirect(RequestRedirect::Manual);
    init.set_signal(Some(&cut_off.controller.signal()));
    if !body.is_empty() {
        init.set_body(&Uint8Array::from(&*body));
    }
    let answer = JsFuture::from(fetch(&parts.uri.to_string(), &init)).await;
    let answer: web_sys::Response = answer
        .map_err(|error| cut_off.or_late(no_answer(&error)))?
        .dyn_into()
        .map_err(|_| TransportError::new(Other, "fetch gave no Response"))?;
    if answer.type_() == web_sys::ResponseType::Opaqueredirect {
        return Err(TransportError::new(
            Other,
            "redirects are not followed; is the base URL right?",
        ));
    }
    let bytes = answer
        .array_buffer()
        .map_err(|error| failed(Interrupted, &error))?;
    let bytes = JsFuture::from(bytes).await;
    let bytes = bytes.map_err(|error| cut_off.or_late(failed(Interrupted, &error)))?;

    let status = StatusCode::from_u16(answer.status());
    let mut response = Response::new(Body::from(Uint8Array::new(&bytes).to_vec()));
    *response.status_mut() = status.map_err(|error| TransportError::new(Other, error))?;
    let headers = answer.headers();
    for name in &NAMES {
        if let Ok(Some(value)) = headers.get(name.as_str())
            && let Ok(value) = HeaderValue::try_from(match *name == header::RETRY_AFTER {
                true => seconds(value),
                false => value,
            })
        {
            response.headers_mut().insert(name, value);
        }
    }
    response
        .extensions_mut()
        .insert(AllHeaders(Arc::new(Fragile::new(headers))));
    Ok(response)
}

/// A `Retry-After` in seconds, also where it is a date.
fn seconds(value: String) -> String {
    match value.ends_with("GMT") {
        true => ((Date::parse(&value) - Date::now()) / 1000.0)
            .ceil()
            .max(0.0)
            .to_string(),
        false => value,
    }
}

fn headers_of(headers: &http::HeaderMap) -> Result<Headers, TransportError> {
    let copy = Headers::new().map_err(|error| failed(Other, &error))?;
    for (name, value) in headers {
        // The browser sends its own `User-Agent`; another one would need the permission of the service (CORS).
        if name == header::USER_AGENT {
            continue;
        }
        let value = value
            .to_str()
            .map_err(|error| TransportError::new(Invalid, error))?;
        let appended = copy.append(name.as_str(), value);
        appended.map_err(|error| failed(Invalid, &error))?;
    }
    Ok(copy)
}

fn failed(kind: TransportErrorKind, error: &JsValue) -> TransportError {
    TransportError::new(kind, text_of(error))
}

/// The error when there is no response. Browsers hide the reason; Node has a code for it.
fn no_answer(error: &JsValue) -> TransportError {
    let property = |object: &JsValue, name: &str| Reflect::get(object, &JsValue::from(name)).ok();
    let cause = property(error, "cause").unwrap_or_default();
    let code = property(&cause, "code").and_then(|code| code.as_string());
    match code.as_deref() {
        Some("ECONNREFUSED" | "ENOTFOUND" | "EAI_AGAIN") => {
            let text = text_of(&cause);
            let text = if text.is_empty() {
                code.unwrap_or_default()
            } else {
                text
            };
            TransportError::new(Connect, text).with_never_sent(true)
        }
        Some(code) => TransportError::new(Interrupted, format!("{} ({code})", text_of(error))),
        None => TransportError::new(
            Interrupted,
            format!(
                "{}; is the service running at that base URL, and is this one of its CORS origins?",
                text_of(error)
            ),
        ),
    }
}
