//! Siblings: the records before and after a given record.

use serde::{Deserialize, Serialize};

use super::{Collection, Record, aggregate::SplitQuery};
use crate::{Invalid, ListQuery, QueryString, RecordId, wire::Operation};

/// Siblings: `GET B/{id}/get_siblings`, 200 with [`Siblings`].
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/{resource}/models/{model}/{id}/get_siblings")]
#[operation(name = "records.get_siblings", credential = StaticToken, answer = Siblings)]
#[operation(query = Self::selection)]
#[operation(new = "Gets the records before and after one, in the order of `query`.")]
#[non_exhaustive]
pub struct GetSiblings {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// The key of the record.
    #[wire(path)]
    pub id: RecordId,
    /// The selection of records and their order.
    #[wire(query)]
    pub query: ListQuery,
}

impl GetSiblings {
    /// Reads the query string as the service does: the parameters that select records, and `_order_by`.
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter and malformed value.
    pub fn parse_query(query: &str, is_field: &dyn Fn(&str) -> bool) -> Result<ListQuery, Invalid> {
        let parsed = ListQuery::parse(query, is_field)?;
        match SplitQuery::new(query, &["_order_by"])?.selects_alone() {
            true => Ok(parsed),
            false => Err(Invalid::general(
                "only filters, exclude__, _search, _filter, _relation, _order_by and tz are taken for siblings",
            )),
        }
    }

    fn selection(&self) -> QueryString {
        let mut selection = self.query.selection();
        selection.order_by.clone_from(&self.query.order_by);
        selection.to_query_string()
    }
}

/// The primary keys of the records before and after a given record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Siblings {
    /// The primary key of the record before, field by field; `None` at the beginning.
    pub prev: Option<Record>,
    /// The primary key of the record after, field by field; `None` at the end.
    pub next: Option<Record>,
}
