//! What an operator can set of the service.

mod backups;
mod in_effect;
mod rate_limit;
mod resource_host;

use std::{
    collections::BTreeMap,
    fmt,
    net::{IpAddr, SocketAddr},
    num::NonZeroU32,
    path::PathBuf,
    str::FromStr,
    sync::Arc,
    time::Duration,
};

use http::{HeaderValue, Uri};
use ipnet::IpNet;
use svc_data::{Durations, ResourceOptions, ServerRule};
use svc_model::administration::service::Setting;

pub use self::{
    backups::BackupConfig, in_effect::SettingSource, rate_limit::RateLimit,
    resource_host::ResourceHost,
};
use crate::{Error, MailConfig};

/// Nodes show that they have the files of imports several times within this time.
const LEAST_IMPORT_GRACE: Duration = Duration::from_secs(10);

/// The settings of a [`Server`](crate::Server). Start from [`Config::default`] and set what differs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Where to listen; both hosts, unless [`data_listen`](Self::data_listen) is set. Default
    /// `127.0.0.1:8080`; port 0 selects a free one.
    pub listen: SocketAddr,
    /// Where to listen for the data host, so that [`listen`](Self::listen) serves the application host
    /// alone.
    pub data_listen: Option<SocketAddr>,
    /// Where to listen for `/metrics` without a credential. Without it they are on [`listen`](Self::listen) for operators
    /// alone. Default none.
    pub metrics_listen: Option<SocketAddr>,
    /// The file of the certificate chain in PEM, the service's own certificate first: both hosts then speak HTTPS. Needs
    /// [`tls_key`](Self::tls_key); a pair that was changed is in use within seconds. Default none.
    pub tls_cert: Option<PathBuf>,
    /// The file of the certificate's private key in PEM: PKCS#8, PKCS#1 or SEC1, not encrypted. Default none.
    pub tls_key: Option<PathBuf>,
    /// Where to listen for plain HTTP, to redirect every request to HTTPS. Default none.
    pub http_redirect: Option<SocketAddr>,
    /// The URL under which callers reach the service, without a trailing slash, such as
    /// `https://data.example.com`. Links are made from it. When unset, they are made from the headers of
    /// a trusted proxy, else from the request.
    pub public_url: Option<String>,
    /// Addresses of proxies whose `X-Forwarded-Proto` and `X-Forwarded-Host` are trusted. Default none.
    pub trusted_proxies: Vec<IpRange>,
    /// Web origins that browsers may call from. Default none.
    pub cors_origins: Vec<Origin>,
    /// The most bytes a request body may have. Default 16 MiB.
    pub body_limit: usize,
    /// How long a request may take from its head to the head of its answer. Default 60 s.
    pub request_timeout: Duration,
    /// How long a statement may run in a connected database. Default 15 s.
    pub statement_timeout: Duration,
    /// How old what is known of the structure of a database may be when a request uses it; zero compares nothing.
    /// Default 10 s.
    pub structure_check: Duration,
    /// The most connections to a database server, for each resource and process. Default 10.
    pub database_connections: usize,
    /// How many reads of an SQLite file run at once, for each resource. Default one per core, 2 to 16.
    pub sqlite_readers: Option<usize>,
    /// The folder whose SQLite files may be connected over HTTP by administrators of projects. Operators may connect every
    /// file but those in the folder of the store; without a folder nobody else may connect a file. What is connected on this
    /// machine is not limited. Default none.
    pub sqlite_dir: Option<PathBuf>,
    /// The database servers that resources may be on; every server when the list is empty. It holds for all resources, and is
    /// compared with the address that is connected to. Default none.
    pub resource_hosts: Vec<ResourceHost>,
    /// How long a request body may take to arrive. Default 30 s.
    pub body_timeout: Duration,
    /// How long a connection may take from its first byte to the end of a request's head, and how long it may be idle
    /// between two requests. Default 30 s.
    pub header_timeout: Duration,
    /// How long a caller may take to read anything of an answer. Default 30 s.
    pub write_timeout: Duration,
    /// The fewest bytes a second at which callers send bodies and read answers; 0 asks for none. A body has five seconds
    /// at its beginning, an answer is checked each [`write_timeout`](Self::write_timeout). Default 1 024.
    pub min_transfer_rate: u64,
    /// How many connections are open at once. When the limit is reached, the one that waits for its caller for
    /// longest is closed. Default 10 000.
    pub max_connections: usize,
    /// How many connections are open at once from one IPv4 address or one IPv6 network of 64 bits; those of
    /// [`trusted_proxies`](Self::trusted_proxies) are not counted. Default 1 024.
    pub max_connections_per_address: usize,
    /// How many requests are worked on at once; further ones wait. Default 1 024.
    pub max_requests: usize,
    /// How many of them may come without a credential. Default 256.
    pub max_anonymous_requests: usize,
    /// How many bytes the answers may take in memory that callers have not read yet. One connection gets an eighth of
    /// it before its further requests wait. Default 256 MiB.
    pub answer_memory: usize,
    /// How often a minute the password of an account may be tried, or a mail to it asked for, from one address; ten times
    /// as often from all addresses together that its user has not signed in from. Default 10.
    pub tries_per_account: NonZeroU32,
    /// How many account calls a minute are allowed from one address; ten times as many refreshes. Default 60.
    pub tries_per_address: NonZeroU32,
    /// How often each credential may call. Default without a limit.
    pub rate_limit: Option<RateLimit>,
    /// How often each address may call without a credential. Default without a limit.
    pub address_rate_limit: Option<RateLimit>,
    /// How long a request of the HTTP proxy may take, from the call to the last byte of the answer. Default 30 s.
    pub proxy_timeout: Duration,
    /// The most bytes of an answer that the HTTP proxy passes on. Default 16 MiB. They are passed on as they come: a
    /// larger limit needs no more memory.
    pub proxy_response_limit: u64,
    /// How many requests of the HTTP proxy are under way at once; further ones are answered with 429. Default 256.
    pub max_proxy_requests: usize,
    /// For how long a shutdown goes on serving while `/readyz` says 503, so that load balancers send new requests elsewhere
    /// before the service accepts no more. Default 0 s.
    pub shutdown_delay: Duration,
    /// How long a shutdown waits for requests in flight. Default 30 s.
    pub shutdown_grace: Duration,
    /// For how long what is cached answers reads while the store is away. Default 60 s.
    pub store_grace: Duration,
    /// After which time an import fails whose file is on a node that is not there. Default 600 s, and at least 10 s.
    pub import_grace: Duration,
    /// Whether writes leave lines in the audit trail. Default [`AuditMode::On`].
    pub audit: AuditMode,
    /// Of which resources the audit trail keeps what changed fields had before a write and after it. Default
    /// [`AuditValues::On`].
    pub audit_values: AuditValues,
    /// The most bytes that it keeps of a value; of a longer one it keeps the beginning and the length. Default 4096.
    pub audit_value_limit: usize,
    /// After how many days a line of the audit trail is removed; 0 keeps all. Default 365.
    pub audit_days: u32,
    /// Which backups of the store are made by the service. Default none.
    pub backups: BackupConfig,
    /// What the machine is called in the list of nodes. Default none.
    pub node_name: String,
    /// Where options were set, for operators who ask: the source by the name of the option, such as `body-limit`. What is not
    /// in it is a default.
    pub sources: BTreeMap<String, SettingSource>,
    /// Settings of the program around the service, for operators who ask.
    pub program_settings: Vec<Setting>,
    /// The mail server. Without one, mails stay in the outbox of the store, where an administrator can read them.
    /// Default none.
    pub mail: Option<MailConfig>,
    /// How long statements waited for a connection, on all resources that are connected with these settings.
    pub(crate) pool_waits: Arc<Durations>,
}

/// Whether writes leave lines in the audit trail, and what happens to a write whose line the store does not accept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuditMode {
    /// No write is acknowledged without its line: it is answered with 503 while the store accepts none.
    #[default]
    On,
    /// A write is acknowledged although the store does not accept its line, which goes to the log.
    BestEffort,
    /// Requests leave no lines.
    Off,
}

/// Of which resources the audit trail keeps the values of changed fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuditValues {
    /// Of all.
    #[default]
    On,
    /// Of these, by their names.
    Only(Vec<String>),
    /// Of none.
    Off,
}

impl AuditValues {
    /// Whether those of a resource are kept.
    pub fn are_kept_of(&self, resource: &str) -> bool {
        match self {
            Self::On => true,
            Self::Only(resources) => resources.iter().any(|kept| kept == resource),
            Self::Off => false,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            data_listen: None,
            metrics_listen: None,
            tls_cert: None,
            tls_key: None,
            http_redirect: None,
            public_url: None,
            trusted_proxies: Vec::new(),
            cors_origins: Vec::new(),
            body_limit: 16 * 1024 * 1024,
            request_timeout: Duration::from_secs(60),
            statement_timeout: Duration::from_secs(15),
            structure_check: Duration::from_secs(10),
            database_connections: 10,
            sqlite_readers: None,
            sqlite_dir: None,
            resource_hosts: Vec::new(),
            body_timeout: Duration::from_secs(30),
            header_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            min_transfer_rate: 1_024,
            max_connections: 10_000,
            max_connections_per_address: 1_024,
            max_requests: 1_024,
            max_anonymous_requests: 256,
            answer_memory: 256 * 1024 * 1024,
            tries_per_account: NonZeroU32::new(10).unwrap_or(NonZeroU32::MIN),
            tries_per_address: NonZeroU32::new(60).unwrap_or(NonZeroU32::MIN),
            rate_limit: None,
            address_rate_limit: None,
            proxy_timeout: Duration::from_secs(30),
            proxy_response_limit: 16 * 1024 * 1024,
            max_proxy_requests: 256,
            shutdown_delay: Duration::ZERO,
            shutdown_grace: Duration::from_secs(30),
            store_grace: Duration::from_secs(60),
            import_grace: Duration::from_secs(600),
            audit: AuditMode::On,
            audit_values: AuditValues::On,
            audit_value_limit: 4_096,
            audit_days: 365,
            backups: BackupConfig::default(),
            node_name: String::new(),
            sources: BTreeMap::new(),
            program_settings: Vec::new(),
            mail: None,
            pool_waits: Arc::default(),
        }
    }
}

impl Config {
    /// How databases are connected.
    pub fn resource_options(&self) -> ResourceOptions {
        let mut options = ResourceOptions::default();
        options.statement_timeout = self.statement_timeout;
        options.structure_check = self.structure_check;
        options.waits = Arc::clone(&self.pool_waits);
        options.connections = self.database_connections;
        options.readers = self.sqlite_readers.unwrap_or(options.readers);
        if !self.resource_hosts.is_empty() {
            let hosts: Arc<[ResourceHost]> = self.resource_hosts.as_slice().into();
            options.servers = Some(ServerRule::new(move |host, address| {
                hosts.iter().any(|entry| entry.covers(host, address))
            }));
        }
        options
    }

    /// Holds the settings to what they may be.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if let Some(url) = &self.public_url {
            self.check_public_url(url)?;
        }
        self.check_tls()?;
        if let Some(folder) = &self.sqlite_dir
            && !folder.is_dir()
        {
            let folder = folder.display();
            let message =
                format!("the folder {folder} does not exist; create it, or name another one");
            return Err(self.wrong("sqlite-dir", &message));
        }
        for (name, value) in [
            ("body-limit", self.body_limit),
            ("max-connections", self.max_connections),
            (
                "max-connections-per-address",
                self.max_connections_per_address,
            ),
            ("max-requests", self.max_requests),
            ("max-anonymous-requests", self.max_anonymous_requests),
            ("answer-memory", self.answer_memory),
            ("max-proxy-requests", self.max_proxy_requests),
        ] {
            if value == 0 {
                return Err(self.wrong(name, "must be at least 1"));
            }
        }
        if self.import_grace < LEAST_IMPORT_GRACE {
            return Err(self.wrong("import-grace", "must be at least 10, in seconds"));
        }
        if self.backups.every < Duration::from_secs(1) {
            return Err(self.wrong("backup-every", "must be at least 1s"));
        }
        Ok(())
    }

    /// Where the node listens, in the list of nodes: with the name of the machine where it listens on all addresses.
    pub(crate) fn node_address(&self) -> String {
        match self.listen.ip().is_unspecified() && !self.node_name.is_empty() {
            true => format!("{}:{}", self.node_name, self.listen.port()),
            false => self.listen.to_string(),
        }
    }

    /// Whether the listeners of both hosts speak TLS.
    pub(crate) fn speaks_tls(&self) -> bool {
        self.tls_cert.is_some()
    }

    fn check_tls(&self) -> Result<(), Error> {
        let (option, message) = match (&self.tls_cert, &self.tls_key, self.http_redirect) {
            (Some(_), None, _) => (
                "tls-cert",
                "needs the private key too: set --tls-key to its file",
            ),
            (None, Some(_), _) => (
                "tls-key",
                "needs the certificate too: set --tls-cert to its file",
            ),
            (None, None, Some(_)) => (
                "http-redirect",
                "leads to HTTPS, which the service does not speak: set --tls-cert and --tls-key too",
            ),
            (Some(_), Some(_), Some(_))
                if self.public_url.as_ref().is_some_and(|url| !is_https(url)) =>
            {
                (
                    "http-redirect",
                    "leads to --public-url, which must begin with https:// then",
                )
            }
            _ => return Ok(()),
        };
        Err(self.wrong(option, message))
    }

    /// An option that cannot work, with where it was set and why it cannot.
    pub(crate) fn wrong(&self, option: &str, message: &str) -> Error {
        self.named(option, Error::config(message))
    }

    /// An error about an option, which names it and where it was set.
    pub(crate) fn named(&self, option: &str, error: Error) -> Error {
        error.about(&SettingSource::named(option, self.sources.get(option)))
    }

    fn check_public_url(&self, url: &str) -> Result<(), Error> {
        let wrong = || {
            let message = format!(
                "{url:?} must be absolute http or https, without user, query or trailing slash, such as \
                 https://data.example.com"
            );
            self.wrong("public-url", &message)
        };
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        let http = matches!(uri.scheme_str(), Some("http" | "https"));
        let user = uri
            .authority()
            .is_none_or(|authority| authority.as_str().contains('@'));
        if !http || user || uri.query().is_some() || url.ends_with('/') || url.contains('#') {
            return Err(wrong());
        }
        Ok(())
    }
}

fn is_https(url: &str) -> bool {
    let scheme = url.split("://").next().unwrap_or_default();
    scheme.eq_ignore_ascii_case("https")
}

/// A web origin (RFC 6454) that browsers may call the service from: `https://app.example.com`, or `*`
/// for any. Credentials travel in the `Authorization` header, never in cookies, so that `*` opens
/// nothing that a caller does not have anyway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(OriginKind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum OriginKind {
    Any,
    One(HeaderValue),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            OriginKind::Any => f.write_str("*"),
            // It was made of a text.
            OriginKind::One(origin) => f.write_str(origin.to_str().unwrap_or_default()),
        }
    }
}

impl Origin {
    /// Whether this is `*`.
    pub(crate) fn is_any(&self) -> bool {
        self.0 == OriginKind::Any
    }

    /// The value as a header, unless this is `*`.
    pub(crate) fn header(&self) -> Option<&HeaderValue> {
        match &self.0 {
            OriginKind::Any => None,
            OriginKind::One(value) => Some(value),
        }
    }
}

impl FromStr for Origin {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text == "*" {
            return Ok(Self(OriginKind::Any));
        }
        let wrong = || {
            Error::config(format!(
                "the origin {text:?} must be like https://app.example.com, or *"
            ))
        };
        let uri: Uri = text.parse().map_err(|_| wrong())?;
        let bare = uri.scheme().is_some() && uri.authority().is_some() && uri.path() == "/";
        if !bare || text.ends_with('/') || text.contains(['@', '?', '#']) {
            return Err(wrong());
        }
        let value = HeaderValue::from_str(&text.to_ascii_lowercase()).map_err(|_| wrong())?;
        Ok(Self(OriginKind::One(value)))
    }
}

/// An address, or a range of them in CIDR notation: `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct IpRange(IpNet);

impl IpRange {
    /// Whether the range holds this address. An IPv4-mapped IPv6 address counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

impl fmt::Display for IpRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for IpRange {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let one_address = || text.parse::<IpAddr>().map(IpNet::from);
        let range = text.parse().or_else(|_| one_address());
        range.map(Self).map_err(|_| {
            Error::config(format!(
                "{text:?} must be an IP address or a range such as 10.0.0.0/8"
            ))
        })
    }
}

impl fmt::Debug for IpRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_the_addresses_of_its_prefix() {
        let holds = |range: &str, address: &str| {
            let range: IpRange = range.parse().unwrap();
            range.contains(address.parse().unwrap())
        };
        assert!(holds("10.0.0.0/8", "10.255.0.1"));
        assert!(!holds("10.0.0.0/8", "11.0.0.1"));
        assert!(holds("10.1.2.3", "10.1.2.3"));
        assert!(!holds("10.1.2.3", "10.1.2.4"));
        assert!(holds("10.0.0.0/9", "10.127.0.1"));
        assert!(!holds("10.0.0.0/9", "10.128.0.1"));
        assert!(holds("0.0.0.0/0", "::ffff:1.2.3.4"));
        assert!(holds("fd00::/8", "fdff::1"));
        assert!(!holds("fd00::/8", "10.0.0.1"));
    }

    #[test]
    fn tls_needs_certificate_and_key_and_a_redirect_needs_tls() {
        let path = || Some(PathBuf::from("a.pem"));
        let redirect = Some(SocketAddr::from(([127, 0, 0, 1], 80)));
        let check = |tls_cert, tls_key, http_redirect, public_url: Option<&str>| {
            let config = Config {
                tls_cert,
                tls_key,
                http_redirect,
                public_url: public_url.map(str::to_owned),
                ..Config::default()
            };
            config.check().map_err(|error| error.to_string())
        };
        for (result, remedy) in [
            (check(path(), None, None, None), "set --tls-key"),
            (check(None, path(), None, None), "set --tls-cert"),
            (
                check(None, None, redirect, None),
                "set --tls-cert and --tls-key",
            ),
            (
                check(path(), path(), redirect, Some("http://a.example")),
                "https://",
            ),
        ] {
            let error = result.unwrap_err();
            assert!(error.contains(remedy), "{error}");
        }
        assert_eq!(
            check(path(), path(), redirect, Some("HTTPS://a.example")),
            Ok(())
        );
        assert_eq!(check(path(), path(), redirect, None), Ok(()));
    }

    #[test]
    fn a_setting_that_cannot_work_is_refused_with_what_would_be_right() {
        for text in ["10.0.0.0/33", "x", "10.0.0.0/", ""] {
            assert!(text.parse::<IpRange>().is_err(), "{text}");
        }
        for text in [
            "app.example.com",
            "https://a.example/",
            "https://u@a.example",
            "https://a.example/x",
        ] {
            assert!(text.parse::<Origin>().is_err(), "{text}");
        }
        let at = |url: &str| Config {
            public_url: Some(url.to_owned()),
            ..Config::default()
        };
        for url in [
            "data.example.com",
            "https://a/",
            "ftp://a",
            "https://u:p@a",
            "https://a?x",
        ] {
            assert!(at(url).check().is_err(), "{url}");
        }
        assert!(at("https://a.example/svc").check().is_ok());
        let config = Config {
            sqlite_dir: Some("/no/such/folder".into()),
            ..Config::default()
        };
        let error = config.check().unwrap_err().to_string();
        assert!(error.contains("create it"), "{error}");
    }
}
