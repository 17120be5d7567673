//! The statements of our own database on a connection to a file of SQLite.

use std::sync::Arc;

use rusqlite::{
    params_from_iter,
    types::{ToSqlOutput, Value as SqliteValue, ValueRef},
};

use super::{Connection, Row, Value};
use crate::{Error, Result, engine::sqlite::session::Session};

impl Connection for Session<'_> {
    fn execute(&mut self, sql: &str, params: &[Value]) -> Result<u64> {
        let statement = self.prepare_cached(sql);
        let changed =
            statement.and_then(|mut statement| statement.execute(params_from_iter(params)));
        self.translate(changed.map(|changed| changed as u64))
    }

    fn query(&mut self, sql: &str, params: &[Value]) -> Result<Vec<Row>> {
        let mut statement = self.translate(self.prepare_cached(sql))?;
        let columns: Arc<[String]> = statement.column_names().map(str::to_owned).collect();
        let mut rows = self.translate(statement.query(params_from_iter(params)))?;
        let mut result = Vec::new();
        while let Some(row) = self.translate(rows.next())? {
            let mut values = Vec::with_capacity(columns.len());
            for index in 0..columns.len() {
                values.push(read_value(self.translate(row.get_ref(index))?)?);
            }
            result.push(Row::new(Arc::clone(&columns), values));
        }
        Ok(result)
    }

    fn read_text(
        &mut self,
        sql: &str,
        params: &[Value],
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<bool> {
        let mut statement = self.translate(self.prepare_cached(sql))?;
        let mut rows = self.translate(statement.query(params_from_iter(params)))?;
        let Some(row) = self.translate(rows.next())? else {
            return Ok(false);
        };
        match self.translate(row.get_ref(0))? {
            ValueRef::Text(text) => take(text),
            _ => return Err(Error::internal("a column that is read as text is not text")),
        }
        Ok(true)
    }

    fn execute_many(
        &mut self,
        sql: &str,
        rows: &mut dyn Iterator<Item = Vec<Value>>,
    ) -> Result<u64> {
        let mut statement = self.translate(self.prepare_cached(sql))?;
        let mut changed = 0;
        for values in rows {
            changed += self.translate(statement.execute(params_from_iter(&values)))? as u64;
        }
        Ok(changed)
    }
}

impl rusqlite::ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(SqliteValue::Null),
            Self::Bool(truth) => ToSqlOutput::Owned(SqliteValue::Integer(i64::from(*truth))),
            Self::Int(number) => ToSqlOutput::Owned(SqliteValue::Integer(*number)),
            Self::Float(number) => ToSqlOutput::Owned(SqliteValue::Real(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Blob(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

/// A value as rows of our own databases have it.
pub(super) fn read_value(value: ValueRef<'_>) -> Result<Value> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Int(number),
        ValueRef::Real(number) => Value::Float(number),
        ValueRef::Text(text) => Value::Text(
            std::str::from_utf8(text)
                .map_err(|error| {
                    Error::internal("a text of the database is not UTF-8").with_source(error)
                })?
                .to_owned(),
        ),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    })
}
