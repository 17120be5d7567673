//! Redirects: how many, with which method, and what does not come along.

use serde_json::json;

use super::{
    SECRET, failed, get, place,
    upstream::{Upstream, answer, write},
};

/// A server that redirects with this status to a URL, and one behind it that answers.
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
        place().open(&get(&upstream.url("/5"))).expect(200).body,
        "there"
    );
    let detail = failed(place().open(&get(&upstream.url("/6"))), 502);
    assert!(detail.contains("more than 5"), "{detail}");
    let loops = Upstream::saying(answer("302 Found", &["Location: /"], ""));
    failed(place().open(&get(&loops.url("/"))), 502);
    assert_eq!(loops.seen().len(), 6);
}

#[test]
fn a_connection_that_is_closed_without_a_word_is_not_the_callers_trouble() {
    // It neither says that it closes the connection nor keeps it.
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
            // A POST becomes a GET on the way; the first one of them finds a connection of before, if it is unlucky.
            let status = place().open(&body).send().status;
            assert!(
                status == 200 || (method == "POST" && status == 502),
                "{method}: {status}"
            );
        }
    }
}

#[test]
fn the_method_becomes_get_where_it_does_and_the_body_goes_with_it() {
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
        place().open(&body).expect(200);
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
fn what_leads_nowhere_is_passed_on() {
    for (status, headers) in [
        ("302 Found", &[][..]),
        ("300 Multiple Choices", &["Location: /x"]),
        ("304 Not Modified", &["Location: /x"]),
        ("201 Created", &["Location: /x"]),
    ] {
        let upstream = Upstream::saying(answer(status, headers, ""));
        let sent = place().open(&get(&upstream.url("/"))).send();
        assert_eq!(sent.status.as_u16().to_string(), status[..3]);
        assert_eq!(upstream.seen().len(), 1);
    }
}

#[test]
fn credentials_and_secrets_stay_with_the_origin_that_they_were_sent_to() {
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
    place().open(&body).expect(200);
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
fn on_the_same_origin_they_come_along() {
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
    assert_eq!(place().open(&body).expect(200).body, "last");
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
    let detail = failed(place().open(&body), 502);
    assert!(detail.contains("another origin"), "{detail}");
    // A service that says the secret on: /?key=... -> https://elsewhere/?key=...
    let location = last.url("/");
    let echo = Upstream::new(move |seen, stream| {
        let query = seen.target().trim_start_matches('/').to_owned();
        let header = format!("Location: {location}{query}");
        write(stream, answer("302 Found", &[&header], "").as_bytes());
    });
    let body = json!({"url": echo.url("/?key={-token-}"), "resource": "crm"});
    let answer = place().open(&body).expect(502);
    assert!(!answer.body.contains(SECRET), "{}", answer.body);
    assert!(last.seen().is_empty());
}
