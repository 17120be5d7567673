//! What comes with each record of a list (`_expand`), resolved against the structure.

use std::sync::Arc;

use svc_model::{
    Count, Expand, Expanded, Invalid, ListQuery, OrderBy,
    resources::{Direction, ModelRelation},
};

use crate::{Model, Structure};

/// A relation whose records come with those of a model.
#[derive(Clone, Debug)]
pub(crate) struct ExpandPlan {
    /// The name under which they are returned.
    pub(crate) name: String,
    /// The places of the fields here among those that are read beside the records.
    pub(crate) local: Vec<usize>,
    /// Whether many records may belong to one, so that they are an array.
    pub(crate) is_many: bool,
    /// The related records; `None` where the caller may not read them.
    pub(crate) records: Option<RelatedRecords>,
}

/// What is read of related records.
#[derive(Clone, Debug)]
pub(crate) struct RelatedRecords {
    pub(crate) model: Arc<Model>,
    /// Reads what is returned of them.
    pub(crate) query: ListQuery,
    /// The fields by which they are found.
    pub(crate) fields: Vec<String>,
    /// What comes with each of them.
    pub(crate) expand: ExpandedRecords,
}

/// What comes with the records of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExpandedRecords {
    pub(crate) relations: Vec<ExpandPlan>,
    /// The fields that are read beside the records: those of their relations. Of related records, those by which they are
    /// found come first.
    pub(crate) beside: Vec<String>,
}

impl ExpandedRecords {
    /// The place of a field among those that are read beside the records.
    fn place(&mut self, field: &str) -> usize {
        let known = self.beside.iter().position(|known| known == field);
        known.unwrap_or_else(|| {
            self.beside.push(field.to_owned());
            self.beside.len() - 1
        })
    }
}

/// What relations are resolved against.
pub(crate) struct Resolver<'r> {
    pub(crate) structure: &'r Structure,
    pub(crate) time_zone: Option<&'r str>,
    /// How long values are shown at most.
    pub(crate) excerpt: Option<u32>,
    /// Whether the caller may read the records of a model.
    pub(crate) may_read: &'r dyn Fn(&str) -> bool,
    pub(crate) invalid: Invalid,
}

impl Resolver<'_> {
    /// Resolves what comes with the records of a model. `beside` are fields that are read beside them anyway.
    pub(crate) fn resolve(
        &mut self,
        model: &Model,
        expand: &Expand,
        beside: Vec<String>,
    ) -> ExpandedRecords {
        let mut records = ExpandedRecords {
            relations: Vec::new(),
            beside,
        };
        for expanded in &expand.relations {
            let found = relation(model, &expanded.name);
            let found =
                found.and_then(|found| Some((found, self.structure.model(&found.related_model)?)));
            let Some((relation, there)) = found else {
                let message = format!("unknown relation {:?} of {:?}", expanded.name, model.name);
                self.invalid.push_field("_expand", message);
                continue;
            };
            // Nothing is said about what the caller may not read, not even which fields there are.
            let related = (self.may_read)(&there.name)
                .then(|| self.related(there, expanded, fields(&relation.related_field)));
            let local = relation.local_field.split(',');
            let local = local.map(|field| records.place(field)).collect();
            records.relations.push(ExpandPlan {
                name: expanded.name.clone(),
                local,
                is_many: relation.direction == Direction::OneToMany,
                records: related,
            });
        }
        records
    }

    fn related(
        &mut self,
        model: &Arc<Model>,
        expanded: &Expanded,
        fields: Vec<String>,
    ) -> RelatedRecords {
        for name in expanded.fields.iter().flatten() {
            if !model.has_field(name) {
                let message = format!("unknown field {name:?} of {:?}", expanded.name);
                self.invalid.push_field("_expand", message);
            }
        }
        let mut query = ListQuery::new();
        query.time_zone = self.time_zone.map(str::to_owned);
        query.excerpt = self.excerpt;
        query.count = Count::None;
        let key = model.primary_key();
        query.order_by = key.map(|key| OrderBy::ascending(&key.name)).collect();
        query.fields.clone_from(&expanded.fields);
        RelatedRecords {
            model: Arc::clone(model),
            query,
            expand: self.resolve(model, &expanded.expand, fields.clone()),
            fields,
        }
    }
}

/// The relation of a name: that of a foreign key field, or one that has this name.
fn relation<'m>(model: &'m Model, name: &str) -> Option<&'m ModelRelation> {
    let is_field = |relation: &&ModelRelation| {
        relation.direction == Direction::ManyToOne && relation.local_field == name
    };
    let mut relations = model.relations.iter();
    let by_field = model.relations.iter().find(is_field);
    by_field.or_else(|| relations.find(|relation| relation.name == name))
}

/// The fields of a relation, which joins them by commas.
fn fields(joined: &str) -> Vec<String> {
    joined.split(',').map(str::to_owned).collect()
}
