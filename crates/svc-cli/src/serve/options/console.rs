//! The options of a console for a service elsewhere: those of the server that are about browsers.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;
use svc_server::IpRange;

use super::{LogFormat, ServerOptions, values::parse_address};

/// Where it listens when nothing is said: beside a service on the same machine.
const LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8081);

/// The options of `console`. The configuration file may have the others of the server, as far as they are about connections.
#[derive(Args)]
#[command(next_help_heading = "Server options")]
pub(crate) struct ConsoleOptions {
    /// Address to listen on; port 0 takes a free one [default: 127.0.0.1:8081]
    #[arg(long, value_name = "ADDR", env = "SVC_LISTEN", value_parser = parse_address)]
    listen: Option<SocketAddr>,
    /// URL under which browsers reach the console, such as https://console.example.com
    #[arg(long, value_name = "URL", env = "SVC_PUBLIC_URL")]
    public_url: Option<String>,
    /// Proxies whose X-Forwarded-* headers are trusted: addresses or ranges such as 10.0.0.0/8
    #[arg(
        long,
        value_name = "RANGE,...",
        env = "SVC_TRUSTED_PROXIES",
        value_delimiter = ','
    )]
    trusted_proxies: Option<Vec<IpRange>>,
    /// File with the certificate chain (PEM), the console's own first: HTTPS in place of HTTP. It is read again when it changes
    #[arg(long, value_name = "FILE", env = "SVC_TLS_CERT")]
    tls_cert: Option<PathBuf>,
    /// File with the private key of the certificate (PEM: PKCS#8, PKCS#1 or SEC1)
    #[arg(long, value_name = "FILE", env = "SVC_TLS_KEY")]
    tls_key: Option<PathBuf>,
    /// What is logged, such as warn or svc_server=debug [default: info]
    #[arg(long, value_name = "FILTER", env = "SVC_LOG")]
    log: Option<String>,
    /// How log lines look [default: text]
    #[arg(long, value_name = "FORMAT", env = "SVC_LOG_FORMAT")]
    log_format: Option<LogFormat>,
}

impl ConsoleOptions {
    /// The same as options of the server, with what the configuration file says.
    pub(crate) fn or(self, file: &ServerOptions) -> ServerOptions {
        let given = ServerOptions {
            listen: self.listen,
            public_url: self.public_url,
            trusted_proxies: self.trusted_proxies,
            tls_cert: self.tls_cert,
            tls_key: self.tls_key,
            log: self.log,
            log_format: self.log_format,
            ..ServerOptions::default()
        };
        let mut options = given.or(file);
        options.listen.get_or_insert(LISTEN);
        options
    }
}
