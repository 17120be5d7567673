//! Reads the orders of the demo shop, and creates and publishes a page for them.
//!
//! `svc demo` prints the values of the variables: `SVC_PROJECT`, `SVC_API_BASE_URL`,
//! `SVC_APP_BASE_URL`, `SVC_API_KEY` and, for the resource `shop`, `SVC_API_TOKEN`.
#![allow(clippy::print_stdout)]

use std::{env, error::Error};

use serde::Deserialize;
use svc_api::{ApiKey, ApiToken, Client, Lookup, UpdatePageSettings};

#[derive(Deserialize)]
struct Order {
    id: i64,
    status: String,
    /// Exact decimals are texts.
    total: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::builder()
        .env(env::vars())
        .api_key(ApiKey::new(env::var("SVC_API_KEY")?)?)
        .token_for("shop", ApiToken::new(env::var("SVC_API_TOKEN")?)?)
        .build()?;

    let paid = client
        .records("shop", "orders")
        .typed::<Order>()
        .list()
        .filter("status", Lookup::Exact, "paid");
    let page = paid.order_by("-total").per_page(5).send().await?;
    println!("{:?} orders are paid, the largest are", page.count);
    for order in page.results {
        println!("  {} {} {}", order.id, order.status, order.total);
    }

    let pages = client.pages();
    let page = pages.create(&serde_json::json!({"name": "Paid orders"}));
    let uid = page.send().await?.uid().ok_or("the page has no uid")?;
    let params = serde_json::json!({"columns": ["id", "total"]});
    let update = UpdatePageSettings::params(&params);
    let page = pages.update(&uid, update).send().await?;
    println!("page {uid} shows {:?}", page.params());
    pages.delete(&uid).send().await?;
    Ok(())
}
