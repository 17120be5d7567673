//! One structured log line for each request.

use std::time::Instant;

use axum::{extract::Request, response::Response};
use http::{HeaderValue, Method};
use tracing::Level;

/// The target of the lines, by which a log filter names them.
const TARGET: &str = "svc_server::request";

/// A request that is being answered.
///
/// The line has no query string, no header and no body: they may hold secrets and personal data.
#[derive(Debug)]
pub(crate) struct Line {
    begun: Instant,
    method: Method,
    path: String,
    id: HeaderValue,
}

impl Line {
    /// Records the request, unless the log does not take such lines.
    pub(crate) fn begin(request: &Request, id: &HeaderValue) -> Option<Self> {
        tracing::enabled!(target: TARGET, Level::INFO).then(|| Self {
            begun: Instant::now(),
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            id: id.clone(),
        })
    }

    /// Writes the line.
    pub(crate) fn end(self, response: &Response) {
        tracing::info!(
            target: TARGET,
            request_id = self.id.to_str().unwrap_or_default(),
            method = %self.method,
            path = self.path,
            status = response.status().as_u16(),
            duration_us = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX),
            "answered"
        );
    }
}
