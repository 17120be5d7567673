//! Aggregate and group.

use serde::de::DeserializeOwned;
use svc_model::{
    Filter, ListQuery, Lookup, Operand, Relation,
    records::{Aggregate, AggregateFunction, Aggregation, Group, GroupColumn},
};

use super::Records;
use crate::Call;

impl<T: DeserializeOwned> Records<T> {
    /// Gives the number of records.
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

    /// Gives a function of a column.
    pub fn aggregate(&self, func: AggregateFunction, column: impl Into<String>) -> Call<Aggregate> {
        self.aggregation(Aggregation::of(func, column))
    }

    fn aggregation(&self, aggregation: Aggregation) -> Call<Aggregate> {
        let mut operation = Aggregate::new(self.collection.clone(), ListQuery::new(), aggregation);
        operation.draft = self.client.draft();
        Call::new(&self.client, operation)
    }

    /// Gives one value for each group of records.
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
        let mut operation = Group::new(collection, ListQuery::new(), columns, aggregation);
        operation.draft = self.client.draft();
        Call::new(&self.client, operation)
    }
}

macro_rules! selections {
    ($($operation:ident),*) => {$(
        impl Call<$operation> {
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

            /// Sets the time zone of date texts, in and out, and of the units of time.
            pub fn time_zone(self, time_zone: impl Into<String>) -> Self {
                self.select(|query| query.time_zone(time_zone))
            }

            fn select(self, select: impl FnOnce(ListQuery) -> ListQuery) -> Self {
                self.with(|operation| {
                    operation.query = select(std::mem::take(&mut operation.query));
                })
            }
        }
    )*};
}

selections!(Aggregate, Group);

impl Call<Group> {
    /// Asks for this many groups at most.
    pub fn limit(self, limit: u32) -> Self {
        self.with(|operation| operation.limit = Some(limit))
    }
}
