//! A socket that outlives the service, as a service manager keeps it: nothing is refused while the service restarts.

use std::{
    io::{BufRead as _, BufReader},
    net::TcpListener,
    os::fd::OwnedFd,
    path::Path,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
};

use serde_json::{Value, json};
use svc_tests::{Call, End, program, wait_until};
use tempfile::TempDir;

/// The program with a socket that it did not open. It is killed when this is dropped.
struct Activated {
    child: Child,
    ready: Value,
}

impl Activated {
    fn command(folder: &Path, socket: &TcpListener, names: &str) -> Command {
        let mut command = Command::new("sh");
        // The socket comes as standard input; the program gets it where a service manager puts it.
        command
            .args(["-c", r#"LISTEN_PID=$$ exec "$0" "$@" 3<&0 </dev/null"#])
            .arg(program())
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--json",
                "--log",
                "warn",
            ])
            .current_dir(folder)
            .env("LISTEN_FDS", "1")
            .env("LISTEN_FDNAMES", names)
            .stdin(Stdio::from(OwnedFd::from(socket.try_clone().unwrap())))
            .stdout(Stdio::piped());
        command
    }

    fn start(folder: &Path, socket: &TcpListener, names: &str) -> Self {
        let mut child = Self::command(folder, socket, names).spawn().unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let ready = serde_json::from_str(&line).unwrap();
        Self { child, ready }
    }

    /// Asks it to end, and waits.
    fn end(mut self) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").arg(pid).status().unwrap();
        assert!(sent.success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Activated {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_restart_on_a_passed_socket_refuses_and_loses_no_request() {
    let folder = TempDir::new().unwrap();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let first = Activated::start(folder.path(), &socket, "svc.socket");
    assert_eq!(first.ready["base_url"], json!(format!("http://{address}")));
    let url = format!(
        "{}/projects/",
        first.ready["app_base_url"].as_str().unwrap()
    );
    let key = format!("Bearer {}", first.ready["api_key"].as_str().unwrap());
    let (is_over, answered) = (AtomicBool::new(false), AtomicU32::new(0));
    let ask = || Call::new("GET", &url).authorization(&key).expect(200);
    let more = |count: u32| {
        let from = answered.load(Ordering::Relaxed);
        wait_until("requests are answered", || {
            answered.load(Ordering::Relaxed) > from + count
        });
    };
    let mut serving = first;
    // It serves until the last thread has ended.
    let _serving = thread::scope(|scope| {
        let _end = End(&is_over);
        for _ in 0..4 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    ask();
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for _ in 0..3 {
            more(20);
            serving.end();
            serving = Activated::start(folder.path(), &socket, "listen");
        }
        more(20);
        serving
    });
}

#[test]
fn a_passed_socket_takes_the_place_of_the_option_of_its_name() {
    let folder = TempDir::new().unwrap();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let mut redirect = Activated::command(folder.path(), &socket, "http-redirect");
    let output = redirect.stderr(Stdio::piped()).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("--tls-cert"), "{message}");

    let metrics = Activated::start(folder.path(), &socket, "metrics-listen");
    let shown = Call::new("GET", &format!("http://{address}/metrics")).expect(200);
    assert!(shown.body.contains("process_"), "{}", shown.body);
    assert_ne!(
        metrics.ready["base_url"],
        json!(format!("http://{address}"))
    );
}

#[test]
fn a_socket_that_is_not_tcp_is_refused_with_the_remedy() {
    let folder = TempDir::new().unwrap();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let local = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
    let mut command = Activated::command(folder.path(), &socket, "listen");
    command
        .stdin(Stdio::from(OwnedFd::from(local)))
        .stderr(Stdio::piped());
    let output = command.output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    for part in ["--listen", "ListenStream="] {
        assert!(message.contains(part), "{message}");
    }
}
