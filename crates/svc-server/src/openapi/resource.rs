//! `GET {base_url}/projects/{p}/{env}/{resource}/openapi.json`: the API definition of one resource, made
//! from its structure: "Filters and further operations are generated per selected resource".

mod schemas;

use std::{collections::BTreeMap, sync::Arc};

use http::Method;
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::{Map, Value, json, value::RawValue};
use svc_model::{resources::ModelDescription, wire::OperationInfo};

use self::schemas::{filters, record_schema};
use crate::{
    api::routes::Routes,
    auth::access::{Call, Describe},
    http::resource_path::ResourcePath,
    openapi::{OPERATIONS, components, content, documents, parameter, read, responses},
    state::documents::DocumentKind,
};

/// What the paths of operations on a resource begin with.
const BASE: &str = "/projects/{project}/{environment}/{resource}";
/// The path of a resource's API definition.
const PATH: &str = "/projects/{project}/{environment}/{resource}/openapi.json";
/// The parameters, and the schemas that no model decides.
const COMPONENTS: &str = include_str!("resource.json");
/// The schemas of each model beside that of its records.
const SCHEMAS_OF_MODEL: &str = include_str!("model.json");

pub(crate) fn routes(operations: &[OperationInfo]) -> Routes {
    let operations: Arc<[OperationInfo]> = operations.into();
    let openapi = async move |call: Call<Describe>| {
        let write = move |path: &_, models: &_| write(path, models, &operations);
        documents::answer(call, DocumentKind::OpenApi, write).await
    };
    Routes::new().get(PATH, openapi)
}

fn write(
    path: &ResourcePath,
    models: &[ModelDescription],
    operations: &[OperationInfo],
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
    /// The operations on the records of each model, and on the resource as a whole.
    operations: &'a [OperationInfo],
    /// Whether these are users and teams, which lack some of what connected databases have.
    is_tools: bool,
}

impl Serialize for Definition<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Components<S> {
            #[serde(flatten)]
            fixed: Map<String, Value>,
            schemas: S,
        }

        let mut fixed = components(COMPONENTS);
        let schemas = fixed.remove("schemas").unwrap_or_default();
        let schemas = Entries(|| self.schemas(&schemas));
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
        map.serialize_entry("security", &json!([{"staticToken": []}, {"session": []}]))?;
        map.serialize_entry("paths", &Entries(|| self.paths()))?;
        map.serialize_entry("components", &Components { fixed, schemas })?;
        map.end()
    }
}

impl Definition<'_> {
    /// The paths of each model, and those of the resource.
    fn paths(&self) -> impl Iterator<Item = (String, Path)> {
        let models = self.models.iter();
        let of_models = models.flat_map(|model| paths_of(model, self.operations));
        let of_models = of_models.filter_map(|(path, mut methods)| {
            let kept = !self.is_tools || keep_what_tools_have(&path, &mut methods);
            kept.then_some((path, methods))
        });
        let operations = self.operations.iter().filter(|_| !self.is_tools);
        let others = operations.filter_map(|operation| {
            let path = path_below(operation).filter(|path| !is_of_model(path))?;
            Some((path.to_owned(), Path::from([method_of(operation, None)])))
        });
        of_models.chain(others)
    }

    /// The schemas of each model, and those that no model decides.
    fn schemas<'s>(&'s self, fixed: &'s Value) -> impl Iterator<Item = (String, Value)> + 's {
        let of_models = self.models.iter().flat_map(|model| {
            let name = schema_name(&model.model);
            let others = read::<Map<_, _>>(SCHEMAS_OF_MODEL, &name).into_iter();
            // A view gets no new records.
            let others = others.filter(|(name, _)| !model.is_view || name.ends_with("Page"));
            [(name, record_schema(model))].into_iter().chain(others)
        });
        of_models.chain(fixed.as_object().cloned().unwrap_or_default())
    }
}

/// The entries of an object, each made when it is written.
struct Entries<F>(F);

impl<V: Serialize, I: IntoIterator<Item = (String, V)>, F: Fn() -> I> Serialize for Entries<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0())
    }
}

/// A path of the document: its methods, and the parameters that all of them have.
type Path = BTreeMap<String, PartOfPath>;

#[derive(Serialize)]
#[serde(untagged)]
enum PartOfPath {
    Parameters(Vec<Value>),
    Method(Box<MethodObject>),
}

/// What a method of a path does.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MethodObject {
    operation_id: String,
    parameters: Vec<Parameter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_body: Option<Value>,
    responses: Value,
    tags: [String; 1],
}

#[derive(Serialize)]
#[serde(untagged)]
enum Parameter {
    Named(Value),
    /// A filter of a model. Several methods have the same ones, and a model has many.
    Filter(Arc<RawValue>),
}

/// A model, and the filters by its fields.
struct FilteredModel<'m> {
    model: &'m ModelDescription,
    filters: Vec<Arc<RawValue>>,
}

/// The paths of a model.
fn paths_of(model: &ModelDescription, operations: &[OperationInfo]) -> BTreeMap<String, Path> {
    let filtered = FilteredModel {
        model,
        filters: model.fields.iter().flat_map(filters).collect(),
    };
    let mut paths = BTreeMap::new();
    for operation in operations {
        if model.is_view && (operation.method != Method::GET || is_of_imports(operation)) {
            continue;
        }
        let Some(below) = path_below(operation).filter(|path| is_of_model(path)) else {
            continue;
        };
        let path = paths
            .entry(below.replace("{model}", &escape(&model.model)))
            .or_insert_with(|| match below.contains("{id}") {
                true => {
                    let id = PartOfPath::Parameters(vec![parameter("id")]);
                    Path::from([("parameters".to_owned(), id)])
                }
                false => Path::new(),
            });
        path.extend([method_of(operation, Some(&filtered))]);
    }
    paths
}

/// The path of an operation, below that of the resource.
fn path_below(info: &OperationInfo) -> Option<&'static str> {
    info.path_template.strip_prefix(BASE)
}

/// Whether each model has this path.
fn is_of_model(path: &str) -> bool {
    path.contains("{model}")
}

/// Removes the methods of a path that connected databases have and users and teams do not; whether the path is one of
/// theirs at all.
fn keep_what_tools_have(path: &str, methods: &mut Path) -> bool {
    let missing: &[&str] = match path {
        "/models/users/{id}" => &["put"],
        "/models/users" => &["patch", "delete"],
        "/models/groups" => &["post", "patch", "delete"],
        "/models/groups/{id}" => &["put", "delete"],
        _ => &[],
    };
    methods.retain(|method, _| !missing.contains(&method.as_str()));
    let others = ["/bulk_create", "/references", "/{field}"];
    !others.iter().any(|other| path.ends_with(other)) && !path.contains("/imports")
}

fn is_of_imports(info: &OperationInfo) -> bool {
    info.name.starts_with("imports.")
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

/// The method of an operation, and what it does: to the records of a model, or to the resource as a whole.
fn method_of(info: &OperationInfo, filtered: Option<&FilteredModel<'_>>) -> (String, PartOfPath) {
    let operation = &OPERATIONS[info.name];
    let model = filtered.map(|filtered| filtered.model);
    let schema_of_model = model.map(|model| schema_name(&model.model));
    let schema =
        |name: &str| name.replace("{schema}", schema_of_model.as_deref().unwrap_or_default());
    let names = operation
        .parameters
        .iter()
        .map(String::as_str)
        .chain(info.parameters.iter().copied().flatten().copied());
    let parameters = names.map(|name| Parameter::Named(parameter(name)));
    let filters = filtered.filter(|_| operation.has_filters);
    let filters = filters.into_iter().flat_map(|filtered| &filtered.filters);
    let filters = filters.map(|filter| Parameter::Filter(Arc::clone(filter)));
    let (group, verb) = info.name.split_once('.').unwrap_or((info.name, "get"));
    let verb = if verb == "get" { "retrieve" } else { verb };
    let (operation_id, tag) = match model {
        Some(model) if is_of_imports(info) => (
            format!("{} {}", info.name.replace('.', "_"), model.model),
            model.model.as_str(),
        ),
        Some(model) => (format!("{verb} {}", model.model), model.model.as_str()),
        None if info.path_template.ends_with('}') => (info.name.replace('.', "_"), group),
        None => (path_below(info).unwrap_or(group).replace('/', ""), group),
    };
    let answer = operation.answer.as_deref().map(schema);
    let mut responses = responses(info.status.as_str(), answer.as_deref());
    if let Some(other) = &operation.other_status {
        responses[other] = responses[info.status.as_str()].clone();
    }
    if operation.has_row_formats {
        let content = &mut responses["200"]["content"];
        for media_type in ["application/x-ndjson", "text/csv"] {
            content[media_type] = json!({"schema": {"type": "string"}});
        }
    }
    if operation.is_raw {
        let any = json!({"application/octet-stream": {}, "text/plain": {}, "application/json": {}});
        responses["200"]["content"] = any.clone();
        responses["204"] = json!({"description": "NULL."});
        responses["206"] = json!({"description": "A part of the value.", "content": any});
    }
    let body = operation.body.as_deref();
    let body = body.map(|name| content(&schema(name)));
    let file = operation.is_file.then(|| {
        let text = json!({"schema": {"type": "string"}});
        json!({"text/csv": text, "application/x-ndjson": text})
    });
    let method = MethodObject {
        operation_id,
        parameters: parameters.chain(filters).collect(),
        request_body: body
            .or(file)
            .map(|content| json!({"required": true, "content": content})),
        responses,
        tags: [tag.to_owned()],
    };
    let name = info.method.as_str().to_ascii_lowercase();
    (name, PartOfPath::Method(Box::new(method)))
}

#[cfg(test)]
mod tests {
    use svc_model::{
        resources::{FieldDescription, FieldType},
        sql::SqlQuery,
    };

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
            operations: &crate::api::of_resources().operations,
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
        let sql = &document["paths"]["/sql_get_query"]["post"];
        assert_eq!(sql["operationId"], "sql_get_query");
        assert!(sql["responses"]["200"]["content"]["text/csv"].is_object());
        assert!(document["paths"]["/models/totals"]["post"].is_null());
        assert!(document["paths"]["/models/totals/{id}"]["delete"].is_null());
    }

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
        let components = components(COMPONENTS);
        let schema = &components["schemas"]["SqlRequest"]["oneOf"][0];
        let described = schema["properties"].as_object().unwrap();
        let read = properties_of_a_query();
        assert!(
            read.iter().all(|name| described.contains_key(name)),
            "{read:?}"
        );
        assert_eq!(described.len(), read.len());
    }
}
