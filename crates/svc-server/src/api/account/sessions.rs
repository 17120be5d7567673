//! The sessions of the user who is signed in.

use axum::extract::{FromRequest as _, Request, State};
use http::StatusCode;
use svc_auth::account::{EndOtherSessions, EndSession};
use svc_store::{ErrorKind, ListedOf};
use uuid::Uuid;

use super::{SessionCall, SignedInAs, not_authenticated, not_kept, realm, session};
use crate::{
    api::administration::EntriesRequest,
    http::{ApiError, ApiResult, request::path_values, response::empty_response},
    state::Shared,
};

pub(super) async fn list(State(state): State<Shared>, request: Request) -> ApiResult {
    let (mut parts, _) = request.into_parts();
    let path = path_values(&mut parts).await?;
    let SignedInAs {
        person,
        session,
        actor,
    } = session(&state, &parts, &realm(&path)?).await?;
    let request = EntriesRequest::new(parts, &state, actor).await?;
    let listed = request.list_sessions(ListedOf::User(person), Some(session));
    Ok(not_kept(listed.await?))
}

pub(super) async fn end(SessionCall { call, session }: SessionCall<EndSession>) -> ApiResult {
    let uid: Uuid = call.operation.uid.parse().map_err(|_| no_such_session())?;
    let sessions = call.store.sessions();
    sessions.end_one(&call.realm, session.person, uid).await?;
    call.state.sync_with_store().await?;
    Ok(empty_response(StatusCode::NO_CONTENT))
}

pub(super) async fn end_others(State(state): State<Shared>, request: Request) -> ApiResult {
    // The path of a session whose UID is missing.
    let is_of_one = request.uri().path().ends_with('/');
    let called = SessionCall::<EndOtherSessions>::from_request(request, &state).await;
    let SessionCall { call, session } = called?;
    if is_of_one {
        return Err(no_such_session());
    }
    state.throttle.session(session.session)?;
    let sessions = call.store.sessions();
    let ended = sessions.end_others(&call.realm, session.person, session.session);
    ended.await.map_err(|error| match error.kind() {
        ErrorKind::NotFound => not_authenticated("the session has ended; sign in again"),
        _ => error.into(),
    })?;
    state.sync_with_store().await?;
    Ok(empty_response(StatusCode::NO_CONTENT))
}

fn no_such_session() -> ApiError {
    ApiError::NotFound("there is no such session".to_owned())
}
