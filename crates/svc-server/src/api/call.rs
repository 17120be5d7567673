//! A call on the application host, once its credential is known to cover it.

use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use http::{header, request::Parts};
use serde::Serialize;
use svc_model::{
    Invalid,
    wire::{Operation, OperationInfo, ReadOperation},
};
use svc_store::Store;

use crate::{
    auth::account::{Account, account},
    http::{
        ApiError, ApiResponse, ApiResult,
        request::{if_match, path_values, read_operation},
        response::{etag_of, tagged_response},
    },
    state::Shared,
};

/// A call by an account that has the level of the operation.
pub(super) struct Call<O> {
    pub(super) operation: O,
    pub(super) account: Account,
    /// The store, which writes in the name of the caller.
    pub(super) store: Store,
    pub(super) parts: Parts,
    pub(super) state: Shared,
}

impl<O: ReadOperation> FromRequest<Shared> for Call<O> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &Shared) -> ApiResult<Self> {
        let (mut parts, body) = request.into_parts();
        let path = path_values(&mut parts).await?;
        let account = account(state, &parts.headers).await?;
        account.check_operation(&O::INFO, &path)?;
        let limit = state.config.body_limit;
        let operation = read_operation(&parts, path, body, &state.config, limit).await?;
        check_if_match(&O::INFO, &parts)?;
        Ok(Self {
            operation,
            store: state.store_for(account.actor(), &parts),
            account,
            parts,
            state: Shared::clone(state),
        })
    }
}

/// The entity tag of what is written as JSON.
pub(super) fn etag_of_json<T: Serialize>(value: &T) -> ApiResult<String> {
    Ok(etag_of(&to_json(value)?))
}

fn to_json<T: Serialize>(value: &T) -> ApiResult<Bytes> {
    let json = serde_json::to_vec(value).map(Bytes::from);
    json.map_err(|error| ApiError::Internal(error.to_string()))
}

/// Refuses an entity tag to a call that changes nothing which has one: it would hold to a condition that nobody checks.
fn check_if_match(info: &OperationInfo, parts: &Parts) -> ApiResult<()> {
    let mut known = info.parameters.iter().copied().flatten();
    if parts.method.is_safe() || known.any(|name| *name == header::IF_MATCH.as_str()) {
        return Ok(());
    }
    match if_match(&parts.headers)?.as_deref().map(str::trim) {
        None | Some("*") => Ok(()),
        Some(_) => Err(Invalid::general(
            "what this call changes has no entity tag; send If-Match: *, or leave it out",
        )
        .into()),
    }
}

impl<O: Operation> Call<O> {
    /// An answer of JSON with its entity tag; to a read, 304 where the caller has it.
    pub(super) fn answer_tagged<T: Serialize>(&self, value: &T) -> ApiResult {
        let headers = self.parts.method.is_safe().then_some(&self.parts.headers);
        let body = to_json(value)?;
        let etag = etag_of(&body);
        Ok(tagged_response(O::INFO.status, [body], &etag, headers))
    }

    /// The answer of a page with its entity tag; to a read, 304 where the caller has it.
    pub(super) fn answer(&self, page: svc_store::Page) -> ApiResponse {
        let headers = self.parts.method.is_safe().then_some(&self.parts.headers);
        tagged_response(O::INFO.status, [page.json], &page.etag, headers)
    }
}
