//! One structured log line for each request. Its fields have OpenTelemetry's names where there are some.

use std::time::Duration;

use axum::{extract::Request, response::Response};
use http::{HeaderValue, Method};
use tracing::{Level, field};

use crate::http::trace::Trace;

/// The target of the lines, by which a log filter names them.
const TARGET: &str = "svc_server::request";

/// A request that is being answered.
///
/// The line has no query string, no header but the identifiers of request and trace, and no body: they may hold secrets
/// and personal data.
#[derive(Debug)]
pub(crate) struct Line {
    method: Method,
    path: String,
    id: HeaderValue,
    trace: Option<Trace>,
}

impl Line {
    /// Records the request, unless the log does not take such lines.
    pub(crate) fn begin(request: &Request, id: &HeaderValue, trace: Option<Trace>) -> Option<Self> {
        tracing::enabled!(target: TARGET, Level::INFO).then(|| Self {
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            id: id.clone(),
            trace,
        })
    }

    /// Writes the line, with the pattern of the route.
    pub(crate) fn end(self, response: &Response, route: &str, time: Duration) {
        let trace = self.trace;
        tracing::info!(
            target: TARGET,
            request_id = self.id.to_str().unwrap_or_default(),
            http.request.method = %self.method,
            url.path = self.path,
            http.route = route,
            http.response.status_code = response.status().as_u16(),
            duration_us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX),
            trace_id = trace.map(|trace| field::display(trace.id())),
            span_id = trace.map(|trace| field::display(trace.span())),
            parent_span_id = trace.and_then(|trace| trace.parent()).map(field::display),
            "answered"
        );
    }
}
