//! The rows of a page that ends at a cursor, as ranges that an index bounds on both sides. Without that an engine would go on
//! through all rows behind the cursor, and only find that they are not before it.

use sea_query::Expr;

use super::range::{Bounds, Range, null_positions, turned};
use crate::{
    Model, Result,
    plan::Test,
    query::{
        Dialect, all_of,
        cursor::{Cursor, KeyValue, beyond, equal},
    },
};

/// Rows after the place where reading begins, or all rows if it begins at the side of the order.
struct RowsAfter {
    test: Option<Expr>,
    /// Whether they have NULL in the first column in which the two cursors differ.
    is_null: bool,
}

impl RowsAfter {
    /// Whether such rows may have NULL, or something else, in the first column in which the two cursors differ.
    fn may_have(&self, null: bool) -> bool {
        self.test.is_none() || self.is_null == null
    }
}

impl Bounds {
    /// The rows between the place where reading begins and the cursor where it ends, in their order. Some after that
    /// cursor may be among them, where the engine treats different values as equal. `test` is what they pass beside that.
    pub(super) fn between(
        &self,
        dialect: &dyn Dialect,
        model: &Model,
        test: Option<&Test>,
        end: &Cursor,
    ) -> Result<Vec<Range>> {
        let keys = &self.keys;
        let mut ranges = Vec::new();
        let mut all_after = Vec::new();
        let mut first_difference = 0;
        match &self.start {
            None => all_after.push(RowsAfter {
                test: None,
                is_null: false,
            }),
            Some(start) => {
                ranges.extend(self.at_start(dialect, model, start)?);
                let values = start.values.iter().zip(&end.values);
                first_difference = values.take_while(|(start, end)| start == end).count();
                for range in start.ranges(dialect, model, keys)? {
                    if range.position > first_difference {
                        ranges.push(Range::beyond(range, &start.values));
                    } else if range.position == first_difference {
                        all_after.push(RowsAfter {
                            test: Some(range.test),
                            is_null: range.is_null,
                        });
                    }
                }
            }
        }
        let back = turned(keys);
        let end_is_null = end.values.get(first_difference) == Some(&KeyValue::Null);
        for after in all_after {
            let reaches_end = after.may_have(end_is_null);
            for position in first_difference..keys.len() {
                let (Some(key), Some(value)) = (back.get(position), end.values.get(position))
                else {
                    break;
                };
                let shares_value = position > first_difference;
                if shares_value && !reaches_end {
                    break;
                }
                let excludes_null = key.field.zip(test);
                let excludes_null =
                    excludes_null.is_some_and(|(field, test)| test.excludes_null(field));
                let before = beyond(dialect, model, key, value)?;
                for (test, is_null) in before.into_iter().rev() {
                    let is_possible = shares_value || after.may_have(is_null);
                    if !is_possible || is_null && excludes_null {
                        continue;
                    }
                    let mut tests = Vec::from_iter(after.test.clone());
                    tests.extend(self.shared(dialect, model, end, first_difference..position)?);
                    tests.push(test);
                    let mut null = null_positions(&end.values, position);
                    null.extend(is_null.then_some(position));
                    ranges.push(Range {
                        fixed: position + 1,
                        null,
                        test: Some(all_of(tests)),
                        ..Range::default()
                    });
                }
            }
            if end.side == self.from && reaches_end {
                let mut tests = Vec::from_iter(after.test);
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
        let mut field = Field::new("a".to_owned(), FieldType::TextField, Kind::Text, "text");
        field.indexed = true;
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
