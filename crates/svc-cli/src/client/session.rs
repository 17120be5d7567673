//! Where the sessions of users are kept from one command to the next: a file for each environment of a service.

use std::path::PathBuf;

use clap::Args;
use svc_api::{Client, auth::FileStore};

use super::Target;
use crate::error::Error;

/// What every command that acts for a signed-in user says when nobody is signed in.
pub(crate) const NOBODY: &str = "nobody is signed in; svc login EMAIL signs in";

/// Where the files of sessions are.
#[derive(Args)]
#[command(next_help_heading = "Service")]
pub(crate) struct SessionDir {
    /// Folder of the files that keep sessions [default: svc in the user's configuration folder]
    #[arg(long, value_name = "DIR", env = "SVC_SESSION_DIR")]
    session_dir: Option<PathBuf>,
}

impl SessionDir {
    /// A client that acts for the user who is signed in, or signs one in.
    pub(crate) fn client(&self, target: &Target) -> Result<Client, Error> {
        Ok(target.client().session_store(self.store(target)?).build()?)
    }

    /// The file of the session in an environment of a service. Each has its own, so that a user is not signed out of
    /// one by a command for another.
    fn store(&self, target: &Target) -> Result<FileStore, Error> {
        let unknown = "no folder for sessions is known; name one with --session-dir";
        let folder = self.session_dir.clone().or_else(default_folder);
        let folder = folder.ok_or_else(|| Error::usage(unknown))?;
        let name = target.names().map(file_name).join("+");
        Ok(FileStore::new(folder.join(format!("{name}.json"))))
    }
}

/// The folder `svc` where the user's programs keep their configuration.
fn default_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let folder = |name: &str| variable(name).map(PathBuf::from);
    let config = folder("XDG_CONFIG_HOME")
        .or_else(|| folder("APPDATA"))
        .or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(config.join("svc"))
}

/// A name that is a file's on every system, and stands for one text only.
fn file_name(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' => name.push(char::from(byte)),
            _ => name.push_str(&format!("_{byte:02x}")),
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_one_text_and_is_no_path() {
        assert_eq!(
            file_name("http://127.0.0.1:8080"),
            "http_3a_2f_2f127.0.0.1_3a8080"
        );
        assert_eq!(file_name("../x"), ".._2fx");
        assert_ne!(file_name("a_b"), file_name("a/b"));
        assert_ne!(file_name("a+b"), file_name("a b"));
    }
}
