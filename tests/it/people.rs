//! A service with users in a separate folder, where a test may change everything, and calls as those users.

use std::{ffi::OsStr, path::Path, sync::OnceLock};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use svc_store::{Clock, Secret, Store, StoreOptions};
use svc_tests::{Call, Program, Service, store_url};
use tempfile::TempDir;

/// The password of all users who need no particular one.
pub const PASSWORD: &str = "correct horse";
/// Options that make the limits of the throttle unreachable.
pub const UNTHROTTLED: &[&str] = &["--tries-per-account=1000000", "--tries-per-address=1000000"];
/// The tables of the connected database.
const SHOP: &str = "
    CREATE TABLE customers(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE orders(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), note TEXT);
    CREATE TABLE products(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    INSERT INTO customers VALUES (1, 'Ann'), (2, 'Bob');
    INSERT INTO orders VALUES (1, 1, 'first'), (2, 2, 'second'), (3, 2, 'third');
    INSERT INTO products VALUES (1, 'Chair');";

/// A service with the project `main`, the resource `shop`, and sign-up switched on.
pub struct Home {
    folder: TempDir,
    service: Service,
    /// Shown once, when the service started for the first time.
    tools_token: String,
    shop_token: String,
}

/// The tokens of a signed-in user.
#[derive(Clone, Debug)]
pub struct Session {
    /// The access token.
    pub access: String,
    /// The refresh token.
    pub refresh: String,
}

impl Session {
    /// Reads an `AuthState`.
    #[track_caller]
    pub fn of(state: &Value) -> Self {
        let text = |name: &str| {
            let text = state[name].as_str();
            text.unwrap_or_else(|| panic!("no {name} in {state}"))
                .to_owned()
        };
        Self {
            access: text("access_token"),
            refresh: text("refresh_token"),
        }
    }

    /// The `Authorization` header.
    pub fn header(&self) -> String {
        format!("JWT {}", self.access)
    }
}

/// The service that is shared by tests that only add their own users.
pub fn home() -> &'static Home {
    static HOME: OnceLock<Home> = OnceLock::new();
    HOME.get_or_init(Home::new)
}

impl Home {
    /// A service without a throttle.
    pub fn new() -> Self {
        Self::with(UNTHROTTLED)
    }

    /// A service with these options.
    pub fn with(options: &[&str]) -> Self {
        Self::with_variables(options, &[])
    }

    /// A service with these options and variables.
    pub fn with_variables(options: &[&str], variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        rusqlite::Connection::open(folder.path().join("shop.db"))
            .unwrap()
            .execute_batch(SHOP)
            .unwrap();
        let service = start(folder.path(), options, variables);
        let home = Self {
            tools_token: service.text("/tools_token").to_owned(),
            shop_token: service.text("/resources/shop/token").to_owned(),
            folder,
            service,
        };
        home.run(&["project", "set", "main", "--sign-up", "on"]);
        home
    }

    /// Kills the service, and starts it again in the same folder.
    pub fn killed(self) -> Self {
        self.service.kill();
        let service = start(self.folder.path(), UNTHROTTLED, &[]);
        Self { service, ..self }
    }

    /// The running service.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// The folder of the service.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The static token of the built-in tools.
    pub fn tools_token(&self) -> &str {
        &self.tools_token
    }

    /// The static token of the shop.
    pub fn shop_token(&self) -> &str {
        &self.shop_token
    }

    /// Runs a command of the program on the service's store.
    pub fn run(&self, arguments: &[&str]) -> Value {
        let mut arguments = arguments.to_vec();
        arguments.push("--json");
        Program::new(self.path(), &arguments).run_json()
    }

    /// Adds a user who can sign in, and returns the UID.
    pub fn add(&self, email: &str, team: &str) -> String {
        self.add_in("prod", email, team)
    }

    /// Adds a user to an environment, and returns the UID.
    pub fn add_in(&self, environment: &str, email: &str, team: &str) -> String {
        let place = ["--project", "main", "--env", environment];
        let user = ["user", "add", email, "--team", team, "--password", PASSWORD];
        let added = self.run(&[&user[..], &place].concat());
        added["uid"].as_str().unwrap().to_owned()
    }

    /// A call without a credential, below the environment `prod`.
    pub fn call(&self, method: &str, path: &str) -> Call {
        let base = self.service.text("/base_url");
        Call::new(method, &format!("{base}/projects/main/prod/{path}"))
    }

    /// An account call.
    pub fn auth(&self, call: &str, body: &Value) -> Call {
        self.call("POST", &format!("auth/{call}")).json(body)
    }

    /// An account call of a signed-in user.
    pub fn auth_as(&self, session: &Session, call: &str, body: &Value) -> Call {
        self.auth(call, body).authorization(&session.header())
    }

    /// Who is signed in.
    pub fn user(&self, session: &Session) -> Call {
        let call = self.call("GET", "auth/user");
        call.authorization(&session.header())
    }

    /// A call to users and teams with the static token of the built-in tools.
    pub fn tools(&self, method: &str, path: &str) -> Call {
        let call = self.call(method, &format!("__svc_app__/models/{path}"));
        call.authorization(&self.tools_token)
    }

    /// The uid of a team.
    #[track_caller]
    pub fn team(&self, name: &str) -> String {
        let found = self.tools("GET", "groups").query(&[("name", name)]).ok();
        let uid = found["results"][0]["uid"].as_str();
        uid.unwrap_or_else(|| panic!("no team {name}: {found}"))
            .to_owned()
    }

    /// Signs in.
    #[track_caller]
    pub fn login(&self, email: &str, password: &str) -> Session {
        let body = json!({ "email": email, "password": password });
        Session::of(&self.auth("login", &body).ok()["token"])
    }

    /// Adds a user of a team and signs in.
    #[track_caller]
    pub fn member(&self, email: &str, team: &str) -> Session {
        self.add(email, team);
        self.login(email, PASSWORD)
    }

    /// Exchanges a refresh token.
    pub fn refresh(&self, session: &Session) -> Call {
        self.auth("refresh", &json!({ "refresh_token": session.refresh }))
    }

    /// The mails to an address, the oldest first.
    pub fn mails(&self, to: &str) -> Vec<Value> {
        let mails = self.run(&["mail", "list"]);
        let mails = mails.as_array().unwrap().iter();
        mails.filter(|mail| mail["to"] == to).cloned().collect()
    }

    /// The code of the newest mail to an address that has one.
    #[track_caller]
    pub fn code(&self, to: &str) -> String {
        let mails = self.mails(to);
        let code = mails.iter().rev().find_map(|mail| mail["code"].as_str());
        code.unwrap_or_else(|| panic!("no code for {to}: {mails:?}"))
            .to_owned()
    }

    /// Requests a code for setting a forgotten password.
    #[track_caller]
    pub fn reset_code(&self, email: &str) -> String {
        let asked = self.auth("reset_password", &json!({ "email": email }));
        assert_eq!(asked.ok(), json!({ "result": true }));
        self.code(email)
    }

    /// Changes the service's store as if it were done some time ago, so that tests need not wait until things
    /// expire.
    pub fn ago<T>(&self, seconds: i64, work: impl AsyncFnOnce(Store) -> T) -> T {
        let mut options = StoreOptions::default();
        let back = SignedDuration::from_secs(seconds);
        options.clock = Clock::from_fn(move || Timestamp::now() - back);
        options.database = store_url(self.path()).map(Secret::new);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let store = Store::open_with(&self.path().join("svc-data"), options).await;
            work(store.unwrap()).await
        })
    }

    /// The bytes of every file of the store.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let files = std::fs::read_dir(self.path().join("svc-data")).unwrap();
        files
            .map(|file| file.unwrap().path())
            .filter(|path| path.extension() != Some(OsStr::new("key")))
            .map(|path| (path.display().to_string(), std::fs::read(path).unwrap()))
            .collect()
    }
}

fn start(folder: &Path, options: &[&str], variables: &[(&str, &str)]) -> Service {
    let serve = ["serve", "--connect", "shop=sqlite:shop.db"];
    Service::start_with(folder, &[&serve[..], options].concat(), variables)
}

/// The fields in a response to an invalid request, in alphabetical order.
#[track_caller]
pub fn named(answer: &svc_tests::Answer) -> Vec<String> {
    let body = answer.json();
    let body = body.as_object().expect("messages by field");
    for (field, messages) in body {
        let messages = messages.as_array().expect("a list of messages");
        assert!(
            !messages.is_empty() && messages.iter().all(Value::is_string),
            "{field}: {messages:?}"
        );
    }
    let mut names: Vec<String> = body.keys().cloned().collect();
    names.sort();
    names
}

/// The names of an object's fields, in alphabetical order.
#[track_caller]
pub fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap_or_else(|| panic!("{value}"));
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}
