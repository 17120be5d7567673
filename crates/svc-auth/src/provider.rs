//! Providers of credentials for calls.

mod combined;

use std::{collections::BTreeMap, fmt};

use http::HeaderValue;
use svc_model::{
    ResourceName,
    wire::{BoxError, BoxFuture, Credential, OperationInfo},
};

pub use self::combined::CombinedProvider;
use crate::{ApiKey, ApiToken, AuthScheme};

/// The purpose for which a credential is requested.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct AuthTarget<'a> {
    /// The operation; [`OperationInfo::credential`] is the kind of credential that it requires.
    pub operation: &'a OperationInfo,
    /// The connected resource of the operation, if it has one.
    pub resource: Option<&'a str>,
}

impl<'a> AuthTarget<'a> {
    /// A target with an operation and its resource.
    pub fn new(operation: &'a OperationInfo, resource: Option<&'a str>) -> Self {
        Self {
            operation,
            resource,
        }
    }
}

/// A provider of the `Authorization` header of each call.
///
/// A client calls it before every try of a call, so an implementation with a fresh credential should
/// return a future that is ready at once. It is not called for operations without a credential
/// ([`Credential::Anonymous`], such as the one that refreshes a session).
///
/// ```
/// use http::HeaderValue;
/// use svc_auth::{AuthError, AuthTarget, TokenProvider};
/// use svc_model::wire::BoxFuture;
///
/// /// Asks a vault for the credential of every call.
/// #[derive(Debug)]
/// struct Vault;
///
/// impl TokenProvider for Vault {
///     fn authorization<'a>(
///         &'a self,
///         target: AuthTarget<'a>,
///     ) -> BoxFuture<'a, Result<Option<HeaderValue>, AuthError>> {
///         Box::pin(async move {
///             // ... await the vault here ...
///             let _ = target.resource;
///             Err(AuthError::new("the vault is sealed; unseal it and try again"))
///         })
///     }
/// }
/// ```
pub trait TokenProvider: fmt::Debug + Send + Sync + 'static {
    /// The value of the `Authorization` header; `None` sends the call without one.
    ///
    /// It should be marked as sensitive.
    ///
    /// # Errors
    /// [`AuthError`] when no credential is available; the call then fails without being sent.
    fn authorization<'a>(
        &'a self,
        target: AuthTarget<'a>,
    ) -> BoxFuture<'a, Result<Option<HeaderValue>, AuthError>>;

    /// Reports that the service answered 401 to a call with the credential `refused`.
    ///
    /// The client then calls [`authorization`](Self::authorization) again, and repeats the call once if
    /// the result differs from `refused`. An implementation that has a newer credential by now has
    /// nothing to do; one that still has `refused` discards it here. If it then cannot provide another
    /// credential, the call fails with that error.
    fn rejected(&self, target: AuthTarget<'_>, refused: &HeaderValue) {
        let _ = (target, refused);
    }
}

/// The error when no credential is available. The message says what to do, and never quotes a secret.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct AuthError {
    kind: AuthErrorKind,
    message: String,
    source: Option<BoxError>,
}

/// The kinds of [`AuthError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AuthErrorKind {
    /// Trying again later may succeed: the issuer of credentials could not be reached.
    Transient,
    /// Trying again is useless until the user does something, such as signing in.
    Permanent,
}

impl AuthError {
    /// A [permanent](AuthErrorKind::Permanent) error with a message that says what to do.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            kind: AuthErrorKind::Permanent,
            message: message.into(),
            source: None,
        }
    }

    /// A [transient](AuthErrorKind::Transient) error with a message that says what failed.
    pub fn transient(message: impl Into<String>) -> Self {
        Self {
            kind: AuthErrorKind::Transient,
            ..Self::new(message)
        }
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The kind of failure.
    pub fn kind(&self) -> AuthErrorKind {
        self.kind
    }
}

/// A provider of keys and tokens that do not change (specification, section 5).
///
/// | Operation requires | Sent is the first of these that was set |
/// |---|---|
/// | an API key (projects, pages) | `Bearer <api key>`, `Bearer <api token>` |
/// | a static token (records, SQL, users, teams) | the resource's own token, raw; `Bearer <api token>` |
/// | a session (HTTP proxy) | `Bearer <api token>`, which takes priority over sessions |
///
/// ```
/// use svc_auth::{ApiKey, ApiToken, AuthTarget, StaticProvider};
/// use svc_model::{records, wire::Operation};
///
/// let provider = StaticProvider::new()
///     .api_key(ApiKey::new("svck_1")?)
///     .token_for("shop", ApiToken::new("svct_2")?);
/// let list = <records::List as Operation>::INFO;
/// assert_eq!(provider.header(AuthTarget::new(&list, Some("shop"))).unwrap(), "svct_2");
/// assert!(provider.header(AuthTarget::new(&list, Some("crm"))).is_none());
/// # Ok::<(), svc_auth::TokenError>(())
/// ```
#[derive(Clone, Default)]
pub struct StaticProvider {
    api_key: Option<HeaderValue>,
    api_token: Option<HeaderValue>,
    resources: BTreeMap<Box<str>, HeaderValue>,
}

impl StaticProvider {
    /// A provider without credentials.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the API key of a user, for projects and pages.
    #[must_use]
    pub fn api_key(mut self, key: impl Into<ApiKey>) -> Self {
        self.api_key = Some(key.into().header_value(AuthScheme::Bearer));
        self
    }

    /// Sets the token for operations that have no other credential, like the option `api_token`.
    #[must_use]
    pub fn api_token(mut self, token: impl Into<ApiToken>) -> Self {
        self.api_token = Some(token.into().header_value(AuthScheme::Bearer));
        self
    }

    /// Sets the static token of one connected resource, which is sent in the raw form.
    #[must_use]
    pub fn token_for(
        mut self,
        resource: impl Into<ResourceName>,
        token: impl Into<ApiToken>,
    ) -> Self {
        let resource = resource.into().as_str().into();
        let header = token.into().header_value(AuthScheme::Raw);
        self.resources.insert(resource, header);
        self
    }

    /// The header for an operation, if a credential for it was set.
    pub fn header(&self, target: AuthTarget<'_>) -> Option<&HeaderValue> {
        match target.operation.credential {
            Credential::ApiKey => self.api_key.as_ref().or(self.api_token.as_ref()),
            Credential::StaticToken => target
                .resource
                .and_then(|resource| self.resources.get(resource))
                .or(self.api_token.as_ref()),
            Credential::Session => self.api_token.as_ref(),
            _ => None,
        }
    }
}

impl fmt::Debug for StaticProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaticProvider")
            .field("api_key", &self.api_key.is_some())
            .field("api_token", &self.api_token.is_some())
            .field("resources", &self.resources.keys())
            .finish()
    }
}

impl TokenProvider for StaticProvider {
    fn authorization<'a>(
        &'a self,
        target: AuthTarget<'a>,
    ) -> BoxFuture<'a, Result<Option<HeaderValue>, AuthError>> {
        Box::pin(std::future::ready(Ok(self.header(target).cloned())))
    }
}

#[cfg(test)]
mod tests {
    use http::Method;
    use svc_model::wire::Host;

    use super::*;

    const fn operation(credential: Credential) -> OperationInfo {
        OperationInfo::new("test.get", Method::GET, Host::Data, "/x", credential, true)
    }

    const KEY: OperationInfo = operation(Credential::ApiKey);
    const TOKEN: OperationInfo = operation(Credential::StaticToken);
    const SESSION: OperationInfo = operation(Credential::Session);
    const ANONYMOUS: OperationInfo = operation(Credential::Anonymous);

    fn sent(provider: &StaticProvider, operation: &OperationInfo, resource: &str) -> String {
        provider
            .header(AuthTarget::new(operation, Some(resource)))
            .map_or("none", |header| header.to_str().unwrap())
            .to_owned()
    }

    fn token(text: &str) -> ApiToken {
        ApiToken::new(text).unwrap()
    }

    #[test]
    fn each_operation_gets_the_credential_that_it_requires() {
        let provider = StaticProvider::new()
            .api_key(ApiKey::new("key").unwrap())
            .api_token(token("token"))
            .token_for("shop", token("shop-token"));
        assert_eq!(sent(&provider, &KEY, "shop"), "Bearer key");
        assert_eq!(sent(&provider, &TOKEN, "shop"), "shop-token");
        assert_eq!(sent(&provider, &TOKEN, "crm"), "Bearer token");
        assert_eq!(sent(&provider, &SESSION, "shop"), "Bearer token");
        assert_eq!(sent(&provider, &ANONYMOUS, "shop"), "none");
    }

    #[test]
    fn the_api_token_replaces_a_missing_key_but_not_the_other_way_round() {
        let provider = StaticProvider::new().api_token(token("token"));
        assert_eq!(sent(&provider, &KEY, "shop"), "Bearer token");
        let provider = StaticProvider::new().api_key(ApiKey::new("key").unwrap());
        assert_eq!(sent(&provider, &TOKEN, "shop"), "none");
    }

    #[test]
    fn a_token_is_only_sent_to_its_own_resource() {
        let provider = StaticProvider::new().token_for("shop", token("shop-token"));
        assert_eq!(sent(&provider, &TOKEN, "crm"), "none");
        assert_eq!(sent(&provider, &KEY, "shop"), "none");
    }

    #[test]
    fn debug_shows_no_secret() {
        let provider = StaticProvider::new()
            .api_key(ApiKey::new("hidden").unwrap())
            .token_for("shop", token("hidden"));
        assert_eq!(
            format!("{provider:?}"),
            r#"StaticProvider { api_key: true, api_token: false, resources: ["shop"] }"#
        );
    }
}
