//! Teams cannot find out in other ways what they may not read.

use serde_json::{Value, json};

use crate::people::{Home, PASSWORD, Session, keys};

fn set(home: &Home, team: &str, rights: &str, on: &[&str]) {
    let rule = [
        "rights",
        "set",
        team,
        "--rights",
        rights,
        "--project",
        "main",
    ];
    home.run(&[&rule[..], on].concat());
}

#[test]
fn denied_and_missing_models_get_the_same_response() {
    let home = Home::new();
    set(
        &home,
        "Editor",
        "none",
        &["--resource=shop", "--model=customers"],
    );
    set(
        &home,
        "Editor",
        "none",
        &["--resource=shop", "--model=ghosts", "--later"],
    );
    set(&home, "Read Only", "none", &[]);
    let (editor, reader) = (
        home.member("editor@example.com", "Editor"),
        home.member("reader@example.com", "Read Only"),
    );
    let told = |session: &Session, method: &str, path: &str| {
        let call = home.call(method, path).authorization(&session.header());
        let answer = call.json(&json!({"nonsense": 1})).send();
        (answer.status.as_u16(), answer.body)
    };
    for (method, path) in [
        ("GET", ""),
        ("GET", "?nonsense=1"),
        ("GET", "/1"),
        ("GET", "/none"),
        ("GET", "/1/get_siblings"),
        ("GET", "/aggregate"),
        ("POST", "/group"),
        ("POST", ""),
        ("POST", "/bulk_create"),
        ("PATCH", "/1"),
        ("PUT", "/1"),
        ("DELETE", "/1"),
    ] {
        let denied = told(&editor, method, &format!("shop/models/customers{path}"));
        assert_eq!(denied.0, 403, "{method} {path}: {}", denied.1);
        let missing = told(&editor, method, &format!("shop/models/ghosts{path}"));
        assert_eq!(missing, denied, "{method} {path}");
        for place in [
            "shop/models/customers",
            "shop/models/nothing",
            "nowhere/models/customers",
        ] {
            assert_eq!(
                told(&reader, method, &format!("{place}{path}")),
                denied,
                "{method} {place}{path}"
            );
        }
    }
    let related = |model: &str| {
        let path = format!("shop/models/orders?_relation=customer_id.{model}.id|nonsense.1");
        told(&editor, "GET", &path)
    };
    assert_eq!(related("customers"), related("ghosts"));
    assert_eq!(related("customers").0, 403);
    // Models that are not denied may be missing.
    assert_eq!(told(&editor, "GET", "shop/models/nothing").0, 404);
}

#[test]
fn a_model_that_may_not_be_read_is_not_described() {
    let home = Home::new();
    set(
        &home,
        "Editor",
        "write,delete",
        &["--resource=shop", "--model=customers"],
    );
    let orders = ["--resource=shop", "--model=orders"];
    set(&home, "Editor", "read", &orders);
    set(&home, "Read Only", "none", &[]);
    let get = |session: &Session, path: &str| {
        let call = home.call("GET", &format!("shop/{path}"));
        call.authorization(&session.header()).expect(200)
    };
    let editor = home.member("editor@example.com", "Editor");
    let answer = get(&editor, "model_descriptions");
    let models = answer.json();
    let names: Vec<&Value> = models
        .as_array()
        .unwrap()
        .iter()
        .map(|model| &model["model"])
        .collect();
    assert_eq!(names, ["orders", "products"]);
    let can =
        |create, update, delete| json!({"create": create, "update": update, "delete": delete});
    for (model, may_write) in [(&models[0], false), (&models[1], true)] {
        assert_eq!(
            model["can"],
            can(may_write, may_write, may_write),
            "{model}"
        );
        assert_eq!(model["fields"][1]["read_only"], !may_write, "{model}");
    }
    assert!(!answer.body.contains("customers"), "{}", answer.body);
    let answer = get(&editor, "openapi.json");
    let document = answer.json();
    assert!(document["paths"]["/models/orders"].is_object());
    assert!(!answer.body.contains("customers"), "{}", answer.body);

    let reader = home.member("reader@example.com", "Read Only");
    assert_eq!(get(&reader, "model_descriptions").json(), json!([]));
    let document = get(&reader, "openapi.json").json();
    let paths = keys(&document["paths"]);
    assert!(
        !paths.iter().any(|path| path.starts_with("/models")),
        "{paths:?}"
    );

    // Callers with the right to read see the models, and the entity tags differ.
    let admin = home.member("admin@example.com", "Administrator");
    let all = get(&admin, "model_descriptions");
    assert_eq!(all.json().as_array().unwrap().len(), 3);
    let call = home
        .call("GET", "shop/model_descriptions")
        .authorization(&editor.header());
    call.header("if-none-match", all.header("etag")).expect(200);
}

#[test]
fn related_records_that_may_not_be_read_are_null_whatever_is_asked_of_them() {
    let home = Home::new();
    let on = ["--resource=shop", "--model=customers"];
    set(&home, "Editor", "write,delete", &on);
    let editor = home.member("editor@example.com", "Editor");
    let admin = home.member("admin@example.com", "Administrator");
    let get = |session: &Session, path: &str| {
        let call = home.call("GET", &format!("shop/models/{path}"));
        call.authorization(&session.header()).expect(200).json()
    };
    let whole = get(&admin, "orders/1?_expand=customer_id.orders");
    assert_eq!(whole["_expand"]["customer_id"]["name"], "Ann");
    for expand in [
        "customer_id",
        "customer_id(name)",
        "customer_id(nonsense)",
        "customer_id.orders",
        "customer_id.nonsense",
    ] {
        for path in [
            format!("orders/1?_expand={expand}"),
            format!("orders?id=1&_no_pagination=1&_expand={expand}"),
        ] {
            let told = get(&editor, &path);
            let record = told.get(0).unwrap_or(&told);
            assert_eq!(record["_expand"], json!({"customer_id": null}), "{path}");
        }
    }
    let on_orders = ["--resource=shop", "--model=orders"];
    set(&home, "Read Only", "none", &on_orders);
    let reader = home.member("reader@example.com", "Read Only");
    let references = get(&reader, "customers/2/references");
    assert_eq!(references[0]["count"], Value::Null, "{references}");
    assert_eq!(get(&admin, "customers/2/references")[0]["count"], 2);
    // The right to write them is not that to read what selects them.
    for (method, query) in [
        ("PATCH", "customers?name=Ann"),
        ("PATCH", "customers?_all=1"),
        ("DELETE", "customers?name=Ann&_expect=0"),
        (
            "PATCH",
            "orders?_relation=customer_id.customers.id|name.Ann",
        ),
    ] {
        let call = home.call(method, &format!("shop/models/{query}"));
        let answer = call
            .authorization(&editor.header())
            .json(&json!({"name": "x"}))
            .send();
        assert_eq!(answer.status, 403, "{method} {query}: {}", answer.body);
    }
    assert_eq!(get(&admin, "customers/1")["name"], "Ann");
}

#[test]
fn a_writer_without_the_right_to_read_gets_no_record_in_the_response() {
    let home = Home::new();
    set(
        &home,
        "Editor",
        "write,delete",
        &["--resource=shop", "--model=orders"],
    );
    let session = home.member("writer@example.com", "Editor");
    let orders = |method: &str, path: &str| {
        let call = home.call(method, &format!("shop/models/orders{path}"));
        call.authorization(&session.header())
    };
    // An empty change does not return the record either.
    for (method, path, body) in [
        ("PATCH", "/1", json!({})),
        ("PATCH", "/1?_fields=note,customer_id", json!({})),
        ("PATCH", "/1", json!({"customer_id": 1})),
        ("PUT", "/1", json!({"customer_id": 1})),
    ] {
        let answer = orders(method, path).json(&body).expect(200);
        assert_eq!(answer.json(), json!({"id": 1}), "{method} {path} {body}");
        assert_eq!(answer.header("etag"), "");
    }
    let made = orders("POST", "").json(&json!({"note": "new"})).expect(201);
    assert_eq!(keys(&made.json()), ["id"]);
    assert_eq!(made.header("etag"), "");
    let bulk = orders("POST", "/bulk_create")
        .json(&json!([{"note": "new"}, {}]))
        .ok();
    for result in bulk.as_array().unwrap() {
        assert_eq!(keys(&result["record"]), ["id"], "{bulk}");
    }
    assert_eq!(orders("DELETE", "/3").expect(204).body, "");
    // The record was written nevertheless.
    let path = format!("shop/models/orders/{}", made.json()["id"]);
    let made = home
        .call("GET", &path)
        .authorization(home.shop_token())
        .ok();
    assert_eq!(made["note"], "new");
    // A writer with the right to read gets the whole record, and so does the static token.
    let admin = home.member("admin@example.com", "Administrator").header();
    for credential in [&admin, home.shop_token()] {
        let call = home
            .call("PATCH", "shop/models/orders/1")
            .authorization(credential);
        let answer = call.json(&json!({"note": "changed"})).expect(200);
        assert_eq!(
            answer.json(),
            json!({"id": 1, "customer_id": 1, "note": "changed"})
        );
        assert!(!answer.header("etag").is_empty());
    }
}

#[test]
fn a_constraint_of_a_model_that_may_not_be_read_is_not_named() {
    let home = Home::new();
    set(
        &home,
        "Editor",
        "none",
        &["--resource=shop", "--model=orders"],
    );
    let editor = home.member("editor@example.com", "Editor").header();
    let delete = |credential: &str| {
        let call = home.call("DELETE", "shop/models/customers/1");
        call.authorization(credential).expect(400)
    };
    let answer = delete(&editor);
    assert_eq!(answer.header("x-constraint-columns"), "");
    assert!(!answer.body.contains("orders"), "{}", answer.body);
    let answer = delete(home.shop_token());
    assert_eq!(answer.header("x-constraint-columns"), "customer_id");
}

#[test]
fn a_resource_of_another_environment_has_its_own_sessions() {
    let home = Home::new();
    home.run(&["env", "add", "staging", "--project", "main"]);
    let url = format!("sqlite:{}", home.path().join("shop.db").display());
    home.run(&[
        "resource",
        "add",
        "shop",
        &url,
        "--project",
        "main",
        "--env",
        "staging",
    ]);
    home.add_in("staging", "ann@example.com", "Administrator");
    let base = home.service().text("/base_url");
    let at = |method: &str, path: &str| {
        svc_tests::Call::new(method, &format!("{base}/projects/main/staging/{path}"))
    };
    let body = json!({"email": "ann@example.com", "password": PASSWORD});
    let session = Session::of(&at("POST", "auth/login").json(&body).ok()["token"]);
    svc_tests::wait_until("the new resource is known", || {
        let call = at("GET", "shop/models/orders").authorization(&session.header());
        call.send().status == 200
    });
    let call = home
        .call("GET", "shop/models/orders")
        .authorization(&session.header());
    call.expect(401);
}
