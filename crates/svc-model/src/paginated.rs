//! The response of a list: the paginated envelope, or the bare array of `_no_pagination`.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

use crate::query::parse_pairs;

/// One page of a list (specification, section 2, "Paginated list envelope").
///
/// The bare array of `_no_pagination` is read as a page too: a page without links, whose count is the
/// length of the array.
///
/// ```
/// use svc_model::Paginated;
///
/// let page: Paginated<u32> = serde_json::from_str(
///     r#"{"count":3,"next":"https://data.example.com/…?page=2","previous":null,"results":[1,2]}"#,
/// )?;
/// assert_eq!((page.count, page.results.len(), page.has_next()), (Some(3), 2, true));
///
/// let all: Paginated<u32> = serde_json::from_str("[1,2,3]")?;
/// assert_eq!((all.count, all.has_next()), (Some(3), false));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Paginated<T> {
    /// Total number of records; `None` when it was not counted.
    pub count: Option<u64>,
    /// Whether `count` was counted or estimated, where the list was requested with `_count=auto` or `estimated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_is: Option<CountIs>,
    /// Link to the next page of results.
    pub next: Option<String>,
    /// Link to the previous page of results.
    pub previous: Option<String>,
    /// Number of pages, if `count` is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_pages: Option<u64>,
    /// The maximum number of records on a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_page: Option<u64>,
    /// Whether there are records after this page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
    /// The records on this page.
    pub results: Vec<T>,
}

impl<T> Paginated<T> {
    /// A page with all records and without links.
    pub fn of_all(results: Vec<T>) -> Self {
        Self {
            count: Some(results.len() as u64),
            count_is: None,
            next: None,
            previous: None,
            num_pages: None,
            per_page: None,
            has_more: None,
            results,
        }
    }

    /// The same page with something else in place of each record.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> Paginated<U> {
        Paginated {
            count: self.count,
            count_is: self.count_is,
            next: self.next,
            previous: self.previous,
            num_pages: self.num_pages,
            per_page: self.per_page,
            has_more: self.has_more,
            results: self.results.into_iter().map(change).collect(),
        }
    }

    /// The query that the next page is requested with: what [`seek`](crate::wire::PagedOperation::seek) takes. Only this is
    /// used of the `next` link, so that a credential goes to no host that a link names.
    ///
    /// ```
    /// use svc_model::{ListQuery, Paginated, Record, records, wire::PagedOperation};
    ///
    /// let orders = records::Collection::new(("demo", "prod"), "shop", "orders");
    /// let mut list: records::List = records::List::new(orders, ListQuery::new());
    /// let page: Paginated<Record> = serde_json::from_str(
    ///     r#"{"count":30,"next":"https://data.example.com/…?_after=25","previous":null,"results":[]}"#,
    /// )?;
    /// let next = page.next_query().expect("there is a next page");
    /// assert!(list.seek(next));
    /// assert_eq!(list.query.after.as_deref(), Some("25"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn next_query(&self) -> Option<PageQuery> {
        self.next.as_deref().and_then(PageQuery::of_link)
    }

    /// The query that the previous page is requested with, as [`next_query`](Self::next_query) is that of the next.
    pub fn previous_query(&self) -> Option<PageQuery> {
        self.previous.as_deref().and_then(PageQuery::of_link)
    }

    /// Whether there is a next page.
    pub fn has_next(&self) -> bool {
        self.next.is_some()
    }
}

/// How the total number of records was determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CountIs {
    /// The records were counted.
    Exact,
    /// The database estimated their number.
    Estimate,
}

/// Which page of a list: the part of a query that differs from page to page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageQuery {
    /// The number of the page, starting at 1.
    pub page: Option<u64>,
    /// The cursor that the page begins after (`_after`).
    pub after: Option<String>,
    /// The cursor that the page ends before (`_before`).
    pub before: Option<String>,
}

impl PageQuery {
    /// The page that a link leads to; `None` when it names none.
    fn of_link(link: &str) -> Option<Self> {
        let (_, query) = link.split_once('?')?;
        let query = query.split('#').next().unwrap_or(query);
        let mut of_link = Self::default();
        for (name, value) in parse_pairs(query).ok()? {
            match &*name {
                "page" => of_link.page = Some(value.parse().ok()?),
                "_after" => of_link.after = Some(value.into_owned()),
                "_before" => of_link.before = Some(value.into_owned()),
                _ => {}
            }
        }
        (of_link != Self::default()).then_some(of_link)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Paginated<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PageVisitor(PhantomData))
    }
}

struct PageVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PageVisitor<T> {
    type Value = Paginated<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a page with count, next, previous and results, or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Paginated<T>, A::Error> {
        #[derive(Deserialize)]
        #[serde(remote = "Paginated")]
        struct Envelope<T> {
            count: Option<u64>,
            count_is: Option<CountIs>,
            next: Option<String>,
            previous: Option<String>,
            num_pages: Option<u64>,
            per_page: Option<u64>,
            has_more: Option<bool>,
            results: Vec<T>,
        }

        Envelope::deserialize(MapAccessDeserializer::new(map))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Paginated<T>, A::Error> {
        let mut results = Vec::with_capacity(seq.size_hint().unwrap_or(0));
        while let Some(record) = seq.next_element()? {
            results.push(record);
        }
        Ok(Paginated::of_all(results))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_page_of_a_link_is_used() {
        let page =
            |link| PageQuery::of_link(link).map(|query| (query.page, query.after, query.before));
        assert_eq!(
            page("https://evil.example/x?status=all&_after=a%2Bb#page=9"),
            Some((None, Some("a+b".to_owned()), None))
        );
        assert_eq!(
            page("/x?_per_page=2&_before=c"),
            Some((None, None, Some("c".to_owned())))
        );
        assert_eq!(page("/x?page=2"), Some((Some(2), None, None)));
        for link in [
            "",
            "https://data.example.com/x",
            "/x?status=paid",
            "/x?page=two",
            "/x?page=%ff",
        ] {
            assert_eq!(page(link), None, "{link}");
        }
    }
}
