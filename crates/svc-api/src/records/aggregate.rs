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
    pub fn count(&self) -> Call<Aggregate, u64> {
        self.aggregation(Aggregation::count()).typed()
    }

    /// Computes a function over the values of a column. The type of the result is that of the column, or of the function;
    /// [`typed`](Call::typed) reads it.
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

impl<V> Call<Aggregate, V> {
    /// Reads the result as a `T`: a number, or a text for an exact decimal one; as an `Option` where there may be no values.
    ///
    /// ```
    /// # use svc_api::{Client, Error, model::records::AggregateFunction};
    /// # async fn example(client: Client) -> Result<(), Error> {
    /// let orders = client.records("shop", "orders");
    /// let total: Option<String> = orders.aggregate(AggregateFunction::Sum, "total").typed().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn typed<T: DeserializeOwned>(self) -> Call<Aggregate, T> {
        self.read_as(|value| T::deserialize(value).ok())
    }
}

impl Call<Group> {
    /// Sets the maximum number of groups.
    pub fn limit(self, limit: u32) -> Self {
        self.with(|operation| operation.limit = Some(limit))
    }
}
