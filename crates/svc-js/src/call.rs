//! Calls as promises.

use std::{
    cell::Cell,
    future::{Future, poll_fn},
    pin::Pin,
    rc::Rc,
    task::{Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use http::header;
use js_sys::{Array, Promise, Uint8Array};
use svc_api::RequestOptions;
use svc_model::{RecordId, wire::AnyOperation};
use wasm_bindgen::{
    JsCast, JsValue,
    prelude::{Closure, wasm_bindgen},
};
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

use crate::{
    Client,
    arguments::Arguments,
    error::{self, Failed},
    fetch::AllHeaders,
    operations::{self, Draft},
};

#[wasm_bindgen]
impl Client {
    /// Makes the call with this name, such as `records.list`. The arguments are those of its path, its `query` as names and
    /// values, its `body` as JSON, `ifMatch`, `draft`, and the options of any call.
    ///
    /// Returns the status of the response, its `Headers`, and its body.
    pub fn call(&self, name: &str, arguments: JsValue, signal: Option<AbortSignal>) -> Promise {
        let arguments = Arguments::new(arguments);
        let call = self
            .operation(name, &arguments)
            .and_then(|operation| Ok((operation, options(&arguments)?)));
        let client = self.inner().clone();
        promise(
            signal,
            Box::pin(async move {
                let (operation, options) = call?;
                let answer = match operation.info.name.starts_with("account.") {
                    true => client.account().send_any(&operation, &options).await?,
                    false => client.send_any(&operation, &options).await?,
                };
                Ok(parts(&answer))
            }),
        )
    }
}

impl Client {
    fn operation(&self, name: &str, given: &Arguments) -> Result<AnyOperation, Failed> {
        let info = operations::named(name);
        let info = info.ok_or_else(|| error::request(format!("there is no call {name}")))?;
        let mut operation = AnyOperation::new(info);
        for name in info.path_template.split('{').skip(1) {
            let name = name.split('}').next().unwrap_or(name);
            operation.arguments.push(self.path_argument(name, given)?);
        }
        for (name, value) in given.pairs("query")? {
            operation.query.push(&name, &value);
        }
        let draft = given.flag("draft").unwrap_or(self.inner().draft());
        match (operations::draft(info), draft) {
            (Draft::Always, false) => operation.query.push("draft", "0"),
            (Draft::Always | Draft::WhenOn, true) => operation.query.push("draft", "1"),
            (Draft::WhenOn, false) | (Draft::Never, _) => {}
        }
        operation.body = given.optional_text("body")?.map(Bytes::from);
        if let Some(tag) = given.optional_text("ifMatch")? {
            operation.headers.push((header::IF_MATCH, tag));
        }
        Ok(operation)
    }

    fn path_argument(&self, name: &str, given: &Arguments) -> Result<String, Failed> {
        Ok(match name {
            "project" => {
                // Without a project the name is empty, and the call fails with an error that says so.
                let project = self.inner().project();
                project.map_or_else(String::new, ToString::to_string)
            }
            "environment" => self.inner().environment().to_string(),
            // The parts of a primary key. A single part may be a whole key as it is written in a path.
            "id" => match given.texts("id")?.unwrap_or_default().as_slice() {
                [id] => id.clone(),
                parts => RecordId::composite(parts).to_string(),
            },
            name => given.text(name)?,
        })
    }
}

/// The options of any call.
pub(crate) fn options(given: &Arguments) -> Result<RequestOptions, Failed> {
    let mut options = RequestOptions::new();
    if let Some(id) = given.optional_text("requestId")? {
        options = options.request_id(id);
    }
    Ok(match given.number("timeout")? {
        None => options,
        Some(f64::INFINITY) => options.no_deadline(),
        Some(milliseconds) => {
            let timeout = Duration::try_from_secs_f64(milliseconds / 1e3);
            let timeout = timeout.map_err(|_| error::request("timeout must be in milliseconds"))?;
            options.deadline(timeout)
        }
    })
}

fn parts(response: &http::Response<Bytes>) -> JsValue {
    let status = JsValue::from(response.status().as_u16());
    let headers = response.extensions().get::<AllHeaders>();
    let headers = headers.map_or(JsValue::UNDEFINED, |headers| JsValue::from(headers.get()));
    Array::of3(&status, &headers, &Uint8Array::from(&**response.body())).into()
}

type Outcome = Pin<Box<dyn Future<Output = Result<JsValue, Failed>>>>;

/// The promise of an outcome. When the signal aborts, the promise is rejected and the request cancelled.
pub(crate) fn promise(signal: Option<AbortSignal>, outcome: Outcome) -> Promise {
    future_to_promise(async move {
        let outcome = match signal {
            None => outcome.await,
            Some(signal) => unless_aborted(&signal, outcome).await,
        };
        outcome.map_err(Failed::into_js)
    })
}

async fn unless_aborted(signal: &AbortSignal, mut outcome: Outcome) -> Result<JsValue, Failed> {
    let waker = Rc::new(Cell::new(None::<Waker>));
    let wake = {
        let waker = Rc::clone(&waker);
        Closure::<dyn FnMut()>::new(move || {
            if let Some(waker) = waker.take() {
                waker.wake();
            }
        })
    };
    let listener = wake.as_ref().unchecked_ref();
    // A signal that accepts no listener is checked when the response arrives.
    let _ = signal.add_event_listener_with_callback("abort", listener);
    let result = poll_fn(|context| {
        if signal.aborted() {
            return Poll::Ready(Err(Failed::Aborted));
        }
        waker.set(Some(context.waker().clone()));
        outcome.as_mut().poll(context)
    })
    .await;
    let _ = signal.remove_event_listener_with_callback("abort", listener);
    result
}
