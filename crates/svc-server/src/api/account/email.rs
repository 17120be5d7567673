//! The e-mail address of an account.

use svc_auth::account::{ChangeEmail, ChangeEmailComplete, EmailChangeRequested, EmailChanged};

use super::{Call, UserCall, private, secret};
use crate::http::ApiResult;

pub(super) async fn change(UserCall { call, user }: UserCall<ChangeEmail>) -> ApiResult {
    let current = call.operation.current_password.as_ref().map(secret);
    let new_email = &call.operation.new_email;
    let account = call.account();
    let sent_to = account.change_email(user, new_email, current).await?;
    call.state.mail.wake();
    Ok(private::<ChangeEmail>(&EmailChangeRequested::new(sent_to)))
}

pub(super) async fn change_complete(call: Call<ChangeEmailComplete>) -> ApiResult {
    let code = call.operation.code.expose();
    let (old, new) = call.account().change_email_complete(code).await?;
    call.state.sync_with_store().await?;
    call.state.mail.wake();
    Ok(private::<ChangeEmailComplete>(&EmailChanged::new(old, new)))
}
