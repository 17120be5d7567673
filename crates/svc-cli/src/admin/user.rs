//! `svc user`: the users of an application, for its administrators. (`svc app-user` is for anyone with the token of the
//! built-in tools.)

use clap::{Args, Subcommand};
use svc_api::{
    Lookup,
    auth::BaseUrl,
    model::administration::{SecretValue, users},
};
use svc_model::{Scope, UserUid};

use super::{
    scope::{ENVIRONMENTS, InEnvironment},
    service::{Command, Service, ServiceAddress, ServiceResult as _, all},
    team,
};
use crate::{
    context::Context,
    error::Error,
    input::password,
    output::{answered_time, row},
};

/// How the fields of a user are called here.
const NAMES: &[(&str, &str)] = &[
    ("email", "EMAIL"),
    ("team", "--team"),
    ("password", "the password"),
    ("first_name", "--first-name"),
    ("last_name", "--last-name"),
];

/// How to see which users there are.
const REMEDY: &str = "svc app-user list shows the users of an environment";

/// Add, suspend and resume users, and list their sessions
#[derive(Subcommand)]
pub(crate) enum User {
    /// Add a user: with a password, or invited by mail
    #[command(after_help = "Examples:\n  \
        svc user add ada@example.com --team Editor --project crm\n  \
        svc user add ada@example.com --admin --project crm --password-stdin < password.txt\n\n\
        Without a password the user is invited: the mail has a link with which to choose one. svc mail list shows \
        it where no mail server is configured.")]
    Add(Box<Add>),
    /// Keep a user from signing in; the sessions of the user end
    #[command(after_help = "Example:\n  svc user suspend ada@example.com --project crm")]
    Suspend {
        /// E-mail address
        email: String,
        #[command(flatten)]
        scope: InEnvironment,
    },
    /// Let a suspended user sign in again
    #[command(after_help = "Example:\n  svc user resume ada@example.com --project crm")]
    Resume {
        /// E-mail address
        email: String,
        #[command(flatten)]
        scope: InEnvironment,
    },
    /// List the sessions of a user, or end one
    #[command(after_help = "Examples:\n  \
        svc user sessions ada@example.com --project crm\n  \
        svc user sessions ada@example.com --project crm --json\n  \
        svc user sessions ada@example.com --project crm --end 0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1")]
    Sessions {
        /// E-mail address
        email: String,
        #[command(flatten)]
        scope: InEnvironment,
        /// The session to end, by the uid that --json shows
        #[arg(long, value_name = "UID")]
        end: Option<String>,
    },
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

impl Command for User {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let output = &context.output;
        match self {
            Self::Add(add) => add.run(context, at).await,
            Self::Suspend { email, scope } => {
                let service = at.connect(context).await?;
                let scope = scope.names();
                let uid = find(&service, &scope, &email).await?;
                let users = service.environment(&scope)?.users();
                users.suspend(uid).await.or_missing(REMEDY)?;
                let text = format!("{email} cannot sign in any more\n");
                output.result(&row! { email: &email, suspended: true }, &text)
            }
            Self::Resume { email, scope } => {
                let service = at.connect(context).await?;
                let scope = scope.names();
                let uid = find(&service, &scope, &email).await?;
                let users = service.environment(&scope)?.users();
                users.resume(uid).await.or_missing(REMEDY)?;
                let text = format!("{email} can sign in again\n");
                output.result(&row! { email: &email, suspended: false }, &text)
            }
            Self::Sessions { email, scope, end } => {
                let service = at.connect(context).await?;
                let scope = scope.names();
                let uid = find(&service, &scope, &email).await?;
                let users = service.environment(&scope)?.users();
                if let Some(session) = end {
                    let ended = users.delete_session(uid, session.as_str()).await;
                    ended.or_missing("svc user sessions EMAIL --json shows the sessions")?;
                    return output.deleted("session", &session);
                }
                let sessions = all(users.list_sessions(uid)).await.or_missing(REMEDY)?;
                let listed = sessions.into_iter().map(|session| {
                    row! {
                        uid: session.uid,
                        date_add: answered_time(&session.date_add),
                        last_use: answered_time(&session.last_use),
                        user_agent: session.user_agent,
                        address: session.address,
                    }
                });
                output.list(listed, "no session is open")
            }
        }
    }
}

impl Add {
    async fn run(self, context: &Context, at: &ServiceAddress) -> Result<(), Error> {
        let url = named_url(self.public_url.as_deref(), context)?;
        let password = match self.password.password {
            Some(password) => Some(SecretValue::from(password)),
            None if self.password.password_stdin => Some(read_password()?),
            None => None,
        };
        let invited = password.is_none();
        let service = at.connect_for_mails(context, url.as_deref()).await?;
        let scope = self.scope.names();
        let teams = team::of_project(&service, &scope.project).await?;
        let meant = teams.iter().find(|team| match &self.team.team {
            Some(meant) => team::is_meant(team, meant),
            None => team.super_group,
        });
        let Some(team) = meant else {
            return Err(team::missing("--team", &scope.project, &teams));
        };
        let mut new = users::NewUser::new(self.email, team.uid.as_str());
        new.first_name = self.first_name;
        new.last_name = self.last_name;
        new.password = password;
        let user = service.environment(&scope)?.users().create(new).await;
        let user = user.or_refused(ENVIRONMENTS, NAMES)?;
        let how = match invited {
            true => "invited; the mail is in the outbox, which svc mail list shows",
            false => "added",
        };
        let text = format!("user {} of team {} {how}\n", user.email, team.name);
        let made = row! { uid: user.uid.as_str() };
        context.output.result(&made, &text)
    }
}

/// The user with an e-mail address, without regard to case.
async fn find(service: &Service, scope: &Scope, email: &str) -> Result<UserUid, Error> {
    let list = service.client(scope)?.users().list();
    let list = list.filter("email", Lookup::Istartswith, email);
    let found = all(list).await.or_missing(ENVIRONMENTS)?;
    let wanted = email.to_lowercase();
    let mut found = found.into_iter();
    let found = found.find(|user| user.email.to_lowercase() == wanted);
    let missing = || {
        let Scope {
            project,
            environment,
            ..
        } = scope;
        Error::new(format!(
            "{email} is no user of environment {environment} of project {project}; {REMEDY}"
        ))
    };
    Ok(found.ok_or_else(missing)?.uid)
}

/// A password from standard input.
pub(super) fn read_password() -> Result<SecretValue, Error> {
    Ok(SecretValue::from(password::read()?.expose()))
}

/// The URL of the service from the option, its variable, or the configuration file.
pub(super) fn named_url(option: Option<&str>, context: &Context) -> Result<Option<String>, Error> {
    let option = option.filter(|text| !text.is_empty());
    let named = option.or(context.file.public_url.as_deref());
    let url = named.map(str::parse::<BaseUrl>).transpose();
    let url = url.map_err(|error| Error::usage(format!("--public-url {error}")))?;
    Ok(url.map(|url| url.to_string()))
}
