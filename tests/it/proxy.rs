//! The HTTP proxy: requests, responses, refused addresses, and secrets.

mod addresses;
mod answers;
mod callers;
mod program;
mod redirects;
mod requests;
mod secrets;
mod traces;
mod upstream;

use std::sync::OnceLock;

use serde_json::{Value, json};
use svc_tests::{Answer, Call, Program, Service};
use tempfile::TempDir;

/// The value of the secret token `token` of the resource `crm`.
const SECRET: &str = "hunter2-of-crm";

/// A service with two projects: `open` lets the proxy reach this machine by its address, `closed` allows nothing.
struct Setup {
    folder: TempDir,
    service: Service,
    open: String,
    closed: String,
    reader: String,
}

impl Setup {
    fn new(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let run = |arguments: &[&str]| {
            let mut all = arguments.to_vec();
            all.extend(["--dir", "store", "--json"]);
            Program::new(folder.path(), &all).run_json()
        };
        for project in ["open", "closed"] {
            run(&["project", "add", project]);
            for resource in ["crm", "hidden"] {
                let url = "https://api.crm.example";
                run(&["resource", "add", resource, url, "--project", project]);
            }
        }
        let token = |project: &str, team: &str| {
            let add = ["service-token", "add", "--team", team, "--project", project];
            let made = run(&add);
            format!("JWT {}", made["token"].as_str().expect("a token"))
        };
        let (open, closed) = (token("open", "Editor"), token("closed", "Editor"));
        let reader = token("open", "Read Only");
        run(&["project", "allow-host", "127.0.0.1", "--project", "open"]);
        for (name, host, value) in [
            ("token", "127.0.0.1", SECRET),
            ("elsewhere", "api.crm.example", "hunter2-of-elsewhere"),
        ] {
            for project in ["open", "closed"] {
                run(&[
                    "secret",
                    "set",
                    name,
                    "--resource",
                    "crm",
                    "--host",
                    host,
                    "--value",
                    value,
                    "--project",
                    project,
                ]);
            }
        }
        let hide = [
            "rights",
            "set",
            "Read Only",
            "--rights",
            "none",
            "--resource",
            "hidden",
        ];
        run(&[&hide[..], &["--project", "open"]].concat());
        let mut all = vec!["serve", "--dir", "store"];
        all.extend(arguments);
        let service = Service::start(folder.path(), &all);
        Self {
            folder,
            service,
            open,
            closed,
            reader,
        }
    }

    /// A call of the proxy with this body and credential.
    fn call(&self, credential: &str, body: &Value) -> Call {
        self.service
            .app_anonymous("POST", "/proxy_request/")
            .authorization(credential)
            .json(body)
    }

    /// A call in the project that allows this machine.
    fn open(&self, body: &Value) -> Call {
        self.call(&self.open, body)
    }

    /// A call in the project that allows nothing.
    fn closed(&self, body: &Value) -> Call {
        self.call(&self.closed, body)
    }

    /// Runs an administration command.
    fn admin(&self, arguments: &[&str]) -> Value {
        let mut all = arguments.to_vec();
        all.extend(["--dir", "store", "--json"]);
        Program::new(self.folder.path(), &all).run_json()
    }
}

/// The setup that tests share.
fn setup() -> &'static Setup {
    static SETUP: OnceLock<Setup> = OnceLock::new();
    SETUP.get_or_init(|| Setup::new(&["--proxy-timeout", "5", "--log", "trace"]))
}

/// Expects a response of this service, not of another one: 400 with a message on this field.
#[track_caller]
fn refused(call: Call, field: &str) -> String {
    let answer = call.expect(400);
    assert_own(&answer);
    let body = answer.json();
    let messages = body[field].as_array();
    let messages = messages.unwrap_or_else(|| panic!("{field} is not in {body}"));
    messages[0].as_str().expect("a message").to_owned()
}

/// Expects 502, or another status of a failure, and returns the message.
#[track_caller]
fn failed(call: Call, status: u16) -> String {
    let answer = call.expect(status);
    assert_own(&answer);
    answer.json()["detail"]
        .as_str()
        .expect("a detail")
        .to_owned()
}

#[track_caller]
fn assert_own(answer: &Answer) {
    assert_eq!(answer.header("x-svc-proxy"), "");
}

/// The plainest request.
fn get(url: &str) -> Value {
    json!({ "url": url })
}
