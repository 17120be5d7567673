//! Which rows the statements of a page return: all from a cursor on, in one or several ranges, and up to where.

use sea_query::{Expr, ExprTrait as _};

use crate::{
    Model, Result,
    plan::{ListPlan, Test},
    query::{
        Dialect, SELF, any_of,
        cursor::{Beyond, Cursor, Key, KeyValue, Side, key_field},
    },
};

/// Up to how many columns of the order a cursor is looked up range by range.
const MAX_RANGED_KEYS: usize = 4;

/// The rows that a statement of a page returns.
#[derive(Default)]
pub(super) struct Range {
    /// How many of the first columns of the order are known not to be NULL in it, or to be the same in every row,
    /// which lets an engine use an index that orders NULL in another way.
    pub(super) fixed: usize,
    /// The positions of columns of the order that are NULL in every row, so that nothing is ordered by them.
    pub(super) null: Vec<usize>,
    /// None where they are all rows.
    pub(super) test: Option<Expr>,
    pub(super) offset: u64,
    /// How many they are at most, where that is not as many as the page may have.
    pub(super) limit: Option<u64>,
}

impl Range {
    /// The rows behind a cursor that has these values.
    pub(super) fn beyond(rows: Beyond, values: &[KeyValue]) -> Self {
        let mut null = null_positions(values, rows.position);
        null.extend(rows.is_null.then_some(rows.position));
        Self {
            fixed: rows.position + 1,
            null,
            test: Some(rows.test),
            ..Self::default()
        }
    }
}

/// Where a page begins and ends in its order.
pub(super) struct Bounds {
    /// The columns of the order, as rows are read by them.
    pub(super) keys: Vec<Key>,
    /// The side of the order that rows are read from.
    pub(super) from: Side,
    /// Where reading begins, where not at that side.
    pub(super) start: Option<Cursor>,
    /// Where it ends, where not at the other side.
    end: Option<Cursor>,
}

impl Bounds {
    /// `keys` are the columns of the order.
    pub(super) fn new(model: &Model, mut keys: Vec<Key>, plan: &ListPlan) -> Result<Self> {
        let cursor = |parameter, text: &Option<String>| {
            let text = text.as_deref();
            let cursor = text.map(|text| Cursor::decode(model, &keys, (parameter, text)));
            cursor.transpose()
        };
        let after = cursor("_after", &plan.after)?;
        let before = cursor("_before", &plan.before)?;
        let (from, start, end) = match plan.reversed {
            false => (Side::Start, after, before),
            true => (Side::End, before, after),
        };
        if plan.reversed {
            keys = turned(&keys);
        }
        Ok(Self {
            keys,
            from,
            start,
            end,
        })
    }

    /// What rows before the end pass. Where nothing distinguishes rows there is no such test.
    pub(super) fn end_test(&self, dialect: &dyn Dialect, model: &Model) -> Result<Option<Expr>> {
        let Some(end) = self.end.as_ref().filter(|_| model.distinct_rows) else {
            return Ok(None);
        };
        let back = turned(&self.keys);
        let ranges = end.ranges(dialect, model, &back)?;
        let mut tests: Vec<Expr> = ranges.into_iter().map(|range| range.test).collect();
        if end.side == self.from {
            tests.push(end.same(dialect, model, &back)?);
        }
        Ok(Some(dialect.test_only(any_of(tests))))
    }

    /// The rows that are read, in the order of the statements that read them. `looked_up` says that they are looked up
    /// by their keys.
    pub(super) fn ranges(
        &self,
        dialect: &dyn Dialect,
        model: &Model,
        test: Option<&Test>,
        offset: u64,
        looked_up: bool,
    ) -> Result<Vec<Range>> {
        let keys = &self.keys;
        let bounded = model.distinct_rows && keys.len() <= MAX_RANGED_KEYS && !looked_up;
        if let Some(end) = &self.end
            && bounded
            && self.may_be_indexed(model, test)
        {
            return self.between(dialect, model, test, end);
        }
        let Some(start) = &self.start else {
            return Ok(vec![Range {
                fixed: self.without_null(test),
                offset,
                ..Range::default()
            }]);
        };
        let mut ranges = Vec::from_iter(self.at_start(dialect, model, start)?);
        let beyond = start.ranges(dialect, model, keys)?;
        if bounded {
            let beyond = beyond.into_iter();
            ranges.extend(beyond.map(|range| Range::beyond(range, &start.values)));
            return Ok(ranges);
        }
        let mut tests: Vec<Expr> = beyond.into_iter().map(|range| range.test).collect();
        let skips = start.side == self.from && !model.distinct_rows;
        if skips {
            tests.push(start.same(dialect, model, keys)?);
        }
        let any = any_of(tests);
        ranges.push(Range {
            test: Some(match looked_up {
                true => dialect.test_only(any),
                false => any,
            }),
            offset: if skips { start.skip } else { 0 },
            ..Range::default()
        });
        Ok(ranges)
    }

    /// Whether an index may have the order. Without one, each further statement would go through all rows.
    fn may_be_indexed(&self, model: &Model, test: Option<&Test>) -> bool {
        let first = self.keys.first().and_then(|key| key.field);
        let is_first_of_index = first.is_none_or(|index| {
            let field = model.fields.get(index);
            model.key.first() == Some(&index) || field.is_some_and(|field| field.indexed)
        });
        // One column and the key are often the end of an index that begins with what is filtered by.
        let is_filtered = test.is_some_and(Test::fixes_one);
        is_first_of_index || is_filtered && self.keys.len() <= 2
    }

    /// The last ones of the rows that have the values of the cursor where reading begins, which are alike, or one: if they
    /// are not before it.
    pub(super) fn at_start(
        &self,
        dialect: &dyn Dialect,
        model: &Model,
        start: &Cursor,
    ) -> Result<Option<Range>> {
        if start.side == self.from || start.skip == 0 {
            return Ok(None);
        }
        Ok(Some(Range {
            fixed: self.keys.len(),
            test: Some(start.same(dialect, model, &self.keys)?),
            limit: Some(start.skip),
            ..Range::default()
        }))
    }

    /// How many of the first columns of the order are not NULL in rows that pass the test.
    fn without_null(&self, test: Option<&Test>) -> usize {
        let excludes = |index| test.is_some_and(|test| test.excludes_null(index));
        let keys = self.keys.iter();
        keys.take_while(|key| !key.nullable || key.field.is_some_and(excludes))
            .count()
    }

    /// All rows, those with NULL in the first column of the order apart from the others: where an index puts NULL at the
    /// other end, the engine would sort them all. `None` where that does not help.
    pub(super) fn split_nulls(
        &self,
        dialect: &dyn Dialect,
        model: &Model,
        plan: &ListPlan,
    ) -> Result<Option<[Range; 2]>> {
        if self.start.is_some()
            || self.end.is_some()
            || plan.among.is_some()
            || plan.offset > 0
            || self.without_null(plan.test.as_ref()) > 0
        {
            return Ok(None);
        }
        let Some(key) = self.keys.first() else {
            return Ok(None);
        };
        let field = key_field(model, key)?;
        let has_one_value = |index| plan.test.as_ref().is_some_and(|test| test.fixes(index));
        if !field.is_some_and(|field| dialect.null_is_last_in_index(field, &has_one_value)) {
            return Ok(None);
        }
        let here = || dialect.order_value(SELF, key, field);
        let of = |test, null| Range {
            fixed: 1,
            null,
            test: Some(test),
            ..Range::default()
        };
        let mut ranges = [
            of(here().is_null(), vec![0]),
            of(here().is_not_null(), Vec::new()),
        ];
        if key.descending {
            ranges.reverse();
        }
        Ok(Some(ranges))
    }

    /// How many rows are before the place where reading begins, as far as that is known.
    pub(super) fn offset(&self, offset: u64) -> Option<u64> {
        match (&self.start, self.from) {
            (Some(start), _) => start.offset,
            (None, Side::Start) => Some(offset),
            (None, Side::End) => None,
        }
    }

    /// The place behind the last row that was read. `same` is how many of the last rows have just its values.
    pub(super) fn place_behind(
        &self,
        model: &Model,
        values: Vec<KeyValue>,
        same: u64,
        offset: Option<u64>,
    ) -> Cursor {
        let (side, skip) = match &self.start {
            _ if model.distinct_rows => (self.from, 1),
            // All rows that were read are just like those at the cursor.
            Some(start) if start.values == values => match start.side == self.from {
                true => (start.side, start.skip.saturating_add(same)),
                false => (start.side, start.skip.saturating_sub(same)),
            },
            _ => (self.from, same),
        };
        Cursor {
            values,
            skip,
            side,
            offset,
        }
    }

    /// The text of a cursor, which is the same whichever side rows are read from.
    pub(super) fn encode(&self, model: &Model, cursor: &Cursor) -> String {
        match self.from {
            Side::Start => cursor.encode(model, &self.keys),
            Side::End => cursor.encode(model, &turned(&self.keys)),
        }
    }
}

/// Which of the first columns are NULL in rows that have these values in them.
pub(super) fn null_positions(values: &[KeyValue], columns: usize) -> Vec<usize> {
    let values = values.iter().take(columns).enumerate();
    let null = values.filter(|(_, value)| **value == KeyValue::Null);
    null.map(|(position, _)| position).collect()
}

/// The order from the other side.
pub(super) fn turned(keys: &[Key]) -> Vec<Key> {
    let turned = keys.iter().map(|key| Key {
        descending: !key.descending,
        ..key.clone()
    });
    turned.collect()
}
