//! What comes before every handler: its route is counted, and so is the caller where rates are limited.

use std::sync::{Arc, atomic::Ordering};

use axum::{
    extract::{ConnectInfo, Request},
    handler::Handler,
    response::{IntoResponse as _, Response},
};
use futures_util::future::{BoxFuture, Either};

use crate::{
    auth::{bearer::bearer, rate_limit::Nodes, throttle::caller},
    http::request::Peer,
    metrics::requests::Route,
    state::Shared,
};

/// A handler of a route.
#[derive(Clone, Debug)]
pub(crate) struct Routed<H> {
    handler: H,
    route: Arc<Route>,
    /// Whether its requests count for no rate limit.
    is_free: bool,
}

impl<H> Routed<H> {
    /// A handler of the route with this pattern.
    pub(crate) fn new(pattern: &str, handler: H) -> Self {
        Self {
            handler,
            route: Route::new(pattern),
            is_free: false,
        }
    }

    /// A handler of a file or a sign of life.
    pub(super) fn free(pattern: &str, handler: H) -> Self {
        Self {
            is_free: true,
            ..Self::new(pattern, handler)
        }
    }
}

impl<H: Handler<T, Shared>, T: 'static> Handler<T, Shared> for Routed<H> {
    /// Without rate limits it takes nothing but the handler.
    type Future = Either<H::Future, BoxFuture<'static, Response>>;

    fn call(self, request: Request, state: Shared) -> Self::Future {
        let Self {
            handler,
            route,
            is_free,
        } = self;
        route.enter();
        if is_free || state.rate_limits.is_none() {
            return Either::Left(handler.call(request, state));
        }
        let answer: Answer = Box::new(|request, state| Box::pin(handler.call(request, state)));
        Either::Right(Box::pin(limited(answer, request, state)))
    }
}

/// What answers a request.
type Answer = Box<dyn FnOnce(Request, Shared) -> BoxFuture<'static, Response> + Send>;

/// Answers a request that counts, unless it is one too many.
async fn limited(answer: Answer, request: Request, state: Shared) -> Response {
    let peer = request.extensions().get::<ConnectInfo<Peer>>();
    let peer = peer.map(|ConnectInfo(Peer(address))| *address);
    let standing = match &state.rate_limits {
        Some(limits) => {
            let headers = request.headers();
            let address = peer.map(|peer| caller(&state.config, headers, peer));
            let nodes = Nodes {
                count: state.nodes.count(),
                hear: state.store.nodes().hears(),
            };
            limits.count(bearer(&state, headers).await, address, nodes)
        }
        None => None,
    };
    let Some(standing) = standing else {
        return answer(request, state).await;
    };
    let mut response = match standing.check() {
        Ok(()) => answer(request, Shared::clone(&state)).await,
        Err(refused) => {
            state.metrics.rate_limited.fetch_add(1, Ordering::Relaxed);
            refused.into_response()
        }
    };
    standing.write(response.headers_mut());
    response
}
