//! The history of a record, beside that of the data host (administration, section 2), and what one request did to many.

use crate::{
    Invalid, ModelName, Paginated, RecordId, ResourceName, Scope,
    records::{HistoryEntry, HistoryQuery},
    wire::Operation,
};

/// Get the history of a record: `GET {app_base_url}/projects/{project}/{environment}/resources/{resource}/models/{model}/{id}/history/`,
/// 200 with a page of [`HistoryEntry`], the newest first, for anyone who may read the record.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/resources/{resource}/models/{model}/{id}/history/")]
#[operation(name = "history.get", credential = ApiKey, level = Member, answer = Paginated<HistoryEntry>)]
#[operation(new = "Gets who changed a record, when, and what its fields had before and after.")]
#[non_exhaustive]
pub struct Get {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub resource: ResourceName,
    /// The model.
    #[wire(path)]
    pub model: ModelName,
    /// The key of the record.
    #[wire(path)]
    pub id: RecordId,
    /// The number of entries on a page.
    #[wire(query = "_per_page")]
    pub per_page: Option<u32>,
    /// The cursor that the page begins after.
    #[wire(query = "_after")]
    pub after: Option<String>,
}

/// Get what one request did to several records of a model, by a filter or in bulk:
/// `GET {app_base_url}/projects/{project}/{environment}/resources/{resource}/models/{model}/history/?request_id={request_id}`, 200
/// with a page that has a [`HistoryEntry`] for each record, in the order of the audit trail, for anyone who may read the model.
///
/// Of requests that had the same ID the newest one is meant. Where none is known, the page is empty.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/resources/{resource}/models/{model}/history/")]
#[operation(name = "history.get_request", credential = ApiKey, level = Member, answer = Paginated<HistoryEntry>)]
#[operation(new = "Gets what a request did to several records of a model.")]
#[non_exhaustive]
pub struct GetRequest {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub resource: ResourceName,
    /// The model.
    #[wire(path)]
    pub model: ModelName,
    /// The `X-Request-Id` of the request.
    #[wire(query = "request_id")]
    pub request_id: String,
    /// The number of entries on a page.
    #[wire(query = "_per_page")]
    pub per_page: Option<u32>,
    /// The cursor that the page begins after.
    #[wire(query = "_after")]
    pub after: Option<String>,
}

/// Which part of what a request did is wanted, as the service reads it from the query string.
///
/// ```
/// use svc_model::administration::history::RequestQuery;
///
/// let query = RequestQuery::parse("request_id=nightly-17&_per_page=50")?;
/// assert_eq!((query.request_id.as_str(), query.page.per_page), ("nightly-17", 50));
/// assert!(RequestQuery::parse("_per_page=50").is_err());
/// # Ok::<(), svc_model::Invalid>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestQuery {
    /// The `X-Request-Id` of the request.
    pub request_id: String,
    /// The page.
    pub page: HistoryQuery,
}

impl RequestQuery {
    /// Reads the query string.
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter and malformed value, and where no request is named.
    pub fn parse(query: &str) -> Result<Self, Invalid> {
        let mut request_id = None;
        let page = HistoryQuery::parse_with(query, |key, value| {
            let is_it = key == "request_id";
            if is_it && !value.is_empty() {
                request_id = Some(value.to_owned());
            }
            is_it
        })?;
        match request_id {
            Some(request_id) => Ok(Self { request_id, page }),
            None => Err(Invalid::field(
                "request_id",
                "must be the X-Request-Id of a request",
            )),
        }
    }
}
