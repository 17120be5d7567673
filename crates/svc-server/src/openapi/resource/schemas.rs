//! What records, pages and parameters look like in the API definition of a resource.

use serde_json::{Map, Value, json};
use svc_model::{
    DEFAULT_PER_PAGE, Lookup, MAX_PER_PAGE,
    records::{AggregateFunction, MAX_BULK, MAX_IDEMPOTENCY_KEY},
    resources::{FieldDescription, FieldType, ModelDescription},
};

pub(super) fn aggregate_schema() -> Value {
    json!({"type": "object", "required": ["y_func"], "properties": {"y_func": {}}})
}

pub(super) fn groups_schema() -> Value {
    json!({
        "type": "array",
        "description": "Ascending by `group`, `group_2`, ...; NULL first.",
        "items": {
            "type": "object", "required": ["group", "y_func"], "properties": {"group": {}, "y_func": {}},
        },
    })
}

pub(super) fn siblings_schema() -> Value {
    let key = json!({"type": ["object", "null"]});
    json!({
        "type": "object",
        "description": "Primary keys; null at the ends.",
        "required": ["prev", "next"],
        "properties": {"prev": key, "next": key},
    })
}

/// Many new records at once.
pub(super) fn records_schema(schema: &str) -> Value {
    json!({
        "type": "array",
        "maxItems": MAX_BULK,
        "items": {"$ref": format!("#/components/schemas/{schema}")},
    })
}

pub(super) fn bulk_schema(schema: &str) -> Value {
    json!({
        "type": "array",
        "description": "What became of each record, in the order of the request.",
        "items": {
            "type": "object",
            "required": ["success"],
            "properties": {
                "success": {"type": "boolean"},
                "record": {"$ref": format!("#/components/schemas/{schema}")},
                "errors": {"$ref": "#/components/schemas/Invalid"},
                "constraint": {
                    "type": "object",
                    "description": "The constraint of the database that refused the record.",
                    "properties": {
                        "name": {"type": "string"},
                        "columns": {"type": "array", "items": {"type": "string"}},
                    },
                },
            },
        },
    })
}

/// The filters of a field: its name, and its name with each lookup that makes sense for its type. A field
/// that is called like a parameter is reached with its lookup alone, or through `_filter`.
pub(super) fn filters(field: &FieldDescription) -> Vec<Value> {
    let reserved =
        field.name.starts_with('_') || matches!(field.name.as_str(), "page" | "tz" | "draft");
    let mut filters = Vec::new();
    for lookup in lookups(field.field) {
        let plain = *lookup == Lookup::Exact;
        if field.name.starts_with('_') || (plain && reserved) {
            continue;
        }
        let name = if plain {
            field.name.clone()
        } else {
            format!("{}__{lookup}", field.name)
        };
        filters.push(json!({"name": name, "in": "query", "schema": {"type": "string"}}));
    }
    filters
}

fn lookups(field: FieldType) -> &'static [Lookup] {
    use Lookup::{
        Exact, Gt, Gte, Icontains, Iendswith, In, Isempty, Isnull, Istartswith, JsonIcontains, Lt,
        Lte, Ne, Range,
    };
    match field {
        FieldType::IntegerField
        | FieldType::FloatField
        | FieldType::DecimalField
        | FieldType::DateField
        | FieldType::TimeField
        | FieldType::DateTimeField
        | FieldType::ForeignKey => &[Exact, Ne, Gt, Gte, Lt, Lte, In, Range, Isnull],
        FieldType::CharField
        | FieldType::FixedCharField
        | FieldType::TextField
        | FieldType::SelectField => &[
            Exact,
            Ne,
            In,
            Icontains,
            Istartswith,
            Iendswith,
            Isnull,
            Isempty,
        ],
        FieldType::BooleanField | FieldType::UuidField => &[Exact, Ne, In, Isnull],
        FieldType::JsonField | FieldType::ArrayField => &[JsonIcontains, Isnull],
        _ => &[Isnull],
    }
}

pub(super) fn record_schema(model: &ModelDescription) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in &model.fields {
        let mut schema = field_schema(field);
        if !field.editable || model.is_view {
            schema["readOnly"] = json!(true);
        }
        properties.insert(field.name.clone(), schema);
        if field.required {
            required.push(field.name.clone());
        }
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn field_schema(field: &FieldDescription) -> Value {
    let (kind, format) = match field.field {
        FieldType::BooleanField => (json!("boolean"), None),
        FieldType::IntegerField => (json!("integer"), Some("int64")),
        FieldType::FloatField => (json!("number"), Some("double")),
        FieldType::DecimalField => (json!("string"), Some("decimal")),
        FieldType::DateField => (json!("string"), Some("date")),
        FieldType::TimeField => (json!("string"), Some("time")),
        FieldType::DateTimeField => (json!("string"), Some("date-time")),
        FieldType::UuidField => (json!("string"), Some("uuid")),
        FieldType::BinaryField => (json!("string"), Some("hex")),
        FieldType::CharField
        | FieldType::FixedCharField
        | FieldType::TextField
        | FieldType::SelectField => (json!("string"), None),
        FieldType::ArrayField => (json!("array"), None),
        // A foreign key has the type of the key it leads to; JSON and the rest have any.
        _ => return json!({"description": field.db_field}),
    };
    let mut schema = json!({
        "type": if field.null { json!([kind, "null"]) } else { kind },
        "description": field.db_field,
    });
    if let Some(format) = format {
        schema["format"] = json!(format);
    }
    if let Some(options) = field.params.get("options") {
        schema["enum"] = options.clone();
        if let (true, Some(words)) = (field.null, schema["enum"].as_array_mut()) {
            words.push(Value::Null);
        }
    }
    if let Some(length) = field.params.get("length") {
        schema["maxLength"] = length.clone();
    }
    schema
}

pub(super) fn page_schema(schema: &str) -> Value {
    let link = json!({"type": ["string", "null"]});
    let number = json!({"type": ["integer", "null"]});
    let records =
        json!({"type": "array", "items": {"$ref": format!("#/components/schemas/{schema}")}});
    json!({
        "description": "The paginated envelope; with `_no_pagination` the array alone.",
        "oneOf": [
            {
                "type": "object",
                "required": ["count", "next", "previous", "results"],
                "properties": {
                    "count": number, "next": link, "previous": link, "num_pages": number,
                    "per_page": {"type": "integer"}, "has_more": {"type": "boolean"}, "results": records,
                },
            },
            records,
        ],
    })
}

pub(super) fn parameters() -> Value {
    let query = |name: &str, schema: Value, description: &str| json!({"name": name, "in": "query", "schema": schema, "description": description});
    let text = || json!({"type": "string"});
    json!({
        "id": {
            "name": "id", "in": "path", "required": true, "schema": text(),
            "description": "The primary key; the parts of a composite one are joined with a comma.",
        },
        "page": query("page", json!({"type": "integer", "minimum": 1, "default": 1}), "The page."),
        "_per_page": query(
            "_per_page",
            json!({"type": "integer", "minimum": 1, "default": DEFAULT_PER_PAGE}),
            &format!("Records on a page, at most {MAX_PER_PAGE}."),
        ),
        "_no_pagination": query(
            "_no_pagination", json!({"type": "boolean"}), &format!("One array of up to {MAX_PER_PAGE} records."),
        ),
        "_atomic": query("_atomic", json!({"type": "boolean"}), "All records or none."),
        "_order_by": query("_order_by", text(), "Fields, separated by commas, with - for descending."),
        "_search": query("_search", text(), "A text that is looked for in every searchable field."),
        "_filter": query("_filter", text(), "A JSON tree of conditions."),
        "_fields": query("_fields", text(), "Only these fields, separated by commas, and the primary key."),
        "_relation": query("_relation", text(), "Only records that have such related records."),
        "_count": query(
            "_count", json!({"type": "string", "enum": ["exact", "estimated", "none"], "default": "exact"}),
            "How all matches are counted.",
        ),
        "_after": query("_after", text(), "The cursor of a next link."),
        "tz": query("tz", text(), "UTC offset or IANA zone of date texts; UTC when absent."),
        "_y_func": {
            "name": "_y_func", "in": "query", "required": true, "description": "The function.",
            "schema": {"type": "string", "enum": AggregateFunction::ALL},
        },
        "_y_column": query("_y_column", text(), "The field that the function is taken of."),
        "_x_column": {
            "name": "_x_column", "in": "query", "required": true, "explode": true,
            "schema": {"type": "array", "items": text()}, "description": "The fields to group by.",
        },
        "_x_lookup": {
            "name": "_x_lookup", "in": "query", "explode": true,
            "schema": {"type": "array", "items": text()},
            "description": "How each makes groups: plain, auto, date, or date_ with a unit of time.",
        },
        "idempotency-key": {
            "name": "Idempotency-Key", "in": "header",
            "description": "The same records with the same key are created once, however often they are sent.",
            "schema": {"type": "string", "minLength": 1, "maxLength": MAX_IDEMPOTENCY_KEY},
        },
        "if-match": {
            "name": "If-Match", "in": "header", "schema": text(),
            "description": "Only when the record still has this entity tag; 412 otherwise.",
        },
    })
}
