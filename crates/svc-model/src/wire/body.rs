//! A request or response body: bytes in memory, or a stream of them.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::{Context, Poll},
};

use bytes::{Bytes, BytesMut};
use http_body::{Body as HttpBody, Frame, SizeHint};

use super::{BoxError, TransportError, TransportErrorKind};

/// The body of a request or a response.
///
/// It is a concrete type, so that requests and responses have the same type with every transport. It
/// implements [`http_body::Body`], which hyper, tower-http, axum and reqwest accept, and
/// [`Body::stream`] makes one from any other implementation.
///
/// ```
/// use svc_model::wire::Body;
///
/// let body = Body::from(r#"{"status":"paid"}"#);
/// assert!(body.try_clone().is_some(), "bytes in memory can be sent again");
/// ```
pub struct Body(Inner);

enum Inner {
    Whole(Bytes),
    /// In a mutex, so that a body is `Sync` whatever the stream is. It is never locked by two at once, as nobody reads a
    /// body that is shared.
    Stream(Mutex<BoxStream>),
}

type BoxStream = Pin<Box<dyn BytesStream + Send>>;

fn exclusive(body: &mut Mutex<BoxStream>) -> &mut BoxStream {
    body.get_mut().unwrap_or_else(PoisonError::into_inner)
}

impl Body {
    /// No bytes.
    pub const fn empty() -> Self {
        Self(Inner::Whole(Bytes::new()))
    }

    /// A body whose bytes are produced on demand. It cannot be sent a second time.
    pub fn stream<B>(body: B) -> Self
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self(Inner::Stream(Mutex::new(Box::pin(body))))
    }

    /// The bytes, if all of them are in memory.
    pub fn as_bytes(&self) -> Option<&Bytes> {
        match &self.0 {
            Inner::Whole(bytes) => Some(bytes),
            Inner::Stream(_) => None,
        }
    }

    /// A copy of the body, if its bytes are in memory. `None` for a stream: a call with a streamed body
    /// cannot be repeated.
    pub fn try_clone(&self) -> Option<Self> {
        self.as_bytes().cloned().map(Self::from)
    }

    /// Reads the whole body, which may have at most `limit` bytes.
    ///
    /// # Errors
    /// Kind [`Body`](TransportErrorKind::Body) when the body is larger than `limit` (the source is
    /// a [`BodyTooLarge`]); the error of the transport when the body broke off.
    pub async fn collect(self, limit: usize) -> Result<Bytes, TransportError> {
        let mut body = match self.0 {
            Inner::Whole(bytes) if bytes.len() <= limit => return Ok(bytes),
            Inner::Whole(_) => return Err(too_large(limit)),
            Inner::Stream(body) => body.into_inner().unwrap_or_else(PoisonError::into_inner),
        };
        if body.size().lower() > limit as u64 {
            return Err(too_large(limit));
        }
        let mut first = Bytes::new();
        let mut rest = BytesMut::new();
        while let Some(frame) = poll_fn(|context| body.as_mut().poll_bytes(context)).await {
            let frame = frame.map_err(into_transport_error)?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if first.len() + rest.len() + data.len() > limit {
                return Err(too_large(limit));
            }
            // Most responses are one frame, which is returned without a copy.
            if first.is_empty() && rest.is_empty() {
                first = data;
                continue;
            }
            if rest.is_empty() {
                rest.extend_from_slice(&first);
                first = Bytes::new();
            }
            rest.extend_from_slice(&data);
        }
        Ok(if rest.is_empty() {
            first
        } else {
            rest.freeze()
        })
    }
}

fn too_large(limit: usize) -> TransportError {
    TransportError::new(TransportErrorKind::Body, BodyTooLarge { limit })
}

fn into_transport_error(error: BoxError) -> TransportError {
    match error.downcast::<TransportError>() {
        Ok(error) => *error,
        Err(error) => TransportError::new(TransportErrorKind::Body, error),
    }
}

/// The error for a body with more bytes than the limit of [`Body::collect`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("the body is larger than the limit of {limit} bytes")]
pub struct BodyTooLarge {
    /// The limit, in bytes.
    pub limit: usize,
}

impl Default for Body {
    fn default() -> Self {
        Self::empty()
    }
}

impl fmt::Debug for Body {
    /// Shows the size of the body and never its content, which may include a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Inner::Whole(bytes) => write!(f, "Body({} bytes)", bytes.len()),
            Inner::Stream(_) => f.write_str("Body(stream)"),
        }
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self(Inner::Whole(bytes))
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::from(bytes).into()
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Bytes::from(text).into()
    }
}

impl From<&'static str> for Body {
    fn from(text: &'static str) -> Self {
        Bytes::from_static(text.as_bytes()).into()
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut self.get_mut().0 {
            Inner::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Inner::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            // As a transport error, so that the sender of the body finds its kind among the sources.
            Inner::Stream(body) => exclusive(body)
                .as_mut()
                .poll_bytes(context)
                .map_err(|error| into_transport_error(error).into()),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Inner::Whole(bytes) => bytes.is_empty(),
            Inner::Stream(body) => body.try_lock().is_ok_and(|body| body.is_end()),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Inner::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Inner::Stream(body) => match body.try_lock() {
                Ok(body) => body.size(),
                Err(_) => SizeHint::default(),
            },
        }
    }
}

/// Any body of bytes, with its errors boxed.
trait BytesStream {
    fn poll_bytes(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>>;

    fn is_end(&self) -> bool;

    fn size(&self) -> SizeHint;
}

impl<B> BytesStream for B
where
    B: HttpBody<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    fn poll_bytes(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.poll_frame(context).map_err(Into::into)
    }

    fn is_end(&self) -> bool {
        self.is_end_stream()
    }

    fn size(&self) -> SizeHint {
        self.size_hint()
    }
}
