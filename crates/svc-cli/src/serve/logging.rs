//! Log lines on standard error.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::{EnvFilter, fmt};

use crate::{
    error::Error,
    serve::options::{LogFormat, ServerOptions, Sources},
};

/// Starts logging; `default` is the filter when none is set.
pub(crate) fn start(options: &ServerOptions, given: &Sources, default: &str) -> Result<(), Error> {
    let filter = options.log.as_deref().unwrap_or(default);
    let filter = EnvFilter::builder().parse(filter).map_err(|error| {
        let message =
            format!("{error}; write a level such as info, or a list such as warn,svc_server=debug");
        options.wrong(given, "log", &message)
    })?;
    let colours = io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let lines = fmt().with_env_filter(filter).with_writer(io::stderr);
    let started = match options.log_format.unwrap_or(LogFormat::Text) {
        LogFormat::Text => lines.with_ansi(colours).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| Error::new(format!("cannot start logging: {error}")))
}
