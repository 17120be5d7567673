//! The page: makes the calls of the test with the transport of the example.

use std::{cell::RefCell, collections::HashMap};

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures_util::{
    FutureExt as _,
    future::{AbortHandle, abortable},
};
use js_sys::Function;
use svc_model::wire::{
    Body, BoxError, Deadline, Transport as _, TransportError, TransportErrorKind,
};
use wasm_bindgen::{JsError, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::spawn_local;

use crate::{
    custom_fetch::Transport,
    messages::{Message, Part, Request, Response, decode, receive_body, send_body},
};

thread_local! {
    /// The parts of the request bodies, and how the calls are dropped.
    static CALLS: RefCell<HashMap<u32, (UnboundedSender<Part>, AbortHandle)>> = RefCell::default();
}

/// Takes a message of the test. `reply` is called with each message for the test.
///
/// # Errors
/// A message that cannot be read.
#[wasm_bindgen]
pub fn receive(message: &str, reply: Function) -> Result<(), JsError> {
    let Message { call, part } = serde_json::from_str(message)?;
    match part {
        Part::Request(request) => {
            let (sender, parts) = unbounded();
            let (task, handle) = abortable(make(request, parts, move |part| {
                let message = serde_json::to_string(&Message { call, part }).unwrap_or_default();
                let _ = reply.call1(&JsValue::NULL, &message.into());
            }));
            CALLS.with_borrow_mut(|calls| calls.insert(call, (sender, handle)));
            spawn_local(task.map(|_| ()));
        }
        Part::Dropped => {
            let dropped = CALLS.with_borrow_mut(|calls| calls.remove(&call));
            if let Some((_, handle)) = dropped {
                handle.abort();
            }
        }
        part => CALLS.with_borrow(|calls| {
            if let Some((sender, _)) = calls.get(&call) {
                let _ = sender.unbounded_send(part);
            }
        }),
    }
    Ok(())
}

async fn make(request: Request, parts: UnboundedReceiver<Part>, reply: impl Fn(Part)) {
    let result = match read(request, parts) {
        Ok(request) => Transport.send(request).await,
        Err(error) => Err(TransportError::new(TransportErrorKind::Other, error)),
    };
    match result {
        Ok(response) => {
            let (head, body) = response.into_parts();
            reply(Part::Response(Response {
                status: head.status.as_u16(),
                headers: (&head.headers).into(),
            }));
            send_body(body, reply).await;
        }
        Err(error) => reply(Part::Failed((&error).into())),
    }
}

fn read(request: Request, parts: UnboundedReceiver<Part>) -> Result<http::Request<Body>, BoxError> {
    let body = match request.body {
        Some(whole) => decode(&whole)?.into(),
        None => receive_body(parts, ()),
    };
    let mut read = http::Request::new(body);
    *read.method_mut() = request.method.parse()?;
    *read.uri_mut() = request.uri.parse()?;
    *read.headers_mut() = request.headers.read()?;
    if let Some(deadline) = request.deadline {
        read.extensions_mut().insert(Deadline(deadline));
    }
    Ok(read)
}
