//! The account calls: what users do with their own accounts (specification, section 5; wire contract, section 9).

mod email;
mod page;
mod password;
mod sign_in;

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, FromRequest, FromRequestParts as _, Request},
    routing::{get, post},
};
use http::{HeaderValue, StatusCode, header, request::Parts};
use serde::Serialize;
use serde_json::{Value, json};
use svc_auth::AuthScheme;
use svc_model::{EnvironmentName, ProjectName, account, account::UserInfo};
use svc_store::{Actor, SessionIdentity, SessionTokens, Store, User, UserAccount};
use uuid::Uuid;

use crate::{
    access::{Jwt, jwt},
    answer::{Answer, json_answer},
    audit,
    body::read_object,
    credentials::presented,
    failure::Failure,
    fields::Fields,
    listener::Peer,
    request::{Segments, read_draft},
    router::route,
    state::Shared,
    throttle,
};

const CHALLENGE: &str = r#"JWT realm="account""#;

pub(crate) fn routes() -> Router<Shared> {
    [
        (account::LOGIN_PATH, post(sign_in::login)),
        (account::REFRESH_PATH, post(sign_in::refresh)),
        (account::USER_PATH, get(sign_in::user)),
        (account::LOGOUT_PATH, post(sign_in::logout)),
        (account::REGISTER_PATH, post(sign_in::register)),
        (account::CHANGE_PASSWORD_PATH, post(password::change)),
        (account::RESET_PASSWORD_PATH, post(password::reset)),
        (
            account::RESET_PASSWORD_COMPLETE_PATH,
            post(password::reset_complete).get(page::page),
        ),
        (
            account::ACCEPT_INVITATION_PATH,
            post(password::accept_invitation).get(page::page),
        ),
        (account::CHANGE_EMAIL_PATH, post(email::change)),
        (
            account::CHANGE_EMAIL_COMPLETE_PATH,
            post(email::change_complete).get(page::page),
        ),
        (page::STYLE_PATH, get(page::style)),
        (page::SCRIPT_PATH, get(page::script)),
    ]
    .into_iter()
    .fold(Router::new(), |router, (path, methods)| {
        route(router, path, methods)
    })
}

/// An account call that anybody may make: where, and with which fields.
struct Call {
    state: Shared,
    project: ProjectName,
    environment: EnvironmentName,
    fields: Fields,
    /// The store, to write to by whoever calls.
    store: Store,
}

/// An account call of a user who is signed in.
struct UserCall {
    call: Call,
    user: Uuid,
}

impl FromRequest<Shared> for Call {
    type Rejection = Failure;

    /// Reads a call. The try is counted before anything else is done for it.
    async fn from_request(request: Request, state: &Shared) -> Result<Self, Failure> {
        let (mut parts, body) = request.into_parts();
        let place = place(&mut parts, state).await?;
        count(&mut parts, state).await?;
        Self::read(&parts, body, place, state, Actor::anonymous()).await
    }
}

impl FromRequest<Shared> for UserCall {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &Shared) -> Result<Self, Failure> {
        let (mut parts, body) = request.into_parts();
        let place = place(&mut parts, state).await?;
        let session = session(state, &parts, &place).await?;
        count(&mut parts, state).await?;
        let user = session.user_uid;
        let call = Call::read(&parts, body, place, state, audit::user(&session)).await?;
        // A password can be guessed with somebody's session too.
        call.throttle(&user.to_string())?;
        Ok(Self { call, user })
    }
}

impl Call {
    async fn read(
        parts: &Parts,
        body: Body,
        (project, environment): (ProjectName, EnvironmentName),
        state: &Shared,
        actor: Actor,
    ) -> Result<Self, Failure> {
        read_draft(parts.uri.query())?;
        let body = read_object(&parts.headers, body, &state.config).await?;
        Ok(Self {
            state: Shared::clone(state),
            project,
            environment,
            fields: Fields::of(&body),
            store: state.store_for(actor, parts),
        })
    }

    /// Counts a try on an account.
    fn throttle(&self, account: &str) -> Result<(), Failure> {
        let (project, environment) = (self.project.as_str(), self.environment.as_str());
        self.state.throttle.account(project, environment, account)
    }

    /// The accounts of the environment.
    fn account(&self) -> UserAccount<'_> {
        let base_url = self.state.base_url();
        self.store
            .account(&self.project, &self.environment, base_url)
    }
}

/// The environment that the path names.
async fn place(
    parts: &mut Parts,
    state: &Shared,
) -> Result<(ProjectName, EnvironmentName), Failure> {
    let segments = Segments::<(String, String)>::from_request_parts(parts, state).await?;
    let Segments((project, environment)) = segments;
    Ok((project.into(), environment.into()))
}

/// Counts a try from the caller's address.
async fn count(parts: &mut Parts, state: &Shared) -> Result<(), Failure> {
    let peer = ConnectInfo::<Peer>::from_request_parts(parts, state).await;
    let ConnectInfo(Peer(peer)) =
        peer.map_err(|_| Failure::Internal("a connection has no address".to_owned()))?;
    state
        .throttle
        .address(throttle::caller(&state.config, &parts.headers, peer))
}

/// The session of the request, in the environment that the path names.
async fn session(
    state: &Shared,
    parts: &Parts,
    (project, environment): &(ProjectName, EnvironmentName),
) -> Result<Arc<SessionIdentity>, Failure> {
    let refused = |detail| Failure::NotAuthenticated {
        detail,
        challenge: CHALLENGE,
    };
    let Some((AuthScheme::Jwt, token)) = presented(&parts.headers, CHALLENGE)? else {
        return Err(refused(
            "a session is required: Authorization: JWT <access token>",
        ));
    };
    match jwt(state, token).await? {
        Some(Jwt::Session(session))
            if session.project == *project && session.environment == *environment =>
        {
            Ok(session)
        }
        Some(Jwt::Service(_)) => Err(Failure::PermissionDenied(
            "a service has no account; sign in as a user",
        )),
        _ => Err(refused(
            "the session is unknown, expired or ended; sign in again",
        )),
    }
}

/// An answer that nobody may keep: it holds tokens, or is about one person.
fn private<T: Serialize>(status: StatusCode, body: &T) -> Answer {
    let mut answer = json_answer(status, body);
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// The tokens of a session as they are sent: `AuthState`.
fn auth_state(tokens: &SessionTokens) -> Value {
    json!({
        "access_token": tokens.access_token.expose(),
        "refresh_token": tokens.refresh_token.expose(),
        "access_token_expires": tokens.access_token_expires.to_string(),
        "refresh_token_expires": tokens.refresh_token_expires.to_string(),
    })
}

/// The answer to a call that began a new session.
fn new_state(tokens: &SessionTokens) -> Answer {
    let body = json!({ "result": true, "new_state": auth_state(tokens) });
    private(StatusCode::OK, &body)
}

fn user_info(user: User) -> UserInfo {
    let mut info = UserInfo::default();
    info.uid = user.uid.to_string();
    info.username = Some(user.email.clone());
    info.has_password = user.has_password;
    info.email = Some(user.email);
    info.first_name = user.first_name;
    info.last_name = user.last_name;
    info.language = user.language;
    info.timezone = user.timezone;
    info
}
