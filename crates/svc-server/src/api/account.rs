//! The account calls: what users do with their own accounts (specification, section 5; wire contract, section 9).

mod email;
mod page;
mod password;
mod sessions;
mod sign_in;

use std::net::IpAddr;

use axum::{
    body::Body,
    extract::{ConnectInfo, FromRequest, FromRequestParts as _, Request},
    handler::Handler,
};
use http::{HeaderValue, header, request::Parts};
use serde::Serialize;
use svc_auth::{
    AccessToken, AuthScheme, AuthState, RefreshToken,
    account::{
        AcceptInvitation, ChangeEmail, ChangeEmailComplete, ChangePassword, EndOtherSessions,
        EndSession, GetUser, ListSessions, Login, Logout, Password, Refresh, Register,
        ResetPassword, ResetPasswordComplete,
    },
};
use svc_model::{
    Realm,
    account::UserInfo,
    wire::{Operation, PathPart as _, ReadOperation, RealmOperation},
};
use svc_store::{
    AccountSession, Actor, ActorKind, Person, Secret, SessionTokens, SignInOrigin, Store,
    UserAccount,
};
use uuid::Uuid;

use self::page::Purpose;
use crate::{
    api::routes::{PREFIX, Routes},
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

/// The calls of the users of environments, on the data host.
pub(crate) fn of_users() -> Routes {
    let users = "/projects/{project}/{environment}";
    let routes = AccountRoutes { of_service: false };
    routes
        .all(users)
        .on::<Register, _>(sign_in::register)
        .on::<ListSessions, _>(sessions::list)
        .on::<EndSession, _>(sessions::end)
        .on::<EndOtherSessions, _>(sessions::end_others)
}

/// The calls of the accounts of the service, on the application host.
pub(crate) fn of_accounts() -> Routes {
    let accounts = format!("{PREFIX}/account");
    AccountRoutes { of_service: true }.all(&accounts)
}

/// The routes of one realm.
struct AccountRoutes {
    of_service: bool,
}

impl AccountRoutes {
    fn all(&self, below: &str) -> Routes {
        let mut routes = Routes::new();
        routes = self.on::<Login, _>(routes, sign_in::login);
        routes = self.on::<Refresh, _>(routes, sign_in::refresh);
        routes = self.on::<GetUser, _>(routes, sign_in::user);
        routes = self.on::<Logout, _>(routes, sign_in::logout);
        routes = self.on::<ChangePassword, _>(routes, password::change);
        routes = self.on::<ResetPassword, _>(routes, password::reset);
        routes = self.on::<ResetPasswordComplete, _>(routes, password::reset_complete);
        routes = self.on::<AcceptInvitation, _>(routes, password::accept_invitation);
        routes = self.on::<ChangeEmail, _>(routes, email::change);
        routes = self.on::<ChangeEmailComplete, _>(routes, email::change_complete);
        // A link in a mail leads to a page at the path of the call that the code is for.
        routes
            .merge(page::routes(
                below,
                Purpose::ResetPassword,
                password::reset_complete,
            ))
            .merge(page::routes(
                below,
                Purpose::AcceptInvitation,
                password::accept_invitation,
            ))
            .merge(page::routes(
                below,
                Purpose::ChangeEmail,
                email::change_complete,
            ))
            .merge(page::files(below))
    }

    fn on<O: RealmOperation, T: 'static>(
        &self,
        routes: Routes,
        handler: impl Handler<T, Shared>,
    ) -> Routes {
        match self.of_service {
            true => routes.on_described(O::OF_SERVICE, handler),
            false => routes.on::<O, T>(handler),
        }
    }
}

/// An account call that requires no session.
struct Call<O> {
    operation: O,
    state: Shared,
    /// Whose people.
    realm: Realm,
    /// The address of the caller.
    address: IpAddr,
    /// Where the caller signs in from.
    origin: SignInOrigin,
    /// The store, which writes in the name of the caller.
    store: Store,
}

/// An account call of somebody who is signed in, which checks no password.
struct SessionCall<O> {
    call: Call<O>,
    session: SignedInAs,
}

/// An account call of somebody who is signed in.
struct UserCall<O> {
    call: Call<O>,
    user: Uuid,
}

/// Who is signed in, and by which session.
struct SignedInAs {
    person: Uuid,
    session: Uuid,
    actor: Actor,
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
        state.throttle.session(session.session)?;
        Ok(Self {
            call,
            user: session.person,
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
        let session = session(state, &parts, &realm(&path)?).await?;
        let address = address(&mut parts, state).await?;
        throttle(address)?;
        let caller = (session.actor.clone(), address);
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
        let realm = realm(&path)?;
        let user_agent = parts.headers.get(header::USER_AGENT);
        let user_agent = user_agent.and_then(|value| value.to_str().ok());
        Ok(Self {
            operation: read_operation(parts, path, body, &state.config, BODY_LIMIT).await?,
            state: Shared::clone(state),
            realm,
            address,
            origin: SignInOrigin::new(address.to_string(), user_agent),
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
        let scope = self.realm.scope();
        let names = scope.map(|scope| (scope.project.as_str(), scope.environment.as_str()));
        // No project has an empty name.
        let (project, environment) = names.unwrap_or_default();
        AccountKey::new(project, environment, email)
    }

    /// The people of the realm.
    fn account(&self) -> UserAccount<'_> {
        let base_url = match self.realm {
            Realm::Service => self.state.app_base_url(),
            _ => self.state.base_url(),
        };
        let account = self.store.account(&self.realm, base_url);
        account.from(self.origin.clone())
    }
}

/// The realm that a path begins with.
fn realm(path: &[String]) -> ApiResult<Realm> {
    Realm::take_from(&mut path.iter().cloned())
        .ok_or_else(|| ApiError::Internal("a path names no environment".to_owned()))
}

/// The address of the caller.
async fn address(parts: &mut Parts, state: &Shared) -> ApiResult<IpAddr> {
    let peer = ConnectInfo::<Peer>::from_request_parts(parts, state).await;
    let ConnectInfo(Peer(peer)) =
        peer.map_err(|_| ApiError::Internal("a connection has no address".to_owned()))?;
    Ok(throttle::caller(&state.config, &parts.headers, peer))
}

/// The session of the request, in the realm that the path names.
async fn session(state: &Shared, parts: &Parts, realm: &Realm) -> ApiResult<SignedInAs> {
    let Some((AuthScheme::Jwt, token)) = presented(&parts.headers, CHALLENGE)? else {
        return Err(not_authenticated(
            "a session is required: Authorization: JWT <access token>",
        ));
    };
    match jwt(state, token).await? {
        Some(Jwt::Session(session)) if realm.scope() == Some(&session.scope) => Ok(SignedInAs {
            person: session.user_uid,
            session: session.session_uid,
            actor: audit::user(&session),
        }),
        Some(Jwt::Account(session)) if *realm == Realm::Service => {
            let AccountSession {
                session_uid,
                account,
                ..
            } = &*session;
            Ok(SignedInAs {
                person: account.account_uid,
                session: *session_uid,
                actor: Actor::new(ActorKind::Account, account.account_uid, &account.email),
            })
        }
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
    not_kept(operation_response::<O>(response))
}

fn not_kept(mut answer: ApiResponse) -> ApiResponse {
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

fn user_info(user: Person) -> UserInfo {
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
