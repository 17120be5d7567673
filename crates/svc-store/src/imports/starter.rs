//! What who began an import may still do.

use svc_model::{ResourceName, Scope};

use super::Imports;
use crate::audit::{Actor, ActorKind};
use crate::credentials::{AccountRights, TokenLimits};
use crate::database::values;
use crate::error::Result;
use crate::people::{Team, TeamRights, rights, teams};

/// Whose rights an import has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StarterRights {
    /// Those of the static token of the resource, which may do everything.
    All,
    /// Those of a static token that is limited.
    OfToken(TokenLimits),
    /// Those of the team of a user or of a service.
    OfTeam(Team, TeamRights),
}

impl Imports<'_> {
    /// The rights that who began an import has now; `None` where the token has ended, or the user is gone.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn rights_of(
        &self,
        actor: &Actor,
        scope: &Scope,
        resource: &ResourceName,
    ) -> Result<Option<StarterRights>> {
        let (kind, uid) = (actor.kind, actor.uid);
        let (project, environment) = (scope.project.clone(), scope.environment.clone());
        let scope_environment = environment.clone();
        let resource = resource.clone();
        self.store
            .read(move |reader| {
                let now = reader.now();
                let is_valid = "(c.expires IS NULL OR c.expires > ?2) AND c.revoked IS NULL";
                let in_scope = "JOIN projects p ON p.uid = e.project_uid \
                     WHERE c.uid = ?1 AND p.unique_name = ?3 AND e.unique_name = ?4";
                let (table, condition, values) = match kind {
                    ActorKind::StaticToken => {
                        let sql = format!(
                            "SELECT c.rights, c.models FROM static_tokens c JOIN environments e ON e.uid = c.environment_uid \
                             {in_scope} AND {is_valid} AND (c.resource_uid IS NULL OR EXISTS (SELECT 1 FROM resources r \
                             WHERE r.uid = c.resource_uid AND r.unique_name = ?5))"
                        );
                        let values = values![uid, now, project, environment, resource];
                        let Some(row) = reader.query_one(&sql, &values)? else {
                            return Ok(None);
                        };
                        let limits = TokenLimits::from_row(&row)?;
                        return Ok(Some(limits.map_or(StarterRights::All, StarterRights::OfToken)));
                    }
                    ActorKind::ServiceToken => ("service_tokens", is_valid, values![uid, now, project, environment]),
                    ActorKind::User => ("users", "CAST(?2 AS TEXT) IS NOT NULL AND c.suspended IS NULL", values![uid, now, project, environment]),
                    ActorKind::ApiKey | ActorKind::Account => {
                        let Some(uid) = uid else {
                            return Ok(None);
                        };
                        let found = AccountRights::of_actor(reader, kind, uid)?;
                        let open = found.as_ref().and_then(|rights| rights.in_project(&project));
                        return Ok(open.map(|(team, rights)| {
                            let rights = rights.in_environment(&environment);
                            StarterRights::OfTeam(team.clone(), rights)
                        }));
                    }
                    _ => return Ok(None),
                };
                let sql = format!(
                    "SELECT {} FROM {table} c JOIN environments e ON e.uid = c.environment_uid \
                     JOIN teams t ON t.uid = c.team_uid {in_scope} AND {condition}",
                    teams::COLUMNS
                );
                let Some(row) = reader.query_one(&sql, &values)? else {
                    return Ok(None);
                };
                let team = teams::from_row(&row)?;
                let rights = rights::of_team(reader, &team)?.in_environment(&scope_environment);
                Ok(Some(StarterRights::OfTeam(team, rights)))
            })
            .await
    }
}
