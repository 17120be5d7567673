//! `svc login`, `svc logout`, `svc whoami`: the session of a user of an application, kept in a file from one command
//! to the next.

use clap::Args;

use crate::{
    client::{NOBODY, SessionDir, Target},
    context::Context,
    error::Error,
    input::password,
    output::{FormatArg, row},
};

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

impl Login {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let client = self.session.client(&self.target)?;
        let password = match self.password_stdin {
            true => password::read_line("password")?,
            false => password::read_once()?,
        };
        let account = client.account();
        let signed_in = account.login_via_email_password(&self.email, password.expose());
        let refused = |error: svc_api::Error| match error.is_unauthenticated() {
            true => Error::new("the e-mail address or the password is wrong"),
            false => error.into(),
        };
        let uid = signed_in.await.map_err(refused)?.user.uid;
        let text = format!("signed in as {}\n", self.email);
        context.output.result(&row! { uid: uid }, &text)
    }
}

impl Logout {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let client = self.session.client(&self.target)?;
        // Tokens of another service or environment in the same file stay there.
        let signed_out = client.account().session().is_signed_in();
        match self.revoke {
            true => client.account().logout().revoke().await?,
            false => client.account().logout().await?,
        }
        let text = match signed_out {
            true => "signed out\n",
            false => "nobody was signed in\n",
        };
        let result = row! { signed_out: signed_out };
        context.output.result(&result, text)
    }
}

impl Whoami {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let client = self.session.client(&self.target)?;
        match client.account().is_authenticated().await?.user {
            Some(user) => context.output.one(self.format, &user),
            None => Err(Error::new(NOBODY)),
        }
    }
}
