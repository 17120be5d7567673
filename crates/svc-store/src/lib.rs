//! Control plane of the svc service: what the service knows about itself, as opposed to the records it
//! serves.
//!
//! A [`Store`] is a folder with an SQLite database and a key. Each group of things has a handle:
//!
//! | Handle | Things |
//! |---|---|
//! | [`Store::projects`] | projects, and what an API client is told about them |
//! | [`Store::environments`] | environments of a project; every project has `prod` |
//! | [`Store::accounts`], [`Store::members`], [`Store::teams`] | people of the platform, and what they may do where |
//! | [`Store::pages`] | page settings: what is published, the drafts over it, and what they were before |
//! | [`Store::resources`] | connected databases and HTTP APIs, their addresses sealed |
//! | [`Store::secret_tokens`], [`Store::allow_hosts`] | what the HTTP proxy may send, and which hosts it may reach |
//! | [`Store::api_keys`], [`Store::tokens`] | credentials, kept as hashes |
//! | [`Store::audit`] | the lines that all of these leave, and writes to connected databases too |
//!
//! Every write is one transaction and is on the disk when it is answered. Several processes may have one
//! store open: administration commands work beside a running server, which notices by
//! [`Store::revision`].
//!
//! ```
//! use svc_store::{NewApiKey, NewProject, Store};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let dir = folder.path().join("svc-data");
//! let store = Store::open(&dir).await?;
//! store.projects().create(NewProject::new("main")).await?;
//!
//! let created = store.api_keys().create(NewApiKey::new("main", "ann@example.com")).await?;
//! let identity = store.api_keys().authenticate(created.secret.expose()).await?;
//! assert_eq!(identity.map(|identity| identity.key_uid), Some(created.key.uid));
//! assert_eq!(format!("{:?}", created.secret), "Secret(..)");
//! # Ok(())
//! # }
//! ```

mod account;
mod accounts;
mod allow_hosts;
mod api_keys;
mod audit;
mod authentication;
mod clock;
mod codes;
mod credentials;
mod environments;
mod error;
mod host_name;
mod host_port;
mod json;
mod mac;
mod mails;
mod members;
mod migrations;
mod names;
mod pages;
mod passwords;
mod projects;
mod resources;
mod rights;
mod row;
mod scope;
mod seal;
mod secret;
mod secret_tokens;
mod service_tokens;
mod sessions;
mod signing_keys;
mod store;
mod teams;
mod tokens;
mod tools;
mod tx;
mod user_scope;
mod users;
mod write_marks;

pub use self::account::{Account as UserAccount, Registered, Registration, SignIn};
pub use self::accounts::{Account, Accounts};
pub use self::allow_hosts::{AllowHost, AllowHosts};
pub use self::api_keys::{ApiKey, ApiKeyIdentity, ApiKeys, CreatedApiKey, Membership, NewApiKey};
pub use self::audit::{
    Actor, ActorKind, Audit, AuditEntry, AuditFilter, AuditLine, BegunWrite, EntityTag,
    MissingLine, WriteJournal,
};
pub use self::authentication::Authentication;
pub use self::clock::Clock;
pub use self::environments::{
    Environment, EnvironmentCopy, EnvironmentPatch, Environments, NewEnvironment,
};
pub use self::error::{Error, ErrorKind};
pub use self::host_name::HostName;
pub use self::host_port::HostPort;
pub use self::mails::{Mail, MailKind, Mails};
pub use self::members::{Member, Members};
pub use self::pages::{MorePages, Page, PageList, PageRevision, Pages};
pub use self::projects::{NewProject, ProjectPatch, ProjectSettings, Projects};
pub use self::resources::{ConnectedResource, Engine, NewResource, Resource, Resources};
pub use self::rights::{Rights, RightsRule, RightsRules, TeamRights};
pub use self::seal::SealKey;
pub use self::secret::{CredentialHash, CredentialKind, Secret};
pub use self::secret_tokens::{NewSecretToken, OpenSecret, ProxyRules, SecretToken, SecretTokens};
pub use self::service_tokens::{
    CreatedServiceToken, NewServiceToken, ServiceToken, ServiceTokenIdentity, ServiceTokens,
};
pub use self::sessions::{SessionIdentity, SessionTokens, Sessions};
pub use self::signing_keys::{Claims, Keyring, SigningKeys};
pub use self::store::{Exclusive, ServiceAddress, Store, StoreOptions};
pub use self::teams::{PermissionsGroup, Team, Teams};
pub use self::tokens::{CreatedStaticToken, NewStaticToken, StaticToken, TokenIdentity, Tokens};
pub use self::users::{NewUser, User, UserPatch, Users};
pub use self::write_marks::{WriteKey, WriteMark, WriteMarks};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
