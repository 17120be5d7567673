//! People: accounts and members of the platform, teams and what they may do, and the users of applications.

pub(crate) mod account;
pub(crate) mod accounts;
pub(crate) mod authentication;
pub(crate) mod email;
pub(crate) mod mails;
pub(crate) mod members;
pub(crate) mod person;
pub(crate) mod realm;
pub(crate) mod rights;
pub(crate) mod teams;
pub(crate) mod tools;
pub(crate) mod users;

pub use self::account::{Account as UserAccount, Registered, Registration, SignIn};
pub use self::accounts::{Account, AccountPatch, Accounts, NewAccount};
pub use self::authentication::Authentication;
pub use self::mails::{Mail, MailKind, Mails};
pub use self::members::{Member, Members};
pub use self::person::Person;
pub(crate) use self::realm::{PersonColumn, RealmRow, UserScope};
pub use self::rights::{Rights, RightsRule, RightsRules, TeamRights};
pub use self::teams::{PermissionsGroup, Team, TeamPatch, Teams};
pub use self::users::{NewUser, User, UserPatch, Users};
