//! The throttle of account calls.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use svc_tests::{Answer, Call};

use crate::people::{Home, PASSWORD};

fn wrong(email: &str) -> Value {
    json!({"email": email, "password": "wrong horse"})
}

#[track_caller]
fn is_throttled(answer: &Answer) {
    assert_eq!(answer.status, 429, "{}", answer.body);
    let wait: u64 = answer.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(answer.json()["error_code"], "throttled");
    assert!(answer.json()["detail"].is_string());
}

/// Uses up the tries of an account.
fn exhaust(home: &Home, email: &str, tries: usize) {
    for _ in 0..tries {
        home.auth("login", &wrong(email)).expect(401);
    }
    is_throttled(&home.auth("login", &wrong(email)).send());
}

#[test]
fn the_eleventh_login_of_a_minute_is_throttled() {
    let home = Home::with(&["--tries-per-address=100000"]);
    // Another try is allowed every six seconds: on a slow machine the eleventh try may be allowed.
    let fast_enough = (0..10).any(|number| {
        let email = format!("user{number}@example.com");
        let begun = Instant::now();
        for _ in 0..10 {
            home.auth("login", &wrong(&email)).expect(401);
        }
        let eleventh = home.auth("login", &wrong(&email)).send();
        let in_time = begun.elapsed() < Duration::from_secs(6);
        if in_time {
            is_throttled(&eleventh);
        }
        in_time
    });
    assert!(fast_enough);
}

#[test]
fn nobody_can_lock_a_user_out_from_another_address() {
    let home = Home::with(&[
        "--tries-per-account=2",
        "--tries-per-address=100000",
        "--trusted-proxies=127.0.0.1",
    ]);
    home.add("ann@example.com", "Editor");
    let from = |address: &str, body: &Value| {
        let call = home.auth("login", body).header("x-forwarded-for", address);
        call.send()
    };
    let right = json!({"email": "ann@example.com", "password": PASSWORD});
    assert_eq!(from("198.51.100.1", &right).status, 200);
    let guess = wrong("ann@example.com");
    for _ in 0..2 {
        assert_eq!(from("203.0.113.1", &guess).status, 401);
    }
    is_throttled(&from("203.0.113.1", &guess));
    assert_eq!(from("198.51.100.2", &right).status, 200);
    // Guesses from many addresses together are limited too, except from the address that Ann has signed in from.
    let refused = (0..60).filter(|host| from(&format!("203.0.114.{host}"), &guess).status == 429);
    assert!(refused.count() > 20);
    assert_eq!(from("198.51.100.1", &right).status, 200);
}

#[test]
fn an_address_is_one_caller_even_if_the_proxy_adds_its_port() {
    let home = Home::with(&[
        "--tries-per-address=3",
        "--tries-per-account=100000",
        "--trusted-proxies=127.0.0.1",
    ]);
    let from = |forwarded: &str| {
        let call = home.auth("login", &wrong("ann@example.com"));
        call.header("x-forwarded-for", forwarded).send()
    };
    for port in 1000..1003 {
        assert_eq!(from(&format!("203.0.113.1:{port}")).status, 401);
    }
    is_throttled(&from("203.0.113.1:1003"));
    assert_eq!(from("203.0.113.2:1000").status, 401);
    assert_eq!(from("[2001:db8::1]:1000").status, 401);
}

#[test]
fn other_accounts_are_not_affected_and_unknown_accounts_are_throttled_alike() {
    let home = Home::with(&["--tries-per-account=2"]);
    home.add("ann@example.com", "Editor");
    home.add("bob@example.com", "Editor");
    exhaust(&home, "ann@example.com", 2);
    // Not even with the right password.
    let right = json!({"email": "ann@example.com", "password": PASSWORD});
    is_throttled(&home.auth("login", &right).send());
    exhaust(&home, "nobody@example.com", 2);
    home.login("bob@example.com", PASSWORD);
}

#[test]
fn all_spellings_of_an_account_share_one_limit() {
    let home = Home::with(&["--tries-per-address=100000", "--tries-per-account=2"]);
    home.add("ann@example.com", "Editor");
    exhaust(&home, "ann@example.com", 2);
    for email in [
        "Ann@Example.com",
        " ann@example.com",
        "ann@example.com\t",
        "ANN@EXAMPLE.COM",
    ] {
        is_throttled(&home.auth("login", &wrong(email)).send());
    }
    let bare = |path: &str| home.call("POST", path).json(&wrong("ann@example.com"));
    for path in [
        "auth/login/",
        "auth/login?draft=1",
        "auth/login?draft=0",
        "../prod/auth/login",
    ] {
        is_throttled(&bare(path).send());
    }
    let base = home.service().text("/base_url");
    let at =
        |path: &str| Call::new("POST", &format!("{base}{path}")).json(&wrong("ann@example.com"));
    is_throttled(&at("/projects/m%61in/pr%6Fd/auth/login").send());
    // Paths that are not another spelling of the same path lead to no account.
    let right = json!({"email": "ann@example.com", "password": PASSWORD});
    for path in [
        "/projects/MAIN/prod/auth/login",
        "/projects/main/Prod/auth/login",
        "/projects/main%20/prod/auth/login",
        "/projects/main/prod%00/auth/login",
    ] {
        Call::new("POST", &format!("{base}{path}"))
            .json(&right)
            .expect(401);
    }
    // Sent as bytes, since a client would normalise these paths.
    let address = base.trim_start_matches("http://");
    for path in [
        "//projects/main/prod/auth/login",
        "/projects//main/prod/auth/login",
        "/projects/main/prod/auth//login",
        "/projects/main/prod/AUTH/login",
        "/projects/main/prod/auth/Login",
        "/projects/main/prod/auth/%6cogin",
        "/projects/main/prod/auth/login//",
        "/projects/main/./prod/auth/login",
        "/projects/main/prod/auth/login;x",
    ] {
        let mut stream = TcpStream::connect(address).unwrap();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{right}",
            right.to_string().len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.get(9..12).unwrap_or_default();
        assert!(
            matches!(status, "401" | "404" | "405" | "429"),
            "{path}: {answer}"
        );
    }
}

#[test]
fn headers_do_not_change_the_address_of_a_caller() {
    let home = Home::with(&["--tries-per-address=3", "--tries-per-account=100000"]);
    let call = |number: usize| {
        let address = format!("203.0.113.{number}");
        home.auth("login", &wrong(&format!("user{number}@example.com")))
            .header("x-forwarded-for", &address)
            .header("x-real-ip", &address)
            .header("forwarded", &format!("for={address}"))
            .header("cf-connecting-ip", &address)
            .header("true-client-ip", &address)
            .header("x-client-ip", &address)
            .header("x-forwarded-host", &address)
    };
    for number in 0..3 {
        call(number).expect(401);
    }
    is_throttled(&call(3).send());
    // The limit is shared by all anonymous account calls, and other calls have none.
    let body = json!({"email": "a@example.com"});
    is_throttled(&home.auth("reset_password", &body).send());
    is_throttled(&home.auth("register", &wrong("new@example.com")).send());
    let body = json!({"code": "x", "new_password": PASSWORD});
    is_throttled(&home.auth("reset_password_complete", &body).send());
    home.tools("GET", "users").expect(200);
    home.call("GET", "auth/user").expect(401);
    home.service().root("GET", "/healthz").expect(200);
}

#[test]
fn behind_a_trusted_proxy_each_caller_has_their_own_tries() {
    let home = Home::with(&[
        "--tries-per-address=3",
        "--tries-per-account=100000",
        "--trusted-proxies=127.0.0.1",
    ]);
    let from = |forwarded: &str| {
        let call = home.auth("login", &wrong("ann@example.com"));
        call.header("x-forwarded-for", forwarded).send()
    };
    for _ in 0..3 {
        assert_eq!(from("203.0.113.1").status, 401);
    }
    is_throttled(&from("203.0.113.1"));
    assert_eq!(from("203.0.113.2").status, 401);
    // What the caller wrote before the address that the proxy added has no effect.
    is_throttled(&from("198.51.100.7, 203.0.113.1"));
    is_throttled(&from("198.51.100.8,203.0.113.1, 127.0.0.1"));
    // All addresses of an IPv6 network are one caller.
    for host in 1..=3 {
        assert_eq!(from(&format!("2001:db8::{host}")).status, 401);
    }
    is_throttled(&from("2001:db8::ffff:1"));
    assert_eq!(from("2001:db8:0:1::1").status, 401);
}

#[test]
fn mails_and_tries_of_the_current_password_have_the_same_limit_as_logins() {
    let home = Home::with(&["--tries-per-account=3"]);
    let session = home.member("ann@example.com", "Editor");
    let body = json!({"new_password": "battery staple", "current_password": "wrong horse"});
    for _ in 0..3 {
        home.auth_as(&session, "change_password", &body).expect(400);
    }
    is_throttled(&home.auth_as(&session, "change_password", &body).send());
    let body = json!({"new_email": "new@example.com", "current_password": "wrong horse"});
    is_throttled(&home.auth_as(&session, "change_email", &body).send());

    let body = json!({"email": "bob@example.com"});
    for _ in 0..3 {
        home.auth("reset_password", &body).expect(200);
    }
    is_throttled(&home.auth("reset_password", &body).send());
    is_throttled(&home.auth("login", &wrong("bob@example.com")).send());
}

#[test]
fn refreshes_have_a_limit_ten_times_as_high_and_using_a_session_has_none() {
    let home = Home::with(&["--tries-per-address=3"]);
    let session = home.member("ann@example.com", "Editor");
    for _ in 0..20 {
        home.refresh(&session).expect(200);
        home.user(&session).expect(200);
    }
    let body = json!({"refresh_token": "x"});
    let refused = (0..60).any(|_| home.auth("refresh", &body).send().status == 429);
    assert!(refused, "strangers do not ask for ever");
    is_throttled(&home.auth("refresh", &body).send());
    home.user(&session).expect(200);
}

#[test]
fn ending_all_other_sessions_is_throttled_by_session_and_ending_one_is_not() {
    let home = Home::with(&["--tries-per-account=3"]);
    let session = home.member("ann@example.com", "Editor");
    let end = |path: &str| {
        let call = home.call("DELETE", &format!("auth/sessions{path}"));
        call.authorization(&session.header())
    };
    for _ in 0..3 {
        end("").expect(204);
    }
    is_throttled(&end("").send());
    end("/019ae000-0000-7000-8000-000000000000").expect(404);
    home.user(&session).expect(200);
    let other = home.login("ann@example.com", PASSWORD);
    let call = home.call("DELETE", "auth/sessions");
    call.authorization(&other.header()).expect(204);
    home.user(&session).expect(401);
}
