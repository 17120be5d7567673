//! Records of connected databases (specification, section 4, "Records list").

mod aggregate;
mod bulk_create;
mod change_all;
mod create;
mod group;
mod history;
mod references;
mod siblings;
mod value;

use std::marker::PhantomData;

use crate::{
    JsonObject, ListQuery, ModelName, Paginated, RecordId, RecordView, ResourceName, Scope,
    wire::{HasFields, Operation, PathArguments, PathPart},
};

pub use self::{
    aggregate::{
        Aggregate, AggregateFunction, AggregateQuery, Aggregation, UnknownAggregateFunction,
    },
    bulk_create::{
        BulkCreate, BulkQuery, BulkResult, IDEMPOTENCY_KEY, MAX_BULK, MAX_IDEMPOTENCY_KEY,
    },
    change_all::{ChangeAllQuery, DeleteAll, Deleted, UpdateAll, Updated},
    create::{Create, CreateQuery},
    group::{
        DEFAULT_GROUPS, DateUnit, Group, GroupColumn, GroupLookup, GroupQuery, GroupRow,
        MAX_GROUP_COLUMNS, MAX_GROUPS, UnknownGroupLookup, group_name,
    },
    history::{
        CutLengths, FieldChange, GetHistory, HistoryActor, HistoryEntry, HistoryQuery,
        MAX_HISTORY_PAGE,
    },
    references::{DeleteRule, GetReferences, MAX_REFERENCES, Reference},
    siblings::{GetSiblings, Siblings},
    value::{ByteRange, GetValue, RawValue},
};

/// A record whose columns are not known at compile time.
///
/// Integers of up to 64 bits keep all digits; exact decimals are texts.
pub type Record = serde_json::Map<String, serde_json::Value>;

/// The path of the records of a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Collection {
    /// The environment of the resource.
    pub scope: Scope,
    /// The connected resource.
    pub resource: ResourceName,
    /// The model.
    pub model: ModelName,
}

impl Collection {
    /// The records of `model` in `resource`.
    pub fn new(
        scope: impl Into<Scope>,
        resource: impl Into<ResourceName>,
        model: impl Into<ModelName>,
    ) -> Self {
        Self {
            scope: scope.into(),
            resource: resource.into(),
            model: model.into(),
        }
    }
}

impl PathPart for Collection {
    fn push_to<'a>(&'a self, arguments: &mut PathArguments<'a>) {
        self.scope.push_to(arguments);
        self.resource.push_to(arguments);
        self.model.push_to(arguments);
    }

    fn take_from(segments: &mut impl Iterator<Item = String>) -> Option<Self> {
        Some(Self {
            scope: PathPart::take_from(segments)?,
            resource: PathPart::take_from(segments)?,
            model: PathPart::take_from(segments)?,
        })
    }
}

/// List: `GET B`, 200 with the paginated envelope, or an array with `_no_pagination`.
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/{resource}/models/{model}")]
#[operation(name = "records.list", credential = StaticToken, answer = Paginated<T>)]
#[operation(new = "Lists a page of the collection.")]
#[non_exhaustive]
pub struct List<T = Record> {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// The query that selects the records.
    #[wire(query)]
    pub query: ListQuery,
    /// The ID under which it is listed while it runs; the service chooses one when this is `None`.
    #[wire(header = "x-statement-id")]
    pub statement_id: Option<String>,
    record_type: PhantomData<fn() -> T>,
}

impl<T> HasFields for List<T> {
    fn set_fields(&mut self, fields: Vec<String>) {
        self.query.fields = Some(fields);
    }
}

/// Retrieve: `GET B/{id}`, 200 with the record.
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/{resource}/models/{model}/{id}")]
#[operation(name = "records.get", credential = StaticToken, tagged = T)]
#[operation(new = "Gets a record with all of its fields.")]
#[non_exhaustive]
pub struct Get<T = Record> {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// The key of the record.
    #[wire(path)]
    pub id: RecordId,
    /// The view of the record in the response.
    #[wire(query, default)]
    pub view: RecordView,
    record_type: PhantomData<fn() -> T>,
}

/// Update: `PATCH B/{id}`, 200 with the whole record. Omitted fields keep their value.
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Data "/projects/{project}/{environment}/{resource}/models/{model}/{id}")]
#[operation(name = "records.update", credential = StaticToken, tagged = T)]
#[operation(new = "Changes a record.")]
#[non_exhaustive]
pub struct Update<T = Record> {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// The key of the record.
    #[wire(path)]
    pub id: RecordId,
    /// The new values of the fields.
    #[wire(whole_body)]
    pub record: JsonObject,
    /// Makes the change only if the record still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
    /// The view of the record in the response.
    #[wire(query, default)]
    pub view: RecordView,
    record_type: PhantomData<fn() -> T>,
}

/// Replace: `PUT B/{id}`, 200 with the whole record. Required fields must be present.
#[derive(Clone, Debug, Operation)]
#[operation(PUT Data "/projects/{project}/{environment}/{resource}/models/{model}/{id}")]
#[operation(name = "records.replace", credential = StaticToken, tagged = T)]
#[operation(new = "Replaces all values of a record.")]
#[non_exhaustive]
pub struct Replace<T = Record> {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// The key of the record.
    #[wire(path)]
    pub id: RecordId,
    /// The new values of the fields.
    #[wire(whole_body)]
    pub record: JsonObject,
    /// Makes the change only if the record still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
    /// The view of the record in the response.
    #[wire(query, default)]
    pub view: RecordView,
    record_type: PhantomData<fn() -> T>,
}

/// Delete: `DELETE B/{id}`, 204 without a body.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Data "/projects/{project}/{environment}/{resource}/models/{model}/{id}")]
#[operation(name = "records.delete", credential = StaticToken)]
#[operation(new = "Deletes a record.")]
#[non_exhaustive]
pub struct Delete {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// The key of the record.
    #[wire(path)]
    pub id: RecordId,
    /// Makes the change only if the record still has this entity tag.
    #[wire(header = "if-match")]
    pub if_match: Option<String>,
}
