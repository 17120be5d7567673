//! The built-in transport with layers of tower around it: a span of tracing for each request, one more try where the
//! connection failed, a time limit, and at most four requests at once.
//!
//! It reads `SVC_PROJECT`, `SVC_API_BASE_URL` and, for the resource `shop`, `SVC_API_TOKEN`.
#![allow(clippy::print_stdout)]

use std::{env, error::Error, future, time::Duration};

use svc_api::{
    ApiToken, Client,
    tower::{ServiceTransport, TransportService},
    transport::HyperTransport,
    wire::{Body, BoxError, Transport, TransportError, TransportErrorKind as Kind},
};
use tower::{ServiceBuilder, retry, timeout::error::Elapsed, util::BoxCloneService};
use tower_http::trace::TraceLayer;

type Response = http::Response<Body>;

/// Tries a request again that was not sent, this often.
#[derive(Clone)]
struct Again(u32);

impl retry::Policy<http::Request<Body>, Response, BoxError> for Again {
    type Future = future::Ready<()>;

    fn retry(
        &mut self,
        _: &mut http::Request<Body>,
        result: &mut Result<Response, BoxError>,
    ) -> Option<Self::Future> {
        let error = result.as_ref().err()?.downcast_ref::<TransportError>()?;
        let is_left = error.kind() == Kind::Connect && self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        is_left.then(|| future::ready(()))
    }

    fn clone_request(&mut self, request: &http::Request<Body>) -> Option<http::Request<Body>> {
        let body = request.body().try_clone()?;
        let mut copy = http::Request::new(body);
        *copy.method_mut() = request.method().clone();
        *copy.uri_mut() = request.uri().clone();
        *copy.headers_mut() = request.headers().clone();
        *copy.extensions_mut() = request.extensions().clone();
        Some(copy)
    }
}

fn transport(below: impl Transport) -> impl Transport {
    let service = ServiceBuilder::new()
        .layer(TraceLayer::new_for_http())
        .retry(Again(1))
        .timeout(Duration::from_secs(60))
        .concurrency_limit(4)
        .service(TransportService::new(below));
    ServiceTransport::new(BoxCloneService::new(service)).map_err(|error| {
        match error.is::<Elapsed>() {
            true => TransportError::new(Kind::Timeout, error),
            false => TransportError::from_source(error),
        }
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::builder()
        .env(env::vars())
        .token_for("shop", ApiToken::new(env::var("SVC_API_TOKEN")?)?)
        .transport(transport(HyperTransport::builder().build()?))
        .build()?;

    let products = client.records("shop", "products").list();
    let mut products = products.per_page(200).by_item();
    let mut count = 0;
    while products.try_next().await?.is_some() {
        count += 1;
    }
    println!("{count} products");
    Ok(())
}

#[cfg(test)]
#[tokio::test]
async fn the_transport_conforms_to_the_contract() {
    let hyper = HyperTransport::builder().build().unwrap();
    svc_testing::conformance::check(&transport(hyper))
        .await
        .unwrap();
}
