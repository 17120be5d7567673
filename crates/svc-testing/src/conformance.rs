//! Checks of the rules for every [`Transport`], which run against real sockets on loopback.
//!
//! The kit needs no particular runtime: its functions are async, its servers are threads, and it
//! runs on the runtime of the transport. In the tests of a transport:
//!
//! ```
//! use svc_model::wire::Transport;
//! use svc_testing::conformance;
//!
//! async fn conforms(transport: &dyn Transport) {
//!     // The error lists every rule that does not hold, with what was seen.
//!     conformance::check(transport).await.unwrap();
//! }
//! ```
//!
//! where `conforms` is awaited by a `#[tokio::test]` or by any `block_on`. If a transport cannot
//! follow one of the rules and documents that, its tests can check the others with [`Rule::ALL`] and
//! [`Rule::check`]. All rules are about `http`; `https` must be covered by the transport's own tests.

mod failing;
mod lifetime;
mod request;
mod response;
mod server;
mod wait;

use std::{error::Error as StdError, fmt, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use svc_model::wire::{Body, Transport, TransportError, TransportErrorKind};

use self::wait::within;

/// The time limit of a rule, whatever the transport does.
const LIMIT: Duration = Duration::from_secs(20);

/// Checks all rules, one after the other.
///
/// # Errors
/// The rules that do not hold.
pub async fn check(transport: &dyn Transport) -> Result<(), Failures> {
    let mut failures = Vec::new();
    for rule in Rule::ALL {
        failures.extend(rule.check(transport).await.err());
    }
    if failures.is_empty() {
        Ok(())
    } else {
        Err(Failures(failures))
    }
}

/// Declares the rules: name, sentence, check.
macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $sentence:literal => $check:path,)*) => {
        /// One thing that a transport must do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = concat!($sentence, ".")] $name,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The rule in words, without a full stop.
            pub fn sentence(self) -> &'static str {
                match self {
                    $(Self::$name => $sentence,)*
                }
            }

            /// Checks this rule alone.
            ///
            /// # Errors
            /// [`Failure`] with the observed behaviour.
            pub async fn check(self, transport: &dyn Transport) -> Result<(), Failure> {
                let checked = match self {
                    $(Self::$name => within(LIMIT, Box::pin($check(transport))).await,)*
                };
                let seen = match checked {
                    Some(Ok(())) => return Ok(()),
                    Some(Err(seen)) => seen,
                    None => format!("the call had not ended after {LIMIT:?}"),
                };
                Err(Failure { rule: self, seen })
            }
        }
    };
}

rules! {
    RequestArrivesUnchanged =
        "Method, path and query, headers and body of the request arrive byte for byte"
        => request::arrives_unchanged,
    NothingIsAdded =
        "No header is added but those that HTTP/1.1 itself needs, and a User-Agent"
        => request::nothing_is_added,
    HeaderValuesAreBytes =
        "Header values that are not UTF-8 survive in both directions, and repeated headers stay apart"
        => request::header_values_are_bytes,
    RequestBodyStreams =
        "A request body whose length is not known arrives whole"
        => request::body_streams,
    BrokenRequestBodyIsAnError =
        "A request body that breaks off gives an error of kind Body, and the service sees no complete request"
        => request::broken_body_is_an_error,
    EveryStatusIsAnAnswer =
        "A response is Ok whatever its status, with its headers and its body"
        => response::every_status_is_an_answer,
    RedirectsAreNotFollowed =
        "A redirect is an answer like any other and is not followed"
        => response::redirects_are_not_followed,
    NothingIsDecompressed =
        "A compressed body is given as it came, with its Content-Encoding"
        => response::nothing_is_decompressed,
    ResponseStreams =
        "The response is given when its head has arrived, and its body piece by piece"
        => response::streams,
    EmptyBodiesEnd =
        "A response that has no body ends with its head, though the connection stays open"
        => response::empty_bodies_end,
    InterimResponsesAreSkipped =
        "A response of status 100 or 103 is not the response"
        => response::interim_responses_are_skipped,
    LargeBodiesArriveWhole =
        "Bodies of several MiB arrive whole in both directions"
        => response::large_bodies_arrive_whole,
    CallsRunSideBySide =
        "A call does not wait for the answer of another one"
        => lifetime::calls_run_side_by_side,
    NothingIsRetried =
        "A request that the service has seen is not sent again"
        => failing::nothing_is_retried,
    RefusedConnectionWasNeverSent =
        "A connection that is refused gives an error of kind Connect, and the request was never sent"
        => failing::refused_connection_was_never_sent,
    MissingAnswerIsInterrupted =
        "A connection that ends before the head of the answer is complete gives an error of kind Interrupted, and the request may have been seen"
        => failing::missing_answer_is_interrupted,
    TruncatedBodyIsAnError =
        "A response body that breaks off ends with an error of kind Body or Interrupted"
        => failing::truncated_body_is_an_error,
    EndlessHeadIsAnError =
        "A response head without end gives an error"
        => failing::endless_head_is_an_error,
    SurplusBytesAreNoResponse =
        "Bytes behind the end of a response are not the response of the next call"
        => failing::surplus_bytes_are_no_response,
    UnusableUriIsInvalid =
        "A URI that is not absolute, or of a scheme that is not HTTP, gives an error of kind Invalid"
        => failing::unusable_uri_is_invalid,
    DeadlineHoldsForTheHead =
        "The deadline ends the wait for the head of the answer, though it comes byte by byte, with an error of kind Timeout"
        => lifetime::deadline_holds_for_the_head,
    DeadlineHoldsForTheBody =
        "The deadline ends the wait for the rest of the body, though it comes byte by byte, with an error of kind Timeout"
        => lifetime::deadline_holds_for_the_body,
    DroppedCallHangsUp =
        "When the future of a call is dropped, the service sees the connection end"
        => lifetime::dropped_call_hangs_up,
    DroppedBodyHangsUp =
        "When the body of a response is dropped before its end, the service sees the connection end"
        => lifetime::dropped_body_hangs_up,
}

/// A rule that does not hold.
#[derive(Clone, Debug)]
pub struct Failure {
    rule: Rule,
    seen: String,
}

impl Failure {
    /// The rule.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The observed behaviour that violates the rule.
    pub fn seen(&self) -> &str {
        &self.seen
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}. ({:?}) But {}",
            self.rule.sentence(),
            self.rule,
            self.seen
        )
    }
}

impl StdError for Failure {}

/// The rules that do not hold for a transport.
pub struct Failures(Vec<Failure>);

impl Failures {
    /// The failures.
    pub fn iter(&self) -> impl Iterator<Item = &Failure> {
        self.0.iter()
    }
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the transport breaks {} of the rules:", self.0.len())?;
        for failure in &self.0 {
            write!(f, "\n- {failure}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Failures {
    /// The same text as [`Display`](fmt::Display), since `unwrap` shows this one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl StdError for Failures {}

/// The result of a check: an error describes the observed behaviour.
type Checked = Result<(), String>;

fn ensure(holds: bool, seen: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(seen()) }
}

fn get(url: String) -> Result<Request<Body>, String> {
    build(Request::get(url), Body::empty())
}

fn build(request: http::request::Builder, body: Body) -> Result<Request<Body>, String> {
    request
        .body(body)
        .map_err(|error| format!("the kit's own request is wrong: {error}"))
}

/// Returns the response, which the rule requires to succeed.
async fn answered(
    transport: &dyn Transport,
    request: Request<Body>,
) -> Result<Response<Body>, String> {
    let what = format!("{} {}", request.method(), request.uri());
    transport
        .send(request)
        .await
        .map_err(|error| format!("{what} failed: {}", shown(&error)))
}

/// Returns the bytes of a body, which the rule requires to succeed.
async fn whole(body: Body) -> Result<Bytes, String> {
    body.collect(usize::MAX)
        .await
        .map_err(|error| format!("the body failed: {}", shown(&error)))
}

/// Returns the error of a call that must have failed.
fn failed(result: Result<Response<Body>, TransportError>) -> Result<TransportError, String> {
    match result {
        Ok(response) => Err(format!(
            "the call succeeded with status {}",
            response.status()
        )),
        Err(error) => Ok(error),
    }
}

fn of_kind(error: &TransportError, allowed: &[TransportErrorKind]) -> Checked {
    ensure(allowed.contains(&error.kind()), || {
        format!("the error was {}", shown(error))
    })
}

/// An error with its kind and all its causes.
fn shown(error: &TransportError) -> String {
    let mut text = format!("of kind {:?}: {error}", error.kind());
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
