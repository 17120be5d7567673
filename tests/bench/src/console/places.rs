//! The places that are looked at, and what is in them.

use http::{HeaderValue, Method};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::dataset::{Database, ORDERS};
use crate::load::{self, Exact};
use crate::service::Service;
use crate::{Error, accounts};

/// The table with as many columns as a first view shows, and how many rows it has.
const TWELVE: &str = "twelve";
const ROWS: u32 = 1_000;
/// How many pages, users and changes of a record there are.
const SOME: usize = 25;

/// A place of the console.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub name: &'static str,
    /// Its path, with the name of the database in place of `{database}` and a random key in place of `{id}`.
    path: &'static str,
    /// It is the page after the one at this path.
    pub is_next: bool,
    pub is_first_view: bool,
}

const fn place(name: &'static str, path: &'static str) -> Place {
    Place {
        name,
        path,
        is_next: false,
        is_first_view: false,
    }
}

/// The places whose work does not depend on a table.
pub const OF_ENVIRONMENT: &[Place] = &[
    place("projects", "/console/projects/"),
    place("environment", "/console/projects/main/prod/"),
    place("dashboard", "/console/projects/main/prod/dashboard/"),
    place("pages", "/console/projects/main/prod/pages/"),
    place("users", "/console/projects/main/prod/users/"),
    place(
        "rights",
        "/console/projects/main/prod/rights/?resource={database}",
    ),
    place("audit trail", "/console/projects/main/prod/audit/"),
    place("find", "/console/projects/main/prod/find/?q=ord"),
];

/// The places about a database or a table.
pub const OF_TABLE: &[Place] = &[
    place(
        "database",
        "/console/projects/main/prod/resources/{database}/",
    ),
    place("models", "/console/projects/main/prod/records/{database}/"),
    Place::first_view(),
    place(
        "records, one status, newest first",
        "/console/projects/main/prod/records/{database}/orders/?status=paid&_order_by=-created_at",
    ),
    Place {
        is_next: true,
        ..place(
            "records, next page",
            "/console/projects/main/prod/records/{database}/orders/",
        )
    },
    Place {
        is_first_view: true,
        ..place(
            "records of 12 columns",
            "/console/projects/main/prod/records/{database}/twelve/",
        )
    },
    place(
        "record",
        "/console/projects/main/prod/records/{database}/orders/record/{id}/",
    ),
    place(
        "history of a record",
        "/console/projects/main/prod/records/{database}/orders/record/1/history/",
    ),
    place(
        "SQL, 100 rows",
        "/console/projects/main/prod/sql/{database}/?query=SELECT+*+FROM+orders+ORDER+BY+id+LIMIT+100&run=1",
    ),
    place(
        "chart of a customer's orders",
        "/console/projects/main/prod/charts/model/{database}/orders/?_y_func=count&_x_column=status&customer_id=7",
    ),
];

impl Place {
    /// The records of a model, as one comes to them.
    pub const fn first_view() -> Self {
        Self {
            is_first_view: true,
            ..place(
                "records, first view",
                "/console/projects/main/prod/records/{database}/orders/",
            )
        }
    }

    /// Its path for a database.
    pub fn path(&self, database: &str) -> String {
        self.path.replace("{database}", database)
    }
}

/// Adds the table with twelve columns.
pub fn add_table(database: &Database) -> Result<(), Error> {
    let script = |instant: &str| {
        format!(
            "CREATE TABLE {TWELVE} (
               id INTEGER PRIMARY KEY,
               customer_id INTEGER NOT NULL REFERENCES customers (id),
               status TEXT NOT NULL,
               amount NUMERIC(12, 2) NOT NULL,
               created_at {instant} NOT NULL,
               note TEXT,
               name TEXT,
               email TEXT,
               country TEXT,
               customer_since {instant},
               discount NUMERIC(12, 2),
               remark TEXT
             );
             INSERT INTO {TWELVE}
               SELECT orders.id, customer_id, status, amount, orders.created_at, note, name, email, country,
                 customers.created_at, amount, note
               FROM orders JOIN customers ON customers.id = customer_id
               WHERE orders.id <= {ROWS};"
        )
    };
    match database.file() {
        Some(file) => Connection::open(file)?.execute_batch(&script("DATETIME"))?,
        None => postgres::Client::connect(&database.url, postgres::NoTls)?
            .batch_execute(&script("TIMESTAMP"))?,
    }
    Ok(())
}

/// Makes pages, users, and a record with a history.
pub fn fill(service: &Service, databases: &[Database]) -> Result<(), Error> {
    let key = HeaderValue::try_from(format!("Bearer {}", service.add_key()?))?;
    let below = |path: &str| format!("/api{}", service.path(path));
    for number in 0..SOME {
        let page = json!({ "name": format!("Page {number}"), "params": "{}" });
        send(service, Method::POST, below("/view_settings/"), &page, &key)?;
        let user = json!({
            "email": format!("user{number}@example.com"),
            "team": "Editor",
            "password": "a password for the bench",
        });
        send(service, Method::POST, below("/users/"), &user, &key)?;
    }
    for database in databases {
        let token = service.token(database).ok_or("the resource has no token")?;
        let record = service.path(&format!("/{}/models/{ORDERS}/1/", database.name));
        for number in 0..SOME {
            let change = json!({ "note": format!("note {number}") });
            send(service, Method::PATCH, record.clone(), &change, &token)?;
        }
    }
    Ok(())
}

fn send(
    service: &Service,
    method: Method,
    path: String,
    body: &Value,
    authorization: &HeaderValue,
) -> Result<(), Error> {
    let call = Exact::new(method, path, body).authorized(authorization.clone());
    accounts::runtime()?.block_on(load::exactly(service.address(), &call))?;
    Ok(())
}
