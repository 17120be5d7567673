//! Who asks (wire contract, section 3). What may be reached on the data host is [`access`](crate::auth::access)'s to say.

use std::sync::Arc;

use http::{HeaderMap, header};
use jiff::Timestamp;
use svc_auth::AuthScheme;
use svc_model::{
    ProjectName,
    wire::{Level, OperationInfo},
};
use svc_store::{
    AccountGrant, AccountRights, AccountSession, Actor, ActorKind, CredentialHash, CredentialKind,
    PermissionsGroup, SessionHolder,
};
use uuid::Uuid;

use crate::{
    auth::{
        identity::{Identity, Used},
        jwt::{Jwt, jwt},
    },
    http::{ApiError, ApiResult},
    state::Shared,
};

const APPLICATION_CHALLENGE: &str = r#"Bearer realm="application""#;
pub(crate) const DATA_CHALLENGE: &str = r#"Bearer realm="data""#;

/// An account, by one of its API keys or by a session.
#[derive(Clone, Debug)]
pub(crate) enum Account {
    /// By an API key.
    Key(Arc<Used<AccountGrant>>),
    /// By a session.
    Session(Arc<AccountSession>),
}

impl Account {
    /// The account.
    pub(crate) fn grant(&self) -> &AccountGrant {
        match self {
            Self::Key(key) => &key.identity.credential.grant,
            Self::Session(session) => &session.account,
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
        }
    }

    /// The session of the call, if it is one.
    pub(crate) fn session(&self) -> Option<Uuid> {
        match self {
            Self::Key(_) => None,
            Self::Session(session) => Some(session.session_uid),
        }
    }

    /// When the API key ends, where it does.
    pub(crate) fn expires(&self) -> Option<Timestamp> {
        match self {
            Self::Key(key) => key.identity.credential.expires,
            Self::Session(_) => None,
        }
    }

    /// Who asks, for the audit trail.
    pub(crate) fn actor(&self) -> Actor {
        let email = &self.grant().email;
        match self {
            Self::Key(key) => Actor::new(ActorKind::ApiKey, key.uid(), email),
            Self::Session(_) => Actor::new(ActorKind::Account, self.uid(), email),
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

/// Scheme and credential of the request's one `Authorization` header. What cannot be read is answered with the
/// challenge of the route.
pub(crate) fn presented<'h>(
    headers: &'h HeaderMap,
    challenge: &'static str,
) -> ApiResult<Option<(AuthScheme, &'h str)>> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    match (AuthScheme::parse(value), values.next()) {
        (Ok(parsed), None) => Ok(Some(parsed)),
        _ => Err(ApiError::not_authenticated(
            "the Authorization header is malformed",
            challenge,
        )),
    }
}

/// Whose credential this is, if it is valid now.
pub(crate) async fn identify(state: &Shared, presented: &str) -> ApiResult<Option<Identity>> {
    // What cannot be a credential costs no look into the store.
    let Some(kind) = CredentialKind::of(presented) else {
        return Ok(None);
    };
    let hash = CredentialHash::of(presented);
    let identity = match state.credentials.get(&hash) {
        Some(identity) => identity,
        None => {
            let generation = state.credentials.generation();
            let store = &state.store;
            let found = match kind {
                CredentialKind::ApiKey => {
                    let found = store.api_keys().authenticate(presented).await?;
                    found.map(Used::new).map(Identity::ApiKey)
                }
                CredentialKind::StaticToken => {
                    let found = store.tokens().authenticate(presented).await?;
                    found.map(Used::new).map(Identity::StaticToken)
                }
                CredentialKind::ServiceToken => {
                    let found = store.service_tokens().authenticate(presented).await?;
                    found.map(Used::new).map(Identity::ServiceToken)
                }
                _ => None,
            };
            let Some(identity) = found else {
                return Ok(None);
            };
            state.credentials.keep(hash, identity.clone(), generation);
            identity
        }
    };
    let now = Timestamp::now();
    let (expired, due) = match &identity {
        Identity::ApiKey(key) => key.state(now),
        Identity::StaticToken(token) => token.state(now),
        Identity::ServiceToken(token) => token.state(now),
        Identity::Session(session) => (session.expires <= now.as_second(), false),
        Identity::AccountSession(session) => (session.expires <= now.as_second(), false),
    };
    if expired {
        return Ok(None);
    }
    if due {
        tokio::spawn(record_use(Arc::clone(state), identity.clone()));
    }
    Ok(Some(identity))
}

/// Whose session an access token belongs to, if it is genuine, has not expired, and the session has not ended.
pub(crate) async fn identify_session(state: &Shared, token: &str) -> ApiResult<Option<Jwt>> {
    let hash = CredentialHash::of(token);
    let now = Timestamp::now();
    let identity = match state.credentials.get(&hash) {
        Some(identity) => identity,
        None => {
            // Before anything is looked at: what is found is kept only if nothing has changed since.
            let generation = state.credentials.generation();
            // What this service has not signed costs no look into the store.
            let Some(claims) = state.keyring.load().verify(token, now) else {
                return Ok(None);
            };
            let identity = match state.store.sessions().find(&claims).await? {
                Some(SessionHolder::User(session)) => Identity::Session(Arc::new(session)),
                Some(SessionHolder::Account(session)) => {
                    Identity::AccountSession(Arc::new(session))
                }
                _ => return Ok(None),
            };
            state.credentials.keep(hash, identity.clone(), generation);
            identity
        }
    };
    let now = now.as_second();
    Ok(match identity {
        Identity::Session(session) if session.expires > now => Some(Jwt::Session(session)),
        Identity::AccountSession(session) if session.expires > now => Some(Jwt::Account(session)),
        _ => None,
    })
}

/// Records in the store when a credential was used, beside the request.
async fn record_use(state: Shared, identity: Identity) {
    let recorded = match &identity {
        Identity::ApiKey(key) => state.store.api_keys().touch(key.uid()).await,
        Identity::StaticToken(token) => state.store.tokens().touch(token.uid()).await,
        Identity::ServiceToken(token) => state.store.service_tokens().touch(token.uid()).await,
        Identity::Session(_) | Identity::AccountSession(_) => Ok(()),
    };
    if let Err(error) = recorded {
        tracing::warn!(%error, "the last use of a credential could not be recorded");
    }
}

#[cfg(test)]
mod tests {
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
