//! Several services over one store behind a load balancer, and callers who note what they were answered. Where the store is, the
//! caller says: [`PostgresPair`](crate::servers::PostgresPair) is one that survives the loss of a server.

mod balancer;
mod load;
mod outcome;
mod verify;

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;
use tempfile::TempDir;

use self::balancer::Balancer;
pub use self::{
    load::Load,
    outcome::{Answered, Outcome, Report},
    verify::Lost,
};
use crate::{Call, Program, Service, program, servers::free_port, wait_until};

/// The key of the store, as a key file has it.
const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
/// The user who signs in.
const EMAIL: &str = "ann@example.com";
const PASSWORD: &str = "correct horse battery";

/// The table of the connected databases that a load writes into: `id` and `note`.
pub const TABLE: &str = "CREATE TABLE notes (id INTEGER PRIMARY KEY, note VARCHAR(100))";

/// What a cluster is made of.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The URL of the store.
    pub store: String,
    /// The names of connected databases, each with [`TABLE`] in it, and their URLs.
    pub connects: Vec<(String, String)>,
    /// How many services run.
    pub nodes: usize,
    /// Further options of each.
    pub options: Vec<String>,
    /// The program that runs at first.
    pub program: PathBuf,
}

impl Setup {
    /// Three services over this store, with no database yet.
    pub fn new(store: String) -> Self {
        let options = [
            // The load comes from one address.
            "--tries-per-account=1000000",
            "--tries-per-address=1000000",
            "--trusted-proxies=127.0.0.1",
            "--log=warn",
        ];
        Self {
            store,
            connects: Vec::new(),
            nodes: 3,
            options: options.map(str::to_owned).into(),
            program: program(),
        }
    }

    /// Connects a database.
    #[must_use]
    pub fn connect(mut self, name: &str, url: String) -> Self {
        self.connects.push((name.to_owned(), url));
        self
    }

    /// Connects a new SQLite file, which lies in the folder of the cluster.
    #[must_use]
    pub fn connect_sqlite(self, name: &str) -> Self {
        self.connect(name, format!("sqlite:{name}.db"))
    }

    /// Begins with another program than the one that is tested.
    #[must_use]
    pub fn program(mut self, program: PathBuf) -> Self {
        self.program = program;
        self
    }

    /// Adds an option of the services.
    #[must_use]
    pub fn option(mut self, option: &str) -> Self {
        self.options.push(option.to_owned());
        self
    }
}

/// Services on one store, each with a folder of its own, and HAProxy before them. All end with this value, and with the
/// process.
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Node>,
    balancer: Balancer,
    setup: Setup,
    tokens: BTreeMap<String, String>,
    api_key: String,
    folder: TempDir,
    _alone: Option<MutexGuard<'static, ()>>,
}

/// Held by the cluster of the test that runs: others would slow it down, and answers that are late count as faults.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[derive(Debug)]
struct Node {
    number: usize,
    port: u16,
    /// Where its metrics are.
    metrics: u16,
    service: Option<Service>,
}

impl Cluster {
    /// Starts all, and waits until each node is ready.
    ///
    /// # Panics
    /// When a program is missing or does not get ready.
    pub fn start(setup: Setup) -> Self {
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        Self::start_with(setup, Some(alone))
    }

    /// The same for a second cluster of the same test.
    ///
    /// # Panics
    /// When a program is missing or does not get ready.
    #[must_use]
    pub fn start_another(&self, setup: Setup) -> Self {
        Self::start_with(setup, None)
    }

    fn start_with(setup: Setup, alone: Option<MutexGuard<'static, ()>>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (_, url) in &setup.connects {
            if let Some(file) = url.strip_prefix("sqlite:") {
                rusqlite::Connection::open(folder.path().join(file))
                    .and_then(|database| database.execute_batch(TABLE))
                    .expect("a table in a new file");
            }
        }
        let nodes: Vec<Node> = (1..=setup.nodes)
            .map(|number| Node {
                number,
                port: free_port(),
                metrics: free_port(),
                service: None,
            })
            .collect();
        let ports: Vec<u16> = nodes.iter().map(|node| node.port).collect();
        let mut cluster = Self {
            balancer: Balancer::start(&ports),
            nodes,
            setup,
            tokens: BTreeMap::new(),
            api_key: String::new(),
            folder,
            _alone: alone,
        };
        // The first one makes the credentials.
        cluster.start_node(0);
        let first = cluster.service(0);
        let api_key = first.text("/api_key").to_owned();
        let names = cluster.setup.connects.iter().map(|(name, _)| name);
        let tokens = names.map(|name| {
            let token = first.text(&format!("/resources/{name}/token"));
            (name.clone(), token.to_owned())
        });
        let tokens = tokens.collect();
        (cluster.tokens, cluster.api_key) = (tokens, api_key);
        let add = format!("user add {EMAIL} --team Editor --password-stdin --project main");
        cluster.run_with_input(&add, PASSWORD);
        for node in 1..cluster.nodes.len() {
            cluster.start_node(node);
        }
        wait_until("the load balancer sends requests to all", || {
            cluster.balancer.ready_nodes() == cluster.nodes.len()
        });
        cluster
    }

    /// Starts a node that does not run. Nodes count from 0.
    ///
    /// # Panics
    /// When it does not get ready.
    pub fn start_node(&mut self, node: usize) {
        let (folder, setup) = (self.folder.path(), &self.setup);
        let node = &mut self.nodes[node];
        let public = format!("--public-url={}", self.balancer.url());
        let dir = format!("--dir=node{}", node.number);
        let mut arguments = vec!["serve", "--store", &setup.store, &dir, &public, "--listen"];
        let address = format!("127.0.0.1:{}", node.port);
        arguments.push(&address);
        let metrics = format!("--metrics-listen=127.0.0.1:{}", node.metrics);
        arguments.push(&metrics);
        let connects: Vec<String> = setup
            .connects
            .iter()
            .map(|(name, url)| format!("--connect={name}={url}"))
            .collect();
        arguments.extend(connects.iter().map(String::as_str));
        arguments.extend(setup.options.iter().map(String::as_str));
        let variables = [("SVC_STORE_KEY", KEY)];
        let service = Service::start_program(&setup.program, folder, &arguments, &variables);
        node.service = Some(service);
    }

    /// A node that runs.
    ///
    /// # Panics
    /// When it does not run.
    pub fn service(&self, node: usize) -> &Service {
        let service = self.nodes[node].service.as_ref();
        service.expect("the node runs")
    }

    /// Kills a node with SIGKILL.
    ///
    /// # Panics
    /// When it does not run.
    pub fn kill_node(&mut self, node: usize) {
        let service = self.nodes[node].service.take();
        service.expect("the node runs").kill();
    }

    /// Has nodes that start from now on run the program that is tested, as after an upgrade.
    pub fn upgrade(&mut self) {
        self.setup.program = program();
    }

    /// Ends a node with SIGTERM, starts it again, and waits until the load balancer sends it requests.
    ///
    /// # Panics
    /// When it does not end with success, or does not get ready again.
    pub fn restart_node(&mut self, node: usize) {
        let service = self.nodes[node].service.take();
        let code = service.expect("the node runs").terminate();
        assert_eq!(code, Some(0));
        self.start_node(node);
        wait_until("the load balancer sends requests to the node again", || {
            self.balancer.ready_nodes() == self.nodes.len()
        });
    }

    /// How many nodes the load balancer sends requests to.
    pub fn ready_nodes(&self) -> usize {
        self.balancer.ready_nodes()
    }

    /// The addresses of the nodes.
    pub fn node_urls(&self) -> Vec<String> {
        let ports = self.nodes.iter().map(|node| node.port);
        ports
            .map(|port| format!("http://127.0.0.1:{port}"))
            .collect()
    }

    /// The same, for clients that connect by themselves.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        let ports = self.nodes.iter().map(|node| node.port);
        let addresses = ports.map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        addresses.collect()
    }

    /// What each node that runs says of one of its metrics, by the whole name.
    ///
    /// # Panics
    /// When it does not tell.
    pub fn metrics(&self, name: &str) -> Vec<f64> {
        let nodes = self.nodes.iter().filter(|node| node.service.is_some());
        let figures = nodes.map(|node| {
            let url = format!("http://127.0.0.1:{}/metrics", node.metrics);
            let text = Call::new("GET", &url).expect(200).body;
            let mut lines = text.lines().filter_map(|line| line.split_once(' '));
            let figure = lines.find_map(|(found, figure)| (found == name).then(|| figure.parse()));
            figure.expect("the node has the metric").expect("a number")
        });
        figures.collect()
    }

    /// The address of the load balancer.
    pub fn url(&self) -> String {
        self.balancer.url()
    }

    /// The token of a connected database.
    ///
    /// # Panics
    /// When none of that name is connected.
    pub fn token(&self, resource: &str) -> &str {
        self.tokens
            .get(resource)
            .expect("the database is connected")
    }

    /// An API key of the project.
    pub fn api_key(&self) -> &str {
        &self.api_key
    }

    /// The folder with the SQLite files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a command on the store, whose words are separated by spaces, and gives its JSON.
    ///
    /// # Panics
    /// When it fails.
    pub fn run(&self, command: &str) -> Value {
        self.program(command, &["--json"]).run_json()
    }

    /// Runs a command on the store that reads a line.
    ///
    /// # Panics
    /// When it fails.
    pub fn run_with_input(&self, command: &str, line: &str) {
        let program = self.program(command, &[]);
        program.input(&format!("{line}\n")).run_ok();
    }

    fn program(&self, command: &str, options: &[&str]) -> Program {
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.extend(["--store", &self.setup.store, "--dir", "admin"]);
        arguments.extend(options);
        // One of a later version would bring the store up to date.
        let program = Program::of(&self.setup.program, self.folder.path(), &arguments);
        program.env("SVC_STORE_KEY", KEY)
    }

    /// A read of a record of a connected database on one node, past the load balancer; `authorization` is a token.
    pub fn read_on(&self, node: &str, resource: &str, authorization: &str) -> Call {
        let path = format!("/projects/main/prod/{resource}/models/notes?_per_page=1");
        Call::new("GET", &format!("{node}{path}")).authorization(authorization)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for service in self.nodes.iter().filter_map(|node| node.service.as_ref()) {
            // One that is stopped would not end.
            let pid = service.pid().to_string();
            let mut kill = Command::new("kill");
            kill.args(["-s", "CONT", &pid]).stderr(Stdio::null());
            let _ = kill.status();
        }
    }
}
