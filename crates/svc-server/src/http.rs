//! HTTP, whatever the operation: connections, limits, and the parts of requests and responses.

pub(crate) mod body;
pub(crate) mod compression;
pub(crate) mod cors;
pub(crate) mod error;
pub(crate) mod limits;
pub(crate) mod links;
pub(crate) mod listener;
pub(crate) mod log;
pub(crate) mod range;
pub(crate) mod redirect;
pub(crate) mod request;
pub(crate) mod resource_path;
pub(crate) mod response;
pub(crate) mod tls;
pub(crate) mod trace;

pub(crate) use self::{
    error::{ApiError, ApiResult},
    response::ApiResponse,
};
