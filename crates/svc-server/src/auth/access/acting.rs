//! Administrators who see what a user of an environment would see: the header `X-Act-As`.

use std::sync::{Arc, OnceLock};

use axum::{
    extract::{MatchedPath, Request},
    response::Response,
};
use http::{HeaderName, HeaderValue, Method, request::Parts};
use svc_model::{
    Invalid, ResourceName, records,
    sql::Query,
    users::MODEL,
    wire::{Operation as _, OperationInfo},
};
use svc_store::{Actor, ActorKind, AuditEntry, Team, TeamRights};
use uuid::Uuid;

use super::Rights;
use crate::{
    http::{ApiError, ApiResult, resource_path::ResourcePath},
    state::Shared,
};

/// The user whose answer an administrator wants.
pub(crate) const ACT_AS: HeaderName = HeaderName::from_static("x-act-as");
/// The user whose answer it is.
pub(crate) const ACTING_AS: HeaderName = HeaderName::from_static("x-acting-as");
/// The action of the line about it.
const ACTION: &str = "users.act_as";
/// The questions that are sent by `POST` and change nothing.
const QUESTIONS: [OperationInfo; 3] = [Query::INFO, records::Aggregate::INFO, records::Group::INFO];

/// A user whose rights count in place of the caller's.
#[derive(Debug)]
pub(super) struct ActingAs {
    pub(super) user: Actor,
    pub(super) team: Team,
    pub(super) rights: TeamRights,
}

/// Where the uid of the user is left for the answer.
#[derive(Clone, Debug, Default)]
struct UserSeenAs(Arc<OnceLock<HeaderValue>>);

/// Answers a request by `work`, and says in the answer whose it is, whatever form it has.
pub(crate) async fn marked<F: Future<Output = Response>>(
    mut request: Request,
    work: impl FnOnce(Request) -> F,
) -> Response {
    if !request.headers().contains_key(ACT_AS) {
        return work(request).await;
    }
    let told = UserSeenAs::default();
    request.extensions_mut().insert(told.clone());
    let mut response = work(request).await;
    if let Some(uid) = told.0.get() {
        response.headers_mut().insert(ACTING_AS, uid.clone());
    }
    response
}

/// The rights that count: those of the caller, or of the user that the caller wants to see as, which leaves a line in the
/// audit trail.
pub(super) async fn rights(
    state: &Shared,
    parts: &Parts,
    path: &ResourcePath,
    caller: Rights,
) -> ApiResult<Rights> {
    match parts.headers.get(ACT_AS) {
        None => Ok(caller),
        // Seldom, so that it takes no part of the memory of every request.
        Some(uid) => Box::pin(of_user(state, parts, path, &caller, uid)).await,
    }
}

/// The rights of the user with this uid.
async fn of_user(
    state: &Shared,
    parts: &Parts,
    path: &ResourcePath,
    caller: &Rights,
    uid: &HeaderValue,
) -> ApiResult<Rights> {
    let account = match caller {
        Rights::Account(here) if here.team.super_group => &here.account,
        _ => {
            return Err(ApiError::PermissionDenied(
                "seeing as a user requires the session or an API key of an administrator of the project",
            ));
        }
    };
    if parts.headers.get_all(ACT_AS).iter().count() > 1 {
        return Err(Invalid::field("X-Act-As", "must be given once").into());
    }
    if !is_read(parts) {
        let message = "writes cannot be made as another user; leave this header out";
        return Err(Invalid::field("X-Act-As", message).into());
    }
    let unknown = || ApiError::NotFound("this environment has no such user".to_owned());
    let uid = uid.to_str().ok().and_then(|uid| uid.parse::<Uuid>().ok());
    let uid = uid.ok_or_else(unknown)?;
    let users = state.store.users(&path.scope);
    let found = users.rights_of(uid).await;
    let (user, rights) = found.map_err(|error| match error.kind() {
        svc_store::ErrorKind::NotFound => unknown(),
        _ => error.into(),
    })?;
    if user.suspended.is_some() {
        return Err(ApiError::PermissionDenied(
            "this user is suspended and gets no answer; resume the user first",
        ));
    }
    let entry = AuditEntry::new(ACTION)
        .scope(&path.scope)
        .resource(ResourceName::TOOLS)
        .model(MODEL)
        .record(uid.to_string());
    let store = state.store_for(account.actor(), parts);
    store.audit().append(vec![entry]).await?;
    if let Some(UserSeenAs(told)) = parts.extensions.get::<UserSeenAs>()
        && let Ok(value) = HeaderValue::from_str(&uid.to_string())
    {
        // Rights are decided once for a request.
        let _ = told.set(value);
    }
    Ok(Rights::ActingAs(Box::new(ActingAs {
        user: Actor::new(ActorKind::User, uid, &user.email),
        team: user.team,
        rights,
    })))
}

/// Whether a request changes nothing.
fn is_read(parts: &Parts) -> bool {
    if matches!(parts.method, Method::GET | Method::HEAD) {
        return true;
    }
    let path = parts.extensions.get::<MatchedPath>();
    let path = path.map_or("", |path| path.as_str().trim_end_matches('/'));
    let is_it = |info: &OperationInfo| info.path_template.trim_end_matches('/') == path;
    parts.method == Method::POST && QUESTIONS.iter().any(is_it)
}
