//! The floor on SQLite: a connection for each core, and one for writes.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement, ToSql};
use serde_json::Value;

use super::{Json, NAMES, count, select};
use crate::Error;
use crate::cases::{Caller, Case, What};
use crate::load::Load;

/// Enough that every page of the tables stays in memory.
const SETTINGS: &str =
    "PRAGMA cache_size = -262144; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;";
const INSERT: &str = "INSERT INTO orders (customer_id, status, amount, created_at, note) VALUES (?1, ?2, ?3, ?4, ?5) \
                      RETURNING id, customer_id, status, amount, created_at, note";

pub fn ask(path: &str, case: &Case, load: &Load, time: Duration) -> Result<Vec<Duration>, Error> {
    let threads = match case.what {
        What::Create => 1,
        _ => thread::available_parallelism()?.get(),
    };
    thread::scope(|scope| {
        let work = |number| {
            scope.spawn(move || {
                let caller = Caller::new(case, number as u64, load.orders);
                ask_alone(path, case, caller, time)
            })
        };
        let threads: Vec<_> = (0..threads).map(work).collect();
        let mut latencies = Vec::new();
        for thread in threads {
            latencies.extend(thread.join().map_err(|_| "a thread panicked")??);
        }
        Ok(latencies)
    })
}

fn ask_alone(
    path: &str,
    case: &Case,
    mut caller: Caller,
    time: Duration,
) -> Result<Vec<Duration>, Error> {
    let connection = Connection::open(path)?;
    connection.execute_batch(SETTINGS)?;
    let mut statement = connection.prepare(&match case.what {
        What::Create => INSERT.to_owned(),
        _ => select(case, &NAMES.join(", "), "?1"),
    })?;
    let mut count = count(case).map(|sql| connection.prepare(sql)).transpose()?;
    let mut last = 0;
    let mut json = Json::default();
    let mut latencies = Vec::new();
    let until = Instant::now() + time;
    while Instant::now() < until {
        let started = Instant::now();
        json.0.clear();
        match case.what {
            What::Retrieve => _ = rows(&mut statement, &[&caller.key()], &mut json)?,
            What::Walk => last = rows(&mut statement, &[&last], &mut json)?,
            What::Create => {
                let record: Value = serde_json::from_str(&caller.record())?;
                let text = |name: &str| record.get(name).and_then(Value::as_str);
                let customer = record.get("customer_id").and_then(Value::as_i64);
                let values: [&dyn ToSql; 5] = [
                    &customer,
                    &text("status"),
                    &text("amount"),
                    &text("created_at"),
                    &text("note"),
                ];
                rows(&mut statement, &values, &mut json)?;
            }
            _ => _ = rows(&mut statement, &[], &mut json)?,
        }
        if let Some(count) = &mut count {
            json.value(count.query_row([], |row| row.get::<_, i64>(0))?)?;
        }
        black_box(&json.0);
        latencies.push(started.elapsed());
    }
    Ok(latencies)
}

/// Writes the rows, and returns the key of the last one; 0 without rows.
fn rows(
    statement: &mut Statement<'_>,
    values: &[&dyn ToSql],
    json: &mut Json,
) -> Result<i64, Error> {
    let columns = statement.column_count();
    let mut rows = statement.query(values)?;
    let mut last = 0;
    while let Some(row) = rows.next()? {
        json.begin_row();
        for at in 0..columns {
            json.name(at)?;
            match row.get_ref(at)? {
                ValueRef::Null => json.value(())?,
                ValueRef::Integer(number) => {
                    if at == 0 {
                        last = number;
                    }
                    json.value(number)?;
                }
                ValueRef::Real(number) => json.value(number)?,
                text => json.value(text.as_str()?)?,
            }
        }
        json.end_row();
    }
    Ok(last)
}
