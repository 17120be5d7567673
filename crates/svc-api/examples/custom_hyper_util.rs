//! The client over the pooled client of hyper-util, with a connector of one's own.
//!
//! It reads `SVC_PROJECT`, `SVC_API_BASE_URL` and, for the resource `shop`, `SVC_API_TOKEN`.
#![allow(clippy::print_stdout)]

use std::{env, error::Error};

use hyper_util::client::legacy::{self, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use svc_api::wire::{Body, BoxFuture, TransportError, TransportErrorKind as Kind, with_deadline};
use svc_api::{ApiToken, Client, SystemTimer, wire};

#[derive(Debug)]
struct Transport(legacy::Client<HttpConnector, Body>);

impl wire::Transport for Transport {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        Box::pin(async move {
            if request.uri().scheme_str() != Some("http") {
                return Err(Kind::Invalid.into());
            }
            let deadline = request.extensions().get().copied();
            let timer = SystemTimer::new();
            let exchange = async { self.0.request(request).await.map_err(failed) };
            with_deadline(&timer, deadline, exchange).await
        })
    }
}

fn failed(error: legacy::Error) -> TransportError {
    match error.is_connect() {
        true => TransportError::new(Kind::Connect, error),
        false => TransportError::from_source(error).or_kind(Kind::Interrupted),
    }
}

fn transport() -> Result<Transport, Box<dyn Error>> {
    let mut builder = legacy::Client::builder(TokioExecutor::new());
    Ok(Transport(
        builder.retry_canceled_requests(false).build_http(),
    ))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::builder()
        .env(env::vars())
        .token_for("shop", ApiToken::new(env::var("SVC_API_TOKEN")?)?)
        .transport(transport()?)
        .build()?;
    let page = client.records("shop", "customers").list().send().await?;
    println!("{} of {:?} customers", page.results.len(), page.count);
    Ok(())
}

#[cfg(test)]
#[tokio::test]
async fn the_transport_conforms_to_the_contract() {
    use svc_testing::conformance::Rule;

    // None.
    let cannot: &[Rule] = &[];
    let transport = transport().unwrap();
    for rule in Rule::ALL.iter().filter(|rule| !cannot.contains(rule)) {
        rule.check(&transport).await.unwrap();
    }
}
