//! One line in the log for each request that the proxy is asked for, and one in the audit trail for each that it sends.

use std::{sync::Arc, time::Instant};

use http::{Method, StatusCode};
use svc_model::{Scope, proxy::Send, wire::Operation as _};
use svc_store::{AuditEntry, BegunWrite, Store};

use super::target::Target;
use crate::{audit::append_later, http::ApiResult, state::Shared};

/// The target of the lines, by which a log filter names them.
const TARGET: &str = "svc_server::audit";

/// How much of a path is recorded.
const MOST_OF_PATH: usize = 500;

/// A request that is being sent. The lines are written when it is over, however it ends.
///
/// That of the log says who asked for what of which host, never a path, a query, a header or a body: they may hold
/// secrets. That of the trail has the path too, as the caller wrote it, with names in place of values.
#[derive(Debug)]
pub(super) struct Audit {
    begun: Instant,
    pub(super) request_id: String,
    /// The caller: `user <uid>` or `service token <uid>`.
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
    /// The line of the audit trail; `None` for a request that was not sent.
    pub(super) trail: Option<Trail>,
}

/// What else the audit trail records of a request.
#[derive(Debug)]
pub(super) struct Trail {
    state: Shared,
    /// The store, which writes in the name of the caller.
    store: Store,
    url: String,
    /// The note in the journal of writes, where no request may be without its line.
    begun: Option<BegunWrite>,
}

impl Trail {
    /// The trail of a request to this target, whose URL the caller wrote like this.
    pub(super) fn new(state: &Shared, store: Store, target: &Target, written: &str) -> Self {
        Self {
            state: Shared::clone(state),
            store,
            url: format!("{}{}", target.origin(), path_of(written)),
            begun: None,
        }
    }

    /// The request was not sent.
    pub(super) fn cancel(self) {
        if let Some(begun) = self.begun {
            begun.cancel();
        }
    }
}

/// The path of a URL in which names replace values, without its query. Where the URL begins with a name, that is all of
/// it: the value may have a path too.
fn path_of(written: &str) -> String {
    let path = written.split(['?', '#']).next().unwrap_or_default();
    let path = match path.split_once("://") {
        Some((_, rest)) => rest.find('/').and_then(|at| rest.get(at..)),
        None => Some(path),
    };
    let path = path.unwrap_or_default();
    let slash = if path.starts_with('/') { "" } else { "/" };
    let (kept, more) = match path.char_indices().nth(MOST_OF_PATH) {
        Some((end, _)) => (path.get(..end).unwrap_or_default(), "..."),
        None => (path, ""),
    };
    format!("{slash}{kept}{more}")
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
    /// Begins with the caller; nothing is known of the request yet.
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
            trail: None,
        }
    }
}

impl Audit {
    /// Records that the request is about to be sent.
    ///
    /// # Errors
    /// When the store does not take its line.
    pub(super) async fn begin_trail(&mut self, mut trail: Trail) -> ApiResult<()> {
        let entry = self.entry(&trail.url);
        let writing = &trail.state.writing;
        trail.begun = writing
            .begin(&trail.state, &trail.store, Arc::new(entry))
            .await?;
        self.trail = Some(trail);
        Ok(())
    }

    fn entry(&self, url: &str) -> AuditEntry {
        let entry = AuditEntry::new(Send::INFO.name)
            .scope(&Scope::new(
                self.project.as_str(),
                self.environment.as_str(),
            ))
            .record(format!("{} {url}", self.method))
            .status(self.status.map(|status| status.as_u16()));
        match self.resource.as_str() {
            "" => entry,
            resource => entry.resource(resource),
        }
    }
}

impl Drop for Audit {
    fn drop(&mut self) {
        if let Some(trail) = self.trail.take() {
            let entry = self.entry(&trail.url);
            append_later(&trail.state, trail.store, trail.begun, entry);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_recorded_as_it_was_written_without_its_query() {
        for (written, path) in [
            ("https://a.example", "/"),
            ("https://a.example?key=x", "/"),
            ("https://a.example/#x", "/"),
            (
                "https://{{host}}.example:{{port}}/a/{{id}}/{-key-}?x=/y",
                "/a/{{id}}/{-key-}",
            ),
            ("{{base}}/people?x", "/{{base}}/people"),
            ("{{base}}", "/{{base}}"),
            ("/{{base}}", "/{{base}}"),
        ] {
            assert_eq!(path_of(written), path, "{written}");
        }
        let long = path_of(&format!("https://a.example/{}", "ü".repeat(16_000)));
        assert_eq!(long.chars().count(), MOST_OF_PATH + 3);
    }
}
