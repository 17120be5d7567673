//! The types of columns: what sort of value a column holds, and how clients see it.

use svc_model::resources::FieldType;

/// What sort of value a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer,
    Float,
    Decimal,
    Boolean,
    Date,
    Time,
    DateTime,
    Json,
    Binary,
    Uuid,
    Text,
    /// A column that accepts anything.
    Any,
}

/// The type of a column of a database server. No server has all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Boolean,
    /// One bit.
    Bit,
    /// Several bits, and how many those are.
    Bits(u8),
    Integer {
        bits: u8,
        unsigned: bool,
    },
    /// A floating point number of single precision.
    Real,
    Double,
    Decimal,
    Date,
    Time,
    /// Without a time zone, read as UTC.
    Timestamp,
    TimestampTz,
    /// JSON that has no order.
    Json,
    /// JSON that has an order.
    Jsonb,
    /// Text that a rule keeps valid JSON.
    JsonText,
    Uuid,
    Bytes,
    Text,
    /// `char(n)`
    FixedText,
    /// Text that compares whatever its case is.
    AnyCaseText,
    Enum,
    Set,
    Array,
    /// An array of elements that have no order.
    UnorderedArray,
    Interval,
    Geometry,
    /// Any other type that has an order, shown as its text.
    Ordered,
    /// A type that has an order and no `<`, shown as its text.
    OrderedByClass,
    /// A type that has no order, shown as its text.
    Opaque,
}

impl ColumnType {
    /// Whether two values may be shown alike: bounds of arrays, blanks and order of keys, and the JSON `null` beside
    /// NULL are not shown, nor is the reference system of shapes in columns that declare none.
    pub(crate) fn holds_more_than_it_shows(self) -> bool {
        matches!(
            self,
            Self::Json
                | Self::Jsonb
                | Self::JsonText
                | Self::Array
                | Self::UnorderedArray
                | Self::Geometry
        )
    }

    pub(crate) fn kind(self) -> Kind {
        self.seen_as().0
    }

    pub(crate) fn field_type(self, max_length: Option<u32>) -> FieldType {
        match self {
            Self::Text if max_length.is_some() => FieldType::CharField,
            _ => self.seen_as().1,
        }
    }

    fn seen_as(self) -> (Kind, FieldType) {
        match self {
            Self::Boolean | Self::Bit => (Kind::Boolean, FieldType::BooleanField),
            Self::Integer { .. } => (Kind::Integer, FieldType::IntegerField),
            Self::Real | Self::Double => (Kind::Float, FieldType::FloatField),
            Self::Decimal => (Kind::Decimal, FieldType::DecimalField),
            Self::Date => (Kind::Date, FieldType::DateField),
            Self::Time => (Kind::Time, FieldType::TimeField),
            Self::Timestamp | Self::TimestampTz => (Kind::DateTime, FieldType::DateTimeField),
            Self::Json | Self::Jsonb | Self::JsonText => (Kind::Json, FieldType::JsonField),
            Self::Array | Self::UnorderedArray => (Kind::Json, FieldType::ArrayField),
            Self::Uuid => (Kind::Uuid, FieldType::UuidField),
            Self::Bytes | Self::Bits(_) => (Kind::Binary, FieldType::BinaryField),
            Self::FixedText => (Kind::Text, FieldType::FixedCharField),
            Self::Enum => (Kind::Text, FieldType::SelectField),
            Self::Text | Self::AnyCaseText | Self::Set => (Kind::Text, FieldType::TextField),
            Self::Geometry => (Kind::Any, FieldType::GeometryField),
            Self::Interval | Self::Ordered | Self::OrderedByClass | Self::Opaque => {
                (Kind::Any, FieldType::TextField)
            }
        }
    }

    /// Whether its values have an order.
    pub(super) fn is_ordered(self) -> bool {
        !matches!(
            self,
            Self::Json | Self::Opaque | Self::UnorderedArray | Self::Geometry
        )
    }

    /// The smallest and the largest of the whole numbers that it holds.
    pub(super) fn integers(self) -> Option<(i128, i128)> {
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
