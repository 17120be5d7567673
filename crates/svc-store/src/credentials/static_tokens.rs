//! Static tokens: what opens the records of one resource, or the users and teams of the built-in tools
//! (`Authorization: <API_TOKEN>`, raw; specification, section 5).

use svc_data::{Row, Value};
use svc_model::{ResourceName, Scope};
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::credentials::{self, Credential, CredentialKind, Credentials, Grant, Identity};
use crate::credentials::{NewCredential, StoredGrant};
use crate::database::{Reader, Tx, row};
use crate::error::Result;
use crate::projects::{Located, ScopeRow};
/// A static token as lists show it: everything but the token.
pub type StaticToken = Credential<ResourceGrant>;
/// What a new static token is made of.
pub type NewStaticToken = NewCredential<ResourceGrant>;
/// A valid static token that was presented.
pub type TokenIdentity = Identity<ResourceGrant>;

/// What a static token opens: one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceGrant {
    /// The environment.
    pub scope: Scope,
    /// The resource; `__svc_app__` for the built-in tools.
    pub resource: ResourceName,
}

impl NewStaticToken {
    /// A token without a name and without an end, for a resource; `__svc_app__` for the built-in tools.
    pub fn new(scope: impl Into<Scope>, resource: impl Into<ResourceName>) -> Self {
        Self::without_end(ResourceGrant {
            scope: scope.into(),
            resource: resource.into(),
        })
    }
}

impl TokenIdentity {
    /// Whether the token opens this resource.
    pub fn covers(&self, scope: &Scope, resource: &ResourceName) -> bool {
        let grant = &self.credential.grant;
        grant.scope == *scope && grant.resource == *resource
    }
}

impl Credentials<'_, ResourceGrant> {
    /// The tokens of an environment, revoked and expired ones too, the oldest first.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn list(&self, scope: &Scope) -> Result<Vec<StaticToken>> {
        credentials::list_of_environment(self.store, scope).await
    }
}

impl Grant for ResourceGrant {
    type Wanted = Self;
    type Rights = ();
}

impl StoredGrant for ResourceGrant {
    const KIND: CredentialKind = CredentialKind::StaticToken;
    const WHAT: &'static str = "static token";
    const TABLE: &'static str = "static_tokens";
    const ACTIONS: [&'static str; 2] = ["tokens.create", "tokens.revoke"];
    const COLUMNS: &'static [&'static str] = &[
        "p.unique_name AS project",
        "e.unique_name AS environment",
        "r.unique_name AS resource",
    ];
    const JOINS: &'static str = "JOIN environments e ON e.uid = c.environment_uid \
         JOIN projects p ON p.uid = e.project_uid LEFT JOIN resources r ON r.uid = c.resource_uid";

    fn from_row(row: &Row) -> Result<Self> {
        let resource: Option<ResourceName> = row::get(row, "resource")?;
        Ok(Self {
            scope: row::scope(row)?,
            resource: resource.unwrap_or_else(|| ResourceName::TOOLS.into()),
        })
    }

    fn columns(tx: &mut Tx<'_>, wanted: &Self) -> Result<Vec<(&'static str, Value)>> {
        let scope = ScopeRow::get(tx, &wanted.scope)?;
        let resource_uid = match wanted.resource.as_str() {
            ResourceName::TOOLS => None,
            _ => Some(scope.resource_uid(tx, &wanted.resource)?),
        };
        Ok(row! { environment_uid: scope.environment_uid, resource_uid }.into())
    }

    fn locate(
        &self,
        _: &mut Reader<'_>,
        entry: AuditEntry,
        _: Option<&Self>,
    ) -> Result<AuditEntry> {
        Ok(entry.scope(&self.scope).resource(self.resource.as_str()))
    }

    fn rights(&self, _: &mut Reader<'_>, _: Uuid) -> Result<()> {
        Ok(())
    }
}
