//! Lines of the application host: writes to the service itself.

use super::*;

#[test]
fn every_write_to_the_service_itself_leaves_one_line_with_the_caller() {
    let folder = tempfile::tempdir().unwrap();
    Connection::open(folder.path().join("s.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, note TEXT)")
        .unwrap();
    let service = Service::start(
        folder.path(),
        &[
            "serve",
            "--connect=s=sqlite:s.db",
            "--tries-per-account=1000",
            "--tries-per-address=1000",
        ],
    );
    let on = ["project", "set", "main", "--sign-up", "on"];
    Program::new(folder.path(), &on).run_ok();
    let audited = AuditedService {
        folder,
        service,
        called: Mutex::default(),
    };
    let service = &audited.service;
    let shape = |line: &Value| {
        (
            text(line, "action").to_owned(),
            text(line, "actor_kind").to_owned(),
            line["before"].is_string(),
            line["after"].is_string(),
        )
    };
    let is = |line: &Value, action: &str, actor: &str, before: bool, after: bool| {
        assert_eq!(
            shape(line),
            (action.to_owned(), actor.to_owned(), before, after),
            "{line}"
        );
    };

    // Pages.
    let list = "/projects/{project}/{environment}/view_settings/";
    let item = "/projects/{project}/{environment}/view_settings/{uid}/";
    let pages = "/projects/main/prod/view_settings/";
    let new = json!({"name": CONTENT, "params": "{}"});
    let (made, line) = audited.write(
        &format!("POST {list}"),
        service.app("POST", pages).json(&new),
        201,
    );
    is(&line, "pages.create", "api_key", false, true);
    assert_eq!(text(&line, "after"), tag(&made));
    let page = made.json();
    let page = page["uid"].as_str().unwrap();
    assert_eq!(text(&line, "record"), page);
    assert!(text(&line, "actor").contains('@'), "{line}");
    let path = format!("{pages}{page}/");
    let patch = |params: &str| service.app("PATCH", &path).json(&json!({"params": params}));
    let (updated, line) = audited.write(&format!("PATCH {item}"), patch("[1]"), 200);
    is(&line, "pages.update", "api_key", true, true);
    assert_eq!(text(&line, "before"), tag(&made));
    assert_eq!(text(&line, "after"), tag(&updated));
    audited.quiet(&format!("PATCH {item}"), patch("{"), 400);
    audited.quiet("read", service.app("GET", &path), 200);
    audited.quiet("read", service.app("GET", "/projects/"), 200);

    // Drafts.
    let draft = |params: &str| {
        let call = service.app("PATCH", &format!("{path}?draft=1"));
        call.json(&json!({"params": params}))
    };
    for (done, action, params) in [
        ("publish", "pages.publish", "[2]"),
        ("discard", "pages.discard", "[3]"),
    ] {
        let shown = |draft: u8| {
            tag(&service
                .app("GET", &format!("{path}?draft={draft}"))
                .expect(200))
        };
        let (_, line) = audited.write(&format!("PATCH {item}"), draft(params), 200);
        is(&line, "pages.update_draft", "api_key", true, true);
        let layer = u8::from(done == "discard");
        let before = shown(layer);
        let call = service.app("POST", &format!("{pages}{done}/"));
        let call = call.json(&json!({"uids": [page]}));
        let (_, line) = audited.write(&format!("POST {list}{done}/"), call, 200);
        is(&line, action, "api_key", true, true);
        assert_eq!(text(&line, "record"), page);
        assert_eq!(text(&line, "before"), before);
        assert_eq!(text(&line, "after"), shown(layer));
        assert_ne!(line["before"], line["after"]);
    }
    let restore = service.app("POST", &format!("{path}revisions/1/restore/"));
    let (_, line) = audited.write(
        &format!("POST {item}revisions/{{number}}/restore/"),
        restore,
        200,
    );
    is(&line, "pages.restore", "api_key", true, true);
    let gone = |query: &str| service.app("DELETE", &format!("{path}{query}"));
    let (_, line) = audited.write(&format!("DELETE {item}"), gone("?draft=1"), 204);
    is(&line, "pages.delete_draft", "api_key", true, false);
    // A page that is only in the drafts is created and deleted.
    for (done, before, after) in [("discard", true, false), ("publish", false, true)] {
        let new = service.app("POST", &format!("{pages}?draft=1"));
        let new = new.json(&json!({"name": CONTENT}));
        let (made, line) = audited.write(&format!("POST {list}"), new, 201);
        is(&line, "pages.create_draft", "api_key", false, true);
        let call = service.app("POST", &format!("{pages}{done}/"));
        let call = call.json(&json!({"uids": [made.json()["uid"]]}));
        let (_, line) = audited.write(&format!("POST {list}{done}/"), call, 200);
        is(&line, &format!("pages.{done}"), "api_key", before, after);
    }
    let delete = service.app("DELETE", &path);
    let (_, line) = audited.write(&format!("DELETE {item}"), delete, 204);
    is(&line, "pages.delete", "api_key", true, false);
    let document = service.app_anonymous("GET", "/openapi.json").ok();
    let called = audited.called.lock().unwrap().clone();
    let missed = writing(&document);
    // The lines of the proxy and of the administration have separate tests.
    let missed = missed
        .difference(&called)
        .filter(|call| !administers(&document, call));
    let missed: Vec<_> = missed.collect();
    assert_eq!(missed, ["POST /proxy_request/"], "not called here");

    // Users and teams.
    let tools_token = service.text("/tools_token");
    let tools = |method: &str, path: &str| {
        let call = service.data_anonymous(method, "__svc_app__", path);
        call.authorization(tools_token)
    };
    let groups = tools("GET", "/models/groups?_order_by=name").ok();
    let group = |name: &str| -> String {
        let found = groups["results"].as_array().unwrap().iter();
        let mut found = found.filter(|group| group["name"] == name);
        found.next().unwrap()["uid"].as_str().unwrap().to_owned()
    };
    let new = json!({"email": "eve@example.com", "group": group("Administrator")});
    let create = || tools("POST", "/models/users").json(&new);
    let (made, line) = audited.write("POST /models/users", create(), 201);
    is(&line, "users.create", "static_token", false, true);
    assert_eq!(text(&line, "actor"), &tools_token[..11]);
    assert_eq!(text(&line, "resource"), "__svc_app__");
    assert_eq!(text(&line, "model"), "users");
    let eve = made.json()["uid"].as_str().unwrap().to_owned();
    assert_eq!(text(&line, "record"), eve);
    audited.quiet("POST /models/users", create(), 400);
    let invitation = audited.code();
    let path = format!("/models/users/{eve}");
    let patch = tools("PATCH", &path).json(&json!({"first_name": CONTENT}));
    let (_, changed) = audited.write("PATCH /models/users/{id}", patch, 200);
    is(&changed, "users.update", "static_token", true, true);
    assert_eq!(changed["before"], line["after"]);
    let delete = tools("DELETE", &path);
    audited.quiet("DELETE /models/users/{id}", delete, 400);
    let other = json!({"email": "bob@example.com", "group": group("Editor")});
    let (other, _) = audited.write(
        "POST /models/users",
        tools("POST", "/models/users").json(&other),
        201,
    );
    let other = format!("/models/users/{}", other.json()["uid"].as_str().unwrap());
    let (_, line) = audited.write("DELETE /models/users/{id}", tools("DELETE", &other), 204);
    is(&line, "users.delete", "static_token", true, false);
    let team = format!("/models/groups/{}", group("Editor"));
    let rename = tools("PATCH", &team).json(&json!({"name": "Writers"}));
    let (_, line) = audited.write("PATCH /models/groups/{id}", rename, 200);
    is(&line, "teams.update", "static_token", true, true);
    let sql = json!({"query": "SELECT 1"});
    let sql = tools("POST", "/sql_get_query").json(&sql);
    audited.quiet("POST /sql_get_query", sql, 400);
    for (operation, body) in [
        ("POST /models/users/aggregate", json!({"func": "count"})),
        ("POST /models/groups/aggregate", json!({"func": "count"})),
        (
            "POST /models/users/group",
            json!({"x_column": "group", "y_func": "count"}),
        ),
        (
            "POST /models/groups/group",
            json!({"x_column": "name", "y_func": "count"}),
        ),
        ("POST /reload", json!({})),
    ] {
        let (method, path) = operation.split_once(' ').unwrap();
        audited.quiet(operation, tools(method, path).json(&body), 200);
    }
    let document = tools("GET", "/openapi.json").ok();
    let called = audited.called.lock().unwrap().clone();
    let missed: Vec<_> = writing(&document).difference(&called).cloned().collect();
    assert_eq!(missed, Vec::<String>::new(), "not called here");

    // Accounts.
    let auth = |call: &str, body: &Value| service.data_anonymous("POST", "auth", call).json(body);
    let account = |call: &str, body: Value, status: u16| {
        let path = format!("/projects/{{project}}/{{environment}}/auth{call}");
        audited.write(&path, auth(call, &body), status)
    };
    let by_eve = |line: &Value, action: &str, before: bool, after: bool| {
        is(line, action, "user", before, after);
        assert_eq!(text(line, "actor"), "eve@example.com");
        assert_eq!(text(line, "actor_uid"), eve);
        assert_eq!(text(line, "record"), eve);
    };
    let accepted = json!({"code": invitation, "password": PASSWORD});
    let (_, line) = account("/accept_invitation", accepted, 200);
    by_eve(&line, "account.accept_invitation", true, true);
    let wrong = json!({"email": "eve@example.com", "password": "not the password"});
    audited.quiet("login", auth("/login", &wrong), 401);
    let right = json!({"email": "eve@example.com", "password": PASSWORD});
    let (answer, line) = account("/login", right, 200);
    by_eve(&line, "account.login", false, false);
    let tokens = answer.json()["token"].clone();
    let session = |tokens: &Value| format!("JWT {}", tokens["access_token"].as_str().unwrap());
    let body = json!({"refresh_token": tokens["refresh_token"]});
    let path = |call: &str| format!("/projects/{{project}}/{{environment}}/auth{call}");
    let answer = audited.quiet(&path("/refresh"), auth("/refresh", &body), 200);
    let jwt = session(&answer.json());
    audited.quiet(
        "read",
        service
            .data_anonymous("GET", "auth", "/user")
            .authorization(&jwt),
        200,
    );
    // A user may write records but not pages.
    let create = service
        .data_anonymous("POST", "s", "/models/t")
        .authorization(&jwt)
        .json(&json!({"note": CONTENT}));
    let (_, line) = audited.write("POST /models/t", create, 201);
    is(&line, "records.create", "user", false, true);
    assert_eq!(text(&line, "actor"), "eve@example.com");
    let made = Program::new(
        audited.folder.path(),
        &[
            "service-token",
            "add",
            "--team",
            "Writers",
            "--project",
            "main",
            "--json",
        ],
    );
    let made = made.run_json();
    let service_token = made["token"].as_str().unwrap();
    let create = || {
        let call = service.data_anonymous("POST", "s", "/models/t");
        call.authorization(&format!("JWT {service_token}"))
            .json(&json!({"note": CONTENT}))
    };
    wait_until("the service token is known", || {
        create().send().status == 201
    });
    let (_, line) = audited.write("POST /models/t", create(), 201);
    is(&line, "records.create", "service_token", false, true);
    assert_eq!(text(&line, "actor"), &service_token[..11]);

    let change = auth(
        "/change_password",
        &json!({"new_password": "a new password", "current_password": PASSWORD}),
    );
    let (answer, line) = audited.write(&path("/change_password"), change.authorization(&jwt), 200);
    by_eve(&line, "account.change_password", true, true);
    assert_ne!(line["before"], line["after"]);
    let jwt = session(&answer.json()["new_state"]);
    let wrong = json!({"new_password": "a new password", "current_password": "wrong"});
    let wrong = auth("/change_password", &wrong).authorization(&jwt);
    audited.quiet(&path("/change_password"), wrong, 400);
    let body = json!({"new_email": "eva@example.com", "current_password": "a new password"});
    let change = auth("/change_email", &body).authorization(&jwt);
    let (_, line) = audited.write(&path("/change_email"), change, 200);
    by_eve(&line, "account.change_email", false, false);
    let code = audited.code();
    let (_, line) = account("/change_email_complete", json!({"code": code}), 200);
    by_eve(&line, "account.change_email_complete", true, true);
    let (_, line) = account("/reset_password", json!({"email": "eva@example.com"}), 200);
    is(&line, "account.reset_password", "anonymous", false, false);
    assert_eq!(text(&line, "record"), eve);
    let nobody = json!({"email": "nobody@example.com"});
    let (_, line) = account("/reset_password", nobody, 200);
    assert_eq!(line["record"], Value::Null, "{line}");
    let reset = json!({"code": audited.code(), "new_password": "the third password"});
    let (answer, line) = account("/reset_password_complete", reset, 200);
    is(&line, "account.reset_password_complete", "user", true, true);
    let jwt = session(&answer.json()["new_state"]);
    let register = json!({"email": "new@example.com", "password": PASSWORD});
    for known in [false, true] {
        let (_, line) = account("/register", register.clone(), 201);
        is(&line, "account.register", "anonymous", known, true);
    }
    let own = |method: &str, below: &str| {
        let call = service.data_anonymous(method, "auth", &format!("/sessions{below}"));
        call.authorization(&jwt)
    };
    let third = json!({"email": "eva@example.com", "password": "the third password"});
    account("/login", third.clone(), 200);
    let page = audited
        .quiet(&path("/sessions"), own("GET", ""), 200)
        .json();
    let sessions = page["results"].as_array().unwrap();
    let other = sessions.iter().find(|session| session["current"] == false);
    let other = other.unwrap()["uid"].as_str().unwrap();
    let end = own("DELETE", &format!("/{other}"));
    let (_, line) = audited.write(&path("/sessions/{uid}"), end, 204);
    is(&line, "account.end_session", "user", false, false);
    assert_eq!(text(&line, "record"), eve);
    account("/login", third, 200);
    let (_, line) = audited.write(&path("/sessions"), own("DELETE", ""), 204);
    is(&line, "account.end_other_sessions", "user", false, false);
    // Where no other session is left, nothing is written.
    audited.quiet(&path("/sessions"), own("DELETE", ""), 204);
    let logout = service
        .data_anonymous("POST", "auth", "/logout")
        .authorization(&jwt);
    let (_, line) = audited.write(&path("/logout"), logout, 204);
    is(&line, "account.logout", "user", false, false);
    {
        use svc_auth::account::*;
        use svc_model::wire::Operation as _;
        let called = audited.called.lock().unwrap();
        for operation in [
            Login::INFO,
            Refresh::INFO,
            Register::INFO,
            ChangePassword::INFO,
            ResetPassword::INFO,
            ResetPasswordComplete::INFO,
            ChangeEmail::INFO,
            ChangeEmailComplete::INFO,
            AcceptInvitation::INFO,
            Logout::INFO,
            EndSession::INFO,
            EndOtherSessions::INFO,
        ] {
            let path = operation.path_template;
            assert!(called.contains(path), "{path}");
        }
    }

    let trail = Program::new(
        audited.folder.path(),
        &["audit", "list", "--all", "--format=csv"],
    );
    let trail = trail.run_ok();
    let secrets = [
        CONTENT,
        PASSWORD,
        "a new password",
        "the third password",
        "nobody@example.com",
        "argon2",
        &invitation,
        &code,
        service_token,
        tools_token,
        service.text("/api_key"),
        tokens["refresh_token"].as_str().unwrap(),
        tokens["access_token"].as_str().unwrap(),
    ];
    for secret in secrets {
        assert!(!trail.contains(secret), "{secret}");
    }
    assert_documented(&lines(audited.folder.path(), &["--all"]));
}

/// Whether a call, as `POST /account/`, is one of the administration, or of the sign-in of accounts.
fn administers(document: &Value, call: &str) -> bool {
    let (method, path) = call.split_once(' ').expect("a method and a path");
    let operation = &document["paths"][path][method.to_lowercase()];
    operation["x-level"].is_string() || path.starts_with("/account/auth/")
}
