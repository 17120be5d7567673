//! `svc account`: the people who build and run applications. (The users of applications are those of `svc user`.)

use clap::{Args, Subcommand};
use serde::Serialize;
use svc_api::{
    Lookup,
    administration::Accounts,
    model::administration::accounts::{self, AccountPatch, NewAccount},
};

use super::{
    service::{Command, ServiceAddress, ServiceResult as _, all},
    user::{named_url, read_password},
};
use crate::{
    context::Context,
    error::Error,
    output::{answered_time, row},
};

/// How the fields of an account are called here.
const NAMES: &[(&str, &str)] = &[
    ("email", "EMAIL"),
    ("password", "the password"),
    ("first_name", "--first-name"),
    ("last_name", "--last-name"),
];
/// How to see which accounts there are.
const REMEDY: &str = "svc account list shows the accounts";

/// Add, list, change and remove the accounts of people who build and run applications
#[derive(Subcommand)]
pub(crate) enum Account {
    /// Add an account: with a password, or invited by mail
    #[command(after_help = "Examples:\n  \
        svc account add ada@example.com --operator --password-stdin < password.txt\n  \
        svc account add bob@example.com\n\n\
        Without a password the person is invited: svc mail list shows the link where no mail server is configured.")]
    Add(Box<Add>),
    /// List the accounts
    #[command(after_help = "Example:\n  svc account list")]
    List,
    /// Change an account
    #[command(after_help = "Examples:\n  \
        svc account set ada@example.com --operator on\n  \
        svc account set bob@example.com --suspended on")]
    Set(Box<Set>),
    /// Remove an account with its memberships and API keys
    #[command(after_help = "Example:\n  svc account remove bob@example.com")]
    Remove {
        /// E-mail address
        email: String,
    },
}

/// An account to be made.
#[derive(Args)]
pub(crate) struct Add {
    /// E-mail address
    email: String,
    /// The account operates the service: it creates projects and administers all of them
    #[arg(long)]
    operator: bool,
    /// Read the password from the first line of standard input, or unseen from the terminal
    #[arg(long)]
    password_stdin: bool,
    /// Given name
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    /// Family name
    #[arg(long, value_name = "NAME")]
    last_name: Option<String>,
    /// URL under which people reach the service; the link of the invitation begins with it [default: the address of
    /// the service that started last on this store, else http://127.0.0.1:8080]
    #[arg(long, value_name = "URL", env = "SVC_PUBLIC_URL")]
    public_url: Option<String>,
}

/// A change of an account.
#[derive(Args)]
pub(crate) struct Set {
    /// E-mail address
    email: String,
    /// Whether the account operates the service
    #[arg(long, value_name = "on|off", value_parser = switch)]
    operator: Option<bool>,
    /// Whether nobody can act with the account
    #[arg(long, value_name = "on|off", value_parser = switch)]
    suspended: Option<bool>,
    /// Given name; empty removes it
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    /// Family name; empty removes it
    #[arg(long, value_name = "NAME")]
    last_name: Option<String>,
}

fn switch(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("must be on or off".to_owned()),
    }
}

impl Command for Account {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        match self {
            Self::Add(add) => add.run(context, at).await,
            Self::List => {
                let service = at.connect(context).await?;
                let list = service.administration()?.accounts().list();
                let accounts = all(list.order_by("date_add")).await?;
                let rows = accounts.into_iter().map(listed);
                context.output.list(rows, "no accounts")
            }
            Self::Set(set) => set.run(context, at).await,
            Self::Remove { email } => {
                let service = at.connect(context).await?;
                let accounts = service.administration()?.accounts();
                let uid = find(&accounts, &email).await?;
                accounts.delete(uid).await.or_refused(REMEDY, NAMES)?;
                let text = format!("{email} has no account any more\n");
                context.output.result(&row! { email: &email }, &text)
            }
        }
    }
}

impl Add {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let url = named_url(self.public_url.as_deref(), context)?;
        let service = at.connect_for_mails(context, url.as_deref()).await?;
        let mut new = NewAccount::new(self.email);
        new.first_name = self.first_name;
        new.last_name = self.last_name;
        new.is_operator = Some(self.operator);
        if self.password_stdin {
            new.password = Some(read_password()?);
        }
        let invited = new.password.is_none();
        let made = service.administration()?.accounts().create(new).await;
        let made = made.or_refused(REMEDY, NAMES)?;
        let text = match invited {
            true => format!("{} is invited; svc mail list shows the link\n", made.email),
            false => format!("{} can sign in\n", made.email),
        };
        context.output.result(&row! { uid: made.uid }, &text)
    }
}

impl Set {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let service = at.connect(context).await?;
        let accounts = service.administration()?.accounts();
        let uid = find(&accounts, &self.email).await?;
        let mut patch = AccountPatch::new();
        patch.is_operator = self.operator;
        patch.suspended = self.suspended;
        patch.first_name = self.first_name.map(Some);
        patch.last_name = self.last_name.map(Some);
        let changed = accounts.update(uid, patch).await;
        let changed = changed.or_refused(REMEDY, NAMES)?;
        let text = format!("{} is changed\n", changed.email);
        context.output.result(&listed(changed), &text)
    }
}

/// The account with an e-mail address, without regard to case.
async fn find(accounts: &Accounts, email: &str) -> Result<String, Error> {
    let list = accounts.list().filter("email", Lookup::Istartswith, email);
    let found = all(list).await?;
    let wanted = email.to_lowercase();
    let mut found = found.into_iter();
    let found = found.find(|account| account.email.to_lowercase() == wanted);
    let missing = || Error::new(format!("{email} has no account; {REMEDY}"));
    Ok(found.ok_or_else(missing)?.uid)
}

/// An account as lists show it.
fn listed(account: accounts::Account) -> impl Serialize {
    row! {
        uid: account.uid,
        email: account.email,
        operator: account.is_operator,
        suspended: account.suspended,
        date_add: answered_time(&account.date_add),
    }
}
