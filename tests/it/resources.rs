//! Operations on whole resources: reload, model descriptions, API definition (wire contract, section 7).

use std::fs;

use serde_json::{Value, json};
use svc_tests::{Program, wait_until};

use crate::shared::{demo, serve};

#[test]
fn a_reload_is_answered_for_a_resource_and_for_the_built_in_tools() {
    for path in ["/reload", "/reload/"] {
        assert_eq!(
            demo().data("POST", "shop", path).ok(),
            json!({"success": true})
        );
    }
    let tools = demo().text("/tools_token");
    let reload = || demo().data_anonymous("POST", "__svc_app__", "/reload");
    assert_eq!(reload().authorization(tools).ok(), json!({"success": true}));
    reload()
        .authorization(demo().text("/resources/shop/token"))
        .expect(403);
    demo().data("GET", "shop", "/reload").expect(405);
    demo().data("POST", "shop", "/reload?x=1").expect(400);
}

#[test]
fn the_models_of_a_resource_are_described() {
    let answer = demo()
        .data("GET", "shop", "/model_descriptions")
        .expect(200);
    let models = answer.json();
    let names: Vec<_> = models
        .as_array()
        .unwrap()
        .iter()
        .map(|model| model["model"].clone())
        .collect();
    assert_eq!(
        names,
        [
            "customer_revenue",
            "customers",
            "order_items",
            "orders",
            "products"
        ]
    );
    let orders = &models[3];
    assert_eq!(orders["primary_key_field"], "id");
    assert_eq!(
        (&orders["is_view"], &orders["primary_key_auto"]),
        (&json!(false), &json!(false))
    );
    let field = |name: &str| -> Value {
        let fields = orders["fields"].as_array().unwrap();
        fields
            .iter()
            .find(|field| field["name"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(field("customer_id")["field"], "ForeignKey");
    assert_eq!(field("customer_id")["params"]["related_model"], "customers");
    assert_eq!(field("total")["field"], "DecimalField");
    assert_eq!(field("created_at")["field"], "DateTimeField");
    let relations = orders["relations"].as_array().unwrap();
    assert!(
        relations
            .iter()
            .any(|one| one["direction"] == "MANYTOONE" && one["related_model"] == "customers")
    );
    assert!(
        relations
            .iter()
            .any(|one| one["direction"] == "ONETOMANY" && one["related_model"] == "order_items")
    );
    assert_eq!(models[0]["is_view"], true);
    let etag = answer.header("etag").to_owned();
    let again = demo()
        .data("GET", "shop", "/model_descriptions")
        .header("if-none-match", &etag)
        .expect(304);
    assert_eq!(again.body, "");
}

#[test]
fn the_definition_of_a_resource_has_every_model_and_its_filters() {
    let document = demo().data("GET", "shop", "/openapi.json").ok();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    for model in [
        "customers",
        "orders",
        "products",
        "order_items",
        "customer_revenue",
    ] {
        assert!(paths.contains_key(&format!("/models/{model}")), "{model}");
        assert!(
            paths.contains_key(&format!("/models/{model}/group")),
            "{model}"
        );
        assert!(
            paths.contains_key(&format!("/models/{model}/{{id}}")),
            "{model}"
        );
    }
    let parameters = document["paths"]["/models/orders"]["get"]["parameters"].to_string();
    for filter in [
        "status__in",
        "created_at__gte",
        "total__range",
        "note__icontains",
    ] {
        assert!(parameters.contains(filter), "{filter}");
    }
    let server = document["servers"][0]["url"].as_str().unwrap();
    assert_eq!(server, "/projects/demo/prod/shop");
}

#[test]
fn a_resource_that_is_changed_keeps_its_tokens() {
    let folder = tempfile::tempdir().unwrap();
    for (name, value) in [("a", 1), ("b", 2)] {
        let file = rusqlite::Connection::open(folder.path().join(format!("{name}.db"))).unwrap();
        let script =
            format!("CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES ({value})");
        file.execute_batch(&script).unwrap();
    }
    let service = serve(&folder, &["shop=sqlite:a.db"]);
    let first = |service: &svc_tests::Service| {
        service.data("GET", "shop", "/models/t").ok()["results"][0]["id"].clone()
    };
    assert_eq!(first(&service), 1);
    let set = |changes: &[&str]| {
        let set = ["resource", "set", "shop", "--project", "main"];
        Program::new(folder.path(), &[&set[..], changes].concat())
    };
    set(&["--url", "sqlite:b.db", "--title", "The shop"]).run_ok();
    wait_until("the new address is in use", || first(&service) == 2);
    let listed = ["resource", "list", "--project", "main", "--json"];
    let listed = Program::new(folder.path(), &listed).run_json();
    assert_eq!(listed[0]["name"], "The shop");
    assert!(
        listed[0]["url"].as_str().unwrap().ends_with("/b.db"),
        "{listed}"
    );
    for (changes, message) in [
        (
            ["--url", "postgres://app:hunter2@db:port/shop"],
            "postgres://USER",
        ),
        (["--url", "https://api.example.com"], "HTTP API"),
        (["--params", "[]"], "object"),
    ] {
        let (_, errors) = set(&changes).run_err();
        assert!(
            errors.contains(message) && !errors.contains("hunter2"),
            "{errors}"
        );
    }
    assert_eq!(first(&service), 2);
}

#[test]
fn options_about_the_places_of_resources_are_held_to_what_they_may_be() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| {
        let serve = ["serve", "--listen", "127.0.0.1:0"];
        let (_, errors) = Program::new(folder.path(), &[&serve[..], arguments].concat()).run_err();
        errors
    };
    let errors = refused(&["--sqlite-dir", "no/such/folder"]);
    assert!(
        errors.contains("no/such/folder") && errors.contains("create it"),
        "{errors}"
    );
    for hosts in ["postgres://db", "10.0.0.0/33", "db:0", "db,,other"] {
        let errors = refused(&["--resource-hosts", hosts]);
        assert!(errors.contains("db.internal:5432"), "{hosts}: {errors}");
    }
    fs::write(
        folder.path().join("svc.toml"),
        "resource-hosts = [\"db:x\"]",
    )
    .unwrap();
    let errors = refused(&["--config", "svc.toml"]);
    assert!(errors.contains("db.internal:5432"), "{errors}");
}

#[test]
fn a_server_that_the_options_do_not_allow_is_not_connected_to() {
    let folder = tempfile::tempdir().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    let connect = format!("shop=postgres://app:hunter2@{address}/shop");
    let service = svc_tests::Service::start(
        folder.path(),
        &[
            "serve",
            "--connect",
            &connect,
            "--resource-hosts",
            "db.internal:5432,10.0.0.0/8",
            "--sqlite-dir",
            "data",
        ],
    );
    let answer = service.data("GET", "shop", "/models/t").expect(503);
    assert!(!answer.body.contains("127.0.0.1"), "{}", answer.body);
    assert!(listener.accept().is_err(), "it was connected to");
}
