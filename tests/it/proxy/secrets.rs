//! What stays secret.

use std::fs;

use serde_json::json;
use svc_tests::wait_until;

use super::{
    Place, SECRET, failed, place, refused,
    upstream::{Upstream, answer},
};

#[test]
fn a_secret_is_sent_to_its_hosts_and_to_no_other() {
    let upstream = Upstream::saying(answer("200 OK", &[], ""));
    for body in [
        json!({"headers": {"X-Key": "{-elsewhere-}"}}),
        json!({"query_params": {"key": "{-elsewhere-}"}}),
        json!({"method": "POST", "body": "{-elsewhere-}"}),
        json!({"method": "POST", "body_type": "FormData", "body": {"key": "{-elsewhere-}"}}),
    ] {
        let mut body = body;
        body["url"] = upstream.url("/").into();
        body["resource"] = "crm".into();
        let message = refused(place().open(&body), "url");
        assert!(
            message.contains("elsewhere") && !message.contains("hunter2"),
            "{message}"
        );
    }
    let body = json!({"url": upstream.url("/?key={-elsewhere-}"), "resource": "crm"});
    refused(place().open(&body), "url");
    // Nor is it told by what a host resolves to.
    for url in [
        "http://{-token-}.example/",
        "{-token-}",
        "http://127.0.0.1:{-token-}/",
    ] {
        refused(place().open(&json!({"url": url, "resource": "crm"})), "url");
    }
    assert!(upstream.seen().is_empty());
}

#[test]
fn no_secret_is_in_an_error_a_header_the_log_or_the_project() {
    let echo = answer(
        "200 OK",
        &[
            &format!("X-Echo: {SECRET}"),
            &format!("Link: </?key={SECRET}>"),
        ],
        "",
    );
    let echo = Upstream::saying(echo);
    let moved = Upstream::saying(answer(
        "302 Found",
        &[&format!("Location: http://u:{SECRET}@b/")],
        "",
    ));
    let broken = Upstream::saying("no HTTP");
    let call = |url: String| {
        json!({
            "url": url,
            "resource": "crm",
            "method": "POST",
            "query_params": {"key": "{-token-}"},
            "headers": {"Authorization": "Bearer {-token-}"},
            "body": "{-token-}",
        })
    };
    let echoed = place()
        .open(&call(echo.url("/path-of-the-call")))
        .expect(200);
    assert!(!format!("{:?}", echoed.headers).contains(SECRET));
    assert_eq!(echo.only().text(), SECRET);
    for upstream in [&moved, &broken] {
        let detail = failed(place().open(&call(upstream.url("/"))), 502);
        assert!(!detail.contains(SECRET), "{detail}");
    }
    failed(place().open(&call("http://127.0.0.1:1/".to_owned())), 502);
    let refusal = place().closed(&call(echo.url("/"))).expect(400);
    assert!(!refusal.body.contains(SECRET), "{}", refusal.body);
    let wrong = json!({"url": echo.url("/"), "resource": "crm", "body_type": "JSON", "body": "{\"a\":\"{-token-}\"} 7"});
    let refusal = place().open(&wrong).expect(400);
    assert!(!refusal.body.contains(SECRET), "{}", refusal.body);
    let project = place().service.app("GET", "/projects/open/").ok();
    assert!(!project.to_string().contains("hunter2"));
    let list = place().admin(&["secret", "list", "--project", "open"]);
    assert_eq!(list[1]["secret"], "token");
    assert!(!list.to_string().contains("hunter2"), "{list}");
    // The log of this service is at its most talkative.
    wait_until("the lines are written", || {
        place().service.log().contains("proxied")
    });
    let log = place().service.log();
    for secret in [SECRET, "hunter2-of-elsewhere", "path-of-the-call"] {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None);
    }
}

#[test]
fn a_line_of_the_log_says_who_asked_for_what_of_which_host() {
    let place = Place::new(&["--log-format", "json"]);
    let upstream = Upstream::saying(answer("203 Non-Authoritative Information", &[], "12345"));
    let body = json!({"url": upstream.url("/secret-path?secret-query"), "resource": "crm", "method": "PUT"});
    place
        .open(&body)
        .header("x-request-id", "mine-2")
        .expect(203);
    wait_until("the line is written", || {
        place.service.log().contains("svc_server::audit")
    });
    let log = place.service.log();
    let line = log
        .lines()
        .find(|line| line.contains("svc_server::audit"))
        .expect("a line");
    assert!(!line.contains("secret-"), "{line}");
    let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
    assert!(
        line["who"]
            .as_str()
            .expect("who")
            .starts_with("service token "),
        "{line}"
    );
    for (name, value) in [
        ("request_id", json!("mine-2")),
        ("project", json!("open")),
        ("environment", json!("prod")),
        ("resource", json!("crm")),
        ("method", json!("PUT")),
        ("host", json!("127.0.0.1")),
        ("status", json!(203)),
        ("bytes", json!(5)),
        ("end", json!("done")),
    ] {
        assert_eq!(line[name], value, "{line}");
    }
}

#[test]
fn another_address_of_a_resource_takes_its_secrets_away() {
    let place = Place::new(&[]);
    let set = [
        "secret",
        "set",
        "key",
        "--resource",
        "shop",
        "--host",
        "127.0.0.1",
        "--value",
        SECRET,
    ];
    fs::write(place.folder.path().join("a.db"), "").expect("written");
    fs::write(place.folder.path().join("b.db"), "").expect("written");
    let in_main = ["--project", "main"];
    place.admin(&["project", "add", "main"]);
    let hosts = ["project", "allow-host", "127.0.0.1"];
    place.admin(&[&hosts[..], &in_main].concat());
    let add = ["resource", "add", "shop", "sqlite:a.db"];
    place.admin(&[&add[..], &in_main].concat());
    place.admin(&[&set[..], &in_main].concat());
    let listed = || place.admin(&["secret", "list", "--project", "main"]);
    assert_eq!(listed()[0]["hosts"], json!(["127.0.0.1"]));
    let serve = |url: &str| {
        let connect = format!("shop={url}");
        let arguments = ["serve", "--dir", "store", "--connect", &connect];
        drop(svc_tests::Service::start(place.folder.path(), &arguments));
    };
    serve("sqlite:a.db");
    assert_eq!(listed()[0]["secret"], "key");
    serve("sqlite:b.db");
    assert_eq!(listed(), json!([]));
}
