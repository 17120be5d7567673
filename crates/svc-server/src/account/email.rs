//! The e-mail address of an account.

use http::StatusCode;
use serde_json::json;

use super::{Call, UserCall, private};
use crate::{answer::Answer, failure::Failure};

pub(super) async fn change(UserCall { mut call, user }: UserCall) -> Result<Answer, Failure> {
    let new_email = call.fields.required("new_email");
    let current = call.fields.optional_secret("current_password");
    call.fields.finish()?;
    let sent_to = call
        .account()
        .change_email(user, &new_email, current)
        .await?;
    call.state.mail.wake();
    let body = json!({ "result": true, "sent_confirmation_to": sent_to });
    Ok(private(StatusCode::OK, &body))
}

pub(super) async fn change_complete(mut call: Call) -> Result<Answer, Failure> {
    let code = call.fields.required_secret("code");
    call.fields.finish()?;
    let (old, new) = call.account().change_email_complete(code.expose()).await?;
    call.state.sync_with_store().await?;
    call.state.mail.wake();
    let body = json!({ "result": true, "old_email": old, "new_email": new });
    Ok(private(StatusCode::OK, &body))
}
