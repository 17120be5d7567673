//! The requests that the other service receives.

use serde_json::{Value, json};

use super::{
    SECRET, refused, setup,
    upstream::{Seen, Upstream, answer},
};

/// The request that a server receives for this body, whose URL begins with `/`.
fn sent(mut body: Value) -> Seen {
    let upstream = Upstream::saying(answer("200 OK", &[], ""));
    let url = upstream.url(body["url"].as_str().expect("a path"));
    body["url"] = url.into();
    setup().open(&body).expect(200);
    upstream.only()
}

#[test]
fn a_plain_request_has_few_headers() {
    let upstream = Upstream::saying(answer("200 OK", &[], ""));
    setup()
        .open(&json!({"url": upstream.url("/a b?c=d#e")}))
        .header("x-forwarded-for", "203.0.113.7")
        .header("cookie", "mine=1")
        .expect(200);
    let seen = upstream.only();
    assert_eq!(seen.line, "GET /a%20b?c=d HTTP/1.1");
    let mut names: Vec<&str> = seen.headers.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["accept", "host", "user-agent"]);
    assert_eq!(
        seen.header("host"),
        Some(upstream.address.to_string().as_str())
    );
}

#[test]
fn parameters_and_headers_can_have_three_forms() {
    let array = json!([{"name": "a", "value": "1 &"}, {"name": "a", "value": 2}]);
    let object = json!({"a": ["1 &", 2]});
    for list in [
        array.clone(),
        object.clone(),
        array.to_string().into(),
        object.to_string().into(),
    ] {
        let seen = sent(json!({"url": "/?x=y", "query_params": list}));
        assert_eq!(seen.target(), "/?x=y&a=1+%26&a=2");
        let seen = sent(json!({"url": "/", "headers": list}));
        let values: Vec<_> = seen
            .headers
            .iter()
            .filter(|(name, _)| name == "a")
            .collect();
        assert_eq!(values.len(), 2);
        assert_eq!(values[0].1, "1 &");
    }
}

#[test]
fn every_body_type_has_its_encoding() {
    let post = |body_type: &str, body: Value| {
        sent(json!({"url": "/", "method": "post", "body_type": body_type, "body": body}))
    };
    let seen = post("JSON", json!({"a": [1, 2.50]}));
    assert_eq!(seen.line, "POST / HTTP/1.1");
    assert_eq!(seen.text(), r#"{"a":[1,2.5]}"#);
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(seen.header("content-length"), Some("13"));
    let seen = post("GraphQL", json!({"query": "{ a }", "variables": {"b": 1}}));
    assert_eq!(seen.text(), r#"{"query":"{ a }","variables":{"b":1}}"#);
    let seen = post("FormUrlEncoded", json!({"a b": "c&d", "e": 1}));
    assert_eq!(seen.text(), "a+b=c%26d&e=1");
    assert_eq!(
        seen.header("content-type"),
        Some("application/x-www-form-urlencoded")
    );
    let seen = post("FormData", json!([{"name": "a", "value": "b"}]));
    let media_type = seen.header("content-type").expect("a type");
    let boundary = media_type.strip_prefix("multipart/form-data; boundary=");
    let boundary = boundary.expect("a boundary");
    assert_eq!(
        seen.text(),
        format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--{boundary}--\r\n"
        )
    );
    let seen = post("Raw", json!("plain\r\ntext"));
    assert_eq!(seen.text(), "plain\r\ntext");
    assert_eq!(
        seen.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    let seen = sent(
        json!({"url": "/", "method": "POST", "body": "<a/>", "headers": {"Content-Type": "text/xml"}}),
    );
    assert_eq!(seen.header("content-type"), Some("text/xml"));
    let seen = sent(json!({"url": "/", "method": "POST"}));
    assert_eq!(
        (seen.header("content-length"), seen.header("content-type")),
        (Some("0"), None)
    );
}

#[test]
fn numbers_of_a_json_body_keep_their_digits() {
    let upstream = Upstream::saying(answer("200 OK", &[], ""));
    let body = format!(
        r#"{{"url":"{}","method":"POST","body":{{"n":9007199254740993.10}}}}"#,
        upstream.url("/")
    );
    setup()
        .service
        .app_anonymous("POST", "/proxy_request/")
        .authorization(&setup().open)
        .body(body)
        .expect(200);
    assert_eq!(upstream.only().text(), r#"{"n":9007199254740993.10}"#);
}

#[test]
fn names_are_replaced_by_secrets_and_values_of_the_context() {
    let seen = sent(json!({
        "url": "/people/{{id}}?key={-token-}",
        "resource": "crm",
        "method": "POST",
        "query_params": {"q": "{{name}}"},
        "headers": {"Authorization": "Bearer {-token-}"},
        "body_type": "JSON",
        "body": {"name": "{{name}}", "key": "{-token-}"},
        "secret_tokens": "token",
        "context": {"id": "7/../8", "name": "A \"B\" {-elsewhere-}"},
        "draft": 1,
    }));
    let target = format!("/people/7%2F..%2F8?key={SECRET}&q=A+%22B%22+%7B-elsewhere-%7D");
    assert_eq!(seen.target(), target);
    let bearer = format!("Bearer {SECRET}");
    assert_eq!(seen.header("authorization"), Some(bearer.as_str()));
    let body: Value = serde_json::from_str(&seen.text()).expect("JSON");
    assert_eq!(
        body,
        json!({"name": "A \"B\" {-elsewhere-}", "key": SECRET})
    );
}

#[test]
fn unknown_names_are_refused_everywhere() {
    let base = "http://127.0.0.1:1/";
    for (body, field) in [
        (json!({"url": format!("{base}{{-none-}}")}), "url"),
        (json!({"url": format!("{base}{{{{none}}}}")}), "url"),
        (
            json!({"url": base, "query_params": {"a": "{{none}}"}}),
            "query_params",
        ),
        (
            json!({"url": base, "headers": {"a": "{-none-}"}}),
            "headers",
        ),
        (
            json!({"url": base, "method": "POST", "body": "{{none}}"}),
            "body",
        ),
        (
            json!({"url": base, "method": "POST", "body": {"a": "{-none-}"}}),
            "body",
        ),
        (
            json!({"url": base, "secret_tokens": "none"}),
            "secret_tokens",
        ),
    ] {
        for resource in ["crm", "hidden"] {
            let mut body = body.clone();
            body["resource"] = resource.into();
            let message = refused(setup().open(&body), field);
            assert!(message.contains("none"), "{message}");
        }
    }
    // Without a resource there are no secrets.
    let body = json!({"url": base, "headers": {"a": "{-token-}"}});
    refused(setup().open(&body), "headers");
    // Secrets that the call does not name are not available if it names others.
    let body = json!({"url": base, "resource": "crm", "headers": {"a": "{-token-}"}, "secret_tokens": "elsewhere"});
    refused(setup().open(&body), "headers");
}

#[test]
fn invalid_and_unknown_fields_are_named() {
    let url = "http://127.0.0.1:1/";
    for (body, field) in [
        (json!({"url": url, "metod": "GET"}), "metod"),
        (json!({"url": url, "timeout": 1}), "timeout"),
        (json!({"url": url, "method": "CONNECT"}), "method"),
        (json!({"url": url, "method": "TRACE"}), "method"),
        (json!({"url": url, "method": "G ET"}), "method"),
        (json!({"url": url, "headers": 7}), "headers"),
        (
            json!({"url": url, "headers": [{"name": "a"}, {"value": "b"}]}),
            "headers",
        ),
        (json!({"url": url, "query_params": "a=b"}), "query_params"),
        (
            json!({"url": url, "body_type": "XML", "body": "a"}),
            "body_type",
        ),
        (
            json!({"url": url, "body_type": "JSON", "body": "{"}),
            "body",
        ),
        (json!({"url": url, "body_type": "Raw", "body": {}}), "body"),
        (json!({"url": url, "context": []}), "context"),
        (json!({"url": url, "draft": "yes"}), "draft"),
        (json!({"url": 7}), "url"),
        (json!({}), "url"),
        (json!({"url": url, "project": 7}), "project"),
    ] {
        refused(setup().open(&body), field);
    }
    for body in ["", "[]", "{", "7"] {
        let call = setup().service.app_anonymous("POST", "/proxy_request/");
        call.authorization(&setup().open).body(body).expect(400);
    }
}

#[test]
fn line_breaks_cannot_be_injected_into_headers() {
    let upstream = Upstream::saying(answer("200 OK", &[], ""));
    let url = upstream.url("/");
    for headers in [
        json!({"X-A": "x\r\nX-Evil: 1"}),
        json!({"X-A": "x\nX-Evil: 1"}),
        json!({"X-A": "x\rX-Evil: 1"}),
        json!({"X-A": "{{evil}}"}),
        json!({"X-A\r\nX-Evil": "1"}),
        json!({"X-A: 1\r\nX-Evil": "1"}),
        json!({"": "1"}),
        json!({"X A": "1"}),
        json!({"X-A": "x\u{0}"}),
        json!({"Host": "evil.example"}),
        json!({"host": "evil.example"}),
        json!({"Content-Length": "0"}),
        json!({"Transfer-Encoding": "chunked"}),
        json!({"Connection": "X-A"}),
        json!({"Upgrade": "h2c"}),
        json!({"Expect": "100-continue"}),
        json!({"TE": "trailers"}),
    ] {
        let body = json!({"url": url, "headers": headers, "context": {"evil": "x\r\nX-Evil: 1"}});
        refused(setup().open(&body), "headers");
    }
    assert!(upstream.seen().is_empty());
    // In a URL they are escaped.
    let body = json!({"url": format!("{url}{{{{evil}}}}?a={{{{evil}}}}"), "context": {"evil": "x\r\nX-Evil: 1"}});
    setup().open(&body).expect(200);
    let seen = upstream.only();
    assert_eq!(seen.header("x-evil"), None);
    assert_eq!(seen.target(), "/x%0D%0AX-Evil:%201?a=x%0D%0AX-Evil:%201");
}

#[test]
fn a_small_request_cannot_be_expanded_to_a_large_one() {
    let long = "x".repeat(1_000_000);
    let body = json!({
        "url": "http://127.0.0.1:1/",
        "method": "POST",
        "body": "{{x}}".repeat(1_000),
        "context": {"x": long},
    });
    let answer = setup().open(&body).expect(413);
    assert_eq!(answer.json()["error_code"], "payload_too_large");
}
