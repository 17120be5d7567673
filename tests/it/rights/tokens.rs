//! Static tokens that are limited to rights and models.

use serde_json::{Value, json};
use svc_tests::{Program, wait_until};

use crate::people::{Home, keys};

fn token(home: &Home, resource: &str, limits: &[&str]) -> String {
    let add = ["token", "add", resource, "--project", "main"];
    let made = home.run(&[&add[..], limits].concat());
    made["token"].as_str().unwrap().to_owned()
}

#[test]
fn a_model_beyond_the_limits_is_not_described() {
    let home = Home::new();
    let limits = ["--rights", "read", "--models", "orders,products"];
    let limited = token(&home, "shop", &limits);
    let get = |path: &str, token: &str| {
        let call = home.call("GET", &format!("shop/{path}"));
        call.authorization(token).expect(200)
    };
    let described = get("model_descriptions", &limited);
    let models = described.json();
    let names: Vec<&Value> = models
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["model"])
        .collect();
    assert_eq!(names, ["orders", "products"]);
    assert!(!described.body.contains("customers"), "{}", described.body);
    let none = json!({"create": false, "update": false, "delete": false});
    assert_eq!(models[0]["can"], none);
    let document = get("openapi.json", &limited);
    assert!(!document.body.contains("customers"), "{}", document.body);
    // What another caller was told is not told to this one, nor the other way.
    let all = get("model_descriptions", home.shop_token());
    assert_eq!(all.json().as_array().unwrap().len(), 3);
    assert_ne!(all.header("etag"), described.header("etag"));
    let other = token(&home, "shop", &["--models", "customers"]);
    assert_eq!(
        get("model_descriptions", &other)
            .json()
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        keys(&get("model_descriptions", &limited).json()[0]),
        keys(&models[0])
    );
}

#[test]
fn related_records_beyond_the_limits_are_null_and_select_nothing() {
    let home = Home::new();
    let limited = token(&home, "shop", &["--models", "orders"]);
    let call = |method: &str, path: &str| {
        let call = home.call(method, &format!("shop/models/{path}"));
        call.authorization(&limited)
    };
    let listed = call("GET", "orders?_expand=customer_id").expect(200);
    assert_eq!(
        listed.json()["results"][0]["_expand"],
        json!({"customer_id": null})
    );
    assert!(!listed.body.contains("Ann"), "{}", listed.body);
    let one = call("GET", "orders/1?_expand=customer_id(name)").expect(200);
    assert!(!one.body.contains("Ann"), "{}", one.body);
    for path in [
        "orders?_relation=customer_id.customers.id|name.Ann",
        "orders/aggregate?_y_func=count&_relation=customer_id.customers.id|name.Ann",
        "customers",
        "customers/1",
        "customers/1/name",
        "customers/1/references",
        "customers/aggregate?_y_func=count",
        "nothing",
    ] {
        call("GET", path).expect(403);
    }
    let update = call(
        "PATCH",
        "orders?_relation=customer_id.customers.id|name.Ann",
    );
    update.json(&json!({"note": "x"})).expect(403);
    let customers = token(&home, "shop", &["--models", "customers"]);
    let references = home.call("GET", "shop/models/customers/1/references");
    let references = references.authorization(&customers).ok();
    assert_eq!(references[0]["count"], Value::Null);
}

#[test]
fn who_may_only_write_learns_nothing_by_writing() {
    let home = Home::new();
    let limits = ["--rights", "write,delete", "--models", "orders"];
    let sink = token(&home, "shop", &limits);
    let call = |method: &str, path: &str| {
        let call = home.call(method, &format!("shop/models/orders{path}"));
        call.authorization(&sink)
    };
    let created = call("POST", "")
        .json(&json!({"note": "x", "customer_id": 1}))
        .expect(201);
    assert_eq!(keys(&created.json()), ["id"]);
    assert_eq!(created.header("etag"), "");
    let changed = call("PATCH", "/1").json(&json!({})).expect(200);
    assert_eq!(keys(&changed.json()), ["id"]);
    call("PATCH", "?note=first")
        .json(&json!({"note": "y"}))
        .expect(403);
    call("DELETE", "?note=first").expect(403);
    call("POST", "?_on_conflict=id")
        .json(&json!({"id": 1, "note": "z"}))
        .expect(200);
}

#[test]
fn an_import_has_the_limits_of_its_token() {
    let home = Home::new();
    let limits = ["--rights", "read,write", "--models", "products"];
    let clerk = token(&home, "shop", &limits);
    let import = |model: &str, token: &str| {
        let call = home.call("POST", &format!("shop/models/{model}/imports"));
        let call = call.authorization(token).header("content-type", "text/csv");
        call.body("name\nTable\n")
    };
    import("orders", &clerk).expect(403);
    let reader = token(&home, "shop", &["--rights", "read"]);
    import("products", &reader).expect(403);
    let begun = import("products", &clerk).expect(202).json();
    let path = format!(
        "shop/models/products/imports/{}",
        begun["uid"].as_str().unwrap()
    );
    wait_until("the import is done", || {
        let job = home.call("GET", &path).authorization(&clerk).ok();
        job["state"] == "done" && job["made"] == 1
    });
    // It is that of its token.
    home.call("GET", &path).authorization(&reader).expect(404);
}

#[test]
fn sql_functions_and_a_reload_need_a_token_without_limits() {
    let home = Home::new();
    for limits in [
        &["--rights", "read,write"][..],
        &["--models", "orders,customers,products"],
    ] {
        let limited = token(&home, "shop", limits);
        for path in ["sql_get_query", "reload", "functions/f"] {
            let call = home.call("POST", &format!("shop/{path}"));
            let call = call
                .authorization(&limited)
                .json(&json!({"query": "SELECT 1"}));
            let refused = call.expect(403).json();
            assert!(
                refused["detail"].as_str().unwrap().contains("no limits"),
                "{refused}"
            );
        }
        let own = home.call("GET", "shop/statements").authorization(&limited);
        assert_eq!(own.ok(), json!([]));
        home.call("DELETE", "shop/statements/none")
            .authorization(&limited)
            .expect(404);
        home.call("GET", "__svc_app__/models/users")
            .authorization(&limited)
            .expect(403);
    }
}

#[test]
fn a_limited_token_of_the_tools_reads_users_and_changes_none() {
    let home = Home::new();
    home.add("ann@example.com", "Editor");
    let reader = token(&home, "__svc_app__", &["--rights", "read"]);
    let call = |method: &str, path: &str, token: &str| {
        let call = home.call(method, &format!("__svc_app__/{path}"));
        call.authorization(token)
    };
    let users = call("GET", "models/users", &reader).ok();
    assert_eq!(users["count"], 1, "{users}");
    let uid = users["results"][0]["uid"].as_str().unwrap();
    let one = format!("models/users/{uid}");
    call("GET", &one, &reader).expect(200);
    call("DELETE", &one, &reader).expect(403);
    call("PATCH", &one, &reader)
        .json(&json!({"first_name": "Ann"}))
        .expect(403);
    call("POST", "models/users", &reader)
        .json(&json!({}))
        .expect(403);
    call("POST", "reload", &reader).expect(403);
    let teams = token(
        &home,
        "__svc_app__",
        &["--rights", "read", "--models", "groups"],
    );
    call("GET", "models/groups", &teams).expect(200);
    call("GET", "models/users", &teams).expect(403);
    let described = call("GET", "model_descriptions", &teams).ok();
    assert_eq!(described.as_array().unwrap().len(), 1);
}

#[test]
fn tokens_are_listed_with_their_limits_and_made_for_models_that_exist() {
    let home = Home::new();
    token(
        &home,
        "shop",
        &["--rights", "read", "--models", "orders,customers"],
    );
    let listed = home.run(&["token", "list", "--project", "main"]);
    let listed = listed.as_array().unwrap();
    let limited: Vec<&Value> = listed
        .iter()
        .filter(|one| !one["rights"].is_null())
        .collect();
    assert_eq!(limited.len(), 1, "{listed:?}");
    assert_eq!(limited[0]["rights"], json!(["read"]));
    assert_eq!(limited[0]["models"], json!(["customers", "orders"]));
    let table = Program::new(home.path(), &["token", "list", "--project", "main"]).run_ok();
    assert!(
        table.contains("customers, orders") && table.contains("all"),
        "{table}"
    );
    for (limits, message) in [
        (["--models", "order"], "did you mean orders?"),
        (["--rights", "none"], "--rights"),
        (["--rights", "read,admin"], "--rights"),
        (["--models", ""], "--models"),
    ] {
        let add = ["token", "add", "shop", "--project", "main"];
        let arguments = [&add[..], &limits].concat();
        let (_, errors) = Program::new(home.path(), &arguments).run_err();
        assert!(errors.contains(message), "{limits:?}: {errors}");
    }
}
