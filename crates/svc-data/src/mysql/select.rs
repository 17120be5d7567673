//! Plans as SQL for MySQL and MariaDB, and values as they are bound.

use mysql_async::{Params, Value as SqlValue};
use sea_query::{BinOper, Expr, ExprTrait, MysqlQueryBuilder, SelectStatement, Value, Values};

use super::types::{self, Type, call, type_of};
use crate::{
    Error, Field, Model,
    cursor::KeyValue,
    plan::{Comparison, Match},
    query::{Dialect, any_of, column, like_pattern, name},
    scalar::{Kind, Scalar},
};

/// The most digits behind the seconds that are kept.
pub(super) const MAX_FRACTION: u8 = 6;
/// The most digits behind the point of a decimal.
const MAX_SCALE: usize = 30;
/// How many values a statement binds at most.
const MAX_BOUND: usize = 65_535;

/// A statement with the values that it binds.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) sql: String,
    pub(super) values: Vec<SqlValue>,
}

impl Statement {
    pub(super) fn select(select: &SelectStatement) -> Self {
        Self::from(select.build(MysqlQueryBuilder))
    }

    pub(super) fn params(&self) -> Params {
        match self.values.is_empty() {
            true => Params::Empty,
            false => Params::Positional(self.values.clone()),
        }
    }
}

impl From<(String, Values)> for Statement {
    fn from((sql, Values(values)): (String, Values)) -> Self {
        Self {
            sql,
            values: values.into_iter().map(bound).collect(),
        }
    }
}

/// A name as an identifier of MySQL.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// Refuses a statement that binds more than the server takes.
pub(super) fn check_size(statement: Statement) -> Result<Statement, Error> {
    match statement.values.len() > MAX_BOUND {
        true => Err(Error::invalid("the filters hold too many values")),
        false => Ok(statement),
    }
}

fn bound(value: Value) -> SqlValue {
    match value {
        Value::Bool(Some(truth)) => SqlValue::Int(i64::from(truth)),
        Value::BigInt(Some(number)) => SqlValue::Int(number),
        Value::Int(Some(number)) => SqlValue::Int(number.into()),
        Value::BigUnsigned(Some(number)) => SqlValue::UInt(number),
        Value::Double(Some(number)) => SqlValue::Double(number),
        Value::String(Some(text)) => SqlValue::Bytes(text.into_bytes()),
        Value::Bytes(Some(bytes)) => SqlValue::Bytes(bytes),
        // Nothing else is put into statements.
        _ => SqlValue::NULL,
    }
}

/// How MySQL and MariaDB say what engines say in their own ways.
pub(crate) struct MysqlDialect;

impl Dialect for MysqlDialect {
    fn from(&self, select: &mut SelectStatement, model: &Model, alias: &str) {
        match &model.schema {
            Some(schema) => select.from_as((name(schema), name(&model.table)), name(alias)),
            None => select.from_as(name(&model.table), name(alias)),
        };
    }

    fn read(&self, table: &str, field: &Field) -> Expr {
        types::read(table, field)
    }

    fn bind_key(&self, field: Option<&Field>, value: &KeyValue) -> Result<Expr, Error> {
        let sort = field.map_or(Type::Other, type_of);
        let plain: Value = match value {
            KeyValue::Null => Value::String(None),
            KeyValue::Integer(number) => (*number).into(),
            KeyValue::Real(number) => (*number).into(),
            KeyValue::Text(text) => text.clone().into(),
            KeyValue::Blob(bytes) => Value::Bytes(Some(bytes.clone())),
        };
        let digits = match value {
            KeyValue::Text(text) => scale(text),
            _ => 0,
        };
        Ok(cast(sort, digits, plain))
    }

    fn compare(
        &self,
        table: &str,
        field: &Field,
        comparison: Comparison,
        value: &Scalar,
    ) -> Result<Expr, Error> {
        let here = column(table, &field.name);
        let there = bind(field, value);
        if type_of(field) == Type::JsonText
            && matches!(comparison, Comparison::Equal | Comparison::Unequal)
        {
            let same = Expr::from(call("JSON_EQUALS").arg(here).arg(there)).eq(Expr::cust("1"));
            return Ok(match comparison {
                Comparison::Equal => same,
                _ => same.not(),
            });
        }
        Ok(match comparison {
            Comparison::Equal => here.eq(there),
            Comparison::Unequal => here.ne(there),
            Comparison::Greater => here.gt(there),
            Comparison::GreaterOrEqual => here.gte(there),
            Comparison::Less => here.lt(there),
            Comparison::LessOrEqual => here.lte(there),
        })
    }

    fn is_in(&self, table: &str, field: &Field, values: &[Scalar]) -> Result<Expr, Error> {
        if type_of(field) == Type::JsonText {
            let each = values.iter();
            let each = each.map(|value| self.compare(table, field, Comparison::Equal, value));
            return Ok(any_of(each.collect::<Result<_, _>>()?));
        }
        let values = values.iter().map(|value| bind(field, value));
        Ok(column(table, &field.name).is_in(values))
    }

    fn matches(&self, table: &str, field: &Field, how: Match, text: &str) -> Result<Expr, Error> {
        let exact = |text: Expr| Expr::cust_with_exprs("? COLLATE utf8mb4_bin", [text]);
        let here = types::text(table, field);
        let (operator, any_case, pattern) = match like_pattern(how, text) {
            None => ("REGEXP", false, text.to_owned()),
            Some((pattern, any_case)) => ("LIKE", any_case, pattern),
        };
        let pattern = Expr::cust_with_exprs("CONVERT(? USING utf8mb4)", [Expr::val(pattern)]);
        let (here, pattern) = match any_case {
            true => (
                call("LOWER").arg(here).into(),
                call("LOWER").arg(pattern).into(),
            ),
            false => (here, pattern),
        };
        Ok(exact(here).binary(BinOper::Custom(operator), pattern))
    }

    fn is_empty(&self, table: &str, field: &Field) -> Expr {
        let is_null = column(table, &field.name).is_null();
        match field.kind {
            Kind::Text | Kind::Any => is_null.or(types::text(table, field).eq("")),
            Kind::Json => is_null.or(types::text(table, field).eq("\"\"")),
            _ => is_null,
        }
    }
}

/// How many digits a decimal has behind its point.
fn scale(digits: &str) -> usize {
    digits
        .split_once('.')
        .map_or(0, |(_, fraction)| fraction.len())
}

/// A value as the type that it is compared as; a text would be compared with a number in floating point.
fn cast(sort: Type, digits: usize, value: Value) -> Expr {
    let value = Expr::val(value);
    match sort {
        Type::Decimal => value.cast_as(format!("DECIMAL(65,{})", digits.min(MAX_SCALE))),
        Type::Date => value.cast_as("DATE"),
        Type::Time => value.cast_as("TIME(6)"),
        Type::DateTime => value.cast_as("DATETIME(6)"),
        Type::Json => value.cast_as("JSON"),
        _ => value,
    }
}

/// A value of a client, bound so that it compares with a field.
fn bind(field: &Field, value: &Scalar) -> Expr {
    let sort = type_of(field);
    let digits = match value {
        Scalar::Decimal(digits) => scale(digits),
        _ => 0,
    };
    cast(sort, digits, stored(sort, value))
}

/// A value in the form in which a column takes it.
pub(super) fn stored(sort: Type, value: &Scalar) -> Value {
    match value {
        Scalar::Null => Value::String(None),
        Scalar::Boolean(truth) => i64::from(*truth).into(),
        Scalar::Integer(number) => (*number).into(),
        // A column of half the digits compares as it was stored.
        Scalar::Float(number) if sort == Type::Float => single(*number).into(),
        Scalar::Float(number) => (*number).into(),
        Scalar::Decimal(text) | Scalar::Json(text) | Scalar::Text(text) => text.clone().into(),
        Scalar::Uuid(text, _) => text.to_ascii_lowercase().into(),
        Scalar::Bytes(bytes) => Value::Bytes(Some(bytes.clone())),
        Scalar::Date(date) => date.to_string().into(),
        Scalar::Time(time, _) => time.to_string().into(),
        Scalar::DateTime(timestamp, _) => {
            let civil = jiff::tz::TimeZone::UTC.to_datetime(*timestamp);
            civil.to_string().replace('T', " ").into()
        }
    }
}

/// A number with the digits that a column of single precision keeps.
fn single(number: f64) -> f64 {
    // The shortest text of the nearest single reads back as that single.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "that is what the column does"
    )]
    let single = number as f32;
    f64::from(single)
}
