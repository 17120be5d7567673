//! Sockets that the service manager opened and passes to the program (`sd_listen_fds`). They stay open while the program
//! restarts: who connects meanwhile waits, and is not refused.

use svc_server::OpenListeners;

use crate::error::Error;

/// The names of passed sockets, which are those of the options that they stand for.
#[cfg(unix)]
const NAMES: [&str; 4] = ["listen", "data-listen", "metrics-listen", "http-redirect"];

/// The sockets that were passed to this process; none where there is no service manager.
///
/// # Errors
/// When one is no TCP socket, or two have the same name.
#[cfg(unix)]
pub(crate) fn passed() -> Result<OpenListeners, Error> {
    let names = std::env::var("LISTEN_FDNAMES").unwrap_or_default();
    let mut names = names.split(':');
    let mut sockets = listenfd::ListenFd::from_env();
    let mut open = OpenListeners::default();
    for at in 0..sockets.len() {
        let name = names.next().filter(|name| NAMES.contains(name));
        let name = name.unwrap_or(NAMES[0]);
        let socket = sockets.take_tcp_listener(at).map_err(|source| {
            Error::usage(format!(
                "the service manager passed a socket for --{name} that is not TCP ({source}); set ListenStream= of the \
                 socket unit to a port, or to an address and a port"
            ))
        })?;
        let place = match name {
            "data-listen" => &mut open.data_listen,
            "metrics-listen" => &mut open.metrics_listen,
            "http-redirect" => &mut open.http_redirect,
            _ => &mut open.listen,
        };
        if place.is_some() {
            return Err(Error::usage(format!(
                "the service manager passed two sockets for --{name}; make a socket unit for each, with FileDescriptorName= \
                 one of {}",
                NAMES.join(", ")
            )));
        }
        *place = socket;
    }
    Ok(open)
}

/// None: there are no such service managers.
#[cfg(not(unix))]
pub(crate) fn passed() -> Result<OpenListeners, Error> {
    Ok(OpenListeners::default())
}
