//! `--rate-limit` and `--address-rate-limit`: who is counted how, and what callers are told.

use serde_json::json;
use svc_tests::{Answer, Call, Program};

use crate::people::{Home, UNTHROTTLED};

/// A service with these limits.
fn limited(limits: &[&str]) -> Home {
    Home::with(&[UNTHROTTLED, limits].concat())
}

/// How many of some calls are let through; the others are refused with all that a caller has to know.
fn allowed(times: usize, call: impl Fn() -> Call) -> usize {
    let answers = (0..times).map(|_| call().send());
    answers.filter(|answer| !is_refused(answer)).count()
}

fn is_refused(answer: &Answer) -> bool {
    if answer.status != 429 {
        return false;
    }
    let body = answer.json();
    assert_eq!(body["error_code"], "throttled");
    let detail = body["detail"].as_str().expect("a sentence");
    assert!(detail.starts_with("too many requests; wait "), "{detail}");
    let wait: u64 = answer.header("retry-after").parse().expect("seconds");
    assert!(wait >= 1);
    let left = answer.header("ratelimit");
    assert!(left.ends_with(&format!(";r=0;t={wait}")), "{left}");
    true
}

#[test]
fn a_credential_has_its_burst_and_each_answer_tells_what_is_left() {
    let home = limited(&["--rate-limit", "2/h:4"]);
    let orders = || {
        home.call("GET", "shop/models/orders/")
            .authorization(home.shop_token())
    };
    let answer = orders().expect(200);
    assert_eq!(
        answer.header("ratelimit-policy"),
        "\"credential\";q=4;w=7200"
    );
    assert_eq!(answer.header("ratelimit"), "\"credential\";r=3;t=1800");
    assert_eq!(allowed(6, orders), 3);
    // The API key has a bucket of its own, and nobody without a credential is counted.
    let key = home.service().text("/api_key");
    let project = || home.service().app_anonymous("GET", "/projects/main/");
    project()
        .authorization(&format!("Bearer {key}"))
        .expect(200);
    for _ in 0..10 {
        let answer = home
            .service()
            .app_anonymous("GET", "/openapi.json")
            .expect(200);
        assert_eq!(answer.header("ratelimit"), "");
    }
}

#[test]
fn a_credential_has_one_bucket_however_it_is_spelled() {
    let home = limited(&["--rate-limit", "1/h:4"]);
    let token = home.shop_token();
    let call = |credential: &str| {
        home.call("GET", "shop/models/orders/")
            .authorization(credential)
    };
    call(token).expect(200);
    call(&format!("Bearer {token}")).expect(200);
    call(&format!("bearer {token}"))
        .header("x-forwarded-for", "203.0.113.7")
        .expect(200);
    call(token).expect(200);
    for credential in [token.to_owned(), format!("Bearer {token}")] {
        assert!(is_refused(&call(&credential).send()));
    }
}

#[test]
fn all_tokens_of_a_session_count_together() {
    let home = limited(&["--rate-limit", "1/h:5"]);
    let first = home.member("ann@example.com", "Editor");
    let second = crate::people::Session::of(&home.refresh(&first).ok());
    assert_ne!(first.access, second.access);
    assert_eq!(allowed(3, || home.user(&first)), 3);
    assert_eq!(allowed(4, || home.user(&second)), 2);
    // Another session of the same user is another caller.
    let other = home.login("ann@example.com", crate::people::PASSWORD);
    home.user(&other).expect(200);
}

#[test]
fn a_credential_that_is_not_valid_counts_for_its_address() {
    for (option, name) in [
        ("--address-rate-limit", "address"),
        ("--rate-limit", "credential"),
    ] {
        let home = limited(&[option, "1/h:6"]);
        let guess = |guess: usize| {
            home.call("GET", "shop/models/orders/")
                .authorization(&format!("Bearer guess-{guess}"))
        };
        for number in 0..6 {
            let answer = guess(number).expect(401);
            assert!(
                answer
                    .header("ratelimit")
                    .starts_with(&format!("\"{name}\""))
            );
        }
        assert!(is_refused(&guess(6).send()), "{option}");
        let forged = home.call("GET", "auth/user").authorization("JWT a.b.c");
        assert!(is_refused(&forged.send()), "{option}");
        // Who has a valid one is not kept out.
        let orders = home
            .call("GET", "shop/models/orders/")
            .authorization(home.shop_token());
        orders.expect(200);
    }
}

#[test]
fn requests_without_a_credential_are_counted_by_address_and_files_and_health_are_free() {
    let home = limited(&[
        "--address-rate-limit",
        "1/h:5",
        "--trusted-proxies",
        "127.0.0.1",
    ]);
    let from = |address: &str| {
        let body = json!({"email": "ann@example.com", "password": "wrong password"});
        home.auth("login", &body).header("x-forwarded-for", address)
    };
    assert_eq!(allowed(8, || from("203.0.113.1")), 5);
    assert_eq!(allowed(8, || from("203.0.113.2")), 5);
    assert_eq!(allowed(4, || from("2001:db8:1:2::1")), 4);
    assert_eq!(
        allowed(4, || from("2001:db8:1:2:ffff::9")),
        1,
        "a network is one address"
    );
    // A path that does not exist is no way round.
    let unknown = home
        .service()
        .root("GET", "/no/such/path")
        .header("x-forwarded-for", "203.0.113.1");
    assert!(is_refused(&unknown.send()));
    for _ in 0..10 {
        for path in ["/healthz", "/readyz", "/"] {
            let answer = home.service().root("GET", path);
            answer.header("x-forwarded-for", "203.0.113.1").expect(200);
        }
        let style = home.call("GET", "auth/account.css");
        style.header("x-forwarded-for", "203.0.113.1").expect(200);
    }
    let sign_in = home.service().root("GET", "/console/sign-in/");
    let sign_in = sign_in.header("x-forwarded-for", "203.0.113.3").expect(200);
    let files: Vec<&str> = sign_in.body.split("/console/assets/").skip(1).collect();
    assert!(files.len() > 1, "{}", sign_in.body);
    for file in files.iter().cycle().take(10) {
        let file = file.split('"').next().unwrap();
        let file = home
            .service()
            .root("GET", &format!("/console/assets/{file}"));
        file.header("x-forwarded-for", "203.0.113.1").expect(200);
    }
    // Nor is a credential counted for its address.
    let orders = home
        .call("GET", "shop/models/orders/")
        .authorization(home.shop_token());
    orders.header("x-forwarded-for", "203.0.113.1").expect(200);
}

#[test]
fn what_is_refused_is_counted() {
    let home = limited(&[
        "--rate-limit",
        "1/h:2",
        "--metrics-listen",
        "127.0.0.1:0",
        "--log-format",
        "json",
    ]);
    let orders = || {
        home.call("GET", "shop/models/orders/")
            .authorization(home.shop_token())
    };
    assert_eq!(allowed(5, orders), 2);
    let address = crate::metrics::metrics_address(home.service());
    let text = Call::new("GET", &format!("http://{address}/metrics"))
        .expect(200)
        .body;
    assert!(text.contains("\nsvc_rate_limited_total 3\n"), "{text}");
    for _ in 0..5 {
        Call::new("GET", &format!("http://{address}/metrics")).expect(200);
    }
}

#[test]
fn a_limit_that_is_none_is_refused_with_what_would_be_right() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for option in ["--rate-limit", "--address-rate-limit"] {
        let (code, message) = Program::new(folder.path(), &["serve", option, "fast"]).run_err();
        assert_eq!(code, 2, "{message}");
        assert!(
            message.contains(option) && message.contains("600/m"),
            "{message}"
        );
    }
}
