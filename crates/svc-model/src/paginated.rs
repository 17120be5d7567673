//! The response of a list: the paginated envelope, or the bare array of `_no_pagination`.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};

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
            next: None,
            previous: None,
            num_pages: None,
            per_page: None,
            has_more: None,
            results,
        }
    }

    /// Whether there is a next page.
    pub fn has_next(&self) -> bool {
        self.next.is_some()
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
        struct Envelope<T> {
            count: Option<u64>,
            next: Option<String>,
            previous: Option<String>,
            num_pages: Option<u64>,
            per_page: Option<u64>,
            has_more: Option<bool>,
            results: Vec<T>,
        }

        let envelope = Envelope::<T>::deserialize(MapAccessDeserializer::new(map))?;
        let Envelope {
            count,
            next,
            previous,
            num_pages,
            per_page,
            has_more,
            results,
        } = envelope;
        Ok(Paginated {
            count,
            next,
            previous,
            num_pages,
            per_page,
            has_more,
            results,
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Paginated<T>, A::Error> {
        let mut results = Vec::with_capacity(seq.size_hint().unwrap_or(0));
        while let Some(record) = seq.next_element()? {
            results.push(record);
        }
        Ok(Paginated::of_all(results))
    }
}
