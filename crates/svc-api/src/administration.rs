//! The administration of the service over HTTP: accounts, projects and what they consist of.

mod account;
mod account_keys;
mod account_sessions;
mod accounts;
mod allowed_hosts;
mod audit;
mod environments;
mod history;
mod items;
mod keys;
mod mails;
mod members;
mod project_keys;
mod projects;
mod resources;
mod rights;
mod secrets;
mod service;
mod service_tokens;
mod sign_in;
mod signing_keys;
mod teams;
mod tokens;
mod users;

use svc_model::administration as model;

use crate::{Call, Client, SelectsRecords};

/// The administration of the service, from [`Client::administration`]: a handle for each group of calls.
///
/// The calls require an API key, or the session of an account, and [say which
/// level](svc_model::wire::OperationInfo::level) the account must have. Those about a project or an environment are
/// about that of the client.
///
/// ```
/// use svc_api::{ApiKey, Client, model::administration::tokens::NewToken};
///
/// # #[cfg(feature = "hyper")]
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::builder()
///     .project("demo")
///     .app_base_url("https://app.example.com/api")
///     .api_key(ApiKey::new("svck_1f")?)
///     .build()?;
///
/// let administration = client.administration();
/// administration.members().create("bob@example.com", "Editor").await?;
/// let mut members = administration.members().list().order_by("email").by_item();
/// while let Some(member) = members.try_next().await? {
///     println!("{} {}", member.email, member.team.name);
/// }
///
/// let created = administration.tokens().create(NewToken::new("shop")).await?;
/// if let Some(token) = created.token {
///     println!("{}", token.expose());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Administration {
    client: Client,
}

impl Client {
    /// The administration of the service, and of the client's project and environment.
    pub fn administration(&self) -> Administration {
        Administration {
            client: self.clone(),
        }
    }
}

macro_rules! groups {
    ($( $(#[$doc:meta])* $group:ident: $handle:ident, )*) => {
        impl Administration {$(
            $(#[$doc])*
            pub fn $group(&self) -> $handle {
                $handle {
                    client: self.client.clone(),
                }
            }
        )*}

        $(
            $(#[$doc])*
            #[doc = ""]
            #[doc = concat!("From [`Administration::", stringify!($group), "`].")]
            #[derive(Clone, Debug)]
            pub struct $handle {
                client: Client,
            }
        )*
    };
}

groups! {
    /// The account of the caller.
    account: Account,
    /// The API keys of the caller's account.
    account_keys: AccountKeys,
    /// The sessions of the caller's account.
    account_sessions: AccountSessions,
    /// The accounts of the service, for its operators.
    accounts: Accounts,
    /// The hosts that the HTTP proxy of the project may reach although they are not public.
    allowed_hosts: AllowedHosts,
    /// The audit trail.
    audit: Audit,
    /// The environments of the project.
    environments: Environments,
    /// The history of records.
    history: History,
    /// What people keep for themselves or share in the environment.
    items: Items,
    /// The API keys of all accounts, for operators.
    keys: Keys,
    /// The mails that wait to be sent, for operators.
    mails: Mails,
    /// The members of the project.
    members: Members,
    /// The API keys that have access to the project.
    project_keys: ProjectKeys,
    /// Projects: created by operators, changed by their administrators.
    projects: Projects,
    /// The resources of the environment.
    resources: Resources,
    /// What the teams of the project may do with records.
    rights: Rights,
    /// The secret tokens that the HTTP proxy sends for callers.
    secrets: Secrets,
    /// The service itself, for operators.
    service: Service,
    /// The service tokens of the environment.
    service_tokens: ServiceTokens,
    /// How the users of the project sign in.
    sign_in: SignIn,
    /// The keys that sign access tokens, for operators.
    signing_keys: SigningKeys,
    /// The teams of the project.
    teams: Teams,
    /// The static tokens of the environment's resources.
    tokens: Tokens,
    /// What administrators do with the users of the environment beside changing them.
    users: Users,
}

macro_rules! lists {
    ($( $list:path, )*) => {$(
        impl SelectsRecords for $list {}
    )*};
}

lists! {
    model::account_keys::List,
    model::account_sessions::List,
    model::accounts::List,
    model::allowed_hosts::List,
    model::audit::List,
    model::audit::ListOfProject,
    model::environments::List,
    model::items::List,
    model::keys::List,
    model::mails::List,
    model::members::List,
    model::project_keys::List,
    model::resources::List,
    model::rights::List,
    model::secrets::List,
    model::service_tokens::List,
    model::teams::List,
    model::tokens::List,
    model::users::List,
    model::users::ListSessions,
}

macro_rules! done_once {
    ($( $operation:path, )*) => {$(
        impl Call<$operation> {
            /// Names the call, so that a repeat with the same name within a day does nothing twice and has the first
            /// response, without secrets.
            pub fn idempotency_key(self, key: impl Into<String>) -> Self {
                self.with(|operation| operation.idempotency_key = Some(key.into()))
            }
        }
    )*};
}

done_once! {
    model::account_keys::Create,
    model::accounts::Create,
    model::allowed_hosts::Create,
    model::environments::Copy,
    model::environments::Create,
    model::items::Create,
    model::keys::Create,
    model::members::Create,
    model::projects::Create,
    model::resources::Create,
    model::resources::Test,
    model::service_tokens::Create,
    model::signing_keys::Rotate,
    model::teams::Create,
    model::tokens::Create,
    model::users::Create,
    model::users::Invite,
    model::users::Resume,
    model::users::Suspend,
}
