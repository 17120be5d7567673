//! Connections in the form that hyper needs.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use hyper::{
    rt::{Read, ReadBufCursor, Write},
    upgrade::Upgraded,
};
use hyper_util::{
    client::legacy::connect::{Connected, Connection},
    rt::TokioIo,
};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// A connection to the service, or to a proxy that forwards requests.
pub(crate) struct Stream {
    io: Io,
    proxied: bool,
}

impl Stream {
    pub(super) fn direct(io: Io) -> Self {
        Self { io, proxied: false }
    }

    /// A connection on which requests are sent in the absolute form (RFC 9112, section 3.2.2).
    pub(super) fn proxied(io: Io) -> Self {
        Self { io, proxied: true }
    }
}

/// The byte stream below HTTP.
pub(super) enum Io {
    Tcp(TokioIo<TcpStream>),
    Tls(Box<TokioIo<TlsStream<TcpStream>>>),
    Tunnel(Box<TokioIo<TlsStream<TokioIo<Upgraded>>>>),
}

impl Io {
    pub(super) fn tcp(stream: TcpStream) -> Self {
        Self::Tcp(TokioIo::new(stream))
    }

    pub(super) fn tls(session: TlsStream<TcpStream>) -> Self {
        Self::Tls(Box::new(TokioIo::new(session)))
    }

    pub(super) fn tunnel(session: TlsStream<TokioIo<Upgraded>>) -> Self {
        Self::Tunnel(Box::new(TokioIo::new(session)))
    }

    fn speaks_http2(&self) -> bool {
        let session = match self {
            Self::Tcp(_) => return false,
            Self::Tls(io) => io.inner().get_ref().1,
            Self::Tunnel(io) => io.inner().get_ref().1,
        };
        session.alpn_protocol() == Some(b"h2")
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        let connected = Connected::new().proxy(self.proxied);
        if self.io.speaks_http2() {
            connected.negotiated_h2()
        } else {
            connected
        }
    }
}

impl Read for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_read(context, buffer)
    }
}

impl Write for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().io).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().io).poll_write_vectored(context, slices)
    }
}

impl Read for Io {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(io) => Pin::new(io).poll_read(context, buffer),
            Self::Tls(io) => Pin::new(io).poll_read(context, buffer),
            Self::Tunnel(io) => Pin::new(io).poll_read(context, buffer),
        }
    }
}

impl Write for Io {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(io) => Pin::new(io).poll_write(context, bytes),
            Self::Tls(io) => Pin::new(io).poll_write(context, bytes),
            Self::Tunnel(io) => Pin::new(io).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(io) => Pin::new(io).poll_flush(context),
            Self::Tls(io) => Pin::new(io).poll_flush(context),
            Self::Tunnel(io) => Pin::new(io).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(io) => Pin::new(io).poll_shutdown(context),
            Self::Tls(io) => Pin::new(io).poll_shutdown(context),
            Self::Tunnel(io) => Pin::new(io).poll_shutdown(context),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Tcp(io) => io.is_write_vectored(),
            Self::Tls(io) => io.is_write_vectored(),
            Self::Tunnel(io) => io.is_write_vectored(),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(io) => Pin::new(io).poll_write_vectored(context, slices),
            Self::Tls(io) => Pin::new(io).poll_write_vectored(context, slices),
            Self::Tunnel(io) => Pin::new(io).poll_write_vectored(context, slices),
        }
    }
}
