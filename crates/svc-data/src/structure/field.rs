//! Fields: the columns of a model.

use std::sync::Arc;

use serde_json::value::RawValue;
use svc_model::{
    MAX_JSON_DEPTH,
    resources::{FieldDescription, FieldType},
};

use super::{ColumnType, Kind};

/// The limit of those who keep JSON as text, of their own functions on it.
const JSON_TEXT_DEPTH: usize = 31;

/// A column.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Field {
    /// The name of the column.
    pub name: String,
    /// The type that clients see.
    pub field_type: FieldType,
    /// The type as the database declares it.
    pub db_type: String,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// Whether a new record has to name it.
    pub required: bool,
    /// Whether it may be written.
    pub editable: bool,
    /// Whether it is the first column of an index, or of the primary key. An index of some of the records does not count.
    pub indexed: bool,
    /// The most characters, where declared.
    pub max_length: Option<u32>,
    /// The digits of an exact decimal, where declared.
    pub precision: Option<u32>,
    /// The digits after the point of an exact decimal, where declared.
    pub scale: Option<u32>,
    /// Model and field that a foreign key leads to.
    pub related: Option<(String, String)>,
    /// The words that a field of words accepts; empty for other fields.
    pub options: Vec<String>,
    pub(crate) kind: Kind,
    pub(crate) default: Option<Default>,
    pub(crate) storage: Storage,
    pub(crate) detail: Detail,
    /// The name as JSON with a colon after it, ready to be written.
    pub(crate) json_key: String,
}

impl Field {
    /// A column of which no more than its type is known: it may be NULL, and is not written.
    pub(crate) fn new(name: String, field_type: FieldType, kind: Kind, db_type: &str) -> Self {
        Self {
            json_key: format!("{}:", serde_json::Value::from(name.as_str())),
            name,
            field_type,
            db_type: db_type.to_owned(),
            nullable: true,
            required: false,
            editable: false,
            indexed: false,
            max_length: None,
            precision: None,
            scale: None,
            related: None,
            options: Vec::new(),
            kind,
            default: None,
            storage: Storage::Native,
            detail: Detail::default(),
        }
    }

    /// A column of a database server, of which no more than its type is known.
    pub(crate) fn of_type(
        name: String,
        column_type: ColumnType,
        max_length: Option<u32>,
        db_type: &str,
        values: &'static EngineValues,
    ) -> Self {
        let field_type = column_type.field_type(max_length);
        let mut field = Self::new(name, field_type, column_type.kind(), db_type);
        field.max_length = max_length;
        field.storage = Storage::Typed(column_type);
        field.detail.values = Some(values);
        field
    }

    /// The same column with another name.
    pub(crate) fn named(&self, name: String) -> Self {
        Self {
            json_key: format!("{}:", serde_json::Value::from(name.as_str())),
            name,
            ..self.clone()
        }
    }

    /// The type of the column, where its engine has types of its own.
    pub(crate) fn column_type(&self) -> Option<ColumnType> {
        match self.storage {
            Storage::Typed(known) => Some(known),
            _ => None,
        }
    }

    /// Whether the engine can find out which geometry contains another.
    pub(crate) fn is_geometry(&self) -> bool {
        let values = self.detail.values;
        values.is_some_and(|values| values.covers)
            && self.column_type() == Some(ColumnType::Geometry)
    }

    /// Whether the engine has an order for the values of the column.
    pub(crate) fn is_ordered(&self) -> bool {
        let known = self.column_type();
        self.detail.order_is_unknown || known.is_none_or(ColumnType::is_ordered)
    }

    /// The smallest and the largest whole number that the column accepts.
    pub(crate) fn integers(&self) -> (i128, i128) {
        let known = self.column_type().and_then(ColumnType::integers);
        known.unwrap_or((i64::MIN.into(), i64::MAX.into()))
    }

    /// How deep JSON in the column may be nested.
    pub(crate) fn json_depth(&self) -> usize {
        match self.column_type() {
            Some(ColumnType::JsonText) => JSON_TEXT_DEPTH,
            _ => MAX_JSON_DEPTH,
        }
    }

    pub(super) fn description(&self) -> FieldDescription {
        let mut description = FieldDescription::new(&self.name, self.field_type, &self.db_type);
        description.null = self.nullable;
        description.editable = self.editable;
        description.required = self.required;
        description.indexed = self.indexed;
        let options = Some(&self.options).filter(|options| !options.is_empty());
        let (model, field) = self.related.clone().unzip();
        let params: [(&str, Option<serde_json::Value>); 6] = [
            ("length", self.max_length.map(Into::into)),
            ("precision", self.precision.map(Into::into)),
            ("scale", self.scale.map(Into::into)),
            ("options", options.map(|options| options.clone().into())),
            ("related_model", model.map(Into::into)),
            ("related_field", field.map(Into::into)),
        ];
        for (name, value) in params {
            description
                .params
                .extend(value.map(|value| (name.to_owned(), value)));
        }
        let default = self.default.as_ref();
        description.default_type = default.map(|default| default.sort().to_owned());
        description.default_value = default.and_then(Default::literal);
        description
    }
}

/// What is known of a column beyond its type, where its engine says more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Detail {
    /// The elements of an array, described as a column of their own.
    pub(crate) element: Option<Arc<Field>>,
    /// The type that values are bound as, without the sizes that the column declares; empty where the type says it.
    pub(crate) bound_type: String,
    /// Whether the engine was not requested its order, which is so for the columns of a query.
    pub(crate) order_is_unknown: bool,
    /// The number of the system that the coordinates of a geometry are in, where the column declares it.
    pub(crate) srid: Option<i32>,
    /// The words of a set, in the order of their bits.
    pub(crate) members: Vec<String>,
    /// Whether cells may hold values that are not of the type that the column declares.
    pub(crate) holds_anything: bool,
    /// The character set and the collation of a text, where comparisons have to name them.
    pub(crate) collation: Option<(String, String)>,
    /// The indexes that have the column in an order in which NULL is the largest: of each, the fields before it.
    pub(crate) null_is_last_behind: Vec<Vec<usize>>,
    /// What its engine knows of its values.
    pub(crate) values: Option<&'static EngineValues>,
}

/// What an engine knows of values beyond the types that all engines have.
#[derive(Debug)]
pub(crate) struct EngineValues {
    /// Reads the text of a value that only this engine has for a column of that type, such as a negative time or the
    /// day 0, and gives it as the engine writes it.
    pub(crate) special: fn(&Field, &str) -> Option<String>,
    /// Whether it can find out which geometry contains which.
    pub(crate) covers: bool,
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

/// How an engine stores the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// As the type says.
    Native,
    /// As a type of the engine's own.
    Typed(ColumnType),
    /// A UUID in 16 bytes.
    UuidBytes,
    /// A truth value, in some cells as a word.
    Words,
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
