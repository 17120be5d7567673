//! The draft layer of page settings over HTTP (wire contract, section 8).

use std::thread;

use serde_json::{Value, json};
use svc_tests::{Answer, Call, Service};

use crate::shared::{demo, pages_service};

/// A text that is only in drafts, so that any leak is detected.
const SECRET: &str = "only-in-the-draft";

/// The pages of an environment that no other test uses.
struct Pages {
    service: Service,
    key: String,
    _folder: tempfile::TempDir,
}

impl Pages {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (service, key) = pages_service(&folder);
        Self {
            service,
            key,
            _folder: folder,
        }
    }

    /// A call below the path of the pages, in a layer.
    fn call(&self, method: &str, below: &str, draft: u8) -> Call {
        let path = format!("/projects/main/prod/view_settings/{below}?draft={draft}");
        let call = self.service.app_anonymous(method, &path);
        call.authorization(&format!("Bearer {}", self.key))
    }

    fn create(&self, draft: u8, settings: &Value) -> String {
        let made = self.call("POST", "", draft).json(settings).expect(201);
        made.json()["uid"].as_str().unwrap().to_owned()
    }

    fn get(&self, uid: &str, draft: u8) -> Answer {
        self.call("GET", &format!("{uid}/"), draft).expect(200)
    }

    fn patch(&self, uid: &str, draft: u8, change: &Value) -> Answer {
        let call = self.call("PATCH", &format!("{uid}/"), draft);
        call.json(change).expect(200)
    }

    fn delete(&self, uid: &str, draft: u8) {
        self.call("DELETE", &format!("{uid}/"), draft).expect(204);
    }

    fn list(&self, draft: u8) -> Vec<Value> {
        let list = self.call("GET", "", draft).ok();
        list.as_array().unwrap().clone()
    }

    fn publish(&self, body: &Value) -> Answer {
        self.call("POST", "publish/", 0).json(body).expect(200)
    }
}

#[test]
fn a_draft_is_visible_with_draft_on_and_published_on_request() {
    let pages = Pages::new();
    let uid = pages.create(0, &json!({"name": "A", "params": "{\"v\":1}", "zoom": 1.5}));
    let published = pages.get(&uid, 0).json();
    let draft = pages.patch(&uid, 1, &json!({"params": "{\"v\":2}"})).json();
    assert_eq!(
        (&draft["params"], &draft["draft"], &draft["zoom"]),
        (&json!("{\"v\":2}"), &json!(true), &json!(1.5))
    );
    assert_eq!(draft["date_add"], published["date_add"]);
    let shown = pages.get(&uid, 0).json();
    assert_eq!(
        (&shown["params"], &shown["draft"]),
        (&json!("{\"v\":1}"), &json!(true))
    );

    assert_eq!(
        pages.publish(&json!({})).json(),
        json!({"published": [uid]})
    );
    for layer in [0, 1] {
        let shown = pages.get(&uid, layer).json();
        assert_eq!(
            (&shown["params"], &shown["draft"]),
            (&json!("{\"v\":2}"), &json!(false))
        );
    }
    assert_eq!(pages.publish(&json!({})).json(), json!({"published": []}));
}

#[test]
fn drafts_are_discarded() {
    let pages = Pages::new();
    let changed = pages.create(0, &json!({"name": "A"}));
    let made = pages.create(1, &json!({"name": "B"}));
    pages.patch(&changed, 1, &json!({"name": SECRET}));
    let discard = |uids: &Value| pages.call("POST", "discard/", 1).json(uids);
    let other = "0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1";
    discard(&json!({"uids": [changed, other]})).expect(404);
    assert_eq!(pages.get(&changed, 1).json()["name"], SECRET);
    assert_eq!(
        discard(&json!({"uids": [changed, made]})).ok(),
        json!({"discarded": [changed, made]})
    );
    assert_eq!(pages.get(&changed, 1).json()["name"], "A");
    pages.call("GET", &format!("{made}/"), 1).expect(404);
}

#[test]
fn an_ambiguous_list_of_pages_is_refused() {
    let pages = Pages::new();
    let uid = pages.create(1, &json!({"name": "A"}));
    for path in ["publish/", "discard/"] {
        for body in [
            json!({"uid": [uid]}),
            json!({"uids": uid}),
            json!({"uids": null}),
            json!({"uids": [1]}),
            json!([uid]),
        ] {
            pages.call("POST", path, 0).json(&body).expect(400);
        }
        pages.call("POST", path, 0).expect(400);
        pages.call("GET", path, 0).expect(405);
    }
    pages
        .call("POST", "publish/", 0)
        .json(&json!({"uids": [uid, "nothing"]}))
        .expect(404);
    assert!(pages.list(0).is_empty());
    assert_eq!(
        pages.publish(&json!({"uids": []})).json(),
        json!({"published": []})
    );
    assert_eq!(
        pages.publish(&json!({"uids": [uid, uid]})).json(),
        json!({"published": [uid]})
    );
}

#[test]
fn nothing_is_published_if_a_name_would_be_used_twice() {
    let pages = Pages::new();
    let a = pages.create(0, &json!({"unique_name": "x"}));
    pages.patch(&a, 1, &json!({"unique_name": "y"}));
    let b = pages.create(1, &json!({"unique_name": "x"}));
    let c = pages.create(1, &json!({"unique_name": "z"}));
    for draft in [0, 1] {
        let taken = pages
            .call("POST", "", draft)
            .json(&json!({"unique_name": "y"}));
        assert!(taken.expect(400).json()["unique_name"][0].is_string());
    }
    let refused = pages
        .call("POST", "publish/", 0)
        .json(&json!({"uids": [b, c]}))
        .expect(400)
        .json();
    let message = refused["unique_name"][0].as_str().unwrap();
    assert!(message.contains(&b) && message.contains(&a), "{message}");
    assert_eq!(pages.list(0).len(), 1);
    assert_eq!(
        pages.publish(&json!({})).json(),
        json!({"published": [a, b, c]})
    );
}

#[test]
fn no_response_about_published_pages_contains_any_part_of_a_draft() {
    let pages = Pages::new();
    let secret = |name: &str| json!({"name": format!("{name} {SECRET}"), "extra": SECRET});
    let mut answers: Vec<(String, Answer)> = Vec::new();
    // Every state of a page, and every operation on it.
    let states = ["published", "changed", "deleted", "made"];
    let in_state = |state: &str| {
        let uid = match state {
            "made" => pages.create(1, &secret(state)),
            _ => pages.create(0, &json!({"name": state, "v": 0})),
        };
        match state {
            "changed" => drop(pages.patch(&uid, 1, &secret(state))),
            "deleted" => {
                pages.patch(&uid, 1, &secret(state));
                pages.delete(&uid, 1);
            }
            _ => {}
        }
        uid
    };
    let uids = states.map(|state| (state, in_state(state)));
    let listed = pages.list(0);
    assert_eq!(listed.len(), 3);
    for (state, uid) in &uids {
        let item = format!("{uid}/");
        let expected = if *state == "made" { 404 } else { 200 };
        answers.push((
            format!("GET {state}"),
            pages.call("GET", &item, 0).expect(expected),
        ));
        let patch = pages.call("PATCH", &item, 0).json(&json!({"v": 1}));
        answers.push((format!("PATCH {state}"), patch.expect(expected)));
    }
    answers.push(("GET list".to_owned(), pages.call("GET", "", 0).expect(200)));
    let made = pages.call("POST", "", 0).json(&json!({"name": "new"}));
    answers.push(("POST".to_owned(), made.expect(201)));
    for (state, uid) in &uids {
        let expected = if *state == "made" { 404 } else { 204 };
        let gone = pages.call("DELETE", &format!("{uid}/"), 0).expect(expected);
        answers.push((format!("DELETE {state}"), gone));
    }
    answers.push(("GET list".to_owned(), pages.call("GET", "", 0).expect(200)));
    for (what, answer) in answers {
        assert!(!answer.body.contains(SECRET), "{what}: {}", answer.body);
    }
    // A deleted page has no draft any more.
    assert_eq!(pages.list(1).len(), 2);
}

#[test]
fn no_operation_on_drafts_changes_published_pages() {
    let pages = Pages::new();
    let uid = pages.create(0, &json!({"name": "A", "params": "[1]"}));
    pages.patch(&uid, 0, &json!({"params": "[2]"}));
    let without_flag = |answer: Answer| {
        let mut page = answer.json();
        page.as_object_mut().unwrap().remove("draft");
        page
    };
    let before = without_flag(pages.get(&uid, 0));
    let operations: [(&str, &dyn Fn()); 7] = [
        ("create", &|| drop(pages.create(1, &json!({"name": "B"})))),
        ("update", &|| {
            drop(pages.patch(&uid, 1, &json!({"name": "C"})))
        }),
        ("rename", &|| {
            drop(pages.patch(&uid, 1, &json!({"unique_name": "c"})))
        }),
        ("restore", &|| {
            let path = format!("{uid}/revisions/1/restore/");
            pages.call("POST", &path, 1).expect(200);
        }),
        ("delete", &|| pages.delete(&uid, 1)),
        ("restore what was deleted", &|| {
            let path = format!("{uid}/revisions/3/restore/");
            pages.call("POST", &path, 1).expect(200);
        }),
        ("discard", &|| {
            pages
                .call("POST", "discard/", 1)
                .json(&json!({}))
                .expect(200);
        }),
    ];
    for (name, operation) in operations {
        operation();
        assert_eq!(without_flag(pages.get(&uid, 0)), before, "{name}");
        let list = pages.list(0);
        assert_eq!(list.len(), 1, "{name}");
    }
    assert_eq!(pages.get(&uid, 0).json()["draft"], false);
}

#[test]
fn revisions_of_a_page_are_listed_and_restored() {
    let pages = Pages::new();
    let uid = pages.create(0, &json!({"name": "A", "params": "[1]", "zoom": 1.5}));
    pages.patch(&uid, 1, &json!({"name": "B", "params": "[2]"}));
    pages.publish(&json!({"uids": [uid]}));
    let path = format!("{uid}/revisions/");
    let revisions = pages.call("GET", &path, 0).ok();
    let shown: Vec<_> = revisions
        .as_array()
        .unwrap()
        .iter()
        .map(|revision| (revision["number"].clone(), revision["draft"].clone()))
        .collect();
    assert_eq!(
        shown,
        [
            (json!(3), json!(false)),
            (json!(2), json!(true)),
            (json!(1), json!(false))
        ]
    );
    assert!(
        revisions[0]["author"].as_str().unwrap().contains('@'),
        "{revisions}"
    );
    assert!(revisions[0]["date_add"].as_str().unwrap().starts_with("20"));

    let restored = pages
        .call("POST", &format!("{path}1/restore/"), 0)
        .expect(200);
    let etag = restored.header("etag").to_owned();
    let restored = restored.json();
    assert_eq!(
        (&restored["name"], &restored["params"], &restored["draft"]),
        (&json!("A"), &json!("[1]"), &json!(true))
    );
    assert_eq!(pages.get(&uid, 0).json()["name"], "B");
    for number in ["99", "0", "-1", "x"] {
        let missing = pages.call("POST", &format!("{path}{number}/restore/"), 0);
        assert_eq!(missing.expect(404).json()["error_code"], "not_found");
    }
    let restore = |tag: &str| {
        let call = pages.call("POST", &format!("{path}2/restore/"), 0);
        call.header("if-match", tag)
    };
    restore("\"x\"").expect(412);
    restore(&etag).expect(200);
    restore(&etag).expect(412);
    pages.call("GET", "nothing/revisions/", 0).expect(404);
}

#[test]
fn two_editors_with_entity_tags_lose_no_change() {
    let pages = Pages::new();
    for draft in [0, 1] {
        let uid = pages.create(0, &json!({"count": 0}));
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..15 {
                        loop {
                            let read = pages.get(&uid, draft);
                            let count = read.json()["count"].as_i64().unwrap();
                            let change = pages
                                .call("PATCH", &format!("{uid}/"), draft)
                                .header("if-match", read.header("etag"))
                                .json(&json!({"count": count + 1}))
                                .send();
                            match change.status.as_u16() {
                                200 => break,
                                412 => {}
                                status => panic!("{status}: {}", change.body),
                            }
                        }
                    }
                });
            }
        });
        assert_eq!(pages.get(&uid, draft).json()["count"], 30);
    }
}

#[test]
fn without_entity_tags_the_last_change_of_a_property_wins() {
    let pages = Pages::new();
    let uid = pages.create(0, &json!({"a": 0, "b": 0}));
    for draft in [1, 0] {
        // Both have read the same page; each sends only its change.
        pages.patch(&uid, draft, &json!({"a": 1, "b": 1}));
        pages.patch(&uid, draft, &json!({"a": 2}));
        let page = pages.get(&uid, draft).json();
        assert_eq!((&page["a"], &page["b"]), (&json!(2), &json!(1)));
    }
}

#[test]
fn a_draft_and_the_published_page_have_separate_entity_tags() {
    let pages = Pages::new();
    let uid = pages.create(0, &json!({"v": 1}));
    let first = pages.get(&uid, 0);
    let first = first.header("etag");
    let draft = pages.patch(&uid, 1, &json!({"v": 2}));
    let draft = draft.header("etag");
    let get = |tag: &str, draft: u8| {
        let call = pages.call("GET", &format!("{uid}/"), draft);
        call.header("if-none-match", tag).send().status.as_u16()
    };
    assert_eq!(get(first, 0), 200, "the page says now that it has a draft");
    assert_eq!(get(draft, 1), 304);
    assert_eq!(get(draft, 0), 200);
    let patch = |tag: &str, draft: u8| {
        let call = pages.call("PATCH", &format!("{uid}/"), draft);
        let call = call.header("if-match", tag).json(&json!({"v": 3}));
        call.send().status.as_u16()
    };
    assert_eq!(patch(draft, 0), 412);
    assert_eq!(patch(first, 1), 412);
    assert_eq!(
        patch(first, 0),
        200,
        "a draft is no change of what is published"
    );
    assert_eq!(patch(draft, 1), 200);
}

#[test]
fn lists_always_keep_the_order_of_creation() {
    let pages = Pages::new();
    let made: Vec<String> = (0..12)
        .map(|number| pages.create(0, &json!({"name": format!("P{number}")})))
        .collect();
    for number in [7, 2, 11, 2] {
        pages.patch(&made[number], 1, &json!({"v": number}));
    }
    let order = |draft: u8| -> Vec<String> {
        let uids = pages.list(draft).into_iter();
        uids.map(|page| page["uid"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!((order(0), order(1)), (made.clone(), made.clone()));
    pages.publish(&json!({"uids": [made[11], made[2]]}));
    assert_eq!((order(0), order(1)), (made.clone(), made));
}

#[test]
fn params_of_several_mebibytes_are_unchanged_by_drafts_and_publishing() {
    let pages = Pages::new();
    let params = format!("[\"{}\\u00e4\\\\\"]", "ä\\\"".repeat(1024 * 1024));
    let uid = pages.create(1, &json!({"name": "Large", "params": params}));
    assert_eq!(pages.get(&uid, 1).json()["params"], json!(params));
    pages.publish(&json!({}));
    assert_eq!(pages.get(&uid, 0).json()["params"], json!(params));
    // A list that is sent in parts.
    for _ in 0..3 {
        pages.create(0, &json!({"params": params}));
    }
    let list = pages.list(0);
    assert_eq!(list.len(), 4);
    assert!(list.iter().all(|page| page["params"] == json!(params)));
}

#[test]
fn the_paths_of_drafts_work_without_their_trailing_slash_too() {
    let base = "/projects/demo/prod/view_settings";
    let answer = demo()
        .app("POST", &format!("{base}/discard"))
        .json(&json!({"uids": []}));
    assert_eq!(answer.ok(), json!({"discarded": []}));
    demo()
        .app("POST", &format!("{base}/publish"))
        .json(&json!({"uids": []}))
        .expect(200);
    demo()
        .app("GET", &format!("{base}/x/revisions"))
        .expect(404);
    demo()
        .app("POST", &format!("{base}/x/revisions/1/restore"))
        .expect(404);
    for path in ["publish/", "discard/", "x/revisions/1/restore/"] {
        demo()
            .app_anonymous("POST", &format!("{base}/{path}"))
            .expect(401);
    }
}
