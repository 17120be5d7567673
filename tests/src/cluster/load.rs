//! Callers of a cluster: they write and read records and pages and renew sessions, by the load balancer, and note every answer.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Answered, Cluster, EMAIL, Outcome, PASSWORD, Report};
use crate::{Answer, Call, wait_until};

/// The path of the pages on the application host.
pub(super) const PAGES: &str = "/projects/main/prod/view_settings/";
/// The time between two calls of one caller.
const PAUSE: Duration = Duration::from_millis(10);
/// How long a caller waits for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// For how long nothing fails when all is well again.
const CALM: Duration = Duration::from_millis(1_500);
/// Records that are written under keys of the load begin here.
static NEXT_KEY: AtomicI64 = AtomicI64::new(1);

impl Cluster {
    pub(super) fn bearer(&self) -> String {
        format!("Bearer {}", self.api_key())
    }
}

/// Callers who go on until they are asked to end.
#[derive(Debug)]
pub struct Load {
    shared: Arc<Shared>,
    callers: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    is_over: AtomicBool,
    report: Mutex<Report>,
    data: String,
    app: String,
    key: String,
}

impl Load {
    /// Starts one caller who creates records and one who reads them for each connected database, one each for pages, and one
    /// who renews a session.
    ///
    /// # Panics
    /// When the user cannot sign in.
    pub fn start(cluster: &Cluster) -> Self {
        let shared = Arc::new(Shared {
            is_over: AtomicBool::new(false),
            report: Mutex::default(),
            data: format!("{}/projects/main/prod", cluster.url()),
            app: format!("{}/api{PAGES}", cluster.url()),
            key: cluster.bearer(),
        });
        let mut load = Self {
            shared,
            callers: Vec::new(),
        };
        for (resource, token) in &cluster.tokens {
            let resource = || Resource {
                name: resource.clone(),
                token: token.clone(),
            };
            let (written, read) = (resource(), resource());
            load.spawn(move |shared| shared.create_record(&written));
            load.spawn(move |shared| shared.read_record(&read));
        }
        load.spawn(Shared::create_page);
        load.spawn(Shared::read_page);
        let mut session = load.shared.sign_in();
        load.spawn(move |shared| shared.renew(&mut session));
        load
    }

    fn spawn(&mut self, mut call: impl FnMut(&Shared) + Send + 'static) {
        let shared = Arc::clone(&self.shared);
        self.callers.push(thread::spawn(move || {
            while !shared.is_over.load(Ordering::Relaxed) {
                call(&shared);
                thread::sleep(PAUSE);
            }
        }));
    }

    /// Waits until this many more calls have been answered as they should.
    ///
    /// # Panics
    /// When they are not.
    pub fn more(&self, calls: usize) {
        let right = || {
            let report = self.shared.report();
            report.calls.len() - report.failed().count()
        };
        let before = right();
        wait_until("calls are answered", || right() >= before + calls);
    }

    /// Waits until every caller was answered as they should be for a while.
    ///
    /// # Panics
    /// When they are not.
    pub fn settle(&self) {
        let begun = Instant::now();
        wait_until("calls are answered without errors", || {
            let report = self.shared.report();
            let Some(since) = Instant::now()
                .checked_sub(CALM)
                .filter(|since| *since > begun)
            else {
                return false;
            };
            let kinds = |answered: &dyn Fn(&Answered) -> bool| {
                let calls = report.calls.iter().filter(|call| answered(call));
                let mut kinds: Vec<_> = calls.map(|call| call.call).collect();
                kinds.sort_unstable();
                kinds.dedup();
                kinds
            };
            kinds(&|call| call.sent > since) == kinds(&|_| true)
                && report.failed().all(|call| call.sent + call.took < since)
        });
    }

    /// Ends the callers, and gives what they noted.
    ///
    /// # Panics
    /// When a caller panicked.
    pub fn end(mut self) -> Report {
        self.shared.is_over.store(true, Ordering::Relaxed);
        for caller in self.callers.drain(..) {
            caller.join().expect("the caller notes what happens");
        }
        std::mem::take(&mut *self.shared.report())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
    }
}

struct Resource {
    name: String,
    token: String,
}

impl Shared {
    fn report(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a call and notes how it ended; the answer, if it was as expected.
    fn send(
        &self,
        name: &'static str,
        call: Call,
        status: u16,
        is_right: impl FnOnce(&Answer) -> bool,
    ) -> Option<Answer> {
        let sent = Instant::now();
        let result = call.timeout(PATIENCE).try_send();
        let outcome = Outcome::of(&result, status, is_right);
        let is_right = outcome == Outcome::Right;
        self.report().calls.push(Answered {
            call: name,
            sent,
            took: sent.elapsed(),
            outcome,
        });
        result.ok().filter(|_| is_right)
    }

    fn models(&self, resource: &Resource, method: &str, path: &str) -> Call {
        let url = format!("{}/{}/models/notes{path}", self.data, resource.name);
        Call::new(method, &url).authorization(&resource.token)
    }

    fn create_record(&self, resource: &Resource) {
        let key = NEXT_KEY.fetch_add(1, Ordering::Relaxed);
        let record = json!({"id": key, "note": note(key)});
        let call = self.models(resource, "POST", "").json(&record);
        let made = self.send("create a record", call, 201, |answer| {
            answer.json()["id"] == key
        });
        if made.is_some() {
            let mut report = self.report();
            let keys = report.records.entry(resource.name.clone()).or_default();
            keys.push(key);
        }
    }

    /// Reads the record that was acknowledged last.
    fn read_record(&self, resource: &Resource) {
        let key = {
            let report = self.report();
            let keys = report.records.get(&resource.name);
            keys.and_then(|keys| keys.last().copied())
        };
        let Some(key) = key else { return };
        let call = self.models(resource, "GET", &format!("/{key}"));
        self.send("read a record", call, 200, |answer| {
            answer.json()["note"] == note(key)
        });
    }

    fn create_page(&self) {
        let number = NEXT_KEY.fetch_add(1, Ordering::Relaxed);
        let page = json!({"name": "Page", "unique_name": format!("load_{number}"), "params": "{}"});
        let call = Call::new("POST", &self.app)
            .authorization(&self.key)
            .json(&page);
        let made = self.send("create a page", call, 201, |answer| {
            answer.json()["uid"].is_string()
        });
        if let Some(Value::String(uid)) = made.map(|answer| answer.json()["uid"].clone()) {
            self.report().pages.push(uid);
        }
    }

    /// Reads the page that was acknowledged last.
    fn read_page(&self) {
        let uid = self.report().pages.last().cloned();
        let Some(uid) = uid else { return };
        let call = Call::new("GET", &format!("{}{uid}/", self.app)).authorization(&self.key);
        self.send("read a page", call, 200, |answer| {
            answer.json()["uid"] == uid
        });
    }

    /// The tokens of the user who signed in.
    fn sign_in(&self) -> Value {
        let login = Call::new("POST", &format!("{}/auth/login", self.data));
        let body = json!({"email": EMAIL, "password": PASSWORD});
        login.json(&body).ok()["token"].clone()
    }

    /// Renews a session. If the answer was lost, the next call sends the same token again, which is valid for a while.
    fn renew(&self, session: &mut Value) {
        let call = Call::new("POST", &format!("{}/auth/refresh", self.data));
        let call = call.json(&json!({"refresh_token": session["refresh_token"]}));
        let renewed = self.send("renew a session", call, 200, |answer| {
            answer.json()["access_token"].is_string()
        });
        let Some(renewed) = renewed else { return };
        *session = renewed.json();
        // Probably on another node.
        let token = session["access_token"].as_str().unwrap_or_default();
        let call = Call::new("GET", &format!("{}/auth/user", self.data));
        let call = call.authorization(&format!("JWT {token}"));
        self.send("use a new session", call, 200, |answer| {
            answer.json()["username"].is_string()
        });
    }
}

/// What a record with this key says.
fn note(key: i64) -> String {
    format!("note {key}")
}
