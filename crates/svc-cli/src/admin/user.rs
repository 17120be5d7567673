//! `svc user`: users who are made by the administrator at the machine. (`svc app-user` does it through the API.)

use clap::{Args, Subcommand};
use svc_auth::BaseUrl;
use svc_model::ProjectName;
use svc_store::{NewUser, Secret, Store};

use super::scope::{ENVIRONMENTS, InEnvironment, PROJECTS};
use crate::{
    context::Context,
    error::{Error, StoreResult as _},
    input::password,
    output::row,
};

/// The URL of the service in links when nothing says another one and no service has started yet.
const DEFAULT_PUBLIC_URL: &str = "http://127.0.0.1:8080";
/// How the fields of a user are called here.
const NAMES: &[(&str, &str)] = &[
    ("email", "EMAIL"),
    ("group", "--team"),
    ("password", "the password"),
    ("first_name", "--first-name"),
    ("last_name", "--last-name"),
];

/// Add users who can sign in to an environment
#[derive(Subcommand)]
pub(crate) enum User {
    /// Add a user: with a password, or invited by mail
    #[command(after_help = "Examples:\n  \
        svc user add ada@example.com --team Editor --project crm\n  \
        svc user add ada@example.com --admin --project crm --password-stdin < password.txt\n\n\
        Without a password the user is invited: the mail has a link with which to choose one. svc mail list shows \
        it where no mail server is configured.")]
    Add(Box<Add>),
}

/// A user to be made.
#[derive(Args)]
pub(crate) struct Add {
    /// E-mail address
    email: String,
    #[command(flatten)]
    team: Team,
    #[command(flatten)]
    scope: InEnvironment,
    #[command(flatten)]
    password: Password,
    /// Given name
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    /// Family name
    #[arg(long, value_name = "NAME")]
    last_name: Option<String>,
    /// URL under which users reach the service; the link of the invitation begins with it [default: the address of
    /// the service that started last on this store, else http://127.0.0.1:8080]
    #[arg(long, value_name = "URL", env = "SVC_PUBLIC_URL")]
    public_url: Option<String>,
}

/// In which team a user is.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Team {
    /// Team, by its name or uid: Administrator, Editor, Read Only unless they were renamed
    #[arg(long, value_name = "TEAM")]
    team: Option<String>,
    /// The team of the administrators, whatever its name
    #[arg(long)]
    admin: bool,
}

/// Where the password of a user comes from.
#[derive(Args)]
#[group(multiple = false)]
pub(crate) struct Password {
    /// A password; other users of this machine may see it in the list of processes
    #[arg(long, value_name = "P")]
    password: Option<String>,
    /// Read the password from the first line of standard input, or unseen from the terminal
    #[arg(long)]
    password_stdin: bool,
}

impl User {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let Self::Add(add) = self;
        add.run(context).await
    }
}

impl Add {
    async fn run(self, context: &Context) -> Result<(), Error> {
        let named = named_url(self.public_url.as_deref(), context)?;
        let store = context.existing_store().await?;
        let base_url = match named {
            Some(url) => url,
            None => match store.service_address().await? {
                Some(address) => address.base_url,
                None => DEFAULT_PUBLIC_URL.to_owned(),
            },
        };
        let scope = self.scope.names();
        let team = match self.team.team {
            Some(team) => team,
            None => administrators(&store, &scope.project).await?,
        };
        let password = match self.password.password {
            Some(password) => Some(Secret::new(password)),
            None if self.password.password_stdin => Some(password::read()?),
            None => None,
        };
        let invited = password.is_none();
        let mut new = NewUser::new(self.email, team);
        new.first_name = self.first_name;
        new.last_name = self.last_name;
        new.password = password;
        let user = match store.users(&scope).create(new, &base_url).await {
            Ok(user) => user,
            Err(error) if is_about_team(&error) => {
                return Err(no_team(&store, &scope.project, error).await);
            }
            made => made.or_refused(ENVIRONMENTS, NAMES)?,
        };
        let how = match invited {
            true => "invited; the mail is in the outbox, which svc mail list shows",
            false => "added",
        };
        let text = format!("user {} of team {} {how}\n", user.email, user.team.name);
        let made = row! { uid: user.uid.to_string() };
        context.output.result(&made, &text)
    }
}

/// The URL of the service from the option, its variable, or the configuration file.
pub(super) fn named_url(option: Option<&str>, context: &Context) -> Result<Option<String>, Error> {
    let option = option.filter(|text| !text.is_empty());
    let named = option.or(context.file.public_url.as_deref());
    let url = named.map(str::parse::<BaseUrl>).transpose();
    let url = url.map_err(|error| Error::usage(format!("--public-url {error}")))?;
    Ok(url.map(|url| url.to_string()))
}

/// The uid of the administrators' team.
async fn administrators(store: &Store, project: &ProjectName) -> Result<String, Error> {
    let teams = store.teams().list(project).await.or_missing(PROJECTS)?;
    let team = teams.into_iter().find(|team| team.super_group);
    let missing = || Error::new(format!("project {project} has no team of administrators"));
    team.map(|team| team.uid.to_string()).ok_or_else(missing)
}

/// Whether a user was not made because of the team.
fn is_about_team(error: &svc_store::Error) -> bool {
    let fields = error.invalid().map(|invalid| invalid.field_errors());
    fields.is_some_and(|fields| fields.iter().any(|(field, _)| field == "group"))
}

/// The error for a team that does not exist, with those that do.
async fn no_team(store: &Store, project: &ProjectName, error: svc_store::Error) -> Error {
    let Ok(teams) = store.teams().list(project).await else {
        return Error::fields(error, NAMES);
    };
    let names: Vec<String> = teams.into_iter().map(|team| team.name).collect();
    let names = names.join(", ");
    Error::new(format!(
        "--team: project {project} has no such team; choose one of: {names}"
    ))
}
