//! The demo service that the suites share. A test changes only what it made.

use std::sync::OnceLock;

use svc_tests::Service;
use tempfile::TempDir;

/// The running demo, made when it is first asked for.
pub fn demo() -> &'static Service {
    static DEMO: OnceLock<(TempDir, Service)> = OnceLock::new();
    let (_, service) = DEMO.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let service = Service::start(folder.path(), &["demo"]);
        (folder, service)
    });
    service
}

/// A service over databases that the test made: `connect` holds `NAME=URL` texts.
pub fn serve(folder: &TempDir, connect: &[&str]) -> Service {
    let mut arguments = vec!["serve"];
    for resource in connect {
        arguments.extend(["--connect", resource]);
    }
    Service::start(folder.path(), &arguments)
}
