//! Calls as promises.

use std::{
    cell::Cell,
    future::{Future, poll_fn},
    pin::Pin,
    rc::Rc,
    task::{Poll, Waker},
    time::Duration,
};

use js_sys::Promise;
use serde::{Deserialize, de::DeserializeOwned};
use svc_api::RequestOptions;
use svc_model::wire::Operation;
use wasm_bindgen::{JsCast, JsValue, prelude::Closure};
use wasm_bindgen_futures::future_to_promise;
use web_sys::AbortSignal;

use crate::{
    Client,
    answer::{Unread, pair},
    arguments::from_json,
    error::{self, Failed},
};

/// What can be set for any call.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Options {
    request_id: Option<String>,
    /// In milliseconds.
    timeout: Option<f64>,
}

/// The options of a call from JSON.
pub(crate) fn options(json: &str) -> Result<RequestOptions, Failed> {
    let given: Options = from_json(json)?;
    let mut options = RequestOptions::new();
    if let Some(id) = given.request_id {
        options = options.request_id(id);
    }
    Ok(match given.timeout {
        None => options,
        Some(f64::INFINITY) => options.no_deadline(),
        Some(milliseconds) => {
            let timeout = Duration::try_from_secs_f64(milliseconds / 1e3);
            options.deadline(
                timeout.map_err(|_| error::request("timeout must be a time in milliseconds"))?,
            )
        }
    })
}

type Outcome = Pin<Box<dyn Future<Output = Result<JsValue, Failed>>>>;

/// The promise of an outcome, which is given up when the signal says so: the request is then cut off.
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
    if signal.aborted() {
        return Err(Failed::Aborted(signal.reason()));
    }
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
    // A signal that takes no listener is heard when the answer comes.
    let _ = signal.add_event_listener_with_callback("abort", listener);
    let result = poll_fn(|context| {
        if signal.aborted() {
            return Poll::Ready(Err(Failed::Aborted(signal.reason())));
        }
        waker.set(Some(context.waker().clone()));
        outcome.as_mut().poll(context)
    })
    .await;
    let _ = signal.remove_event_listener_with_callback("abort", listener);
    result
}

impl Client {
    /// Sends the operation that `make` makes of the arguments, and gives the text of its answer with its entity tag.
    pub(crate) fn call<A, O>(
        &self,
        arguments: &str,
        call_options: &str,
        signal: Option<AbortSignal>,
        make: impl FnOnce(&Self, A) -> Result<O, Failed>,
    ) -> Promise
    where
        A: DeserializeOwned,
        O: Operation + 'static,
    {
        let call = from_json(arguments)
            .and_then(|arguments| make(self, arguments))
            .and_then(|operation| {
                let call = self.inner().call(Unread(operation));
                Ok(call.options(options(call_options)?))
            });
        promise(
            signal,
            Box::pin(async move { Ok(pair(&call?.send().await?)) }),
        )
    }
}
