//! The socket of a connection, with or without TLS. It is one type, so that HTTP over it is compiled once.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_rustls::server::TlsStream;

use super::stream::Counted;

/// A socket. What is counted is what the network carries.
#[derive(Debug)]
pub(super) enum Socket {
    Plain(Counted<TcpStream>),
    Tls(Box<TlsStream<Counted<TcpStream>>>),
}

/// Has the socket inside do it.
macro_rules! forward {
    ($self:ident, $socket:ident => $does:expr) => {
        match $self.get_mut() {
            Self::Plain(socket) => {
                let $socket = Pin::new(socket);
                $does
            }
            Self::Tls(socket) => {
                let $socket = Pin::new(socket);
                $does
            }
        }
    };
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        forward!(self, socket => socket.poll_read(context, buffer))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        forward!(self, socket => socket.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        forward!(self, socket => socket.poll_write_vectored(context, slices))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(socket) => socket.is_write_vectored(),
            Self::Tls(socket) => socket.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        forward!(self, socket => socket.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        forward!(self, socket => socket.poll_shutdown(context))
    }
}
