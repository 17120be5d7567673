//! The types of PostgreSQL: what clients are told of them, how their values are read, and as what values are
//! bound.

use sea_query::{Alias, Expr, ExprTrait, Func};
use svc_model::resources::FieldType;

use crate::{Field, query::column, structure::Storage, value::Kind};

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
    /// An array of elements that have no order.
    UnorderedArray,
    Interval,
    /// `geometry` and `geography` of PostGIS.
    Geometry,
    /// A type that has an order, shown as its text.
    Ordered,
    /// A type that has an order and no `<`, such as `hstore`, shown as its text.
    OrderedByClass,
    /// A type that has no order, shown as its text.
    Opaque,
}

/// What PostgreSQL says of the order of a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    /// Whether there is one.
    pub(super) is_there: bool,
    /// Whether `<` and its like stand for it.
    pub(super) has_operators: bool,
}

impl Order {
    /// That of most types.
    pub(super) const COMMON: Self = Self {
        is_there: true,
        has_operators: true,
    };
}

impl Type {
    /// The sort of a type by its name and what `pg_type` says of it.
    pub(super) fn of(name: &str, typtype: &str, category: &str, order: Order) -> Self {
        match (name, typtype) {
            (_, "e") => Self::Enum,
            // Arrays that are written as a list of numbers.
            ("int2vector" | "oidvector", _) => Self::Opaque,
            _ if category == "A" && order.is_there => Self::Array,
            _ if category == "A" => Self::UnorderedArray,
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
            // A row whose values are all NULL compares, and is NULL for the operators.
            (_, "c") if order.is_there => Self::OrderedByClass,
            _ if order.is_there && order.has_operators => Self::Ordered,
            _ if order.is_there => Self::OrderedByClass,
            _ => Self::Opaque,
        }
    }

    /// Whether two values may be shown alike: bounds of arrays, blanks and order of keys, and the JSON `null` beside
    /// NULL are not shown, nor is the reference system of shapes in columns that declare none.
    pub(super) fn holds_more_than_it_shows(self) -> bool {
        matches!(
            self,
            Self::Json | Self::Jsonb | Self::Array | Self::UnorderedArray | Self::Geometry
        )
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
            Self::Json | Self::Jsonb | Self::Array | Self::UnorderedArray => Kind::Json,
            Self::Uuid => Kind::Uuid,
            Self::Bytes => Kind::Binary,
            Self::Text | Self::FixedText | Self::AnyCaseText | Self::Enum => Kind::Text,
            Self::Interval
            | Self::Geometry
            | Self::Ordered
            | Self::OrderedByClass
            | Self::Opaque => Kind::Any,
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
            Self::Array | Self::UnorderedArray => FieldType::ArrayField,
            Self::Uuid => FieldType::UuidField,
            Self::Bytes => FieldType::BinaryField,
            Self::Text if max_length.is_some() => FieldType::CharField,
            Self::FixedText => FieldType::FixedCharField,
            Self::Enum => FieldType::SelectField,
            Self::Geometry => FieldType::GeometryField,
            Self::Text
            | Self::AnyCaseText
            | Self::Interval
            | Self::Ordered
            | Self::OrderedByClass
            | Self::Opaque => FieldType::TextField,
        }
    }

    /// Whether PostgreSQL has an order for its values.
    pub(crate) fn is_ordered(self) -> bool {
        !matches!(
            self,
            Self::Json | Self::Opaque | Self::UnorderedArray | Self::Geometry
        )
    }

    /// The smallest and the largest of the whole numbers that it holds.
    pub(crate) fn integers(self) -> Option<(i128, i128)> {
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
        Type::Json | Type::Jsonb => "jsonb",
        Type::Uuid => "uuid",
        Type::Bytes => "bytea",
        Type::Text | Type::Opaque | Type::Geometry => "text",
        Type::FixedText => "bpchar",
        Type::Interval => "interval",
        Type::AnyCaseText
        | Type::Enum
        | Type::Ordered
        | Type::OrderedByClass
        | Type::Array
        | Type::UnorderedArray => match field.detail.bound_type.as_str() {
            "" => &field.db_type,
            known => known,
        },
    }
}

/// A column in the form in which it is read out of a row.
pub(super) fn read(table: &str, field: &Field) -> Expr {
    read_of(field, column(table, &field.name))
}

/// A value of a field in the form in which it is read out of a row.
pub(super) fn read_of(field: &Field, plain: Expr) -> Expr {
    match type_of(field) {
        Type::Ordered if is_address(field) => shown(plain),
        Type::AnyCaseText
        | Type::Enum
        | Type::Interval
        | Type::Ordered
        | Type::OrderedByClass
        | Type::Opaque => plain.cast_as("text"),
        Type::Array | Type::UnorderedArray => match field.detail.element.as_deref() {
            None => Func::cust(Alias::new("to_json")).arg(plain).into(),
            Some(element) if is_address(element) => plain.cast_as("text").cast_as("text[]"),
            Some(element) => match type_of(element) {
                Type::AnyCaseText
                | Type::Enum
                | Type::Interval
                | Type::Ordered
                | Type::OrderedByClass
                | Type::Geometry
                | Type::Opaque => plain.cast_as("text[]"),
                _ => plain,
            },
        },
        Type::Geometry => Func::cust(Alias::new(postgis(field, "st_astext")))
            .arg(plain)
            .into(),
        _ => plain,
    }
}

/// Whether the values are addresses, to whose text a cast adds that they are those of one host.
fn is_address(field: &Field) -> bool {
    field.detail.bound_type == "pg_catalog.inet"
        || matches!(field.db_type.as_str(), "inet" | "pg_catalog.inet")
}

/// A value as PostgreSQL shows it. A cast to text would add to an address that it is that of one host.
fn shown(value: Expr) -> Expr {
    Expr::cust_with_exprs(
        "CASE WHEN $1 IS NOT NULL THEN format('%s', $2) END",
        [value.clone(), value],
    )
}

/// A column in the form in which rows are ordered by it, which compares with what is
/// [bound](bound_for_order).
pub(super) fn ordered(table: &str, field: &Field) -> Expr {
    let plain = column(table, &field.name);
    match type_of(field) {
        // These have no order: their texts stand in where all columns together tell rows apart.
        Type::Json | Type::Opaque | Type::UnorderedArray | Type::Geometry => {
            Expr::cust_with_exprs("CAST($1 AS text) COLLATE \"C\"", [plain])
        }
        // An array compares by the order of its elements, whatever the operators are called.
        Type::OrderedByClass => Expr::cust_with_exprs(
            "CASE WHEN $1 IS DISTINCT FROM NULL THEN array_append(NULL, $2) END",
            [plain.clone(), plain],
        ),
        Type::Enum | Type::Ordered => of_base(field, plain),
        _ => plain,
    }
}

/// A value of a domain as one of the type that the domain is made of: not all operators take a domain.
pub(super) fn of_base(field: &Field, plain: Expr) -> Expr {
    match field.detail.bound_type.as_str() {
        "" => plain,
        base if base == field.db_type => plain,
        base => plain.cast_as(base.to_owned()),
    }
}

/// The text of what a row has in a column, as it compares with what rows are [ordered] by.
pub(super) fn bound_for_order(field: &Field, text: Expr) -> Expr {
    match type_of(field) {
        Type::Json | Type::Opaque | Type::UnorderedArray | Type::Geometry => text.cast_as("text"),
        Type::OrderedByClass => in_array(text.cast_as(bound_as(field).to_owned())),
        _ => text.cast_as(bound_as(field).to_owned()),
    }
}

/// An array of one value.
fn in_array(value: Expr) -> Expr {
    Expr::cust_with_exprs("array_append(NULL, $1)", [value])
}

/// A column in the form in which it compares with what is [bound](bound_for_comparison).
pub(super) fn comparable(table: &str, field: &Field) -> Expr {
    let plain = column(table, &field.name);
    match type_of(field) {
        Type::Json => plain.cast_as("jsonb"),
        // Without the number that its first element has, which is not shown.
        Type::Array => Expr::cust_with_exprs("($1)[:]", [plain]),
        Type::UnorderedArray => to_jsonb(plain),
        Type::Opaque => plain.cast_as("text"),
        Type::Geometry => read(table, field),
        Type::OrderedByClass => ordered(table, field),
        Type::Enum | Type::Ordered => of_base(field, plain),
        _ => plain,
    }
}

/// The text of a value of a client, as it compares with a column that is [comparable].
pub(super) fn bound_for_comparison(field: &Field, text: Expr) -> Expr {
    let bound = text.cast_as(bound_as(field).to_owned());
    match type_of(field) {
        Type::UnorderedArray => to_jsonb(bound),
        Type::OrderedByClass => in_array(bound),
        Type::Geometry => {
            let call = |function| Func::cust(Alias::new(postgis(field, function)));
            call("st_astext")
                .arg(call("st_geomfromewkt").arg(bound))
                .into()
        }
        _ => bound,
    }
}

fn to_jsonb(value: Expr) -> Expr {
    Func::cust(Alias::new("to_jsonb")).arg(value).into()
}

/// A column as text.
pub(super) fn text(table: &str, field: &Field) -> Expr {
    let plain = column(table, &field.name);
    match type_of(field) {
        Type::Text => plain,
        Type::Ordered if is_address(field) => shown(plain),
        Type::Array | Type::UnorderedArray => {
            Expr::from(Func::cust(Alias::new("to_json")).arg(plain)).cast_as("text")
        }
        Type::Geometry => read(table, field).cast_as("text"),
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
