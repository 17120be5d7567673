//! The floor on PostgreSQL: tokio-postgres, one statement after the other on each connection.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::task::JoinSet;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row, Statement};

use super::{Json, count, select};
use crate::Error;
use crate::cases::{Caller, Case, What};
use crate::load::Load;

/// Decimals and times as the texts that an answer needs.
const COLUMNS: &str = "id, customer_id, status, amount::text, created_at::text, note";
const INSERT: &str = "INSERT INTO orders (customer_id, status, amount, created_at, note) \
                      VALUES ($1, $2, $3::text::numeric, $4::text::timestamp, $5) \
                      RETURNING id, customer_id, status, amount::text, created_at::text, note";

pub fn ask(url: &str, case: &Case, load: &Load, time: Duration) -> Result<Vec<Duration>, Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut connections = JoinSet::new();
        for number in 0..load.connections {
            let caller = Caller::new(case, number as u64, load.orders);
            connections.spawn(ask_alone(url.to_owned(), case.clone(), caller, time));
        }
        let mut latencies = Vec::new();
        while let Some(finished) = connections.join_next().await {
            latencies.extend(finished??);
        }
        Ok(latencies)
    })
}

async fn ask_alone(
    url: String,
    case: Case,
    mut caller: Caller,
    time: Duration,
) -> Result<Vec<Duration>, Error> {
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
    // It ends with its client, which also reports its errors.
    tokio::spawn(connection);
    let sql = match case.what {
        What::Create => INSERT.to_owned(),
        _ => select(&case, COLUMNS, "$1"),
    };
    let statement = client
        .prepare(&sql.replace("sum(amount)", "sum(amount)::text"))
        .await?;
    let count = match count(&case) {
        Some(sql) => Some(client.prepare(sql).await?),
        None => None,
    };
    let mut last = 0;
    let mut json = Json::default();
    let mut latencies = Vec::new();
    let until = Instant::now() + time;
    while Instant::now() < until {
        let started = Instant::now();
        json.0.clear();
        let found = match case.what {
            What::Retrieve => rows(&client, &statement, &[&caller.key().cast_signed()]).await?,
            What::Walk => rows(&client, &statement, &[&last]).await?,
            What::Create => {
                let record: Value = serde_json::from_str(&caller.record())?;
                let text = |name: &str| record.get(name).and_then(Value::as_str);
                let customer = record.get("customer_id").and_then(Value::as_i64);
                let customer = customer.and_then(|it| i32::try_from(it).ok());
                let values: [&(dyn ToSql + Sync); 5] = [
                    &customer,
                    &text("status"),
                    &text("amount"),
                    &text("created_at"),
                    &text("note"),
                ];
                rows(&client, &statement, &values).await?
            }
            _ => rows(&client, &statement, &[]).await?,
        };
        last = write(&found, &mut json)?;
        if let Some(count) = &count {
            json.value(client.query_one(count, &[]).await?.try_get::<_, i64>(0)?)?;
        }
        black_box(&json.0);
        latencies.push(started.elapsed());
    }
    Ok(latencies)
}

async fn rows(
    client: &Client,
    statement: &Statement,
    values: &[&(dyn ToSql + Sync)],
) -> Result<Vec<Row>, Error> {
    Ok(client.query(statement, values).await?)
}

/// Writes the rows, and returns the key of the last one; 0 without rows.
fn write(rows: &[Row], json: &mut Json) -> Result<i32, Error> {
    let mut last = 0;
    for row in rows {
        json.begin_row();
        for (at, column) in row.columns().iter().enumerate() {
            json.name(at)?;
            match column.type_().name() {
                "int4" => {
                    let number: i32 = row.try_get(at)?;
                    if at == 0 {
                        last = number;
                    }
                    json.value(number)?;
                }
                "int8" => json.value(row.try_get::<_, i64>(at)?)?,
                _ => json.value(row.try_get::<_, Option<&str>>(at)?)?,
            }
        }
        json.end_row();
    }
    Ok(last)
}
