//! `GET {base_url}/projects/{p}/{env}/{resource}/openapi.json`: the API definition of one resource, made
//! from its structure: "Filters and further operations are generated per selected resource".

use axum::{
    Router,
    extract::{Request, State},
    routing::get,
};
use http::StatusCode;
use serde_json::{Map, Value, json};
use svc_model::{
    DEFAULT_PER_PAGE, Lookup, MAX_PER_PAGE,
    records::{AggregateFunction, MAX_BULK},
    resources::{FieldDescription, FieldType, ModelDescription},
};

use crate::{
    access::{Action, Place, authorized},
    answer::{Answer, etag_of, tagged_answer},
    failure::Failure,
    openapi::{content, failure_responses, failure_schema, invalid_schema, sql},
    request::{Segments, read_draft},
    router::route,
    state::Shared,
};

/// The path of a resource's API definition.
const PATH: &str = "/projects/{project}/{environment}/{resource}/openapi.json";

pub(crate) fn routes() -> Router<Shared> {
    route(Router::new(), PATH, get(openapi))
}

async fn openapi(
    State(state): State<Shared>,
    Segments((project, environment, resource)): Segments<(String, String, String)>,
    request: Request,
) -> Result<Answer, Failure> {
    let (parts, _) = request.into_parts();
    let place = Place::new(project, environment, resource);
    let connected = authorized(&state, &parts, &place, Action::Describe).await?;
    read_draft(parts.uri.query())?;
    connected.reload_if_changed().await?;
    let path = parts.uri.path().trim_end_matches('/');
    let server = path.strip_suffix("/openapi.json").unwrap_or(path);
    let mut document = document(connected.name(), server, &connected.descriptions());
    if place.is_tools() {
        keep_what_tools_have(&mut document);
    }
    let body = document.to_string().into_bytes();
    let etag = etag_of(&body);
    Ok(tagged_answer(
        StatusCode::OK,
        [body.into()],
        &etag,
        Some(&parts.headers),
    ))
}

/// Takes away what connected databases have and users and teams do not.
fn keep_what_tools_have(document: &mut Value) {
    let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) else {
        return;
    };
    paths.retain(|path, _| !path.ends_with("/bulk_create") && path != "/sql_get_query");
    for (path, methods) in [
        ("/models/users/{id}", &["put"][..]),
        ("/models/groups", &["post"]),
        ("/models/groups/{id}", &["put", "delete"]),
    ] {
        if let Some(path) = paths.get_mut(path).and_then(Value::as_object_mut) {
            path.retain(|method, _| !methods.contains(&method.as_str()));
        }
    }
}

fn document(resource: &str, server: &str, models: &[ModelDescription]) -> Value {
    let mut paths = Map::new();
    let mut schemas = Map::new();
    for model in models {
        let collection = format!("/models/{}", escape(&model.model));
        let schema = schema_name(&model.model);
        paths.insert(collection.clone(), collection_path(model, &schema));
        paths.insert(format!("{collection}/{{id}}"), item_path(model, &schema));
        for question in ["aggregate", "group"] {
            paths.insert(
                format!("{collection}/{question}"),
                question_path(model, question),
            );
        }
        paths.insert(
            format!("{collection}/{{id}}/get_siblings"),
            siblings_path(model),
        );
        if !model.is_view {
            paths.insert(
                format!("{collection}/bulk_create"),
                bulk_path(model, &schema),
            );
            schemas.insert(format!("{schema}Bulk"), bulk_schema(&schema));
        }
        schemas.insert(schema.clone(), record_schema(model));
        schemas.insert(format!("{schema}Page"), page_schema(&schema));
    }
    schemas.insert(
        "Aggregate".to_owned(),
        json!({"type": "object", "required": ["y_func"], "properties": {"y_func": {}}}),
    );
    schemas.insert(
        "Groups".to_owned(),
        json!({
            "type": "array",
            "description": "Ascending by `group`, `group_2`, ...; NULL first.",
            "items": {
                "type": "object",
                "required": ["group", "y_func"],
                "properties": {"group": {}, "y_func": {}},
            },
        }),
    );
    schemas.insert(
        "Siblings".to_owned(),
        json!({
            "type": "object",
            "description": "Primary keys; null at the ends.",
            "required": ["prev", "next"],
            "properties": {
                "prev": {"type": ["object", "null"]},
                "next": {"type": ["object", "null"]},
            },
        }),
    );
    paths.insert("/sql_get_query".to_owned(), sql::path());
    schemas.insert("SqlResult".to_owned(), sql::result_schema());
    schemas.insert("Invalid".to_owned(), invalid_schema());
    schemas.insert("Failure".to_owned(), failure_schema());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": format!("Records of {resource}"),
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Made from the structure of the connected database.",
        },
        "servers": [{"url": server}],
        "security": [{"staticToken": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "staticToken": {
                    "type": "apiKey", "in": "header", "name": "Authorization",
                    "description": "The resource's static API token, without a prefix.",
                },
            },
            "parameters": parameters(),
            "schemas": schemas,
            "responses": failure_responses(),
        },
    })
}

/// A model's name as a segment of a path of the document; braces would begin a parameter.
fn escape(model: &str) -> String {
    model
        .replace('%', "%25")
        .replace('{', "%7B")
        .replace('}', "%7D")
        .replace('/', "%2F")
}

/// A model's name as the name of a schema, of which only some characters are allowed. What is not allowed
/// is written as its code point, so that two models never share a schema.
fn schema_name(model: &str) -> String {
    let mut name = String::from("Record_");
    for character in model.chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '_' => name.push(character),
            other => name.push_str(&format!("-{:x}-", u32::from(other))),
        }
    }
    name
}

fn collection_path(model: &ModelDescription, schema: &str) -> Value {
    let shared = [
        "page",
        "_per_page",
        "_no_pagination",
        "_order_by",
        "_search",
        "_filter",
        "_fields",
        "_relation",
        "_count",
        "_after",
        "tz",
    ];
    let mut list_parameters: Vec<Value> = shared.iter().map(|name| reference(name)).collect();
    list_parameters.extend(model.fields.iter().flat_map(filters));
    let mut list = operation(
        model,
        "list",
        list_parameters,
        "200",
        Some(&format!("{schema}Page")),
    );
    add_row_formats(&mut list);
    let mut path = json!({ "get": list });
    if !model.is_view {
        let mut create = operation(model, "create", view_parameters(), "201", Some(schema));
        create["requestBody"] = json!({"required": true, "content": content(schema)});
        path["post"] = create;
    }
    path
}

/// Says that an operation answers rows in other forms too.
pub(super) fn add_row_formats(operation: &mut Value) {
    let content = &mut operation["responses"]["200"]["content"];
    for media_type in ["application/x-ndjson", "text/csv"] {
        content[media_type] = json!({"schema": {"type": "string"}});
    }
}

fn item_path(model: &ModelDescription, schema: &str) -> Value {
    let mut path = json!({
        "parameters": [reference("id")],
        "get": operation(model, "retrieve", view_parameters(), "200", Some(schema)),
    });
    if !model.is_view {
        let conditional = || {
            view_parameters()
                .into_iter()
                .chain([reference("If-Match")])
                .collect::<Vec<_>>()
        };
        for (method, verb) in [("patch", "update"), ("put", "replace")] {
            let mut change = operation(model, verb, conditional(), "200", Some(schema));
            change["requestBody"] = json!({"required": true, "content": content(schema)});
            path[method] = change;
        }
        path["delete"] = operation(model, "delete", vec![reference("If-Match")], "204", None);
    }
    path
}

/// Aggregate and group, in the form that a query string alone asks.
fn question_path(model: &ModelDescription, question: &str) -> Value {
    let mut names = vec![
        "_y_func",
        "_y_column",
        "_search",
        "_filter",
        "_relation",
        "tz",
    ];
    if question == "group" {
        names.extend(["_x_column", "_x_lookup", "_per_page"]);
    }
    let mut parameters: Vec<Value> = names.into_iter().map(reference).collect();
    parameters.extend(model.fields.iter().flat_map(filters));
    json!({"get": operation(model, question, parameters, "200", Some(match question {
        "group" => "Groups",
        _ => "Aggregate",
    }))})
}

/// Many new records at once.
fn bulk_path(model: &ModelDescription, schema: &str) -> Value {
    let mut parameters = view_parameters();
    parameters.push(reference("_atomic"));
    let answer = format!("{schema}Bulk");
    let mut create = operation(model, "bulk_create", parameters, "200", Some(&answer));
    let records = json!({
        "type": "array",
        "maxItems": MAX_BULK,
        "items": {"$ref": format!("#/components/schemas/{schema}")},
    });
    create["requestBody"] =
        json!({"required": true, "content": {"application/json": {"schema": records}}});
    json!({"post": create})
}

fn bulk_schema(schema: &str) -> Value {
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
            },
        },
    })
}

/// The records before and after one.
fn siblings_path(model: &ModelDescription) -> Value {
    let names = ["_order_by", "_search", "_filter", "_relation", "tz"];
    let mut parameters: Vec<Value> = names.into_iter().map(reference).collect();
    parameters.extend(model.fields.iter().flat_map(filters));
    json!({
        "parameters": [reference("id")],
        "get": operation(model, "get_siblings", parameters, "200", Some("Siblings")),
    })
}

fn view_parameters() -> Vec<Value> {
    vec![reference("_fields"), reference("tz")]
}

fn reference(parameter: &str) -> Value {
    json!({"$ref": format!("#/components/parameters/{parameter}")})
}

fn operation(
    model: &ModelDescription,
    verb: &str,
    parameters: impl Into<Value>,
    status: &str,
    answer: Option<&str>,
) -> Value {
    let mut success = json!({"description": "Success."});
    if let Some(schema) = answer {
        success["content"] = content(schema);
    }
    json!({
        "operationId": format!("{verb} {}", model.model),
        "tags": [model.model],
        "parameters": parameters.into(),
        "responses": {
            status: success,
            "400": {"$ref": "#/components/responses/Invalid"},
            "default": {"$ref": "#/components/responses/Failure"},
        },
    })
}

/// The filters of a field: its name, and its name with each lookup that makes sense for its type. A field
/// that is called like a parameter is reached with its lookup alone, or through `_filter`.
fn filters(field: &FieldDescription) -> Vec<Value> {
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

fn record_schema(model: &ModelDescription) -> Value {
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

fn page_schema(schema: &str) -> Value {
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

fn parameters() -> Value {
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
        "If-Match": {
            "name": "If-Match", "in": "header", "schema": text(),
            "description": "Only when the record still has this entity tag; 412 otherwise.",
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders() -> ModelDescription {
        let mut model = ModelDescription::new("order {x}", "order {x}");
        let mut total = FieldDescription::new("total", FieldType::DecimalField, "DECIMAL(12,2)");
        total.null = true;
        let mut id = FieldDescription::new("id", FieldType::IntegerField, "INTEGER");
        id.required = true;
        let hidden = FieldDescription::new("_hidden", FieldType::TextField, "TEXT");
        let page = FieldDescription::new("page", FieldType::IntegerField, "INTEGER");
        model.fields = vec![id, total, hidden, page];
        model
    }

    #[test]
    fn every_model_has_its_paths_filters_and_schema() {
        let mut view = ModelDescription::new("totals", "totals");
        view.is_view = true;
        let document = document("shop", "/projects/p/prod/shop", &[orders(), view]);
        assert!(super::super::check_references(&document) > 20);
        let list = &document["paths"]["/models/order %7Bx%7D"]["get"];
        let names: Vec<_> = list["parameters"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|one| one["name"].as_str())
            .collect();
        assert!(names.contains(&"total__gte") && names.contains(&"id"));
        assert!(
            names.contains(&"page__gt") && !names.contains(&"page") && !names.contains(&"_hidden")
        );
        let schema = &document["components"]["schemas"]["Record_order-20--7b-x-7d-"];
        assert_eq!(
            schema["properties"]["total"]["type"],
            json!(["string", "null"])
        );
        assert_eq!(schema["required"], json!(["id"]));
        assert!(document["paths"]["/models/totals"]["post"].is_null());
        assert!(document["paths"]["/models/totals/{id}"]["delete"].is_null());
    }
}
