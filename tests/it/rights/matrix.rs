//! Every operation of every kind of caller on every model.

use serde_json::{Value, json};
use svc_tests::{Answer, Call};

use crate::people::Home;

/// The rights of a caller on the records of a model.
#[derive(Clone, Copy, Debug)]
struct May {
    read: bool,
    write: bool,
    delete: bool,
}

const ALL: May = may(true, true, true);
const READ: May = may(true, false, false);
const NONE: May = may(false, false, false);

const fn may(read: bool, write: bool, delete: bool) -> May {
    May {
        read,
        write,
        delete,
    }
}

/// The right that an operation requires.
#[derive(Clone, Copy, Debug)]
enum Takes {
    Read,
    Write,
    Delete,
}

impl May {
    fn allows(self, takes: Takes) -> bool {
        match takes {
            Takes::Read => self.read,
            Takes::Write => self.write,
            Takes::Delete => self.delete,
        }
    }
}

const MODELS: [&str; 3] = ["orders", "customers", "products"];
/// Method, the path after the model, `Accept`, the required right, and the status of a success. `{id}` is a record of
/// the model, and the body is made for the model.
const OPERATIONS: &[(&str, &str, &str, Takes, u16)] = &[
    ("GET", "", "", Takes::Read, 200),
    ("HEAD", "", "", Takes::Read, 200),
    ("GET", "/", "", Takes::Read, 200),
    ("GET", "?_no_pagination=1", "", Takes::Read, 200),
    ("GET", "?_search=a", "", Takes::Read, 200),
    ("GET", "?id__gt=0&_order_by=-id", "", Takes::Read, 200),
    (
        "GET",
        r#"?_filter={"field":"id","lookup":"gt","value":0}"#,
        "",
        Takes::Read,
        200,
    ),
    ("GET", "?_count=estimated&_fields=id", "", Takes::Read, 200),
    ("GET", "", "text/csv", Takes::Read, 200),
    ("GET", "", "application/x-ndjson", Takes::Read, 200),
    ("GET", "/{id}", "", Takes::Read, 200),
    ("GET", "/{id}/get_siblings", "", Takes::Read, 200),
    ("GET", "/{id}/references", "", Takes::Read, 200),
    ("GET", "/{id}/id", "", Takes::Read, 200),
    ("HEAD", "/{id}/id", "", Takes::Read, 200),
    ("GET", "/aggregate?_y_func=count", "", Takes::Read, 200),
    ("POST", "/aggregate", "", Takes::Read, 200),
    (
        "GET",
        "/group?_x_column=id&_y_func=count",
        "",
        Takes::Read,
        200,
    ),
    ("POST", "/group", "", Takes::Read, 200),
    ("POST", "", "", Takes::Write, 201),
    ("POST", "/bulk_create", "", Takes::Write, 200),
    ("POST", "/bulk_create?_atomic=1", "", Takes::Write, 200),
    ("PATCH", "/{id}", "", Takes::Write, 200),
    ("PUT", "/{id}", "", Takes::Write, 200),
    ("DELETE", "/{id}", "", Takes::Delete, 204),
];

/// The body of an operation.
fn body(path: &str, model: &str) -> Value {
    let name = if model == "orders" { "note" } else { "name" };
    let path = path.split('?').next().unwrap_or_default();
    match path {
        "/aggregate" => json!({"func": "count"}),
        "/group" => json!({"x_column": "id", "y_func": "count"}),
        "/bulk_create" => json!([{name: "new"}, {name: "newer"}]),
        _ => json!({name: "new"}),
    }
}

/// Every record of the shop.
fn records(home: &Home) -> Vec<Value> {
    let all = MODELS.map(|model| {
        let path = format!("shop/models/{model}?_no_pagination=1&_order_by=id");
        home.call("GET", &path)
            .authorization(home.shop_token())
            .ok()
    });
    all.to_vec()
}

#[track_caller]
fn is_denied(answer: &Answer, what: &str) {
    assert_eq!(answer.status, 403, "{what}: {}", answer.body);
    assert_eq!(answer.json()["error_code"], "permission_denied", "{what}");
    assert_eq!(answer.header("etag"), "", "{what}");
}

/// Runs every operation as this caller, and compares the results with the rights.
fn check(home: &Home, who: &str, credential: &str, rights: impl Fn(&str) -> May) {
    let call = |method: &str, path: &str| -> Call {
        let call = home.call(method, &format!("shop/{path}"));
        call.authorization(credential)
    };
    for model in MODELS {
        let made = home.call("POST", &format!("shop/models/{model}"));
        let made = made
            .authorization(home.shop_token())
            .json(&body("", model))
            .expect(201)
            .json();
        let mut before = records(home);
        for (method, path, accept, takes, success) in OPERATIONS {
            let path = path.replace("{id}", &made["id"].to_string());
            let what = format!("{who}: {method} {model}{path} {accept}");
            let mut request = call(method, &format!("models/{model}{path}"));
            if !accept.is_empty() {
                request = request.header("accept", accept);
            }
            if !matches!(*method, "GET" | "HEAD" | "DELETE") {
                request = request.json(&body(&path, model));
            }
            let answer = request.send();
            if rights(model).allows(*takes) {
                assert_eq!(answer.status, *success, "{what}: {}", answer.body);
                before = records(home);
            } else if *method == "HEAD" {
                assert_eq!(answer.status, 403, "{what}");
            } else {
                is_denied(&answer, &what);
                assert_eq!(records(home), before, "{what}");
            }
        }
    }
    check_relations(home, who, credential, &rights);
}

/// Selecting records by the content of related records requires the right to read those.
fn check_relations(home: &Home, who: &str, credential: &str, rights: &impl Fn(&str) -> May) {
    for (model, relation, others) in [
        (
            "orders",
            "customer_id.customers.id|name.Ann",
            &["customers"][..],
        ),
        ("customers", "id.orders.customer_id|note.first", &["orders"]),
        (
            "customers",
            "id.orders.customer_id|customer_id.customers.id|name.Ann",
            &["orders", "customers"],
        ),
        (
            "orders",
            "customer_id.customers.id|id.products.id|name.Chair",
            &["customers", "products"],
        ),
        (
            "products",
            "id.customers.id|id.orders.customer_id|note.first",
            &["customers", "orders"],
        ),
    ] {
        let allowed = rights(model).read && others.iter().all(|other| rights(other).read);
        for path in [
            "",
            "/aggregate?_y_func=count",
            "/group?_x_column=id&_y_func=count",
            "/1/get_siblings",
        ] {
            let query = format!(
                "{}_relation={relation}",
                if path.contains('?') { "&" } else { "?" }
            );
            let call = home.call("GET", &format!("shop/models/{model}{path}{query}"));
            let answer = call.authorization(credential).send();
            let what = format!("{who}: {model}{path} by {relation}");
            match allowed {
                true => assert!(
                    matches!(answer.status.as_u16(), 200 | 404),
                    "{what}: {}",
                    answer.body
                ),
                false => is_denied(&answer, &what),
            }
        }
    }
}

/// Operations on a whole resource, and operations that no team may use.
fn check_whole(home: &Home, who: &str, credential: &str, is_administrator: bool) {
    let status = |method: &str, path: &str, body: &Value| {
        let call = home.call(method, path).authorization(credential).json(body);
        call.send().status.as_u16()
    };
    let whole = if is_administrator { 200 } else { 403 };
    let sql = json!({"query": "SELECT count(*) FROM orders"});
    assert_eq!(status("POST", "shop/sql_get_query", &sql), whole, "{who}");
    let batch = json!({"queries": [sql]});
    assert_eq!(status("POST", "shop/sql_get_query", &batch), whole, "{who}");
    assert_eq!(status("POST", "shop/reload", &Value::Null), whole, "{who}");
    for (method, path) in [
        ("GET", "__svc_app__/models/users"),
        ("POST", "__svc_app__/models/users"),
        ("GET", "__svc_app__/models/groups"),
        ("GET", "__svc_app__/model_descriptions"),
        ("GET", "__svc_app__/openapi.json"),
        ("POST", "__svc_app__/reload"),
        ("POST", "__svc_app__/sql_get_query"),
    ] {
        assert_eq!(status(method, path, &sql), 403, "{who} {method} {path}");
    }
    assert_eq!(
        status("GET", "shop/model_descriptions", &Value::Null),
        200,
        "{who}"
    );
    assert_eq!(
        status("GET", "shop/openapi.json", &Value::Null),
        200,
        "{who}"
    );
}

/// The session of a new member of a team, and a service token with the rights of that team.
fn credentials(home: &Home, team: &str) -> [(String, String); 2] {
    let email = format!("{}@example.com", team.replace(' ', "."));
    let session = home.member(&email, team);
    let made = ["service-token", "add", "--team", team, "--project", "main"];
    let made = home.run(&made);
    let token = made["token"].as_str().unwrap();
    [
        (format!("session of {team}"), session.header()),
        (format!("service of {team}"), format!("JWT {token}")),
    ]
}

#[test]
fn built_in_teams_have_the_rights_of_their_kind() {
    let home = Home::new();
    for (team, rights) in [("Administrator", ALL), ("Editor", ALL), ("Read Only", READ)] {
        for (who, credential) in credentials(&home, team) {
            check(&home, &who, &credential, |_| rights);
            check_whole(&home, &who, &credential, team == "Administrator");
        }
    }
}

#[test]
fn the_most_specific_rule_of_a_team_applies() {
    let home = Home::new();
    let set = |team: &str, rights: &str, on: &[&str]| {
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
    };
    set("Editor", "none", &[]);
    set("Editor", "read", &["--resource=shop"]);
    set(
        "Editor",
        "read,write",
        &["--resource=shop", "--model=orders"],
    );
    set("Editor", "none", &["--resource=shop", "--model=customers"]);
    set(
        "Editor",
        "read,write,delete",
        &["--resource=other", "--model=customers", "--later"],
    );
    set(
        "Read Only",
        "read,write,delete",
        &["--resource=shop", "--model=products"],
    );
    set(
        "Read Only",
        "delete",
        &["--resource=shop", "--model=orders"],
    );
    for (who, credential) in credentials(&home, "Editor") {
        check(&home, &who, &credential, |model| match model {
            "orders" => may(true, true, false),
            "customers" => NONE,
            _ => READ,
        });
        check_whole(&home, &who, &credential, false);
    }
    for (who, credential) in credentials(&home, "Read Only") {
        check(&home, &who, &credential, |model| match model {
            "products" => ALL,
            "orders" => may(false, false, true),
            _ => READ,
        });
        check_whole(&home, &who, &credential, false);
    }
    for (who, credential) in credentials(&home, "Administrator") {
        check(&home, &who, &credential, |_| ALL);
    }
}

#[test]
fn a_limited_static_token_may_do_what_its_limits_say() {
    let home = Home::new();
    let token = |limits: &[&str]| {
        let add = ["token", "add", "shop", "--project", "main"];
        let made = home.run(&[&add[..], limits].concat());
        made["token"].as_str().unwrap().to_owned()
    };
    let reader = token(&["--rights", "read"]);
    check(&home, "reader", &reader, |_| READ);
    check_whole(&home, "reader", &reader, false);
    let clerk = token(&["--rights", "read,write", "--models", "orders,customers"]);
    check(&home, "clerk", &clerk, |model| match model {
        "products" => NONE,
        _ => may(true, true, false),
    });
    check_whole(&home, "clerk", &clerk, false);
    let sink = token(&["--rights", "write", "--models", "orders"]);
    check(&home, "sink", &sink, |model| match model {
        "orders" => may(false, true, false),
        _ => NONE,
    });
    let some = token(&["--models", "products"]);
    check(
        &home,
        "some",
        &format!("Bearer {some}"),
        |model| match model {
            "products" => ALL,
            _ => NONE,
        },
    );
    check_whole(&home, "some", &some, false);
    let all = token(&["--rights", "read,write,delete"]);
    check(&home, "all", &all, |_| ALL);
    check_whole(&home, "all", &all, true);
}

#[test]
fn a_team_without_rights_may_do_nothing() {
    let home = Home::new();
    home.run(&["rights", "set", "Editor", "--rights=none", "--project=main"]);
    for (who, credential) in credentials(&home, "Editor") {
        check(&home, &who, &credential, |_| NONE);
        check_whole(&home, &who, &credential, false);
    }
}

#[test]
fn a_service_token_cannot_use_account_calls() {
    let home = Home::new();
    let [_, (_, token)] = credentials(&home, "Administrator");
    for (method, name) in [
        ("GET", "user"),
        ("POST", "logout"),
        ("GET", "sessions"),
        ("DELETE", "sessions"),
        ("DELETE", "sessions/x"),
        ("POST", "change_password"),
        ("POST", "change_email"),
    ] {
        let call = home
            .call(method, &format!("auth/{name}"))
            .authorization(&token);
        is_denied(&call.send(), name);
    }
    // It is accepted only with the scheme JWT, and only in its environment.
    let bare = token.trim_start_matches("JWT ").to_owned();
    for value in [
        bare.clone(),
        format!("Bearer {bare}"),
        format!("Token {bare}"),
    ] {
        home.call("GET", "shop/models/orders")
            .authorization(&value)
            .expect(401);
    }
    home.run(&["env", "add", "staging", "--project", "main"]);
    let base = home.service().text("/base_url");
    for place in ["main/staging", "none/prod"] {
        let url = format!("{base}/projects/{place}/shop/models/orders");
        is_denied(&Call::new("GET", &url).authorization(&token).send(), place);
    }
}
