//! A transport whose calls are made by a page.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures_util::{
    StreamExt as _,
    future::{AbortHandle, abortable},
};
use svc_model::wire::{
    Body, BoxError, BoxFuture, Deadline, Transport, TransportError, TransportErrorKind,
};

use crate::messages::{Message, Part, Request, encode, receive_body, send_body};

/// The test's end of the connection to the page.
#[derive(Clone, Debug)]
pub struct Bridge(Arc<State>);

#[derive(Debug)]
struct State {
    next: AtomicU32,
    /// The parts of the responses, by call.
    calls: Mutex<HashMap<u32, UnboundedSender<Part>>>,
    to_page: UnboundedSender<String>,
}

impl Bridge {
    /// The bridge, and the messages for the page.
    pub fn new() -> (Self, UnboundedReceiver<String>) {
        let (to_page, messages) = unbounded();
        let state = State {
            next: AtomicU32::new(0),
            calls: Mutex::default(),
            to_page,
        };
        (Self(Arc::new(state)), messages)
    }

    /// Takes a message of the page. Those about calls that were dropped meanwhile are ignored.
    pub fn receive(&self, message: &str) -> Result<(), BoxError> {
        let Message { call, part } = serde_json::from_str(message)?;
        if let Some(sender) = self.calls().get(&call) {
            let _ = sender.unbounded_send(part);
        }
        Ok(())
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<u32, UnboundedSender<Part>>> {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send_part(&self, call: u32, part: Part) {
        let message = serde_json::to_string(&Message { call, part }).unwrap_or_default();
        let _ = self.0.to_page.unbounded_send(message);
    }

    /// Sends a request to the page. Its body follows while the caller waits for the response.
    fn start(&self, request: http::Request<Body>) -> (Call, UnboundedReceiver<Part>) {
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let (sender, parts) = unbounded();
        self.calls().insert(number, sender);
        let (head, body) = request.into_parts();
        let deadline = head.extensions.get().map(|Deadline(left)| *left);
        let request = Request {
            method: head.method.to_string(),
            uri: head.uri.to_string(),
            headers: (&head.headers).into(),
            deadline,
            body: body.as_bytes().map(|bytes| encode(bytes)),
        };
        let streams = request.body.is_none();
        self.send_part(number, Part::Request(request));
        let bridge = self.clone();
        let sending = async move { send_body(body, |part| bridge.send_part(number, part)).await };
        let (sending, handle) = abortable(sending);
        if streams {
            tokio::spawn(sending);
        }
        let call = Call {
            number,
            bridge: self.clone(),
            body: handle,
        };
        (call, parts)
    }
}

impl Transport for Bridge {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        Box::pin(async move {
            let other = |error: BoxError| TransportError::new(TransportErrorKind::Other, error);
            let (call, mut parts) = self.start(request);
            match parts.next().await {
                Some(Part::Response(head)) => {
                    let mut response = http::Response::new(receive_body(parts, call));
                    let status = head.status.try_into();
                    *response.status_mut() = status.map_err(|error| other(Box::new(error)))?;
                    *response.headers_mut() = head.headers.read().map_err(other)?;
                    Ok(response)
                }
                Some(Part::Failed(failure)) => Err(failure.read()),
                wrong => Err(other(format!("the page answered {wrong:?}").into())),
            }
        })
    }
}

/// Drops the call in the page when it is dropped here.
struct Call {
    number: u32,
    bridge: Bridge,
    /// The sending of the request's body.
    body: AbortHandle,
}

impl Drop for Call {
    fn drop(&mut self) {
        self.body.abort();
        self.bridge.calls().remove(&self.number);
        self.bridge.send_part(self.number, Part::Dropped);
    }
}
