//! What a database looks like: its models, their fields and relations, described once and cached.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, OnceLock},
};

use svc_model::{
    records::DeleteRule,
    resources::{Can, ModelDescription, ModelRelation},
};

use crate::{Error, Result};

mod column_type;
mod field;
mod inserts;
mod labels;
mod relations;

pub(crate) use column_type::{ColumnType, Kind};
pub use field::Field;
pub(crate) use field::{Default, EngineValues, Storage, Suffix, TemporalForm};
pub(crate) use inserts::{Insert, Inserts};
pub(crate) use relations::relate;

/// The models of a database, as they were when it was looked at.
#[derive(Debug)]
pub struct Structure {
    models: BTreeMap<String, Arc<Model>>,
    /// What the engine calls this state of the structure.
    pub(crate) version: i64,
}

impl Structure {
    pub(crate) fn new(models: Vec<Model>, version: i64) -> Self {
        let models = models.into_iter();
        Self {
            models: models
                .map(|model| (model.name.clone(), Arc::new(model)))
                .collect(),
            version,
        }
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
    /// The schema that the table is in; none for what a statement defines itself.
    pub(crate) schema: Option<String>,
    pub(crate) table: String,
    pub(crate) fields: Arc<[Field]>,
    pub(crate) by_name: HashMap<String, usize>,
    /// The fields of the primary key, in its order; only that of a query is empty.
    pub(crate) key: Vec<usize>,
    /// The column that distinguishes rows where the key may not; not a field.
    pub(crate) row_id: Option<String>,
    /// The column by which SQLite finds a row that was just inserted; none where a table has no row ids that can be named, and
    /// where a trigger may have changed the row since.
    pub(crate) new_row_id: Option<&'static str>,
    /// Whether rows can be distinguished at all: by the key, or by the row id.
    pub(crate) distinct_rows: bool,
    /// The foreign keys, whole.
    pub(crate) foreign_keys: Vec<ForeignKey>,
    /// The foreign keys that lead here.
    pub(crate) referrers: Vec<Referrer>,
    pub(crate) checks: Vec<Rule>,
    /// The rules that values are there once.
    pub(crate) uniques: Vec<Rule>,
    /// The sets of fields by whose values a record can be found: no two records have the same ones, NULL aside.
    pub(crate) unique_keys: Vec<Vec<usize>>,
    /// Whether something may happen to a record while it is written that the statement does not tell.
    pub(crate) has_triggers: bool,
    /// Whether its records are stored in the database as they are listed, so that they stay the same as long as
    /// the database does. A view may depend on the time of day.
    pub(crate) is_stored: bool,
    /// What tells its rows from others of the table that are not there for anyone who asks.
    pub(crate) scope: Option<Scope>,
    /// How the engine reads all fields of records; none where that binds values. Written when it is first needed.
    pub(crate) all_fields: OnceLock<Option<AllFields>>,
    /// The statements that create its records.
    pub(crate) inserts: Inserts,
    /// The state of the structure that this model belongs to.
    pub(crate) structure_version: i64,
}

/// What a row must have in a column to be a record of a model.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) column: String,
    pub(crate) value: String,
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
    pub(crate) const NONE: Self = Self {
        create: false,
        update: false,
        delete: false,
    };
}

/// A foreign key of a table, of one column or several.
#[derive(Clone, Debug)]
pub(crate) struct ForeignKey {
    /// What the engine calls it in a refusal, where it does.
    pub(crate) name: Option<String>,
    pub(crate) fields: Vec<usize>,
    pub(crate) table: String,
    /// The columns referred to; empty where the table is not known.
    pub(crate) columns: Vec<String>,
    /// What becomes of a record when the one that it refers to is deleted.
    pub(crate) rule: DeleteRule,
}

/// A foreign key of any table that leads to a model.
#[derive(Clone, Debug)]
pub(crate) struct Referrer {
    /// The model whose records refer to records of this one.
    pub(crate) model: String,
    /// What the engine calls the key, where it does.
    pub(crate) name: Option<String>,
    /// The fields that refer, and the columns that they refer to.
    pub(crate) fields: Vec<String>,
    pub(crate) columns: Vec<String>,
    /// What becomes of them when the record that they refer to is deleted.
    pub(crate) rule: DeleteRule,
}

/// A rule of a table: its name, where it has one, and the fields that it names.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) name: Option<String>,
    /// What it demands, as SQL, where that is known.
    pub(crate) text: String,
    pub(crate) fields: Vec<usize>,
}

/// The statement for all fields of records, as the engine reads it.
#[derive(Clone, Debug)]
pub(crate) struct AllFields {
    /// What is selected.
    pub(crate) columns: String,
    /// What follows, up to the test of the records; none for a table in which others have records, too.
    pub(crate) from: Option<String>,
    /// The whole statement for the record of a key that is one whole number, if it binds that number alone.
    pub(crate) by_number: Option<String>,
}

impl Model {
    /// A model of which no more than its columns is known: read only, without a key.
    pub(crate) fn of_columns(name: &str, columns: Vec<Field>) -> Self {
        let names = columns.iter().map(|field| field.name.clone());
        Self {
            name: name.to_owned(),
            is_view: true,
            primary_key_auto: true,
            writes: Writes::NONE,
            relations: Vec::new(),
            schema: None,
            table: name.to_owned(),
            by_name: names.zip(0..).collect(),
            fields: columns.into(),
            key: Vec::new(),
            row_id: None,
            new_row_id: None,
            // Nothing pages through it, so that no order has to be total.
            distinct_rows: true,
            foreign_keys: Vec::new(),
            referrers: Vec::new(),
            checks: Vec::new(),
            uniques: Vec::new(),
            unique_keys: Vec::new(),
            has_triggers: false,
            is_stored: false,
            scope: None,
            all_fields: OnceLock::new(),
            inserts: Inserts::default(),
            structure_version: 0,
        }
    }

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

    /// The field of the primary key that is the row id by which SQLite finds a new row.
    pub(crate) fn key_by_row_id(&self) -> Option<usize> {
        let [key] = *self.key.as_slice() else {
            return None;
        };
        let field = self.fields.get(key)?;
        let is_row_id = matches!(field.default, Some(Default::AutoIncrement));
        (is_row_id && self.new_row_id.is_some()).then_some(key)
    }

    pub(crate) fn index_of(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The field at an index that came from this model.
    pub(crate) fn at(&self, index: usize) -> Result<&Field> {
        self.fields
            .get(index)
            .ok_or_else(|| Error::internal("a field index does not belong to its model"))
    }

    /// What `model_descriptions` says about the model.
    #[must_use]
    pub fn description(&self) -> ModelDescription {
        let mut description = ModelDescription::new(&self.name, &self.table);
        let key: Vec<_> = self
            .primary_key()
            .map(|field| field.name.as_str())
            .collect();
        description.primary_key_field = key.join(",");
        description.primary_key_auto = self.primary_key_auto;
        description.is_view = self.is_view;
        description.fields = self.fields.iter().map(Field::description).collect();
        description.relations.clone_from(&self.relations);
        description.label_fields = labels::label_fields(self);
        let Writes {
            create,
            update,
            delete,
        } = self.writes;
        description.permit(Can::new(create, update, delete));
        description
    }
}
