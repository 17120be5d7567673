//! Reads and changes records of the demo shop with types that `svc generate rust` has written, so that the names of fields are
//! checked when the program is compiled.
//!
//! `svc demo` prints the values of the variables: `SVC_PROJECT`, `SVC_API_BASE_URL` and, for the resource `shop`,
//! `SVC_API_TOKEN`.
#![allow(clippy::print_stdout)]

mod models;

use std::{env, error::Error};

use svc_api::{ApiToken, Client, Lookup};

use self::models::shop::{
    self, Customers, CustomersCreate, CustomersUpdate, Orders, OrdersFields, OrdersRelations,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::builder()
        .env(env::vars())
        .token_for(shop::RESOURCE, ApiToken::new(env::var("SVC_API_TOKEN")?)?)
        .build()?;

    let orders = client
        .records(shop::RESOURCE, Orders::MODEL)
        .typed::<Orders>();
    let paid = orders
        .list()
        .filter(OrdersFields::STATUS, Lookup::Exact, "paid")
        .order_by("-total")
        .per_page(5)
        .send()
        .await?;
    for order in paid.results {
        println!("order {} has the total {}", order.id, order.total);
    }
    println!("orders have {}", OrdersRelations::CUSTOMER);

    let customers = client
        .records(shop::RESOURCE, Customers::MODEL)
        .typed::<Customers>();
    let [name, email, country] = ["Ada", "ada@example.org", "GB"].map(str::to_owned);
    let new = CustomersCreate {
        phone: Some(Some("+44 20 7946 0000".to_owned())),
        ..CustomersCreate::new(name, email, country)
    };
    let customer = customers.create(&new).send().await?;
    let changes = CustomersUpdate {
        phone: Some(None),
        ..CustomersUpdate::default()
    };
    let customer = customers.update(customer.id, &changes).send().await?;
    println!(
        "customer {} has the phone {:?}",
        customer.id, customer.phone
    );
    customers.delete(customer.id).send().await?;
    Ok(())
}
