//! The rows of a page as they are answered.

use super::{Buffers, PageQuery};
use crate::{
    Error,
    engine::Cells,
    query::cursor::{Cursor, KeyValue, Side, cursor_behind},
    record::{Beside, Part},
};

/// The most bytes of a page that cannot be continued, since no cursor can be made of its last row.
const MAX_PAGE: usize = 64 << 20;
/// From how many bytes on a page is likely to become as long as one may be.
const LONG: usize = 256 << 10;

/// For how many rows there is memory from the beginning, where the page may have as many.
const USUAL_ROWS: usize = 50;
/// How many bytes a row, and a value beside it, are expected to have.
const USUAL_ROW: usize = 128;
const USUAL_VALUE: usize = 8;

/// Writes the rows of a page as a JSON array, and knows when the page is full and where it ended.
///
/// For each row: [`is_full`](Self::is_full), which ends the page when it says so, and then [`write`](Self::write).
///
/// A page of wide rows is full long before its limit. An engine that cannot stop its statement there without
/// reading the rest has to fetch the rows in small portions.
pub(crate) struct PageWriter<'a> {
    query: &'a PageQuery,
    out: Vec<u8>,
    rows: Rows,
    beside: Option<Beside>,
}

/// What is known of the rows that are written.
#[derive(Clone, Default)]
struct Rows {
    len: usize,
    has_more: bool,
    first: Option<Vec<KeyValue>>,
    last: Option<Vec<KeyValue>>,
    same: u64,
}

/// A place in a page, up to which it can be taken back.
#[cfg(feature = "sqlite")]
pub(crate) struct Mark {
    bytes: usize,
    rows: Rows,
}

impl<'a> PageWriter<'a> {
    pub(crate) fn new(query: &'a PageQuery) -> Self {
        let rows = query.limit.min(USUAL_ROWS);
        let mut out = query
            .buffers
            .as_ref()
            .map(Buffers::take)
            .unwrap_or_default();
        out.reserve((rows * USUAL_ROW).max(1024));
        out.push(b'[');
        let beside = query.beside.as_ref().map(|fields| Beside {
            ends: Vec::with_capacity(rows),
            values: Vec::with_capacity(rows * fields.len() * USUAL_VALUE),
            value_ends: Vec::with_capacity(rows * fields.len()),
        });
        Self {
            query,
            out,
            rows: Rows::default(),
            beside,
        }
    }

    /// Where the page ends now.
    #[cfg(feature = "sqlite")]
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            bytes: self.out.len(),
            rows: self.rows.clone(),
        }
    }

    /// Takes back what was written since.
    #[cfg(feature = "sqlite")]
    pub(crate) fn take_back(&mut self, mark: &Mark) {
        self.out.truncate(mark.bytes);
        self.rows = mark.rows.clone();
        if let (Some(beside), Some(fields)) = (&mut self.beside, &self.query.beside) {
            beside.ends.truncate(self.rows.len);
            beside.value_ends.truncate(self.rows.len * fields.len());
            let end = beside.value_ends.last().copied().unwrap_or(0);
            beside.values.truncate(end);
        }
    }

    /// How many bytes are written.
    pub(crate) fn written(&self) -> usize {
        self.out.len()
    }

    /// Whether the next row belongs to what follows the page.
    pub(crate) fn is_full(&mut self) -> bool {
        self.rows.has_more = self.rows.len == self.query.limit
            || (self.out.len() >= self.query.part && self.rows.last.is_some());
        self.rows.has_more
    }

    /// Writes a row. `keys` returns what it has in the columns of the order; none where that cannot be bound again.
    pub(crate) fn write<C: Cells, E: From<Error> + From<C::Error>>(
        &mut self,
        row: &C,
        keys: impl Fn() -> Result<Option<Vec<KeyValue>>, E>,
    ) -> Result<(), E> {
        if self.rows.len > 0 {
            self.out.push(b',');
        } else if self.query.offset > 0 && self.query.model.distinct_rows {
            self.rows.first = keys()?;
        }
        let (fields, shown) = (&self.query.model.fields, &self.query.shown);
        match &self.query.excerpts {
            None => row.write_shown(&mut self.out, fields, shown)?,
            Some(excerpts) => {
                let place = |order, _| excerpts.place(order);
                row.write_excerpts(&mut self.out, fields, shown, place)?;
            }
        }
        self.rows.len += 1;
        if let (Some(beside), Some(wanted)) = (&mut self.beside, &self.query.beside) {
            beside.ends.push(self.out.len());
            for (index, position) in wanted {
                let field = self.query.model.at(*index)?;
                row.write(&mut beside.values, field, *position, &shown.zone)?;
                beside.value_ends.push(beside.values.len());
            }
        }
        // A long page would otherwise get twice the space that it needs.
        if self.out.len() > LONG && self.out.capacity() < self.query.part {
            let whole = self.query.part + LONG;
            self.out.reserve_exact(whole - self.out.len());
        }
        if self.out.len() > MAX_PAGE {
            return Err(Error::invalid(
                "the page is too large; ask for fewer records (_per_page) or fields (_fields)",
            )
            .into());
        }
        // Only the last row matters, but which one that is, is not always known before.
        let is_end = self.rows.len == self.query.limit || self.out.len() >= self.query.part;
        if is_end || !self.query.model.distinct_rows {
            let keys = keys()?;
            self.rows.same = match keys.is_some() && keys == self.rows.last {
                true => self.rows.same + 1,
                false => 1,
            };
            self.rows.last = keys;
        }
        Ok(())
    }

    /// The page, without a count.
    pub(crate) fn finish(mut self) -> Part {
        self.out.push(b']');
        let out = std::mem::take(&mut self.out);
        let bounds = &self.query.bounds;
        let offset = bounds.offset(self.query.offset);
        Part {
            results: match &self.query.buffers {
                Some(buffers) => buffers.lend(out),
                None => out.into(),
            },
            len: self.rows.len,
            count: None,
            has_more: self.rows.has_more,
            before: self.before(),
            offset,
            beside: self.beside.take(),
            after: self.after(offset),
        }
    }

    /// The cursor before the first row, of a page that begins after so many rows.
    fn before(&mut self) -> Option<String> {
        let query = self.query;
        let offset = Some(query.offset).filter(|offset| *offset > 0 && self.rows.len > 0)?;
        let Some(values) = self.rows.first.take() else {
            return Some(cursor_behind(offset));
        };
        let cursor = Cursor {
            values,
            skip: 1,
            side: Side::End,
            offset: Some(offset),
        };
        Some(query.bounds.encode(&query.model, &cursor))
    }

    /// The cursor behind the last row, where more rows follow. `offset` rows are before the place where reading began.
    fn after(self, offset: Option<u64>) -> Option<String> {
        let query = self.query;
        let values = self.rows.last.filter(|_| self.rows.has_more)?;
        let bounds = &query.bounds;
        let read = self.rows.len as u64;
        let offset = offset.map(|offset| match bounds.from {
            Side::Start => offset.saturating_add(read),
            Side::End => offset.saturating_sub(read),
        });
        let cursor = bounds.place_behind(&query.model, values, self.rows.same, offset);
        Some(bounds.encode(&query.model, &cursor))
    }
}
