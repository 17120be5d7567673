//! Requests to a large table beside the same ones to a small one, by turns: what a request costs should not depend on
//! how many records there are.

use std::path::Path;

use http::Method;
use serde_json::Value;

use crate::cases;
use crate::databases::Databases;
use crate::dataset::{Database, ORDERS};
use crate::load::{self, Exact, Load};
use crate::report::{self, Goals};
use crate::service::Service;
use crate::{Error, accounts};

/// How often each table is measured, by turns, since the speed of a shared machine changes.
const ROUNDS: usize = 5;
/// The CPU time of a request to the large table, as a multiple of one to the small table.
const GOAL: f64 = 1.2;
const PER_PAGE: u32 = 25;

/// A kind of request.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The first page, uncounted.
    First,
    /// The page after the one in the middle of the table, by the `next` link of that one.
    Next,
    /// The page before the one in the middle of the table, by the `previous` link of that one.
    Previous,
    /// A record by a random key.
    Retrieve,
}

impl Kind {
    const ALL: [Self; 4] = [Self::First, Self::Next, Self::Previous, Self::Retrieve];

    fn name(self) -> &'static str {
        match self {
            Self::First => "first page",
            Self::Next => "`next` page in the middle",
            Self::Previous => "`previous` page in the middle",
            Self::Retrieve => "retrieve",
        }
    }
}

/// Runs the measurements, and returns their table.
pub fn measure(folder: &Path, databases: &mut Databases, load: &Load) -> Result<String, Error> {
    let folder = folder.join("sizes");
    let small = databases.fresh("small")?;
    let large = databases.large()?;
    let (orders, rows) = (load.orders, databases.rows());
    let load = Load {
        // There are many rounds of both.
        measured: load.measured / 3,
        warm_up: load.warm_up / 3,
        ..*load
    };
    let mut goals = Goals::new();
    for (small, large) in small.iter().zip(&large) {
        let folder = folder.join(small.name);
        std::fs::create_dir_all(&folder)?;
        let service = Service::start(&folder, &[small.clone(), large.clone()])?;
        for kind in Kind::ALL {
            eprintln!("{} {}: {orders} and {rows} orders", small.name, kind.name());
            let of_small = call(&service, small, kind, orders)?;
            let of_large = call(&service, large, kind, rows)?;
            let (mut few, mut many) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                few.push(cpu(&service, &of_small, &load)?);
                many.push(cpu(&service, &of_large, &load)?);
            }
            let (few, many) = (report::median(few), report::median(many));
            goals.add(
                small.name,
                &format!("CPU of a {}, {rows} orders beside {orders}", kind.name()),
                &format!("{GOAL:.1} times"),
                &format!(
                    "{:.2} times: {:.1} us and {:.1} us",
                    many / few,
                    many * 1e6,
                    few * 1e6
                ),
            );
        }
    }
    Ok(goals.table())
}

/// The request of a kind to a table with this number of orders.
fn call(service: &Service, database: &Database, kind: Kind, orders: u32) -> Result<Exact, Error> {
    let token = service.token(database).ok_or("the resource has no token")?;
    let to = |below: &str| {
        let path = service.path(&format!("/{}/models/{ORDERS}{below}", database.name));
        Exact::new(Method::GET, path, &Value::Null).authorized(token.clone())
    };
    Ok(match kind {
        Kind::First => to("?_count=none"),
        Kind::Next | Kind::Previous => {
            let middle = (orders / PER_PAGE / 2).max(1);
            let page = to(&format!("?_count=none&page={middle}"));
            let answer = load::exactly(service.address(), &page);
            let (_, body) = accounts::runtime()?.block_on(answer)?;
            let link = match kind {
                Kind::Next => "next",
                _ => "previous",
            };
            let query =
                cases::link_query(&body, link).ok_or("the page in the middle has no such link")?;
            to(&format!("?{query}"))
        }
        Kind::Retrieve => to("/{id}").with_keys(orders),
    })
}

/// The CPU time of the service for a request, in seconds.
fn cpu(service: &Service, call: &Exact, load: &Load) -> Result<f64, Error> {
    let runtime = accounts::runtime()?;
    let ask = |time| {
        let (address, connections) = (service.address(), load.connections);
        runtime.block_on(load::repeatedly(address, call, connections, time))
    };
    ask(load.warm_up)?;
    let before = service.usage()?.cpu;
    let answered = ask(load.measured)?.len();
    let used = service.usage()?.cpu - before;
    Ok(used.as_secs_f64() / answered.max(1) as f64)
}
