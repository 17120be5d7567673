//! What comes with each record of a list (`_expand`), resolved against the structure.

use std::sync::Arc;

use svc_model::{
    Expand, Expanded, Invalid, ListQuery, OrderBy,
    resources::{Direction, ModelRelation},
};

use crate::{Model, Structure};

/// A relation whose records come with those of a model.
#[derive(Clone, Debug)]
pub(crate) struct ExpandPlan {
    /// The name under which they are returned.
    pub(crate) name: String,
    /// The fields here, and those of the related records that equal them.
    pub(crate) local: Vec<String>,
    pub(crate) related: Vec<String>,
    /// Whether many records may belong to one, so that they are an array.
    pub(crate) is_many: bool,
    /// The related records; `None` where the caller may not read them.
    pub(crate) records: Option<RelatedRecords>,
}

/// What is read of related records.
#[derive(Clone, Debug)]
pub(crate) struct RelatedRecords {
    pub(crate) model: Arc<Model>,
    /// Reads what is returned of them, and what leads from them and to them.
    pub(crate) query: ListQuery,
    /// Their fields that are returned, where not all that are read.
    pub(crate) returned: Option<Vec<String>>,
    /// What comes with each of them.
    pub(crate) expand: Vec<ExpandPlan>,
}

/// Resolves the relations of a model. `may_read` says whether the caller may read the records of another one.
pub(crate) fn resolve(
    structure: &Structure,
    model: &Model,
    expand: &Expand,
    time_zone: Option<&str>,
    may_read: &dyn Fn(&str) -> bool,
    invalid: &mut Invalid,
) -> Vec<ExpandPlan> {
    let relations = expand.relations.iter();
    let resolve = |expanded: &Expanded| {
        let found = relation(model, &expanded.name);
        let Some((relation, there)) =
            found.and_then(|found| Some((found, structure.model(&found.related_model)?)))
        else {
            let message = format!("unknown relation {:?} of {:?}", expanded.name, model.name);
            invalid.push_field("_expand", message);
            return None;
        };
        let related = fields(&relation.related_field);
        // Nothing is said about what the caller may not read, not even which fields there are.
        let records = match may_read(&there.name) {
            true => Some(related_records(
                structure, there, expanded, &related, time_zone, may_read, invalid,
            )?),
            false => None,
        };
        Some(ExpandPlan {
            name: expanded.name.clone(),
            local: fields(&relation.local_field),
            related,
            is_many: relation.direction == Direction::OneToMany,
            records,
        })
    };
    relations.filter_map(resolve).collect()
}

fn related_records(
    structure: &Structure,
    model: &Arc<Model>,
    expanded: &Expanded,
    related: &[String],
    time_zone: Option<&str>,
    may_read: &dyn Fn(&str) -> bool,
    invalid: &mut Invalid,
) -> Option<RelatedRecords> {
    let unknown = expanded.fields.iter().flatten();
    let mut unknown = unknown.filter(|name| !model.has_field(name)).peekable();
    if unknown.peek().is_some() {
        for name in unknown {
            let message = format!("unknown field {name:?} of {:?}", expanded.name);
            invalid.push_field("_expand", message);
        }
        return None;
    }
    let expand = resolve(
        structure,
        model,
        &expanded.expand,
        time_zone,
        may_read,
        invalid,
    );
    let mut query = ListQuery::new();
    query.time_zone = time_zone.map(str::to_owned);
    let key = model.primary_key();
    query.order_by = key.map(|key| OrderBy::ascending(&key.name)).collect();
    let (fields, returned) = read_and_returned(model, expanded.fields.as_deref(), &expand, related);
    query.fields = fields;
    Some(RelatedRecords {
        model: Arc::clone(model),
        query,
        returned,
        expand,
    })
}

/// The fields that are read of records, and those of them that are returned where these are not the same: the fields
/// that lead to related records are read too.
pub(crate) fn read_and_returned(
    model: &Model,
    wanted: Option<&[String]>,
    expand: &[ExpandPlan],
    more: &[String],
) -> (Option<Vec<String>>, Option<Vec<String>>) {
    let Some(wanted) = wanted else {
        return (None, None);
    };
    let mut returned: Vec<String> = wanted.to_vec();
    returned.extend(model.primary_key().map(|key| key.name.clone()));
    let local = expand.iter().flat_map(|relation| &relation.local);
    let needed = local.chain(more);
    let mut read = returned.clone();
    read.extend(needed.filter(|name| !returned.contains(name)).cloned());
    let returned = (read.len() > returned.len()).then_some(returned);
    (Some(read), returned)
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
