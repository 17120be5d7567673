//! Connections to a MySQL or MariaDB server: the URL, TLS, the pool, and statements that no caller waits for any more.

use std::{
    io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use deadpool::managed::{self, Metrics, RecycleError};
use mysql_async::{Conn, DriverError, Opts, OptsBuilder, SslOpts, prelude::Queryable as _};

use super::hosts::{Host, Hosts, join_cluster};
use crate::{
    Error, Location, Result, ServerLocation,
    admission::Admission,
    engine::{
        ServerRule,
        server::{
            connections::Connections,
            gate::CONNECT_TIMEOUT,
            lease::{self, ConnectionManager},
            resolve::resolve,
            tls::{Verify, Words},
        },
    },
};

/// How many statements a connection keeps prepared.
const MAX_PREPARED: usize = 64;
/// The most bytes of a packet of the server, which is one row at most.
const MAX_PACKET: usize = 64 << 20;
/// How long a connection that was not used counts as alive.
const FRESH: Duration = Duration::from_secs(1);

/// Where a server is, and how it is reached.
#[derive(Clone)]
pub(crate) struct Source {
    hosts: Arc<Hosts>,
    verify: Verify,
    /// The PEM file with the certificates to trust, where they are not the usual ones.
    root: Option<PathBuf>,
    /// Which servers may be connected to, where not all.
    rule: Option<ServerRule>,
    /// Whether the server would send larger packets than are taken.
    sends_more: Arc<AtomicBool>,
}

/// The parameters of TLS, in the words of MySQL's client.
const TLS: Words = Words {
    mode: &["ssl-mode", "sslmode"],
    read_mode: |word| match word.to_ascii_uppercase().as_str() {
        "DISABLED" => Some(Verify::Never),
        "PREFERRED" => Some(Verify::IfOffered),
        "REQUIRED" => Some(Verify::Encrypt),
        "VERIFY_CA" | "VERIFY_IDENTITY" => Some(Verify::Full),
        _ => None,
    },
    wrong_mode: "ssl-mode must be DISABLED, PREFERRED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY",
    root: "ssl-ca",
    wrong_root: "ssl-ca must be a path",
};

impl Source {
    /// Reads what follows `mysql:` in a URL.
    pub(super) fn parse(rest: &str, rule: Option<ServerRule>) -> Result<Self> {
        let (rest, verify, root) = TLS.split(rest)?;
        // The error may quote the URL.
        let hosts = Hosts::parse(&rest).ok_or_else(wrong_url)?;
        if hosts
            .opts()
            .any(|opts| opts.db_name().is_none_or(str::is_empty))
        {
            return Err(wrong_url());
        }
        if hosts.are_several() && hosts.opts().any(|opts| opts.socket().is_some()) {
            return Err(Error::invalid(
                "the URL of a MySQL or MariaDB database names either several hosts or a socket, not both",
            ));
        }
        let hosts = hosts.map(|opts| {
            let opts = OptsBuilder::from_opts(opts)
                // No other server than the one that is named.
                .prefer_socket(false)
                .tcp_nodelay(true)
                .stmt_cache_size(MAX_PREPARED);
            opts.into()
        });
        Ok(Self {
            hosts: Arc::new(hosts),
            verify,
            root: root.map(PathBuf::from),
            rule,
            sends_more: Arc::default(),
        })
    }

    /// Where the server is.
    pub(super) fn location(&self) -> Location {
        let of_network = self.hosts.opts().filter(|opts| opts.socket().is_none());
        let hosts = of_network.map(|opts| (opts.ip_or_hostname().to_owned(), opts.tcp_port()));
        let sockets = self.hosts.opts().filter_map(|opts| opts.socket());
        Location::Server(ServerLocation {
            hosts: hosts.collect(),
            sockets: sockets.map(PathBuf::from).collect(),
            certificates: self.root.clone(),
        })
    }

    fn tls(&self) -> Option<SslOpts> {
        let opts = SslOpts::default();
        match (self.verify, &self.root) {
            (Verify::Never, _) => None,
            (Verify::IfOffered | Verify::Encrypt, _) => Some(
                opts.with_danger_accept_invalid_certs(true)
                    .with_danger_skip_domain_validation(true),
            ),
            (Verify::Full, None) => Some(opts),
            (Verify::Full, Some(path)) => Some(
                opts.with_root_certs(vec![path.clone().into()])
                    .with_disable_built_in_roots(true),
            ),
        }
    }

    /// The name of the database.
    pub(super) fn database(&self) -> &str {
        let mut all = self.hosts.opts();
        all.find_map(Opts::db_name).unwrap_or_default()
    }

    /// A pool of so many connections at most, whose statements get their turn from `admission`. `settings` are set
    /// on each connection as it is made.
    pub(super) fn pool(
        &self,
        size: usize,
        admission: Admission,
        timeout: Duration,
        settings: &'static [&'static str],
    ) -> Result<Pool> {
        let source = Arc::new(self.clone());
        let manager = Manager {
            source: Arc::clone(&source),
            timeout,
            settings,
        };
        Connections::new(managed::Pool::builder(manager), size, admission, source)
    }

    /// Connects to the first host that can be used. Why none can be is what a server said, or what was wrong with the way to
    /// the last one.
    async fn connect(&self) -> Result<Conn, mysql_async::Error> {
        let mut said = None;
        for host in self.hosts.in_turn() {
            match self.connect_to(host).await {
                Ok(conn) => return Ok(conn),
                Err(_) if matches!(said, Some(mysql_async::Error::Server(_))) => {}
                Err(error) => said = Some(error),
            }
        }
        Err(said.unwrap_or_else(no_host))
    }

    /// Connects to the host of another connection.
    async fn connect_as(&self, conn: &Conn) -> Result<Conn, mysql_async::Error> {
        let (_, host) = self.hosts.of(conn).ok_or_else(no_host)?;
        self.connect_to(host).await
    }

    /// Connects to a host, and remembers whether it can be used where there are others.
    async fn connect_to(&self, host: &Host) -> Result<Conn, mysql_async::Error> {
        if !self.hosts.are_several() {
            return self.connect_sized(host.opts()).await;
        }
        let connected = tokio::time::timeout(self.hosts.patience(), async {
            let mut conn = self.connect_sized(host.opts()).await?;
            join_cluster(&mut conn).await?;
            Ok(conn)
        });
        let connected = connected
            .await
            .unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()));
        host.tried(connected.as_ref().err());
        connected
    }

    /// Makes a connection on which no packet of any size is taken into memory: one that is announced as too large is an
    /// error. What is sent keeps to the limit of the server, where that is the smaller one.
    async fn connect_sized(&self, opts: &Opts) -> Result<Conn, mysql_async::Error> {
        if !self.sends_more.load(Ordering::Relaxed) {
            let mut conn = self.connect_with(opts, None).await?;
            let most: Option<u64> = conn.query_first("SELECT @@max_allowed_packet").await?;
            if most.is_some_and(|most| most <= MAX_PACKET as u64) {
                return Ok(conn);
            }
            self.sends_more.store(true, Ordering::Relaxed);
            conn.disconnect().await?;
        }
        self.connect_with(opts, Some(MAX_PACKET)).await
    }

    async fn connect_with(
        &self,
        opts: &Opts,
        packet: Option<usize>,
    ) -> Result<Conn, mysql_async::Error> {
        let addresses = match opts.socket() {
            Some(_) => None,
            None => {
                let (host, port) = (opts.ip_or_hostname(), opts.tcp_port());
                let found = resolve(host, port, self.rule.as_ref()).await;
                Some(found.map_err(|outage| mysql_async::Error::from(io::Error::other(outage)))?)
            }
        };
        let with = |tls: Option<SslOpts>| {
            let opts = OptsBuilder::from_opts(opts.clone()).ssl_opts(tls);
            let opts = opts.resolved_ips(addresses.clone());
            Conn::new(opts.max_allowed_packet(packet))
        };
        match with(self.tls()).await {
            Err(mysql_async::Error::Driver(DriverError::NoClientSslFlagFromServer))
                if self.verify == Verify::IfOffered =>
            {
                with(None).await
            }
            result => result,
        }
    }
}

fn no_host() -> mysql_async::Error {
    io::Error::from(io::ErrorKind::NotFound).into()
}

fn wrong_url() -> Error {
    Error::invalid(
        "a MySQL or MariaDB database is given as mysql://USER:PASSWORD@HOST:PORT/DATABASE, with special characters in percent-encoding",
    )
}

/// Makes connections and looks whether they still are.
#[derive(Clone)]
pub(crate) struct Manager {
    source: Arc<Source>,
    timeout: Duration,
    settings: &'static [&'static str],
}

impl managed::Manager for Manager {
    type Type = Conn;
    type Error = mysql_async::Error;

    async fn create(&self) -> Result<Conn, mysql_async::Error> {
        let mut conn = self.source.connect().await?;
        let version: Option<String> = conn.query_first("SELECT VERSION()").await?;
        // A statement that waits for a lock leaves its connection to others long before it would time out.
        let seconds = (self.timeout / 3).as_secs().max(1);
        let limit = match is_mariadb(version.as_deref().unwrap_or_default()) {
            true => format!("max_statement_time = {}", self.timeout.as_secs_f64()),
            false => format!("max_execution_time = {}", self.timeout.as_millis()),
        };
        conn.query_drop(format!(
            "SET SESSION autocommit = 1, time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', \
             div_precision_increment = 6, innodb_lock_wait_timeout = {seconds}, lock_wait_timeout = {seconds}, {limit}"
        ))
        .await?;
        for setting in self.settings {
            conn.query_drop(*setting).await?;
        }
        Ok(conn)
    }

    async fn recycle(
        &self,
        conn: &mut Conn,
        metrics: &Metrics,
    ) -> managed::RecycleResult<mysql_async::Error> {
        if conn.is_disconnected() {
            return Err(RecycleError::message("it was closed"));
        }
        if self.source.hosts.replaces(conn, metrics.age()) {
            return Err(RecycleError::message("another host is used"));
        }
        if metrics.last_used() > FRESH {
            conn.ping().await?;
        }
        Ok(())
    }
}

/// Whether a server is MariaDB, by what it says its version is.
pub(super) fn is_mariadb(version: &str) -> bool {
    version.contains("MariaDB")
}

impl ConnectionManager for Manager {
    type Ender = Arc<Source>;

    async fn ping(conn: &mut Conn) -> Result<(), mysql_async::Error> {
        conn.ping().await
    }

    /// The server has to be asked on another connection. That fails for a host that cannot be used any more, whose other
    /// connections are not used then either.
    fn end(conn: Conn, source: Arc<Source>) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let id = conn.id();
        runtime.spawn(async move {
            let ended = tokio::time::timeout(CONNECT_TIMEOUT, async {
                let mut other = source.connect_as(&conn).await?;
                other.query_drop(format!("KILL {id}")).await?;
                other.disconnect().await
            });
            let ended = ended.await;
            if !matches!(ended, Ok(Ok(()))) {
                tracing::debug!("a statement that nobody waits for could not be ended");
            }
            drop(conn);
        });
    }
}

pub(super) type Pool = Connections<Manager>;
pub(super) type Lease = lease::Lease<Manager>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tls_is_asked_for_in_the_words_of_mysql() {
        let split = |rest| TLS.split(rest).unwrap();
        assert_eq!(split("//h/d").1, Verify::IfOffered);
        assert_eq!(split("//h/d?ssl-mode=disabled").1, Verify::Never);
        assert_eq!(split("//h/d?ssl-mode=REQUIRED").1, Verify::Encrypt);
        let (rest, verify, root) = split("//h/d?ssl-mode=REQUIRED&compress=1&ssl-ca=/a%20b.pem");
        assert_eq!((rest.as_str(), verify), ("//h/d?compress=1", Verify::Full));
        assert_eq!(root.as_deref(), Some("/a b.pem"));
        assert!(TLS.split("//h/d?ssl-mode=maybe").is_err());
    }

    #[test]
    fn a_url_that_cannot_be_read_is_not_quoted() {
        for rest in [
            "//u:secret@h:port/d",
            "//u:secret@h",
            "//u:secret@[h/d",
            "secret",
        ] {
            let error = Source::parse(rest, None).err().expect(rest);
            assert!(!format!("{error:?}{error}").contains("secret"), "{error}");
        }
    }
}
