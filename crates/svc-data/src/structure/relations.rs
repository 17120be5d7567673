//! Relations between models, found in their foreign keys.

use std::{collections::HashMap, sync::Arc};

use svc_model::resources::{Direction, FieldType, ModelRelation};

use crate::{Model, structure::Referrer};

/// Sets the relations of every model, both ways, and what refers to it, from its foreign keys. The columns of a key of several are joined by
/// commas.
pub(crate) fn relate(models: &mut [Model]) {
    // Every engine has them in an order of its own.
    models.sort_by(|one, other| one.name.cmp(&other.name));
    let names = models.iter().map(|model| model.name.clone());
    let places: HashMap<String, usize> = names.zip(0..).collect();
    let mut found = Vec::new();
    for (index, model) in models.iter().enumerate() {
        for key in &model.foreign_keys {
            if let Some(target) = places.get(&key.table)
                && !key.fields.is_empty()
                && key.columns.len() == key.fields.len()
            {
                found.push((index, *target, key.clone()));
            }
        }
    }
    for (index, target, key) in found {
        let (Some(model), Some(related)) = (models.get(index), models.get(target)) else {
            continue;
        };
        let fields = key.fields.iter().map(|field| model.fields.get(*field));
        let Some(names) = fields
            .map(|field| field.map(|field| field.name.clone()))
            .collect::<Option<Vec<String>>>()
        else {
            continue;
        };
        let local = names.join(",");
        let there = key.columns.join(",");
        let short = names
            .iter()
            .map(|name| name.strip_suffix("_id").unwrap_or(name));
        let short: Vec<&str> = short.collect();
        let short = short.join("_");
        let (model_name, related_name) = (model.name.clone(), related.name.clone());
        if let Some(model) = models.get_mut(index) {
            // A column of a key of several leads nowhere by itself.
            if let ([field], [column]) = (key.fields.as_slice(), key.columns.as_slice())
                && let Some(field) = Arc::make_mut(&mut model.fields).get_mut(*field)
            {
                field.field_type = FieldType::ForeignKey;
                field.related = Some((related_name.clone(), column.clone()));
            }
            push_relation(
                model,
                ModelRelation::new(
                    short,
                    Direction::ManyToOne,
                    local.as_str(),
                    related_name,
                    there.as_str(),
                ),
            );
        }
        if let Some(related) = models.get_mut(target) {
            related.referrers.push(Referrer {
                model: model_name.clone(),
                name: key.name.clone(),
                fields: names,
                columns: key.columns.clone(),
                rule: key.rule,
            });
            push_relation(
                related,
                ModelRelation::new(
                    model_name.as_str(),
                    Direction::OneToMany,
                    there,
                    model_name.as_str(),
                    local,
                ),
            );
        }
    }
}

fn push_relation(model: &mut Model, mut relation: ModelRelation) {
    if model.relations.iter().any(|r| r.name == relation.name) {
        let far = match relation.direction {
            Direction::OneToMany => &relation.related_field,
            _ => &relation.related_model,
        };
        relation.name = format!("{}_{}", relation.name, far.replace(',', "_"));
    }
    let base = relation.name.clone();
    let mut number = 2;
    while model.relations.iter().any(|r| r.name == relation.name) {
        relation.name = format!("{base}_{number}");
        number += 1;
    }
    model.relations.push(relation);
}
