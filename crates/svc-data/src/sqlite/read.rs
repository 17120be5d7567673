//! Lists and single records, read from SQLite.

use std::sync::Arc;

use bytes::{BufMut, BytesMut};
use rusqlite::{Connection, params_from_iter, types::Value as SqliteValue};
use sea_query::{Expr, Func, Order, SelectStatement};
use svc_model::Count;

use super::{
    Told, check_version,
    cursor::{Cursor, Key, keep},
    json,
    select::{self, SELF, Statement, any_of, check_size, column},
};
use crate::{
    Error, Model, Page, RecordJson,
    plan::{Comparison, ListPlan, Shown, Test},
    records::no_such_record,
    scalar::Scalar,
};

/// The most bytes of one page.
const MAX_PAGE: usize = 64 << 20;
/// Up to how many columns of the order a cursor is looked up range by range.
const MAX_RANGED_KEYS: usize = 4;

/// A list as statements that can be sent to a reader.
pub(crate) struct ListQuery {
    model: Arc<Model>,
    shown: Shown,
    keys: Vec<Key>,
    /// Where in a row the columns of the order are.
    key_positions: Vec<usize>,
    /// What gives the page: one statement after the other, until it is full.
    pages: Vec<Statement>,
    count: Option<Statement>,
    estimate: bool,
    limit: usize,
    offset: u64,
    after: Option<Cursor>,
}

impl ListQuery {
    pub(crate) fn new(model: &Arc<Model>, plan: ListPlan) -> Result<Self, Error> {
        let mut keys = Vec::with_capacity(plan.order.len() + 1);
        let mut key_positions = Vec::with_capacity(plan.order.len() + 1);
        let mut columns: Vec<String> = Vec::with_capacity(plan.shown.fields.len() + 2);
        for index in plan.shown.fields.iter() {
            columns.push(model.at(*index)?.name.clone());
        }
        let mut last_descending = true;
        for (index, descending) in &plan.order {
            let field = model.at(*index)?;
            let position = plan.shown.fields.iter().position(|shown| shown == index);
            key_positions.push(position.unwrap_or(columns.len()));
            if position.is_none() {
                columns.push(field.name.clone());
            }
            keys.push(Key {
                column: field.name.clone(),
                descending: *descending,
                nullable: field.nullable,
            });
            last_descending = *descending;
        }
        if let Some(row_id) = &model.row_id {
            key_positions.push(columns.len());
            columns.push(row_id.clone());
            keys.push(Key {
                column: row_id.clone(),
                descending: last_descending,
                nullable: false,
            });
        }
        let after = plan
            .after
            .as_deref()
            .map(|text| Cursor::decode(model, &keys, text))
            .transpose()?;

        let test = plan
            .test
            .as_ref()
            .map(|test| select::test(model, SELF, test))
            .transpose()?;
        let limit = plan.limit as usize;
        let page = |range: Option<Expr>, offset: u64| -> Result<Statement, Error> {
            let mut query = select::query(model, test.clone());
            query.and_where_option(range);
            for name in &columns {
                query.expr(column(SELF, name));
            }
            for key in &keys {
                let order = if key.descending {
                    Order::Desc
                } else {
                    Order::Asc
                };
                query.order_by_expr(column(SELF, &key.column), order);
            }
            query.limit(u64::from(plan.limit) + 1);
            if offset > 0 {
                query.offset(Ord::min(offset, i64::MAX.unsigned_abs()));
            }
            check_size(Statement::select(&query))
        };
        let pages = match &after {
            None => vec![page(None, plan.offset)?],
            Some(cursor) if model.distinct_rows && keys.len() <= MAX_RANGED_KEYS => cursor
                .ranges(&keys)
                .into_iter()
                .map(|range| page(Some(range), 0))
                .collect::<Result<_, _>>()?,
            Some(cursor) => {
                let mut ranges = cursor.ranges(&keys);
                if !model.distinct_rows {
                    ranges.push(cursor.same(&keys));
                }
                vec![page(Some(any_of(ranges)), cursor.skip)?]
            }
        };
        let count = match plan.count {
            Count::None => None,
            _ => {
                let mut query = select::query(model, test.clone());
                query.expr(Func::count(Expr::cust("*")));
                Some(check_size(Statement::select(&query))?)
            }
        };
        Ok(Self {
            model: Arc::clone(model),
            keys,
            key_positions,
            pages,
            count,
            estimate: plan.count == Count::Estimated && test.is_none(),
            limit,
            offset: plan.offset,
            after,
            shown: plan.shown,
        })
    }

    /// Runs the list on a reader.
    pub(crate) fn run(&self, connection: &Connection, told: Told<'_>) -> Result<Page, Error> {
        check_version(connection, &self.model, told)?;
        let mut out = BytesMut::with_capacity(1024);
        out.put_u8(b'[');
        let mut len = 0;
        let mut has_more = false;
        let mut last: Option<Vec<SqliteValue>> = None;
        let mut same = 0_u64;
        'pages: for statement in &self.pages {
            let mut prepared = told.of(connection.prepare_cached(&statement.sql))?;
            let mut rows = told.of(prepared.query(params_from_iter(&statement.values)))?;
            while let Some(row) = told.of(rows.next())? {
                if len == self.limit {
                    has_more = true;
                    break 'pages;
                }
                if len > 0 {
                    out.put_u8(b',');
                }
                told.of(json::write_record(
                    &mut out,
                    &self.model.fields,
                    &self.shown,
                    row,
                    |order, _| order,
                ))?;
                if out.len() > MAX_PAGE {
                    return Err(json::too_large());
                }
                len += 1;
                // Only the last row matters, but which one that is, is not known before.
                if len == self.limit || !self.model.distinct_rows {
                    let mut values = Some(Vec::with_capacity(self.keys.len()));
                    for position in &self.key_positions {
                        let value = keep(told.of(row.get_ref(*position))?);
                        values = values.zip(value).map(|(mut values, value)| {
                            values.push(value);
                            values
                        });
                    }
                    same = if values.is_some() && values == last {
                        same + 1
                    } else {
                        1
                    };
                    last = values;
                }
            }
        }
        out.put_u8(b']');
        let skip = match &self.after {
            // The whole page was made of rows that are just like the one before.
            Some(before) if last.as_ref() == Some(&before.values) => {
                before.skip.saturating_add(same)
            }
            _ => same,
        };
        let after = match &last {
            Some(values) if has_more => {
                let skip = if self.model.distinct_rows { 0 } else { skip };
                Cursor::encode(&self.model, &self.keys, skip, values)
            }
            _ => None,
        };
        Ok(Page {
            results: out.freeze(),
            len,
            count: self.count(connection, told, len, has_more)?,
            has_more,
            after,
        })
    }

    /// How many records match: proved by the page where it can be, else counted.
    fn count(
        &self,
        connection: &Connection,
        told: Told<'_>,
        len: usize,
        has_more: bool,
    ) -> Result<Option<u64>, Error> {
        let Some(statement) = &self.count else {
            return Ok(None);
        };
        let is_last = !has_more && (len > 0 || self.offset == 0);
        if is_last && self.after.is_none() {
            return Ok(Some(self.offset + len as u64));
        }
        if self.estimate
            && let Some(estimate) = estimate(connection, &self.model.table)
        {
            return Ok(Some(estimate));
        }
        let mut prepared = told.of(connection.prepare_cached(&statement.sql))?;
        let count: i64 =
            told.of(prepared.query_row(params_from_iter(&statement.values), |row| row.get(0)))?;
        Ok(u64::try_from(count).ok())
    }
}

/// What ANALYZE noted about the number of rows, where it has run.
fn estimate(connection: &Connection, table: &str) -> Option<u64> {
    let stat: String = connection
        .prepare_cached(
            "SELECT stat FROM main.sqlite_stat1 WHERE tbl = ?1 ORDER BY idx IS NULL DESC LIMIT 1",
        )
        .and_then(|mut statement| statement.query_row([table], |row| row.get(0)))
        .ok()?;
    stat.split(' ').next()?.parse().ok()
}

/// The query for all fields of the record of a key.
pub(crate) fn by_key(model: &Model, key: &[(usize, Scalar)]) -> Result<SelectStatement, Error> {
    let tests = key
        .iter()
        .map(|(index, value)| Test::Compare(*index, Comparison::Equal, value.clone()))
        .collect();
    let mut query = select::query(model, Some(select::test(model, SELF, &Test::All(tests))?));
    all_fields(&mut query, model);
    Ok(query)
}

/// Selects every field, in the order of the columns.
pub(crate) fn all_fields(query: &mut SelectStatement, model: &Model) {
    for field in model.fields.iter() {
        query.expr(column(SELF, &field.name));
    }
}

/// Reads one record.
pub(crate) fn retrieve(
    connection: &Connection,
    told: Told<'_>,
    model: &Model,
    statement: &Statement,
    shown: &Shown,
) -> Result<RecordJson, Error> {
    check_version(connection, model, told)?;
    one(connection, told, model, statement, shown)?.ok_or_else(|| no_such_record(model))
}

/// Reads the record that a statement over all fields gives.
pub(crate) fn one(
    connection: &Connection,
    told: Told<'_>,
    model: &Model,
    statement: &Statement,
    shown: &Shown,
) -> Result<Option<RecordJson>, Error> {
    let mut prepared = told.of(connection.prepare_cached(&statement.sql))?;
    let mut rows = told.of(prepared.query(params_from_iter(&statement.values)))?;
    match told.of(rows.next())? {
        Some(row) => record(told, model, row, shown).map(Some),
        None => Ok(None),
    }
}

/// The record of a row that holds all fields.
pub(crate) fn record(
    told: Told<'_>,
    model: &Model,
    row: &rusqlite::Row<'_>,
    shown: &Shown,
) -> Result<RecordJson, Error> {
    let mut out = BytesMut::with_capacity(256);
    told.of(json::write_record(
        &mut out,
        &model.fields,
        shown,
        row,
        |_, index| index,
    ))?;
    Ok(RecordJson {
        body: out.freeze(),
        etag: told.of(json::etag(row, &model.fields))?,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use svc_model::ListQuery as Query;

    use super::*;
    use crate::{Structure, sqlite::discover::discover};

    fn database() -> (Connection, Structure) {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, status TEXT, at DATETIME NOT NULL, code TEXT UNIQUE NOT NULL);
                 CREATE INDEX by_status ON t (status, at);
                 WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
                 INSERT INTO t SELECT i, CASE WHEN i % 5 THEN 's' || i % 3 END, '2026-01-01 00:00:' || printf('%02d', i % 60), i FROM n;
                 ANALYZE;",
            )
            .unwrap();
        let structure = discover(&connection).unwrap();
        (connection, structure)
    }

    /// How SQLite means to run the statements of a page.
    fn plans(connection: &Connection, list: &ListQuery) -> Vec<String> {
        list.pages
            .iter()
            .map(|statement| {
                let mut explain = connection
                    .prepare(&format!("EXPLAIN QUERY PLAN {}", statement.sql))
                    .unwrap();
                let lines: Vec<String> = explain
                    .query_map(params_from_iter(&statement.values), |row| row.get(3))
                    .unwrap()
                    .map(Result::unwrap)
                    .collect();
                lines.join("; ")
            })
            .collect()
    }

    #[test]
    fn the_rows_behind_a_cursor_are_found_by_an_index_whatever_page_it_is() {
        let (connection, structure) = database();
        let model = structure.model("t").unwrap();
        let told = Told {
            path: Path::new("memory"),
        };
        for order in ["", "-at", "status,at", "-status,-at", "status,-at", "code"] {
            let mut query = Query::new().per_page(7);
            for part in order.split(',').filter(|part| !part.is_empty()) {
                query = query.order_by(part);
            }
            for _ in 0..3 {
                let plan = ListPlan::resolve(&structure, model, &query).unwrap();
                let list = ListQuery::new(model, plan).unwrap();
                if query.after.is_some() && !["-at", "status,-at"].contains(&order) {
                    for plan in plans(&connection, &list) {
                        assert!(plan.starts_with("SEARCH t0 USING"), "{order}: {plan}");
                        assert!(!plan.contains("TEMP B-TREE"), "{order}: {plan}");
                    }
                }
                query.after = list.run(&connection, told).unwrap().after;
            }
        }
    }
}
