//! Records of connected databases (specification, section 4, "Records list").

mod aggregate;
mod bulk_create;
mod group;
mod siblings;

use std::marker::PhantomData;

use bytes::Bytes;
use http::Method;
use serde::de::DeserializeOwned;

use crate::{
    EnvironmentName, JsonObject, ListQuery, ModelName, Paginated, ProjectName, QueryString,
    RecordId, RecordView, ResourceName, Tagged,
    operation::{encode, if_match},
    response::{ResponseError, decode_json, decode_tagged},
    wire::{Credential, Host, Operation, OperationInfo, PathArguments, RequestError},
};

pub use self::{
    aggregate::{
        AGGREGATE_PATH, Aggregate, AggregateFunction, AggregateQuery, Aggregation,
        UnknownAggregateFunction,
    },
    bulk_create::{BULK_CREATE_PATH, BulkCreate, BulkQuery, BulkResult, MAX_BULK},
    group::{
        DEFAULT_GROUPS, DateUnit, GROUP_PATH, Group, GroupColumn, GroupLookup, GroupQuery,
        GroupRow, MAX_GROUP_COLUMNS, MAX_GROUPS, UnknownGroupLookup, group_name,
    },
    siblings::{GetSiblings, SIBLINGS_PATH, Siblings},
};

/// The path of the records of a model.
pub const LIST_PATH: &str = "/projects/{project}/{environment}/{resource}/models/{model}";
/// The path of one record.
pub const ITEM_PATH: &str = "/projects/{project}/{environment}/{resource}/models/{model}/{id}";

/// A record whose columns are not known at compile time.
///
/// Integers keep all digits up to 64 bits; exact decimals are texts.
pub type Record = serde_json::Map<String, serde_json::Value>;

/// Where the records of a model are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Collection {
    /// The project.
    pub project: ProjectName,
    /// The environment.
    pub environment: EnvironmentName,
    /// The connected resource.
    pub resource: ResourceName,
    /// The model.
    pub model: ModelName,
}

impl Collection {
    /// The records of `model` in `resource`.
    pub fn new(
        project: impl Into<ProjectName>,
        environment: impl Into<EnvironmentName>,
        resource: impl Into<ResourceName>,
        model: impl Into<ModelName>,
    ) -> Self {
        Self {
            project: project.into(),
            environment: environment.into(),
            resource: resource.into(),
            model: model.into(),
        }
    }

    fn arguments(&self) -> PathArguments<'_> {
        [
            self.project.as_str(),
            self.environment.as_str(),
            self.resource.as_str(),
            self.model.as_str(),
        ]
        .into()
    }

    fn item_arguments<'a>(&'a self, id: &'a RecordId) -> PathArguments<'a> {
        [
            self.project.as_str(),
            self.environment.as_str(),
            self.resource.as_str(),
            self.model.as_str(),
            id.as_str(),
        ]
        .into()
    }
}

/// Describes an operation that the static token of its resource opens.
pub(crate) const fn info(
    name: &'static str,
    method: Method,
    path: &'static str,
    idempotent: bool,
) -> OperationInfo {
    OperationInfo::new(
        name,
        method,
        Host::Data,
        path,
        Credential::StaticToken,
        idempotent,
    )
}

/// The query of a record operation: how the record is shown, and a client's draft switch.
fn view_query(view: &RecordView, draft: bool) -> QueryString {
    with_draft(view.to_query_string(), draft)
}

pub(crate) fn with_draft(mut query: QueryString, draft: bool) -> QueryString {
    if draft {
        query.push("draft", "1");
    }
    query
}

/// List: `GET B`, 200 with the paginated envelope, or an array with `_no_pagination`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct List<T = Record> {
    /// Where.
    pub collection: Collection,
    /// Which records.
    pub query: ListQuery,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
    record: PhantomData<fn() -> T>,
}

impl<T> List<T> {
    /// A page of the collection.
    pub fn new(collection: Collection, query: ListQuery) -> Self {
        Self {
            collection,
            query,
            draft: false,
            record: PhantomData,
        }
    }
}

impl<T: DeserializeOwned> Operation for List<T> {
    type Response = Paginated<T>;

    const INFO: OperationInfo = info("records.list", Method::GET, LIST_PATH, true);

    fn path_arguments(&self) -> PathArguments<'_> {
        self.collection.arguments()
    }

    fn query(&self) -> QueryString {
        with_draft(self.query.to_query_string(), self.draft)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_json(response)
    }
}

/// Retrieve: `GET B/{id}`, 200 with the record.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Get<T = Record> {
    /// Where.
    pub collection: Collection,
    /// Which record.
    pub id: RecordId,
    /// How it is shown.
    pub view: RecordView,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
    record: PhantomData<fn() -> T>,
}

impl<T> Get<T> {
    /// One record, whole.
    pub fn new(collection: Collection, id: impl Into<RecordId>) -> Self {
        Self {
            collection,
            id: id.into(),
            view: RecordView::default(),
            draft: false,
            record: PhantomData,
        }
    }
}

impl<T: DeserializeOwned> Operation for Get<T> {
    type Response = Tagged<T>;

    const INFO: OperationInfo = info("records.get", Method::GET, ITEM_PATH, true);

    fn path_arguments(&self) -> PathArguments<'_> {
        self.collection.item_arguments(&self.id)
    }

    fn query(&self) -> QueryString {
        view_query(&self.view, self.draft)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_tagged(response)
    }
}

/// Create: `POST B`, 201 with the whole record.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Create<T = Record> {
    /// Where.
    pub collection: Collection,
    /// The fields of the new record.
    pub record: JsonObject,
    /// How the answer shows it.
    pub view: RecordView,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
    answer: PhantomData<fn() -> T>,
}

impl<T> Create<T> {
    /// A new record.
    pub fn new(collection: Collection, record: JsonObject) -> Self {
        Self {
            collection,
            record,
            view: RecordView::default(),
            draft: false,
            answer: PhantomData,
        }
    }
}

impl<T: DeserializeOwned> Operation for Create<T> {
    type Response = Tagged<T>;

    const INFO: OperationInfo = info("records.create", Method::POST, LIST_PATH, false);

    fn path_arguments(&self) -> PathArguments<'_> {
        self.collection.arguments()
    }

    fn query(&self) -> QueryString {
        view_query(&self.view, self.draft)
    }

    fn body(&self) -> Result<Option<Bytes>, RequestError> {
        encode(&self.record).map(Some)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
        decode_tagged(response)
    }
}

macro_rules! changes {
    ($( $(#[$doc:meta])* $name:ident = $wire:literal, $method:ident, $idempotent:literal; )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub struct $name<T = Record> {
            /// Where.
            pub collection: Collection,
            /// Which record.
            pub id: RecordId,
            /// The fields.
            pub record: JsonObject,
            /// Only when the record still has this entity tag.
            pub if_match: Option<String>,
            /// How the answer shows it.
            pub view: RecordView,
            /// Whether the client sends `draft=1`.
            pub draft: bool,
            answer: PhantomData<fn() -> T>,
        }

        impl<T> $name<T> {
            /// Changes one record.
            pub fn new(collection: Collection, id: impl Into<RecordId>, record: JsonObject) -> Self {
                Self {
                    collection,
                    id: id.into(),
                    record,
                    if_match: None,
                    view: RecordView::default(),
                    draft: false,
                    answer: PhantomData,
                }
            }
        }

        impl<T: DeserializeOwned> Operation for $name<T> {
            type Response = Tagged<T>;

            const INFO: OperationInfo = info($wire, Method::$method, ITEM_PATH, $idempotent);

            fn path_arguments(&self) -> PathArguments<'_> {
        self.collection.item_arguments(&self.id)
            }

            fn query(&self) -> QueryString {
                view_query(&self.view, self.draft)
            }

            fn body(&self) -> Result<Option<Bytes>, RequestError> {
                encode(&self.record).map(Some)
            }

            fn headers(&self) -> Vec<(http::HeaderName, String)> {
                if_match(self.if_match.as_ref())
            }

            fn parse_success(response: http::Response<Bytes>) -> Result<Self::Response, ResponseError> {
                decode_tagged(response)
            }
        }
    )*};
}

changes! {
    /// Update: `PATCH B/{id}`, 200 with the whole record. Omitted fields keep their value.
    Update = "records.update", PATCH, false;
    /// Replace: `PUT B/{id}`, 200 with the whole record. Required fields must be present.
    Replace = "records.replace", PUT, true;
}

/// Delete: `DELETE B/{id}`, 204 without a body.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Delete {
    /// Where.
    pub collection: Collection,
    /// Which record.
    pub id: RecordId,
    /// Only when the record still has this entity tag.
    pub if_match: Option<String>,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
}

impl Delete {
    /// Deletes one record.
    pub fn new(collection: Collection, id: impl Into<RecordId>) -> Self {
        Self {
            collection,
            id: id.into(),
            if_match: None,
            draft: false,
        }
    }
}

impl Operation for Delete {
    type Response = ();

    const INFO: OperationInfo = info("records.delete", Method::DELETE, ITEM_PATH, true);

    fn path_arguments(&self) -> PathArguments<'_> {
        self.collection.item_arguments(&self.id)
    }

    fn query(&self) -> QueryString {
        with_draft(QueryString::new(), self.draft)
    }

    fn headers(&self) -> Vec<(http::HeaderName, String)> {
        if_match(self.if_match.as_ref())
    }

    fn parse_success(_: http::Response<Bytes>) -> Result<(), ResponseError> {
        Ok(())
    }
}
