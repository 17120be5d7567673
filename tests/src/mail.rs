//! A mail server for tests: SMTP on a free port of this machine, with STARTTLS and a password where a test wants
//! them. It lives as long as the test.

use std::{
    io::{self, BufRead as _, BufReader, Read, Write},
    net::{IpAddr, Ipv4Addr, TcpListener, TcpStream},
    path::PathBuf,
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use mailin::{
    Action, AuthMechanism, Handler, Response, Session, SessionBuilder,
    response::{AUTH_OK, INVALID_CREDENTIALS, OK},
};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tempfile::TempDir;

use crate::servers::free_port;

/// The user of a server that wants a password.
const USER: &str = "ann@example.com";
/// Its password, with characters that a URL has to escape.
const PASSWORD: &str = "s3cret/p@ss";
const PASSWORD_IN_URL: &str = "s3cret%2Fp%40ss";

/// A mail that arrived.
#[derive(Debug, Clone)]
pub struct Received {
    /// Who sent it, by the envelope.
    pub from: String,
    /// Who gets it, by the envelope.
    pub to: Vec<String>,
    /// The message as it came.
    pub message: String,
    /// Who had signed in.
    pub user: Option<String>,
    /// Whether the connection was encrypted.
    pub encrypted: bool,
}

impl Received {
    /// A header of the message.
    ///
    /// # Panics
    /// When it is not there.
    pub fn header(&self, name: &str) -> &str {
        let mut lines = self.message.lines().take_while(|line| !line.is_empty());
        let found = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        found.unwrap_or_else(|| panic!("{name} is not in {}", self.message))
    }

    /// The part of a media type, decoded.
    ///
    /// # Panics
    /// When there is none.
    pub fn part(&self, media_type: &str) -> String {
        let begin = format!("Content-Type: {media_type}");
        let message = &self.message;
        let at = message.find(&begin);
        let part = &message[at.unwrap_or_else(|| panic!("no {media_type} in {message}"))..];
        let (head, body) = part.split_once("\r\n\r\n").expect("a part has a body");
        let (body, _) = body.split_once("\r\n--").expect("a part has an end");
        if head.contains("quoted-printable") {
            let mode = quoted_printable::ParseMode::Strict;
            let text = quoted_printable::decode(body, mode).expect("it is quoted-printable");
            String::from_utf8(text).expect("a text is UTF-8")
        } else {
            assert!(head.contains("7bit"), "{head}");
            body.to_owned()
        }
    }
}

/// What the connections of a server share.
#[derive(Debug, Default)]
struct Shared {
    received: Mutex<Vec<Received>>,
    /// How many mails wait to be taken, and whether they have to.
    held: Mutex<(usize, bool)>,
    released: Condvar,
    ended: AtomicBool,
}

/// A mail server.
#[derive(Debug)]
pub struct MailServer {
    port: u16,
    shared: Arc<Shared>,
    /// The folder with the certificate of a server that has one.
    folder: Option<TempDir>,
}

impl MailServer {
    /// A server that takes everything from everybody.
    #[must_use]
    pub fn start() -> Self {
        Self::start_at(free_port())
    }

    /// The same at this port.
    ///
    /// # Panics
    /// When it is in use.
    #[must_use]
    pub fn start_at(port: u16) -> Self {
        Self::run(port, None)
    }

    /// A server that wants STARTTLS and a password.
    ///
    /// # Panics
    /// When there is no certificate to be made.
    #[must_use]
    pub fn start_with_password() -> Self {
        let made =
            rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("ca.pem"), made.cert.pem())
            .expect("a file in the folder");
        let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider knows TLS")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], PrivateKeyDer::from(key))
            .expect("the key fits");
        let mut server = Self::run(free_port(), Some(Arc::new(config)));
        server.folder = Some(folder);
        server
    }

    fn run(port: u16, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).expect("a free port");
        let shared = Arc::new(Shared::default());
        let served = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if served.ended.load(Ordering::Relaxed) {
                    return;
                }
                let (shared, tls) = (Arc::clone(&served), tls.clone());
                // A client that goes away ends the conversation.
                thread::spawn(move || converse(stream, tls, shared).ok());
            }
        });
        Self {
            port,
            shared,
            folder: None,
        }
    }

    /// A port at which there is no server yet.
    #[must_use]
    pub fn free_port() -> u16 {
        free_port()
    }

    /// Its URL, with the password where it wants one.
    pub fn url(&self) -> String {
        let port = self.port;
        match &self.folder {
            None => format!("smtp://127.0.0.1:{port}"),
            Some(_) => {
                let (user, ca) = (USER.replace('@', "%40"), self.certificate());
                let ca = ca.display();
                format!(
                    "smtp://{user}:{PASSWORD_IN_URL}@localhost:{port}?tls=required&sslrootcert={ca}"
                )
            }
        }
    }

    /// The file with its certificate.
    fn certificate(&self) -> PathBuf {
        let folder = self.folder.as_ref().expect("it has a certificate");
        folder.path().join("ca.pem")
    }

    /// The user and the password that it wants.
    #[must_use]
    pub fn credentials() -> (&'static str, &'static str) {
        (USER, PASSWORD)
    }

    /// What arrived so far.
    ///
    /// # Panics
    /// When a connection panicked.
    pub fn received(&self) -> Vec<Received> {
        self.shared.received.lock().expect("not poisoned").clone()
    }

    /// Waits for a mail and gives it.
    ///
    /// # Panics
    /// When none comes, or more than one.
    pub fn one(&self) -> Received {
        crate::wait_until("the mail arrives", || !self.received().is_empty());
        let mut received = self.received();
        assert_eq!(received.len(), 1, "{received:?}");
        received.remove(0)
    }

    /// Answers nothing to a mail that was sent to its end, until [`release`](Self::release).
    ///
    /// # Panics
    /// When a connection panicked.
    pub fn hold(&self) {
        self.shared.held.lock().expect("not poisoned").1 = true;
    }

    /// How many mails are held now.
    ///
    /// # Panics
    /// When a connection panicked.
    pub fn held(&self) -> usize {
        self.shared.held.lock().expect("not poisoned").0
    }

    /// Takes the mails that are held.
    ///
    /// # Panics
    /// When a connection panicked.
    pub fn release(&self) {
        self.shared.held.lock().expect("not poisoned").1 = false;
        self.shared.released.notify_all();
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        self.release();
        // The listener looks up.
        TcpStream::connect(("127.0.0.1", self.port)).ok();
    }
}

/// Speaks with one client.
fn converse(
    stream: TcpStream,
    tls: Option<Arc<ServerConfig>>,
    shared: Arc<Shared>,
) -> io::Result<()> {
    let mut builder = SessionBuilder::new("localhost");
    if tls.is_some() {
        builder.enable_start_tls().enable_auth(AuthMechanism::Plain);
    }
    let inbox = Inbox {
        shared,
        received: Received {
            from: String::new(),
            to: Vec::new(),
            message: String::new(),
            user: None,
            encrypted: false,
        },
        text: Vec::new(),
        tls: tls.is_some(),
    };
    let mut session = builder.build(IpAddr::V4(Ipv4Addr::LOCALHOST), inbox);
    let mut plain = BufReader::new(stream);
    session.greeting().write_to(plain.get_mut())?;
    if !exchange(&mut session, &mut plain)? {
        return Ok(());
    }
    let connection = ServerConnection::new(tls.expect("offered")).map_err(io::Error::other)?;
    let mut encrypted = BufReader::new(StreamOwned::new(connection, plain.into_inner()));
    session.tls_active();
    exchange(&mut session, &mut encrypted)?;
    Ok(())
}

/// Answers line by line; gives whether the client wants to go on encrypted.
fn exchange(
    session: &mut Session<Inbox>,
    stream: &mut BufReader<impl Read + Write>,
) -> io::Result<bool> {
    let mut line = Vec::new();
    while stream.read_until(b'\n', &mut line)? > 0 {
        let response = session.process(&line);
        line.clear();
        response.write_to(stream.get_mut())?;
        stream.get_mut().flush()?;
        match response.action {
            Action::UpgradeTls => return Ok(true),
            Action::Close => return Ok(false),
            Action::Reply | Action::NoReply => {}
        }
    }
    Ok(false)
}

/// What one client says.
struct Inbox {
    shared: Arc<Shared>,
    received: Received,
    text: Vec<u8>,
    tls: bool,
}

impl Handler for Inbox {
    fn mail(&mut self, _ip: IpAddr, _domain: &str, from: &str) -> Response {
        from.clone_into(&mut self.received.from);
        // STARTTLS is the only way to a password here, and the password the only way to a mail.
        self.received.encrypted = self.tls;
        OK
    }

    fn data_start(&mut self, _domain: &str, _from: &str, _is8bit: bool, to: &[String]) -> Response {
        to.clone_into(&mut self.received.to);
        self.text.clear();
        OK
    }

    fn data(&mut self, buffer: &[u8]) -> io::Result<()> {
        self.text.extend(buffer);
        Ok(())
    }

    fn data_end(&mut self) -> Response {
        let mut held = self.shared.held.lock().expect("not poisoned");
        held.0 += 1;
        while held.1 {
            held = self.shared.released.wait(held).expect("not poisoned");
        }
        held.0 -= 1;
        drop(held);
        self.received.message = String::from_utf8_lossy(&self.text).into_owned();
        let mut received = self.shared.received.lock().expect("not poisoned");
        received.push(self.received.clone());
        OK
    }

    fn auth_plain(&mut self, _authorization: &str, user: &str, password: &str) -> Response {
        if (user, password) != (USER, PASSWORD) {
            return INVALID_CREDENTIALS;
        }
        self.received.user = Some(user.to_owned());
        AUTH_OK
    }
}
