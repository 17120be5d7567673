//! Credentials and options of clients of the svc REST service (specification, section 5).
//!
//! - [`AuthScheme`] writes and reads the `Authorization` header.
//! - [`ApiKey`], [`ApiToken`], [`AccessToken`], [`RefreshToken`] and [`ServiceToken`] hold secrets
//!   that `Debug` never shows.
//! - [`TokenProvider`] gives a call its credential; [`StaticProvider`] is the one for keys and
//!   tokens that do not change.
//! - [`ClientOptions`] are the options of a client, with their defaults and environment keys.
//!
//! There is no I/O and no runtime in here; it builds for `wasm32-unknown-unknown`.
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
mod options;
mod provider;
mod scheme;
mod state;
mod token;

pub use self::{
    base_url::{BaseUrl, BaseUrlError},
    options::{ClientOptions, ClientSettings, DEFAULT_API_BASE_URL, OptionsError},
    provider::{AuthError, AuthErrorKind, AuthTarget, StaticProvider, TokenProvider},
    scheme::{AuthScheme, AuthorizationError},
    state::AuthState,
    token::{AccessToken, ApiKey, ApiToken, RefreshToken, ServiceToken, TokenError},
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
