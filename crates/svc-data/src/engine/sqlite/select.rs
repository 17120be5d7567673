//! A plan of a list, and the key of a record, as SQL for SQLite.

use rusqlite::types::{ToSqlOutput, Value as SqliteValue, ValueRef};
use sea_query::{Alias, Expr, ExprTrait, Func, SelectStatement, SqliteQueryBuilder, Value, Values};

use super::{
    comparison::{comparable, compare, is_in, ordering},
    functions::fold,
};
use crate::{
    Error, Field, Model,
    plan::{Comparison, Match},
    query::{
        Dialect, column,
        cursor::{Key, KeyValue},
        name,
    },
    structure::Kind,
    value::Scalar,
};

/// How many values SQLite binds in one statement.
const MAX_BOUND: usize = 32_766;

/// A statement with the values that it binds.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) sql: String,
    pub(crate) values: Vec<Bound>,
}

impl Statement {
    pub(crate) fn select(select: &SelectStatement) -> Self {
        let (sql, Values(mut values)) = select.build(SqliteQueryBuilder);
        let sql = write_limit(&sql, &mut values).unwrap_or(sql);
        Self::from((sql, Values(values)))
    }
}

/// Writes the limit of a statement as a number instead of binding it: SQLite compiles a statement with a bound limit again
/// each time it runs. `None` where there is no such limit.
fn write_limit(sql: &str, values: &mut Vec<Value>) -> Option<String> {
    const LIMIT: &str = " LIMIT ?";
    const OFFSET: &str = " OFFSET ?";
    let (head, offset) = match sql.strip_suffix(OFFSET) {
        Some(head) => (head, OFFSET),
        None => (sql, ""),
    };
    let head = head.strip_suffix(LIMIT)?;
    let place = values
        .len()
        .checked_sub(1 + usize::from(!offset.is_empty()))?;
    let Some(Value::BigUnsigned(Some(limit))) = values.get(place) else {
        return None;
    };
    let sql = format!("{head} LIMIT {limit}{offset}");
    values.remove(place);
    Some(sql)
}

impl From<(String, Values)> for Statement {
    fn from((sql, Values(values)): (String, Values)) -> Self {
        Self {
            sql,
            values: values.into_iter().map(Bound).collect(),
        }
    }
}

/// A value that SQLite binds.
#[derive(Clone, Debug)]
pub(crate) struct Bound(Value);

impl rusqlite::ToSql for Bound {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let integer = |number: i64| ToSqlOutput::Owned(SqliteValue::Integer(number));
        Ok(match &self.0 {
            Value::Bool(Some(truth)) => integer(i64::from(*truth)),
            Value::BigInt(Some(number)) => integer(*number),
            Value::Int(Some(number)) => integer(i64::from(*number)),
            // What is larger than any table has rows.
            Value::BigUnsigned(Some(number)) => integer(i64::try_from(*number).unwrap_or(i64::MAX)),
            Value::Double(Some(number)) => ToSqlOutput::Owned(SqliteValue::Real(*number)),
            Value::String(Some(text)) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Value::Bytes(Some(bytes)) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            other if *other == other.as_null() => ToSqlOutput::Owned(SqliteValue::Null),
            _ => {
                return Err(rusqlite::Error::ToSqlConversionFailure(
                    "a value of a type that is not bound".into(),
                ));
            }
        })
    }
}

/// Refuses a statement that binds more than SQLite takes.
pub(crate) fn check_size(statement: Statement) -> Result<Statement, Error> {
    if statement.values.len() > MAX_BOUND {
        return Err(Error::invalid("the filters hold too many values"));
    }
    Ok(statement)
}

/// How SQLite says what engines say in their own ways.
pub(crate) struct SqliteDialect;

impl Dialect for SqliteDialect {
    fn from(&self, select: &mut SelectStatement, model: &Model, alias: &str) {
        match &model.schema {
            Some(schema) => select.from_as((name(schema), name(&model.table)), name(alias)),
            None => select.from_as(name(&model.table), name(alias)),
        };
    }

    fn order_value(&self, table: &str, key: &Key, field: Option<&Field>) -> Expr {
        match field {
            // In whatever collation the column compares.
            _ if key.is_exact => {
                Expr::cust_with_exprs("? COLLATE BINARY", [column(table, &key.column)])
            }
            Some(field) => comparable(table, field),
            None => column(table, &key.column),
        }
    }

    fn has_exact_order(&self, field: &Field) -> bool {
        !matches!(
            field.kind,
            Kind::Integer | Kind::Float | Kind::Decimal | Kind::Boolean
        )
    }

    fn read_key(&self, table: &str, key: &Key, field: Option<&Field>) -> Option<Expr> {
        let field = field.filter(|field| !key.is_exact && ordering(field).is_some())?;
        Some(comparable(table, field))
    }

    fn bind_key(&self, _: Option<&Field>, value: &KeyValue) -> Result<Expr, Error> {
        Ok(bind(value))
    }

    fn compare(
        &self,
        table: &str,
        field: &Field,
        comparison: Comparison,
        value: &Scalar,
    ) -> Result<Expr, Error> {
        compare(field, table, comparison, value)
    }

    fn is_in(&self, table: &str, field: &Field, values: &[Scalar]) -> Result<Expr, Error> {
        is_in(field, table, values)
    }

    fn matches(&self, table: &str, field: &Field, how: Match, text: &str) -> Result<Expr, Error> {
        Ok(matches(field, table, how, text))
    }

    fn test_only(&self, test: Expr) -> Expr {
        // An expression behind a plus is not looked up in an index.
        Expr::cust_with_exprs("+(?)", [test])
    }

    fn is_empty(&self, table: &str, field: &Field) -> Expr {
        let is_null = column(table, &field.name).is_null();
        match field.kind {
            Kind::Integer | Kind::Float | Kind::Boolean => is_null,
            _ => is_null.or(column(table, &field.name).eq("")),
        }
    }
}

/// A value of a client, bound as it is.
pub(crate) fn bind_scalar(value: &Scalar) -> Bound {
    Bound(match value {
        Scalar::Null => Value::String(None),
        Scalar::Boolean(truth) => i64::from(*truth).into(),
        Scalar::Integer(number) => (*number).into(),
        Scalar::Unsigned(number) => number.to_string().into(),
        Scalar::Float(number) => (*number).into(),
        Scalar::Bytes(bytes) => Value::Bytes(Some(bytes.clone())),
        Scalar::Decimal(text)
        | Scalar::Json(text)
        | Scalar::Text(text)
        | Scalar::Uuid(text, _)
        | Scalar::Special(text) => text.clone().into(),
        Scalar::Date(date) => date.to_string().into(),
        Scalar::Time(time, digits) => time_text(*time, *digits).into(),
        Scalar::DateTime(timestamp, _) => timestamp.to_string().into(),
    })
}

/// A name as an identifier of SQLite.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A stored value, to be bound again.
pub(crate) fn bind(value: &KeyValue) -> Expr {
    Expr::val(match value {
        KeyValue::Null => Value::String(None),
        KeyValue::Integer(number) => (*number).into(),
        KeyValue::Unsigned(number) => (*number).into(),
        KeyValue::Real(number) => (*number).into(),
        KeyValue::Text(text) => text.clone().into(),
        KeyValue::Blob(bytes) => Value::Bytes(Some(bytes.clone())),
        KeyValue::BrokenText(bytes) => {
            let bytes = Expr::val(Value::Bytes(Some(bytes.clone())));
            return Expr::cust_with_exprs("CAST(? AS TEXT)", [bytes]);
        }
    })
}

/// A stored value, copied out of its row.
pub(crate) fn keep(value: ValueRef<'_>) -> KeyValue {
    match value {
        ValueRef::Null => KeyValue::Null,
        ValueRef::Integer(number) => KeyValue::Integer(number),
        ValueRef::Real(number) => KeyValue::Real(number),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => KeyValue::Text(text.to_owned()),
            Err(_) => KeyValue::BrokenText(bytes.to_vec()),
        },
        ValueRef::Blob(bytes) => KeyValue::Blob(bytes.to_vec()),
    }
}

pub(crate) fn time_text(time: jiff::civil::Time, digits: u8) -> String {
    let mut text = format!(
        "{:02}:{:02}:{:02}",
        time.hour(),
        time.minute(),
        time.second()
    );
    if digits > 0 {
        let nine = format!("{:09}", time.subsec_nanosecond());
        text.push('.');
        text.push_str(nine.get(..usize::from(digits)).unwrap_or(&nine));
    }
    text
}

fn matches(field: &Field, table: &str, how: Match, text: &str) -> Expr {
    let (function, any_case) = match how {
        Match::Contains { any_case: true } => ("svc_icontains", true),
        Match::Contains { any_case: false } => ("svc_contains", false),
        Match::Starts { any_case: true } => ("svc_istartswith", true),
        Match::Starts { any_case: false } => ("svc_startswith", false),
        Match::Ends { any_case: true } => ("svc_iendswith", true),
        Match::Ends { any_case: false } => ("svc_endswith", false),
        Match::Regex => ("svc_regex", false),
    };
    let needle = if any_case {
        fold(text)
    } else {
        text.to_owned()
    };
    Func::cust(Alias::new(function))
        .arg(column(table, &field.name))
        .arg(needle)
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_written_and_other_values_are_bound() {
        let mut select = sea_query::Query::select();
        select.expr(Expr::val("x LIMIT ?")).limit(26);
        let statement = Statement::select(&select);
        assert_eq!(statement.sql, "SELECT ? LIMIT 26");
        assert_eq!(statement.values.len(), 1);
        let statement = Statement::select(select.offset(50));
        assert_eq!(statement.sql, "SELECT ? LIMIT 26 OFFSET ?");
        assert_eq!(statement.values.len(), 2);
        select.reset_limit().reset_offset();
        assert_eq!(Statement::select(&select).sql, "SELECT ?");
    }
}
