//! What can be set on calls about the records that a query selects.

use serde::de::DeserializeOwned;
use svc_model::{
    Filter, ListQuery, Lookup, Operand, OrderBy, Relation,
    records::{Aggregate, GetSiblings, Group, List},
};

use crate::Call;

macro_rules! selections {
    ($([$($generics:tt)*] $operation:ty),*) => {$(
        impl<$($generics)*> Call<$operation> {
            /// Sets all parameters at once; what they say of pages and order is left aside where it does not
            /// matter.
            pub fn query(self, query: ListQuery) -> Self {
                self.with(|operation| operation.query = query)
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

            /// Sets the time zone of date texts, in and out, and of the units of time.
            pub fn time_zone(self, time_zone: impl Into<String>) -> Self {
                self.select(|query| query.time_zone(time_zone))
            }

            pub(super) fn select(self, select: impl FnOnce(ListQuery) -> ListQuery) -> Self {
                self.with(|operation| {
                    operation.query = select(std::mem::take(&mut operation.query));
                })
            }
        }
    )*};
}

selections!([T: DeserializeOwned] List<T>, [] Aggregate, [] Group, [] GetSiblings);

impl Call<GetSiblings> {
    /// Orders by this too, after what was asked before; `-` in front means descending.
    pub fn order_by(self, order: impl Into<OrderBy>) -> Self {
        self.select(|query| query.order_by(order))
    }
}
