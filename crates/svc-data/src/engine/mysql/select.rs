//! Plans as SQL for MySQL and MariaDB, and values as they are bound.

use mysql_async::{Params, Value as SqlValue};
use sea_query::{BinOper, Expr, ExprTrait, MysqlQueryBuilder, QueryBuilder, Value};

use super::{
    place,
    types::{self, Type, type_of},
    value::number_of_bits,
};
use crate::{
    Error, Field, Result,
    engine::statement::Bound,
    plan::{Comparison, Match, Place},
    query::{
        Dialect, any_of, call, column, compared,
        cursor::{Key, KeyValue},
        like_pattern,
    },
    record::excerpt::Excerpted,
    value::Scalar,
};

/// The most digits after the seconds that are kept.
pub(super) const MAX_FRACTION: u8 = 6;
/// The most digits after the point of a decimal.
const MAX_SCALE: usize = 30;
/// How many values a statement binds at most.
pub(super) const MAX_BOUND: usize = 65_535;

pub(super) type Statement = crate::engine::statement::Statement<SqlValue>;

impl Statement {
    pub(super) fn params(&self) -> Params {
        match self.values.is_empty() {
            true => Params::Empty,
            false => Params::Positional(self.values.clone()),
        }
    }
}

/// A name as an identifier of MySQL.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

impl Bound for SqlValue {
    fn of(value: Value) -> Self {
        match value {
            Value::Bool(Some(truth)) => Self::Int(i64::from(truth)),
            Value::BigInt(Some(number)) => Self::Int(number),
            Value::Int(Some(number)) => Self::Int(number.into()),
            Value::BigUnsigned(Some(number)) => Self::UInt(number),
            Value::Double(Some(number)) => Self::Double(number),
            Value::String(Some(text)) => Self::Bytes(text.into_bytes()),
            Value::Bytes(Some(bytes)) => Self::Bytes(bytes),
            // Nothing else is put into statements.
            _ => Self::NULL,
        }
    }

    fn builder() -> impl QueryBuilder {
        MysqlQueryBuilder
    }
}

/// How MySQL and MariaDB say what engines say in their own ways.
pub(crate) struct MysqlDialect;

impl Dialect for MysqlDialect {
    fn read(&self, table: &str, field: &Field) -> Expr {
        types::read(table, field)
    }

    fn order_value(&self, table: &str, key: &Key, field: Option<&Field>) -> Expr {
        match field {
            Some(field) => types::comparable(table, field),
            None => column(table, &key.column),
        }
    }

    fn read_key(&self, table: &str, _: &Key, field: Option<&Field>) -> Option<Expr> {
        let field = field?;
        match type_of(field) {
            Type::Enum | Type::Set => Some(column(table, &field.name).cast_as("UNSIGNED")),
            _ => None,
        }
    }

    fn bind_key(&self, field: Option<&Field>, value: &KeyValue) -> Result<Expr> {
        let sort = field.map_or(Type::Ordered, type_of);
        let digits = match value {
            KeyValue::Text(text) => scale(text),
            _ => 0,
        };
        Ok(cast(sort, digits, value.to_value()))
    }

    fn compare(
        &self,
        table: &str,
        field: &Field,
        comparison: Comparison,
        value: &Scalar,
    ) -> Result<Expr> {
        let is_equality = matches!(comparison, Comparison::Equal | Comparison::Unequal);
        if is_equality && type_of(field) == Type::JsonText {
            let here = column(table, &field.name);
            let there = bind(field, value);
            let same = Expr::from(call("JSON_EQUALS").arg(here).arg(there)).eq(Expr::cust("1"));
            return Ok(match comparison {
                Comparison::Equal => same,
                _ => same.not(),
            });
        }
        if let Scalar::Text(text) = value
            && let Type::Enum | Type::Set = type_of(field)
            && types::number_of(field, text).is_none()
        {
            return match is_equality {
                // The words may be equal in the collation of the column.
                true => {
                    let here = Expr::cust_with_exprs(
                        "CONVERT(? USING utf8mb4)",
                        [column(table, &field.name)],
                    );
                    Ok(compared(here, comparison, Expr::val(text.as_str())))
                }
                false => Err(Error::invalid_field(
                    &field.name,
                    "must be one of the values that the column is declared with",
                )),
            };
        }
        if let Scalar::Text(text) = value
            && types::number_of(field, text).is_none()
            && let Some((set, collation)) = &field.detail.collation
            && !converts_by_itself(set, text)
        {
            return Ok(compare_converted(
                table, field, comparison, text, set, collation,
            ));
        }
        Ok(compared(
            types::comparable(table, field),
            comparison,
            bind(field, value),
        ))
    }

    fn is_in(&self, table: &str, field: &Field, values: &[Scalar]) -> Result<Expr> {
        let is_plain = |value: &Scalar| match (type_of(field), value) {
            (Type::JsonText, _) => false,
            (Type::Enum | Type::Set, Scalar::Text(text)) => types::number_of(field, text).is_some(),
            (_, Scalar::Text(text)) => match &field.detail.collation {
                Some((set, _)) => converts_by_itself(set, text),
                None => true,
            },
            _ => true,
        };
        let (plain, others): (Vec<&Scalar>, Vec<&Scalar>) =
            values.iter().partition(|value| is_plain(value));
        let mut tests = Vec::with_capacity(others.len() + 1);
        if !plain.is_empty() || others.is_empty() {
            let values = plain.into_iter().map(|value| bind(field, value));
            tests.push(types::comparable(table, field).is_in(values));
        }
        for value in others {
            tests.push(self.compare(table, field, Comparison::Equal, value)?);
        }
        Ok(any_of(tests))
    }

    fn joins(&self, here: (&str, &Field), there: (&str, &Field)) -> Expr {
        let plain = |(table, field): (&str, &Field)| column(table, &field.name);
        match (&here.1.detail.collation, &there.1.detail.collation) {
            // Neither of two collations comes before the other, so that the server would refuse to choose.
            (Some(one), Some((set, collation))) if one.1 != *collation => {
                plain(there).eq(collated(plain(here), set, collation))
            }
            _ => plain(there).eq(plain(here)),
        }
    }

    fn matches(&self, table: &str, field: &Field, how: Match, text: &str) -> Result<Expr> {
        Ok(matched(types::text(table, field), how, text))
    }

    fn place(&self, table: &str, field: &Field, place: &Place) -> Result<Expr> {
        Ok(place::tested(table, field, place, matched))
    }

    fn text(&self, table: &str, field: &Field) -> Expr {
        types::text(table, field)
    }

    fn excerpt(&self, table: &str, field: &Field, most: u32) -> Excerpted {
        types::excerpt(table, field, most)
    }

    fn size(&self, table: &str, field: &Field) -> Option<Expr> {
        let is_long = matches!(
            type_of(field),
            Type::Bytes
                | Type::Text
                | Type::FixedText
                | Type::Jsonb
                | Type::JsonText
                | Type::Geometry
        );
        let size = || call("OCTET_LENGTH").arg(types::read(table, field)).into();
        is_long.then(size)
    }
}

/// Whether a text matches.
fn matched(here: Expr, how: Match, text: &str) -> Expr {
    let exact = |text: Expr| Expr::cust_with_exprs("? COLLATE utf8mb4_bin", [text]);
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
    exact(here).binary(BinOper::Custom(operator), pattern)
}

/// Whether the server compares a text with a column of a character set without being asked to convert it.
fn converts_by_itself(set: &str, text: &str) -> bool {
    text.is_ascii() || matches!(set, "utf8mb4" | "utf16" | "utf16le" | "utf32" | "binary")
}

/// A value in the character set and the collation of a column. What the set does not have becomes `?`.
fn collated(value: Expr, set: &str, collation: &str) -> Expr {
    // Both are names of the information schema, which are letters, digits and underscores.
    Expr::cust_with_exprs(
        format!("CONVERT(? USING {set}) COLLATE {collation}"),
        [value],
    )
}

/// Compares a column with a text that its character set may not have. Without that the server refuses the
/// statement. A text that the set has compares as in the column's own order, by an index where there is one; of
/// one that it does not have, no value is equal.
fn compare_converted(
    table: &str,
    field: &Field,
    comparison: Comparison,
    text: &str,
    set: &str,
    collation: &str,
) -> Expr {
    let here = || column(table, &field.name);
    let there = || collated(Expr::val(text), set, collation);
    let is_in_set = || {
        Expr::cust_with_exprs(
            format!("(CONVERT(CONVERT(? USING {set}) USING utf8mb4) COLLATE utf8mb4_bin = ?)"),
            [Expr::val(text), Expr::val(text)],
        )
    };
    match comparison {
        Comparison::Equal | Comparison::Unequal => {
            // NULL where the column is, so that the negation of the test is unknown there too.
            let or_unknown =
                Expr::cust_with_exprs("(? OR (? IS NULL AND NULL))", [is_in_set(), here()]);
            let same = here().eq(there()).and(or_unknown);
            match comparison {
                Comparison::Equal => same,
                _ => same.not(),
            }
        }
        _ => {
            let wide = Expr::cust_with_exprs("CONVERT(? USING utf8mb4)", [here()]);
            Expr::cust_with_exprs(
                "IF(?, ?, ?)",
                [
                    is_in_set(),
                    compared(here(), comparison, there()),
                    compared(wide, comparison, Expr::val(text)),
                ],
            )
        }
    }
}

/// How many digits a decimal has after its point.
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
        Type::Timestamp => value.cast_as("DATETIME(6)"),
        Type::Jsonb => value.cast_as("JSON"),
        _ => value,
    }
}

/// A value of a client, bound so that it compares with a field.
fn bind(field: &Field, value: &Scalar) -> Expr {
    let sort = type_of(field);
    match (sort, value) {
        (Type::Enum | Type::Set, Scalar::Text(text)) => match types::number_of(field, text) {
            Some(number) => Expr::val(number),
            None => Expr::val(text.as_str()),
        },
        (Type::Geometry, Scalar::Text(text)) => {
            let (wkt, _) = split_srid(text);
            let shape = call("ST_GeomFromText").arg(Expr::val(wkt));
            call("ST_AsText").arg(shape).into()
        }
        _ => {
            let digits = match value {
                Scalar::Decimal(digits) => scale(digits),
                _ => 0,
            };
            cast(sort, digits, stored(sort, value))
        }
    }
}

/// The WKT of a geometry, and the number of the system that its coordinates are in where `SRID=4326;` says it.
pub(super) fn split_srid(text: &str) -> (&str, Option<u32>) {
    let prefixed = text.split_once(';').and_then(|(prefix, wkt)| {
        let (word, number) = prefix.split_once('=')?;
        let number = number.trim().parse().ok()?;
        word.trim()
            .eq_ignore_ascii_case("srid")
            .then_some((wkt, number))
    });
    match prefixed {
        Some((wkt, number)) => (wkt.trim(), Some(number)),
        None => (text.trim(), None),
    }
}

/// A value in the form in which a column accepts it.
pub(super) fn stored(sort: Type, value: &Scalar) -> Value {
    match value {
        Scalar::Null => Value::String(None),
        Scalar::Boolean(truth) => i64::from(*truth).into(),
        Scalar::Integer(number) => (*number).into(),
        Scalar::Unsigned(number) => (*number).into(),
        // A column of half the digits compares as it was stored.
        Scalar::Float(number) if sort == Type::Real => single(*number).into(),
        Scalar::Float(number) => (*number).into(),
        Scalar::Decimal(text) | Scalar::Json(text) | Scalar::Text(text) | Scalar::Special(text) => {
            text.clone().into()
        }
        Scalar::Uuid(text, _) => text.to_ascii_lowercase().into(),
        Scalar::Bytes(bytes) if matches!(sort, Type::Bits(_)) => match number_of_bits(bytes) {
            Some(number) => number.into(),
            // More than any column has, which is what the server says of it.
            None => Value::Bytes(Some(bytes.clone())),
        },
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
