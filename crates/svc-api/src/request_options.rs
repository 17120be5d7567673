//! What one call does otherwise than its client.

use std::{fmt, time::Duration};

use http::{HeaderMap, HeaderName, HeaderValue, header};

/// What can be set for any call; what is not set comes from the client.
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
    /// Outer: whether it was set. Inner: whether there is one.
    pub(crate) deadline: Option<Option<Duration>>,
    pub(crate) max_tries: Option<u32>,
    pub(crate) headers: HeaderMap,
    pub(crate) request_id: Option<String>,
}

impl RequestOptions {
    /// Everything as the client has it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long the call may take, with all its tries.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(Some(deadline));
        self
    }

    /// Lets the call take as long as it takes.
    pub fn no_deadline(mut self) -> Self {
        self.deadline = Some(None);
        self
    }

    /// Sets how often the call is tried, the first try counted; 0 counts as 1.
    pub fn max_tries(mut self, tries: u32) -> Self {
        self.max_tries = Some(tries.max(1));
        self
    }

    /// Sends a further header, in place of the client's own one of that name.
    ///
    /// An `Authorization` is sent instead of the client's credential.
    pub fn header(mut self, name: HeaderName, mut value: HeaderValue) -> Self {
        if name == header::AUTHORIZATION {
            value.set_sensitive(true);
        }
        self.headers.insert(name, value);
        self
    }

    /// Names the call in the logs of the service (`X-Request-Id`), which answers with the same one.
    pub fn request_id(mut self, id: impl Into<String>) -> Self {
        self.request_id = Some(id.into());
        self
    }
}

impl fmt::Debug for RequestOptions {
    /// Shows the names of headers and not their values: they may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestOptions")
            .field("deadline", &self.deadline)
            .field("max_tries", &self.max_tries)
            .field("headers", &self.headers.keys())
            .field("request_id", &self.request_id)
            .finish()
    }
}
