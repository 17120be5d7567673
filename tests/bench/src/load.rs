//! A small load generator: open connections, each with one active request at
//! a time, for a fixed time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::Error;
use crate::cases::{Ask, Caller, Case};
use crate::usage;

/// The number of connections and the time.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub connections: usize,
    pub warm_up: Duration,
    pub measured: Duration,
    pub orders: u32,
}

/// The service and the requests.
#[derive(Clone, Debug)]
pub struct Target {
    pub address: SocketAddr,
    /// The path of the model; the case adds the rest.
    pub path: String,
    pub authorization: Option<HeaderValue>,
    pub case: &'static Case,
    /// The expected status, if it is not a success.
    pub status: Option<StatusCode>,
}

/// A call that never changes.
#[derive(Clone, Debug)]
pub struct Exact {
    method: Method,
    path: String,
    body: String,
    headers: HeaderMap,
    status: Option<StatusCode>,
    /// Of how many records `{id}` in the path is a random key.
    keys: Option<u32>,
}

impl Exact {
    /// A call that succeeds; with `null` it has no body.
    pub fn new(method: Method, path: String, body: &Value) -> Self {
        Self {
            method,
            path,
            body: match body {
                Value::Null => String::new(),
                body => body.to_string(),
            },
            headers: HeaderMap::new(),
            status: None,
            keys: None,
        }
    }

    /// The same with this `Authorization`.
    pub fn authorized(self, authorization: HeaderValue) -> Self {
        self.with_header(header::AUTHORIZATION, authorization)
    }

    /// The same with a further header.
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// The same with a random key in place of each `{id}` in the path.
    pub fn with_keys(mut self, keys: u32) -> Self {
        self.keys = Some(keys);
        self
    }

    /// A call that is answered with this status.
    pub fn expecting(method: Method, path: String, body: &Value, status: StatusCode) -> Self {
        Self {
            status: Some(status),
            ..Self::new(method, path, body)
        }
    }

    fn request(&self) -> Result<Request<Full<Bytes>>, Error> {
        let mut request = Request::builder()
            .method(self.method.clone())
            .uri(match self.keys {
                Some(keys) => self
                    .path
                    .replace("{id}", &fastrand::u32(1..=keys).to_string()),
                None => self.path.clone(),
            })
            .header(header::HOST, "bench")
            .header(header::CONTENT_TYPE, "application/json")
            .body(Full::from(self.body.clone()))?;
        request.headers_mut().extend(self.headers.clone());
        Ok(request)
    }

    async fn send(&self, sender: &mut Sender) -> Result<(Duration, Bytes), Error> {
        let request = self.request()?;
        let started = Instant::now();
        let (status, body) = send(sender, request).await?;
        let took = started.elapsed();
        expected(&self.path, self.status, status, &body)?;
        Ok((took, body))
    }

    async fn send_whole(&self, sender: &mut Sender) -> Result<Response<Bytes>, Error> {
        let response = send_whole(sender, self.request()?).await?;
        expected(&self.path, self.status, response.status(), response.body())?;
        Ok(response)
    }
}

/// Sends a call once, and returns all of the response.
pub async fn whole(address: SocketAddr, call: &Exact) -> Result<Response<Bytes>, Error> {
    call.send_whole(&mut connect(address).await?).await
}

/// Sends a call again and again on one connection for a time, and returns the headers of each response.
pub async fn headers(
    address: SocketAddr,
    call: &Exact,
    time: Duration,
) -> Result<Vec<HeaderMap>, Error> {
    let until = Instant::now() + time;
    let mut sender = connect(address).await?;
    let mut headers = Vec::new();
    while headers.is_empty() || Instant::now() < until {
        headers.push(call.send_whole(&mut sender).await?.into_parts().0.headers);
    }
    Ok(headers)
}

/// Sends a call once, and returns its time and the body of the response.
pub async fn exactly(address: SocketAddr, call: &Exact) -> Result<(Duration, Bytes), Error> {
    call.send(&mut connect(address).await?).await
}

/// Sends a request once on a separate connection and accepts any status. If the service closes the connection because
/// of the request, that counts as a response.
pub async fn answered(address: SocketAddr, request: &Request<String>) -> Result<(), Error> {
    let mut sender = connect(address).await?;
    let (parts, body) = request.clone().into_parts();
    let sent = send(&mut sender, Request::from_parts(parts, Full::from(body))).await;
    match sent {
        Err(error) if !error.is::<hyper::Error>() => Err(error),
        _ => Ok(()),
    }
}

/// Sends a call on a connection that is kept for the next one; a closed connection is opened again.
pub async fn keep_asking(
    address: SocketAddr,
    call: &Exact,
    connection: &mut Option<Sender>,
) -> Result<(), Error> {
    let mut sender = match connection.take() {
        Some(sender) if !sender.is_closed() => sender,
        _ => connect(address).await?,
    };
    call.send(&mut sender).await?;
    *connection = Some(sender);
    Ok(())
}

/// Sends a call again and again on this number of connections for a time, and returns the time of each.
pub async fn repeatedly(
    address: SocketAddr,
    call: &Exact,
    connections: usize,
    time: Duration,
) -> Result<Vec<Duration>, Error> {
    let until = Instant::now() + time;
    let mut callers = JoinSet::new();
    for _ in 0..connections {
        let call = call.clone();
        callers.spawn(async move {
            let mut sender = connect(address).await?;
            let mut times = Vec::new();
            while Instant::now() < until {
                times.push(call.send(&mut sender).await?.0);
            }
            Ok::<_, Error>(times)
        });
    }
    let mut times = Vec::new();
    while let Some(finished) = callers.join_next().await {
        times.extend(finished??);
    }
    Ok(times)
}

/// Requests responses again and again on this number of connections, and returns the number of bytes per second.
pub fn stream(
    address: SocketAddr,
    path: &str,
    authorization: Option<&HeaderValue>,
    connections: usize,
    time: Duration,
) -> Result<f64, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let started = Instant::now();
        let mut callers = JoinSet::new();
        for _ in 0..connections {
            let (path, authorization) = (path.to_owned(), authorization.cloned());
            callers.spawn(streaming(address, path, authorization, started + time));
        }
        let mut bytes = 0;
        while let Some(finished) = callers.join_next().await {
            bytes += finished??;
        }
        Ok(bytes as f64 / started.elapsed().as_secs_f64())
    })
}

async fn streaming(
    address: SocketAddr,
    path: String,
    authorization: Option<HeaderValue>,
    until: Instant,
) -> Result<u64, Error> {
    let mut sender = connect(address).await?;
    let mut bytes = 0;
    while Instant::now() < until {
        let mut request = Request::get(&path)
            .header(header::HOST, "bench")
            .body(Full::default())?;
        if let Some(authorization) = &authorization {
            let headers = request.headers_mut();
            headers.insert(header::AUTHORIZATION, authorization.clone());
        }
        sender.ready().await?;
        let mut response = sender.send_request(request).await?;
        expected(&path, None, response.status(), &Bytes::new())?;
        while let Some(frame) = response.frame().await {
            bytes += frame?.data_ref().map_or(0, |data| data.len() as u64);
            // Bytes after the end of the time do not count.
            if Instant::now() >= until {
                break;
            }
        }
    }
    Ok(bytes)
}

/// Sends a call this many times at once, each on a separate connection, and returns how many were answered.
pub async fn at_once(address: SocketAddr, call: &Exact, calls: usize) -> Result<usize, Error> {
    let mut callers = JoinSet::new();
    for _ in 0..calls {
        let call = call.clone();
        callers.spawn(async move { exactly(address, &call).await });
    }
    let mut answered = 0;
    while let Some(finished) = callers.join_next().await {
        finished??;
        answered += 1;
    }
    Ok(answered)
}

/// Sends two calls alternately, this many times each, and returns the time of each.
pub async fn in_turn(
    address: SocketAddr,
    one: &Exact,
    other: &Exact,
    times: usize,
) -> Result<(Vec<Duration>, Vec<Duration>), Error> {
    let mut sender = connect(address).await?;
    let (mut ones, mut others) = (Vec::new(), Vec::new());
    for _ in 0..times {
        ones.push(one.send(&mut sender).await?.0);
        others.push(other.send(&mut sender).await?.0);
    }
    Ok((ones, others))
}

/// The result of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    pub per_second: f64,
    pub p50: Duration,
    pub p99: Duration,
    /// CPU time of the process for each request.
    pub cpu: Duration,
}

impl Measured {
    /// The result for the latencies of all requests and their total CPU time.
    pub fn new(mut latencies: Vec<Duration>, took: Duration, cpu: Duration) -> Result<Self, Error> {
        latencies.sort_unstable();
        let at = |share: f64| {
            let index = (latencies.len() as f64 * share) as usize;
            latencies.get(index.min(latencies.len().saturating_sub(1)))
        };
        match (at(0.5), at(0.99)) {
            (Some(&p50), Some(&p99)) => Ok(Self {
                per_second: latencies.len() as f64 / took.as_secs_f64(),
                p50,
                p99,
                cpu: cpu.div_f64(latencies.len() as f64),
            }),
            _ => Err("not one request was answered".into()),
        }
    }
}

impl Load {
    /// Sends requests to the target, and measures the CPU time of its process.
    pub fn run(&self, target: Target, process: u32) -> Result<Measured, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            self.ask(&target, self.warm_up).await?;
            let before = usage::of(process)?.cpu;
            let started = Instant::now();
            let latencies = self.ask(&target, self.measured).await?;
            let took = started.elapsed();
            Measured::new(latencies, took, usage::of(process)?.cpu - before)
        })
    }

    /// Sends requests to the target for a time, and returns the time of each.
    pub async fn ask(&self, target: &Target, time: Duration) -> Result<Vec<Duration>, Error> {
        let until = Instant::now() + time;
        let target = Arc::new(target.clone());
        let mut connections = JoinSet::new();
        for number in 0..self.connections {
            let caller = Caller::new(target.case, number as u64, self.orders);
            connections.spawn(connection(Arc::clone(&target), caller, until));
        }
        let mut latencies = Vec::new();
        while let Some(finished) = connections.join_next().await {
            latencies.extend(finished??);
        }
        Ok(latencies)
    }
}

/// The body of a single request.
pub fn once(target: &Target) -> Result<Bytes, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let ask = Caller::new(target.case, 0, 1).ask();
        let mut sender = connect(target.address).await?;
        let (status, body) = send(&mut sender, request(target, &ask)?).await?;
        expect_success(target, &ask.suffix, status, &body)?;
        Ok(body)
    })
}

/// Sends this number of requests of one caller, and returns the time of each.
pub fn in_sequence(target: &Target, requests: usize, orders: u32) -> Result<Vec<Duration>, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut caller = Caller::new(target.case, 0, orders);
        let mut sender = connect(target.address).await?;
        let mut latencies = Vec::with_capacity(requests);
        while latencies.len() < requests {
            latencies.push(exchange(target, &mut sender, &mut caller).await?);
        }
        Ok(latencies)
    })
}

async fn connection(
    target: Arc<Target>,
    mut caller: Caller,
    until: Instant,
) -> Result<Vec<Duration>, Error> {
    let mut sender = connect(target.address).await?;
    let mut latencies = Vec::new();
    while Instant::now() < until {
        latencies.push(exchange(&target, &mut sender, &mut caller).await?);
    }
    Ok(latencies)
}

/// Sends the caller's next request, and returns the response time.
async fn exchange(
    target: &Target,
    sender: &mut Sender,
    caller: &mut Caller,
) -> Result<Duration, Error> {
    let ask = caller.ask();
    let request = request(target, &ask)?;
    let started = Instant::now();
    let (status, body) = send(sender, request).await?;
    let took = started.elapsed();
    expect_success(target, &ask.suffix, status, &body)?;
    caller.answered(&body);
    Ok(took)
}

pub type Sender = http1::SendRequest<Full<Bytes>>;

async fn connect(address: SocketAddr) -> Result<Sender, Error> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // It ends with its sender, which also reports its errors.
    tokio::spawn(connection);
    Ok(sender)
}

fn request(target: &Target, ask: &Ask) -> Result<Request<Full<Bytes>>, Error> {
    let mut request = Request::builder()
        .method(ask.method.clone())
        .uri(format!("{}{}", target.path, ask.suffix))
        .header(header::HOST, target.address.to_string())
        .body(Full::from(ask.body.clone()))?;
    if let Some(authorization) = &target.authorization {
        request
            .headers_mut()
            .insert(header::AUTHORIZATION, authorization.clone());
    }
    Ok(request)
}

async fn send(
    sender: &mut Sender,
    request: Request<Full<Bytes>>,
) -> Result<(StatusCode, Bytes), Error> {
    let response = send_whole(sender, request).await?;
    Ok((response.status(), response.into_body()))
}

async fn send_whole(
    sender: &mut Sender,
    request: Request<Full<Bytes>>,
) -> Result<Response<Bytes>, Error> {
    sender.ready().await?;
    let (head, body) = sender.send_request(request).await?.into_parts();
    let body = body.collect().await?.to_bytes();
    Ok(Response::from_parts(head, body))
}

/// Fails unless the answer to the target's path with this suffix has the expected status.
pub fn expect_success(
    target: &Target,
    suffix: &str,
    status: StatusCode,
    body: &Bytes,
) -> Result<(), Error> {
    let path = format!("{}{suffix}", target.path);
    expected(&path, target.status, status, body)
}

fn expected(
    path: &str,
    wanted: Option<StatusCode>,
    status: StatusCode,
    body: &Bytes,
) -> Result<(), Error> {
    if wanted.map_or(status.is_success(), |wanted| wanted == status) {
        return Ok(());
    }
    let body = String::from_utf8_lossy(body);
    Err(format!("{path} answered {status}: {body}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_taken_from_the_sorted_latencies() {
        let latencies = (1..=100).rev().map(Duration::from_millis).collect();
        let measured =
            Measured::new(latencies, Duration::from_secs(2), Duration::from_secs(1)).unwrap();
        assert_eq!(measured.p50, Duration::from_millis(51));
        assert_eq!(measured.p99, Duration::from_millis(100));
        assert_eq!(measured.cpu, Duration::from_millis(10));
        assert!((measured.per_second - 50.0).abs() < 1e-9);
    }

    #[test]
    fn no_answers_are_an_error() {
        assert!(Measured::new(Vec::new(), Duration::from_secs(1), Duration::ZERO).is_err());
    }
}
