//! HTTP/2 beside HTTP/1: the same requests over one connection with many streams, and whether a stream that nobody reads
//! slows the others.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use h2::RecvStream;
use h2::client::SendRequest;
use http::{Request, header};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::Error;
use crate::cases::{CASES, Caller, Case, What};
use crate::dataset::Database;
use crate::load::{Load, Measured, Target, expect_success};
use crate::report;
use crate::service::Service;
use crate::usage;

/// The number of streams of the connection, and of connections over HTTP/1.
const STREAMS: usize = 100;
/// How often what is compared is measured in turns, since the speed of a shared machine changes.
const ROUNDS: usize = 2;
/// How much of an answer the service may send before it is read.
const STREAM_WINDOW: u32 = 64 << 10;
/// The same for the whole connection: what is not read on one stream must not use up the share of the others.
const CONNECTION_WINDOW: u32 = 32 << 20;

/// Runs the measurements, and returns their tables.
pub fn measure(folder: &Path, databases: &[Database], load: &Load) -> Result<String, Error> {
    let folder = folder.join("http2");
    std::fs::create_dir(&folder)?;
    let service = Service::start(&folder, databases)?;
    let load = Load {
        connections: STREAMS,
        ..*load
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut table = format!(
        "| database | case | HTTP/1, {STREAMS} connections: requests/s, p50, p99, CPU | HTTP/2, {STREAMS} streams: \
         requests/s, p50, p99, CPU | requests/s | CPU |\n|---|---|--:|--:|--:|--:|\n"
    );
    let mut slow = format!(
        "\n| database | case | {} streams: requests/s, p50, p99 | the same beside one that nobody reads | p50 | p99 |\n\
         |---|---|--:|--:|--:|--:|\n",
        STREAMS - 1
    );
    for database in databases {
        for case in CASES.iter().filter(|case| is_measured(case)) {
            eprintln!("{} {}: HTTP/1 and HTTP/2", database.name, case.name);
            let target = Arc::new(service.target(database, case));
            let process = service.process();
            let (http1, http2) = runtime.block_on(compare(&target, &load, process))?;
            table.push_str(&format!(
                "| {} | {} | {} | {} | {:.2} | {:.2} |\n",
                database.name,
                case.name,
                with_cpu(&http1),
                with_cpu(&http2),
                http2.per_second / http1.per_second,
                http2.cpu.as_secs_f64() / http1.cpu.as_secs_f64(),
            ));
            eprintln!("{} {}: beside a slow stream", database.name, case.name);
            let unread = service.target(database, whole_list()?);
            let (alone, beside) = runtime.block_on(disturb(&target, &unread, &load, process))?;
            slow.push_str(&format!(
                "| {} | {} | {} | {} | {:.2} | {:.2} |\n",
                database.name,
                case.name,
                figures(&alone),
                figures(&beside),
                beside.p50.as_secs_f64() / alone.p50.as_secs_f64(),
                beside.p99.as_secs_f64() / alone.p99.as_secs_f64(),
            ));
        }
    }
    Ok(table + &slow)
}

fn is_measured(case: &Case) -> bool {
    matches!(case.name, "retrieve" | "list-uncounted")
}

/// The case whose answer is larger than the window of a stream.
fn whole_list() -> Result<&'static Case, Error> {
    let whole = |case: &&Case| matches!(case.what, What::List("_no_pagination=1"));
    Ok(CASES.iter().find(whole).ok_or("no case lists everything")?)
}

fn figures(measured: &Measured) -> String {
    format!(
        "{:.0}, {}, {}",
        measured.per_second,
        report::time(measured.p50),
        report::time(measured.p99)
    )
}

fn with_cpu(measured: &Measured) -> String {
    format!("{}, {}", figures(measured), report::time(measured.cpu))
}

/// Latencies of several rounds.
#[derive(Default)]
struct Rounds {
    latencies: Vec<Duration>,
    took: Duration,
    cpu: Duration,
}

impl Rounds {
    async fn add(
        &mut self,
        process: u32,
        round: impl Future<Output = Result<Vec<Duration>, Error>>,
    ) -> Result<(), Error> {
        let before = usage::of(process)?.cpu;
        let started = Instant::now();
        self.latencies.extend(round.await?);
        self.took += started.elapsed();
        self.cpu += usage::of(process)?.cpu - before;
        Ok(())
    }

    fn measured(self) -> Result<Measured, Error> {
        Measured::new(self.latencies, self.took, self.cpu)
    }
}

/// The same requests over connections of HTTP/1 and over streams of HTTP/2.
async fn compare(
    target: &Arc<Target>,
    load: &Load,
    process: u32,
) -> Result<(Measured, Measured), Error> {
    let (mut http1, mut http2) = (Rounds::default(), Rounds::default());
    load.ask(target, load.warm_up).await?;
    for _ in 0..ROUNDS {
        http1.add(process, load.ask(target, load.measured)).await?;
        let streams = connect(target).await?;
        http2
            .add(process, over(&streams, STREAMS, target, load))
            .await?;
    }
    Ok((http1.measured()?, http2.measured()?))
}

/// Requests over all streams but one, alone and beside a stream whose answer nobody reads.
async fn disturb(
    target: &Arc<Target>,
    unread: &Target,
    load: &Load,
    process: u32,
) -> Result<(Measured, Measured), Error> {
    let (mut alone, mut beside) = (Rounds::default(), Rounds::default());
    for _ in 0..ROUNDS {
        let streams = connect(target).await?;
        alone
            .add(process, over(&streams, STREAMS - 1, target, load))
            .await?;
        let streams = connect(target).await?;
        let mut held = open(&streams, unread, "?_no_pagination=1").await?;
        beside
            .add(process, over(&streams, STREAMS - 1, target, load))
            .await?;
        let (received, ended) = drain(&mut held).await?;
        if ended {
            return Err(format!("an answer of {received} bytes fits into a window").into());
        }
    }
    Ok((alone.measured()?, beside.measured()?))
}

/// What came on a stream whose window was never opened again, and whether that is the whole answer.
async fn drain(body: &mut RecvStream) -> Result<(usize, bool), Error> {
    let mut received = 0;
    while received < STREAM_WINDOW as usize {
        match body.data().await {
            Some(data) => received += data?.len(),
            None => return Ok((received, true)),
        }
    }
    Ok((received, body.is_end_stream()))
}

async fn connect(target: &Target) -> Result<SendRequest<Bytes>, Error> {
    let stream = TcpStream::connect(target.address).await?;
    stream.set_nodelay(true)?;
    let mut builder = h2::client::Builder::new();
    builder
        .initial_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW);
    let (streams, connection) = builder.handshake(stream).await?;
    // It ends with its streams, which also report its errors.
    tokio::spawn(connection);
    Ok(streams)
}

/// Requests on this number of streams at a time.
async fn over(
    streams: &SendRequest<Bytes>,
    number: usize,
    target: &Arc<Target>,
    load: &Load,
) -> Result<Vec<Duration>, Error> {
    let until = Instant::now() + load.measured;
    let mut callers = JoinSet::new();
    for number in 0..number {
        let (streams, target) = (streams.clone(), Arc::clone(target));
        let mut caller = Caller::new(target.case, number as u64, load.orders);
        callers.spawn(async move {
            let mut latencies = Vec::new();
            while Instant::now() < until {
                latencies.push(exchange(&streams, &target, &mut caller).await?);
            }
            Ok::<_, Error>(latencies)
        });
    }
    let mut latencies = Vec::new();
    while let Some(finished) = callers.join_next().await {
        latencies.extend(finished??);
    }
    Ok(latencies)
}

/// Sends the caller's next request on a stream of its own, and returns the response time.
async fn exchange(
    streams: &SendRequest<Bytes>,
    target: &Target,
    caller: &mut Caller,
) -> Result<Duration, Error> {
    let ask = caller.ask();
    let started = Instant::now();
    let mut body = open(streams, target, &ask.suffix).await?;
    let mut read = Vec::new();
    while let Some(data) = body.data().await {
        let data = data?;
        body.flow_control().release_capacity(data.len())?;
        read.extend_from_slice(&data);
    }
    let took = started.elapsed();
    caller.answered(&read);
    Ok(took)
}

/// Sends a request, and returns the body of the successful answer, of which nothing is read yet.
async fn open(
    streams: &SendRequest<Bytes>,
    target: &Target,
    suffix: &str,
) -> Result<RecvStream, Error> {
    let uri = format!("http://{}{}{suffix}", target.address, target.path);
    let mut request = Request::get(uri).body(())?;
    if let Some(authorization) = &target.authorization {
        request
            .headers_mut()
            .insert(header::AUTHORIZATION, authorization.clone());
    }
    let mut streams = streams.clone().ready().await?;
    let (answer, _) = streams.send_request(request, true)?;
    let (head, body) = answer.await?.into_parts();
    expect_success(target, suffix, head.status, &Bytes::new())?;
    Ok(body)
}
