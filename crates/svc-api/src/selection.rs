//! What can be set on calls that take a list query: which records, in which order, how many at a time.

/// Implements what selects records, for operations with a `query`.
macro_rules! selections {
    ($([$($generics:tt)*] $operation:ty),*) => {$(
        impl<$($generics)*> $crate::Call<$operation> {
            /// Sets all parameters at once; what they say of pages and order is left aside where it does not
            /// matter.
            pub fn query(self, query: svc_model::ListQuery) -> Self {
                self.with(|operation| operation.query = query)
            }

            /// Takes records whose field compares so.
            pub fn filter(
                self,
                field: impl Into<String>,
                lookup: svc_model::Lookup,
                value: impl Into<svc_model::Operand>,
            ) -> Self {
                self.select(|query| query.filter(field, lookup, value))
            }

            /// Leaves out records whose field compares so.
            pub fn exclude(
                self,
                field: impl Into<String>,
                lookup: svc_model::Lookup,
                value: impl Into<svc_model::Operand>,
            ) -> Self {
                self.select(|query| query.exclude(field, lookup, value))
            }

            /// Takes records for which the tree holds.
            pub fn filter_tree(self, filter: svc_model::Filter) -> Self {
                self.select(|query| query.filter_tree(filter))
            }

            /// Takes records in which the text occurs.
            pub fn search(self, text: impl Into<String>) -> Self {
                self.select(|query| query.search(text))
            }

            /// Takes records that have such related records.
            pub fn relation(self, relation: svc_model::Relation) -> Self {
                self.select(|query| query.relation(relation))
            }

            /// Sets the time zone of date texts, in and out, and of the units of time.
            pub fn time_zone(self, time_zone: impl Into<String>) -> Self {
                self.select(|query| query.time_zone(time_zone))
            }

            pub(crate) fn select(
                self,
                select: impl FnOnce(svc_model::ListQuery) -> svc_model::ListQuery,
            ) -> Self {
                self.with(|operation| {
                    operation.query = select(std::mem::take(&mut operation.query));
                })
            }
        }
    )*};
}

/// Implements what orders a list and walks it, for an operation that has its [`selections`]. The generics
/// in front are those that the list can be set up with, the other ones those that it can be walked with.
macro_rules! lists {
    ([$($generics:tt)*] [$($walked:tt)*] $operation:ty, $item:ty) => {
        impl<$($generics)*> $crate::Call<$operation> {
            /// Orders by this too, after what was asked before; `-` in front means descending.
            pub fn order_by(self, order: impl Into<svc_model::OrderBy>) -> Self {
                self.select(|query| query.order_by(order))
            }

            /// Says how the number of all matches is found.
            pub fn count(self, count: svc_model::Count) -> Self {
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
                self.select(svc_model::ListQuery::no_pagination)
            }
        }

        impl<$($walked)*> $crate::Call<$operation> {
            /// Gives this page and all that follow, each asked for when the one before was taken.
            pub fn by_page(self) -> $crate::paging::PageStream<$item> {
                $crate::paging::PageStream::new(self)
            }

            /// Gives the records of this page and of all that follow.
            pub fn by_item(self) -> $crate::paging::ItemStream<$item> {
                $crate::paging::ItemStream::new(self.by_page())
            }
        }

        impl<$($walked)*> $crate::paging::Paged<$item> for $operation {
            fn turn(&mut self, next: $crate::paging::Cursor) -> bool {
                let page = next.page.unwrap_or(1);
                let moved = (page, &next.after) != (self.query.page, &self.query.after);
                self.query.page = page;
                self.query.after = next.after;
                moved
            }
        }
    };
}

pub(crate) use {lists, selections};
