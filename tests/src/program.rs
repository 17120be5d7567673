//! The program as a child process.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{Call, running::limit_time, store};

/// How long anything may take before a test gives up.
const DEADLINE: Duration = Duration::from_secs(120);

/// How long what is promised within a second or two may take on a busy machine.
pub const PROMPT: Duration = Duration::from_secs(10);

/// How long a program may run that is to end by itself, such as an import.
const LONGEST_RUN: Duration = Duration::from_secs(300);

/// Polls until `condition` holds.
///
/// # Panics
/// When it does not hold within the deadline.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < DEADLINE, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The path of the built program.
///
/// # Panics
/// When it was not built.
pub fn program() -> PathBuf {
    let path = std::env::var_os("TESTED_PROGRAM").map_or_else(
        || {
            let test = std::env::current_exe().expect("the test binary has a path");
            let profile = test
                .parent()
                .and_then(Path::parent)
                .expect("the test binary lies in deps");
            profile.join("svc")
        },
        PathBuf::from,
    );
    assert!(
        path.exists(),
        "the program is not built: run cargo build -p svc-cli"
    );
    path
}

/// A command line of the program.
#[derive(Debug)]
pub struct Program {
    command: Command,
}

impl Program {
    /// The program with these arguments, in this folder, without any of the caller's settings.
    pub fn new(folder: &Path, arguments: &[&str]) -> Self {
        Self::of(&program(), folder, arguments)
    }

    /// The same with another program than the one that is tested.
    pub fn of(program: &Path, folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null());
        without_settings(&mut command);
        if let Some(url) = store::of(folder, arguments) {
            command.env("SVC_STORE", url);
        }
        Self { command }
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Gives it a text on standard input, which is shorter than a pipe holds.
    ///
    /// # Panics
    /// When there is no pipe.
    #[must_use]
    pub fn input(mut self, text: &str) -> Self {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        writer.write_all(text.as_bytes()).expect("a short text");
        self.command.stdin(reader);
        self
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// When it cannot be started, and when it does not end.
    pub fn run(mut self) -> Output {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("the program starts");
        let written = whole(child.stdout.take());
        let errors = whole(child.stderr.take());
        let status = ended_within(&mut child, LONGEST_RUN);
        if status.is_none() {
            child.kill().expect("a child of this process");
            child.wait().expect("a child of this process");
        }
        let read = |reader: thread::JoinHandle<Vec<u8>>| reader.join().expect("a reader");
        let (stdout, stderr) = (read(written), read(errors));
        let Some(status) = status else {
            panic!(
                "the program does not end: {}",
                String::from_utf8_lossy(&stderr)
            );
        };
        Output {
            status,
            stdout,
            stderr,
        }
    }

    /// Runs it to its successful end and gives what it wrote to standard output.
    ///
    /// # Panics
    /// When it fails.
    pub fn run_ok(self) -> String {
        let output = self.run();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "the program failed: {errors}");
        String::from_utf8(output.stdout).expect("the program writes UTF-8")
    }

    /// Runs it to its successful end and gives the one JSON line that it wrote.
    ///
    /// # Panics
    /// When it fails, or writes anything but one line of JSON.
    pub fn run_json(self) -> Value {
        let text = self.run_ok();
        assert_eq!(text.trim_end().lines().count(), 1, "{text}");
        serde_json::from_str(&text).expect("the line is JSON")
    }

    /// Runs it to its failure and gives exit code and messages.
    ///
    /// # Panics
    /// When it succeeds or dies of a signal.
    pub fn run_err(self) -> (i32, String) {
        let output = self.run();
        assert!(!output.status.success(), "the program succeeded");
        let code = output.status.code().expect("the program exits");
        (
            code,
            String::from_utf8(output.stderr).expect("the program writes UTF-8"),
        )
    }
}

/// Reads all that a program writes.
fn whole(from: Option<impl std::io::Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            from.read_to_end(&mut bytes).expect("a pipe");
        }
        bytes
    })
}

/// How a program ended, once it has; `None` when it goes on for too long.
fn ended_within(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let begun = Instant::now();
    while begun.elapsed() < limit {
        if let Some(status) = child.try_wait().expect("a child of this process") {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(5));
    }
    None
}

/// The running service.
#[derive(Debug)]
pub struct Service {
    child: Child,
    ready: Value,
    log: Arc<Mutex<String>>,
}

impl Service {
    /// Starts the program in `folder` and waits for its ready line; `arguments` begin with `demo` or
    /// `serve`. A free port and `--json` are added.
    ///
    /// # Panics
    /// When it ends or does not get ready.
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_with(folder, arguments, &[])
    }

    /// Starts the program with these variables.
    ///
    /// # Panics
    /// When it ends or does not get ready.
    pub fn start_with(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::start_program(&program(), folder, arguments, variables)
    }

    /// Starts another program than the one that is tested.
    ///
    /// # Panics
    /// When it ends or does not get ready.
    pub fn start_program(
        program: &Path,
        folder: &Path,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        limit_time();
        // The shell ends the program when this process is gone, however it went: its standard input
        // is a pipe that closes then. `exec` would not notice. Without its output, that of the program ends with it.
        let script = r#""$0" "$@" & child=$!
            exec >&-
            trap 'kill -TERM $child; wait $child; exit $?' TERM
            echo $child >&3
            read -r _ || true
            kill -TERM $child 2>/dev/null
            wait $child"#;
        let mut arguments = arguments.to_vec();
        if !arguments.contains(&"--listen") {
            arguments.extend(["--listen", "127.0.0.1:0"]);
        }
        arguments.push("--json");
        let Program { command: bare } = Program::new(folder, &arguments);
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(format!("exec 3>&2; {script}"))
            .arg(program);
        command.args(bare.get_args()).current_dir(folder);
        for (name, value) in bare.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.envs(variables.iter().copied());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let log = Arc::new(Mutex::new(String::new()));
        let (errors, kept) = (child.stderr.take().expect("piped"), Arc::clone(&log));
        thread::spawn(move || {
            let mut errors = BufReader::new(errors);
            let mut line = String::new();
            while errors.read_line(&mut line).is_ok_and(|read| read > 0) {
                kept.lock().expect("not poisoned").push_str(&line);
                line.clear();
            }
        });
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, first) = mpsc::channel();
        thread::spawn(move || {
            let mut line = String::new();
            let _ = output.read_line(&mut line);
            let _ = sender.send(line);
            // Whatever else it writes must not fill the pipe.
            output.read_to_end(&mut Vec::new())
        });
        let mut service = Self {
            child,
            ready: Value::Null,
            log,
        };
        let line = first.recv_timeout(DEADLINE).unwrap_or_default();
        assert!(!line.is_empty(), "the service did not get ready");
        service.ready =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        service
    }

    /// The ready line.
    pub fn ready(&self) -> &Value {
        &self.ready
    }

    /// A text of the ready line, by JSON pointer.
    ///
    /// # Panics
    /// When it is not there.
    pub fn text(&self, pointer: &str) -> &str {
        let found = self.ready.pointer(pointer).and_then(Value::as_str);
        found.unwrap_or_else(|| panic!("{pointer} is not in {}", self.ready))
    }

    /// A call to the data host, with the token of `resource`; `path` begins behind the resource.
    ///
    /// # Panics
    /// When the ready line has no such token.
    pub fn data(&self, method: &str, resource: &str, path: &str) -> Call {
        let token = self
            .text(&format!("/resources/{resource}/token"))
            .to_owned();
        self.data_anonymous(method, resource, path)
            .authorization(&token)
    }

    /// A call to the data host without a credential.
    pub fn data_anonymous(&self, method: &str, resource: &str, path: &str) -> Call {
        let (base, project) = (self.text("/base_url"), self.text("/project"));
        let environment = self.text("/environment");
        Call::new(
            method,
            &format!("{base}/projects/{project}/{environment}/{resource}{path}"),
        )
    }

    /// A call to the application host with the API key; `path` begins behind `/api`.
    pub fn app(&self, method: &str, path: &str) -> Call {
        let key = self.text("/api_key").to_owned();
        self.app_anonymous(method, path)
            .authorization(&format!("Bearer {key}"))
    }

    /// A call to the application host without a credential.
    pub fn app_anonymous(&self, method: &str, path: &str) -> Call {
        Call::new(method, &format!("{}{path}", self.text("/app_base_url")))
    }

    /// A call below the service's own address.
    ///
    /// # Panics
    /// When the application host's address does not end in `/api`.
    pub fn root(&self, method: &str, path: &str) -> Call {
        let app = self.text("/app_base_url");
        let origin = app
            .strip_suffix("/api")
            .expect("the application host's address ends in /api");
        Call::new(method, &format!("{origin}{path}"))
    }

    /// What it wrote to standard error so far.
    ///
    /// # Panics
    /// When the reader panicked.
    pub fn log(&self) -> String {
        self.log.lock().expect("not poisoned").clone()
    }

    /// The process of the program itself.
    ///
    /// # Panics
    /// When the shell did not tell.
    pub fn pid(&self) -> u32 {
        let mut pid = None;
        wait_until("the process is known", || {
            pid = self.log().lines().find_map(|line| line.trim().parse().ok());
            pid.is_some()
        });
        pid.expect("known by now")
    }

    /// Kills it with SIGKILL and waits until it is gone.
    ///
    /// # Panics
    /// When there is no `kill`.
    pub fn kill(mut self) {
        self.signal("KILL");
        self.ended().expect("the service is gone");
    }

    /// Asks it to end with SIGTERM, and does not wait.
    pub fn request_end(&mut self) {
        // The shell sends the signal when its standard input closes.
        drop(self.child.stdin.take());
    }

    /// Asks it to end with SIGTERM, waits, and gives its exit code.
    ///
    /// # Panics
    /// When it does not end.
    pub fn terminate(mut self) -> Option<i32> {
        self.request_end();
        self.ended().expect("the service ends").code()
    }

    /// How it ended, once it has; `None` when it goes on for too long.
    fn ended(&mut self) -> Option<ExitStatus> {
        // The shell waits for it.
        drop(self.child.stdin.take());
        ended_within(&mut self.child, DEADLINE)
    }

    /// Sends a signal to the program.
    ///
    /// # Panics
    /// When there is no `kill`.
    pub fn signal(&self, name: &str) {
        let pid = self.pid().to_string();
        let status = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(status.expect("kill is there").success());
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if thread::panicking() {
            let log = self.log();
            let lines: Vec<&str> = log.lines().collect();
            let last = &lines[lines.len().saturating_sub(40)..];
            eprintln!("what the service said last:\n{}", last.join("\n"));
        }
        if self.ended().is_some() {
            return;
        }
        // One that does not end must not keep all other tests waiting.
        self.signal("KILL");
        let _ = self.child.wait();
        if !thread::panicking() {
            panic!("the service did not end: {}", self.log());
        }
    }
}

/// Takes the variables of the program from a command: what a developer has set is not what is tested.
pub(crate) fn without_settings(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SVC_") {
            command.env_remove(name);
        }
    }
}
