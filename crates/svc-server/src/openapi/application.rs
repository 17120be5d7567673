//! `GET /api/openapi.json`: the application host's API definition, labelled as the specification says
//! (section 9). Names, methods and paths come from the operations themselves.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};
use svc_model::{
    proxy,
    wire::{Credential, Operation as _, OperationInfo},
};

use crate::{
    api::routes::{PREFIX, Routes},
    http::response::tagged_response,
    openapi::{OPERATIONS, components, content, parameter, responses},
};

/// The version label of the application host's API definition (specification, section 9).
const VERSION: &str = "2026-09-15";
/// The parameters and schemas that its operations name.
const COMPONENTS: &str = include_str!("application.json");

/// Its text, once somebody has asked for it: what it is made of takes megabytes, and most services are never asked.
static DOCUMENT: OnceLock<Bytes> = OnceLock::new();

pub(crate) fn routes(operations: &[OperationInfo]) -> Routes {
    let operations: Arc<[OperationInfo]> = operations.into();
    let openapi = async move |headers: HeaderMap| {
        let text = DOCUMENT.get_or_init(|| document(&operations).to_string().into());
        let etag = concat!("\"", env!("CARGO_PKG_VERSION"), "\"");
        tagged_response(StatusCode::OK, [text.clone()], etag, Some(&headers))
    };
    Routes::new().get(&format!("{PREFIX}/openapi.json"), openapi)
}

fn document(operations: &[OperationInfo]) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for info in operations {
        let path = paths.entry(info.path_template).or_insert_with(|| json!({}));
        path[info.method.as_str().to_ascii_lowercase()] = describe(info);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "svc application host",
            "version": VERSION,
            "description": "Projects, page settings and the HTTP proxy. Paths end with a slash and answer without one too.",
        },
        "servers": [{"url": PREFIX}],
        "paths": paths,
        "components": components(COMPONENTS),
    })
}

fn describe(info: &OperationInfo) -> Value {
    let operation = &OPERATIONS[info.name];
    let in_path = info
        .path_template
        .split('{')
        .skip(1)
        .filter_map(|part| part.split('}').next());
    // Every operation in an environment has the parameter `draft`.
    let draft = info.is_in_environment().then_some("draft");
    let declared = info.parameters.iter().copied().flatten().copied();
    let further = declared.filter(|name| Some(*name) != draft);
    let parameters: Vec<_> = in_path.chain(draft).chain(further).map(parameter).collect();
    let status = match *info == proxy::Send::INFO {
        // That of the other service.
        true => "2XX",
        false => info.status.as_str(),
    };
    let mut described = json!({
        "operationId": info.name,
        "summary": info.summary,
        "tags": [info.name.split('.').next()],
        "parameters": parameters,
        "security": match info.credential {
            Credential::ApiKey => json!([{"apiKey": []}]),
            Credential::Session => json!([{"session": []}]),
            _ => json!([]),
        },
        "responses": responses(status, operation.answer.as_deref()),
    });
    if let Some(level) = info.level {
        described["x-level"] = json!(level.as_str());
    }
    if let Some(schema) = &operation.body {
        described["requestBody"] = json!({"required": true, "content": content(schema)});
    }
    described
}

#[cfg(test)]
mod tests {
    use svc_model::{
        Paginated, Scope, pages,
        projects::Project,
        proxy::{BodyType, ProxyRequest},
    };

    use super::*;

    fn operations() -> Vec<OperationInfo> {
        crate::api::application().operations
    }

    #[test]
    fn every_reference_of_the_definition_leads_somewhere() {
        assert!(crate::openapi::check_references(&document(&operations())) > 20);
    }

    #[test]
    fn the_file_of_operations_names_those_of_both_definitions() {
        let routed = crate::api::of_resources().operations.into_iter();
        let mut routed: Vec<_> = routed.chain(operations()).map(|info| info.name).collect();
        let mut named: Vec<_> = OPERATIONS.keys().collect();
        routed.sort();
        named.sort();
        assert_eq!(named, routed);
    }

    #[test]
    fn schemas_have_the_properties_of_the_types_that_are_written() {
        let mut proxied = ProxyRequest::new(Scope::new("shop", "prod"), "https://a.example/")
            .resource("crm")
            .query_param("page", "1")
            .header("accept", "text/html")
            .body(BodyType::Json, json!({}))
            .context("id", 7);
        proxied.secret_tokens = vec!["token".to_owned()];
        proxied.draft = true;
        let mut page = Paginated::of_all(vec![Project::new("shop")]);
        (page.num_pages, page.per_page, page.has_more) = (Some(1), Some(25), Some(false));
        let components = components(COMPONENTS);
        let schemas = &components["schemas"];
        for (schema, value) in [
            (&schemas["Project"], json!(Project::new("shop"))),
            (&schemas["ProjectPage"], json!(page)),
            (
                &schemas["PublishedPages"],
                json!(pages::Published::default()),
            ),
            (
                &schemas["DiscardedPages"],
                json!(pages::Discarded::default()),
            ),
            (
                &schemas["PageRevisionList"]["items"],
                json!(pages::Revision::new(1, "")),
            ),
            (&schemas["ProxyRequest"], json!(proxied)),
        ] {
            let names =
                |object: &Value| Vec::from_iter(object.as_object().unwrap().keys().cloned());
            let (mut described, mut written) = (names(&schema["properties"]), names(&value));
            described.sort();
            written.sort();
            assert_eq!(described, written);
        }
    }

    #[test]
    fn the_definition_is_labelled_and_has_the_operations_on_pages() {
        let document = document(&operations());
        assert_eq!(document["info"]["version"], "2026-09-15");
        let paths = document["paths"].as_object().unwrap();
        let list = &paths["/projects/{project}/{environment}/view_settings/"];
        let item = &paths["/projects/{project}/{environment}/view_settings/{uid}/"];
        assert_eq!(
            list.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["get", "post"]
        );
        assert_eq!(
            item.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["delete", "get", "patch"]
        );
        let responses = |below: &str, method: &str| {
            let base = "/projects/{project}/{environment}/view_settings";
            paths[&format!("{base}/{below}")][method]["responses"].clone()
        };
        for (below, method) in [
            ("publish/", "post"),
            ("discard/", "post"),
            ("{uid}/revisions/", "get"),
            ("{uid}/revisions/{number}/", "get"),
            ("{uid}/revisions/{number}/restore/", "post"),
        ] {
            assert!(responses(below, method)["200"].is_object(), "{below}");
        }
        assert!(list["post"]["responses"]["201"].is_object());
        assert!(item["delete"]["responses"]["204"].is_object());
    }
}
