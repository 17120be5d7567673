//! A Galera cluster of MariaDB servers on this machine.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command},
};

use tempfile::TempDir;

use super::{
    MARIADB, PASSWORD, PASSWORD_IN_URL, find, free_port, give_away, install, on_mysql, run, stop,
    supervised, try_mysql, unique_name, unprivileged,
};
use crate::wait_until;

/// What makes a cluster of MariaDB servers, in the package of the same purpose.
const PROVIDER: &str = "/usr/lib/galera/libgalera_smm.so";
const GALERA: &[&str] = &["galera-4"];
/// How long nodes wait for one that says nothing, which is 5 seconds when it is not set.
const TIMES: &str =
    "evs.keepalive_period=PT0.5S;evs.suspect_timeout=PT2S;evs.inactive_timeout=PT4S";
/// Tells a node that joins which state it has: it gets what it missed, never a copy of all. Both are on this machine, so that the
/// one names a file into which the other writes.
const STATE_TRANSFER: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
        --role) role=$2 ;;
        --address) address=$2 ;;
        --datadir) folder=$2 ;;
        --gtid) state=$2 ;;
        --bypass) bypass=1 ;;
    esac
    shift
done
if [ "$role" = joiner ]; then
    rm -f "$folder/state"
    echo "ready $folder/state"
    while [ ! -s "$folder/state" ]; do sleep 0.05; done
    cat "$folder/state"
else
    [ -n "$bypass" ] || exit 1
    echo "$state" >"$address.new" && mv "$address.new" "$address"
    echo "done $state"
fi
"#;

/// A cluster of three MariaDB servers, each of which takes writes.
#[derive(Debug)]
pub struct GaleraCluster {
    nodes: Vec<Node>,
}

#[derive(Debug)]
struct Node {
    folder: TempDir,
    port: u16,
    /// Where the nodes talk to each other.
    group_port: u16,
    /// Where it gets what it missed.
    transfer_port: u16,
    process: Option<Child>,
}

impl GaleraCluster {
    /// Starts three nodes.
    ///
    /// # Panics
    /// When they do not get ready, or cannot be installed.
    #[must_use]
    pub fn start() -> Self {
        if !Path::new(PROVIDER).exists() {
            install(GALERA);
            assert!(
                Path::new(PROVIDER).exists(),
                "install galera-4 of your system"
            );
        }
        let mut cluster = Self {
            nodes: (0..3).map(|_| Node::new()).collect(),
        };
        cluster.seed();
        for node in 0..3 {
            let bootstrap = (node == 0).then_some("--wsrep-new-cluster");
            cluster.run_with(node, bootstrap.map(str::to_owned));
        }
        cluster
    }

    /// Makes the same databases in the folders of all nodes: with the user, and with the state of one that was alone.
    fn seed(&mut self) {
        find("my_print_defaults", MARIADB);
        let installing = find("mariadb-install-db", MARIADB);
        let first = self.node(0);
        run(unprivileged(&installing)
            .arg("--no-defaults")
            .arg(format!("--datadir={}", first.data().display()))
            .arg(format!("--tmpdir={}", first.folder.path().display()))
            .arg("--innodb-log-file-size=8M")
            .args(["--auth-root-authentication-method=normal", "--skip-test-db"]));
        let init = first.folder.path().join("init.sql");
        let statements = format!(
            "CREATE USER 'svc'@'127.0.0.1' IDENTIFIED BY '{PASSWORD}';\nGRANT ALL ON *.* TO 'svc'@'127.0.0.1';\n"
        );
        fs::write(&init, statements).expect("a file in the folder");
        give_away(&init);
        let init = format!("--init-file={}", init.display());
        self.run_with(0, Some(format!("--wsrep-new-cluster {init}")));
        self.node_mut(0).stop();
        let first = self.node(0);
        // What it sent to nobody.
        fs::remove_file(first.data().join("galera.cache")).expect("a node keeps it");
        for other in self.nodes.iter().skip(1) {
            let mut copy = unprivileged(Path::new("/bin/cp"));
            run(copy.arg("-a").arg(first.data()).arg(other.data()));
        }
    }

    fn node(&self, node: usize) -> &Node {
        self.nodes.get(node).expect("there are three")
    }

    fn node_mut(&mut self, node: usize) -> &mut Node {
        self.nodes.get_mut(node).expect("there are three")
    }

    /// Runs a node, again after it was stopped or killed, and waits until it has what it missed.
    ///
    /// # Panics
    /// When it does not get ready.
    pub fn run(&mut self, node: usize) {
        let position = self.node(node).position(&self.command(node));
        self.run_with(node, Some(format!("--wsrep-start-position={position}")));
    }

    /// `more` are options without spaces in them.
    fn run_with(&mut self, node: usize, more: Option<String>) {
        let mut command = self.command(node);
        command.args(more.iter().flat_map(|more| more.split(' ')));
        let running = self.node_mut(node);
        running.process = Some(supervised(&command, "TERM", running.folder.path()));
        wait_until("a node of the cluster is ready", || self.is_ready(node));
    }

    /// The command line of a node.
    fn command(&self, node: usize) -> Command {
        let members = self.nodes.iter();
        let members: Vec<_> = members
            .map(|node| format!("127.0.0.1:{}", node.group_port))
            .collect();
        let mut command = self.node(node).command();
        command.arg(format!(
            "--wsrep-cluster-address=gcomm://{}",
            members.join(",")
        ));
        command
    }

    /// Kills a node with SIGKILL.
    ///
    /// # Panics
    /// When it does not run.
    pub fn kill(&mut self, node: usize) {
        let pid = fs::read_to_string(self.node(node).folder.path().join("pid"));
        let pid = pid.expect("a node writes its number");
        run(Command::new("kill").args(["-s", "KILL", pid.trim()]));
        self.node_mut(node).stop();
    }

    /// Cuts a node off from the others, so that it takes no statements, or joins it again; waits until it knows.
    ///
    /// # Panics
    /// When it refuses.
    pub fn isolate(&self, node: usize, is_isolated: bool) {
        let isolate = u8::from(is_isolated);
        let set = format!("SET GLOBAL wsrep_provider_options = 'gmcast.isolate={isolate}'");
        self.execute(node, "", &set);
        wait_until("a node knows whether it has the others", || {
            self.is_ready(node) != is_isolated
        });
    }

    /// Whether a node takes statements.
    #[must_use]
    pub fn is_ready(&self, node: usize) -> bool {
        let status = on_mysql(&self.node_url(node, ""), async |conn| {
            use mysql_async::prelude::Queryable as _;
            let status = conn.query_first("SHOW GLOBAL STATUS LIKE 'wsrep_ready'");
            let status: Option<(String, String)> = status.await?;
            Ok(status.is_some_and(|(_, value)| value == "ON"))
        });
        status.unwrap_or(false)
    }

    /// Makes a database of its own and gives its name.
    ///
    /// # Panics
    /// When a node refuses.
    #[must_use]
    pub fn database(&self, script: &str) -> String {
        let name = unique_name();
        let create =
            format!("CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin");
        self.execute(0, "", &create);
        self.execute(0, &name, script);
        name
    }

    /// The URL of a database at nodes in this order.
    #[must_use]
    pub fn url(&self, database: &str, nodes: &[usize]) -> String {
        let hosts = nodes
            .iter()
            .map(|node| format!("127.0.0.1:{}", self.node(*node).port));
        let hosts = hosts.collect::<Vec<_>>().join(",");
        format!("mysql://svc:{PASSWORD_IN_URL}@{hosts}/{database}")
    }

    fn node_url(&self, node: usize, database: &str) -> String {
        // A node that is not ready answers no question about its settings.
        let url = self.url(database, &[node]);
        format!("{url}?max_allowed_packet=16777216&wait_timeout=60")
    }

    /// Runs statements at a node.
    ///
    /// # Panics
    /// When it refuses.
    pub fn execute(&self, node: usize, database: &str, script: &str) {
        let url = self.node_url(node, database);
        try_mysql(&url, script).expect("the statements run");
    }

    /// The number that a query gives at a node.
    ///
    /// # Panics
    /// When it gives none.
    #[must_use]
    pub fn number(&self, node: usize, query: &str) -> i64 {
        on_mysql(&self.node_url(node, ""), async |conn| {
            use mysql_async::prelude::Queryable as _;
            conn.query_first(query).await
        })
        .expect("the query runs")
        .expect("it gives a number")
    }
}

impl Node {
    fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("svc-galera-")
            .tempdir()
            .expect("a temporary folder");
        give_away(folder.path());
        let transfer = folder.path().join("wsrep_sst_svc");
        fs::write(&transfer, STATE_TRANSFER).expect("a file in the folder");
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&transfer, executable).expect("it is ours");
        Self {
            folder,
            port: free_port(),
            group_port: free_port(),
            transfer_port: free_port(),
            process: None,
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self) -> Command {
        let folder = self.folder.path();
        let mut command = unprivileged(Path::new("/usr/bin/env"));
        command
            .arg(format!("PATH={}:/usr/bin:/bin", folder.display()))
            .arg(find("mariadbd", MARIADB))
            .arg("--no-defaults")
            .arg(format!("--datadir={}", self.data().display()))
            .arg(format!("--tmpdir={}", folder.display()))
            .arg(format!("--socket={}", folder.join("socket").display()))
            .arg(format!("--pid-file={}", folder.join("pid").display()))
            .arg(format!("--port={}", self.port))
            .args(["--bind-address=127.0.0.1", "--skip-name-resolve"])
            .args([
                "--innodb-flush-log-at-trx-commit=2",
                "--innodb-log-file-size=8M",
            ])
            .args(["--binlog-format=ROW", "--innodb-autoinc-lock-mode=2"])
            .args(["--wsrep-on=ON", "--wsrep-cluster-name=svc"])
            .arg(format!("--wsrep-provider={PROVIDER}"))
            .args(["--wsrep-node-address=127.0.0.1", "--wsrep-sst-method=svc"])
            .arg(format!(
                "--wsrep-node-incoming-address=127.0.0.1:{}",
                self.port
            ))
            .arg(format!(
                "--wsrep-provider-options=base_host=127.0.0.1;base_port={0};\
                 gmcast.listen_addr=tcp://127.0.0.1:{0};ist.recv_addr=127.0.0.1:{1};\
                 ist.recv_bind=127.0.0.1:{1};gcache.size=16M;{TIMES}",
                self.group_port, self.transfer_port
            ));
        command
    }

    /// The state of the databases in its folder.
    fn position(&self, command: &Command) -> String {
        let mut recover = unprivileged(Path::new(command.get_program()));
        recover.args(command.get_args()).arg("--wsrep-recover");
        let output = recover.output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr);
        let position = said.lines().find_map(|line| {
            let (_, position) = line.split_once("Recovered position:")?;
            Some(position.trim().to_owned())
        });
        position.unwrap_or_else(|| panic!("no position: {said}"))
    }

    fn stop(&mut self) {
        stop(&mut self.process);
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.stop();
    }
}
