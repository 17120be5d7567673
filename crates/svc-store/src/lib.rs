//! Control plane of the svc service: what the service knows about itself, as opposed to the records it
//! serves.
//!
//! A [`Store`] is a folder with an SQLite database and a key. Each group of things has a handle:
//!
//! | Handle | Things |
//! |---|---|
//! | [`Store::projects`] | projects, and how an API client sees them |
//! | [`Store::environments`] | environments of a project; every project has `prod` |
//! | [`Store::accounts`], [`Store::members`], [`Store::teams`] | people of the platform, and what they may do where |
//! | [`Store::pages`] | page settings: what is published, the drafts over it, and what they were before |
//! | [`Store::resources`] | connected databases and HTTP APIs, their addresses sealed |
//! | [`Store::secret_tokens`], [`Store::allow_hosts`] | what the HTTP proxy may send, and which hosts it may reach |
//! | [`Store::api_keys`], [`Store::tokens`] | credentials, kept as hashes |
//! | [`Store::audit`] | the lines that all of these leave, and writes to connected databases too |
//!
//! Every write is one transaction and is on the disk when it is answered. Several processes may have one
//! store open: administration commands work beside a running server, which sees the change in
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
//! assert_eq!(identity.map(|identity| identity.credential), Some(created.credential));
//! assert_eq!(format!("{:?}", created.secret), "Secret(..)");
//! # Ok(())
//! # }
//! ```

mod administration;
mod answered_calls;
mod audit;
mod clock;
mod credentials;
mod database;
mod error;
mod imports;
mod items;
mod nodes;
mod open;
mod pages;
mod people;
mod projects;
mod secrets;
mod upkeep;

pub use self::administration::{Administered, ListedOf};
pub use self::answered_calls::{AnsweredCall, AnsweredCalls};
pub use self::audit::{
    Actor, ActorKind, Audit, AuditEntry, AuditFilter, AuditLine, BegunWrite, Changes, EntityTag,
    FoundJournals, HistoryOf, HistoryPage, MissingLine, WriteJournal, WriteKey, WriteMark,
    WriteMarks,
};
pub use self::clock::Clock;
pub use self::credentials::{
    AccountGrant, AccountRights, AccountSession, ApiKey, ApiKeyIdentity, Claims, Created,
    Credential, CredentialHash, CredentialKind, Credentials, Grant, Identity, Keyring, Membership,
    NewAccountKey, NewApiKey, NewCredential, NewServiceToken, NewStaticToken, ResourceGrant,
    ServiceToken, ServiceTokenIdentity, SessionHolder, SessionIdentity, SessionTokens, Sessions,
    SignInOrigin, SigningKeys, StaticToken, TeamGrant, TokenIdentity, TokenLimits,
};
pub use self::database::{Exclusive, KEY_FILE, ServiceAddress, Store};
pub use self::error::{Error, ErrorKind, Result};
pub use self::imports::{
    Import, ImportState, ImportStep, Imports, NewImport, RefusedRow, RunningImport, StarterRights,
};
pub use self::items::{ItemCaller, ItemPatch, Items, NewItem};
pub use self::nodes::{Node, NodeAnswer, NodeQuestion, Nodes};
pub use self::open::StoreOptions;
pub use self::pages::{MorePages, Page, PageList, PageRevision, Pages};
pub use self::people::{
    Account, AccountPatch, Accounts, Authentication, Mail, MailKind, Mails, Member, Members,
    NewAccount, NewUser, PermissionsGroup, Person, Registered, Registration, Rights, RightsRule,
    RightsRules, SignIn, Team, TeamPatch, TeamRights, Teams, User, UserAccount, UserPatch, Users,
};
pub use self::projects::{
    ConnectedResource, Engine, Environment, EnvironmentCopy, EnvironmentPatch, Environments,
    NewEnvironment, NewProject, NewResource, ProjectPatch, ProjectSettings, Projects, Resource,
    ResourcePatch, Resources, url_hint,
};
pub use self::secrets::{
    AllowHost, AllowHosts, HostName, HostPort, NewSecretToken, OpenSecret, ProxyRules, SealKey,
    Secret, SecretToken, SecretTokens,
};

pub use self::upkeep::{
    BackupOptions, BackupSeries, BackupTurn, Copied, CopiedTable, CopyOptions, CopyStep,
    DatabaseInspection, Inspection, NeededKey, Restored, StorePlace,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
