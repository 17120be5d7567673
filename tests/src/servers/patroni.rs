//! PostgreSQL servers that Patroni and etcd keep available.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command},
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::{
    MANY_CONNECTIONS, PASSWORD, PASSWORD_IN_URL, POSTGRES, find, free_port, give_away, run, stop,
    supervised, unique_name, unprivileged,
};
use crate::{Call, wait_until};

/// The package with the program that keeps what the servers agree on.
const ETCD: &[&str] = &["etcd-server"];
const PATRONI: &[&str] = &["patroni"];
/// How many servers there are.
const SERVERS: usize = 3;
/// In seconds: how long a leader counts as alive that says nothing, how often each server looks, and for how long it tries to
/// reach etcd. They are as small as they go together: the first is at least the second and twice the third.
const TIMES: (u32, u32, u32) = (8, 1, 3);

/// PostgreSQL servers of which Patroni makes one the leader, with synchronous replication.
#[derive(Debug)]
pub struct PatroniCluster {
    servers: Vec<Supervised>,
    etcd: Supervised,
    ports: Vec<Ports>,
}

/// A program with a folder.
#[derive(Debug)]
struct Supervised {
    folder: TempDir,
    process: Option<Child>,
}

#[derive(Clone, Copy, Debug)]
struct Ports {
    postgres: u16,
    /// Where Patroni answers.
    patroni: u16,
}

impl PatroniCluster {
    /// Starts etcd and three servers, and waits until commits wait for a standby.
    ///
    /// # Panics
    /// When a program is missing and cannot be installed, or does not get ready.
    #[must_use]
    pub fn start() -> Self {
        find("postgres", POSTGRES);
        let mut etcd = Supervised::new("svc-etcd-");
        let (client, peer) = (free_port(), free_port());
        etcd.run(unprivileged(&find("etcd", ETCD)).args(etcd_options(&etcd, client, peer)));
        let health = format!("http://127.0.0.1:{client}/health");
        wait_until("etcd answers", || answers(&health));
        let ports = [(); SERVERS].map(|()| Ports {
            postgres: free_port(),
            patroni: free_port(),
        });
        let mut cluster = Self {
            servers: Vec::new(),
            etcd,
            ports: ports.into(),
        };
        for (server, ports) in ports.iter().enumerate() {
            let running = Supervised::new("svc-patroni-");
            let file = running.folder.path().join("patroni.yml");
            let text = configuration(server, *ports, client, &running.path("data"));
            fs::write(&file, text).expect("a file in the folder");
            give_away(&file);
            cluster.servers.push(running);
            cluster.run_server(server);
            if server == 0 {
                wait_until("there is a leader", || cluster.leader().is_some());
            }
        }
        cluster.wait_for_standby();
        cluster
    }

    /// Runs a server that does not run, which joins the others.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn run_server(&mut self, server: usize) {
        let patroni = find("patroni", PATRONI);
        let running = self.servers.get_mut(server).expect("there is one");
        let file = running.path("patroni.yml");
        running.run(unprivileged(&patroni).arg(file));
    }

    /// Waits until commits wait for a standby, which could become the leader.
    ///
    /// # Panics
    /// When no standby becomes synchronous in time.
    pub fn wait_for_standby(&self) {
        wait_until("there is a synchronous standby", || {
            self.which("synchronous").is_some()
        });
    }

    /// Which server takes writes.
    #[must_use]
    pub fn leader(&self) -> Option<usize> {
        self.which("primary")
    }

    /// The first server for which Patroni answers this question with yes.
    fn which(&self, question: &str) -> Option<usize> {
        self.ports
            .iter()
            .position(|ports| answers(&format!("http://127.0.0.1:{}/{question}", ports.patroni)))
    }

    /// Kills Patroni and all processes of PostgreSQL at the leader, as a machine that loses its power does. Gives the server,
    /// and how long Patroni took to make another one the leader.
    ///
    /// # Panics
    /// When there is no leader, before or after.
    pub fn kill_leader(&mut self) -> (usize, Duration) {
        let leader = self.leader().expect("there is a leader");
        let running = self.servers.get_mut(leader).expect("there is one");
        let shell = running.process.as_ref().expect("it runs").id();
        let patroni = children(shell);
        signal("STOP", &patroni);
        let file = running.path("data/postmaster.pid");
        let text = fs::read_to_string(file).expect("the server runs");
        let server: u32 = text
            .lines()
            .next()
            .and_then(|line| line.trim().parse().ok())
            .expect("its process");
        // While it is stopped it starts no further process.
        signal("STOP", &[server]);
        signal(
            "KILL",
            &[&patroni[..], &[server], &children(server)].concat(),
        );
        let killed = Instant::now();
        running.stop();
        wait_until("Patroni makes another server the leader", || {
            self.leader().is_some_and(|found| found != leader)
        });
        (leader, killed.elapsed())
    }

    /// Has Patroni exchange the leader and its synchronous standby, as for maintenance. Gives how long that took.
    ///
    /// # Panics
    /// When Patroni refuses.
    #[must_use]
    pub fn switch_over(&self) -> Duration {
        let leader = self.leader().expect("there is a leader");
        let begun = Instant::now();
        let file = self
            .servers
            .get(leader)
            .expect("there is one")
            .path("patroni.yml");
        run(unprivileged(&find("patronictl", PATRONI))
            .arg("-c")
            .arg(file)
            .args(["switchover", "svc", "--force"]));
        wait_until("another server is the leader", || {
            self.leader().is_some_and(|found| found != leader)
        });
        begun.elapsed()
    }

    /// Makes a database of its own and gives the URL with the hosts of all servers.
    ///
    /// # Panics
    /// When the leader refuses.
    #[must_use]
    pub fn database(&self, script: &str) -> String {
        let name = unique_name();
        self.execute("postgres", &format!("CREATE DATABASE {name}"));
        self.execute(&name, script);
        self.url(&name)
    }

    /// Runs statements at the leader.
    fn execute(&self, database: &str, script: &str) {
        let url = format!("{}?target_session_attrs=read-write", self.url(database));
        let mut client =
            postgres::Client::connect(&url, postgres::NoTls).expect("the leader is there");
        client.batch_execute(script).expect("the statements run");
    }

    fn url(&self, database: &str) -> String {
        let ports = self.ports.iter();
        let hosts: Vec<_> = ports
            .map(|ports| format!("127.0.0.1:{}", ports.postgres))
            .collect();
        format!(
            "postgres://svc:{PASSWORD_IN_URL}@{}/{database}",
            hosts.join(",")
        )
    }
}

impl Drop for PatroniCluster {
    fn drop(&mut self) {
        // While etcd still answers.
        self.servers.clear();
        self.etcd.stop();
    }
}

impl Supervised {
    fn new(prefix: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix(prefix)
            .tempdir()
            .expect("a temporary folder");
        give_away(folder.path());
        Self {
            folder,
            process: None,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&mut self, command: &Command) {
        self.process = Some(supervised(command, "TERM", self.folder.path()));
    }

    fn stop(&mut self) {
        stop(&mut self.process);
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.stop();
    }
}

fn etcd_options(etcd: &Supervised, client: u16, peer: u16) -> Vec<String> {
    let (client, peer) = (
        format!("http://127.0.0.1:{client}"),
        format!("http://127.0.0.1:{peer}"),
    );
    vec![
        format!("--data-dir={}", etcd.path("data").display()),
        format!("--listen-client-urls={client}"),
        format!("--advertise-client-urls={client}"),
        format!("--listen-peer-urls={peer}"),
        format!("--initial-advertise-peer-urls={peer}"),
        format!("--initial-cluster=default={peer}"),
    ]
}

/// The configuration of Patroni at a server.
fn configuration(server: usize, ports: Ports, etcd: u16, data: &Path) -> String {
    let Ports { postgres, patroni } = ports;
    let (ttl, loop_wait, retry_timeout) = TIMES;
    // A link may lie among those of few programs.
    let programs = fs::canonicalize(find("postgres", POSTGRES)).expect("it is a file");
    let programs = programs.parent().expect("a program is in a folder");
    let folder = data.parent().expect("it is in a folder");
    let mut text = format!(
        "scope: svc
name: server{server}
restapi: {{listen: '127.0.0.1:{patroni}', connect_address: '127.0.0.1:{patroni}'}}
etcd3: {{host: '127.0.0.1:{etcd}'}}
bootstrap:
  dcs:
    ttl: {ttl}
    loop_wait: {loop_wait}
    retry_timeout: {retry_timeout}
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    postgresql:
      use_pg_rewind: true
      parameters: {{max_connections: {MANY_CONNECTIONS}, wal_log_hints: 'on', fsync: 'off'}}
  initdb: [{{encoding: UTF8}}, {{locale: C.UTF-8}}, no-sync]
postgresql:
  listen: '127.0.0.1:{postgres}'
  connect_address: '127.0.0.1:{postgres}'
"
    );
    let programs = programs.display();
    let (data, folder) = (data.display(), folder.display());
    write!(
        text,
        "  data_dir: '{data}'
  bin_dir: '{programs}'
  pgpass: '{folder}/pgpass'
  authentication:
    superuser: {{username: svc, password: '{PASSWORD}'}}
    replication: {{username: svc, password: '{PASSWORD}'}}
  parameters: {{unix_socket_directories: '{folder}'}}
  pg_hba:
  - host all all 127.0.0.1/32 scram-sha-256
  - host replication all 127.0.0.1/32 scram-sha-256
  - local all all scram-sha-256
"
    )
    .expect("a text takes more");
    text
}

/// Whether a GET is answered with 200.
fn answers(url: &str) -> bool {
    let answer = Call::new("GET", url).timeout(Duration::from_secs(2));
    answer.try_send().is_ok_and(|answer| answer.status == 200)
}

/// The children of a process.
fn children(process: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    let text = text.expect("Linux tells the children of a process");
    text.split_whitespace()
        .filter_map(|child| child.parse().ok())
        .collect()
}

fn signal(name: &str, processes: &[u32]) {
    let mut kill = Command::new("kill");
    kill.args(["-s", name]);
    kill.args(processes.iter().map(u32::to_string));
    // A process may have ended by itself.
    kill.status().expect("kill is there");
}
