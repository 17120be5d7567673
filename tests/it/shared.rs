//! The demo service that the suites share. A test changes only what it has created.

use std::sync::OnceLock;

use svc_tests::{Program, Service};
use tempfile::TempDir;

/// The running demo, which is started at the first use.
pub fn demo() -> &'static Service {
    static DEMO: OnceLock<(TempDir, Service)> = OnceLock::new();
    let (_, service) = DEMO.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let service = Service::start(folder.path(), &["demo"]);
        (folder, service)
    });
    service
}

/// A service with databases of the test: `connect` has `NAME=URL` texts.
pub fn serve(folder: &TempDir, connect: &[&str]) -> Service {
    let mut arguments = vec!["serve"];
    for resource in connect {
        arguments.extend(["--connect", resource]);
    }
    Service::start(folder.path(), &arguments)
}

/// A separate service without databases, and an API key of its project `main`.
pub fn pages_service(folder: &TempDir) -> (Service, String) {
    let service = serve(folder, &[]);
    let arguments = ["key", "add", "--project", "main", "--json"];
    let key = Program::new(folder.path(), &arguments).run_json();
    let key = key["api_key"]
        .as_str()
        .expect("a key is shown when it is made");
    (service, key.to_owned())
}
