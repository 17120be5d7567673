//! Accounts: sign in and out, sign up, passwords, e-mail addresses, sessions (specification, section 5,
//! "Account methods").

mod sign_out;
mod token_call;

use bytes::Bytes;
use http::{HeaderMap, header};
use serde_json::Value;
use svc_auth::{
    AuthState, AuthTarget, ServiceToken, Session, TokenStore,
    account::{
        AcceptInvitation, ChangeEmail, ChangeEmailComplete, ChangePassword, Code, EndOtherSessions,
        EndSession, GetUser, ListSessions, Login, Password, Register, ResetPassword,
        ResetPasswordComplete, UserInfo,
    },
};
use svc_model::{
    ListQuery,
    wire::{AnyOperation, Operation, OperationInfo, Timer, TransportErrorKind, within},
};

use self::token_call::save;
pub use self::{
    sign_out::SignOut,
    token_call::{ReturnsTokens, TokenCall},
};
use crate::{Call, Client, Error, RequestOptions};

/// The operation that the headers of a user are requested for.
static GET_USER: OperationInfo = GetUser::INFO;

/// The account of the user who is signed in or is about to sign in. Use [`Client::account`] to get it.
///
/// Calls that return tokens save them in the client's [`Session`]. It renews them and provides them to
/// calls that require a session, and to calls for which the client has no static token. An `api_token`
/// takes priority over them (specification, "User sessions", rule 7).
///
/// ```
/// # use svc_api::{Client, Error};
/// # async fn example(client: Client) -> Result<(), Error> {
/// let account = client.account();
/// let signed_in = account.login_via_email_password("ann@example.com", "correct horse").await?;
/// println!("welcome, {}", signed_in.user.uid);
///
/// let check = account.is_authenticated().await?;
/// assert!(check.authenticated);
///
/// account.logout().revoke().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Account {
    client: Client,
}

/// The result of [`Account::is_authenticated`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Authentication {
    /// Whether a user is signed in.
    pub authenticated: bool,
    /// The user who is signed in; `None` when nobody is.
    pub user: Option<UserInfo>,
}

impl Client {
    /// The account of the user who is signed in or is about to sign in, in the client's project and
    /// environment.
    pub fn account(&self) -> Account {
        Account {
            client: self.clone(),
        }
    }

    /// A copy of this client for another user, whose tokens are in `store`.
    ///
    /// Both clients share connections, options, the retry budget, and static keys and tokens. A server
    /// that acts for many users makes one for each request, which costs very little:
    ///
    /// ```
    /// # use svc_api::{Client, Error, Record, auth::{AuthState, MemoryStore}};
    /// /// Answers a request with what its user may see. The user's tokens come in a cookie, and go
    /// /// back in one, as they may have been renewed.
    /// # #[cfg(feature = "records")]
    /// async fn orders(
    ///     client: &Client,
    ///     cookie: AuthState,
    /// ) -> Result<(Vec<Record>, Option<AuthState>), Error> {
    ///     let store = MemoryStore::holding(cookie);
    ///     let client = client.with_session_store(store.clone());
    ///     let page = client.records("shop", "orders").list().await?;
    ///     Ok((page.results, store.tokens()))
    /// }
    /// ```
    #[must_use]
    pub fn with_session_store(&self, store: impl TokenStore) -> Self {
        self.with_session(|inner| {
            inner.session_options.for_another_user(store);
            inner.session = inner.session_options.session(
                &inner.transport,
                inner.timer.as_ref(),
                &inner.settings,
                &inner.user_agent,
            );
        })
    }
}

impl Account {
    /// The session with the tokens.
    pub fn session(&self) -> &Session {
        self.client.session()
    }

    /// Signs in with an e-mail address and a password, and saves the tokens.
    ///
    /// # Errors
    /// Status 401 when the e-mail address or the password is wrong, and 429 after too many tries.
    pub fn login_via_email_password(
        &self,
        email: impl Into<String>,
        password: impl Into<Password>,
    ) -> TokenCall<Login> {
        self.token_call(Login::new(self.client.realm(), email, password))
    }

    /// Asks the service which user is signed in. Without a credential nobody is signed in, and no
    /// request is made (specification, "User sessions", rule 8). The client's deadline covers everything,
    /// including a refresh.
    ///
    /// # Errors
    /// Every request that fails is an error (rule 8), including a request that the service refuses: of
    /// kind [`Auth`](crate::ErrorKind::Auth) when the session has ended, or with
    /// [`Error::is_unauthenticated`] when the service does not accept the credential. After a session has
    /// ended, the next check returns that nobody is signed in.
    pub async fn is_authenticated(&self) -> Result<Authentication, Error> {
        let client = self.client.inner();
        let timer = client.timer.as_deref();
        let started = timer.map(Timer::now);
        if self.headers().await?.is_none() {
            return Ok(Authentication::default());
        }
        let mut options = RequestOptions::new();
        let deadline = client.deadline_of(&options);
        if let (Some(timer), Some(started), Some(deadline)) = (timer, started, deadline) {
            let passed = timer.now().saturating_sub(started);
            options = options.deadline(deadline.saturating_sub(passed));
        }
        let call = self.client.call(GetUser::new(self.client.realm()));
        Ok(Authentication {
            authenticated: true,
            user: Some(call.options(options).send().await?),
        })
    }

    /// Signs out: deletes the tokens from the session and from the store.
    ///
    /// No request is sent to the service (specification, "User sessions", rule 6) unless
    /// [`SignOut::revoke`] is used. An `api_token` stays (rule 7).
    pub fn logout(&self) -> SignOut {
        SignOut::new(&self.client, self.client.realm())
    }

    /// Signs up with an e-mail address and a password. It does not sign the user in.
    ///
    /// # Errors
    /// Status 403 when sign-up is switched off in the project.
    pub fn register_via_email_password(
        &self,
        email: impl Into<String>,
        password: impl Into<Password>,
    ) -> Call<Register> {
        self.client
            .call(Register::new(self.client.scope(), email, password))
    }

    /// Changes the password and saves the new tokens. All other sessions of the user end.
    ///
    /// Only a user without a password may leave out the current password.
    pub fn change_password(
        &self,
        new_password: impl Into<Password>,
        current_password: Option<Password>,
    ) -> TokenCall<ChangePassword> {
        self.token_call(ChangePassword::new(
            self.client.realm(),
            new_password,
            current_password,
        ))
    }

    /// Requests a code by e-mail for setting a forgotten password. The response is the same
    /// whether or not the account exists.
    pub fn reset_password(&self, email: impl Into<String>) -> Call<ResetPassword> {
        self.client
            .call(ResetPassword::new(self.client.realm(), email))
    }

    /// Sets a forgotten password with a code, and saves the new tokens.
    ///
    /// # Errors
    /// Status 400 when the code is wrong, already used, or older than an hour.
    pub fn reset_password_complete(
        &self,
        code: impl Into<Code>,
        new_password: impl Into<Password>,
    ) -> TokenCall<ResetPasswordComplete> {
        self.token_call(ResetPasswordComplete::new(
            self.client.realm(),
            code,
            new_password,
        ))
    }

    /// Requests a change of the e-mail address; a confirmation code is sent to the new address.
    ///
    /// Only a user without a password may leave out the current password.
    pub fn change_email(
        &self,
        new_email: impl Into<String>,
        current_password: Option<Password>,
    ) -> Call<ChangeEmail> {
        let operation = ChangeEmail::new(self.client.realm(), new_email, current_password);
        self.client.call(operation)
    }

    /// Confirms a new e-mail address with a code.
    ///
    /// # Errors
    /// Status 400 when the code is wrong or already used.
    pub fn change_email_complete(&self, code: impl Into<Code>) -> Call<ChangeEmailComplete> {
        self.client
            .call(ChangeEmailComplete::new(self.client.realm(), code))
    }

    /// Accepts an invitation with the code from its e-mail, and saves the new tokens.
    ///
    /// # Errors
    /// Status 400 when the code is wrong or already used.
    pub fn accept_invitation(
        &self,
        code: impl Into<Code>,
        password: impl Into<Password>,
    ) -> TokenCall<AcceptInvitation> {
        self.token_call(AcceptInvitation::new(self.client.realm(), code, password))
    }

    /// Lists the sessions of the user of an environment who is signed in, the newest first. Those of an account of the service
    /// are listed by the calls of the administration.
    pub fn sessions(&self) -> Call<ListSessions> {
        let operation = ListSessions::new(self.client.scope(), ListQuery::new());
        self.client.call(operation)
    }

    /// Ends a session of the user of an environment who is signed in, such as that of a device that was lost.
    ///
    /// # Errors
    /// Status 404 when it is not one of the user's, or has ended.
    pub fn end_session(&self, uid: impl Into<String>) -> Call<EndSession> {
        self.client.call(EndSession::new(self.client.scope(), uid))
    }

    /// Ends all sessions of the user of an environment who is signed in, but the one of this client.
    pub fn end_other_sessions(&self) -> Call<EndOtherSessions> {
        self.client.call(EndOtherSessions::new(self.client.scope()))
    }

    /// Sends an operation of this group that was composed at run time, saves the tokens in its response, and returns the
    /// response unchanged.
    ///
    /// # Errors
    /// The errors of [`Client::send_any`]; also kind [`Store`](crate::ErrorKind::Store) when the call succeeded but the
    /// tokens cannot be stored.
    pub async fn send_any(
        &self,
        operation: &AnyOperation,
        options: &RequestOptions,
    ) -> Result<http::Response<Bytes>, Error> {
        let session = self.session();
        let mark = session.mark();
        let answer = self.client.send_any(operation, options).await?;
        // `token` is in the response to a sign-in, `new_state` in that to a new password; others have neither.
        let body = serde_json::from_slice(answer.body());
        let tokens = body.ok().and_then(|mut body: Value| {
            let tokens = ["token", "new_state"].into_iter();
            let mut tokens = tokens.filter_map(|name| body.get_mut(name).map(Value::take));
            tokens.find_map(|value| AuthState::try_from(value).ok())
        });
        if let Some(tokens) = tokens {
            save(session, mark, operation.info, tokens).await?;
        }
        Ok(answer)
    }

    /// The headers that authenticate calls of the user, after a renewal if necessary: with an `api_token`,
    /// else a service token, else the tokens of the session. `None` when there is no credential.
    ///
    /// # Errors
    /// Kind [`Auth`](crate::ErrorKind::Auth) when the access token has expired and cannot be
    /// renewed, or the session has ended; kind [`Transport`](crate::ErrorKind::Transport) when it
    /// could not be renewed before the client's deadline. The renewal then continues, and a later
    /// call uses its result.
    pub async fn headers(&self) -> Result<Option<HeaderMap>, Error> {
        self.headers_with(&RequestOptions::new()).await
    }

    /// Like [`headers`](Self::headers), with the deadline of these options.
    ///
    /// # Errors
    /// The errors of [`headers`](Self::headers).
    pub async fn headers_with(&self, options: &RequestOptions) -> Result<Option<HeaderMap>, Error> {
        let client = self.client.inner();
        let target = AuthTarget::new(&GET_USER, None);
        let authorization = client.authorization(target);
        let authorization = match (&client.timer, client.deadline_of(options)) {
            (Some(timer), Some(deadline)) => within(&**timer, deadline, authorization).await,
            _ => Some(authorization.await),
        };
        let authorization = authorization.ok_or_else(|| {
            let late = TransportErrorKind::Timeout.into();
            Error::transport(&GET_USER, late, client.base_url(GET_USER.host))
        })?;
        let authorization = authorization.map_err(|error| Error::auth(&GET_USER, error))?;
        Ok(authorization.map(|authorization| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, authorization.header);
            headers
        }))
    }

    /// Sends a service token with calls instead of a user's tokens, until
    /// [`logout`](Self::logout). It is never stored.
    pub fn load_service_token(&self, token: impl Into<ServiceToken>) {
        self.session().load_service_token(token);
    }

    fn token_call<O: ReturnsTokens>(&self, operation: O) -> TokenCall<O> {
        TokenCall::new(self.client.call(operation))
    }
}

impl Call<Register> {
    /// Sets the first name.
    pub fn first_name(self, name: impl Into<String>) -> Self {
        self.with(|operation| operation.first_name = Some(name.into()))
    }

    /// Sets the last name.
    pub fn last_name(self, name: impl Into<String>) -> Self {
        self.with(|operation| operation.last_name = Some(name.into()))
    }

    /// Sets the language, such as `en`.
    pub fn language(self, language: impl Into<String>) -> Self {
        self.with(|operation| operation.language = Some(language.into()))
    }

    /// Sets the IANA time zone, such as `Europe/Berlin`.
    pub fn timezone(self, timezone: impl Into<String>) -> Self {
        self.with(|operation| operation.timezone = Some(timezone.into()))
    }
}
