//! One line for each request that the proxy sends for somebody.

use std::time::Instant;

use http::{Method, StatusCode};

/// The target of the lines, by which a log filter names them.
const TARGET: &str = "svc_server::audit";

/// A request that is being sent. The line is written when it is over, however it ends.
///
/// It says who asked for what of which host, never a path, a query, a header or a body: they may hold secrets.
#[derive(Debug)]
pub(super) struct Audit {
    begun: Instant,
    pub(super) request_id: String,
    /// Who asks: `user <uid>` or `service token <uid>`.
    pub(super) who: String,
    pub(super) project: String,
    pub(super) environment: String,
    pub(super) resource: String,
    pub(super) method: Method,
    pub(super) host: String,
    /// What was answered.
    pub(super) status: Option<StatusCode>,
    /// How many bytes of a body were passed on.
    pub(super) bytes: u64,
    /// How it ended.
    pub(super) end: End,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The caller left before.
    Left,
    /// It was not sent, or nothing came back that could be passed on.
    Failed,
    /// The other service's answer was passed on to its end.
    Done,
    /// The other service's answer was cut off: too large, too slow, or broken.
    CutOff,
}

impl End {
    fn as_str(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Failed => "failed",
            Self::Done => "done",
            Self::CutOff => "cut off",
        }
    }
}

impl Audit {
    /// Begins with who asks, and nothing about what yet.
    pub(super) fn begin(request_id: String, who: String) -> Self {
        Self {
            begun: Instant::now(),
            request_id,
            who,
            project: String::new(),
            environment: String::new(),
            resource: String::new(),
            method: Method::GET,
            host: String::new(),
            status: None,
            bytes: 0,
            end: End::Left,
        }
    }
}

impl Drop for Audit {
    fn drop(&mut self) {
        tracing::info!(
            target: TARGET,
            request_id = self.request_id,
            who = self.who,
            project = self.project,
            environment = self.environment,
            resource = self.resource,
            method = %self.method,
            host = self.host,
            status = self.status.map(|status| status.as_u16()),
            bytes = self.bytes,
            duration_us = u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX),
            end = self.end.as_str(),
            "proxied"
        );
    }
}
