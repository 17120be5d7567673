//! Calls that return tokens, which are saved in the session.

use std::{fmt, future::IntoFuture};

use svc_auth::{
    AuthState, Mark, Session,
    account::{
        AcceptInvitation, ChangePassword, Login, PasswordChanged, ResetPasswordComplete, SignedIn,
    },
};
use svc_model::wire::{BoxFuture, Credential, Operation, OperationInfo};

use crate::{Call, Error, RequestOptions};

/// A call that returns tokens for the client's session: they are stored first, and used from then on.
///
/// The tokens of a call that requires a session, such as a changed password, are ignored if the session
/// was ended or started again in the meantime.
#[must_use = "a call does nothing until it is sent"]
pub struct TokenCall<O: ReturnsTokens>(Call<O>);

impl<O: ReturnsTokens> TokenCall<O> {
    pub(super) fn new(call: Call<O>) -> Self {
        Self(call)
    }

    /// Sets all [options of any call](RequestOptions) at once.
    pub fn options(self, options: RequestOptions) -> Self {
        Self(self.0.options(options))
    }

    /// Sends the call, saves the tokens and returns the response.
    ///
    /// # Errors
    /// The errors of [`Call::send`]; also kind [`Store`](crate::ErrorKind::Store) when the call succeeded
    /// but the tokens cannot be stored.
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

/// Saves the tokens of a response. Those of a call that requires a session are ignored if the session was ended or
/// started again since `mark`.
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
    O: ReturnsTokens + 'static,
    O::Response: Send + Sync + 'static,
{
    type Output = Result<O::Response, Error>;
    type IntoFuture = BoxFuture<'static, Result<O::Response, Error>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl<O: ReturnsTokens> fmt::Debug for TokenCall<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TokenCall").field(&self.0).finish()
    }
}

/// An account operation whose response contains tokens.
pub trait ReturnsTokens: Operation {
    /// The tokens of a response, if it has any.
    fn tokens(response: &Self::Response) -> Option<&AuthState>;
}

impl ReturnsTokens for Login {
    fn tokens(response: &SignedIn) -> Option<&AuthState> {
        Some(&response.token)
    }
}

impl ReturnsTokens for ChangePassword {
    fn tokens(response: &PasswordChanged) -> Option<&AuthState> {
        response.new_state.as_ref()
    }
}

impl ReturnsTokens for ResetPasswordComplete {
    fn tokens(response: &PasswordChanged) -> Option<&AuthState> {
        response.new_state.as_ref()
    }
}

impl ReturnsTokens for AcceptInvitation {
    fn tokens(response: &PasswordChanged) -> Option<&AuthState> {
        response.new_state.as_ref()
    }
}
