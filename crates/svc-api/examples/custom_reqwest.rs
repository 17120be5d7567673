//! The client over reqwest, in place of the built-in transport.
//!
//! It reads `SVC_PROJECT`, `SVC_API_BASE_URL` and, for the resource `shop`, `SVC_API_TOKEN`.
#![allow(clippy::print_stdout)]

use std::{env, error::Error};

use http_body_util::BodyExt;
use reqwest::{Body as ReqwestBody, Client as ReqwestClient, redirect};
use svc_api::wire::{Body, BoxFuture, Deadline, TransportError, TransportErrorKind as Kind};
use svc_api::{ApiToken, Client, wire};

#[derive(Debug)]
struct Transport(ReqwestClient);

impl wire::Transport for Transport {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        Box::pin(async move {
            let deadline = request.extensions().get().map(|Deadline(left)| *left);
            let mut request = request.map(ReqwestBody::wrap).try_into().map_err(failed)?;
            *reqwest::Request::timeout_mut(&mut request) = deadline;
            let response = self.0.execute(request).await.map_err(failed)?;
            Ok(http::Response::from(response).map(|body| Body::stream(body.map_err(failed))))
        })
    }
}

fn failed(error: reqwest::Error) -> TransportError {
    let kind = match &error {
        error if error.is_connect() => Kind::Connect,
        error if error.is_timeout() => Kind::Timeout,
        error if error.is_builder() => Kind::Invalid,
        _ => return TransportError::from_source(error).or_kind(Kind::Interrupted),
    };
    TransportError::new(kind, error)
}

fn transport() -> Result<Transport, Box<dyn Error>> {
    let client = ReqwestClient::builder().redirect(redirect::Policy::none());
    Ok(Transport(client.build()?))
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

    // reqwest escapes a `'` in a query; the client has escaped it already.
    let cannot: &[Rule] = &[Rule::RequestArrivesUnchanged];
    let transport = transport().unwrap();
    for rule in Rule::ALL.iter().filter(|rule| !cannot.contains(rule)) {
        rule.check(&transport).await.unwrap();
    }
}
