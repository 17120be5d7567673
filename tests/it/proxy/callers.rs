//! Who may use the proxy, and for what.

use serde_json::json;

use super::{
    get, place,
    upstream::{Upstream, answer},
};

#[test]
fn a_session_or_a_service_token_is_required() {
    let upstream = Upstream::saying(answer("200 OK", &[], "reached"));
    let body = get(&upstream.url("/"));
    let call = || {
        place()
            .service
            .app_anonymous("POST", "/proxy_request/")
            .json(&body)
    };
    let anonymous = call().expect(401);
    assert!(anonymous.header("www-authenticate").starts_with("JWT"));
    assert_eq!(anonymous.json()["error_code"], "not_authenticated");
    let key = place().service.text("/api_key").to_owned();
    let tools = place().service.text("/tools_token").to_owned();
    let service = place().open.trim_start_matches("JWT ").to_owned();
    for (credential, status) in [
        (format!("Bearer {key}"), 403),
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
        let call = place().service.app_anonymous("POST", path);
        let call = call.authorization(&place().open).json(&body);
        assert_eq!(call.expect(200).body, "reached");
    }
    let call = place().service.app_anonymous("GET", "/proxy_request/");
    assert_eq!(call.expect(405).header("allow"), "POST");
    let call = place()
        .service
        .app_anonymous("POST", "/proxy_request/?page=1");
    call.authorization(&place().open).json(&body).expect(400);
}

#[test]
fn a_user_who_signed_in_uses_it_until_the_session_ends() {
    let place = super::Place::new(&[]);
    let user = [
        "user",
        "add",
        "ann@example.com",
        "--team",
        "Read Only",
        "--project",
        "open",
    ];
    place.admin(&[&user[..], &["--password", "correct horse battery"]].concat());
    let base = place.service.text("/base_url");
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
    assert_eq!(place.call(&session, &body).expect(200).body, "reached");
    let uid = signed_in["user"]["uid"].as_str().expect("a uid");
    // The line is written behind the answer.
    svc_tests::wait_until("the log names the user", || {
        place.service.log().contains(&format!("user {uid}"))
    });
    call("logout").authorization(&session).expect(204);
    svc_tests::wait_until("the session has ended", || {
        place.call(&session, &body).send().status == 401
    });
}

#[test]
fn another_project_environment_or_resource_is_not_for_everybody() {
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
        let refused = place().open(&body).expect(403);
        assert_eq!(refused.json()["error_code"], "permission_denied");
        // It is decided before anything else is looked at.
        body["unknown"] = 1.into();
        body["url"] = 7.into();
        place().open(&body).expect(403);
    }
    for body in [
        json!({"url": url, "project": "open"}),
        json!({"url": url, "environment": "prod"}),
        json!({"url": url, "resource": "crm"}),
    ] {
        place().open(&body).expect(200);
    }
    let missing = json!({"url": url, "resource": "none"});
    assert_eq!(
        place().open(&missing).expect(404).json()["error_code"],
        "not_found"
    );
}

#[test]
fn a_team_that_may_not_read_a_resource_does_not_use_its_secrets() {
    let upstream = Upstream::saying(answer("200 OK", &[], "reached"));
    let body = |resource: &str| json!({"url": upstream.url("/"), "resource": resource});
    let reader = &place().reader;
    place().call(reader, &body("hidden")).expect(403);
    place().call(reader, &body("crm")).expect(200);
    place().call(reader, &get(&upstream.url("/"))).expect(200);
    place().open(&body("hidden")).expect(200);
}
