//! The API definitions (OpenAPI 3.1): one of the application host, and one of each resource, made from its
//! structure.

pub(crate) mod application;
pub(crate) mod documents;
pub(crate) mod resource;
mod sql;

use serde_json::{Value, json};

/// A JSON body of a schema of the document.
fn content(schema: &str) -> Value {
    json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}}})
}

/// How sessions and service tokens are sent.
fn session_scheme() -> Value {
    json!({
        "type": "apiKey", "in": "header", "name": "Authorization",
        "description": "`JWT <token>`: the access token of a user's session, or a service token.",
    })
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

/// The responses that every operation may give.
fn failure_responses() -> Value {
    json!({
        "Invalid": {
            "description": "A field, or the request as a whole, is wrong.",
            "content": content("Invalid"),
        },
        "Failure": {"description": "The request cannot be answered.", "content": content("Failure")},
    })
}

fn invalid_schema() -> Value {
    json!({
        "type": "object",
        "description": "Messages by field; `non_field_errors` for the request as a whole.",
        "properties": {
            "error_codes": {
                "type": "object",
                "description": "Why fields of a record were refused, such as `unique`.",
                "additionalProperties": {"type": "array", "items": {"type": "string"}},
            },
        },
        "additionalProperties": {"type": "array", "items": {"type": "string"}},
    })
}

fn failure_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"detail": {"type": "string"}, "error_code": {"type": "string"}},
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
