//! `cargo xtask js --serve`: the client's example page with the npm package. The
//! crate that makes the package also serves it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::CRATE;
use crate::shell::{Failure, Repository};

/// The default address of the page.
pub const ADDRESS: &str = "127.0.0.1:8081";

/// Serves the page until the process is ended.
pub fn run(repository: &Repository, listen: &str) -> Result<(), Failure> {
    let package = repository.root().join("dist/svc-js");
    if !package.exists() {
        return Err(Failure::new(
            "there is no dist/svc-js yet; run `cargo xtask js` first",
        ));
    }
    let mut site = Site::start(repository, &package, listen)?;
    let origin = &site.origin;
    println!("the example is at {origin}/ and calls a service that is started with");
    println!("  svc demo --cors-origins {origin}");
    // `wait` would close the standard input.
    let _open = site.process.stdin.take();
    site.process.wait()?;
    Ok(())
}

/// The running server, which ends when this value is dropped.
#[derive(Debug)]
pub struct Site {
    /// The page's web origin.
    pub origin: String,
    process: Child,
}

impl Site {
    pub fn start(repository: &Repository, package: &Path, listen: &str) -> Result<Self, Failure> {
        repository
            .cargo(["build", "--quiet", "--package", "svc-js-package"])
            .run()?;
        let program = format!("debug/svc-js-package{}", std::env::consts::EXE_SUFFIX);
        let process = Command::new(repository.target().join(program))
            .args(["serve", "--listen", listen, "--page"])
            .arg(repository.root().join(CRATE).join("example"))
            .arg("--package")
            .arg(package)
            // It ends when this process ends in any way, because the pipe is closed then.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut site = Self {
            origin: String::new(),
            process,
        };
        let output = site.process.stdout.take();
        let output = output.ok_or_else(|| Failure::new("the server has no standard output"))?;
        BufReader::new(output).read_line(&mut site.origin)?;
        site.origin.truncate(site.origin.trim_end().len());
        match site.origin.as_str() {
            "" => Err(Failure::new("the example page could not be served")),
            _ => Ok(site),
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // Nothing is left to do about a process that is gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
