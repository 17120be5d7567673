//! The floor: what the database's own driver needs for the rows of a case. A prepared statement is run in place and
//! its cells are written as JSON by hand: no HTTP, no credential, no plan, no other thread.

mod postgres;
mod sqlite;

use std::io::Write as _;
use std::time::Instant;

use crate::Error;
use crate::cases::{Case, What};
use crate::dataset::Database;
use crate::load::{Load, Measured};
use crate::usage;

/// The columns of an order.
const NAMES: [&str; 6] = [
    "id",
    "customer_id",
    "status",
    "amount",
    "created_at",
    "note",
];

/// Measures the case: SQLite on each core, PostgreSQL with as many connections as the load has.
pub fn measure(database: &Database, case: &Case, load: &Load) -> Result<Measured, Error> {
    let ask = |time| match database.url.strip_prefix("sqlite:") {
        Some(path) => sqlite::ask(path, case, load, time),
        None => postgres::ask(&database.url, case, load, time),
    };
    ask(load.warm_up)?;
    let before = usage::of(std::process::id())?.cpu;
    let started = Instant::now();
    let latencies = ask(load.measured)?;
    let took = started.elapsed();
    let cpu = usage::of(std::process::id())?.cpu - before;
    Measured::new(latencies, took, cpu)
}

/// The statement of a case that reads; `columns` are those of an order, `parameter` is that of the first value.
fn select(case: &Case, columns: &str, parameter: &str) -> String {
    let (columns, rest) = match case.what {
        What::List(query) if query.contains("_no_pagination") => {
            (columns, "ORDER BY orders.id LIMIT 10000".to_owned())
        }
        What::List(_) => (
            columns,
            "WHERE status = 'paid' ORDER BY orders.created_at DESC, orders.id DESC LIMIT 25"
                .to_owned(),
        ),
        What::Walk => (
            columns,
            format!("WHERE id > {parameter} ORDER BY orders.id LIMIT 25"),
        ),
        What::Retrieve => (columns, format!("WHERE id = {parameter}")),
        What::Aggregate(_) => ("sum(amount)", "WHERE status = 'paid'".to_owned()),
        What::Group(_) => ("status, count(*)", "GROUP BY status".to_owned()),
        What::Create | What::CreatePerson | What::UpsertPerson => (columns, String::new()),
    };
    format!("SELECT {columns} FROM orders {rest}")
}

/// The statement that counts, for a case with a count.
fn count(case: &Case) -> Option<&'static str> {
    matches!(case.what, What::List(query) if !query.contains("_count") && !query.contains("_no_pagination"))
        .then_some("SELECT count(*) FROM orders WHERE status = 'paid'")
}

/// JSON that is written by hand.
#[derive(Default)]
struct Json(Vec<u8>);

impl Json {
    fn begin_row(&mut self) {
        self.0.push(b'{');
    }

    fn end_row(&mut self) {
        self.0.extend_from_slice(b"},");
    }

    fn name(&mut self, at: usize) -> Result<(), Error> {
        let name = NAMES.get(at).ok_or("a row has too many columns")?;
        Ok(write!(self.0, "\"{name}\":")?)
    }

    fn value(&mut self, value: impl serde::Serialize) -> Result<(), Error> {
        serde_json::to_writer(&mut self.0, &value)?;
        self.0.push(b',');
        Ok(())
    }
}
