//! List queries: which records of a model to return, in which order, and how many at a time.
//!
//! Client and server share this grammar: [`ListQuery::parse`] reads what
//! [`ListQuery::to_query_string`] writes.

mod expand;
mod parse;
mod relation;
mod view;

use std::{borrow::Cow, fmt};

pub use self::{
    expand::{Expand, ExpandError, Expanded, MAX_EXPAND_LEVELS, MAX_EXPAND_PATHS},
    relation::{MAX_RELATION_STEPS, Relation, RelationError, RelationStep},
    view::RecordView,
};
use crate::{
    Condition, Filter, Lookup, Operand, PageQuery, Paginated, QueryString,
    comma_list::write_list,
    wire::{HasQuery, Operation, PagedOperation, QueryPart},
};

/// The number of records on a page when `_per_page` is absent (specification, section 8).
pub const DEFAULT_PER_PAGE: u32 = 25;
/// The maximum number of records on a page, and in a list without pagination (specification, section 8).
pub const MAX_PER_PAGE: u32 = 10_000;
/// The maximum number of columns in `_order_by`.
pub const MAX_ORDER_BY: usize = 100;
/// The maximum length of `_search`, in characters.
pub const MAX_SEARCH: usize = 1_000;

/// The parameters of a list (specification, section 4).
///
/// ```
/// use svc_model::{Filter, ListQuery, Lookup, OrderBy};
///
/// let query = ListQuery::new()
///     .filter("status", Lookup::In, ["paid", "shipped"])
///     .exclude("note", Lookup::Isnull, true)
///     .order_by(OrderBy::descending("created_at"))
///     .per_page(50);
/// let text = query.to_query_string();
/// assert_eq!(
///     text.as_str(),
///     "status__in=paid,shipped&exclude__note__isnull=true&_order_by=-created_at&_per_page=50",
/// );
///
/// let is_field = |name: &str| ["status", "note", "created_at"].contains(&name);
/// assert_eq!(ListQuery::parse(text.as_str(), &is_field)?, query);
/// # Ok::<(), svc_model::Invalid>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListQuery {
    /// `page`: the number of the page, starting at 1.
    pub page: u64,
    /// `_per_page`: the number of records on a page, 1 to [`MAX_PER_PAGE`]; [`DEFAULT_PER_PAGE`] when absent.
    pub per_page: Option<u32>,
    /// `_no_pagination`: one array of up to [`MAX_PER_PAGE`] records.
    pub no_pagination: bool,
    /// `_order_by`: the columns to order by.
    pub order_by: Vec<OrderBy>,
    /// `_search`: a text to search for in every searchable column.
    pub search: Option<String>,
    /// `{field}__{lookup}` and `exclude__{field}__{lookup}`: conditions that must all hold.
    pub filters: Vec<FieldFilter>,
    /// `_filter`: a tree of conditions that must hold in addition to the others.
    pub filter: Option<Filter>,
    /// `_fields`: only these columns, and the primary key; all when `None`.
    pub fields: Option<Vec<String>>,
    /// `_expand`: related records that come with each record.
    pub expand: Option<Expand>,
    /// `_excerpt`: texts, binary data and JSON that are longer are cut; whole when `None`.
    pub excerpt: Option<u32>,
    /// `_relation`: only records that have these related records.
    pub relation: Option<Relation>,
    /// `_count`: how the total number of matches is determined.
    pub count: Count,
    /// `tz`: UTC offset or IANA time zone of date texts in requests and responses; UTC when `None`.
    pub time_zone: Option<String>,
    /// `_after`: the cursor of a `next` link; the page begins after it.
    pub after: Option<String>,
    /// `_before`: the cursor of a `previous` link; the page ends before it.
    pub before: Option<String>,
    /// `_last`: the last records in the order, as many as a page has.
    pub last: bool,
}

impl Default for ListQuery {
    fn default() -> Self {
        Self {
            page: 1,
            per_page: None,
            no_pagination: false,
            order_by: Vec::new(),
            search: None,
            filters: Vec::new(),
            filter: None,
            fields: None,
            expand: None,
            excerpt: None,
            relation: None,
            count: Count::Exact,
            time_zone: None,
            after: None,
            before: None,
            last: false,
        }
    }
}

/// A query with a time zone for date texts.
pub trait TimeZoned {
    /// Sets the UTC offset or IANA time zone.
    fn set_time_zone(&mut self, time_zone: String);
}

impl TimeZoned for ListQuery {
    fn set_time_zone(&mut self, time_zone: String) {
        self.time_zone = Some(time_zone);
    }
}

impl<T, O> PagedOperation for O
where
    O: Operation<Response = Paginated<T>> + HasQuery<Query = ListQuery>,
{
    type Item = T;

    fn set_page(&mut self, page: u64) {
        self.query_mut().page = page;
    }

    fn set_per_page(&mut self, per_page: u32) {
        self.query_mut().per_page = Some(per_page);
    }

    fn seek(&mut self, to: PageQuery) -> bool {
        let query = self.query_mut();
        let PageQuery {
            page,
            after,
            before,
        } = to;
        let page = page.unwrap_or(1);
        let moved =
            query.last || (page, &after, &before) != (query.page, &query.after, &query.before);
        query.last = false;
        (query.page, query.after, query.before) = (page, after, before);
        moved
    }
}

impl QueryPart for ListQuery {
    fn write(&self, query: &mut QueryString) {
        query.extend(self.to_query_string());
    }
}

impl ListQuery {
    /// A query for the first page of all records.
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests this page.
    #[must_use]
    pub fn page(mut self, page: u64) -> Self {
        (self.page, self.after, self.before, self.last) = (page, None, None, false);
        self
    }

    /// Requests the page after a cursor (`_after`).
    #[must_use]
    pub fn after(self, cursor: impl Into<String>) -> Self {
        let mut query = self.page(1);
        query.after = Some(cursor.into());
        query
    }

    /// Requests the page before a cursor (`_before`).
    #[must_use]
    pub fn before(self, cursor: impl Into<String>) -> Self {
        let mut query = self.page(1);
        query.before = Some(cursor.into());
        query
    }

    /// Requests the last page: the last records in the order (`_last`).
    #[must_use]
    pub fn last(self) -> Self {
        let mut query = self.page(1);
        query.last = true;
        query
    }

    /// Sets the number of records on a page.
    #[must_use]
    pub fn per_page(mut self, per_page: u32) -> Self {
        self.per_page = Some(per_page);
        self
    }

    /// Requests one array of up to [`MAX_PER_PAGE`] records, without pages.
    #[must_use]
    pub fn no_pagination(mut self) -> Self {
        self.no_pagination = true;
        self
    }

    /// Adds a column to order by, after those that were added before.
    #[must_use]
    pub fn order_by(mut self, order: impl Into<OrderBy>) -> Self {
        self.order_by.push(order.into());
        self
    }

    /// Selects records that contain the text.
    #[must_use]
    pub fn search(mut self, text: impl Into<String>) -> Self {
        self.search = Some(text.into());
        self
    }

    /// Selects records for which the comparison holds.
    #[must_use]
    pub fn filter(
        self,
        field: impl Into<String>,
        lookup: Lookup,
        value: impl Into<Operand>,
    ) -> Self {
        self.compare(Condition::new(field, lookup, value), false)
    }

    /// Leaves out records for which the comparison holds.
    #[must_use]
    pub fn exclude(
        self,
        field: impl Into<String>,
        lookup: Lookup,
        value: impl Into<Operand>,
    ) -> Self {
        self.compare(Condition::new(field, lookup, value), true)
    }

    fn compare(mut self, condition: Condition, exclude: bool) -> Self {
        self.filters.push(FieldFilter { condition, exclude });
        self
    }

    /// Selects records for which the tree of conditions holds.
    #[must_use]
    pub fn filter_tree(mut self, filter: Filter) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Requests only these columns.
    #[must_use]
    pub fn fields<T: Into<String>>(mut self, fields: impl IntoIterator<Item = T>) -> Self {
        self.fields = Some(fields.into_iter().map(Into::into).collect());
        self
    }

    /// Requests related records with each record.
    #[must_use]
    pub fn expand(mut self, expand: impl Into<Expand>) -> Self {
        for relation in expand.into().relations {
            self.expand.get_or_insert_default().add(relation);
        }
        self
    }

    /// Requests excerpts: texts have at most so many characters, binary data so many bytes, and JSON so many characters of
    /// its compact text. What was cut is in the property `_cut` of a record, with its whole length.
    #[must_use]
    pub fn excerpt(mut self, most: u32) -> Self {
        self.excerpt = Some(most);
        self
    }

    /// Selects records that have these related records.
    #[must_use]
    pub fn relation(mut self, relation: Relation) -> Self {
        self.relation = Some(relation);
        self
    }

    /// Sets how the total number of matches is determined.
    #[must_use]
    pub fn count(mut self, count: Count) -> Self {
        self.count = count;
        self
    }

    /// Sets the time zone of date texts.
    #[must_use]
    pub fn time_zone(mut self, time_zone: impl Into<String>) -> Self {
        self.time_zone = Some(time_zone.into());
        self
    }

    /// The parameters that select records: filters, `_search`, `_filter`, `_relation`, and the `tz` in which they are
    /// read; without order, pages and columns.
    #[must_use]
    pub fn selection(&self) -> Self {
        Self {
            search: self.search.clone(),
            filters: self.filters.clone(),
            filter: self.filter.clone(),
            relation: self.relation.clone(),
            time_zone: self.time_zone.clone(),
            ..Self::default()
        }
    }

    /// The number of records that are requested at a time.
    pub fn limit(&self) -> u32 {
        if self.no_pagination {
            MAX_PER_PAGE
        } else {
            self.per_page
                .unwrap_or(DEFAULT_PER_PAGE)
                .clamp(1, MAX_PER_PAGE)
        }
    }

    /// The query string that [`parse`](Self::parse) reads back.
    pub fn to_query_string(&self) -> QueryString {
        let mut query = QueryString::new();
        for filter in self.filters.iter().filter(|it| it.has_key()) {
            filter.push_to(&mut query);
        }
        if let Some(filter) = self.filter_tree_on_the_wire() {
            // A filter consists of texts only, so writing it as JSON cannot fail.
            query.push(
                "_filter",
                &serde_json::to_string(&*filter).unwrap_or_default(),
            );
        }
        if let Some(text) = &self.search {
            query.push("_search", text);
        }
        if let Some(relation) = &self.relation {
            query.push("_relation", &relation.to_string());
        }
        if !self.order_by.is_empty() {
            query.push(
                "_order_by",
                &write_list(self.order_by.iter().map(ToString::to_string)),
            );
        }
        if let Some(fields) = &self.fields {
            query.push("_fields", &write_list(fields.iter().cloned()));
        }
        if let Some(expand) = &self.expand {
            query.push("_expand", &expand.to_string());
        }
        if let Some(excerpt) = self.excerpt {
            query.push("_excerpt", &excerpt.to_string());
        }
        if self.count != Count::Exact {
            query.push("_count", self.count.as_str());
        }
        if let Some(time_zone) = &self.time_zone {
            query.push("tz", time_zone);
        }
        if self.no_pagination {
            query.push("_no_pagination", "1");
        }
        if let Some(per_page) = self.per_page {
            query.push("_per_page", &per_page.to_string());
        }
        if self.page != 1 {
            query.push("page", &self.page.to_string());
        }
        if let Some(after) = &self.after {
            query.push("_after", after);
        }
        if let Some(before) = &self.before {
            query.push("_before", before);
        }
        if self.last {
            query.push("_last", "1");
        }
        query
    }
}

impl ListQuery {
    /// The tree of conditions, with those on fields that no key of a query string can name.
    fn filter_tree_on_the_wire(&self) -> Option<Cow<'_, Filter>> {
        let mut without_key = self.filters.iter().filter(|it| !it.has_key()).peekable();
        if without_key.peek().is_none() {
            return self.filter.as_ref().map(Cow::Borrowed);
        }
        let filters = without_key.map(|filter| {
            let condition = Filter::Condition(filter.condition.clone());
            if filter.exclude {
                !condition
            } else {
                condition
            }
        });
        Some(Cow::Owned(Filter::and(
            self.filter.clone().into_iter().chain(filters),
        )))
    }
}

/// A condition of the query string, or its negation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFilter {
    /// The comparison.
    pub condition: Condition,
    /// Whether matching records are left out instead of selected; three-valued, like `NOT` in SQL.
    pub exclude: bool,
}

impl FieldFilter {
    /// Whether a key of a query string can name the field: those with `_` in front are parameters.
    fn has_key(&self) -> bool {
        !self.condition.field.starts_with('_')
    }

    fn push_to(&self, query: &mut QueryString) {
        let Condition {
            field,
            lookup,
            value,
        } = &self.condition;
        let exclude = if self.exclude { "exclude__" } else { "" };
        // A name that could be read as something else is always written with its lookup.
        let plain = *lookup == Lookup::Exact && !field.contains("__") && !is_parameter(field);
        let key = if plain {
            format!("{exclude}{field}")
        } else {
            format!("{exclude}{field}__{lookup}")
        };
        match value {
            Operand::One(value) => query.push(&key, value),
            Operand::Many(values) => query.push(&key, &write_list(values.iter().cloned())),
        }
    }
}

/// Whether a key of a query string is a parameter and not a field.
pub(crate) fn is_parameter(key: &str) -> bool {
    key.starts_with('_') || matches!(key, "page" | "tz" | "draft")
}

/// A column to order by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderBy {
    /// The field.
    pub field: String,
    /// Whether the largest value comes first.
    pub descending: bool,
}

impl OrderBy {
    /// Orders by `field`, smallest value first.
    pub fn ascending(field: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            descending: false,
        }
    }

    /// Orders by `field`, largest value first.
    pub fn descending(field: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            descending: true,
        }
    }
}

impl From<&str> for OrderBy {
    /// Reads the wire format: a leading `-` means descending.
    fn from(text: &str) -> Self {
        match text.strip_prefix('-') {
            Some(field) => Self::descending(field),
            None => Self::ascending(text),
        }
    }
}

impl fmt::Display for OrderBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            if self.descending { "-" } else { "" },
            self.field
        )
    }
}

/// How the total number of matches is determined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Count {
    /// The matches are counted.
    #[default]
    Exact,
    /// The database estimates the number, if it can.
    Estimated,
    /// The matches are counted, and where that takes longer than a tenth of a second, the database estimates the number,
    /// if it can; [`Paginated::count_is`] tells which.
    Auto,
    /// The number is not determined: the count is null.
    None,
}

impl Count {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Estimated => "estimated",
            Self::Auto => "auto",
            Self::None => "none",
        }
    }
}
