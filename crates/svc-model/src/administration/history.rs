//! The history of a record, beside that of the data host (administration, section 2), and what a line of the audit trail says of each of its records.

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

/// Get what a line of the audit trail says of each of its records:
/// `GET {app_base_url}/projects/{project}/{environment}/resources/{resource}/models/{model}/history/?line={uid}`, 200 with a page that
/// has a [`HistoryEntry`] for each record, in the order of the line, for anyone who may read the model.
///
/// With `request_id` in place of `line` it is the newest line about several records that this request has left. Where there is none,
/// the page is empty. The count is that of the records of the line.
#[derive(Clone, Debug, Operation)]
#[operation(GET Application "/projects/{project}/{environment}/resources/{resource}/models/{model}/history/")]
#[operation(name = "history.get_line", credential = ApiKey, level = Member, answer = Paginated<HistoryEntry>)]
#[operation(new = "Gets what a line of the audit trail says of each of its records.")]
#[non_exhaustive]
pub struct GetLine {
    /// The environment.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub resource: ResourceName,
    /// The model.
    #[wire(path)]
    pub model: ModelName,
    /// The unique ID of the line.
    #[wire(query = "line")]
    pub line: Option<String>,
    /// The `X-Request-Id` of the request that left the line.
    #[wire(query = "request_id")]
    pub request_id: Option<String>,
    /// The number of entries on a page.
    #[wire(query = "_per_page")]
    pub per_page: Option<u32>,
    /// The cursor that the page begins after.
    #[wire(query = "_after")]
    pub after: Option<String>,
}

/// Which line of the audit trail is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhichLine {
    /// The line of this unique ID.
    Line(String),
    /// The newest line about several records that the request of this `X-Request-Id` has left.
    OfRequest(String),
}

/// Which part of a line is wanted, as the service reads it from the query string.
///
/// ```
/// use svc_model::administration::history::{LineQuery, WhichLine};
///
/// let query = LineQuery::parse("request_id=nightly-17&_per_page=50")?;
/// assert_eq!(query.which, WhichLine::OfRequest("nightly-17".to_owned()));
/// assert_eq!(query.page.per_page, 50);
/// assert!(LineQuery::parse("_per_page=50").is_err());
/// # Ok::<(), svc_model::Invalid>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineQuery {
    /// The line.
    pub which: WhichLine,
    /// The page.
    pub page: HistoryQuery,
}

impl LineQuery {
    /// Reads the query string.
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter and malformed value, and where not one line is named.
    pub fn parse(query: &str) -> Result<Self, Invalid> {
        let mut named = Vec::new();
        let page = HistoryQuery::parse_with(query, |key, value| {
            match key {
                "line" | "request_id" if value.is_empty() => {}
                "line" => named.push(WhichLine::Line(value.to_owned())),
                "request_id" => named.push(WhichLine::OfRequest(value.to_owned())),
                _ => return false,
            }
            true
        });
        match (page, <[WhichLine; 1]>::try_from(named)) {
            (Ok(page), Ok([which])) => Ok(Self { which, page }),
            (page, named) => {
                let mut invalid = page.err().unwrap_or_default();
                if named.is_err() {
                    let message =
                        "name one line by its unique ID, or by the request_id of its request";
                    invalid.push_field("line", message);
                }
                Err(invalid)
            }
        }
    }
}
