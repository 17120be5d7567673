//! The client over ureq, whose calls block: each has a thread of its own.
//!
//! It reads `SVC_PROJECT`, `SVC_API_BASE_URL` and, for the resource `shop`, `SVC_API_TOKEN`.
#![allow(clippy::print_stdout)]

use std::{env, error::Error, thread};

use futures_channel::oneshot;
use svc_api::wire::{Body, BoxFuture, Deadline, TransportError, TransportErrorKind as Kind};
use svc_api::{ApiToken, Client, wire};

#[derive(Debug)]
struct Transport(ureq::Agent);

impl wire::Transport for Transport {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let agent = self.0.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let request =
                http::Request::from_parts(parts, body.collect(usize::MAX).await?.to_vec());
            let (sender, response) = oneshot::channel();
            thread::spawn(move || drop(sender.send(exchange(&agent, request).map_err(failed))));
            response
                .await
                .map_err(|error| TransportError::new(Kind::Other, error))?
        })
    }
}

fn exchange(
    agent: &ureq::Agent,
    request: http::Request<Vec<u8>>,
) -> Result<http::Response<Body>, ureq::Error> {
    let deadline = request.extensions().get().map(|Deadline(left)| *left);
    let request = agent
        .configure_request(request)
        .timeout_global(deadline)
        .build();
    let (parts, mut body) = agent.run(request)?.into_parts();
    let body = body.with_config().limit(u64::MAX).read_to_vec()?;
    Ok(http::Response::from_parts(parts, body.into()))
}

fn failed(error: ureq::Error) -> TransportError {
    let kind = match &error {
        ureq::Error::ConnectionFailed | ureq::Error::HostNotFound => Kind::Connect,
        ureq::Error::Timeout(_) => Kind::Timeout,
        ureq::Error::BadUri(_) => Kind::Invalid,
        ureq::Error::Io(_) => return TransportError::from_source(error.into_io()),
        _ => Kind::Interrupted,
    };
    TransportError::new(kind, error)
}

fn transport() -> Result<Transport, Box<dyn Error>> {
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    let config = config.max_redirects(0).max_redirects_will_error(false);
    Ok(Transport(config.build().into()))
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

    // A call that blocks returns when the response is whole, and cannot be ended from outside.
    let cannot: &[Rule] = &[
        Rule::ResponseStreams,
        Rule::DeadlineHoldsForTheBody,
        Rule::DroppedCallHangsUp,
        Rule::DroppedBodyHangsUp,
    ];
    let transport = transport().unwrap();
    for rule in Rule::ALL.iter().filter(|rule| !cannot.contains(rule)) {
        rule.check(&transport).await.unwrap();
    }
}
