//! Credentials and options of clients of the svc REST service (specification, section 5).
//!
//! - [`AuthScheme`] writes and reads the `Authorization` header.
//! - [`ApiKey`], [`ApiToken`], [`AccessToken`], [`RefreshToken`] and [`ServiceToken`] contain secrets
//!   that `Debug` never shows.
//! - [`TokenProvider`] provides the credential of a call; [`StaticProvider`] is for keys and tokens
//!   that do not change, [`Session`] for users who sign in.
//! - [`TokenStore`] keeps the tokens of a session: [`MemoryStore`], `FileStore`, or your own.
//! - [`account`] has the operations of accounts: sign in, sign up, passwords, e-mail addresses.
//! - [`ServiceRequest`] reads the headers of a service request.
//! - [`ClientOptions`] are the options of a client, with their defaults and environment keys.
//!
//! This crate has no runtime, and no I/O except that of `FileStore`; it builds for
//! `wasm32-unknown-unknown`, without that store.
//!
//! ```
//! use svc_auth::{ApiToken, ClientOptions};
//!
//! // The map is passed on purpose: nothing reads the process environment by itself.
//! let env = [("SVC_PROJECT", "demo"), ("VITE_SVC_DRAFT", "off")];
//! let settings = ClientOptions::new()
//!     .env(env)
//!     .api_token(ApiToken::new("svct_3f9a")?)
//!     .resolve()?;
//! assert_eq!(settings.project.as_ref().map(|project| project.as_str()), Some("demo"));
//! assert_eq!(settings.environment.as_str(), "prod");
//! assert_eq!(settings.draft, Some(false));
//! assert!(!format!("{settings:?}").contains("3f9a"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod account;
mod base_url;
mod clock;
mod expiry;
mod options;
mod place;
mod provider;
mod scheme;
mod service_request;
mod session;
mod state;
mod store;
mod token;

#[cfg(not(target_family = "wasm"))]
pub use self::clock::SystemClock;
#[cfg(all(has_file_locks, not(target_family = "wasm")))]
pub use self::store::FileStore;
pub use self::{
    base_url::{BaseUrl, BaseUrlError},
    clock::Clock,
    options::{ClientOptions, ClientSettings, DEFAULT_API_BASE_URL, OptionsError},
    provider::{
        AuthError, AuthErrorKind, AuthTarget, CombinedProvider, StaticProvider, TokenProvider,
    },
    scheme::{AuthScheme, AuthorizationError},
    service_request::{
        ServiceRequest, ServiceRequestError, X_SVC_API_BASE_URL, X_SVC_DRAFT, X_SVC_ENVIRONMENT,
        X_SVC_PROJECT, X_SVC_SERVICE_TOKEN,
    },
    session::{Mark, Session, SessionBuilder},
    state::AuthState,
    store::{Lease, MemoryStore, STORAGE_KEY, StoreError, StoredTokens, Swap, TokenStore},
    token::{AccessToken, ApiKey, ApiToken, RefreshToken, ServiceToken, TokenError},
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
