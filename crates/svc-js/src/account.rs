//! Signing out, and the headers of the signed-in user (specification, section 5, "Account methods").

use http::header;
use js_sys::Promise;
use svc_auth::ServiceToken;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use web_sys::AbortSignal;

use crate::{
    Client,
    arguments::Arguments,
    call::{options, promise},
    error::Failed,
};

#[wasm_bindgen]
impl Client {
    /// Signs out. With `revoke`, the session is also ended at the service.
    pub fn logout(&self, revoke: bool, signal: Option<AbortSignal>) -> Promise {
        let mut sign_out = self.inner().account().logout();
        if revoke {
            sign_out = sign_out.revoke();
        }
        promise(
            signal,
            Box::pin(async move {
                sign_out.send().await?;
                Ok(JsValue::UNDEFINED)
            }),
        )
    }

    /// The value of the header `Authorization`, if there is a credential. `arguments` has the options of any call.
    pub fn authorization(&self, arguments: JsValue, signal: Option<AbortSignal>) -> Promise {
        let account = self.inner().account();
        let options = options(&Arguments::new(arguments));
        promise(
            signal,
            Box::pin(async move {
                let headers = account.headers_with(&options?).await?;
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
    /// When the text is not a valid token.
    #[wasm_bindgen(js_name = loadServiceToken)]
    pub fn load_service_token(&self, token: &str) -> Result<(), JsValue> {
        let token = ServiceToken::new(token)
            .map_err(svc_api::Error::from)
            .map_err(|error| Failed::from(error).into_js())?;
        self.inner().account().load_service_token(token);
        Ok(())
    }
}
