//! Database servers for tests: found on this machine or installed, run as a user without privileges on a free
//! port in a temporary folder, and ended when the test process is.

mod galera;
mod pair;
mod patroni;

use std::{
    fs,
    io::Write as _,
    net::TcpListener,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use tempfile::TempDir;

use svc_system::{install, is_root};

pub use self::galera::GaleraCluster;
pub use self::pair::PostgresPair;
pub use self::patroni::PatroniCluster;
use crate::{running::limit_time, wait_until};

/// The password of the server's user, with characters that a URL has to escape.
const PASSWORD: &str = "s3cret/p@ss";
const PASSWORD_IN_URL: &str = "s3cret%2Fp%40ss";
/// The packages with the programs of MariaDB, and nothing that would start them.
const MARIADB: &[&str] = &["mariadb-server-core", "mariadb-client-core"];
/// The package with the programs of PostgreSQL.
const POSTGRES: &[&str] = &["postgresql"];
/// The variable with the folder of the programs of PostgreSQL to test with, instead of those of this system.
const TESTED_POSTGRES: &str = "TESTED_POSTGRES";
/// How many connections a server accepts, unless a test wants fewer.
const MANY_CONNECTIONS: u32 = 200;
/// How long one attempt to connect may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The user and group that a server runs as when the tests run as root.
const NOBODY: u32 = 65_534;

/// A database server that a test may stop.
pub trait Server: std::fmt::Debug {
    /// Runs the server, again after it was stopped, on the same port.
    ///
    /// # Panics
    /// When it does not get ready.
    fn run(&mut self);

    /// Stops the server.
    fn stop(&mut self);

    /// The URL of a database.
    fn url(&self, database: &str) -> String;

    /// Runs statements in the database of a URL.
    ///
    /// # Panics
    /// When the database refuses.
    fn execute(&self, url: &str, script: &str);

    /// Makes a database of its own and gives its URL.
    ///
    /// # Panics
    /// When the server refuses.
    fn database(&self, script: &str) -> String;
}

/// A PostgreSQL server.
#[derive(Debug)]
pub struct PostgresServer {
    folder: TempDir,
    port: u16,
    process: Option<Child>,
    /// Whether what is committed is on the disk.
    durable: bool,
    /// How many connections it accepts.
    connections: u32,
}

impl PostgresServer {
    /// The server that the tests share.
    ///
    /// # Panics
    /// When there is none and none can be installed.
    pub fn shared() -> &'static Self {
        static SERVER: OnceLock<PostgresServer> = OnceLock::new();
        SERVER.get_or_init(Self::start)
    }

    /// A server of one's own, which may be stopped.
    ///
    /// # Panics
    /// When there is none and none can be installed.
    #[must_use]
    pub fn start() -> Self {
        Self::make(false, MANY_CONNECTIONS)
    }

    /// A server of one's own that is as slow as one in earnest: what is committed is on the disk.
    ///
    /// # Panics
    /// When there is none and none can be installed.
    #[must_use]
    pub fn start_durable() -> Self {
        Self::make(true, MANY_CONNECTIONS)
    }

    /// A server of one's own that accepts few connections.
    ///
    /// # Panics
    /// When there is none and none can be installed.
    #[must_use]
    pub fn start_with_connections(connections: u32) -> Self {
        Self::make(false, connections)
    }

    fn make(durable: bool, connections: u32) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("svc-postgres-")
            .tempdir()
            .expect("a temporary folder");
        give_away(folder.path());
        let password = folder.path().join("password");
        fs::write(&password, PASSWORD).expect("a file in the folder");
        give_away(&password);
        let data = folder.path().join("data");
        let initdb = find("initdb", POSTGRES);
        run(unprivileged(&initdb)
            .arg("--pgdata")
            .arg(&data)
            .args(["--username=svc", "--auth=scram-sha-256", "--no-sync"])
            .args(["--encoding=UTF8", "--locale=C.UTF-8"])
            .arg(format!("--pwfile={}", password.display())));
        let mut server = Self {
            folder,
            port: free_port(),
            process: None,
            durable,
            connections,
        };
        server.run();
        server
    }
}

impl PostgresServer {
    /// The URL of a database by which the server is reached through its Unix socket.
    #[must_use]
    pub fn socket_url(&self, url: &str) -> String {
        let database = url.rsplit('/').next().unwrap_or_default();
        let folder = self.folder.path().display().to_string();
        format!(
            "postgres://svc:{PASSWORD_IN_URL}@{}:{}/{database}",
            folder.replace('/', "%2F"),
            self.port
        )
    }

    /// Makes a database with PostGIS, which is installed where the server of this system has none; a server of
    /// `TESTED_POSTGRES` may lack it.
    ///
    /// # Panics
    /// When the server refuses, or PostGIS cannot be installed.
    #[must_use]
    pub fn database_with_postgis(&self, script: &str) -> Option<String> {
        let url = self.database("");
        let mut client =
            postgres::Client::connect(&url, postgres::NoTls).expect("the server takes connections");
        let extend = "CREATE EXTENSION postgis";
        if client.batch_execute(extend).is_err() {
            if std::env::var_os(TESTED_POSTGRES).is_some() {
                return None;
            }
            let version = "SELECT current_setting('server_version_num')::int4 / 10000";
            let version: i32 = client
                .query_one(version, &[])
                .expect("a server has a version")
                .get(0);
            install(&[&format!("postgresql-{version}-postgis-3")]);
            client.batch_execute(extend).expect("PostGIS is there");
        }
        client.batch_execute(script).expect("the statements run");
        Some(url)
    }
}

impl Server for PostgresServer {
    fn run(&mut self) {
        let mut command = unprivileged(&find("postgres", POSTGRES));
        command
            .arg("-D")
            .arg(self.folder.path().join("data"))
            .args(["-p", &self.port.to_string()])
            .args(["-c", "listen_addresses=127.0.0.1"])
            .arg("-c")
            .arg(format!(
                "unix_socket_directories={}",
                self.folder.path().display()
            ))
            .args(["-c", &format!("max_connections={}", self.connections)])
            // Its user is a superuser, so that all of them are for tests.
            .args(["-c", "superuser_reserved_connections=0"])
            .args([
                "-c",
                if self.durable {
                    "fsync=on"
                } else {
                    "fsync=off"
                },
            ]);
        self.process = Some(supervised(&command, "INT", self.folder.path()));
        let url = self.url("postgres");
        wait_until("PostgreSQL takes connections", || {
            postgres::Client::connect(&url, postgres::NoTls).is_ok()
        });
    }

    fn stop(&mut self) {
        stop(&mut self.process);
    }

    fn url(&self, database: &str) -> String {
        format!(
            "postgres://svc:{PASSWORD_IN_URL}@127.0.0.1:{}/{database}",
            self.port
        )
    }

    fn execute(&self, url: &str, script: &str) {
        let mut client =
            postgres::Client::connect(url, postgres::NoTls).expect("the server takes connections");
        client.batch_execute(script).expect("the statements run");
    }

    fn database(&self, script: &str) -> String {
        let name = unique_name();
        self.execute(&self.url("postgres"), &format!("CREATE DATABASE {name}"));
        let url = self.url(&name);
        self.execute(&url, script);
        url
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A MariaDB server.
#[derive(Debug)]
pub struct MariadbServer {
    folder: TempDir,
    port: u16,
    process: Option<Child>,
    /// How many connections it accepts.
    connections: u32,
}

impl MariadbServer {
    /// The server that the tests share.
    ///
    /// # Panics
    /// When there is none and none can be installed.
    pub fn shared() -> &'static Self {
        static SERVER: OnceLock<MariadbServer> = OnceLock::new();
        SERVER.get_or_init(Self::start)
    }

    /// A server of one's own, which may be stopped.
    ///
    /// # Panics
    /// When there is none and none can be installed.
    #[must_use]
    pub fn start() -> Self {
        Self::start_with_connections(MANY_CONNECTIONS)
    }

    /// A server of one's own that accepts few connections.
    ///
    /// # Panics
    /// When there is none and none can be installed.
    #[must_use]
    pub fn start_with_connections(connections: u32) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("svc-mariadb-")
            .tempdir()
            .expect("a temporary folder");
        give_away(folder.path());
        // What the other one needs.
        find("my_print_defaults", MARIADB);
        let install = find("mariadb-install-db", MARIADB);
        run(unprivileged(&install)
            .arg("--no-defaults")
            .arg(format!(
                "--datadir={}",
                folder.path().join("data").display()
            ))
            // Servers that share a folder for temporary files get into each other's way.
            .arg(format!("--tmpdir={}", folder.path().display()))
            .args(["--auth-root-authentication-method=normal", "--skip-test-db"]));
        let init = folder.path().join("init.sql");
        let statements = format!(
            "CREATE USER IF NOT EXISTS 'svc'@'127.0.0.1' IDENTIFIED BY '{PASSWORD}';
             GRANT ALL ON *.* TO 'svc'@'127.0.0.1';"
        );
        fs::write(&init, statements.replace('\n', " ").replace(';', ";\n"))
            .expect("a file in the folder");
        give_away(&init);
        let mut server = Self {
            folder,
            port: free_port(),
            process: None,
            connections,
        };
        server.run();
        server
    }
}

impl Server for MariadbServer {
    fn run(&mut self) {
        let folder = self.folder.path();
        let mut command = unprivileged(&find("mariadbd", MARIADB));
        command
            .arg("--no-defaults")
            .arg(format!("--datadir={}", folder.join("data").display()))
            .arg(format!("--tmpdir={}", folder.display()))
            .arg(format!("--socket={}", folder.join("socket").display()))
            .arg(format!("--pid-file={}", folder.join("pid").display()))
            .arg(format!("--init-file={}", folder.join("init.sql").display()))
            .arg(format!("--port={}", self.port))
            .args(["--bind-address=127.0.0.1", "--skip-name-resolve"])
            .arg("--innodb-flush-log-at-trx-commit=2")
            .arg(format!("--max-connections={}", self.connections));
        self.process = Some(supervised(&command, "TERM", folder));
        let url = self.url("mysql");
        wait_until("MariaDB takes connections", || {
            try_mysql(&url, "DO 0").is_ok()
        });
    }

    fn stop(&mut self) {
        stop(&mut self.process);
    }

    fn url(&self, database: &str) -> String {
        format!(
            "mysql://svc:{PASSWORD_IN_URL}@127.0.0.1:{}/{database}",
            self.port
        )
    }

    fn execute(&self, url: &str, script: &str) {
        try_mysql(url, script).expect("the statements run");
    }

    fn database(&self, script: &str) -> String {
        let name = unique_name();
        self.execute(
            &self.url("mysql"),
            &format!("CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"),
        );
        let url = self.url(&name);
        self.execute(&url, script);
        url
    }
}

impl Drop for MariadbServer {
    fn drop(&mut self) {
        self.stop();
    }
}

impl MariadbServer {
    /// The number that a query gives.
    ///
    /// # Panics
    /// When it gives none.
    pub fn number(&self, query: &str) -> i64 {
        on_mysql(&self.url("mysql"), async |conn| {
            use mysql_async::prelude::Queryable as _;
            conn.query_first(query).await
        })
        .expect("the query runs")
        .expect("it gives a number")
    }

    /// Lets later connections send and get packets of this many bytes.
    ///
    /// # Panics
    /// When the server refuses.
    pub fn set_max_packet(&self, bytes: u64) {
        let set = format!("SET GLOBAL max_allowed_packet = {bytes}");
        self.execute(&self.url("mysql"), &set);
    }

    /// Runs a statement in the database of a URL, on a connection that stays open while the answer is kept.
    ///
    /// # Panics
    /// When the database refuses.
    #[must_use]
    pub fn hold(&self, url: &str, statement: &str) -> HeldConnection {
        use mysql_async::prelude::Queryable as _;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let connection = runtime.block_on(async {
            let url = format!("{url}?prefer_socket=false");
            let mut connection = mysql_async::Conn::from_url(url).await?;
            connection.query_drop(statement).await?;
            Ok::<_, mysql_async::Error>(connection)
        });
        HeldConnection {
            _connection: connection.expect("the statement runs"),
            _runtime: runtime,
        }
    }
}

/// An open connection, with what its statement has locked.
#[derive(Debug)]
pub struct HeldConnection {
    _connection: mysql_async::Conn,
    _runtime: tokio::runtime::Runtime,
}

/// Runs statements in the MySQL or MariaDB database of a URL.
fn try_mysql(url: &str, script: &str) -> Result<(), mysql_async::Error> {
    on_mysql(url, async |conn| {
        use mysql_async::prelude::Queryable as _;
        conn.query_drop(script).await
    })
}

fn on_mysql<T>(
    url: &str,
    work: impl AsyncFnOnce(&mut mysql_async::Conn) -> Result<T, mysql_async::Error>,
) -> Result<T, mysql_async::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let more = if url.contains('?') { '&' } else { '?' };
        let connect = mysql_async::Conn::from_url(format!("{url}{more}prefer_socket=false"));
        let mut conn = tokio::time::timeout(PATIENCE, connect)
            .await
            .map_err(|error| mysql_async::Error::Other(error.into()))??;
        let result = work(&mut conn).await?;
        conn.disconnect().await?;
        Ok(result)
    })
}

/// A name that no other test has.
fn unique_name() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Gives a file or folder to the user that servers run as.
pub(crate) fn give_away(path: &Path) {
    if is_root() {
        std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).expect("root may do that");
    }
}

/// A command that has no privileges.
pub(crate) fn unprivileged(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/").env("LC_ALL", "C.UTF-8");
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

fn run(command: &mut Command) {
    let output = command.output().expect("the program starts");
    assert!(
        output.status.success(),
        "{command:?} failed: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Starts a server that a shell ends with a signal when it is told to, or when this process is gone, however it
/// went; then nobody needs the folder any more.
pub(crate) fn supervised(command: &Command, signal: &str, folder: &Path) -> Child {
    limit_time();
    let folder = folder.display();
    let script = format!(
        "\"$0\" \"$@\" >>'{folder}/log' 2>&1 </dev/null & child=$!
        read -r _ && stopped=1
        kill -{signal} $child 2>/dev/null
        {{ sleep 20; kill -KILL $child; }} 2>/dev/null & guard=$!
        wait $child
        kill $guard 2>/dev/null
        [ -n \"$stopped\" ] || rm -rf '{folder}'"
    );
    let mut shell = unprivileged(Path::new("/bin/sh"));
    shell
        .arg("-c")
        .arg(script)
        .arg(command.get_program())
        .args(command.get_args())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    shell.spawn().expect("a shell starts")
}

pub(crate) fn stop(process: &mut Option<Child>) {
    if let Some(mut child) = process.take() {
        if let Some(mut input) = child.stdin.take() {
            input.write_all(b"\n").ok();
        }
        child.wait().ok();
    }
}

/// A free port that nobody gets who asks for any port, since it has to stay free while the server is stopped.
pub(crate) fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    for _ in 0..1_000 {
        // Processes that run beside each other begin at different places.
        let number = NEXT.fetch_add(1, Ordering::Relaxed) + std::process::id().wrapping_mul(37);
        let port = 12_000 + u16::try_from(number % 18_000).unwrap_or(0);
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no port is free");
}

/// The program of a server, installed when it is not there.
pub(crate) fn find(program: &str, packages: &[&str]) -> PathBuf {
    if packages == POSTGRES
        && let Some(folder) = std::env::var_os(TESTED_POSTGRES)
    {
        let path = Path::new(&folder).join(program);
        let shown = path.display();
        assert!(
            path.is_file(),
            "{TESTED_POSTGRES}: {shown} is not a program"
        );
        return path;
    }
    if let Some(path) = installed(program) {
        return path;
    }
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _one_at_a_time = ONE_AT_A_TIME
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if installed(program).is_none() {
        install(packages);
    }
    installed(program).unwrap_or_else(|| {
        let packages = packages.join(" and ");
        panic!("{program} was not found; install {packages} of your system")
    })
}

fn installed(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(["/usr/sbin", "/usr/local/bin", "/usr/local/pgsql/bin"].map(PathBuf::from));
    // Debian keeps the programs of each version in a folder of its own.
    if let Ok(versions) = fs::read_dir("/usr/lib/postgresql") {
        let mut versions: Vec<PathBuf> = versions.flatten().map(|entry| entry.path()).collect();
        versions.sort();
        folders.extend(versions.into_iter().rev().map(|path| path.join("bin")));
    }
    let mut paths = folders.into_iter().map(|folder| folder.join(program));
    paths.find(|path| path.is_file())
}
