//! Responses to bad input (wire contract, section 2).

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value, json};

use crate::shared::demo;

#[test]
fn bodies_that_are_not_json_objects_are_refused() {
    for (body, expected) in [
        (&b"{"[..], "EOF"),
        (b"", "empty"),
        (b"[1]", "JSON object"),
        (b"\"x\"", "JSON object"),
        (b"null", "JSON object"),
        (b"{\"name\":\"\xff\"}", "not UTF-8"),
        (b"{\"name\":1}{}", "trailing"),
    ] {
        for call in [
            demo().data("POST", "shop", "/models/products"),
            demo().data("PATCH", "shop", "/models/products/1"),
            demo().app("POST", "/projects/demo/prod/view_settings/"),
        ] {
            let answer = call
                .header("content-type", "application/json")
                .body(body.to_vec())
                .expect(400)
                .json();
            let message = answer["non_field_errors"][0]
                .as_str()
                .unwrap_or_else(|| panic!("{answer}"));
            assert!(message.contains(expected), "{message}");
        }
    }
}

#[test]
fn very_many_properties_are_refused_and_at_most_a_hundred_mistakes_reported() {
    let unknown = |count: usize| {
        let fields = (0..count).map(|number| (format!("f{number}"), Value::from(1)));
        Value::Object(fields.collect())
    };
    for (method, path) in [
        ("POST", "/models/products"),
        ("PATCH", "/models/products/1"),
        ("PUT", "/models/products/1"),
        ("POST", "/sql_get_query"),
    ] {
        let call = |count: usize| demo().data(method, "shop", path).json(&unknown(count));
        let errors = call(100_000).expect(400).json();
        let message = errors["non_field_errors"][0].as_str().unwrap();
        assert!(message.contains("at most 10000 properties"), "{message}");
        let errors = call(9_000).expect(400).json();
        // A hundred fields, how many more there are, and the codes of the errors.
        assert!(errors.as_object().unwrap().len() <= 102, "{path}");
    }
    let records = Value::Array(vec![unknown(0); 10_001]);
    let call = demo().data("POST", "shop", "/models/products/bulk_create");
    let errors = call.json(&records).expect(400).json();
    let message = errors["non_field_errors"][0].as_str().unwrap();
    assert!(message.contains("at most 10000 records"), "{message}");
}

#[test]
fn very_many_parameters_are_refused_with_a_short_response() {
    let many = |part: &str| {
        let parts: Vec<_> = (0..3_000)
            .map(|number| part.replace('#', &number.to_string()))
            .collect();
        parts.join("&")
    };
    for query in [
        many("_x#"),
        many("f#=1"),
        many("id__gt#=1"),
        many("exclude__f#=1"),
    ] {
        for path in [
            "/models/products",
            "/models/products/1",
            "/models/products/1/get_siblings",
        ] {
            let answer = demo()
                .data("GET", "shop", &format!("{path}?{query}"))
                .expect(400);
            assert!(answer.body.len() < 64 * 1024, "{}", answer.body.len());
        }
    }
    let same = |count: usize| vec!["id"; count].join(",");
    let (fields, order) = (same(5_000), same(100));
    let path = format!("/models/products?_fields={fields}&_order_by={order}&_per_page=1");
    demo().data("GET", "shop", &path).expect(200);
    let expressions = (0..11).map(|_| r#"{"field":"name","lookup":"regex","value":"a"}"#);
    let expressions: Vec<_> = expressions.collect();
    for (name, value, message) in [
        ("_order_by", same(101), "at most 100 columns"),
        ("_search", "x".repeat(1_001), "at most 1000 characters"),
        (
            "_filter",
            format!(r#"{{"or":[{}]}}"#, expressions.join(",")),
            "at most 10 regular expressions",
        ),
    ] {
        let call = demo().data("GET", "shop", "/models/products");
        let answer = call.query(&[(name, &value)]).expect(400);
        assert!(answer.body.contains(message), "{}", answer.body);
    }
}

#[test]
fn deeply_nested_json_is_harmless() {
    let deep = format!(
        "{{\"name\":{}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    for call in [
        demo().data("POST", "shop", "/models/products"),
        demo().app("POST", "/projects/demo/prod/view_settings/"),
    ] {
        let status = call.body(deep.clone()).send().status.as_u16();
        assert_eq!(status, 400);
    }
}

#[test]
fn a_body_over_the_limit_and_one_of_another_type_are_refused() {
    let large = vec![b' '; 17 * 1024 * 1024];
    let answer = demo()
        .data("POST", "shop", "/models/products")
        .body(large)
        .try_send();
    // The service may close the connection before everything was sent; if there is a response, it is this one.
    if let Ok(answer) = answer {
        assert_eq!(answer.status, 413, "{}", answer.body);
        assert_eq!(answer.json()["error_code"], "payload_too_large");
    }
    let typed = demo()
        .data("POST", "shop", "/models/products")
        .header("content-type", "text/plain");
    assert_eq!(
        typed.body("{}").expect(415).json()["error_code"],
        "unsupported_media_type"
    );
}

#[test]
fn unknown_paths_and_methods_get_different_responses() {
    assert_eq!(
        demo().root("GET", "/nothing").expect(404).json()["error_code"],
        "not_found"
    );
    assert_eq!(
        demo().root("GET", "/api/nothing/").expect(404).json()["error_code"],
        "not_found"
    );
    let answer = demo().data("PUT", "shop", "/models/orders").expect(405);
    assert_eq!(answer.json()["error_code"], "method_not_allowed");
    for method in ["GET", "POST"] {
        assert!(
            answer.header("allow").contains(method),
            "{}",
            answer.header("allow")
        );
    }
    let answer = demo()
        .app("PUT", "/projects/demo/prod/view_settings/x/")
        .expect(405);
    for method in ["GET", "PATCH", "DELETE"] {
        assert!(
            answer.header("allow").contains(method),
            "{}",
            answer.header("allow")
        );
    }
    let options = demo().root("OPTIONS", "/api/projects/").expect(204);
    assert!(
        options.header("allow").contains("GET"),
        "{:?}",
        options.headers
    );
    demo().root("OPTIONS", "/nothing").expect(404);
}

#[test]
fn missing_things_within_the_scope_of_the_credential_are_not_found() {
    for path in [
        "/models/none",
        "/models/none/1",
        "/models/orders/999999999",
        "/models/orders/abc%20def",
        "/models/sqlite_master",
    ] {
        let answer = demo().data("GET", "shop", path).send();
        let status = answer.status.as_u16();
        assert!(
            status == 404 || (path.contains("abc") && status == 400),
            "{path}: {status} {}",
            answer.body
        );
    }
}

#[test]
fn a_query_string_is_parsed_strictly() {
    for (query, key) in [
        ("statsu=paid", "statsu"),
        ("status__like=paid", "status__like"),
        ("customer_id=abc", "customer_id"),
        ("created_at__gt=yesterday", "created_at"),
        ("total__gt=1.2.3", "total"),
        ("id__in=", "id"),
        ("id__in=1,x", "id"),
        ("note__isnull=perhaps", "note"),
        ("id=", "id"),
        ("page=0", "page"),
        ("_per_page=none", "_per_page"),
        ("_order_by=nothing", "_order_by"),
        ("_fields=nothing", "_fields"),
        ("_filter=%7B", "_filter"),
        ("_after=broken", "_after"),
        ("_count=much", "_count"),
        ("tz=Mars/Base", "tz"),
        ("_relation=customer_id.nothing.id%7Ccountry.DE", "_relation"),
        ("_unknown=1", "non_field_errors"),
        ("status=%FF", "non_field_errors"),
    ] {
        let answer = demo()
            .data("GET", "shop", &format!("/models/orders?{query}"))
            .expect(400)
            .json();
        assert!(answer[key][0].is_string(), "{query}: {answer}");
    }
}

#[test]
fn very_many_values_filters_and_levels_stay_within_bounds() {
    let ids: Vec<_> = (1..=10_000).map(|id| id.to_string()).collect();
    let many = demo().data(
        "GET",
        "shop",
        &format!("/models/orders?id__in={}&_per_page=1", ids.join(",")),
    );
    assert_eq!(many.ok()["count"], 10_000);
    let filters: Vec<_> = (0..1000)
        .map(|number| format!("id__ne={number}&x{number}=1"))
        .collect();
    demo()
        .data(
            "GET",
            "shop",
            &format!("/models/orders?{}", filters.join("&")),
        )
        .expect(400);
    let nested = format!(
        "{}{{\"field\":\"id\",\"value\":1}}{}",
        "{\"not\":".repeat(200),
        "}".repeat(200)
    );
    demo()
        .data("GET", "shop", "/models/orders")
        .query(&[("_filter", &nested)])
        .expect(400);
    let page = demo()
        .data(
            "GET",
            "shop",
            "/models/orders?_per_page=1000000000000000000&_fields=id",
        )
        .ok();
    assert_eq!(page["results"].as_array().unwrap().len(), 10_000);
    let page = demo()
        .data("GET", "shop", "/models/orders?page=18446744073709551615")
        .ok();
    assert_eq!(page["results"], json!([]));
}

/// The response to these unchanged bytes.
fn answer_to(bytes: &[u8]) -> String {
    let address = demo().text("/base_url").trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    // The service may answer and close the connection before everything was sent.
    let _ = stream.write_all(bytes);
    let mut answer = [0; 64];
    let read = stream.read(&mut answer).unwrap_or(0);
    String::from_utf8_lossy(&answer[..read]).into_owned()
}

#[test]
fn a_request_head_over_the_limits_has_its_own_status() {
    let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(70_000));
    let large = format!(
        "GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n",
        "x".repeat(70_000)
    );
    let many = format!(
        "GET / HTTP/1.1\r\nHost: a\r\n{}\r\n",
        "X: 1\r\n".repeat(120)
    );
    for head in [long, large, many] {
        let answer = answer_to(head.as_bytes());
        assert!(
            answer.starts_with("HTTP/1.1 431") || answer.starts_with("HTTP/1.1 414"),
            "{answer:?}"
        );
    }
}

#[test]
fn a_request_must_name_its_host_once() {
    for head in ["", "Host: a\r\nHost: b\r\n"] {
        let answer = answer_to(format!("GET /healthz HTTP/1.1\r\n{head}\r\n").as_bytes());
        assert!(answer.starts_with("HTTP/1.1 400"), "{head:?}: {answer:?}");
    }
}

/// Texts with a meaning in SQL, in a path, or on a terminal.
const HOSTILE: &[&str] = &[
    "'",
    "\"",
    "`",
    ";",
    "--",
    "/*",
    "\\",
    "%",
    "_",
    "\u{0}",
    "\u{2019}",
    "' OR '1'='1",
    "1; DROP TABLE orders",
    "\"; DROP TABLE orders; --",
    "') OR 1=1 --",
    "x' UNION SELECT * FROM customers --",
    "${7*7}",
    "../../etc/passwd",
    "\r\nX-Evil: 1",
    "\u{202e}",
    "NULL",
    "orders\" --",
];

#[test]
fn hostile_text_in_any_position_changes_nothing_and_leaks_nothing() {
    let count = || {
        demo()
            .data("GET", "shop", "/models/customers?_per_page=1")
            .ok()["count"]
            .clone()
    };
    let before = count();
    let long = "x'\"".repeat(3_000);
    for text in HOSTILE.iter().copied().chain([long.as_str()]) {
        for key in [
            "name",
            "name__icontains",
            "name__in",
            "exclude__name",
            "_search",
            "_order_by",
            "_fields",
            "_relation",
            "_after",
            "_filter",
            "tz",
            "id",
            "page",
            text,
        ] {
            let answer = demo()
                .data("GET", "shop", "/models/customers")
                .query(&[(key, text), ("_count", "none")])
                .send();
            assert!(
                matches!(answer.status.as_u16(), 200 | 400),
                "{key}={text}: {} {}",
                answer.status,
                answer.body
            );
            if answer.status == 200 && matches!(key, "name" | "name__in" | "id") {
                let page = answer.json();
                assert_eq!(page["results"], json!([]), "{key}={text}");
            }
            no_leak(&answer.body, text);
        }
        let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        for path in [
            format!("/models/{encoded}"),
            format!("/models/{encoded}/1"),
            format!("/models/customers/{encoded}"),
        ] {
            let answer = demo().data("GET", "shop", &path).send();
            assert!(
                matches!(answer.status.as_u16(), 400 | 404),
                "{path}: {} {}",
                answer.status,
                answer.body
            );
            no_leak(&answer.body, text);
        }
        let body = json!({text: text, "name": text});
        let answer = demo()
            .data("POST", "shop", "/models/customers")
            .json(&body)
            .send();
        assert_eq!(answer.status.as_u16(), 400, "{text}: {}", answer.body);
        no_leak(&answer.body, text);
    }
    assert_eq!(count(), before);
}

/// Checks that a response contains no SQL, path, or trace except the client's own text.
fn no_leak(body: &str, sent: &str) {
    for telltale in [
        "SELECT ",
        "INSERT ",
        "no such table",
        "no such column",
        "sqlite",
        ".db",
        "panicked",
        ".rs:",
        "/tmp/",
        "near \"",
    ] {
        let own = sent.contains(telltale);
        assert!(own || !body.contains(telltale), "{telltale:?} in {body}");
    }
}

#[test]
fn bytes_that_are_not_http_are_harmless() {
    let address = demo()
        .text("/base_url")
        .trim_start_matches("http://")
        .to_owned();
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        stream.write_all(bytes).unwrap();
        // The service may have closed the connection by now.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer);
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 4"),
            "{answer}"
        );
    }
    let healthy: Value = demo().root("GET", "/healthz").ok();
    assert_eq!(healthy["status"], "ok");
}

#[test]
fn every_response_has_the_id_of_its_request() {
    let echoed = demo()
        .root("GET", "/nothing")
        .header("x-request-id", "my-id.1")
        .expect(404);
    assert_eq!(echoed.header("x-request-id"), "my-id.1");
    let made = demo().root("GET", "/healthz").expect(200);
    assert_eq!(made.header("x-request-id").len(), 36);
    let unfit = demo()
        .root("GET", "/healthz")
        .header("x-request-id", &"x".repeat(500))
        .expect(200);
    assert_eq!(unfit.header("x-request-id").len(), 36);
}
