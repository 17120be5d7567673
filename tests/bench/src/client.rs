//! The cost of the Rust client: one call after the other, compared with the pooled client of hyper-util that sends the
//! same request and reads the same record.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use bytes::Bytes;
use clap::ValueEnum;
use http::{Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy;
use hyper_util::rt::TokioExecutor;
use serde::{Deserialize, Serialize};
use stats_alloc::Region;
use svc_api::{ApiToken, Client, Record};

use crate::bare::Server;
use crate::{Error, report, usage};

/// The argument that starts this program as a client.
pub const COMMAND: &str = "call";

/// The calls before the measurement, which open the connection.
const WARM_UP: u32 = 100;
/// How often each client is measured, by turns.
const ROUNDS: u32 = 5;
const PROJECT: &str = "main";
const TOKEN: &str = "svct_benchmark";
/// As small as records are, so that reading it does not hide what a call costs.
const RECORD: &str = r#"{"id":7}"#;

/// Who calls.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Caller {
    SvcApi,
    HyperUtil,
}

/// What a call costs.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
struct Cost {
    allocations: f64,
    bytes: f64,
    cpu: Duration,
    time: Duration,
}

/// Measures both clients on the same server, by turns, and returns a sentence.
pub fn measure(folder: &Path, time: Duration) -> Result<String, Error> {
    let server = Server::with_body(folder, RECORD.as_bytes())?;
    let base_url = format!("http://{}", server.address());
    let (mut ours, mut reference) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for (caller, costs) in [
            (Caller::SvcApi, &mut ours),
            (Caller::HyperUtil, &mut reference),
        ] {
            costs.push(cost(caller, &base_url, time / ROUNDS)?);
        }
    }
    let (ours, reference) = (median(ours)?, median(reference)?);
    Ok(format!(
        "client: a record takes svc-api {:.1} allocations ({:.0} bytes), {} of CPU and {}; hyper-util and serde_json \
         {:.1} ({:.0} bytes), {} and {}; CPU {:.2} times as much.",
        ours.allocations,
        ours.bytes,
        report::time(ours.cpu),
        report::time(ours.time),
        reference.allocations,
        reference.bytes,
        report::time(reference.cpu),
        report::time(reference.time),
        ours.cpu.as_secs_f64() / reference.cpu.as_secs_f64(),
    ))
}

/// The cost with the median of CPU time.
fn median(mut costs: Vec<Cost>) -> Result<Cost, Error> {
    costs.sort_by_key(|cost| cost.cpu);
    let median = costs.get(costs.len() / 2).copied();
    median.ok_or_else(|| "nothing was measured".into())
}

/// Runs the caller in a process of its own.
fn cost(caller: Caller, base_url: &str, time: Duration) -> Result<Cost, Error> {
    let caller = caller.to_possible_value().ok_or("no such caller")?;
    let output = Command::new(std::env::current_exe()?)
        .args([COMMAND, caller.get_name(), base_url])
        .arg(time.as_millis().to_string())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Calls for a time, and prints the cost of a call.
pub fn call(caller: Caller, base_url: &str, milliseconds: u64) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let time = Duration::from_millis(milliseconds);
    let cost = runtime.block_on(async {
        match caller {
            Caller::SvcApi => {
                let client = Client::builder()
                    .project(PROJECT)
                    .api_base_url(base_url)
                    .api_token(ApiToken::new(TOKEN)?)
                    .build()?;
                let orders = client.records("shop", "orders");
                let call = async || Ok(orders.get(7).send().await?);
                cost_of(call, time).await
            }
            Caller::HyperUtil => {
                let client: legacy::Client<_, Full<Bytes>> =
                    legacy::Client::builder(TokioExecutor::new()).build_http();
                let url = format!("{base_url}/api/resources/{PROJECT}/prod/shop/models/orders/7/");
                let authorization = format!("Bearer {TOKEN}");
                let call = async || {
                    let request = Request::get(&url)
                        .header(header::AUTHORIZATION, &authorization)
                        .header(header::ACCEPT, "application/json")
                        .header(header::USER_AGENT, "bench")
                        .body(Full::default())?;
                    let response = client.request(request).await?;
                    let body = response.into_body().collect().await?.to_bytes();
                    Ok(serde_json::from_slice(&body)?)
                };
                cost_of(call, time).await
            }
        }
    })?;
    println!("{}", serde_json::to_string(&cost)?);
    Ok(())
}

async fn cost_of(
    call: impl AsyncFn() -> Result<Record, Error>,
    time: Duration,
) -> Result<Cost, Error> {
    for _ in 0..WARM_UP {
        call().await?;
    }
    let cpu = || Ok::<_, Error>(usage::of(std::process::id())?.cpu);
    let (started, cpu_before) = (Instant::now(), cpu()?);
    let region = Region::new(crate::ALLOCATOR);
    let mut calls = 0;
    while started.elapsed() < time {
        call().await?;
        calls += 1;
    }
    let stats = region.change();
    let each = f64::from(calls);
    Ok(Cost {
        allocations: (stats.allocations + stats.reallocations) as f64 / each,
        bytes: stats.bytes_allocated as f64 / each,
        cpu: (cpu()? - cpu_before) / calls,
        time: started.elapsed() / calls,
    })
}
