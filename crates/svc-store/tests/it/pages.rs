//! Page settings: the five operations.

use proptest::prelude::*;
use serde_json::{Value, json};
use svc_model::{Draft, JsonObject, PageSettings, PageUid, Scope};
use svc_store::{Error, ErrorKind, NewEnvironment, Page};

use crate::{Fixture, fields, listed, main_project, prod};

fn settings(text: &str) -> PageSettings {
    serde_json::from_str(text).unwrap()
}

fn text(page: &Page) -> &str {
    std::str::from_utf8(&page.json).unwrap()
}

fn json(page: &Page) -> Value {
    serde_json::from_slice(&page.json).unwrap()
}

fn uid(page: &Page) -> PageUid {
    page.settings().unwrap().uid().unwrap()
}

impl Fixture {
    async fn create(&self, text: &str) -> Result<Page, Error> {
        self.store
            .pages()
            .create(&prod(), Draft::Off, settings(text))
            .await
    }

    async fn get(&self, uid: &PageUid) -> Result<Page, Error> {
        self.store.pages().get(&prod(), Draft::Off, uid).await
    }

    async fn update(
        &self,
        uid: &PageUid,
        text: &str,
        if_match: Option<&str>,
    ) -> Result<Page, Error> {
        let patch: JsonObject = serde_json::from_str(text).unwrap();
        self.store
            .pages()
            .update(&prod(), Draft::Off, uid, patch, if_match)
            .await
    }

    async fn delete(&self, uid: &PageUid, if_match: Option<&str>) -> Result<(), Error> {
        self.store
            .pages()
            .delete(&prod(), Draft::Off, uid, if_match)
            .await
    }
}

#[tokio::test]
async fn a_page_of_nothing_gets_every_default() {
    let fixture = Fixture::new().await;
    let page = fixture.create("{}").await.unwrap();
    let made = uid(&page);
    assert!(matches!(
        made.as_str()
            .parse::<uuid::Uuid>()
            .unwrap()
            .get_version_num(),
        4 | 7
    ));
    assert_eq!(
        text(&page),
        format!(
            "{{\"uid\":\"{made}\",\"environment\":\"prod\",\"view\":\"custom\",\"unique_name\":\"page\",\"name\":null,\
             \"resource\":null,\"model\":null,\"params\":\"{{}}\",\"draft\":false,\"deleted\":false,\
             \"date_add\":\"2027-01-15T08:00:00.000000Z\"}}"
        )
    );
    assert_eq!(fixture.get(&made).await.unwrap(), page);
}

#[tokio::test]
async fn what_belongs_to_the_service_is_not_the_callers_to_set() {
    let fixture = Fixture::new().await;
    let text = r#"{"uid":"mine","environment":"other","draft":true,"deleted":true,"date_add":"1999-01-01","name":"A"}"#;
    let page = fixture.create(text).await.unwrap();
    let made = uid(&page);
    let page = fixture.update(&made, text, None).await.unwrap();
    let json = json(&page);
    assert_eq!(uid(&page), made);
    assert_eq!(json["environment"], "prod");
    assert_eq!(json["draft"], false);
    assert_eq!(json["deleted"], false);
    assert_eq!(json["date_add"], "2027-01-15T08:00:00.000000Z");
}

#[tokio::test]
async fn further_properties_come_back_as_they_were_written_in_their_order() {
    let fixture = Fixture::new().await;
    let extra = r#""zeta":1.50,"big":12345678901234567890123,"exp":1e400,"nested":{"b": [1, 2], "a":{}},"ä\u0041":"x\/y\ud83d\ude00","alpha":null"#;
    let page = fixture
        .create(&format!("{{{extra},\"name\":\"A\"}}"))
        .await
        .unwrap();
    let read = fixture.get(&uid(&page)).await.unwrap();
    let text = text(&read);
    let expected = extra.replace(r"ä\u0041", "äA");
    assert!(
        text.contains(&format!(",{expected},\"draft\":false,")),
        "{text}"
    );
}

#[tokio::test]
async fn a_patch_replaces_params_and_merges_the_rest() {
    let fixture = Fixture::new().await;
    let page = fixture
        .create(r#"{"name":"A","model":"orders","params":"{\"a\":1}","one":1,"two":{"x":1}}"#)
        .await
        .unwrap();
    let made = uid(&page);
    let patched = fixture
        .update(
            &made,
            r#"{"params":"{\"b\": 2}","two":{"y":2},"three":3,"model":null}"#,
            None,
        )
        .await
        .unwrap();
    let json = json(&patched);
    assert_eq!(json["params"], "{\"b\": 2}");
    assert_eq!(json["name"], "A");
    assert_eq!(json["model"], Value::Null);
    assert_eq!(json["one"], 1);
    assert_eq!(json["two"], json!({"y": 2}));
    assert_eq!(json["three"], 3);
    assert_ne!(patched.etag, page.etag);
    assert_eq!(fixture.get(&made).await.unwrap(), patched);

    let only_params = fixture
        .update(&made, r#"{"params":"[]"}"#, None)
        .await
        .unwrap();
    assert_eq!(
        only_params.settings().unwrap().params().as_deref(),
        Some("[]")
    );
    assert_eq!(
        only_params.settings().unwrap().unique_name().as_deref(),
        Some("a")
    );
}

#[tokio::test]
async fn an_empty_patch_changes_nothing() {
    let fixture = Fixture::new().await;
    let page = fixture.create("{}").await.unwrap();
    assert_eq!(fixture.update(&uid(&page), "{}", None).await.unwrap(), page);
}

#[tokio::test]
async fn params_that_hold_no_json_are_refused_and_change_nothing() {
    let fixture = Fixture::new().await;
    let page = fixture.create(r#"{"params":"[1]"}"#).await.unwrap();
    for params in [r#""{""#, r#""""#, "{}", "null", "7", r#""[1] x""#] {
        let text = format!("{{\"name\":\"B\",\"params\":{params}}}");
        let error = fixture.update(&uid(&page), &text, None).await.unwrap_err();
        assert_eq!(fields(&error), ["params"]);
        assert!(
            error
                .to_string()
                .contains("must be a string that holds JSON"),
            "{error}"
        );
        assert_eq!(
            fields(&fixture.create(&text).await.unwrap_err()),
            ["params"]
        );
    }
    assert_eq!(fixture.get(&uid(&page)).await.unwrap(), page);
    assert_eq!(fixture.count("pages").await, 1);
}

#[tokio::test]
async fn a_made_unique_name_gives_way_and_a_given_one_is_refused_when_taken() {
    let fixture = Fixture::new().await;
    let mut names = Vec::new();
    for _ in 0..25 {
        let page = fixture.create(r#"{"name":"Order list"}"#).await.unwrap();
        names.push(page.settings().unwrap().unique_name().unwrap());
    }
    assert_eq!(names[..3], ["order_list", "order_list_2", "order_list_3"]);
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 25);

    let error = fixture
        .create(r#"{"unique_name":"order_list"}"#)
        .await
        .unwrap_err();
    assert_eq!(fields(&error), ["unique_name"]);
    let page = fixture.create(r#"{"unique_name":"mine"}"#).await.unwrap();
    let error = fixture
        .update(&uid(&page), r#"{"unique_name":"order_list"}"#, None)
        .await
        .unwrap_err();
    assert_eq!(fields(&error), ["unique_name"]);
    let page = fixture
        .update(&uid(&page), r#"{"unique_name":"mine"}"#, None)
        .await
        .unwrap();
    assert_eq!(
        page.settings().unwrap().unique_name().as_deref(),
        Some("mine")
    );
}

#[tokio::test]
async fn environments_do_not_see_each_others_pages() {
    let fixture = Fixture::new().await;
    let staging = Scope::new("main", "staging");
    let new = NewEnvironment::new(&staging.environment);
    fixture
        .store
        .environments()
        .create(&main_project(), new)
        .await
        .unwrap();
    let page = fixture.create(r#"{"unique_name":"orders"}"#).await.unwrap();
    let pages = fixture.store.pages();
    let same = settings(r#"{"unique_name":"orders"}"#);
    pages.create(&staging, Draft::Off, same).await.unwrap();
    let error = pages
        .get(&staging, Draft::Off, &uid(&page))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let error = pages
        .delete(&staging, Draft::Off, &uid(&page), None)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(
        listed(&fixture.store, &staging, Draft::Off)
            .await
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn a_list_is_in_the_order_of_creation() {
    let fixture = Fixture::new().await;
    let mut made = Vec::new();
    for number in 0..30 {
        if number % 3 == 0 {
            fixture.pass(1);
        }
        made.push(fixture.create("{}").await.unwrap().settings().unwrap());
    }
    let pages = listed(&fixture.store, &prod(), Draft::Off).await.unwrap();
    assert_eq!(pages, made);
}

#[tokio::test]
async fn a_change_with_if_match_goes_through_only_on_what_was_read() {
    let fixture = Fixture::new().await;
    let page = fixture.create("{}").await.unwrap();
    let made = uid(&page);
    let newer = fixture
        .update(&made, r#"{"name":"B"}"#, Some(&page.etag))
        .await
        .unwrap();
    for stale in [
        page.etag.as_str(),
        "\"x\"",
        "nonsense",
        &format!("W/{}", newer.etag),
    ] {
        let error = fixture
            .update(&made, r#"{"name":"C"}"#, Some(stale))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PreconditionFailed);
        let error = fixture.delete(&made, Some(stale)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PreconditionFailed);
    }
    assert_eq!(fixture.get(&made).await.unwrap(), newer);
    fixture
        .update(&made, r#"{"name":"D"}"#, Some("*"))
        .await
        .unwrap();
    let newest = fixture
        .update(&made, r#"{"name":"E"}"#, None)
        .await
        .unwrap();
    fixture.delete(&made, Some(&newest.etag)).await.unwrap();
}

#[tokio::test]
async fn a_deleted_page_is_gone_and_its_name_is_free() {
    let fixture = Fixture::new().await;
    let page = fixture.create(r#"{"unique_name":"orders"}"#).await.unwrap();
    fixture.delete(&uid(&page), None).await.unwrap();
    assert_eq!(
        fixture.get(&uid(&page)).await.unwrap_err().kind(),
        ErrorKind::NotFound
    );
    assert_eq!(
        fixture.delete(&uid(&page), None).await.unwrap_err().kind(),
        ErrorKind::NotFound
    );
    let error = fixture.update(&uid(&page), "{}", None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    fixture.create(r#"{"unique_name":"orders"}"#).await.unwrap();
}

#[tokio::test]
async fn names_that_are_nowhere_are_not_found() {
    let fixture = Fixture::new().await;
    for uid in ["", "x", "../..", "' OR 1=1 --", "a\0b"] {
        assert_eq!(
            fixture.get(&uid.into()).await.unwrap_err().kind(),
            ErrorKind::NotFound
        );
    }
    for (project, environment) in [("none", "prod"), ("main", "none"), ("", "")] {
        let error = listed(&fixture.store, &(project, environment).into(), Draft::Off)
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}

#[tokio::test]
async fn params_of_several_mebibytes_are_kept_to_the_byte() {
    let fixture = Fixture::new().await;
    let inner = serde_json::to_string(&vec!["zeile \"n\" \n ü"; 300_000]).unwrap();
    let body = serde_json::to_string(&json!({ "params": inner })).unwrap();
    let page = fixture.create(&body).await.unwrap();
    assert_eq!(
        fixture
            .get(&uid(&page))
            .await
            .unwrap()
            .settings()
            .unwrap()
            .params()
            .unwrap(),
        inner
    );
}

#[tokio::test]
async fn very_many_properties_are_written_merged_and_read_in_linear_time() {
    let fixture = Fixture::new().await;
    let object = |value: u32| {
        let properties: Vec<_> = (0..100_000)
            .map(|number| format!("\"p{number}\":{value}"))
            .collect();
        format!("{{{}}}", properties.join(","))
    };
    let work = async {
        let page = fixture.create(&object(1)).await.unwrap();
        fixture.update(&uid(&page), &object(2), None).await.unwrap()
    };
    // Enough for a busy machine, and a part of what a quadratic number of steps takes.
    let page = tokio::time::timeout(std::time::Duration::from_secs(120), work)
        .await
        .unwrap();
    let properties = page.settings().unwrap().into_properties();
    assert_eq!(properties.len(), 11 + 100_000);
    let mut further = properties.iter().filter(|(name, _)| name.starts_with('p'));
    assert_eq!(further.next().map(|(name, _)| name), Some("params"));
    assert!(further.all(|(_, value)| value.get() == "2"));
}

#[tokio::test]
async fn one_of_many_writers_at_once_gets_a_given_name() {
    let fixture = Fixture::new().await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let store = fixture.store.clone();
        tasks.spawn(async move {
            let same = settings(r#"{"unique_name":"orders"}"#);
            store.pages().create(&prod(), Draft::Off, same).await
        });
    }
    let results = tasks.join_all().await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    for error in results.into_iter().filter_map(Result::err) {
        assert_eq!(fields(&error), ["unique_name"]);
    }
}

#[tokio::test]
async fn no_update_is_lost_among_writers_that_use_if_match() {
    let fixture = Fixture::new().await;
    let page = fixture.create(r#"{"count":0}"#).await.unwrap();
    let made = uid(&page);
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (store, made) = (fixture.store.clone(), made.clone());
        tasks.spawn(async move {
            let pages = store.pages();
            for _ in 0..5 {
                loop {
                    let page = pages.get(&prod(), Draft::Off, &made).await.unwrap();
                    let count: i64 = page
                        .settings()
                        .unwrap()
                        .properties()
                        .get("count")
                        .unwrap()
                        .unwrap();
                    let mut patch = JsonObject::new();
                    patch.set("count", &(count + 1)).unwrap();
                    let etag = Some(page.etag.as_str());
                    match pages.update(&prod(), Draft::Off, &made, patch, etag).await {
                        Ok(_) => break,
                        Err(error) => assert_eq!(error.kind(), ErrorKind::PreconditionFailed),
                    }
                }
            }
        });
    }
    tasks.join_all().await;
    assert_eq!(json(&fixture.get(&made).await.unwrap())["count"], 40);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_text_survives_a_round_trip(name in any::<String>(), view in "\\PC{1,20}", params in any::<String>()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let fixture = Fixture::new().await;
            let view = format!("v{view}");
            let params = serde_json::to_string(&params).unwrap();
            let body = serde_json::to_string(&json!({"name": name, "view": view, "params": params, "extra": name}));
            let page = fixture.create(&body.unwrap()).await.unwrap();
            let read = json(&fixture.get(&uid(&page)).await.unwrap());
            assert_eq!(read["name"], name.as_str());
            assert_eq!(read["view"], view.as_str());
            assert_eq!(read["params"], params.as_str());
            assert_eq!(read["extra"], name.as_str());
        });
    }
}
