//! The history of a record, beside that of the data host (administration, section 2).

use crate::{
    ModelName, Paginated, RecordId, ResourceName, Scope, records::HistoryEntry, wire::Operation,
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
