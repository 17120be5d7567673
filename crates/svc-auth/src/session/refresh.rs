//! What a session waits for: a look into the store, and the refresh of its tokens.
//!
//! Neither knows the session: what they bring is taken over by the calls that wait for it.

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
    held::{access_is_valid, tokens_are_due},
    outcome::Outcome,
    progress::{Doubt, Progress},
    state::{Departure, Started},
};
use crate::{AuthState, StoreError, StoredTokens, Swap, account::Refresh};

/// The most bytes that an answer may have.
const BODY_LIMIT: usize = 1024 * 1024;

/// How long the first request waits for its answer. After that there is still time to send the token
/// once more before the service takes it for a stolen one.
const FIRST_TRY: Duration = Duration::from_secs(5);

const NOT_RESTORED: &str = "the tokens of the session could not be read from their store";
const NOT_REFRESHED: &str = "the session could not be refreshed";
const UNANSWERED: &str = "the answer to the last refresh was lost";
const ENDED: &str = "the session has ended; sign in again";

/// Asks the store. Tokens of another place are as good as none.
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

/// Renews tokens.
pub(super) fn refresh(config: &Arc<Config>, departure: Departure) -> Started {
    let config = Arc::clone(config);
    let progress = Arc::new(Progress::of_refresh());
    let shown = Arc::clone(&progress);
    let renewal = async move {
        let renewal = Renewal {
            config: &config,
            progress: &progress,
            stored: None,
        };
        // Also when a transport panics.
        let _release = Release(&progress);
        renewal
            .run(departure)
            .await
            .unwrap_or_else(|outcome| outcome)
    };
    guarded(renewal, NOT_REFRESHED, shown)
}

/// Gives the lease back at the end.
struct Release<'a>(&'a Progress);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// A panic of a transport, a store or a clock is a failure like any other: those who wait are told.
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
    // A panic ends the module there.
    #[cfg(target_family = "wasm")]
    let _ = message;
    (Box::pin(async move { Arc::new(future.await) }), progress)
}

struct Renewal<'a> {
    config: &'a Config,
    progress: &'a Progress,
    /// What the store keeps of this session. Tokens of another one are left alone.
    stored: Option<StoredTokens>,
}

impl Renewal<'_> {
    /// `Err` is an outcome too, found on the way.
    async fn run(mut self, departure: Departure) -> Result<Outcome, Outcome> {
        let Departure {
            tokens: mut current,
            unsaved,
            doubt,
            is_refused,
        } = departure;
        let mut is_newer = false;
        self.lease().await?;
        // Not before: the lease may take long.
        let now = self.config.now();
        // As long as the access token is good, a session that ends is a loss. Later the refresh
        // token is all that there is, used up or not.
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
            // Another session that shares the store was faster.
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

        let doubt = self.doubt(doubt, &current);
        let pending = doubt.as_ref().filter(|doubt| !doubt.may_be_repeated(now));
        if let (Some(doubt), true) = (pending, is_valid) {
            if is_newer {
                return Ok(Outcome::Renewed(current));
            }
            self.progress.is_in_doubt(doubt.clone());
            return Err(failed(Failure::transient(NOT_REFRESHED, UNANSWERED)));
        }
        match self.request(&current, doubt).await? {
            Reply::Tokens(state) => {
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

    /// Whether the refresh token may be used up: since an earlier refresh, or since one of another
    /// session, which has left word in the store.
    fn doubt(&self, own: Option<Doubt>, current: &StoredTokens) -> Option<Doubt> {
        let token = &current.state().refresh_token;
        let stored = self.stored.as_ref();
        let stored = stored.and_then(|stored| {
            Some(Doubt {
                token: stored.state().refresh_token.clone(),
                since: Some(stored.unanswered_since()?),
            })
        });
        let doubts = own.into_iter().chain(stored);
        let mut doubts = doubts.filter(|doubt| doubt.token == *token);
        doubts.next()
    }

    /// Writes into the store that its refresh token was sent and not answered, so that other
    /// sessions do not take it for a fresh one.
    async fn warn_others(&self) {
        let (Some(doubt), Some(stored)) = (self.progress.doubt(), &self.stored) else {
            return;
        };
        let is_of_stored = doubt.token == stored.state().refresh_token;
        let is_unmarked = stored.unanswered_since().is_none();
        if let (Some(since), true) = (doubt.since, is_of_stored && is_unmarked) {
            let marked = stored.clone().marked_as_unanswered(since);
            // A store that cannot be written now is no worse than one without the mark.
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

    /// Puts `new` in place of what the store keeps, or removes that, unless it has other tokens by
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

    /// Puts new tokens into the store, if it keeps those that they come from.
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

    /// Removes tokens that are of no use any more from the store.
    async fn end(&self, failure: Failure) -> Outcome {
        let Some(expected) = &self.stored else {
            return Outcome::Ended(failure);
        };
        match self.swap(expected.clone(), None).await {
            // Another session that shares the store was faster, and has used the token up.
            Ok(Swap::Refused(Some(other))) if other.follows(expected) => Outcome::Renewed(other),
            // Tokens that stay in the store are refused again when they are next used.
            _ => Outcome::Ended(failure),
        }
    }

    async fn request(
        &self,
        tokens: &StoredTokens,
        earlier: Option<Doubt>,
    ) -> Result<Reply, Outcome> {
        let token = &tokens.state().refresh_token;
        let operation = Refresh::new(self.config.scope.clone(), token);
        let was_in_doubt = earlier.is_some();
        let doubt = earlier.unwrap_or_else(|| Doubt {
            token: token.clone(),
            since: self.config.now(),
        });
        self.progress.is_in_doubt(doubt.clone());
        self.progress.sends();

        let timeout = self.config.refresh_timeout;
        let first_try = FIRST_TRY.min(timeout / 2);
        let mut reply = self.send(&operation, first_try).await?;
        if let Reply::Unanswered { has_status, .. } = reply {
            // The token may be used up. The service takes it for some seconds more, in case the
            // answer was lost; after that, using it would end the session.
            if self.progress.was_parked() {
                return Err(Outcome::Interrupted);
            }
            let now = self.config.now();
            let may_be_repeated = now.is_none() || doubt.may_be_repeated(now);
            if has_status || !may_be_repeated {
                return Ok(reply);
            }
            reply = self.send(&operation, timeout - first_try).await?;
        } else if !was_in_doubt {
            self.progress.is_answered();
        }
        if matches!(reply, Reply::Tokens(_) | Reply::Refused(_)) {
            self.progress.is_answered();
        }
        Ok(reply)
    }

    /// One try. The error is that of a request that cannot be written.
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
        Ok(read(in_time(config, timeout, exchange).await))
    }
}

type Answer = Result<http::Response<Bytes>, TransportError>;

/// Waits for no longer than `limit`, over a transport that does not keep to deadlines too.
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

/// Waits. Timers of JavaScript run by themselves, so that a transport has kept to its deadline.
#[cfg(target_family = "wasm")]
async fn in_time(_: &Config, _: Duration, exchange: impl Future<Output = Answer>) -> Answer {
    exchange.await
}

/// What came of a request.
enum Reply {
    /// New tokens.
    Tokens(AuthState),
    /// The service says that there is no such session.
    Refused(Failure),
    /// The service may have used the refresh token up, and its answer did not come or says nothing.
    Unanswered {
        /// What came instead of an answer.
        error: BoxError,
        /// Whether the service said something: it is in trouble then, and gets a pause.
        has_status: bool,
    },
    /// The service has not used the refresh token up.
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
            // A gateway says so too when it has lost the service's answer.
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
