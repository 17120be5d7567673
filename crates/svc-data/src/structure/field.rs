//! Fields: the columns of a model.

use serde_json::value::RawValue;
use svc_model::resources::{FieldDescription, FieldType};

use crate::scalar::Kind;

/// A column.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Field {
    /// The name of the column.
    pub name: String,
    /// The type that clients are told.
    pub field_type: FieldType,
    /// The type as the database declares it.
    pub db_type: String,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// Whether a new record has to name it.
    pub required: bool,
    /// Whether it may be written.
    pub editable: bool,
    /// The most characters, where declared.
    pub max_length: Option<u32>,
    /// The digits of an exact decimal, where declared.
    pub precision: Option<u32>,
    /// The digits behind the point of an exact decimal, where declared.
    pub scale: Option<u32>,
    /// Model and field that a foreign key leads to.
    pub related: Option<(String, String)>,
    /// The words that a field of words takes; empty for other fields.
    pub options: Vec<String>,
    pub(crate) kind: Kind,
    pub(crate) default: Option<Default>,
    pub(crate) storage: Storage,
    /// The name as JSON with a colon behind, ready to be written.
    pub(crate) json_key: String,
}

impl Field {
    /// Whether the engine can tell what its geometry lies in.
    pub(crate) fn is_geometry(&self) -> bool {
        match self.storage {
            #[cfg(feature = "postgres")]
            Storage::Postgres(sort) => sort == crate::postgres::Type::Geometry,
            _ => false,
        }
    }

    /// The smallest and the largest whole number that the column takes, where that is less than 64 bits hold.
    pub(crate) fn integers(&self) -> Option<(i64, i64)> {
        match self.storage {
            #[cfg(feature = "mysql")]
            Storage::Mysql(sort) => sort.integers(),
            #[cfg(feature = "postgres")]
            Storage::Postgres(sort) => sort.integers(),
            _ => None,
        }
    }

    pub(super) fn description(&self) -> FieldDescription {
        let mut description = FieldDescription::new(&self.name, self.field_type, &self.db_type);
        description.null = self.nullable;
        description.editable = self.editable;
        description.required = self.required;
        let mut number = |name: &str, value: Option<u32>| {
            if let Some(value) = value {
                description.params.insert(name.to_owned(), value.into());
            }
        };
        number("length", self.max_length);
        number("precision", self.precision);
        number("scale", self.scale);
        if !self.options.is_empty() {
            description
                .params
                .insert("options".to_owned(), self.options.clone().into());
        }
        if let Some((model, field)) = &self.related {
            description
                .params
                .insert("related_model".to_owned(), model.as_str().into());
            description
                .params
                .insert("related_field".to_owned(), field.as_str().into());
        }
        description.default_type = self
            .default
            .as_ref()
            .map(|default| default.sort().to_owned());
        description.default_value = self.default.as_ref().and_then(Default::literal);
        description
    }
}

/// What the database puts into a column that is left out.
#[derive(Clone, Debug)]
pub(crate) enum Default {
    /// The next number.
    AutoIncrement,
    /// The time of the write; the SQL that gives it.
    Now(String),
    /// A constant: as SQL, and as JSON.
    Literal(String, Box<RawValue>),
    /// Anything else; the SQL that gives it.
    Expression(String),
}

impl Default {
    fn sort(&self) -> &'static str {
        match self {
            Self::AutoIncrement => "auto_increment",
            Self::Now(_) => "datetime_now",
            Self::Literal(..) => "value",
            Self::Expression(_) => "expression",
        }
    }

    fn literal(&self) -> Option<serde_json::Value> {
        match self {
            // It was written by this crate, so that it always can be read.
            Self::Literal(_, json) => serde_json::from_str(json.get()).ok(),
            _ => None,
        }
    }

    /// The SQL of the database's own structure that gives the value.
    pub(crate) fn sql(&self) -> Option<&str> {
        match self {
            Self::AutoIncrement => None,
            Self::Now(sql) | Self::Literal(sql, _) | Self::Expression(sql) => Some(sql),
        }
    }
}

/// How an engine without a type of its own stores the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// As the type says.
    Native,
    /// As this type of MySQL.
    #[cfg(feature = "mysql")]
    Mysql(crate::mysql::Type),
    /// As this type of PostgreSQL.
    #[cfg(feature = "postgres")]
    Postgres(crate::postgres::Type),
    /// A UUID in 16 bytes.
    UuidBytes,
    /// A date, or a point in time, in a form that was seen in the data.
    Temporal {
        form: TemporalForm,
        /// Whether every value that was seen has that form, so that stored values compare directly.
        uniform: bool,
    },
}

/// The form of a stored point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemporalForm {
    /// `YYYY-MM-DD HH:MM:SS` in UTC, with variations.
    Text {
        separator: u8,
        fraction: u8,
        suffix: Suffix,
    },
    /// Seconds since 1970.
    Seconds,
    /// Milliseconds since 1970.
    Millis,
}

/// How a stored point in time says that it is UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suffix {
    None,
    Z,
    Zero,
}
