//! A call on the application host, once its credential is known to cover it.

use axum::extract::{FromRequest, Request};
use http::request::Parts;
use svc_model::wire::{Operation, ReadOperation};
use svc_store::Store;

use crate::{
    auth::credentials::{self, Account},
    http::{
        ApiError, ApiResponse, ApiResult,
        request::{path_values, read_operation},
        response::tagged_response,
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
        let account = credentials::account(state, &parts.headers).await?;
        account.check_operation(&O::INFO, &path)?;
        let limit = state.config.body_limit;
        Ok(Self {
            operation: read_operation(&parts, path, body, &state.config, limit).await?,
            store: state.store_for(account.actor(), &parts),
            account,
            parts,
            state: Shared::clone(state),
        })
    }
}

impl<O: Operation> Call<O> {
    /// The answer of a page with its entity tag; to a read, 304 where the caller has it.
    pub(super) fn answer(&self, page: svc_store::Page) -> ApiResponse {
        let headers = self.parts.method.is_safe().then_some(&self.parts.headers);
        tagged_response(O::INFO.status, [page.json], &page.etag, headers)
    }
}
