//! The types of MySQL and MariaDB: what clients are told of them, and how their values are read and bound.

use sea_query::{Alias, Expr, ExprTrait as _, Func};
use svc_model::resources::FieldType;

use crate::{Field, query::column, scalar::Kind, structure::Storage};

/// What sort of type a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// `tinyint(1)`
    Boolean,
    /// `bit(1)`
    Bit,
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
            "float" => Self::Float,
            "double" => Self::Double,
            "decimal" => Self::Decimal,
            "date" => Self::Date,
            "time" => Self::Time,
            "datetime" | "timestamp" => Self::DateTime,
            "json" => Self::Json,
            "uuid" => Self::Uuid,
            "bit" | "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => {
                Self::Bytes
            }
            "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" | "set" => Self::Text,
            "char" => Self::FixedText,
            "enum" => Self::Enum,
            "geometry" | "point" | "linestring" | "polygon" | "multipoint" | "multilinestring"
            | "multipolygon" | "geometrycollection" | "geomcollection" => Self::Geometry,
            _ => Self::Other,
        }
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
            Self::Bytes => Kind::Binary,
            Self::Text | Self::FixedText | Self::Enum => Kind::Text,
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
            Self::Bytes => FieldType::BinaryField,
            Self::Text if max_length.is_some() => FieldType::CharField,
            Self::FixedText => FieldType::FixedCharField,
            Self::Enum => FieldType::SelectField,
            Self::Geometry => FieldType::GeometryField,
            Self::Text | Self::Other => FieldType::TextField,
        }
    }

    /// The smallest and the largest of the whole numbers that it holds.
    pub(crate) fn integers(self) -> Option<(i64, i64)> {
        match self {
            Self::Integer { bits: 64, unsigned } => unsigned.then_some((0, i64::MAX)),
            Self::Integer {
                bits,
                unsigned: true,
            } => Some((0, (1_i64 << bits) - 1)),
            Self::Integer { bits, .. } => {
                let half = 1_i64 << (bits - 1);
                Some((-half, half - 1))
            }
            _ => None,
        }
    }
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

/// A column as text of one character set, whatever its own is.
pub(super) fn text(table: &str, field: &Field) -> Expr {
    let plain = read(table, field);
    Expr::cust_with_exprs("CONVERT(? USING utf8mb4)", [plain])
}

/// A call of a function.
pub(super) fn call(function: &'static str) -> sea_query::FunctionCall {
    Func::cust(Alias::new(function))
}
