//! Options of a single call.

use std::{fmt, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Options of a single call; for options that are not set, those of the client apply.
///
/// ```
/// use std::time::Duration;
/// use svc_api::RequestOptions;
///
/// let patient = RequestOptions::new()
///     .deadline(Duration::from_secs(120))
///     .max_tries(5)
///     .request_id("nightly-export-17");
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct RequestOptions {
    /// `None` when it was not set; `Some(None)` for no deadline.
    pub(crate) deadline: Option<Option<Duration>>,
    pub(crate) max_tries: Option<u32>,
    pub(crate) headers: HeaderMap,
    pub(crate) request_id: Option<String>,
    #[cfg(not(target_family = "wasm"))]
    pub(crate) extensions: http::Extensions,
    /// Whether the body of a success is left to be read.
    pub(crate) streams: bool,
}

impl RequestOptions {
    /// Options that are the same as those of the client.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long the call may take, including all tries.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(Some(deadline));
        self
    }

    /// Removes the deadline.
    pub fn no_deadline(mut self) -> Self {
        self.deadline = Some(None);
        self
    }

    /// Sets the maximum number of tries, including the first one; 0 counts as 1.
    pub fn max_tries(mut self, tries: u32) -> Self {
        self.max_tries = Some(tries.max(1));
        self
    }

    /// Adds a header, which replaces the client's own header of that name.
    ///
    /// An `Authorization` is sent instead of the client's credential.
    pub fn header(mut self, name: HeaderName, mut value: HeaderValue) -> Self {
        if name == header::AUTHORIZATION {
            value.set_sensitive(true);
        }
        self.headers.insert(name, value);
        self
    }

    /// Sets the ID of the request in the logs of the service (`X-Request-Id`), which returns the same ID.
    pub fn request_id(mut self, id: impl Into<String>) -> Self {
        self.request_id = Some(id.into());
        self
    }

    /// Adds a value to the extensions of each request of the call, for a transport or a tower layer that reads it. It
    /// replaces one of the same type; the client's own [`Deadline`](crate::wire::Deadline) cannot be replaced.
    #[cfg(not(target_family = "wasm"))]
    pub fn extension<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(value);
        self
    }
}

impl fmt::Debug for RequestOptions {
    /// Shows the names of headers but not their values, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestOptions")
            .field("deadline", &self.deadline)
            .field("max_tries", &self.max_tries)
            .field("headers", &self.headers.keys())
            .field("request_id", &self.request_id)
            .finish()
    }
}
