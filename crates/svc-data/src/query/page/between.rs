//! The rows of a page that ends at a cursor, as ranges that an index bounds on both sides. Without that an engine would go on
//! through all rows behind the cursor, and only find that they are not before it.

use sea_query::Expr;

use super::range::{Bounds, Range, turned};
use crate::{
    Model, Result,
    query::{
        Dialect, all_of,
        cursor::{Cursor, KeyValue, beyond, equal},
    },
};

/// Rows that are behind the place where reading begins; all of them where there is none.
struct Behind {
    test: Option<Expr>,
    /// Whether they have NULL in the column where the two places part.
    is_null: bool,
}

impl Behind {
    /// Whether such rows may have NULL, or may have something else, in the column where the two places part.
    fn may_be(&self, null: bool) -> bool {
        self.test.is_none() || self.is_null == null
    }
}

impl Bounds {
    /// The rows between the place where reading begins and the cursor where it ends, in their order. Some behind the
    /// cursor may be among them, where the engine treats different values as equal.
    pub(super) fn between(
        &self,
        dialect: &dyn Dialect,
        model: &Model,
        end: &Cursor,
    ) -> Result<Vec<Range>> {
        let keys = &self.keys;
        let mut ranges = Vec::new();
        let mut behind = Vec::new();
        // The first column in which the two places have different values.
        let mut part = 0;
        match &self.start {
            None => behind.push(Behind {
                test: None,
                is_null: false,
            }),
            Some(start) => {
                ranges.extend(self.at_start(dialect, model, start)?);
                let values = start.values.iter().zip(&end.values);
                part = values.take_while(|(start, end)| start == end).count();
                for range in start.ranges(dialect, model, keys)? {
                    if range.position > part {
                        ranges.push(Range::beyond(range, &start.values));
                    } else if range.position == part {
                        behind.push(Behind {
                            test: Some(range.test),
                            is_null: range.is_null,
                        });
                    }
                }
            }
        }
        let back = turned(keys);
        for behind in behind {
            for position in part..keys.len() {
                let (Some(key), Some(value)) = (back.get(position), end.values.get(position))
                else {
                    break;
                };
                let shares_value = position > part;
                if shares_value && !behind.may_be(end.values.get(part) == Some(&KeyValue::Null)) {
                    break;
                }
                let before = beyond(dialect, model, key, value)?;
                for (test, is_null) in before.into_iter().rev() {
                    if !shares_value && !behind.may_be(is_null) {
                        continue;
                    }
                    let mut tests = Vec::from_iter(behind.test.clone());
                    tests.extend(self.shared(dialect, model, end, part..position)?);
                    tests.push(test);
                    let mut null = nulls(&end.values, position);
                    null.extend(is_null.then_some(position));
                    ranges.push(Range {
                        fixed: position + 1,
                        null,
                        test: Some(all_of(tests)),
                        ..Range::default()
                    });
                }
            }
            if end.side == self.from {
                let mut tests = Vec::from_iter(behind.test);
                tests.push(end.same(dialect, model, keys)?);
                ranges.push(Range {
                    fixed: keys.len(),
                    test: Some(all_of(tests)),
                    ..Range::default()
                });
            }
        }
        Ok(ranges)
    }

    /// That rows have the values of a cursor in these columns of the order.
    fn shared(
        &self,
        dialect: &dyn Dialect,
        model: &Model,
        cursor: &Cursor,
        positions: std::ops::Range<usize>,
    ) -> Result<Vec<Expr>> {
        let keys = self.keys.iter().zip(&cursor.values);
        let shared = keys.take(positions.end).skip(positions.start);
        shared
            .map(|(key, value)| equal(dialect, model, key, value))
            .collect()
    }
}

/// Which of the first columns are NULL in rows that have these values in them.
pub(super) fn nulls(values: &[KeyValue], columns: usize) -> Vec<usize> {
    let values = values.iter().take(columns).enumerate();
    let null = values.filter(|(_, value)| **value == KeyValue::Null);
    null.map(|(position, _)| position).collect()
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use std::sync::Arc;

    use sea_query::SqliteQueryBuilder;
    use svc_model::{ListQuery, OrderBy, resources::FieldType};

    use super::super::order_keys;
    use super::*;
    use crate::{
        Field, Structure, engine::sqlite::SqliteDialect, plan::ListPlan, query::cursor::Side,
        structure::Kind,
    };

    /// The conditions of the statements that read the rows between the two places, in the order of a column that may be
    /// NULL.
    fn conditions(descending: bool, places: [Option<KeyValue>; 2]) -> Vec<String> {
        let field = Field::new("a".to_owned(), FieldType::TextField, Kind::Text, "text");
        let mut model = Model::of_columns("t", vec![field]);
        model.row_id = Some("rowid".to_owned());
        let model = Arc::new(model);
        let mut query = ListQuery::new();
        query.order_by = vec![OrderBy {
            field: "a".to_owned(),
            descending,
        }];
        let structure = Structure::new(Vec::new(), 0);
        let mut plan = ListPlan::resolve(&structure, &model, &query).expect("the query fits");
        let keys = order_keys(&SqliteDialect, &model, &plan.order).expect("they are columns");
        let mut places = places.into_iter().zip([(1, Side::Start), (2, Side::End)]);
        let mut place = || {
            let (value, (row, side)) = places.next()?;
            let cursor = Cursor {
                values: vec![value?, KeyValue::Integer(row)],
                skip: 1,
                side,
                offset: None,
            };
            Some(cursor.encode(&model, &keys))
        };
        (plan.after, plan.before) = (place(), place());
        let bounds = Bounds::new(&model, keys, &plan).expect("the cursors are of this order");
        let ranges = bounds
            .ranges(&SqliteDialect, &model, None, 0, false)
            .expect("they have ranges");
        let ranges = ranges.into_iter().map(|range| {
            let mut select = sea_query::Query::select();
            select.and_where_option(range.test);
            let sql = select.to_string(SqliteQueryBuilder);
            sql.replace("SELECT  WHERE ", "")
                .replace("\"t0\".", "")
                .replace(['"', '(', ')'], "")
        });
        ranges.collect()
    }

    fn text(value: &str) -> Option<KeyValue> {
        Some(KeyValue::Text(value.to_owned()))
    }

    #[test]
    fn rows_before_a_cursor_are_bounded_by_it() {
        let null = || Some(KeyValue::Null);
        assert_eq!(
            conditions(false, [text("c"), text("x")]),
            [
                "a = 'c' AND rowid > 1",
                "a > 'c' AND a < 'x'",
                "a > 'c' AND a = 'x' AND rowid < 2"
            ]
        );
        assert_eq!(
            conditions(false, [text("c"), text("c")]),
            ["a = 'c' AND rowid > 1 AND rowid < 2"]
        );
        assert_eq!(
            conditions(false, [null(), text("x")]),
            [
                "a IS NULL AND rowid > 1",
                "a IS NOT NULL AND a < 'x'",
                "a IS NOT NULL AND a = 'x' AND rowid < 2"
            ]
        );
        assert_eq!(
            conditions(true, [text("x"), null()]),
            [
                "a = 'x' AND rowid < 1",
                "a < 'x' AND a IS NOT NULL",
                "a IS NULL AND a IS NULL AND rowid > 2"
            ]
        );
    }

    #[test]
    fn rows_from_the_beginning_to_a_cursor_are_bounded_by_it() {
        assert_eq!(
            conditions(false, [None, text("x")]),
            ["a IS NULL", "a < 'x'", "a = 'x' AND rowid < 2"]
        );
        assert_eq!(
            conditions(true, [None, text("x")]),
            ["a > 'x'", "a = 'x' AND rowid > 2"]
        );
        assert_eq!(
            conditions(true, [None, Some(KeyValue::Null)]),
            ["a IS NOT NULL", "a IS NULL AND rowid > 2"]
        );
    }
}
