//! Requests as the transports of this crate record them.

use std::fmt;

use bytes::Bytes;
use http::{Extensions, HeaderMap, Method, Request, Uri, header};
use svc_model::{
    Invalid, JsonObject,
    wire::{Body, Deadline, OperationInfo, ReadOperation, ReceivedRequest, TransportError},
};

use crate::path::values;

/// The maximum size of a request body in bytes.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// A request that a transport of this crate has received.
#[derive(Clone)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The method.
    pub method: Method,
    /// The absolute URI.
    pub uri: Uri,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
    /// The extensions.
    pub extensions: Extensions,
}

impl RecordedRequest {
    pub(crate) async fn record(request: Request<Body>) -> Result<Self, TransportError> {
        let (parts, body) = request.into_parts();
        Ok(Self {
            method: parts.method,
            uri: parts.uri,
            headers: parts.headers,
            body: body.collect(MAX_BODY).await?,
            extensions: parts.extensions,
        })
    }

    /// Reads the operation `O` from the request, as a service does.
    ///
    /// # Errors
    /// [`Invalid`] when method and path are not those of `O`, the body is not a JSON object although `O` has one, or a field or
    /// parameter is missing, of the wrong type or unknown.
    pub fn read<O: ReadOperation>(&self) -> Result<O, Invalid> {
        let info = O::INFO;
        let path = values(info.path_template, self.uri.path())
            .filter(|_| self.method == info.method)
            .ok_or_else(|| {
                let (method, path) = (&self.method, self.uri.path());
                Invalid::general(format!(
                    "{method} {path} is not {} {}",
                    info.method, info.path_template
                ))
            })?;
        let body = match O::HAS_BODY {
            true => serde_json::from_slice(&self.body)
                .map_err(|_| Invalid::general("the body is not a JSON object"))?,
            false => JsonObject::new(),
        };
        let query = self.uri.query().unwrap_or_default();
        O::from_request(ReceivedRequest::new(path, query, &self.headers, body)?)
    }

    /// The description of the operation, if the request was made from one.
    pub fn operation(&self) -> Option<&OperationInfo> {
        self.extensions.get()
    }

    /// The deadline of the call.
    pub fn deadline(&self) -> Option<Deadline> {
        self.extensions.get().copied()
    }
}

impl fmt::Debug for RecordedRequest {
    /// Hides credentials, and shows only the size of the body.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut headers = self.headers.clone();
        for name in [
            header::AUTHORIZATION,
            header::PROXY_AUTHORIZATION,
            header::COOKIE,
        ] {
            if let header::Entry::Occupied(mut values) = headers.entry(name) {
                values
                    .iter_mut()
                    .for_each(|value| value.set_sensitive(true));
            }
        }
        f.debug_struct("RecordedRequest")
            .field("method", &self.method)
            .field("uri", &self.uri)
            .field("headers", &headers)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish_non_exhaustive()
    }
}
