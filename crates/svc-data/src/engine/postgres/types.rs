//! The types of PostgreSQL: how clients see them, how their values are read, and as what values are
//! bound.

use sea_query::{CaseStatement, Expr, ExprTrait};

pub(super) use crate::structure::ColumnType as Type;
use crate::{
    Field,
    query::{call, column},
    record::excerpt::Excerpted,
};

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

/// The type of a column, by its name and what `pg_type` says of it.
pub(super) fn type_named(name: &str, typtype: &str, category: &str, order: Order) -> Type {
    let integer = |bits| Type::Integer {
        bits,
        unsigned: false,
    };
    match (name, typtype) {
        (_, "e") => Type::Enum,
        // Arrays that are written as a list of numbers.
        ("int2vector" | "oidvector", _) => Type::Opaque,
        _ if category == "A" && order.is_there => Type::Array,
        _ if category == "A" => Type::UnorderedArray,
        ("int2", _) => integer(16),
        ("int4", _) => integer(32),
        ("int8", _) => integer(64),
        ("float4", _) => Type::Real,
        ("float8", _) => Type::Double,
        ("numeric", _) => Type::Decimal,
        ("bool", _) => Type::Boolean,
        ("date", _) => Type::Date,
        ("time", _) => Type::Time,
        ("timestamp", _) => Type::Timestamp,
        ("timestamptz", _) => Type::TimestampTz,
        ("json", _) => Type::Json,
        ("jsonb", _) => Type::Jsonb,
        ("uuid", _) => Type::Uuid,
        ("bytea", _) => Type::Bytes,
        ("text" | "varchar", _) => Type::Text,
        ("bpchar", _) => Type::FixedText,
        ("citext", _) => Type::AnyCaseText,
        ("interval", _) => Type::Interval,
        ("geometry" | "geography", _) => Type::Geometry,
        // A row whose values are all NULL compares, and is NULL for the operators. `hstore` has no operators.
        (_, "c") if order.is_there => Type::OrderedByClass,
        _ if order.is_there && order.has_operators => Type::Ordered,
        _ if order.is_there => Type::OrderedByClass,
        _ => Type::Opaque,
    }
}

/// The type of a field of this engine.
pub(super) fn type_of(field: &Field) -> Type {
    field.column_type().unwrap_or(Type::Opaque)
}

/// The type that values are bound as, so that they compare with the column and an index serves.
pub(super) fn bound_as(field: &Field) -> &str {
    match type_of(field) {
        Type::Integer { .. } => "int8",
        Type::Real => "float4",
        Type::Double => "float8",
        Type::Decimal => "numeric",
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
        _ => match field.detail.bound_type.as_str() {
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
            None => call("to_json").arg(plain).into(),
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
        Type::Geometry => call(postgis(field, "st_astext")).arg(plain).into(),
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
        // These have no order: their texts stand in where all columns together distinguish rows.
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

/// A value of a domain as one of the type that the domain is made of: not all operators accept a domain.
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
            let shape = call(postgis(field, "st_geomfromewkt")).arg(bound);
            call(postgis(field, "st_astext")).arg(shape).into()
        }
        _ => bound,
    }
}

fn to_jsonb(value: Expr) -> Expr {
    call("to_jsonb").arg(value).into()
}

/// A column as text.
pub(super) fn text(table: &str, field: &Field) -> Expr {
    let plain = column(table, &field.name);
    match type_of(field) {
        Type::Text => plain,
        Type::Ordered if is_address(field) => shown(plain),
        Type::Array | Type::UnorderedArray => {
            Expr::from(call("to_json").arg(plain)).cast_as("text")
        }
        Type::Geometry => read(table, field).cast_as("text"),
        _ => plain.cast_as("text"),
    }
}

/// How long the text of JSON is at most that is measured without its spaces, in characters: that takes a tenth of a second
/// for each mebibyte.
const MEASURED_JSON: i32 = 256 << 10;

/// How the beginnings of values are read: what is not needed of a long text or binary value is not even decompressed.
pub(super) fn excerpt(table: &str, field: &Field, most: u32) -> Excerpted {
    let most = i32::try_from(most).unwrap_or(i32::MAX);
    let number = || Expr::val(most).cast_as("int4");
    let long = |value: &Expr, length: Expr| -> Expr {
        let bytes = Expr::from(call("octet_length").arg(value.clone()));
        CaseStatement::new().case(bytes.gt(number()), length).into()
    };
    match type_of(field) {
        // Their elements are written here, and the blanks at the end of a text of fixed length get lost in functions.
        Type::Array | Type::UnorderedArray | Type::FixedText => {
            Excerpted::Whole(read(table, field))
        }
        Type::Bytes => {
            let value = column(table, &field.name);
            let length = call("octet_length").arg(value.clone()).into();
            let begin = call("substr").arg(value.clone()).arg(Expr::cust("1"));
            Excerpted::InDatabase(begin.arg(number()).into(), long(&value, length))
        }
        Type::Json | Type::Jsonb => Excerpted::Measured(measured_json(text(table, field), most)),
        _ => {
            let value = text(table, field);
            let length = call("length").arg(value.clone()).into();
            let begin = call("left").arg(value.clone()).arg(number());
            Excerpted::InDatabase(begin.into(), long(&value, length))
        }
    }
}

/// The text of JSON, or more than the beginning of it that is shown, with its length in front.
fn measured_json(json: Expr, most: i32) -> Expr {
    // Of three characters of `jsonb` one is a space at most.
    let enough = most.saturating_add(most / 2).saturating_add(16);
    // Strings stay as they are, and other spaces go.
    let spaces = r#"("(?:[^"\\]|\\.)*")|\s+"#;
    let template = format!(
        "(SELECT CASE WHEN j.t IS NULL THEN NULL WHEN length(j.t) <= $2 THEN ':' || j.t \
         WHEN j.c IS NULL THEN length(j.t) || ':' || left(j.t, $3) \
         ELSE length(j.c) || ':' || left(j.c, $4) END \
         FROM (SELECT i.t, CASE WHEN length(i.t) > $5 AND length(i.t) <= {MEASURED_JSON} \
         THEN regexp_replace(i.t, $6, '\\1', 'g') END AS c FROM (SELECT $1 AS t OFFSET 0) AS i OFFSET 0) AS j)"
    );
    let number = |number: i32| Expr::val(number).cast_as("int4");
    Expr::cust_with_exprs(
        template,
        [
            json,
            number(most),
            number(enough),
            number(most),
            number(most),
            Expr::val(spaces).cast_as("text"),
        ],
    )
}

/// A `geometry` or `geography` as a `geometry`.
pub(super) fn as_geometry(field: &Field, value: Expr) -> Expr {
    value.cast_as(postgis(field, "geometry"))
}

/// A function of PostGIS, which is in the schema of its types.
pub(super) fn postgis(field: &Field, function: &str) -> String {
    let schema = field
        .db_type
        .rfind(".geo")
        .and_then(|end| field.db_type.get(..=end));
    format!("{}{function}", schema.unwrap_or_default())
}
