//! SQL in the API definition of a resource.

use serde_json::{Value, json};

use super::{add_row_formats, responses};

/// The path of `sql_get_query`.
pub(super) fn path() -> Value {
    let query = json!({
        "type": "object",
        "required": ["query"],
        "properties": {
            "query": {"type": "string", "description": "One query that only reads."},
            "params_obj": {"type": "object", "description": "Values of the binds `:name`."},
            "v": {"type": "integer", "const": 1, "description": "For binds by position, `%s`."},
            "params": {"type": ["array", "string"], "items": {}},
            "offset": {"type": "integer", "minimum": 0},
            "limit": {"type": "integer", "minimum": 0},
            "order_by": {"type": "array", "items": {"type": "string"}},
            "count": {"type": "boolean"},
            "columns": {"type": "array", "items": {"type": "object"}},
            "filters": {"type": "array", "items": {"type": "object"}},
            "aggregate": {"type": "object"},
            "group": {"type": "object"},
            "groups": {"type": "object"},
            "timezone": {"type": "string"},
            "schema": {"type": "string"},
        },
    });
    let content = json!({"application/json": {"schema": {"oneOf": [query, {
        "type": "object",
        "required": ["queries"],
        "properties": {"queries": {"type": "array", "items": {"type": "object"}}},
    }]}}});
    let mut post = json!({
        "operationId": "sql_get_query",
        "tags": ["SQL"],
        "requestBody": {"required": true, "content": content},
        "responses": responses("200", Some("SqlAnswer")),
    });
    add_row_formats(&mut post);
    json!({ "post": post })
}

/// What one query, or several, are answered with.
pub(super) fn answer_schema() -> Value {
    json!({"oneOf": [
        {"$ref": "#/components/schemas/SqlResult"},
        {"type": "array", "items": {"type": "object"}},
    ]})
}

/// What one query is answered with.
pub(super) fn result_schema() -> Value {
    json!({
        "type": "object",
        "required": ["data", "columns", "column_descriptions", "row_count", "limit", "truncated"],
        "properties": {
            "data": {"type": "array", "items": {"type": "array", "items": {}}},
            "columns": {"type": "array", "items": {"type": "string"}},
            "column_descriptions": {
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "required": ["field"],
                    "properties": {"field": {"type": "string"}},
                },
            },
            "row_count": {"type": "integer"},
            "limit": {"type": "integer"},
            "count": {"type": ["integer", "null"]},
            "truncated": {"type": "boolean"},
        },
    })
}
