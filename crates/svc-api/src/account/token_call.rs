//! Calls that bring tokens, which are saved.

use std::{fmt, future::IntoFuture};

use svc_auth::{
    AuthState, Mark, Session,
    account::{
        AcceptInvitation, ChangePassword, Login, PasswordChanged, ResetPasswordComplete, SignedIn,
    },
};
use svc_model::wire::{BoxFuture, Credential, Operation, OperationInfo};

use crate::{Call, Error, RequestOptions};

/// A call that brings tokens, which the client's session takes: they are stored first, and used
/// from then on.
///
/// The answer to a call that a session opens, such as a changed password, is not taken by a session
/// that was ended or started again meanwhile.
#[must_use = "a call does nothing until it is sent"]
pub struct TokenCall<O: BringsTokens>(Call<O>);

impl<O: BringsTokens> TokenCall<O> {
    pub(super) fn new(call: Call<O>) -> Self {
        Self(call)
    }

    /// Sets all [options of any call](RequestOptions) at once.
    pub fn options(self, options: RequestOptions) -> Self {
        Self(self.0.options(options))
    }

    /// Sends the call, saves the tokens and gives the answer.
    ///
    /// # Errors
    /// As [`Call::send`]; of kind [`Store`](crate::ErrorKind::Store) when the service has done what
    /// it was asked and the tokens cannot be stored.
    pub async fn send(self) -> Result<O::Response, Error> {
        let session = self.0.client.session().clone();
        let mark = session.mark();
        let response = self.0.send().await?;
        if let Some(tokens) = O::tokens(&response) {
            save(&session, mark, &O::INFO, tokens.clone()).await?;
        }
        Ok(response)
    }
}

/// Saves the tokens of an answer. A session that was ended or started again since `mark` does not take those of a
/// call that it opened.
pub(super) async fn save(
    session: &Session,
    mark: Mark,
    operation: &OperationInfo,
    tokens: AuthState,
) -> Result<(), Error> {
    let saved = if operation.credential == Credential::Session {
        session.update(mark, tokens).await.map(|_| ())
    } else {
        session.set(tokens).await
    };
    saved.map_err(|error| Error::store(operation, error))
}

impl TokenCall<AcceptInvitation> {
    /// Sets the first name.
    pub fn first_name(self, name: impl Into<String>) -> Self {
        let set = |operation: &mut AcceptInvitation| operation.first_name = Some(name.into());
        Self(self.0.with(set))
    }

    /// Sets the last name.
    pub fn last_name(self, name: impl Into<String>) -> Self {
        let set = |operation: &mut AcceptInvitation| operation.last_name = Some(name.into());
        Self(self.0.with(set))
    }
}

impl<O> IntoFuture for TokenCall<O>
where
    O: BringsTokens + 'static,
    O::Response: Send + Sync + 'static,
{
    type Output = Result<O::Response, Error>;
    type IntoFuture = BoxFuture<'static, Result<O::Response, Error>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl<O: BringsTokens> fmt::Debug for TokenCall<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TokenCall").field(&self.0).finish()
    }
}

/// An operation of an account whose answer holds tokens.
pub trait BringsTokens: Operation {
    /// The tokens of an answer, if it has some.
    fn tokens(response: &Self::Response) -> Option<&AuthState>;
}

impl BringsTokens for Login {
    fn tokens(response: &SignedIn) -> Option<&AuthState> {
        Some(&response.token)
    }
}

impl BringsTokens for ChangePassword {
    fn tokens(response: &PasswordChanged) -> Option<&AuthState> {
        response.new_state.as_ref()
    }
}

impl BringsTokens for ResetPasswordComplete {
    fn tokens(response: &PasswordChanged) -> Option<&AuthState> {
        response.new_state.as_ref()
    }
}

impl BringsTokens for AcceptInvitation {
    fn tokens(response: &PasswordChanged) -> Option<&AuthState> {
        response.new_state.as_ref()
    }
}
