//! Changed rights apply to existing sessions.

use std::time::Instant;

use serde_json::json;
use svc_tests::{PROMPT, wait_until};

use crate::people::Home;

#[test]
fn changed_rights_apply_to_an_existing_session_within_a_second() {
    let home = Home::new();
    let session = home.member("ann@example.com", "Editor");
    let status = |method: &str, path: &str| {
        let call = home.call(method, path).authorization(&session.header());
        call.json(&json!({"name": "x"})).send().status.as_u16()
    };
    let customers = "shop/models/customers";
    assert_eq!(
        (status("GET", customers), status("POST", customers)),
        (200, 201)
    );
    let on = ["--project=main", "--resource=shop", "--model=customers"];
    for (rights, get, post) in [
        ("none", 403, 403),
        ("read", 200, 403),
        ("write", 403, 201),
        ("read,write", 200, 201),
    ] {
        home.run(&[&["rights", "set", "Editor", "--rights", rights][..], &on].concat());
        let begun = Instant::now();
        wait_until("the rights are felt", || {
            (status("GET", customers), status("POST", customers)) == (get, post)
        });
        assert!(begun.elapsed() < PROMPT, "{rights}: {:?}", begun.elapsed());
        assert_eq!(status("GET", "shop/models/products"), 200);
        home.user(&session).expect(200);
    }
    home.run(&[&["rights", "set", "Editor", "--rights", "none"][..], &on].concat());
    wait_until("the rights are felt", || status("GET", customers) == 403);
    home.run(&[&["rights", "remove", "Editor"][..], &on].concat());
    wait_until("the rule is gone", || status("GET", customers) == 200);
    assert_eq!(status("DELETE", "shop/models/orders/1"), 204);
}

#[test]
fn a_renamed_team_keeps_its_rules() {
    let home = Home::new();
    let on = ["--project=main", "--resource=shop", "--model=customers"];
    home.run(&[&["rights", "set", "Editor", "--rights", "none"][..], &on].concat());
    let session = home.member("ann@example.com", "Editor");
    let path = format!("groups/{}", home.team("Editor"));
    home.tools("PATCH", &path)
        .json(&json!({"name": "Administrators"}))
        .expect(200);
    let call = || {
        let call = home.call("GET", "shop/models/customers");
        call.authorization(&session.header())
    };
    call().expect(403);
    let rules = home.run(&["rights", "list", "Administrators", "--project=main"]);
    assert_eq!(rules[0]["rights"], json!([]));
    let sql = home
        .call("POST", "shop/sql_get_query")
        .authorization(&session.header());
    sql.json(&json!({"query": "SELECT 1"})).expect(403);
}

#[test]
fn changed_rights_apply_to_a_service_token_until_it_is_revoked() {
    let home = Home::new();
    let made = home.run(&["service-token", "add", "--team=Editor", "--project=main"]);
    let token = made["token"].as_str().unwrap();
    let status = || {
        let call = home.call("GET", "shop/models/orders");
        let call = call.authorization(&format!("JWT {token}"));
        call.send().status.as_u16()
    };
    assert_eq!(status(), 200);
    home.run(&["rights", "set", "Editor", "--rights=none", "--project=main"]);
    wait_until("the rights are felt", || status() == 403);
    home.run(&["rights", "remove", "Editor", "--project=main"]);
    wait_until("the rule is gone", || status() == 200);
    home.run(&["service-token", "revoke", token]);
    wait_until("the token is refused", || status() == 401);
}
