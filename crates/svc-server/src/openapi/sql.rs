//! SQL in the API definition of a resource.

use serde_json::{Value, json};

/// One query, or several.
pub(super) fn request_schema() -> Value {
    json!({"oneOf": [query_schema(), {
        "type": "object",
        "required": ["queries"],
        "properties": {"queries": {"type": "array", "items": {"type": "object"}}},
    }]})
}

fn query_schema() -> Value {
    json!({
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
    })
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

#[cfg(test)]
mod tests {
    use svc_model::sql::SqlQuery;

    use super::*;

    /// The properties that serde reads: a refusal of an unknown one names them.
    fn properties_of_a_query() -> Vec<String> {
        let refusal = serde_json::from_value::<SqlQuery>(json!({"?": 1})).unwrap_err();
        let text = refusal.to_string();
        let names = text.split('`').skip(3).step_by(2).map(str::to_owned);
        // Spellings of older clients.
        names
            .filter(|name| !["paramsObj", "orderBy"].contains(&name.as_str()))
            .collect()
    }

    #[test]
    fn a_query_is_described_with_the_properties_that_are_read() {
        let schema = query_schema();
        let described = schema["properties"].as_object().unwrap();
        let read = properties_of_a_query();
        assert!(
            read.iter().all(|name| described.contains_key(name)),
            "{read:?}"
        );
        assert_eq!(described.len(), read.len());
    }
}
