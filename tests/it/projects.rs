//! Projects over HTTP (wire contract, section 8).

use serde_json::{Value, json};
use svc_tests::{Program, wait_until};

use crate::shared::{demo, pages_service, serve};

#[test]
fn a_project_is_returned_with_its_parts() {
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
fn the_list_has_only_the_callers_projects() {
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
    assert_eq!(names, ["third", "second", "main"]);
    let first = list("?_per_page=2");
    assert_eq!(first["results"].as_array().unwrap().len(), 2);
    let next = first["next"].as_str().unwrap();
    let second = svc_tests::Call::new("GET", next).authorization(&key).ok();
    assert_eq!(second["results"][0]["unique_name"], "main");
    assert!(second["next"].is_null() && second["previous"].is_string());
    assert_eq!(list("?page=99")["results"], serde_json::json!([]));
    // It is a list like any other.
    let names = |query: &str| {
        let list = list(query);
        let names = list["results"].as_array().unwrap().iter();
        names
            .map(|project| project["unique_name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names("?_order_by=unique_name"), ["main", "second", "third"]);
    assert_eq!(names("?unique_name__in=main,foreign"), ["main"]);
    let any = r#"?_filter={"or":[{"field":"name","lookup":"ne","value":"x"},{"field":"color","lookup":"isnull","value":true}]}"#;
    assert_eq!(names(any).len(), 3);
    assert_eq!(names("?_search=SECO"), ["second"]);
    assert_eq!(list("?_search=foreign")["count"], 0);
    let fields = list("?_fields=name&unique_name=main");
    assert_eq!(
        fields["results"],
        json!([{"unique_name": "main", "name": "main"}])
    );
    let csv = service
        .app_anonymous("GET", "/projects/?_fields=unique_name")
        .header("accept", "text/csv");
    let csv = csv.authorization(&key).expect(200);
    assert_eq!(
        csv.body.lines().collect::<Vec<_>>(),
        ["unique_name", "third", "second", "main"]
    );
    // Nor is it found out in this way what others are called.
    let asked =
        "/projects/?_relation=default_environment.projects.default_environment|unique_name.foreign";
    let asked = service.app_anonymous("GET", asked).authorization(&key);
    asked.expect(400);
    service
        .app_anonymous("GET", "/projects/?status=1")
        .authorization(&key)
        .expect(400);
    service
        .app_anonymous("GET", "/projects/foreign/")
        .authorization(&key)
        .expect(403);
}

#[test]
fn settings_of_a_project_and_its_environments_are_set_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let (service, key) = pages_service(&folder);
    let svc = |arguments: &[&str]| Program::new(folder.path(), arguments);
    let read = || {
        let call = service.app_anonymous("GET", "/projects/main/");
        call.authorization(&format!("Bearer {key}")).ok()
    };
    let params = r#"{"theme": {"accent": "green"}, "n": 1.50}"#;
    let set = ["project", "set", "main", "--params", params];
    svc(&[&set[..], &["--sign-up=on", "--color=green"]].concat()).run_ok();
    svc(&["env", "add", "staging", "--project=main"]).run_ok();
    let set = ["env", "set", "staging", "--project=main"];
    svc(&[&set[..], &["--title=Test", "--color=orange"]].concat()).run_ok();
    svc(&[&set[..], &["--params", r#"{"banner":"test"}"#]].concat()).run_ok();
    let project = read();
    assert_eq!(
        project["params"],
        json!({"theme": {"accent": "green"}, "n": 1.5})
    );
    assert_eq!(project["features"], json!({"sign_up": {"enabled": true}}));
    assert_eq!(project["color"], "green");
    let staging = &project["environments"][1];
    assert_eq!(staging["name"], "Test");
    assert_eq!(staging["color"], "orange");
    assert_eq!(staging["params"], json!({"banner": "test"}));

    svc(&[&set[..], &["--color="]].concat()).run_ok();
    assert_eq!(read()["environments"][1]["color"], Value::Null);
    assert_eq!(read()["environments"][1]["params"], staging["params"]);
    for wrong in ["[]", "{", "7"] {
        let (_, error) = svc(&["project", "set", "main", "--params", wrong]).run_err();
        assert!(error.contains("--params: "), "{error}");
        let (_, error) = svc(&[&set[..], &["--params", wrong]].concat()).run_err();
        assert!(error.contains("--params: "), "{error}");
    }
    let nowhere = ["env", "set", "nowhere", "--project=main", "--title=x"];
    let (_, error) = svc(&nowhere).run_err();
    assert!(error.contains("svc env list"), "{error}");
}

#[test]
fn members_are_added_to_teams_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let service = serve(&folder, &[]);
    let svc = |arguments: &[&str]| {
        Program::new(
            folder.path(),
            &[arguments, &["--project=main", "--json"]].concat(),
        )
    };
    let owner = svc(&["member", "list"]).run_json();
    let owner = owner[0]["email"].as_str().unwrap().to_owned();
    let set = |team: &str| svc(&["member", "set", "bob@example.com", "--team", team]);
    let bob = set("Read Only").run_json();
    assert_eq!(bob["team"], "Read Only");
    let key = svc(&["key", "add", "--email=bob@example.com"]).run_json();
    let key = format!("Bearer {}", key["api_key"].as_str().unwrap());
    let call = |method: &str, path: &str| {
        let call = service.app_anonymous(method, path).authorization(&key);
        match method {
            "POST" => call.json(&json!({"name": "x"})),
            _ => call,
        }
    };
    let pages = "/projects/main/prod/view_settings/";
    let project = call("GET", "/projects/main/").ok();
    assert_eq!(project["group"]["permissions_group"], "read_only");
    assert_eq!(project["is_owner"], false);
    assert_eq!(project["owner"]["email"], *owner);
    call("POST", pages).expect(403);
    set("Editor").run_ok();
    wait_until("the other team is known", || {
        call("POST", pages).send().status == 201
    });

    let list = svc(&["member", "list"]).run_json();
    let names: Vec<_> = list.as_array().unwrap().iter().collect();
    assert_eq!(names.len(), 2);
    assert_eq!(names[1]["email"], "bob@example.com");
    assert_eq!(names[1]["team"], "Editor");
    let (_, error) = set("Owners").run_err();
    assert!(
        error.contains("--team: ") && error.contains("Editor"),
        "{error}"
    );
    let (_, error) = svc(&["member", "set", "no address", "--team=Editor"]).run_err();
    assert!(error.contains("EMAIL: "), "{error}");
    let (_, error) = svc(&["member", "remove", &owner]).run_err();
    assert!(error.contains("administrator"), "{error}");
    svc(&["member", "remove", "bob@example.com"]).run_ok();
    wait_until("the key opens nothing", || {
        call("GET", pages).send().status == 403
    });
    let (_, error) = svc(&["member", "remove", "bob@example.com"]).run_err();
    assert!(error.contains("svc member list"), "{error}");
}
