//! Errors of calls for JavaScript: `core.js` converts them to a `SvcRequestError`.

use std::error::Error as StdError;

use js_sys::{Array, Object, Reflect};
use svc_api::ErrorKind;
use svc_model::wire::RequestError;
use wasm_bindgen::{JsCast, JsValue};

/// A failure that will be converted for JavaScript.
#[derive(Debug)]
pub(crate) enum Failed {
    /// The failure of a call.
    Call(Box<svc_api::Error>),
    /// A failure before a call.
    Before(ErrorKind, String),
    /// An abort by the caller's signal, whose reason JavaScript knows.
    Aborted,
}

/// The failure for an invalid argument.
pub(crate) fn request(message: impl Into<String>) -> Failed {
    Failed::Before(ErrorKind::Request, message.into())
}

impl From<svc_api::Error> for Failed {
    fn from(error: svc_api::Error) -> Self {
        Self::Call(Box::new(error))
    }
}

impl From<RequestError> for Failed {
    fn from(error: RequestError) -> Self {
        request(error.to_string())
    }
}

impl Failed {
    /// The same failure for an option of the client instead of an argument of a call.
    pub(crate) fn of_options(self) -> Self {
        match self {
            Self::Before(_, message) => Self::Before(ErrorKind::Options, message),
            other => other,
        }
    }

    /// An object with the properties of a `SvcRequestError`.
    pub(crate) fn into_js(self) -> JsValue {
        let error = Object::new();
        let set = |name: &str, value: JsValue| {
            // Setting a property of a new object cannot fail.
            let _ = Reflect::set(&error, &JsValue::from(name), &value);
        };
        match self {
            Self::Aborted => return JsValue::UNDEFINED,
            Self::Before(kind, message) => {
                set("message", message.into());
                set("kind", word(kind).into());
            }
            Self::Call(error) => {
                set("message", with_causes(&*error).into());
                set("kind", word(error.kind()).into());
                if let Some(status) = error.status() {
                    set("status", status.as_u16().into());
                }
                if let Some(id) = error.request_id() {
                    set("requestId", id.into());
                }
                if let Some(body) = error.body() {
                    set("body", String::from_utf8_lossy(body).as_ref().into());
                }
                set("generalErrors", texts(error.general_errors()));
                let fields = error.field_errors().iter();
                let fields = fields
                    .map(|(field, messages)| Array::of2(&JsValue::from(field), &texts(messages)));
                set("fieldErrors", fields.collect::<Array>().into());
            }
        }
        error.unchecked_into()
    }
}

/// The messages of an error and its causes: JavaScript has no other way to see the causes.
fn with_causes(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

fn texts(texts: &[String]) -> JsValue {
    texts.iter().map(JsValue::from).collect::<Array>().into()
}

fn word(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Status => "status",
        ErrorKind::Decode => "decode",
        ErrorKind::Request => "request",
        ErrorKind::Auth => "auth",
        ErrorKind::Store => "store",
        ErrorKind::Options => "options",
        _ => "transport",
    }
}

/// The message of a JavaScript error.
pub(crate) fn text_of(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error
            .as_string()
            .unwrap_or_else(|| "an unknown error".to_owned()),
    }
}
