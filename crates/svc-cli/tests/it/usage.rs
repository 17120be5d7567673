//! Wrong usage and circumstances that do not allow the work: a message, a remedy, a status.

use std::{io::Read as _, process::Stdio};

use crate::{Sandbox, text};

#[test]
fn wrong_usage_is_status_2() {
    let sandbox = Sandbox::new();
    for arguments in [
        ["nonsense"].as_slice(),
        &["project", "add"],
        &["project", "set", "crm"],
        &["env", "add", "staging"],
        &[
            "token",
            "add",
            "shop",
            "--project",
            "crm",
            "--expires",
            "soon",
        ],
        &[
            "token",
            "add",
            "shop",
            "--project",
            "crm",
            "--expires",
            "-1d",
        ],
        &["serve", "--listen", "nowhere"],
        &["serve", "--connect", "sqlite:x.db"],
        &["serve", "--body-limit", "0"],
        &["serve", "--log", "svc=loud=very"],
        &["serve", "--config", "no-such-file.toml"],
        &["serve", "--smtp-url"],
        &[
            "records",
            "list",
            "shop",
            "orders",
            "--project",
            "p",
            "--format",
            "xml",
        ],
        &[
            "records",
            "list",
            "shop",
            "orders",
            "--project",
            "p",
            "--api-token",
            "t",
            "--filter",
            "status",
        ],
        &[
            "records",
            "create",
            "shop",
            "orders",
            "[]",
            "--project",
            "p",
            "--api-token",
            "t",
        ],
        &["pages", "create", "--project", "p"],
        &["app-user", "create", "ada@example.com", "--project", "p"],
        &["app-user", "update", "u1", "--project", "p"],
        &["app-user", "list", "--project", "p", "--page", "0"],
        &[
            "app-user",
            "list",
            "--project",
            "p",
            "--api-token",
            "t",
            "--filter",
            "email",
        ],
        &["app-team", "create", "Support", "--project", "p"],
        &["app-team", "update", "t1", "--project", "p"],
        &["user", "add", "ada@example.com", "--project", "p"],
        &["user", "add", "--team", "Editor", "--project", "p"],
        &[
            "user",
            "add",
            "a@b",
            "--admin",
            "--team=Editor",
            "--project=p",
        ],
        &[
            "user",
            "add",
            "a@b",
            "--admin",
            "--project=p",
            "--password=x",
            "--password-stdin",
        ],
        &[
            "user",
            "add",
            "a@b",
            "--admin",
            "--project=p",
            "--public-url=example.com",
        ],
        &["rights", "set", "Editor", "--project", "p"],
        &["rights", "set", "Editor", "--project=p", "--rights=all"],
        &[
            "rights",
            "set",
            "Editor",
            "--project=p",
            "--rights=read",
            "--model=m",
        ],
        &["rights", "list"],
        &["project", "set", "p", "--sign-up", "maybe"],
        &["keys", "rotate", "k1"],
        &["completions", "ksh"],
    ] {
        sandbox.failure(2, arguments);
    }
    assert!(!sandbox.path().join("svc-data").exists());
}

#[test]
fn a_missing_credential_is_said_with_the_way_to_get_one() {
    let sandbox = Sandbox::new();
    let message = sandbox.failure(2, &["pages", "list", "--project", "p"]);
    assert!(
        message.contains("SVC_API_KEY") && message.contains("svc key add"),
        "{message}"
    );
    let message = sandbox.failure(2, &["records", "list", "shop", "orders", "--project", "p"]);
    assert!(
        message.contains("SVC_API_TOKEN") && message.contains("svc token add shop"),
        "{message}"
    );
    for arguments in [["app-user", "list"], ["app-team", "list"]] {
        let message = sandbox.failure(2, &[arguments.as_slice(), &["--project", "p"]].concat());
        assert!(
            message.contains("SVC_API_TOKEN") && message.contains("svc token add __svc_app__"),
            "{message}"
        );
    }
}

#[test]
fn a_service_that_is_not_there_is_said_with_its_address() {
    let sandbox = Sandbox::new();
    // Port 1 of this machine: nothing listens there.
    let arguments = [
        "records",
        "list",
        "shop",
        "orders",
        "--project",
        "p",
        "--api-base-url",
        "http://127.0.0.1:1",
    ];
    let output = sandbox
        .command(&arguments)
        .env("SVC_API_TOKEN", "svct_hunter2")
        .output()
        .unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("http://127.0.0.1:1") && !message.contains("hunter2"),
        "{message}"
    );
}

#[test]
fn a_name_that_is_no_name_is_refused_with_the_rule() {
    let sandbox = Sandbox::new();
    let message = sandbox.failure(1, &["project", "add", "My Shop"]);
    assert!(message.contains("lower-case letters a-z"), "{message}");
}

#[test]
fn an_unknown_key_of_the_file_is_named() {
    let sandbox = Sandbox::new();
    std::fs::write(
        sandbox.path().join("svc.toml"),
        "dir = \"x\"\nlistenn = \"127.0.0.1:0\"\n",
    )
    .unwrap();
    let message = sandbox.failure(2, &["serve", "--config", "svc.toml"]);
    assert!(
        message.contains("svc.toml, line 2") && message.contains("listenn"),
        "{message}"
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_said_with_a_remedy() {
    let sandbox = Sandbox::new();
    // A file where the folder should be stops even a user who may do everything.
    std::fs::write(sandbox.path().join("file"), "").unwrap();
    for arguments in [["project", "add", "p"].as_slice(), &["serve"], &["demo"]] {
        let message = sandbox.failure(1, &[arguments, &["--dir", "file/store"]].concat());
        assert!(
            message.contains("file/store") && message.contains("choose"),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn completions_are_a_script_that_knows_the_commands() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = sandbox.run(&["completions", shell]);
        assert!(output.status.success());
        assert!(text(&output.stdout).contains("completions"), "{shell}");
    }
}

#[test]
fn a_reader_that_leaves_causes_no_message() {
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .command(&["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut message = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut message)
        .unwrap();
    child.wait().unwrap();
    assert_eq!(message, "");
}

#[test]
fn commands_are_still_found_by_their_old_names_which_help_does_not_show() {
    let sandbox = Sandbox::new();
    let stdout = |arguments: &[&str]| {
        let output = sandbox.run(arguments);
        assert!(output.status.success(), "{arguments:?}");
        text(&output.stdout)
    };
    let help = stdout(&["--help"]);
    for (old, new) in [
        ("keys", "signing-keys"),
        ("users", "app-user"),
        ("teams", "app-team"),
    ] {
        assert!(help.contains(&format!("\n  {new} ")), "{help}");
        assert!(!help.contains(&format!("\n  {old} ")), "{help}");
        assert_eq!(stdout(&[old, "--help"]), stdout(&[new, "--help"]), "{old}");
    }
}
