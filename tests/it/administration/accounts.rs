//! Accounts: signing in, their keys and sessions, and what operators do with them.

use serde_json::json;

use super::{add_account, call, member, operator, send, sign_in};
use crate::people::{Home, PASSWORD, UNTHROTTLED};

#[test]
fn an_account_signs_in_changes_its_profile_and_makes_keys_that_reach_no_further() {
    let home = Home::new();
    let ann = member(&home, "ann@example.com", "Editor");
    let profile = call(&home, &ann, "GET", "/account/").ok();
    assert_eq!(profile["email"], "ann@example.com");
    assert_eq!(profile["projects"][0]["unique_name"], "main");
    assert_eq!(profile["projects"][0]["team"]["name"], "Editor");
    assert_eq!(profile["is_operator"], false);
    let changed = send(
        &home,
        &ann,
        "PATCH",
        "/account/",
        &json!({"first_name": "Ann"}),
    )
    .ok();
    assert_eq!(changed["first_name"], "Ann");
    let wrong = send(
        &home,
        &ann,
        "PATCH",
        "/account/",
        &json!({"timezone": "Mars/Olympus"}),
    );
    assert!(wrong.expect(400).json()["timezone"].is_array());

    let key = |body| send(&home, &ann, "POST", "/account/api_keys/", &body);
    let foreign = key(json!({"projects": ["other"]})).expect(400);
    assert!(foreign.json()["projects"].is_array());
    let past = key(json!({"expires": "2020-01-01T00:00:00Z"})).expect(400);
    assert!(past.json()["expires"].is_array());
    let made = key(json!({"name": "ci", "projects": ["main"]}))
        .expect(201)
        .json();
    let limited = format!("Bearer {}", made["api_key"].as_str().unwrap());
    assert_eq!(made["projects"], json!(["main"]));
    // The key works on both hosts, and cannot change the account or make keys.
    call(&home, &limited, "GET", "/projects/main/").expect(200);
    home.call("GET", "shop/models/orders")
        .authorization(&limited)
        .expect(200);
    send(
        &home,
        &limited,
        "PATCH",
        "/account/",
        &json!({"first_name": "X"}),
    )
    .expect(403);
    send(&home, &limited, "POST", "/account/api_keys/", &json!({})).expect(403);
    call(&home, &limited, "GET", "/account/api_keys/").expect(403);
    // A key that ends makes none that lives longer.
    let ending = key(json!({"expires": "2036-01-01T00:00:00Z"}))
        .expect(201)
        .json();
    let ending = format!("Bearer {}", ending["api_key"].as_str().unwrap());
    let longer = send(&home, &ending, "POST", "/account/api_keys/", &json!({}));
    assert!(longer.expect(400).json()["expires"].is_array());

    let listed = call(&home, &ann, "GET", "/account/api_keys/").ok();
    assert_eq!(listed["count"], 2);
    assert!(
        !listed
            .to_string()
            .contains(made["api_key"].as_str().unwrap())
    );
    let uid = made["uid"].as_str().unwrap();
    call(&home, &ann, "DELETE", &format!("/account/api_keys/{uid}/")).expect(204);
    call(&home, &limited, "GET", "/projects/main/").expect(401);
    assert_eq!(
        call(&home, &ann, "GET", "/account/api_keys/").ok()["count"],
        1
    );
    let all = call(&home, &ann, "GET", "/account/api_keys/?revoked=1").ok();
    assert_eq!(all["count"], 2);
}

#[test]
fn operators_invite_change_and_delete_accounts_and_one_of_them_stays() {
    let home = Home::new();
    let operator = operator(&home);
    let made = send(
        &home,
        &operator,
        "POST",
        "/accounts/",
        &json!({"email": "bob@example.com"}),
    );
    let made = made.expect(201).json();
    let path = format!("/accounts/{}/", made["uid"].as_str().unwrap());
    assert_eq!(
        (&made["has_password"], &made["suspended"]),
        (&json!(false), &json!(false))
    );
    let again = send(
        &home,
        &operator,
        "POST",
        "/accounts/",
        &json!({"email": "BOB@example.com"}),
    );
    assert!(again.expect(400).json()["email"].is_array());
    // The invitation is in the outbox; its code is shown when that is asked for.
    let mails = call(&home, &operator, "GET", "/mails/").ok();
    assert_eq!(mails["results"][0]["recipient"], "bob@example.com");
    assert!(mails["results"][0].get("code").is_none());
    let mails = call(&home, &operator, "GET", "/mails/?codes=1").ok();
    let code = &mails["results"][0]["code"];
    let accept = home
        .service()
        .app_anonymous("POST", "/account/auth/accept_invitation/");
    accept
        .json(&json!({"code": code, "password": PASSWORD}))
        .expect(200);
    let bob = sign_in(&home, "bob@example.com");
    call(&home, &bob, "GET", "/accounts/").expect(403);
    // Who is suspended is signed out and cannot sign in again.
    send(
        &home,
        &operator,
        "PATCH",
        &path,
        &json!({"suspended": true}),
    )
    .expect(200);
    call(&home, &bob, "GET", "/account/").expect(401);
    let login = home.service().app_anonymous("POST", "/account/auth/login/");
    login
        .json(&json!({"email": "bob@example.com", "password": PASSWORD}))
        .expect(401);
    send(
        &home,
        &operator,
        "PATCH",
        &path,
        &json!({"suspended": false, "is_operator": true}),
    )
    .expect(200);
    let bob = sign_in(&home, "bob@example.com");
    call(&home, &bob, "GET", "/accounts/").expect(200);
    call(&home, &operator, "DELETE", &path).expect(204);
    call(&home, &bob, "GET", "/accounts/").expect(401);
    // The last operator can neither be deleted, nor suspended, nor become somebody else.
    let own = call(&home, &operator, "GET", "/account/").ok();
    let own = format!("/accounts/{}/", own["uid"].as_str().unwrap());
    call(&home, &operator, "DELETE", &own).expect(400);
    for change in [json!({"suspended": true}), json!({"is_operator": false})] {
        send(&home, &operator, "PATCH", &own, &change).expect(400);
    }
}

#[test]
fn a_call_that_is_sent_again_with_its_key_makes_one_thing_and_shows_its_secret_once() {
    let home = Home::new();
    let ann = member(&home, "ann@example.com", "Editor");
    let make = |key: &str, name: &str| {
        let call = send(
            &home,
            &ann,
            "POST",
            "/account/api_keys/",
            &json!({"name": name}),
        );
        call.header("idempotency-key", key).send()
    };
    let (first, again) = (make("k1", "ci"), make("k1", "ci"));
    assert_eq!((first.status.as_u16(), again.status.as_u16()), (201, 201));
    assert_eq!(first.json()["uid"], again.json()["uid"]);
    assert!(first.json()["api_key"].is_string());
    assert_eq!(again.json()["api_key"], json!(null));
    assert_eq!(make("k1", "other").status, 422);
    assert_eq!(make("k2", "ci").status, 201);
    assert_eq!(
        call(&home, &ann, "GET", "/account/api_keys/").ok()["count"],
        2
    );
    // A call that failed may be tried again.
    let wrong = |body| {
        let call = send(&home, &ann, "POST", "/account/api_keys/", &body);
        call.header("idempotency-key", "k3").send().status
    };
    assert_eq!(wrong(json!({"projects": ["none"]})), 400);
    assert_eq!(wrong(json!({"projects": ["main"]})), 201);
}

#[test]
fn the_program_adds_lists_changes_and_removes_accounts() {
    let home = Home::new();
    add_account(&home, "ann@example.com", &["--operator"]);
    let rows = home.run(&["account", "list"]);
    let ann = rows
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["email"] == "ann@example.com");
    assert_eq!(ann.unwrap()["operator"], true);
    add_account(&home, "bob@example.com", &["--operator"]);
    home.run(&["account", "set", "ann@example.com", "--operator", "off"]);
    home.run(&["account", "remove", "ann@example.com"]);
    let rows = home.run(&["account", "list"]).to_string();
    assert!(!rows.contains("ann@example.com") && rows.contains("bob@example.com"));
}

#[test]
fn sessions_of_an_account_are_listed_and_ended() {
    let home = Home::new();
    let ann = member(&home, "ann@example.com", "Editor");
    let other = sign_in(&home, "ann@example.com");
    let sessions = call(&home, &ann, "GET", "/account/sessions/").ok();
    assert_eq!(sessions["count"], 2);
    let rows = sessions["results"].as_array().unwrap();
    let elsewhere = rows.iter().find(|row| row["current"] == false).unwrap();
    assert_eq!(elsewhere["address"], "127.0.0.1");
    let path = format!("/account/sessions/{}/", elsewhere["uid"].as_str().unwrap());
    call(&home, &ann, "DELETE", &path).expect(204);
    call(&home, &other, "GET", "/account/").expect(401);
    call(&home, &ann, "GET", "/account/").expect(200);
    call(&home, &ann, "DELETE", &path).expect(404);
}

#[test]
fn an_operator_who_is_made_again_stays_one_and_the_first_invitation_is_worth_nothing() {
    let home = Home::new();
    let operator = operator(&home);
    let make = |body| send(&home, &operator, "POST", "/accounts/", &body);
    make(json!({"email": "bob@example.com", "is_operator": true})).expect(201);
    let mails = call(&home, &operator, "GET", "/mails/?codes=1").ok();
    let code = &mails["results"][0]["code"];
    let made = make(json!({"email": "bob@example.com", "password": PASSWORD}));
    assert_eq!(made.expect(201).json()["is_operator"], true);
    let accept = home
        .service()
        .app_anonymous("POST", "/account/auth/accept_invitation/");
    let accepted = accept.json(&json!({"code": code, "password": "another good one"}));
    assert!(accepted.expect(400).json()["code"].is_array());
    let bob = sign_in(&home, "bob@example.com");
    call(&home, &bob, "GET", "/accounts/").expect(200);
}

#[test]
fn the_key_of_an_operator_makes_none_that_lives_longer() {
    let home = Home::new();
    let operator = operator(&home);
    let ends = json!({"expires": "2036-01-01T00:00:00Z"});
    let made = send(&home, &operator, "POST", "/account/api_keys/", &ends);
    let ending = made.expect(201).json();
    let ending = format!("Bearer {}", ending["api_key"].as_str().unwrap());
    let make = |mut body: serde_json::Value| {
        body["project"] = json!("main");
        body["email"] = json!("operator@example.com");
        send(&home, &ending, "POST", "/api_keys/", &body)
    };
    for body in [json!({}), json!({"expires": "2036-01-02T00:00:00Z"})] {
        assert!(make(body).expect(400).json()["expires"].is_array());
    }
    let long = json!({"name": "x".repeat(1_000), "expires": "2035-01-01T00:00:00Z"});
    assert!(make(long).expect(400).json()["name"].is_array());
    make(json!({"expires": "2035-01-01T00:00:00Z"})).expect(201);
}

#[test]
fn a_key_of_an_operator_that_opens_everything_is_ended_as_a_whole() {
    let home = Home::new();
    let operator = operator(&home);
    let set = ["member", "set", "operator@example.com", "--team", "Editor"];
    home.run(&[&set[..], &["--project", "main"]].concat());
    let make = |body| {
        let made = send(&home, &operator, "POST", "/account/api_keys/", &body);
        made.expect(201).json()
    };
    let exclude = |key: &serde_json::Value| {
        let path = format!("/projects/main/api_keys/{}/", key["uid"].as_str().unwrap());
        call(&home, &operator, "DELETE", &path)
    };
    let refused = exclude(&make(json!({}))).expect(400);
    assert!(refused.body.contains("as a whole"), "{}", refused.body);
    let limited = make(json!({"projects": ["main"]}));
    exclude(&limited).expect(204);
    let limited = format!("Bearer {}", limited["api_key"].as_str().unwrap());
    call(&home, &limited, "GET", "/projects/main/").expect(403);
}

#[test]
fn a_key_that_a_project_shuts_out_makes_none_that_reaches_it() {
    shut_out(&Home::new());
    shut_out(&Home::with(&[UNTHROTTLED, &["--audit", "off"]].concat()));
}

fn shut_out(home: &Home) {
    let operator = operator(home);
    let ann = member(home, "ann@example.com", "Editor");
    let make = |credential: &str, body: &serde_json::Value| {
        send(home, credential, "POST", "/account/api_keys/", body)
    };
    let header = |key: &serde_json::Value| format!("Bearer {}", key["api_key"].as_str().unwrap());
    let opens = |key: &str| call(home, key, "GET", "/projects/main/").send().status;
    let key = make(&ann, &json!({})).expect(201).json();
    let path = format!("/projects/main/api_keys/{}/", key["uid"].as_str().unwrap());
    let key = header(&key);
    assert_eq!(opens(&key), 200);
    call(home, &operator, "DELETE", &path).expect(204);
    assert_eq!(opens(&key), 403);
    let refused = make(&key, &json!({"projects": ["main"]})).expect(400);
    assert!(refused.json()["projects"].is_array(), "{}", refused.body);
    let mut made = header(&make(&key, &json!({})).expect(201).json());
    assert_eq!(opens(&made), 403);
    // Nor does one that this one makes.
    made = header(&make(&made, &json!({})).expect(201).json());
    assert_eq!(opens(&made), 403);
    // The account itself is a member as before.
    let own = header(
        &make(&ann, &json!({"projects": ["main"]}))
            .expect(201)
            .json(),
    );
    assert_eq!(opens(&own), 200);
    // Nor does the key, when its account becomes an operator.
    home.run(&["account", "set", "ann@example.com", "--operator", "on"]);
    assert_eq!(opens(&key), 403);
}

#[test]
fn an_answer_with_a_new_secret_is_not_compressed() {
    let home = Home::new();
    let admin = member(&home, "admin@example.com", "Administrator");
    let models: Vec<String> = (0..100).map(|number| format!("model_{number}")).collect();
    let body = json!({"resource": "shop", "models": models});
    let path = "/projects/main/prod/tokens/";
    let compressed = |call: svc_tests::Call| {
        let answer = call.header("accept-encoding", "gzip").send();
        assert!(answer.status.is_success(), "{}", answer.body);
        answer.headers.contains_key("content-encoding")
    };
    assert!(!compressed(send(&home, &admin, "POST", path, &body)));
    // The list of the same tokens has no secret.
    assert!(compressed(call(&home, &admin, "GET", path)));
}

#[test]
fn the_answer_to_another_password_lists_the_keys_that_go_on() {
    let home = Home::new();
    let ann = member(&home, "ann@example.com", "Editor");
    let make = |body| {
        send(&home, &ann, "POST", "/account/api_keys/", &body)
            .expect(201)
            .json()
    };
    let whole = make(json!({"name": "ci"}));
    let limited =
        make(json!({"name": "one", "projects": ["main"], "expires": "2999-01-01T00:00:00Z"}));
    let revoked = make(json!({"name": "old"}));
    let path = format!("/account/api_keys/{}/", revoked["uid"].as_str().unwrap());
    call(&home, &ann, "DELETE", &path).expect(204);
    let key = format!("Bearer {}", whole["api_key"].as_str().unwrap());
    call(&home, &key, "GET", "/account/").expect(200);
    let change = json!({"current_password": PASSWORD, "new_password": "another horse battery"});
    let changed = send(
        &home,
        &ann,
        "POST",
        "/account/auth/change_password/",
        &change,
    )
    .expect(200);
    let keys = changed.json()["api_keys"].clone();
    let [first, second] = keys.as_array().unwrap().as_slice() else {
        panic!("{keys}");
    };
    assert_eq!(
        (&first["uid"], &second["uid"]),
        (&limited["uid"], &whole["uid"])
    );
    assert_eq!(
        (&first["projects"], &second["projects"]),
        (&json!(["main"]), &json!(null))
    );
    assert_eq!(
        (&second["name"], &second["prefix"]),
        (&whole["name"], &whole["prefix"])
    );
    assert!(
        second["last_use"].is_string() && second["date_add"].is_string(),
        "{keys}"
    );
    assert!(
        first["expires"].is_string() && second["expires"].is_null(),
        "{keys}"
    );
    assert!(!changed.body.contains(whole["api_key"].as_str().unwrap()));
    call(&home, &key, "GET", "/account/").expect(200);
    call(&home, &ann, "GET", "/account/").expect(401);
    // Users of an environment have none.
    home.add("bob@example.com", "Editor");
    let bob = home.login("bob@example.com", PASSWORD);
    let change = home
        .service()
        .root("POST", "/projects/main/prod/auth/change_password");
    let body = json!({"current_password": PASSWORD, "new_password": "another horse battery"});
    let changed = change.authorization(&bob.header());
    assert!(changed.json(&body).ok().get("api_keys").is_none());
}
