//! Lists of records: from their start, after a cursor, and before one.

use std::sync::Arc;

use bytes::Bytes;
use svc_model::{Count, Expand, ListQuery, MAX_PER_PAGE, RecordView};

use super::{
    expand::Expansion,
    page::{Follows, Page, Rest},
    part::ListPurpose,
};
use crate::{
    Error, Model, Resource, Result,
    query::cursor::{cursor_behind, cursor_offset},
    record::no_such_record,
};

/// How many records may be added to a page before a cursor while it is read.
const ADDED: u32 = 100;

impl Resource {
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
        let mut view = RecordView::default();
        view.excerpt = query.excerpt;
        view.time_zone.clone_from(&query.time_zone);
        let expansion = Expansion::resolve(self, model, expand, &view)?;
        let page = self.list_page(model, query, Some(&expansion)).await?;
        page.expanded(self, &expansion).await
    }

    /// A record with what belongs to it, as JSON.
    pub(super) async fn retrieve_expanded(
        &self,
        model: &Arc<Model>,
        id: &str,
        view: &RecordView,
        expand: &Expand,
    ) -> Result<Bytes> {
        let expansion = Expansion::resolve(self, model, expand, view)?;
        let mut query = ListQuery::new().per_page(1).count(Count::None);
        query.fields.clone_from(&view.fields);
        query.time_zone.clone_from(&view.time_zone);
        query.excerpt = view.excerpt;
        let one = ListPurpose::One(id);
        let part = self
            .list_part(model, &query, one, Some(expansion.beside()))
            .await?;
        if part.len == 0 {
            return Err(no_such_record(model));
        }
        let page = Page::new(part, None).expanded(self, &expansion).await?;
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
            .list_part(
                model,
                query,
                ListPurpose::Page,
                expansion.map(Expansion::beside),
            )
            .await?;
        let rest = Rest::of(self, model, query, &part);
        let mut page = Page::new(part, rest);
        if query.after.is_some() {
            let is_start = |cursor: &&String| cursor_offset(cursor) == Some(0);
            page.before = query.after.clone().filter(|cursor| !is_start(&cursor));
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
            forward.after = Some(cursor_behind(begin));
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
            .list_part(
                model,
                &forward,
                ListPurpose::Page,
                expansion.map(Expansion::beside),
            )
            .await?;
        if last.len == 0 && !model.distinct_rows {
            // What was read is behind the cursor.
            (part.has_more, part.after) = (part.len > 0, query.before.clone());
            (part.results, part.len) = (Bytes::from_static(b"[]"), 0);
            (part.beside, part.before, part.offset) = (None, None, Some(0));
            return Ok(Page::new(part, None));
        }
        part.before = begin;
        part.offset = offset.or(part.offset);
        let rest = Rest::of(self, model, &forward, &part);
        Ok(Page::new(part, rest).followed_by(follows))
    }
}
