//! The successful response of each call.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::people::{PASSWORD, Session, home, keys};

const AUTH_STATE: [&str; 4] = [
    "access_token",
    "access_token_expires",
    "refresh_token",
    "refresh_token_expires",
];
const USER_INFO: [&str; 8] = [
    "email",
    "first_name",
    "has_password",
    "language",
    "last_name",
    "timezone",
    "uid",
    "username",
];

/// Checks an `AuthState`: its fields, and the lifetimes of its tokens.
#[track_caller]
fn check_state(state: &Value) -> Session {
    assert_eq!(keys(state), AUTH_STATE);
    let lives = |name: &str, minutes: i64| {
        let expires: Timestamp = state[name].as_str().unwrap().parse().unwrap();
        let left = expires.duration_since(Timestamp::now());
        let all = SignedDuration::from_mins(minutes);
        assert!(
            left <= all && left > all - SignedDuration::from_mins(1),
            "{name}: {left}"
        );
    };
    lives("access_token_expires", 15);
    lives("refresh_token_expires", 30 * 24 * 60);
    Session::of(state)
}

#[test]
fn a_login_returns_tokens_and_the_user() {
    let uid = home().add("login@example.com", "Editor");
    let body = json!({"email": "login@example.com", "password": PASSWORD});
    let answer = home().auth("login", &body).expect(200);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.header("cache-control"), "no-store");
    let body = answer.json();
    assert_eq!(keys(&body), ["token", "user"]);
    let session = check_state(&body["token"]);
    assert_eq!(
        body["user"],
        json!({
            "uid": uid, "username": "login@example.com", "has_password": true, "email": "login@example.com",
            "first_name": null, "last_name": null, "language": null, "timezone": null,
        })
    );
    assert_eq!(home().user(&session).ok(), body["user"]);
}

#[test]
fn an_access_token_has_the_claims_of_the_contract_and_a_refresh_token_is_opaque() {
    let uid = home().add("claims@example.com", "Editor");
    let session = home().login("claims@example.com", PASSWORD);
    let parts: Vec<&str> = session.access.split('.').collect();
    let read = |part: &str| -> Value {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
    };
    let (header, claims) = (read(parts[0]), read(parts[1]));
    assert_eq!(parts.len(), 3);
    assert_eq!(
        (&header["alg"], &header["typ"]),
        (&json!("HS256"), &json!("JWT"))
    );
    assert!(header["kid"].is_string(), "{header}");
    assert_eq!(
        keys(&claims),
        [
            "environment",
            "exp",
            "iat",
            "jti",
            "project",
            "sid",
            "sub",
            "token_type"
        ]
    );
    assert_eq!(claims["sub"], json!(uid));
    assert_eq!(
        (&claims["project"], &claims["environment"]),
        (&json!("main"), &json!("prod"))
    );
    let (iat, exp) = (
        claims["iat"].as_i64().unwrap(),
        claims["exp"].as_i64().unwrap(),
    );
    assert_eq!(exp - iat, 900);
    assert!((Timestamp::now().as_second() - iat).abs() < 60);

    let other = home().login("claims@example.com", PASSWORD);
    let of = |session: &Session| read(session.access.split('.').nth(1).unwrap());
    assert_ne!(of(&session)["sid"], of(&other)["sid"]);
    assert_ne!(of(&session)["jti"], of(&other)["jti"]);
    assert_ne!(session.refresh, other.refresh);
    assert!(session.refresh.starts_with("svcr_"));
    assert!(!session.refresh.contains(&uid) && !session.refresh.contains('.'));
}

#[test]
fn an_address_can_sign_in_in_any_case_and_with_spaces_around_it() {
    home().add("Any.Case@Example.com", "Editor");
    for email in [
        "any.case@example.com",
        "ANY.CASE@EXAMPLE.COM",
        " Any.Case@Example.com ",
    ] {
        let body = json!({"email": email, "password": PASSWORD});
        let user = home().auth("login", &body).ok()["user"].clone();
        assert_eq!(user["email"], "Any.Case@Example.com");
    }
}

#[test]
fn a_refresh_returns_new_tokens_for_the_same_session() {
    let session = home().member("refresh@example.com", "Editor");
    let answer = home().refresh(&session).expect(200);
    assert_eq!(answer.header("cache-control"), "no-store");
    let next = check_state(&answer.json());
    assert_ne!(next.access, session.access);
    assert_ne!(next.refresh, session.refresh);
    home().user(&next).expect(200);
    home().user(&session).expect(200);
}

#[test]
fn the_user_call_returns_the_user_and_must_not_be_cached() {
    let session = home().member("check@example.com", "Read Only");
    let answer = home().user(&session).expect(200);
    assert_eq!(keys(&answer.json()), USER_INFO);
    assert_eq!(answer.header("cache-control"), "no-store");
    let head = home().call("HEAD", "auth/user");
    assert_eq!(head.authorization(&session.header()).expect(200).body, "");
}

#[test]
fn a_registration_returns_the_user_and_does_not_sign_in() {
    let body = json!({
        "email": "Register@example.com", "password": "battery staple", "first_name": " Ada ", "last_name": "Lee",
        "language": "de", "timezone": "Europe/Berlin",
    });
    let answer = home().auth("register", &body).expect(201);
    assert_eq!(answer.header("cache-control"), "no-store");
    let body = answer.json();
    assert_eq!(keys(&body), ["result", "user"]);
    assert_eq!(body["result"], true);
    let user = &body["user"];
    assert_eq!(keys(user), USER_INFO);
    assert_eq!(
        (&user["email"], &user["username"], &user["has_password"]),
        (
            &json!("Register@example.com"),
            &json!("Register@example.com"),
            &json!(true)
        )
    );
    assert_eq!(
        (
            &user["first_name"],
            &user["last_name"],
            &user["language"],
            &user["timezone"]
        ),
        (
            &json!("Ada"),
            &json!("Lee"),
            &json!("de"),
            &json!("Europe/Berlin")
        )
    );
    let session = home().login("register@example.com", "battery staple");
    assert_eq!(home().user(&session).ok(), *user);
    let listed = home().tools("GET", &format!("users/{}", user["uid"].as_str().unwrap()));
    assert_eq!(listed.ok()["group"], json!(home().team("Read Only")));
    let mails = home().mails("Register@example.com");
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0]["subject"], "Confirm your e-mail address for main");
}

#[test]
fn a_registration_requires_only_an_address_and_a_password() {
    let body = json!({"email": "bare@example.com", "password": "battery staple", "first_name": null, "language": null});
    let user = home().auth("register", &body).expect(201).json()["user"].clone();
    for name in ["first_name", "last_name", "language", "timezone"] {
        assert_eq!(user[name], Value::Null, "{name}");
    }
}

#[test]
fn after_a_change_only_the_new_password_works() {
    let session = home().member("password@example.com", "Editor");
    let body = json!({"new_password": "battery staple", "current_password": PASSWORD});
    let answer = home()
        .auth_as(&session, "change_password", &body)
        .expect(200);
    assert_eq!(answer.header("cache-control"), "no-store");
    let body = answer.json();
    assert_eq!(keys(&body), ["new_state", "result"]);
    assert_eq!(body["result"], true);
    home().user(&check_state(&body["new_state"])).expect(200);
    let old = json!({"email": "password@example.com", "password": PASSWORD});
    home().auth("login", &old).expect(401);
    home().login("password@example.com", "battery staple");
    let told = home().mails("password@example.com");
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["subject"], "Your password for main was changed");
    assert_eq!(
        (&told[0]["code"], &told[0]["link"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn a_forgotten_password_is_reset_with_the_code_from_the_mail() {
    home().add("reset@example.com", "Editor");
    let code = home().reset_code("reset@example.com");
    let mail = home().mails("reset@example.com").pop().unwrap();
    let base = home().service().text("/base_url");
    assert_eq!(
        mail["link"],
        format!("{base}/projects/main/prod/auth/reset_password_complete#{code}")
    );
    let body = json!({"code": code, "new_password": "battery staple"});
    let answer = home().auth("reset_password_complete", &body).expect(200);
    assert_eq!(answer.header("cache-control"), "no-store");
    let body = answer.json();
    assert_eq!(keys(&body), ["new_state", "result"]);
    assert_eq!(body["result"], true);
    home().user(&check_state(&body["new_state"])).expect(200);
    home().login("reset@example.com", "battery staple");
}

#[test]
fn an_address_changes_when_the_new_one_is_confirmed() {
    let session = home().member("old@example.com", "Editor");
    let body = json!({"new_email": " New@example.com ", "current_password": PASSWORD});
    let asked = home().auth_as(&session, "change_email", &body).ok();
    assert_eq!(
        asked,
        json!({"result": true, "sent_confirmation_to": "New@example.com"})
    );
    assert_eq!(home().user(&session).ok()["email"], "old@example.com");
    let body = json!({"code": home().code("New@example.com")});
    let done = home().auth("change_email_complete", &body).ok();
    assert_eq!(
        done,
        json!({"result": true, "old_email": "old@example.com", "new_email": "New@example.com"})
    );
    let body = json!({"email": "old@example.com", "password": PASSWORD});
    home().auth("login", &body).expect(401);
    let session = home().login("new@example.com", PASSWORD);
    assert_eq!(home().user(&session).ok()["username"], "New@example.com");
    let told = home().mails("old@example.com");
    assert_eq!(
        told[0]["subject"],
        "Your e-mail address for main was changed"
    );
}

#[test]
fn an_invitation_is_accepted_with_a_first_password() {
    let invited = [
        "user",
        "add",
        "guest@example.com",
        "--team",
        "Editor",
        "--project",
        "main",
    ];
    let uid = home().run(&invited)["uid"].clone();
    let body = json!({
        "code": home().code("guest@example.com"), "password": PASSWORD, "first_name": "Gus", "last_name": null,
    });
    let body = home().auth("accept_invitation", &body).ok();
    assert_eq!(keys(&body), ["new_state", "result"]);
    assert_eq!(body["result"], true);
    let user = home().user(&check_state(&body["new_state"])).ok();
    assert_eq!(
        (
            &user["uid"],
            &user["has_password"],
            &user["first_name"],
            &user["last_name"]
        ),
        (&uid, &json!(true), &json!("Gus"), &Value::Null)
    );
    home().login("guest@example.com", PASSWORD);
}

#[test]
fn a_logout_ends_its_own_session_and_no_other() {
    let session = home().member("logout@example.com", "Editor");
    let other = home().login("logout@example.com", PASSWORD);
    let logout = || {
        home()
            .call("POST", "auth/logout")
            .authorization(&session.header())
    };
    assert_eq!(logout().expect(204).body, "");
    home().user(&session).expect(401);
    home().refresh(&session).expect(401);
    logout().expect(401);
    home().user(&other).expect(200);
    home().refresh(&other).expect(200);
}
