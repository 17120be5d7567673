//! `GET {base_url}/projects/{p}/{env}/{resource}/openapi.json`: the API definition of one resource, made
//! from its structure: "Filters and further operations are generated per selected resource".

mod schemas;

use axum::{Router, routing::get};
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::{Value, json};
use svc_model::{
    records::{MAX_BULK, MAX_IDEMPOTENCY_KEY},
    resources::ModelDescription,
};

use self::schemas::{bulk_schema, filters, page_schema, parameters, record_schema};
use crate::{
    api::routes::Routes as _,
    auth::access::{Call, Describe},
    http::{error::Failure, resource_path::ResourcePath, response::Answer},
    openapi::{
        add_row_formats, content, documents, failure_responses, failure_schema, invalid_schema, sql,
    },
    state::{Shared, documents::DocumentKind},
};

/// The path of a resource's API definition.
const PATH: &str = "/projects/{project}/{environment}/{resource}/openapi.json";

pub(crate) fn routes() -> Router<Shared> {
    Router::new().at(PATH, get(openapi))
}

async fn openapi(call: Call<Describe>) -> Result<Answer, Failure> {
    documents::answer(call, DocumentKind::OpenApi, write).await
}

fn write(path: &ResourcePath, models: &[ModelDescription]) -> serde_json::Result<Vec<u8>> {
    let ResourcePath {
        project,
        environment,
        resource,
    } = path;
    serde_json::to_vec(&Definition {
        resource: resource.as_str(),
        server: &format!("/projects/{project}/{environment}/{resource}"),
        models,
        is_tools: path.is_tools(),
    })
}

/// The definition of a resource. It is written model by model: as one JSON value, that of a resource with hundreds of
/// models would take twenty times the memory of its text.
struct Definition<'a> {
    resource: &'a str,
    server: &'a str,
    models: &'a [ModelDescription],
    /// Whether these are users and teams, which lack some of what connected databases have.
    is_tools: bool,
}

impl Serialize for Definition<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("openapi", "3.1.0")?;
        map.serialize_entry(
            "info",
            &json!({
                "title": format!("Records of {}", self.resource),
                "version": env!("CARGO_PKG_VERSION"),
                "description": "Made from the structure of the connected database.",
            }),
        )?;
        map.serialize_entry("servers", &json!([{"url": self.server}]))?;
        map.serialize_entry("security", &json!([{"staticToken": []}]))?;
        map.serialize_entry("paths", &Paths(self))?;
        map.serialize_entry("components", &Components(self))?;
        map.end()
    }
}

struct Paths<'a>(&'a Definition<'a>);

impl Serialize for Paths<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(definition) = self;
        let mut map = serializer.serialize_map(None)?;
        for model in definition.models {
            for (path, mut methods) in paths_of(model) {
                if !definition.is_tools || keep_what_tools_have(&path, &mut methods) {
                    map.serialize_entry(&path, &methods)?;
                }
            }
        }
        if !definition.is_tools {
            map.serialize_entry("/sql_get_query", &sql::path())?;
        }
        map.end()
    }
}

struct Components<'a>(&'a Definition<'a>);

impl Serialize for Components<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(definition) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(
            "securitySchemes",
            &json!({
                "staticToken": {
                    "type": "apiKey", "in": "header", "name": "Authorization",
                    "description": "The resource's static API token, without a prefix.",
                },
            }),
        )?;
        map.serialize_entry("parameters", &parameters())?;
        map.serialize_entry("schemas", &Schemas(definition))?;
        map.serialize_entry("responses", &failure_responses())?;
        map.end()
    }
}

struct Schemas<'a>(&'a Definition<'a>);

impl Serialize for Schemas<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for model in self.0.models {
            let schema = schema_name(&model.model);
            if !model.is_view {
                map.serialize_entry(&format!("{schema}Bulk"), &bulk_schema(&schema))?;
            }
            map.serialize_entry(&schema, &record_schema(model))?;
            map.serialize_entry(&format!("{schema}Page"), &page_schema(&schema))?;
        }
        map.serialize_entry(
            "Aggregate",
            &json!({"type": "object", "required": ["y_func"], "properties": {"y_func": {}}}),
        )?;
        map.serialize_entry(
            "Groups",
            &json!({
                "type": "array",
                "description": "Ascending by `group`, `group_2`, ...; NULL first.",
                "items": {
                    "type": "object",
                    "required": ["group", "y_func"],
                    "properties": {"group": {}, "y_func": {}},
                },
            }),
        )?;
        map.serialize_entry(
            "Siblings",
            &json!({
                "type": "object",
                "description": "Primary keys; null at the ends.",
                "required": ["prev", "next"],
                "properties": {
                    "prev": {"type": ["object", "null"]},
                    "next": {"type": ["object", "null"]},
                },
            }),
        )?;
        map.serialize_entry("SqlResult", &sql::result_schema())?;
        map.serialize_entry("Invalid", &invalid_schema())?;
        map.serialize_entry("Failure", &failure_schema())?;
        map.end()
    }
}

/// The paths of a model.
fn paths_of(model: &ModelDescription) -> Vec<(String, Value)> {
    let collection = format!("/models/{}", escape(&model.model));
    let schema = schema_name(&model.model);
    let mut paths = vec![
        (collection.clone(), collection_path(model, &schema)),
        (format!("{collection}/{{id}}"), item_path(model, &schema)),
    ];
    for question in ["aggregate", "group"] {
        paths.push((
            format!("{collection}/{question}"),
            question_path(model, question),
        ));
    }
    paths.push((
        format!("{collection}/{{id}}/get_siblings"),
        siblings_path(model),
    ));
    if !model.is_view {
        paths.push((
            format!("{collection}/bulk_create"),
            bulk_path(model, &schema),
        ));
    }
    paths
}

/// Removes the methods of a path that connected databases have and users and teams do not; whether the path is one of
/// theirs at all.
fn keep_what_tools_have(path: &str, methods: &mut Value) -> bool {
    let missing: &[&str] = match path {
        "/models/users/{id}" => &["put"],
        "/models/groups" => &["post"],
        "/models/groups/{id}" => &["put", "delete"],
        _ => &[],
    };
    if let Some(methods) = methods.as_object_mut() {
        methods.retain(|method, _| !missing.contains(&method.as_str()));
    }
    !path.ends_with("/bulk_create")
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
    parameters.push(json!({
        "name": "Idempotency-Key",
        "in": "header",
        "description": "The same records with the same key are created once, however often they are sent.",
        "schema": {"type": "string", "minLength": 1, "maxLength": MAX_IDEMPOTENCY_KEY},
    }));
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

#[cfg(test)]
mod tests {
    use svc_model::resources::{FieldDescription, FieldType};

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
        let definition = Definition {
            resource: "shop",
            server: "/projects/p/prod/shop",
            models: &[orders(), view],
            is_tools: false,
        };
        let document = serde_json::to_value(&definition).unwrap();
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
