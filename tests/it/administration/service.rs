//! The service itself: its nodes, its settings and its figures.

use std::fs;

use serde_json::{Value, json};

use super::{call, member, operator};
use crate::people::{Home, UNTHROTTLED};

#[test]
fn operators_see_the_nodes_and_where_each_setting_was_set_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("svc.toml");
    let options = "audit-days = 9\nbody-limit = 5000000\nmail-from = \"a@b.example\"\n";
    fs::write(&file, options).unwrap();
    let options = [UNTHROTTLED, &["--max-requests=77", "--body-limit=6000000"]].concat();
    let variables = [
        ("SVC_CONFIG", file.to_str().unwrap()),
        ("SVC_STATEMENT_TIMEOUT", "7"),
        ("SVC_SMTP_URL", "smtp://ann:hunter2@127.0.0.1:9"),
    ];
    let home = Home::with_variables(&options, &variables);
    let operator = operator(&home);
    let service = call(&home, &operator, "GET", "/service/").ok();
    let node = &service["nodes"][0];
    assert_eq!(service["nodes"].as_array().unwrap().len(), 1);
    assert_eq!(node["version"], service["version"]);
    let base_url = home.service().text("/base_url");
    assert!(base_url.ends_with(node["address"].as_str().unwrap()));
    assert!(node["since"].as_str() <= node["last_seen"].as_str());
    let setting = |name: &str| -> Value {
        let settings = service["settings"].as_array().unwrap().iter();
        let mut found = settings.filter(|setting| setting["name"] == name);
        found.next().unwrap_or_else(|| panic!("no {name}")).clone()
    };
    for (name, value, source) in [
        ("max-requests", json!(77), "flag"),
        ("body-limit", json!(6_000_000), "flag"),
        ("statement-timeout", json!(7), "variable"),
        ("audit-days", json!(9), "file"),
        ("mail-from", json!("a@b.example"), "file"),
        ("smtp-url", Value::Null, "variable"),
        ("cors-origins", json!([]), "default"),
        ("audit", json!("on"), "default"),
    ] {
        let setting = setting(name);
        assert_eq!(
            (&setting["value"], &setting["source"]),
            (&value, &json!(source)),
            "{name}"
        );
    }
    assert_eq!(setting("smtp-url")["hidden"], true);
    assert!(!service.to_string().contains("hunter2"), "{service}");
}

#[test]
fn operators_see_figures_of_the_node_that_answers() {
    let home = Home::new();
    let operator = operator(&home);
    let metrics = call(&home, &operator, "GET", "/service/metrics/").ok();
    let base_url = home.service().text("/base_url");
    assert!(base_url.ends_with(metrics["address"].as_str().unwrap()));
    assert!(metrics["since"].as_str() <= metrics["current"]["at"].as_str());
    assert_eq!(
        (&metrics["seconds"], &metrics["most"]),
        (&json!(60), &json!(1_440))
    );
    let current = &metrics["current"];
    assert!(
        current["requests_per_second"].as_f64().unwrap() > 0.0,
        "{metrics}"
    );
    assert_eq!(current["errors_per_second"], json!(0.0), "{metrics}");
    assert!(current["mean_seconds"].as_f64().unwrap() > 0.0, "{metrics}");
    let member = member(&home, "bob@example.com", "Administrator");
    call(&home, &member, "GET", "/service/metrics/").expect(403);
    home.service()
        .app_anonymous("GET", "/service/metrics/")
        .expect(401);
}
