//! Relations between models, found in their foreign keys.

use std::collections::HashMap;

use svc_model::resources::{Direction, FieldType, ModelRelation};

use crate::Model;

/// Sets the relations of every model, both ways, from the foreign keys of one column.
pub(crate) fn relate(models: &mut [Model]) {
    // Every engine has them in an order of its own.
    models.sort_by(|one, other| one.name.cmp(&other.name));
    let places: HashMap<String, usize> = models
        .iter()
        .enumerate()
        .map(|(index, model)| (model.name.clone(), index))
        .collect();
    let mut found = Vec::new();
    for (index, model) in models.iter().enumerate() {
        for key in &model.foreign_keys {
            if let ([field], [column], Some(target)) = (
                key.fields.as_slice(),
                key.columns.as_slice(),
                places.get(&key.table),
            ) {
                found.push((index, *field, *target, column.clone()));
            }
        }
    }
    for (index, field, target, column) in found {
        let (Some(model), Some(related)) = (models.get(index), models.get(target)) else {
            continue;
        };
        let Some(name) = model.fields.get(field).map(|f| f.name.clone()) else {
            continue;
        };
        let (model_name, related_name) = (model.name.clone(), related.name.clone());
        if let Some(model) = models.get_mut(index) {
            let mut fields = model.fields.to_vec();
            if let Some(field) = fields.get_mut(field) {
                field.field_type = FieldType::ForeignKey;
                field.related = Some((related_name.clone(), column.clone()));
            }
            model.fields = fields.into();
            push_relation(
                model,
                ModelRelation::new(
                    name.strip_suffix("_id").unwrap_or(&name),
                    Direction::ManyToOne,
                    name.as_str(),
                    related_name,
                    column.as_str(),
                ),
            );
        }
        if let Some(related) = models.get_mut(target) {
            push_relation(
                related,
                ModelRelation::new(
                    model_name.as_str(),
                    Direction::OneToMany,
                    column,
                    model_name.as_str(),
                    name,
                ),
            );
        }
    }
}

fn push_relation(model: &mut Model, mut relation: ModelRelation) {
    if model.relations.iter().any(|r| r.name == relation.name) {
        let far = match relation.direction {
            Direction::ManyToOne => &relation.related_model,
            Direction::OneToMany => &relation.related_field,
        };
        relation.name = format!("{}_{far}", relation.name);
    }
    let base = relation.name.clone();
    let mut number = 2;
    while model.relations.iter().any(|r| r.name == relation.name) {
        relation.name = format!("{base}_{number}");
        number += 1;
    }
    model.relations.push(relation);
}
