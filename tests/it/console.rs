//! The console, as a browser without scripts uses it: links and forms over HTTP.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use rusqlite::Connection;
use serde_json::json;
use svc_tests::{
    Answer, Call, Program, Service, program,
    servers::{MariadbServer, PostgresServer, Server as _},
};
use tempfile::TempDir;

const EMAIL: &str = "ann@example.com";
const PASSWORD: &str = "correct horse battery";

/// A browser with one cookie.
struct Browser {
    origin: String,
    cookie: String,
}

/// The fields of a form on a page.
type Fields = Vec<(String, String)>;

impl Browser {
    fn new(service: &Service) -> Self {
        let app = service.text("/app_base_url");
        Self {
            origin: app.strip_suffix("/api").unwrap().to_owned(),
            cookie: String::new(),
        }
    }

    fn signed_in(service: &Service) -> Self {
        let mut browser = Self::new(service);
        let answer = browser.post(
            "/console/sign-in/",
            &[("email", EMAIL), ("password", PASSWORD), ("next", "")],
        );
        assert_eq!(answer.status, 303, "{}", answer.body);
        browser.keep(&answer);
        browser
    }

    fn keep(&mut self, answer: &Answer) {
        let set = answer.header("set-cookie");
        assert!(
            set.contains("HttpOnly") && set.contains("SameSite=Lax"),
            "{set}"
        );
        self.cookie = set.split(';').next().unwrap().to_owned();
    }

    fn call(&self, method: &str, path: &str) -> Call {
        let call = Call::new(method, &format!("{}{path}", self.origin));
        call.header("cookie", &self.cookie)
    }

    fn get(&self, path: &str) -> Answer {
        self.call("GET", path).send()
    }

    /// A page that must be there.
    fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert!(
            answer
                .header("content-security-policy")
                .contains("default-src 'none'")
        );
        assert_eq!(answer.header("cache-control"), "private, no-cache");
        answer.body
    }

    fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.post_from(path, fields, &self.origin)
    }

    fn post_from(&self, path: &str, fields: &[(&str, &str)], origin: &str) -> Answer {
        let body: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
            .collect();
        self.call("POST", path)
            .header("content-type", "application/x-www-form-urlencoded")
            .header("origin", origin)
            .body(body.join("&"))
            .send()
    }

    /// Sends the form of a page with some fields changed.
    fn submit(&self, path: &str, page: &str, changed: &[(&str, &str)]) -> Answer {
        let mut fields = fields_of(page);
        for (name, value) in changed {
            fields.retain(|(known, _)| known != name);
            fields.push(((*name).to_owned(), (*value).to_owned()));
        }
        let fields: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        self.post(path, &fields)
    }
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn unescaped(text: &str) -> String {
    let text = text
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    text.replace("&amp;", "&")
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| unescaped(value))
}

/// What a browser would send of the record's form.
fn fields_of(page: &str) -> Fields {
    let (_, form) = page.split_once("<form class=\"record\"").unwrap();
    let (form, _) = form.split_once("</form>").unwrap();
    let mut fields = Fields::new();
    for tag in form.split("<input").skip(1) {
        let tag = tag.split('>').next().unwrap();
        let is_choice = tag.contains("type=\"radio\"");
        if let Some(name) = attribute(tag, "name")
            && (!is_choice || tag.contains(" checked"))
        {
            fields.push((name, attribute(tag, "value").unwrap_or_default()));
        }
    }
    for tag in form.split("<textarea").skip(1) {
        let (head, rest) = tag.split_once('>').unwrap();
        let (text, _) = rest.split_once("</textarea>").unwrap();
        // As browsers do: the first line break is dropped, the others become CRLF.
        let text = unescaped(text.strip_prefix('\n').unwrap_or(text)).replace('\n', "\r\n");
        fields.push((attribute(head, "name").unwrap(), text));
    }
    fields
}

/// A service over the same two tables in each engine, and an operator.
struct Setup {
    folder: TempDir,
    service: Service,
}

const ENGINES: [&str; 3] = ["s", "p", "m"];

impl Setup {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = |serial: &str, text: &str| {
            format!(
                "CREATE TABLE makers (id {serial} PRIMARY KEY, name VARCHAR(40) NOT NULL);\
                 CREATE TABLE parts (id {serial} PRIMARY KEY, maker_id BIGINT REFERENCES makers (id), \
                 name VARCHAR(80), note {text}, price NUMERIC(20,4), amount BIGINT NOT NULL DEFAULT 3, \
                 FOREIGN KEY (maker_id) REFERENCES makers (id));\
                 INSERT INTO makers (id, name) VALUES (1, 'Müller & Söhne'), (2, '<script>alert(1)</script>');\
                 INSERT INTO parts (id, maker_id, name, note, price, amount) VALUES \
                 (1, 1, 'bolt', 'a  \nb', 12345678901234.5000, 9007199254740993), (2, 2, '', NULL, NULL, 1);"
            )
        };
        Connection::open(folder.path().join("s.db"))
            .unwrap()
            .execute_batch(&script("INTEGER", "TEXT"))
            .unwrap();
        let postgres = PostgresServer::shared().database(&script("BIGINT", "TEXT"));
        let mariadb = MariadbServer::shared().database(&script("BIGINT", "TEXT"));
        let connects = [
            "--connect=s=sqlite:s.db".to_owned(),
            format!("--connect=p={postgres}"),
            format!("--connect=m={mariadb}"),
        ];
        let mut all = vec!["serve"];
        all.extend(connects.iter().map(String::as_str));
        let service = Service::start(folder.path(), &all);
        let setup = Self { folder, service };
        setup.run("account add ann@example.com --operator --password-stdin");
        setup
    }

    fn run(&self, command: &str) {
        let command: Vec<&str> = command.split(' ').collect();
        let program = Program::new(self.folder.path(), &command);
        program.input(&format!("{PASSWORD}\n")).run_ok();
    }
}

fn list(engine: &str) -> String {
    format!("/console/projects/main/prod/records/{engine}/parts/")
}

fn record(engine: &str, id: u32) -> String {
    format!("{}record/{id}/", list(engine))
}

#[test]
fn records_are_listed_opened_and_changed_by_forms_alone_on_every_engine() {
    let setup = Setup::new();
    let browser = Browser::signed_in(&setup.service);
    assert_eq!(
        browser.get("/console/").header("location"),
        "/console/projects/main/prod/"
    );
    for engine in ENGINES {
        let page = browser.page(&list(engine));
        for text in [
            "9007199254740993",
            "12345678901234.5000",
            "Müller &amp; Söhne",
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "class=\"null\"",
            "class=\"empty\"",
        ] {
            assert!(page.contains(text), "{engine}: {text}: {page}");
        }
        assert!(!page.contains("<script>alert"), "{page}");
        let counted = browser
            .call("GET", &list(engine))
            .header("svc-fragment", "count");
        assert!(counted.expect(200).body.contains("2 records"));
        let found = browser.page(&format!("{}?_search=bolt&_order_by=-id", list(engine)));
        assert!(
            found.contains("record/1/") && !found.contains("record/2/"),
            "{found}"
        );
        // The form for filters leads to the address with the filter in it.
        let added = browser.get(&format!(
            "{}?add_field=amount&add_lookup=gt&add_value=5",
            list(engine)
        ));
        assert_eq!(
            added.header("location"),
            format!("{}?amount__gt=5", list(engine))
        );
        let wrong = browser.page(&format!(
            "{}?add_field=amount&add_lookup=range&add_value=1",
            list(engine)
        ));
        assert!(wrong.contains("field-error"), "{wrong}");
        let wrong = browser.page(&format!("{}?nothing=1", list(engine)));
        assert!(
            wrong.contains("role=\"alert\"") && wrong.contains("nothing"),
            "{wrong}"
        );

        // A form that is sent as it is changes nothing, not even ends of lines.
        let path = record(engine, 1);
        let page = browser.page(&path);
        let same = browser.submit(&path, &page, &[]);
        assert_eq!(
            same.header("location"),
            format!("{path}?saved=0"),
            "{}",
            same.body
        );
        let saved = browser.submit(&path, &page, &[("value:name", "nut")]);
        assert_eq!(
            saved.header("location"),
            format!("{path}?saved=1"),
            "{}",
            saved.body
        );
        let kept = setup.service.data("GET", engine, "/models/parts/1").ok();
        assert_eq!(
            (&kept["name"], &kept["note"], &kept["price"]),
            (
                &json!("nut"),
                &json!("a  \nb"),
                &json!("12345678901234.5000")
            )
        );
        assert_eq!(kept["amount"].to_string(), "9007199254740993");

        // What is wrong stands beside its field, and what was typed stays.
        let page = browser.page(&path);
        let wrong = browser.submit(
            &path,
            &page,
            &[("value:amount", "many"), ("value:name", "kept")],
        );
        assert_eq!(wrong.status, 400);
        assert!(wrong.body.contains("field-error") && wrong.body.contains("value=\"kept\""));

        // NULL, the empty text and the default are three things.
        let new = format!("{}new/", list(engine));
        let page = browser.page(&new);
        let made = browser.submit(
            &new,
            &page,
            &[
                ("value:id", "7"),
                ("state:id", "text"),
                ("state:name", "null"),
                ("state:note", "text"),
            ],
        );
        assert_eq!(
            made.header("location"),
            format!("{}?saved=1", record(engine, 7)),
            "{}",
            made.body
        );
        let kept = setup.service.data("GET", engine, "/models/parts/7").ok();
        assert_eq!(
            (&kept["name"], &kept["note"], &kept["amount"]),
            (&json!(null), &json!(""), &json!(3))
        );

        // In prod the name is typed before something is deleted.
        let path = format!("{}delete/", record(engine, 7));
        let page = browser.page(&path);
        let etag = attribute(page.split("name=\"etag\"").nth(1).unwrap(), "value").unwrap();
        let refused = browser.post(&path, &[("etag", &etag)]);
        assert!(refused.body.contains("role=\"alert\""), "{}", refused.body);
        let deleted = browser.post(&path, &[("etag", &etag), ("confirm", "parts")]);
        assert_eq!(deleted.header("location"), list(engine), "{}", deleted.body);
        setup
            .service
            .data("GET", engine, "/models/parts/7")
            .expect(404);
        let makers = format!("/console/projects/main/prod/records/{engine}/makers/record/1/");
        assert!(browser.page(&makers).contains("parts/?maker_id=1"));
        let forbidden = browser.page(&format!("{makers}delete/"));
        assert!(forbidden.contains("disabled"), "{forbidden}");
    }
}

#[test]
fn two_people_on_one_record_lose_nothing() {
    let setup = Setup::new();
    let browser = Browser::signed_in(&setup.service);
    let path = record("s", 1);
    let page = browser.page(&path);
    let change = |body| {
        setup
            .service
            .data("PATCH", "s", "/models/parts/1")
            .json(&body)
            .ok()
    };
    change(json!({"note": "theirs"}));
    let met = browser.submit(&path, &page, &[("value:name", "mine")]);
    assert_eq!(met.status, 412);
    assert!(
        met.body.contains("theirs") && met.body.contains("value=\"mine\""),
        "{}",
        met.body
    );
    assert!(!met.body.contains("class=\"conflict\""), "{}", met.body);
    let saved = browser.submit(&path, &met.body, &[]);
    assert_eq!(saved.status, 303, "{}", saved.body);
    let kept = setup.service.data("GET", "s", "/models/parts/1").ok();
    assert_eq!(
        (&kept["name"], &kept["note"]),
        (&json!("mine"), &json!("theirs"))
    );

    let page = browser.page(&path);
    change(json!({"name": "hers"}));
    let met = browser.submit(&path, &page, &[("value:name", "his")]);
    assert_eq!(met.status, 412);
    assert!(
        met.body.contains("class=\"conflict\"") && met.body.contains("hers"),
        "{}",
        met.body
    );
    let saved = browser.submit(&path, &met.body, &[]);
    assert_eq!(saved.status, 303, "{}", saved.body);
    let kept = setup.service.data("GET", "s", "/models/parts/1").ok();
    assert_eq!(kept["name"], json!("his"));
}

#[test]
fn a_session_that_ends_while_a_form_is_filled_in_loses_nothing() {
    let setup = Setup::new();
    let browser = Browser::signed_in(&setup.service);
    let path = record("s", 2);
    let page = browser.page(&path);
    let ended = browser.post("/console/sign-out/", &[]);
    assert!(ended.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(ended.header("clear-site-data"), "\"cache\"");
    let asked = browser.get(&path);
    assert_eq!(
        asked.header("location").split('?').next(),
        Some("/console/sign-in/")
    );

    let asked = browser.submit(&path, &page, &[("value:name", "typed \"here\"")]);
    assert_eq!(asked.status, 401);
    let hidden = |page: &str, name: &str| {
        let tag = page.split(&format!("name=\"{name}\"")).nth(1).unwrap();
        attribute(tag.split('>').next().unwrap(), "value").unwrap()
    };
    let fields = [
        ("email", EMAIL),
        ("password", PASSWORD),
        ("next", &*hidden(&asked.body, "next")),
        ("form", &*hidden(&asked.body, "form")),
    ];
    let mut again = Browser::new(&setup.service);
    let signed_in = again.post("/console/sign-in/", &fields);
    again.keep(&signed_in);
    let (_, form) = signed_in.body.split_once("<form").unwrap();
    let action = attribute(form, "action").unwrap();
    assert_eq!(action, path);
    let inputs = form.split("<input").skip(1);
    let fields: Fields = inputs
        .map(|tag| {
            (
                attribute(tag, "name").unwrap(),
                attribute(tag, "value").unwrap(),
            )
        })
        .collect();
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    let saved = again.post(&action, &fields);
    assert_eq!(saved.status, 303, "{}", saved.body);
    let kept = setup.service.data("GET", "s", "/models/parts/2").ok();
    assert_eq!(kept["name"], json!("typed \"here\""));
}

#[test]
fn other_sites_strangers_and_the_api_get_nothing_from_the_cookie() {
    let setup = Setup::new();
    let browser = Browser::signed_in(&setup.service);
    let path = record("s", 1);
    let page = browser.page(&path);
    let fields = fields_of(&page);
    let mut fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (&**name, &**value))
        .collect();
    fields.push(("value:name", "forged"));
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(
            browser.post_from(&path, &fields, origin).status,
            403,
            "{origin}"
        );
    }
    let foreign = browser
        .call("POST", &path)
        .header("sec-fetch-site", "cross-site");
    foreign
        .header("content-type", "application/x-www-form-urlencoded")
        .body("a=b")
        .expect(403);
    // Neither host takes the cookie, in any form.
    let (_, value) = browser.cookie.split_once('=').unwrap();
    for credential in [
        format!("Bearer {value}"),
        format!("JWT {value}"),
        value.to_owned(),
    ] {
        let call = setup.service.app_anonymous("GET", "/account/");
        call.authorization(&credential).expect(401);
        let call = setup.service.data_anonymous("GET", "s", "/models/parts");
        call.authorization(&credential).expect(401);
    }
    browser.call("GET", "/api/account/").expect(401);
    let name = setup.service.data("GET", "s", "/models/parts/1").ok()["name"].clone();
    assert_eq!(name, json!("bolt"));
    // Where somebody goes after signing in is a place of the console.
    let fields = [
        ("email", EMAIL),
        ("password", PASSWORD),
        ("next", "//evil.example/"),
    ];
    assert_eq!(
        browser
            .post("/console/sign-in/", &fields)
            .header("location"),
        "/console/"
    );
    let wrong = [("email", EMAIL), ("password", "wrong"), ("next", "")];
    assert_eq!(browser.post("/console/sign-in/", &wrong).status, 401);
    let unknown = Browser::new(&setup.service).get("/console/nowhere/");
    assert_eq!(unknown.status, 303);
    assert_eq!(browser.get("/console/nowhere/").status, 404);
}

/// A program that is killed when this is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the program and gives the link to its console that it prints for people.
fn link_of(folder: &Path, arguments: &[&str]) -> (Running, String) {
    let mut command = Command::new(program());
    command
        .args(arguments)
        .args(["--listen", "127.0.0.1:0", "--log", "error"])
        .current_dir(folder)
        .stdout(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    let link = lines.find_map(|line| {
        let line = line.unwrap();
        let link = line.trim().strip_prefix("console")?;
        Some(link.trim().to_owned())
    });
    (running, link.expect("there is a link"))
}

/// A browser at the place of a link, and the code of the link.
fn at(link: &str) -> (Browser, String) {
    let (origin, rest) = link.split_once("/console/").unwrap();
    let (_, code) = rest.split_once("code=").unwrap();
    let browser = Browser {
        origin: origin.to_owned(),
        cookie: String::new(),
    };
    (browser, code.to_owned())
}

#[test]
fn the_first_operator_is_made_with_the_link_of_the_terminal_and_nobody_else_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let (_running, link) = link_of(folder.path(), &["serve", "--dir", "new"]);
    let (mut browser, code) = at(&link);
    let guessed = browser.get("/console/first-run/?code=guessed");
    assert_eq!(guessed.status, 400, "{}", guessed.body);
    let place = format!("/console/first-run/?code={code}");
    assert!(browser.page(&place).contains("new-password"));
    let make = |browser: &Browser, code: &str, email: &str, password: &str| {
        let fields = [("code", code), ("email", email), ("password", password)];
        browser.post("/console/first-run/", &fields)
    };
    assert_eq!(make(&browser, "guessed", EMAIL, PASSWORD).status, 400);
    let weak = make(&browser, &code, EMAIL, "short");
    assert!(
        weak.status == 400 && weak.body.contains("password"),
        "{}",
        weak.body
    );
    let made = make(&browser, &code, EMAIL, PASSWORD);
    assert_eq!(made.status, 303, "{}", made.body);
    browser.keep(&made);
    assert!(browser.page("/console/projects/").contains("main"));
    let again = make(&browser, &code, "eve@example.com", PASSWORD);
    assert_eq!(again.status, 400, "{}", again.body);
    assert_eq!(browser.get(&place).status, 400);
}

#[test]
fn the_link_of_the_demo_signs_in_once() {
    let folder = tempfile::tempdir().unwrap();
    let (_running, link) = link_of(folder.path(), &["demo"]);
    let (mut browser, code) = at(&link);
    // A mail program that looks at the link uses nothing up.
    for _ in 0..2 {
        let page = browser.page(&format!("/console/enter/?code={code}"));
        assert!(page.contains("<button"), "{page}");
    }
    let signed_in = browser.post("/console/enter/", &[("code", &code)]);
    assert_eq!(signed_in.status, 303, "{}", signed_in.body);
    browser.keep(&signed_in);
    let page = browser.page("/console/projects/demo/prod/records/shop/orders/");
    assert!(page.contains("class=\"records\""), "{page}");
    let again = browser.post("/console/enter/", &[("code", &code)]);
    assert_eq!(again.status, 400, "{}", again.body);
}

#[test]
fn a_database_is_tested_connected_and_disconnected_in_the_browser() {
    let setup = Setup::new();
    let browser = Browser::signed_in(&setup.service);
    let home = "/console/projects/main/prod/";
    assert!(browser.page(home).contains("prod/connect/"));
    let form = format!("{home}connect/?engine=postgres");
    assert!(browser.page(&form).contains("name=\"host\""));
    // The parts of the address of a server whose password has characters that a URL escapes.
    let url = PostgresServer::shared().database("CREATE TABLE a (id BIGINT PRIMARY KEY)");
    let rest = url.strip_prefix("postgres://").unwrap();
    let (user, rest) = rest.split_once(':').unwrap();
    let (_, rest) = rest.split_once('@').unwrap();
    let (host, database) = rest.split_once('/').unwrap();
    let (host, port) = host.split_once(':').unwrap();
    let fields = |password: &'static str, action: &'static str| {
        let fields = [
            ("name", "new"),
            ("host", host),
            ("port", port),
            ("database", database),
            ("user", user),
            ("password", password),
            ("action", action),
        ];
        fields.map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    let send = |password, action| {
        let fields = fields(password, action);
        let fields: Vec<(&str, &str)> = fields
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        browser.post(&form, &fields)
    };
    let wrong = send("wrong", "test");
    assert!(
        wrong.body.contains("role=\"alert\"") && wrong.body.contains("value=\"new\""),
        "{}",
        wrong.body
    );
    let passed = send("s3cret/p@ss", "test");
    assert!(
        passed.body.contains("role=\"status\"") && passed.body.contains("PostgreSQL"),
        "{}",
        passed.body
    );
    let refused = send("wrong", "save");
    assert_eq!(refused.status, 400);
    assert!(
        refused.body.contains("name=\"unchecked\""),
        "{}",
        refused.body
    );
    let saved = send("s3cret/p@ss", "save");
    assert_eq!(
        saved.header("location"),
        format!("{home}records/new/"),
        "{}",
        saved.body
    );
    assert!(
        browser
            .page(&format!("{home}records/new/"))
            .contains("records/new/a/")
    );

    let place = format!("{home}resources/new/");
    let state = browser.page(&place);
    assert!(state.contains(host) && !state.contains("s3cret"), "{state}");
    let reloaded = browser.post(&place, &[]);
    assert_eq!(reloaded.header("location"), format!("{place}?reloaded=1"));
    let delete = format!("{place}delete/");
    assert!(
        browser
            .post(&delete, &[("confirm", "old")])
            .body
            .contains("role=\"alert\"")
    );
    let deleted = browser.post(&delete, &[("confirm", "new")]);
    assert_eq!(deleted.header("location"), home, "{}", deleted.body);
    assert_eq!(browser.get(&place).status, 404);
}
