//! Tokens in a shared store belong to a place: a data host, a project and an environment.

use std::sync::Arc;

use serde_json::{Value, json};
use svc_auth::{AuthErrorKind, FileStore, MemoryStore, Session, TokenStore};

use crate::support::{Server, TestClock, Trouble, at_once, block_on, builder, header, reject};

/// Sessions of three other places than that of [`builder`], over the same store.
fn elsewhere(server: &Server, store: &MemoryStore) -> [Session; 3] {
    [
        ("https://data.test", "crm", "prod"),
        ("https://data.test", "demo", "dev"),
        ("https://other.test", "demo", "prod"),
    ]
    .map(|(url, project, environment)| {
        let server = Arc::new(server.clone());
        Session::builder(server, url.parse().unwrap(), project, environment)
            .clock(late_clock())
            .store(store.clone())
            .build()
    })
}

/// A clock by which every token has expired.
fn late_clock() -> impl svc_auth::Clock {
    || crate::support::START + std::time::Duration::from_secs(1_000)
}

#[test]
fn tokens_of_another_place_authenticate_nothing_and_are_never_sent_or_removed() {
    let server = Server::new(&TestClock::new());
    let store = MemoryStore::new();
    let home = builder(&server).store(store.clone()).build();
    block_on(home.set(server.login())).unwrap();
    let kept = at_once(store.load()).unwrap();
    for other in elsewhere(&server, &store) {
        assert!(!other.is_signed_in());
        assert_eq!(block_on(header(&other)).unwrap(), None);
        reject(&other, "JWT a1");
        assert_eq!(block_on(header(&other)).unwrap(), None);
        block_on(other.sign_out()).unwrap();
        assert_eq!(at_once(store.load()).unwrap(), kept);
    }
    assert_eq!(server.refreshes(), 0);
    assert_eq!(at_once(header(&home)).unwrap().unwrap(), "JWT a1");
}

#[test]
fn a_sign_in_elsewhere_replaces_the_entry_and_ends_nobodys_session() {
    let clock = TestClock::new();
    let server = Server::new(&clock);
    let store = MemoryStore::new();
    let home = builder(&server).store(store.clone()).build();
    block_on(home.set(server.login())).unwrap();
    let [crm, ..] = elsewhere(&server, &store);
    block_on(crm.set(server.login())).unwrap();
    let kept = at_once(store.load()).unwrap();

    // What the first one does from now on stays in its memory.
    clock.pass(890);
    assert_eq!(block_on(header(&home)).unwrap().unwrap(), "JWT a3");
    let mark = home.mark();
    assert!(block_on(home.update(mark, server.login())).unwrap());
    assert_eq!(at_once(header(&home)).unwrap().unwrap(), "JWT a4");
    clock.pass(890);
    server.troubles(&[Trouble::Status(401)]);
    let error = block_on(header(&home)).unwrap_err();
    assert_eq!(error.kind(), AuthErrorKind::Permanent);
    assert_eq!(at_once(store.load()).unwrap(), kept);
}

#[test]
fn an_entry_that_names_no_place_belongs_to_the_session_that_restores_it() {
    let clock = TestClock::new();
    let server = Server::new(&clock);
    let store = MemoryStore::holding(server.login());
    let home = builder(&server).store(store.clone()).build();
    assert_eq!(at_once(header(&home)).unwrap().unwrap(), "JWT a1");
    clock.pass(890);
    assert_eq!(block_on(header(&home)).unwrap().unwrap(), "JWT a2");
    // From the first refresh on it has the place of that session.
    let entry = serde_json::to_value(at_once(store.load()).unwrap()).unwrap();
    let place = json!({
        "api_base_url": "https://data.test", "project": "demo", "environment": "prod",
    });
    assert_eq!(entry["place"], place);
    for other in elsewhere(&server, &store) {
        assert!(!other.is_signed_in());
    }
}

#[test]
fn further_properties_of_the_entry_are_kept() {
    let clock = TestClock::new();
    let server = Server::new(&clock);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens.json");
    let mut entry = serde_json::to_value(server.login()).unwrap();
    entry["theme"] = json!({"dark": true});
    std::fs::write(&path, json!({ "svc_auth": entry }).to_string()).unwrap();
    let session = builder(&server).store(FileStore::new(&path)).build();
    let read = || -> Value {
        let text = std::fs::read_to_string(&path).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["svc_auth"].clone()
    };
    let _slow = server.delay(2);
    for (seconds, token) in [(890, "a2"), (890, "a3")] {
        clock.pass(seconds);
        assert_eq!(
            block_on(header(&session)).unwrap().unwrap(),
            format!("JWT {token}")
        );
        assert_eq!(read()["access_token"], token);
        assert_eq!(read()["theme"], json!({"dark": true}));
    }

    // Also one that another program adds while a refresh is under way.
    clock.pass(890);
    let mut call = Box::pin(header(&session));
    assert!(crate::support::poll(&mut call).is_pending());
    let mut entry = read();
    entry["language"] = json!("de");
    std::fs::write(&path, json!({ "svc_auth": entry }).to_string()).unwrap();
    assert_eq!(block_on(call).unwrap().unwrap(), "JWT a4");
    assert_eq!(read()["access_token"], "a4");
    assert_eq!(read()["language"], "de");
}
