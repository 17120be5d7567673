//! What the service manager is told.

use std::{
    os::unix::net::UnixDatagram,
    time::{Duration, Instant},
};

use crate::Sandbox;

/// The socket of a service manager.
struct Manager(UnixDatagram);

impl Manager {
    fn new(sandbox: &Sandbox) -> Self {
        let socket = UnixDatagram::bind(sandbox.path().join("notify")).unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        Self(socket)
    }

    fn next(&self) -> String {
        let mut message = [0; 512];
        let length = self.0.recv(&mut message).unwrap();
        String::from_utf8(message[..length].to_vec())
            .unwrap()
            .trim()
            .to_owned()
    }
}

#[test]
fn the_manager_is_told_that_the_service_answers_keeps_answering_and_stops() {
    let sandbox = Sandbox::new();
    let manager = Manager::new(&sandbox);
    let mut command = sandbox.command(&["serve", "--json", "--listen", "127.0.0.1:0"]);
    command
        .env("NOTIFY_SOCKET", sandbox.path().join("notify"))
        .env("WATCHDOG_USEC", "400000");
    let mut service = sandbox.start(&mut command);
    assert_eq!(manager.next(), "READY=1");
    let begun = Instant::now();
    for _ in 0..3 {
        assert_eq!(manager.next(), "WATCHDOG=1");
    }
    assert!(begun.elapsed() >= Duration::from_millis(200));
    let (success, _) = service.stop();
    assert!(success);
    loop {
        match manager.next().as_str() {
            "WATCHDOG=1" => {}
            other => break assert_eq!(other, "STOPPING=1"),
        }
    }
}

#[test]
fn a_watchdog_is_not_told_of_a_service_that_hangs() {
    let sandbox = Sandbox::new();
    let manager = Manager::new(&sandbox);
    let mut command = sandbox.command(&["serve", "--json", "--listen", "127.0.0.1:0"]);
    command
        .env("NOTIFY_SOCKET", sandbox.path().join("notify"))
        .env("WATCHDOG_USEC", "400000");
    let service = sandbox.start(&mut command);
    assert_eq!(manager.next(), "READY=1");
    let signal = |name: &str| {
        let pid = service.child.id().to_string();
        let sent = std::process::Command::new("kill")
            .args([name, &pid])
            .status();
        assert!(sent.unwrap().success());
    };
    signal("-STOP");
    manager
        .0
        .set_read_timeout(Some(Duration::from_millis(600)))
        .unwrap();
    let mut message = [0; 512];
    // What was sent before the stop is read first.
    while manager.0.recv(&mut message).is_ok() {}
    signal("-CONT");
    manager
        .0
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    assert_eq!(manager.next(), "WATCHDOG=1");
}
