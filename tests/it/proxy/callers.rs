//! The permissions of callers of the proxy.

use serde_json::json;

use super::{
    get, setup,
    upstream::{Upstream, answer},
};

#[test]
fn a_session_or_a_service_token_is_required() {
    let upstream = Upstream::saying(answer("200 OK", &[], "reached"));
    let body = get(&upstream.url("/"));
    let call = || {
        setup()
            .service
            .app_anonymous("POST", "/proxy_request/")
            .json(&body)
    };
    let anonymous = call().expect(401);
    assert!(anonymous.header("www-authenticate").starts_with("JWT"));
    assert_eq!(anonymous.json()["error_code"], "not_authenticated");
    let key = setup().service.text("/api_key").to_owned();
    let tools = setup().service.text("/tools_token").to_owned();
    let service = setup().open.trim_start_matches("JWT ").to_owned();
    for (credential, status) in [
        // An account names the project.
        (format!("Bearer {key}"), 400),
        (tools.clone(), 403),
        (format!("Bearer {tools}"), 403),
        (format!("JWT {key}"), 401),
        (format!("JWT {tools}"), 401),
        (service.clone(), 401),
        (format!("Bearer {service}"), 401),
        ("JWT a.b.c".to_owned(), 401),
        ("JWT".to_owned(), 401),
        ("Bearer unknown".to_owned(), 401),
        (format!("JWT {service}x"), 401),
    ] {
        let refused = call().authorization(&credential).expect(status);
        assert_eq!(refused.header("x-svc-proxy"), "");
    }
    assert!(upstream.seen().is_empty());
    for path in [
        "/proxy_request",
        "/proxy_request/",
        "/proxy_request/?draft=1",
    ] {
        let call = setup().service.app_anonymous("POST", path);
        let call = call.authorization(&setup().open).json(&body);
        assert_eq!(call.expect(200).body, "reached");
    }
    let mut of_account = body.clone();
    // Its account is a member of the first.
    for (project, status) in [("open", 200), ("closed", 403), ("other", 403)] {
        of_account["project"] = json!(project);
        let by_key = call().authorization(&format!("Bearer {key}"));
        by_key.json(&of_account).expect(status);
    }
    let call = setup().service.app_anonymous("GET", "/proxy_request/");
    assert_eq!(call.expect(405).header("allow"), "POST");
    let call = setup()
        .service
        .app_anonymous("POST", "/proxy_request/?page=1");
    call.authorization(&setup().open).json(&body).expect(400);
}

#[test]
fn a_signed_in_user_can_use_the_proxy_until_the_session_ends() {
    let setup = super::Setup::new(&[]);
    let user = [
        "user",
        "add",
        "ann@example.com",
        "--team",
        "Read Only",
        "--project",
        "open",
    ];
    setup.admin(&[&user[..], &["--password", "correct horse battery"]].concat());
    let base = setup.service.text("/base_url");
    let login = json!({"email": "ann@example.com", "password": "correct horse battery"});
    let call = |path: &str| {
        svc_tests::Call::new("POST", &format!("{base}/projects/open/prod/auth/{path}"))
    };
    let signed_in = call("login").json(&login).ok();
    let session = format!(
        "JWT {}",
        signed_in["token"]["access_token"]
            .as_str()
            .expect("a token")
    );
    let upstream = Upstream::saying(answer("200 OK", &[], "reached"));
    let body = get(&upstream.url("/"));
    assert_eq!(setup.call(&session, &body).expect(200).body, "reached");
    let uid = signed_in["user"]["uid"].as_str().expect("a uid");
    // The line is written after the response.
    svc_tests::wait_until("the log names the user", || {
        setup.service.log().contains(&format!("user {uid}"))
    });
    call("logout").authorization(&session).expect(204);
    svc_tests::wait_until("the session has ended", || {
        setup.call(&session, &body).send().status == 401
    });
}

#[test]
fn other_projects_environments_and_resources_require_rights() {
    let upstream = Upstream::saying(answer("200 OK", &[], "reached"));
    let url = upstream.url("/");
    for place_of in [
        json!({"project": "closed"}),
        json!({"project": "none"}),
        json!({"environment": "staging"}),
        json!({"resource": "__svc_app__"}),
    ] {
        let mut body = place_of;
        body["url"] = url.clone().into();
        let refused = setup().open(&body).expect(403);
        assert_eq!(refused.json()["error_code"], "permission_denied");
        // This is checked before everything else.
        body["unknown"] = 1.into();
        body["url"] = 7.into();
        setup().open(&body).expect(403);
    }
    for body in [
        json!({"url": url, "project": "open"}),
        json!({"url": url, "environment": "prod"}),
        json!({"url": url, "resource": "crm"}),
    ] {
        setup().open(&body).expect(200);
    }
    let missing = json!({"url": url, "resource": "none"});
    assert_eq!(
        setup().open(&missing).expect(404).json()["error_code"],
        "not_found"
    );
}

#[test]
fn a_team_that_may_not_read_a_resource_may_not_use_its_secrets() {
    let upstream = Upstream::saying(answer("200 OK", &[], "reached"));
    let body = |resource: &str| json!({"url": upstream.url("/"), "resource": resource});
    let reader = &setup().reader;
    setup().call(reader, &body("hidden")).expect(403);
    setup().call(reader, &body("crm")).expect(200);
    setup().call(reader, &get(&upstream.url("/"))).expect(200);
    setup().open(&body("hidden")).expect(200);
}
