//! `GET {base_url}/projects/{p}/{env}/{resource}/openapi.json`: the API definition of one resource, made
//! from its structure: "Filters and further operations are generated per selected resource".

mod schemas;

use std::{collections::BTreeMap, sync::Arc};

use axum::routing::get;
use http::Method;
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::{Value, json};
use svc_model::{
    records::{self, Record},
    resources::ModelDescription,
    wire::Operation as _,
};

use self::schemas::{
    aggregate_schema, bulk_schema, filters, groups_schema, page_schema, parameters, record_schema,
    records_schema, siblings_schema,
};
use crate::{
    api::routes::{Described, Routes},
    auth::access::{Call, Describe},
    http::resource_path::ResourcePath,
    openapi::{
        add_row_formats, content, documents, failure_responses, failure_schema, invalid_schema,
        parameter, responses, sql,
    },
    state::documents::DocumentKind,
};

/// What the paths of operations on a resource begin with.
const BASE: &str = "/projects/{project}/{environment}/{resource}";
/// The path of a resource's API definition.
const PATH: &str = "/projects/{project}/{environment}/{resource}/openapi.json";

pub(crate) fn routes(operations: &[Described]) -> Routes {
    let operations: Arc<[Described]> = operations.into();
    let openapi = async move |call: Call<Describe>| {
        let write = move |path: &_, models: &_| write(path, models, &operations);
        documents::answer(call, DocumentKind::OpenApi, write).await
    };
    Routes::new().at(PATH, get(openapi))
}

fn write(
    path: &ResourcePath,
    models: &[ModelDescription],
    operations: &[Described],
) -> serde_json::Result<Vec<u8>> {
    let ResourcePath { scope, resource } = path;
    serde_json::to_vec(&Definition {
        resource: resource.as_str(),
        server: &format!(
            "/projects/{}/{}/{resource}",
            scope.project, scope.environment
        ),
        models,
        operations,
        is_tools: path.is_tools(),
    })
}

/// The definition of a resource. It is written model by model: as one JSON value, that of a resource with hundreds of
/// models would take twenty times the memory of its text.
struct Definition<'a> {
    resource: &'a str,
    server: &'a str,
    models: &'a [ModelDescription],
    /// The operations on the records of each model.
    operations: &'a [Described],
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
            for (path, mut methods) in paths_of(model, definition.operations) {
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
                map.serialize_entry(&format!("{schema}Records"), &records_schema(&schema))?;
                map.serialize_entry(&format!("{schema}Bulk"), &bulk_schema(&schema))?;
            }
            map.serialize_entry(&schema, &record_schema(model))?;
            map.serialize_entry(&format!("{schema}Page"), &page_schema(&schema))?;
        }
        for (name, schema) in [
            ("Aggregate", aggregate_schema()),
            ("Groups", groups_schema()),
            ("Siblings", siblings_schema()),
            ("SqlResult", sql::result_schema()),
            ("SqlAnswer", sql::answer_schema()),
            ("Invalid", invalid_schema()),
            ("Failure", failure_schema()),
        ] {
            map.serialize_entry(name, &schema)?;
        }
        map.end()
    }
}

/// The paths of a model.
fn paths_of(model: &ModelDescription, operations: &[Described]) -> BTreeMap<String, Value> {
    let mut paths = BTreeMap::new();
    for operation in operations {
        let method = &operation.info.method;
        if model.is_view && *method != Method::GET {
            continue;
        }
        let template = operation.info.path_template;
        let below = template.strip_prefix(BASE).unwrap_or(template);
        let has_id = below.contains("{id}");
        let methods = paths
            .entry(below.replace("{model}", &escape(&model.model)))
            .or_insert_with(|| match has_id {
                true => json!({"parameters": [parameter("id")]}),
                false => json!({}),
            });
        methods[method.as_str().to_ascii_lowercase()] = describe(model, operation);
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

/// What an operation is for the records of a model.
fn describe(model: &ModelDescription, operation: &Described) -> Value {
    let Described { info, body, .. } = operation;
    let schema = |name: &str| name.replace("{}", &schema_name(&model.model));
    let declared = info.parameters.iter().copied().flatten();
    let names = operation.parameters.iter().chain(declared);
    let mut parameters: Vec<_> = names.map(|name| parameter(name)).collect();
    if operation.has_filters {
        parameters.extend(model.fields.iter().flat_map(filters));
    }
    let verb = match info.name.rsplit('.').next() {
        Some("get") | None => "retrieve",
        Some(verb) => verb,
    };
    let answer = operation.answer.map(schema);
    let mut described = json!({
        "operationId": format!("{verb} {}", model.model),
        "tags": [model.model],
        "parameters": parameters,
        "responses": responses(info.status.as_str(), answer.as_deref()),
    });
    if let Some(name) = body {
        let content = content(&schema(name));
        described["requestBody"] = json!({"required": true, "content": content});
    }
    if *info == records::List::<Record>::INFO {
        add_row_formats(&mut described);
    }
    described
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
            operations: &crate::api::records::routes().operations,
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
