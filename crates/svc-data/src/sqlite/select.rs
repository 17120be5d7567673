//! A plan of a list, and the key of a record, as SQL for SQLite.

use jiff::Timestamp;
use rusqlite::types::{ToSqlOutput, Value as SqliteValue, ValueRef};
use sea_query::{
    Alias, Expr, ExprTrait, Func, Query, SelectStatement, SqliteQueryBuilder, Value, Values,
};

use super::{
    functions::{canonical_json, fold},
    temporal::{self, Stored},
};
use crate::{
    Error, Field, Model,
    cursor::KeyValue,
    plan::{Comparison, Match},
    query::{Dialect, any_of, column, name},
    scalar::{Kind, Scalar},
    structure::Storage,
};

/// From how many values on a list travels as one JSON array.
const LIST_AS_JSON: usize = 16;
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
        Self::from(select.build(SqliteQueryBuilder))
    }
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
        Scalar::Float(number) => (*number).into(),
        Scalar::Bytes(bytes) => Value::Bytes(Some(bytes.clone())),
        Scalar::Decimal(text) | Scalar::Json(text) | Scalar::Text(text) | Scalar::Uuid(text, _) => {
            text.clone().into()
        }
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
        KeyValue::Real(number) => (*number).into(),
        KeyValue::Text(text) => text.clone().into(),
        KeyValue::Blob(bytes) => Value::Bytes(Some(bytes.clone())),
    })
}

/// A stored value, copied out of its row. A text that is no UTF-8 stays what it is only as bytes, which
/// order behind every text; such a row ends a page by its number instead.
pub(crate) fn keep(value: ValueRef<'_>) -> Option<KeyValue> {
    Some(match value {
        ValueRef::Null => KeyValue::Null,
        ValueRef::Integer(number) => KeyValue::Integer(number),
        ValueRef::Real(number) => KeyValue::Real(number),
        ValueRef::Text(text) => KeyValue::Text(std::str::from_utf8(text).ok()?.to_owned()),
        ValueRef::Blob(bytes) => KeyValue::Blob(bytes.to_vec()),
    })
}

/// A column as it takes part in comparisons, and the values that a scalar may be stored as.
struct Side {
    column: Expr,
    /// Equal to any of these means equal.
    values: Vec<Value>,
}

fn side(field: &Field, table: &str, scalar: &Scalar) -> Result<Side, Error> {
    let plain = || column(table, &field.name);
    let with = |function: &'static str| Expr::from(Func::cust(Alias::new(function)).arg(plain()));
    let uniform = match field.storage {
        Storage::Temporal {
            form,
            uniform: true,
        } => Some(form),
        _ => None,
    };
    let (column, values): (Expr, Vec<Value>) = match scalar {
        Scalar::Null => (plain(), vec![Value::String(None)]),
        Scalar::Integer(number) => (plain(), vec![(*number).into()]),
        Scalar::Float(number) => (plain(), vec![(*number).into()]),
        Scalar::Decimal(digits) => (plain(), vec![number(digits)?]),
        Scalar::Boolean(truth) => (plain(), vec![i64::from(*truth).into()]),
        Scalar::Date(date) if uniform.is_some() => (plain(), vec![date.to_string().into()]),
        Scalar::Date(date) => (with("svc_date"), vec![date.to_string().into()]),
        Scalar::Time(time, digits) => {
            let full = time_text(*time, *digits);
            let mut values = vec![Value::from(full.clone())];
            if let Some(short) = full.strip_suffix(":00") {
                values.push(short.into());
            }
            (plain(), values)
        }
        Scalar::DateTime(timestamp, _) => match uniform.and_then(|form| stored(*timestamp, form)) {
            Some(value) => (plain(), vec![value]),
            None => (with("svc_instant"), vec![timestamp.as_microsecond().into()]),
        },
        Scalar::Json(text) => (with("svc_json"), vec![canonical_json(text).into()]),
        Scalar::Bytes(bytes) => (plain(), vec![Value::Bytes(Some(bytes.clone()))]),
        Scalar::Uuid(_, bytes) if field.storage == Storage::UuidBytes => {
            (plain(), vec![Value::Bytes(Some(bytes.to_vec()))])
        }
        Scalar::Uuid(text, _) => {
            // As text it may be stored in any of the forms that UUIDs have.
            let bare = text.replace('-', "");
            let mut hyphens = bare.clone();
            for at in [20, 16, 12, 8] {
                hyphens.insert(at, '-');
            }
            let mut values = vec![Value::from(text.clone())];
            for form in [&hyphens, &bare] {
                for other in [form.to_ascii_lowercase(), form.to_ascii_uppercase()] {
                    if !values.contains(&Value::from(other.clone())) {
                        values.push(other.into());
                    }
                }
            }
            (plain(), values)
        }
        Scalar::Text(text) if field.kind == Kind::Any => {
            let mut values = vec![Value::from(text.clone())];
            if let Ok(number) = text.parse::<i64>() {
                values.push(number.into());
            } else if let Some(number) = text.parse::<f64>().ok().filter(|n| n.is_finite()) {
                values.push(number.into());
            }
            (plain(), values)
        }
        Scalar::Text(text) => (plain(), vec![text.clone().into()]),
    };
    Ok(Side { column, values })
}

/// The form in which a point in time compares with the stored ones; none when it is too fine for it.
fn stored(timestamp: Timestamp, form: crate::structure::TemporalForm) -> Option<Value> {
    if !temporal::holds_exactly(timestamp, form) {
        return None;
    }
    temporal::store(timestamp, 0, form).map(|stored| match stored {
        Stored::Text(text) => text.into(),
        Stored::Integer(number) => number.into(),
    })
}

/// A decimal as the number that SQLite compares with.
fn number(digits: &str) -> Result<Value, Error> {
    if let Ok(number) = digits.parse::<i64>() {
        return Ok(number.into());
    }
    digits
        .parse::<f64>()
        .map(Value::from)
        .map_err(|error| Error::internal("a decimal is no number").with_source(error))
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

fn compare(
    field: &Field,
    table: &str,
    comparison: Comparison,
    scalar: &Scalar,
) -> Result<Expr, Error> {
    let Side { column, mut values } = side(field, table, scalar)?;
    if matches!(comparison, Comparison::Equal | Comparison::Unequal) && values.len() > 1 {
        let found = column.is_in(values);
        return Ok(match comparison {
            Comparison::Equal => found,
            _ => found.not(),
        });
    }
    // Of several, the last is the number and the first the text; a number orders as a number.
    let value = match (field.kind, values.len()) {
        (Kind::Any, 2..) => values.pop(),
        _ => values.drain(..).next(),
    };
    let value = Expr::val(value.ok_or_else(|| Error::internal("a comparison has no value"))?);
    Ok(match comparison {
        Comparison::Equal => column.eq(value),
        Comparison::Unequal => column.ne(value),
        Comparison::Greater => column.gt(value),
        Comparison::GreaterOrEqual => column.gte(value),
        Comparison::Less => column.lt(value),
        Comparison::LessOrEqual => column.lte(value),
    })
}

fn is_in(field: &Field, table: &str, scalars: &[Scalar]) -> Result<Expr, Error> {
    let mut columns: Vec<(Expr, Vec<Value>)> = Vec::new();
    for scalar in scalars {
        let Side { column, values } = side(field, table, scalar)?;
        match columns.iter_mut().find(|(known, _)| *known == column) {
            Some((_, list)) => list.extend(values),
            None => columns.push((column, values)),
        }
    }
    Ok(any_of(
        columns
            .into_iter()
            .map(|(column, values)| in_list(column, values))
            .collect(),
    ))
}

fn in_list(column: Expr, values: Vec<Value>) -> Expr {
    if values.len() <= LIST_AS_JSON {
        return column.is_in(values);
    }
    match json_array(&values) {
        Some(json) => {
            let mut list = Query::select();
            list.column((name("list"), name("value")))
                .from_function(Func::cust(Alias::new("json_each")).arg(json), name("list"));
            column.in_subquery(list)
        }
        None => column.is_in(values),
    }
}

/// The values as one JSON array; none when one of them has no JSON form.
fn json_array(values: &[Value]) -> Option<String> {
    let mut json = String::from("[");
    for (position, value) in values.iter().enumerate() {
        if position > 0 {
            json.push(',');
        }
        match value {
            Value::BigInt(Some(number)) => json.push_str(&number.to_string()),
            Value::Double(Some(number)) => json.push_str(&format!("{number:?}")),
            // json_each ends a text at NUL.
            Value::String(Some(text)) if !text.contains('\0') => {
                json.push_str(&serde_json::to_string(text).ok()?);
            }
            _ => return None,
        }
    }
    json.push(']');
    Some(json)
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
