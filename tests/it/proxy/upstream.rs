//! A small HTTP server for the tests, which records its requests.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// A request as it was received.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// Method, target and version.
    pub(super) line: String,
    /// Names in lower case, with their values.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn target(&self) -> &str {
        self.line.split(' ').nth(1).expect("a target")
    }

    pub(super) fn method(&self) -> &str {
        self.line.split(' ').next().expect("a method")
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("text")
    }
}

/// A server on a free port of this machine.
pub(super) struct Upstream {
    pub(super) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Upstream {
    /// Answers each request with `answer`, and closes the connection.
    pub(super) fn new(answer: impl Fn(&Seen, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, kept) = (Arc::clone(&answer), Arc::clone(&kept));
                thread::spawn(move || {
                    let mut stream = stream;
                    if let Some(request) = read(&mut stream) {
                        kept.lock().expect("not poisoned").push(request.clone());
                        answer(&request, &mut stream);
                    }
                });
            }
        });
        Self { address, seen }
    }

    /// Answers every request with this text.
    pub(super) fn saying(answer: impl Into<String>) -> Self {
        let answer = answer.into();
        Self::new(move |_, stream| write(stream, answer.as_bytes()))
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests, in their order.
    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("not poisoned").clone()
    }

    /// The only request.
    #[track_caller]
    pub(super) fn only(&self) -> Seen {
        let seen = self.seen();
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen.into_iter().next().expect("one")
    }
}

/// Writes to a client that may have closed the connection.
pub(super) fn write(stream: &mut TcpStream, bytes: &[u8]) {
    let _ = stream.write_all(bytes);
}

/// A response with these header lines.
pub(super) fn answer(status: &str, headers: &[&str], body: &str) -> String {
    let mut lines = String::new();
    for header in headers {
        lines.push_str(header);
        lines.push_str("\r\n");
    }
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{lines}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

fn read(stream: &mut TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut seen = Seen {
        line: line.trim_end().to_owned(),
        ..Seen::default()
    };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        seen.headers.push((name.to_lowercase(), value.to_owned()));
    }
    let length = seen
        .header("content-length")
        .and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    seen.body = body;
    Some(seen)
}
