//! Accepting connections and serving them: limits of number, HTTP/1.1 and HTTP/2, graceful shutdown. Every state of a
//! connection has a deadline; the chapter "Architecture" of the book draws them.

use std::{
    convert::Infallible,
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use axum::{body::Body, response::IntoResponse as _};
use futures_util::FutureExt as _;
use http::{HeaderValue, Request, Response, Version, header};
use http_body::Body as _;
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    sync::watch,
    time::Instant,
};

use self::{
    activity::Timing,
    memory::AnswerMemory,
    registry::{Admission, Entry, Refused, Registry},
    sending::{OpenRequest, Sending},
    socket::Socket,
    stream::Counted,
    streams::StreamExecutor,
    supervise::{End, supervise},
};
use crate::{
    Config, Error,
    http::{
        ApiError,
        limits::Stack,
        request::Peer,
        response::{Kept, Ready, ResponseKind, SMALL},
        tls::Tls,
    },
};

mod activity;
mod handshake;
mod memory;
pub(crate) mod registry;
mod sending;
mod socket;
mod stream;
mod streams;
mod supervise;

/// The largest request head, in bytes.
const MAX_HEAD: usize = 64 * 1024;
/// The most streams of one HTTP/2 connection.
const MAX_STREAMS: u32 = 250;
/// How long accepting pauses when the process is out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// What browsers do from the first answer over TLS on: no plain HTTP to this host for a year (RFC 6797).
const STRICT_TRANSPORT: HeaderValue = HeaderValue::from_static("max-age=31536000");
/// How many connections the system may hold ready for us. It has a limit of its own too (`net.core.somaxconn`).
const BACKLOG: u32 = 4_096;
/// How many bytes the system may hold of what was not sent yet. More would hide for how long a caller has not read.
#[cfg(any(target_os = "linux", target_os = "android"))]
const UNSENT: u32 = 128 << 10;

/// What the listeners share: the open connections, and the memory of their answers.
#[derive(Clone, Debug)]
pub(crate) struct Connections {
    registry: Arc<Registry>,
    memory: Arc<AnswerMemory>,
}

impl Connections {
    pub(crate) fn new(config: &Config) -> Self {
        let registry = Registry::new(config);
        Self {
            memory: AnswerMemory::new(config.answer_memory, Arc::clone(&registry)),
            registry,
        }
    }
}

/// Opens a listener.
pub(crate) async fn bind(address: SocketAddr) -> Result<TcpListener, Error> {
    let listen = || {
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4(),
            SocketAddr::V6(_) => TcpSocket::new_v6(),
        }?;
        // On Windows it would let others take the address.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    listen().map_err(|source| Error::bind(address, source))
}

/// Serves connections until `shutdown` turns true, then finishes the requests in flight.
pub(crate) async fn serve(
    listener: TcpListener,
    stack: Arc<Stack>,
    connections: Connections,
    config: &Config,
    tls: Option<Arc<Tls>>,
    mut shutdown: watch::Receiver<bool>,
) {
    let timing = Timing::new(config);
    let mut builder = Builder::new(StreamExecutor(timing));
    // The deadline of a head is that of the connection's state, which covers HTTP/2 and what comes before a head too.
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_buf_size(MAX_HEAD);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEAD as u32)
        .keep_alive_interval(config.header_timeout)
        .keep_alive_timeout(config.header_timeout);
    let server = Arc::new(Http {
        builder,
        timing,
        stack,
        connections,
        tls,
        is_ending: AtomicBool::new(false),
    });
    // Each connection holds a receiver: the channel is closed when the last one has ended.
    let (stop, stopped) = watch::channel(false);
    let begin = |(stream, address, admission): (TcpStream, SocketAddr, Admission)| {
        let stopped = stopped.clone();
        prepare(&stream);
        let entry = Arc::clone(&admission.entry);
        let task = tokio::spawn(Arc::clone(&server).serve(stream, address, admission, stopped));
        entry.served_by(task.abort_handle());
    };
    loop {
        tokio::select! {
            _ = shutdown.wait_for(|&stop| stop) => break,
            accepted = accept(&listener, &server.connections.registry) => begin(accepted),
        }
    }
    server.is_ending.store(true, Relaxed);
    // Who waits in the system's queue is connected already; closing the listener would break that.
    for _ in 0..BACKLOG {
        match accept(&listener, &server.connections.registry).now_or_never() {
            Some(accepted) => begin(accepted),
            None => break,
        }
    }
    drop((listener, stopped));
    stop.send_replace(true);
    if tokio::time::timeout(config.shutdown_grace, stop.closed())
        .await
        .is_err()
    {
        tracing::warn!("requests were still in flight when the shutdown's time was over");
    }
}

/// The next connection that is admitted.
async fn accept(
    listener: &TcpListener,
    registry: &Arc<Registry>,
) -> (TcpStream, SocketAddr, Admission) {
    loop {
        let (stream, address) = next(listener).await;
        loop {
            match registry.admit(address.ip()) {
                Ok(admission) => return (stream, address, admission),
                Err(Refused::Address) => {
                    tracing::debug!(%address, "a connection was refused: its address has too many");
                    break;
                }
                // All of them are being worked for. Further ones wait in the system's queue.
                Err(Refused::Full) => {
                    let _ = tokio::time::timeout(ACCEPT_PAUSE, registry.freed()).await;
                }
            }
        }
    }
}

async fn next(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                let passing = matches!(
                    error.kind(),
                    io::ErrorKind::ConnectionAborted
                        | io::ErrorKind::ConnectionReset
                        | io::ErrorKind::ConnectionRefused
                        | io::ErrorKind::Interrupted
                );
                if !passing {
                    tracing::error!(%error, "connections cannot be accepted; trying again");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
}

/// Sets the options of a new socket.
fn prepare(stream: &TcpStream) {
    // Answers are small: they must not wait for more to be sent.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY cannot be set");
    }
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if let Err(error) = socket2::SockRef::from(stream).set_tcp_notsent_lowat(UNSENT) {
        tracing::debug!(%error, "TCP_NOTSENT_LOWAT cannot be set");
    }
}

/// How the connections of a listener are served.
struct Http {
    builder: Builder<StreamExecutor>,
    timing: Timing,
    stack: Arc<Stack>,
    connections: Connections,
    tls: Option<Arc<Tls>>,
    /// A shutdown began: each connection ends with its next answer.
    is_ending: AtomicBool,
}

impl Http {
    async fn serve(
        self: Arc<Self>,
        stream: TcpStream,
        address: SocketAddr,
        admission: Admission,
        shutdown: watch::Receiver<bool>,
    ) {
        let entry = &admission.entry;
        let socket = match &self.tls {
            None => Socket::Plain(Counted::new(stream, Arc::clone(entry))),
            Some(tls) => {
                let by: Instant = entry.activity.moved() + self.timing.header;
                // Boxed, so that a connection without TLS takes no memory for it.
                let handshake = handshake::accept(tls, stream, entry, by, shutdown.clone());
                match Box::pin(handshake).await {
                    Ok(stream) => Socket::Tls(Box::new(stream)),
                    Err(error) => {
                        tracing::debug!(%address, %error, "a connection was closed before TLS was agreed on");
                        return;
                    }
                }
            }
        };
        let service = service_fn(|mut request: Request<Incoming>| {
            let is_empty = request.body().is_end_stream();
            let extensions = request.extensions_mut();
            extensions.insert(axum::extract::ConnectInfo(Peer(address.ip())));
            if !is_empty {
                // Who reads the body has to know on which connection it arrives.
                extensions.insert(Arc::clone(entry));
            }
            answer(Arc::clone(&self), request.map(Body::new), Arc::clone(entry))
        });
        let connection = self.builder.serve_connection(TokioIo::new(socket), service);
        let end = supervise(
            connection,
            |connection| connection.graceful_shutdown(),
            &entry.activity,
            &self.timing,
            shutdown,
        );
        match end.await {
            End::Finished => {}
            End::Idle => {
                tracing::debug!(%address, "a connection was closed: no request came in time");
            }
            End::Unread => {
                tracing::debug!(%address, "a connection was closed: its answer was not read");
            }
        }
    }
}

/// Has a request answered, and counts what its answer takes in memory.
async fn answer(
    http: Arc<Http>,
    request: Request<Body>,
    entry: Arc<Entry>,
) -> Result<Response<Sending>, Infallible> {
    let memory = &http.connections.memory;
    let open = OpenRequest::begin(&entry);
    let is_http2 = request.version() == Version::HTTP_2;
    entry.activity.set_http2(is_http2);
    let is_safe = request.method().is_safe();
    let mut response = if memory.has_share(&entry, http.timing.write).await {
        http.stack.answer(request).await
    } else {
        ApiError::Overloaded("earlier answers on this connection were not read").into_response()
    };
    if !is_http2 && (entry.activity.has_unread_body() || http.is_ending.load(Relaxed)) {
        // The connection ends with this answer: who does not know it may send the next request on it, in vain (RFC 9112,
        // section 9.6).
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    let extensions = response.extensions();
    let kind = extensions.get::<ResponseKind>().copied();
    let mut kept = extensions.get().map_or(0, |Kept(bytes)| *bytes);
    let ready = if kind == Some(ResponseKind::Relayed) {
        0
    } else if response.headers().contains_key(header::CONTENT_ENCODING) {
        // What is compressed stays in memory until all of it was.
        kept = kept.saturating_add(extensions.get().map_or(0, |Ready(bytes)| *bytes));
        0
    } else {
        usize::try_from(response.body().size_hint().lower()).unwrap_or(usize::MAX)
    };
    let size = ready.saturating_add(kept);
    let mut held = None;
    if size > SMALL {
        if is_safe || kind == Some(ResponseKind::Read) {
            held = memory.reserve(&entry, size).await;
            if held.is_none() {
                response = ApiError::Overloaded(
                    "there is no memory for this answer now; try again, or ask for fewer records",
                )
                .into_response();
            }
        } else {
            // Something was written: the caller has to see what.
            held = Some(memory.take(&entry, size));
        }
    }
    if http.tls.is_some() {
        let headers = response.headers_mut();
        headers.insert(header::STRICT_TRANSPORT_SECURITY, STRICT_TRANSPORT);
    }
    let kept = held.as_mut().map(|held| held.split(kept));
    Ok(response.map(|body| Sending::new(body, (held, kept), Arc::clone(memory), open, is_http2)))
}
