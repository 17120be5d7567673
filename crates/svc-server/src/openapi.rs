//! The API definitions (OpenAPI 3.1): one of the application host, and one of each resource, made from its
//! structure. What is the same for every caller stands in the JSON files of this folder.

pub(crate) mod application;
pub(crate) mod documents;
pub(crate) mod resource;

use std::{collections::HashMap, sync::LazyLock};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use svc_model::{
    DEFAULT_PER_PAGE, MAX_PER_PAGE,
    imports::DEFAULT_BATCH,
    proxy::BodyType,
    records::{AggregateFunction, MAX_BULK, MAX_IDEMPOTENCY_KEY},
    statements::MAX_STATEMENT_ID,
};

use crate::http::error::suggestion::PARAMETERS;

/// What the definitions say of an operation beside its declaration. Schemas are those of the definition, by their names;
/// in those of records `{schema}` stands for the schema of the model.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Described {
    /// The schema of the body.
    body: Option<String>,
    /// The schema of what a success holds.
    answer: Option<String>,
    /// Another status of a success, with the same answer.
    other_status: Option<String>,
    /// Parameters beside those of the declaration.
    parameters: Vec<String>,
    /// Whether each field of the model is a parameter too, by which records are selected.
    has_filters: bool,
    /// Whether the answer is rows, which are also given as lines of JSON and as CSV.
    has_row_formats: bool,
    /// Whether the body is a file of rows.
    is_file: bool,
    /// Whether the answer is a single value, of whatever type, or a part of it.
    is_raw: bool,
}

/// What is said of each operation, by its name.
static OPERATIONS: LazyLock<HashMap<String, Described>> =
    LazyLock::new(|| read(include_str!("openapi/operations.json"), "{schema}"));

/// The objects of a JSON file of this folder. In it `{schema}` stands for the schema of a model, and a name in capitals
/// for a limit or a list of the code.
fn read<T: DeserializeOwned>(file: &str, schema: &str) -> T {
    let mut text = file.replace("{schema}", schema);
    for (name, value) in [
        ("{DEFAULT_PER_PAGE}", json!(DEFAULT_PER_PAGE)),
        ("{MAX_PER_PAGE}", json!(MAX_PER_PAGE)),
        ("{MAX_BULK}", json!(MAX_BULK)),
        ("{DEFAULT_BATCH}", json!(DEFAULT_BATCH)),
        ("{MAX_IDEMPOTENCY_KEY}", json!(MAX_IDEMPOTENCY_KEY)),
        ("{MAX_STATEMENT_ID}", json!(MAX_STATEMENT_ID)),
        ("{BODY_TYPES}", json!(BodyType::ALL.map(BodyType::as_str))),
        ("{AGGREGATE_FUNCTIONS}", json!(AggregateFunction::ALL)),
        ("{LIST_PARAMETERS}", json!(PARAMETERS)),
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
    let mut components: Map<_, _> = read(include_str!("openapi/common.json"), "");
    for (kind, own) in read::<Map<_, _>>(own, "") {
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
