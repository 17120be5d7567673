//! The client over reqwest, in place of the built-in transport.
//!
//! It reads `SVC_PROJECT`, `SVC_API_BASE_URL` and, for the resource `shop`, `SVC_API_TOKEN`.
#![allow(clippy::print_stdout)]

use std::{env, error::Error};

use svc_api::{
    ApiToken, Client,
    wire::{Body, BoxFuture, Deadline, Transport, TransportError, TransportErrorKind},
};

#[derive(Debug)]
struct ReqwestTransport(reqwest::Client);

impl Transport for ReqwestTransport {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let deadline = parts.extensions.get().map(|Deadline(left)| *left);
            let request = http::Request::from_parts(parts, body.collect(usize::MAX).await?);
            let mut request = reqwest::Request::try_from(request)
                .map_err(|error| TransportError::new(TransportErrorKind::Invalid, error))?;
            *request.timeout_mut() = deadline;
            let response = self.0.execute(request).await.map_err(transport_error)?;
            Ok(http::Response::from(response).map(Body::stream))
        })
    }
}

fn transport_error(error: reqwest::Error) -> TransportError {
    let kind = match &error {
        error if error.is_connect() => TransportErrorKind::Connect,
        error if error.is_timeout() => TransportErrorKind::Timeout,
        error if error.is_request() => TransportErrorKind::Interrupted,
        _ => TransportErrorKind::Other,
    };
    TransportError::new(kind, error)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let redirects = reqwest::redirect::Policy::none();
    let reqwest = reqwest::Client::builder().redirect(redirects).build()?;
    let client = Client::builder()
        .env(env::vars())
        .token_for("shop", &ApiToken::new(env::var("SVC_API_TOKEN")?)?)
        .transport(ReqwestTransport(reqwest))
        .build()?;
    let page = client.records("shop", "customers").list().send().await?;
    println!("{} of {:?} customers", page.results.len(), page.count);
    Ok(())
}

#[cfg(test)]
#[tokio::test]
async fn the_transport_keeps_the_contract() {
    let redirects = reqwest::redirect::Policy::none();
    let reqwest = reqwest::Client::builder().redirect(redirects).build();
    let transport = ReqwestTransport(reqwest.unwrap());
    svc_api::wire::conformance::check(&transport).await.unwrap();
}
