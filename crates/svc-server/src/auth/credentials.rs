//! Who asks (wire contract, section 3). What may be reached on the data host is [`access`](crate::auth::access)'s to say.

use std::sync::Arc;

use http::{HeaderMap, Method, header};
use jiff::Timestamp;
use svc_auth::AuthScheme;
use svc_model::ProjectName;
use svc_store::{
    AccountGrant, Actor, ActorKind, ApiKeyIdentity, CredentialHash, CredentialKind,
    PermissionsGroup, SessionIdentity,
};

use crate::{
    auth::identity::{Identity, Used},
    http::{ApiError, ApiResult},
    state::Shared,
};

const APPLICATION_CHALLENGE: &str = r#"Bearer realm="application""#;
pub(crate) const DATA_CHALLENGE: &str = r#"Bearer realm="data""#;
/// The account behind an API key.
#[derive(Debug)]
pub(crate) struct Account(Arc<Used<AccountGrant>>);

impl Account {
    pub(crate) fn identity(&self) -> &ApiKeyIdentity {
        &self.0.identity
    }

    /// Who asks, for the audit trail.
    pub(crate) fn actor(&self) -> Actor {
        let key = &self.identity().credential;
        Actor::new(ActorKind::ApiKey, key.uid, &key.grant.email)
    }

    /// Whether the account may do this to the project's pages: members of a read-only team read.
    pub(crate) fn check(&self, project: &ProjectName, method: &Method) -> ApiResult<()> {
        let Some(team) = self.identity().team(project) else {
            return Err(ApiError::PermissionDenied(
                "the API key does not cover this project",
            ));
        };
        if !method.is_safe() && team.permissions_group == PermissionsGroup::ReadOnly {
            return Err(ApiError::PermissionDenied(
                "the team of the API key's user may only read",
            ));
        }
        Ok(())
    }
}

/// Who asks on the application host: the account of the API key in `Authorization: Bearer <key>`.
pub(crate) async fn account(state: &Shared, headers: &HeaderMap) -> ApiResult<Account> {
    let refused = |detail| ApiError::not_authenticated(detail, APPLICATION_CHALLENGE);
    let presented = presented(headers, APPLICATION_CHALLENGE)?;
    let Some((AuthScheme::Bearer, presented)) = presented else {
        return Err(refused(
            "an API key is required: Authorization: Bearer <key>",
        ));
    };
    match identify(state, presented).await? {
        Some(Identity::ApiKey(account)) => Ok(Account(account)),
        Some(_) => Err(ApiError::PermissionDenied(
            "a static token opens its resource on the data host; the application host requires an API key",
        )),
        None => Err(refused("the API key is unknown, expired or revoked")),
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
pub(crate) async fn identify_session(
    state: &Shared,
    token: &str,
) -> ApiResult<Option<Arc<SessionIdentity>>> {
    let hash = CredentialHash::of(token);
    let now = Timestamp::now();
    let session = match state.credentials.get(&hash) {
        Some(Identity::Session(session)) => session,
        _ => {
            // Before anything is looked at: what is found is kept only if nothing has changed since.
            let generation = state.credentials.generation();
            // What this service has not signed costs no look into the store.
            let Some(claims) = state.keyring.load().verify(token, now) else {
                return Ok(None);
            };
            let Some(session) = state.store.sessions().find(&claims).await? else {
                return Ok(None);
            };
            let session = Arc::new(session);
            let identity = Identity::Session(Arc::clone(&session));
            state.credentials.keep(hash, identity, generation);
            session
        }
    };
    Ok(Some(session).filter(|session| session.expires > now.as_second()))
}

/// Records in the store when a credential was used, beside the request.
async fn record_use(state: Shared, identity: Identity) {
    let recorded = match &identity {
        Identity::ApiKey(key) => state.store.api_keys().touch(key.uid()).await,
        Identity::StaticToken(token) => state.store.tokens().touch(token.uid()).await,
        Identity::ServiceToken(token) => state.store.service_tokens().touch(token.uid()).await,
        Identity::Session(_) => Ok(()),
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
        let state = State::new(Config::default(), store, String::new()).unwrap();
        account(&state, &headers).await.unwrap()
    }

    #[tokio::test]
    async fn a_member_of_a_read_only_team_reads_pages_and_does_not_write_them() {
        let project = ProjectName::from("main");
        let reader = account_in("Read Only").await;
        assert!(reader.check(&project, &Method::GET).is_ok());
        for method in [Method::POST, Method::PATCH, Method::DELETE] {
            let refused = reader.check(&project, &method);
            assert!(matches!(refused, Err(ApiError::PermissionDenied(_))));
        }
        let editor = account_in("Editor").await;
        assert!(editor.check(&project, &Method::DELETE).is_ok());
        assert!(editor.check(&"other".into(), &Method::GET).is_err());
    }
}
