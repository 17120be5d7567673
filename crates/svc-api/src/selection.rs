//! What can be set on calls that select records: which ones, in which order, how many at a time.

use serde::de::DeserializeOwned;
use svc_model::{
    Count, Filter, ListQuery, Lookup, Operand, OrderBy, Relation, TimeZoned, records, teams, users,
    wire::{HasQuery, Operation, PagedOperation},
};

use crate::Call;

/// An operation whose query says which records it is about, and in which order.
pub trait SelectsRecords: Operation + HasQuery<Query = ListQuery> {}

impl<T: DeserializeOwned> SelectsRecords for records::List<T> {}
impl SelectsRecords for records::Aggregate {}
impl SelectsRecords for records::Group {}
impl SelectsRecords for records::GetSiblings {}
impl SelectsRecords for teams::List {}
impl SelectsRecords for users::List {}

/// An operation whose query says in which time zone date texts are.
pub trait HasTimeZone: Operation + HasQuery<Query: TimeZoned> {}

impl<T: DeserializeOwned> HasTimeZone for records::List<T> {}
impl<T: DeserializeOwned> HasTimeZone for records::Get<T> {}
impl<T: DeserializeOwned> HasTimeZone for records::Create<T> {}
impl<T: DeserializeOwned> HasTimeZone for records::Update<T> {}
impl<T: DeserializeOwned> HasTimeZone for records::Replace<T> {}
impl HasTimeZone for records::Aggregate {}
impl HasTimeZone for records::Group {}
impl HasTimeZone for records::GetSiblings {}
impl HasTimeZone for teams::List {}
impl HasTimeZone for users::List {}

impl<O: HasTimeZone, V> Call<O, V> {
    /// Sets the UTC offset or IANA time zone of date texts, in and out, and of the units of time; UTC by default.
    pub fn time_zone(self, time_zone: impl Into<String>) -> Self {
        self.with(|operation| operation.query_mut().set_time_zone(time_zone.into()))
    }
}

impl<O: SelectsRecords, V> Call<O, V> {
    /// Sets all parameters at once; what they say of pages and order is left aside where it does not
    /// matter.
    pub fn query(self, query: ListQuery) -> Self {
        self.with(|operation| *operation.query_mut() = query)
    }

    /// Takes records whose field compares so.
    pub fn filter(
        self,
        field: impl Into<String>,
        lookup: Lookup,
        value: impl Into<Operand>,
    ) -> Self {
        self.select(|query| query.filter(field, lookup, value))
    }

    /// Leaves out records whose field compares so.
    pub fn exclude(
        self,
        field: impl Into<String>,
        lookup: Lookup,
        value: impl Into<Operand>,
    ) -> Self {
        self.select(|query| query.exclude(field, lookup, value))
    }

    /// Takes records for which the tree holds.
    pub fn filter_tree(self, filter: Filter) -> Self {
        self.select(|query| query.filter_tree(filter))
    }

    /// Takes records in which the text occurs.
    pub fn search(self, text: impl Into<String>) -> Self {
        self.select(|query| query.search(text))
    }

    /// Takes records that have such related records.
    pub fn relation(self, relation: Relation) -> Self {
        self.select(|query| query.relation(relation))
    }

    /// Orders by this too, after what was asked before; `-` in front means descending.
    pub fn order_by(self, order: impl Into<OrderBy>) -> Self {
        self.select(|query| query.order_by(order))
    }

    pub(crate) fn select(self, select: impl FnOnce(ListQuery) -> ListQuery) -> Self {
        self.with(|operation| {
            let query = operation.query_mut();
            *query = select(std::mem::take(query));
        })
    }
}

impl<O: PagedOperation + SelectsRecords> Call<O> {
    /// Says how the number of all matches is found.
    pub fn count(self, count: Count) -> Self {
        self.select(|query| query.count(count))
    }

    /// Asks for all records at once, up to 10000.
    pub fn no_pagination(self) -> Self {
        self.select(ListQuery::no_pagination)
    }
}
