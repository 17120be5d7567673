//! Passwords: changed, and chosen with a code that was mailed.

use svc_auth::account::{
    AcceptInvitation, ChangePassword, PasswordChanged, PasswordResetRequested, ResetPassword,
    ResetPasswordComplete,
};
use svc_model::wire::ReadOperation;

use super::{Call, UserCall, auth_state, private, secret};
use crate::http::{error::ApiError, response::ApiResponse};

pub(super) async fn change(
    UserCall { call, user }: UserCall<ChangePassword>,
) -> Result<ApiResponse, ApiError> {
    let ChangePassword {
        new_password,
        current_password,
        ..
    } = &call.operation;
    let current = current_password.as_ref().map(secret);
    let account = call.account();
    let tokens = account
        .change_password(user, secret(new_password), current)
        .await?;
    Ok(private::<ChangePassword>(&began(&call, &tokens).await?))
}

/// The answer is the same whether or not there is such an account.
pub(super) async fn reset(call: Call<ResetPassword>) -> Result<ApiResponse, ApiError> {
    let email = &call.operation.email;
    call.throttle(email)?;
    call.account().reset_password(email).await?;
    call.state.mail.wake();
    Ok(private::<ResetPassword>(&PasswordResetRequested::new()))
}

pub(super) async fn reset_complete(
    call: Call<ResetPasswordComplete>,
) -> Result<ApiResponse, ApiError> {
    let ResetPasswordComplete {
        code, new_password, ..
    } = &call.operation;
    let account = call.account();
    let tokens = account
        .reset_password_complete(code.expose(), secret(new_password))
        .await?;
    Ok(private::<ResetPasswordComplete>(
        &began(&call, &tokens).await?,
    ))
}

pub(super) async fn accept_invitation(
    call: Call<AcceptInvitation>,
) -> Result<ApiResponse, ApiError> {
    let AcceptInvitation {
        code,
        password,
        first_name,
        last_name,
        ..
    } = call.operation.clone();
    let account = call.account();
    let tokens = account
        .accept_invitation(code.expose(), secret(&password), first_name, last_name)
        .await?;
    Ok(private::<AcceptInvitation>(&began(&call, &tokens).await?))
}

/// A new session began, and the ones before it have ended.
async fn began<O: ReadOperation>(
    call: &Call<O>,
    tokens: &svc_store::SessionTokens,
) -> Result<PasswordChanged, ApiError> {
    call.state.sync_with_store().await?;
    call.state.ensure_keyring_verifies(tokens).await?;
    call.state.mail.wake();
    Ok(PasswordChanged::new(auth_state(tokens)?))
}
