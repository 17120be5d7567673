//! Sending a request to another service, and on to where it redirects.

use std::{
    collections::BTreeSet, error::Error as StdError, io, net::SocketAddr, sync::Arc, time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, header};
use svc_model::{
    Invalid,
    wire::{Body, Deadline, Transport as _, TransportError, TransportErrorKind},
};
use svc_store::HostPort;
use svc_transport::{AddressRefused, HyperTransport};
use tokio::time::Instant;

use super::{
    address::{check_allowed, check_public},
    headers::{holds_secret, is_credential},
    target::Target,
};
use crate::{
    Error,
    http::{ApiError, ApiResult},
};

/// How many redirects are followed.
const MAX_REDIRECTS: usize = 5;
/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How many unused connections to a host are kept.
const MOST_IDLE: usize = 32;

/// The two ways out. They share no connection, so that one to a host that a project allows serves no other project.
#[derive(Debug)]
pub(super) struct Outbound {
    /// To public addresses alone.
    public: HyperTransport,
    /// To all but those of the service itself.
    allowed: HyperTransport,
}

impl Outbound {
    /// The ways out of a service that listens at these addresses.
    pub(super) fn new(own: Vec<SocketAddr>) -> Result<Self, Error> {
        let own: Arc<[SocketAddr]> = own.into();
        let build = |is_public: bool| {
            let own = Arc::clone(&own);
            let builder = HyperTransport::builder()
                .connect_timeout(CONNECT_TIMEOUT)
                .deadline(None)
                .max_idle_per_host(MOST_IDLE)
                .address_filter(move |_, address| {
                    let checked = match is_public {
                        true => check_public(address.ip()),
                        false => Ok(()),
                    };
                    checked
                        .and_then(|()| check_allowed(address, &own))
                        .map_err(str::to_owned)
                });
            builder.build().map_err(|error| {
                Error::config(format!("the HTTP proxy cannot send requests: {error}"))
            })
        };
        Ok(Self {
            public: build(true)?,
            allowed: build(false)?,
        })
    }
}

/// A request that is ready to be sent.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) method: Method,
    pub(super) target: Target,
    pub(super) headers: HeaderMap,
    /// The headers with a secret in them.
    pub(super) secret_headers: BTreeSet<String>,
    pub(super) body: Bytes,
    /// Whether a secret is in the body.
    pub(super) secret_body: bool,
    /// The secrets of the request, in the form that they have in a URL too.
    pub(super) secrets: Vec<String>,
}

impl Outgoing {
    /// Sends the request, follows redirects, and gives the answer, all of it until then.
    pub(super) async fn send(
        &mut self,
        outbound: &Outbound,
        allow_hosts: &[HostPort],
        until: Instant,
    ) -> ApiResult<Response<Body>> {
        for redirects in 0..=MAX_REDIRECTS {
            let is_first = redirects == 0;
            let (host, port) = (self.target.host(), self.target.port());
            let transport = match allow_hosts.iter().any(|allowed| allowed.covers(host, port)) {
                true => &outbound.allowed,
                false => &outbound.public,
            };
            let mut response = self.try_once(transport, is_first, until).await?;
            if let Err(error) = &response
                && error.kind() == TransportErrorKind::Interrupted
                && error.is_retryable(self.method.is_idempotent())
            {
                // A kept connection may be closed from the other side just as it is used again.
                response = self.try_once(transport, is_first, until).await?;
            }
            let response = response.map_err(|error| failure(&error, is_first))?;
            if !self.is_followed(&response)? {
                return answer(response);
            }
        }
        Err(ApiError::BadGateway(format!(
            "the other service redirected more than {MAX_REDIRECTS} times"
        )))
    }

    /// Sends the request to where it leads now. A URL that cannot be sent to is an error of its own.
    async fn try_once(
        &self,
        transport: &HyperTransport,
        is_first: bool,
        until: Instant,
    ) -> ApiResult<Result<Response<Body>, TransportError>> {
        let left = until.saturating_duration_since(Instant::now());
        let request = self
            .request(left)
            .map_err(|what| wrong_url(is_first, what))?;
        Ok(transport.send(request).await)
    }

    fn request(&self, left: Duration) -> Result<Request<Body>, &'static str> {
        let mut request = Request::new(Body::from(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.target.uri()?;
        request.headers_mut().clone_from(&self.headers);
        request.extensions_mut().insert(Deadline(left));
        Ok(request)
    }

    /// Whether the answer leads elsewhere; the request then is the one to send there.
    fn is_followed(&mut self, response: &Response<Body>) -> ApiResult<bool> {
        let status = response.status();
        let location = match status.as_u16() {
            301 | 302 | 303 | 307 | 308 => response.headers().get(header::LOCATION),
            _ => None,
        };
        let Some(location) = location else {
            return Ok(false);
        };
        let location = std::str::from_utf8(location.as_bytes()).map_err(|_| "is not a valid URL");
        let next = location
            .and_then(|location| self.target.follow(location))
            .map_err(|what| wrong_url(false, what))?;
        self.become_read(status);
        if !next.is_same_origin(&self.target) {
            self.leave_secrets(&next)?;
        }
        self.target = next;
        Ok(true)
    }

    /// What the method becomes (RFC 9110, section 15.4).
    fn become_read(&mut self, status: StatusCode) {
        let becomes_get = match status {
            StatusCode::SEE_OTHER => self.method != Method::HEAD && self.method != Method::GET,
            StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => self.method == Method::POST,
            _ => false,
        };
        if !becomes_get {
            return;
        }
        self.method = Method::GET;
        self.body = Bytes::new();
        self.secret_body = false;
        for name in [
            header::CONTENT_TYPE,
            header::CONTENT_ENCODING,
            header::CONTENT_LANGUAGE,
            header::CONTENT_LENGTH,
            header::CONTENT_LOCATION,
        ] {
            self.headers.remove(name);
        }
    }

    /// Nothing that is secret goes to another origin, and nothing of it comes back later.
    fn leave_secrets(&mut self, next: &Target) -> ApiResult<()> {
        let carried = next
            .uri()
            .is_ok_and(|uri| holds_secret(uri.to_string().as_bytes(), &self.secrets));
        if carried || self.secret_body {
            return Err(ApiError::BadGateway(
                "the other service redirected a request that holds a secret token to another origin"
                    .to_owned(),
            ));
        }
        let gone: Vec<_> = self
            .headers
            .keys()
            .filter(|name| is_credential(name) || self.secret_headers.contains(name.as_str()))
            .cloned()
            .collect();
        for name in gone {
            self.headers.remove(name);
        }
        Ok(())
    }
}

/// The answer, if it is one that can be passed on.
fn answer(response: Response<Body>) -> ApiResult<Response<Body>> {
    match response.status().as_u16() {
        200..=599 => Ok(response),
        _ => Err(ApiError::BadGateway(
            "the other service answered with an invalid status".to_owned(),
        )),
    }
}

/// A URL that is not sent to: the caller's own, or that of a redirect.
fn wrong_url(is_first: bool, what: &'static str) -> ApiError {
    match is_first {
        true => Invalid::field("url", what).into(),
        false => ApiError::BadGateway(format!(
            "the other service redirected to a URL that is not followed: it {what}"
        )),
    }
}

/// What a failed exchange is for the caller: what went wrong, without addresses.
fn failure(error: &TransportError, is_first: bool) -> ApiError {
    tracing::debug!(
        error = error as &dyn StdError,
        "a request of the proxy failed"
    );
    if let Some(refused) = AddressRefused::of(error) {
        return match is_first {
            true => Invalid::field(
                "url",
                format!(
                    "the host is not reached: its address is {}; an administrator can allow hosts that are not public",
                    refused.reason()
                ),
            )
            .into(),
            false => ApiError::BadGateway(
                "the other service redirected to a host whose address is not public".to_owned(),
            ),
        };
    }
    let text = match error.kind() {
        TransportErrorKind::Timeout => {
            return ApiError::Timeout("the other service did not answer in time".to_owned());
        }
        TransportErrorKind::Connect => match cause_of(error) {
            Cause::Timeout => {
                return ApiError::Timeout("no connection to the other service in time".to_owned());
            }
            Cause::Refused => "the other service refuses the connection",
            Cause::Tls => {
                "no TLS session with the other service: its certificate is not accepted, or it does not support TLS"
            }
            Cause::Other => {
                "no connection to the other service: its name does not resolve, or no route leads to it"
            }
        },
        TransportErrorKind::Interrupted => "the other service broke the connection off",
        TransportErrorKind::Invalid => return wrong_url(is_first, "cannot be sent"),
        _ => "the other service's answer is not HTTP, or its head is too large",
    };
    ApiError::BadGateway(text.to_owned())
}

/// Why there is no connection.
enum Cause {
    Timeout,
    Refused,
    Tls,
    Other,
}

fn cause_of(error: &TransportError) -> Cause {
    let mut chain = std::iter::successors(error.source(), |&error| error.source());
    let cause = chain.find_map(|error| match error.downcast_ref::<io::Error>()?.kind() {
        io::ErrorKind::TimedOut => Some(Cause::Timeout),
        io::ErrorKind::ConnectionRefused => Some(Cause::Refused),
        // What comes after TCP, and before HTTP.
        io::ErrorKind::InvalidData
        | io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted => Some(Cause::Tls),
        _ => None,
    });
    cause.unwrap_or(Cause::Other)
}
