//! The types of MySQL and MariaDB: what clients are told of them, and how their values are read and bound.

use sea_query::{Alias, Expr, ExprTrait as _, Func};
use svc_model::resources::FieldType;

use crate::{Field, query::column, structure::Storage, value::Kind};

/// What sort of type a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// `tinyint(1)`
    Boolean,
    /// `bit(1)`
    Bit,
    /// `bit(n)` of more than one bit, and how many those are.
    Bits(u8),
    Integer {
        bits: u8,
        unsigned: bool,
    },
    Float,
    Double,
    Decimal,
    Date,
    Time,
    /// `datetime`, read as UTC, and `timestamp`.
    DateTime,
    Json,
    /// The JSON of MariaDB: text that a rule keeps valid.
    JsonText,
    /// `uuid` of MariaDB.
    Uuid,
    Bytes,
    Text,
    /// `char(n)`
    FixedText,
    Enum,
    Set,
    Geometry,
    /// Any other type, shown as its text.
    Other,
}

impl Type {
    /// The sort of a type by its name and how a column declares it.
    pub(super) fn of(name: &str, declared: &str) -> Self {
        let unsigned = declared.contains("unsigned");
        let integer = |bits| Self::Integer { bits, unsigned };
        match name {
            "tinyint" if declared.starts_with("tinyint(1)") => Self::Boolean,
            "tinyint" => integer(8),
            "smallint" | "year" => integer(16),
            "mediumint" => integer(24),
            "int" => integer(32),
            "bigint" => integer(64),
            "bit" if declared == "bit(1)" => Self::Bit,
            "bit" => Self::Bits(bits(declared)),
            "float" => Self::Float,
            "double" => Self::Double,
            "decimal" => Self::Decimal,
            "date" => Self::Date,
            "time" => Self::Time,
            "datetime" | "timestamp" => Self::DateTime,
            "json" => Self::Json,
            "uuid" => Self::Uuid,
            "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => Self::Bytes,
            "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => Self::Text,
            "set" => Self::Set,
            "char" => Self::FixedText,
            "enum" => Self::Enum,
            "geometry" | "point" | "linestring" | "polygon" | "multipoint" | "multilinestring"
            | "multipolygon" | "geometrycollection" | "geomcollection" => Self::Geometry,
            _ => Self::Other,
        }
    }

    /// Whether two values may be shown alike: blanks and order of keys, the JSON `null` beside NULL, and the
    /// reference system of shapes are not shown.
    pub(super) fn holds_more_than_it_shows(self) -> bool {
        matches!(self, Self::Json | Self::JsonText | Self::Geometry)
    }

    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Boolean | Self::Bit => Kind::Boolean,
            Self::Integer { .. } => Kind::Integer,
            Self::Float | Self::Double => Kind::Float,
            Self::Decimal => Kind::Decimal,
            Self::Date => Kind::Date,
            Self::Time => Kind::Time,
            Self::DateTime => Kind::DateTime,
            Self::Json | Self::JsonText => Kind::Json,
            Self::Uuid => Kind::Uuid,
            Self::Bytes | Self::Bits(_) => Kind::Binary,
            Self::Text | Self::FixedText | Self::Enum | Self::Set => Kind::Text,
            Self::Geometry | Self::Other => Kind::Any,
        }
    }

    pub(super) fn field_type(self, max_length: Option<u32>) -> FieldType {
        match self {
            Self::Boolean | Self::Bit => FieldType::BooleanField,
            Self::Integer { .. } => FieldType::IntegerField,
            Self::Float | Self::Double => FieldType::FloatField,
            Self::Decimal => FieldType::DecimalField,
            Self::Date => FieldType::DateField,
            Self::Time => FieldType::TimeField,
            Self::DateTime => FieldType::DateTimeField,
            Self::Json | Self::JsonText => FieldType::JsonField,
            Self::Uuid => FieldType::UuidField,
            Self::Bytes | Self::Bits(_) => FieldType::BinaryField,
            Self::Text if max_length.is_some() => FieldType::CharField,
            Self::FixedText => FieldType::FixedCharField,
            Self::Enum => FieldType::SelectField,
            Self::Geometry => FieldType::GeometryField,
            Self::Text | Self::Set | Self::Other => FieldType::TextField,
        }
    }

    /// The smallest and the largest of the whole numbers that it holds.
    pub(crate) fn integers(self) -> Option<(i128, i128)> {
        match self {
            Self::Integer {
                bits,
                unsigned: true,
            } => Some((0, (1_i128 << bits) - 1)),
            Self::Integer { bits, .. } => {
                let half = 1_i128 << (bits - 1);
                Some((-half, half - 1))
            }
            _ => None,
        }
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
    match field.storage {
        Storage::Mysql(known) => known,
        _ => Type::Other,
    }
}

/// A column in the form in which it is read out of a row.
pub(super) fn read(table: &str, field: &Field) -> Expr {
    let plain = column(table, &field.name);
    match type_of(field) {
        Type::Bit => plain.add(Expr::cust("0")),
        Type::Geometry => call("ST_AsText").arg(plain).into(),
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
        _ => column(table, &field.name),
    }
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

/// A call of a function.
pub(super) fn call(function: &'static str) -> sea_query::FunctionCall {
    Func::cust(Alias::new(function))
}
