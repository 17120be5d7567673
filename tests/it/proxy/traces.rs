//! `traceparent`: in the log, and on the way to the other service.

use serde_json::{Value, json};
use svc_tests::{Service, wait_until};

use super::{
    Setup,
    upstream::{Upstream, answer},
};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

/// The lines of the log about the request with this id.
fn lines(service: &Service, id: &str) -> Vec<Value> {
    let mut found = Vec::new();
    wait_until("the line is written", || {
        let log = service.log();
        let lines = log
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let lines = lines.filter(|line| line["target"] == "svc_server::request");
        found = lines.filter(|line| line["request_id"] == id).collect();
        !found.is_empty()
    });
    found
}

#[test]
fn a_trace_goes_on_to_the_other_service_and_is_in_the_one_line_of_the_log() {
    let setup = Setup::new(&["--log-format", "json"]);
    let upstream = Upstream::saying(answer("200 OK", &[], ""));
    let body = json!({"url": upstream.url("/"), "resource": "crm"});
    setup
        .open(&body)
        .header("x-request-id", "traced")
        .header("traceparent", &format!("00-{TRACE}-{PARENT}-01"))
        .header("tracestate", "vendor=secret-state")
        .expect(200);
    let seen = upstream.only();
    assert_eq!(seen.header("tracestate"), None);
    let sent = seen.header("traceparent").expect("a trace");
    let parts: Vec<&str> = sent.split('-').collect();
    assert_eq!((parts[0], parts[1], parts[3]), ("00", TRACE, "01"));
    assert_ne!(
        parts[2], PARENT,
        "the call of the proxy is part of the request"
    );
    let lines = lines(&setup.service, "traced");
    assert_eq!(lines.len(), 1, "{lines:?}");
    for (name, value) in [
        ("trace_id", json!(TRACE)),
        ("parent_span_id", json!(PARENT)),
        ("span_id", json!(parts[2])),
        ("http.request.method", json!("POST")),
        ("url.path", json!("/api/proxy_request/")),
        ("http.route", json!("/api/proxy_request/")),
        ("http.response.status_code", json!(200)),
    ] {
        assert_eq!(lines[0][name], value, "{name} of {}", lines[0]);
    }
    assert!(!lines[0].to_string().contains("secret-state"));
}

#[test]
fn a_trace_that_is_not_valid_is_ignored_and_one_that_the_caller_wrote_for_the_service_stays() {
    let setup = Setup::new(&["--log-format", "json"]);
    let upstream = Upstream::saying(answer("200 OK", &[], ""));
    let wrong = format!("00-{}-{PARENT}-01", "0".repeat(32));
    let body = json!({"url": upstream.url("/"), "resource": "crm"});
    let call = setup.open(&body).header("x-request-id", "untraced");
    call.header("traceparent", &wrong).expect(200);
    assert_eq!(upstream.only().header("traceparent"), None);
    let line = &lines(&setup.service, "untraced")[0];
    assert!(line.get("trace_id").is_none_or(Value::is_null), "{line}");

    let own = format!("00-{}-{PARENT}-00", "1".repeat(32));
    let body =
        json!({"url": upstream.url("/"), "resource": "crm", "headers": {"traceparent": own}});
    let traced = format!("00-{TRACE}-{PARENT}-01");
    setup.open(&body).header("traceparent", &traced).expect(200);
    assert_eq!(upstream.seen()[1].header("traceparent"), Some(own.as_str()));
}
