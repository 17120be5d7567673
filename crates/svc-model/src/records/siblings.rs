//! The records before and after one: siblings.

use bytes::Bytes;
use http::Method;
use serde::{Deserialize, Serialize};

use super::{Collection, Record, info, with_draft};
use crate::{
    Invalid, ListQuery, QueryString, RecordId, ResponseError, decode_json,
    wire::{Operation, OperationInfo, PathArguments},
};

/// The path of the siblings of a record.
pub const SIBLINGS_PATH: &str =
    "/projects/{project}/{environment}/{resource}/models/{model}/{id}/get_siblings";

/// Siblings: `GET B/{id}/get_siblings`, 200 with [`Siblings`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GetSiblings {
    /// Where.
    pub collection: Collection,
    /// Of which record.
    pub id: RecordId,
    /// Among which records, and in which order.
    pub query: ListQuery,
    /// Whether the client sends `draft=1`.
    pub draft: bool,
}

impl GetSiblings {
    /// The records before and after one, in the order of `query`.
    pub fn new(collection: Collection, id: impl Into<RecordId>, query: ListQuery) -> Self {
        Self {
            collection,
            id: id.into(),
            query,
            draft: false,
        }
    }

    /// Reads the query string as the service does: what selects records, and `_order_by`.
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter and malformed value.
    pub fn parse_query(query: &str, is_field: &dyn Fn(&str) -> bool) -> Result<ListQuery, Invalid> {
        let query = ListQuery::parse(query, is_field)?;
        let mut taken = query.selection();
        taken.order_by.clone_from(&query.order_by);
        if taken == query {
            return Ok(query);
        }
        Err(Invalid::general(
            "only filters, exclude__, _search, _filter, _relation, _order_by and tz are taken for siblings",
        ))
    }
}

impl Operation for GetSiblings {
    type Response = Siblings;

    const INFO: OperationInfo = info("records.get_siblings", Method::GET, SIBLINGS_PATH, true);

    fn path_arguments(&self) -> PathArguments<'_> {
        self.collection.item_arguments(&self.id)
    }

    fn query(&self) -> QueryString {
        let mut selection = self.query.selection();
        selection.order_by.clone_from(&self.query.order_by);
        with_draft(selection.to_query_string(), self.draft)
    }

    fn parse_success(response: http::Response<Bytes>) -> Result<Siblings, ResponseError> {
        decode_json(response)
    }
}

/// The primary keys of the records before and after one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Siblings {
    /// The primary key of the record before, field by field; `None` at the beginning.
    pub prev: Option<Record>,
    /// The primary key of the record after, field by field; `None` at the end.
    pub next: Option<Record>,
}
