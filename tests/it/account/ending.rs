//! Events that end sessions: the next request with the old tokens is refused.

use serde_json::json;
use svc_tests::wait_until;

use crate::people::{Home, PASSWORD, Session, home, keys};

/// Two sessions of a new user, which the service has both accepted already.
fn two_sessions(home: &Home, email: &str, team: &str) -> (String, [Session; 2]) {
    let uid = home.add(email, team);
    let sessions = [(); 2].map(|()| home.login(email, PASSWORD));
    for session in &sessions {
        home.user(session).expect(200);
        records(home, session, 200);
    }
    (uid, sessions)
}

#[track_caller]
fn records(home: &Home, session: &Session, status: u16) {
    let call = home.call("GET", "shop/models/orders?_per_page=1");
    call.authorization(&session.header()).expect(status);
}

/// Checks that the tokens of these sessions are refused.
#[track_caller]
fn have_ended(home: &Home, sessions: &[Session]) {
    for session in sessions {
        home.user(session).expect(401);
        records(home, session, 401);
        home.refresh(session).expect(401);
    }
}

#[test]
fn a_changed_password_ends_every_session_but_the_new_one() {
    let (_, sessions) = two_sessions(home(), "end-password@example.com", "Editor");
    // This includes a token that was rotated a moment ago.
    let next = Session::of(&home().refresh(&sessions[0]).ok());
    let body = json!({"new_password": "battery staple", "current_password": PASSWORD});
    let changed = home().auth_as(&sessions[1], "change_password", &body).ok();
    have_ended(home(), &sessions);
    have_ended(home(), &[next]);
    let new = Session::of(&changed["new_state"]);
    home().user(&new).expect(200);
    home().refresh(&new).expect(200);
}

#[test]
fn a_reset_password_ends_every_session() {
    let (_, sessions) = two_sessions(home(), "end-reset@example.com", "Editor");
    let code = home().reset_code("end-reset@example.com");
    // The request alone ends nothing, since anybody can send it.
    home().user(&sessions[0]).expect(200);
    let body = json!({"code": code, "new_password": "battery staple"});
    let done = home().auth("reset_password_complete", &body).ok();
    have_ended(home(), &sessions);
    home().user(&Session::of(&done["new_state"])).expect(200);
}

/// The sessions of a user, as they are listed.
fn listed(home: &Home, session: &Session) -> Vec<serde_json::Value> {
    let call = home.call("GET", "auth/sessions");
    let answer = call.authorization(&session.header()).expect(200);
    assert_eq!(answer.header("cache-control"), "no-store");
    let page = answer.json();
    let listed = page["results"].as_array().unwrap().clone();
    assert_eq!(page["count"], listed.len());
    listed
}

#[track_caller]
fn end(home: &Home, session: &Session, path: &str, status: u16) {
    let call = home.call("DELETE", &format!("auth/sessions{path}"));
    call.authorization(&session.header()).expect(status);
}

#[test]
fn a_user_lists_their_own_sessions_and_ends_one_of_them() {
    let (_, sessions) = two_sessions(home(), "end-one@example.com", "Editor");
    let (_, of_other) = two_sessions(home(), "end-one-other@example.com", "Editor");
    let all = listed(home(), &sessions[1]);
    assert_eq!(all.len(), 2);
    for session in &all {
        assert_eq!(
            keys(session),
            [
                "address",
                "current",
                "date_add",
                "expires",
                "last_use",
                "uid",
                "user_agent"
            ]
        );
        assert_eq!(session["address"], "127.0.0.1");
    }
    // The newest first.
    assert_eq!(
        (&all[0]["current"], &all[1]["current"]),
        (&json!(true), &json!(false))
    );
    let uid = |session: &serde_json::Value| session["uid"].as_str().unwrap().to_owned();
    end(home(), &sessions[1], &format!("/{}", uid(&all[1])), 204);
    have_ended(home(), &sessions[..1]);
    assert_eq!(listed(home(), &sessions[1]).len(), 1);
    // A session that has ended, one of another user, and texts that name no session.
    let foreign = uid(&listed(home(), &of_other[0])[0]);
    for none in [
        &uid(&all[1]),
        &foreign,
        "x",
        "019ae000-0000-7000-8000-000000000000",
    ] {
        end(home(), &sessions[1], &format!("/{none}"), 404);
    }
    home().user(&of_other[0]).expect(200);
    home().user(&of_other[1]).expect(200);
    // The session of the call itself, as a logout does.
    end(home(), &sessions[1], &format!("/{}", uid(&all[0])), 204);
    have_ended(home(), &sessions);
    end(home(), &sessions[1], "", 401);
}

#[test]
fn a_user_ends_all_sessions_but_the_one_of_the_call() {
    let (_, sessions) = two_sessions(home(), "end-others@example.com", "Editor");
    let third = home().login("end-others@example.com", PASSWORD);
    let (_, of_other) = two_sessions(home(), "end-others-other@example.com", "Editor");
    end(home(), &sessions[1], "", 204);
    have_ended(home(), &sessions[..1]);
    have_ended(home(), &[third]);
    home().user(&sessions[1]).expect(200);
    home().refresh(&sessions[1]).expect(200);
    home().user(&of_other[0]).expect(200);
    // A second call finds no other session.
    end(home(), &sessions[1], "", 204);
    // The path of a session whose UID is missing ends none.
    let fourth = home().login("end-others@example.com", PASSWORD);
    end(home(), &fourth, "/", 404);
    home().user(&sessions[1]).expect(200);
    end(home(), &sessions[1], "", 204);
    have_ended(home(), &[fourth]);
    assert_eq!(listed(home(), &sessions[1]).len(), 1);
}

#[test]
fn the_sessions_of_a_user_are_filtered_ordered_and_read_page_by_page() {
    let (_, sessions) = two_sessions(home(), "list-sessions@example.com", "Editor");
    let get = |query: &str| {
        let call = home().call("GET", &format!("auth/sessions?{query}"));
        call.authorization(&sessions[0].header())
    };
    let page = get("_per_page=1&_order_by=date_add").ok();
    assert_eq!(
        (&page["count"], page["results"].as_array().unwrap().len()),
        (&json!(2), 1)
    );
    assert_eq!(page["results"][0]["current"], true);
    assert_eq!(get("user_agent__isnull=nonsense").send().status, 400);
    assert_eq!(get("user_uid=x").send().status, 400);
    assert_eq!(get("_relation=x|y").send().status, 400);
    assert_eq!(get("date_add__gt=2100-01-01").ok()["count"], 0);
}

#[test]
fn a_changed_address_ends_every_session() {
    let (_, sessions) = two_sessions(home(), "end-email@example.com", "Editor");
    let body = json!({"new_email": "end-email-new@example.com", "current_password": PASSWORD});
    home()
        .auth_as(&sessions[0], "change_email", &body)
        .expect(200);
    home().user(&sessions[0]).expect(200);
    let body = json!({"code": home().code("end-email-new@example.com")});
    home().auth("change_email_complete", &body).expect(200);
    have_ended(home(), &sessions);
}

#[test]
fn deleting_a_user_ends_the_sessions() {
    let (uid, sessions) = two_sessions(home(), "end-delete@example.com", "Editor");
    let code = home().reset_code("end-delete@example.com");
    home().tools("DELETE", &format!("users/{uid}")).expect(204);
    have_ended(home(), &sessions);
    let body = json!({"email": "end-delete@example.com", "password": PASSWORD});
    home().auth("login", &body).expect(401);
    let body = json!({"code": code, "new_password": "battery staple"});
    home().auth("reset_password_complete", &body).expect(400);
    // The next user with that address is a different user.
    assert_ne!(home().add("end-delete@example.com", "Editor"), uid);
    have_ended(home(), &sessions);
}

#[test]
fn another_team_ends_every_session_and_another_name_does_not() {
    let (uid, sessions) = two_sessions(home(), "end-team@example.com", "Editor");
    let user = format!("users/{uid}");
    let same = json!({"first_name": "Ann", "group": home().team("Editor")});
    home().tools("PATCH", &user).json(&same).expect(200);
    home().user(&sessions[0]).expect(200);
    let body = json!({"group": home().team("Read Only")});
    home().tools("PATCH", &user).json(&body).expect(200);
    have_ended(home(), &sessions);
    let session = home().login("end-team@example.com", PASSWORD);
    let call = home().call("POST", "shop/models/customers");
    let call = call.authorization(&session.header());
    call.json(&json!({"name": "x"})).expect(403);
}

#[test]
fn changes_of_another_process_take_effect_within_a_second() {
    let home = Home::new();
    let (_, [session, _]) = two_sessions(&home, "ann@example.com", "Editor");
    let (_, [other, _]) = two_sessions(&home, "bob@example.com", "Editor");
    // Users are deleted with their environment.
    home.run(&["env", "add", "staging", "--project", "main"]);
    home.user(&session).expect(200);
    let begun = std::time::Instant::now();
    home.run(&["signing-keys", "rotate", "--now"]);
    wait_until("the old key is not believed", || {
        home.user(&session).send().status == 401
    });
    assert!(begun.elapsed() < svc_tests::PROMPT, "{:?}", begun.elapsed());
    home.user(&other).expect(401);
    // Users stay signed in, since they refresh their tokens.
    let next = Session::of(&home.refresh(&session).ok());
    home.user(&next).expect(200);
    home.user(&session).expect(401);

    home.run(&["project", "remove", "main"]);
    wait_until("the sessions of the project ended", || {
        home.user(&next).send().status == 401
    });
    home.refresh(&next).expect(401);
}

#[test]
fn rotating_a_key_ends_no_session_unless_requested() {
    let home = Home::new();
    let session = home.member("ann@example.com", "Editor");
    home.run(&["signing-keys", "rotate"]);
    let kid = |session: &Session| session.access.split('.').next().unwrap().to_owned();
    // Whether or not it has read the new key before, the service signs with it and accepts it.
    let new = home.login("ann@example.com", PASSWORD);
    assert_ne!(kid(&new), kid(&session));
    home.user(&new).expect(200);
    home.user(&session).expect(200);
    home.refresh(&session).expect(200);
}

#[test]
fn a_requested_code_becomes_invalid_when_the_password_or_the_address_changes() {
    let (_, [session, _]) = two_sessions(home(), "end-codes@example.com", "Editor");
    let reset = home().reset_code("end-codes@example.com");
    let body = json!({"new_email": "end-codes-new@example.com", "current_password": PASSWORD});
    home().auth_as(&session, "change_email", &body).expect(200);
    let change = home().code("end-codes-new@example.com");
    let body = json!({"new_password": "battery staple", "current_password": PASSWORD});
    home()
        .auth_as(&session, "change_password", &body)
        .expect(200);
    let body = json!({"code": reset, "new_password": "thieves password"});
    home().auth("reset_password_complete", &body).expect(400);
    home()
        .auth("change_email_complete", &json!({ "code": change }))
        .expect(400);
    home().login("end-codes@example.com", "battery staple");
}
