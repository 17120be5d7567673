//! Settings of calls that select records: filters, order and pagination.

use serde::de::DeserializeOwned;
use svc_model::{
    Count, Filter, ListQuery, Lookup, Operand, OrderBy, Relation, TimeZoned, projects, records,
    teams, users,
    wire::{HasQuery, Operation, PagedOperation},
};

use crate::Call;

/// An operation whose query selects and orders records.
pub trait SelectsRecords: Operation + HasQuery<Query = ListQuery> {}

impl<T: DeserializeOwned> SelectsRecords for records::List<T> {}
impl SelectsRecords for records::Aggregate {}
impl SelectsRecords for records::Group {}
impl SelectsRecords for records::GetSiblings {}
impl SelectsRecords for projects::List {}
impl SelectsRecords for teams::List {}
impl SelectsRecords for users::List {}
#[cfg(feature = "account")]
impl SelectsRecords for svc_auth::account::ListSessions {}

/// An operation whose query has the time zone of date texts.
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
    /// Sets the UTC offset or IANA time zone of date texts in requests and responses, and of the units of time; UTC by
    /// default.
    pub fn time_zone(self, time_zone: impl Into<String>) -> Self {
        self.with(|operation| operation.query_mut().set_time_zone(time_zone.into()))
    }
}

impl<O: SelectsRecords, V> Call<O, V> {
    /// Sets all parameters at once; calls without pages or order ignore those settings.
    pub fn query(self, query: ListQuery) -> Self {
        self.with(|operation| *operation.query_mut() = query)
    }

    /// Selects records for which the comparison holds.
    pub fn filter(
        self,
        field: impl Into<String>,
        lookup: Lookup,
        value: impl Into<Operand>,
    ) -> Self {
        self.select(|query| query.filter(field, lookup, value))
    }

    /// Leaves out records for which the comparison holds.
    pub fn exclude(
        self,
        field: impl Into<String>,
        lookup: Lookup,
        value: impl Into<Operand>,
    ) -> Self {
        self.select(|query| query.exclude(field, lookup, value))
    }

    /// Selects records for which the tree of conditions holds.
    pub fn filter_tree(self, filter: Filter) -> Self {
        self.select(|query| query.filter_tree(filter))
    }

    /// Selects records that contain the text.
    pub fn search(self, text: impl Into<String>) -> Self {
        self.select(|query| query.search(text))
    }

    /// Selects records that have these related records.
    pub fn relation(self, relation: Relation) -> Self {
        self.select(|query| query.relation(relation))
    }

    /// Adds a column to order by, after those that were added before; `-` in front means descending.
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
    /// Sets how the total number of matches is determined.
    pub fn count(self, count: Count) -> Self {
        self.select(|query| query.count(count))
    }

    /// Requests the page after a cursor: that of [`Paginated::next_query`](crate::model::Paginated::next_query).
    pub fn after(self, cursor: impl Into<String>) -> Self {
        self.select(|query| query.after(cursor))
    }

    /// Requests the page before a cursor: that of [`Paginated::previous_query`](crate::model::Paginated::previous_query).
    pub fn before(self, cursor: impl Into<String>) -> Self {
        self.select(|query| query.before(cursor))
    }

    /// Requests the last page.
    ///
    /// ```
    /// # use svc_api::{Client, Error};
    /// # #[cfg(feature = "records")]
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let orders = client.records("shop", "orders");
    /// let last = orders.list().order_by("created_at").last().await?;
    /// if let Some(cursor) = last.previous_query().and_then(|query| query.before) {
    ///     let before = orders.list().order_by("created_at").before(cursor).await?;
    ///     println!("{} records before those", before.results.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn last(self) -> Self {
        self.select(ListQuery::last)
    }

    /// Requests all records at once, up to 10000.
    pub fn no_pagination(self) -> Self {
        self.select(ListQuery::no_pagination)
    }
}
