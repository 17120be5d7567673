//! Aggregate and group.

use serde::de::DeserializeOwned;
use svc_model::{
    ListQuery,
    records::{Aggregate, AggregateFunction, Aggregation, Group, GroupColumn},
};

use super::Records;
use crate::Call;

impl<T: DeserializeOwned> Records<T> {
    /// Counts the records.
    ///
    /// ```
    /// # use svc_api::{Client, Error, Lookup};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let orders = client.records("shop", "orders");
    /// let paid = orders.count().filter("status", Lookup::Exact, "paid").await?;
    /// println!("{paid} paid orders");
    /// # Ok(())
    /// # }
    /// ```
    pub fn count(&self) -> Call<Aggregate> {
        self.aggregation(Aggregation::count())
    }

    /// Computes a function over the values of a column.
    pub fn aggregate(&self, func: AggregateFunction, column: impl Into<String>) -> Call<Aggregate> {
        self.aggregation(Aggregation::of(func, column))
    }

    fn aggregation(&self, aggregation: Aggregation) -> Call<Aggregate> {
        Call::new(
            &self.client,
            Aggregate::new(self.collection.clone(), ListQuery::new(), aggregation),
        )
    }

    /// Computes one value for each group of records.
    ///
    /// ```
    /// # use svc_api::{Client, Error, model::records::{Aggregation, AggregateFunction, DateUnit, GroupColumn}};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let months = [GroupColumn::by_date("created_at", DateUnit::Month)];
    /// let total = Aggregation::of(AggregateFunction::Sum, "total");
    /// for row in client.records("shop", "orders").group(months, total).await? {
    ///     println!("{}: {}", row.groups[0], row.value);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn group(
        &self,
        columns: impl IntoIterator<Item = impl Into<GroupColumn>>,
        aggregation: Aggregation,
    ) -> Call<Group> {
        let collection = self.collection.clone();
        Call::new(
            &self.client,
            Group::new(collection, ListQuery::new(), columns, aggregation),
        )
    }
}

impl Call<Group> {
    /// Sets the maximum number of groups.
    pub fn limit(self, limit: u32) -> Self {
        self.with(|operation| operation.limit = Some(limit))
    }
}
