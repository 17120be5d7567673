//! Redirects: their number, the method, and what is not sent with them.

use serde_json::json;

use super::{
    SECRET, failed, get, setup,
    upstream::{Upstream, answer, write},
};

/// A server that redirects with this status, and the target server.
fn chain(status: &'static str) -> (Upstream, Upstream) {
    let last = Upstream::saying(answer("200 OK", &[], "last"));
    let header = format!("Location: {}", last.url("/last?x=1#y"));
    let first = Upstream::saying(answer(status, &[&header], "moved"));
    (first, last)
}

#[test]
fn five_redirects_are_followed_and_a_sixth_is_not() {
    let upstream = Upstream::new(|seen, stream| {
        let left: u32 = seen
            .target()
            .trim_start_matches('/')
            .parse()
            .expect("a number");
        let text = match left {
            0 => answer("200 OK", &[], "there"),
            _ => answer(
                "307 Temporary Redirect",
                &[&format!("Location: /{}", left - 1)],
                "",
            ),
        };
        write(stream, text.as_bytes());
    });
    assert_eq!(
        setup().open(&get(&upstream.url("/5"))).expect(200).body,
        "there"
    );
    let detail = failed(setup().open(&get(&upstream.url("/6"))), 502);
    assert!(detail.contains("more than 5"), "{detail}");
    let loops = Upstream::saying(answer("302 Found", &["Location: /"], ""));
    failed(setup().open(&get(&loops.url("/"))), 502);
    assert_eq!(loops.seen().len(), 6);
}

#[test]
fn a_silently_closed_connection_is_not_an_error_for_the_caller() {
    // The server closes the connection without announcing it.
    let upstream = Upstream::new(|seen, stream| {
        let head = match seen.target() {
            "/there" => "200 OK",
            _ => "302 Found\r\nLocation: /there",
        };
        let text = format!("HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n");
        write(stream, text.as_bytes());
    });
    for _ in 0..20 {
        for method in ["GET", "PUT", "POST"] {
            let mut body = get(&upstream.url("/"));
            body["method"] = method.into();
            // The POST becomes a GET; the first request may use a connection that was closed before.
            let status = setup().open(&body).send().status;
            assert!(
                status == 200 || (method == "POST" && status == 502),
                "{method}: {status}"
            );
        }
    }
}

#[test]
fn the_method_becomes_get_without_a_body_as_the_status_requires() {
    for (status, method, becomes) in [
        ("301 Moved Permanently", "POST", "GET"),
        ("302 Found", "POST", "GET"),
        ("303 See Other", "POST", "GET"),
        ("303 See Other", "PUT", "GET"),
        ("303 See Other", "HEAD", "HEAD"),
        ("301 Moved Permanently", "PUT", "PUT"),
        ("302 Found", "DELETE", "DELETE"),
        ("307 Temporary Redirect", "POST", "POST"),
        ("308 Permanent Redirect", "PATCH", "PATCH"),
    ] {
        let (first, last) = chain(status);
        let body =
            json!({"url": first.url("/"), "method": method, "body_type": "JSON", "body": {"a": 1}});
        setup().open(&body).expect(200);
        let seen = last.only();
        assert_eq!(
            seen.line,
            format!("{becomes} /last?x=1 HTTP/1.1"),
            "{status} {method}"
        );
        let keeps = becomes == method;
        assert_eq!(
            seen.text(),
            if keeps { r#"{"a":1}"# } else { "" },
            "{status} {method}"
        );
        assert_eq!(seen.header("content-type").is_some(), keeps);
    }
}

#[test]
fn a_redirect_without_a_usable_location_is_passed_on() {
    for (status, headers) in [
        ("302 Found", &[][..]),
        ("300 Multiple Choices", &["Location: /x"]),
        ("304 Not Modified", &["Location: /x"]),
        ("201 Created", &["Location: /x"]),
    ] {
        let upstream = Upstream::saying(answer(status, headers, ""));
        let sent = setup().open(&get(&upstream.url("/"))).send();
        assert_eq!(sent.status.as_u16().to_string(), status[..3]);
        assert_eq!(upstream.seen().len(), 1);
    }
}

#[test]
fn credentials_and_secrets_are_not_sent_to_another_origin() {
    let (first, last) = chain("307 Temporary Redirect");
    let body = json!({
        "url": first.url("/?key={-token-}"),
        "resource": "crm",
        "headers": {
            "Authorization": "Bearer mine",
            "Cookie": "a=mine",
            "X-Key": "{-token-}",
            "X-Plain": "plain",
        },
    });
    setup().open(&body).expect(200);
    let seen = first.only();
    assert_eq!(seen.header("authorization"), Some("Bearer mine"));
    assert_eq!(seen.header("x-key"), Some(SECRET));
    let seen = last.only();
    for name in ["authorization", "cookie", "x-key", "referer"] {
        assert_eq!(seen.header(name), None, "{name}");
    }
    assert_eq!(seen.header("x-plain"), Some("plain"));
    assert!(!format!("{seen:?}").contains(SECRET));
}

#[test]
fn credentials_and_secrets_are_sent_again_to_the_same_origin() {
    let upstream = Upstream::new(|seen, stream| {
        let text = match seen.target() {
            "/last" => answer("200 OK", &[], "last"),
            _ => answer("308 Permanent Redirect", &["Location: /last"], ""),
        };
        write(stream, text.as_bytes());
    });
    let body = json!({
        "url": upstream.url("/"),
        "method": "POST",
        "resource": "crm",
        "headers": {"Authorization": "Bearer {-token-}"},
        "body": "{-token-}",
    });
    assert_eq!(setup().open(&body).expect(200).body, "last");
    let bearer = format!("Bearer {SECRET}");
    for seen in upstream.seen() {
        assert_eq!(seen.header("authorization"), Some(bearer.as_str()));
        assert_eq!(seen.text(), SECRET);
    }
}

#[test]
fn a_secret_in_a_body_or_a_location_is_not_sent_to_another_origin() {
    let (first, last) = chain("307 Temporary Redirect");
    let body =
        json!({"url": first.url("/"), "method": "POST", "resource": "crm", "body": "{-token-}"});
    let detail = failed(setup().open(&body), 502);
    assert!(detail.contains("another origin"), "{detail}");
    // A service that passes the secret on: /?key=... -> https://elsewhere/?key=...
    let location = last.url("/");
    let echo = Upstream::new(move |seen, stream| {
        let query = seen.target().trim_start_matches('/').to_owned();
        let header = format!("Location: {location}{query}");
        write(stream, answer("302 Found", &[&header], "").as_bytes());
    });
    let body = json!({"url": echo.url("/?key={-token-}"), "resource": "crm"});
    let answer = setup().open(&body).expect(502);
    assert!(!answer.body.contains(SECRET), "{}", answer.body);
    assert!(last.seen().is_empty());
}
