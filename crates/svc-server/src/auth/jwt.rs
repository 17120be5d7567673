//! The holder of a token of the scheme `JWT`: a user or an account by the access token of a session, or a service.

use std::sync::Arc;

use svc_model::Scope;
use svc_store::{AccountSession, Actor, ActorKind, SessionIdentity, Team, TeamGrant, TeamRights};

use crate::{
    audit,
    auth::{
        credentials::{identify, identify_session},
        identity::{Identity, Used},
    },
    http::ApiResult,
    state::Shared,
};

/// The credential in `Authorization: JWT <token>`.
#[derive(Debug)]
pub(crate) enum Jwt {
    /// The access token of a user's session.
    Session(Arc<SessionIdentity>),
    /// The token of a service.
    Service(Arc<Used<TeamGrant>>),
    /// The access token of an account's session.
    Account(Arc<AccountSession>),
}

/// A holder who is in one environment: a user, or a service.
#[derive(Debug)]
pub(crate) enum Resident {
    User(Arc<SessionIdentity>),
    Service(Arc<Used<TeamGrant>>),
}

/// The holder of a token of the scheme `JWT`, if it is valid now.
pub(crate) async fn jwt(state: &Shared, token: &str) -> ApiResult<Option<Jwt>> {
    // An access token has dots in it; the store's own tokens have none.
    if token.contains('.') {
        return Ok(match identify_session(state, token).await? {
            Some(Identity::Session(session)) => Some(Jwt::Session(session)),
            Some(Identity::AccountSession(session)) => Some(Jwt::Account(session)),
            _ => None,
        });
    }
    Ok(match identify(state, token).await? {
        Some(Identity::ServiceToken(token)) => Some(Jwt::Service(token)),
        _ => None,
    })
}

impl Resident {
    /// The environment whose user or service it is.
    pub(crate) fn scope(&self) -> &Scope {
        match self {
            Self::User(session) => &session.scope,
            Self::Service(token) => &token.identity.credential.grant.scope,
        }
    }

    /// The team whose rights count.
    pub(crate) fn team(&self) -> (&Team, &TeamRights) {
        match self {
            Self::User(session) => (&session.team, &session.rights),
            Self::Service(token) => {
                let identity = &token.identity;
                (&identity.credential.grant.team, &identity.rights)
            }
        }
    }

    /// Who it is, for the audit trail.
    pub(crate) fn actor(&self) -> Actor {
        match self {
            Self::User(session) => audit::user(session),
            Self::Service(token) => {
                let token = &token.identity.credential;
                Actor::new(ActorKind::ServiceToken, token.uid, &token.prefix)
            }
        }
    }
}
