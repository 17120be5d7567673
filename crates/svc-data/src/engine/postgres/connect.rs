//! Connections to a PostgreSQL server: the URL, TLS, the pool, and what happens when the server is away.

use std::{path::PathBuf, str::FromStr, sync::Arc, time::Duration};

pub(super) use deadpool_postgres::Manager;
use deadpool_postgres::{ClientWrapper, Hook, HookError, ManagerConfig, RecyclingMethod};
use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
};
use tokio_postgres::{
    Config, NoTls, Statement,
    config::{Host, SslMode, SslNegotiation, TargetSessionAttrs},
};
use tokio_postgres_rustls::MakeRustlsConnect;

#[cfg(feature = "sqlite")]
use super::listen;
use super::{
    fault,
    stream::{Hosts, LocalSockets, MakeStream, RemoteHost},
};
use crate::{
    Error, Location, Result, ServerLocation,
    admission::Admission,
    engine::{
        ServerRule,
        server::{
            connections::Connections,
            gate::CONNECT_TIMEOUT,
            lease::{self, ConnectionManager},
            tls::{Verify, Words},
        },
    },
};

/// How often the server is requested to cancel a statement until it has ended, and how long each request has.
const CANCELS: u32 = 10;
const CANCEL_PAUSE: Duration = Duration::from_millis(500);
/// From how many statements on those that a connection keeps prepared are forgotten.
const MAX_PREPARED: usize = 256;

/// Where a server is, and how it is reached.
pub(crate) struct Source {
    /// What is said to the server; where it is has its place in the stream.
    config: Config,
    stream: StreamSource,
}

/// How a stream to the server is made.
#[derive(Clone)]
pub(crate) enum StreamSource {
    Network(Hosts),
    /// Through a socket of this machine, without TLS.
    Local(LocalSockets),
}

impl StreamSource {
    /// Whether the server runs on this machine, as far as its address tells.
    fn is_of_this_machine(&self) -> bool {
        match self {
            Self::Local(_) => true,
            Self::Network(hosts) => hosts.hosts.iter().all(RemoteHost::is_this_machine),
        }
    }
}

/// What a URL says.
struct ParsedUrl {
    config: Config,
    sockets: Option<LocalSockets>,
    verify: Verify,
    root: Option<String>,
}

/// Where the server is that follows `postgres:` in a URL.
pub(super) fn location(rest: &str) -> Result<Location> {
    let ParsedUrl {
        config,
        sockets,
        root,
        ..
    } = ParsedUrl::parse(rest)?;
    let hosts = match &sockets {
        Some(_) => Vec::new(),
        None => hosts(&config)?,
    };
    let hosts = hosts.into_iter().map(|host| {
        let named = host.address.map(|address| address.to_string());
        (named.unwrap_or(host.name), host.port)
    });
    Ok(Location::Server(ServerLocation {
        hosts: hosts.collect(),
        sockets: sockets.map(|sockets| sockets.0).unwrap_or_default(),
        certificates: root.map(PathBuf::from),
    }))
}

impl ParsedUrl {
    /// Reads what follows `postgres:` in a URL.
    fn parse(rest: &str) -> Result<Self> {
        let (rest, verify, root) = TLS.split(rest)?;
        let config = Config::from_str(&format!("postgres:{rest}")).map_err(|error| {
            // The text of the error may quote the URL.
            tracing::debug!(kind = "postgres", "a URL cannot be read");
            drop(error);
            wrong_url()
        })?;
        if config.get_dbname().is_none() && config.get_user().is_none() {
            return Err(Error::invalid(
                "the URL of a PostgreSQL database names neither a user nor a database",
            ));
        }
        Ok(Self {
            sockets: sockets(&config)?,
            config,
            verify,
            root,
        })
    }
}

impl Source {
    /// Reads what follows `postgres:` in a URL. With a rule, no other servers are connected to.
    pub(super) fn parse(rest: &str, rule: Option<ServerRule>) -> Result<Self> {
        let ParsedUrl {
            config: parsed,
            sockets,
            verify,
            root,
        } = ParsedUrl::parse(rest)?;
        let mut config = without_hosts(&parsed);
        config.application_name("svc");
        // Of several servers the one is meant that takes writes, unless the URL says otherwise: after a failover it is another.
        let count = parsed.get_hosts().len().max(parsed.get_hostaddrs().len());
        if count > 1 && !rest.contains("target_session_attrs") {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let stream = match sockets {
            Some(sockets) => {
                config.ssl_mode(SslMode::Disable);
                StreamSource::Local(sockets)
            }
            None => {
                // The stream asks for TLS itself, where it is wanted.
                config.ssl_mode(SslMode::Require);
                config.ssl_negotiation(SslNegotiation::Direct);
                let tls = MakeRustlsConnect::new(tls(verify, root.as_deref())?);
                StreamSource::Network(Hosts {
                    hosts: hosts(&parsed)?,
                    stream: MakeStream { tls, mode: verify },
                    rule,
                })
            }
        };
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        Ok(Self { config, stream })
    }

    /// Of several servers only the one is connected to that takes writes.
    #[cfg(feature = "sqlite")]
    pub(super) fn ask_for_writes(&mut self) {
        self.config
            .target_session_attrs(TargetSessionAttrs::ReadWrite);
    }

    /// Listens on channels for as long as a connection lasts. `hears` is called when it begins, and `heard` for each
    /// notification, with its channel and its text.
    #[cfg(feature = "sqlite")]
    pub(crate) async fn listen(
        &self,
        channels: &[&str],
        hears: impl FnOnce() + Send,
        heard: impl Fn(&str, &str) + Send,
    ) -> Result<(), tokio_postgres::Error> {
        match &self.stream {
            StreamSource::Network(hosts) => {
                let Ok(config) = hosts.resolve(self.config.clone()).await else {
                    return Ok(());
                };
                let (client, connection) = config.connect(hosts.stream.clone()).await?;
                listen::follow(&client, connection, channels, hears, heard).await
            }
            StreamSource::Local(sockets) => {
                let connecting = self.config.connect_raw(sockets.open().await, NoTls);
                let (client, connection) = connecting.await?;
                listen::follow(&client, connection, channels, hears, heard).await
            }
        }
    }

    /// A pool of so many connections at most, whose statements get their turn from `admission`. `settings` are set
    /// on each connection as it is made.
    pub(super) fn pool(
        &self,
        size: usize,
        admission: Admission,
        timeout: Duration,
        settings: &str,
    ) -> Result<Pool> {
        let config = self.config.clone();
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = match self.stream.clone() {
            StreamSource::Network(hosts) => Manager::from_connect(config, hosts, recycling),
            StreamSource::Local(sockets) => Manager::from_connect(config, sockets, recycling),
        };
        let settings: Arc<str> = format!(
            "SET statement_timeout = {}; SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; \
             SET IntervalStyle = 'iso_8601'; SET extra_float_digits = 1; SET bytea_output = 'hex'; \
             SET standard_conforming_strings = on; {settings}",
            timeout.as_millis()
        )
        .into();
        let set = Hook::async_fn(move |client, _| {
            let settings = Arc::clone(&settings);
            Box::pin(async move {
                let done = client.batch_execute(&settings).await;
                done.map_err(HookError::Backend)
            })
        });
        let pool = deadpool_postgres::Pool::builder(manager).post_create(set);
        let pool = Connections::new(pool, size, admission, self.stream.clone())?;
        Ok(pool.with_pipelines(self.stream.is_of_this_machine()))
    }
}

fn wrong_url() -> Error {
    Error::invalid(
        "a PostgreSQL database is given as postgres://USER:PASSWORD@HOST:PORT/DATABASE, with special characters in percent-encoding",
    )
}

/// The same settings without a place, which is added for each connection.
fn without_hosts(parsed: &Config) -> Config {
    let mut config = Config::new();
    if let Some(user) = parsed.get_user() {
        config.user(user);
    }
    if let Some(password) = parsed.get_password() {
        config.password(password);
    }
    if let Some(name) = parsed.get_dbname() {
        config.dbname(name);
    }
    if let Some(options) = parsed.get_options() {
        config.options(options);
    }
    if let Some(timeout) = parsed.get_connect_timeout() {
        config.connect_timeout(*timeout);
    }
    if let Some(timeout) = parsed.get_tcp_user_timeout() {
        config.tcp_user_timeout(*timeout);
    }
    if let Some(interval) = parsed.get_keepalives_interval() {
        config.keepalives_interval(interval);
    }
    if let Some(retries) = parsed.get_keepalives_retries() {
        config.keepalives_retries(retries);
    }
    config
        .keepalives(parsed.get_keepalives())
        .keepalives_idle(parsed.get_keepalives_idle())
        .target_session_attrs(parsed.get_target_session_attrs())
        .channel_binding(parsed.get_channel_binding())
        .load_balance_hosts(parsed.get_load_balance_hosts());
    config
}

/// The hosts of a URL: by name, by address, or both, where the address is connected to and the name is to be proved.
fn hosts(config: &Config) -> Result<Vec<RemoteHost>> {
    let (names, addresses) = (config.get_hosts(), config.get_hostaddrs());
    let count = names.len().max(addresses.len());
    let wrong = !addresses.is_empty() && !names.is_empty() && addresses.len() != names.len();
    if count == 0 || wrong {
        return Err(wrong_url());
    }
    let ports = config.get_ports();
    let hosts = (0..count).map(|place| {
        let address = addresses.get(place).copied();
        let name = match names.get(place) {
            Some(Host::Tcp(name)) => name.clone(),
            _ => address.ok_or_else(wrong_url)?.to_string(),
        };
        Ok(RemoteHost {
            name,
            address,
            port: ports.get(place).or(ports.first()).copied().unwrap_or(5432),
        })
    });
    hosts.collect()
}

/// The sockets of a server of this machine, where the URL names no host.
#[cfg(unix)]
fn sockets(config: &Config) -> Result<Option<LocalSockets>> {
    let ports = config.get_ports();
    let hosts = config.get_hosts().iter().enumerate();
    let sockets = hosts.map(|(place, host)| match host {
        Host::Unix(folder) => {
            let port = ports.get(place).or(ports.first()).copied().unwrap_or(5432);
            Some(LocalSockets::path(folder, port))
        }
        Host::Tcp(_) => None,
    });
    let sockets: Vec<_> = sockets.collect();
    match sockets.iter().any(Option::is_some) {
        false => Ok(None),
        true => match sockets.into_iter().collect() {
            Some(sockets) => Ok(Some(LocalSockets(sockets))),
            None => Err(Error::invalid(
                "the URL of a PostgreSQL database names either hosts or folders with sockets, not both",
            )),
        },
    }
}

/// Only Unix has such sockets.
#[cfg(not(unix))]
fn sockets(_: &Config) -> Result<Option<LocalSockets>> {
    Ok(None)
}

/// The parameters of TLS, in the words of libpq.
const TLS: Words = Words {
    mode: &["sslmode"],
    read_mode: |word| match word {
        "disable" => Some(Verify::Never),
        "allow" | "prefer" => Some(Verify::IfOffered),
        "require" => Some(Verify::Encrypt),
        "verify-ca" | "verify-full" => Some(Verify::Full),
        _ => None,
    },
    wrong_mode: "sslmode must be disable, prefer, require, verify-ca or verify-full",
    root: "sslrootcert",
    wrong_root: "sslrootcert must be the path of a PEM file with certificates to trust",
};

fn wrong_root() -> Error {
    Error::invalid(TLS.wrong_root)
}

fn tls(mode: Verify, root: Option<&str>) -> Result<ClientConfig> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::internal("TLS cannot be set up").with_source(error))?;
    if mode != Verify::Full {
        return Ok(builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
            .with_no_client_auth());
    }
    let mut roots = RootCertStore::empty();
    match root {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(path) => {
            let found = CertificateDer::pem_file_iter(path).map_err(|_| wrong_root())?;
            for certificate in found {
                let certificate = certificate.map_err(|_| wrong_root())?;
                roots.add(certificate).map_err(|_| wrong_root())?;
            }
            if roots.is_empty() {
                return Err(wrong_root());
            }
        }
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Takes every certificate, for the modes that encrypt without asking who is there, as libpq does. What is
/// signed in the handshake is checked all the same.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

impl ConnectionManager for Manager {
    type Ender = StreamSource;

    async fn ping(client: &mut ClientWrapper) -> Result<(), tokio_postgres::Error> {
        client.simple_query("").await.map(drop)
    }

    fn end(client: ClientWrapper, stream: StreamSource) {
        if client.is_closed() {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        runtime.spawn(async move {
            let token = client.cancel_token();
            for _ in 0..CANCELS {
                let ended = tokio::time::timeout(CANCEL_PAUSE, async {
                    match &stream {
                        StreamSource::Network(hosts) => {
                            token.cancel_query(hosts.stream.clone()).await
                        }
                        StreamSource::Local(sockets) => {
                            token.cancel_query_raw(sockets.open().await, NoTls).await
                        }
                    }?;
                    // The server overlooks a request that comes before it has begun with the statement. This is answered
                    // when the statement has ended.
                    client.simple_query("").await
                });
                match ended.await {
                    Ok(Ok(_)) => return,
                    _ if client.is_closed() => return,
                    // It goes on, or the server takes no connection for the request now.
                    Ok(Err(_)) => tokio::time::sleep(CANCEL_PAUSE).await,
                    Err(_) => {}
                }
            }
            tracing::warn!("a statement that nobody waits for could not be cancelled");
        });
    }
}

pub(crate) type Pool = Connections<Manager>;
pub(crate) type Lease = lease::Lease<Manager>;

impl Lease {
    /// A prepared statement, kept for the next time.
    pub(crate) async fn prepare(&self, sql: &str) -> Result<Statement> {
        let client = self.client()?;
        if client.statement_cache.size() >= MAX_PREPARED {
            client.statement_cache.clear();
        }
        client.prepare_cached(sql).await.map_err(fault::translate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_is_asked_for_in_the_words_of_libpq() {
        let split = |rest| TLS.split(rest).unwrap();
        assert_eq!(split("//h/d").1, Verify::IfOffered);
        let (rest, mode, root) =
            split("//h/d?sslmode=require&connect_timeout=5&sslrootcert=/tmp/a%20b.pem");
        assert_eq!(
            (rest.as_str(), mode, root.as_deref()),
            (
                "//h/d?connect_timeout=5",
                Verify::Full,
                Some("/tmp/a b.pem")
            )
        );
        assert_eq!(split("//h/d?sslmode=require").1, Verify::Encrypt);
        assert_eq!(split("//h/d?sslmode=disable").0, "//h/d");
        assert!(TLS.split("//h/d?sslmode=maybe").is_err());
    }

    #[test]
    fn of_several_servers_the_one_is_asked_for_that_takes_writes() {
        let asked = |rest| {
            let source = Source::parse(rest, None).unwrap();
            source.config.get_target_session_attrs()
        };
        assert_eq!(asked("//u@a/d"), TargetSessionAttrs::Any);
        assert_eq!(asked("//u@a:1,b:2/d"), TargetSessionAttrs::ReadWrite);
        assert_eq!(
            asked("//u@a,b/d?target_session_attrs=any"),
            TargetSessionAttrs::Any
        );
    }

    #[test]
    fn a_url_that_cannot_be_read_is_not_quoted() {
        for rest in ["//u:secret@h:port/d", "//", "//u:secret@[h/d", "?secret=1"] {
            let error = Source::parse(rest, None).err().expect(rest);
            assert!(!format!("{error:?}{error}").contains("secret"), "{error}");
        }
    }
}
