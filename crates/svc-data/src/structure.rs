//! What a database looks like: its models, their fields and relations, described once and cached.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use serde::Serialize;
use serde_json::value::RawValue;

use crate::{Error, scalar::Kind};

/// The models of a database, as they were when it was looked at.
#[derive(Debug)]
pub struct Structure {
    models: BTreeMap<String, Arc<Model>>,
    /// What the engine calls this state of the structure.
    pub(crate) version: i64,
}

impl Structure {
    pub(crate) fn new(models: Vec<Model>, version: i64) -> Self {
        let models = models
            .into_iter()
            .map(|model| (model.name.clone(), Arc::new(model)))
            .collect();
        Self { models, version }
    }

    /// The model of this name.
    #[must_use]
    pub fn model(&self, name: &str) -> Option<&Arc<Model>> {
        self.models.get(name)
    }

    /// Every model, ordered by name.
    pub fn models(&self) -> impl ExactSizeIterator<Item = &Arc<Model>> {
        self.models.values()
    }

    /// The answer of `model_descriptions`, ordered by name.
    #[must_use]
    pub fn descriptions(&self) -> Vec<ModelDescription> {
        self.models().map(|model| model.description()).collect()
    }
}

/// A table or view.
#[derive(Debug)]
#[non_exhaustive]
pub struct Model {
    /// The name in paths: that of the table or view, `schema.table` outside the default schema.
    pub name: String,
    /// Whether it is a view.
    pub is_view: bool,
    /// Whether the table has no primary key, so that its first column stands in.
    pub primary_key_auto: bool,
    /// What may be done to its records.
    pub writes: Writes,
    /// Relations to other models, both ways.
    pub relations: Vec<ModelRelation>,
    pub(crate) table: String,
    pub(crate) fields: Arc<[Field]>,
    pub(crate) by_name: HashMap<String, usize>,
    /// The fields of the primary key, in its order; never empty.
    pub(crate) key: Vec<usize>,
    /// The column that tells rows apart where the key may not; not a field.
    pub(crate) row_id: Option<String>,
    /// Whether rows can be told apart at all: by the key, or by the row id.
    pub(crate) distinct_rows: bool,
    /// The foreign keys, whole.
    pub(crate) foreign_keys: Vec<ForeignKey>,
    pub(crate) checks: Vec<Check>,
    /// The state of the structure that this model belongs to.
    pub(crate) structure_version: i64,
}

/// What may be done to the records of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Writes {
    /// Records can be created.
    pub create: bool,
    /// Records can be updated and replaced.
    pub update: bool,
    /// Records can be deleted.
    pub delete: bool,
}

impl Writes {
    pub(crate) const ALL: Self = Self {
        create: true,
        update: true,
        delete: true,
    };
}

/// A foreign key of a table, of one column or several.
#[derive(Clone, Debug)]
pub(crate) struct ForeignKey {
    pub(crate) fields: Vec<usize>,
    pub(crate) table: String,
    /// The columns referred to; empty where the table is not known.
    pub(crate) columns: Vec<String>,
}

/// A CHECK rule: its name, where it has one, and the fields that it speaks of.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) name: Option<String>,
    pub(crate) text: String,
    pub(crate) fields: Vec<usize>,
}

impl Model {
    /// Whether there is a field of this name.
    #[must_use]
    pub fn has_field(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The field of this name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.get(*self.by_name.get(name)?)
    }

    /// The fields in the order of the columns.
    #[must_use]
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The fields of the primary key, in its order.
    pub fn primary_key(&self) -> impl Iterator<Item = &Field> {
        self.key.iter().filter_map(|index| self.fields.get(*index))
    }

    pub(crate) fn index_of(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The field at an index that came from this model.
    pub(crate) fn at(&self, index: usize) -> Result<&Field, Error> {
        self.fields
            .get(index)
            .ok_or_else(|| Error::internal("a field index does not belong to its model"))
    }

    /// What `model_descriptions` says about the model.
    #[must_use]
    pub fn description(&self) -> ModelDescription {
        ModelDescription {
            model: self.name.clone(),
            db_table: self.table.clone(),
            hidden: false,
            primary_key_field: self
                .primary_key()
                .map(|field| field.name.as_str())
                .collect::<Vec<_>>()
                .join(","),
            primary_key_auto: self.primary_key_auto,
            is_view: self.is_view,
            fields: self.fields.iter().map(Field::description).collect(),
            relations: self.relations.clone(),
        }
    }
}

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
    pub(crate) kind: Kind,
    pub(crate) default: Option<Default>,
    pub(crate) storage: Storage,
    /// The name as JSON with a colon behind, ready to be written.
    pub(crate) json_key: String,
}

impl Field {
    fn description(&self) -> FieldDescription {
        let mut params = BTreeMap::new();
        let mut number = |name: &'static str, value: Option<u32>| {
            if let Some(value) = value {
                params.insert(name, serde_json::Value::from(value));
            }
        };
        number("length", self.max_length);
        number("precision", self.precision);
        number("scale", self.scale);
        if let Some((model, field)) = &self.related {
            params.insert("related_model", model.as_str().into());
            params.insert("related_field", field.as_str().into());
        }
        FieldDescription {
            name: self.name.clone(),
            db_column: self.name.clone(),
            field: self.field_type,
            db_field: self.db_type.clone(),
            filterable: true,
            null: self.nullable,
            editable: self.editable,
            required: self.required,
            params,
            default_type: self.default.as_ref().map(Default::sort),
            default_value: self.default.as_ref().and_then(Default::literal),
        }
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

    fn literal(&self) -> Option<Box<RawValue>> {
        match self {
            Self::Literal(_, json) => Some(json.clone()),
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

/// The types that clients are told (wire contract, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub enum FieldType {
    /// Text of a limited length.
    CharField,
    /// Text of a fixed length.
    FixedCharField,
    /// Text.
    TextField,
    /// A UUID.
    #[serde(rename = "UUIDField")]
    UuidField,
    /// One of several words.
    SelectField,
    /// True or false.
    BooleanField,
    /// A whole number.
    IntegerField,
    /// A floating point number.
    FloatField,
    /// An exact decimal.
    DecimalField,
    /// A date.
    DateField,
    /// A time of day.
    TimeField,
    /// A point in time.
    DateTimeField,
    /// The key of another model's record.
    ForeignKey,
    /// JSON.
    #[serde(rename = "JSONField")]
    JsonField,
    /// An array.
    ArrayField,
    /// A geometry.
    GeometryField,
    /// Bytes.
    BinaryField,
}

/// A relation of a model to another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ModelRelation {
    /// A name, unique in the model.
    pub name: String,
    /// Which side this model is on.
    pub direction: Direction,
    /// The field of this model.
    pub local_field: String,
    /// The other model.
    pub related_model: String,
    /// The field of the other model.
    pub related_field: String,
}

/// Which side of a relation a model is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Direction {
    /// Many records here belong to one there.
    #[serde(rename = "MANYTOONE")]
    ManyToOne,
    /// One record here has many there.
    #[serde(rename = "ONETOMANY")]
    OneToMany,
}

/// What `model_descriptions` says about a model (wire contract, section 7).
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ModelDescription {
    /// The name in paths.
    pub model: String,
    /// The name of the table or view.
    pub db_table: String,
    /// Whether it is left out of menus.
    pub hidden: bool,
    /// The fields of the primary key, joined by commas.
    pub primary_key_field: String,
    /// Whether the first column stands in for a primary key.
    pub primary_key_auto: bool,
    /// Whether it is a view.
    pub is_view: bool,
    /// Its fields.
    pub fields: Vec<FieldDescription>,
    /// Its relations.
    pub relations: Vec<ModelRelation>,
}

/// What `model_descriptions` says about a field (wire contract, section 7).
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FieldDescription {
    /// The name in records.
    pub name: String,
    /// The name of the column.
    pub db_column: String,
    /// The type.
    pub field: FieldType,
    /// The type as the database declares it.
    pub db_field: String,
    /// Whether lists can be filtered by it.
    pub filterable: bool,
    /// Whether it may be null.
    pub null: bool,
    /// Whether it may be written.
    pub editable: bool,
    /// Whether a new record has to name it.
    pub required: bool,
    /// `length`, `precision`, `scale`, `related_model`, `related_field`, where they are known.
    pub params: BTreeMap<&'static str, serde_json::Value>,
    /// What the database does when it is left out: `value`, `datetime_now`, `auto_increment`, `expression`.
    pub default_type: Option<&'static str>,
    /// The constant, for the default type `value`.
    pub default_value: Option<Box<RawValue>>,
}
