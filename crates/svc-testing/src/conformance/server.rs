//! A small HTTP/1.1 server on loopback that follows the script of a rule, with one request for each connection.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::wait::PATIENCE;

/// A server that runs until it is dropped.
pub(super) struct Server {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    stopped: Arc<AtomicBool>,
}

/// A request as it was received.
#[derive(Clone, Debug)]
pub(super) struct Received {
    pub(super) method: String,
    pub(super) target: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) body: Vec<u8>,
    /// Whether the body was complete.
    pub(super) complete: bool,
}

impl Received {
    pub(super) fn values(&self, name: &str) -> Vec<&[u8]> {
        self.headers
            .iter()
            .filter(|(header, _)| header == name)
            .map(|(_, value)| value.as_slice())
            .collect()
    }
}

impl Server {
    /// Calls `script` for every complete request, and closes the connection after it.
    pub(super) fn start<S>(script: S) -> Result<Self, String>
    where
        S: Fn(&mut Connection, &Received) -> io::Result<()> + Send + Sync + 'static,
    {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .map_err(|error| format!("the kit cannot listen on 127.0.0.1: {error}"))?;
        let address = listener
            .local_addr()
            .map_err(|error| format!("the kit does not know its address: {error}"))?;
        let server = Self {
            address,
            received: Arc::default(),
            stopped: Arc::default(),
        };
        let received = Arc::clone(&server.received);
        let stopped = Arc::clone(&server.stopped);
        let script = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let received = Arc::clone(&received);
                let script = Arc::clone(&script);
                // Not reported: several rules are about clients that close the connection.
                thread::spawn(move || {
                    let _ = serve(stream, &received, &*script);
                });
            }
        });
        Ok(server)
    }

    pub(super) fn url(&self, target: &str) -> String {
        format!("http://{}{target}", self.address)
    }

    pub(super) fn host(&self) -> String {
        self.address.to_string()
    }

    /// The requests that were received so far.
    pub(super) fn received(&self) -> Vec<Received> {
        lock(&self.received).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes up the thread that accepts connections.
        let _ = TcpStream::connect_timeout(&self.address, PATIENCE);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(
    stream: TcpStream,
    received: &Mutex<Vec<Received>>,
    script: &dyn Fn(&mut Connection, &Received) -> io::Result<()>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut connection = Connection {
        stream,
        unread: Vec::new(),
    };
    let (method, target, headers) = connection.read_head()?;
    let mut request = Received {
        method,
        target,
        headers,
        body: Vec::new(),
        complete: false,
    };
    let body = connection.read_body(&request.headers);
    if let Ok(body) = body {
        request.body = body;
        request.complete = true;
    }
    lock(received).push(request.clone());
    if request.complete {
        script(&mut connection, &request)?;
    }
    Ok(())
}

/// The server's side of an HTTP/1.1 connection.
pub(super) struct Connection {
    stream: TcpStream,
    unread: Vec<u8>,
}

type Head = (String, String, Vec<(String, Vec<u8>)>);

impl Connection {
    pub(super) fn write(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.write_all(bytes.as_ref())?;
        self.stream.flush()
    }

    /// Writes a response with a body of known length, after which the connection ends.
    pub(super) fn answer(&mut self, head: &str, body: &[u8]) -> io::Result<()> {
        let length = body.len();
        self.write(format!(
            "HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        ))?;
        self.write(body)
    }

    /// Waits at most [`PATIENCE`] for the client to close the connection; returns whether it did.
    pub(super) fn client_hangs_up(&mut self) -> bool {
        let end = Instant::now() + PATIENCE;
        let mut scrap = [0; 1024];
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || self.stream.set_read_timeout(Some(left)).is_err() {
                return false;
            }
            match self.stream.read(&mut scrap) {
                Ok(0) => return true,
                Ok(_) => (),
                Err(error) if is_timeout(&error) => return false,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(_) => return true,
            }
        }
    }

    /// Writes `start`, and then one byte after the other until the client hangs up or the patience ends.
    pub(super) fn drip(&mut self, start: &str) -> io::Result<()> {
        self.write(start)?;
        self.stream.set_read_timeout(Some(PACE))?;
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            match self.stream.read(&mut [0]) {
                Err(error) if is_timeout(&error) => self.write("x")?,
                _ => break,
            }
        }
        Ok(())
    }

    /// Reads the head of a request.
    pub(super) fn read_head(&mut self) -> io::Result<Head> {
        let line = text(self.read_line()?)?;
        let mut words = line.split(' ');
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(malformed("the request line"));
        };
        let head = (method.to_owned(), target.to_owned());
        Ok((head.0, head.1, self.read_headers()?))
    }

    fn read_headers(&mut self) -> io::Result<Vec<(String, Vec<u8>)>> {
        let mut headers = Vec::new();
        loop {
            let line = self.read_line()?;
            if line.is_empty() {
                return Ok(headers);
            }
            let Some(colon) = line.iter().position(|byte| *byte == b':') else {
                return Err(malformed("a header line"));
            };
            let name = text(line[..colon].to_vec())?.to_ascii_lowercase();
            headers.push((name, line[colon + 1..].trim_ascii().to_vec()));
        }
    }

    fn read_body(&mut self, headers: &[(String, Vec<u8>)]) -> io::Result<Vec<u8>> {
        let value = |wanted: &str| {
            headers
                .iter()
                .find(|(name, _)| name == wanted)
                .map(|(_, value)| String::from_utf8_lossy(value).into_owned())
        };
        if value("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            let mut body = Vec::new();
            loop {
                let size = text(self.read_line()?)?;
                let size = size.split(';').next().unwrap_or_default().trim();
                let size =
                    usize::from_str_radix(size, 16).map_err(|_| malformed("a chunk size"))?;
                if size == 0 {
                    self.read_headers()?;
                    return Ok(body);
                }
                body.extend(self.read_exactly(size)?);
                self.read_line()?;
            }
        }
        match value("content-length") {
            None => Ok(Vec::new()),
            Some(length) => {
                let length = length
                    .parse()
                    .map_err(|_| malformed("the content-length"))?;
                self.read_exactly(length)
            }
        }
    }

    fn read_line(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(end) = self.unread.windows(2).position(|pair| pair == b"\r\n") {
                let rest = self.unread.split_off(end + 2);
                let mut line = std::mem::replace(&mut self.unread, rest);
                line.truncate(end);
                return Ok(line);
            }
            self.fill()?;
        }
    }

    fn read_exactly(&mut self, size: usize) -> io::Result<Vec<u8>> {
        while self.unread.len() < size {
            self.fill()?;
        }
        let rest = self.unread.split_off(size);
        Ok(std::mem::replace(&mut self.unread, rest))
    }

    fn fill(&mut self) -> io::Result<()> {
        let mut buffer = vec![0; 64 * 1024];
        let size = self.stream.read(&mut buffer)?;
        if size == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.unread
            .extend_from_slice(buffer.get(..size).unwrap_or_default());
        Ok(())
    }
}

/// A loopback address on which nothing listens.
pub(super) fn unused_address() -> Result<SocketAddr, String> {
    TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .map_err(|error| format!("the kit cannot listen on 127.0.0.1: {error}"))
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock
    )
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| malformed("text"))
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{what} is malformed"))
}

/// The pause between two bytes that drip.
const PACE: Duration = Duration::from_millis(10);

/// How much longer than its deadline an exchange may take.
pub(super) const SOON: Duration = Duration::from_secs(3);
