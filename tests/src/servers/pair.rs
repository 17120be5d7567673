//! A PostgreSQL server with a synchronous standby, which takes over when the primary is killed.

use std::{fs, process::Command};

use super::{
    MANY_CONNECTIONS, PASSWORD_IN_URL, POSTGRES, PostgresServer, Server as _, find, free_port,
    give_away, run, unique_name, unprivileged,
};
use crate::wait_until;

/// A primary and its standby. A commit is answered when both have it.
#[derive(Debug)]
pub struct PostgresPair {
    primary: PostgresServer,
    standby: PostgresServer,
}

impl PostgresPair {
    /// Starts both.
    ///
    /// # Panics
    /// When there is no PostgreSQL and none can be installed.
    #[must_use]
    pub fn start() -> Self {
        Self::with(false)
    }

    /// Starts both, each as slow as one in earnest: what is committed is on the disk.
    ///
    /// # Panics
    /// When there is no PostgreSQL and none can be installed.
    #[must_use]
    pub fn start_durable() -> Self {
        Self::with(true)
    }

    fn with(durable: bool) -> Self {
        let primary = PostgresServer::make(durable, MANY_CONNECTIONS);
        let standby = primary.standby();
        Self { primary, standby }
    }

    /// Makes a database of its own on both and gives the URL with the hosts of both.
    ///
    /// # Panics
    /// When the server refuses.
    #[must_use]
    pub fn database(&self, script: &str) -> String {
        let name = unique_name();
        let primary = &self.primary;
        primary.execute(&primary.url("postgres"), &format!("CREATE DATABASE {name}"));
        primary.execute(&primary.url(&name), script);
        format!(
            "postgres://svc:{PASSWORD_IN_URL}@127.0.0.1:{},127.0.0.1:{}/{name}",
            primary.port, self.standby.port
        )
    }

    /// The URL of the primary alone and that of the standby alone, for a database that [`database`](Self::database) made.
    ///
    /// # Panics
    /// When the URL names no database.
    #[must_use]
    pub fn single(&self, url: &str) -> [String; 2] {
        let (_, name) = url.rsplit_once('/').expect("it names a database");
        [&self.primary, &self.standby].map(|server| server.url(name))
    }

    /// Kills all processes of the primary, as a machine that loses its power does.
    ///
    /// # Panics
    /// When its processes are not known.
    pub fn kill_primary(&mut self) {
        self.primary.kill();
    }

    /// Makes the standby the primary, which commits without another one from now on.
    ///
    /// # Panics
    /// When the server refuses.
    pub fn promote(&self) {
        let standby = &self.standby;
        standby.execute(
            &standby.url("postgres"),
            "DO $$ BEGIN IF NOT pg_promote(true, 30) THEN RAISE 'still a standby'; END IF; END $$",
        );
    }

    /// The server that was made a primary by [`promote`](Self::promote).
    #[must_use]
    pub fn promoted(&self) -> &PostgresServer {
        &self.standby
    }
}

impl PostgresServer {
    /// A standby of this server, for which commits wait from now on.
    fn standby(&self) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("svc-standby-")
            .tempdir()
            .expect("a temporary folder");
        give_away(folder.path());
        // The standby connects with what is kept of this URL.
        let source = format!("{}?application_name=standby", self.url("postgres"));
        run(unprivileged(&find("pg_basebackup", POSTGRES))
            .arg("--dbname")
            .arg(source)
            .arg("--pgdata")
            .arg(folder.path().join("data"))
            .args(["--write-recovery-conf", "--wal-method=stream"])
            .args(["--checkpoint=fast", "--no-sync"]));
        let mut standby = Self {
            folder,
            port: free_port(),
            process: None,
            durable: self.durable,
            connections: self.connections,
        };
        standby.run();
        let url = self.url("postgres");
        self.execute(&url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.execute(&url, "SELECT pg_reload_conf()");
        let mut client =
            postgres::Client::connect(&url, postgres::NoTls).expect("the server takes connections");
        let is_synchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        wait_until("commits wait for the standby", || {
            let row = client.query_one(is_synchronous, &[]);
            row.expect("the server counts").get::<_, i64>(0) == 1
        });
        standby
    }

    /// Kills the server and the processes of its connections with SIGKILL.
    fn kill(&mut self) {
        let file = self.folder.path().join("data/postmaster.pid");
        let text = fs::read_to_string(file).expect("the server runs");
        let server = text.lines().next().expect("its process").trim().to_owned();
        // While it is stopped it starts no further process.
        signal("STOP", [&*server]);
        let children = fs::read_to_string(format!("/proc/{server}/task/{server}/children"))
            .expect("Linux tells the children of a process");
        let children = children.split_whitespace();
        signal("KILL", std::iter::once(&*server).chain(children));
        self.stop();
    }
}

fn signal<'p>(name: &str, processes: impl IntoIterator<Item = &'p str>) {
    let mut kill = Command::new("kill");
    kill.args(["-s", name]).args(processes);
    // A process may have ended by itself.
    kill.status().expect("kill is there");
}
