//! Operations on a whole connected resource: the descriptions of its models, and reloading its cached
//! structure (wire contract, section 7).

mod params;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::params::{MAX_FUNCTIONS, MAX_LABEL_FIELDS, ResourceParams};
use crate::{ResourceName, Scope, wire::Operation};

/// Reload: `POST .../reload`, 200 with `{"success": true}`. The cached structure of the resource is
/// dropped and read again.
#[derive(Clone, Debug, Operation)]
#[operation(POST Data "/projects/{project}/{environment}/{resource}/reload")]
#[operation(name = "resources.reload", status = OK, credential = StaticToken, idempotent = true)]
#[operation(new = "Reloads a resource.")]
#[non_exhaustive]
pub struct Reload {
    /// The environment of the resource.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub resource: ResourceName,
}

/// Models: `GET .../model_descriptions`, 200 with an array of [`ModelDescription`], sorted by model.
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/{resource}/model_descriptions")]
#[operation(name = "resources.model_descriptions", credential = StaticToken, tagged = Vec<ModelDescription>)]
#[operation(new = "Gets the descriptions of the models of a resource.")]
#[non_exhaustive]
pub struct ModelDescriptions {
    /// The environment of the resource.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub resource: ResourceName,
    /// Requests a 304 if the descriptions still have this entity tag; the 304 is then an error with that status.
    #[wire(header = "if-none-match")]
    pub if_none_match: Option<String>,
}

/// A relation from a model to another model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

impl ModelRelation {
    /// A relation from a field here to a field there.
    pub fn new(
        name: impl Into<String>,
        direction: Direction,
        local_field: impl Into<String>,
        related_model: impl Into<String>,
        related_field: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            direction,
            local_field: local_field.into(),
            related_model: related_model.into(),
            related_field: related_field.into(),
        }
    }
}

/// Which side of a relation a model is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Direction {
    /// Many records here belong to one there.
    #[serde(rename = "MANYTOONE")]
    ManyToOne,
    /// One record here has many there.
    #[serde(rename = "ONETOMANY")]
    OneToMany,
}

/// What `model_descriptions` says about a model (wire contract, section 7).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelDescription {
    /// The name of the model in paths.
    pub model: String,
    /// The name of the table or view.
    pub db_table: String,
    /// Whether menus leave the model out.
    pub hidden: bool,
    /// The fields of the primary key, joined by commas.
    pub primary_key_field: String,
    /// Whether the model has no primary key and its first column is used instead.
    pub primary_key_auto: bool,
    /// Whether the model is a view.
    pub is_view: bool,
    /// The fields.
    pub fields: Vec<FieldDescription>,
    /// The relations to other models.
    pub relations: Vec<ModelRelation>,
    /// The fields that name a record for a reader, one to three of them.
    #[serde(default)]
    pub label_fields: Vec<String>,
    /// What the caller may do to its records.
    #[serde(default)]
    pub can: Can,
}

/// What a caller may do to the records of a model, and the database allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Can {
    /// Records can be created.
    pub create: bool,
    /// Records can be updated and replaced.
    pub update: bool,
    /// Records can be deleted.
    pub delete: bool,
}

impl Can {
    /// What of these a caller may do.
    pub fn new(create: bool, update: bool, delete: bool) -> Self {
        Self {
            create,
            update,
            delete,
        }
    }
}

impl ModelDescription {
    /// A model with only a name.
    pub fn new(model: impl Into<String>, db_table: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            db_table: db_table.into(),
            hidden: false,
            primary_key_field: String::new(),
            primary_key_auto: false,
            is_view: false,
            fields: Vec::new(),
            relations: Vec::new(),
            label_fields: Vec::new(),
            can: Can::default(),
        }
    }

    /// Names its records by these fields, where it has all of them.
    pub fn label_by(&mut self, fields: &[String]) {
        let is_there = |name: &String| self.fields.iter().any(|field| field.name == *name);
        if fields.iter().all(is_there) {
            self.label_fields = fields.to_vec();
        }
    }

    /// Sets what the caller may do to its records. Fields are read only where none can be created or changed.
    pub fn permit(&mut self, can: Can) {
        self.can = can;
        for field in &mut self.fields {
            field.read_only = !field.editable || !(can.create || can.update);
        }
    }
}

/// What `model_descriptions` says about a field (wire contract, section 7).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FieldDescription {
    /// The name of the field in records.
    pub name: String,
    /// The name of the column.
    pub db_column: String,
    /// The type.
    pub field: FieldType,
    /// The type that the database declares.
    pub db_field: String,
    /// Whether lists can be filtered by it.
    pub filterable: bool,
    /// Whether it is the first column of an index of all records, or of the primary key, so that the database finds and orders
    /// records by it without reading all of them.
    #[serde(default)]
    pub indexed: bool,
    /// Whether it may be null.
    pub null: bool,
    /// Whether it may be written.
    pub editable: bool,
    /// Whether the caller may not write it.
    #[serde(default)]
    pub read_only: bool,
    /// Whether a new record must contain it.
    pub required: bool,
    /// `length`, `precision`, `scale`, `related_model` and `related_field`, if known.
    pub params: BTreeMap<String, Value>,
    /// The kind of default value in the database: `value`, `datetime_now`, `auto_increment`, `expression`.
    pub default_type: Option<String>,
    /// The constant, for the default type `value`.
    pub default_value: Option<Value>,
}

impl FieldDescription {
    /// A field that can be filtered by and written.
    pub fn new(name: impl Into<String>, field: FieldType, db_field: impl Into<String>) -> Self {
        let name = name.into();
        Self {
            db_column: name.clone(),
            name,
            field,
            db_field: db_field.into(),
            filterable: true,
            indexed: false,
            null: false,
            editable: true,
            read_only: false,
            required: false,
            params: BTreeMap::new(),
            default_type: None,
            default_value: None,
        }
    }
}

/// The types of fields in descriptions of models (wire contract, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
