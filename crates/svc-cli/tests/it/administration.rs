//! Projects, environments, resources, tokens, keys and backups by hand.

use serde_json::json;

use crate::{Sandbox, text};

#[test]
fn a_project_is_added_listed_set_and_removed() {
    let sandbox = Sandbox::new();
    assert_eq!(
        sandbox.json(&["project", "add", "crm", "--title", "Sales"]),
        json!({"project": "crm"})
    );
    let projects = sandbox.json(&["project", "list"]);
    assert_eq!(projects[0]["project"], "crm");
    assert_eq!(projects[0]["name"], "Sales");
    assert_eq!(projects[0]["sign_up"], false);
    assert_eq!(
        sandbox.json(&["project", "set", "crm", "--sign-up", "on"])["sign_up"],
        true
    );
    assert_eq!(sandbox.json(&["project", "list"])[0]["sign_up"], true);
    assert_eq!(
        sandbox.json(&["project", "remove", "crm"]),
        json!({"project": "crm"})
    );
    assert_eq!(sandbox.json(&["project", "list"]), json!([]));
}

#[test]
fn an_environment_is_added_listed_and_removed_and_prod_stays() {
    let sandbox = Sandbox::new();
    sandbox.json(&["project", "add", "crm"]);
    let added = sandbox.json(&["env", "add", "staging", "--project", "crm"]);
    assert_eq!(added, json!({"environment": "staging"}));
    let names = |list: serde_json::Value| -> Vec<String> {
        let array = list.as_array().unwrap();
        array
            .iter()
            .map(|each| each["environment"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        names(sandbox.json(&["env", "list", "--project", "crm"])),
        ["prod", "staging"]
    );
    sandbox.json(&["env", "remove", "staging", "--project", "crm"]);
    assert_eq!(
        names(sandbox.json(&["env", "list", "--project", "crm"])),
        ["prod"]
    );
    let message = sandbox.failure(1, &["env", "remove", "prod", "--project", "crm"]);
    assert!(message.contains("remove the project instead"), "{message}");
}

#[test]
fn a_resource_gets_a_token_and_the_list_says_which_database_it_is() {
    let sandbox = Sandbox::new();
    sandbox.database("shop.db");
    sandbox.json(&["project", "add", "crm"]);
    let added = sandbox.json(&[
        "resource",
        "add",
        "shop",
        "sqlite:shop.db",
        "--project",
        "crm",
    ]);
    assert_eq!(added["resource"], "shop");
    assert!(
        added["token"].as_str().unwrap().starts_with("svct_"),
        "{added}"
    );
    let listed = sandbox.run(&["resource", "list", "--project", "crm"]);
    let table = text(&listed.stdout);
    assert!(
        table.contains("sqlite:") && table.contains("shop.db"),
        "{table}"
    );
    let taken = sandbox.failure(
        1,
        &[
            "resource",
            "add",
            "shop",
            "sqlite:shop.db",
            "--project",
            "crm",
        ],
    );
    assert!(taken.contains("choose another name"), "{taken}");
    assert_eq!(
        sandbox.json(&["resource", "remove", "shop", "--project", "crm"]),
        json!({"resource": "shop"})
    );
    assert_eq!(
        sandbox.json(&["resource", "list", "--project", "crm"]),
        json!([])
    );
    assert!(sandbox.path().join("shop.db").exists());
}

#[test]
fn a_resource_gets_another_address_or_title_and_keeps_its_tokens() {
    let sandbox = Sandbox::new();
    sandbox.database("shop.db");
    sandbox.database("other.db");
    sandbox.json(&["project", "add", "crm"]);
    let params = "--params={\"labels\":{},\"x\":1.5}";
    let add = ["resource", "add", "shop", "sqlite:shop.db", "--project=crm"];
    sandbox.json(&[&add[..], &[params]].concat());
    let list = sandbox.json(&["resource", "list", "--project=crm"]);
    assert_eq!(list[0]["params"], json!({"labels": {}, "x": 1.5}));
    let tokens = ["token", "list", "--project=crm"];
    let before = sandbox.json(&tokens);
    let set = ["resource", "set", "shop", "--project=crm"];
    sandbox.json(&[&set[..], &["--url=sqlite:other.db"]].concat());
    sandbox.json(&[&set[..], &["--title=The shop"]].concat());
    let list = sandbox.json(&["resource", "list", "--project=crm"]);
    assert_eq!(list[0]["name"], "The shop");
    let url = list[0]["url"].as_str().unwrap();
    assert!(url.ends_with("/other.db"), "{url}");
    assert_eq!(sandbox.json(&tokens), before);
    assert_eq!(before.as_array().unwrap().len(), 1);

    let message = sandbox.failure(1, &[&set[..], &["--url=sqlite:none.db"]].concat());
    assert!(message.contains("none.db"), "{message}");
    let message = sandbox.failure(1, &[&set[..], &["--url=https://api.example"]].concat());
    assert!(message.contains("cannot become"), "{message}");
    let unknown = ["resource", "set", "nope", "--title=x", "--project=crm"];
    let message = sandbox.failure(1, &unknown);
    assert!(message.contains("svc resource list"), "{message}");
    sandbox.failure(2, &set);
    assert_eq!(sandbox.json(&["resource", "list", "--project=crm"]), list);
}

#[test]
fn a_database_is_tried_and_nothing_is_kept() {
    let sandbox = Sandbox::new();
    sandbox.database("shop.db");
    let tried = sandbox.json(&["resource", "test", "sqlite:shop.db"]);
    assert_eq!(
        (&tried["ok"], &tried["engine"]),
        (&json!(true), &json!("sqlite"))
    );
    assert!(tried["models"].as_u64().unwrap() >= 1, "{tried}");
    let message = sandbox.failure(1, &["resource", "test", "sqlite:none.db"]);
    assert!(message.contains("none.db"), "{message}");
    assert!(!sandbox.path().join("none.db").exists());
    assert!(!sandbox.path().join("svc-data").exists());
    let wrong = "oracle://app:hunter2@db/x";
    let message = sandbox.failure(1, &["resource", "test", wrong]);
    assert!(!message.contains("hunter2"), "{message}");
}

#[test]
fn a_database_that_is_not_there_is_not_connected_and_not_made() {
    let sandbox = Sandbox::new();
    sandbox.json(&["project", "add", "crm"]);
    let message = sandbox.failure(
        1,
        &[
            "resource",
            "add",
            "shop",
            "sqlite:none.db",
            "--project",
            "crm",
        ],
    );
    assert!(message.contains("none.db"), "{message}");
    assert!(!sandbox.path().join("none.db").exists());
    assert_eq!(
        sandbox.json(&["resource", "list", "--project", "crm"]),
        json!([])
    );
    let message = sandbox.failure(
        1,
        &[
            "resource",
            "add",
            "x",
            "oracle://app:hunter2@db/x",
            "--project",
            "crm",
        ],
    );
    assert!(
        message.contains("sqlite:PATH") && !message.contains("hunter2"),
        "{message}"
    );
}

#[test]
fn tokens_and_keys_are_shown_once_listed_by_prefix_and_revoked() {
    let sandbox = Sandbox::new();
    sandbox.json(&["project", "add", "crm", "--owner", "ada@example.com"]);
    let token = sandbox.json(&[
        "token",
        "add",
        "__svc_app__",
        "--project",
        "crm",
        "--expires",
        "90d",
    ]);
    let key = sandbox.json(&["key", "add", "--project", "crm"]);
    let (token, key) = (
        token["token"].as_str().unwrap(),
        key["api_key"].as_str().unwrap(),
    );
    assert!(token.starts_with("svct_") && key.starts_with("svck_"));

    let tokens = sandbox.json(&["token", "list", "--project", "crm"]);
    let keys = sandbox.json(&["key", "list", "--project", "crm"]);
    assert!(!tokens.to_string().contains(token) && !keys.to_string().contains(key));
    assert_eq!(tokens[0]["resource"], "__svc_app__");
    assert!(tokens[0]["expires"].is_string());
    assert_eq!(keys[0]["email"], "ada@example.com");

    let prefix = tokens[0]["prefix"].as_str().unwrap();
    assert_eq!(
        sandbox.json(&["token", "revoke", prefix, "--project", "crm"]),
        json!({"prefix": prefix})
    );
    let uid = keys[0]["uid"].as_str().unwrap();
    sandbox.json(&["key", "revoke", uid]);
    assert!(sandbox.json(&["token", "list", "--project", "crm"])[0]["revoked"].is_string());
    assert!(sandbox.json(&["key", "list", "--project", "crm"])[0]["revoked"].is_string());
}

#[test]
fn a_credential_is_not_revoked_through_a_project_that_it_does_not_belong_to() {
    let sandbox = Sandbox::new();
    sandbox.json(&["project", "add", "crm"]);
    sandbox.json(&["project", "add", "shop"]);
    sandbox.json(&["token", "add", "__svc_app__", "--project", "crm"]);
    let prefix = sandbox.json(&["token", "list", "--project", "crm"])[0]["prefix"].clone();
    let message = sandbox.failure(
        1,
        &[
            "token",
            "revoke",
            prefix.as_str().unwrap(),
            "--project",
            "shop",
        ],
    );
    assert!(message.contains("no such token"), "{message}");
    assert!(sandbox.json(&["token", "list", "--project", "crm"])[0]["revoked"].is_null());
}

#[test]
fn what_does_not_exist_is_said_with_the_way_to_see_what_does() {
    let sandbox = Sandbox::new();
    sandbox.json(&["project", "add", "crm"]);
    for (arguments, remedy) in [
        (
            ["env", "list", "--project", "nope"].as_slice(),
            "svc project list",
        ),
        (
            &["resource", "remove", "nope", "--project", "crm"],
            "svc resource list",
        ),
        (
            &["token", "add", "nope", "--project", "crm"],
            "svc resource list",
        ),
        (&["token", "revoke", "svct_nope"], "svc token list"),
        (&["key", "revoke", "svck_nope"], "svc key list"),
        (&["project", "remove", "nope"], "svc project list"),
    ] {
        let message = sandbox.failure(1, arguments);
        assert!(message.contains(remedy), "{arguments:?}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn a_mistyped_folder_is_no_new_store() {
    let sandbox = Sandbox::new();
    let message = sandbox.failure(1, &["project", "list", "--dir", "nowhere"]);
    assert!(
        message.contains("there is no store in nowhere") && message.contains("--dir"),
        "{message}"
    );
    assert!(!sandbox.path().join("nowhere").exists());
}

#[test]
fn the_folder_comes_from_the_flag_then_the_variable_then_the_file() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path().join("svc.toml"), "dir = \"by-file\"\n").unwrap();
    let add = |variable: Option<&str>, arguments: &[&str]| {
        let mut command = sandbox
            .command(&[&["project", "add", "p", "--config", "svc.toml"], arguments].concat());
        if let Some(dir) = variable {
            command.env("SVC_DIR", dir);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    add(None, &[]);
    assert!(sandbox.path().join("by-file").exists());
    add(Some("by-variable"), &[]);
    assert!(sandbox.path().join("by-variable").exists());
    add(Some("by-variable-too"), &["--dir", "by-flag"]);
    assert!(sandbox.path().join("by-flag").exists());
    assert!(!sandbox.path().join("by-variable-too").exists());
}

#[test]
fn a_name_that_is_taken_is_called_as_on_the_command_line() {
    let sandbox = Sandbox::new();
    sandbox.json(&["project", "add", "crm"]);
    let message = sandbox.failure(1, &["project", "add", "crm"]);
    assert!(message.contains("NAME: "), "{message}");
    let message = sandbox.failure(1, &["env", "add", "prod", "--project", "crm"]);
    assert!(message.contains("NAME: "), "{message}");
}
