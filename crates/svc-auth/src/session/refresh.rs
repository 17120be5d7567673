//! The flights of a session: reading the store, and refreshing the tokens.
//!
//! They have no access to the session: the calls that wait for them apply their outcome.

use std::{future::poll_fn, pin::pin, sync::Arc, time::Duration};

use bytes::Bytes;
#[cfg(not(target_family = "wasm"))]
use futures_util::FutureExt;
use http::{StatusCode, header};
#[cfg(not(target_family = "wasm"))]
use svc_model::wire::{TransportErrorKind, within};
use svc_model::{
    ResponseError,
    wire::{BoxError, Deadline, Operation, TransportError, add_draft},
};

use super::{
    builder::Config,
    failure::Failure,
    outcome::Outcome,
    progress::{Progress, UnansweredRefresh},
    state::{RefreshInput, Started},
    tokens::{access_is_valid, tokens_are_due},
};
use crate::{AuthState, StoreError, StoredTokens, Swap, account::Refresh};

/// The maximum size of a response in bytes.
const BODY_LIMIT: usize = 1024 * 1024;

/// How long the first request waits for its response. After that there is still time to send the token
/// a second time before the service treats it as stolen.
const FIRST_TRY: Duration = Duration::from_secs(5);

const NOT_RESTORED: &str = "the tokens of the session could not be read from their store";
const NOT_REFRESHED: &str = "the session could not be refreshed";
const UNANSWERED: &str = "the answer to the last refresh was lost";
const ENDED: &str = "the session has ended; sign in again";

/// Reads the store. Tokens of another place are ignored.
pub(super) fn load(config: &Arc<Config>) -> Started {
    let config = Arc::clone(config);
    let load = async move {
        match config.store.load().await {
            Ok(tokens) => Outcome::Loaded(tokens.filter(|it| it.belongs_to(&config.place))),
            Err(error) => Outcome::Failed(Failure::permanent(NOT_RESTORED, error)),
        }
    };
    guarded(load, NOT_RESTORED, Arc::new(Progress::of_load()))
}

/// Refreshes the tokens.
pub(super) fn refresh(config: &Arc<Config>, refresh_input: RefreshInput) -> Started {
    let config = Arc::clone(config);
    let progress = Arc::new(Progress::of_refresh());
    let shown = Arc::clone(&progress);
    let renewal = async move {
        let renewal = Renewal {
            config: &config,
            progress: &progress,
            stored: None,
        };
        // Runs even when a transport panics.
        let _release = Release(&progress);
        renewal
            .run(refresh_input)
            .await
            .unwrap_or_else(|outcome| outcome)
    };
    #[cfg(feature = "tracing")]
    let renewal = {
        use tracing::Instrument as _;
        renewal.instrument(tracing::info_span!("svc_refresh"))
    };
    guarded(renewal, NOT_REFRESHED, shown)
}

/// A guard that gives the lease back.
struct Release<'a>(&'a Progress);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Converts a panic of a transport, a store or a clock into a failure, which all waiting calls get.
fn guarded(
    future: impl Future<Output = Outcome> + Send + 'static,
    message: &'static str,
    progress: Arc<Progress>,
) -> Started {
    #[cfg(not(target_family = "wasm"))]
    let future = std::panic::AssertUnwindSafe(future)
        .catch_unwind()
        .map(move |result| {
            result.unwrap_or_else(|_| {
                let panicked = "the transport or store panicked";
                Outcome::Failed(Failure::transient(message, panicked))
            })
        });
    // On WebAssembly a panic ends the whole module.
    #[cfg(target_family = "wasm")]
    let _ = message;
    (Box::pin(async move { Arc::new(future.await) }), progress)
}

struct Renewal<'a> {
    config: &'a Config,
    progress: &'a Progress,
    /// The tokens of this session in the store. Those of another session are not changed.
    stored: Option<StoredTokens>,
}

impl Renewal<'_> {
    /// `Err` is an outcome too, with which the refresh ends early.
    async fn run(mut self, refresh_input: RefreshInput) -> Result<Outcome, Outcome> {
        let RefreshInput {
            tokens: mut current,
            unsaved,
            unanswered,
            is_refused,
        } = refresh_input;
        let mut is_newer = false;
        self.lease().await?;
        // Read only now, since waiting for the lease may take long.
        let now = self.config.now();
        // While the access token is valid, there is no need to risk the session. Later only the
        // refresh token is left, so it is tried even if it may be used up.
        let mut is_valid = !is_refused && access_is_valid(current.state(), now);
        let stored = self.config.store.load().await.map_err(store_failed)?;
        self.stored = stored.filter(|stored| {
            stored.session() == current.session() && stored.belongs_to(&self.config.place)
        });

        let newer = self
            .stored
            .as_ref()
            .filter(|stored| stored.follows(&current));
        if let Some(newer) = newer {
            // Another session with the same store was faster.
            if !tokens_are_due(newer.state(), now) {
                return Ok(Outcome::Renewed(newer.clone()));
            }
            current = newer.clone();
            is_valid = access_is_valid(newer.state(), now);
            is_newer = true;
        } else if let Some(unsaved) = unsaved {
            if !tokens_are_due(unsaved.state(), now) {
                return Ok(self.save(unsaved).await);
            }
            current = unsaved;
        }

        let unanswered = self.unanswered(unanswered, &current);
        let pending = unanswered
            .as_ref()
            .filter(|unanswered| !unanswered.may_be_repeated(now));
        if let (Some(unanswered), true) = (pending, is_valid) {
            if is_newer {
                return Ok(Outcome::Renewed(current));
            }
            self.progress.mark_unanswered(unanswered.clone());
            return Err(failed(Failure::transient(NOT_REFRESHED, UNANSWERED)));
        }
        match self.request(&current, unanswered).await? {
            Reply::Tokens(state) => {
                // Others may have changed further fields of the entry.
                #[cfg(not(target_family = "wasm"))]
                let current = self.stored.as_ref().unwrap_or(&current);
                let new = current.renewed(state).at(&self.config.place);
                Ok(self.save(new).await)
            }
            Reply::Refused(failure) => Ok(self.end(failure).await),
            Reply::Unanswered { error, .. } | Reply::Failed(error) => {
                self.warn_others().await;
                Err(failed(Failure::transient(NOT_REFRESHED, error)))
            }
        }
    }

    /// Whether the refresh token may be used up, by an earlier refresh of this session or by one of
    /// another session, which has marked the entry in the store.
    fn unanswered(
        &self,
        own: Option<UnansweredRefresh>,
        current: &StoredTokens,
    ) -> Option<UnansweredRefresh> {
        let token = &current.state().refresh_token;
        let stored = self.stored.as_ref();
        let stored = stored.and_then(|stored| {
            Some(UnansweredRefresh {
                token: stored.state().refresh_token.clone(),
                since: Some(stored.unanswered_since()?),
            })
        });
        let mut known = own.into_iter().chain(stored);
        known.find(|unanswered| unanswered.token == *token)
    }

    /// Marks the entry in the store: its refresh token was sent without getting a response, so that
    /// other sessions do not treat it as unused.
    async fn warn_others(&self) {
        let (Some(unanswered), Some(stored)) = (self.progress.unanswered(), &self.stored) else {
            return;
        };
        let is_of_stored = unanswered.token == stored.state().refresh_token;
        let is_unmarked = stored.unanswered_since().is_none();
        if let (Some(since), true) = (unanswered.since, is_of_stored && is_unmarked) {
            let marked = stored.clone().marked_as_unanswered(since);
            // A failure is ignored: the store then just has no mark.
            let _ = self.config.store.swap(stored, Some(&marked)).await;
        }
    }

    async fn lease(&self) -> Result<(), Outcome> {
        let mut lease = pin!(self.config.store.lease());
        let lease = poll_fn(|context| {
            let polled = lease.as_mut().poll(context);
            if polled.is_pending() {
                self.progress.awaits_lease();
            }
            polled
        });
        self.progress.leased(lease.await.map_err(store_failed)?);
        Ok(())
    }

    /// Replaces the entry of the store by `new`, or removes it, unless the store has other tokens by
    /// now. Fields that others have changed are kept.
    async fn swap(
        &self,
        mut expected: StoredTokens,
        mut new: Option<StoredTokens>,
    ) -> Result<Swap, StoreError> {
        loop {
            match self.config.store.swap(&expected, new.as_ref()).await? {
                Swap::Refused(Some(kept)) if kept.has_tokens_of(&expected) => {
                    let place = &self.config.place;
                    new = new.map(|new| kept.renewed(new.state().clone()).at(place));
                    expected = kept;
                }
                result => return Ok(result),
            }
        }
    }

    /// Stores new tokens, if the store still has those that they were made from.
    async fn save(&self, new: StoredTokens) -> Outcome {
        let Some(expected) = &self.stored else {
            return Outcome::Renewed(new);
        };
        match self.swap(expected.clone(), Some(new.clone())).await {
            Ok(Swap::Refused(Some(other))) if other.follows(expected) => Outcome::Renewed(other),
            Ok(_) => Outcome::Renewed(new),
            Err(error) => Outcome::Unsaved(new, Failure::transient(NOT_REFRESHED, error)),
        }
    }

    /// Removes useless tokens from the store.
    async fn end(&self, failure: Failure) -> Outcome {
        let Some(expected) = &self.stored else {
            return Outcome::Ended(failure);
        };
        match self.swap(expected.clone(), None).await {
            // Another session with the same store was faster and has used up the token.
            Ok(Swap::Refused(Some(other))) if other.follows(expected) => Outcome::Renewed(other),
            // If the tokens stay in the store, they are refused again at their next use.
            _ => Outcome::Ended(failure),
        }
    }

    async fn request(
        &self,
        tokens: &StoredTokens,
        earlier: Option<UnansweredRefresh>,
    ) -> Result<Reply, Outcome> {
        let token = &tokens.state().refresh_token;
        let operation = Refresh::new(self.config.realm.clone(), token);
        let was_in_doubt = earlier.is_some();
        let unanswered = earlier.unwrap_or_else(|| UnansweredRefresh {
            token: token.clone(),
            since: self.config.now(),
        });
        self.progress.mark_unanswered(unanswered.clone());
        self.progress.sends();

        let timeout = self.config.refresh_timeout;
        let first_try = FIRST_TRY.min(timeout / 2);
        let mut reply = self.send(&operation, first_try).await?;
        if let Reply::Unanswered { has_status, .. } = reply {
            // The token may be used up. The service accepts it for some more seconds, in case the
            // response was lost; after that, using it would end the session.
            if self.progress.was_parked() {
                return Err(Outcome::Interrupted);
            }
            let now = self.config.now();
            let may_be_repeated = now.is_none() || unanswered.may_be_repeated(now);
            if has_status || !may_be_repeated {
                return Ok(reply);
            }
            reply = self.send(&operation, timeout - first_try).await?;
        } else if !was_in_doubt {
            self.progress.mark_answered();
        }
        if matches!(reply, Reply::Tokens(_) | Reply::Refused(_)) {
            self.progress.mark_answered();
        }
        Ok(reply)
    }

    /// One try. It fails only when the request cannot be written.
    async fn send(&self, operation: &Refresh, timeout: Duration) -> Result<Reply, Outcome> {
        let config = self.config;
        let mut request = operation
            .to_request(&config.place.api_base_url)
            .map_err(|error| failed(Failure::permanent(NOT_REFRESHED, error)))?;
        if config.draft {
            add_draft(&mut request);
        }
        request.extensions_mut().insert(Deadline(timeout));
        if let Some(user_agent) = &config.user_agent {
            let headers = request.headers_mut();
            headers.insert(header::USER_AGENT, user_agent.clone());
        }
        let exchange = async {
            let response = config.transport.send(request).await?;
            let (parts, body) = response.into_parts();
            let body = body.collect(BODY_LIMIT).await?;
            Ok(http::Response::from_parts(parts, body))
        };
        let result = in_time(config, timeout, exchange).await;
        #[cfg(feature = "tracing")]
        match &result {
            Ok(response) => {
                tracing::debug!(status = response.status().as_u16(), "refresh answered");
            }
            Err(error) => {
                tracing::debug!(%error, "refresh not answered");
            }
        }
        Ok(read(result))
    }
}

type Answer = Result<http::Response<Bytes>, TransportError>;

/// Waits at most `limit`, even with a transport that ignores deadlines.
#[cfg(not(target_family = "wasm"))]
async fn in_time(
    config: &Config,
    limit: Duration,
    exchange: impl Future<Output = Answer>,
) -> Answer {
    match &config.timer {
        None => exchange.await,
        Some(timer) => within(&**timer, limit, exchange)
            .await
            .unwrap_or_else(|| Err(TransportErrorKind::Timeout.into())),
    }
}

/// Waits without a limit: on JavaScript the transport itself enforces the deadline.
#[cfg(target_family = "wasm")]
async fn in_time(_: &Config, _: Duration, exchange: impl Future<Output = Answer>) -> Answer {
    exchange.await
}

/// The result of a request.
enum Reply {
    /// New tokens.
    Tokens(AuthState),
    /// The service answered that the session does not exist.
    Refused(Failure),
    /// The service may have used up the refresh token; its response was lost or gives no information.
    Unanswered {
        /// The error instead of a response.
        error: BoxError,
        /// Whether the service sent a status: it has a problem then, and no request is sent for a while.
        has_status: bool,
    },
    /// The service has not used up the refresh token.
    Failed(BoxError),
}

fn read(answer: Result<http::Response<Bytes>, TransportError>) -> Reply {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) if error.never_sent() => return Reply::Failed(error.into()),
        Err(error) => return unanswered(error, false),
    };
    match Refresh::parse_response(answer) {
        Ok(state) => Reply::Tokens(state),
        Err(ResponseError::Status(error)) => match error.status() {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Reply::Refused(Failure::permanent(ENDED, error))
            }
            // A gateway sends this status too, when it has lost the service's response.
            status if status.is_server_error() => unanswered(error, true),
            _ => Reply::Failed(error.into()),
        },
        Err(error) => unanswered(error, false),
    }
}

fn unanswered(error: impl Into<BoxError>, has_status: bool) -> Reply {
    Reply::Unanswered {
        error: error.into(),
        has_status,
    }
}

fn store_failed(error: StoreError) -> Outcome {
    failed(Failure::transient(NOT_REFRESHED, error))
}

fn failed(failure: Failure) -> Outcome {
    Outcome::Failed(failure)
}
