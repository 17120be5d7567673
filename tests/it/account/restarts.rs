//! The service is killed in the middle of every flow: everything that it has answered is still true.

use serde_json::json;

use crate::people::{Home, PASSWORD, Session};

#[test]
fn a_session_survives_a_kill() {
    let home = Home::new();
    let session = home.member("ann@example.com", "Editor");
    let home = home.killed();
    home.user(&session).expect(200);
    let next = Session::of(&home.refresh(&session).ok());
    let home = home.killed();
    home.user(&next).expect(200);
    // A lost response can be requested again, although another process had sent it.
    assert_eq!(
        Session::of(&home.refresh(&session).ok()).refresh,
        next.refresh
    );
    home.refresh(&next).expect(200);
}

#[test]
fn an_ended_session_stays_ended_after_a_kill() {
    let home = Home::new();
    let (ann, bob) = (
        home.member("ann@example.com", "Editor"),
        home.member("bob@example.com", "Editor"),
    );
    home.call("POST", "auth/logout")
        .authorization(&ann.header())
        .expect(204);
    let body = json!({"new_password": "battery staple", "current_password": PASSWORD});
    let new = home.auth_as(&bob, "change_password", &body).ok();
    let home = home.killed();
    for session in [&ann, &bob] {
        home.user(session).expect(401);
        home.refresh(session).expect(401);
    }
    home.user(&Session::of(&new["new_state"])).expect(200);
    home.login("bob@example.com", "battery staple");
    let old = json!({"email": "bob@example.com", "password": PASSWORD});
    home.auth("login", &old).expect(401);
}

#[test]
fn a_requested_reset_can_be_completed_after_a_kill() {
    let home = Home::new();
    let session = home.member("ann@example.com", "Editor");
    let body = json!({"email": "ann@example.com"});
    home.auth("reset_password", &body).expect(200);
    let home = home.killed();
    let code = home.code("ann@example.com");
    let body = json!({"code": code, "new_password": "battery staple"});
    let done = home.auth("reset_password_complete", &body).ok();
    let home = home.killed();
    home.user(&Session::of(&done["new_state"])).expect(200);
    home.user(&session).expect(401);
    home.login("ann@example.com", "battery staple");
    home.auth("reset_password_complete", &body).expect(400);
}

#[test]
fn an_invitation_can_be_accepted_after_a_kill() {
    let home = Home::new();
    let body =
        json!({"email": "guest@example.com", "group": home.team("Editor"), "first_name": "Gus"});
    let made = home.tools("POST", "users").json(&body).expect(201).json();
    let home = home.killed();
    let user = format!("users/{}", made["uid"].as_str().unwrap());
    assert_eq!(home.tools("GET", &user).ok(), made);
    let body = json!({"code": home.code("guest@example.com"), "password": PASSWORD});
    let done = home.auth("accept_invitation", &body).ok();
    let home = home.killed();
    let user = home.user(&Session::of(&done["new_state"])).ok();
    assert_eq!(
        (&user["uid"], &user["first_name"]),
        (&made["uid"], &json!("Gus"))
    );
    home.login("guest@example.com", PASSWORD);
}

#[test]
fn an_address_can_be_confirmed_after_a_kill() {
    let home = Home::new();
    let session = home.member("old@example.com", "Editor");
    let body = json!({"new_email": "new@example.com", "current_password": PASSWORD});
    home.auth_as(&session, "change_email", &body).expect(200);
    let home = home.killed();
    let body = json!({"code": home.code("new@example.com")});
    home.auth("change_email_complete", &body).expect(200);
    let home = home.killed();
    home.user(&session).expect(401);
    home.login("new@example.com", PASSWORD);
    assert_eq!(home.mails("old@example.com").len(), 1);
}

#[test]
fn a_registered_user_can_sign_in_after_a_kill() {
    let home = Home::new();
    let body = json!({"email": "new@example.com", "password": PASSWORD});
    let user = home.auth("register", &body).expect(201).json()["user"].clone();
    let home = home.killed();
    let session = home.login("new@example.com", PASSWORD);
    assert_eq!(home.user(&session).ok(), user);
    let body = json!({"code": home.code("new@example.com")});
    home.auth("change_email_complete", &body).expect(200);
    let home = home.killed();
    home.user(&session).expect(200);
}

#[test]
fn users_and_teams_keep_their_changes_after_a_kill() {
    let home = Home::new();
    let uid = home.add("ann@example.com", "Editor");
    let gone = home.add("gone@example.com", "Editor");
    let user = format!("users/{uid}");
    let body = json!({"group": home.team("Read Only"), "last_name": "Lee"});
    let changed = home.tools("PATCH", &user).json(&body).ok();
    home.tools("DELETE", &format!("users/{gone}")).expect(204);
    let team = format!("groups/{}", home.team("Editor"));
    home.tools("PATCH", &team)
        .json(&json!({"name": "Writers"}))
        .expect(200);
    let home = home.killed();
    assert_eq!(home.tools("GET", &user).ok(), changed);
    home.tools("GET", &format!("users/{gone}")).expect(404);
    assert_eq!(home.tools("GET", &team).ok()["name"], "Writers");
}
