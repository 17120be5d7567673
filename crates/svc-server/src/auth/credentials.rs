//! Who asks (wire contract, section 3). What may be reached on the data host is [`access`](crate::auth::access)'s to say.

use std::sync::Arc;

use http::{HeaderMap, header};
use jiff::Timestamp;
use svc_auth::AuthScheme;
use svc_store::{CredentialHash, CredentialKind, SessionHolder, Store};

use crate::{
    auth::identity::{Identity, Used},
    http::{ApiError, ApiResult},
    state::Shared,
};

pub(crate) const DATA_CHALLENGE: &str = r#"Bearer realm="data""#;

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
    if let Some(program) = state.program.get()
        && program.has_key(presented)
    {
        return Ok(Some(Identity::Program(Arc::clone(program))));
    }
    state.store_health.ensure_known()?;
    // What cannot be a credential costs no look into the store.
    let Some(kind) = CredentialKind::of(presented) else {
        return Ok(None);
    };
    let hash = CredentialHash::of(presented);
    let identity = match state.credentials.get(&hash) {
        Some(identity) => identity,
        None => {
            let generation = state.credentials.generation();
            // Seldom, so that it takes no part of the memory of every request.
            let Some(identity) = Box::pin(find(&state.store, kind, presented)).await? else {
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
        Identity::Program(_) => (false, false),
    };
    if expired {
        return Ok(None);
    }
    if due {
        tokio::spawn(record_use(Arc::clone(state), identity.clone()));
    }
    Ok(Some(identity))
}

/// Whose credential this is, by the store.
async fn find(store: &Store, kind: CredentialKind, presented: &str) -> ApiResult<Option<Identity>> {
    Ok(match kind {
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
    })
}

/// Whose session an access token belongs to, if it is genuine, has not expired, and the session has not ended.
pub(crate) async fn identify_session(state: &Shared, token: &str) -> ApiResult<Option<Identity>> {
    state.store_health.ensure_known()?;
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
            let identity = match Box::pin(state.store.sessions().find(&claims)).await? {
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
    Ok(match &identity {
        Identity::Session(session) if session.expires > now => Some(identity),
        Identity::AccountSession(session) if session.expires > now => Some(identity),
        _ => None,
    })
}

/// Records in the store when a credential was used, beside the request.
async fn record_use(state: Shared, identity: Identity) {
    let recorded = match &identity {
        Identity::ApiKey(key) => state.store.api_keys().touch(key.uid()).await,
        Identity::StaticToken(token) => state.store.tokens().touch(token.uid()).await,
        Identity::ServiceToken(token) => state.store.service_tokens().touch(token.uid()).await,
        Identity::Session(_) | Identity::AccountSession(_) | Identity::Program(_) => Ok(()),
    };
    if let Err(error) = recorded {
        tracing::warn!(%error, "the last use of a credential could not be recorded");
    }
}
