//! What can be set on a list of records, and the ways to walk it.

use serde::de::DeserializeOwned;
use svc_model::{Count, ListQuery, OrderBy, records::List};

use crate::{
    Call,
    paging::{Cursor, ItemStream, PageStream, Paged},
};

impl<T: DeserializeOwned> Call<List<T>> {
    /// Orders by this too, after what was asked before; `-` in front means descending.
    pub fn order_by(self, order: impl Into<OrderBy>) -> Self {
        self.select(|query| query.order_by(order))
    }

    /// Gives these columns only, and the primary key.
    pub fn fields<N: Into<String>>(self, fields: impl IntoIterator<Item = N>) -> Self {
        self.select(|query| query.fields(fields))
    }

    /// Says how the number of all matches is found.
    pub fn count(self, count: Count) -> Self {
        self.select(|query| query.count(count))
    }

    /// Asks for this page, from 1.
    pub fn page(self, page: u64) -> Self {
        self.select(|query| query.page(page))
    }

    /// Asks for this many records on a page: 25 by default, 10000 at most.
    pub fn per_page(self, per_page: u32) -> Self {
        self.select(|query| query.per_page(per_page))
    }

    /// Asks for all records at once, up to 10000.
    pub fn no_pagination(self) -> Self {
        self.select(ListQuery::no_pagination)
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
