//! Teams: read, and renamed.

use serde_json::{Value, json};

use crate::people::{Home, PASSWORD, keys, named};

#[test]
fn a_project_has_three_built_in_teams() {
    let home = Home::new();
    let page = home.tools("GET", "groups?_order_by=name").ok();
    assert_eq!(page["count"], 3);
    let teams = page["results"].as_array().unwrap();
    let names: Vec<&str> = teams
        .iter()
        .map(|team| team["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Administrator", "Editor", "Read Only"]);
    for team in teams {
        assert_eq!(keys(team), ["name", "uid"]);
        let path = format!("groups/{}", team["uid"].as_str().unwrap());
        assert_eq!(home.tools("GET", &path).ok(), *team);
    }
    home.tools("GET", "groups/x").expect(404);
    home.tools("GET", "groups/01900000-0000-7000-8000-000000000000")
        .expect(404);
    let count = home.tools("GET", "groups/aggregate?_y_func=count").ok();
    assert_eq!(count, json!({"y_func": 3}));
    for hidden in [
        "permissions_group",
        "super_group",
        "position",
        "project_uid",
    ] {
        home.tools("GET", &format!("groups?{hidden}=1")).expect(400);
    }
}

#[test]
fn a_renamed_team_keeps_its_rights() {
    let home = Home::new();
    let session = home.member("ann@example.com", "Editor");
    let uid = home.team("Editor");
    let path = format!("groups/{uid}");
    let before = home
        .tools("GET", &path)
        .expect(200)
        .header("etag")
        .to_owned();
    let renamed = home
        .tools("PATCH", &path)
        .json(&json!({"name": " Writers "}))
        .expect(200);
    assert_eq!(renamed.json(), json!({"uid": uid, "name": "Writers"}));
    assert_ne!(renamed.header("etag"), before);
    assert_eq!(home.tools("GET", &path).ok()["name"], "Writers");
    let user = home
        .call("POST", "shop/models/customers")
        .authorization(&session.header());
    user.json(&json!({"name": "x"})).expect(201);
    let stale = home
        .tools("PATCH", &path)
        .header("if-match", &before)
        .json(&json!({"name": "X"}));
    stale.expect(412);
    home.add("bob@example.com", "writers");
    let session = home.login("bob@example.com", PASSWORD);
    let user = home
        .call("POST", "shop/models/customers")
        .authorization(&session.header());
    user.json(&json!({"name": "x"})).expect(201);
    // Its own name does not count as the name of another team.
    home.tools("PATCH", &path)
        .json(&json!({"name": "Writers"}))
        .expect(200);
    home.tools("PATCH", &path)
        .json(&json!({"name": "WRITERS"}))
        .expect(200);
}

#[test]
fn only_the_name_of_a_team_can_be_written() {
    let home = Home::new();
    let path = format!("groups/{}", home.team("Editor"));
    let before = home.tools("GET", "groups").ok();
    let refused = |body: &Value| named(&home.tools("PATCH", &path).json(body).expect(400));
    assert_eq!(refused(&json!({})), ["non_field_errors"]);
    for name in [
        "uid",
        "permissions_group",
        "super_group",
        "position",
        "project",
        "rights",
        "",
    ] {
        assert_eq!(refused(&json!({name: "x"})), [name]);
        assert_eq!(refused(&json!({name: "x", "name": "Writers"})), [name]);
    }
    let long = "x".repeat(256);
    for wrong in [json!(""), json!("  "), json!(null), json!(7), json!(long)] {
        assert_eq!(refused(&json!({"name": wrong})), ["name"], "{wrong}");
    }
    // Names that differ only in their case would be ambiguous.
    for taken in ["Administrator", "administrator", "READ only", " Read Only "] {
        assert_eq!(refused(&json!({"name": taken})), ["name"], "{taken}");
    }
    assert_eq!(home.tools("GET", "groups").ok(), before);
    let none = "groups/01900000-0000-7000-8000-000000000000";
    home.tools("PATCH", none)
        .json(&json!({"name": "X"}))
        .expect(404);
}

#[test]
fn a_team_cannot_be_created_replaced_or_deleted() {
    let home = Home::new();
    let path = format!("groups/{}", home.team("Editor"));
    let before = home.tools("GET", "groups").ok();
    for body in [r#"{"name": "New"}"#, "{}", ""] {
        for slash in ["", "/"] {
            let made = home
                .tools("POST", &format!("groups{slash}"))
                .body(body)
                .expect(405);
            assert_eq!(made.header("allow"), "GET, HEAD", "{body}");
            let put = home
                .tools("PUT", &format!("{path}{slash}"))
                .body(body)
                .expect(405);
            assert_eq!(put.header("allow"), "GET, HEAD, PATCH", "{body}");
        }
    }
    for id in [path.as_str(), "groups/x"] {
        let deleted = home.tools("DELETE", id).expect(405);
        assert_eq!(deleted.header("allow"), "GET, HEAD, PATCH");
        assert_eq!(deleted.json()["error_code"], "method_not_allowed");
    }
    for (method, path) in [
        ("PATCH", "groups"),
        ("DELETE", "groups"),
        ("PUT", "users"),
        ("DELETE", "users"),
    ] {
        let answer = home.tools(method, path).expect(405);
        assert!(answer.header("allow").contains("GET"), "{method} {path}");
    }
    assert_eq!(home.tools("GET", "groups").ok(), before);
}
