//! Actions that carry an `Idempotency-Key` are done once.

use serde_json::{Value, json};
use svc_tests::Call;

use super::{operator, send};
use crate::people::Home;

#[test]
fn an_action_that_is_sent_again_with_its_key_is_done_once() {
    let home = Home::new();
    let operator = operator(&home);
    let post = |path: &str, body: &Value, key: &str| -> Call {
        send(&home, &operator, "POST", path, body).header("idempotency-key", key)
    };
    let users = "/projects/main/prod/users/";
    let invited = send(
        &home,
        &operator,
        "POST",
        users,
        &json!({"email": "ann@once.example", "team": "Editor"}),
    );
    let invited = invited.expect(201).json()["uid"]
        .as_str()
        .unwrap()
        .to_owned();
    let other = send(
        &home,
        &operator,
        "POST",
        users,
        &json!({"email": "bob@once.example", "team": "Editor"}),
    );
    let other = other.expect(201).json()["uid"].as_str().unwrap().to_owned();
    let none = json!({});

    // The first answer comes again, and what was done in between stays.
    let path = |uid: &str, action: &str| format!("{users}{uid}/{action}/");
    let suspended = post(&path(&invited, "suspend"), &none, "s").ok();
    let resumed = post(&path(&invited, "resume"), &none, "r").ok();
    assert_eq!(post(&path(&invited, "suspend"), &none, "s").ok(), suspended);
    let now = super::call(&home, &operator, "GET", &format!("{users}{invited}/"));
    assert_eq!(now.ok(), resumed);
    post(&path(&invited, "suspend"), &none, "s2").ok();
    assert_eq!(post(&path(&invited, "resume"), &none, "r").ok(), resumed);
    let now = super::call(&home, &operator, "GET", &format!("{users}{invited}/"));
    assert_eq!(now.ok()["suspended"], true);

    let mails = home.mails("bob@once.example").len();
    for _ in 0..2 {
        post(&path(&other, "invite"), &none, "i").ok();
    }
    assert_eq!(home.mails("bob@once.example").len(), mails + 1);
    // The key is that of another user's invitation.
    post(&path(&invited, "invite"), &none, "i").expect(422);

    let rotate = |key: &str, now: bool| post("/signing_keys/rotate/", &json!({ "now": now }), key);
    let kid = rotate("k", false).ok();
    assert_eq!(rotate("k", false).ok(), kid);
    assert_ne!(rotate("k2", false).ok(), kid);
    rotate("k", true).expect(422);

    send(
        &home,
        &operator,
        "POST",
        "/projects/main/environments/",
        &json!({"unique_name": "stage"}),
    )
    .expect(201);
    let copy = |to: &Value| post("/projects/main/environments/prod/copy/", to, "c");
    let to = json!({"to": "stage", "replace": true});
    let first = copy(&to).expect(200);
    let again = copy(&to).expect(200);
    assert_eq!(first.json(), again.json());
    assert_eq!(first.header("etag"), again.header("etag"));
    copy(&json!({"to": "stage"})).expect(422);

    let database = home.path().join("shop.db");
    let url = json!({"url": format!("sqlite:{}", database.display())});
    let test = || post("/projects/main/prod/resources/test/", &url, "t").ok();
    let first = test();
    assert_eq!(first["ok"], true);
    std::fs::remove_file(&database).unwrap();
    assert_eq!(test(), first);
}
