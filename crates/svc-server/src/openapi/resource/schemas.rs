//! Records and filters in the API definition of a resource.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{
    Map, Value, json,
    value::{RawValue, to_raw_value},
};
use svc_model::{
    Lookup,
    resources::{FieldDescription, FieldType, ModelDescription},
};

#[derive(Serialize)]
struct Filter {
    #[serde(rename = "in")]
    place: &'static str,
    name: String,
    schema: FilterSchema,
}

#[derive(Serialize)]
struct FilterSchema {
    #[serde(rename = "type")]
    kind: &'static str,
}

/// The filters of a field: its name, and its name with each lookup that makes sense for its type. A field
/// that is called like a parameter is reached with its lookup alone, or through `_filter`.
pub(super) fn filters(field: &FieldDescription) -> Vec<Arc<RawValue>> {
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
        let filter = Filter {
            place: "query",
            name,
            schema: FilterSchema { kind: "string" },
        };
        filters.extend(to_raw_value(&filter).map(Arc::from));
    }
    filters
}

fn lookups(field: FieldType) -> &'static [Lookup] {
    use Lookup::{
        ContainedBy, ContainsAll, ContainsAny, Exact, Gt, Gte, Icontains, Iendswith, In, Isempty,
        Isnull, Istartswith, JsonIcontains, Len, LenGt, LenGte, LenLt, LenLte, Lt, Lte, Ne, Range,
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
        FieldType::JsonField => &[JsonIcontains, Isnull],
        FieldType::ArrayField => &[
            Exact,
            ContainsAll,
            ContainsAny,
            ContainedBy,
            Len,
            LenGt,
            LenGte,
            LenLt,
            LenLte,
            JsonIcontains,
            Isnull,
        ],
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
