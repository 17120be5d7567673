//! Ordered pages: the statements that return one, and what writes its rows.

mod between;
mod buffers;
mod range;
mod writer;

use std::sync::Arc;

use sea_query::{Expr, Func, SelectStatement};
use svc_model::Count;

use self::range::{Bounds, Range};
pub(crate) use self::{buffers::Buffers, writer::PageWriter};
use super::{
    Dialect, SELF, column, excerpts, first_of_each::first_of_each, is_record, select, test,
};
use crate::{
    Model, Result,
    admission::Work,
    plan::{ListPlan, Test},
    query::cursor::{Cursor, Key, KeyValue, Side, key_field},
    record::{Projection, excerpt::RowExcerpts},
    value::Scalar,
};

/// From how many bytes on a page ends early, to be continued after its last row.
const PART: usize = 1 << 20;
/// The same for what the service reads for itself.
const INTERNAL_PART: usize = 4 << 20;

/// A list as statements.
pub(crate) struct PageQuery {
    pub(crate) model: Arc<Model>,
    pub(crate) shown: Projection,
    bounds: Bounds,
    /// Where in a row the columns of the order are; the shown fields come first.
    pub(crate) key_positions: Vec<usize>,
    /// How the values of the records are cut.
    pub(crate) excerpts: Option<RowExcerpts>,
    /// The fields whose values are read beside the records, and where in a row they are.
    pub(crate) beside: Option<Vec<(usize, usize)>>,
    /// What is read of each row.
    columns: Vec<Expr>,
    pub(crate) test: Option<Test>,
    among: Option<Expr>,
    /// What rows before the end pass, where rows are read up to a cursor.
    end: Option<Expr>,
    /// Which rows each statement returns.
    ranges: Vec<Range>,
    /// What returns the page: one statement after the other, until it is full. Each returns at most one row more
    /// than the page may have. Where there are several, all have to see the same state of the database.
    pub(crate) pages: Vec<SelectStatement>,
    /// What counts all records that match, where it is requested.
    pub(crate) count: Option<SelectStatement>,
    /// Whether the count stays the same as long as the database does.
    pub(crate) count_stays: bool,
    /// How they are counted.
    pub(crate) counting: Count,
    /// Returns a row for each record that matches. It is not run: the engine says how many rows it expects of it, where
    /// that will do.
    pub(crate) expected: Option<SelectStatement>,
    pub(crate) limit: usize,
    pub(crate) offset: u64,
    /// From how many bytes on the page ends early.
    part: usize,
    /// The memory of the parts before, where there are any.
    buffers: Option<Buffers>,
}

impl PageQuery {
    /// Turns the plan of a list into statements. `all` is how the engine reads all fields, where that is written already.
    pub(crate) fn new(
        dialect: &dyn Dialect,
        model: &Arc<Model>,
        all: Option<&str>,
        plan: ListPlan,
    ) -> Result<Self> {
        let bounds = Bounds::new(model, order_keys(dialect, model, &plan.order)?, &plan)?;
        let keys = &bounds.keys;
        let mut width = plan.shown.fields.len();
        let shown = plan.shown.fields.iter();
        let (mut columns, excerpts) = match excerpts(dialect, model, &plan.shown)? {
            Some((columns, excerpts)) => (columns, Some(excerpts)),
            None => match all.filter(|_| width == model.fields.len()) {
                Some(all) => (vec![Expr::cust(all.to_owned())], None),
                None => {
                    let read = shown.map(|index| Ok(dialect.read(SELF, model.at(*index)?)));
                    (read.collect::<Result<_>>()?, None)
                }
            },
        };
        // What is cut is not the value.
        let is_whole = |index: usize| {
            let excerpt = plan.shown.excerpt.as_ref();
            !excerpt.is_some_and(|it| it.cuts(index))
        };
        if excerpts.is_some() {
            width = columns.len();
        }
        let beside = plan.beside.as_ref().map(|fields| {
            let places = fields.iter().map(|index| {
                let mut shown = plan.shown.fields.iter();
                let position = shown.position(|shown| shown == index && is_whole(*index));
                let position = match position {
                    Some(position) => position,
                    None => {
                        columns.push(dialect.read(SELF, model.at(*index)?));
                        width += 1;
                        width - 1
                    }
                };
                Ok((*index, position))
            });
            places.collect::<Result<_>>()
        });
        let beside = beside.transpose()?;
        let mut key_positions = Vec::with_capacity(keys.len());
        for key in keys {
            let shown = plan.shown.fields.iter();
            let position = shown
                .enumerate()
                .find(|(_, shown)| Some(**shown) == key.field && is_whole(**shown));
            match (position, read_key(dialect, model, key)?) {
                (Some((position, _)), None) => key_positions.push(position),
                (_, read) => {
                    key_positions.push(width);
                    width += 1;
                    columns.push(match read {
                        Some(read) => read,
                        None => read_column(dialect, model, key)?,
                    });
                }
            }
        }
        let built = |plan: &Option<Test>| {
            let test = plan.as_ref().map(|plan| test(dialect, model, SELF, plan));
            test.transpose()
        };
        let test = built(&plan.test)?;
        let among = match (&plan.among, &plan.most_of_each) {
            (Some(among), Some(most)) if model.distinct_rows => {
                Some(first_of_each(dialect, model, among, most)?)
            }
            (among, _) => built(among)?,
        };
        let by_key = keys
            .first()
            .is_some_and(|key| key.field.is_none_or(|index| model.key.contains(&index)));
        let test = match among.is_some() || plan.continues && by_key {
            true => test.map(|test| dialect.test_only(test)),
            false => test,
        };
        let ranges = match bounds.split_nulls(dialect, model, &plan)? {
            Some(ranges) => Vec::from(ranges),
            None => {
                let test = plan.test.as_ref();
                bounds.ranges(dialect, model, test, plan.offset, among.is_some())?
            }
        };
        let count = (plan.count != Count::None).then(|| {
            let mut query = select(dialect, model, test.clone());
            query.expr(Func::count(Expr::cust("*")));
            query
        });
        let may_expect = match plan.count {
            Count::Auto => true,
            Count::Estimated => test.is_none() && model.scope.is_none(),
            _ => false,
        };
        let expected = may_expect.then(|| {
            let mut query = select(dialect, model, test.clone());
            query.expr(Expr::cust("1"));
            query
        });
        let mut query = Self {
            model: Arc::clone(model),
            end: bounds.end_test(dialect, model)?,
            bounds,
            key_positions,
            excerpts,
            beside,
            columns,
            among,
            ranges,
            pages: Vec::new(),
            count,
            count_stays: model.is_stored && plan.test.as_ref().is_none_or(Test::reads_stored),
            counting: plan.count,
            expected,
            limit: plan.limit as usize,
            offset: plan.offset,
            part: match plan.is_internal {
                true => INTERNAL_PART,
                false => PART,
            },
            buffers: plan.buffers,
            test: plan.test,
            shown: plan.shown,
        };
        let pages = query.ranges.iter();
        let pages = pages.map(|range| query.page(dialect, range, test.clone()));
        query.pages = pages.collect::<Result<_>>()?;
        Ok(query)
    }

    /// The statement at a place among [`pages`](Self::pages) as one that goes through the records in their order and
    /// tests each, whatever index there is for the test. `None` where the test is about the first column of the order
    /// alone, or there is none.
    #[cfg(feature = "sqlite")]
    pub(crate) fn walk(
        &self,
        dialect: &dyn Dialect,
        place: usize,
    ) -> Result<Option<SelectStatement>> {
        let (Some(passed), Some(range), None) = (&self.test, self.ranges.get(place), &self.among)
        else {
            return Ok(None);
        };
        let first = self.bounds.keys.first().and_then(|key| key.field);
        let mut is_walk = false;
        let tests = passed.conjuncts().into_iter().map(|passed| {
            let expr = test(dialect, &self.model, SELF, passed)?;
            // It bounds the walk.
            if first.is_some() && passed.field() == first {
                return Ok(expr);
            }
            is_walk = true;
            Ok(dialect.test_only(expr))
        });
        let test = super::all_of(tests.collect::<Result<_>>()?);
        match is_walk {
            true => self.page(dialect, range, Some(test)).map(Some),
            false => Ok(None),
        }
    }

    /// The statement for the rows of a select that has them in the order of the page already.
    #[cfg(feature = "sqlite")]
    pub(crate) fn in_order(&self, mut select: SelectStatement) -> SelectStatement {
        select.exprs(self.columns.iter().cloned());
        select
    }

    /// The statement that returns the rows of a range that pass a test.
    fn page(
        &self,
        dialect: &dyn Dialect,
        range: &Range,
        test: Option<Expr>,
    ) -> Result<SelectStatement> {
        let mut query = select(dialect, &self.model, None);
        // Of several bounds of a column SQLite begins at the first that is written: the place of the page, not that of a filter.
        query.and_where_option(range.test.clone());
        query.and_where_option(self.end.clone());
        query.and_where_option(self.among.clone());
        query.and_where_option(test);
        query.exprs(self.columns.iter().cloned());
        for (position, key) in self.bounds.keys.iter().enumerate() {
            if range.null.contains(&position) {
                continue;
            }
            let key = Key {
                nullable: key.nullable && position >= range.fixed,
                ..key.clone()
            };
            dialect.order_by(&mut query, &key, key_field(&self.model, &key)?);
        }
        // Those that are looked up are few; a limit would lead engines to walk over all in their order instead.
        if self.among.is_none() || range.limit.is_some() {
            let most = self.limit as u64 + 1;
            query.limit(range.limit.map_or(most, |limit| limit.min(most)));
        }
        if range.offset > 0 {
            query.offset(Ord::min(range.offset, i64::MAX.unsigned_abs()));
        }
        Ok(query)
    }

    /// What the page is when it waits for its turn, given its statements.
    pub(crate) fn work<'s>(&self, statements: impl Iterator<Item = &'s str>) -> Work {
        let shape: Vec<&str> = statements.collect();
        // The page, or its count, may read many more rows than it returns.
        let scans = self.test.as_ref().is_some_and(Test::scans);
        Work::new(&self.model.name, (self.count.is_some(), shape), scans)
    }

    /// How many records match, where the page itself proves it.
    pub(crate) fn proven_count(&self, len: usize, has_more: bool) -> Option<u64> {
        let is_last = !has_more && (len > 0 || self.offset == 0);
        let is_all = self.bounds.start.is_none() && self.end.is_none();
        (is_last && is_all).then_some(self.offset + len as u64)
    }

    /// The columns of the order, as rows are read by them.
    pub(crate) fn keys(&self) -> &[Key] {
        &self.bounds.keys
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

/// The cursors before and after a record, as [`list`](crate::engine::Driver::list) accepts them.
pub(crate) struct Around {
    pub(crate) before: String,
    pub(crate) after: String,
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

    /// The cursors before and after the record, given what it has in those columns.
    pub(crate) fn cursors(&self, model: &Model, values: Vec<KeyValue>) -> Around {
        let mut cursor = Cursor {
            values,
            // Of several records that are just alike, it is the first, from either side.
            skip: 1,
            side: Side::Start,
            offset: None,
        };
        let after = cursor.encode(model, &self.keys);
        cursor.side = Side::End;
        let before = cursor.encode(model, &self.keys);
        Around { before, after }
    }
}
