//! Models that a program declares over tables of its own [`Database`](crate::Database), so that their lists
//! come from the code that lists records: the same filters, order, search and paging.

use std::sync::Arc;

use svc_model::records::DeleteRule;

use crate::{
    Field, Model, Structure,
    engine::sqlite::column_type::Declared,
    structure::{ForeignKey, Kind, Scope, Storage, Suffix, TemporalForm, Writes, relate},
};

/// A model over a table or view of a [`Database`](crate::Database). Its records are read and never written.
#[derive(Clone, Debug)]
pub struct DeclaredModel {
    /// The name in paths.
    pub name: &'static str,
    /// The table or view.
    pub table: &'static str,
    /// The fields, by the names of their columns. The first is the primary key.
    pub fields: &'static [DeclaredField],
    /// The column that says whose a row is, and the value that it has in the rows of this model. It is no field:
    /// other rows are not there for anyone who asks. `None` where all rows are of the model.
    pub scope: Option<(&'static str, String)>,
}

/// A field of a [`DeclaredModel`].
#[derive(Clone, Copy, Debug)]
pub struct DeclaredField {
    /// The name of the field, and of its column.
    pub name: &'static str,
    /// Its type, as a table would declare it: `UUID`, `VARCHAR(254)`, `DATETIME`. A point in time is stored as RFC
    /// 3339 in UTC with six digits of a second.
    pub db_type: &'static str,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// Whether it may be given when a record is written.
    pub editable: bool,
    /// Whether a new record has to name it.
    pub required: bool,
    /// The model whose primary key it holds, where it holds one.
    pub related: Option<&'static str>,
}

/// The structure of declared models.
pub(crate) fn structure(declared: &[DeclaredModel], version: i64) -> Structure {
    let mut models: Vec<Model> = declared
        .iter()
        .map(|model| self::model(model, declared, version))
        .collect();
    relate(&mut models);
    Structure::new(models, version)
}

fn model(declared: &DeclaredModel, all: &[DeclaredModel], version: i64) -> Model {
    let fields = declared.fields.iter().map(field).collect();
    model_of(declared, all, fields, version)
}

/// A declared model with these fields.
pub(crate) fn model_of(
    declared: &DeclaredModel,
    all: &[DeclaredModel],
    fields: Vec<Field>,
    version: i64,
) -> Model {
    let mut model = Model::of_columns(declared.name, fields);
    model.is_view = false;
    model.primary_key_auto = false;
    model.table = declared.table.to_owned();
    model.key = vec![0];
    model.writes = Writes::NONE;
    model.is_stored = true;
    model.structure_version = version;
    let scope = declared.scope.as_ref();
    model.scope = scope.map(|(column, value)| Scope {
        column: (*column).to_owned(),
        value: value.clone(),
    });
    model.foreign_keys = foreign_keys(declared, all);
    model
}

/// A field as it is declared.
pub(crate) fn field(declared: &DeclaredField) -> Field {
    let understood = Declared::parse(declared.db_type);
    let mut field = understood.field(declared.name.to_owned(), declared.db_type);
    field.nullable = declared.nullable;
    field.required = declared.required;
    field.editable = declared.editable;
    field.max_length = understood.max_length;
    if field.kind == Kind::DateTime {
        field.storage = Storage::Temporal {
            form: TemporalForm::Text {
                separator: b'T',
                fraction: 6,
                suffix: Suffix::Z,
            },
            uniform: true,
        };
    }
    field
}

fn foreign_keys(declared: &DeclaredModel, all: &[DeclaredModel]) -> Vec<ForeignKey> {
    let keys = declared
        .fields
        .iter()
        .enumerate()
        .filter_map(|(index, field)| {
            let related = all.iter().find(|model| Some(model.name) == field.related)?;
            Some(ForeignKey {
                name: None,
                fields: vec![index],
                table: related.name.to_owned(),
                columns: vec![related.fields.first()?.name.to_owned()],
                rule: DeleteRule::Restrict,
            })
        });
    keys.collect()
}

/// Declared models, as a driver keeps them.
pub(crate) type DeclaredModels = Arc<[DeclaredModel]>;
