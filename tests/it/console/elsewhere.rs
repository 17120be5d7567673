//! The console of a service elsewhere: `svc console`.

use std::{path::Path, thread};

use rusqlite::Connection;
use serde_json::json;
use svc_tests::{Program, Service, browser::Browser, wait_until};
use tempfile::TempDir;

use super::{EMAIL, PASSWORD, list, record};

/// A service over one database with an operator, and a console for it in a folder of its own.
struct Elsewhere {
    folder: TempDir,
    service: Service,
    console: Service,
}

impl Elsewhere {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Connection::open(folder.path().join("s.db"))
            .unwrap()
            .execute_batch(
                "CREATE TABLE parts (id INTEGER PRIMARY KEY, name VARCHAR(80), note TEXT);\
                 INSERT INTO parts (id, name, note) VALUES (1, 'bolt', NULL), (2, 'nut', 'b');",
            )
            .unwrap();
        let service = serve(folder.path(), "127.0.0.1:0");
        let add = ["account", "add", EMAIL, "--operator", "--password-stdin"];
        let add = Program::new(folder.path(), &add);
        add.input(&format!("{PASSWORD}\n")).run_ok();
        let console = console(folder.path(), service.text("/app_base_url"));
        Self {
            folder,
            service,
            console,
        }
    }

    /// The same service with the console started again: it has nothing of the sessions in memory.
    fn restarted(self) -> Self {
        let Self {
            folder,
            service,
            console: running,
        } = self;
        assert_eq!(running.terminate(), Some(0));
        let console = console(folder.path(), service.text("/app_base_url"));
        Self {
            folder,
            service,
            console,
        }
    }

    fn browser(&self) -> Browser {
        Browser::at(&origin(&self.console))
    }

    fn signed_in(&self) -> Browser {
        let mut browser = self.browser();
        let fields = [("email", EMAIL), ("password", PASSWORD), ("next", "")];
        let answer = browser.post("/console/sign-in/", &fields);
        assert_eq!(answer.status, 303, "{}", answer.body);
        browser.keep(&answer);
        browser
    }

    fn refreshes(&self) -> usize {
        let log = self.service.log();
        let lines = log.lines();
        lines
            .filter(|line| line.contains("/account/auth/refresh/"))
            .count()
    }
}

fn serve(folder: &Path, listen: &str) -> Service {
    Service::start(
        folder,
        &["serve", "--connect=s=sqlite:s.db", "--listen", listen],
    )
}

fn console(folder: &Path, app: &str) -> Service {
    Service::start(
        folder,
        &["console", "--app-base-url", app, "--dir", "console"],
    )
}

fn origin(console: &Service) -> String {
    let url = console.text("/console_url");
    url.strip_suffix("/console/").unwrap().to_owned()
}

/// The same console in a browser that keeps this cookie.
fn with_cookie(browser: &Browser, cookie: &str) -> Browser {
    let mut other = Browser::at(browser.origin());
    other.cookie = cookie.to_owned();
    other
}

#[test]
fn people_sign_in_work_and_sign_out_at_a_console_elsewhere() {
    let elsewhere = Elsewhere::new();
    let browser = elsewhere.signed_in();
    assert!(browser.page("/console/projects/").contains("main"));
    let home = browser.get("/");
    assert_eq!(home.status, 307);
    assert_eq!(
        home.header("location"),
        format!("{}/console/", browser.origin())
    );
    let path = record("s", 1);
    let page = browser.page(&path);
    browser.submit_ok(&path, &page, &[("value:name", "screw")]);
    let kept = elsewhere
        .service
        .data("GET", "s", "/models/parts/1")
        .expect(200);
    assert_eq!(kept.json()["name"], json!("screw"));
    // Programs call the service, not the console.
    let code = browser.page("/console/projects/main/prod/snippets/s/parts/");
    assert!(code.contains(elsewhere.service.text("/base_url")), "{code}");
    assert!(!code.contains(browser.origin()), "{code}");

    let ended = browser.post("/console/sign-out/", &[]);
    assert_eq!(ended.status, 303, "{}", ended.body);
    assert!(ended.header("set-cookie").contains("Max-Age=0"));
    // Who has kept a copy of the cookie has no session either.
    assert_eq!(browser.get(&path).status, 303);
    assert_eq!(elsewhere.restarted().console.terminate(), Some(0));
}

#[test]
fn what_only_the_service_itself_knows_has_no_place_elsewhere() {
    let elsewhere = Elsewhere::new();
    let browser = elsewhere.browser();
    for path in [
        "/console/first-run/?code=guessed",
        "/console/enter/?code=guessed",
        "/api/account/",
    ] {
        assert_eq!(browser.get(path).status, 404, "{path}");
    }
    let fields = [("code", "guessed"), ("email", "eve@example.com")];
    assert_eq!(browser.post("/console/first-run/", &fields).status, 404);
    let fields = [("email", EMAIL), ("password", "wrong"), ("next", "")];
    assert_eq!(browser.post("/console/sign-in/", &fields).status, 401);
}

#[test]
fn requests_side_by_side_refresh_a_session_once_and_any_of_its_cookies_leads_on() {
    let elsewhere = Elsewhere::new();
    let old = elsewhere.signed_in().cookie;
    assert_eq!(elsewhere.refreshes(), 0);
    // A console that has started again has no access token.
    let elsewhere = elsewhere.restarted();
    let browser = with_cookie(&elsewhere.browser(), &old);
    let answers: Vec<_> = thread::scope(|scope| {
        let pages: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| browser.get(&list("s"))))
            .collect();
        let pages = pages.into_iter();
        pages.map(|page| page.join().unwrap()).collect()
    });
    for answer in &answers {
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    wait_until("the refresh is logged", || elsewhere.refreshes() > 0);
    assert_eq!(elsewhere.refreshes(), 1, "{}", elsewhere.service.log());

    let mut renewed = Browser::at(browser.origin());
    renewed.keep(&answers[0]);
    assert_ne!(renewed.cookie, old);
    assert_eq!(renewed.get(&list("s")).header("set-cookie"), "");
    // A browser that has not got the answer is given the newest again.
    let mut again = Browser::at(browser.origin());
    again.keep(&browser.get(&list("s")));
    assert_eq!(elsewhere.refreshes(), 1);
    // The newest goes on behind another start.
    let elsewhere = elsewhere.restarted();
    let last = with_cookie(&elsewhere.browser(), &again.cookie);
    assert_eq!(last.get(&list("s")).status, 200);
    assert_eq!(elsewhere.refreshes(), 2);
}

#[test]
fn a_cookie_that_was_changed_or_is_of_another_console_is_worth_nothing() {
    let elsewhere = Elsewhere::new();
    let browser = elsewhere.signed_in();
    let (name, value) = browser.cookie.split_once('=').unwrap();
    let (head, tail) = value.split_at(value.len() / 2);
    let other = if tail.starts_with('A') { "B" } else { "A" };
    let changed = format!("{name}={head}{other}{}", &tail[1..]);
    for cookie in [changed.as_str(), &format!("{name}=x"), &format!("{name}=")] {
        let answer = with_cookie(&browser, cookie).get(&list("s"));
        assert_eq!(answer.status, 303, "{cookie}: {}", answer.body);
    }
    // Neither the service nor its own console takes it.
    let call = elsewhere.service.app_anonymous("GET", "/account/");
    call.authorization(&format!("Bearer {value}")).expect(401);
    let mut own = Browser::new(&elsewhere.service);
    own.cookie = browser.cookie.clone();
    assert_eq!(own.get(&list("s")).status, 303);
    // One with another key has another name for its cookie.
    let folder = tempfile::tempdir().unwrap();
    let second = console(folder.path(), elsewhere.service.text("/app_base_url"));
    let mut stranger = Browser::at(&origin(&second));
    stranger.cookie = browser.cookie.clone();
    assert_eq!(stranger.get(&list("s")).status, 303);
}

#[cfg(unix)]
#[test]
fn only_its_owner_reads_the_key_and_it_stays_the_same() {
    use std::os::unix::fs::PermissionsExt as _;
    let elsewhere = Elsewhere::new();
    let file = elsewhere.folder.path().join("console/console.key");
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let key = std::fs::read(&file).unwrap();
    let elsewhere = elsewhere.restarted();
    assert_eq!(std::fs::read(&file).unwrap(), key);
    drop(elsewhere);
}

#[test]
fn a_service_that_is_away_is_named_and_what_was_entered_is_sent_when_it_is_back() {
    let elsewhere = Elsewhere::new();
    let browser = elsewhere.signed_in();
    let path = record("s", 2);
    let page = browser.page(&path);
    let Elsewhere {
        folder,
        service,
        console,
    } = elsewhere;
    let app = service.text("/app_base_url").to_owned();
    service.kill();
    let away = browser.get(&path);
    assert_eq!(away.status, 503, "{}", away.body);
    assert!(away.body.contains("cannot be reached"), "{}", away.body);
    assert!(!away.body.contains(&app), "{}", away.body);
    let entered = browser.submit(&path, &page, &[("value:note", "typed \"here\"")]);
    assert_eq!(entered.status, 503, "{}", entered.body);
    let fields = [("email", EMAIL), ("password", PASSWORD), ("next", "")];
    let sign_in = Browser::at(browser.origin()).post("/console/sign-in/", &fields);
    assert_eq!(sign_in.status, 503, "{}", sign_in.body);
    assert!(sign_in.body.contains(EMAIL));
    assert!(!sign_in.body.contains(PASSWORD));

    let listen = app.strip_prefix("http://").unwrap();
    let service = serve(folder.path(), listen.strip_suffix("/api").unwrap());
    let saved = browser.submit(&path, &entered.body, &[]);
    assert_eq!(saved.status, 303, "{}", saved.body);
    let kept = Connection::open(folder.path().join("s.db")).unwrap();
    let sql = "SELECT note FROM parts WHERE id = 2";
    let note: String = kept.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(note, "typed \"here\"");
    drop((service, console));
}

#[test]
fn an_address_that_cannot_be_that_of_a_service_is_refused_and_one_without_tls_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    for url in [
        "data.example.com/api",
        "https://data.example.com",
        "ftp://a/api",
    ] {
        let run = Program::new(folder.path(), &["console", "--app-base-url", url]);
        let (code, message) = run.run_err();
        assert_eq!(code, 2, "{message}");
        assert!(message.contains("--app-base-url"), "{message}");
    }
    let console = console(folder.path(), "http://service.invalid/api");
    assert!(console.log().contains("without TLS"), "{}", console.log());
    let page = Browser::at(&origin(&console)).page("/console/sign-in/");
    assert!(page.contains("password"));
}
