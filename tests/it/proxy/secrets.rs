//! Secrets in requests, errors, logs and the audit trail.

use std::fs;

use serde_json::json;
use svc_tests::wait_until;

use super::{
    SECRET, Setup, failed, get, refused, setup,
    upstream::{Upstream, answer, write},
};

#[test]
fn a_secret_is_sent_only_to_its_hosts() {
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
        let message = refused(setup().open(&body), "url");
        assert!(
            message.contains("elsewhere") && !message.contains("hunter2"),
            "{message}"
        );
    }
    let body = json!({"url": upstream.url("/?key={-elsewhere-}"), "resource": "crm"});
    refused(setup().open(&body), "url");
    // The address of a host does not matter either.
    for url in [
        "http://{-token-}.example/",
        "{-token-}",
        "http://127.0.0.1:{-token-}/",
    ] {
        refused(setup().open(&json!({"url": url, "resource": "crm"})), "url");
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
    let echoed = setup()
        .open(&call(echo.url("/path-of-the-call")))
        .expect(200);
    assert!(!format!("{:?}", echoed.headers).contains(SECRET));
    assert_eq!(echo.only().text(), SECRET);
    for upstream in [&moved, &broken] {
        let detail = failed(setup().open(&call(upstream.url("/"))), 502);
        assert!(!detail.contains(SECRET), "{detail}");
    }
    failed(setup().open(&call("http://127.0.0.1:1/".to_owned())), 502);
    let refusal = setup().closed(&call(echo.url("/"))).expect(400);
    assert!(!refusal.body.contains(SECRET), "{}", refusal.body);
    let wrong = json!({"url": echo.url("/"), "resource": "crm", "body_type": "JSON", "body": "{\"a\":\"{-token-}\"} 7"});
    let refusal = setup().open(&wrong).expect(400);
    assert!(!refusal.body.contains(SECRET), "{}", refusal.body);
    let project = setup().service.app("GET", "/projects/open/").ok();
    assert!(!project.to_string().contains("hunter2"));
    let list = setup().admin(&["secret", "list", "--project", "open"]);
    assert_eq!(list[1]["secret"], "token");
    assert!(!list.to_string().contains("hunter2"), "{list}");
    // The log of this service has the most detailed level.
    wait_until("the lines are written", || {
        setup().service.log().contains("proxied")
    });
    let log = setup().service.log();
    for secret in [SECRET, "hunter2-of-elsewhere", "path-of-the-call"] {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None);
    }
}

#[test]
fn a_line_of_the_log_names_the_caller_the_host_and_the_method() {
    let setup = Setup::new(&["--log-format", "json"]);
    let upstream = Upstream::saying(answer("203 Non-Authoritative Information", &[], "12345"));
    let body = json!({"url": upstream.url("/secret-path?secret-query"), "resource": "crm", "method": "PUT"});
    setup
        .open(&body)
        .header("x-request-id", "mine-2")
        .expect(203);
    wait_until("the line is written", || {
        setup.service.log().contains("svc_server::audit")
    });
    let log = setup.service.log();
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
fn the_audit_trail_has_a_line_for_each_request_that_was_sent_and_no_other() {
    let setup = Setup::new(&["--proxy-response-limit", "100"]);
    let upstream = Upstream::new(|seen, stream| match seen.target() {
        "/hang" => std::thread::sleep(std::time::Duration::from_secs(5)),
        "/long" => {
            let text = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_owned();
            write(stream, (text + &"x".repeat(1_000)).as_bytes());
        }
        _ => write(stream, answer("203 Odd", &[], "12345").as_bytes()),
    });
    let origin = upstream.url("");
    let mut expected = Vec::new();
    let mut sent = |body: serde_json::Value, told: String, status: Option<u16>| {
        let id = format!("call-{}", expected.len());
        let call = setup.open(&body).header("x-request-id", &id);
        let call = match status {
            None => call.timeout(std::time::Duration::from_millis(300)),
            Some(_) => call,
        };
        // The response of an interrupted request and of an abandoned one is not complete.
        let _ = call.try_send();
        expected.push((id, told, status));
    };
    let context = json!({"id": "hunter2-of-the-caller"});
    sent(
        json!({
            "url": upstream.url("/people/{{id}}/{-token-}?key={-token-}#hunter2"),
            "resource": "crm", "method": "put", "context": context, "body": "{-token-}",
            "headers": {"X-Key": "{-token-}"}, "query_params": {"q": "hunter2"},
        }),
        format!("PUT {origin}/people/{{{{id}}}}/{{-token-}}"),
        Some(203),
    );
    let base = json!({"url": "{{base}}/x", "context": {"base": upstream.url("/hunter2")}});
    sent(base, format!("GET {origin}/{{{{base}}}}/x"), Some(203));
    sent(
        get(&upstream.url("/long")),
        format!("GET {origin}/long"),
        Some(200),
    );
    sent(
        get(&upstream.url("/hang")),
        format!("GET {origin}/hang"),
        None,
    );
    let dead = "http://127.0.0.1:1";
    sent(get(dead), format!("GET {dead}/"), Some(502));
    // Refused, before and after its address was looked up.
    let quiet = [
        get("file:///etc/passwd"),
        json!({"url": origin, "resource": "none"}),
        json!({"url": upstream.url("/{-none-}"), "resource": "crm"}),
        json!({"url": upstream.url("/{-elsewhere-}"), "resource": "crm"}),
        get("http://localhost/"),
    ];
    for body in quiet {
        let status = setup.open(&body).send().status.as_u16();
        assert!((400..500).contains(&status), "{body}: {status}");
    }

    let list = || setup.admin(&["audit", "list", "--action", "proxy"]);
    wait_until("the lines are written", || {
        list()
            .as_array()
            .is_some_and(|lines| lines.len() >= expected.len())
    });
    let list = list();
    assert!(!list.to_string().contains("hunter2"), "{list}");
    let mut told: Vec<_> = list.as_array().expect("a list").iter().collect();
    assert_eq!(told.len(), expected.len(), "{list}");
    told.sort_by_key(|line| line["request_id"].to_string());
    for (line, (id, record, status)) in told.into_iter().zip(&expected) {
        let resource = if id == "call-0" {
            json!("crm")
        } else {
            json!(null)
        };
        for (name, value) in [
            ("request_id", json!(id)),
            ("record", json!(record)),
            ("status", json!(status)),
            ("action", json!("proxy.send")),
            ("project", json!("open")),
            ("environment", json!("prod")),
            ("resource", resource),
            ("actor_kind", json!("service_token")),
            ("before", json!(null)),
            ("after", json!(null)),
        ] {
            assert_eq!(line[name], value, "{line}");
        }
        let label = line["actor"].as_str().expect("an actor");
        assert!(setup.open[4..].starts_with(label), "{line}");
    }
    // The last line is not lost when the service ends immediately.
    setup
        .open(&get(&origin))
        .header("x-request-id", "last")
        .expect(203);
    let Setup {
        folder, service, ..
    } = setup;
    assert_eq!(service.terminate(), Some(0));
    let all = [
        "audit",
        "list",
        "--request-id",
        "last",
        "--dir",
        "store",
        "--json",
    ];
    let last = svc_tests::Program::new(folder.path(), &all).run_json();
    assert_eq!(last[0]["action"], "proxy.send", "{last}");
}

#[test]
fn changing_the_address_of_a_resource_removes_the_old_host_from_its_secrets() {
    let setup = Setup::new(&[]);
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
    fs::write(setup.folder.path().join("a.db"), "").expect("written");
    fs::write(setup.folder.path().join("b.db"), "").expect("written");
    let in_main = ["--project", "main"];
    setup.admin(&["project", "add", "main"]);
    let hosts = ["project", "allow-host", "127.0.0.1"];
    setup.admin(&[&hosts[..], &in_main].concat());
    let add = ["resource", "add", "shop", "sqlite:a.db"];
    setup.admin(&[&add[..], &in_main].concat());
    setup.admin(&[&set[..], &in_main].concat());
    let listed = || setup.admin(&["secret", "list", "--project", "main"]);
    assert_eq!(listed()[0]["hosts"], json!(["127.0.0.1"]));
    let serve = |url: &str| {
        let connect = format!("shop={url}");
        let arguments = ["serve", "--dir", "store", "--connect", &connect];
        drop(svc_tests::Service::start(setup.folder.path(), &arguments));
    };
    serve("sqlite:a.db");
    assert_eq!(listed()[0]["secret"], "key");
    serve("sqlite:b.db");
    assert_eq!(listed(), json!([]));
}
