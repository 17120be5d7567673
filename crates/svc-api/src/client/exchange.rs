//! One call over the transport: credentials, tries and the deadline.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, header};
use svc_auth::{AuthError, AuthTarget, BaseUrl, TokenProvider};
use svc_model::{
    X_REQUEST_ID,
    proxy::X_SVC_PROXY,
    wire::{
        Body, Credential, Deadline, Host, Operation, OperationInfo, RequestError, Timer,
        TransportError, TransportErrorKind, within,
    },
};

#[cfg(feature = "tracing")]
use tracing::{Instrument as _, debug_span, info_span};

use super::Inner;
use crate::{Error, RequestOptions, error::retry_after, retry::Failure};

/// The longest deadline; longer ones count as no deadline, since clocks overflow on them. A call without a deadline is
/// sent with this one, because a transport may have its own default.
const LONGEST_DEADLINE: Duration = Duration::from_secs(365 * 24 * 60 * 60);

// Parsed names, which are faster to look up than texts.
static REQUEST_ID: HeaderName = HeaderName::from_static(X_REQUEST_ID);
static SVC_PROXY: HeaderName = HeaderName::from_static(X_SVC_PROXY);

/// A response, and whether the request had a credential.
pub(crate) struct Exchanged {
    /// Its body is whole, unless the call asked for a stream and succeeded.
    pub(crate) response: http::Response<Body>,
    pub(crate) authorized: bool,
}

impl Exchanged {
    /// The result of the operation that was sent.
    pub(crate) fn parse<O: Operation>(self) -> Result<O::Response, Error> {
        O::parse_response(self.response.map(whole))
            .map_err(|error| Error::response(&O::INFO, error, self.authorized))
    }
}

/// The bytes of a body that was read.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it maps the body of a response"
)]
pub(crate) fn whole(body: Body) -> Bytes {
    body.as_bytes().cloned().unwrap_or_default()
}

/// A function that makes the request of a try. Few calls need a second try, so the request is made again instead of
/// being copied for every call.
pub(crate) type MakeRequest<'a> =
    &'a (dyn Fn() -> Result<http::Request<Body>, RequestError> + Sync);

/// Sends a request, repeats it if necessary, and returns the response with any status.
pub(crate) async fn exchange(
    client: &Inner,
    make_request: MakeRequest<'_>,
    target: AuthTarget<'_>,
    options: &RequestOptions,
) -> Result<Exchanged, Error> {
    let deadline = client.deadline_of(options);
    let timer = client.timer.as_deref();
    let tries = Tries {
        client,
        make_request,
        target,
        options,
        deadline,
        started: timer.map(Timer::now),
        max_tries: options.max_tries.unwrap_or(client.retry.max_tries),
        own_credential: options.headers.contains_key(header::AUTHORIZATION),
    };
    let run = tries.run();
    #[cfg(feature = "tracing")]
    let run = run.instrument(info_span!("svc_call", operation = target.operation.name));
    // A transport observes the deadline too; this limit also covers pauses, token providers, and
    // transports without a clock.
    let answer = match (timer, deadline) {
        #[cfg(feature = "hyper")]
        _ if tries.wait_for_transport_alone() => Some(run.await),
        (Some(timer), Some(deadline)) => within(timer, deadline, run).await,
        _ => Some(run.await),
    };
    answer.unwrap_or_else(|| Err(tries.failed(TransportErrorKind::Timeout.into())))
}

/// A credential that a call is sent with.
pub(crate) struct Authorization<'a> {
    pub(crate) header: HeaderValue,
    /// The provider of the credential, if it can change.
    provider: Option<&'a dyn TokenProvider>,
}

struct Tries<'a> {
    client: &'a Inner,
    make_request: MakeRequest<'a>,
    target: AuthTarget<'a>,
    options: &'a RequestOptions,
    deadline: Option<Duration>,
    started: Option<Duration>,
    max_tries: u32,
    /// Whether the caller set a credential for this call.
    own_credential: bool,
}

impl Tries<'_> {
    /// Whether there is nothing to wait for but a transport that keeps deadlines, and pauses, which end before.
    #[cfg(feature = "hyper")]
    fn wait_for_transport_alone(&self) -> bool {
        let has_credential =
            || self.own_credential || self.client.credentials.header(self.target).is_some();
        self.client.keeps_deadlines && has_credential()
    }

    async fn run(&self) -> Result<Exchanged, Error> {
        let mut authorization = self.authorization().await?;
        let mut tries = 0;
        let mut replayed = false;
        loop {
            let request = self
                .request(authorization.as_ref())
                .map_err(|error| Error::request(self.target.operation, error))?;
            let again = Repeatable::of(&request, self.target.operation);
            let result = self.send(request);
            #[cfg(feature = "tracing")]
            let result = observed(result, tries + 1);
            let result = result.await;

            if again.can_replay && !replayed && is_unauthenticated(&result) {
                if let Some(newer) = self.newer(authorization.as_ref()).await? {
                    // The replay with a new credential does not count as a try.
                    replayed = true;
                    authorization = Some(newer);
                    continue;
                }
            }
            tries += 1;
            if let Some(pause) = self.pause(&result, tries, again) {
                #[cfg(feature = "tracing")]
                tracing::debug!(?pause, "tries again");
                self.wait(pause).await;
                authorization = self.authorization().await?;
                continue;
            }
            let response = result.map_err(|error| self.failed(error))?;
            if response.status().is_success() {
                self.client.budget.deposit();
            }
            return Ok(Exchanged {
                response,
                authorized: self.own_credential || authorization.is_some(),
            });
        }
    }

    /// The request of a try.
    fn request(
        &self,
        authorization: Option<&Authorization<'_>>,
    ) -> Result<http::Request<Body>, RequestError> {
        let mut request = (self.make_request)()?;
        let left = self.left().unwrap_or(LONGEST_DEADLINE);
        #[cfg(not(target_family = "wasm"))]
        if !self.options.extensions.is_empty() {
            let extensions = self.options.extensions.clone();
            request.extensions_mut().extend(extensions);
        }
        request.extensions_mut().insert(Deadline(left));
        let headers = request.headers_mut();
        headers.insert(header::USER_AGENT, self.client.user_agent.clone());
        if let Some(id) = &self.options.request_id {
            let id = HeaderValue::try_from(id.as_str()).map_err(|error| {
                RequestError::new("the request id holds a character that cannot stand in a header")
                    .with_source(error)
            })?;
            headers.insert(&REQUEST_ID, id);
        }
        if let Some(authorization) = authorization {
            headers.insert(header::AUTHORIZATION, authorization.header.clone());
        }
        for (name, value) in &self.options.headers {
            headers.insert(name, value.clone());
        }
        Ok(request)
    }

    /// The credential of the next try.
    async fn authorization(&self) -> Result<Option<Authorization<'_>>, Error> {
        let operation = self.target.operation;
        if self.own_credential || operation.credential == Credential::Anonymous {
            return Ok(None);
        }
        let authorization = self.client.authorization(self.target).await;
        authorization.map_err(|error| Error::auth(operation, error))
    }

    /// A credential that differs from the refused one, if there is one.
    async fn newer(
        &self,
        refused: Option<&Authorization<'_>>,
    ) -> Result<Option<Authorization<'_>>, Error> {
        let Some((refused, provider)) = refused.and_then(|it| Some((&it.header, it.provider?)))
        else {
            return Ok(None);
        };
        provider.rejected(self.target, refused);
        let newer = self.authorization().await?;
        Ok(newer.filter(|newer| newer.header != *refused))
    }

    /// One try: sends the request and reads the whole response, unless it is to be a stream.
    async fn send(
        &self,
        request: http::Request<Body>,
    ) -> Result<http::Response<Body>, TransportError> {
        let response = self.client.transport.send(request).await?;
        if self.options.streams && response.status().is_success() {
            return Ok(response);
        }
        let (parts, body) = response.into_parts();
        let body = match body.collect(self.client.body_limit).await {
            // The status of an error says more than that its body is too large or breaks off.
            Err(_)
                if cfg!(not(target_family = "wasm"))
                    && !parts.status.is_success()
                    && !parts.headers.contains_key(&SVC_PROXY) =>
            {
                Bytes::new()
            }
            body => body?,
        };
        Ok(http::Response::from_parts(parts, body.into()))
    }

    /// The pause before another try; `None` if there is no further try.
    fn pause(
        &self,
        result: &Result<http::Response<Body>, TransportError>,
        tries: u32,
        again: Repeatable,
    ) -> Option<Duration> {
        let (failure, retry_after) = match result {
            Ok(response) if response.status().is_success() || is_passed_on(response) => {
                return None;
            }
            Ok(response) => (
                Failure::Status(response.status()),
                retry_after(response.headers()),
            ),
            Err(error) => (Failure::Transport(error), None),
        };
        let timer = self.client.timer.as_deref();
        if !again.can_replay
            || tries >= self.max_tries
            || !failure.is_retryable(again.idempotent, timer.is_some())
        {
            return None;
        }
        let pause = match timer {
            None => Duration::ZERO,
            Some(timer) => self.client.retry.pause(tries, retry_after, random(timer)),
        };
        let is_late = match self.left() {
            Some(left) => left <= pause,
            None => pause > self.client.retry.max_delay,
        };
        if is_late {
            return None;
        }
        self.client.budget.withdraw().then_some(pause)
    }

    async fn wait(&self, pause: Duration) {
        let timer = self.client.timer.as_deref();
        if let Some(timer) = timer.filter(|_| pause > Duration::ZERO) {
            timer.sleep(pause).await;
        }
    }

    /// The remaining time until the deadline.
    fn left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        let timer = self.client.timer.as_deref();
        let spent = match (timer, self.started) {
            (Some(timer), Some(started)) => timer.now().saturating_sub(started),
            _ => Duration::ZERO,
        };
        Some(deadline.saturating_sub(spent))
    }

    fn failed(&self, error: TransportError) -> Error {
        let operation = self.target.operation;
        Error::transport(operation, error, self.client.base_url(operation.host))
    }
}

impl Inner {
    /// The deadline of a call with these options.
    pub(crate) fn deadline_of(&self, options: &RequestOptions) -> Option<Duration> {
        let deadline = options.deadline.unwrap_or(self.deadline);
        deadline.filter(|deadline| *deadline < LONGEST_DEADLINE)
    }

    /// The credential of a call. Static credentials come first, since a client's own token takes priority over a
    /// session (specification, section 5, "User sessions", rule 7).
    pub(crate) async fn authorization(
        &self,
        target: AuthTarget<'_>,
    ) -> Result<Option<Authorization<'_>>, AuthError> {
        if let Some(header) = self.credentials.header(target) {
            return Ok(Some(Authorization {
                header: header.clone(),
                provider: None,
            }));
        }
        for provider in self.providers() {
            if let Some(mut header) = provider.authorization(target).await? {
                header.set_sensitive(true);
                return Ok(Some(Authorization {
                    header,
                    provider: Some(provider),
                }));
            }
        }
        Ok(None)
    }

    /// The providers of credentials that can change: the caller's own provider, then the session.
    fn providers(&self) -> impl Iterator<Item = &dyn TokenProvider> {
        #[cfg(feature = "account")]
        let session: Option<&dyn TokenProvider> = Some(&self.session);
        #[cfg(not(feature = "account"))]
        let session = None;
        self.provider.as_deref().into_iter().chain(session)
    }

    pub(crate) fn base_url(&self, host: Host) -> &BaseUrl {
        match host {
            Host::Application => &self.settings.app_base_url,
            _ => &self.settings.api_base_url,
        }
    }
}

/// A try with a span of its own, in which its end is an event.
#[cfg(feature = "tracing")]
async fn observed(
    exchange: impl Future<Output = Result<http::Response<Body>, TransportError>>,
    number: u32,
) -> Result<http::Response<Body>, TransportError> {
    let exchange = async {
        let result = exchange.await;
        match &result {
            Ok(response) => {
                tracing::debug!(status = response.status().as_u16(), "answered");
            }
            Err(error) => {
                tracing::debug!(kind = ?error.kind(), %error, "not answered");
            }
        }
        result
    };
    exchange.instrument(debug_span!("svc_try", number)).await
}

/// A number between zero and one, at random: the keys of the standard library's hash maps are.
#[cfg(not(target_family = "wasm"))]
fn random(_: &dyn Timer) -> f64 {
    use std::hash::{BuildHasher as _, RandomState};

    f64::from(RandomState::new().hash_one(()) as u32) / f64::from(u32::MAX)
}

/// A number between zero and one, from the clock, since the standard library has no random numbers in browsers.
#[cfg(target_family = "wasm")]
fn random(timer: &dyn Timer) -> f64 {
    let mixed = timer.now().subsec_nanos().wrapping_mul(0x9E37_79B9);
    f64::from(mixed) / f64::from(u32::MAX)
}

fn is_unauthenticated(result: &Result<http::Response<Body>, TransportError>) -> bool {
    matches!(
        result,
        Ok(response) if response.status() == StatusCode::UNAUTHORIZED && !is_passed_on(response)
    )
}

/// Whether the response comes from another service and says nothing about this one.
pub(crate) fn is_passed_on<B>(response: &http::Response<B>) -> bool {
    response.headers().contains_key(&SVC_PROXY)
}

/// Whether and why a request can be sent a second time.
#[derive(Clone, Copy)]
struct Repeatable {
    /// Whether its body can be sent a second time.
    can_replay: bool,
    /// Whether the request is idempotent.
    idempotent: bool,
}

impl Repeatable {
    fn of(request: &http::Request<Body>, operation: &OperationInfo) -> Self {
        Self {
            can_replay: request.body().as_bytes().is_some(),
            // The first request changes the tag that the second one would require.
            idempotent: operation.idempotent && !request.headers().contains_key(header::IF_MATCH),
        }
    }
}
