//! `svc account`: the people who build and run applications. (The users of applications are those of `svc user`.)

use clap::{Args, Subcommand};
use serde::Serialize;
use svc_store::{AccountPatch, NewAccount, Store};

use super::user::named_url;
use crate::{
    context::Context,
    error::{Error, StoreResult as _},
    input::password,
    output::{row, time},
};

/// The URL of the application host in links when nothing says another one and no service has started yet.
const DEFAULT_APP_URL: &str = "http://127.0.0.1:8080/api";
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

impl Account {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        match self {
            Self::Add(add) => add.run(context).await,
            Self::List => {
                let store = context.existing_store().await?;
                let accounts = store.accounts().list().await?;
                let rows = accounts.into_iter().map(listed);
                context.output.list(rows, "no accounts")
            }
            Self::Set(set) => set.run(context).await,
            Self::Remove { email } => {
                let store = context.existing_store().await?;
                let uid = find(&store, &email).await?;
                let removed = store.accounts().delete(uid).await;
                removed.or_refused(REMEDY, NAMES)?;
                let text = format!("{email} has no account any more\n");
                context.output.result(&row! { email: &email }, &text)
            }
        }
    }
}

impl Add {
    async fn run(self, context: &Context) -> Result<(), Error> {
        let named = named_url(self.public_url.as_deref(), context)?;
        let store = context.existing_store().await?;
        let base_url = match named {
            Some(url) => format!("{url}/api"),
            None => match store.service_address().await? {
                Some(address) => address.app_base_url,
                None => DEFAULT_APP_URL.to_owned(),
            },
        };
        let mut new = NewAccount::new(self.email.as_str());
        new.first_name = self.first_name;
        new.last_name = self.last_name;
        new.is_operator = self.operator;
        if self.password_stdin {
            new.password = Some(password::read()?);
        }
        let invited = new.password.is_none();
        let made = store.accounts().create(new, &base_url).await;
        let made = made.or_refused(REMEDY, NAMES)?;
        let text = match invited {
            true => format!("{} is invited; svc mail list shows the link\n", made.email),
            false => format!("{} can sign in\n", made.email),
        };
        let uid = made.uid.to_string();
        context.output.result(&row! { uid: uid }, &text)
    }
}

impl Set {
    async fn run(self, context: &Context) -> Result<(), Error> {
        let store = context.existing_store().await?;
        let uid = find(&store, &self.email).await?;
        let mut patch = AccountPatch::by_operator();
        patch.is_operator = self.operator;
        patch.suspended = self.suspended;
        patch.first_name = self.first_name.map(Some);
        patch.last_name = self.last_name.map(Some);
        let changed = store.accounts().update(uid, patch).await;
        let changed = changed.or_refused(REMEDY, NAMES)?;
        let text = format!("{} is changed\n", changed.email);
        context.output.result(&listed(changed), &text)
    }
}

async fn find(store: &Store, email: &str) -> Result<uuid::Uuid, Error> {
    let found = store.accounts().find(email).await?;
    let missing = || Error::new(format!("{email} has no account; {REMEDY}"));
    Ok(found.ok_or_else(missing)?.uid)
}

/// An account as lists show it.
fn listed(account: svc_store::Account) -> impl Serialize {
    row! {
        uid: account.uid.to_string(),
        email: account.email,
        operator: account.is_operator,
        suspended: account.suspended.is_some(),
        date_add: time(account.date_add),
    }
}
