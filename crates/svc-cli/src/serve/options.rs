//! The options of the server, from flags, `SVC_*` variables and the configuration file, in this order of
//! precedence. One structure serves all three, so that their names cannot drift apart.

#[cfg(feature = "console")]
pub(crate) mod console;
mod lines;
mod values;

use std::{
    collections::BTreeMap,
    fs,
    net::SocketAddr,
    num::{NonZeroU32, NonZeroU64, NonZeroUsize},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use serde::Deserialize;
use serde_json::Value;
use svc_server::{
    AuditMode, AuditValues, Config, IpRange, MailConfig, Origin, RateLimit, ResourceHost,
    SettingSource,
};

use self::values::{
    Interval, Seconds, address, audit_values, parse_address, parse_audit_values, positive,
    positive_number, text, texts, whole, whole_number,
};
use crate::error::Error;

/// Where options were set: by their identifiers on the command line, by their names in the settings of the server.
pub(crate) type Sources = BTreeMap<String, SettingSource>;

/// What the configuration file may hold: the options of the server under the names of their flags, the
/// folder of the store, and the databases to connect.
pub(crate) type ConfigFile = ServerOptions;

/// The options of `demo` and `serve`.
#[derive(Args, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[command(next_help_heading = "Server options")]
pub(crate) struct ServerOptions {
    /// Address to listen on; port 0 takes a free one [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR", env = "SVC_LISTEN", value_parser = parse_address)]
    #[serde(deserialize_with = "address")]
    pub(crate) listen: Option<SocketAddr>,
    /// Address of its own for the data host
    #[arg(long, value_name = "ADDR", env = "SVC_DATA_LISTEN", value_parser = parse_address)]
    #[serde(deserialize_with = "address")]
    data_listen: Option<SocketAddr>,
    /// Address of its own for /metrics, without a credential; port 0 takes a free one
    #[arg(long, value_name = "ADDR", env = "SVC_METRICS_LISTEN", value_parser = parse_address)]
    #[serde(deserialize_with = "address")]
    metrics_listen: Option<SocketAddr>,
    /// File with the certificate chain (PEM), the service's own first: HTTPS in place of HTTP. It is read again when it
    /// changes
    #[arg(long, value_name = "FILE", env = "SVC_TLS_CERT")]
    tls_cert: Option<PathBuf>,
    /// File with the private key of the certificate (PEM: PKCS#8, PKCS#1 or SEC1)
    #[arg(long, value_name = "FILE", env = "SVC_TLS_KEY")]
    tls_key: Option<PathBuf>,
    /// Address for plain HTTP, such as 0.0.0.0:80, where every request is redirected to HTTPS
    #[arg(long, value_name = "ADDR", env = "SVC_HTTP_REDIRECT", value_parser = parse_address)]
    #[serde(deserialize_with = "address")]
    http_redirect: Option<SocketAddr>,
    /// URL under which callers reach the service, such as https://data.example.com; links begin with it
    #[arg(long, value_name = "URL", env = "SVC_PUBLIC_URL")]
    pub(crate) public_url: Option<String>,
    /// Proxies whose X-Forwarded-* headers are trusted: addresses or ranges such as 10.0.0.0/8
    #[arg(
        long,
        value_name = "RANGE,...",
        env = "SVC_TRUSTED_PROXIES",
        value_delimiter = ','
    )]
    #[serde(deserialize_with = "texts")]
    trusted_proxies: Option<Vec<IpRange>>,
    /// Web origins that browsers may call from, such as https://app.example.com
    #[arg(
        long,
        value_name = "ORIGIN,...",
        env = "SVC_CORS_ORIGINS",
        value_delimiter = ','
    )]
    #[serde(deserialize_with = "texts")]
    cors_origins: Option<Vec<Origin>>,
    /// The most bytes of a request body [default: 16777216]
    #[arg(long, value_name = "BYTES", env = "SVC_BODY_LIMIT", value_parser = positive::<NonZeroUsize>)]
    #[serde(deserialize_with = "positive_number")]
    body_limit: Option<NonZeroUsize>,
    /// How long a request may take until its answer begins [default: 60]
    #[arg(long, value_name = "SECONDS", env = "SVC_REQUEST_TIMEOUT", value_parser = positive::<Seconds<NonZeroU64>>)]
    #[serde(deserialize_with = "positive_number")]
    request_timeout: Option<Seconds<NonZeroU64>>,
    /// How long a statement may run in a connected database [default: 15]
    #[arg(long, value_name = "SECONDS", env = "SVC_STATEMENT_TIMEOUT", value_parser = positive::<Seconds<NonZeroU64>>)]
    #[serde(deserialize_with = "positive_number")]
    statement_timeout: Option<Seconds<NonZeroU64>>,
    /// How old what is known of the tables of a database may be when a request uses it; 0 compares nothing [default: 10]
    #[arg(long, value_name = "SECONDS", env = "SVC_STRUCTURE_CHECK", value_parser = whole::<Seconds<u64>>)]
    #[serde(deserialize_with = "whole_number")]
    structure_check: Option<Seconds<u64>>,
    /// The most connections to a database server, for each resource [default: 10]
    #[arg(long, value_name = "NUMBER", env = "SVC_DATABASE_CONNECTIONS", value_parser = positive::<NonZeroUsize>)]
    #[serde(deserialize_with = "positive_number")]
    database_connections: Option<NonZeroUsize>,
    /// How many reads of an SQLite file run at once, for each resource [default: one per core, 2 to 16]
    #[arg(long, value_name = "NUMBER", env = "SVC_SQLITE_READERS", value_parser = positive::<NonZeroUsize>)]
    #[serde(deserialize_with = "positive_number")]
    sqlite_readers: Option<NonZeroUsize>,
    /// Folder whose SQLite files administrators of projects may connect over HTTP; without one only operators may
    #[arg(long, value_name = "DIR", env = "SVC_SQLITE_DIR")]
    sqlite_dir: Option<PathBuf>,
    /// Database servers that resources may be on: hosts, with a port where one is meant, and ranges; without any all
    #[arg(
        long,
        value_name = "HOST[:PORT],...",
        env = "SVC_RESOURCE_HOSTS",
        value_delimiter = ','
    )]
    #[serde(deserialize_with = "texts")]
    resource_hosts: Option<Vec<ResourceHost>>,
    /// How long a request body may take to arrive [default: 30]
    #[arg(long, value_name = "SECONDS", env = "SVC_BODY_TIMEOUT", value_parser = positive::<Seconds<NonZeroU64>>)]
    #[serde(deserialize_with = "positive_number")]
    body_timeout: Option<Seconds<NonZeroU64>>,
    /// How long a connection may take to send a request head, or be idle [default: 30]
    #[arg(long, value_name = "SECONDS", env = "SVC_HEADER_TIMEOUT", value_parser = positive::<Seconds<NonZeroU64>>)]
    #[serde(deserialize_with = "positive_number")]
    header_timeout: Option<Seconds<NonZeroU64>>,
    /// How long a caller may take to read anything of an answer [default: 30]
    #[arg(long, value_name = "SECONDS", env = "SVC_WRITE_TIMEOUT", value_parser = positive::<Seconds<NonZeroU64>>)]
    #[serde(deserialize_with = "positive_number")]
    write_timeout: Option<Seconds<NonZeroU64>>,
    /// The fewest bytes a second at which callers send bodies and read answers; 0 asks for none [default: 1024]
    #[arg(long, value_name = "BYTES", env = "SVC_MIN_TRANSFER_RATE", value_parser = whole::<u64>)]
    #[serde(deserialize_with = "whole_number")]
    min_transfer_rate: Option<u64>,
    /// The most connections at once; for another, the one that waits for its caller for longest is closed
    /// [default: 10000]
    #[arg(long, value_name = "NUMBER", env = "SVC_MAX_CONNECTIONS", value_parser = positive::<NonZeroUsize>)]
    #[serde(deserialize_with = "positive_number")]
    max_connections: Option<NonZeroUsize>,
    /// The most connections at once from one address, unless it is a trusted proxy [default: 1024]
    #[arg(long, value_name = "NUMBER", env = "SVC_MAX_CONNECTIONS_PER_ADDRESS", value_parser = positive::<NonZeroUsize>)]
    #[serde(deserialize_with = "positive_number")]
    max_connections_per_address: Option<NonZeroUsize>,
    /// The most requests that are worked on at once [default: 1024]
    #[arg(long, value_name = "NUMBER", env = "SVC_MAX_REQUESTS", value_parser = positive::<NonZeroUsize>)]
    #[serde(deserialize_with = "positive_number")]
    max_requests: Option<NonZeroUsize>,
    /// The most of them that come without a credential [default: 256]
    #[arg(long, value_name = "NUMBER", env = "SVC_MAX_ANONYMOUS_REQUESTS", value_parser = positive::<NonZeroUsize>)]
    #[serde(deserialize_with = "positive_number")]
    max_anonymous_requests: Option<NonZeroUsize>,
    /// The most bytes of memory for answers that callers have not read yet [default: 268435456]
    #[arg(long, value_name = "BYTES", env = "SVC_ANSWER_MEMORY", value_parser = positive::<NonZeroUsize>)]
    #[serde(deserialize_with = "positive_number")]
    answer_memory: Option<NonZeroUsize>,
    /// How often a minute one address may try to sign in to an account, or have it mailed to [default: 10]
    #[arg(long, value_name = "NUMBER", env = "SVC_TRIES_PER_ACCOUNT", value_parser = positive::<NonZeroU32>)]
    #[serde(deserialize_with = "positive_number")]
    tries_per_account: Option<NonZeroU32>,
    /// How many account calls a minute are allowed from one address [default: 60]
    #[arg(long, value_name = "NUMBER", env = "SVC_TRIES_PER_ADDRESS", value_parser = positive::<NonZeroU32>)]
    #[serde(deserialize_with = "positive_number")]
    tries_per_address: Option<NonZeroU32>,
    /// How often each credential may call: requests per second such as 50, 600/m or 1000/h, and how many may come at once
    /// such as 50:200 [default burst: two seconds of the rate, at least 10]
    #[arg(long, value_name = "RATE[:BURST]", env = "SVC_RATE_LIMIT")]
    #[serde(deserialize_with = "text")]
    rate_limit: Option<RateLimit>,
    /// How often each address may call without a valid credential
    #[arg(long, value_name = "RATE[:BURST]", env = "SVC_ADDRESS_RATE_LIMIT")]
    #[serde(deserialize_with = "text")]
    address_rate_limit: Option<RateLimit>,
    /// How long a request of the HTTP proxy may take to the end of its answer [default: 30]
    #[arg(long, value_name = "SECONDS", env = "SVC_PROXY_TIMEOUT", value_parser = positive::<Seconds<NonZeroU64>>)]
    #[serde(deserialize_with = "positive_number")]
    proxy_timeout: Option<Seconds<NonZeroU64>>,
    /// The most bytes of an answer that the HTTP proxy passes on [default: 16777216]
    #[arg(long, value_name = "BYTES", env = "SVC_PROXY_RESPONSE_LIMIT", value_parser = positive::<NonZeroU64>)]
    #[serde(deserialize_with = "positive_number")]
    proxy_response_limit: Option<NonZeroU64>,
    /// The most requests of the HTTP proxy that are under way at once [default: 256]
    #[arg(long, value_name = "NUMBER", env = "SVC_MAX_PROXY_REQUESTS", value_parser = positive::<NonZeroUsize>)]
    #[serde(deserialize_with = "positive_number")]
    max_proxy_requests: Option<NonZeroUsize>,
    /// How long a shutdown goes on serving while /readyz says 503, so that load balancers send new requests elsewhere
    /// [default: 0]
    #[arg(long, value_name = "SECONDS", env = "SVC_SHUTDOWN_DELAY", value_parser = whole::<Seconds<u64>>)]
    #[serde(deserialize_with = "whole_number")]
    shutdown_delay: Option<Seconds<u64>>,
    /// How long a shutdown waits for requests in flight [default: 30]
    #[arg(long, value_name = "SECONDS", env = "SVC_SHUTDOWN_GRACE", value_parser = whole::<Seconds<u64>>)]
    #[serde(deserialize_with = "whole_number")]
    shutdown_grace: Option<Seconds<u64>>,
    /// For how long what is cached answers reads while the store is away; then all is refused [default: 60]
    #[arg(long, value_name = "SECONDS", env = "SVC_STORE_GRACE", value_parser = whole::<Seconds<u64>>)]
    #[serde(deserialize_with = "whole_number")]
    store_grace: Option<Seconds<u64>>,
    /// After which time an import fails whose file is on a node of the service that is not there [default: 600]
    #[arg(long, value_name = "SECONDS", env = "SVC_IMPORT_GRACE", value_parser = positive::<Seconds<NonZeroU64>>)]
    #[serde(deserialize_with = "positive_number")]
    import_grace: Option<Seconds<NonZeroU64>>,
    /// Whether every write leaves a line in the audit trail, which svc audit list shows [default: on]
    #[arg(long, value_name = "MODE", env = "SVC_AUDIT")]
    audit: Option<Audit>,
    /// Whether the audit trail keeps the values of changed fields: on, off, or of these resources [default: on]
    #[arg(long, value_name = "on|off|RESOURCE,...", env = "SVC_AUDIT_VALUES", value_parser = parse_audit_values)]
    #[serde(deserialize_with = "audit_values")]
    audit_values: Option<AuditValues>,
    /// The most bytes of a value that it keeps [default: 4096]
    #[arg(long, value_name = "BYTES", env = "SVC_AUDIT_VALUE_LIMIT", value_parser = positive::<NonZeroUsize>)]
    #[serde(deserialize_with = "positive_number")]
    audit_value_limit: Option<NonZeroUsize>,
    /// After how many days lines of the audit trail are removed; 0 keeps all [default: 365]
    #[arg(long, value_name = "DAYS", env = "SVC_AUDIT_DAYS", value_parser = whole::<u32>)]
    #[serde(deserialize_with = "whole_number")]
    audit_days: Option<u32>,
    /// Folder into which a backup of the store is written again and again; without one none is
    #[arg(long, value_name = "DIR", env = "SVC_BACKUP_DIR")]
    backup_dir: Option<PathBuf>,
    /// Time from one backup to the next, such as 15m, 24h or 7d; at least 1s [default: 24h]
    #[arg(long, value_name = "TIME", env = "SVC_BACKUP_EVERY")]
    #[serde(deserialize_with = "text")]
    backup_every: Option<Interval>,
    /// How many of these backups are kept; older ones are removed [default: 7]
    #[arg(long, value_name = "NUMBER", env = "SVC_BACKUP_KEEP", value_parser = positive::<NonZeroUsize>)]
    #[serde(deserialize_with = "positive_number")]
    backup_keep: Option<NonZeroUsize>,
    /// Put the key of the store into these backups: each is then as secret as the key [default: false]
    #[arg(
        long,
        value_name = "true|false",
        env = "SVC_BACKUP_WITH_KEY",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    backup_with_key: Option<bool>,
    /// Mail server that sends invitations and codes: smtp://user:password@host:587, or smtps://...:465; without one
    /// they wait in the outbox, which svc mail list shows
    #[arg(long, value_name = "URL", env = "SVC_SMTP_URL", hide_env_values = true)]
    smtp_url: Option<String>,
    /// Sender of mails, such as 'Shop <no-reply@example.com>'
    #[arg(long, value_name = "MAILBOX", env = "SVC_MAIL_FROM")]
    mail_from: Option<String>,
    /// What is logged, such as warn or svc_server=debug [default: info, for demo warn]
    #[arg(long, value_name = "FILTER", env = "SVC_LOG")]
    pub(crate) log: Option<String>,
    /// How log lines look [default: text]
    #[arg(long, value_name = "FORMAT", env = "SVC_LOG_FORMAT")]
    pub(crate) log_format: Option<LogFormat>,
    /// In the file only: the folder of the store. The flag belongs to every command.
    #[arg(skip)]
    pub(crate) dir: Option<PathBuf>,
    /// In the file only: the URL of the database of the store. The flag belongs to every command.
    #[arg(skip)]
    pub(crate) store: Option<String>,
    /// In the file only: the file of the store's key. The flag belongs to every command.
    #[arg(skip)]
    pub(crate) key_file: Option<PathBuf>,
    /// In the file only: a table of names and addresses. Read by hand, since an error of the reader
    /// would quote the address.
    #[arg(skip)]
    pub(crate) connect: Option<toml::Value>,
    /// The options that the file sets, and no flag or variable, with their lines; also each database, as `connect.NAME`.
    #[arg(skip)]
    #[serde(skip)]
    of_file: Sources,
}

/// Whether writes leave lines in the audit trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Audit {
    /// No write is acknowledged without its line
    On,
    /// A write whose line the store does not take is acknowledged; the line goes to the log
    BestEffort,
    /// Requests leave no lines
    Off,
}

impl From<Audit> for AuditMode {
    fn from(audit: Audit) -> Self {
        match audit {
            Audit::On => Self::On,
            Audit::BestEffort => Self::BestEffort,
            Audit::Off => Self::Off,
        }
    }
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    /// For people
    Text,
    /// One JSON object on each line
    Json,
}

impl ServerOptions {
    /// Reads a configuration file.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let file = path.display();
        let text = fs::read_to_string(path).map_err(|error| {
            Error::usage(format!(
                "cannot read the configuration file {file}: {error}; name another with --config"
            ))
        })?;
        // The whole text of the error would show the line, which may contain the password of a database.
        let read = toml::from_str::<Self>(&text).and_then(|options| {
            let of_file = lines::sources(path, &text)?;
            Ok(Self { of_file, ..options })
        });
        read.map_err(|error| {
            let before = text.bytes().take(error.span().map_or(0, |span| span.start));
            let line = before.filter(|byte| *byte == b'\n').count();
            let key = text.lines().nth(line).and_then(key);
            let key = key.map_or_else(String::new, |key| format!("{key}: "));
            let (line, message) = (line + 1, error.message().trim_end());
            Error::usage(format!("{file}, line {line}: {key}{message}"))
        })
    }

    /// What is set here, and from the file what is not.
    pub(crate) fn or(self, file: &ConfigFile) -> Self {
        macro_rules! either {
            ($($option:ident)+) => {
                Self {
                    of_file: {
                        let mut of_file = file.of_file.clone();
                        $(if self.$option.is_some() {
                            of_file.remove(&stringify!($option).replace('_', "-"));
                        })+
                        of_file
                    },
                    $($option: self.$option.or_else(|| file.$option.clone())),+
                }
            };
        }
        either! {
            listen data_listen metrics_listen tls_cert tls_key http_redirect public_url trusted_proxies cors_origins body_limit request_timeout
            statement_timeout structure_check database_connections sqlite_readers sqlite_dir
            resource_hosts body_timeout
            header_timeout write_timeout min_transfer_rate max_connections
            max_connections_per_address max_requests max_anonymous_requests answer_memory
            tries_per_account tries_per_address rate_limit address_rate_limit proxy_timeout proxy_response_limit
            max_proxy_requests shutdown_delay shutdown_grace store_grace import_grace audit audit_values audit_value_limit
            audit_days
            backup_dir backup_every backup_keep backup_with_key
            smtp_url mail_from log log_format dir store key_file connect
        }
    }

    /// The settings of the server: what is set, and its defaults for the rest.
    pub(crate) fn server_config(
        &self,
        given: &Sources,
        place: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Config {
        let mut config = Config::default();
        config.node_name = node_name();
        config.sources = self.sources(given);
        let log = config.setting("log", self.log.as_deref().into());
        let format = match self.log_format {
            Some(LogFormat::Json) => "json",
            _ => "text",
        };
        let format = config.setting("log-format", format.into());
        config.program_settings = vec![log, format];
        for (name, value) in place {
            let setting = config.setting(name, value);
            config.program_settings.push(setting);
        }
        macro_rules! set {
            ($($option:ident)+) => {
                $(if let Some(value) = self.$option.clone() {
                    config.$option = value.into();
                })+
            };
        }
        set! {
            listen trusted_proxies cors_origins body_limit request_timeout statement_timeout
            structure_check database_connections sqlite_dir resource_hosts body_timeout header_timeout write_timeout
            min_transfer_rate max_connections max_connections_per_address max_requests
            max_anonymous_requests answer_memory tries_per_account tries_per_address
            proxy_timeout proxy_response_limit max_proxy_requests shutdown_delay shutdown_grace store_grace import_grace audit
            audit_values audit_value_limit audit_days
        }
        let backups = &mut config.backups;
        backups.dir.clone_from(&self.backup_dir);
        backups.every = self.backup_every.map_or(backups.every, |every| every.0);
        backups.keep = self.backup_keep.unwrap_or(backups.keep);
        backups.with_key = self.backup_with_key.unwrap_or(backups.with_key);
        config.data_listen = self.data_listen;
        config.metrics_listen = self.metrics_listen;
        config.rate_limit = self.rate_limit;
        config.address_rate_limit = self.address_rate_limit;
        config.tls_cert.clone_from(&self.tls_cert);
        config.tls_key.clone_from(&self.tls_key);
        config.http_redirect = self.http_redirect;
        config.sqlite_readers = self.sqlite_readers.map(NonZeroUsize::get);
        let public_url = self.public_url.as_deref();
        config.public_url = public_url.map(|url| url.trim_end_matches('/').to_owned());
        // Without a sender the server says what is missing.
        let smtp_url = self.smtp_url.as_deref().filter(|url| !url.is_empty());
        let from = self.mail_from.as_deref().unwrap_or_default();
        config.mail = smtp_url.map(|url| MailConfig::new(url, from));
        config
    }
}

impl ServerOptions {
    /// Where each option was set that is no default, by its name.
    fn sources(&self, given: &Sources) -> Sources {
        let mut sources = self.of_file.clone();
        let given = given.iter();
        sources.extend(given.map(|(id, source)| (id.replace('_', "-"), source.clone())));
        sources
    }

    /// An option that cannot work, with where it was set and what is allowed.
    pub(crate) fn wrong(&self, given: &Sources, option: &str, message: &str) -> Error {
        let named = SettingSource::named(option, self.sources(given).get(option));
        Error::usage(format!("{named}: {message}"))
    }

    /// Where the file sets an option, and no flag or variable does.
    pub(crate) fn in_file(&self, option: &str) -> Option<&SettingSource> {
        self.of_file.get(option)
    }
}

/// The name that is set in a line of the configuration file. Nothing else of the line may be shown.
fn key(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    let key = key.trim();
    let is_name = |key: &str| {
        key.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    (!key.is_empty() && is_name(key)).then_some(key)
}

/// What this machine is called.
fn node_name() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    name
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn file(text: &str) -> Result<ConfigFile, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("svc.toml");
        fs::write(&path, text).unwrap();
        ConfigFile::read(&path)
    }

    #[test]
    fn the_file_fills_what_is_not_set_and_the_default_the_rest() {
        let file = file("listen = \"127.0.0.1:1\"\nbody-limit = 5\nrequest-timeout = 7\ncors-origins = [\"https://a.example\"]").unwrap();
        let set = ServerOptions {
            body_limit: NonZeroUsize::new(9),
            ..ServerOptions::default()
        };
        let config = set.or(&file).server_config(&Sources::new(), []);
        assert_eq!(config.listen, "127.0.0.1:1".parse().unwrap());
        assert_eq!(config.body_limit, 9);
        assert_eq!(config.request_timeout, Duration::from_secs(7));
        assert_eq!(config.cors_origins.len(), 1);
        assert_eq!(config.max_requests, Config::default().max_requests);
    }

    #[test]
    fn mail_needs_a_server_and_an_empty_one_is_none() {
        let text =
            "smtp-url = \"smtp://ann:hunter2@mail.example.com\"\nmail-from = \"a@b.example\"";
        let options = file(text).unwrap();
        let config = ServerOptions::default()
            .or(&options)
            .server_config(&Sources::new(), []);
        assert!(!format!("{config:?}").contains("hunter2"), "{config:?}");
        let mail = config.mail.unwrap();
        assert!(mail.smtp_url.expose().contains("hunter2"));
        assert_eq!(mail.from, "a@b.example");
        let empty = ServerOptions {
            smtp_url: Some(String::new()),
            ..ServerOptions::default()
        };
        assert!(
            empty
                .or(&options)
                .server_config(&Sources::new(), [])
                .mail
                .is_none()
        );
    }

    #[test]
    fn an_unknown_key_is_an_error_that_names_it_and_its_line() {
        let options = file("listen = \"127.0.0.1:1\"\nlissten = 1\n");
        let error = options.err().unwrap();
        assert!(matches!(error, Error::Usage(_)));
        let text = error.to_string();
        for part in ["line 2", "lissten", "data-listen"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn a_wrong_value_in_the_file_is_named_with_its_option_and_its_line() {
        let error = file("\nbody-limit = \"much\"\n").err().unwrap().to_string();
        assert!(error.contains("svc.toml, line 2: body-limit: "), "{error}");
        let error = file("backup-every = \"1x\"\n").err().unwrap().to_string();
        assert!(
            error.contains("line 1: backup-every: must be a time such as"),
            "{error}"
        );
    }

    #[test]
    fn the_line_of_an_option_of_the_file_is_named_unless_a_flag_has_set_it() {
        let options =
            file("# ours\nlog = \"a=b=c\"\n\n[connect]\nshop = \"sqlite:/x.db\"\n").unwrap();
        let set = ServerOptions::default().or(&options);
        let wrong = |options: &ServerOptions, option: &str| {
            let wrong = options.wrong(&Sources::new(), option, "must be right");
            wrong.to_string()
        };
        let text = wrong(&set, "log");
        assert!(
            text.starts_with("--log (") && text.ends_with("svc.toml, line 2): must be right"),
            "{text}"
        );
        assert!(wrong(&set, "connect.shop").contains("line 5"));
        let given = ServerOptions {
            log: Some("info".to_owned()),
            ..ServerOptions::default()
        };
        assert_eq!(wrong(&given.or(&options), "log"), "--log: must be right");
    }

    #[test]
    fn a_broken_file_is_refused_without_showing_its_lines() {
        let options = file("[connect]\nshop = \"postgres://app:hunter2@db/shop\n");
        let text = options.err().unwrap().to_string();
        assert!(text.contains("line 2"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }

    #[test]
    fn a_value_of_the_file_is_held_to_the_same_rules_as_the_flag() {
        for text in [
            "listen = \"nowhere\"",
            "body-limit = 0",
            "cors-origins = [\"x\"]",
            "trusted-proxies = [\"x\"]",
            "resource-hosts = [\"postgres://db\"]",
            "audit-values = \"\"",
            "audit-values = [\"a\", \"off\"]",
            "audit-value-limit = 0",
            "metrics-listen = \"9090\"",
            "rate-limit = \"fast\"",
            "address-rate-limit = \"5/d\"",
            "backup-every = \"0s\"",
            "backup-every = \"1mo\"",
            "backup-every = \"24\"",
            "backup-every = \"-24h\"",
            "backup-every = \"500ms\"",
            "backup-keep = 0",
            "backup-with-key = \"yes\"",
        ] {
            assert!(file(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_time_between_backups_has_a_unit() {
        for (text, seconds) in [("1s", 1), ("15m", 900), ("24h", 86_400), ("7d", 604_800)] {
            let options = file(&format!("backup-every = \"{text}\"")).unwrap();
            let config = options.server_config(&Sources::new(), None);
            assert_eq!(config.backups.every, Duration::from_secs(seconds), "{text}");
            assert_eq!(config.backups.keep.get(), 7);
            assert!(!config.backups.with_key && config.backups.dir.is_none());
        }
    }

    #[test]
    fn values_are_kept_of_all_resources_of_none_or_of_some() {
        let kept = |text: &str| {
            let config = file(text).unwrap().server_config(&Sources::new(), []);
            let names = ["shop", "crm", "hr"];
            names.map(|name| config.audit_values.are_kept_of(name))
        };
        for (text, expected) in [
            ("", [true; 3]),
            ("audit-values = \"on\"", [true; 3]),
            ("audit-values = \"off\"", [false; 3]),
            ("audit-values = \"shop, crm\"", [true, true, false]),
            ("audit-values = [\"hr\"]", [false, false, true]),
        ] {
            assert_eq!(kept(text), expected, "{text}");
        }
    }
}
