//! Converts errors of hyper to errors of the transport contract.

use std::{error::Error as StdError, fmt};

use hyper_util::client::legacy;
use svc_model::wire::{TransportError, TransportErrorKind};

use crate::{body::RequestBodyError, filter::AddressRefused};

/// Converts the error of a request without a response.
pub(crate) fn from_client(error: legacy::Error) -> TransportError {
    if let Some(refused) = find::<AddressRefused>(&error) {
        // Another try would also be refused.
        return TransportError::new(TransportErrorKind::Invalid, refused.clone());
    }
    let (kind, never_sent) = classify(&error);
    TransportError::new(kind, Cause(error)).with_never_sent(never_sent)
}

fn classify(error: &legacy::Error) -> (TransportErrorKind, bool) {
    use TransportErrorKind::{Body, Connect, Interrupted, Other};

    if error.is_connect() {
        return (Connect, true);
    }
    // The error names the connection on which the request failed. Without one, the request never had a connection.
    let unassigned = error.connect_info().is_none();
    let Some(hyper) = find::<hyper::Error>(error) else {
        return (Interrupted, unassigned);
    };
    if hyper.is_canceled() {
        // The request was removed from the queue of a connection before any byte of it was written.
        return (Interrupted, true);
    }
    if find::<RequestBodyError>(hyper).is_some() || hyper.is_body_write_aborted() {
        return (Body, false);
    }
    if let Some(h2) = find::<h2::Error>(hyper) {
        return classify_h2(h2, unassigned);
    }
    if hyper.is_parse() {
        return (Other, unassigned);
    }
    (Interrupted, unassigned)
}

fn classify_h2(error: &h2::Error, unassigned: bool) -> (TransportErrorKind, bool) {
    if error.is_reset() && !error.is_remote() && !error.is_library() {
        // This side has reset the stream: the request body could not be produced.
        return (TransportErrorKind::Body, unassigned);
    }
    // Both mean that the request was not processed (RFC 9113, sections 8.7 and 6.8): h2 reports the
    // GOAWAY only for streams above the last one that the server accepted.
    let refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
    let never_sent = error.is_remote() && (refused || error.is_go_away());
    (TransportErrorKind::Interrupted, never_sent || unassigned)
}

fn find<'a, E: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a E> {
    let mut next = error.source();
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// The client's error without its outer layer, whose message only repeats the kind.
#[derive(Debug)]
struct Cause(legacy::Error);

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.source() {
            Some(source) => fmt::Display::fmt(source, f),
            None => fmt::Display::fmt(&self.0, f),
        }
    }
}

impl StdError for Cause {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source().and_then(StdError::source)
    }
}
