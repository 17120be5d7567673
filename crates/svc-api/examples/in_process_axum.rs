//! An axum router in the same process, called as the service without a network: for tests of programs
//! that use the client, or for a server that calls itself.
#![allow(clippy::print_stdout)]

use std::error::Error;

use axum::{Json, Router, extract::Path, routing::get};
use serde_json::{Value, json};
use svc_api::{Client, tower::ServiceTransport};

async fn list(Path((project, _environment)): Path<(String, String)>) -> Json<Value> {
    let results = [json!({"id": 7, "project": project})];
    Json(json!({"count": 1, "next": null, "previous": null, "results": results}))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = "/projects/{project}/{environment}/shop/models/orders";
    let router: Router = Router::new().route(path, get(list));
    let client = Client::builder()
        .project("demo")
        .transport(ServiceTransport::new(router))
        .build()?;

    let page = client.records("shop", "orders").list().send().await?;
    assert_eq!(page.results[0]["project"], "demo");
    println!("order {} comes out of the router", page.results[0]["id"]);

    let missing = client.records("shop", "invoices").list().send().await;
    assert!(missing.is_err_and(|error| error.is_not_found()));
    Ok(())
}

#[cfg(test)]
#[test]
fn the_example_runs() {
    main().unwrap();
}
