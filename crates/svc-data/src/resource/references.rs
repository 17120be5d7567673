//! The records that refer to a record.

use std::sync::Arc;

use svc_model::{
    Count, ListQuery,
    records::{MAX_REFERENCES, Reference},
    resources::{Direction, ModelRelation},
};

use super::{
    keys::{Key, Values, equal_to_one, places},
    part::ListPurpose,
};
use crate::{
    Model, Resource, Result, StatementKind,
    plan::ListPlan,
    record::{Projection, no_such_record},
    structure::Referrer,
    value::time::Zone,
};

impl Resource {
    /// How many records refer to a record, by each relation that leads to it, and what becomes of them when it is deleted.
    /// Records that may not be [read](Resource::readable) are not counted.
    ///
    /// # Errors
    /// As [`Resource::retrieve`].
    pub async fn references(&self, model: &Arc<Model>, id: &str) -> Result<Vec<Reference>> {
        let mut relations = Vec::new();
        let mut beside: Vec<String> = Vec::new();
        for relation in &model.relations {
            let Some(referrer) = referrer(model, relation) else {
                continue;
            };
            for column in &referrer.columns {
                if !beside.contains(column) {
                    beside.push(column.clone());
                }
            }
            relations.push((relation, referrer));
        }
        let mut query = ListQuery::new().per_page(1).count(Count::None);
        query.fields = Some(Vec::new());
        let one = ListPurpose::One(id);
        let part = self.list_part(model, &query, one, Some(&beside)).await?;
        if part.len == 0 {
            return Err(no_such_record(model));
        }
        let known = part.beside.unwrap_or_default();
        let known = Values::new(&known, beside.len());
        let mut references = Vec::with_capacity(relations.len());
        for (relation, referrer) in relations {
            let mut reference = Reference::new(&relation.name, &referrer.model, referrer.rule);
            if self.may_read(&referrer.model) {
                let at = referrer.columns.iter();
                let at = at.filter_map(|column| beside.iter().position(|name| name == column));
                let at: Vec<usize> = at.collect();
                let count = match known.key(0, &at)? {
                    Some(value) => self.count_references(referrer, value).await?,
                    None => 0,
                };
                reference.count = Some(count);
                reference.more = count >= u64::from(MAX_REFERENCES);
            }
            references.push(reference);
        }
        Ok(references)
    }

    /// How many records have a value, as far as they are counted.
    async fn count_references(&self, referrer: &Referrer, value: Key<'_>) -> Result<u64> {
        let model = self.model(&referrer.model)?;
        let query = ListQuery::new().count(Count::None);
        let (query, value) = (&query, std::slice::from_ref(&value));
        let part = self.with_structure(&model, StatementKind::List, |driver, structure, model| {
            let fields = places(model, &referrer.fields)?;
            let mut plan = ListPlan::resolve(structure, model, query)?;
            plan.test = Some(equal_to_one(model, &fields, value, &Zone::UTC)?);
            plan.shown = Projection::of_key(model)?;
            plan.limit = MAX_REFERENCES;
            plan.is_internal = true;
            Ok(driver.list(model, plan))
        });
        Ok(part.await?.len as u64)
    }
}

/// The foreign key behind a relation that leads to a model.
fn referrer<'m>(model: &'m Model, relation: &ModelRelation) -> Option<&'m Referrer> {
    if relation.direction != Direction::OneToMany {
        return None;
    }
    model.referrers.iter().find(|referrer| {
        referrer.model == relation.related_model
            && referrer.fields.join(",") == relation.related_field
            && referrer.columns.join(",") == relation.local_field
    })
}
