//! The built-in tools as a resource: credentials, descriptions, and the separation of environments.

use serde_json::{Value, json};
use svc_tests::{Call, wait_until};

use crate::people::{Home, PASSWORD, home};

#[test]
fn only_the_static_token_of_the_tools_of_this_environment_is_accepted() {
    let home = Home::new();
    home.run(&["env", "add", "staging", "--project", "main"]);
    home.run(&["project", "add", "other"]);
    let token = |project: &str, environment: &str| {
        let place = ["--project", project, "--env", environment];
        let made = home.run(&[&["token", "add", "__svc_app__"][..], &place].concat());
        made["token"].as_str().unwrap().to_owned()
    };
    let (other, staging) = (token("other", "prod"), token("main", "staging"));
    let shop = home.shop_token().to_owned();
    let key = format!("Bearer {}", home.service().text("/api_key"));
    let admin = home.member("admin@example.com", "Administrator").header();
    let uid = home.add("ann@example.com", "Editor");
    let user = format!("__svc_app__/models/users/{uid}");
    for (method, path) in [
        ("GET", "__svc_app__/models/users"),
        ("GET", "__svc_app__/models/groups"),
        ("GET", "__svc_app__/models/users/aggregate?_y_func=count"),
        ("POST", "__svc_app__/models/users"),
        ("GET", &user),
        ("PATCH", &user),
        ("PUT", &user),
        ("DELETE", &user),
        ("POST", "__svc_app__/reload"),
        ("POST", "__svc_app__/sql_get_query"),
        ("GET", "__svc_app__/model_descriptions"),
        ("GET", "__svc_app__/openapi.json"),
        ("GET", "__svc_app__/models/none"),
    ] {
        for credential in [&other, &staging, &shop, &admin] {
            let answer = home
                .call(method, path)
                .authorization(credential)
                .json(&json!({}))
                .send();
            assert_eq!(
                answer.status, 403,
                "{method} {path} {credential:.10}: {}",
                answer.body
            );
            assert_eq!(answer.json()["error_code"], "permission_denied");
        }
        let anonymous = home.call(method, path).json(&json!({})).expect(401);
        assert!(anonymous.header("www-authenticate").starts_with("Bearer"));
    }
    home.call("GET", "__svc_app__/models/users")
        .authorization(&key)
        .expect(200);
    // And the token of the tools is not accepted elsewhere.
    for path in [
        "shop/models/orders",
        "shop/model_descriptions",
        "none/models/orders",
    ] {
        home.call("GET", path)
            .authorization(home.tools_token())
            .expect(403);
    }
    for value in [
        format!("Bearer {}", home.tools_token()),
        format!("Token {}", home.tools_token()),
    ] {
        home.call("GET", "__svc_app__/models/users")
            .authorization(&value)
            .expect(200);
    }
    home.tools("GET", &format!("users/{uid}")).expect(200);
}

#[test]
fn the_store_of_the_tools_cannot_be_queried_with_sql() {
    let sql = |body: &Value| {
        let call = home().call("POST", "__svc_app__/sql_get_query");
        call.authorization(home().tools_token()).json(body)
    };
    for query in [
        "SELECT 1",
        "SELECT password FROM users",
        "SELECT * FROM sqlite_master",
        "nonsense",
    ] {
        let refused = sql(&json!({"query": query})).expect(400);
        assert!(!refused.body.contains("argon2"), "{}", refused.body);
        let batch = sql(&json!({"queries": [{"query": query}, {"query": query}]})).ok();
        for answer in batch.as_array().unwrap() {
            assert!(
                answer["error"].is_string() && answer.get("data").is_none(),
                "{batch}"
            );
        }
    }
    let bulk = home()
        .tools("POST", "users/bulk_create")
        .json(&json!([{"email": "bulk@example.com"}]));
    assert!(matches!(bulk.send().status.as_u16(), 400 | 404 | 405));
    assert_eq!(
        home().tools("GET", "users?email=bulk@example.com").ok()["count"],
        0
    );
}

#[test]
fn the_models_of_the_tools_are_described() {
    let get = || {
        home()
            .call("GET", "__svc_app__/model_descriptions")
            .authorization(home().tools_token())
    };
    let answer = get().expect(200);
    let models = answer.json();
    let names: Vec<&Value> = models
        .as_array()
        .unwrap()
        .iter()
        .map(|model| &model["model"])
        .collect();
    assert_eq!(names, ["groups", "users"]);
    let users = &models[1];
    assert_eq!(
        (
            &users["primary_key_field"],
            &users["primary_key_auto"],
            &users["is_view"]
        ),
        (&json!("uid"), &json!(false), &json!(false))
    );
    let fields = users["fields"].as_array().unwrap();
    let shape: Vec<_> = fields
        .iter()
        .map(|field| {
            let text = |name: &str| field[name].as_str().unwrap();
            let is = |name: &str| field[name].as_bool().unwrap();
            (
                text("name"),
                text("field"),
                is("editable"),
                is("required"),
                is("null"),
            )
        })
        .collect();
    assert_eq!(
        shape,
        [
            ("uid", "UUIDField", false, false, false),
            ("email", "CharField", true, true, false),
            ("group", "ForeignKey", true, true, false),
            ("date_add", "DateTimeField", false, false, false),
            ("first_name", "CharField", true, false, true),
            ("last_name", "CharField", true, false, true),
        ]
    );
    assert_eq!(users["relations"][0]["related_model"], "groups");
    get()
        .header("if-none-match", answer.header("etag"))
        .expect(304);
}

#[test]
fn the_definition_of_the_tools_has_exactly_their_operations() {
    let get = home()
        .call("GET", "__svc_app__/openapi.json")
        .authorization(home().tools_token());
    let document = get.ok();
    assert_eq!(
        document["servers"][0]["url"],
        "/projects/main/prod/__svc_app__"
    );
    let methods = |path: &str| {
        let path = document["paths"][path].as_object().unwrap();
        let methods = path
            .keys()
            .filter(|key| ["get", "post", "put", "patch", "delete"].contains(&key.as_str()));
        let mut methods: Vec<&str> = methods.map(String::as_str).collect();
        methods.sort_unstable();
        methods
    };
    assert_eq!(methods("/models/users"), ["get", "post"]);
    assert_eq!(methods("/models/users/{id}"), ["delete", "get", "patch"]);
    assert_eq!(methods("/models/groups"), ["get"]);
    assert_eq!(methods("/models/groups/{id}"), ["get", "patch"]);
    for path in document["paths"].as_object().unwrap().keys() {
        assert!(
            !path.contains("bulk_create") && !path.contains("sql"),
            "{path}"
        );
    }
}

#[test]
fn a_reload_of_the_tools_is_answered() {
    for path in ["__svc_app__/reload", "__svc_app__/reload/"] {
        let call = home()
            .call("POST", path)
            .authorization(home().tools_token());
        assert_eq!(call.ok(), json!({"success": true}));
    }
}

#[test]
fn environments_have_their_own_users_and_the_same_teams() {
    let home = Home::new();
    home.run(&["env", "add", "staging", "--project", "main"]);
    let made = home.run(&[
        "token",
        "add",
        "__svc_app__",
        "--project",
        "main",
        "--env",
        "staging",
    ]);
    let token = made["token"].as_str().unwrap();
    let base = home.service().text("/base_url");
    let staging = |method: &str, path: &str| {
        let url = format!("{base}/projects/main/staging/__svc_app__/models/{path}");
        Call::new(method, &url).authorization(token)
    };
    wait_until("the new token is known", || {
        staging("GET", "users").send().status == 200
    });
    let ann = home.add("ann@example.com", "Administrator");
    let bob = home.add_in("staging", "bob@example.com", "Editor");
    // The same address is a different user there.
    let other = home.add_in("staging", "ann@example.com", "Read Only");
    assert_ne!(ann, other);
    assert_eq!(home.tools("GET", "users").ok()["count"], 1);
    assert_eq!(staging("GET", "users").ok()["count"], 2);
    assert_eq!(
        staging("GET", "groups").ok()["results"],
        home.tools("GET", "groups").ok()["results"]
    );
    let path = format!("users/{bob}");
    home.tools("GET", &path).expect(404);
    home.tools("PATCH", &path)
        .json(&json!({"first_name": "X"}))
        .expect(404);
    home.tools("DELETE", &path).expect(404);
    home.tools("GET", &format!("{path}/get_siblings"))
        .expect(404);
    for query in [
        "users?email=bob@example.com",
        "users?_search=bob",
        "users?_relation=group.groups.uid|name.Editor",
        "groups?_relation=uid.users.group|email.bob@example.com",
        r#"users?_filter={"or":[{"field":"email","value":"bob@example.com"},{"field":"email","value":"x"}]}"#,
    ] {
        assert_eq!(home.tools("GET", query).ok()["count"], 0, "{query}");
    }
    let newest = home
        .tools("GET", "users/aggregate?_y_func=max&_y_column=email")
        .ok();
    assert_eq!(newest, json!({"y_func": "ann@example.com"}));
    let groups = home
        .tools("GET", "users/group?_x_column=email&_y_func=count")
        .ok();
    assert_eq!(groups, json!([{"group": "ann@example.com", "y_func": 1}]));
    // Deleting that user does not delete this one.
    staging("DELETE", &format!("users/{other}")).expect(204);
    home.login("ann@example.com", PASSWORD);
    home.run(&["env", "remove", "staging", "--project", "main"]);
    wait_until("the token ended with its environment", || {
        staging("GET", "users").send().status == 401
    });
    home.tools("GET", &format!("users/{ann}")).expect(200);
}
