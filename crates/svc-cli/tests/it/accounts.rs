//! Users, their rights, the settings of their sign-in, signing keys and the outbox by hand.

use std::{
    io::Write as _,
    process::{Output, Stdio},
};

use serde_json::{Value, json};

use crate::{Sandbox, text};

fn with_project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.json(&["project", "add", "crm", "--title", "Sales"]);
    sandbox
}

/// Runs a command with this on its standard input.
pub(crate) fn piped(sandbox: &Sandbox, arguments: &[&str], input: &str) -> Output {
    let mut command = sandbox.command(arguments);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(input.as_bytes()).unwrap();
    drop(pipe);
    child.wait_with_output().unwrap()
}

#[test]
fn a_user_without_a_password_is_invited_with_a_link_of_the_public_url() {
    let sandbox = with_project();
    let add = |address: &str, arguments: &[&str]| -> Value {
        let all = [
            &["user", "add", address, "--team", "Editor", "--project=crm"],
            arguments,
        ];
        sandbox.json(&all.concat())
    };
    let added = add("ada@example.com", &["--first-name", "Ada"]);
    assert_eq!(added["uid"].as_str().unwrap().len(), 36, "{added}");
    add(
        "bo@example.com",
        &["--public-url=https://data.example.com/"],
    );
    std::fs::write(
        sandbox.path().join("svc.toml"),
        "public-url = \"https://file.example.com\"\n",
    )
    .unwrap();
    add("cy@example.com", &["--config=svc.toml"]);

    let mails = sandbox.json(&["mail", "list"]);
    let mails = mails.as_array().unwrap();
    for (mail, (to, url)) in mails.iter().zip([
        ("ada@example.com", "http://127.0.0.1:8080"),
        ("bo@example.com", "https://data.example.com"),
        ("cy@example.com", "https://file.example.com"),
    ]) {
        assert_eq!(mail["to"], to);
        assert_eq!(mail["subject"], "You are invited to Sales");
        let code = mail["code"].as_str().unwrap();
        assert_eq!(
            mail["link"],
            format!("{url}/projects/crm/prod/auth/accept_invitation#{code}")
        );
        assert!(mail["date"].as_str().unwrap().ends_with('Z'), "{mail}");
        assert_eq!(mail.as_object().unwrap().len(), 5, "{mail}");
    }
    assert_eq!(mails.len(), 3);
    assert_eq!(
        sandbox.json(&["mail", "list", "--dir", "svc-data"])[0]["to"],
        "ada@example.com"
    );
}

#[test]
fn a_user_with_a_password_gets_no_mail() {
    let sandbox = with_project();
    sandbox.json(&[
        "user",
        "add",
        "ada@example.com",
        "--admin",
        "--project=crm",
        "--password=correct horse",
    ]);
    let arguments = [
        "user",
        "add",
        "bo@example.com",
        "--team=read only",
        "--project=crm",
        "--password-stdin",
    ];
    let output = piped(&sandbox, &arguments, "battery staple\n");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("of team Read Only added"));
    assert_eq!(sandbox.json(&["mail", "list"]), json!([]));
    let said = text(&sandbox.run(&["mail", "list"]).stderr);
    assert!(said.contains("no mail is waiting"), "{said}");

    let arguments = ["user", "add", "cy@example.com", "--admin"];
    let nothing = piped(
        &sandbox,
        &[&arguments[..], &["--project=crm", "--password-stdin"]].concat(),
        "",
    );
    assert_eq!(nothing.status.code(), Some(2));
    assert!(text(&nothing.stderr).contains("first line"));
}

#[test]
fn what_is_wrong_with_a_user_is_said_by_the_names_of_the_options() {
    let sandbox = with_project();
    let refused = |arguments: &[&str]| sandbox.failure(1, &[&["user", "add"], arguments].concat());
    let message = refused(&["ada@example.com", "--team=Owners", "--project=crm"]);
    assert!(
        message.contains("--team") && message.contains("Administrator, Editor, Read Only"),
        "{message}"
    );
    let message = refused(&["ada", "--admin", "--project=crm"]);
    assert!(message.contains("EMAIL: must be an e-mail"), "{message}");
    let short = "--password=hunter2";
    let message = refused(&["a@example.com", "--admin", "--project=crm", short]);
    assert!(
        message.contains("the password: must have at least 8") && !message.contains("hunter2"),
        "{message}"
    );
    let message = refused(&["a@example.com", "--admin", "--project=nope"]);
    assert!(message.contains("svc project list"), "{message}");
    let message = refused(&["a@example.com", "--admin", "--project=crm", "--env=nope"]);
    assert!(message.contains("svc env list"), "{message}");
    sandbox.json(&["user", "add", "a@example.com", "--admin", "--project=crm"]);
    let message = refused(&["A@example.com", "--admin", "--project=crm"]);
    assert!(
        message.contains("EMAIL: a user with this address exists"),
        "{message}"
    );
}

#[test]
fn admin_is_the_team_of_the_administrators() {
    let sandbox = with_project();
    let output = sandbox.run(&["user", "add", "a@example.com", "--admin", "--project=crm"]);
    assert!(text(&output.stdout).contains("of team Administrator invited"));
}

#[test]
fn signing_keys_rotate_and_each_has_a_name() {
    let sandbox = with_project();
    let first = sandbox.json(&["keys", "rotate"]);
    let second = sandbox.json(&["keys", "rotate", "--now"]);
    assert!(first["kid"].is_string() && first != second, "{first}");
    let message = sandbox.failure(1, &["keys", "rotate", "--dir", "nowhere"]);
    assert!(message.contains("there is no store"), "{message}");
}

#[test]
fn the_sign_in_of_a_project_is_set_one_by_one() {
    let sandbox = with_project();
    let set = |arguments: &[&str]| sandbox.json(&[&["project", "set", "crm"], arguments].concat());
    let link = "https://app.example.com/account/{call}#{code}";
    set(&["--sign-up=on", "--sign-up-team=editor", "--mail-link", link]);
    set(&[
        "--email-domains=Example.com,@b.example",
        "--confirm-email=on",
    ]);
    let project = set(&[
        "--password-min-length=12",
        "--access-token-seconds=600",
        "--refresh-token-days=7",
    ]);
    assert_eq!(project["sign_up"], true);
    assert_eq!(
        project["authentication"],
        json!({
            "sign_up_team": "editor", "email_domains": ["example.com", "b.example"], "confirm_email": true,
            "password_min_length": 12, "access_token_seconds": 600, "refresh_token_days": 7, "link": link,
        })
    );
    sandbox.json(&["user", "add", "a@b.example", "--admin", "--project=crm"]);
    let mail = sandbox.json(&["mail", "list"])[0]["link"].clone();
    assert!(
        mail.as_str()
            .unwrap()
            .starts_with("https://app.example.com/account/accept_invitation#svcc_"),
        "{mail}"
    );
    let project = set(&["--mail-link=none", "--email-domains="]);
    assert_eq!(project["authentication"]["link"], Value::Null);
    assert_eq!(project["authentication"]["email_domains"], json!([]));
}

#[test]
fn a_setting_that_cannot_be_is_said_by_the_name_of_its_option() {
    let sandbox = with_project();
    for (option, value) in [
        ("--sign-up-team", "administrator"),
        ("--email-domains", "a b"),
        ("--password-min-length", "7"),
        ("--access-token-seconds", "5"),
        ("--refresh-token-days", "366"),
        ("--mail-link", "https://app.example.com/"),
    ] {
        let message = sandbox.failure(1, &["project", "set", "crm", option, value]);
        assert!(message.contains(&format!("{option}: must be")), "{message}");
    }
}

#[test]
fn rights_of_a_team_are_set_listed_and_removed() {
    let sandbox = with_project();
    let set = |arguments: &[&str]| {
        sandbox.json(&[&["rights", "set", "editor", "--project=crm"], arguments].concat())
    };
    assert_eq!(
        set(&["--rights=none"]),
        json!({"team": "editor", "resource": null, "model": null, "rights": []})
    );
    set(&["--rights=read", "--resource=shop", "--later"]);
    for rights in ["--rights=read,delete", "--rights=delete,read,write"] {
        set(&[rights, "--resource=shop", "--model=orders", "--later"]);
    }
    let list = ["rights", "list", "Editor", "--project", "crm"];
    assert_eq!(
        sandbox.json(&list),
        json!([
            {"team": "Editor", "resource": null, "model": null, "rights": []},
            {"team": "Editor", "resource": "shop", "model": null, "rights": ["read"]},
            {"team": "Editor", "resource": "shop", "model": "orders", "rights": ["read", "write", "delete"]},
        ])
    );
    let of_all = ["rights", "list", "--project", "crm"];
    assert_eq!(sandbox.json(&of_all), sandbox.json(&list));
    let table = text(&sandbox.run(&of_all).stdout);
    assert!(table.contains("read, write, delete"), "{table}");
    let remove = [
        "rights",
        "remove",
        "Editor",
        "--project=crm",
        "--resource=shop",
    ];
    assert_eq!(
        sandbox.json(&remove),
        json!({"team": "Editor", "resource": "shop", "model": null})
    );
    assert_eq!(sandbox.json(&list).as_array().unwrap().len(), 2);
    let message = sandbox.failure(1, &remove);
    assert!(message.contains("svc rights list"), "{message}");
}

#[test]
fn what_is_wrong_with_a_rule_is_said() {
    let sandbox = with_project();
    let set = ["rights", "set", "--rights=read"];
    let message = sandbox.failure(1, &[&set[..], &["Owners", "--project=crm"]].concat());
    assert!(
        message.contains("TEAM: no such team") && message.contains("Read Only"),
        "{message}"
    );
    let message = sandbox.failure(1, &[&set[..], &["Administrator", "--project=crm"]].concat());
    assert!(
        message.contains("administrators may do everything"),
        "{message}"
    );
    let message = sandbox.failure(1, &[&set[..], &["Editor", "--project=nope"]].concat());
    assert!(message.contains("svc project list"), "{message}");
    let on = ["Editor", "--project=crm", "--resource=shop"];
    let message = sandbox.failure(1, &[&set[..], &on].concat());
    assert!(
        message.contains("has no resource shop") && message.contains("--later"),
        "{message}"
    );
    sandbox.json(&[&set[..], &on, &["--later"]].concat());
}

#[test]
fn a_rule_about_a_model_that_does_not_exist_is_refused_with_the_name_that_was_meant() {
    let sandbox = with_project();
    sandbox.database("shop.db");
    sandbox.json(&["resource", "add", "shop", "sqlite:shop.db", "--project=crm"]);
    let set = ["rights", "set", "Editor", "--rights=none", "--project=crm"];
    let misspelt = [&set[..], &["--resource=shop", "--model=ordrs"]].concat();
    let message = sandbox.failure(1, &misspelt);
    assert!(message.contains("did you mean orders?"), "{message}");
    let list = ["rights", "list", "Editor", "--project=crm"];
    assert_eq!(sandbox.json(&list), json!([]));
    sandbox.json(&[&misspelt[..], &["--later"]].concat());
    sandbox.json(&[&set[..], &["--resource=shop", "--model=orders"]].concat());
    // A database that cannot be asked is no reason to set a rule blindly.
    std::fs::remove_file(sandbox.path().join("shop.db")).unwrap();
    let message = sandbox.failure(1, &misspelt);
    assert!(message.contains("cannot be found out"), "{message}");
}
