//! Signing in, staying signed in, and out; and signing up.

use axum::extract::{Request, State};
use http::StatusCode;
use svc_auth::account::{GetUser, Login, Logout, Refresh, Register, Registered, SignedIn};
use svc_store::{Actor, Registered as Registering, Registration, SignIn};

use super::{Call, SessionCall, auth_state, not_authenticated, private, secret, user_info};
use crate::{
    http::{ApiError, ApiResult, request::path_values, response::empty_response},
    state::Shared,
};

pub(super) async fn login(call: Call<Login>) -> ApiResult {
    let (email, password) = (&call.operation.email, &call.operation.password);
    call.throttle(email)?;
    match call.account().sign_in(email, secret(password)).await? {
        SignIn::Done(tokens, user) => {
            call.signed_in(email);
            call.state.ensure_keyring_verifies(&tokens).await?;
            let signed_in = SignedIn::new(auth_state(&tokens)?, user_info(*user));
            Ok(private::<Login>(&signed_in))
        }
        SignIn::Unconfirmed => Err(ApiError::PermissionDenied(
            "the e-mail address is not confirmed yet; follow the link in the mail that was sent to it",
        )),
        _ => Err(not_authenticated(
            "the e-mail address or the password is wrong",
        )),
    }
}

/// A refresh token cannot be guessed; calls are counted because each is a look into the store.
pub(super) async fn refresh(State(state): State<Shared>, request: Request) -> ApiResult {
    let (mut parts, body) = request.into_parts();
    let path = path_values(&mut parts).await?;
    let address = super::address(&mut parts, &state).await?;
    state.throttle.refresh(address)?;
    let caller = (Actor::anonymous(), address);
    let call = Call::<Refresh>::read(&parts, path, body, &state, caller).await?;
    let (realm, token) = (&call.realm, call.operation.refresh_token.expose());
    let sessions = call.store.sessions();
    let refreshed = sessions.refresh(realm, token);
    match refreshed.await? {
        Some(tokens) => {
            state.ensure_keyring_verifies(&tokens).await?;
            Ok(private::<Refresh>(&auth_state(&tokens)?))
        }
        None => {
            // It may have been used before, which has ended its session.
            state.sync_with_store().await?;
            Err(not_authenticated(
                "the refresh token is unknown, expired or used; sign in again",
            ))
        }
    }
}

pub(super) async fn user(call: SessionCall<GetUser>) -> ApiResult {
    let SessionCall { call, session } = call;
    let person = call.account().person(session.person).await?;
    Ok(private::<GetUser>(&user_info(person)))
}

pub(super) async fn logout(call: SessionCall<Logout>) -> ApiResult {
    let SessionCall { call, session } = call;
    let sessions = call.store.sessions();
    let ended = sessions.end(&call.realm, session.person, session.session);
    ended.await?;
    call.state.sync_with_store().await?;
    Ok(empty_response(StatusCode::NO_CONTENT))
}

pub(super) async fn register(call: Call<Register>) -> ApiResult {
    let register = call.operation.clone();
    let mut registration = Registration::new(register.email, secret(&register.password));
    registration.first_name = register.first_name;
    registration.last_name = register.last_name;
    registration.language = register.language;
    registration.timezone = register.timezone;
    match call.account().register(registration).await? {
        Registering::Done(user) => {
            call.state.mail.wake();
            Ok(private::<Register>(&Registered::new(user_info(*user))))
        }
        _ => Err(ApiError::PermissionDenied(
            "this project does not let users register themselves; ask its administrator for an invitation",
        )),
    }
}
