//! Errors in account calls are reported by field, and no response reveals whether an account exists.

use serde_json::{Value, json};
use svc_tests::{Answer, Call};

use crate::people::{Home, PASSWORD, home, named};

/// Every call with a body: its required fields and its optional fields.
const FIELDS: [(&str, &[&str], &[&str]); 9] = [
    ("login", &["email", "password"], &[]),
    ("refresh", &["refresh_token"], &[]),
    (
        "register",
        &["email", "password"],
        &["first_name", "last_name", "language", "timezone"],
    ),
    ("change_password", &["new_password"], &["current_password"]),
    ("reset_password", &["email"], &[]),
    ("reset_password_complete", &["code", "new_password"], &[]),
    (
        "accept_invitation",
        &["code", "password"],
        &["first_name", "last_name"],
    ),
    ("change_email", &["new_email"], &["current_password"]),
    ("change_email_complete", &["code"], &[]),
];

/// Whether a call requires a session.
fn requires_session(name: &str) -> bool {
    matches!(name, "change_password" | "change_email")
}

fn sorted(names: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = names.iter().map(ToString::to_string).collect();
    names.sort();
    names
}

/// The parts of a response by which callers could distinguish two responses.
fn told(answer: &Answer) -> (u16, String, String) {
    let challenge = answer.header("www-authenticate").to_owned();
    (answer.status.as_u16(), challenge, answer.body.clone())
}

#[test]
fn a_missing_mistyped_or_unknown_field_is_named() {
    let session = home().member("fields@example.com", "Editor");
    for (name, required, optional) in FIELDS {
        let call = |body: &Value| {
            let call = home().auth(name, body);
            let call = match requires_session(name) {
                true => call.authorization(&session.header()),
                false => call,
            };
            named(&call.expect(400))
        };
        assert_eq!(call(&json!({})), sorted(required), "{name}");
        for wrong in [json!(7), json!(true), json!([]), json!({})] {
            let fields = required.iter().chain(optional);
            let body: Value = fields
                .map(|field| ((*field).to_owned(), wrong.clone()))
                .collect();
            assert_eq!(
                call(&body),
                sorted(&[required, optional].concat()),
                "{name} {wrong}"
            );
        }
        let nulls: Value = required
            .iter()
            .map(|field| ((*field).to_owned(), Value::Null))
            .collect();
        assert_eq!(call(&nulls), sorted(required), "{name}");
        let mut unknown = sorted(required);
        unknown.extend(["group".to_owned(), "is_admin".to_owned()]);
        unknown.sort();
        assert_eq!(
            call(&json!({"is_admin": true, "group": "x"})),
            unknown,
            "{name}"
        );
    }
    home().user(&session).expect(200);
}

#[test]
fn a_body_that_is_not_a_json_object_is_refused_as_a_whole() {
    let session = home().member("bodies@example.com", "Editor");
    for (name, ..) in FIELDS {
        let call = || -> Call {
            let call = home().call("POST", &format!("auth/{name}"));
            match requires_session(name) {
                true => call.authorization(&session.header()),
                false => call,
            }
        };
        for body in [
            "",
            " ",
            "{",
            "[]",
            "7",
            "null",
            "{}{}",
            "email=a&password=b",
            "\u{feff}{}",
        ] {
            assert_eq!(
                named(&call().body(body).expect(400)),
                ["non_field_errors"],
                "{name} {body}"
            );
        }
        assert_eq!(
            named(&call().body(&b"{\"email\":\"\xff\"}"[..]).expect(400)),
            ["non_field_errors"]
        );
        for media in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data",
        ] {
            let answer = call().header("content-type", media).body("{}").expect(415);
            assert_eq!(
                answer.json()["error_code"],
                "unsupported_media_type",
                "{name} {media}"
            );
        }
        let packed = call().header("content-encoding", "gzip").body("{}");
        packed.expect(415);
    }
}

#[test]
fn a_body_without_a_media_type_is_read_as_json() {
    home().add("untyped@example.com", "Editor");
    let body = json!({"email": "untyped@example.com", "password": PASSWORD}).to_string();
    home().call("POST", "auth/login").body(body).expect(200);
}

#[test]
fn a_body_over_the_limit_is_refused_before_it_is_read() {
    let home = Home::with(&["--body-limit=2000"]);
    let body = json!({"email": "a@example.com", "password": "x".repeat(3000)});
    let answer = home.auth("login", &body).expect(413);
    assert_eq!(answer.json()["error_code"], "payload_too_large");
}

#[test]
fn a_password_has_8_characters_to_1024_bytes_and_is_not_the_address() {
    let address = "weak@example.com";
    let session = home().member(address, "Editor");
    let invited = [
        "user",
        "add",
        "weak-guest@example.com",
        "--team=Editor",
        "--project=main",
    ];
    home().run(&invited);
    let (reset, invitation) = (
        home().reset_code(address),
        home().code("weak-guest@example.com"),
    );
    let long = "é".repeat(513);
    for weak in [
        "",
        "1234567",
        "ääääääA",
        "ääääääää",
        "        ",
        "Passw0rd!",
        "qwertzuiop",
        &long,
    ] {
        let set = |name: &str, body: &Value| named(&home().auth(name, body).expect(400));
        let body = json!({"email": "weak-new@example.com", "password": weak});
        assert_eq!(set("register", &body), ["password"]);
        let body = json!({"code": reset, "new_password": weak});
        assert_eq!(set("reset_password_complete", &body), ["new_password"]);
        let body = json!({"code": invitation, "password": weak});
        assert_eq!(set("accept_invitation", &body), ["password"]);
        let body = json!({"new_password": weak, "current_password": PASSWORD});
        let refused = home()
            .auth_as(&session, "change_password", &body)
            .expect(400);
        assert_eq!(named(&refused), ["new_password"]);
        assert!(
            weak.is_empty() || !refused.body.contains(weak),
            "{}",
            refused.body
        );
    }
    let body = json!({"code": reset, "new_password": "WEAK@example.com"});
    let refused = home().auth("reset_password_complete", &body).expect(400);
    assert_eq!(named(&refused), ["new_password"]);
    // The refused calls have neither used up a code nor ended a session.
    home().user(&session).expect(200);
    for good in ["äöüÄÖ ß€".to_owned(), "éöà€".repeat(113)] {
        let code = home().reset_code(address);
        let body = json!({"code": code, "new_password": good});
        home().auth("reset_password_complete", &body).expect(200);
        home().login(address, &good);
    }
    let body = json!({"code": invitation, "password": PASSWORD});
    home().auth("accept_invitation", &body).expect(200);
}

#[test]
fn an_invalid_address_is_named() {
    let session = home().member("address@example.com", "Editor");
    let long = format!("{}@example.com", "a".repeat(250));
    for wrong in [
        "",
        "ann",
        "@example.com",
        "ann@",
        "a b@example.com",
        "a@b\r\nBcc: c@d",
        "a@b\0",
        &long,
    ] {
        let body = json!({"email": wrong, "password": PASSWORD});
        assert_eq!(
            named(&home().auth("register", &body).expect(400)),
            ["email"],
            "{wrong:?}"
        );
        let body = json!({"new_email": wrong, "current_password": PASSWORD});
        let refused = home().auth_as(&session, "change_email", &body).expect(400);
        assert_eq!(named(&refused), ["new_email"], "{wrong:?}");
    }
}

#[test]
fn a_name_has_a_maximum_length_and_no_control_characters() {
    for (field, wrong) in [
        ("first_name", "x".repeat(256)),
        ("last_name", "a\u{0}b".to_owned()),
        ("language", "a\nb".to_owned()),
        ("timezone", "x".repeat(256)),
    ] {
        let mut body = json!({"email": "names@example.com", "password": PASSWORD});
        body[field] = wrong.into();
        assert_eq!(named(&home().auth("register", &body).expect(400)), [field]);
    }
    let body =
        json!({"email": "names@example.com", "password": PASSWORD, "first_name": "ä".repeat(255)});
    home().auth("register", &body).expect(201);
}

#[test]
fn the_current_password_is_required_if_there_is_one() {
    let session = home().member("present@example.com", "Editor");
    for (name, wanted) in [
        ("change_password", "new_password"),
        ("change_email", "new_email"),
    ] {
        for wrong in [None, Some("wrong horse"), Some("")] {
            let mut body = json!({wanted: "battery@example.com"});
            if let Some(wrong) = wrong {
                body["current_password"] = wrong.into();
            }
            let refused = home().auth_as(&session, name, &body).expect(400);
            assert_eq!(named(&refused), ["current_password"], "{name} {wrong:?}");
        }
    }
    home().user(&session).expect(200);
    home().login("present@example.com", PASSWORD);
    assert!(home().mails("battery@example.com").is_empty());
}

#[test]
fn an_unknown_address_and_a_wrong_password_get_the_same_response() {
    home().add("known@example.com", "Editor");
    let invited = [
        "user",
        "add",
        "invited@example.com",
        "--team=Editor",
        "--project=main",
    ];
    home().run(&invited);
    let base = home().service().text("/base_url");
    let login = |place: &str, email: &str, password: &str| {
        let call = Call::new("POST", &format!("{base}/projects/{place}/auth/login"));
        told(
            &call
                .json(&json!({"email": email, "password": password}))
                .send(),
        )
    };
    let expected = login("main/prod", "known@example.com", "wrong horse");
    assert_eq!(
        (expected.0, expected.1.as_str()),
        (401, "JWT realm=\"account\"")
    );
    let long = "x".repeat(10_000);
    for (place, email, password) in [
        ("main/prod", "unknown@example.com", "wrong horse"),
        ("main/prod", "unknown@example.com", PASSWORD),
        ("main/prod", "known@example.com", ""),
        ("main/prod", "known@example.com", "Correct horse"),
        ("main/prod", "known@example.com", "correct horse "),
        ("main/prod", "known@example.com", "correct horse\0"),
        ("main/prod", "known@example.com", &long),
        ("main/prod", &long, "wrong horse"),
        ("main/prod", "", ""),
        ("main/prod", "' OR 1=1 --", "' OR 1=1 --"),
        ("main/prod", "known@example.co%", PASSWORD),
        // No password has been chosen yet.
        ("main/prod", "invited@example.com", ""),
        ("main/prod", "invited@example.com", PASSWORD),
        ("main/none", "known@example.com", PASSWORD),
        ("none/prod", "known@example.com", PASSWORD),
        ("MAIN/prod", "known@example.com", PASSWORD),
    ] {
        assert_eq!(
            login(place, email, password),
            expected,
            "{place} {email:.40} {password:.40}"
        );
    }
}

#[test]
fn no_response_reveals_whether_an_address_can_be_reset_or_registered() {
    home().add("there@example.com", "Editor");
    let base = home().service().text("/base_url");
    let reset = |place: &str, email: &str| {
        let call = Call::new(
            "POST",
            &format!("{base}/projects/{place}/auth/reset_password"),
        );
        told(&call.json(&json!({ "email": email })).send())
    };
    let known = reset("main/prod", "there@example.com");
    assert_eq!(known, (200, String::new(), r#"{"result":true}"#.to_owned()));
    for (place, email) in [
        ("main/prod", "not-there@example.com"),
        ("main/prod", "no address"),
        ("main/none", "there@example.com"),
        ("none/prod", "there@example.com"),
    ] {
        assert_eq!(reset(place, email), known, "{place} {email}");
    }
    assert_eq!(home().mails("there@example.com").len(), 1);
    assert!(home().mails("not-there@example.com").is_empty());

    let register = |email: &str| {
        let body = json!({"email": email, "password": "battery staple", "first_name": "Eve"});
        let mut body = home().auth("register", &body).expect(201).json();
        let uid = body["user"]["uid"].take();
        assert_eq!(uid.as_str().unwrap().len(), 36);
        (uid, body)
    };
    let (_, mut new) = register("not-there@example.com");
    let (uid, taken) = register("There@example.com");
    new["user"]["email"] = json!("There@example.com");
    new["user"]["username"] = json!("There@example.com");
    assert_eq!(taken, new);
    // Nothing was changed for the owner of the address, who gets a mail.
    home()
        .tools("GET", &format!("users/{}", uid.as_str().unwrap()))
        .expect(404);
    let session = home().login("there@example.com", PASSWORD);
    assert_eq!(home().user(&session).ok()["first_name"], Value::Null);
    let mails = home().mails("there@example.com");
    assert_eq!(mails[1]["subject"], "You have an account at main already");
    let body = json!({"email": "there@example.com", "password": "battery staple"});
    home().auth("login", &body).expect(401);
}

#[test]
fn an_invalid_code_gets_the_same_refusal_everywhere() {
    let base = home().service().text("/base_url");
    let mut answers = Vec::new();
    let right_shape = format!("svcc_{}", "A".repeat(43));
    for place in ["main/prod", "main/none", "none/prod"] {
        for code in [
            "",
            "x",
            "svcc_",
            &right_shape,
            &"x".repeat(10_000),
            home().tools_token(),
        ] {
            let body = json!({"code": code});
            let call = Call::new(
                "POST",
                &format!("{base}/projects/{place}/auth/change_email_complete"),
            );
            answers.push(told(&call.json(&body).expect(400)));
            for (name, field) in [
                ("reset_password_complete", "new_password"),
                ("accept_invitation", "password"),
            ] {
                let body = json!({"code": code, field: PASSWORD});
                let call = Call::new("POST", &format!("{base}/projects/{place}/auth/{name}"));
                answers.push(told(&call.json(&body).expect(400)));
            }
        }
    }
    assert!(answers[0].2.starts_with(r#"{"code":["#), "{}", answers[0].2);
    for answer in &answers {
        assert_eq!(answer, &answers[0]);
    }
}

/// The calls that need no credential.
fn anonymous() -> impl Iterator<Item = &'static str> {
    let calls = FIELDS.iter().map(|(name, ..)| *name);
    calls.filter(|name| !requires_session(name))
}

#[test]
fn anonymous_calls_have_a_small_body_limit_and_at_most_a_hundred_messages() {
    let unknown = |count: usize| {
        let fields = (0..count).map(|number| (format!("f{number}"), Value::from(1)));
        Value::Object(fields.collect())
    };
    for name in anonymous() {
        home().auth(name, &unknown(100_000)).expect(413);
        let answer = home().auth(name, &unknown(1_000)).expect(400);
        let errors = answer.json();
        let fields = errors.as_object().unwrap();
        // A hundred fields, and how many more there are.
        assert_eq!(fields.len(), 101, "{name}");
        let more = errors["non_field_errors"][0].as_str().unwrap();
        assert!(more.ends_with("more errors are not shown"), "{more}");
    }
}
