//! Which fields name a record for a reader, guessed from their names and types.

use svc_model::resources::FieldType;

use crate::{Field, Model};

/// Names of fields that name a record by themselves, the best first.
const NAMES: [&str; 9] = [
    "name",
    "title",
    "label",
    "display_name",
    "full_name",
    "subject",
    "caption",
    "company",
    "company_name",
];
/// Names of fields that name a record together.
const TOGETHER: [&[&str]; 4] = [
    &["first_name", "last_name"],
    &["firstname", "lastname"],
    &["given_name", "family_name"],
    &["forename", "surname"],
];
/// Names of fields that tell records apart for people who know them.
const CODES: [&str; 12] = [
    "username",
    "login",
    "email",
    "slug",
    "sku",
    "code",
    "number",
    "reference",
    "key",
    "iban",
    "isbn",
    "url",
];
/// The most fields.
const MOST: usize = 3;

/// The fields that name a record of a model: one to three of them.
pub(crate) fn label_fields(model: &Model) -> Vec<String> {
    let named = |name: &str| {
        let mut fields = model.fields.iter();
        let field = fields.find(|field| field.name.eq_ignore_ascii_case(name) && is_text(field));
        field.map(|field| field.name.clone())
    };
    if let Some(name) = NAMES.iter().find_map(|name| named(name)) {
        return vec![name];
    }
    let together = |names: &&[&str]| names.iter().map(|name| named(name)).collect();
    if let Some(names) = TOGETHER.iter().find_map(together) {
        return names;
    }
    let ends = |field: &&Field| {
        let name = field.name.to_ascii_lowercase();
        is_text(field)
            && ["_name", "_title", "name"]
                .iter()
                .any(|end| name.ends_with(end))
    };
    if let Some(field) = model.fields.iter().find(ends) {
        return vec![field.name.clone()];
    }
    if let Some(code) = CODES.iter().find_map(|name| named(name)) {
        return vec![code];
    }
    // Something short that is always there and only once, or at least always there, or there at all.
    let is_unique = |field: &&Field| {
        let mut keys = model.unique_keys.iter();
        keys.any(|key| match key.as_slice() {
            [only] => model
                .fields
                .get(*only)
                .is_some_and(|it| it.name == field.name),
            _ => false,
        })
    };
    let is_label = |field: &&Field| {
        let is_key = model.primary_key().any(|key| key.name == field.name);
        !is_key && matches!(field.field_type, FieldType::CharField)
    };
    let labels = || model.fields.iter().filter(is_label);
    let found = labels()
        .find(|field| is_unique(field) && !field.nullable)
        .or_else(|| labels().find(|field| !field.nullable))
        .or_else(|| labels().next());
    match found {
        Some(field) => vec![field.name.clone()],
        None => model
            .primary_key()
            .take(MOST)
            .map(|key| key.name.clone())
            .collect(),
    }
}

/// Whether a field is a text that people read.
fn is_text(field: &Field) -> bool {
    matches!(
        field.field_type,
        FieldType::CharField | FieldType::FixedCharField | FieldType::TextField
    )
}
