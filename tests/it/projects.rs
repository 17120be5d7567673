//! Projects over HTTP (wire contract, section 8).

use svc_tests::Program;

use crate::shared::{demo, serve};

#[test]
fn a_project_tells_what_it_consists_of() {
    let project = demo().app("GET", "/projects/demo/").ok();
    assert_eq!(project["unique_name"], "demo");
    assert_eq!(project["default_environment"], "prod");
    assert_eq!(project["environments"][0]["unique_name"], "prod");
    assert_eq!(project["resources"][0]["unique_name"], "shop");
    assert_eq!(project["resources"][0]["type_item"], "sqlite");
    assert_eq!(project["group"]["permissions_group"], "administrator");
    assert!(project["user"]["uid"].is_string());
    assert!(project["owner"]["email"].is_string());
    assert!(project["features"].is_object());
    let text = project.to_string();
    assert!(
        !text.contains("sqlite:"),
        "no address of a database: {text}"
    );
}

#[test]
fn the_list_has_the_callers_projects_only() {
    let folder = tempfile::tempdir().unwrap();
    let service = serve(&folder, &[]);
    for name in ["second", "third", "foreign"] {
        Program::new(folder.path(), &["project", "add", name, "--json"]).run_json();
    }
    let key = |arguments: &[&str]| {
        let arguments = [
            &["key", "add", "--json", "--email", "ada@example.com"],
            arguments,
        ]
        .concat();
        Program::new(folder.path(), &arguments).run_json()["api_key"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    key(&["--project", "main"]);
    key(&["--project", "second"]);
    let key = format!("Bearer {}", key(&["--project", "third"]));
    let list = |query: &str| {
        service
            .app_anonymous("GET", &format!("/projects/{query}"))
            .authorization(&key)
            .ok()
    };
    let all = list("");
    assert_eq!(all["count"], 3);
    let names: Vec<_> = all["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| &p["unique_name"])
        .collect();
    assert_eq!(names, ["main", "second", "third"]);
    let first = list("?_per_page=2");
    assert_eq!(first["results"].as_array().unwrap().len(), 2);
    let next = first["next"].as_str().unwrap();
    let second = svc_tests::Call::new("GET", next).authorization(&key).ok();
    assert_eq!(second["results"][0]["unique_name"], "third");
    assert!(second["next"].is_null() && second["previous"].is_string());
    assert_eq!(list("?page=99")["results"], serde_json::json!([]));
    service
        .app_anonymous("GET", "/projects/?status=1")
        .authorization(&key)
        .expect(400);
    service
        .app_anonymous("GET", "/projects/foreign/")
        .authorization(&key)
        .expect(403);
}
