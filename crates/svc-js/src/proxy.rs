//! Requests to other services through the HTTP proxy (wire contract, section 8).

use http::Method;
use js_sys::{Array, Promise, Uint8Array};
use serde::Deserialize;
use serde_json::{Map, Value};
use svc_model::{
    ResourceName,
    proxy::{BodyType, NameValue, ProxyRequest, ProxyResponse, Send},
};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};
use web_sys::AbortSignal;

use crate::{
    Client,
    arguments::from_json,
    call,
    error::{self, Failed},
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Arguments {
    url: String,
    method: Option<String>,
    resource: Option<String>,
    #[serde(default)]
    query_params: Vec<(String, String)>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    body_type: Option<String>,
    body: Option<Value>,
    #[serde(default)]
    secret_tokens: Vec<String>,
    #[serde(default)]
    context: Map<String, Value>,
}

#[wasm_bindgen]
impl Client {
    /// Sends a request, and gives the status, the headers as an array of names and values, and the body of its answer.
    pub fn proxy(&self, arguments: &str, options: &str, signal: Option<AbortSignal>) -> Promise {
        let call = from_json(arguments)
            .and_then(|arguments| self.proxy_request(arguments))
            .and_then(|request| {
                let call = self.inner().call(Send::new(request));
                Ok(call.options(call::options(options)?))
            });
        call::promise(
            signal,
            Box::pin(async move { Ok(parts(&call?.send().await?)) }),
        )
    }
}

impl Client {
    fn proxy_request(&self, given: Arguments) -> Result<ProxyRequest, Failed> {
        let (project, environment) = self.place();
        let mut request = ProxyRequest::new(project, environment, given.url);
        request.project = self.inner().project().cloned();
        request.draft = self.inner().draft();
        if let Some(method) = given.method {
            let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes());
            request.method = method.map_err(|_| error::request("method is no HTTP method"))?;
        }
        request.resource = given.resource.map(ResourceName::from);
        let pair = |(name, value): (String, String)| NameValue::new(name, value);
        request.query_params = given.query_params.into_iter().map(pair).collect();
        request.headers = given.headers.into_iter().map(pair).collect();
        if let Some(name) = given.body_type {
            let known = BodyType::named(&name).ok_or_else(|| {
                let names: Vec<_> = BodyType::ALL.iter().map(|known| known.as_str()).collect();
                error::request(format!("bodyType must be one of {}", names.join(", ")))
            })?;
            request.body_type = Some(known);
        }
        request.body = given.body;
        request.secret_tokens = given.secret_tokens;
        request.context = given.context;
        Ok(request)
    }
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
