//! Health, the API definition, browsers, listeners, shutdown (wire contract, section 10).

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use svc_tests::{Service, wait_until};

use crate::shared::{demo, serve};

#[test]
fn the_health_checks_answer_when_the_service_is_ready() {
    for path in ["/healthz", "/readyz", "/healthz/"] {
        assert_eq!(demo().root("GET", path).ok()["status"], "ok");
    }
    assert_eq!(demo().root("HEAD", "/healthz").expect(200).body, "");
}

#[test]
fn the_api_definition_is_labelled_and_complete() {
    let document = demo().app_anonymous("GET", "/openapi.json").ok();
    assert_eq!(document["info"]["version"], "2026-09-15");
    let paths = document["paths"].as_object().unwrap();
    let list = &paths["/projects/{project}/{environment}/view_settings/"];
    assert!(list["get"].is_object() && list["post"].is_object());
}

#[test]
fn browsers_may_call_only_from_the_configured_origins() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start_with(
        folder.path(),
        &["serve"],
        &[(
            "SVC_CORS_ORIGINS",
            "https://app.example.com,https://b.example.com",
        )],
    );
    let preflight = |origin: &str| {
        let call = service
            .root("OPTIONS", "/api/projects/")
            .header("origin", origin);
        call.header("access-control-request-method", "GET")
            .header("access-control-request-headers", "authorization")
            .expect(204)
    };
    let allowed = preflight("https://app.example.com");
    assert_eq!(
        allowed.header("access-control-allow-origin"),
        "https://app.example.com"
    );
    assert!(
        allowed
            .header("access-control-allow-headers")
            .contains("authorization")
    );
    assert_eq!(
        preflight("https://evil.example").header("access-control-allow-origin"),
        ""
    );
    let answer = service
        .app("GET", "/projects/")
        .header("origin", "https://b.example.com")
        .expect(200);
    assert_eq!(
        answer.header("access-control-allow-origin"),
        "https://b.example.com"
    );
    assert_eq!(answer.header("access-control-allow-credentials"), "");
    let refused = service
        .app_anonymous("GET", "/projects/")
        .header("origin", "https://b.example.com")
        .expect(401);
    assert_eq!(
        refused.header("access-control-allow-origin"),
        "https://b.example.com",
        "errors can be read too"
    );
    service.root("OPTIONS", "/api/projects/").expect(204);
    let without = demo()
        .app("GET", "/projects/")
        .header("origin", "https://app.example.com")
        .expect(200);
    assert_eq!(without.header("access-control-allow-origin"), "");
}

#[test]
fn each_host_can_have_its_own_listener() {
    let folder = tempfile::tempdir().unwrap();
    rusqlite::Connection::open(folder.path().join("a.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY)")
        .unwrap();
    let service = Service::start(
        folder.path(),
        &[
            "serve",
            "--data-listen",
            "127.0.0.1:0",
            "--connect",
            "a=sqlite:a.db",
        ],
    );
    let app = service.text("/app_base_url").strip_suffix("/api").unwrap();
    assert_ne!(service.text("/base_url"), app);
    service.data("GET", "a", "/models/t").expect(200);
    service.app("GET", "/projects/main/").expect(200);
    let token = service.text("/resources/a/token");
    svc_tests::Call::new("GET", &format!("{app}/projects/main/prod/a/models/t"))
        .authorization(token)
        .expect(404);
    let key = format!("Bearer {}", service.text("/api_key"));
    svc_tests::Call::new(
        "GET",
        &format!("{}/api/projects/main/", service.text("/base_url")),
    )
    .authorization(&key)
    .expect(404);
}

#[test]
fn links_are_made_from_the_public_url() {
    let folder = tempfile::tempdir().unwrap();
    rusqlite::Connection::open(folder.path().join("a.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES(1),(2)")
        .unwrap();
    // The ready line then has the public URL, which this test cannot call.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let listen = format!("127.0.0.1:{port}");
    let service = Service::start(
        folder.path(),
        &[
            "serve",
            "--connect",
            "a=sqlite:a.db",
            "--public-url",
            "https://data.example.com/svc",
            "--listen",
            &listen,
        ],
    );
    assert_eq!(service.text("/base_url"), "https://data.example.com/svc");
    assert_eq!(
        service.text("/app_base_url"),
        "https://data.example.com/svc/api"
    );
    let url = format!("http://{listen}/projects/main/prod/a/models/t?_per_page=1");
    let page = svc_tests::Call::new("GET", &url)
        .authorization(service.text("/resources/a/token"))
        .header("x-forwarded-host", "evil.example")
        .ok();
    let next = page["next"].as_str().unwrap();
    assert!(
        next.starts_with("https://data.example.com/svc/projects/main/prod/a/models/t?"),
        "{next}"
    );
}

#[test]
fn a_shutdown_finishes_active_requests() {
    let folder = tempfile::tempdir().unwrap();
    let mut service = serve(&folder, &[]);
    let address = service
        .text("/base_url")
        .trim_start_matches("http://")
        .to_owned();
    let key = service.text("/api_key").to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    let body = json!({"name": "late"}).to_string();
    let head = format!(
        "POST /api/projects/main/prod/view_settings/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body.as_bytes()[..3]).unwrap();
    stream.flush().unwrap();
    // After a later request was answered, the head of this one was read too.
    service.root("GET", "/healthz").expect(200);
    service.request_end();
    wait_until("no new connection is accepted", || {
        TcpStream::connect(&address).is_err()
    });
    stream.write_all(&body.as_bytes()[3..]).unwrap();
    let mut answer = String::new();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert_eq!(service.terminate(), Some(0));
}

#[test]
fn a_shutdown_with_a_delay_goes_on_serving_while_it_is_not_ready() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["serve", "--shutdown-delay", "2"];
    let mut service = Service::start(folder.path(), &arguments);
    service.root("GET", "/readyz").expect(200);
    let asked = Instant::now();
    service.request_end();
    wait_until("load balancers are told", || {
        service.root("GET", "/readyz").send().status == 503
    });
    // On a new connection, as the balancer's next one.
    let address = service.text("/base_url").trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    let request = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    stream.write_all(request).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(service.terminate(), Some(0));
    assert!(asked.elapsed() >= Duration::from_secs(2));
}

#[test]
fn many_callers_at_once_are_all_answered() {
    thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| {
                for id in 1..=20 {
                    demo()
                        .data("GET", "shop", &format!("/models/orders/{id}"))
                        .expect(200);
                }
            });
        }
    });
}

#[test]
fn the_page_of_the_api_definitions_and_its_files_come_from_the_service_alone() {
    for (path, folder) in [("/docs", "docs/"), ("/docs/", "")] {
        let page = demo().app_anonymous("GET", path).expect(200);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        let policy = page.header("content-security-policy");
        for rule in [
            "default-src 'none'",
            "script-src 'self';",
            "style-src 'self';",
            "connect-src 'self';",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(rule), "{rule}: {policy}");
        }
        assert!(
            !policy.contains("unsafe") && !policy.contains("http"),
            "{policy}"
        );
        for file in ["swagger-ui.js", "docs.js", "swagger-ui.css", "docs.css"] {
            assert!(
                page.body.contains(&format!("=\"{folder}{file}\"")),
                "{file}"
            );
        }
        assert!(!page.body.contains("http"), "it names no other host");
    }
    for (file, media_type) in [
        ("swagger-ui.js", "text/javascript; charset=utf-8"),
        ("docs.js", "text/javascript; charset=utf-8"),
        ("swagger-ui.css", "text/css; charset=utf-8"),
        ("docs.css", "text/css; charset=utf-8"),
    ] {
        let call = || demo().app_anonymous("GET", &format!("/docs/{file}"));
        let plain = call().expect(200);
        assert_eq!(plain.header("content-type"), media_type);
        assert_eq!(plain.header("cache-control"), "public, no-cache");
        assert_eq!(plain.header("content-encoding"), "");
        let etag = plain.header("etag");
        assert!(!etag.is_empty(), "{file}");
        assert_eq!(call().header("if-none-match", etag).expect(304).body, "");
        let compressed = call().header("accept-encoding", "gzip, br").expect(200);
        if compressed.header("content-encoding") == "gzip" {
            let mut text = String::new();
            flate2::read::GzDecoder::new(&*compressed.bytes)
                .read_to_string(&mut text)
                .unwrap();
            assert_eq!(text, plain.body, "{file}");
        } else {
            assert!(file.starts_with("docs."), "{file} is not compressed");
        }
    }
    let root = demo().root("GET", "/").ok();
    let page = root["interactive_documentation"].as_str().unwrap();
    assert!(page.ends_with("/api/docs/"), "{page}");
}
