//! Service tokens: what a service shows to act in an environment with the rights of a team
//! (`Authorization: JWT <token>`; specification, section 5, "Service requests").

use jiff::Timestamp;
use svc_data::{Row, Value};
use svc_model::Scope;
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::credentials;
use crate::credentials::{Credential, CredentialKind, CredentialTable, Credentials};
use crate::database::{Reader, Tx, columns, row};
use crate::error::Result;
use crate::people::{Team, TeamRights, rights, teams};
use crate::projects::{Located, ScopeRow};

/// A service token as lists show it: everything but the token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceToken {
    /// Identifier.
    pub uid: Uuid,
    /// The environment.
    pub scope: Scope,
    /// The team whose rights it has.
    pub team: Team,
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

/// What a new token is made of; see [`NewServiceToken::new`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewServiceToken {
    /// The environment.
    pub scope: Scope,
    /// The team whose rights it shall have, by name.
    pub team: String,
    /// Its name for people.
    pub name: Option<String>,
    /// When it ends.
    pub expires: Option<Timestamp>,
}

impl NewServiceToken {
    /// A token without a name and without an end.
    pub fn new(scope: impl Into<Scope>, team: impl Into<String>) -> Self {
        Self {
            scope: scope.into(),
            team: team.into(),
            name: None,
            expires: None,
        }
    }
}

/// What a valid service token opens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceTokenIdentity {
    /// The token.
    pub token_uid: Uuid,
    /// The environment.
    pub scope: Scope,
    /// The team whose rights it has.
    pub team: Team,
    /// What that team may do with records.
    pub rights: TeamRights,
    /// How the token begins.
    pub prefix: String,
    /// When the token ends. A caller that keeps this identity checks [`is_expired`](Self::is_expired).
    pub expires: Option<Timestamp>,
}

impl ServiceTokenIdentity {
    /// Whether the token is for this environment.
    pub fn covers(&self, scope: &Scope) -> bool {
        self.scope == *scope
    }

    /// Whether the token has ended.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        credentials::is_expired(self.expires, now)
    }
}

impl Credentials<'_, ServiceToken> {
    /// The tokens of an environment, revoked and expired ones too, the oldest first.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn list(&self, scope: &Scope) -> Result<Vec<ServiceToken>> {
        credentials::list_of_environment(self.store, scope.clone()).await
    }
}

impl Credential for ServiceToken {
    type New = NewServiceToken;
    type Identity = ServiceTokenIdentity;
}

impl CredentialTable for ServiceToken {
    const KIND: CredentialKind = CredentialKind::ServiceToken;
    const WHAT: &'static str = "service token";
    const TABLE: &'static str = "service_tokens";
    const ACTIONS: [&'static str; 2] = ["service_tokens.create", "service_tokens.revoke"];

    fn select() -> String {
        format!(
            "SELECT c.uid, p.unique_name AS project, e.unique_name AS environment, \
             c.prefix, c.name, c.date_add, c.last_use, c.expires, c.revoked, c.hash, {team} \
             FROM service_tokens c JOIN environments e ON e.uid = c.environment_uid \
             JOIN projects p ON p.uid = e.project_uid JOIN teams t ON t.uid = c.team_uid",
            team = teams::COLUMNS
        )
    }

    fn from_row(row: &Row) -> Result<Self> {
        columns!(row => Self {
            scope: row::scope(row)?,
            team: teams::from_row(row)?,
            uid, prefix, name, date_add, last_use, expires, revoked
        })
    }

    fn terms(new: &NewServiceToken) -> (Option<String>, Option<Timestamp>) {
        (new.name.clone(), new.expires)
    }

    fn columns(tx: &mut Tx<'_>, new: &NewServiceToken) -> Result<Vec<(&'static str, Value)>> {
        let scope = ScopeRow::get(tx, &new.scope)?;
        let team = teams::by_name(tx, &scope.project_uid, &new.team)?;
        Ok(row! { environment_uid: scope.environment_uid, team_uid: team.uid }.into())
    }

    fn locate(
        &self,
        _: &mut Reader<'_>,
        entry: AuditEntry,
        _: Option<&NewServiceToken>,
    ) -> Result<AuditEntry> {
        Ok(entry.scope(&self.scope))
    }

    fn identity(self, reader: &mut Reader<'_>) -> Result<ServiceTokenIdentity> {
        Ok(ServiceTokenIdentity {
            token_uid: self.uid,
            scope: self.scope,
            rights: rights::of_team(reader, &self.team)?,
            team: self.team,
            prefix: self.prefix,
            expires: self.expires,
        })
    }
}
