//! When to stop: SIGINT and SIGTERM end the service gracefully, a second one at once.

use std::future::Future;

use crate::error::Error;

/// Listens for the signals from now on; the future is done with the first.
pub(crate) fn requested() -> Result<impl Future<Output = ()> + Send + 'static, Error> {
    let mut signals = Signals::new().map_err(|error| {
        Error::new(format!(
            "cannot listen for signals: {error}; start the program again"
        ))
    })?;
    Ok(async move {
        signals.next().await;
        tracing::info!("stopping: requests in flight are finished; a second signal ends them");
        tokio::spawn(async move {
            signals.next().await;
            std::process::exit(1);
        });
    })
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// Never awaited: while there is a listener, a file that may not grow is an error and not the end.
    _file_size: Option<tokio::signal::unix::Signal>,
}

/// SIGXFSZ, which Linux, macOS and the BSDs give the same number on the processors in use.
#[cfg(unix)]
const FILE_SIZE: i32 = 25;

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            _file_size: signal(SignalKind::from_raw(FILE_SIZE)).ok(),
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
