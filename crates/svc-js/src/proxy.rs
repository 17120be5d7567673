//! Requests to other services through the HTTP proxy (wire contract, section 8).

use http::Method;
use js_sys::{Array, Promise, Uint8Array};
use svc_model::{
    ResourceName,
    proxy::{BodyType, NameValue, ProxyRequest, ProxyResponse, Send},
};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use web_sys::AbortSignal;

use crate::{
    Client,
    arguments::Arguments,
    call,
    error::{self, Failed},
};

#[wasm_bindgen]
impl Client {
    /// Sends a request, and gives the status, the headers as an array of names and values, and the body of its answer.
    pub fn proxy(&self, arguments: JsValue, signal: Option<AbortSignal>) -> Promise {
        let arguments = Arguments::new(arguments);
        let call = self.proxy_request(&arguments).and_then(|request| {
            let call = self.inner().call(Send::new(request));
            Ok(call.options(call::options(&arguments)?))
        });
        call::promise(
            signal,
            Box::pin(async move { Ok(parts(&call?.send().await?)) }),
        )
    }
}

impl Client {
    fn proxy_request(&self, given: &Arguments) -> Result<ProxyRequest, Failed> {
        let (project, environment) = self.place();
        let mut request = ProxyRequest::new(project, environment, given.text("url")?);
        request.project = self.inner().project().cloned();
        request.draft = self.inner().draft();
        if let Some(method) = given.optional_text("method")? {
            let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes());
            request.method = method.map_err(|_| error::request("method is no HTTP method"))?;
        }
        request.resource = given.optional_text("resource")?.map(ResourceName::from);
        request.query_params = values(given, "queryParams")?;
        request.headers = values(given, "headers")?;
        if let Some(name) = given.optional_text("bodyType")? {
            let known = BodyType::named(&name).ok_or_else(|| {
                let names = BodyType::ALL.map(BodyType::as_str);
                error::request(format!("bodyType must be one of {}", names.join(", ")))
            })?;
            request.body_type = Some(known);
        }
        request.body = given.json("body")?;
        request.secret_tokens = given.texts("secretTokens")?.unwrap_or_default();
        request.context = given.json("context")?.unwrap_or_default();
        Ok(request)
    }
}

fn values(given: &Arguments, name: &str) -> Result<Vec<NameValue>, Failed> {
    let pairs = given.pairs(name)?.into_iter();
    Ok(pairs
        .map(|(name, value)| NameValue::new(name, value))
        .collect())
}

fn parts(response: &ProxyResponse) -> JsValue {
    let headers = Array::new();
    for (name, value) in &response.headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        let pair = Array::of2(&JsValue::from(name.as_str()), &JsValue::from(&*value));
        headers.push(&pair);
    }
    let status = JsValue::from(response.status.as_u16());
    Array::of3(&status, &headers, &Uint8Array::from(&*response.body)).into()
}
