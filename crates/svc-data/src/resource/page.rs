//! Pages of records, and the rest of those that are read in parts, so that they are never in memory as a whole.
//!
//! No transaction is open while the caller handles a part. Where each part would look all records up and sort
//! them again, the keys of the records that follow are read in their order once, and the parts by these keys.

use std::sync::Arc;

use bytes::{Buf as _, Bytes};
use svc_model::{Count, CountIs, JsonObject, ListQuery};

use super::{expand::Expansion, part::ListPurpose};
use crate::{
    Error, Model, Resource, Result,
    query::{Buffers, cursor::cursor_behind},
    record::{Beside, Part},
};

/// The longest cursor that becomes part of a link, in characters.
const MAX_CURSOR: usize = 4_000;
/// How many records are looked up at once by a key of one field, and by one of several.
const LOOKED_UP: (usize, usize) = (500, 100);

/// A page of records, or the first part of one.
#[derive(Debug)]
#[non_exhaustive]
pub struct Page {
    /// A JSON array of records.
    pub results: Bytes,
    /// How many records are in it.
    pub len: usize,
    /// How many records match in all; `None` when it was not requested, and in parts but the first.
    pub count: Option<u64>,
    /// How `count` is known.
    pub count_is: Option<CountIs>,
    /// Whether more records follow.
    pub has_more: bool,
    /// The cursor after the last record, for the `_after` of the next page. `None` where nothing follows.
    pub after: Option<String>,
    /// The cursor before the first record, for the `_before` of the previous page. `None` on the first page, on an empty
    /// one that is requested by its number, and in parts but the first.
    pub before: Option<String>,
    /// How many records are before the first one, as far as the walk that led to it has counted them.
    pub offset: Option<u64>,
    /// What was read beside the records.
    pub(super) beside: Option<Beside>,
    /// What of the page is still to be read. While there is a rest, `has_more` and `after` are about the
    /// records that belong to it.
    pub rest: Option<Rest>,
}

/// What follows a page.
#[derive(Clone, Debug)]
pub(super) struct Follows {
    pub(super) has_more: bool,
    /// The cursor after the page.
    pub(super) after: Option<String>,
}

/// The rest of a large page, which is read in parts so that it is never in memory as a whole.
///
/// Each part is read when it is requested. Records that are changed in between may appear as they were or
/// as they are; those that are not are neither skipped nor repeated.
#[derive(Debug)]
pub struct Rest {
    resource: Resource,
    model: Arc<Model>,
    /// What is still to be read, after its cursor.
    query: ListQuery,
    /// What follows the page, where that was known before it was read.
    follows: Option<Follows>,
    /// What comes with each record.
    expansion: Option<Expansion>,
    ahead: Option<Ahead>,
    /// The memory of the parts that were read.
    buffers: Buffers,
}

/// The keys of the records that follow.
#[derive(Debug)]
struct Ahead {
    /// Those of the records that are read now.
    now: Vec<JsonObject>,
    /// After which of these records the next part begins, where some were read.
    after: Option<String>,
    /// What is left of the JSON array of the keys.
    keys: Bytes,
    /// How many records of the page follow those with these keys, at most.
    left: usize,
    /// Whether more records follow them at all.
    has_more: bool,
    /// The cursor after them.
    end: Option<String>,
}

impl Ahead {
    /// Whether the page ends with the records that have these keys.
    fn is_last(&self) -> bool {
        self.left == 0 || !self.has_more || self.end.is_none()
    }
}

impl Rest {
    /// What is left of a page that begins with a part; `None` where that is all.
    pub(super) fn of(
        resource: &Resource,
        model: &Arc<Model>,
        query: &ListQuery,
        part: &Part,
    ) -> Option<Self> {
        let left = (query.limit() as usize).saturating_sub(part.len);
        let after = part.after.clone().filter(|_| left > 0)?;
        let mut query = query.clone();
        query.no_pagination = false;
        // It continues after a cursor.
        query.page = 1;
        query.per_page = u32::try_from(left).ok();
        query.after = Some(after);
        query.count = Count::None;
        Some(Self {
            resource: resource.clone(),
            model: Arc::clone(model),
            query,
            follows: None,
            expansion: None,
            ahead: None,
            buffers: Buffers::default(),
        })
    }

    /// The same, of a page of which it is known what follows it.
    pub(super) fn followed_by(mut self, follows: Option<Follows>) -> Self {
        self.follows = follows;
        self
    }

    /// The same, of a page of which something comes with each record.
    pub(super) fn expanded(mut self, expansion: Expansion) -> Self {
        self.expansion = Some(expansion);
        self
    }

    /// Reads the next part.
    ///
    /// # Errors
    /// As [`Resource::list`].
    pub async fn read(mut self) -> Result<Page> {
        let (follows, expansion) = (self.follows.take(), self.expansion.clone());
        let resource = self.resource.clone();
        let page = self.read_part().await?.followed_by(follows);
        match expansion {
            Some(expansion) => page.expanded(&resource, &expansion).await,
            None => Ok(page),
        }
    }

    async fn read_part(mut self) -> Result<Page> {
        if self.ahead.is_none() {
            if !looks_ahead(&self.model, &self.query) {
                let (resource, model) = (&self.resource, &self.model);
                let part = resource
                    .list_part(
                        model,
                        &self.query,
                        ListPurpose::Rest(&self.buffers),
                        self.expansion.as_ref().map(Expansion::beside),
                    )
                    .await?;
                let rest = Self::of(resource, model, &self.query, &part).map(|rest| Self {
                    buffers: self.buffers,
                    ..rest
                });
                return Ok(Page::new(part, rest));
            }
            self.look_ahead().await?;
        }
        loop {
            let Some(ahead) = &mut self.ahead else {
                return Err(Error::internal("the keys of a page are not known"));
            };
            if ahead.now.is_empty() {
                ahead.now = take(&mut ahead.keys, self.model.key.len())?;
            }
            if ahead.now.is_empty() {
                if ahead.is_last() {
                    return Ok(self.end());
                }
                self.query.per_page = u32::try_from(ahead.left).ok();
                self.query.after = ahead.end.take();
                self.look_ahead().await?;
                continue;
            }
            let mut query = self.query.clone();
            query.after = ahead.after.take();
            query.per_page = u32::try_from(ahead.now.len()).ok();
            let of = ListPurpose::Among(&ahead.now, &self.buffers);
            let beside = self.expansion.as_ref().map(Expansion::beside);
            let model = &self.model;
            let mut part = self.resource.list_part(model, &query, of, beside).await?;
            match part.after.take().filter(|_| part.has_more) {
                Some(after) => ahead.after = Some(after),
                None => ahead.now.clear(),
            }
            if ahead.now.is_empty() && ahead.keys.is_empty() && ahead.is_last() {
                part.has_more = ahead.has_more;
                part.after = ahead.end.take();
                return Ok(Page::new(part, None));
            }
            if part.len > 0 {
                part.has_more = true;
                return Ok(Page::new(part, Some(self)));
            }
        }
    }

    /// Reads the keys of the records that follow.
    async fn look_ahead(&mut self) -> Result<()> {
        let mut query = self.query.clone();
        query.fields = None;
        query.time_zone = None;
        let (resource, model) = (&self.resource, &self.model);
        let part = resource
            .list_part(model, &query, ListPurpose::Keys, None)
            .await?;
        let mut keys = part.results;
        skip(&mut keys);
        self.ahead = Some(Ahead {
            now: Vec::new(),
            after: None,
            keys,
            left: (query.limit() as usize).saturating_sub(part.len),
            has_more: part.has_more,
            end: part.after,
        });
        Ok(())
    }

    /// The end of the page, where the last records have gone in the meantime.
    fn end(self) -> Page {
        let (has_more, after) = self
            .ahead
            .map_or((false, None), |ahead| (ahead.has_more, ahead.end));
        let part = Part {
            results: Bytes::from_static(b"[]"),
            len: 0,
            count: None,
            has_more,
            before: None,
            offset: None,
            after,
            beside: None,
        };
        Page::new(part, None)
    }
}

impl Page {
    pub(super) fn new(part: Part, rest: Option<Rest>) -> Self {
        let Part {
            offset, len, after, ..
        } = part;
        let end = offset.map(|offset| offset.saturating_add(len as u64));
        Self {
            results: part.results,
            len,
            count: part.count.map(|count| count.number),
            count_is: part.count.map(|count| count.is),
            has_more: part.has_more,
            after: match (after, end) {
                _ if !part.has_more => None,
                (Some(cursor), _) => Some(short(cursor, end)),
                // No cursor can be made of the last record.
                (None, end) => end.map(cursor_behind),
            },
            before: part.before.map(|cursor| short(cursor, offset)),
            offset,
            beside: part.beside,
            rest,
        }
    }

    /// The same, with what belongs to each record.
    pub(super) async fn expanded(
        mut self,
        resource: &Resource,
        expansion: &Expansion,
    ) -> Result<Self> {
        let beside = self.beside.take().unwrap_or_default();
        self.results = expansion.of_part(resource, self.results, beside).await?;
        self.rest = self.rest.map(|rest| rest.expanded(expansion.clone()));
        Ok(self)
    }

    /// The same, where it is known what follows it.
    pub(super) fn followed_by(mut self, follows: Option<Follows>) -> Self {
        self.rest = self.rest.map(|rest| rest.followed_by(follows.clone()));
        if let Some(Follows { has_more, after }) =
            follows.filter(|_| self.rest.is_none() && !self.has_more)
        {
            (self.has_more, self.after) = (has_more, after);
        }
        self
    }
}

/// A cursor that is not too long for a link, for a place of which it may be known how many records are before it.
fn short(cursor: String, offset: Option<u64>) -> String {
    match offset.filter(|_| cursor.len() > MAX_CURSOR) {
        Some(offset) => cursor_behind(offset),
        None => cursor,
    }
}

/// Whether each part would look up and sort all records again: a filter, or another order than that of the key, may
/// lead an engine to that.
fn looks_ahead(model: &Model, query: &ListQuery) -> bool {
    let is_key = |name: &str| model.primary_key().any(|field| field.name == name);
    let by_key = query
        .order_by
        .first()
        .is_none_or(|order| is_key(&order.field));
    let filtered = !query.filters.is_empty()
        || query.filter.is_some()
        || query.search.is_some()
        || query.relation.is_some();
    model.distinct_rows && model.row_id.is_none() && !model.key.is_empty() && (filtered || !by_key)
}

/// Takes the next objects out of a JSON array that was begun.
fn take(keys: &mut Bytes, fields: usize) -> Result<Vec<JsonObject>> {
    let most = match fields {
        1 => LOOKED_UP.0,
        _ => LOOKED_UP.1,
    };
    let mut taken = Vec::with_capacity(most);
    while taken.len() < most && !keys.is_empty() {
        let mut objects = serde_json::Deserializer::from_slice(keys).into_iter::<JsonObject>();
        let object = objects
            .next()
            .ok_or_else(|| Error::internal("a list of keys ends early"))?
            .map_err(|source| Error::internal("a key is no JSON").with_source(source))?;
        let read = objects.byte_offset();
        taken.push(object);
        keys.advance(read);
        skip(keys);
    }
    Ok(taken)
}

/// Skips the sign between two objects of an array, or what begins or ends it.
fn skip(keys: &mut Bytes) {
    while keys.first().is_some_and(|byte| b"[,]".contains(byte)) {
        keys.advance(1);
    }
}
