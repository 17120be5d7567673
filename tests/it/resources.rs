//! Operations on whole resources: reload, model descriptions, API definition (wire contract, section 7).

use serde_json::{Value, json};

use crate::shared::demo;

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
