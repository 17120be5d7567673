//! Signing in, the first account, and what a cookie is worth elsewhere.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::json;
use svc_tests::{
    Program,
    browser::{Browser, form_of},
    program,
};

use super::{EMAIL, PASSWORD, Setup, record, signed_in};

#[test]
fn a_session_that_ends_while_a_form_is_filled_in_loses_nothing() {
    let setup = Setup::new();
    let browser = signed_in(&setup.service);
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
    let mut again = Browser::new(&setup.service);
    let fields = [("email", EMAIL), ("password", PASSWORD)];
    let answer = again.submit("/console/sign-in/", &asked.body, &fields);
    again.keep(&answer);
    // One button sends what was typed.
    let saved = again.submit(&path, &answer.body, &[]);
    assert_eq!(saved.status, 303, "{}", saved.body);
    let kept = setup.service.data("GET", "s", "/models/parts/2").ok();
    assert_eq!(kept["name"], json!("typed \"here\""));
}

#[test]
fn other_sites_strangers_and_the_api_get_nothing_from_the_cookie() {
    let setup = Setup::new();
    let mut browser = signed_in(&setup.service);
    let path = record("s", 1);
    let page = browser.page(&path);
    let form = form_of(&page, &path);
    let mut fields: Vec<(&str, &str)> = form
        .fields
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
    let signed_in = browser.post("/console/sign-in/", &fields);
    assert_eq!(signed_in.header("location"), "/console/");
    browser.keep(&signed_in);
    let wrong = [("email", EMAIL), ("password", "wrong"), ("next", "")];
    assert_eq!(browser.post("/console/sign-in/", &wrong).status, 401);
    let unknown = Browser::new(&setup.service).get("/console/nowhere/");
    assert_eq!(unknown.status, 303);
    assert_eq!(browser.get("/console/nowhere/").status, 404);
}

#[test]
fn who_signs_in_again_in_a_browser_ends_the_session_that_it_had() {
    let setup = Setup::new();
    let other = signed_in(&setup.service);
    let place = "/console/profile/sessions/";
    let open = || other.page(place).matches("<tr").count();
    let before = open();
    let mut browser = signed_in(&setup.service);
    assert_eq!(open(), before + 1);
    // A wrong password ends nothing.
    let fields = |password: &'static str| [("email", EMAIL), ("password", password), ("next", "")];
    let wrong = browser.post("/console/sign-in/", &fields("wrong"));
    assert_eq!(wrong.status, 401);
    browser.page(place);
    let earlier = browser.cookie.clone();
    let again = browser.post("/console/sign-in/", &fields(PASSWORD));
    assert_eq!(again.status, 303, "{}", again.body);
    browser.keep(&again);
    browser.page(place);
    assert_eq!(open(), before + 1);
    browser.cookie = earlier;
    assert_eq!(browser.get(place).status, 303);
}

#[test]
fn a_forgotten_password_is_set_anew_by_a_mail_and_nobody_learns_who_has_an_account() {
    let setup = Setup::new();
    let browser = Browser::new(&setup.service);
    let place = "/console/forgotten/";
    assert!(browser.page("/console/sign-in/").contains(place));
    let page = browser.page(place);
    let known = browser.submit(place, &page, &[("email", EMAIL)]);
    let unknown = browser.submit(place, &page, &[("email", "eve@example.com")]);
    assert_eq!((known.status.as_u16(), unknown.status.as_u16()), (200, 200));
    let about = |answer: &str, email: &str| answer.replace(email, "");
    assert_eq!(
        about(&known.body, EMAIL),
        about(&unknown.body, "eve@example.com")
    );
    let mails = Program::new(setup.folder.path(), &["mail", "list", "--json"]).run_json();
    let mails = mails.as_array().unwrap();
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert_eq!(mails[0]["to"], EMAIL);
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
    if arguments.first() == Some(&"serve")
        && let Some(store) = svc_tests::store_url(folder)
    {
        command.args(["--store", &store]);
    }
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
    (Browser::at(origin), code.to_owned())
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
        weak.status == 400 && weak.body.contains("id=\"error-password\""),
        "{}",
        weak.body
    );
    assert!(!weak.body.contains("password:"), "{}", weak.body);
    let nobody = make(&browser, &code, "nobody", PASSWORD);
    assert!(
        nobody.status == 400
            && nobody.body.contains("id=\"error-email\"")
            && nobody.body.contains("value=\"nobody\""),
        "{}",
        nobody.body
    );
    assert!(!nobody.body.contains(PASSWORD) && !nobody.body.contains("email:"));
    let made = make(&browser, &code, EMAIL, PASSWORD);
    assert_eq!(made.status, 303, "{}", made.body);
    browser.keep(&made);
    assert!(browser.page("/console/projects/").contains("main"));
    let again = make(&browser, &code, "eve@example.com", PASSWORD);
    assert_eq!(again.status, 400, "{}", again.body);
    assert_eq!(browser.get(&place).status, 400);
}

#[test]
fn of_several_who_use_the_link_of_the_terminal_at_once_one_becomes_the_operator() {
    let folder = tempfile::tempdir().unwrap();
    let (_running, link) = link_of(folder.path(), &["serve"]);
    let made = [1, 2, 3].map(|number| {
        let (browser, code) = at(&link);
        std::thread::spawn(move || {
            let email = format!("operator{number}@example.com");
            let fields = [("code", &*code), ("email", &email), ("password", PASSWORD)];
            browser.post("/console/first-run/", &fields).status.as_u16()
        })
    });
    let mut statuses = made.map(|made| made.join().unwrap());
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 400, 400]);
    let accounts = Program::new(folder.path(), &["account", "list", "--json"]).run_json();
    let operators = accounts.as_array().unwrap().iter();
    let operators = operators.filter(|account| account["operator"] == true);
    assert_eq!(operators.count(), 1, "{accounts}");
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
