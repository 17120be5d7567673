//! The API definitions (OpenAPI 3.1): one of the application host, and one of each resource, made from its
//! structure. What is the same for every caller stands in the JSON files of this folder.

pub(crate) mod application;
pub(crate) mod documents;
pub(crate) mod resource;

use serde_json::{Map, Value, json};
use svc_model::{
    DEFAULT_PER_PAGE, MAX_PER_PAGE,
    proxy::BodyType,
    records::{AggregateFunction, MAX_BULK, MAX_IDEMPOTENCY_KEY},
};

/// The objects of a JSON file of this folder. In it `{schema}` stands for the schema of a model, and a name in capitals
/// for a limit or a list of the code.
fn read(file: &str, schema: &str) -> Map<String, Value> {
    let mut text = file.replace("{schema}", schema);
    for (name, value) in [
        ("{DEFAULT_PER_PAGE}", json!(DEFAULT_PER_PAGE)),
        ("{MAX_PER_PAGE}", json!(MAX_PER_PAGE)),
        ("{MAX_BULK}", json!(MAX_BULK)),
        ("{MAX_IDEMPOTENCY_KEY}", json!(MAX_IDEMPOTENCY_KEY)),
        ("{BODY_TYPES}", json!(BodyType::ALL.map(BodyType::as_str))),
        ("{AGGREGATE_FUNCTIONS}", json!(AggregateFunction::ALL)),
    ] {
        let value = value.to_string();
        text = text
            .replace(&format!("\"{name}\""), &value)
            .replace(name, &value);
    }
    serde_json::from_str(&text).expect("the files of this folder are JSON objects")
}

/// The components of a definition: its own, and those that each definition has.
fn components(own: &str) -> Map<String, Value> {
    let mut components = read(include_str!("openapi/common.json"), "");
    for (kind, own) in read(own, "") {
        match (components.get_mut(&kind), own) {
            (Some(Value::Object(common)), Value::Object(own)) => common.extend(own),
            (_, own) => drop(components.insert(kind, own)),
        }
    }
    components
}

/// A JSON body of a schema of the document.
fn content(schema: &str) -> Value {
    json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}}})
}

/// A parameter of the document.
fn parameter(name: &str) -> Value {
    json!({"$ref": format!("#/components/parameters/{name}")})
}

/// The responses of an operation whose success has this schema.
fn responses(status: &str, schema: Option<&str>) -> Value {
    let mut success = json!({"description": "Success."});
    if let Some(schema) = schema {
        success["content"] = content(schema);
    }
    json!({
        status: success,
        "400": {"$ref": "#/components/responses/Invalid"},
        "default": {"$ref": "#/components/responses/Failure"},
    })
}

/// Follows every reference of a document and counts them.
#[cfg(test)]
fn check_references(document: &Value) -> usize {
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                for (key, value) in object {
                    match value {
                        Value::String(target) if key == "$ref" => found.push(target.clone()),
                        value => collect(value, found),
                    }
                }
            }
            Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(document, &mut found);
    for target in &found {
        let pointer = target.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{target}");
    }
    found.len()
}
