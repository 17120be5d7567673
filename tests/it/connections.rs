//! Connections: each state has a deadline, other callers are still served, and unread responses take only a limited
//! amount of memory.

mod deadlines;
mod http2;
mod room;
mod turns;

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use rusqlite::Connection;
use svc_tests::Service;
use tempfile::TempDir;

/// The time limit of every wait in these tests.
const DEADLINE: Duration = Duration::from_secs(60);

/// A service with a table `t` of eight large records.
struct Home {
    service: Service,
    folder: TempDir,
}

impl Home {
    fn new(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Connection::open(folder.path().join("a.db"))
            .unwrap()
            .execute_batch(
                "CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)
                 INSERT INTO t SELECT i, printf('%.*c', 200000, 'x') FROM n",
            )
            .unwrap();
        let mut arguments = vec!["serve", "--connect", "a=sqlite:a.db"];
        arguments.extend(options);
        let service = Service::start(folder.path(), &arguments);
        Self { service, folder }
    }

    fn address(&self) -> SocketAddr {
        let url = self.service.text("/base_url");
        url.strip_prefix("http://").unwrap().parse().unwrap()
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect_timeout(&self.address(), DEADLINE).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_write_timeout(Some(DEADLINE)).unwrap();
        stream
    }

    fn path(&self, rest: &str) -> String {
        let (project, environment) = (
            self.service.text("/project"),
            self.service.text("/environment"),
        );
        format!("/projects/{project}/{environment}/a/models/t{rest}")
    }

    fn token(&self) -> &str {
        self.service.text("/resources/a/token")
    }

    /// The head of a request of HTTP/1.1.
    fn head(&self, method: &str, rest: &str, headers: &str) -> String {
        format!(
            "{method} {} HTTP/1.1\r\nHost: a\r\nAuthorization: {}\r\n{headers}\r\n",
            self.path(rest),
            self.token()
        )
    }

    /// Checks that the service still answers other callers.
    fn answers(&self) {
        let call = self.service.root("GET", "/healthz");
        call.timeout(Duration::from_secs(20)).expect(200);
        let call = self.service.data("GET", "a", "/models/t/1");
        call.timeout(Duration::from_secs(20)).expect(200);
    }
}

/// Reads until the other side closes; a reset closes too.
fn read_to_end(stream: &mut TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    match stream.read_to_end(&mut all) {
        Ok(_) => all,
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => all,
        Err(error) => panic!("the connection stays open: {error}"),
    }
}

/// Whether the other side has closed, without reading anything.
fn is_closed(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let written = stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    written.is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock)
}
