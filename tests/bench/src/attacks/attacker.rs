//! The process that attacks. It prints how many requests it has sent and how many of them were refused: answered with an
//! error, or not at all because the connection was closed.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, header};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, Interest};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::Error;

/// The argument that starts this program as an attacker.
pub const COMMAND: &str = "attack";
/// The variable with the attacker's credential.
pub const TOKEN: &str = "BENCH_TOKEN";

/// The maximum number of connections from one address, which is less than the limit of the service.
const PER_ADDRESS: usize = 1_000;

/// The service to attack.
pub struct Target {
    address: SocketAddr,
    /// The path of the resource.
    resource: String,
    refresh: String,
    token: String,
    until: Instant,
    sent: AtomicU64,
    refused: AtomicU64,
}

/// Runs an attack with the arguments of [`super::Attacker::start`].
pub fn run(arguments: &[String]) -> Result<(), Error> {
    let [name, address, resource, refresh, seconds] = arguments else {
        return Err("an attack needs its name, an address, two paths and a time".into());
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let time = Duration::from_secs(seconds.parse()?);
        let target = Arc::new(Target {
            address: address.parse()?,
            resource: resource.clone(),
            refresh: refresh.clone(),
            token: std::env::var(TOKEN)?,
            until: Instant::now() + time,
            sent: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        });
        let work = attack(name, Arc::clone(&target));
        // Requests that are still waiting then are waiting for the service.
        if let Ok(done) = tokio::time::timeout_at(target.until, work).await {
            done?;
        }
        let (sent, refused) = (target.sent.load(Relaxed), target.refused.load(Relaxed));
        writeln!(std::io::stdout(), "{sent} {refused}")?;
        Ok::<_, Error>(())
    })?;
    // The process exits without closing its thousands of sockets one by one.
    std::process::exit(0)
}

async fn attack(name: &str, target: Arc<Target>) -> Result<(), Error> {
    let sql = |query: &str| target.post("/sql_get_query", &json!({ "query": query }));
    let long = "SELECT instr(printf('%.*c', 8000000, 'a'), printf('%.*c', 4000000, 'a') || 'b')";
    match name {
        "unknown-keys" => {
            let keys: serde_json::Map<String, Value> = (0..100_000)
                .map(|key| (format!("k{key}"), Value::Null))
                .collect();
            let request = target.anonymous_post(&target.refresh, &Value::Object(keys));
            repeat(&target, 8, request).await;
        }
        "silent-sockets" => {
            let sent: [&[u8]; 3] = [b"", b"G", b"PRI * HTTP/2.0\r\n"];
            hold(&target, 10_050, |number| {
                sent.get(number % 3).copied().unwrap_or_default().to_vec()
            })
            .await;
        }
        "unread-answers" => {
            let request = target.get("/models/orders/?_per_page=100");
            let many = request.repeat(300).into_bytes();
            hold(&target, 1_100, |_| many.clone()).await;
        }
        "slow-bodies" => {
            let head = target.head("POST", "/models/orders/", "Content-Length: 100000\r\n");
            let head = format!("{head}{{").into_bytes();
            tokio::join!(
                hold(&target, 1_100, |_| head.clone()),
                slow_streams(&target, 5)
            );
        }
        "large-bodies" => {
            // The body is read completely, and then refused for an unknown field.
            let body = json!({ "nothing": "x".repeat(15 << 20) });
            repeat(&target, 48, target.post("/models/orders/", &body)).await;
        }
        "sql-filters" => {
            let filters = vec![json!({ "name": "id__gt", "value": 0 }); 100_000];
            let body = json!({ "query": "SELECT id FROM orders", "filters": filters });
            repeat(&target, 8, target.post("/sql_get_query", &body)).await;
        }
        "long-functions" => repeat(&target, 8, sql(long)).await,
        "many-functions" => {
            let calls: Vec<_> = (0..900)
                .map(|n| format!("length(hex(printf('%.*c{n}', 3900000, 'a')))"))
                .collect();
            let query = format!("SELECT {}", calls.join(" + "));
            repeat(&target, 8, sql(&query)).await;
        }
        "icontains" => {
            let needle = format!("{}b", "a".repeat(900));
            let path = format!("/models/texts/?body__icontains={needle}&_count=none");
            repeat(&target, 12, target.get(&path)).await;
        }
        "large-rows" => {
            // Each engine knows one of the functions.
            let columns: Vec<_> = (0..200)
                .map(|n| format!("printf('%.*c{n}', 8000000, 'a')"))
                .collect();
            let sqlite = format!("SELECT {}", columns.join(", "));
            tokio::join!(
                repeat(&target, 4, sql("SELECT repeat('x', 900000000)")),
                repeat(&target, 4, sql(&sqlite)),
            );
        }
        "zero-window-streams" => unread_streams(&target, 4, 100).await,
        "few-connections" => {
            repeat(&target, 32, target.get("/models/orders/?status=paid")).await;
        }
        "large-definition" => repeat(&target, 8, target.get("/openapi.json")).await,
        "locked-table" => repeat(&target, 40, target.get("/models/locked/")).await,
        "searches" => {
            repeat(&target, 12, target.get("/models/orders/?_search=nowhere")).await;
        }
        "many-lists" => lists(&target, 44, 250).await,
        name => return Err(format!("there is no attack {name:?}").into()),
    }
    Ok(())
}

impl Target {
    fn head(&self, method: &str, path: &str, headers: &str) -> String {
        let (resource, token) = (&self.resource, &self.token);
        format!(
            "{method} {resource}{path} HTTP/1.1\r\nHost: bench\r\nAuthorization: {token}\r\n{headers}\r\n"
        )
    }

    fn get(&self, path: &str) -> String {
        self.head("GET", path, "")
    }

    fn post(&self, path: &str, body: &Value) -> String {
        let body = body.to_string();
        let headers = format!(
            "Content-Type: application/json\r\nContent-Length: {}\r\n",
            body.len()
        );
        self.head("POST", path, &headers) + &body
    }

    fn anonymous_post(&self, path: &str, body: &Value) -> String {
        let body = body.to_string();
        format!(
            "POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    fn uri(&self, path: &str) -> String {
        format!("http://{}{}{path}", self.address, self.resource)
    }

    fn sent(&self) {
        self.sent.fetch_add(1, Relaxed);
    }

    fn refused(&self) {
        self.refused.fetch_add(1, Relaxed);
    }

    /// A connection; the first thousand come from one address, the next from another.
    async fn connect(&self, number: usize) -> std::io::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        if cfg!(target_os = "linux") {
            let host = 2 + u8::try_from(number / PER_ADDRESS).unwrap_or(u8::MAX - 2);
            socket.bind((IpAddr::V4(Ipv4Addr::new(127, 0, 0, host)), 0).into())?;
        }
        socket.connect(self.address).await
    }
}

/// Sends the same request again and again, on this number of connections.
async fn repeat(target: &Arc<Target>, connections: usize, request: String) {
    let request = Bytes::from(request);
    let mut callers = JoinSet::new();
    for number in 0..connections {
        let (target, request) = (Arc::clone(target), request.clone());
        callers.spawn(async move {
            while Instant::now() < target.until {
                // Closed connections are opened again.
                let _ = exchange_until_closed(&target, number, &request).await;
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        });
    }
    while callers.join_next().await.is_some() {}
}

async fn exchange_until_closed(
    target: &Target,
    number: usize,
    request: &[u8],
) -> std::io::Result<()> {
    let mut stream = target.connect(number).await?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        target.sent();
        let answered = async {
            let (mut reader, mut writer) = stream.split();
            // A response may arrive before the whole request was sent.
            let send = writer.write_all(request);
            let (written, head) = tokio::join!(send, read_answer(&mut reader, &mut buffer));
            written.and(head)
        };
        match answered.await {
            Ok(true) => {}
            Ok(false) => target.refused(),
            Err(error) => {
                target.refused();
                return Err(error);
            }
        }
    }
}

/// Reads one HTTP/1.1 response, and returns whether it is a success.
async fn read_answer(
    reader: &mut (impl tokio::io::AsyncRead + Unpin),
    buffer: &mut [u8],
) -> std::io::Result<bool> {
    let closed = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
    let mut head = Vec::new();
    let (end, rest) = loop {
        let read = reader.read(buffer).await?;
        if read == 0 {
            return Err(closed());
        }
        head.extend_from_slice(buffer.get(..read).unwrap_or_default());
        if let Some(end) = head.windows(4).position(|window| window == b"\r\n\r\n") {
            break (end, head.split_off(end + 4));
        }
    };
    head.truncate(end);
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let ok = head.starts_with("http/1.1 2");
    if let Some((_, length)) = head.split_once("content-length: ") {
        let length = length.split("\r\n").next().unwrap_or_default();
        let mut left = length.parse::<usize>().unwrap_or_default();
        left = left.saturating_sub(rest.len());
        while left > 0 {
            let read = reader.read(buffer).await?;
            if read == 0 {
                return Err(closed());
            }
            left = left.saturating_sub(read);
        }
        return Ok(ok);
    }
    let mut tail = rest;
    while !tail.ends_with(b"0\r\n\r\n") {
        let read = reader.read(buffer).await?;
        if read == 0 {
            return Err(closed());
        }
        tail.extend_from_slice(buffer.get(..read).unwrap_or_default());
        tail.drain(..tail.len().saturating_sub(5));
    }
    Ok(ok)
}

/// Opens this number of connections, sends bytes on each, and neither sends nor reads more.
async fn hold(target: &Arc<Target>, connections: usize, bytes: impl Fn(usize) -> Vec<u8>) {
    let mut open = JoinSet::new();
    for number in 0..connections {
        let (target, bytes) = (Arc::clone(target), bytes(number));
        open.spawn(async move {
            target.sent();
            let Ok(mut stream) = target.connect(number).await else {
                return target.refused();
            };
            // A closed connection counts as refused; a connection that is not read any more does not.
            let rest = target.until - Duration::from_millis(300);
            let send = async {
                stream.write_all(&bytes).await?;
                // Nothing is read, so only a closed connection ends this.
                loop {
                    tokio::time::sleep(Duration::from_millis(500)).await;
                    if is_closed(&stream).await? {
                        let closed = std::io::ErrorKind::ConnectionReset;
                        return Err::<(), std::io::Error>(closed.into());
                    }
                }
            };
            if let Ok(Err(_)) = tokio::time::timeout_at(rest, send).await {
                target.refused();
            }
            tokio::time::sleep_until(target.until).await;
            drop(stream);
        });
        if number % 200 == 199 {
            tokio::task::yield_now().await;
        }
    }
    while open.join_next().await.is_some() {}
}

/// Whether the other side has closed a connection on which nothing is read.
async fn is_closed(stream: &TcpStream) -> std::io::Result<bool> {
    let ready = stream
        .ready(Interest::READABLE | Interest::WRITABLE)
        .await?;
    Ok(ready.is_read_closed() || ready.is_error())
}

type Streams = h2::client::SendRequest<Bytes>;

/// An HTTP/2 connection whose streams have this window.
async fn http2(target: &Target, number: usize, window: u32) -> Result<Streams, Error> {
    let stream = target.connect(number).await?;
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(window);
    let (streams, connection) = builder.handshake(stream).await?;
    tokio::spawn(connection);
    Ok(streams)
}

fn request(target: &Target, method: &str, path: &str) -> Result<Request<()>, Error> {
    Ok(Request::builder()
        .method(method)
        .uri(target.uri(path))
        .header(header::AUTHORIZATION, &target.token)
        .body(())?)
}

/// Bodies on streams that never end.
async fn slow_streams(target: &Arc<Target>, connections: usize) {
    let mut kept = Vec::new();
    for number in 0..connections {
        let Ok(mut streams) = http2(target, number, 65_535).await else {
            continue;
        };
        for _ in 0..250 {
            let Ok(request) = request(target, "POST", "/models/orders/") else {
                continue;
            };
            let Ok(ready) = streams.ready().await else {
                break;
            };
            streams = ready;
            target.sent();
            match streams.send_request(request, false) {
                Ok((answer, mut body)) => {
                    // The stream is kept, even if its first byte could not be sent.
                    let _ = body.send_data(Bytes::from_static(b"{"), false);
                    kept.push((answer, body));
                }
                Err(_) => target.refused(),
            }
        }
    }
    tokio::time::sleep_until(target.until).await;
}

/// Large responses without a window to send them.
async fn unread_streams(target: &Arc<Target>, connections: usize, streams: usize) {
    let mut open = JoinSet::new();
    for number in 0..connections {
        let target = Arc::clone(target);
        open.spawn(async move {
            let mut sender = http2(&target, number, 0).await?;
            let mut answers = JoinSet::new();
            for _ in 0..streams {
                sender = sender.ready().await?;
                let get = request(&target, "GET", "/models/orders/?_no_pagination=1")?;
                target.sent();
                let (answer, _) = sender.send_request(get, true)?;
                let target = Arc::clone(&target);
                answers.spawn(async move {
                    let answer = answer.await;
                    if !answer
                        .as_ref()
                        .is_ok_and(|answer| answer.status().is_success())
                    {
                        target.refused();
                    }
                    tokio::time::sleep_until(target.until).await;
                    drop(answer);
                });
            }
            while answers.join_next().await.is_some() {}
            Ok::<_, Error>(())
        });
    }
    while open.join_next().await.is_some() {}
}

/// As many simultaneous lists as there are streams, again and again.
async fn lists(target: &Arc<Target>, connections: usize, streams: usize) {
    let mut open = JoinSet::new();
    for number in 0..connections {
        let target = Arc::clone(target);
        open.spawn(async move {
            let sender = http2(&target, number, 1 << 20).await?;
            let mut answers = JoinSet::new();
            for _ in 0..streams {
                let (target, sender) = (Arc::clone(&target), sender.clone());
                answers.spawn(async move {
                    while Instant::now() < target.until {
                        if !list(&target, &sender).await.unwrap_or(false) {
                            target.refused();
                        }
                    }
                });
            }
            while answers.join_next().await.is_some() {}
            Ok::<_, Error>(())
        });
    }
    while open.join_next().await.is_some() {}
}

async fn list(target: &Target, sender: &Streams) -> Result<bool, Error> {
    let mut sender = sender.clone().ready().await?;
    target.sent();
    let get = request(
        target,
        "GET",
        "/models/orders/?_per_page=200&_order_by=-created_at",
    )?;
    let (answer, _) = sender.send_request(get, true)?;
    let answer = answer.await?;
    let ok = answer.status().is_success();
    let mut body = answer.into_body();
    while let Some(data) = body.data().await {
        body.flow_control().release_capacity(data?.len())?;
    }
    Ok(ok)
}
