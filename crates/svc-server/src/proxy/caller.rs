//! Who uses the proxy: a user of the environment, a service that acts in it (specification, section 5), or an account.

use std::borrow::Cow;

use http::HeaderMap;
use svc_auth::AuthScheme;
use svc_model::{Invalid, ProjectName, ResourceName};
use svc_store::Actor;

use super::call::Destination;
use crate::{
    auth::{
        account::Account,
        credentials::{identify, presented},
        identity::Identity,
        jwt::{Jwt, Resident, jwt},
    },
    http::{ApiError, ApiResult},
    state::Shared,
};

const CHALLENGE: &str = r#"JWT realm="proxy""#;

/// The caller.
pub(super) enum Caller {
    /// A user or a service of an environment.
    Resident(Resident),
    /// An account of the service.
    Account(Account),
}

/// Who asks: the session or service token in `Authorization: JWT <token>`, or the API key of an account.
pub(super) async fn identified(state: &Shared, headers: &HeaderMap) -> ApiResult<Caller> {
    let refused = |detail| ApiError::not_authenticated(detail, CHALLENGE);
    match presented(headers, CHALLENGE)? {
        Some((AuthScheme::Jwt, token)) => match jwt(state, token).await? {
            Some(Jwt::Session(session)) => Ok(Caller::Resident(Resident::User(session))),
            Some(Jwt::Service(token)) => Ok(Caller::Resident(Resident::Service(token))),
            Some(Jwt::Account(session)) => Ok(Caller::Account(Account::Session(session))),
            None => Err(refused(
                "the session is unknown, expired or ended; sign in again",
            )),
        },
        Some((_, token)) => match identify(state, token).await? {
            Some(Identity::ServiceToken(_)) => Err(refused(
                "a service token is sent as Authorization: JWT <token>",
            )),
            Some(Identity::ApiKey(key)) => Ok(Caller::Account(Account::Key(key))),
            Some(Identity::Program(program)) => Ok(Caller::Account(Account::Program(program))),
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
        match self {
            Self::Resident(Resident::User(session)) => format!("user {}", session.user_uid),
            Self::Resident(Resident::Service(token)) => format!("service token {}", token.uid()),
            Self::Account(account) => format!("account {}", account.uid()),
        }
    }

    /// Who it is, for the audit trail.
    pub(super) fn actor(&self) -> Actor {
        match self {
            Self::Resident(resident) => resident.actor(),
            Self::Account(account) => account.actor(),
        }
    }

    /// The project that a request belongs to. An account has to name it: it has no project of its own.
    pub(super) fn project(&self, destination: &Destination) -> ApiResult<ProjectName> {
        match (self, &destination.project) {
            (Self::Resident(resident), _) => Ok(resident.scope().project.clone()),
            (Self::Account(_), Some(project)) => Ok(project.clone()),
            (Self::Account(_), None) => {
                Err(Invalid::field("project", "this field is required").into())
            }
        }
    }

    /// Lets through who may send a request there.
    pub(super) fn check(&self, destination: &Destination) -> ApiResult<()> {
        let denied = |detail| Err(ApiError::PermissionDenied(detail));
        let rights = match self {
            Self::Resident(resident) => {
                let own = resident.scope();
                let project = destination.project.as_ref().unwrap_or(&own.project);
                if *project != own.project || destination.environment != own.environment {
                    return denied("the session does not cover this project and environment");
                }
                Cow::Borrowed(resident.team().1)
            }
            Self::Account(account) => {
                let project = self.project(destination)?;
                let Some((_, rights)) = account.rights().in_project(&project) else {
                    return denied("the account is not a member of this project");
                };
                Cow::Owned(rights.in_environment(&destination.environment))
            }
        };
        let Some(resource) = &destination.resource else {
            return Ok(());
        };
        let may_read =
            resource.as_str() != ResourceName::TOOLS && rights.on_resource(resource.as_str()).read;
        match may_read {
            true => Ok(()),
            false => denied("the team of the caller may not read this resource"),
        }
    }
}
