//! The administration over HTTP: who may call what, and what calls do.

mod accounts;
mod audited;
mod conditions;
mod guide;
mod levels;
mod lists;
mod once;
mod people;
mod projects;
mod service;

use serde_json::{Value, json};
use svc_tests::{Call, Program};

use crate::people::{Home, PASSWORD};

/// The password of an account, on standard input.
fn add_account(home: &Home, email: &str, options: &[&str]) -> String {
    let mut arguments = vec!["account", "add", email, "--password-stdin", "--json"];
    arguments.extend(options);
    let made = Program::new(home.path(), &arguments)
        .input(PASSWORD)
        .run_json();
    made["uid"].as_str().unwrap().to_owned()
}

/// Signs an account in, and gives the `Authorization` header of its session.
fn sign_in(home: &Home, email: &str) -> String {
    let login = home.service().app_anonymous("POST", "/account/auth/login/");
    let body = json!({"email": email, "password": PASSWORD});
    let answer = login.json(&body).ok();
    format!("JWT {}", answer["token"]["access_token"].as_str().unwrap())
}

/// An account that operates the service, signed in.
fn operator(home: &Home) -> String {
    add_account(home, "operator@example.com", &["--operator"]);
    sign_in(home, "operator@example.com")
}

/// A member of the project `main`, signed in.
fn member(home: &Home, email: &str, team: &str) -> String {
    add_account(home, email, &[]);
    home.run(&["member", "set", email, "--team", team, "--project", "main"]);
    sign_in(home, email)
}

/// A call on the application host.
fn call(home: &Home, credential: &str, method: &str, path: &str) -> Call {
    let call = home.service().app_anonymous(method, path);
    call.authorization(credential)
}

/// A call with a JSON body.
fn send(home: &Home, credential: &str, method: &str, path: &str, body: &Value) -> Call {
    call(home, credential, method, path).json(body)
}
