//! Lists and single records, read from MySQL and MariaDB.

use std::sync::Arc;

use bytes::{BufMut, BytesMut};
use mysql_async::{Row, prelude::Queryable as _};
use sea_query::SelectStatement;

use super::{
    connect::Lease,
    fault,
    select::{MysqlDialect, Statement, check_size},
    value,
};
use crate::{
    Error, Model, RecordJson,
    admission::Work,
    plan::ListPlan,
    query::{PageQuery, PageScan, cursor::KeyValue},
    record::{Part, Projection, no_such_record},
};

/// The most rows of a part of a page. The server sends all rows of a statement or none, so that those that no
/// longer fit are sent in vain.
const MAX_PART: u32 = 500;

/// A list as statements.
pub(super) struct ListQuery {
    query: PageQuery,
    pages: Vec<Statement>,
    count: Option<Statement>,
}

impl ListQuery {
    pub(super) fn new(model: &Arc<Model>, mut plan: ListPlan) -> Result<Self, Error> {
        if model.distinct_rows && !plan.is_internal {
            plan.limit = plan.limit.min(MAX_PART);
        }
        let query = PageQuery::new(&MysqlDialect, model, plan)?;
        let statement = |select: &SelectStatement| check_size(Statement::select(select));
        Ok(Self {
            pages: query
                .pages
                .iter()
                .map(statement)
                .collect::<Result<_, _>>()?,
            count: query.count.as_ref().map(statement).transpose()?,
            query,
        })
    }

    /// What the list is when it waits for its turn.
    pub(super) fn work(&self) -> Work {
        self.query
            .work(self.pages.iter().map(|page| page.sql.as_str()))
    }

    /// Runs the list.
    pub(super) async fn run(&self, lease: &mut Lease) -> Result<Part, Error> {
        let query = &self.query;
        let mut out = BytesMut::with_capacity(1024);
        out.put_u8(b'[');
        let mut walk = PageScan::new(query);
        'pages: for statement in &self.pages {
            let conn = lease.conn()?;
            let rows = conn.exec_iter(statement.sql.as_str(), statement.params());
            let mut rows = rows.await.map_err(fault::translate)?;
            while let Some(row) = rows.next().await.map_err(fault::translate)? {
                if walk.is_full(out.len()) {
                    rows.drop_result().await.map_err(fault::translate)?;
                    break 'pages;
                }
                if walk.len() > 0 {
                    out.put_u8(b',');
                }
                let (fields, shown) = (&query.model.fields, &query.shown);
                value::write_record(&mut out, fields, shown, &row, |order, _| order)?;
                walk.wrote(out.len(), || self.keys(&row))?;
            }
            rows.drop_result().await.map_err(fault::translate)?;
        }
        out.put_u8(b']');
        let (len, has_more) = (walk.len(), walk.has_more());
        Ok(Part {
            results: out.freeze(),
            len,
            count: self.count(lease, len, has_more).await?,
            has_more,
            after: walk.after(),
        })
    }

    /// What a row has in the columns of the order.
    fn keys(&self, row: &Row) -> Result<Option<Vec<KeyValue>>, Error> {
        let query = &self.query;
        let mut values = Vec::with_capacity(query.keys.len());
        for (key, position) in query.keys.iter().zip(&query.key_positions) {
            let index = key.field;
            let index =
                index.ok_or_else(|| Error::internal("a column of the order is no field"))?;
            let Some(value) = value::key(query.model.at(index)?, value::cell(row, *position)?)
            else {
                return Ok(None);
            };
            values.push(value);
        }
        Ok(Some(values))
    }

    /// How many records match: proved by the page where it can be, or counted.
    async fn count(
        &self,
        lease: &mut Lease,
        len: usize,
        has_more: bool,
    ) -> Result<Option<u64>, Error> {
        let Some(statement) = &self.count else {
            return Ok(None);
        };
        if let Some(count) = self.query.proven_count(len, has_more) {
            return Ok(Some(count));
        }
        if self.query.estimate
            && let Some(estimate) = estimate(lease, &self.query.model).await?
        {
            return Ok(Some(estimate));
        }
        let row = one(lease, statement).await?;
        let count = row.and_then(|row| row.get::<u64, _>(0));
        count
            .map(Some)
            .ok_or_else(|| Error::internal("a count gave no number"))
    }
}

/// What the engine of a table knows about the number of its rows.
async fn estimate(lease: &mut Lease, model: &Model) -> Result<Option<u64>, Error> {
    let guess: Option<Option<u64>> = lease
        .conn()?
        .exec_first(
            "SELECT CAST(TABLE_ROWS AS UNSIGNED) FROM information_schema.TABLES
             WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND TABLE_TYPE = 'BASE TABLE'",
            (&model.table,),
        )
        .await
        .map_err(fault::translate)?;
    Ok(guess.flatten())
}

/// The first row of a statement.
pub(super) async fn one(lease: &mut Lease, statement: &Statement) -> Result<Option<Row>, Error> {
    let conn = lease.conn()?;
    let row = conn.exec_first(statement.sql.as_str(), statement.params());
    row.await.map_err(fault::translate)
}

/// Reads one record.
pub(super) async fn retrieve(
    lease: &mut Lease,
    model: &Model,
    statement: &Statement,
    shown: &Projection,
) -> Result<RecordJson, Error> {
    let row = one(lease, statement).await?;
    let row = row.ok_or_else(|| no_such_record(model))?;
    value::record(&model.fields, shown, &row)
}

/// Reads what one record has in the columns of an order.
pub(super) async fn place(
    lease: &mut Lease,
    model: &Model,
    order: &[(usize, bool)],
    statement: &Statement,
) -> Result<Vec<KeyValue>, Error> {
    let row = one(lease, statement).await?;
    let row = row.ok_or_else(|| no_such_record(model))?;
    let fields = order.iter().enumerate();
    fields
        .map(|(position, (index, _))| {
            value::key(model.at(*index)?, value::cell(&row, position)?).ok_or_else(|| {
                Error::invalid(
                    "a value that orders the record is not valid text, so that it has no place",
                )
            })
        })
        .collect()
}
