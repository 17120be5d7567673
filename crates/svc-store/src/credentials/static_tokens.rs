//! Static tokens: what opens the records of one resource, or the users and teams of the built-in tools
//! (`Authorization: <API_TOKEN>`, raw; specification, section 5).

use jiff::Timestamp;
use svc_data::{Row, Value};
use svc_model::{ResourceName, Scope};
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::credentials;
use crate::credentials::{Credential, CredentialKind, CredentialTable, Credentials};
use crate::database::{Reader, Tx, columns, row};
use crate::error::Result;
use crate::projects::{Located, ScopeRow};

/// A static token as lists show it: everything but the token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StaticToken {
    /// Identifier.
    pub uid: Uuid,
    /// The environment.
    pub scope: Scope,
    /// The resource it opens; `__svc_app__` for the built-in tools.
    pub resource: ResourceName,
    /// How the token begins.
    pub prefix: String,
    /// Its name for people, where it has one.
    pub name: Option<String>,
    /// When it was made.
    pub date_add: Timestamp,
    /// When it was last used, exact to a minute; `None` when never.
    pub last_use: Option<Timestamp>,
    /// When it ends; `None` when never.
    pub expires: Option<Timestamp>,
    /// When it was revoked; `None` while it was not.
    pub revoked: Option<Timestamp>,
}

/// What a new token is made of; see [`NewStaticToken::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewStaticToken {
    /// The environment.
    pub scope: Scope,
    /// The resource it shall open; `__svc_app__` for the built-in tools.
    pub resource: ResourceName,
    /// Its name for people.
    pub name: Option<String>,
    /// When it ends.
    pub expires: Option<Timestamp>,
}

impl NewStaticToken {
    /// A token without a name and without an end.
    pub fn new(scope: impl Into<Scope>, resource: impl Into<ResourceName>) -> Self {
        Self {
            scope: scope.into(),
            resource: resource.into(),
            name: None,
            expires: None,
        }
    }
}

/// What a valid static token opens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenIdentity {
    /// The token.
    pub token_uid: Uuid,
    /// The environment.
    pub scope: Scope,
    /// The one resource; `__svc_app__` for the built-in tools.
    pub resource: ResourceName,
    /// How the token begins.
    pub prefix: String,
    /// When the token ends. A caller that keeps this identity checks [`is_expired`](Self::is_expired).
    pub expires: Option<Timestamp>,
}

impl TokenIdentity {
    /// Whether the token opens this resource.
    pub fn covers(&self, scope: &Scope, resource: &ResourceName) -> bool {
        self.scope == *scope && self.resource == *resource
    }

    /// Whether the token has ended.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        credentials::is_expired(self.expires, now)
    }
}

impl Credentials<'_, StaticToken> {
    /// The tokens of an environment, revoked and expired ones too, the oldest first.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn list(&self, scope: &Scope) -> Result<Vec<StaticToken>> {
        credentials::list_of_environment(self.store, scope.clone()).await
    }
}

impl Credential for StaticToken {
    type New = NewStaticToken;
    type Identity = TokenIdentity;
}

impl CredentialTable for StaticToken {
    const KIND: CredentialKind = CredentialKind::StaticToken;
    const WHAT: &'static str = "static token";
    const TABLE: &'static str = "static_tokens";
    const ACTIONS: [&'static str; 2] = ["tokens.create", "tokens.revoke"];

    fn select() -> String {
        "SELECT c.uid, p.unique_name AS project, e.unique_name AS environment, \
         r.unique_name AS resource, c.prefix, c.name, c.date_add, c.last_use, c.expires, c.revoked, c.hash \
         FROM static_tokens c JOIN environments e ON e.uid = c.environment_uid \
         JOIN projects p ON p.uid = e.project_uid LEFT JOIN resources r ON r.uid = c.resource_uid"
            .to_owned()
    }

    fn from_row(row: &Row) -> Result<Self> {
        let resource: Option<ResourceName> = row::get(row, "resource")?;
        columns!(row => Self {
            scope: row::scope(row)?,
            resource: resource.unwrap_or_else(|| ResourceName::TOOLS.into()),
            uid, prefix, name, date_add, last_use, expires, revoked
        })
    }

    fn terms(new: &NewStaticToken) -> (Option<String>, Option<Timestamp>) {
        (new.name.clone(), new.expires)
    }

    fn columns(tx: &mut Tx<'_>, new: &NewStaticToken) -> Result<Vec<(&'static str, Value)>> {
        let scope = ScopeRow::get(tx, &new.scope)?;
        let resource_uid = match new.resource.as_str() {
            ResourceName::TOOLS => None,
            _ => Some(scope.resource_uid(tx, &new.resource)?),
        };
        Ok(row! { environment_uid: scope.environment_uid, resource_uid }.into())
    }

    fn locate(
        &self,
        _: &mut Reader<'_>,
        entry: AuditEntry,
        _: Option<&NewStaticToken>,
    ) -> Result<AuditEntry> {
        let entry = entry.scope(&self.scope);
        Ok(entry.resource(self.resource.as_str()))
    }

    fn identity(self, _: &mut Reader<'_>) -> Result<TokenIdentity> {
        Ok(TokenIdentity {
            token_uid: self.uid,
            scope: self.scope,
            resource: self.resource,
            prefix: self.prefix,
            expires: self.expires,
        })
    }
}
