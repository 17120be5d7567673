//! Accounts: sign in and out, sign up, passwords, e-mail addresses (specification, section 5, "Account methods").

use http::header;
use js_sys::Promise;
use serde::Serialize;
use svc_api::Account;
use svc_auth::{
    ServiceToken,
    account::{
        AccountScope, ChangeEmail, ChangeEmailComplete, GetUser, Password, Register, ResetPassword,
    },
};
use svc_model::wire::AnyOperation;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use web_sys::AbortSignal;

use crate::{
    Client,
    arguments::Arguments,
    call::{self, promise},
    error::{self, Failed},
};

/// The operation with this verb, if there is one. Those that bring tokens are [`Client::sign_in`]'s.
pub(crate) fn operation(
    client: &Client,
    verb: &str,
    given: &Arguments,
) -> Result<Option<AnyOperation>, Failed> {
    let (project, environment) = client.place();
    let scope = AccountScope::new(project, environment).draft(client.inner().draft());
    Ok(Some(match verb {
        "user" => AnyOperation::new(GetUser::new(scope)),
        "register" => {
            let (email, password) = (given.text("email")?, given.text("password")?);
            let mut operation = Register::new(scope, email, password);
            operation.first_name = given.optional_text("firstName")?;
            operation.last_name = given.optional_text("lastName")?;
            operation.language = given.optional_text("language")?;
            operation.timezone = given.optional_text("timezone")?;
            AnyOperation::new(operation)
        }
        "reset_password" => AnyOperation::new(ResetPassword::new(scope, given.text("email")?)),
        "change_email" => {
            let email = given.text("newEmail")?;
            AnyOperation::new(ChangeEmail::new(scope, email, current_password(given)?))
        }
        "change_email_complete" => {
            AnyOperation::new(ChangeEmailComplete::new(scope, given.text("code")?))
        }
        _ => return Ok(None),
    }))
}

#[wasm_bindgen]
impl Client {
    /// Makes a call of this name that brings tokens, such as `account.login`, saves them, and gives the answer as JSON.
    #[wasm_bindgen(js_name = signIn)]
    pub fn sign_in(
        &self,
        name: String,
        arguments: JsValue,
        signal: Option<AbortSignal>,
    ) -> Promise {
        let account = self.inner().account();
        let answer = async move { bring_tokens(&account, &name, &Arguments::new(arguments)).await };
        promise(signal, Box::pin(answer))
    }

    /// Signs out. The service is told when `revoke` asks for it.
    pub fn logout(&self, revoke: bool) -> Promise {
        let account = self.inner().account();
        promise(
            None,
            Box::pin(async move {
                let sign_out = account.logout();
                match revoke {
                    true => sign_out.revoke().send().await?,
                    false => sign_out.send().await?,
                }
                Ok(JsValue::UNDEFINED)
            }),
        )
    }

    /// The value of the header `Authorization`, if there is anything to send.
    pub fn authorization(&self) -> Promise {
        let account = self.inner().account();
        promise(
            None,
            Box::pin(async move {
                let headers = account.headers().await?;
                let value = headers
                    .as_ref()
                    .and_then(|headers| headers.get(header::AUTHORIZATION))
                    .and_then(|value| value.to_str().ok());
                Ok(JsValue::from(value))
            }),
        )
    }

    /// Sends a service token with calls from now on.
    ///
    /// # Errors
    /// When the text is no token.
    #[wasm_bindgen(js_name = loadServiceToken)]
    pub fn load_service_token(&self, token: &str) -> Result<(), JsValue> {
        let token = ServiceToken::new(token)
            .map_err(svc_api::Error::from)
            .map_err(|error| Failed::from(error).into_js())?;
        self.inner().account().load_service_token(token);
        Ok(())
    }
}

async fn bring_tokens(account: &Account, name: &str, given: &Arguments) -> Result<JsValue, Failed> {
    let options = call::options(given)?;
    match name {
        "account.login" => {
            let (email, password) = (given.text("email")?, given.text("password")?);
            let call = account.login_via_email_password(email, password);
            json(&call.options(options).send().await?)
        }
        "account.change_password" => {
            let password = given.text("newPassword")?;
            let call = account.change_password(password, current_password(given)?);
            json(&call.options(options).send().await?)
        }
        "account.reset_password_complete" => {
            let (code, password) = (given.text("code")?, given.text("newPassword")?);
            let call = account.reset_password_complete(code, password);
            json(&call.options(options).send().await?)
        }
        "account.accept_invitation" => {
            let (code, password) = (given.text("code")?, given.text("password")?);
            let mut call = account.accept_invitation(code, password);
            if let Some(name) = given.optional_text("firstName")? {
                call = call.first_name(name);
            }
            if let Some(name) = given.optional_text("lastName")? {
                call = call.last_name(name);
            }
            json(&call.options(options).send().await?)
        }
        _ => Err(error::request(format!("there is no call {name}"))),
    }
}

fn current_password(given: &Arguments) -> Result<Option<Password>, Failed> {
    let password = given.optional_text("currentPassword")?;
    Ok(password.map(Password::from))
}

fn json<T: Serialize>(value: &T) -> Result<JsValue, Failed> {
    let json = serde_json::to_string(value);
    let json = json.map_err(|_| error::request("the answer cannot be written as JSON"))?;
    Ok(JsValue::from(json))
}
