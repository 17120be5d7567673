//! The service in this process, and raw requests to it.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpStream},
    num::NonZeroU32,
    sync::OnceLock,
    time::Duration,
};

use serde_json::json;
use svc_model::{EnvironmentName, Scope};
use svc_server::{Config, Server};
use svc_store::{NewApiKey, NewProject, NewResource, NewStaticToken, Secret, Store};
use tempfile::TempDir;

use crate::{Answer, shop};

/// The address of the account that can sign in.
const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "correct horse battery";
/// How long an answer may take. The deadlines of the service are shorter.
const DEADLINE: Duration = Duration::from_secs(20);

/// What a request shows to be let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// Nothing.
    Anonymous,
    /// The static token of the resource `shop`.
    Token,
    /// The static token of the built-in tools.
    Tools,
    /// An API key of an administrator.
    Key,
    /// The session of a user.
    Session,
}

impl Credential {
    /// The credential that a letter stands for in a test case: `-`, `t`, `u`, `k` or `s`.
    #[must_use]
    pub fn of_letter(letter: &str) -> Option<Self> {
        Some(match letter {
            "-" => Self::Anonymous,
            "t" => Self::Token,
            "u" => Self::Tools,
            "k" => Self::Key,
            "s" => Self::Session,
            _ => return None,
        })
    }
}

/// A running service.
#[derive(Debug)]
pub struct Service {
    address: SocketAddr,
    token: String,
    tools: String,
    key: String,
    access_token: String,
    // Removed when the process ends in good order; the caller's temporary folder holds it otherwise.
    _folder: TempDir,
    _runtime: tokio::runtime::Runtime,
}

/// The service of this process, started at the first call.
///
/// # Panics
/// When it cannot be started.
pub fn service() -> &'static Service {
    static SERVICE: OnceLock<Service> = OnceLock::new();
    SERVICE.get_or_init(Service::start)
}

impl Service {
    fn start() -> Self {
        let folder = TempDir::new().expect("a temporary folder can be made");
        let database = folder.path().join("shop.db");
        shop(&database);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("the runtime starts");
        let scope = Scope::new("main", EnvironmentName::default());
        let (server, token, tools, key) = runtime.block_on(async {
            let store = Store::open(&folder.path().join("store"))
                .await
                .expect("the store opens");
            let mut new = NewProject::new("main");
            new.owner = Some(EMAIL.to_owned());
            new.sign_up = true;
            store
                .projects()
                .create(new)
                .await
                .expect("a project is made");
            let url = Secret::new(format!("sqlite:{}", database.display()));
            let resource = NewResource::new("shop", url);
            store
                .resources()
                .create(&scope, resource)
                .await
                .expect("a resource is made");
            let token = async |resource: &str| {
                let new = NewStaticToken::new(&scope, resource);
                let made = store.tokens().create(new).await;
                made.expect("a token is made").secret.expose().to_owned()
            };
            let (shop, tools) = (token("shop").await, token("__svc_app__").await);
            let key = store
                .api_keys()
                .create(NewApiKey::new(&scope.project, EMAIL))
                .await;
            let key = key.expect("a key is made").secret.expose().to_owned();
            let mut config = Config::default();
            config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
            config.statement_timeout = Duration::from_secs(3);
            // Targets try as often as they can.
            let often = NonZeroU32::new(1_000_000_000).expect("it is not zero");
            config.tries_per_account = often;
            config.tries_per_address = often;
            let server = Server::bind(store, config)
                .await
                .expect("the service starts");
            (server, shop, tools, key)
        });
        let address = server
            .base_url()
            .trim_start_matches("http://")
            .parse()
            .expect("the service has an address");
        runtime.spawn(server.run(std::future::pending()));
        let mut service = Self {
            address,
            token,
            tools,
            key,
            access_token: String::new(),
            _folder: folder,
            _runtime: runtime,
        };
        service.sign_in();
        service
    }

    fn sign_in(&mut self) {
        let account = |call: &str, body: serde_json::Value| {
            let path = format!("/projects/main/prod/auth/{call}");
            let request = self.request(
                Credential::Anonymous,
                "POST",
                &path,
                "",
                body.to_string().as_bytes(),
            );
            self.send(&request).expect("the service answers")
        };
        let email = "user@example.com";
        let made = account("register", json!({"email": email, "password": PASSWORD}));
        assert_eq!(made.status, 201, "{made:?}");
        let answer = account("login", json!({"email": email, "password": PASSWORD}));
        let token = answer
            .json()
            .and_then(|json| json["token"]["access_token"].as_str().map(str::to_owned));
        self.access_token = token.expect("a login answers with a token");
    }

    /// The access token of the user's session.
    #[must_use]
    pub fn access_token(&self) -> &str {
        &self.access_token
    }

    /// The bytes of a request with further header lines, each ended by a line break.
    #[must_use]
    pub fn request(
        &self,
        credential: Credential,
        method: &str,
        target: &str,
        headers: &str,
        body: &[u8],
    ) -> Vec<u8> {
        let authorization = match credential {
            Credential::Anonymous => String::new(),
            Credential::Token => format!("Authorization: {}\r\n", self.token),
            Credential::Tools => format!("Authorization: {}\r\n", self.tools),
            Credential::Key => format!("Authorization: Bearer {}\r\n", self.key),
            Credential::Session => format!("Authorization: JWT {}\r\n", self.access_token),
        };
        let mut request = format!(
            "{method} {target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{authorization}{headers}Content-Length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body);
        request
    }

    /// Sends a request on a connection of its own and reads until that ends. `None` where no HTTP/1.1 answer came back.
    ///
    /// # Panics
    /// When the service does not end the connection in time, answers with a fault of its own, or with an error body
    /// that is not JSON.
    #[must_use]
    pub fn send(&self, request: &[u8]) -> Option<Answer> {
        self.exchange(request, false)
    }

    /// Like [`send`](Self::send), of bytes that may be no request: the service hears that no more will come.
    ///
    /// # Panics
    /// As [`send`](Self::send).
    #[must_use]
    pub fn send_all(&self, bytes: &[u8]) -> Option<Answer> {
        self.exchange(bytes, true)
    }

    fn exchange(&self, bytes: &[u8], ends: bool) -> Option<Answer> {
        let mut stream = TcpStream::connect(self.address).expect("the service accepts connections");
        // A connection that is reset leaves nothing behind; there will be many.
        let linger = socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO));
        linger
            .and_then(|()| stream.set_read_timeout(Some(DEADLINE)))
            .expect("the socket takes options");
        // The service may answer and close before it has read everything.
        let sent = stream.write_all(bytes);
        if ends && sent.is_ok() {
            let _closed = stream.shutdown(Shutdown::Write);
        }
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            let in_time = !matches!(
                error.kind(),
                std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
            );
            assert!(
                in_time,
                "the service neither answers nor closes: {}",
                bytes.escape_ascii()
            );
        }
        let answer = Answer::parse(&answer)?;
        assert!(
            answer.status != 500 && answer.status != 502,
            "a fault of the service: {answer:?} to {}",
            bytes.escape_ascii()
        );
        let json = answer
            .header("content-type")
            .is_some_and(|value| value.starts_with("application/json"));
        let whole = answer
            .header("content-length")
            .is_some_and(|length| length == answer.body.len().to_string());
        assert!(
            answer.status < 400
                || !json
                || !whole
                || answer.json().is_some_and(|body| body.is_object()),
            "an error that is not a JSON object: {answer:?}"
        );
        Some(answer)
    }

    /// Asserts that the service still answers.
    ///
    /// # Panics
    /// When it does not.
    pub fn assert_alive(&self) {
        let request = self.request(Credential::Anonymous, "GET", "/healthz", "", b"");
        let answer = self.send(&request).expect("the service answers");
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}
