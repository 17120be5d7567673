//! What an option that is wrong is answered with: its name, where it was set, and what is allowed.

use std::{fs, path::Path};

use svc_tests::Program;

/// Options with values that are refused as they are read or later, and what is allowed in their place.
const WRONG: [(&str, &str, &str); 12] = [
    ("log", "svc=loud", "such as info"),
    ("listen", "nowhere", "such as 127.0.0.1:8080"),
    ("listen", "203.0.113.1:1", "choose one of its own"),
    ("tls-cert", "cert.pem", "set --tls-key"),
    ("http-redirect", "127.0.0.1:0", "set --tls-cert"),
    ("public-url", "data.example.com", "https://data.example.com"),
    ("cors-origins", "app", "https://app.example.com"),
    ("body-limit", "0", "at least 1"),
    ("rate-limit", "fast", "600/m"),
    ("import-grace", "9", "at least 10"),
    ("smtp-url", "mail.example.com", "smtp://user:password@"),
    ("store", "/srv/store", "postgres://"),
];

/// What the program says, with these arguments, variables, and this file.
fn refused(folder: &Path, arguments: &[&str], variable: Option<(&str, &str)>) -> String {
    let arguments = [&["serve"], arguments].concat();
    // A mail server needs a sender.
    let mut program = Program::new(folder, &arguments).env("SVC_MAIL_FROM", "a@b.example");
    if let Some((name, value)) = variable {
        program = program.env(name, value);
    }
    program.run_err().1
}

#[test]
fn a_wrong_option_is_named_with_the_flag_the_variable_or_the_line_of_the_file_that_has_set_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (option, value, allowed) in WRONG {
        if option == "store" && svc_tests::stores_are_on_server() {
            // There it is set by a variable, which the file does not replace.
            continue;
        }
        let expect = |message: &str, place: &str| {
            for part in [option, place, allowed] {
                assert!(message.contains(part), "{option}: {part}: {message}");
            }
        };
        let flag = format!("--{option}");
        expect(&refused(folder, &[&flag, value], None), &flag);
        let variable = format!("SVC_{}", option.replace('-', "_").to_uppercase());
        expect(&refused(folder, &[], Some((&variable, value))), &variable);
        let written = match option {
            "body-limit" | "import-grace" => value.to_owned(),
            "cors-origins" => format!("[\"{value}\"]"),
            _ => format!("\"{value}\""),
        };
        let text = format!("# ours\n\n{option} = {written}\n");
        fs::write(folder.join("svc.toml"), text).unwrap();
        let message = refused(folder, &["--config", "svc.toml"], None);
        expect(&message, "svc.toml, line 3");
    }
}

#[test]
fn files_of_certificates_and_databases_to_connect_are_named_with_where_they_were_set() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("cert.pem"), "nothing").unwrap();
    let file = |text: &str| {
        fs::write(folder.join("svc.toml"), text).unwrap();
        refused(folder, &["--config", "svc.toml"], None)
    };
    let message =
        file("tls-key = \"key.pem\"\ntls-cert = \"cert.pem\"\nlisten = \"127.0.0.1:0\"\n");
    assert!(
        message.contains("--tls-key (svc.toml, line 1): key.pem: cannot be read"),
        "{message}"
    );
    fs::write(folder.join("key.pem"), "nothing").unwrap();
    let arguments = ["--tls-key", "key.pem", "--listen", "127.0.0.1:0"];
    let message = refused(folder, &arguments, Some(("SVC_TLS_CERT", "cert.pem")));
    assert!(
        message.contains("--tls-cert (the variable SVC_TLS_CERT): cert.pem: has no certificate"),
        "{message}"
    );

    let message = file("[connect]\nshop = \"sqlite:none.db\"\n");
    assert!(
        message.contains("--connect (svc.toml, line 2): resource shop: "),
        "{message}"
    );
    let message = file("[connect]\nshop = 5\n");
    assert!(
        message.contains("--connect (svc.toml, line 2): must be"),
        "{message}"
    );
    let message = refused(folder, &["--connect", "sqlite:hunter2.db"], None);
    assert!(
        message.contains("--connect (a flag): must be NAME=URL"),
        "{message}"
    );
    assert!(!message.contains("hunter2"), "{message}");
    let wrong = Some(("SVC_CONNECT", "sqlite:x.db"));
    let message = refused(folder, &[], wrong);
    assert!(
        message.contains("--connect (the variable SVC_CONNECT): must be NAME=URL"),
        "{message}"
    );
    let arguments = [
        "--smtp-url",
        "smtp://mail.example.com",
        "--listen",
        "127.0.0.1:0",
    ];
    let message = refused(folder, &arguments, Some(("SVC_MAIL_FROM", "Shop")));
    assert!(
        message.contains("--mail-from (the variable SVC_MAIL_FROM): the sender"),
        "{message}"
    );
}
