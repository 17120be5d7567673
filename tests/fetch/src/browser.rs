//! The browser.

use std::{
    fs,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::Result;

/// How long the browser may take to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Chromium without a window, in a profile of its own. It ends when this is dropped, and when this process ends in
/// any way, because the pipe is closed then that it takes commands from.
pub struct Browser {
    process: Child,
    folder: TempDir,
}

impl Browser {
    /// Opens a page.
    pub fn start(program: &str, url: &str) -> Result<Self> {
        let folder = TempDir::new()?;
        let output = fs::File::create(folder.path().join("output"))?;
        let profile = folder.path().join("profile");
        // The shell gives the browser its standard input as the pipe for commands, which has the number 3.
        let process = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<&0 4>/dev/null"#, program])
            .args(["--headless", "--remote-debugging-pipe", "--no-first-run"])
            // The kit's servers do not allow other origins.
            .arg("--disable-web-security")
            // Root, which is the user in most containers, cannot use the sandbox; and containers have little shared
            // memory.
            .args(["--no-sandbox", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(url)
            .stdin(Stdio::piped())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        Ok(Self { process, folder })
    }

    /// What it has written.
    pub fn output(&self) -> String {
        fs::read_to_string(self.folder.path().join("output")).unwrap_or_default()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let start = Instant::now();
        while let Ok(None) = self.process.try_wait() {
            if start.elapsed() > PATIENCE {
                let _ = self.process.kill();
                let _ = self.process.wait();
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}
