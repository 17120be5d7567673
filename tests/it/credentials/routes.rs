//! Every route requires a credential, except for those that are named here.

use serde_json::json;

use crate::{people::home, shared::demo};

/// Every route that requires a credential of a service or its operator: method and path.
const ROUTES: &[(&str, &str)] = &[
    ("GET", "/api/projects/"),
    ("GET", "/api/projects/demo/"),
    ("GET", "/api/projects/demo/prod/view_settings/"),
    ("POST", "/api/projects/demo/prod/view_settings/"),
    ("GET", "/api/projects/demo/prod/view_settings/x/"),
    ("PATCH", "/api/projects/demo/prod/view_settings/x/"),
    ("DELETE", "/api/projects/demo/prod/view_settings/x/"),
    ("GET", "/projects/demo/prod/shop/models/orders"),
    ("POST", "/projects/demo/prod/shop/models/orders"),
    ("GET", "/projects/demo/prod/shop/models/orders/1"),
    ("PATCH", "/projects/demo/prod/shop/models/orders/1"),
    ("PUT", "/projects/demo/prod/shop/models/orders/1"),
    ("DELETE", "/projects/demo/prod/shop/models/orders/1"),
    ("GET", "/projects/demo/prod/shop/models/orders/aggregate"),
    ("POST", "/projects/demo/prod/shop/models/orders/aggregate"),
    ("GET", "/projects/demo/prod/shop/models/orders/group"),
    ("POST", "/projects/demo/prod/shop/models/orders/group"),
    ("POST", "/projects/demo/prod/shop/models/orders/bulk_create"),
    ("POST", "/projects/demo/prod/shop/models/orders/imports"),
    ("GET", "/projects/demo/prod/shop/models/orders/imports/1"),
    (
        "GET",
        "/projects/demo/prod/shop/models/orders/imports/1/refused",
    ),
    (
        "POST",
        "/projects/demo/prod/shop/models/orders/imports/1/cancel",
    ),
    (
        "POST",
        "/projects/demo/prod/shop/models/orders/imports/1/resume",
    ),
    (
        "GET",
        "/projects/demo/prod/shop/models/orders/1/get_siblings",
    ),
    ("GET", "/projects/demo/prod/shop/models/orders/1/references"),
    ("GET", "/projects/demo/prod/shop/models/orders/1/status"),
    ("POST", "/projects/demo/prod/shop/sql_get_query"),
    ("POST", "/projects/demo/prod/shop/functions/f"),
    ("GET", "/projects/demo/prod/shop/statements"),
    ("DELETE", "/projects/demo/prod/shop/statements/x"),
    ("GET", "/projects/demo/prod/__svc_app__/statements"),
    ("POST", "/projects/demo/prod/shop/reload"),
    ("POST", "/projects/demo/prod/__svc_app__/reload"),
    ("GET", "/projects/demo/prod/shop/model_descriptions"),
    ("GET", "/projects/demo/prod/shop/openapi.json"),
    ("GET", "/projects/demo/prod/__svc_app__/models/users"),
    ("POST", "/projects/demo/prod/__svc_app__/models/users"),
    ("GET", "/projects/demo/prod/__svc_app__/models/users/1"),
    ("PATCH", "/projects/demo/prod/__svc_app__/models/users/1"),
    ("PUT", "/projects/demo/prod/__svc_app__/models/users/1"),
    ("DELETE", "/projects/demo/prod/__svc_app__/models/users/1"),
    (
        "GET",
        "/projects/demo/prod/__svc_app__/models/users/1/get_siblings",
    ),
    (
        "GET",
        "/projects/demo/prod/__svc_app__/models/users/1/email",
    ),
    (
        "GET",
        "/projects/demo/prod/__svc_app__/models/users/aggregate",
    ),
    (
        "POST",
        "/projects/demo/prod/__svc_app__/models/users/aggregate",
    ),
    ("GET", "/projects/demo/prod/__svc_app__/models/users/group"),
    ("POST", "/projects/demo/prod/__svc_app__/models/users/group"),
    (
        "POST",
        "/projects/demo/prod/__svc_app__/models/users/bulk_create",
    ),
    ("GET", "/projects/demo/prod/__svc_app__/models/groups"),
    ("POST", "/projects/demo/prod/__svc_app__/models/groups"),
    ("GET", "/projects/demo/prod/__svc_app__/models/groups/1"),
    ("PATCH", "/projects/demo/prod/__svc_app__/models/groups/1"),
    ("PUT", "/projects/demo/prod/__svc_app__/models/groups/1"),
    ("DELETE", "/projects/demo/prod/__svc_app__/models/groups/1"),
    ("POST", "/projects/demo/prod/__svc_app__/sql_get_query"),
    ("GET", "/projects/demo/prod/__svc_app__/model_descriptions"),
    ("GET", "/projects/demo/prod/__svc_app__/openapi.json"),
];

/// Every route that requires the session of a user.
const SESSION_ROUTES: &[(&str, &str)] = &[
    ("POST", "/api/proxy_request"),
    ("GET", "/projects/demo/prod/auth/user"),
    ("POST", "/projects/demo/prod/auth/logout"),
    ("GET", "/projects/demo/prod/auth/sessions"),
    ("DELETE", "/projects/demo/prod/auth/sessions"),
    ("DELETE", "/projects/demo/prod/auth/sessions/x"),
    ("POST", "/projects/demo/prod/auth/change_password"),
    ("POST", "/projects/demo/prod/auth/change_email"),
];

/// The anonymous account calls, with their data in the body. The only other open routes are the health checks and the
/// API definition of the application host.
const OPEN_CALLS: &[&str] = &[
    "login",
    "refresh",
    "register",
    "reset_password",
    "reset_password_complete",
    "accept_invitation",
    "change_email_complete",
];

#[test]
fn no_route_works_without_a_credential() {
    for (method, path) in ROUTES {
        for path in [
            *path,
            path.trim_end_matches('/'),
            &format!("{path}?/healthz"),
        ] {
            let answer = demo().root(method, path).expect(401);
            assert_eq!(
                answer.json()["error_code"],
                "not_authenticated",
                "{method} {path}"
            );
            assert!(
                answer.header("www-authenticate").starts_with("Bearer"),
                "{method} {path}"
            );
        }
    }
}

#[test]
fn no_account_call_of_a_user_works_without_a_session() {
    for (method, path) in SESSION_ROUTES {
        for path in [
            *path,
            &format!("{path}/"),
            &format!("{path}?/healthz"),
            &format!("{path}?draft=1"),
        ] {
            let answer = demo().root(method, path).expect(401);
            assert_eq!(
                answer.json()["error_code"],
                "not_authenticated",
                "{method} {path}"
            );
            assert!(
                answer.header("www-authenticate").starts_with("JWT"),
                "{method} {path}"
            );
        }
    }
}

#[test]
fn anonymous_account_calls_require_their_fields() {
    // Not the shared demo: tries are counted, and other tests call it too.
    let service = home().service();
    for name in OPEN_CALLS {
        for slash in ["", "/"] {
            let path = format!("/projects/main/prod/auth/{name}{slash}");
            for body in ["{}", ""] {
                let answer = service.root("POST", &path).body(body).expect(400);
                assert_eq!(answer.header("www-authenticate"), "", "{path}");
            }
        }
    }
}

#[test]
fn every_described_operation_requires_a_credential() {
    let tools = demo()
        .data_anonymous("GET", "__svc_app__", "/openapi.json")
        .authorization(demo().text("/tools_token"));
    let shop = demo().data("GET", "shop", "/openapi.json");
    let application = demo().app_anonymous("GET", "/openapi.json");
    let mut tried = 0;
    for (document, base) in [
        (application.ok(), "/api"),
        (shop.ok(), "/projects/demo/prod/shop"),
        (tools.ok(), "/projects/demo/prod/__svc_app__"),
    ] {
        for (path, methods) in document["paths"].as_object().unwrap() {
            let path = path
                .replace("{project}", "demo")
                .replace("{environment}", "prod")
                .replace(['{', '}'], "");
            for method in ["get", "post", "put", "patch", "delete"] {
                let needs_none = methods[method]["security"] == json!([]);
                if methods[method].is_object() && !needs_none {
                    let method = method.to_uppercase();
                    demo().root(&method, &format!("{base}{path}")).expect(401);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 60, "{tried}");
}
