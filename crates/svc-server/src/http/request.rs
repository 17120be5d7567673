//! What handlers read from a request.

use std::net::IpAddr;

use axum::{RequestPartsExt as _, body::Body, extract::RawPathParams};
use http::{HeaderMap, HeaderValue, header, request::Parts};
use svc_model::{
    Invalid, JsonObject,
    wire::{ReadOperation, ReceivedRequest},
};

use crate::{
    Config,
    http::{ApiError, ApiResult, body::read_object_within},
};

/// The name of a request in answers and logs, as an extension of the request.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(pub(crate) HeaderValue);

impl RequestId {
    /// The name of a request, as text.
    pub(crate) fn of(parts: &Parts) -> String {
        let id = parts.extensions.get::<Self>();
        let id = id.and_then(|Self(id)| id.to_str().ok());
        id.unwrap_or_default().to_owned()
    }
}

/// The address at the other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

pub(crate) fn not_utf8() -> ApiError {
    Invalid::general("the path is not UTF-8 once its percent escapes are undone").into()
}

/// The values of the names in the path, in their order, unescaped.
pub(crate) async fn path_values(parts: &mut Parts) -> ApiResult<Vec<String>> {
    let values = parts.extract::<RawPathParams>().await;
    let values = values.map_err(|_| not_utf8())?;
    Ok(values.iter().map(|(_, value)| value.to_owned()).collect())
}

/// The operation that a request asks for, whose body has at most `limit` bytes.
pub(crate) async fn read_operation<O: ReadOperation>(
    parts: &Parts,
    path: Vec<String>,
    body: Body,
    config: &Config,
    limit: usize,
) -> ApiResult<O> {
    let body = match O::HAS_BODY {
        true => read_object_within(&parts.headers, body, config, limit).await?,
        false => JsonObject::new(),
    };
    let query = parts.uri.query().unwrap_or_default();
    let request = ReceivedRequest::new(path, query, &parts.headers, body)?;
    Ok(O::from_request(request)?)
}

/// The `If-Match` header as text, where there is one. Several headers count as one list.
pub(crate) fn if_match(headers: &HeaderMap) -> ApiResult<Option<String>> {
    let mut tags = Vec::new();
    for value in headers.get_all(header::IF_MATCH) {
        tags.push(value.to_str().map_err(|_| {
            ApiError::Invalid(Invalid::field(
                "If-Match",
                "must be an entity tag as ETag gave it",
            ))
        })?);
    }
    Ok((!tags.is_empty()).then(|| tags.join(", ")))
}

/// Checks the query of an operation whose only parameter is `draft`.
pub(crate) fn check_draft(parts: &Parts) -> ApiResult<()> {
    let query = parts.uri.query().unwrap_or_default();
    Ok(ReceivedRequest::new([], query, &parts.headers, JsonObject::new())?.finish()?)
}
