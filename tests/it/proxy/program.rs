//! The commands: `svc secret`, `svc project allow-host`, `svc proxy`.

use std::{fs, process::Stdio};

use serde_json::json;
use svc_tests::{Program, program};

use super::{
    SECRET, Setup,
    upstream::{Upstream, answer, write},
};

/// A setup with the signed-in user `ann@example.com`.
fn signed_in() -> Setup {
    let setup = Setup::new(&[]);
    let user = [
        "user",
        "add",
        "ann@example.com",
        "--team",
        "Editor",
        "--project",
        "open",
    ];
    setup.admin(&[&user[..], &["--password", "correct horse battery"]].concat());
    let password = setup.folder.path().join("password.txt");
    fs::write(&password, "correct horse battery\n").expect("written");
    let status = std::process::Command::new(program())
        .args([
            "login",
            "ann@example.com",
            "--project",
            "open",
            "--api-base-url",
        ])
        .arg(setup.service.text("/base_url"))
        .current_dir(setup.folder.path())
        .env("SVC_SESSION_DIR", "sessions")
        .stdin(Stdio::from(fs::File::open(password).expect("opened")))
        .stdout(Stdio::null())
        .status();
    assert!(status.expect("the program starts").success());
    setup
}

fn call(setup: &Setup, arguments: &[&str]) -> Program {
    let mut all = vec!["proxy"];
    all.extend(arguments);
    Program::new(setup.folder.path(), &all)
        .env("SVC_PROJECT", "open")
        .env("SVC_API_BASE_URL", setup.service.text("/base_url"))
        .env("SVC_SESSION_DIR", "sessions")
}

#[test]
fn the_program_sends_a_request_and_writes_the_response() {
    let setup = signed_in();
    let upstream = Upstream::new(|seen, stream| {
        let status = match seen.target() {
            "/missing" => "404 Not Found",
            _ => "200 OK",
        };
        write(
            stream,
            answer(status, &["X-Total: 7"], "the body").as_bytes(),
        );
    });
    let url = upstream.url("/people/{{id}}");
    let arguments = [
        "post",
        &url,
        "--resource",
        "crm",
        "-H",
        "Authorization: Bearer {-token-}",
        "--query",
        "q=a b",
        "--context",
        "id=7",
        "--context",
        "name=Ann",
        "--body",
        r#"{"name": "{{name}}", "n": 1.50}"#,
    ];
    assert_eq!(call(&setup, &arguments).run_ok(), "the body");
    let seen = upstream.only();
    assert_eq!((seen.method(), seen.target()), ("POST", "/people/7?q=a+b"));
    assert_eq!(seen.text(), r#"{"name": "Ann", "n": 1.50}"#);
    assert_eq!(
        seen.header("authorization"),
        Some(format!("Bearer {SECRET}").as_str())
    );

    let text = call(&setup, &["GET", &upstream.url("/"), "-i"]).run_ok();
    assert!(
        text.starts_with("200 OK\n") && text.contains("x-total: 7\n"),
        "{text}"
    );
    assert!(text.ends_with("\n\nthe body"), "{text}");
    let line = call(&setup, &["GET", &upstream.url("/"), "--json"]).run_json();
    assert_eq!(
        (&line["status"], &line["body"]),
        (&json!(200), &json!("the body"))
    );

    let (code, message) = call(&setup, &["GET", &upstream.url("/missing")]).run_err();
    assert_eq!(code, 1);
    assert!(message.contains("404"), "{message}");
    let (code, message) = call(&setup, &["GET", "http://10.0.0.1/"]).run_err();
    assert_eq!(code, 1);
    assert!(message.contains("is private"), "{message}");
    let stranger = call(&setup, &["GET", "http://10.0.0.1/"]).env("SVC_SESSION_DIR", "others");
    let (code, message) = stranger.run_err();
    assert_eq!(code, 2);
    assert!(message.contains("svc login"), "{message}");
}

#[test]
fn the_value_of_a_secret_is_read_from_standard_input_and_a_new_resource_is_created() {
    let setup = Setup::new(&[]);
    let set = "secret set key --resource mail --host API.mail.example --host 127.0.0.1 --project open --dir store";
    let set: Vec<&str> = set.split(' ').collect();
    let set = Program::new(setup.folder.path(), &set);
    let output = set.input("hunter2-of-mail\nnot this\n").run();
    let told = [output.stdout, output.stderr].concat();
    let told = String::from_utf8(told).expect("text");
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("https://api.mail.example") && !told.contains("hunter2"),
        "{told}"
    );
    let upstream = Upstream::saying(answer("200 OK", &[], ""));
    let body =
        json!({"url": upstream.url("/"), "resource": "mail", "headers": {"X-Key": "{-key-}"}});
    svc_tests::wait_until("the secret is known", || {
        setup.open(&body).send().status == 200
    });
    assert_eq!(upstream.only().header("x-key"), Some("hunter2-of-mail"));

    let remove = [
        "secret",
        "remove",
        "key",
        "--resource",
        "mail",
        "--project",
        "open",
    ];
    setup.admin(&remove);
    svc_tests::wait_until("the secret is forgotten", || {
        setup.open(&body).send().status == 400
    });
    let again = [&remove[..], &["--dir", "store"]].concat();
    let (code, message) = Program::new(setup.folder.path(), &again).run_err();
    assert_eq!(code, 1);
    assert!(message.contains("svc secret list"), "{message}");
}

#[test]
fn invalid_values_are_refused_and_the_message_says_what_is_expected() {
    let setup = Setup::new(&[]);
    let run = |arguments: &[&str]| {
        let mut all = arguments.to_vec();
        all.extend(["--project", "open", "--dir", "store"]);
        Program::new(setup.folder.path(), &all).run_err()
    };
    let set = |name: &str, host: &str, value: &str, resource: &str| {
        run(&[
            "secret",
            "set",
            name,
            "--resource",
            resource,
            "--host",
            host,
            "--value",
            value,
        ])
    };
    for (name, host, value, resource, what) in [
        ("a b", "a.example", "hunter2", "crm", "NAME"),
        ("a", "https://a.example", "hunter2", "crm", "--host"),
        ("a", "a.example:80", "hunter2", "crm", "--host"),
        ("a", "0x7f.1", "hunter2", "crm", "--host"),
        ("a", "a.example", "hunter2\r\nX-Evil: 1", "crm", "--value"),
        ("a", "a.example", "hunter2", "__svc_app__", "--resource"),
    ] {
        let (code, message) = set(name, host, value, resource);
        assert_eq!(code, 1, "{message}");
        assert!(
            message.contains(what) && !message.contains("hunter2"),
            "{message}"
        );
    }
    let (_, message) = run(&["project", "allow-host", "10.0.0.0/8"]);
    assert!(message.contains("HOST"), "{message}");
    let (_, message) = run(&["project", "allow-host", "a.example", "--remove"]);
    assert!(message.contains("not on the list"), "{message}");
}
