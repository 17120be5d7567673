//! What the administration does for people: items, users of an environment, and seeing as one of them.

use serde_json::{Value, json};
use svc_tests::Call;

use crate::people::{Home, PASSWORD};

/// An API key of a new member of the project, as a header.
fn member(home: &Home, email: &str, team: &str) -> String {
    home.run(&["member", "set", "--project", "main", email, "--team", team]);
    let made = home.run(&["key", "add", "--project", "main", "--email", email]);
    format!("Bearer {}", made["api_key"].as_str().expect("a key"))
}

fn app(home: &Home, key: &str, method: &str, path: &str) -> Call {
    let path = format!("/projects/main/prod/{path}");
    home.service()
        .app_anonymous(method, &path)
        .authorization(key)
}

fn administrator(home: &Home) -> String {
    format!("Bearer {}", home.service().text("/api_key"))
}

#[test]
fn a_shared_item_is_not_there_for_a_team_that_may_not_read_what_it_is_about() {
    let home = Home::new();
    let administrator = administrator(&home);
    let ann = member(&home, "ann@about.example", "Editor");
    let share = |key: &str, model: Value| {
        let item = json!({
            "kind": "chart", "name": "n", "model": model, "value": {}, "shared": true
        });
        let made = app(&home, key, "POST", "items/").json(&item).expect(201);
        made.json()["uid"].as_str().expect("a uid").to_owned()
    };
    let seen = || {
        let listed = app(&home, &ann, "GET", "items/").ok();
        let models = listed["results"].as_array().expect("items").iter();
        let mut models: Vec<Value> = models.map(|item| item["model"].clone()).collect();
        models.sort_by_key(Value::to_string);
        Value::from(models)
    };
    let orders = share(&administrator, json!("shop.orders"));
    share(&administrator, json!("shop.products"));
    share(&administrator, json!("shop"));
    share(&administrator, json!("shopping.orders"));
    share(&administrator, Value::Null);
    let all = json!([
        "shop",
        "shop.orders",
        "shop.products",
        "shopping.orders",
        null
    ]);
    assert_eq!(seen(), all);
    let rule = |resource: Option<&str>, model: Option<&str>, rights: &[&str]| {
        let rule = json!({
            "team": "Editor", "resource": resource, "model": model, "rights": rights
        });
        let set = home
            .service()
            .app_anonymous("PUT", "/projects/main/rights/");
        let set = set.authorization(&administrator).json(&rule).send();
        assert!([200, 201].contains(&set.status.as_u16()), "{}", set.body);
    };
    rule(Some("shop"), Some("orders"), &[]);
    assert_eq!(seen(), json!(["shop.products", "shopping.orders", null]));
    let path = format!("items/{orders}/");
    for method in ["GET", "DELETE"] {
        app(&home, &ann, method, &path).expect(404);
    }
    rule(Some("shop"), None, &[]);
    rule(Some("shop"), Some("orders"), &["read"]);
    assert_eq!(seen(), json!(["shop.orders", "shopping.orders", null]));
    rule(None, None, &[]);
    assert_eq!(seen(), json!(["shop.orders", null]));
    // One's own are there, whatever they are about, and administrators see all.
    share(&ann, json!("shop.products"));
    assert_eq!(seen(), json!(["shop.orders", "shop.products", null]));
    let all = app(&home, &administrator, "GET", "items/").ok();
    assert_eq!(all["count"], 6);
}

#[test]
fn what_a_line_says_of_records_is_told_to_those_who_may_read_them() {
    let home = Home::new();
    let administrator = administrator(&home);
    let ann = member(&home, "ann@lines.example", "Editor");
    let path = "resources/shop/models/orders/history/?request_id=nobody";
    let nothing = app(&home, &ann, "GET", path).ok();
    assert_eq!(nothing["results"], json!([]));
    let rule = json!({"team": "Editor", "resource": "shop", "model": "orders", "rights": []});
    let set = home
        .service()
        .app_anonymous("PUT", "/projects/main/rights/");
    set.authorization(&administrator).json(&rule).expect(201);
    app(&home, &ann, "GET", path).expect(403);
    app(&home, &administrator, "GET", path).expect(200);
}

#[test]
fn items_are_their_owners_until_they_are_shared() {
    let home = Home::new();
    let administrator = administrator(&home);
    let ann = member(&home, "ann@items.example", "Read Only");
    let bob = member(&home, "bob@items.example", "Editor");
    let make = |body: &Value| app(&home, &ann, "POST", "items/").json(body);
    let new = json!({ "kind": "view", "name": "Late", "value": { "a": [1, null] } });
    let made = make(&new).expect(201).json();
    assert_eq!(made["shared"], false);
    assert_eq!(made["value"], new["value"]);
    let path = format!("items/{}/", made["uid"].as_str().expect("a uid"));
    for other in [&bob, &administrator] {
        app(&home, other, "GET", &path).expect(404);
        let change = json!({ "name": "Mine" });
        app(&home, other, "PATCH", &path).json(&change).expect(404);
        app(&home, other, "DELETE", &path).expect(404);
        let listed = app(&home, other, "GET", "items/").ok();
        assert_eq!(listed["count"], 0, "{listed}");
    }
    assert_eq!(app(&home, &ann, "GET", "items/").ok()["count"], 1);

    let found = app(&home, &ann, "GET", &path).expect(200);
    let tag = found.header("etag").to_owned();
    let share = json!({ "shared": true });
    let patch = |key: &str| app(&home, key, "PATCH", &path);
    let shared = patch(&ann).json(&share).header("if-match", &tag).ok();
    assert_eq!(shared["shared"], true);
    patch(&ann)
        .json(&share)
        .header("if-match", &tag)
        .expect(412);
    assert_eq!(app(&home, &bob, "GET", &path).ok()["name"], "Late");
    let query = [("kind", "view")];
    let listed = app(&home, &bob, "GET", "items/").query(&query).ok();
    assert_eq!(listed["count"], 1);
    let none = [("kind", "chart")];
    let listed = app(&home, &bob, "GET", "items/").query(&none).ok();
    assert_eq!(listed["count"], 0);
    patch(&bob).json(&json!({ "name": "Mine" })).expect(403);
    // What others keep for themselves is not found out by a relation either.
    let related = [("_relation", "kind.items.kind|name.Late")];
    app(&home, &bob, "GET", "items/")
        .query(&related)
        .expect(400);
    let renamed = json!({ "name": "Very late", "model": "shop.orders" });
    assert_eq!(
        patch(&administrator).json(&renamed).ok()["name"],
        "Very late"
    );
    app(&home, &bob, "DELETE", &path).expect(403);
    app(&home, &administrator, "DELETE", &path).expect(204);
    app(&home, &ann, "GET", &path).expect(404);

    let mut other = new.clone();
    other["kind"] = json!("song");
    assert!(make(&other).expect(400).json()["kind"].is_array());
    other["kind"] = json!("view");
    other["name"] = json!("");
    assert!(make(&other).expect(400).json()["name"].is_array());
    other["name"] = json!("Large");
    other["value"] = json!("x".repeat(256 << 10));
    assert!(make(&other).expect(400).json()["value"].is_array());
    let again = || {
        make(&new)
            .header("idempotency-key", "one")
            .expect(201)
            .json()
    };
    assert_eq!(again()["uid"], again()["uid"]);
}

#[test]
fn a_suspended_user_is_out_until_resumed() {
    let home = Home::new();
    let administrator = administrator(&home);
    let editor = member(&home, "ed@suspend.example", "Editor");
    let email = "ann@suspend.example";
    let uid = home.add(email, "Editor");
    let first = home.login(email, PASSWORD);
    let second = home.login(email, PASSWORD);
    let path = |rest: &str| format!("users/{uid}/{rest}");
    let call = |method: &str, rest: &str| app(&home, &administrator, method, &path(rest));

    let query = [("_per_page", "1")];
    let listed = call("GET", "sessions/").query(&query).ok();
    assert_eq!(
        (&listed["count"], &listed["has_more"]),
        (&json!(2), &json!(true))
    );
    assert!(listed["next"].is_string() && listed["previous"].is_null());
    let newest = listed["results"][0]["uid"].as_str().expect("a session");
    assert_eq!(listed["results"][0]["current"], false);
    let one = format!("sessions/{newest}/");
    call("DELETE", &one).expect(204);
    call("DELETE", &one).expect(404);
    home.user(&second).expect(401);
    home.user(&first).expect(200);

    app(&home, &editor, "POST", &path("suspend/")).expect(403);
    let code = home.reset_code(email);
    let suspended = call("POST", "suspend/").ok();
    assert_eq!(suspended["suspended"], true);
    assert_eq!(suspended["has_password"], true);
    home.user(&first).expect(401);
    home.refresh(&first).expect(401);
    let wrong = home.auth(
        "login",
        &json!({ "email": email, "password": "no such one" }),
    );
    let right = home.auth("login", &json!({ "email": email, "password": PASSWORD }));
    assert_eq!(right.expect(401).json(), wrong.expect(401).json());
    let complete = json!({ "code": code, "new_password": "another horse" });
    home.auth("reset_password_complete", &complete).expect(400);
    assert_eq!(call("GET", "").ok(), suspended);
    let mails = home.mails(email).len();
    let asked = home.auth("reset_password", &json!({ "email": email }));
    assert_eq!(asked.ok(), json!({ "result": true }));
    assert_eq!(home.mails(email).len(), mails);

    assert_eq!(call("POST", "resume/").ok()["suspended"], false);
    home.login(email, PASSWORD);
    let refused = call("POST", "invite/").expect(400).json();
    assert!(refused["non_field_errors"].is_array(), "{refused}");

    let boss = home.add("boss@suspend.example", "Administrator");
    app(
        &home,
        &administrator,
        "POST",
        &format!("users/{boss}/suspend/"),
    )
    .expect(400);
    let unknown = "users/00000000-0000-7000-8000-000000000000";
    app(&home, &administrator, "GET", &format!("{unknown}/")).expect(404);
    for rest in ["suspend/", "resume/", "invite/"] {
        app(&home, &administrator, "POST", &format!("{unknown}/{rest}")).expect(404);
    }
    app(
        &home,
        &administrator,
        "GET",
        &format!("{unknown}/sessions/"),
    )
    .expect(404);
}

#[test]
fn an_invitation_is_mailed_again() {
    let home = Home::new();
    let group = home.team("Editor");
    let email = "new@invite.example";
    let body = json!({ "email": email, "group": group });
    let made = home.tools("POST", "users").json(&body).expect(201).json();
    let uid = made["uid"].as_str().expect("a uid");
    let first = home.code(email);
    let path = format!("users/{uid}/invite/");
    let invited = app(&home, &administrator(&home), "POST", &path).ok();
    assert_eq!(invited["has_password"], false);
    assert_eq!(invited["group"], json!(group));
    assert_ne!(home.code(email), first);
}

#[test]
fn an_administrator_sees_what_a_user_would_see() {
    let home = Home::new();
    let administrator = administrator(&home);
    let editor = member(&home, "ed@act.example", "Editor");
    let user = home.add("ann@act.example", "Read Only");
    let session = home.login("ann@act.example", PASSWORD);
    let call = |method: &str, path: &str, key: &str| {
        home.call(method, &format!("shop/{path}"))
            .authorization(key)
            .header("x-act-as", &user)
    };
    let seen = call("GET", "models/orders", &administrator).expect(200);
    assert_eq!(seen.header("x-acting-as"), user);
    let own = home
        .call("GET", "shop/models/orders")
        .authorization(&session.header());
    assert_eq!(seen.json(), own.ok());
    // What the user may not do is refused as it would be to the user.
    let sql = json!({ "query": "SELECT 1" });
    let refused = call("POST", "sql_get_query", &administrator).json(&sql);
    let refused = refused.expect(403);
    assert_eq!(refused.header("x-acting-as"), user);
    let own = home
        .call("POST", "shop/sql_get_query")
        .authorization(&session.header());
    assert_eq!(refused.json(), own.json(&sql).expect(403).json());

    let new = json!({ "name": "Table" });
    let write = call("POST", "models/products", &administrator).json(&new);
    assert!(write.expect(400).json()["X-Act-As"].is_array());
    for key in [editor.as_str(), &session.header(), home.shop_token()] {
        call("GET", "models/orders", key).expect(403);
    }
    let unknown = home
        .call("GET", "shop/models/orders")
        .authorization(&administrator)
        .header("x-act-as", "00000000-0000-7000-8000-000000000000");
    unknown.expect(404);
    let lines = home.run(&["audit", "list", "--action", "users.act_as"]);
    let lines = lines.as_array().expect("lines");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().all(|line| line["record"] == json!(user)));
    // Who can sign in nowhere sees nothing.
    home.run(&["user", "suspend", "--project", "main", "ann@act.example"]);
    let refused = call("GET", "models/orders", &administrator).expect(403);
    assert!(refused.body.contains("suspended"), "{}", refused.body);
}

#[test]
fn the_list_of_users_says_how_it_stands_with_each() {
    let home = Home::new();
    let administrator = administrator(&home);
    let reader = member(&home, "reader@list.example", "Read Only");
    let make = |email: &str, password: Option<&str>| {
        let user =
            json!({"email": email, "team": "Read Only", "password": password, "first_name": "F"});
        let made = app(&home, &administrator, "POST", "users/").json(&user);
        made.expect(201).json()["uid"]
            .as_str()
            .expect("a uid")
            .to_owned()
    };
    make("invited@list.example", None);
    let uid = make("known@list.example", Some(PASSWORD));
    app(
        &home,
        &administrator,
        "POST",
        &format!("users/{uid}/suspend/"),
    )
    .ok();
    let query = [("_search", "list.example"), ("_order_by", "email")];
    let listed = app(&home, &administrator, "GET", "users/")
        .query(&query)
        .ok();
    let all = &listed["results"];
    assert_eq!(all.as_array().map(Vec::len), Some(2), "{listed}");
    let facts = |at: usize| {
        let facts = ["suspended", "has_password", "email_confirmed"];
        facts.map(|fact| all[at][fact].as_bool().expect("a truth"))
    };
    assert_eq!(facts(0), [false, false, false], "{listed}");
    assert_eq!(facts(1), [true, true, true], "{listed}");
    let one = app(&home, &administrator, "GET", &format!("users/{uid}/"));
    assert_eq!(one.ok(), all[1]);
    let suspended = [("suspended", "true")];
    let listed = app(&home, &administrator, "GET", "users/")
        .query(&suspended)
        .ok();
    assert_eq!(listed["count"], 1, "{listed}");
    app(&home, &reader, "GET", "users/").expect(403);
}
