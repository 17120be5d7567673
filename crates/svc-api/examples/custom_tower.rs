//! The built-in transport with tower layers around it: at most four requests at a time, and a line of
//! output for each of them.
//!
//! It reads `SVC_PROJECT`, `SVC_API_BASE_URL` and, for the resource `shop`, `SVC_API_TOKEN`.
#![allow(clippy::print_stdout)]

use std::{env, error::Error};

use svc_api::{
    ApiToken, Client,
    tower::{ServiceTransport, TransportService},
    transport::{HyperTransport, TokioTimer},
    wire::{Body, OperationInfo},
};
use tower::ServiceBuilder;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let service = ServiceBuilder::new()
        .concurrency_limit(4)
        .map_request(|request: http::Request<Body>| {
            if let Some(operation) = request.extensions().get::<OperationInfo>() {
                println!("{}: {}", operation.name, request.uri());
            }
            request
        })
        .service(TransportService::new(HyperTransport::builder().build()?));
    let client = Client::builder()
        .env(env::vars())
        .token_for("shop", ApiToken::new(env::var("SVC_API_TOKEN")?)?)
        .transport(ServiceTransport::new(service))
        .timer(TokioTimer::new())
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
