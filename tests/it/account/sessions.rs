//! Sessions: where and how long they are valid, and how refresh tokens rotate.

use std::{sync::Barrier, thread};

use serde_json::json;
use svc_model::Scope;
use svc_store::{Secret, SignIn, Store};
use svc_tests::{Call, wait_until};

use crate::people::{Home, PASSWORD, Session, home};

/// Signs in directly in the store, with the clock of the store.
async fn sign_in(store: Store, email: &str) -> Session {
    let account = store.account(Scope::new("main", "prod"), "http://127.0.0.1");
    match account.sign_in(email, Secret::new(PASSWORD)).await.unwrap() {
        SignIn::Done(tokens, _) => Session {
            access: tokens.access_token.expose().to_owned(),
            refresh: tokens.refresh_token.expose().to_owned(),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_session_is_valid_only_in_its_own_environment_and_project() {
    let home = Home::new();
    home.run(&["env", "add", "staging", "--project", "main"]);
    home.run(&["project", "add", "other"]);
    let uid = home.add("ann@example.com", "Administrator");
    // The same person in another environment is a different user.
    let other = home.add_in("staging", "ann@example.com", "Administrator");
    assert_ne!(uid, other);
    let session = home.login("ann@example.com", PASSWORD);
    let base = home.service().text("/base_url");
    let at = |method: &str, place: &str, path: &str| {
        Call::new(method, &format!("{base}/projects/{place}/{path}"))
    };
    for place in [
        "main/staging",
        "other/prod",
        "main/none",
        "none/prod",
        "MAIN/prod",
    ] {
        let challenge = |call: Call| {
            let answer = call.authorization(&session.header()).expect(401);
            answer.header("www-authenticate").to_owned()
        };
        assert!(
            challenge(at("GET", place, "auth/user")).starts_with("JWT"),
            "{place}"
        );
        challenge(at("POST", place, "auth/logout"));
        let body = json!({"new_password": "battery staple", "current_password": PASSWORD});
        challenge(at("POST", place, "auth/change_password").json(&body));
        challenge(at("GET", place, "shop/models/orders"));
        challenge(at("GET", place, "__svc_app__/models/users"));
        let body = json!({"refresh_token": session.refresh});
        at("POST", place, "auth/refresh").json(&body).expect(401);
    }
    // None of these calls has ended the session.
    home.user(&session).expect(200);
    home.refresh(&session).expect(200);
    let body = json!({"email": "ann@example.com", "password": PASSWORD});
    let login = at("POST", "main/staging", "auth/login").json(&body);
    let staging = Session::of(&login.ok()["token"]);
    home.user(&staging).expect(401);
    let user = at("GET", "main/staging", "auth/user");
    assert_eq!(
        user.authorization(&staging.header()).ok()["uid"],
        json!(other)
    );
}

#[test]
fn an_expired_access_token_is_refused_and_its_session_can_be_renewed() {
    home().add("expired@example.com", "Editor");
    let session = home().ago(901, async |store| {
        sign_in(store, "expired@example.com").await
    });
    let refused = home().user(&session).expect(401);
    assert_eq!(refused.json()["error_code"], "not_authenticated");
    assert!(refused.header("www-authenticate").starts_with("JWT"));
    let records = home().call("GET", "shop/models/orders");
    records.authorization(&session.header()).expect(401);
    let next = Session::of(&home().refresh(&session).ok());
    home().user(&next).expect(200);
    // A token with a few seconds left is refused after them, although the service has accepted it before.
    let session = home().ago(897, async |store| {
        sign_in(store, "expired@example.com").await
    });
    home().user(&session).expect(200);
    wait_until("the access token expires", || {
        home().user(&session).send().status == 401
    });
}

#[test]
fn an_access_token_from_before_the_clock_was_set_back_is_accepted() {
    home().add("future@example.com", "Editor");
    for ahead in [5, 120, 3_600] {
        let session = home().ago(-ahead, async |store| {
            sign_in(store, "future@example.com").await
        });
        home().user(&session).expect(200);
    }
}

#[test]
fn a_session_ends_when_it_is_unused_for_its_lifetime() {
    home().add("month@example.com", "Editor");
    let day = 24 * 60 * 60;
    let session = home().ago(30 * day + 1, async |store| {
        sign_in(store, "month@example.com").await
    });
    home().refresh(&session).expect(401);
    let session = home().ago(30 * day - 60, async |store| {
        sign_in(store, "month@example.com").await
    });
    let next = Session::of(&home().refresh(&session).ok());
    home().user(&next).expect(200);
}

#[test]
fn the_lifetime_that_a_project_sets_applies_to_the_next_tokens() {
    let home = Home::new();
    let session = home.member("ann@example.com", "Editor");
    home.run(&[
        "project",
        "set",
        "main",
        "--access-token-seconds=60",
        "--refresh-token-days=1",
    ]);
    let state = home.refresh(&session).ok();
    let left = |name: &str| {
        let expires: jiff::Timestamp = state[name].as_str().unwrap().parse().unwrap();
        expires.duration_since(jiff::Timestamp::now()).as_secs()
    };
    assert!((30..=60).contains(&left("access_token_expires")), "{state}");
    let day = 24 * 60 * 60;
    assert!(
        (day - 30..=day).contains(&left("refresh_token_expires")),
        "{state}"
    );
}

#[test]
fn a_rotated_refresh_token_gets_the_same_response_again_in_case_it_was_lost() {
    let session = home().member("lost@example.com", "Editor");
    let first = Session::of(&home().refresh(&session).ok());
    for _ in 0..3 {
        let again = Session::of(&home().refresh(&session).ok());
        assert_eq!(again.refresh, first.refresh);
        home().user(&again).expect(200);
    }
    let third = Session::of(&home().refresh(&first).ok());
    // Two generations old, but within the ten seconds.
    assert_eq!(
        Session::of(&home().refresh(&session).ok()).refresh,
        first.refresh
    );
    home().refresh(&third).expect(200);
}

#[test]
fn simultaneous_refreshes_all_succeed_with_the_same_tokens() {
    let session = home().member("parallel@example.com", "Editor");
    let barrier = Barrier::new(16);
    let tokens: Vec<Session> = thread::scope(|scope| {
        let each: Vec<_> = (0..16)
            .map(|_| {
                scope.spawn(|| {
                    barrier.wait();
                    Session::of(&home().refresh(&session).ok())
                })
            })
            .collect();
        each.into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    for token in &tokens {
        assert_eq!(token.refresh, tokens[0].refresh);
        home().user(token).expect(200);
    }
    home().refresh(&tokens[0]).expect(200);
}

#[test]
fn late_use_of_a_refresh_token_ends_the_whole_session() {
    home().add("thief@example.com", "Editor");
    let (stolen, owner) = home().ago(11, async |store| {
        let stolen = sign_in(store.clone(), "thief@example.com").await;
        let scope = Scope::new("main", "prod");
        let next = store
            .sessions()
            .refresh(&scope.clone().into(), &stolen.refresh)
            .await;
        let next = next.unwrap().unwrap();
        let owner = Session {
            access: next.access_token.expose().to_owned(),
            refresh: next.refresh_token.expose().to_owned(),
        };
        (stolen, owner)
    });
    let other = home().login("thief@example.com", PASSWORD);
    home().user(&owner).expect(200);
    let refused = home().refresh(&stolen).expect(401);
    assert_eq!(refused.json()["error_code"], "not_authenticated");
    // The tokens of both end at once; the session of another device continues.
    home().user(&owner).expect(401);
    home().refresh(&owner).expect(401);
    home().user(&stolen).expect(401);
    home().refresh(&stolen).expect(401);
    home().user(&other).expect(200);
}

#[test]
fn a_refresh_token_is_accepted_only_unchanged() {
    let session = home().member("shape@example.com", "Editor");
    let good = &session.refresh;
    let mut flipped = good.clone().into_bytes();
    let middle = flipped.len() / 2;
    flipped[middle] = if flipped[middle] == b'A' { b'B' } else { b'A' };
    for wrong in [
        String::new(),
        "svcr_".to_owned(),
        good[..good.len() - 1].to_owned(),
        format!("{good}A"),
        format!("{good}=="),
        format!(" {good}"),
        good.replace("svcr_", ""),
        good.replace("svcr_", "svct_"),
        good.to_uppercase(),
        String::from_utf8(flipped).unwrap(),
        session.access.clone(),
        home().tools_token().to_owned(),
        "svcr_".to_owned() + &"A".repeat(10_000),
        "ä\0'\"--".to_owned(),
    ] {
        let refused = home()
            .auth("refresh", &json!({ "refresh_token": wrong }))
            .expect(401);
        assert!(
            wrong.len() < 9 || !refused.body.contains(&wrong),
            "{}",
            refused.body
        );
    }
    // An access token is not accepted as a refresh token, and a refresh token not for other calls.
    for header in [
        format!("JWT {good}"),
        format!("Bearer {good}"),
        good.clone(),
    ] {
        let user = home().call("GET", "auth/user");
        user.authorization(&header).expect(401);
        let records = home().call("GET", "shop/models/orders");
        records.authorization(&header).expect(401);
    }
    home().refresh(&session).expect(200);
}
