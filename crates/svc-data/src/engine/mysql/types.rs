//! The types of MySQL and MariaDB: how clients see them, and how their values are read and bound.

use sea_query::{CaseStatement, Expr, ExprTrait as _};

pub(super) use crate::structure::ColumnType as Type;
use crate::{
    Field,
    query::{call, column},
    record::excerpt::Excerpted,
};

/// The type of a column, by its name and how the column declares it.
pub(super) fn type_named(name: &str, declared: &str) -> Type {
    let unsigned = declared.contains("unsigned");
    let integer = |bits| Type::Integer { bits, unsigned };
    match name {
        // It holds every number of 8 bits.
        "tinyint" if declared.starts_with("tinyint(1)") => Type::Boolean,
        "tinyint" => integer(8),
        "smallint" | "year" => integer(16),
        "mediumint" => integer(24),
        "int" => integer(32),
        "bigint" => integer(64),
        "bit" if declared == "bit(1)" => Type::Bit,
        "bit" => Type::Bits(bits(declared)),
        "float" => Type::Real,
        "double" => Type::Double,
        "decimal" => Type::Decimal,
        "date" => Type::Date,
        "time" => Type::Time,
        "datetime" | "timestamp" => Type::Timestamp,
        "json" => Type::Jsonb,
        "uuid" => Type::Uuid,
        "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => Type::Bytes,
        "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => Type::Text,
        "set" => Type::Set,
        "char" => Type::FixedText,
        "enum" => Type::Enum,
        "geometry" | "point" | "linestring" | "polygon" | "multipoint" | "multilinestring"
        | "multipolygon" | "geometrycollection" | "geomcollection" => Type::Geometry,
        _ => Type::Ordered,
    }
}

/// How many bits `bit(n)` has.
fn bits(declared: &str) -> u8 {
    let inside = declared.strip_prefix("bit(");
    let digits = inside.and_then(|inside| inside.strip_suffix(')'));
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(64)
}

/// The type of a field of this engine.
pub(super) fn type_of(field: &Field) -> Type {
    field.column_type().unwrap_or(Type::Ordered)
}

/// A column in the form in which it is read out of a row.
pub(super) fn read(table: &str, field: &Field) -> Expr {
    let plain = column(table, &field.name);
    match type_of(field) {
        Type::Bit => plain.add(Expr::cust("0")),
        Type::Geometry => call("ST_AsText").arg(plain).into(),
        _ if is_year_of_two_digits(field) => plain.add(Expr::cust("0")),
        _ => plain,
    }
}

/// A column in the form in which rows are ordered and compared by it: what it is
/// [bound](super::select::bind) as.
pub(super) fn comparable(table: &str, field: &Field) -> Expr {
    match type_of(field) {
        // A number compared with a SET is one of floating point, which has fewer digits than a SET has bits.
        Type::Set => column(table, &field.name).cast_as("UNSIGNED"),
        // Their bytes hold more than is shown.
        Type::Geometry => read(table, field),
        _ if is_year_of_two_digits(field) => read(table, field),
        _ => column(table, &field.name),
    }
}

/// Whether the century, by which MariaDB orders the values, is not shown.
fn is_year_of_two_digits(field: &Field) -> bool {
    field.db_type.eq_ignore_ascii_case("year(2)")
}

/// The number by which a value of an enumeration or a SET compares; none where the type has no such value.
pub(super) fn number_of(field: &Field, text: &str) -> Option<u64> {
    let place = |words: &[String], text: &str| words.iter().position(|word| word == text);
    match type_of(field) {
        Type::Enum => match place(&field.options, text) {
            Some(place) => u64::try_from(place + 1).ok(),
            // What was stored of a value that is not among the words.
            None => text.is_empty().then_some(0),
        },
        Type::Set if text.is_empty() => Some(0),
        Type::Set => text.split(',').try_fold(0, |number: u64, word| {
            let place = place(&field.detail.members, word)?;
            Some(number | 1_u64.checked_shl(u32::try_from(place).ok()?)?)
        }),
        _ => None,
    }
}

/// The value of an enumeration or a SET that compares by a number.
pub(super) fn text_of(field: &Field, number: u64) -> Option<String> {
    match type_of(field) {
        Type::Enum => match usize::try_from(number).ok()?.checked_sub(1) {
            Some(place) => field.options.get(place).cloned(),
            None => Some(String::new()),
        },
        Type::Set => {
            let members = field.detail.members.iter().enumerate();
            let inside = members.filter(|(bit, _)| number >> bit & 1 == 1);
            let words: Vec<&str> = inside.map(|(_, word)| word.as_str()).collect();
            Some(words.join(","))
        }
        _ => None,
    }
}

/// A column as text of one character set, whatever its own is.
pub(super) fn text(table: &str, field: &Field) -> Expr {
    let plain = read(table, field);
    Expr::cust_with_exprs("CONVERT(? USING utf8mb4)", [plain])
}

/// How the beginnings of values are read.
pub(super) fn excerpt(table: &str, field: &Field, most: u32) -> Excerpted {
    let value = || read(table, field);
    let number = || Expr::val(i64::from(most));
    let of = |function: &'static str, value: Expr| Expr::from(call(function).arg(value));
    let begin = |value: Expr, length: Expr| Expr::from(call("LEFT").arg(value).arg(length));
    let is_long = |measure| of(measure, value()).gt(number());
    let long = |measure, length: Expr| CaseStatement::new().case(is_long(measure), length);
    match type_of(field) {
        Type::Bytes => {
            let length = long("OCTET_LENGTH", of("OCTET_LENGTH", value()));
            Excerpted::InDatabase(begin(value(), number()), length.into())
        }
        // Text of MariaDB that is too deep for its functions stays as it is.
        Type::JsonText => {
            let compact = || {
                let compact = call("COALESCE").arg(of("JSON_COMPACT", value()));
                Expr::from(compact.arg(value()))
            };
            let shown = long("CHAR_LENGTH", begin(compact(), number())).finally(value());
            let length = long("CHAR_LENGTH", of("CHAR_LENGTH", compact()));
            Excerpted::InDatabase(shown.into(), length.into())
        }
        // Of three characters of MySQL's JSON one is a space at most.
        Type::Jsonb => {
            let enough = Expr::val(i64::from(most) + i64::from(most / 2) + 16);
            let text = call("CONCAT").arg(of("CHAR_LENGTH", value()));
            let text = text.arg(Expr::cust("':'")).arg(begin(value(), enough));
            let whole = call("CONCAT").arg(Expr::cust("':'")).arg(value());
            let measured = long("CHAR_LENGTH", text.into()).finally(Expr::from(whole));
            Excerpted::Measured(measured.into())
        }
        Type::Text | Type::FixedText | Type::Geometry => {
            let length = long("OCTET_LENGTH", of("CHAR_LENGTH", value()));
            Excerpted::InDatabase(begin(value(), number()), length.into())
        }
        _ => Excerpted::Whole(value()),
    }
}
