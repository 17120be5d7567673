//! `svc login`, `svc logout`, `svc whoami`: the session of a user of an application, kept in a file from one command
//! to the next.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use svc_api::{Client, auth::FileStore};

use crate::{
    client::Target, context::Context, failure::Failure, output::to_row, pages::FormatArg, password,
    rows::write_one,
};

/// Where the files of sessions are.
#[derive(Args)]
pub(crate) struct SessionDir {
    /// Folder of the files that keep sessions [default: svc in the user's configuration folder]
    #[arg(
        long,
        value_name = "DIR",
        env = "SVC_SESSION_DIR",
        help_heading = "Service"
    )]
    session_dir: Option<PathBuf>,
}

impl SessionDir {
    /// The file of the session in an environment of a service. Each has its own, so that nobody is signed out of
    /// one by a command for another.
    pub(crate) fn store(&self, target: &Target) -> Result<FileStore, Failure> {
        let folder = match &self.session_dir {
            Some(folder) => folder.clone(),
            None => default_folder().ok_or_else(|| {
                Failure::usage("no folder for sessions is known; name one with --session-dir")
            })?,
        };
        let name: Vec<String> = target.names().iter().map(|name| file_name(name)).collect();
        Ok(FileStore::new(
            folder.join(format!("{}.json", name.join("+"))),
        ))
    }
}

/// The folder `svc` where the user's programs keep their configuration.
fn default_folder() -> Option<PathBuf> {
    let folder = |name: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
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

/// Sign in as a user of an application; the commands that follow act for that user
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc login ada@example.com --project crm\n  \
    svc login ada@example.com --project crm --password-stdin < password.txt\n\n\
    The password is typed unseen, or is the first line of standard input. Commands that are given no token act for \
    the user from then on.")]
pub(crate) struct Login {
    /// E-mail address
    email: String,
    /// Read the password from the first line of standard input; without it, the password is typed unseen where there
    /// is a terminal
    #[arg(long)]
    password_stdin: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    session: SessionDir,
}

/// Forget the session of a user
#[derive(Args)]
#[command(after_help = "Example:\n  svc logout --project crm --revoke")]
pub(crate) struct Logout {
    /// End it on the server too
    #[arg(long)]
    revoke: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    session: SessionDir,
}

/// Show who is signed in
#[derive(Args)]
#[command(after_help = "Example:\n  svc whoami --project crm")]
pub(crate) struct Whoami {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    session: SessionDir,
    #[command(flatten)]
    format: FormatArg,
}

#[derive(Serialize)]
struct SignedIn<'a> {
    uid: &'a str,
}

#[derive(Serialize)]
struct SignedOut {
    signed_out: bool,
}

impl Login {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = client(self.target, &self.session)?;
        let password = match self.password_stdin {
            true => password::read_line()?,
            false => password::read_once()?,
        };
        let signed_in = client
            .account()
            .login_via_email_password(&self.email, password.expose())
            .await
            .map_err(|error| match error.is_unauthenticated() {
                true => Failure::new("the e-mail address or the password is wrong"),
                false => error.into(),
            })?;
        let text = format!("signed in as {}\n", self.email);
        let uid = &signed_in.user.uid;
        context.output.result(&SignedIn { uid }, &text)
    }
}

impl Logout {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = client(self.target, &self.session)?;
        // Tokens of another place that somebody has put into the file stay there.
        let signed_out = client.account().session().is_signed_in();
        match self.revoke {
            true => client.account().logout().revoke().await?,
            false => client.account().logout().await?,
        }
        let text = if signed_out {
            "signed out\n"
        } else {
            "nobody was signed in\n"
        };
        context.output.result(&SignedOut { signed_out }, text)
    }
}

impl Whoami {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let client = client(self.target, &self.session)?;
        match client.account().is_authenticated().await?.user {
            Some(user) => write_one(context.output.format(self.format.format), to_row(&user)?),
            None => Err(Failure::new(
                "nobody is signed in; svc login EMAIL signs in",
            )),
        }
    }
}

fn client(target: Target, session: &SessionDir) -> Result<Client, Failure> {
    let store = session.store(&target)?;
    Ok(target.client().session_store(store).build()?)
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
