//! The program `svc`, serving the dataset.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use http::{HeaderValue, Uri};
use serde::Deserialize;

use crate::Error;
use crate::cases::Case;
use crate::dataset::{Database, ORDERS};
use crate::load::Target;
use crate::usage::{self, Usage};

/// The running program, which ends when this value is dropped.
#[derive(Debug)]
pub struct Service {
    process: Child,
    address: SocketAddr,
    /// The path of the environment.
    path: String,
    tokens: BTreeMap<String, HeaderValue>,
    program: PathBuf,
    store: PathBuf,
}

#[derive(Deserialize)]
struct Ready {
    base_url: String,
    project: String,
    environment: String,
    resources: BTreeMap<String, Resource>,
}

#[derive(Deserialize)]
struct Resource {
    token: Option<String>,
}

impl Service {
    /// Starts the program with these databases connected under their names.
    pub fn start(folder: &Path, databases: &[Database]) -> Result<Self, Error> {
        Self::start_with(folder, databases, &[])
    }

    /// The same with further options.
    pub fn start_with(
        folder: &Path,
        databases: &[Database],
        options: &[&str],
    ) -> Result<Self, Error> {
        let program = program()?;
        let store = folder.join("store");
        let process = command(&program)
            // A line for each request would measure the terminal.
            .args(["serve", "--json", "--log", "warn"])
            .args(["--listen", "127.0.0.1:0", "--dir"])
            .arg(&store)
            // Limits that would refuse the measured requests are raised.
            .args([
                "--tries-per-account",
                "1000000",
                "--tries-per-address",
                "1000000",
            ])
            // Long downloads are allowed too.
            .args([
                "--proxy-timeout",
                "600",
                "--proxy-response-limit",
                "4294967296",
            ])
            .args(databases.iter().flat_map(|database| {
                let Database { name, url } = database;
                ["--connect".to_owned(), format!("{name}={url}")]
            }))
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| format!("{} cannot be run: {error}", program.display()))?;
        // From here on the process ends with the value, even if its output is invalid.
        let mut service = Self {
            process,
            address: (Ipv4Addr::UNSPECIFIED, 0).into(),
            path: String::new(),
            tokens: BTreeMap::new(),
            program,
            store,
        };
        let ready = ready(&mut service.process)?;
        service.read(&ready)?;
        Ok(service)
    }

    fn read(&mut self, ready: &Ready) -> Result<(), Error> {
        let address = ready.base_url.parse::<Uri>()?;
        let address = address.authority().ok_or("base_url has no authority")?;
        let mut tokens = BTreeMap::new();
        for (name, resource) in &ready.resources {
            // It is shown when the resource is connected, and not again later.
            let Some(token) = &resource.token else {
                continue;
            };
            let mut authorization = HeaderValue::try_from(token)?;
            authorization.set_sensitive(true);
            tokens.insert(name.clone(), authorization);
        }
        self.address = address.as_str().parse()?;
        self.path = format!("/projects/{}/{}", ready.project, ready.environment);
        self.tokens = tokens;
        Ok(())
    }

    pub fn target(&self, database: &Database, case: &'static Case) -> Target {
        Target {
            address: self.address,
            path: format!("{}/{}/models/{ORDERS}", self.path, database.name),
            authorization: self.tokens.get(database.name).cloned(),
            case,
            status: None,
        }
    }

    /// Creates a user who can log in.
    pub fn add_user(&self, email: &str, password: &str) -> Result<(), Error> {
        let add = [
            "user",
            "add",
            email,
            "--team",
            "Editor",
            "--password",
            password,
            "--project",
            "main",
        ];
        self.administer(&add).map(drop)
    }

    /// Runs an administration command, and returns its output.
    pub fn administer(&self, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        self.administer_with(arguments, "")
    }

    /// The same with this input.
    pub fn administer_with(&self, arguments: &[&str], input: &str) -> Result<Vec<u8>, Error> {
        let mut process = Command::new(&self.program)
            .args(arguments)
            .arg("--dir")
            .arg(&self.store)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        let mut stdin = process.stdin.take().ok_or("svc has no input")?;
        stdin.write_all(input.as_bytes())?;
        drop(stdin);
        let output = process.wait_with_output()?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(format!("svc {} failed", arguments.join(" ")).into()),
        }
    }

    /// The command `svc records` with these arguments, which calls this service and writes what it did as JSON.
    pub fn records(&self, database: &Database, arguments: &[&str]) -> Result<Command, Error> {
        let token = self.token(database).ok_or("the resource has no token")?;
        let mut command = command(&self.program);
        command
            .arg("records")
            .args(arguments)
            .args(["--json", "--project", "main", "--api-base-url"])
            .arg(format!("http://{}", self.address))
            .env("SVC_API_TOKEN", token.to_str()?)
            .stderr(Stdio::inherit());
        Ok(command)
    }

    /// The folder of its store.
    pub fn store(&self) -> &Path {
        &self.store
    }

    /// Makes another token of a resource.
    pub fn add_token(&self, database: &Database) -> Result<HeaderValue, Error> {
        #[derive(Deserialize)]
        struct Made {
            token: String,
        }

        let add = ["token", "add", database.name, "--project", "main", "--json"];
        let made = serde_json::from_slice::<Made>(&self.administer(&add)?)?;
        let mut authorization = HeaderValue::try_from(made.token)?;
        authorization.set_sensitive(true);
        Ok(authorization)
    }

    /// Makes an API key of the project.
    pub fn add_key(&self) -> Result<String, Error> {
        #[derive(Deserialize)]
        struct Made {
            api_key: String,
        }

        let made = self.administer(&["key", "add", "--project", "main", "--json"])?;
        Ok(serde_json::from_slice::<Made>(&made)?.api_key)
    }

    /// Creates a session of the team Editor without a password.
    pub fn add_session(&self) -> Result<HeaderValue, Error> {
        #[derive(Deserialize)]
        struct Made {
            token: String,
        }

        let add = ["service-token", "add", "--team", "Editor"];
        let add = [&add[..], &["--project", "main", "--json"]].concat();
        let made: Made = serde_json::from_slice(&self.administer(&add)?)?;
        let mut session = HeaderValue::try_from(format!("JWT {}", made.token))?;
        session.set_sensitive(true);
        Ok(session)
    }

    /// The static token of a database.
    pub fn token(&self, database: &Database) -> Option<HeaderValue> {
        self.tokens.get(database.name).cloned()
    }

    /// A path below the environment.
    pub fn path(&self, below: &str) -> String {
        format!("{}{below}", self.path)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn process(&self) -> u32 {
        self.process.id()
    }

    pub fn usage(&self) -> Result<Usage, Error> {
        usage::of(self.process())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The program that is measured.
pub fn program() -> Result<PathBuf, Error> {
    std::env::var_os("TESTED_PROGRAM")
        .map(PathBuf::from)
        .ok_or_else(|| "TESTED_PROGRAM does not name the program; run `cargo xtask bench`".into())
}

/// A command of the program, without settings of the caller's own service.
fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SVC_") {
            command.env_remove(name);
        }
    }
    command
}

/// Waits for the ready line. The program either prints it or ends.
fn ready(process: &mut Child) -> Result<Ready, Error> {
    let output = process.stdout.take().ok_or("svc has no output")?;
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    serde_json::from_str(&line)
        .map_err(|error| format!("svc serve --json printed no ready line: {error}").into())
}
