//! The types of PostgreSQL: what clients are told of them, how their values are read, and as what values are
//! bound.

use sea_query::{Alias, Expr, ExprTrait, Func};
use svc_model::resources::FieldType;

use crate::{Field, query::column, scalar::Kind, structure::Storage};

/// What sort of type a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Smallint,
    Integer,
    Bigint,
    Real,
    Double,
    Numeric,
    Boolean,
    Date,
    Time,
    /// Without a time zone, read as UTC.
    Timestamp,
    TimestampTz,
    Json,
    Jsonb,
    Uuid,
    Bytes,
    Text,
    /// `character(n)`
    FixedText,
    /// `citext`
    AnyCaseText,
    Enum,
    Array,
    Interval,
    /// `geometry` and `geography` of PostGIS.
    Geometry,
    /// A type that has an order, shown as its text.
    Ordered,
    /// A type that has no order, shown as its text.
    Opaque,
}

impl Type {
    /// The sort of a type by its name and what `pg_type` says of it.
    pub(super) fn of(name: &str, typtype: &str, category: &str, has_order: bool) -> Self {
        match (name, typtype) {
            (_, "e") => Self::Enum,
            _ if category == "A" => Self::Array,
            ("int2", _) => Self::Smallint,
            ("int4", _) => Self::Integer,
            ("int8", _) => Self::Bigint,
            ("float4", _) => Self::Real,
            ("float8", _) => Self::Double,
            ("numeric", _) => Self::Numeric,
            ("bool", _) => Self::Boolean,
            ("date", _) => Self::Date,
            ("time", _) => Self::Time,
            ("timestamp", _) => Self::Timestamp,
            ("timestamptz", _) => Self::TimestampTz,
            ("json", _) => Self::Json,
            ("jsonb", _) => Self::Jsonb,
            ("uuid", _) => Self::Uuid,
            ("bytea", _) => Self::Bytes,
            ("text" | "varchar", _) => Self::Text,
            ("bpchar", _) => Self::FixedText,
            ("citext", _) => Self::AnyCaseText,
            ("interval", _) => Self::Interval,
            ("geometry" | "geography", _) => Self::Geometry,
            _ if has_order => Self::Ordered,
            _ => Self::Opaque,
        }
    }

    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Smallint | Self::Integer | Self::Bigint => Kind::Integer,
            Self::Real | Self::Double => Kind::Float,
            Self::Numeric => Kind::Decimal,
            Self::Boolean => Kind::Boolean,
            Self::Date => Kind::Date,
            Self::Time => Kind::Time,
            Self::Timestamp | Self::TimestampTz => Kind::DateTime,
            Self::Json | Self::Jsonb | Self::Array => Kind::Json,
            Self::Uuid => Kind::Uuid,
            Self::Bytes => Kind::Binary,
            Self::Text | Self::FixedText | Self::AnyCaseText | Self::Enum => Kind::Text,
            Self::Interval | Self::Geometry | Self::Ordered | Self::Opaque => Kind::Any,
        }
    }

    pub(super) fn field_type(self, max_length: Option<u32>) -> FieldType {
        match self {
            Self::Smallint | Self::Integer | Self::Bigint => FieldType::IntegerField,
            Self::Real | Self::Double => FieldType::FloatField,
            Self::Numeric => FieldType::DecimalField,
            Self::Boolean => FieldType::BooleanField,
            Self::Date => FieldType::DateField,
            Self::Time => FieldType::TimeField,
            Self::Timestamp | Self::TimestampTz => FieldType::DateTimeField,
            Self::Json | Self::Jsonb => FieldType::JsonField,
            Self::Array => FieldType::ArrayField,
            Self::Uuid => FieldType::UuidField,
            Self::Bytes => FieldType::BinaryField,
            Self::Text if max_length.is_some() => FieldType::CharField,
            Self::FixedText => FieldType::FixedCharField,
            Self::Enum => FieldType::SelectField,
            Self::Geometry => FieldType::GeometryField,
            Self::Text | Self::AnyCaseText | Self::Interval | Self::Ordered | Self::Opaque => {
                FieldType::TextField
            }
        }
    }

    /// The smallest and the largest of the whole numbers that it holds.
    pub(crate) fn integers(self) -> Option<(i64, i64)> {
        match self {
            Self::Smallint => Some((i16::MIN.into(), i16::MAX.into())),
            Self::Integer => Some((i32::MIN.into(), i32::MAX.into())),
            _ => None,
        }
    }
}

/// The type of a field of this engine.
pub(super) fn type_of(field: &Field) -> Type {
    match field.storage {
        Storage::Postgres(known) => known,
        _ => Type::Opaque,
    }
}

/// The type that values are bound as, so that they compare with the column and an index serves.
pub(super) fn bound_as(field: &Field) -> &str {
    match type_of(field) {
        Type::Smallint | Type::Integer | Type::Bigint => "int8",
        Type::Real => "float4",
        Type::Double => "float8",
        Type::Numeric => "numeric",
        Type::Boolean => "bool",
        Type::Date => "date",
        Type::Time => "time",
        Type::Timestamp => "timestamp",
        Type::TimestampTz => "timestamptz",
        Type::Json | Type::Jsonb | Type::Array => "jsonb",
        Type::Uuid => "uuid",
        Type::Bytes => "bytea",
        Type::Text | Type::Opaque | Type::Geometry => "text",
        Type::FixedText => "bpchar",
        Type::Interval => "interval",
        Type::AnyCaseText | Type::Enum | Type::Ordered => &field.db_type,
    }
}

/// A column in the form in which it is read out of a row.
pub(super) fn read(table: &str, field: &Field) -> Expr {
    let plain = column(table, &field.name);
    match type_of(field) {
        Type::Ordered if field.db_type == "inet" => shown(plain),
        Type::AnyCaseText | Type::Enum | Type::Interval | Type::Ordered | Type::Opaque => {
            plain.cast_as("text")
        }
        Type::Array => Func::cust(Alias::new("to_json")).arg(plain).into(),
        Type::Geometry => Func::cust(Alias::new(postgis(field, "st_astext")))
            .arg(plain)
            .into(),
        _ => plain,
    }
}

/// A value as PostgreSQL shows it. A cast to text would add to an address that it is that of one host.
fn shown(value: Expr) -> Expr {
    Expr::cust_with_exprs(
        "CASE WHEN $1 IS NOT NULL THEN format('%s', $2) END",
        [value.clone(), value],
    )
}

/// A column in the form in which it compares with what is [bound](bound_as) and in which rows are ordered by it.
pub(super) fn comparable(table: &str, field: &Field) -> Expr {
    let plain = column(table, &field.name);
    match type_of(field) {
        Type::Json => plain.cast_as("jsonb"),
        Type::Array => Func::cust(Alias::new("to_jsonb")).arg(plain).into(),
        Type::Opaque | Type::Geometry => plain.cast_as("text"),
        _ => plain,
    }
}

/// A column as text.
pub(super) fn text(table: &str, field: &Field) -> Expr {
    let plain = column(table, &field.name);
    match type_of(field) {
        Type::Text => plain,
        Type::Ordered if field.db_type == "inet" => shown(plain),
        Type::Array | Type::Geometry => read(table, field).cast_as("text"),
        _ => plain.cast_as("text"),
    }
}

/// A `geometry` or `geography` as a `geometry`.
pub(super) fn as_geometry(field: &Field, value: Expr) -> Expr {
    value.cast_as(postgis(field, "geometry"))
}

/// A function of PostGIS, which lies in the schema of its types.
pub(super) fn postgis(field: &Field, function: &str) -> String {
    let schema = field
        .db_type
        .rfind(".geo")
        .and_then(|end| field.db_type.get(..=end));
    format!("{}{function}", schema.unwrap_or_default())
}
