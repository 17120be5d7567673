//! Signing in, staying signed in, and out; and signing up.

use axum::extract::{Request, State};
use http::StatusCode;
use serde_json::json;
use svc_store::{Actor, Registered, Registration, SignIn};

use super::{BODY_LIMIT, CHALLENGE, Call, auth_state, private, session, user_info};
use crate::{
    answer::{Answer, empty_answer},
    audit,
    body::read_object_within,
    failure::Failure,
    fields::Fields,
    request::{Segments, read_draft},
    state::Shared,
};

pub(super) async fn login(mut call: Call) -> Result<Answer, Failure> {
    let email = call.fields.required("email");
    let password = call.fields.required_secret("password");
    call.fields.finish()?;
    call.throttle(&email)?;
    match call.account().sign_in(&email, password).await? {
        SignIn::Done(tokens, user) => {
            call.signed_in(&email);
            call.state.ensure_keyring_verifies(&tokens).await?;
            let body = json!({ "token": auth_state(&tokens), "user": user_info(*user) });
            Ok(private(StatusCode::OK, &body))
        }
        SignIn::Unconfirmed => Err(Failure::PermissionDenied(
            "the e-mail address is not confirmed yet; follow the link in the mail that was sent to it",
        )),
        _ => Err(Failure::NotAuthenticated {
            detail: "the e-mail address or the password is wrong",
            challenge: CHALLENGE,
        }),
    }
}

/// A refresh token cannot be guessed; calls are counted because each is a look into the store.
pub(super) async fn refresh(
    State(state): State<Shared>,
    Segments((project, environment)): Segments<(String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (mut parts, body) = request.into_parts();
    let address = super::address(&mut parts, &state).await?;
    state.throttle.refresh(address)?;
    read_draft(parts.uri.query())?;
    let body = read_object_within(&parts.headers, body, &state.config, BODY_LIMIT).await?;
    let mut fields = Fields::of(&body);
    let token = fields.required_secret("refresh_token");
    fields.finish()?;
    let (project, environment) = (project.into(), environment.into());
    let store = state.store_for(Actor::anonymous(), &parts);
    let sessions = store.sessions();
    match sessions
        .refresh(&project, &environment, token.expose())
        .await?
    {
        Some(tokens) => {
            state.ensure_keyring_verifies(&tokens).await?;
            Ok(private(StatusCode::OK, &auth_state(&tokens)))
        }
        None => {
            // It may have been used before, which has ended its session.
            state.sync_with_store().await?;
            Err(Failure::NotAuthenticated {
                detail: "the refresh token is unknown, expired or used; sign in again",
                challenge: CHALLENGE,
            })
        }
    }
}

pub(super) async fn user(State(state): State<Shared>, request: Request) -> Result<Answer, Failure> {
    let (mut parts, _) = request.into_parts();
    let place = super::place(&mut parts, &state).await?;
    let session = session(&state, &parts, &place).await?;
    read_draft(parts.uri.query())?;
    let (project, environment) = place;
    let users = state.store.users(&project, &environment);
    let user = users.get(session.user_uid).await?;
    Ok(private(StatusCode::OK, &user_info(user)))
}

pub(super) async fn logout(
    State(state): State<Shared>,
    request: Request,
) -> Result<Answer, Failure> {
    let (mut parts, _) = request.into_parts();
    let place = super::place(&mut parts, &state).await?;
    let session = session(&state, &parts, &place).await?;
    read_draft(parts.uri.query())?;
    let store = state.store_for(audit::user(&session), &parts);
    store.sessions().end(&session).await?;
    state.sync_with_store().await?;
    Ok(empty_answer(StatusCode::NO_CONTENT))
}

pub(super) async fn register(mut call: Call) -> Result<Answer, Failure> {
    let email = call.fields.required("email");
    let password = call.fields.required_secret("password");
    let mut registration = Registration::new(email, password);
    registration.first_name = call.fields.optional("first_name");
    registration.last_name = call.fields.optional("last_name");
    registration.language = call.fields.optional("language");
    registration.timezone = call.fields.optional("timezone");
    call.fields.finish()?;
    match call.account().register(registration).await? {
        Registered::Done(user) => {
            call.state.mail.wake();
            let body = json!({ "result": true, "user": user_info(*user) });
            Ok(private(StatusCode::CREATED, &body))
        }
        _ => Err(Failure::PermissionDenied(
            "this project does not let users register themselves; ask its administrator for an invitation",
        )),
    }
}
