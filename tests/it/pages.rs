//! Page settings over HTTP (specification, section 4, "Pages").

use serde_json::{Value, json};
use svc_tests::Call;

use crate::shared::demo;

const LIST: &str = "/projects/demo/prod/view_settings/";

fn create(settings: &Value) -> Value {
    demo().app("POST", LIST).json(settings).expect(201).json()
}

fn item(page: &Value) -> String {
    format!("{LIST}{}/", page["uid"].as_str().expect("a page has a uid"))
}

fn delete(page: &Value) {
    demo().app("DELETE", &item(page)).expect(204);
}

#[test]
fn a_page_is_created_read_changed_and_deleted() {
    let page = create(&json!({"name": "Life of a page", "params": "{\"columns\":[]}"}));
    let path = item(&page);
    let listed = demo().app("GET", LIST).ok();
    assert!(
        listed
            .as_array()
            .unwrap()
            .iter()
            .any(|other| other["uid"] == page["uid"])
    );
    assert_eq!(demo().app("GET", &path).ok(), page);

    let update = json!({"params": "{\"columns\":[\"id\"]}"});
    let updated = demo().app("PATCH", &path).json(&update).expect(200).json();
    assert_eq!(updated["params"], "{\"columns\":[\"id\"]}");
    assert_eq!(updated["name"], "Life of a page");

    let gone = demo().app("DELETE", &path).expect(204);
    assert_eq!(gone.body, "");
    let missing = demo().app("GET", &path).expect(404).json();
    assert_eq!(missing["error_code"], "not_found");
    demo().app("DELETE", &path).expect(404);
    demo().app("PATCH", &path).json(&update).expect(404);
}

#[test]
fn a_list_has_only_the_properties_that_it_is_asked_for() {
    let page = create(&json!({"name": "A name alone", "params": "[1]", "zoom": 1.5, "a,b": 1}));
    let listed = |fields: &str| {
        let list = demo().app("GET", &format!("{LIST}?_fields={fields}")).ok();
        let all = list.as_array().unwrap().clone();
        all.into_iter().find(|one| one["name"] == "A name alone")
    };
    let mut found = listed("uid,name,zoom,%22a,b%22,missing").unwrap();
    assert_eq!(found["uid"].take(), page["uid"]);
    let expected = json!({"uid": null, "name": "A name alone", "zoom": 1.5, "a,b": 1});
    assert_eq!(found, expected);
    assert_eq!(listed("name"), Some(json!({"name": "A name alone"})));
    assert_eq!(listed("uid"), None);
    for malformed in ["", ",", "uid,,name", "%22uid"] {
        let path = format!("{LIST}?_fields={malformed}");
        let refused = demo().app("GET", &path).expect(400).json();
        assert!(refused["_fields"].is_array(), "{malformed}: {refused}");
    }
    delete(&page);
}

#[test]
fn every_path_works_without_its_trailing_slash_too() {
    let bare = LIST.trim_end_matches('/');
    assert!(demo().app("GET", bare).ok().is_array());
    let page = demo()
        .app("POST", bare)
        .json(&json!({"name": "No slash"}))
        .expect(201)
        .json();
    let path = item(&page);
    let bare = path.trim_end_matches('/');
    assert_eq!(demo().app("GET", bare).ok()["uid"], page["uid"]);
    demo()
        .app("PATCH", bare)
        .json(&json!({"params": "1"}))
        .expect(200);
    demo().app("DELETE", bare).expect(204);
}

#[test]
fn properties_of_the_service_cannot_be_set_by_callers() {
    let page = create(&json!({
        "name": "Größe & Co", "uid": "mine", "environment": "other", "draft": true, "deleted": true,
        "date_add": "1999-01-01",
    }));
    assert_ne!(page["uid"], "mine");
    assert_eq!(page["environment"], "prod");
    assert_eq!(page["view"], "custom");
    assert_eq!(
        (&page["draft"], &page["deleted"]),
        (&json!(false), &json!(false))
    );
    assert!(page["date_add"].as_str().unwrap().starts_with("20"));
    assert!(!page["unique_name"].as_str().unwrap().is_empty());
    delete(&page);
}

#[test]
fn further_properties_are_returned_unchanged() {
    let text = r#"{"name":"Extra","zoom":1.50,"big":9007199254740993,"huge":123456789012345678901234567890,"deep":{"b":[1, 2],"a":null},"e":1e2,"ü":"\u00e9"}"#;
    let made = demo()
        .app("POST", LIST)
        .header("content-type", "application/json")
        .body(text)
        .expect(201);
    for part in [
        r#""zoom":1.50"#,
        r#""big":9007199254740993"#,
        r#""huge":123456789012345678901234567890"#,
        r#""deep":{"b":[1, 2],"a":null}"#,
        r#""e":1e2"#,
    ] {
        assert!(made.body.contains(part), "{part} in {}", made.body);
    }
    let page = made.json();
    assert_eq!(demo().app("GET", &item(&page)).expect(200).body, made.body);
    let updated = demo()
        .app("PATCH", &item(&page))
        .json(&json!({"params": "{}", "zoom": 2}))
        .ok();
    assert_eq!(updated["zoom"], 2);
    assert_eq!(updated["deep"], json!({"b": [1, 2], "a": null}));
    delete(&page);
}

#[test]
fn params_that_are_not_json_are_refused() {
    let page = create(&json!({"name": "Params"}));
    for params in [
        json!("{"),
        json!(""),
        json!({"a": 1}),
        json!(5),
        json!("[1] x"),
    ] {
        let answer = demo()
            .app("PATCH", &item(&page))
            .json(&json!({"params": params}))
            .expect(400);
        assert!(
            answer.json()["params"][0].is_string(),
            "{params}: {}",
            answer.body
        );
        let answer = demo()
            .app("POST", LIST)
            .json(&json!({"name": "x", "params": params}))
            .expect(400);
        assert!(
            answer.json()["params"][0].is_string(),
            "{params}: {}",
            answer.body
        );
    }
    delete(&page);
}

#[test]
fn draft_is_zero_or_one() {
    let page = create(&json!({"name": "Draft"}));
    for draft in ["0", "1"] {
        demo()
            .app("GET", &format!("{LIST}?draft={draft}"))
            .expect(200);
        demo()
            .app("GET", &format!("{}?draft={draft}", item(&page)))
            .expect(200);
    }
    for (method, path) in [
        ("GET", LIST),
        ("POST", LIST),
        ("GET", &item(&page)),
        ("PATCH", &item(&page)),
        ("DELETE", &item(&page)),
        ("POST", &format!("{LIST}publish/")),
        ("POST", &format!("{LIST}discard/")),
        ("GET", &format!("{}revisions/", item(&page))),
        ("POST", &format!("{}revisions/1/restore/", item(&page))),
    ] {
        for draft in ["2", "true", "", "01"] {
            let answer = demo()
                .app(method, &format!("{path}?draft={draft}"))
                .json(&json!({"params": "1"}));
            let answer = answer.expect(400).json();
            assert_eq!(
                answer["draft"][0], "must be 0 or 1",
                "{method} draft={draft}"
            );
        }
    }
    demo().app("GET", &format!("{LIST}?drft=1")).expect(400);
    delete(&page);
}

#[test]
fn a_unique_name_can_be_used_only_once() {
    let page = create(&json!({"name": "Once", "unique_name": "only_once"}));
    let again = demo()
        .app("POST", LIST)
        .json(&json!({"unique_name": "only_once"}))
        .expect(400)
        .json();
    assert!(again["unique_name"][0].is_string(), "{again}");
    let twin = create(&json!({"name": "Once upon"}));
    let other = create(&json!({"name": "Once upon"}));
    assert_ne!(twin["unique_name"], other["unique_name"]);
    for page in [page, twin, other] {
        delete(&page);
    }
}

#[test]
fn a_conditional_change_of_a_page_that_was_changed_meanwhile_is_refused() {
    let page = create(&json!({"name": "Tagged", "params": "1"}));
    let first = demo()
        .app("GET", &item(&page))
        .expect(200)
        .header("etag")
        .to_owned();
    assert!(first.starts_with('"'), "{first}");
    let patch = |params: &str, tag: &str| -> Call {
        demo()
            .app("PATCH", &item(&page))
            .header("if-match", tag)
            .json(&json!({"params": params}))
    };
    let second = patch("2", &first).expect(200).header("etag").to_owned();
    assert_ne!(first, second);
    assert_eq!(
        patch("3", &first).expect(412).json()["error_code"],
        "precondition_failed"
    );
    assert_eq!(demo().app("GET", &item(&page)).ok()["params"], "2");
    demo()
        .app("DELETE", &item(&page))
        .header("if-match", &first)
        .expect(412);
    demo()
        .app("GET", &item(&page))
        .header("if-none-match", &second)
        .expect(304);
    demo()
        .app("DELETE", &item(&page))
        .header("if-match", &second)
        .expect(204);
}

#[test]
fn params_of_several_mebibytes_are_stored_and_served() {
    let params = format!("[\"{}\"]", "ä".repeat(2 * 1024 * 1024));
    let page = create(&json!({"name": "Large", "params": params}));
    assert_eq!(
        demo().app("GET", &item(&page)).ok()["params"],
        json!(params)
    );
    delete(&page);
}

#[test]
fn a_missing_environment_is_not_found() {
    let answer = demo()
        .app("GET", "/projects/demo/none/view_settings/")
        .expect(404)
        .json();
    assert_eq!(answer["error_code"], "not_found");
    demo()
        .app("POST", "/projects/demo/none/view_settings/")
        .json(&json!({}))
        .expect(404);
}
