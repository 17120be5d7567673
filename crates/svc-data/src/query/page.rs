//! Ordered pages: the statements that return one, and what writes its rows.

use std::sync::Arc;

use sea_query::{Expr, Func, SelectStatement};
use svc_model::Count;

use super::{Dialect, SELF, any_of, column, is_record, select, test};
use crate::{
    Error, Model, Result,
    admission::Work,
    plan::{ListPlan, Test},
    query::cursor::{Cursor, Key, KeyValue, key_field},
    record::{Part, Projection},
    value::Scalar,
};

/// From how many bytes on a page ends early, to be continued after its last row.
const PART: usize = 1 << 20;
/// The same for what the service reads for itself.
const INTERNAL_PART: usize = 4 << 20;
/// The most bytes of a page that cannot be continued, since no cursor can be made of its last row.
const MAX_PAGE: usize = 64 << 20;
/// Up to how many columns of the order a cursor is looked up range by range.
const MAX_RANGED_KEYS: usize = 4;

/// A list as statements.
pub(crate) struct PageQuery {
    pub(crate) model: Arc<Model>,
    pub(crate) shown: Projection,
    pub(crate) keys: Vec<Key>,
    /// Where in a row the columns of the order are; the shown fields come first.
    pub(crate) key_positions: Vec<usize>,
    /// What returns the page: one statement after the other, until it is full. Each returns at most one row more
    /// than the page may have.
    pub(crate) pages: Vec<SelectStatement>,
    /// What counts all records that match, where it is requested.
    pub(crate) count: Option<SelectStatement>,
    /// Whether the count stays the same as long as the database does.
    pub(crate) count_stays: bool,
    /// Whether the engine's guess at the number of rows will do.
    pub(crate) estimate: bool,
    pub(crate) limit: usize,
    pub(crate) offset: u64,
    pub(crate) after: Option<Cursor>,
    /// From how many bytes on the page ends early.
    part: usize,
    /// Whether the page, or its count, may read many more rows than it returns.
    scans: bool,
}

impl PageQuery {
    /// Turns the plan of a list into statements.
    pub(crate) fn new(dialect: &dyn Dialect, model: &Arc<Model>, plan: ListPlan) -> Result<Self> {
        let keys = order_keys(dialect, model, &plan.order)?;
        let mut columns: Vec<Expr> = Vec::with_capacity(plan.shown.fields.len() + keys.len());
        for index in plan.shown.fields.iter() {
            columns.push(dialect.read(SELF, model.at(*index)?));
        }
        let mut key_positions = Vec::with_capacity(keys.len());
        for key in &keys {
            let shown = plan.shown.fields.iter();
            let position = shown
                .enumerate()
                .find(|(_, shown)| Some(**shown) == key.field);
            match (position, read_key(dialect, model, key)?) {
                (Some((position, _)), None) => key_positions.push(position),
                (_, read) => {
                    key_positions.push(columns.len());
                    columns.push(match read {
                        Some(read) => read,
                        None => read_column(dialect, model, key)?,
                    });
                }
            }
        }
        let after = plan
            .after
            .as_deref()
            .map(|text| Cursor::decode(model, &keys, text))
            .transpose()?;
        let built = |plan: &Option<Test>| {
            let test = plan.as_ref().map(|plan| test(dialect, model, SELF, plan));
            test.transpose()
        };
        let (test, among) = (built(&plan.test)?, built(&plan.among)?);
        let by_key = keys
            .first()
            .is_some_and(|key| key.field.is_none_or(|index| model.key.contains(&index)));
        let test = match among.is_some() || plan.continues && by_key {
            true => test.map(|test| dialect.test_only(test)),
            false => test,
        };
        // In a range behind a cursor the first columns of the order are known not to be NULL, or to be the
        // same in every row, which lets an engine use an index that orders NULL in another way.
        let page = |range: Option<(usize, Expr)>, offset: u64| -> Result<SelectStatement> {
            let mut query = select(dialect, model, test.clone());
            query.and_where_option(among.clone());
            let fixed = range.as_ref().map_or(0, |(position, _)| position + 1);
            query.and_where_option(range.map(|(_, range)| range));
            query.exprs(columns.iter().cloned());
            for (position, key) in keys.iter().enumerate() {
                let key = Key {
                    nullable: key.nullable && position >= fixed,
                    ..key.clone()
                };
                dialect.order_by(&mut query, &key, key_field(model, &key)?);
            }
            // Those that are looked up are few; a limit would lead engines to walk over all in their order instead.
            if among.is_none() {
                query.limit(u64::from(plan.limit) + 1);
            }
            if offset > 0 {
                query.offset(Ord::min(offset, i64::MAX.unsigned_abs()));
            }
            Ok(query)
        };
        let pages = match &after {
            None => vec![page(None, plan.offset)?],
            Some(cursor)
                if model.distinct_rows && keys.len() <= MAX_RANGED_KEYS && among.is_none() =>
            {
                cursor
                    .ranges(dialect, model, &keys)?
                    .into_iter()
                    .map(|range| page(Some(range), 0))
                    .collect::<Result<_, _>>()?
            }
            Some(cursor) => {
                let ranges = cursor.ranges(dialect, model, &keys)?;
                let mut ranges: Vec<Expr> = ranges.into_iter().map(|(_, range)| range).collect();
                if !model.distinct_rows {
                    ranges.push(cursor.same(dialect, model, &keys)?);
                }
                let mut query = page(None, cursor.skip)?;
                query.and_where(match among {
                    Some(_) => dialect.test_only(any_of(ranges)),
                    None => any_of(ranges),
                });
                vec![query]
            }
        };
        let count = (plan.count != Count::None).then(|| {
            let mut query = select(dialect, model, test.clone());
            query.expr(Func::count(Expr::cust("*")));
            query
        });
        Ok(Self {
            model: Arc::clone(model),
            keys,
            key_positions,
            pages,
            count,
            count_stays: model.is_stored && plan.test.as_ref().is_none_or(Test::reads_stored),
            estimate: plan.count == Count::Estimated && test.is_none() && model.scope.is_none(),
            limit: plan.limit as usize,
            offset: plan.offset,
            after,
            part: match plan.is_internal {
                true => INTERNAL_PART,
                false => PART,
            },
            scans: plan.test.as_ref().is_some_and(Test::scans),
            shown: plan.shown,
        })
    }

    /// What the page is when it waits for its turn, given its statements.
    pub(crate) fn work<'s>(&self, statements: impl Iterator<Item = &'s str>) -> Work {
        let shape: Vec<&str> = statements.collect();
        Work::new(&self.model.name, (self.count.is_some(), shape), self.scans)
    }

    /// How many records match, where the page itself proves it.
    pub(crate) fn proven_count(&self, len: usize, has_more: bool) -> Option<u64> {
        let is_last = !has_more && (len > 0 || self.offset == 0);
        (is_last && self.after.is_none()).then_some(self.offset + len as u64)
    }
}

/// The columns of an order, to the last that distinguishes rows.
fn order_keys(dialect: &dyn Dialect, model: &Model, order: &[(usize, bool)]) -> Result<Vec<Key>> {
    let mut keys = Vec::with_capacity(order.len() + 1);
    for is_exact in [false, true] {
        // Rows that are equal and not the same get a fixed place, too.
        if is_exact && model.distinct_rows {
            continue;
        }
        for (index, descending) in order {
            let field = model.at(*index)?;
            if !is_exact || dialect.has_exact_order(field) {
                keys.push(Key {
                    field: Some(*index),
                    column: field.name.clone(),
                    descending: *descending,
                    nullable: field.nullable,
                    is_exact,
                });
            }
        }
    }
    if let Some(row_id) = &model.row_id {
        keys.push(Key {
            field: None,
            column: row_id.clone(),
            descending: order.last().is_none_or(|(_, descending)| *descending),
            nullable: false,
            is_exact: false,
        });
    }
    Ok(keys)
}

/// What is read of a column of the order beside what lists read of it, if anything.
fn read_key(dialect: &dyn Dialect, model: &Model, key: &Key) -> Result<Option<Expr>> {
    Ok(dialect.read_key(SELF, key, key_field(model, key)?))
}

/// What lists read of a column of the order.
fn read_column(dialect: &dyn Dialect, model: &Model, key: &Key) -> Result<Expr> {
    Ok(match key.field {
        Some(index) => dialect.read(SELF, model.at(index)?),
        None => column(SELF, &key.column),
    })
}

/// The place of one record in an order.
pub(crate) struct PlaceQuery {
    keys: Vec<Key>,
    /// Gives what the record has in the columns of the order.
    pub(crate) select: SelectStatement,
}

impl PlaceQuery {
    /// Looks a record up by its key.
    pub(crate) fn new(
        dialect: &dyn Dialect,
        model: &Model,
        key: &[(usize, Scalar)],
        order: &[(usize, bool)],
    ) -> Result<Self> {
        let keys = order_keys(dialect, model, order)?;
        let mut query = select(dialect, model, Some(is_record(dialect, model, key)?));
        for key in &keys {
            query.expr(match read_key(dialect, model, key)? {
                Some(read) => read,
                None => read_column(dialect, model, key)?,
            });
        }
        query.limit(1);
        Ok(Self {
            keys,
            select: query,
        })
    }

    /// The cursor after the record, given what it has in those columns.
    pub(crate) fn cursor(&self, model: &Model, values: Vec<KeyValue>) -> String {
        // Of several records that are just alike, it is the first.
        let skip = u64::from(!model.distinct_rows);
        Cursor { values, skip }.encode(model, &self.keys)
    }
}

/// Writes the rows of a page as a JSON array, and knows when the page is full and where it ended.
///
/// For each row: [`is_full`](Self::is_full), which ends the page when it says so, and then [`write`](Self::write).
///
/// A page of wide rows is full long before its limit. An engine that cannot stop its statement there without
/// reading the rest has to fetch the rows in small portions.
pub(crate) struct PageWriter<'a> {
    query: &'a PageQuery,
    out: Vec<u8>,
    len: usize,
    has_more: bool,
    last: Option<Vec<KeyValue>>,
    same: u64,
}

impl<'a> PageWriter<'a> {
    pub(crate) fn new(query: &'a PageQuery) -> Self {
        let mut out = Vec::with_capacity(1024);
        out.push(b'[');
        Self {
            query,
            out,
            len: 0,
            has_more: false,
            last: None,
            same: 0,
        }
    }

    /// How many bytes are written.
    pub(crate) fn written(&self) -> usize {
        self.out.len()
    }

    /// Whether the next row belongs to what follows the page.
    pub(crate) fn is_full(&mut self) -> bool {
        self.has_more = self.len == self.query.limit
            || (self.out.len() >= self.query.part && self.last.is_some());
        self.has_more
    }

    /// Writes a row. `keys` returns what it has in the columns of the order; none where that cannot be bound again.
    pub(crate) fn write<E: From<Error>>(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>, &PageQuery) -> Result<(), E>,
        keys: impl FnOnce() -> Result<Option<Vec<KeyValue>>, E>,
    ) -> Result<(), E> {
        if self.len > 0 {
            self.out.push(b',');
        }
        write(&mut self.out, self.query)?;
        self.len += 1;
        if self.out.len() > MAX_PAGE {
            return Err(Error::invalid(
                "the page is too large; ask for fewer records (_per_page) or fields (_fields)",
            )
            .into());
        }
        // Only the last row matters, but which one that is, is not always known before.
        let is_end = self.len == self.query.limit || self.out.len() >= self.query.part;
        if is_end || !self.query.model.distinct_rows {
            let keys = keys()?;
            self.same = match keys.is_some() && keys == self.last {
                true => self.same + 1,
                false => 1,
            };
            self.last = keys;
        }
        Ok(())
    }

    /// The page, without a count.
    pub(crate) fn finish(mut self) -> Part {
        self.out.push(b']');
        Part {
            results: std::mem::take(&mut self.out).into(),
            len: self.len,
            count: None,
            has_more: self.has_more,
            after: self.after(),
        }
    }

    /// The cursor after the last row.
    fn after(self) -> Option<String> {
        let query = self.query;
        let values = self.last.filter(|_| self.has_more)?;
        let skip = match &query.after {
            _ if query.model.distinct_rows => 0,
            // The whole page was made of rows that are just like the one before.
            Some(before) if values == before.values => before.skip.saturating_add(self.same),
            _ => self.same,
        };
        Some(Cursor { values, skip }.encode(&query.model, &query.keys))
    }
}
