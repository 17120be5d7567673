//! Who acts.

use uuid::Uuid;

use crate::database::stored_by_name;

/// Who wrote: with which credential, and how people know it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Actor {
    /// What it showed.
    pub kind: ActorKind,
    /// The credential; for [`ActorKind::User`] and [`ActorKind::Account`] the person.
    pub uid: Option<Uuid>,
    /// What people know it by, and no secret: the prefix of a token, an e-mail address, the name that the operating
    /// system has for who ran the program.
    pub label: Option<String>,
}

impl Actor {
    /// The holder of a credential, or a user.
    pub fn new(kind: ActorKind, uid: Uuid, label: impl Into<String>) -> Self {
        Self {
            kind,
            uid: Some(uid),
            label: Some(label.into()),
        }
    }

    /// Somebody who showed nothing.
    pub fn anonymous() -> Self {
        Self {
            kind: ActorKind::Anonymous,
            uid: None,
            label: None,
        }
    }

    /// The program, run by this user of the operating system.
    pub fn program(user: Option<String>) -> Self {
        Self {
            kind: ActorKind::Program,
            uid: None,
            label: user,
        }
    }

    /// What the changes of pages are signed with: the e-mail address of the account behind an API key.
    pub(crate) fn author(&self) -> Option<&str> {
        let label = self.label.as_deref();
        let is_account = matches!(self.kind, ActorKind::ApiKey | ActorKind::Account);
        label.filter(|_| is_account)
    }
}

/// What an [`Actor`] showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ActorKind {
    /// An API key of an account.
    ApiKey,
    /// The session of an account, or what opens one: a password, or a code that was mailed.
    Account,
    /// The static token of a resource.
    StaticToken,
    /// The session of a user, or what opens one: a password, or a code that was mailed.
    User,
    /// The token of a service.
    ServiceToken,
    /// Nothing.
    Anonymous,
    /// It is the program, used from the command line or at work by itself.
    Program,
}

stored_by_name!(ActorKind, "the store holds an unknown kind of actor", {
    ApiKey: "api_key",
    Account: "account",
    StaticToken: "static_token",
    User: "user",
    ServiceToken: "service_token",
    Anonymous: "anonymous",
    Program: "program",
});

/// The author of the writes through a store.
#[derive(Debug, Clone)]
pub(crate) struct By {
    pub(crate) actor: Actor,
    pub(crate) request_id: Option<String>,
}

impl By {
    /// The program itself, as it is used from the command line.
    pub(crate) fn program() -> Self {
        Self {
            actor: Actor::program(None),
            request_id: None,
        }
    }
}
