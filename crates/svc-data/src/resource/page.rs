//! Pages of records: from their start, after a cursor, and before one.

use std::sync::Arc;

use bytes::Bytes;
use svc_model::{Count, CountIs, Expand, JsonObject, ListQuery, MAX_PER_PAGE, RecordView};

use super::{
    expand::Expansion,
    rest::{Rest, among},
};
use crate::{
    Error, Model, Resource, Result,
    plan::{Comparison, ListPlan, Test},
    query::cursor::{cursor_offset, offset_cursor},
    record::{Beside, Part, Projection, no_such_record, read_key},
};

/// The longest cursor that becomes part of a link, in characters.
const MAX_CURSOR: usize = 4_000;
/// How many keys are read at once.
const KEYS: u32 = 250_000;
/// How many records may be added to a page before a cursor while it is read.
const ADDED: u32 = 100;

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

/// Which records of a list are read, and what of them.
pub(super) enum ListPurpose<'a> {
    /// The records themselves.
    Page,
    /// Those of a page that was begun.
    Rest,
    /// The keys of as many records as are read at once.
    Keys,
    /// The keys of the last records.
    LastKeys,
    /// The record of a primary key, as it is in a path.
    One(&'a str),
    /// The records that have these keys.
    Among(&'a [JsonObject]),
}

/// What follows a page.
#[derive(Clone, Debug)]
pub(super) struct Follows {
    has_more: bool,
    /// The cursor after the page.
    after: Option<String>,
}

impl Resource {
    /// Lists records, or the first part of them.
    pub(super) async fn list_part(
        &self,
        model: &Arc<Model>,
        query: &ListQuery,
        of: ListPurpose<'_>,
        expansion: Option<&Expansion>,
    ) -> Result<Part> {
        let of = &of;
        self.with_structure(model, |driver, structure, model| {
            let mut plan = ListPlan::resolve(structure, model, query)?;
            match of {
                ListPurpose::Page => {}
                ListPurpose::Rest => plan.continues = true,
                ListPurpose::One(id) => {
                    let key = read_key(model, id)?.into_iter();
                    let is_equal = |(index, value)| Test::Compare(index, Comparison::Equal, value);
                    plan.among = Some(Test::All(key.map(is_equal).collect()));
                }
                ListPurpose::Keys | ListPurpose::LastKeys => {
                    plan.shown = Projection::of_key(model)?;
                    plan.limit = plan.limit.min(KEYS);
                    plan.is_internal = true;
                    plan.reversed = matches!(of, ListPurpose::LastKeys);
                }
                ListPurpose::Among(keys) => plan.among = Some(among(model, keys)?),
            }
            if let Some(expansion) = expansion {
                plan.beside = Some(expansion.beside(model)?);
                // What belongs to the records is looked up for more of them at once.
                plan.is_internal = true;
            }
            Ok(driver.list(model, plan))
        })
        .await
    }

    /// Lists records, in whichever way their page is requested.
    pub(super) async fn list_page(
        &self,
        model: &Arc<Model>,
        query: &ListQuery,
        expansion: Option<&Expansion>,
    ) -> Result<Page> {
        match query.before.is_some() || query.last {
            true => self.list_back(model, query, expansion).await,
            false => self.list_forward(model, query, expansion).await,
        }
    }

    /// Lists records with what belongs to each of them.
    pub(super) async fn list_expanded(
        &self,
        model: &Arc<Model>,
        query: &ListQuery,
        expand: &Expand,
    ) -> Result<Page> {
        let time_zone = query.time_zone.as_deref();
        let expansion = Expansion::resolve(self, model, expand, time_zone)?;
        let page = self.list_page(model, query, Some(&expansion)).await?;
        expansion.of_page(self, page).await
    }

    /// A record with what belongs to it, as JSON.
    pub(super) async fn retrieve_expanded(
        &self,
        model: &Arc<Model>,
        id: &str,
        view: &RecordView,
        expand: &Expand,
    ) -> Result<Bytes> {
        let time_zone = view.time_zone.as_deref();
        let expansion = Expansion::resolve(self, model, expand, time_zone)?;
        let mut query = ListQuery::new().per_page(1).count(Count::None);
        query.fields.clone_from(&view.fields);
        query.time_zone.clone_from(&view.time_zone);
        let one = ListPurpose::One(id);
        let part = self.list_part(model, &query, one, Some(&expansion)).await?;
        if part.len == 0 {
            return Err(no_such_record(model));
        }
        let page = expansion.of_page(self, Page::new(part, None)).await?;
        // The page is an array of one record.
        let inside = 1..page.results.len().saturating_sub(1);
        Ok(page.results.slice(inside))
    }

    /// Lists records from the first on, from a number on, or after a cursor.
    async fn list_forward(
        &self,
        model: &Arc<Model>,
        query: &ListQuery,
        expansion: Option<&Expansion>,
    ) -> Result<Page> {
        let part = self
            .list_part(model, query, ListPurpose::Page, expansion)
            .await?;
        let rest = Rest::of(self, model, query, &part);
        let mut page = Page::new(part, rest);
        if query.after.is_some() {
            page.before.clone_from(&query.after);
        }
        Ok(page)
    }

    /// Lists the records before a cursor, or the last ones. Where they begin is found first, by their keys; then they are
    /// read in their order from there on.
    async fn list_back(
        &self,
        model: &Arc<Model>,
        query: &ListQuery,
        expansion: Option<&Expansion>,
    ) -> Result<Page> {
        let limit = query.limit();
        let mut forward = query.clone();
        (forward.last, forward.no_pagination, forward.page) = (false, false, 1);
        forward.before = None;
        if query.no_pagination {
            forward.count = Count::None;
        }
        if let Some(rows) = query.before.as_deref().and_then(cursor_offset) {
            if rows == 0 {
                return Err(Error::invalid_field(
                    "_before",
                    "must be the cursor of a previous link, unchanged",
                ));
            }
            let begin = rows.saturating_sub(u64::from(limit));
            forward.after = Some(offset_cursor(begin));
            forward.per_page = u32::try_from(rows - begin).ok();
            let mut page = self.list_forward(model, &forward, expansion).await?;
            page.before = page.before.filter(|_| begin > 0);
            return Ok(page);
        }
        let mut keys = forward.clone();
        keys.before.clone_from(&query.before);
        (keys.count, keys.per_page) = (Count::None, Some(limit));
        let last = self
            .list_part(model, &keys, ListPurpose::LastKeys, None)
            .await?;
        let begin = last.after.filter(|_| last.has_more);
        let before = |offset: u64| offset.saturating_sub(last.len as u64);
        let offset = match begin {
            Some(_) => last.offset.map(before),
            None => Some(0),
        };
        let mut follows = None;
        forward.after.clone_from(&begin);
        forward.per_page = Some(limit);
        if let Some(before) = &query.before {
            if model.distinct_rows {
                keys.after = keys.before.take();
                keys.per_page = Some(1);
                let next = self
                    .list_part(model, &keys, ListPurpose::Keys, None)
                    .await?;
                let has_more = next.len > 0;
                let after = has_more.then(|| before.clone());
                follows = Some(Follows { has_more, after });
                forward.before = Some(before.clone());
                forward.per_page = Some(limit.saturating_add(ADDED).min(MAX_PER_PAGE));
            } else {
                // There is no test for what is before the cursor, so that the number of records has to do.
                forward.per_page = u32::try_from(last.len).ok();
            }
        }
        let mut part = self
            .list_part(model, &forward, ListPurpose::Page, expansion)
            .await?;
        if last.len == 0 && !model.distinct_rows {
            (part.results, part.has_more) = (Bytes::from_static(b"[]"), part.len > 0);
            (part.len, part.after) = (0, query.before.clone());
        }
        part.before = begin;
        part.offset = offset.or(part.offset);
        let rest = Rest::of(self, model, &forward, &part);
        Ok(Page::new(part, rest).followed_by(follows))
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
                (None, end) => end.map(offset_cursor),
            },
            before: part.before.map(|cursor| short(cursor, offset)),
            offset,
            beside: part.beside,
            rest,
        }
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
        Some(offset) => offset_cursor(offset),
        None => cursor,
    }
}
