//! Agreeing on TLS with a caller. It has to be done when the first head of a request would have to be there.

use std::{io, pin::pin, sync::Arc};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::watch,
    time::{Instant, timeout_at},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::{registry::Entry, stream::Counted};
use crate::http::tls::Tls;

/// What a caller reads who does not speak TLS.
const PLAIN_HTTP: &str = "HTTP/1.1 400 Bad Request\r\n\
    Content-Type: application/json\r\n\
    Content-Length: 78\r\n\
    Cache-Control: no-store\r\n\
    X-Content-Type-Options: nosniff\r\n\
    Connection: close\r\n\r\n\
    {\"non_field_errors\":[\"this address speaks TLS; the URL begins with https://\"]}";
/// How much a caller who does not speak TLS may send until the connection is closed.
const MOST_DISCARDED: u64 = 64 << 10;

/// The stream over TLS.
pub(super) async fn accept(
    tls: &Tls,
    stream: TcpStream,
    entry: &Arc<Entry>,
    by: Instant,
    mut shutdown: watch::Receiver<bool>,
) -> io::Result<TlsStream<Counted<TcpStream>>> {
    let agreed = pin!(timeout_at(by, agree(tls, stream, entry)));
    tokio::select! {
        agreed = agreed => agreed.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())),
        _ = shutdown.wait_for(|&stop| stop) => Err(io::Error::other("the service is shutting down")),
    }
}

async fn agree(
    tls: &Tls,
    stream: TcpStream,
    entry: &Arc<Entry>,
) -> io::Result<TlsStream<Counted<TcpStream>>> {
    let mut first = [0];
    if stream.peek(&mut first).await? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    // A record of TLS begins with a small number, and a request of HTTP with a method.
    if first[0].is_ascii_alphabetic() {
        refuse_plain_http(stream).await?;
        return Err(io::Error::other("the caller speaks plain HTTP"));
    }
    let stream = Counted::new(stream, Arc::clone(entry));
    TlsAcceptor::from(tls.current()).accept(stream).await
}

/// Answers, closes the own side, and reads what was sent: the system would else reset the connection, and the caller
/// might not see the answer.
async fn refuse_plain_http(mut stream: TcpStream) -> io::Result<()> {
    stream.write_all(PLAIN_HTTP.as_bytes()).await?;
    stream.shutdown().await?;
    let mut rest = stream.take(MOST_DISCARDED);
    tokio::io::copy(&mut rest, &mut tokio::io::sink()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_plain_http_has_the_length_that_it_says() {
        let (head, body) = PLAIN_HTTP.split_once("\r\n\r\n").unwrap();
        let length = format!("Content-Length: {}\r\n", body.len());
        assert!(head.contains(&length), "{length}");
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert!(body["non_field_errors"][0].is_string());
    }
}
