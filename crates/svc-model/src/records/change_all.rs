//! Changes of all records that a query selects (wire contract, section 11).

use serde::{Deserialize, Serialize};

use super::{Collection, aggregate::SplitQuery};
use crate::{
    Filter, Invalid, JsonObject, ListQuery, QueryString, parse_bool,
    wire::{Operation, QueryPart},
};

/// Update all: `PATCH B?{filters}`, 200 with the number of records that were changed, all or none of them.
#[derive(Clone, Debug, Operation)]
#[operation(PATCH Data "/projects/{project}/{environment}/{resource}/models/{model}")]
#[operation(name = "records.update_all", credential = StaticToken, answer = Updated)]
#[operation(new = "Changes all records that the query selects.")]
#[non_exhaustive]
pub struct UpdateAll {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// Which records.
    #[wire(query)]
    pub query: ChangeAllQuery,
    /// The new values of the fields.
    #[wire(whole_body)]
    pub record: JsonObject,
    /// The ID under which it is listed while it runs; the service chooses one when this is `None`.
    #[wire(header = "x-statement-id")]
    pub statement_id: Option<String>,
}

/// Delete all: `DELETE B?{filters}`, 200 with the number of records that were deleted, all or none of them.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Data "/projects/{project}/{environment}/{resource}/models/{model}")]
#[operation(name = "records.delete_all", credential = StaticToken, answer = Deleted)]
#[operation(new = "Deletes all records that the query selects.")]
#[non_exhaustive]
pub struct DeleteAll {
    /// The collection.
    #[wire(path)]
    pub collection: Collection,
    /// Which records.
    #[wire(query)]
    pub query: ChangeAllQuery,
    /// The ID under which it is listed while it runs; the service chooses one when this is `None`.
    #[wire(header = "x-statement-id")]
    pub statement_id: Option<String>,
}

/// The answer to [`UpdateAll`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Updated {
    /// How many records were changed.
    pub updated: u64,
}

impl Updated {
    /// So many records.
    pub fn new(updated: u64) -> Self {
        Self { updated }
    }
}

/// The answer to [`DeleteAll`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Deleted {
    /// How many records were deleted.
    pub deleted: u64,
}

impl Deleted {
    /// So many records.
    pub fn new(deleted: u64) -> Self {
        Self { deleted }
    }
}

/// Which records are changed at once: those that filters select, of which there must be one at least, or all.
///
/// ```
/// use svc_model::records::ChangeAllQuery;
///
/// let is_field = |name: &str| name == "status";
/// let query = ChangeAllQuery::parse("status=open&_expect=3", &is_field)?;
/// assert_eq!((query.expect, query.all), (Some(3), false));
/// assert!(ChangeAllQuery::parse("_expect=3", &is_field).is_err());
/// assert!(ChangeAllQuery::parse("_all=1", &is_field).is_ok());
/// # Ok::<(), svc_model::Invalid>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangeAllQuery {
    /// The parameters that select records.
    pub selection: ListQuery,
    /// `_all`: all records, where nothing selects some of them.
    pub all: bool,
    /// `_expect`: how many records have to match. Nothing is changed when another number does.
    pub expect: Option<u64>,
}

impl ChangeAllQuery {
    /// The records that a query selects; its order, pages and fields are ignored.
    pub fn new(selection: &ListQuery) -> Self {
        Self {
            selection: selection.selection(),
            ..Self::default()
        }
    }

    /// Allows that all records are selected.
    #[must_use]
    pub fn all(mut self) -> Self {
        self.all = true;
        self
    }

    /// Sets how many records have to match.
    #[must_use]
    pub fn expect(mut self, expect: u64) -> Self {
        self.expect = Some(expect);
        self
    }

    /// Reads the query string as the service does; see [`ListQuery::parse`].
    ///
    /// # Errors
    /// [`Invalid`] with a message for each unknown parameter and malformed value, and where nothing selects records and
    /// `_all` is missing.
    pub fn parse(query: &str, is_field: &dyn Fn(&str) -> bool) -> Result<Self, Invalid> {
        let mut parts = SplitQuery::new(query, &["_all", "_expect"])?;
        let all = match parts.last("_all") {
            None => false,
            Some(word) => {
                parse_bool(&word).ok_or_else(|| Invalid::field("_all", "must be true or false"))?
            }
        };
        let expect = parts.last("_expect").map(|number| {
            number
                .parse()
                .map_err(|_| Invalid::field("_expect", "must be a number of records"))
        });
        let parsed = Self {
            all,
            expect: expect.transpose()?,
            selection: parts.selection(is_field)?,
        };
        match parsed.all || parsed.selects() {
            true => Ok(parsed),
            false => Err(Invalid::general(
                "at least one filter is required, or _all=1 for all records",
            )),
        }
    }

    /// Whether something selects records.
    fn selects(&self) -> bool {
        let ListQuery {
            filters,
            filter,
            search,
            relation,
            ..
        } = &self.selection;
        !filters.is_empty()
            || search.is_some()
            || relation.is_some()
            || filter
                .as_ref()
                .is_some_and(|filter| constant(filter) != Some(true))
    }
}

/// What a tree without conditions comes to; `None` where a condition matters.
fn constant(filter: &Filter) -> Option<bool> {
    match filter {
        Filter::And(filters) if filters.iter().any(|it| constant(it) == Some(false)) => Some(false),
        Filter::And(filters) => filters
            .iter()
            .all(|it| constant(it) == Some(true))
            .then_some(true),
        Filter::Or(filters) if filters.iter().any(|it| constant(it) == Some(true)) => Some(true),
        Filter::Or(filters) => filters
            .iter()
            .all(|it| constant(it) == Some(false))
            .then_some(false),
        Filter::Not(filter) => constant(filter).map(|truth| !truth),
        Filter::Condition(_) | Filter::Place(_) => None,
    }
}

impl From<ListQuery> for ChangeAllQuery {
    fn from(query: ListQuery) -> Self {
        Self::new(&query)
    }
}

impl QueryPart for ChangeAllQuery {
    fn write(&self, query: &mut QueryString) {
        query.extend(self.selection.selection().to_query_string());
        if self.all {
            query.push("_all", "1");
        }
        if let Some(expect) = self.expect {
            query.push("_expect", &expect.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Result<ChangeAllQuery, String> {
        ChangeAllQuery::parse(query, &|name| name == "a").map_err(|invalid| invalid.to_string())
    }

    #[test]
    fn what_says_which_page_is_refused_also_where_it_says_what_holds_without_it() {
        for parameter in [
            "page=1",
            "page=2",
            "_per_page=25",
            "_last=0",
            "_no_pagination=0",
            "_count=exact",
            "_order_by=a",
            "_fields=a",
        ] {
            let error = parse(&format!("a=1&{parameter}")).unwrap_err();
            assert!(
                error.contains("select records here"),
                "{parameter}: {error}"
            );
        }
        assert!(parse("a=1&tz=UTC&draft=0&_search=x").is_ok());
    }

    #[test]
    fn what_selects_nothing_needs_to_say_that_all_are_meant() {
        for query in [
            "",
            "tz=UTC",
            "_search=",
            r#"_filter={"and":[]}"#,
            r#"_filter={"and":[{"and":[]},{"not":{"or":[]}}]}"#,
            r#"_filter={"or":[{"field":"a","value":"1"},{"and":[]}]}"#,
            "_all=0",
        ] {
            let error = parse(query).unwrap_err();
            assert!(error.contains("at least one filter"), "{query}: {error}");
        }
        for query in [
            "_all=1",
            "a=1",
            "exclude__a=1",
            "_search=x",
            r#"_filter={"or":[]}"#,
            r#"_filter={"and":[{"field":"a","value":"1"}]}"#,
        ] {
            let read = parse(query).unwrap();
            let mut written = QueryString::new();
            read.write(&mut written);
            assert_eq!(parse(written.as_str()), Ok(read), "{query}");
        }
    }

    #[test]
    fn parameters_of_pages_and_order_are_refused() {
        for query in [
            "a=1&page=2",
            "a=1&_per_page=5",
            "a=1&_order_by=a",
            "a=1&_fields=a",
            "a=1&_count=none",
            "a=1&_no_pagination=1",
            "a=1&_expect=x",
            "a=1&_expect=-1",
            "a=1&_expect=",
            "a=1&_all=x",
            "b=1",
        ] {
            assert!(parse(query).is_err(), "{query}");
        }
    }
}
