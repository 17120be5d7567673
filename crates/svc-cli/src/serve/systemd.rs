//! What the service manager is told (`sd_notify`): when the service answers, that it still does, and that it stops. It does
//! nothing where no manager asks for it.

use std::{
    env,
    future::Future,
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use sd_notify::NotifyState;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{sleep, timeout},
};

use crate::error::Error;

/// How long an answer may take at the start, and how long to wait between two tries.
const FIRST_ANSWER: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);
/// What an answer that tells of a fault of the service begins with.
const UNHEALTHY: &[u8] = b"HTTP/1.1 5";

/// Tells the manager once these listeners answer, and from then on in half the time of its watchdog, as long as they do.
///
/// # Errors
/// When the watchdog's time cannot be kept.
pub(crate) fn watch(addresses: Vec<SocketAddr>) -> Result<(), Error> {
    if env::var_os("NOTIFY_SOCKET").is_none() {
        return Ok(());
    }
    let watchdog = sd_notify::watchdog_enabled();
    if watchdog.is_some_and(|time| time < Duration::from_millis(100)) {
        return Err(Error::usage(
            "WATCHDOG_USEC is too short; set WatchdogSec= of the unit to a second or more",
        ));
    }
    tokio::spawn(async move {
        while let Err(error) = answer(&addresses, FIRST_ANSWER).await {
            tracing::debug!(%error, "the service does not answer yet");
            sleep(PAUSE).await;
        }
        tell(&[NotifyState::Ready]);
        let Some(half) = watchdog.map(|time| time / 2) else {
            return;
        };
        loop {
            match answer(&addresses, half / 2).await {
                Ok(()) => tell(&[NotifyState::Watchdog]),
                Err(error) => {
                    tracing::error!(%error, "the service does not answer, and the watchdog is not told that it does");
                }
            }
            sleep(half).await;
        }
    });
    Ok(())
}

/// The same end, of which the manager is told.
pub(crate) async fn stopping(stop: impl Future<Output = ()>) {
    stop.await;
    tell(&[NotifyState::Stopping]);
}

fn tell(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the service manager cannot be told about the service");
    }
}

/// Asks each listener for its health, as a caller would.
async fn answer(addresses: &[SocketAddr], patience: Duration) -> io::Result<()> {
    for address in addresses {
        let asked = timeout(patience, ask(reachable(*address)));
        asked.await.map_err(|_| io::ErrorKind::TimedOut)??;
    }
    Ok(())
}

async fn ask(address: SocketAddr) -> io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut beginning = Vec::with_capacity(UNHEALTHY.len());
    let mut limited = stream.take(UNHEALTHY.len() as u64);
    // A listener that speaks TLS answers this with 400, or ends the connection: it works, too.
    limited.read_to_end(&mut beginning).await?;
    match beginning == UNHEALTHY {
        true => Err(io::Error::other("/healthz tells of a fault")),
        false => Ok(()),
    }
}

/// Where a listener on all addresses of the machine is reached from here.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    async fn answered_with(answer_of: &'static [u8]) -> io::Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = [0; 512];
            let _ = stream.read(&mut head).await.unwrap();
            stream.write_all(answer_of).await.unwrap();
        });
        let asked = answer(&[address], FIRST_ANSWER).await;
        server.await.unwrap();
        asked
    }

    #[tokio::test]
    async fn a_listener_that_answers_is_healthy_with_tls_too_and_one_that_fails_is_not() {
        answered_with(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        answered_with(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .await
            .unwrap();
        answered_with(&[21, 3, 1, 0, 2, 2, 70]).await.unwrap();
        answered_with(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
            .await
            .unwrap_err();
    }

    #[tokio::test]
    async fn a_listener_that_accepts_and_is_silent_does_not_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = answer(&[address], Duration::from_millis(100)).await;
        assert_eq!(asked.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
