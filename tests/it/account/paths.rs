//! Paths, methods, parameters and headers of the account calls.

use serde_json::json;

use crate::people::{PASSWORD, home, named};

/// Every account call: its name, its method, and whether it requires a session.
pub const CALLS: [(&str, &str, bool); 11] = [
    ("login", "POST", false),
    ("refresh", "POST", false),
    ("user", "GET", true),
    ("logout", "POST", true),
    ("register", "POST", false),
    ("change_password", "POST", true),
    ("reset_password", "POST", false),
    ("reset_password_complete", "POST", false),
    ("accept_invitation", "POST", false),
    ("change_email", "POST", true),
    ("change_email_complete", "POST", false),
];

#[test]
fn every_call_works_with_and_without_a_trailing_slash() {
    for (name, method, requires_session) in CALLS {
        for slash in ["", "/"] {
            let call = home().call(method, &format!("auth/{name}{slash}"));
            let status = if requires_session { 401 } else { 400 };
            call.json(&json!({})).expect(status);
        }
    }
    home().add("slash@example.com", "Editor");
    let body = json!({"email": "slash@example.com", "password": PASSWORD});
    home().auth("login/", &body).expect(200);
}

/// The calls whose path is also the page of a link in a mail.
const PAGES: [&str; 3] = [
    "accept_invitation",
    "reset_password_complete",
    "change_email_complete",
];

#[test]
fn a_wrong_method_is_refused_and_the_allowed_one_named() {
    for (name, method, _) in CALLS {
        for other in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let is_page = PAGES.contains(&name) && other == "GET";
            if other == method || is_page {
                continue;
            }
            let answer = home().call(other, &format!("auth/{name}")).expect(405);
            assert_eq!(answer.json()["error_code"], "method_not_allowed");
            let allowed: Vec<&str> = answer.header("allow").split(',').map(str::trim).collect();
            let expected = match (method, PAGES.contains(&name)) {
                ("GET", _) => &["GET", "HEAD"][..],
                (_, true) => &["POST", "GET", "HEAD"],
                _ => &["POST"],
            };
            assert_eq!(allowed, expected, "{other} {name}");
        }
        let options = home().call("OPTIONS", &format!("auth/{name}")).expect(204);
        assert!(options.header("allow").contains(method), "{name}");
        assert_eq!(options.body, "");
    }
    home().call("GET", "auth/none").expect(404);
    home().call("POST", "auth").expect(404);
}

#[test]
fn the_only_parameter_is_draft() {
    let session = home().member("draft@example.com", "Editor");
    let login = json!({"email": "draft@example.com", "password": PASSWORD});
    let user = |query: &str| {
        let call = home().call("GET", &format!("auth/user{query}"));
        call.authorization(&session.header())
    };
    for draft in ["?draft=0", "?draft=1"] {
        user(draft).expect(200);
        home().auth(&format!("login{draft}"), &login).expect(200);
        let body = json!({"refresh_token": session.refresh});
        home().auth(&format!("refresh{draft}"), &body).expect(200);
    }
    for draft in ["?draft=2", "?draft=true", "?draft="] {
        assert_eq!(named(&user(draft).expect(400)), ["draft"]);
        let answer = home().auth(&format!("login{draft}"), &login).expect(400);
        assert_eq!(named(&answer), ["draft"]);
    }
    for (name, method, requires_session) in CALLS {
        let mut call = home()
            .call(method, &format!("auth/{name}?page=1"))
            .json(&json!({}));
        if requires_session {
            call = call.authorization(&session.header());
        }
        assert_eq!(named(&call.expect(400)), ["non_field_errors"], "{name}");
    }
    // A refused logout has not ended the session.
    user("").expect(200);
}

#[test]
fn a_password_in_the_query_is_not_accepted_and_not_repeated() {
    let call = home().auth(
        "login?email=a@example.com&password=hunter2hunter2",
        &json!({}),
    );
    let answer = call.expect(400);
    assert!(!answer.body.contains("hunter2"), "{}", answer.body);
}

#[test]
fn web_pages_of_other_origins_may_not_call() {
    home().add("cors@example.com", "Editor");
    let body = json!({"email": "cors@example.com", "password": PASSWORD});
    let answer = home()
        .auth("login", &body)
        .header("origin", "https://evil.example")
        .expect(200);
    let preflight = home()
        .call("OPTIONS", "auth/login")
        .header("origin", "https://evil.example")
        .header("access-control-request-method", "POST")
        .expect(204);
    for answer in [answer, preflight] {
        let cors = answer
            .headers
            .keys()
            .find(|name| name.as_str().starts_with("access-control"));
        assert_eq!(cors, None);
        assert_eq!(answer.header("set-cookie"), "");
    }
}

#[test]
fn the_files_of_the_pages_of_links_are_beside_the_calls() {
    for (file, media_type) in [
        ("account.js", "text/javascript"),
        ("account.css", "text/css"),
    ] {
        let answer = home().call("GET", &format!("auth/{file}")).expect(200);
        assert!(answer.header("content-type").starts_with(media_type));
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("cache-control"), "no-cache");
    }
}
