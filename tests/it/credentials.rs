//! Credentials (wire contract, section 3; specification, section 5).

mod routes;

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Instant,
};

use serde_json::json;
use svc_tests::{Call, PROMPT, Program};

use crate::shared::{demo, serve};

#[test]
fn paths_that_only_resemble_an_open_path_require_a_credential() {
    // Sent as bytes, since a client would normalise these paths.
    let address = demo().text("/base_url").trim_start_matches("http://");
    for path in [
        "/healthz/../projects/demo/prod/shop/models/orders",
        "//projects/demo/prod/shop/models/orders",
        "/projects//demo/prod/shop/models/orders",
        "/healthz;a=b",
        "/%2e%2e/healthz",
        "/%68ealthz/../api/projects/",
        "/api/openapi.json/x",
        "/projects/demo/prod/shop/models/orders?/healthz",
        "/projects/demo/prod/shop/models/orders;/healthz",
        "http://other/projects/demo/prod/shop/models/orders",
    ] {
        let mut stream = TcpStream::connect(address).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.get(9..12).unwrap_or_default();
        assert!(matches!(status, "401" | "404"), "{path}: {answer}");
    }
}

#[test]
fn malformed_and_unknown_credentials_get_the_same_refusal() {
    for value in [
        "",
        " ",
        "Bearer",
        "Bearer ",
        "JWT x",
        "JWT",
        "Basic dTpw",
        "svct_",
        "svck_x",
        "Bearer svck_AAAA",
        "Bearer svck_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "svct_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "a b c",
        "Bearer a b",
        "ä",
        &"x".repeat(10_000),
    ] {
        for (path, challenge) in [
            ("/api/projects/", "Bearer realm=\"application\""),
            (
                "/projects/demo/prod/shop/models/orders",
                "Bearer realm=\"data\"",
            ),
            ("/projects/demo/prod/auth/user", "JWT realm=\"account\""),
        ] {
            let answer = demo().root("GET", path).authorization(value).expect(401);
            assert_eq!(answer.header("www-authenticate"), challenge, "{value:?}");
            assert_eq!(
                answer.json()["error_code"],
                "not_authenticated",
                "{value:?}"
            );
            assert!(
                value.len() < 3 || !answer.body.contains(value),
                "{}",
                answer.body
            );
        }
    }
}

#[test]
fn a_static_token_is_accepted_raw_and_with_bearer_or_token() {
    let token = demo().text("/resources/shop/token");
    for value in [
        token.to_owned(),
        format!("Bearer {token}"),
        format!("bearer {token}"),
        format!("Token {token}"),
    ] {
        demo()
            .data_anonymous("GET", "shop", "/models/products?_per_page=1")
            .authorization(&value)
            .expect(200);
    }
    demo()
        .data_anonymous("GET", "shop", "/models/products")
        .authorization(&format!("JWT {token}"))
        .expect(401);
}

#[test]
fn two_authorization_headers_are_refused() {
    let token = demo().text("/resources/shop/token");
    let call = demo().data("GET", "shop", "/models/products");
    call.header("authorization", token).expect(401);
}

#[test]
fn an_api_key_opens_both_hosts_and_a_static_token_only_its_own_resource() {
    let (key, token) = (
        demo().text("/api_key"),
        demo().text("/resources/shop/token"),
    );
    let data = |value: &str| {
        demo()
            .data_anonymous("GET", "shop", "/models/products")
            .authorization(value)
    };
    data(&format!("Bearer {key}")).expect(200);
    data(key).expect(200);
    let foreign = demo().root("GET", "/projects/other/prod/shop/models/products");
    let foreign = foreign.authorization(&format!("Bearer {key}")).expect(403);
    assert_eq!(foreign.json()["error_code"], "permission_denied");
    let app = demo()
        .app_anonymous("GET", "/projects/demo/")
        .authorization(&format!("Bearer {token}"));
    assert_eq!(app.expect(403).json()["error_code"], "permission_denied");
    demo()
        .app_anonymous("GET", "/projects/demo/")
        .authorization(key)
        .expect(401);
    let tools = demo().text("/tools_token").to_owned();
    data(&tools).expect(403);
}

#[test]
fn foreign_and_missing_resources_get_the_same_response() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("a.db");
    rusqlite::Connection::open(&database)
        .unwrap()
        .execute_batch("create table t(id integer primary key)")
        .unwrap();
    let service = serve(&folder, &["a=sqlite:a.db"]);
    let run = |arguments: &[&str]| Program::new(folder.path(), arguments).run_json();
    run(&["project", "add", "other", "--json"]);
    let foreign_key = run(&[
        "key",
        "add",
        "--project",
        "other",
        "--email",
        "b@example.com",
        "--json",
    ]);
    let foreign_key = format!("Bearer {}", foreign_key["api_key"].as_str().unwrap());
    let url = format!("sqlite:{}", database.display());
    let foreign = run(&["resource", "add", "a", &url, "--project", "other", "--json"]);
    let foreign_token = foreign["token"].as_str().unwrap().to_owned();
    let base = service.text("/base_url").to_owned();
    let get = |path: &str, credential: &str| {
        Call::new("GET", &format!("{base}{path}"))
            .authorization(credential)
            .send()
    };
    let mut answers = Vec::new();
    for path in [
        "/projects/main/prod/a/models/t",
        "/projects/main/prod/none/models/t",
        "/projects/main/none/a/models/t",
        "/projects/none/prod/a/models/t",
        "/projects/main/prod/a/models/none/1",
    ] {
        answers.push((
            get(path, &foreign_token).status.as_u16(),
            get(path, &foreign_token).body,
        ));
    }
    assert!(
        answers
            .iter()
            .all(|answer| *answer == answers[0] && answer.0 == 403),
        "{answers:?}"
    );
    let mut answers = Vec::new();
    for path in [
        "/api/projects/main/",
        "/api/projects/none/",
        "/api/projects/main/prod/view_settings/",
        "/api/projects/none/prod/view_settings/x/",
    ] {
        answers.push((
            get(path, &foreign_key).status.as_u16(),
            get(path, &foreign_key).body,
        ));
    }
    assert!(
        answers
            .iter()
            .all(|answer| *answer == answers[0] && answer.0 == 403),
        "{answers:?}"
    );
    svc_tests::wait_until("the new resource is known", || {
        get("/projects/other/prod/a/models/t", &foreign_token).status == 200
    });
}

#[test]
fn a_revoked_and_an_expired_credential_stop_working_within_a_second() {
    let folder = tempfile::tempdir().unwrap();
    rusqlite::Connection::open(folder.path().join("a.db"))
        .unwrap()
        .execute_batch("create table t(id integer primary key)")
        .unwrap();
    let service = serve(&folder, &["a=sqlite:a.db"]);
    let run = |arguments: &[&str]| Program::new(folder.path(), arguments).run_json();
    let made = run(&["token", "add", "a", "--project", "main", "--json"]);
    let token = made["token"].as_str().unwrap().to_owned();
    let works = || {
        let call = service
            .data_anonymous("GET", "a", "/models/t")
            .authorization(&token);
        call.send().status == 200
    };
    svc_tests::wait_until("the new token works", works);
    Program::new(folder.path(), &["token", "revoke", &token[..11]]).run_ok();
    let revoked = Instant::now();
    svc_tests::wait_until("the revoked token is refused", || !works());
    assert!(revoked.elapsed() < PROMPT, "{:?}", revoked.elapsed());

    let made = run(&[
        "key",
        "add",
        "--project",
        "main",
        "--expires",
        "2s",
        "--json",
    ]);
    let key = format!("Bearer {}", made["api_key"].as_str().unwrap());
    let status = || {
        service
            .app_anonymous("GET", "/projects/main/")
            .authorization(&key)
            .send()
            .status
    };
    svc_tests::wait_until("the key expired", || status() == 401);
}

#[test]
fn no_secret_is_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    rusqlite::Connection::open(folder.path().join("a.db"))
        .unwrap()
        .execute_batch("create table t(id integer primary key, secret text)")
        .unwrap();
    let service = svc_tests::Service::start_with(
        folder.path(),
        &["serve", "--connect", "a=sqlite:a.db"],
        &[("SVC_LOG", "trace")],
    );
    service
        .data("GET", "a", "/models/t?secret=hunter2")
        .expect(200);
    service
        .data("POST", "a", "/models/t")
        .json(&json!({"secret": "hunter3"}))
        .expect(201);
    service.app("GET", "/projects/main/").expect(200);
    let (key, token, tools) = (
        service.text("/api_key"),
        service.text("/resources/a/token"),
        service.text("/tools_token"),
    );
    svc_tests::wait_until("the requests are logged", || {
        service.log().contains("/api/projects/main/")
    });
    let log = service.log();
    for secret in [key, token, tools, "hunter2", "hunter3"] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}
