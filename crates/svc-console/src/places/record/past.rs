//! What is known of a record's past.

use serde_json::value::RawValue;
use svc_api::Error;
use svc_model::{
    JsonObject, Paginated, RecordId,
    records::{Collection, GetHistory, HistoryEntry},
};

use crate::places::model::Model;

/// A page of the history of a record.
pub(super) async fn page(
    model: &Model<'_>,
    id: &RecordId,
    after: Option<&str>,
    per_page: u32,
) -> Result<Paginated<HistoryEntry>, Error> {
    let scope = &model.context.scope;
    let scope = (scope.project.clone(), scope.environment.clone());
    let collection = Collection::new(scope, model.resource.clone(), model.name.clone());
    let mut operation = GetHistory::new(collection, id.clone());
    operation.after = after.map(str::to_owned);
    operation.per_page = Some(per_page);
    model.context.client.call(operation).send().await
}

/// What a change did to a field, as JSON.
pub(super) struct Change<'e> {
    pub(super) field: &'e str,
    pub(super) old: Option<Box<RawValue>>,
    pub(super) new: Option<Box<RawValue>>,
    pub(super) cut_old: Option<u64>,
    pub(super) cut_new: Option<u64>,
}

impl<'e> Change<'e> {
    pub(super) fn read(field: &'e str, raw: &RawValue) -> Self {
        let object: JsonObject = serde_json::from_str(raw.get()).unwrap_or_default();
        let value = |name| {
            let raw: Option<&str> = object.get_raw(name);
            raw.and_then(|raw| RawValue::from_string(raw.to_owned()).ok())
        };
        let cut: Option<JsonObject> = object.get("cut").ok().flatten();
        let cut = |name| cut.as_ref().and_then(|cut| cut.get(name).ok().flatten());
        Self {
            field,
            old: value("old"),
            new: value("new"),
            cut_old: cut("old"),
            cut_new: cut("new"),
        }
    }

    /// Whether what it was, or what it became, is not known whole.
    pub(super) fn is_cut(&self) -> bool {
        self.cut_old.is_some() || self.cut_new.is_some()
    }
}
