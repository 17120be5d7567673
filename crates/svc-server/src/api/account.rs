//! The account calls: what users do with their own accounts (specification, section 5; wire contract, section 9).

mod email;
mod page;
mod password;
mod sign_in;

use std::{net::IpAddr, sync::Arc};

use axum::{
    body::Body,
    extract::{ConnectInfo, FromRequest, FromRequestParts as _, Request},
    routing::get,
};
use http::{HeaderValue, header, request::Parts};
use serde::Serialize;
use svc_auth::{
    AccessToken, AuthScheme, AuthState, RefreshToken,
    account::{
        AcceptInvitation, ChangeEmail, ChangeEmailComplete, ChangePassword, GetUser, Login, Logout,
        Password, Refresh, Register, ResetPassword, ResetPasswordComplete,
    },
};
use svc_model::{
    Scope,
    account::UserInfo,
    wire::{Operation, PathPart as _, ReadOperation},
};
use svc_store::{Actor, Secret, SessionIdentity, SessionTokens, Store, User, UserAccount};
use uuid::Uuid;

use crate::{
    api::routes::Routes,
    audit,
    auth::{
        credentials::presented,
        jwt::{Jwt, jwt},
        throttle::{self, AccountKey},
    },
    http::{
        ApiError, ApiResponse, ApiResult,
        request::{Peer, path_values, read_operation},
        response::operation_response,
    },
    state::Shared,
};

const CHALLENGE: &str = r#"JWT realm="account""#;
/// The largest body of an account call, in bytes: a caller without a credential may send one.
const BODY_LIMIT: usize = 16 * 1024;

pub(crate) fn routes() -> Routes {
    // A link in a mail leads to a page at the path of the call that the code is for.
    Routes::new()
        .on::<Login, _>(sign_in::login)
        .on::<Refresh, _>(sign_in::refresh)
        .on::<GetUser, _>(sign_in::user)
        .on::<Logout, _>(sign_in::logout)
        .on::<Register, _>(sign_in::register)
        .on::<ChangePassword, _>(password::change)
        .on::<ResetPassword, _>(password::reset)
        .on::<ResetPasswordComplete, _>(password::reset_complete)
        .at(ResetPasswordComplete::INFO.path_template, get(page::page))
        .on::<AcceptInvitation, _>(password::accept_invitation)
        .at(AcceptInvitation::INFO.path_template, get(page::page))
        .on::<ChangeEmail, _>(email::change)
        .on::<ChangeEmailComplete, _>(email::change_complete)
        .at(ChangeEmailComplete::INFO.path_template, get(page::page))
        .at(page::STYLE_PATH, get(page::style))
        .at(page::SCRIPT_PATH, get(page::script))
}

/// An account call that requires no session.
struct Call<O> {
    operation: O,
    state: Shared,
    /// Whose users.
    scope: Scope,
    /// The address of the caller.
    address: IpAddr,
    /// The store, which writes in the name of the caller.
    store: Store,
}

/// An account call of a user who is signed in, which checks no password.
struct SessionCall<O> {
    call: Call<O>,
    session: Arc<SessionIdentity>,
}

/// An account call of a user who is signed in.
struct UserCall<O> {
    call: Call<O>,
    user: Uuid,
}

impl<O: ReadOperation> FromRequest<Shared> for Call<O> {
    type Rejection = ApiError;

    /// Reads a call. The try is counted before anything else is done for it.
    async fn from_request(request: Request, state: &Shared) -> ApiResult<Self> {
        let (mut parts, body) = request.into_parts();
        let path = path_values(&mut parts).await?;
        let address = address(&mut parts, state).await?;
        state.throttle.address(address)?;
        Self::read(&parts, path, body, state, (Actor::anonymous(), address)).await
    }
}

impl<O: ReadOperation> FromRequest<Shared> for SessionCall<O> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &Shared) -> ApiResult<Self> {
        Self::read(request, state, |_| Ok(())).await
    }
}

impl<O: ReadOperation> FromRequest<Shared> for UserCall<O> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &Shared) -> ApiResult<Self> {
        let throttle = |address| state.throttle.address(address);
        let SessionCall { call, session } = SessionCall::read(request, state, throttle).await?;
        // A stolen session can be used to guess the password. The user's other sessions are not limited.
        state.throttle.session(session.session_uid)?;
        Ok(Self {
            call,
            user: session.user_uid,
        })
    }
}

impl<O: ReadOperation> SessionCall<O> {
    async fn read(
        request: Request,
        state: &Shared,
        throttle: impl FnOnce(IpAddr) -> ApiResult<()>,
    ) -> ApiResult<Self> {
        let (mut parts, body) = request.into_parts();
        let path = path_values(&mut parts).await?;
        let session = session(state, &parts, &scope(&path)?).await?;
        let address = address(&mut parts, state).await?;
        throttle(address)?;
        let caller = (audit::user(&session), address);
        let call = Call::read(&parts, path, body, state, caller).await?;
        Ok(Self { call, session })
    }
}

impl<O: ReadOperation> Call<O> {
    async fn read(
        parts: &Parts,
        path: Vec<String>,
        body: Body,
        state: &Shared,
        (actor, address): (Actor, IpAddr),
    ) -> ApiResult<Self> {
        let scope = scope(&path)?;
        Ok(Self {
            operation: read_operation(parts, path, body, &state.config, BODY_LIMIT).await?,
            state: Shared::clone(state),
            scope,
            address,
            store: state.store_for(actor, parts),
        })
    }

    /// Counts a try on an account.
    fn throttle(&self, email: &str) -> ApiResult<()> {
        self.state
            .throttle
            .account(&self.account_key(email), self.address)
    }

    /// Remembers that the caller has signed in to an account.
    fn signed_in(&self, email: &str) {
        self.state
            .throttle
            .signed_in(&self.account_key(email), self.address);
    }

    fn account_key<'k>(&'k self, email: &'k str) -> AccountKey<'k> {
        let scope = &self.scope;
        AccountKey::new(scope.project.as_str(), scope.environment.as_str(), email)
    }

    /// The accounts of the environment.
    fn account(&self) -> UserAccount<'_> {
        self.store.account(&self.scope, self.state.base_url())
    }
}

/// The environment that a path begins with.
fn scope(path: &[String]) -> ApiResult<Scope> {
    Scope::take_from(&mut path.iter().cloned())
        .ok_or_else(|| ApiError::Internal("a path names no environment".to_owned()))
}

/// The address of the caller.
async fn address(parts: &mut Parts, state: &Shared) -> ApiResult<IpAddr> {
    let peer = ConnectInfo::<Peer>::from_request_parts(parts, state).await;
    let ConnectInfo(Peer(peer)) =
        peer.map_err(|_| ApiError::Internal("a connection has no address".to_owned()))?;
    Ok(throttle::caller(&state.config, &parts.headers, peer))
}

/// The session of the request, in the environment that the path names.
async fn session(state: &Shared, parts: &Parts, scope: &Scope) -> ApiResult<Arc<SessionIdentity>> {
    let Some((AuthScheme::Jwt, token)) = presented(&parts.headers, CHALLENGE)? else {
        return Err(not_authenticated(
            "a session is required: Authorization: JWT <access token>",
        ));
    };
    match jwt(state, token).await? {
        Some(Jwt::Session(session)) if session.scope == *scope => Ok(session),
        Some(Jwt::Service(_)) => Err(ApiError::PermissionDenied(
            "a service has no account; sign in as a user",
        )),
        _ => Err(not_authenticated(
            "the session is unknown, expired or ended; sign in again",
        )),
    }
}

fn not_authenticated(detail: &'static str) -> ApiError {
    ApiError::not_authenticated(detail, CHALLENGE)
}

/// An answer that nobody may keep: it holds tokens, or is about one person.
fn private<O>(response: &O::Response) -> ApiResponse
where
    O: Operation<Response: Serialize>,
{
    let mut answer = operation_response::<O>(response);
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// The tokens of a session as they are sent.
fn auth_state(tokens: &SessionTokens) -> ApiResult<AuthState> {
    let wrong = |_| ApiError::Internal("a token cannot be sent".to_owned());
    let mut state = AuthState::new(
        AccessToken::new(tokens.access_token.expose()).map_err(wrong)?,
        RefreshToken::new(tokens.refresh_token.expose()).map_err(wrong)?,
    );
    state.access_token_expires = Some(tokens.access_token_expires.to_string());
    state.refresh_token_expires = Some(tokens.refresh_token_expires.to_string());
    Ok(state)
}

/// A secret of the client as one of the store.
fn secret(password: &Password) -> Secret {
    Secret::new(password.expose())
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
