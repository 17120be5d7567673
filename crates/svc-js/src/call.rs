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
use js_sys::{Array, Promise};
use svc_api::RequestOptions;
use svc_model::wire::AnyOperation;
use wasm_bindgen::{
    JsCast, JsValue,
    prelude::{Closure, wasm_bindgen},
};
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

use crate::{
    Client, account,
    arguments::Arguments,
    error::{self, Failed},
    pages, records, resources, sql, teams, users,
};

#[wasm_bindgen]
impl Client {
    /// Makes a call of this name, such as `records.list`, and gives the text of the answer and its entity tag.
    pub fn call(&self, name: &str, arguments: JsValue, signal: Option<AbortSignal>) -> Promise {
        let arguments = Arguments::new(arguments);
        let call = operation(self, name, &arguments)
            .and_then(|operation| Ok((operation, options(&arguments)?)));
        let client = self.inner().clone();
        promise(
            signal,
            Box::pin(async move {
                let (operation, options) = call?;
                Ok(pair(&client.answer(&operation, &options).await?))
            }),
        )
    }
}

/// The operation of this name. Each group knows its own.
fn operation(client: &Client, name: &str, given: &Arguments) -> Result<AnyOperation, Failed> {
    let (group, verb) = name.split_once('.').unwrap_or((name, ""));
    let operation = match group {
        "records" => records::operation(client, verb, given),
        "sql" => sql::operation(client, given).map(Some),
        "users" => users::operation(client, verb, given),
        "teams" => teams::operation(client, verb, given),
        "resources" => resources::operation(client, verb, given),
        "pages" => pages::operation(client, verb, given),
        "account" => account::operation(client, verb, given),
        _ => Ok(None),
    };
    operation?.ok_or_else(|| error::request(format!("there is no call {name}")))
}

/// What can be set for any call.
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

fn pair(response: &http::Response<Bytes>) -> JsValue {
    let etag = response.headers().get(header::ETAG);
    let etag = etag.and_then(|etag| etag.to_str().ok());
    // What is no UTF-8 is no JSON either, which the reader will say.
    let text = String::from_utf8_lossy(response.body());
    Array::of2(&JsValue::from(&*text), &JsValue::from(etag)).into()
}

type Outcome = Pin<Box<dyn Future<Output = Result<JsValue, Failed>>>>;

/// The promise of an outcome. It is given up when the signal says so, and the request is then cut off.
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
    // A signal that takes no listener is looked at when the answer comes.
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
