//! Users are created, changed and deleted, and only writable fields are written.

use std::{sync::Barrier, thread};

use serde_json::{Value, json};

use crate::people::{Home, PASSWORD, home, keys, named};

const NOWHERE: &str = "01900000-0000-7000-8000-000000000000";

#[track_caller]
fn made(home: &Home, body: &Value) -> Value {
    home.tools("POST", "users").json(body).expect(201).json()
}

#[test]
fn a_new_user_exists_at_once_and_is_invited() {
    let group = home().team("Editor");
    let body = json!({"email": " New.User@example.com ", "group": group, "first_name": "Ada", "last_name": null});
    let answer = home().tools("POST", "users").json(&body).expect(201);
    let user = answer.json();
    assert_eq!(
        keys(&user),
        [
            "date_add",
            "email",
            "first_name",
            "group",
            "last_name",
            "uid"
        ]
    );
    assert_eq!(
        (
            &user["email"],
            &user["group"],
            &user["first_name"],
            &user["last_name"]
        ),
        (
            &json!("New.User@example.com"),
            &json!(group),
            &json!("Ada"),
            &Value::Null
        )
    );
    let path = format!("users/{}", user["uid"].as_str().unwrap());
    let read = home().tools("GET", &path).expect(200);
    assert_eq!(read.json(), user);
    assert_eq!(read.header("etag"), answer.header("etag"));
    let mails = home().mails("New.User@example.com");
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0]["subject"], "You are invited to main");
    let code = mails[0]["code"].as_str().unwrap();
    let base = home().service().text("/base_url");
    assert_eq!(
        mails[0]["link"],
        format!("{base}/projects/main/prod/auth/accept_invitation#{code}")
    );
    let login = json!({"email": "new.user@example.com", "password": PASSWORD});
    home().auth("login", &login).expect(401);
    let body = json!({"code": code, "password": PASSWORD});
    home().auth("accept_invitation", &body).expect(200);
    home().login("new.user@example.com", PASSWORD);
    assert_eq!(home().tools("GET", &path).ok(), user);
}

#[test]
fn an_address_is_unique_ignoring_case() {
    let group = home().team("Editor");
    made(
        home(),
        &json!({"email": "Twice@example.com", "group": group}),
    );
    for email in [
        "Twice@example.com",
        "twice@EXAMPLE.com",
        " TWICE@example.com",
    ] {
        let body = json!({"email": email, "group": group});
        let refused = home().tools("POST", "users").json(&body).expect(400);
        assert_eq!(named(&refused), ["email"], "{email}");
    }
    assert_eq!(home().mails("Twice@example.com").len(), 1);
    let barrier = Barrier::new(8);
    let statuses: Vec<u16> = thread::scope(|scope| {
        let each: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let body = json!({"email": "race@example.com", "group": group});
                    barrier.wait();
                    home()
                        .tools("POST", "users")
                        .json(&body)
                        .send()
                        .status
                        .as_u16()
                })
            })
            .collect();
        each.into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(
        statuses.iter().filter(|status| **status == 201).count(),
        1,
        "{statuses:?}"
    );
    assert_eq!(
        statuses.iter().filter(|status| **status == 400).count(),
        7,
        "{statuses:?}"
    );
}

#[test]
fn fields_that_may_not_be_written_are_named_and_nothing_is_written() {
    let home = Home::new();
    home.run(&["project", "add", "other"]);
    let foreign = home.run(&["token", "add", "__svc_app__", "--project", "other"]);
    let base = home.service().text("/base_url");
    let url = format!("{base}/projects/other/prod/__svc_app__/models/groups");
    let mut teams = Value::Null;
    svc_tests::wait_until("the other project is known", || {
        let call =
            svc_tests::Call::new("GET", &url).authorization(foreign["token"].as_str().unwrap());
        let answer = call.send();
        teams = answer.json();
        answer.status == 200
    });
    let foreign_team = &teams["results"][0]["uid"];

    let group = home.team("Editor");
    let user = made(
        &home,
        &json!({"email": "ann@example.com", "group": group, "first_name": "Ann"}),
    );
    let path = format!("users/{}", user["uid"].as_str().unwrap());
    let before = (home.tools("GET", "users").ok(), home.run(&["mail", "list"]));
    for (name, value) in [
        ("uid", json!(NOWHERE)),
        ("date_add", json!("2020-01-01T00:00:00Z")),
        ("is_admin", json!(true)),
        ("password", json!(PASSWORD)),
        ("email_confirmed", json!(true)),
        ("environment", json!("prod")),
        ("language", json!("de")),
        ("permissions_group", json!("administrator")),
        ("super_group", json!(true)),
        ("has_password", json!(true)),
        ("", json!("")),
    ] {
        let mut body = json!({"email": "new@example.com", "group": group});
        body[name] = value.clone();
        let refused = home.tools("POST", "users").json(&body).expect(400);
        assert_eq!(named(&refused), [name]);
        let refused = home
            .tools("PATCH", &path)
            .json(&json!({name: value, "first_name": "X"}));
        assert_eq!(named(&refused.expect(400)), [name]);
    }
    for wrong in [
        foreign_team.clone(),
        json!(NOWHERE),
        json!("Owners"),
        json!(""),
        json!(7),
        json!(null),
        json!([]),
    ] {
        let body = json!({"email": "new@example.com", "group": wrong});
        assert_eq!(
            named(&home.tools("POST", "users").json(&body).expect(400)),
            ["group"],
            "{wrong}"
        );
        let body = json!({"group": wrong, "first_name": "X"});
        assert_eq!(
            named(&home.tools("PATCH", &path).json(&body).expect(400)),
            ["group"],
            "{wrong}"
        );
    }
    let refused = home
        .tools("PATCH", &path)
        .json(&json!({"email": "other@example.com"}));
    assert_eq!(named(&refused.expect(400)), ["email"]);
    let long = "x".repeat(256);
    for (field, wrong) in [
        ("first_name", json!(long)),
        ("last_name", json!("a\nb")),
        ("last_name", json!(1)),
    ] {
        let body = json!({field: wrong});
        assert_eq!(
            named(&home.tools("PATCH", &path).json(&body).expect(400)),
            [field]
        );
        let mut body = json!({"email": "new@example.com", "group": group});
        body[field] = wrong;
        assert_eq!(
            named(&home.tools("POST", "users").json(&body).expect(400)),
            [field]
        );
    }
    for wrong in ["", "ann", "a b@example.com", "a@b\r\nBcc: c@d"] {
        let body = json!({"email": wrong, "group": group});
        assert_eq!(
            named(&home.tools("POST", "users").json(&body).expect(400)),
            ["email"]
        );
    }
    assert_eq!(
        named(&home.tools("POST", "users").json(&json!({})).expect(400)),
        ["email", "group"]
    );
    let query = home
        .tools("POST", "users?group=x")
        .json(&json!({"email": "new@example.com", "group": group}));
    query.expect(400);
    home.tools("POST", "users").body("[]").expect(400);
    home.tools("POST", "users")
        .header("content-type", "text/plain")
        .body("{}")
        .expect(415);
    assert_eq!(
        (home.tools("GET", "users").ok(), home.run(&["mail", "list"])),
        before
    );
}

#[test]
fn only_the_given_fields_of_a_user_are_changed() {
    let user = made(
        home(),
        &json!({"email": "patch@example.com", "group": home().team("Editor"), "first_name": "A"}),
    );
    let path = format!("users/{}", user["uid"].as_str().unwrap());
    let patch = |body: &Value| home().tools("PATCH", &path).json(body).ok();
    let mut expected = user.clone();
    for (field, given, kept) in [
        ("last_name", json!(" Lee "), json!("Lee")),
        ("first_name", json!(null), json!(null)),
        ("last_name", json!(""), json!(null)),
        (
            "group",
            json!(home().team("Read Only")),
            json!(home().team("Read Only")),
        ),
    ] {
        expected[field] = kept;
        assert_eq!(patch(&json!({field: given})), expected);
        assert_eq!(home().tools("GET", &path).ok(), expected);
    }
    assert_eq!(patch(&json!({})), expected);
    let slash = home()
        .tools("PATCH", &format!("{path}/"))
        .json(&json!({"first_name": "B"}));
    assert_eq!(slash.ok()["first_name"], "B");
    for none in [NOWHERE, "x"] {
        let path = format!("users/{none}");
        home()
            .tools("PATCH", &path)
            .json(&json!({"first_name": "B"}))
            .expect(404);
        home().tools("DELETE", &path).expect(404);
    }
}

#[test]
fn a_user_cannot_be_replaced() {
    let user = made(
        home(),
        &json!({"email": "put@example.com", "group": home().team("Editor")}),
    );
    let path = format!("users/{}", user["uid"].as_str().unwrap());
    for body in [r#"{"group": "x"}"#, "{}", "", "["] {
        let answer = home().tools("PUT", &path).body(body).expect(405);
        assert_eq!(answer.header("allow"), "GET, HEAD, PATCH, DELETE", "{body}");
        assert_eq!(answer.json()["error_code"], "method_not_allowed");
    }
    assert_eq!(home().tools("GET", &path).ok(), user);
}

#[test]
fn the_address_of_a_deleted_user_can_be_used_again() {
    let body = json!({"email": "gone@example.com", "group": home().team("Editor")});
    let user = made(home(), &body);
    let path = format!("users/{}", user["uid"].as_str().unwrap());
    let code = home().code("gone@example.com");
    assert_eq!(home().tools("DELETE", &path).expect(204).body, "");
    home().tools("GET", &path).expect(404);
    home().tools("DELETE", &path).expect(404);
    let accept = json!({"code": code, "password": PASSWORD});
    assert_eq!(
        named(&home().auth("accept_invitation", &accept).expect(400)),
        ["code"]
    );
    assert_ne!(made(home(), &body)["uid"], user["uid"]);
}

#[test]
fn a_write_can_be_conditional_on_an_entity_tag() {
    let user = made(
        home(),
        &json!({"email": "match@example.com", "group": home().team("Editor")}),
    );
    let path = format!("users/{}", user["uid"].as_str().unwrap());
    let etag = home()
        .tools("GET", &path)
        .expect(200)
        .header("etag")
        .to_owned();
    let patch = |tag: &str, name: &str| {
        let call = home().tools("PATCH", &path).header("if-match", tag);
        call.json(&json!({"first_name": name}))
    };
    let changed = patch(&etag, "A").expect(200);
    assert_ne!(changed.header("etag"), etag);
    let refused = patch(&etag, "B").expect(412);
    assert_eq!(refused.json()["error_code"], "precondition_failed");
    home()
        .tools("DELETE", &path)
        .header("if-match", &etag)
        .expect(412);
    patch("\"x\", \"y\"", "B").expect(412);
    patch("x", "B").expect(400);
    assert_eq!(home().tools("GET", &path).ok()["first_name"], "A");
    let both = format!("{etag}, {}", changed.header("etag"));
    patch(&both, "C").expect(200);
    patch("*", "D").expect(200);
    home()
        .tools("DELETE", &path)
        .header("if-match", "*")
        .expect(204);
    patch("*", "E").expect(404);

    // Of many callers with the same tag, only one write succeeds.
    let user = made(
        home(),
        &json!({"email": "match2@example.com", "group": home().team("Editor")}),
    );
    let path = format!("users/{}", user["uid"].as_str().unwrap());
    let etag = home()
        .tools("GET", &path)
        .expect(200)
        .header("etag")
        .to_owned();
    let written: usize = thread::scope(|scope| {
        let (path, etag) = (&path, &etag);
        let each: Vec<_> = (0..8)
            .map(|number| {
                scope.spawn(move || {
                    let call = home().tools("PATCH", path).header("if-match", etag);
                    let answer = call
                        .json(&json!({"first_name": format!("N{number}")}))
                        .send();
                    assert!(
                        matches!(answer.status.as_u16(), 200 | 412),
                        "{}",
                        answer.body
                    );
                    usize::from(answer.status == 200)
                })
            })
            .collect();
        each.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(written, 1);
}

#[test]
fn the_last_administrator_cannot_be_removed() {
    let home = Home::new();
    let (administrator, editor) = (home.team("Administrator"), home.team("Editor"));
    let uid = home.add("admin@example.com", "Administrator");
    home.add("editor@example.com", "Editor");
    let path = format!("users/{uid}");
    let session = home.login("admin@example.com", PASSWORD);
    for refused in [
        home.tools("DELETE", &path),
        home.tools("PATCH", &path)
            .json(&json!({"group": editor, "first_name": "X"})),
    ] {
        assert_eq!(named(&refused.expect(400)), ["non_field_errors"]);
    }
    let user = home.tools("GET", &path).ok();
    assert_eq!(
        (&user["group"], &user["first_name"]),
        (&json!(administrator), &Value::Null)
    );
    home.user(&session).expect(200);
    let renamed = json!({"first_name": "Ada", "group": administrator});
    home.tools("PATCH", &path).json(&renamed).expect(200);
    // An administrator of another environment does not count here.
    home.run(&["env", "add", "staging", "--project", "main"]);
    home.add_in("staging", "other@example.com", "Administrator");
    home.tools("DELETE", &path).expect(400);

    // An administrator who has not accepted the invitation cannot sign in and does not count.
    made(
        &home,
        &json!({"email": "invited@example.com", "group": administrator}),
    );
    let refused = home.tools("DELETE", &path).expect(400).json();
    let message = refused["non_field_errors"][0].as_str().unwrap();
    assert!(message.contains("who can sign in"), "{message}");

    let second = home.add("second@example.com", "Administrator");
    let second = format!("users/{second}");
    // Of two administrators who are removed at the same moment, one stays.
    let statuses = thread::scope(|scope| {
        let (home, editor) = (&home, &editor);
        let each = [&path, &second].map(|path| {
            scope.spawn(move || {
                let call = home.tools("PATCH", path).json(&json!({"group": editor}));
                call.send().status.as_u16()
            })
        });
        let mut statuses = each.map(|thread| thread.join().unwrap());
        statuses.sort_unstable();
        statuses
    });
    assert_eq!(statuses, [200, 400]);
    assert_eq!(
        home.tools("GET", &format!("users?group={administrator}"))
            .ok()["count"],
        2
    );
}
