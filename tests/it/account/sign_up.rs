//! The rules of a project for registration.

use serde_json::json;
use svc_tests::Call;

use crate::people::{Home, PASSWORD, named};

#[test]
fn nobody_registers_where_sign_up_is_off() {
    let home = Home::new();
    let register = |place: &str| {
        let base = home.service().text("/base_url");
        let call = Call::new("POST", &format!("{base}/projects/{place}/auth/register"));
        call.json(&json!({"email": "new@example.com", "password": PASSWORD}))
    };
    home.run(&["project", "set", "main", "--sign-up", "off"]);
    let refused = register("main/prod").expect(403);
    assert_eq!(refused.json()["error_code"], "permission_denied");
    // The response does not reveal whether the project exists.
    for place in ["none/prod", "main/none"] {
        assert_eq!(register(place).expect(403).body, refused.body, "{place}");
    }
    let body = json!({"email": "new@example.com", "password": PASSWORD});
    home.auth("login", &body).expect(401);
    assert!(home.mails("new@example.com").is_empty());
    // Errors in the call itself are not secret, but whether the address is acceptable is.
    assert_eq!(
        named(&home.auth("register", &json!({})).expect(400)),
        ["email", "password"]
    );
    home.auth("register", &json!({"email": "no address", "password": "x"}))
        .expect(403);
    home.run(&["project", "set", "main", "--sign-up", "on"]);
    home.auth("register", &body).expect(201);
}

#[test]
fn sign_up_is_off_in_a_new_project_and_a_new_service() {
    let folder = tempfile::tempdir().unwrap();
    let service = svc_tests::Service::start(folder.path(), &["serve"]);
    let call = service.root("POST", "/projects/main/prod/auth/register");
    let body = json!({"email": "new@example.com", "password": PASSWORD});
    call.json(&body).expect(403);
    svc_tests::Program::new(folder.path(), &["project", "add", "other"]).run_ok();
    let call = service.root("POST", "/projects/other/prod/auth/register");
    call.json(&body).expect(403);
}

#[test]
fn rules_for_domains_and_confirmation_apply_to_every_registration() {
    let home = Home::new();
    home.run(&[
        "project",
        "set",
        "main",
        "--email-domains",
        "example.com",
        "--sign-up-team",
        "editor",
    ]);
    let register =
        |email: &str| home.auth("register", &json!({"email": email, "password": PASSWORD}));
    for other in [
        "a@example.org",
        "a@sub.example.com",
        "a@example.com.evil.org",
        "example.com@evil.org",
    ] {
        assert_eq!(named(&register(other).expect(400)), ["email"], "{other}");
    }
    let uid = register("ann@EXAMPLE.com").expect(201).json()["user"]["uid"].clone();
    let login = |password: &str| {
        home.auth(
            "login",
            &json!({"email": "ann@example.com", "password": password}),
        )
    };
    assert_eq!(
        login(PASSWORD).expect(403).json()["error_code"],
        "permission_denied"
    );
    // Only a caller with the password gets this message.
    login("wrong horse").expect(401);
    let body = json!({"code": home.code("ann@EXAMPLE.com")});
    let confirmed = home.auth("change_email_complete", &body).ok();
    assert_eq!(confirmed["new_email"], "ann@EXAMPLE.com");
    login(PASSWORD).expect(200);
    let user = home
        .tools("GET", &format!("users/{}", uid.as_str().unwrap()))
        .ok();
    assert_eq!(user["group"], json!(home.team("Editor")));
    // No mail reports a change to the same address.
    assert_eq!(home.mails("ann@EXAMPLE.com").len(), 1);
}

#[test]
fn the_owner_of_an_address_can_take_it_over_from_a_squatter() {
    let home = Home::new();
    let squatter = json!({"email": "owner@example.com", "password": "squatters password"});
    home.auth("register", &squatter).expect(201);
    let session = home.login("owner@example.com", "squatters password");
    let body =
        json!({"new_email": "squatter@example.com", "current_password": "squatters password"});
    home.auth_as(&session, "change_email", &body).expect(200);
    let to_squatter = home.code("squatter@example.com");

    // The owner registers too, gets a mail that there is an account, and takes it over.
    home.auth(
        "register",
        &json!({"email": "Owner@example.com", "password": PASSWORD}),
    )
    .expect(201);
    let body = json!({"code": home.code("owner@example.com"), "new_password": "owners password"});
    home.auth("reset_password_complete", &body).expect(200);
    home.user(&session).expect(401);
    home.refresh(&session).expect(401);
    home.auth("login", &squatter).expect(401);
    home.auth("change_email_complete", &json!({ "code": to_squatter }))
        .expect(400);
    home.login("owner@example.com", "owners password");
}

#[test]
fn a_project_can_require_longer_passwords() {
    let home = Home::new();
    home.add("short@example.com", "Editor");
    home.run(&["project", "set", "main", "--password-min-length", "14"]);
    let body = json!({"email": "new@example.com", "password": PASSWORD});
    assert_eq!(
        named(&home.auth("register", &body).expect(400)),
        ["password"]
    );
    // Existing shorter passwords still work.
    let session = home.login("short@example.com", PASSWORD);
    let body = json!({"new_password": "battery stapl", "current_password": PASSWORD});
    let refused = home.auth_as(&session, "change_password", &body).expect(400);
    assert_eq!(named(&refused), ["new_password"]);
    assert!(refused.body.contains("14"), "{}", refused.body);
}
