//! Accounts on both hosts: by an API key or by a session, and the level that they have.

use std::sync::Arc;

use http::HeaderMap;
use jiff::Timestamp;
use svc_auth::AuthScheme;
use svc_model::{
    ProjectName,
    wire::{Level, OperationInfo},
};
use svc_store::{AccountGrant, AccountRights, AccountSession, Actor, ActorKind, PermissionsGroup};
use uuid::Uuid;

use crate::{
    auth::{
        credentials::{identify, presented},
        identity::{Identity, Program, Used},
        jwt::{Jwt, jwt},
    },
    http::{ApiError, ApiResult},
    state::Shared,
};

const APPLICATION_CHALLENGE: &str = r#"Bearer realm="application""#;

/// An account, by one of its API keys or by a session.
#[derive(Clone, Debug)]
pub(crate) enum Account {
    /// By an API key.
    Key(Arc<Used<AccountGrant>>),
    /// By a session.
    Session(Arc<AccountSession>),
    /// None: the process that has the store open acts as an operator.
    Program(Arc<Program>),
}

impl Account {
    /// The account.
    pub(crate) fn grant(&self) -> &AccountGrant {
        match self {
            Self::Key(key) => &key.identity.credential.grant,
            Self::Session(session) => &session.account,
            Self::Program(program) => &program.grant,
        }
    }

    /// Its identifier.
    pub(crate) fn uid(&self) -> Uuid {
        self.grant().account_uid
    }

    /// What it may do.
    pub(crate) fn rights(&self) -> &AccountRights {
        match self {
            Self::Key(key) => &key.identity.rights,
            Self::Session(session) => &session.rights,
            Self::Program(program) => &program.rights,
        }
    }

    /// The session of the call, if it is one.
    pub(crate) fn session(&self) -> Option<Uuid> {
        match self {
            Self::Key(_) | Self::Program(_) => None,
            Self::Session(session) => Some(session.session_uid),
        }
    }

    /// When the API key ends, where it does.
    pub(crate) fn expires(&self) -> Option<Timestamp> {
        match self {
            Self::Key(key) => key.identity.credential.expires,
            Self::Session(_) | Self::Program(_) => None,
        }
    }

    /// Who asks, for the audit trail.
    pub(crate) fn actor(&self) -> Actor {
        let email = &self.grant().email;
        match self {
            Self::Key(key) => Actor::new(ActorKind::ApiKey, key.uid(), email),
            Self::Session(_) => Actor::new(ActorKind::Account, self.uid(), email),
            Self::Program(program) => program.actor.clone(),
        }
    }

    /// Whether it is none: the process that has the store open.
    pub(crate) fn is_program(&self) -> bool {
        matches!(self, Self::Program(_))
    }

    /// Refuses the process that has the store open, for what belongs to an account.
    pub(crate) fn check_is_account(&self) -> ApiResult<()> {
        match self {
            Self::Program(_) => Err(ApiError::PermissionDenied(
                "a command on the store itself has no account of the service",
            )),
            Self::Key(_) | Self::Session(_) => Ok(()),
        }
    }

    /// Whether the account has the level of an operation, given the values of the names in its path.
    pub(crate) fn check_operation(&self, info: &OperationInfo, path: &[String]) -> ApiResult<()> {
        // A path that names a project begins with it.
        let is_in_project = info.path_template.starts_with("/projects/{project}/");
        let project = path.first().filter(|_| is_in_project);
        let project = project.map(|project| project.as_str().into());
        self.check(info.level.unwrap_or(Level::Operator), project.as_ref())
    }

    /// Whether the account has a level in the project of an operation.
    pub(crate) fn check(&self, level: Level, project: Option<&ProjectName>) -> ApiResult<()> {
        let denied = |detail| Err(ApiError::PermissionDenied(detail));
        match level {
            Level::Account => return Ok(()),
            Level::WholeAccount if self.is_program() => return self.check_is_account(),
            Level::WholeAccount if self.grant().is_limited => {
                return denied("an API key that is limited to some projects may not do this");
            }
            Level::WholeAccount => return Ok(()),
            Level::Operator if self.rights().operator.is_none() => {
                return denied("this requires an operator of the service");
            }
            Level::Operator => return Ok(()),
            _ => {}
        }
        let team = project.and_then(|project| self.rights().in_project(project));
        let Some((team, _)) = team else {
            return denied("the API key or the session does not cover this project");
        };
        match level {
            Level::Member => Ok(()),
            Level::Editor if team.permissions_group == PermissionsGroup::ReadOnly => {
                denied("the team of the account may only read")
            }
            Level::Editor => Ok(()),
            _ if team.super_group => Ok(()),
            _ => denied("this requires an administrator of the project"),
        }
    }
}

/// Who asks on the application host: the account of the API key in `Authorization: Bearer <key>`, or of the session in
/// `Authorization: JWT <access token>`.
pub(crate) async fn account(state: &Shared, headers: &HeaderMap) -> ApiResult<Account> {
    let refused = |detail| ApiError::not_authenticated(detail, APPLICATION_CHALLENGE);
    match presented(headers, APPLICATION_CHALLENGE)? {
        Some((AuthScheme::Bearer, presented)) => match identify(state, presented).await? {
            Some(Identity::ApiKey(key)) => Ok(Account::Key(key)),
            Some(Identity::Program(program)) => Ok(Account::Program(program)),
            Some(_) => Err(ApiError::PermissionDenied(
                "a static token opens its resource on the data host; the application host requires an API key",
            )),
            None => Err(refused("the API key is unknown, expired or revoked")),
        },
        Some((AuthScheme::Jwt, token)) => match jwt(state, token).await? {
            Some(Jwt::Account(session)) => Ok(Account::Session(session)),
            Some(_) => Err(ApiError::PermissionDenied(
                "users and services of an application have no account of the service; sign in with an account",
            )),
            None => Err(refused(
                "the session is unknown, expired or ended; sign in again",
            )),
        },
        _ => Err(refused(
            "an API key or the session of an account is required: Authorization: Bearer <key>, or JWT <access token>",
        )),
    }
}

#[cfg(test)]
mod tests {
    use http::header;
    use svc_store::{NewApiKey, NewProject, Store};

    use super::*;
    use crate::{Config, state::State};

    async fn account_in(team: &str) -> Account {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let project = ProjectName::from("main");
        let new = NewProject::new(project.clone());
        store.projects().create(new).await.unwrap();
        let create_key = async |email| {
            let new = NewApiKey::new(project.clone(), email);
            store.api_keys().create(new).await.unwrap()
        };
        create_key("owner@example.com").await;
        create_key("b@example.com").await;
        let members = store.members();
        members
            .replace(&project, "b@example.com", team)
            .await
            .unwrap();
        let key = create_key("b@example.com").await;
        let mut headers = HeaderMap::new();
        let value = format!("Bearer {}", key.secret.expose());
        headers.insert(header::AUTHORIZATION, value.parse().unwrap());
        let state = State::new(Config::default(), store, String::new(), String::new()).unwrap();
        account(&state, &headers).await.unwrap()
    }

    #[tokio::test]
    async fn a_member_of_a_read_only_team_reads_pages_and_does_not_write_them() {
        let project = ProjectName::from("main");
        let reader = account_in("Read Only").await;
        assert!(reader.check(Level::Member, Some(&project)).is_ok());
        for level in [Level::Editor, Level::Administrator, Level::Operator] {
            let refused = reader.check(level, Some(&project));
            assert!(matches!(refused, Err(ApiError::PermissionDenied(_))));
        }
        let editor = account_in("Editor").await;
        assert!(editor.check(Level::Editor, Some(&project)).is_ok());
        assert!(editor.check(Level::Administrator, Some(&project)).is_err());
        assert!(editor.check(Level::Member, Some(&"other".into())).is_err());
        assert!(editor.check(Level::WholeAccount, None).is_ok());
    }
}
