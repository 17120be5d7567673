//! The socket of a connection: it counts what is written, and closes so that the caller can read the last answer.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::registry::Entry;

/// How many bytes are discarded at once.
const PORTION: usize = 16 << 10;

/// A socket whose writes are counted.
#[derive(Debug)]
pub(super) struct Counted<S> {
    socket: S,
    entry: Arc<Entry>,
    /// Whether the own side is closed, and what the caller still sends is discarded.
    lingers: bool,
}

impl<S> Counted<S> {
    pub(super) fn new(socket: S, entry: Arc<Entry>) -> Self {
        Self {
            socket,
            entry,
            lingers: false,
        }
    }

    fn note(&self, result: &Poll<io::Result<usize>>) {
        match result {
            Poll::Ready(Ok(bytes)) => self.entry.activity.wrote(*bytes),
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.entry.activity.block(),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Counted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.note(&result);
        result
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.socket).poll_write_vectored(context, slices);
        self.note(&result);
        result
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    /// Closes. When the last request's body was not read, what still arrives of it is read and discarded: the system
    /// would else reset the connection, and the caller might never see the answer (RFC 9112, section 9.6). The
    /// deadline of an idle connection ends this.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if !this.lingers {
            ready!(Pin::new(&mut this.socket).poll_shutdown(context))?;
            if !this.entry.activity.has_unread_body() {
                return Poll::Ready(Ok(()));
            }
            this.lingers = true;
        }
        let mut portion = [0; PORTION];
        loop {
            let mut buffer = ReadBuf::new(&mut portion);
            ready!(Pin::new(&mut this.socket).poll_read(context, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
