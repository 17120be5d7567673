//! Passwords: changed, and chosen with a code that was mailed.

use http::StatusCode;
use serde_json::json;

use super::{Call, UserCall, new_state, private};
use crate::{answer::Answer, failure::Failure};

pub(super) async fn change(UserCall { mut call, user }: UserCall) -> Result<Answer, Failure> {
    let new = call.fields.required_secret("new_password");
    let current = call.fields.optional_secret("current_password");
    call.fields.finish()?;
    let tokens = call.account().change_password(user, new, current).await?;
    began(&call, &tokens).await
}

/// The answer is the same whether or not there is such an account.
pub(super) async fn reset(mut call: Call) -> Result<Answer, Failure> {
    let email = call.fields.required("email");
    call.fields.finish()?;
    call.throttle(&email)?;
    call.account().reset_password(&email).await?;
    call.state.mail.wake();
    Ok(private(StatusCode::OK, &json!({ "result": true })))
}

pub(super) async fn reset_complete(mut call: Call) -> Result<Answer, Failure> {
    let code = call.fields.required_secret("code");
    let new = call.fields.required_secret("new_password");
    call.fields.finish()?;
    let tokens = call
        .account()
        .reset_password_complete(code.expose(), new)
        .await?;
    began(&call, &tokens).await
}

pub(super) async fn accept_invitation(mut call: Call) -> Result<Answer, Failure> {
    let code = call.fields.required_secret("code");
    let password = call.fields.required_secret("password");
    let first_name = call.fields.optional("first_name");
    let last_name = call.fields.optional("last_name");
    call.fields.finish()?;
    let account = call.account();
    let tokens = account
        .accept_invitation(code.expose(), password, first_name, last_name)
        .await?;
    began(&call, &tokens).await
}

/// A new session began, and the ones before it have ended.
async fn began(call: &Call, tokens: &svc_store::SessionTokens) -> Result<Answer, Failure> {
    call.state.sync_with_store().await?;
    call.state.ensure_keyring_verifies(tokens).await?;
    call.state.mail.wake();
    Ok(new_state(tokens))
}
