//! What a call fails with, as JavaScript gets it: `core.js` makes a `SvcRequestError` of it.

use std::collections::BTreeMap;

use serde::Serialize;
use svc_api::ErrorKind;
use svc_model::wire::RequestError;
use wasm_bindgen::{JsCast, JsValue};

/// A failure on its way to JavaScript.
#[derive(Debug)]
pub(crate) enum Failed {
    /// That of a call.
    Call(Box<svc_api::Error>),
    /// That of something before it.
    Before { kind: ErrorKind, message: String },
    /// The reason of an `AbortSignal`, which is given on as it is.
    Aborted(JsValue),
}

/// An option that cannot be used.
pub(crate) fn options(message: impl Into<String>) -> Failed {
    Failed::Before {
        kind: ErrorKind::Options,
        message: message.into(),
    }
}

/// An argument that cannot be used.
pub(crate) fn request(message: impl Into<String>) -> Failed {
    Failed::Before {
        kind: ErrorKind::Request,
        message: message.into(),
    }
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

/// The properties of a `SvcRequestError`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties<'a> {
    message: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
    general_errors: &'a [String],
    field_errors: BTreeMap<&'a str, &'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

impl Failed {
    /// A text with the properties as JSON, or the reason of the signal.
    pub(crate) fn into_js(self) -> JsValue {
        let text = match &self {
            Self::Call(error) => serde_json::to_string(&Properties {
                message: error.to_string(),
                kind: word(error.kind()),
                status: error.status().map(|status| status.as_u16()),
                request_id: error.request_id(),
                general_errors: error.general_errors(),
                field_errors: error
                    .field_errors()
                    .iter()
                    .map(|(field, messages)| (field.as_str(), messages.as_slice()))
                    .collect(),
                body: error
                    .body()
                    .map(|body| String::from_utf8_lossy(body).into_owned()),
            }),
            Self::Before { kind, message } => serde_json::to_string(&Properties {
                message: message.clone(),
                kind: word(*kind),
                status: None,
                request_id: None,
                general_errors: &[],
                field_errors: BTreeMap::new(),
                body: None,
            }),
            Self::Aborted(reason) => return reason.clone(),
        };
        // Texts and numbers can always be written.
        JsValue::from(text.unwrap_or_default())
    }
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

/// What an error of JavaScript says.
pub(crate) fn text_of(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error
            .as_string()
            .unwrap_or_else(|| "an unknown error".to_owned()),
    }
}
