//! The body of an answer on its way through: counted, held to its limit, and not gathered.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use svc_model::wire::Body;
use tokio::sync::OwnedSemaphorePermit;

use super::audit::{Audit, End};
use crate::answer::CutOff;

/// A body that is passed on as it comes.
pub(super) struct Passing {
    /// Gone once it has ended.
    body: Option<Body>,
    left: u64,
    audit: Audit,
    _place: OwnedSemaphorePermit,
}

impl Passing {
    /// Passes on this many bytes at most. The place is given up when the body is over.
    pub(super) fn new(
        body: Body,
        limit: u64,
        mut audit: Audit,
        place: OwnedSemaphorePermit,
    ) -> Self {
        if body.is_end_stream() {
            audit.end = End::Done;
        }
        Self {
            body: Some(body),
            left: limit,
            audit,
            _place: place,
        }
    }

    fn cut_off(&mut self) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        self.body = None;
        self.audit.end = End::CutOff;
        Poll::Ready(Some(Err(CutOff)))
    }
}

impl HttpBody for Passing {
    type Data = Bytes;
    type Error = CutOff;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CutOff>>> {
        let this = self.get_mut();
        loop {
            let Some(body) = &mut this.body else {
                return Poll::Ready(None);
            };
            let Some(frame) = ready!(Pin::new(&mut *body).poll_frame(context)) else {
                this.body = None;
                this.audit.end = End::Done;
                return Poll::Ready(None);
            };
            let Ok(frame) = frame else {
                return this.cut_off();
            };
            // Trailers speak of one connection too.
            let Ok(data) = frame.into_data() else {
                continue;
            };
            let size = data.len() as u64;
            let Some(left) = this.left.checked_sub(size) else {
                return this.cut_off();
            };
            this.left = left;
            this.audit.bytes += size;
            if body.is_end_stream() {
                // Nobody may ask for more.
                this.audit.end = End::Done;
            }
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let none = || SizeHint::with_exact(0);
        self.body.as_ref().map_or_else(none, HttpBody::size_hint)
    }
}
