//! Mailed codes: one use, one purpose, one address, a short lifetime, and links that requests cannot change.

use std::{sync::Barrier, thread};

use serde_json::{Value, json};
use svc_model::Scope;
use svc_tests::Call;

use crate::people::{Home, PASSWORD, home, named};

/// The body of each call with its code.
fn body(name: &str, code: &str) -> Value {
    match name {
        "accept_invitation" => json!({"code": code, "password": "chosen password"}),
        "reset_password_complete" => json!({"code": code, "new_password": "chosen password"}),
        _ => json!({ "code": code }),
    }
}

const COMPLETES: [&str; 3] = [
    "accept_invitation",
    "reset_password_complete",
    "change_email_complete",
];

/// A code for each of these calls, each for a different user.
fn codes(home: &Home, mark: &str) -> [(&'static str, String); 3] {
    let address = |name: &str| format!("{mark}-{name}@example.com");
    let invited = address("invited");
    home.run(&["user", "add", &invited, "--team=Editor", "--project=main"]);
    home.add(&address("reset"), "Editor");
    let session = home.member(&address("change"), "Editor");
    let change = json!({"new_email": address("changed"), "current_password": PASSWORD});
    home.auth_as(&session, "change_email", &change).expect(200);
    [
        ("accept_invitation", home.code(&invited)),
        (
            "reset_password_complete",
            home.reset_code(&address("reset")),
        ),
        ("change_email_complete", home.code(&address("changed"))),
    ]
}

#[test]
fn a_code_works_once_and_for_its_purpose_only() {
    let codes = codes(home(), "once");
    for (purpose, code) in &codes {
        assert!(code.starts_with("svcc_") && code.len() >= 27, "{code}");
        for name in COMPLETES.iter().filter(|name| *name != purpose) {
            let refused = home().auth(name, &body(name, code)).expect(400);
            assert_eq!(named(&refused), ["code"], "{purpose} {name}");
        }
        home().auth(purpose, &body(purpose, code)).expect(200);
        let refused = home().auth(purpose, &body(purpose, code)).expect(400);
        assert_eq!(named(&refused), ["code"], "{purpose}");
    }
}

#[test]
fn a_code_works_in_its_own_environment_and_project_only() {
    let home = Home::new();
    home.run(&["env", "add", "staging", "--project", "main"]);
    home.run(&["project", "add", "other"]);
    let base = home.service().text("/base_url");
    for (purpose, code) in codes(&home, "place") {
        for place in ["main/staging", "other/prod", "none/prod"] {
            let call = Call::new("POST", &format!("{base}/projects/{place}/auth/{purpose}"));
            let refused = call.json(&body(purpose, &code)).expect(400);
            assert_eq!(named(&refused), ["code"], "{purpose} {place}");
        }
        home.auth(purpose, &body(purpose, &code)).expect(200);
    }
}

#[test]
fn only_one_of_many_simultaneous_uses_of_a_code_succeeds() {
    for (purpose, code) in codes(home(), "race") {
        let barrier = Barrier::new(8);
        let done: usize = thread::scope(|scope| {
            let each: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        match home()
                            .auth(purpose, &body(purpose, &code))
                            .send()
                            .status
                            .as_u16()
                        {
                            200 => 1,
                            400 => 0,
                            status => panic!("{purpose}: {status}"),
                        }
                    })
                })
                .collect();
            each.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(done, 1, "{purpose}");
    }
}

#[test]
fn a_code_expires_after_its_lifetime() {
    home().add("late@example.com", "Editor");
    let asked = |minutes: i64| {
        home().ago(minutes * 60, async |store| {
            let account = store.account(Scope::new("main", "prod"), "http://127.0.0.1");
            account.reset_password("late@example.com").await.unwrap();
            // Its mail has expired too, so the code is read from the time before.
            let mails = store.mails().list().await.unwrap();
            let mail = mails
                .into_iter()
                .rfind(|mail| mail.to == "late@example.com");
            mail.unwrap().code.unwrap().expose().to_owned()
        })
    };
    let late = asked(61);
    let refused = home().auth(
        "reset_password_complete",
        &body("reset_password_complete", &late),
    );
    assert_eq!(named(&refused.expect(400)), ["code"]);
    assert!(home().mails("late@example.com").is_empty());
    home().login("late@example.com", PASSWORD);
    let in_time = asked(59);
    let done = home().auth(
        "reset_password_complete",
        &body("reset_password_complete", &in_time),
    );
    done.expect(200);
}

#[test]
fn the_number_of_mails_to_an_account_is_limited_and_earlier_codes_stay_valid() {
    home().add("flood@example.com", "Editor");
    let first = home().reset_code("flood@example.com");
    for _ in 0..20 {
        let body = json!({"email": "flood@example.com"});
        home().auth("reset_password", &body).expect(200);
        let body = json!({"email": "flood@example.com", "password": PASSWORD});
        home().auth("register", &body).expect(201);
    }
    assert_eq!(home().mails("flood@example.com").len(), 5);
    let done = home().auth(
        "reset_password_complete",
        &body("reset_password_complete", &first),
    );
    done.expect(200);
}

#[test]
fn an_address_in_use_stays_with_its_owner() {
    home().add("taken@example.com", "Editor");
    let session = home().member("taker@example.com", "Editor");
    let body = json!({"new_email": "Taken@example.com", "current_password": PASSWORD});
    // The response does not reveal that the address has an account.
    let asked = home().auth_as(&session, "change_email", &body).ok();
    assert_eq!(asked["sent_confirmation_to"], "Taken@example.com");
    let body = json!({"code": home().code("Taken@example.com")});
    assert_eq!(
        named(&home().auth("change_email_complete", &body).expect(400)),
        ["code"]
    );
    assert_eq!(home().user(&session).ok()["email"], "taker@example.com");
    home().login("taken@example.com", PASSWORD);
}

#[test]
fn an_address_may_change_its_case() {
    let session = home().member("case@example.com", "Editor");
    let body = json!({"new_email": "Case@Example.com", "current_password": PASSWORD});
    home().auth_as(&session, "change_email", &body).expect(200);
    let body = json!({"code": home().code("Case@Example.com")});
    let done = home().auth("change_email_complete", &body).ok();
    assert_eq!(done["new_email"], "Case@Example.com");
    // It is still the same address.
    assert_eq!(home().user(&session).ok()["email"], "Case@Example.com");
}

/// Headers with which attackers try to change where a link leads.
const EVIL: [(&str, &str); 9] = [
    ("host", "evil.example"),
    ("x-forwarded-host", "evil.example"),
    ("x-forwarded-proto", "https"),
    ("x-forwarded-for", "127.0.0.1"),
    ("x-forwarded-prefix", "/evil"),
    ("forwarded", "for=127.0.0.1;host=evil.example;proto=https"),
    ("origin", "https://evil.example"),
    ("referer", "https://evil.example/"),
    ("x-original-url", "https://evil.example/"),
];

/// Requests a mail of each kind with headers of an attacker, and returns the links.
fn links(home: &Home) -> Vec<String> {
    let bend = |call: Call| {
        EVIL.iter()
            .fold(call, |call, (name, value)| call.header(name, value))
    };
    home.add("links@example.com", "Editor");
    let session = home.login("links@example.com", PASSWORD);
    let body = json!({"email": "links@example.com"});
    bend(home.auth("reset_password", &body)).expect(200);
    let body = json!({"new_email": "links-new@example.com", "current_password": PASSWORD});
    bend(home.auth_as(&session, "change_email", &body)).expect(200);
    for email in ["links-register@example.com", "links@example.com"] {
        let body = json!({"email": email, "password": PASSWORD});
        bend(home.auth("register", &body)).expect(201);
    }
    let body = json!({"email": "links-invited@example.com", "group": home.team("Editor")});
    bend(home.tools("POST", "users").json(&body)).expect(201);
    let mails = home.run(&["mail", "list"]);
    let mails = mails.as_array().unwrap().iter();
    let links: Vec<String> = mails
        .inspect(|mail| assert!(!mail.to_string().contains("evil"), "{mail}"))
        .map(|mail| mail["link"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(links.len(), 5, "{links:?}");
    links
}

#[test]
fn no_header_of_a_request_changes_where_a_link_leads() {
    let home = Home::new();
    let base = home.service().text("/base_url");
    for link in links(&home) {
        assert!(
            link.starts_with(&format!("{base}/projects/main/prod/auth/")),
            "{link}"
        );
    }
}

#[test]
fn not_even_a_trusted_proxy_changes_where_a_link_leads() {
    let options = [crate::people::UNTHROTTLED, &["--trusted-proxies=127.0.0.1"]].concat();
    let home = Home::with(&options);
    let base = home.service().text("/base_url");
    for link in links(&home) {
        assert!(
            link.starts_with(&format!("{base}/projects/main/prod/auth/")),
            "{link}"
        );
    }
}

#[test]
fn links_lead_to_the_pages_that_the_project_sets() {
    let home = Home::new();
    let link = "https://app.example.com/account/{call}?code={code}";
    home.run(&["project", "set", "main", "--mail-link", link]);
    home.add("ann@example.com", "Editor");
    let code = home.reset_code("ann@example.com");
    let mail = home.mails("ann@example.com").pop().unwrap();
    assert_eq!(
        mail["link"],
        format!("https://app.example.com/account/reset_password_complete?code={code}")
    );
}
