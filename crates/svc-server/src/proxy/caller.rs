//! Who uses the proxy: a user of the environment, or a service that acts in it (specification, section 5).

use http::HeaderMap;
use svc_auth::AuthScheme;
use svc_model::{ResourceName, Scope};
use svc_store::Actor;

use super::call::Destination;
use crate::{
    auth::{
        credentials::{identify, presented},
        identity::Identity,
        jwt::{Jwt, jwt},
    },
    http::{ApiError, ApiResult},
    state::Shared,
};

const CHALLENGE: &str = r#"JWT realm="proxy""#;

/// The caller.
pub(super) struct Caller(Jwt);

/// Who asks: the session or service token in `Authorization: JWT <token>`.
pub(super) async fn identified(state: &Shared, headers: &HeaderMap) -> ApiResult<Caller> {
    let refused = |detail| ApiError::not_authenticated(detail, CHALLENGE);
    match presented(headers, CHALLENGE)? {
        Some((AuthScheme::Jwt, token)) => match jwt(state, token).await? {
            Some(caller) => Ok(Caller(caller)),
            None => Err(refused(
                "the session is unknown, expired or ended; sign in again",
            )),
        },
        Some((_, token)) => match identify(state, token).await? {
            Some(Identity::ServiceToken(_)) => Err(refused(
                "a service token is sent as Authorization: JWT <token>",
            )),
            Some(_) => Err(ApiError::PermissionDenied(
                "the HTTP proxy is opened by a session or a service token: Authorization: JWT <token>",
            )),
            None => Err(refused("the credential is unknown, expired or revoked")),
        },
        None => Err(refused(
            "a session is required: Authorization: JWT <access token>",
        )),
    }
}

impl Caller {
    /// Who it is, for the log.
    pub(super) fn who(&self) -> String {
        match &self.0 {
            Jwt::Session(session) => format!("user {}", session.user_uid),
            Jwt::Service(token) => format!("service token {}", token.uid()),
        }
    }

    /// Who it is, for the audit trail.
    pub(super) fn actor(&self) -> Actor {
        self.0.actor()
    }

    /// The environment whose user or service it is.
    pub(super) fn scope(&self) -> &Scope {
        self.0.scope()
    }

    /// Lets through who may send a request there.
    pub(super) fn check(&self, destination: &Destination) -> ApiResult<()> {
        let own = self.scope();
        let project = destination.project.as_ref().unwrap_or(&own.project);
        if *project != own.project || destination.environment != own.environment {
            return Err(ApiError::PermissionDenied(
                "the session does not cover this project and environment",
            ));
        }
        let Some(resource) = &destination.resource else {
            return Ok(());
        };
        let (_, rights) = self.0.team();
        let may_read =
            resource.as_str() != ResourceName::TOOLS && rights.on_resource(resource.as_str()).read;
        match may_read {
            true => Ok(()),
            false => Err(ApiError::PermissionDenied(
                "the user's team may not read this resource",
            )),
        }
    }
}
