//! Accounts: sign in and out, sign up, passwords, e-mail addresses (specification, section 5, "Account methods").

use std::future::Future;

use http::header;
use js_sys::Promise;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use svc_api::{Account, RequestOptions};
use svc_auth::{ServiceToken, account::Password};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use web_sys::AbortSignal;

use crate::{
    Client,
    arguments::from_json,
    call::{self, promise},
    error::Failed,
};

#[derive(Deserialize)]
struct Login {
    email: String,
    password: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Register {
    email: String,
    password: String,
    first_name: Option<String>,
    last_name: Option<String>,
    language: Option<String>,
    timezone: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChangePassword {
    new_password: String,
    current_password: Option<String>,
}

#[derive(Deserialize)]
struct ResetPassword {
    email: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResetPasswordComplete {
    code: String,
    new_password: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChangeEmail {
    new_email: String,
    current_password: Option<String>,
}

#[derive(Deserialize)]
struct ChangeEmailComplete {
    code: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AcceptInvitation {
    code: String,
    password: String,
    first_name: Option<String>,
    last_name: Option<String>,
}

/// Who is signed in, as it is given to JavaScript.
#[derive(Serialize)]
struct Authentication {
    authenticated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<svc_auth::account::UserInfo>,
}

/// Answers are given as JSON with the names of the wire, for which `core.js` has those of JavaScript.
#[wasm_bindgen]
impl Client {
    /// Signs in.
    #[wasm_bindgen(js_name = loginViaEmailPassword)]
    pub fn login_via_email_password(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.account(
            arguments,
            options,
            signal,
            async |account, given: Login, options| {
                let call = account.login_via_email_password(given.email, given.password);
                Ok(call.options(options).send().await?)
            },
        )
    }

    /// Tells who is signed in.
    #[wasm_bindgen(js_name = isAuthenticated)]
    pub fn is_authenticated(&self, signal: Option<AbortSignal>) -> Promise {
        let account = self.inner().account();
        promise(
            signal,
            Box::pin(async move {
                let answer = account.is_authenticated().await?;
                json(&Authentication {
                    authenticated: answer.authenticated,
                    user: answer.user,
                })
            }),
        )
    }

    /// Signs out.
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

    /// Signs up.
    #[wasm_bindgen(js_name = registerViaEmailPassword)]
    pub fn register_via_email_password(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.account(
            arguments,
            options,
            signal,
            async |account, given: Register, options| {
                let mut call = account.register_via_email_password(given.email, given.password);
                if let Some(name) = given.first_name {
                    call = call.first_name(name);
                }
                if let Some(name) = given.last_name {
                    call = call.last_name(name);
                }
                if let Some(language) = given.language {
                    call = call.language(language);
                }
                if let Some(timezone) = given.timezone {
                    call = call.timezone(timezone);
                }
                Ok(call.options(options).send().await?)
            },
        )
    }

    /// Changes the password.
    #[wasm_bindgen(js_name = changePassword)]
    pub fn change_password(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.account(
            arguments,
            options,
            signal,
            async |account, given: ChangePassword, options| {
                let current = given.current_password.map(Password::from);
                let call = account.change_password(given.new_password, current);
                Ok(call.options(options).send().await?)
            },
        )
    }

    /// Asks for a code that sets a forgotten password anew.
    #[wasm_bindgen(js_name = resetPassword)]
    pub fn reset_password(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.account(
            arguments,
            options,
            signal,
            async |account, given: ResetPassword, options| {
                Ok(account
                    .reset_password(given.email)
                    .options(options)
                    .send()
                    .await?)
            },
        )
    }

    /// Sets a forgotten password anew.
    #[wasm_bindgen(js_name = resetPasswordComplete)]
    pub fn reset_password_complete(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.account(
            arguments,
            options,
            signal,
            async |account, given: ResetPasswordComplete, options| {
                let call = account.reset_password_complete(given.code, given.new_password);
                Ok(call.options(options).send().await?)
            },
        )
    }

    /// Asks for another e-mail address.
    #[wasm_bindgen(js_name = changeEmail)]
    pub fn change_email(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.account(
            arguments,
            options,
            signal,
            async |account, given: ChangeEmail, options| {
                let current = given.current_password.map(Password::from);
                let call = account.change_email(given.new_email, current);
                Ok(call.options(options).send().await?)
            },
        )
    }

    /// Confirms another e-mail address.
    #[wasm_bindgen(js_name = changeEmailComplete)]
    pub fn change_email_complete(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.account(
            arguments,
            options,
            signal,
            async |account, given: ChangeEmailComplete, options| {
                Ok(account
                    .change_email_complete(given.code)
                    .options(options)
                    .send()
                    .await?)
            },
        )
    }

    /// Accepts an invitation.
    #[wasm_bindgen(js_name = acceptInvitation)]
    pub fn accept_invitation(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
    ) -> Promise {
        self.account(
            arguments,
            options,
            signal,
            async |account, given: AcceptInvitation, options| {
                let mut call = account.accept_invitation(given.code, given.password);
                if let Some(name) = given.first_name {
                    call = call.first_name(name);
                }
                if let Some(name) = given.last_name {
                    call = call.last_name(name);
                }
                Ok(call.options(options).send().await?)
            },
        )
    }

    /// The value of the header `Authorization`, if there is anything to send.
    #[wasm_bindgen(js_name = getAuthorization)]
    pub fn get_authorization(&self) -> Promise {
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

impl Client {
    fn account<A, R, F>(
        &self,
        arguments: &str,
        options: &str,
        signal: Option<AbortSignal>,
        send: impl FnOnce(Account, A, RequestOptions) -> F,
    ) -> Promise
    where
        A: DeserializeOwned,
        R: Serialize,
        F: Future<Output = Result<R, Failed>> + 'static,
    {
        let answer = from_json(arguments)
            .and_then(|given| Ok(send(self.inner().account(), given, call::options(options)?)));
        promise(signal, Box::pin(async move { json(&answer?.await?) }))
    }
}

fn json<T: Serialize>(value: &T) -> Result<JsValue, Failed> {
    serde_json::to_string(value)
        .map(JsValue::from)
        .map_err(|_| crate::error::request("the answer cannot be written as JSON"))
}
