//! The client's example over the browser's `fetch`.

use crate::js::{system, text};
use crate::shell::{Failure, Repository};
use crate::targets::{self, WASM};

/// Builds the example as its users do, and runs the crate that tests it in a browser.
pub fn run_in_browser(repository: &Repository) -> Result<(), Failure> {
    let chromium = system::chromium()?;
    targets::install(repository, WASM)?;
    let build = || repository.cargo(["build", "--target", WASM, "--package"]);
    build()
        .args(["svc-api", "--example", "custom_fetch"])
        .args(["--no-default-features", "--features", "records"])
        .run()?;
    build().args(["svc-fetch-tests", "--lib"]).run()?;
    let wasm = format!("{WASM}/debug/svc_fetch_tests.wasm");
    repository
        .cargo(["run", "--quiet", "--package", "svc-fetch-tests", "--"])
        .args([text(&chromium), text(&repository.target().join(wasm))])
        .run()
}
