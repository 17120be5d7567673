//! A server on a free port that does with its connections what a test says.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use svc_api::{ApiToken, Client, ClientBuilder, NoTransport};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};

/// How long a test waits for what happens at once, on machines under load.
const PATIENCE: Duration = Duration::from_secs(20);

/// It ends when it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Shared {
    open: AtomicUsize,
    most: AtomicUsize,
    closed: Notify,
    requests: Mutex<Vec<Request>>,
}

/// A request as it arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    /// The last part of the path.
    pub(crate) name: String,
    pub(crate) authorization: String,
    pub(crate) body: String,
}

/// A connection of a client.
pub(crate) struct Connection {
    stream: BufStream<TcpStream>,
    shared: Arc<Shared>,
}

impl Server {
    pub(crate) async fn start<F, Fut>(serve: F) -> Self
    where
        F: Fn(Connection) -> Fut + Send + 'static,
        Fut: Future<Output = Option<()>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::<Shared>::default();
        let counts = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                let open = counts.open.fetch_add(1, Ordering::SeqCst) + 1;
                counts.most.fetch_max(open, Ordering::SeqCst);
                tokio::spawn(serve(Connection {
                    stream: BufStream::new(stream),
                    shared: Arc::clone(&counts),
                }));
            }
        });
        Self {
            address,
            shared,
            task,
        }
    }

    /// A client of this server, with a static token.
    pub(crate) fn client(&self) -> Client {
        let token = ApiToken::new("token").unwrap();
        self.builder().api_token(&token).build().unwrap()
    }

    pub(crate) fn builder(&self) -> ClientBuilder<NoTransport> {
        let url = format!("http://{}", self.address);
        Client::builder().project("demo").api_base_url(url)
    }

    /// The requests with this name.
    pub(crate) fn requests(&self, name: &str) -> Vec<Request> {
        let requests = self.shared.requests();
        let named = requests.iter().filter(|request| request.name == name);
        named.cloned().collect()
    }

    /// The most connections that were open at once.
    pub(crate) fn most(&self) -> usize {
        self.shared.most.load(Ordering::SeqCst)
    }

    /// Waits until at most so many connections are open.
    pub(crate) async fn has_at_most(&self, connections: usize) {
        let open = || self.shared.open.load(Ordering::SeqCst);
        let waiting = async {
            loop {
                let closed = self.shared.closed.notified();
                if open() <= connections {
                    return;
                }
                closed.await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(waited.is_ok(), "{} connections are open", open());
    }
}

impl Shared {
    fn requests(&self) -> MutexGuard<'_, Vec<Request>> {
        self.requests.lock().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.open.fetch_sub(1, Ordering::SeqCst);
        self.shared.closed.notify_waiters();
    }
}

impl Connection {
    /// The next request; `None` when the client hangs up.
    pub(crate) async fn request(&mut self) -> Option<Request> {
        let head = self.head().await?;
        let path = head.split(' ').nth(1).unwrap();
        let value = |name: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_default().trim().to_owned()
        };
        let mut body = vec![0; value("content-length:").parse().unwrap_or(0)];
        self.stream.read_exact(&mut body).await.ok()?;
        let request = Request {
            name: path.rsplit('/').next().unwrap_or_default().to_owned(),
            authorization: value("authorization:"),
            body: String::from_utf8(body).unwrap(),
        };
        self.shared.requests().push(request.clone());
        Some(request)
    }

    /// The head of the next request.
    pub(crate) async fn head(&mut self) -> Option<String> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let size = self.stream.read_line(&mut head).await.ok()?;
            (size > 0).then_some(())?;
        }
        Some(head)
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) -> Option<()> {
        self.stream.write_all(bytes.as_ref()).await.ok()?;
        self.stream.flush().await.ok()
    }

    /// Writes a whole answer. `head` begins with the status.
    pub(crate) async fn answer(&mut self, head: &str, body: &str) -> Option<()> {
        self.write(answer(head, body)).await
    }

    /// Writes a byte after the other, slowly, until the client hangs up.
    pub(crate) async fn drip(&mut self, bytes: impl IntoIterator<Item = u8>) -> Option<()> {
        let mut pace = tokio::time::interval(Duration::from_millis(5));
        for byte in bytes {
            pace.tick().await;
            self.write([byte]).await?;
        }
        Some(())
    }
}

/// A whole answer. `head` begins with the status.
pub(crate) fn answer(head: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {head}\r\ncontent-length: {length}\r\n\r\n{body}")
}
