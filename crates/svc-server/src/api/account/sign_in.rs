//! Signing in, staying signed in, and out; and signing up.

use axum::extract::{Request, State};
use http::StatusCode;
use svc_auth::account::{GetUser, Login, Logout, Refresh, Register, Registered, SignedIn};
use svc_store::{Actor, Registered as Registering, Registration, SignIn};

use super::{BODY_LIMIT, CHALLENGE, Call, auth_state, private, scope, secret, session, user_info};
use crate::{
    audit,
    http::{
        error::ApiError,
        request::{path_values, read_operation},
        response::{ApiResponse, empty_response},
    },
    state::Shared,
};

pub(super) async fn login(call: Call<Login>) -> Result<ApiResponse, ApiError> {
    let Login {
        email, password, ..
    } = &call.operation;
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
        _ => Err(ApiError::NotAuthenticated {
            detail: "the e-mail address or the password is wrong",
            challenge: CHALLENGE,
        }),
    }
}

/// A refresh token cannot be guessed; calls are counted because each is a look into the store.
pub(super) async fn refresh(
    State(state): State<Shared>,
    request: Request,
) -> Result<ApiResponse, ApiError> {
    let (mut parts, body) = request.into_parts();
    let path = path_values(&mut parts).await?;
    let address = super::address(&mut parts, &state).await?;
    state.throttle.refresh(address)?;
    let call: Refresh = read_operation(&parts, path, body, &state.config, BODY_LIMIT).await?;
    let store = state.store_for(Actor::anonymous(), &parts);
    let sessions = store.sessions();
    let Refresh {
        scope,
        refresh_token,
        ..
    } = &call;
    match sessions
        .refresh(&scope.project, &scope.environment, refresh_token.expose())
        .await?
    {
        Some(tokens) => {
            state.ensure_keyring_verifies(&tokens).await?;
            Ok(private::<Refresh>(&auth_state(&tokens)?))
        }
        None => {
            // It may have been used before, which has ended its session.
            state.sync_with_store().await?;
            Err(ApiError::NotAuthenticated {
                detail: "the refresh token is unknown, expired or used; sign in again",
                challenge: CHALLENGE,
            })
        }
    }
}

pub(super) async fn user(
    State(state): State<Shared>,
    request: Request,
) -> Result<ApiResponse, ApiError> {
    let (mut parts, body) = request.into_parts();
    let path = path_values(&mut parts).await?;
    let session = session(&state, &parts, &scope(&path)?).await?;
    let call: GetUser = read_operation(&parts, path, body, &state.config, BODY_LIMIT).await?;
    let users = state
        .store
        .users(&call.scope.project, &call.scope.environment);
    let user = users.get(session.user_uid).await?;
    Ok(private::<GetUser>(&user_info(user)))
}

pub(super) async fn logout(
    State(state): State<Shared>,
    request: Request,
) -> Result<ApiResponse, ApiError> {
    let (mut parts, body) = request.into_parts();
    let path = path_values(&mut parts).await?;
    let session = session(&state, &parts, &scope(&path)?).await?;
    let _: Logout = read_operation(&parts, path, body, &state.config, BODY_LIMIT).await?;
    let store = state.store_for(audit::user(&session), &parts);
    store.sessions().end(&session).await?;
    state.sync_with_store().await?;
    Ok(empty_response(StatusCode::NO_CONTENT))
}

pub(super) async fn register(call: Call<Register>) -> Result<ApiResponse, ApiError> {
    let Register {
        email,
        password,
        first_name,
        last_name,
        language,
        timezone,
        ..
    } = call.operation.clone();
    let mut registration = Registration::new(email, secret(&password));
    registration.first_name = first_name;
    registration.last_name = last_name;
    registration.language = language;
    registration.timezone = timezone;
    match call.account().register(registration).await? {
        Registering::Done(user) => {
            call.state.mail.wake();
            let registered = Registered::new(user_info(*user));
            Ok(private::<Register>(&registered))
        }
        _ => Err(ApiError::PermissionDenied(
            "this project does not let users register themselves; ask its administrator for an invitation",
        )),
    }
}
