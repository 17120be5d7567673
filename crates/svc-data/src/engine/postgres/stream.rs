//! The stream to a server, on which no message of any size is taken into memory: a row that is announced as too
//! large is left out, and an error takes its place.

use std::{
    error::Error as StdError,
    future::Future,
    io,
    net::IpAddr,
    path::PathBuf,
    pin::Pin,
    task::{Context, Poll, ready},
};

use deadpool_postgres::Connect;
use svc_model::wire::BoxFuture;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf},
    task::JoinHandle,
};
use tokio_postgres::{
    Client, Config, NoTls, Socket,
    config::SslMode,
    tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream},
};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::{
    Outage,
    engine::{
        ServerRule,
        server::{resolve::resolve, tls::Verify},
    },
};

/// The most bytes of one message of the server, which is one row at most.
const MAX_MESSAGE: usize = 64 << 20;
/// How many bytes are read at once.
const CHUNK: usize = 16 << 10;
/// What asks a server for TLS: the length of the request, and its number.
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
/// What is said in place of a row that is too large.
pub(super) const ROW_TOO_LARGE: &str =
    "a row is larger than 64 MiB; leave its large fields out (`_fields`)";

type Connector = <MakeRustlsConnect as MakeTlsConnect<Socket>>::TlsConnect;
type Encrypted = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;

/// Makes streams, encrypted or not, as the URL of the resource says.
#[derive(Clone)]
pub(crate) struct MakeStream {
    pub(super) tls: MakeRustlsConnect,
    pub(super) mode: Verify,
}

/// Makes one stream.
pub(crate) struct ConnectStream {
    tls: Connector,
    mode: Verify,
}

impl MakeTlsConnect<Socket> for MakeStream {
    type Stream = LimitedStream;
    type TlsConnect = ConnectStream;
    type Error = Box<dyn StdError + Send + Sync>;

    fn make_tls_connect(&mut self, domain: &str) -> Result<ConnectStream, Self::Error> {
        Ok(ConnectStream {
            tls: MakeTlsConnect::<Socket>::make_tls_connect(&mut self.tls, domain)?,
            mode: self.mode,
        })
    }
}

impl TlsConnect<Socket> for ConnectStream {
    type Stream = LimitedStream;
    type Error = Box<dyn StdError + Send + Sync>;
    type Future = BoxFuture<'static, Result<LimitedStream, Self::Error>>;

    fn connect(self, mut socket: Socket) -> Self::Future {
        Box::pin(async move {
            if self.mode == Verify::Never {
                return Ok(LimitedStream::new(Wire::Plain(socket)));
            }
            socket.write_all(&TLS_REQUEST).await?;
            let mut answer = [0];
            socket.read_exact(&mut answer).await?;
            match (answer, self.mode) {
                ([b'S'], _) => {
                    let encrypted = self.tls.connect(socket).await?;
                    Ok(LimitedStream::new(Wire::Encrypted(Box::new(encrypted))))
                }
                ([b'N'], Verify::IfOffered) => Ok(LimitedStream::new(Wire::Plain(socket))),
                ([b'N'], _) => Err(Outage::NoTls.into()),
                _ => Err(Outage::NotAServer.into()),
            }
        })
    }
}

/// The hosts at which a server may be found, in the order in which they are tried, and how streams to them are made.
#[derive(Clone)]
pub(crate) struct Hosts {
    pub(super) hosts: Vec<RemoteHost>,
    pub(super) stream: MakeStream,
    /// Which servers may be connected to, where not all.
    pub(super) rule: Option<ServerRule>,
}

/// A host of a URL.
#[derive(Clone)]
pub(crate) struct RemoteHost {
    /// What its certificate is to name.
    pub(super) name: String,
    /// Its address, where the URL says it.
    pub(super) address: Option<IpAddr>,
    pub(super) port: u16,
}

impl RemoteHost {
    /// Whether it is this machine, as far as its name or address tells.
    pub(super) fn is_this_machine(&self) -> bool {
        let address = self.address.or_else(|| self.name.parse().ok());
        address.map_or(self.name == "localhost", |address: IpAddr| {
            address.is_loopback()
        })
    }
}

impl Hosts {
    /// Adds the addresses of the hosts as they are now. Those of a host that has none are left out where another has some.
    pub(super) async fn resolve(&self, mut config: Config) -> Result<Config, Outage> {
        let mut failed = Outage::UnknownHost;
        for RemoteHost {
            name,
            address,
            port,
        } in &self.hosts
        {
            let named = match address {
                Some(address) => address.to_string(),
                None => name.clone(),
            };
            match resolve(&named, *port, self.rule.as_ref()).await {
                Ok(addresses) => {
                    for address in addresses {
                        config.host(name).hostaddr(address).port(*port);
                    }
                }
                Err(outage) => failed = outage,
            }
        }
        match config.get_hostaddrs().is_empty() {
            true => Err(failed),
            false => Ok(config),
        }
    }
}

impl Connect for Hosts {
    fn connect(
        &self,
        config: &Config,
    ) -> BoxFuture<'_, Result<(Client, JoinHandle<()>), tokio_postgres::Error>> {
        let mut config = config.clone();
        Box::pin(async move {
            match self.resolve(config.clone()).await {
                Ok(config) => {
                    let (client, connection) = config.connect(self.stream.clone()).await?;
                    Ok((client, spawn(connection)))
                }
                Err(outage) => {
                    // No error of the driver can be made here, but one of the stream.
                    config.ssl_mode(SslMode::Disable);
                    let stream = LimitedStream::new(Wire::Failed(Failure::Outage(outage)));
                    let (client, connection) = config.connect_raw(stream, NoTls).await?;
                    Ok((client, spawn(connection)))
                }
            }
        })
    }
}

/// Runs a connection until its client is dropped.
fn spawn<C>(connection: C) -> JoinHandle<()>
where
    C: Future<Output = Result<(), tokio_postgres::Error>> + Send + 'static,
{
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to a database server has ended");
        }
    })
}

/// The Unix sockets at which a server may be found, in the order in which they are tried.
#[derive(Clone)]
pub(crate) struct LocalSockets(pub(super) Vec<PathBuf>);

impl LocalSockets {
    /// Opens the first socket at which a server listens. Where none listens, the stream returns the error when it is
    /// written to.
    pub(super) async fn open(&self) -> LimitedStream {
        LimitedStream::new(Wire::local(&self.0).await)
    }

    /// The socket of a server with this port in a folder.
    #[cfg(unix)]
    pub(super) fn path(folder: &std::path::Path, port: u16) -> PathBuf {
        folder.join(format!(".s.PGSQL.{port}"))
    }
}

impl Connect for LocalSockets {
    fn connect(
        &self,
        config: &Config,
    ) -> BoxFuture<'_, Result<(Client, JoinHandle<()>), tokio_postgres::Error>> {
        let config = config.clone();
        Box::pin(async move {
            let (client, connection) = config.connect_raw(self.open().await, NoTls).await?;
            Ok((client, spawn(connection)))
        })
    }
}

enum Wire {
    Plain(Socket),
    Encrypted(Box<Encrypted>),
    #[cfg(unix)]
    Local(UnixStream),
    /// There is no stream.
    Failed(Failure),
}

/// Why there is no stream.
#[derive(Clone, Copy)]
enum Failure {
    /// Nobody listens.
    Io(io::ErrorKind),
    Outage(Outage),
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Io(kind) => kind.into(),
            Failure::Outage(outage) => Self::other(outage),
        }
    }
}

/// What is read from and written to.
trait Duplex: AsyncRead + AsyncWrite + Unpin {}

impl<T: AsyncRead + AsyncWrite + Unpin> Duplex for T {}

impl Wire {
    /// The first of these sockets at which a server listens.
    #[cfg(unix)]
    async fn local(paths: &[PathBuf]) -> Self {
        let mut failed = io::ErrorKind::NotFound;
        for path in paths {
            match UnixStream::connect(path).await {
                Ok(socket) => return Self::Local(socket),
                Err(error) => failed = error.kind(),
            }
        }
        Self::Failed(Failure::Io(failed))
    }

    /// No other system has such sockets.
    #[cfg(not(unix))]
    async fn local(_: &[PathBuf]) -> Self {
        Self::Failed(Failure::Io(io::ErrorKind::Unsupported))
    }

    fn open(&mut self) -> io::Result<Pin<&mut dyn Duplex>> {
        Ok(Pin::new(match self {
            Self::Plain(socket) => socket,
            #[cfg(unix)]
            Self::Local(socket) => socket,
            Self::Encrypted(stream) => stream,
            Self::Failed(failure) => return Err((*failure).into()),
        }))
    }
}

/// A stream whose messages have a limited size.
pub(crate) struct LimitedStream {
    wire: Wire,
    messages: Messages,
    chunk: Box<[u8]>,
}

impl LimitedStream {
    fn new(wire: Wire) -> Self {
        Self {
            wire,
            messages: Messages::default(),
            chunk: vec![0; CHUNK].into_boxed_slice(),
        }
    }
}

/// The messages that come from a server: a byte that says what it is, four with the length, and the rest.
#[derive(Default)]
struct Messages {
    header: [u8; 5],
    /// How many bytes of the header are known.
    known: usize,
    /// How many bytes of the message are still to be passed on.
    left: usize,
    /// How many bytes of the message are still to be left out.
    skipped: usize,
    /// What was passed on, and how much of it was read.
    out: Vec<u8>,
    read: usize,
}

impl Messages {
    fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.skipped > 0 {
                let (_, rest) = bytes.split_at(self.skipped.min(bytes.len()));
                self.skipped -= bytes.len() - rest.len();
                bytes = rest;
            } else if self.left > 0 {
                let (passed, rest) = bytes.split_at(self.left.min(bytes.len()));
                self.out.extend_from_slice(passed);
                self.left -= passed.len();
                bytes = rest;
            } else if self.known == 0
                && let Some((header, rest)) = bytes.split_first_chunk()
            {
                self.header = *header;
                bytes = rest;
                self.begin();
            } else if let Some((byte, rest)) = bytes.split_first() {
                if let Some(place) = self.header.get_mut(self.known) {
                    *place = *byte;
                    self.known += 1;
                }
                bytes = rest;
                if self.known == self.header.len() {
                    self.begin();
                }
            }
        }
    }

    /// Begins a message whose header is known.
    fn begin(&mut self) {
        self.known = 0;
        let [_, a, b, c, d] = self.header;
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        // The length counts itself.
        let body = length.saturating_sub(4);
        if body > MAX_MESSAGE {
            self.skipped = body;
            self.out.extend(row_too_large());
        } else {
            self.left = body;
            self.out.extend_from_slice(&self.header);
        }
    }

    /// Gives what was passed on; false when there is nothing.
    fn give(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        let waiting = self.out.get(self.read..).unwrap_or_default();
        if waiting.is_empty() {
            return false;
        }
        let (given, rest) = waiting.split_at(waiting.len().min(buffer.remaining()));
        buffer.put_slice(given);
        match rest.is_empty() {
            true => {
                self.out.clear();
                self.read = 0;
            }
            false => self.read += given.len(),
        }
        true
    }
}

/// The message of an error, as a server would send it.
fn row_too_large() -> Vec<u8> {
    let fields = format!("SERROR\0VERROR\0C54000\0M{ROW_TOO_LARGE}\0\0");
    let length = u32::try_from(fields.len() + 4).unwrap_or(u32::MAX);
    [b"E", &length.to_be_bytes()[..], fields.as_bytes()].concat()
}

impl AsyncRead for LimitedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while !this.messages.give(buffer) {
            let mut chunk = ReadBuf::new(&mut this.chunk);
            ready!(this.wire.open()?.poll_read(context, &mut chunk))?;
            if chunk.filled().is_empty() {
                break;
            }
            this.messages.push(chunk.filled());
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for LimitedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.wire.open()?.poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.wire.open()?.poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.wire.open()?.poll_shutdown(context)
    }
}

impl TlsStream for LimitedStream {
    fn channel_binding(&self) -> ChannelBinding {
        match &self.wire {
            Wire::Encrypted(stream) => stream.channel_binding(),
            _ => ChannelBinding::none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let mut message = vec![kind];
        message.extend(u32::try_from(body.len() + 4).unwrap().to_be_bytes());
        message.extend_from_slice(body);
        message
    }

    #[test]
    fn messages_pass_unchanged_however_they_are_cut() {
        let sent = [
            message(b'T', b""),
            message(b'D', &[7; 300]),
            message(b'Z', b"I"),
        ]
        .concat();
        for size in [1, 2, 5, 7, 301, 1000] {
            let mut messages = Messages::default();
            for part in sent.chunks(size) {
                messages.push(part);
            }
            assert_eq!(messages.out, sent, "{size}");
        }
    }

    #[test]
    fn a_row_that_is_announced_as_too_large_is_never_held_in_memory() {
        let mut messages = Messages::default();
        let announced = u32::try_from(MAX_MESSAGE + 5).unwrap();
        messages.push(b"D");
        messages.push(&announced.to_be_bytes());
        let part = vec![1; 1 << 20];
        for _ in 0..64 {
            messages.push(&part);
        }
        messages.push(&[1]);
        messages.push(&message(b'Z', b"I"));
        assert_eq!(messages.out.first(), Some(&b'E'));
        assert!(messages.out.ends_with(&message(b'Z', b"I")));
        assert!(
            messages.out.capacity() < 1000,
            "{}",
            messages.out.capacity()
        );
    }
}
