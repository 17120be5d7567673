//! Service tokens: what a service shows to act in an environment with the rights of a team
//! (`Authorization: JWT <token>`; specification, section 5, "Service requests").

use svc_data::{Row, Value};
use svc_model::Scope;
use uuid::Uuid;

use crate::audit::AuditEntry;
use crate::credentials::{self, Credential, CredentialKind, Credentials, Grant, Identity};
use crate::credentials::{NewCredential, StoredGrant};
use crate::database::{Reader, Tx, row};
use crate::error::Result;
use crate::people::{Team, TeamRights, rights, teams};
use crate::projects::{Located, ScopeRow};
/// A service token as lists show it: everything but the token.
pub type ServiceToken = Credential<TeamGrant>;
/// What a new service token is made of.
pub type NewServiceToken = NewCredential<TeamGrant>;
/// A valid service token that was presented, and what its team may do with records.
pub type ServiceTokenIdentity = Identity<TeamGrant>;

/// What a service token opens: an environment, with the rights of a team.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TeamGrant {
    /// The environment.
    pub scope: Scope,
    /// The team.
    pub team: Team,
}

impl NewServiceToken {
    /// A token without a name and without an end, with the rights of the team of this name.
    pub fn new(scope: impl Into<Scope>, team: impl Into<String>) -> Self {
        Self::without_end((scope.into(), team.into()))
    }
}

impl Credentials<'_, TeamGrant> {
    /// The tokens of an environment, revoked and expired ones too, the oldest first.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is no such environment.
    pub async fn list(&self, scope: &Scope) -> Result<Vec<ServiceToken>> {
        credentials::list_of_environment(self.store, scope).await
    }

    /// Ends a token of an environment for good.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when the environment has no such token.
    pub async fn revoke_in(&self, scope: &Scope, uid: Uuid) -> Result<()> {
        credentials::revoke_in(self, scope, uid).await
    }
}

impl Grant for TeamGrant {
    type Wanted = (Scope, String);
    type Rights = TeamRights;
}

impl StoredGrant for TeamGrant {
    const KIND: CredentialKind = CredentialKind::ServiceToken;
    const WHAT: &'static str = "service token";
    const TABLE: &'static str = "service_tokens";
    const ACTIONS: [&'static str; 2] = ["service_tokens.create", "service_tokens.revoke"];
    const COLUMNS: &'static [&'static str] = &[
        "p.unique_name AS project",
        "e.unique_name AS environment",
        teams::COLUMNS,
    ];
    const JOINS: &'static str = "JOIN environments e ON e.uid = c.environment_uid \
         JOIN projects p ON p.uid = e.project_uid JOIN teams t ON t.uid = c.team_uid";

    fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            scope: row::scope(row)?,
            team: teams::from_row(row)?,
        })
    }

    fn columns(
        tx: &mut Tx<'_>,
        (scope, team): &Self::Wanted,
    ) -> Result<Vec<(&'static str, Value)>> {
        let scope = ScopeRow::get(tx, scope)?;
        let team = teams::named(tx, &scope.project_uid, team)?;
        Ok(row! { environment_uid: scope.environment_uid, team_uid: team.uid }.into())
    }

    fn locate(
        &self,
        _: &mut Reader<'_>,
        entry: AuditEntry,
        _: Option<&Self::Wanted>,
    ) -> Result<AuditEntry> {
        Ok(entry.scope(&self.scope))
    }

    fn rights(&self, reader: &mut Reader<'_>, _: Uuid) -> Result<TeamRights> {
        let rights = rights::of_team(reader, &self.team)?;
        Ok(rights.in_environment(&self.scope.environment))
    }
}
