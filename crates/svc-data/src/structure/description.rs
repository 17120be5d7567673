//! What clients are told about models: the answer of `model_descriptions` (wire contract, section 7).

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use super::FieldType;

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
