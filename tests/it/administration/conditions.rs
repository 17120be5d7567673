//! Changes that are made only if what they change is still what was read (`If-Match`).

use serde_json::{Value, json};
use svc_tests::Answer;

use super::{call, member, operator, send};
use crate::people::Home;

/// The entity tag of what an answer holds.
fn tag(answer: &Answer) -> String {
    answer.header("etag").to_owned()
}

#[test]
fn settings_of_a_project_and_of_an_account_are_changed_under_their_entity_tags() {
    let home = Home::new();
    let admin = member(&home, "admin@example.com", "Administrator");
    for (path, name, values) in [
        ("/projects/main/", "name", ["First", "Second"]),
        (
            "/projects/main/sign_in/",
            "mail_link",
            [
                "https://a.example/{call}/{code}",
                "https://b.example/{call}/{code}",
            ],
        ),
        ("/account/", "first_name", ["Ada", "Bob"]),
    ] {
        let read = || call(&home, &admin, "GET", path);
        let read_tag = tag(&read().expect(200));
        let known = read().header("if-none-match", &read_tag);
        known.expect(304);
        let change = |value: &str, tag: &str| {
            let change = send(&home, &admin, "PATCH", path, &json!({ name: value }));
            change.header("if-match", tag)
        };
        let changed = change(values[0], &read_tag).expect(200);
        let refused = change(values[1], &read_tag).expect(412);
        assert_eq!(refused.json()["error_code"], "precondition_failed");
        assert_eq!(read().ok()[name], values[0], "{path}");
        assert_eq!(tag(&changed), tag(&read().expect(200)), "{path}");
        change(values[1], &tag(&changed)).expect(200);
        change(values[0], "*").expect(200);
        change(values[0], "no tag").expect(400);
    }
    let delete = |tag: &str| {
        let delete = call(&home, &admin, "DELETE", "/projects/main/?confirm=main");
        delete.header("if-match", tag)
    };
    let last = tag(&call(&home, &admin, "GET", "/projects/main/").expect(200));
    delete("\"other\"").expect(412);
    call(&home, &admin, "GET", "/projects/main/").expect(200);
    delete(&last).expect(204);
}

#[test]
fn an_entity_tag_holds_for_the_credential_that_has_read_it() {
    let home = Home::new();
    let operator = operator(&home);
    let new = json!({"projects": ["main"]});
    let key = send(&home, &operator, "POST", "/account/api_keys/", &new);
    let key = key.expect(201).json();
    let key = format!("Bearer {}", key["api_key"].as_str().unwrap());
    for credential in [&operator, &key] {
        let read = tag(&call(&home, credential, "GET", "/projects/main/").expect(200));
        let change = json!({"name": format!("Changed under {read}")});
        let change = send(&home, credential, "PATCH", "/projects/main/", &change);
        let changed = change.header("if-match", &read).expect(200);
        let again = call(&home, credential, "GET", "/projects/main/").expect(200);
        assert_eq!(tag(&changed), tag(&again));
    }
}

#[test]
fn rules_and_secrets_are_replaced_and_removed_under_their_entity_tags() {
    let home = Home::new();
    let operator = operator(&home);
    let rule = |rights: &[&str]| json!({"team": "Editor", "resource": "shop", "rights": rights});
    let secret = |value: &str| json!({"resource": "shop", "name": "key", "hosts": ["a.example"], "value": value});
    let rights = "/projects/main/rights/";
    let secrets = "/projects/main/prod/secrets/";
    for (path, first, second) in [
        (rights, rule(&["read"]), rule(&[])),
        (secrets, secret("one"), secret("two")),
    ] {
        let put = |body: &Value| send(&home, &operator, "PUT", path, body);
        // There is none yet that a tag could be of.
        put(&first).header("if-match", "*").expect(412);
        put(&first).header("if-match", "\"other\"").expect(412);
        let made = put(&first).expect(201);
        let replaced = put(&second).header("if-match", &tag(&made)).expect(200);
        put(&first).header("if-match", &tag(&made)).expect(412);
        let listed = call(&home, &operator, "GET", path).ok();
        assert_eq!(listed["results"], json!([replaced.json()]), "{path}");
        let one = match path {
            _ if path == secrets => format!("{secrets}shop/key/"),
            _ => format!("{rights}{}/", made.json()["uid"].as_str().unwrap()),
        };
        let remove = |tag: &str| call(&home, &operator, "DELETE", &one).header("if-match", tag);
        remove(&tag(&made)).expect(412);
        remove(&tag(&replaced)).expect(204);
    }
}

#[test]
fn nothing_is_deleted_that_has_changed_since_it_was_read() {
    let home = Home::new();
    let operator = operator(&home);
    let make = |path: &str, body: Value| {
        let made = send(&home, &operator, "POST", path, &body)
            .expect(201)
            .json();
        let key = ["uid", "unique_name"]
            .into_iter()
            .find_map(|key| made[key].as_str());
        format!("{path}{}/", key.unwrap())
    };
    let url = format!("sqlite:{}", home.path().join("shop.db").display());
    let item = json!({"kind": "view", "name": "Late", "value": {}});
    for (path, change) in [
        (
            make(
                "/projects/main/environments/",
                json!({"unique_name": "stage"}),
            ),
            json!({"name": "Stage"}),
        ),
        (
            make("/projects/main/teams/", json!({"name": "Support"})),
            json!({"name": "Help"}),
        ),
        (
            make(
                "/projects/main/members/",
                json!({"email": "bob@example.com", "team": "Editor"}),
            ),
            json!({"team": "Read Only"}),
        ),
        (
            make(
                "/projects/main/prod/resources/",
                json!({"unique_name": "crm", "url": url}),
            ),
            json!({"name": "CRM"}),
        ),
        (
            make("/projects/main/prod/items/", item),
            json!({"name": "Very late"}),
        ),
        (
            make("/accounts/", json!({"email": "eve@example.com"})),
            json!({"first_name": "Eve"}),
        ),
    ] {
        let read = tag(&call(&home, &operator, "GET", &path).expect(200));
        let changed = send(&home, &operator, "PATCH", &path, &change).expect(200);
        let delete = |tag: &str| call(&home, &operator, "DELETE", &path).header("if-match", tag);
        delete(&read).expect(412);
        call(&home, &operator, "GET", &path).expect(200);
        delete(&tag(&changed)).expect(204);
        delete("*").expect(404);
    }
}

#[test]
fn an_entity_tag_is_refused_where_nothing_has_one() {
    let home = Home::new();
    let operator = operator(&home);
    let host = send(
        &home,
        &operator,
        "POST",
        "/projects/main/allowed_hosts/",
        &json!({"host": "a.example"}),
    );
    host.expect(201);
    let path = "/projects/main/allowed_hosts/a.example/";
    let delete = |tag: &str| call(&home, &operator, "DELETE", path).header("if-match", tag);
    let refused = delete("\"1\"").expect(400).json();
    let message = refused["non_field_errors"][0].as_str().unwrap();
    assert!(message.contains("If-Match"), "{message}");
    assert_eq!(
        call(&home, &operator, "GET", "/projects/main/allowed_hosts/").ok()["count"],
        1
    );
    let make = send(
        &home,
        &operator,
        "POST",
        "/projects/main/teams/",
        &json!({"name": "Support"}),
    );
    make.header("if-match", "\"1\"").expect(400);
    delete("*").expect(204);
}
