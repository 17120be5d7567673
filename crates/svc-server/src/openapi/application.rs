//! `GET /api/openapi.json`: the application host's API definition, labelled as the specification says
//! (section 9). Names, methods and paths come from the operations themselves.

use axum::routing::get;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};
use svc_model::{
    proxy::{self, BodyType},
    wire::{Credential, Operation as _},
};

use crate::{
    api::routes::{Described, PREFIX, Routes},
    http::response::tagged_response,
    openapi::{
        content, failure_responses, failure_schema, invalid_schema, parameter, responses,
        session_scheme,
    },
};

/// The version label of the application host's API definition (specification, section 9).
const VERSION: &str = "2026-09-15";

pub(crate) fn routes(operations: &[Described]) -> Routes {
    let document = Bytes::from(document(operations).to_string());
    let openapi = async move |headers: HeaderMap| {
        let etag = concat!("\"", env!("CARGO_PKG_VERSION"), "\"");
        tagged_response(StatusCode::OK, [document], etag, Some(&headers))
    };
    Routes::new().at(&format!("{PREFIX}/openapi.json"), get(openapi))
}

fn document(operations: &[Described]) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for operation in operations {
        let info = &operation.info;
        let path = paths.entry(info.path_template).or_insert_with(|| json!({}));
        path[info.method.as_str().to_ascii_lowercase()] = describe(operation);
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
        "components": {
            "securitySchemes": {
                "apiKey": {"type": "http", "scheme": "bearer", "description": "An API key of a user."},
                "session": session_scheme(),
            },
            "parameters": parameters(),
            "schemas": schemas(),
            "responses": failure_responses(),
        },
    })
}

fn describe(operation: &Described) -> Value {
    let info = &operation.info;
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
        "responses": responses(status, operation.answer),
    });
    if let Some(schema) = operation.body {
        described["requestBody"] = json!({"required": true, "content": content(schema)});
    }
    described
}

fn parameters() -> Value {
    let text = json!({"type": "string"});
    let path = |name: &str, description: &str| json!({"name": name, "in": "path", "required": true, "schema": text, "description": description});
    json!({
        "project": path("project", "Unique project name."),
        "environment": path("environment", "Unique environment name; `prod` is the published production one."),
        "uid": path("uid", "Unique page ID."),
        "number": {
            "name": "number", "in": "path", "required": true, "description": "Number of the revision.",
            "schema": {"type": "integer", "minimum": 1},
        },
        "draft": {
            "name": "draft", "in": "query", "description": "The draft layer, or the published one.",
            "schema": {"type": "string", "enum": ["0", "1"], "default": "0"},
        },
        "page": {
            "name": "page", "in": "query", "schema": {"type": "integer", "minimum": 1, "default": 1},
        },
        "_per_page": {
            "name": "_per_page", "in": "query",
            "schema": {"type": "integer", "minimum": 1, "maximum": svc_model::MAX_PER_PAGE, "default": svc_model::DEFAULT_PER_PAGE},
        },
        "if-match": {
            "name": "If-Match", "in": "header", "schema": text,
            "description": "Only when the page still has this entity tag; 412 otherwise.",
        },
    })
}

fn schemas() -> Value {
    let text = json!({"type": ["string", "null"]});
    json!({
        "PageSettings": {
            "type": "object",
            "description": "The settings of a page. Any property is stored and given back as it came.",
            "properties": {
                "uid": {"type": "string", "readOnly": true},
                "environment": {"type": "string", "readOnly": true},
                "view": {"type": "string", "default": "custom"},
                "unique_name": {"type": "string", "description": "Unique in the environment; made from the name when absent."},
                "name": text, "resource": text, "model": text,
                "params": {"type": ["string", "null"], "description": "A string that holds JSON."},
                "draft": {"type": "boolean", "readOnly": true, "description": "Whether the draft differs from the published page."},
                "deleted": {"type": "boolean", "readOnly": true},
                "date_add": {"type": "string", "format": "date-time", "readOnly": true},
            },
            "additionalProperties": true,
        },
        "PageSettingsList": {"type": "array", "items": {"$ref": "#/components/schemas/PageSettings"}},
        "UpdatePageSettings": {
            "type": "object",
            "properties": {
                "params": {"type": "string", "description": "JSON-formatted string carrying the structure to apply."},
            },
            "additionalProperties": true,
        },
        "PageUids": {
            "type": "object",
            "properties": {
                "uids": {
                    "type": "array", "items": {"type": "string"},
                    "description": "The pages; all pages of the environment when absent.",
                },
            },
            "additionalProperties": false,
        },
        "PublishedPages": uids("published"),
        "DiscardedPages": uids("discarded"),
        "PageRevisionList": {
            "type": "array",
            "description": "The newest first, of both layers; the last hundred.",
            "items": {
                "type": "object",
                "required": ["number", "date_add", "author", "draft", "deleted"],
                "properties": {
                    "number": {"type": "integer", "minimum": 1},
                    "date_add": {"type": "string", "format": "date-time"},
                    "author": text,
                    "draft": {"type": "boolean", "description": "Whether it is a change of the draft layer."},
                    "deleted": {"type": "boolean", "description": "Whether the page was deleted by it."},
                },
            },
        },
        "Project": {
            "type": "object",
            "required": ["unique_name", "name"],
            "properties": {
                "unique_name": {"type": "string"}, "name": {"type": "string"},
                "color": text, "domain": text,
                "owner": {"type": ["object", "null"]}, "is_owner": {"type": "boolean"},
                "user": {"type": ["object", "null"]}, "group": {"type": ["object", "null"]},
                "resources": {"type": "array", "items": {"type": "object"}},
                "default_environment": text,
                "environments": {"type": "array", "items": {"type": "object"}},
                "features": {"type": "object"}, "params": {"type": "object"},
            },
        },
        "ProjectPage": {
            "type": "object",
            "required": ["count", "next", "previous", "results"],
            "properties": {
                "count": {"type": ["integer", "null"]}, "next": text, "previous": text,
                "num_pages": {"type": ["integer", "null"]}, "per_page": {"type": "integer"}, "has_more": {"type": "boolean"},
                "results": {"type": "array", "items": {"$ref": "#/components/schemas/Project"}},
            },
        },
        "ProxyRequest": proxy_request(),
        "Invalid": invalid_schema(),
        "Failure": failure_schema(),
    })
}

/// An object of one property that holds the identifiers of pages.
fn uids(name: &str) -> Value {
    json!({
        "type": "object",
        "required": [name],
        "properties": {name: {"type": "array", "items": {"type": "string"}}},
    })
}

fn proxy_request() -> Value {
    let pairs = |description: &str| {
        json!({
            "description": format!("{description}: an array of `{{name, value}}`, an object, or the JSON text of either."),
            "type": ["array", "object", "string", "null"],
        })
    };
    let types = BodyType::ALL.map(BodyType::as_str);
    json!({
        "type": "object",
        "description": "A request to another service. `{-name-}` stands for a secret token of the resource, `{{key}}` for \
            a value of the context. The answer is that of the other service, marked by the header `X-Svc-Proxy`.",
        "required": ["url"],
        "properties": {
            "project": {"type": "string", "description": "That of the session when absent."},
            "environment": {"type": "string", "default": "prod"},
            "resource": {"type": "string", "description": "The resource whose secret tokens are used."},
            "method": {"type": "string", "default": "GET"},
            "url": {"type": "string", "description": "`http` or `https`, of a public host or one that the project allows."},
            "query_params": pairs("Query parameters"),
            "headers": pairs("Headers"),
            "body_type": {"type": "string", "enum": types},
            "body": {"description": "JSON, names and values of a form, or text, as the body type says."},
            "secret_tokens": {"type": "string", "description": "A comma list of the only secret tokens that may be used."},
            "context": {"type": "object"},
            "draft": {"enum": [true, false, 0, 1, "0", "1"]},
        },
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use svc_model::{Paginated, Scope, pages, projects::Project, proxy::ProxyRequest};

    use super::*;

    fn operations() -> Vec<Described> {
        crate::api::application().operations
    }

    #[test]
    fn every_reference_of_the_definition_leads_somewhere() {
        assert!(crate::openapi::check_references(&document(&operations())) > 20);
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
        let schemas = schemas();
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
            ("{uid}/revisions/{number}/restore/", "post"),
        ] {
            assert!(responses(below, method)["200"].is_object(), "{below}");
        }
        assert!(list["post"]["responses"]["201"].is_object());
        assert!(item["delete"]["responses"]["204"].is_object());
    }
}
