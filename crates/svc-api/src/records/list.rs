//! What can be set on a list of records, and the ways to walk it.

use std::mem;

use serde::de::DeserializeOwned;
use svc_model::{Count, Filter, ListQuery, Lookup, Operand, OrderBy, Relation, records::List};

use crate::{
    Call,
    paging::{Cursor, ItemStream, PageStream, Paged},
};

impl<T: DeserializeOwned> Call<List<T>> {
    /// Sets all parameters at once.
    pub fn query(self, query: ListQuery) -> Self {
        self.with(|operation| operation.query = query)
    }

    /// Keeps records whose field compares so.
    pub fn filter(
        self,
        field: impl Into<String>,
        lookup: Lookup,
        value: impl Into<Operand>,
    ) -> Self {
        self.change(|query| query.filter(field, lookup, value))
    }

    /// Leaves out records whose field compares so.
    pub fn exclude(
        self,
        field: impl Into<String>,
        lookup: Lookup,
        value: impl Into<Operand>,
    ) -> Self {
        self.change(|query| query.exclude(field, lookup, value))
    }

    /// Keeps records for which the tree of conditions holds.
    pub fn filter_tree(self, filter: Filter) -> Self {
        self.change(|query| query.filter_tree(filter))
    }

    /// Keeps records in which the text occurs.
    pub fn search(self, text: impl Into<String>) -> Self {
        self.change(|query| query.search(text))
    }

    /// Keeps records that have such related records.
    pub fn relation(self, relation: Relation) -> Self {
        self.change(|query| query.relation(relation))
    }

    /// Orders by this too, after what was asked before; `-` in front means descending.
    pub fn order_by(self, order: impl Into<OrderBy>) -> Self {
        self.change(|query| query.order_by(order))
    }

    /// Gives these columns only, and the primary key.
    pub fn fields<N: Into<String>>(self, fields: impl IntoIterator<Item = N>) -> Self {
        self.change(|query| query.fields(fields))
    }

    /// Says how the number of all matches is found.
    pub fn count(self, count: Count) -> Self {
        self.change(|query| query.count(count))
    }

    /// Sets the UTC offset or IANA time zone of date texts, in and out; UTC by default.
    pub fn time_zone(self, time_zone: impl Into<String>) -> Self {
        self.change(|query| query.time_zone(time_zone))
    }

    /// Asks for this page, from 1.
    pub fn page(self, page: u64) -> Self {
        self.change(|query| query.page(page))
    }

    /// Asks for this many records on a page: 25 by default, 10000 at most.
    pub fn per_page(self, per_page: u32) -> Self {
        self.change(|query| query.per_page(per_page))
    }

    /// Asks for all records at once, up to 10000.
    pub fn no_pagination(self) -> Self {
        self.change(ListQuery::no_pagination)
    }

    /// Gives this page and all that follow, each asked for when the one before was taken.
    pub fn by_page(self) -> PageStream<T>
    where
        T: Send + 'static,
    {
        PageStream::new(self)
    }

    /// Gives the records of this page and of all that follow.
    pub fn by_item(self) -> ItemStream<T>
    where
        T: Send + 'static,
    {
        ItemStream::new(self.by_page())
    }

    fn change(self, change: impl FnOnce(ListQuery) -> ListQuery) -> Self {
        self.with(|operation| operation.query = change(mem::take(&mut operation.query)))
    }
}

impl<T: DeserializeOwned + Send + 'static> Paged<T> for List<T> {
    fn turn(&mut self, next: Cursor) -> bool {
        let page = next.page.unwrap_or(1);
        let moved = (page, &next.after) != (self.query.page, &self.query.after);
        self.query.page = page;
        self.query.after = next.after;
        moved
    }
}
