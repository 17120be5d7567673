//! Passwords: changed, and chosen with a code that was mailed.

use svc_auth::account::{
    AcceptInvitation, ChangePassword, PasswordChanged, PasswordResetRequested, ResetPassword,
    ResetPasswordComplete,
};
use svc_model::{
    Realm,
    wire::{Operation, ReadOperation},
};
use svc_store::SessionTokens;

use super::{Call, UserCall, auth_state, private, secret};
use crate::{api::administration::valid_keys, http::ApiResult};

pub(super) async fn change(UserCall { call, user }: UserCall<ChangePassword>) -> ApiResult {
    let current = call.operation.current_password.as_ref().map(secret);
    let new = secret(&call.operation.new_password);
    let tokens = call.account().change_password(user, new, current).await?;
    let mut changed = session_began(&call, &tokens).await?;
    if matches!(call.realm, Realm::Service) {
        changed.api_keys = Some(valid_keys(&call.state, user).await?);
    }
    Ok(private::<ChangePassword>(&changed))
}

/// The answer is the same whether or not there is such an account.
pub(super) async fn reset(call: Call<ResetPassword>) -> ApiResult {
    let email = &call.operation.email;
    call.throttle(email)?;
    call.account().reset_password(email).await?;
    call.state.mail.wake();
    Ok(private::<ResetPassword>(&PasswordResetRequested::new()))
}

pub(super) async fn reset_complete(call: Call<ResetPasswordComplete>) -> ApiResult {
    let (code, new) = (&call.operation.code, &call.operation.new_password);
    let account = call.account();
    let tokens = account.reset_password_complete(code.expose(), secret(new));
    begin_session(&call, &tokens.await?).await
}

pub(super) async fn accept_invitation(call: Call<AcceptInvitation>) -> ApiResult {
    let accept = call.operation.clone();
    let (code, password) = (accept.code.expose(), secret(&accept.password));
    let account = call.account();
    let tokens = account.accept_invitation(code, password, accept.first_name, accept.last_name);
    begin_session(&call, &tokens.await?).await
}

/// Answers with the tokens of a session that began; the ones before it have ended.
async fn begin_session<O>(call: &Call<O>, tokens: &SessionTokens) -> ApiResult
where
    O: ReadOperation + Operation<Response = PasswordChanged>,
{
    Ok(private::<O>(&session_began(call, tokens).await?))
}

async fn session_began<O: ReadOperation>(
    call: &Call<O>,
    tokens: &SessionTokens,
) -> ApiResult<PasswordChanged> {
    call.state.sync_with_store().await?;
    call.state.ensure_keyring_verifies(tokens).await?;
    call.state.mail.wake();
    Ok(PasswordChanged::new(auth_state(tokens)?))
}
