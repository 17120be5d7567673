//! Client for the svc REST service: projects, page settings, the records of connected databases, and the
//! users and teams of an application.
//!
//! - [`Client`] is cheap to clone; [`Client::builder`] makes one.
//! - `client.pages()`, `client.projects()`, `client.records(resource, model)`, `client.users()` and
//!   `client.teams()` are handles of the operation groups. Their operations are [`Call`]s, which end in
//!   [`send`](Call::send).
//! - `client.account()` signs users in and out; their session renews its tokens automatically.
//! - `client.administration()` administers accounts, projects and what they consist of.
//! - `client.proxy()` sends requests to other services, with secrets that never leave this service.
//! - Lists return one page, or all of them as a stream: `by_page()`, `by_item()`.
//! - [`Error`] has a kind for each cause, and keeps the response of the service.
//! - [`RetryPolicy`] sets when a call is repeated, [`RequestOptions`] sets options of a single call.
//!
//! ```
//! use svc_api::{ApiToken, Client, Error, Lookup};
//!
//! # #[cfg(all(feature = "hyper", feature = "records"))]
//! async fn example() -> Result<(), Box<dyn std::error::Error>> {
//!     let client = Client::builder()
//!         .project("demo")
//!         .api_base_url("http://127.0.0.1:8080")
//!         .token_for("shop", ApiToken::new("svct_3f9a")?)
//!         .build()?;
//!
//!     let orders = client.records("shop", "orders");
//!     let page = orders
//!         .list()
//!         .filter("status", Lookup::Exact, "paid")
//!         .order_by("-created_at")
//!         .send()
//!         .await?;
//!     println!("{} of {:?}", page.results.len(), page.count);
//!
//!     let mut all = orders.list().per_page(1000).by_item();
//!     while let Some(order) = all.try_next().await? {
//!         println!("{}", order["id"]);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # Features
//!
//! | Feature | Gives | Default |
//! |---|---|---|
//! | `account`, `administration`, `functions`, `imports`, `pages`, `projects`, `proxy`, `records`, `resources`, `sql`, `teams`, `users` | an operation group each | yes, through `full` |
//! | `full` | every operation group | yes |
//! | `hyper` | the hyper and rustls transport of `svc-transport` | yes |
//! | `ring` | its TLS with the cryptography of `ring` | yes |
//! | `aws-lc-rs` | its TLS with the cryptography of `aws-lc-rs`, also when `ring` is on | no |
//! | `native-roots` | it can trust the certificates that the system trusts | no |
//! | `json-path` | the position in the JSON, in errors about responses that cannot be read | yes |
//! | `blocking` | calls that block the thread, in the module `blocking` | no |
//! | `tower` | adapters to and from tower services, in the module `tower` | no |
//! | `tracing` | spans of calls (`svc_call`), of their tries (`svc_try`) and of token refreshes (`svc_refresh`) | no |
//!
//! Without `hyper` the dependencies contain no hyper, rustls or tokio, and
//! [your own transport](wire::Transport) sends the requests.
// Code that only one operation group uses is unused without that group.
#![cfg_attr(not(feature = "full"), allow(dead_code))]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "account")]
mod account;
#[cfg(feature = "administration")]
pub mod administration;
#[cfg(feature = "blocking")]
pub mod blocking;
mod call;
mod client;
mod error;
#[cfg(feature = "functions")]
mod functions;
#[cfg(not(target_family = "wasm"))]
mod http_date;
#[cfg(feature = "imports")]
mod imports;
#[cfg(feature = "pages")]
mod pages;
#[cfg(any(
    feature = "account",
    feature = "administration",
    feature = "projects",
    feature = "records",
    feature = "teams",
    feature = "users"
))]
mod paging;
#[cfg(feature = "projects")]
mod projects;
#[cfg(feature = "proxy")]
mod proxy;
#[cfg(feature = "records")]
mod records;
mod request_options;
#[cfg(feature = "resources")]
mod resources;
mod retry;
#[cfg(any(
    feature = "account",
    feature = "administration",
    feature = "projects",
    feature = "records",
    feature = "teams",
    feature = "users"
))]
mod selection;
#[cfg(feature = "sql")]
mod sql;
#[cfg(feature = "resources")]
mod statements;
#[cfg(feature = "teams")]
mod teams;
#[cfg(not(target_family = "wasm"))]
mod timer;
#[cfg(feature = "tower")]
pub mod tower;
#[cfg(feature = "users")]
mod users;

#[doc(no_inline)]
pub use svc_auth as auth;
#[doc(no_inline)]
pub use svc_auth::{
    AccessToken, ApiKey, ApiToken, AuthError, AuthTarget, ClientOptions, TokenProvider,
};
#[doc(no_inline)]
pub use svc_model::{
    self as model, Count, Draft, Filter, JsonObject, ListQuery, Lookup, OrderBy, PageSettings,
    Paginated, Project, Record, RecordId, Relation, Tagged, TeamUid, UpdatePageSettings, UserUid,
    wire,
};
#[cfg(feature = "hyper")]
#[doc(no_inline)]
pub use svc_transport as transport;

#[cfg(feature = "account")]
pub use self::account::{Account, Authentication, ReturnsTokens, SignOut, TokenCall};
#[cfg(feature = "functions")]
pub use self::functions::Functions;
#[cfg(feature = "imports")]
pub use self::imports::Imports;
#[cfg(feature = "pages")]
pub use self::pages::Pages;
#[cfg(any(
    feature = "account",
    feature = "administration",
    feature = "projects",
    feature = "records",
    feature = "teams",
    feature = "users"
))]
pub use self::paging::{ItemStream, PageStream};
#[cfg(feature = "projects")]
pub use self::projects::Projects;
#[cfg(feature = "proxy")]
pub use self::proxy::{Proxy, ProxyCall};
#[cfg(feature = "records")]
pub use self::records::Records;
#[cfg(feature = "resources")]
pub use self::resources::Resource;
#[cfg(any(
    feature = "account",
    feature = "administration",
    feature = "projects",
    feature = "records",
    feature = "teams",
    feature = "users"
))]
pub use self::selection::{HasTimeZone, SelectsRecords};
#[cfg(feature = "sql")]
pub use self::sql::Sql;
#[cfg(feature = "resources")]
pub use self::statements::Statements;
#[cfg(feature = "teams")]
pub use self::teams::Teams;
#[cfg(not(target_family = "wasm"))]
pub use self::timer::SystemTimer;
#[cfg(feature = "users")]
pub use self::users::Users;
pub use self::{
    call::Call,
    client::{Client, ClientBuilder, NoTransport, OwnTransport},
    error::{Error, ErrorKind},
    request_options::RequestOptions,
    retry::RetryPolicy,
};

#[cfg(all(doctest, feature = "hyper", feature = "full"))]
#[doc = include_str!("../README.md")]
struct Readme;
