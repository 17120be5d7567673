//! The wire format of the svc REST service, defined once for clients and server.
//!
//! - [`wire`] is the transport contract: the [`Transport`](wire::Transport) trait, its
//!   [`Body`](wire::Body) and errors, and [`Operation`](wire::Operation), a call as a value.
//! - [`functions`], [`imports`], [`pages`], [`projects`], [`proxy`], [`records`], [`resources`], [`sql`], [`statements`],
//!   [`teams`] and [`users`] hold the types and operations of their group, [`account`] the types of accounts, whose operations
//!   are in `svc-auth`. [`administration`] has a module for each group of operations that administer the service.
//! - [`ListQuery`], [`Lookup`] and [`Filter`] are the grammar of lists, which both sides share.
//! - [`PageSettings`], [`Paginated`], [`JsonObject`] and [`ErrorResponse`] are the bodies that are read and written; [`json_text`] lays out
//!   the JSON that pages hold as text, and [`csv`] writes rows of files.
//!
//! This crate has no I/O and no runtime; it builds for `wasm32-unknown-unknown`.
//!
//! ```
//! use svc_model::{ListQuery, Lookup, records, wire::Operation};
//!
//! // A call is a value. It becomes a request for any HTTP stack ...
//! let orders = records::Collection::new(("demo", "prod"), "shop", "orders");
//! let query = ListQuery::new().filter("status", Lookup::Exact, "paid").per_page(2);
//! let list: records::List = records::List::new(orders, query);
//! let request = list.to_request("https://data.example.com")?;
//! assert_eq!(
//!     request.uri(),
//!     "https://data.example.com/projects/demo/prod/shop/models/orders?status=paid&_per_page=2",
//! );
//!
//! // ... and reads the response that came back.
//! let body = r#"{"count":1,"next":null,"previous":null,"results":[{"id":9007199254740993}]}"#;
//! let page = records::List::<records::Record>::parse_response(http::Response::new(body.into()))?;
//! assert_eq!(page.results[0]["id"], 9_007_199_254_740_993_u64);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(docsrs, feature(doc_cfg))]

// The code that `#[derive(Operation)]` generates refers to this crate by its name.
extern crate self as svc_model;

pub mod account;
pub mod administration;
mod comma_list;
pub mod csv;
mod draft;
mod filter;
pub mod functions;
pub mod imports;
mod invalid;
pub mod json_text;
mod list;
mod lookup;
mod names;
mod object;
mod operation;
pub mod pages;
mod paginated;
mod path;
pub mod projects;
pub mod proxy;
pub mod query;
mod realm;
pub mod records;
pub mod resources;
mod response;
mod scope;
pub mod sql;
pub mod statements;
pub mod teams;
pub mod users;
pub mod wire;

pub use self::{
    account::UserInfo,
    draft::{Draft, DraftError},
    filter::{
        Condition, Filter, FilterError, JsonOperand, JsonPath, MAX_CONDITIONS, MAX_FILTER_DEPTH,
        MAX_PATH_ELEMENT, MAX_PATH_PARTS, Operand, PathPart, PlaceCondition,
    },
    invalid::{Invalid, MAX_MESSAGES, NON_FIELD_ERRORS},
    list::{
        Count, DEFAULT_PER_PAGE, Expand, ExpandError, Expanded, FieldFilter, ListQuery,
        MAX_EXPAND_LEVELS, MAX_EXPAND_PATHS, MAX_ORDER_BY, MAX_PER_PAGE, MAX_RELATION_STEPS,
        MAX_SEARCH, OrderBy, RecordView, Relation, RelationError, RelationStep, TimeZoned,
    },
    lookup::{Lookup, UnknownLookup, parse_bool},
    names::{
        EnvironmentName, FieldName, ModelName, PageUid, ProjectName, RecordId, ResourceName,
        TeamUid, UserUid,
    },
    object::{JsonObject, MAX_JSON_DEPTH, json_depth},
    pages::{PageSettings, UpdatePageSettings},
    paginated::{CountIs, PageQuery, Paginated},
    projects::Project,
    query::QueryString,
    realm::Realm,
    records::Record,
    response::{DecodeError, ErrorResponse, ResponseError, Tagged, X_REQUEST_ID, decode_json},
    scope::Scope,
};

/// Items that the code of `#[derive(Operation)]` uses. Do not use them directly.
#[doc(hidden)]
pub mod __derive {
    pub use bytes::Bytes;
    pub use http::{HeaderName, Method, StatusCode};
    pub use serde::de::DeserializeOwned;

    pub use crate::{
        response::decode_tagged,
        wire::{
            parts::{BodyProperties, encode},
            upload::upload_request,
        },
    };

    /// A whole answer.
    pub type HttpResponse = http::Response<Bytes>;
    /// A request.
    pub type HttpRequest = http::Request<crate::wire::Body>;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
