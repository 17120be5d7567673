//! Every write of the administration leaves its line in the audit trail.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{call, operator, sign_in};
use crate::{audit::assert_documented, people::Home};

/// Calls that write as an operator, and which operations of the API definition they were.
struct Writes {
    home: Home,
    operator: String,
    called: BTreeSet<String>,
}

impl Writes {
    /// Sends a write; checks its status and how many lines it left, each with the caller and a known action.
    #[track_caller]
    fn send(
        &mut self,
        operation: &str,
        path: &str,
        body: Option<Value>,
        (status, lines): (u16, usize),
    ) -> Value {
        self.called.insert(operation.to_owned());
        let (method, _) = operation.split_once(' ').unwrap();
        let mut sent = call(&self.home, &self.operator, method, path);
        if let Some(body) = &body {
            sent = sent.json(body);
        }
        let answer = sent.expect(status);
        let request = answer.header("x-request-id");
        let list = format!("/audit/?request_id={request}");
        let found = call(&self.home, &self.operator, "GET", &list).ok();
        let found = found["results"].as_array().unwrap();
        assert_eq!(found.len(), lines, "{operation}: {found:?}");
        assert_documented(found);
        for line in found {
            assert_eq!(line["actor"], "operator@example.com", "{operation}");
            assert_eq!(line["actor_kind"], "account", "{operation}");
        }
        let shown = serde_json::to_string(found).unwrap();
        assert!(!shown.contains("hunter2"), "{shown}");
        match answer.body.is_empty() {
            true => Value::Null,
            false => answer.json(),
        }
    }

    /// A write that changes or creates one thing, and leaves one line.
    #[track_caller]
    fn one(&mut self, operation: &str, path: &str, body: Value, status: u16) -> Value {
        self.send(operation, path, Some(body), (status, 1))
    }

    /// The end of something.
    #[track_caller]
    fn end(&mut self, operation: &str, path: &str) {
        self.send(operation, path, None, (204, 1));
    }
}

fn uid(answer: &Value) -> &str {
    answer["uid"].as_str().unwrap()
}

#[test]
fn every_write_leaves_one_line_with_the_caller_and_no_secret() {
    let home = Home::new();
    let operator = operator(&home);
    let url = format!("sqlite:{}", home.path().join("shop.db").display());
    let mut writes = Writes {
        home,
        operator,
        called: BTreeSet::new(),
    };
    let w = &mut writes;

    // The account itself. Another session of it is ended.
    w.one(
        "PATCH /account/",
        "/account/",
        json!({"first_name": "Ann"}),
        200,
    );
    let key = w.one(
        "POST /account/api_keys/",
        "/account/api_keys/",
        json!({"name": "k"}),
        201,
    );
    let path = format!("/account/api_keys/{}/", uid(&key));
    w.end("DELETE /account/api_keys/{uid}/", &path);
    sign_in(&w.home, "operator@example.com");
    let sessions = call(&w.home, &w.operator, "GET", "/account/sessions/").ok();
    let mut other = sessions["results"].as_array().unwrap().iter();
    let other = other.rfind(|session| session["current"] == false);
    let path = format!("/account/sessions/{}/", uid(other.unwrap()));
    w.end("DELETE /account/sessions/{uid}/", &path);

    // The service.
    let account = json!({"email": "bo@example.com", "password": "hunter2 hunter2"});
    let account = w.one("POST /accounts/", "/accounts/", account, 201);
    let path = format!("/accounts/{}/", uid(&account));
    w.one(
        "PATCH /accounts/{uid}/",
        &path,
        json!({"last_name": "B"}),
        200,
    );
    let project = json!({"unique_name": "crm", "owner": "bo@example.com"});
    w.one("POST /projects/", "/projects/", project, 201);
    let key = json!({"project": "crm"});
    let key = w.one("POST /api_keys/", "/api_keys/", key, 201);
    assert_eq!(key["email"], "bo@example.com");
    w.end(
        "DELETE /api_keys/{uid}/",
        &format!("/api_keys/{}/", uid(&key)),
    );
    w.one(
        "POST /signing_keys/rotate/",
        "/signing_keys/rotate/",
        json!({}),
        200,
    );

    // A project.
    w.one(
        "PATCH /projects/{project}/",
        "/projects/crm/",
        json!({"name": "CRM"}),
        200,
    );
    w.one(
        "PATCH /projects/{project}/sign_in/",
        "/projects/crm/sign_in/",
        json!({"sign_up": true}),
        200,
    );
    let stage = json!({"unique_name": "stage"});
    let environments = "/projects/crm/environments/";
    let of = "/projects/{project}/environments/";
    w.one(&format!("POST {of}"), environments, stage, 201);
    w.one(
        &format!("PATCH {of}{{name}}/"),
        &format!("{environments}stage/"),
        json!({"name": "S"}),
        200,
    );
    let copied = w.one(
        &format!("POST {of}{{name}}/copy/"),
        &format!("{environments}prod/copy/"),
        json!({"to": "stage"}),
        200,
    );
    assert_eq!(copied["copied_pages"], 0);
    w.end(
        &format!("DELETE {of}{{name}}/"),
        &format!("{environments}stage/"),
    );
    let members = "/projects/crm/members/";
    let of = "/projects/{project}/members/";
    let member = json!({"email": "cy@example.com", "team": "Editor"});
    let member = w.one(&format!("POST {of}"), members, member, 201);
    let path = format!("{members}{}/", uid(&member));
    w.one(
        &format!("PATCH {of}{{uid}}/"),
        &path,
        json!({"team": "Read Only"}),
        200,
    );
    let theirs = json!({"project": "crm", "email": "cy@example.com"});
    let theirs = w.one("POST /api_keys/", "/api_keys/", theirs, 201);
    let key = format!("/projects/crm/api_keys/{}/", uid(&theirs));
    w.end("DELETE /projects/{project}/api_keys/{uid}/", &key);
    w.end(&format!("DELETE {of}{{uid}}/"), &path);
    let teams = "/projects/crm/teams/";
    let of = "/projects/{project}/teams/";
    let team = w.one(&format!("POST {of}"), teams, json!({"name": "Sales"}), 201);
    let path = format!("{teams}{}/", uid(&team));
    w.one(
        &format!("PATCH {of}{{uid}}/"),
        &path,
        json!({"name": "Support"}),
        200,
    );
    let rule = json!({"team": "Support", "rights": ["read"]});
    let rule = w.one(
        "PUT /projects/{project}/rights/",
        "/projects/crm/rights/",
        rule,
        201,
    );
    w.end(
        "DELETE /projects/{project}/rights/{uid}/",
        &format!("/projects/crm/rights/{}/", uid(&rule)),
    );
    w.end(&format!("DELETE {of}{{uid}}/"), &path);
    let hosts = "/projects/crm/allowed_hosts/";
    let of = "/projects/{project}/allowed_hosts/";
    w.one(&format!("POST {of}"), hosts, json!({"host": "a.test"}), 201);
    w.end(&format!("DELETE {of}{{host}}/"), &format!("{hosts}a.test/"));

    // An environment. A new database gets a token, which has its own line; a test changes nothing.
    let of = "/projects/{project}/{environment}";
    let prod = "/projects/crm/prod";
    let test = format!("{prod}/resources/test/");
    w.send(
        &format!("POST {of}/resources/test/"),
        &test,
        Some(json!({"url": url})),
        (200, 0),
    );
    w.send(
        &format!("POST {of}/resources/"),
        &format!("{prod}/resources/"),
        Some(json!({"unique_name": "shop", "url": url})),
        (201, 2),
    );
    w.one(
        &format!("PATCH {of}/resources/{{name}}/"),
        &format!("{prod}/resources/shop/"),
        json!({"name": "Shop"}),
        200,
    );
    let token = w.one(
        &format!("POST {of}/tokens/"),
        &format!("{prod}/tokens/"),
        json!({"resource": "shop"}),
        201,
    );
    w.end(
        &format!("DELETE {of}/tokens/{{uid}}/"),
        &format!("{prod}/tokens/{}/", uid(&token)),
    );
    let token = w.one(
        &format!("POST {of}/service_tokens/"),
        &format!("{prod}/service_tokens/"),
        json!({"team": "Editor"}),
        201,
    );
    w.end(
        &format!("DELETE {of}/service_tokens/{{uid}}/"),
        &format!("{prod}/service_tokens/{}/", uid(&token)),
    );
    let secret =
        json!({"resource": "shop", "name": "s", "hosts": ["a.test"], "value": "hunter2-secret"});
    w.one(
        &format!("PUT {of}/secrets/"),
        &format!("{prod}/secrets/"),
        secret,
        201,
    );
    w.end(
        &format!("DELETE {of}/secrets/{{resource}}/{{name}}/"),
        &format!("{prod}/secrets/shop/s/"),
    );
    let item = json!({"kind": "view", "name": "v", "value": {}});
    let item = w.one(
        &format!("POST {of}/items/"),
        &format!("{prod}/items/"),
        item,
        201,
    );
    let path = format!("{prod}/items/{}/", uid(&item));
    w.one(
        &format!("PATCH {of}/items/{{uid}}/"),
        &path,
        json!({"name": "w"}),
        200,
    );
    w.end(&format!("DELETE {of}/items/{{uid}}/"), &path);
    let users = format!("{prod}/users/");
    let user = json!({"email": "u@example.com", "team": "Editor", "password": "hunter2 hunter2"});
    let user = w.one(&format!("POST {of}/users/"), &users, user, 201);
    assert_eq!(user["has_password"], true);
    let path = format!("{users}{}/", uid(&user));
    let login = w
        .home
        .service()
        .root("POST", &format!("{prod}/auth/login/"));
    let login = login.json(&json!({"email": "u@example.com", "password": "hunter2 hunter2"}));
    login.ok();
    let sessions = format!("{path}sessions/");
    let session = call(&w.home, &w.operator, "GET", &sessions).ok();
    w.end(
        &format!("DELETE {of}/users/{{uid}}/sessions/{{session}}/"),
        &format!("{sessions}{}/", uid(&session["results"][0])),
    );
    let invited = json!({"email": "v@example.com", "team": "Editor"});
    let invited = w.one(&format!("POST {of}/users/"), &users, invited, 201);
    for (action, user) in [("suspend", &user), ("resume", &user), ("invite", &invited)] {
        w.send(
            &format!("POST {of}/users/{{uid}}/{action}/"),
            &format!("{users}{}/{action}/", uid(user)),
            None,
            (200, 1),
        );
    }
    w.end(
        &format!("DELETE {of}/resources/{{name}}/"),
        &format!("{prod}/resources/shop/"),
    );

    // The end. The new owner is the last administrator of the project until it is gone.
    w.end("DELETE /projects/{project}/", "/projects/crm/?confirm=crm");
    let path = format!("/accounts/{}/", uid(&account));
    w.end("DELETE /accounts/{uid}/", &path);

    let document = w.home.service().app_anonymous("GET", "/openapi.json").ok();
    let mut missed = Vec::new();
    for (template, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let name = format!("{} {template}", method.to_uppercase());
            let administers = operation["x-level"].is_string() && method != "get";
            // Pages and the proxy have tests of their own.
            let is_other = template.contains("/view_settings/");
            if administers && !is_other && !w.called.contains(&name) {
                missed.push(name);
            }
        }
    }
    assert_eq!(missed, Vec::<String>::new(), "not called here");
}
