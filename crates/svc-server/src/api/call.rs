//! A call on the application host, once its credential is known to cover it.

use std::net::IpAddr;

use axum::extract::{ConnectInfo, FromRequest, FromRequestParts as _, Request};
use http::request::Parts;
use svc_model::{
    Paginated,
    wire::{Operation, ReadOperation},
};
use svc_store::Store;

use crate::{
    auth::account::{Account, account},
    http::{
        ApiError, ApiResponse, ApiResult, links,
        request::{Peer, path_values, read_operation},
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
    peer: IpAddr,
}

impl<O: ReadOperation> FromRequest<Shared> for Call<O> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &Shared) -> ApiResult<Self> {
        let (mut parts, body) = request.into_parts();
        let path = path_values(&mut parts).await?;
        let peer = ConnectInfo::<Peer>::from_request_parts(&mut parts, state).await;
        let ConnectInfo(Peer(peer)) =
            peer.map_err(|_| ApiError::Internal("a connection has no address".to_owned()))?;
        let account = account(state, &parts.headers).await?;
        account.check_operation(&O::INFO, &path)?;
        let limit = state.config.body_limit;
        Ok(Self {
            operation: read_operation(&parts, path, body, &state.config, limit).await?,
            store: state.store_for(account.actor(), &parts),
            account,
            parts,
            state: Shared::clone(state),
            peer,
        })
    }
}

impl<O: Operation> Call<O> {
    /// The envelope around a page of entries, of which there are `count` in all.
    pub(super) fn page_of<T>(
        &self,
        results: Vec<T>,
        count: u64,
        page: u64,
        per_page: u32,
    ) -> Paginated<T> {
        let (config, headers) = (&self.state.config, &self.parts.headers);
        let origin = links::origin(config, headers, self.peer);
        let uri = &self.parts.uri;
        let query = uri.query().unwrap_or_default();
        let link = |page: u64| {
            let query = links::page_query(query, ("page", &page.to_string()));
            format!("{origin}{}?{query}", uri.path())
        };
        let per_page = u64::from(per_page);
        let has_more = page.saturating_mul(per_page) < count;
        let mut envelope = Paginated::of_all(results);
        envelope.count = Some(count);
        envelope.next = has_more.then(|| link(page + 1));
        envelope.previous = (page > 1).then(|| link(page - 1));
        envelope.num_pages = Some(count.div_ceil(per_page));
        envelope.per_page = Some(per_page);
        envelope.has_more = Some(has_more);
        envelope
    }

    /// The answer of a page with its entity tag; to a read, 304 where the caller has it.
    pub(super) fn answer(&self, page: svc_store::Page) -> ApiResponse {
        let headers = self.parts.method.is_safe().then_some(&self.parts.headers);
        tagged_response(O::INFO.status, [page.json], &page.etag, headers)
    }
}
