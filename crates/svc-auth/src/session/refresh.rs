//! What a session waits for: a look into the store, and the refresh of its tokens.
//!
//! Neither knows the session: what they bring is taken over by whoever waits for it.

use std::{panic::AssertUnwindSafe, sync::Arc};

use bytes::Bytes;
use futures_util::FutureExt;
use http::{StatusCode, header};
use svc_model::{
    ResponseError,
    wire::{BoxFuture, Deadline, Operation, TransportError, TransportErrorKind},
};

use super::{builder::Config, failure::Failure, state::tokens_are_due};
use crate::{AuthState, StoreError, StoredTokens, Swap, account::Refresh};

/// The most bytes that an answer may have.
const BODY_LIMIT: usize = 1024 * 1024;

const NOT_RESTORED: &str = "the tokens of the session could not be read from their store";
const NOT_REFRESHED: &str = "the session could not be refreshed";
const ENDED: &str = "the session has ended; sign in again";

/// What a flight brought.
#[derive(Debug)]
pub(super) enum Outcome {
    /// What the store keeps.
    Loaded(Option<StoredTokens>),
    /// New tokens, which are stored where they belong.
    Renewed(StoredTokens),
    /// New tokens, which the store did not take.
    Unsaved(StoredTokens, Failure),
    /// Nothing new.
    Failed(Failure),
    /// The service refuses to go on with the session.
    Ended(Failure),
}

/// Asks the store.
pub(super) fn load(config: &Arc<Config>) -> BoxFuture<'static, Arc<Outcome>> {
    let config = Arc::clone(config);
    let load = async move {
        match config.store.load().await {
            Ok(tokens) => Outcome::Loaded(tokens),
            Err(error) => Outcome::Failed(Failure::permanent(NOT_RESTORED, error)),
        }
    };
    guarded(load, NOT_RESTORED)
}

/// Renews tokens. `unsaved` are newer ones that an earlier try brought and could not store.
pub(super) fn refresh(
    config: &Arc<Config>,
    tokens: StoredTokens,
    unsaved: Option<StoredTokens>,
) -> BoxFuture<'static, Arc<Outcome>> {
    let config = Arc::clone(config);
    let renewal = async move {
        let renewal = Renewal {
            config: &config,
            stored: None,
        };
        renewal
            .run(tokens, unsaved)
            .await
            .unwrap_or_else(|outcome| outcome)
    };
    guarded(renewal, NOT_REFRESHED)
}

/// A panic of a transport, a store or a clock is a failure like any other: those who wait are told.
fn guarded(
    future: impl Future<Output = Outcome> + Send + 'static,
    message: &'static str,
) -> BoxFuture<'static, Arc<Outcome>> {
    let future = AssertUnwindSafe(future).catch_unwind().map(move |result| {
        Arc::new(result.unwrap_or_else(|_| {
            Outcome::Failed(Failure::transient(
                message,
                "the transport or store panicked",
            ))
        }))
    });
    Box::pin(future)
}

struct Renewal<'a> {
    config: &'a Config,
    /// What the store keeps of this session. Tokens of another one are left alone.
    stored: Option<StoredTokens>,
}

impl Renewal<'_> {
    /// `Err` is an outcome too, found on the way.
    async fn run(
        mut self,
        mut current: StoredTokens,
        unsaved: Option<StoredTokens>,
    ) -> Result<Outcome, Outcome> {
        let now = self.config.now();
        let _lease = self.config.store.lease().await.map_err(store_failed)?;
        let stored = self.config.store.load().await.map_err(store_failed)?;
        self.stored = stored.filter(|stored| stored.session() == current.session());

        let newer = self
            .stored
            .as_ref()
            .filter(|stored| stored.follows(&current));
        if let Some(newer) = newer {
            // Somebody who shares the store was faster.
            if !tokens_are_due(newer.state(), now) {
                return Ok(Outcome::Renewed(newer.clone()));
            }
            current = newer.clone();
        } else if let Some(unsaved) = unsaved {
            if !tokens_are_due(unsaved.state(), now) {
                return Ok(self.save(unsaved).await);
            }
            current = unsaved;
        }
        match self.request(&current).await {
            Ok(state) => Ok(self.save(current.renewed(state)).await),
            Err(Outcome::Ended(failure)) => Ok(self.end(failure).await),
            Err(outcome) => Err(outcome),
        }
    }

    /// Puts new tokens into the store, if it keeps those that they come from.
    async fn save(&self, new: StoredTokens) -> Outcome {
        let Some(expected) = &self.stored else {
            return Outcome::Renewed(new);
        };
        match self.config.store.swap(expected, Some(&new)).await {
            Ok(Swap::Refused(Some(other))) if other.follows(expected) => Outcome::Renewed(other),
            Ok(_) => Outcome::Renewed(new),
            Err(error) => Outcome::Unsaved(new, Failure::transient(NOT_REFRESHED, error)),
        }
    }

    /// Takes tokens that are of no use any more out of the store.
    async fn end(&self, failure: Failure) -> Outcome {
        let Some(expected) = &self.stored else {
            return Outcome::Ended(failure);
        };
        match self.config.store.swap(expected, None).await {
            // Somebody who shares the store was faster: the refused token was used up by them.
            Ok(Swap::Refused(Some(other))) if other.follows(expected) => Outcome::Renewed(other),
            // Tokens that stay in the store are refused again when they are next used.
            _ => Outcome::Ended(failure),
        }
    }

    async fn request(&self, tokens: &StoredTokens) -> Result<AuthState, Outcome> {
        let token = &tokens.state().refresh_token;
        let operation = Refresh::new(self.config.scope.clone(), token);
        let mut answer = self.send(&operation).await?;
        if answer.as_ref().is_err_and(may_be_lost) {
            // The token may be used up. The service takes it for some seconds more, in case the
            // answer is lost; after that, using it would end the session.
            answer = self.send(&operation).await?;
        }
        let answer = answer.map_err(|error| failed(Failure::transient(NOT_REFRESHED, error)))?;
        Refresh::parse_response(answer).map_err(|error| match error {
            ResponseError::Status(error) if is_refusal(error.status()) => {
                Outcome::Ended(Failure::permanent(ENDED, error))
            }
            error => failed(Failure::transient(NOT_REFRESHED, error)),
        })
    }

    /// One try. The outer error is that of a request that cannot be written.
    async fn send(
        &self,
        operation: &Refresh,
    ) -> Result<Result<http::Response<Bytes>, TransportError>, Outcome> {
        let config = self.config;
        let mut request = operation
            .to_request(config.base_url.as_str())
            .map_err(|error| failed(Failure::permanent(NOT_REFRESHED, error)))?;
        let timeout = Deadline(config.refresh_timeout);
        request.extensions_mut().insert(timeout);
        if let Some(user_agent) = &config.user_agent {
            let headers = request.headers_mut();
            headers.insert(header::USER_AGENT, user_agent.clone());
        }
        let response = match config.transport.send(request).await {
            Ok(response) => response,
            Err(error) => return Ok(Err(error)),
        };
        let (parts, body) = response.into_parts();
        let body = body.collect(BODY_LIMIT).await;
        Ok(body.map(|body| http::Response::from_parts(parts, body)))
    }
}

fn store_failed(error: StoreError) -> Outcome {
    failed(Failure::transient(NOT_REFRESHED, error))
}

fn failed(failure: Failure) -> Outcome {
    Outcome::Failed(failure)
}

/// Whether the service may have used the refresh token up, and its answer broke off.
fn may_be_lost(error: &TransportError) -> bool {
    let broke_off = matches!(
        error.kind(),
        TransportErrorKind::Interrupted | TransportErrorKind::Body
    );
    broke_off && !error.never_sent()
}

/// Whether the service says that there is no such session.
fn is_refusal(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN
    )
}
