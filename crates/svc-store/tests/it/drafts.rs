//! The draft layer of pages: what each layer shows, publishing and discarding.

mod any_steps;
mod revisions;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use svc_data::Database;
use svc_model::{Draft, JsonObject, PageUid};
use svc_store::{Error, ErrorKind, Page, PageRevision, Store};

use crate::migrations::MIGRATIONS;
use crate::{Fixture, fields, listed, prod};

const BOTH: [Draft; 2] = [Draft::Off, Draft::On];

fn value(page: &Page) -> Value {
    serde_json::from_slice(&page.json).unwrap()
}

fn uid(page: &Page) -> PageUid {
    page.settings().unwrap().uid().unwrap()
}

fn object(text: &str) -> JsonObject {
    serde_json::from_str(text).unwrap()
}

impl Fixture {
    async fn made(&self, draft: Draft, text: &str) -> Result<Page, Error> {
        let settings = object(text).into();
        let pages = self.store.pages();
        pages.create(&prod(), draft, settings).await
    }

    async fn seen(&self, draft: Draft, uid: &PageUid) -> Result<Page, Error> {
        let pages = self.store.pages();
        pages.get(&prod(), draft, uid).await
    }

    async fn patched(
        &self,
        draft: Draft,
        uid: &PageUid,
        patch: &str,
        tag: Option<&str>,
    ) -> Result<Page, Error> {
        let pages = self.store.pages();
        pages.update(&prod(), draft, uid, object(patch), tag).await
    }

    async fn dropped(&self, draft: Draft, uid: &PageUid) -> Result<(), Error> {
        let pages = self.store.pages();
        pages.delete(&prod(), draft, uid, None).await
    }

    async fn publish(&self, uids: Option<&[&PageUid]>) -> Result<Vec<PageUid>, Error> {
        let uids = uids.map(|uids| uids.iter().map(|uid| (*uid).clone()).collect());
        let pages = self.store.pages();
        pages.publish(&prod(), uids, None).await
    }

    async fn discard(&self, uids: Option<&[&PageUid]>) -> Result<Vec<PageUid>, Error> {
        let uids = uids.map(|uids| uids.iter().map(|uid| (*uid).clone()).collect());
        let pages = self.store.pages();
        pages.discard(&prod(), uids, None).await
    }

    async fn revisions(&self, uid: &PageUid) -> Result<Vec<PageRevision>, Error> {
        let pages = self.store.pages();
        pages.revisions(&prod(), uid).await
    }

    async fn restore(&self, uid: &PageUid, number: u64) -> Result<Page, Error> {
        let pages = self.store.pages();
        pages.restore(&prod(), uid, number, None).await
    }

    /// What a layer shows: name, further property `v`, and whether there is a draft.
    async fn shown(&self, draft: Draft) -> BTreeMap<PageUid, (String, i64, bool)> {
        let pages = listed(&self.store, &prod(), draft).await;
        let shown = pages.unwrap().into_iter().map(|page| {
            let v = page.properties().get("v").unwrap().unwrap_or(0);
            let state = (page.unique_name().unwrap(), v, page.draft());
            (page.uid().unwrap(), state)
        });
        shown.collect()
    }
}

#[tokio::test]
async fn a_draft_lies_over_the_published_page_until_it_is_published() {
    let fixture = Fixture::new().await;
    let page = fixture
        .made(Draft::Off, r#"{"name":"A","zeta":1.50,"v":1}"#)
        .await
        .unwrap();
    let made = uid(&page);
    assert_eq!(fixture.seen(Draft::On, &made).await.unwrap(), page);

    fixture.pass(60);
    let draft = fixture
        .patched(Draft::On, &made, r#"{"v":2}"#, None)
        .await
        .unwrap();
    assert_eq!(
        (&value(&draft)["v"], &value(&draft)["draft"]),
        (&json!(2), &json!(true))
    );
    assert!(
        String::from_utf8_lossy(&draft.json).contains(r#""zeta":1.50"#),
        "the first draft begins with what is published"
    );
    assert_eq!(value(&draft)["date_add"], value(&page)["date_add"]);
    let published = fixture.seen(Draft::Off, &made).await.unwrap();
    assert_eq!(value(&published)["v"], 1);
    assert_eq!(value(&published)["draft"], true);

    assert_eq!(
        fixture.publish(None).await.unwrap(),
        std::slice::from_ref(&made)
    );
    for draft in BOTH {
        let page = value(&fixture.seen(draft, &made).await.unwrap());
        assert_eq!((&page["v"], &page["draft"]), (&json!(2), &json!(false)));
    }
    assert_eq!(fixture.publish(None).await.unwrap(), []);
}

#[tokio::test]
async fn a_page_that_was_made_as_a_draft_is_in_that_layer_only() {
    let fixture = Fixture::new().await;
    let made = uid(&fixture.made(Draft::On, r#"{"name":"A"}"#).await.unwrap());
    let error = fixture.seen(Draft::Off, &made).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    for refused in [
        fixture
            .patched(Draft::Off, &made, r#"{"v":1}"#, None)
            .await
            .map(drop),
        fixture.dropped(Draft::Off, &made).await,
    ] {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::NotFound);
    }
    assert!(fixture.shown(Draft::Off).await.is_empty());
    assert_eq!(fixture.shown(Draft::On).await.len(), 1);

    fixture.dropped(Draft::On, &made).await.unwrap();
    assert_eq!(fixture.count("pages").await, 0);
    assert_eq!(fixture.count("page_revisions").await, 0);
    let error = fixture.publish(Some(&[&made])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn a_deletion_in_the_drafts_hides_the_page_until_it_is_published_or_discarded() {
    let fixture = Fixture::new().await;
    let made = uid(&fixture.made(Draft::Off, r#"{"v":1}"#).await.unwrap());
    fixture.dropped(Draft::On, &made).await.unwrap();
    let error = fixture.seen(Draft::On, &made).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(
        value(&fixture.seen(Draft::Off, &made).await.unwrap())["draft"],
        true
    );
    let error = fixture.dropped(Draft::On, &made).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);

    assert_eq!(
        fixture.discard(None).await.unwrap(),
        std::slice::from_ref(&made)
    );
    assert!(fixture.seen(Draft::On, &made).await.is_ok());

    fixture
        .patched(Draft::On, &made, r#"{"v":2}"#, None)
        .await
        .unwrap();
    fixture.dropped(Draft::On, &made).await.unwrap();
    assert_eq!(
        fixture.publish(None).await.unwrap(),
        std::slice::from_ref(&made)
    );
    for draft in BOTH {
        assert!(fixture.seen(draft, &made).await.is_err());
    }
    assert_eq!(fixture.count("page_revisions").await, 0);
}

#[tokio::test]
async fn a_page_deleted_for_good_takes_its_draft_with_it() {
    let fixture = Fixture::new().await;
    let made = uid(&fixture.made(Draft::Off, "{}").await.unwrap());
    fixture
        .patched(Draft::On, &made, r#"{"v":2}"#, None)
        .await
        .unwrap();
    fixture.dropped(Draft::Off, &made).await.unwrap();
    for draft in BOTH {
        assert!(fixture.shown(draft).await.is_empty());
    }
}

#[tokio::test]
async fn a_draft_that_is_what_is_published_is_none() {
    let fixture = Fixture::new().await;
    let page = fixture.made(Draft::Off, r#"{"v":1}"#).await.unwrap();
    let made = uid(&page);
    fixture
        .patched(Draft::On, &made, r#"{"v":2}"#, None)
        .await
        .unwrap();
    let back = fixture
        .patched(Draft::On, &made, r#"{"v":1}"#, None)
        .await
        .unwrap();
    assert_eq!(back, page);

    fixture
        .patched(Draft::On, &made, r#"{"v":2}"#, None)
        .await
        .unwrap();
    let same = fixture
        .patched(Draft::Off, &made, r#"{"v":2}"#, None)
        .await
        .unwrap();
    assert_eq!(value(&same)["draft"], false);
    assert_eq!(fixture.count("pages").await, 1);
}

#[tokio::test]
async fn a_name_is_taken_once_in_what_each_layer_shows() {
    let fixture = Fixture::new().await;
    let a = uid(&fixture
        .made(Draft::Off, r#"{"unique_name":"x"}"#)
        .await
        .unwrap());
    // The drafts show the published page too.
    let error = fixture.made(Draft::On, r#"{"unique_name":"x"}"#).await;
    assert_eq!(fields(&error.unwrap_err()), ["unique_name"]);
    fixture
        .patched(Draft::On, &a, r#"{"unique_name":"y"}"#, None)
        .await
        .unwrap();
    // Now `x` is free in the drafts and taken among what is published; `y` the other way round, and what is
    // published is shown by the drafts.
    let b = uid(&fixture
        .made(Draft::On, r#"{"unique_name":"x"}"#)
        .await
        .unwrap());
    for (draft, name) in [(Draft::Off, "x"), (Draft::Off, "y"), (Draft::On, "y")] {
        let text = format!(r#"{{"unique_name":"{name}"}}"#);
        let error = fixture.made(draft, &text).await.unwrap_err();
        assert_eq!(fields(&error), ["unique_name"], "{draft:?} {name}");
    }
    // A name that is made gives way to both layers.
    let made = fixture.made(Draft::On, r#"{"name":"Y"}"#).await.unwrap();
    assert_eq!(value(&made)["unique_name"], "y_2");
    fixture.discard(Some(&[&uid(&made)])).await.unwrap();

    // One without the other would meet its name.
    let error = fixture.publish(Some(&[&b])).await.unwrap_err();
    assert_eq!(fields(&error), ["unique_name"]);
    assert!(error.to_string().contains(b.as_str()), "{error}");
    let error = fixture.discard(Some(&[&a])).await.unwrap_err();
    assert_eq!(fields(&error), ["unique_name"]);
    assert!(error.to_string().contains(a.as_str()), "{error}");
    assert_eq!(fixture.shown(Draft::Off).await.len(), 1);

    assert_eq!(
        fixture.publish(Some(&[&b, &a])).await.unwrap(),
        [a.clone(), b.clone()]
    );
    // Pages that take each other's names.
    for (page, name) in [(&a, "z"), (&b, "y"), (&a, "x")] {
        let patch = format!(r#"{{"unique_name":"{name}"}}"#);
        fixture
            .patched(Draft::On, page, &patch, None)
            .await
            .unwrap();
    }
    assert_eq!(fixture.publish(None).await.unwrap().len(), 2);
    let shown = fixture.shown(Draft::Off).await;
    assert_eq!((&*shown[&a].0, &*shown[&b].0), ("x", "y"));
}

#[tokio::test]
async fn the_name_of_a_page_that_is_deleted_in_the_drafts_is_free_there() {
    let fixture = Fixture::new().await;
    let a = uid(&fixture
        .made(Draft::Off, r#"{"unique_name":"x"}"#)
        .await
        .unwrap());
    fixture.dropped(Draft::On, &a).await.unwrap();
    let b = uid(&fixture
        .made(Draft::On, r#"{"unique_name":"x"}"#)
        .await
        .unwrap());
    assert_eq!(
        fields(&fixture.discard(Some(&[&a])).await.unwrap_err()),
        ["unique_name"]
    );
    assert_eq!(
        fields(&fixture.restore(&a, 1).await.unwrap_err()),
        ["unique_name"]
    );
    assert_eq!(fixture.publish(None).await.unwrap(), [a, b.clone()]);
    assert_eq!(fixture.shown(Draft::Off).await.into_keys().next(), Some(b));
}

#[tokio::test]
async fn one_unknown_page_keeps_all_from_being_published_or_discarded() {
    let fixture = Fixture::new().await;
    let a = uid(&fixture.made(Draft::On, "{}").await.unwrap());
    let other = PageUid::from("0197f3a0-5f0c-7e51-b1a6-0c35a8a0b9d1");
    for refused in [
        fixture.publish(Some(&[&a, &other])).await,
        fixture.discard(Some(&[&a, &other])).await,
    ] {
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.public_message().contains(other.as_str()), "{error}");
    }
    assert!(fixture.shown(Draft::Off).await.is_empty());
    assert_eq!(fixture.shown(Draft::On).await.len(), 1);
    assert_eq!(fixture.publish(Some(&[])).await.unwrap(), []);
    assert_eq!(fixture.publish(Some(&[&a, &a])).await.unwrap(), [a]);
}

#[tokio::test]
async fn each_layer_has_entity_tags_of_its_own() {
    let fixture = Fixture::new().await;
    let page = fixture.made(Draft::Off, r#"{"v":1}"#).await.unwrap();
    let made = uid(&page);
    let first = page.etag.as_str();
    let draft = fixture
        .patched(Draft::On, &made, r#"{"v":2}"#, Some(first))
        .await
        .unwrap();
    let published = fixture.seen(Draft::Off, &made).await.unwrap();
    assert_ne!(
        published.etag, page.etag,
        "it says now that there is a draft"
    );
    assert_ne!(draft.etag, published.etag);

    let stale = fixture
        .patched(Draft::On, &made, r#"{"v":3}"#, Some(first))
        .await;
    assert_eq!(stale.unwrap_err().kind(), ErrorKind::PreconditionFailed);
    // A draft is no change of what is published.
    let published = fixture
        .patched(Draft::Off, &made, r#"{"v":4}"#, Some(first))
        .await
        .unwrap();
    let other_layer = fixture
        .patched(Draft::Off, &made, r#"{"v":5}"#, Some(&draft.etag))
        .await;
    assert_eq!(
        other_layer.unwrap_err().kind(),
        ErrorKind::PreconditionFailed
    );
    fixture.publish(None).await.unwrap();
    let stale = fixture
        .patched(Draft::Off, &made, r#"{"v":6}"#, Some(&published.etag))
        .await;
    assert_eq!(stale.unwrap_err().kind(), ErrorKind::PreconditionFailed);
}

#[tokio::test]
async fn drafts_are_published_and_discarded_only_as_the_caller_has_read_them() {
    let fixture = Fixture::new().await;
    let published = fixture.made(Draft::Off, r#"{"name":"A"}"#).await.unwrap();
    let draft = fixture.made(Draft::On, r#"{"name":"B"}"#).await.unwrap();
    let (a, b) = (uid(&published), uid(&draft));
    fixture.dropped(Draft::On, &a).await.unwrap();
    // The tag of a deletion is that of the published page.
    let read = format!("{}, {}", published.etag, draft.etag);
    let newer = fixture.patched(Draft::On, &b, r#"{"v":2}"#, None);
    let newer = newer.await.unwrap();
    let pages = fixture.store.pages();
    let chosen = || Some(vec![a.clone(), b.clone()]);
    for refused in [
        pages.publish(&prod(), chosen(), Some(&read)).await,
        pages.discard(&prod(), chosen(), Some(&read)).await,
        pages.publish(&prod(), None, Some(&newer.etag)).await,
    ] {
        let error = refused.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PreconditionFailed);
    }
    assert_eq!(fixture.shown(Draft::Off).await.len(), 1);
    let read = format!("{}, {}", published.etag, newer.etag);
    let done = pages.publish(&prod(), chosen(), Some(&read)).await;
    assert_eq!(done.unwrap(), [a, b]);
}

#[tokio::test]
async fn a_long_list_shows_one_moment_in_all_its_parts() {
    let fixture = Fixture::new().await;
    let long = "x".repeat(200 * 1024);
    let mut made = Vec::new();
    for number in 0..12 {
        let text = format!(r#"{{"v":1,"long":"{long}","number":{number}}}"#);
        made.push(fixture.made(Draft::Off, &text).await.unwrap());
    }
    let pages = fixture.store.pages();
    let mut list = pages.list(&prod(), Draft::Off, None).await.unwrap();
    let mut json = list.json.to_vec();
    let mut parts = 1;
    // Everything changes while it is read, some pages more than once.
    for page in &made {
        fixture
            .patched(Draft::On, &uid(page), r#"{"v":2}"#, None)
            .await
            .unwrap();
    }
    fixture.publish(None).await.unwrap();
    while let Some(more) = list.more {
        list = more.next().await.unwrap();
        json.extend_from_slice(&list.json);
        parts += 1;
    }
    assert!(parts > 3, "{parts}");
    let then: Vec<_> = made.iter().map(|page| page.json.as_ref()).collect();
    let then = [b"[".as_slice(), &then.join(&b","[..]), b"]"].concat();
    assert!(json == then, "the list is not what it was when it began");

    let list = pages.list(&prod(), Draft::Off, None).await.unwrap();
    for page in &made {
        fixture.dropped(Draft::Off, &uid(page)).await.unwrap();
    }
    let error = list.more.unwrap().next().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn pages_of_a_store_of_before_are_there_as_they_were_with_a_revision() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("store.db");
    let before = Database::open_sqlite(&path, &MIGRATIONS[..2])
        .await
        .unwrap();
    before
        .write(|conn| {
            for sql in [
                "INSERT INTO projects (uid, unique_name, name, date_add) VALUES ('p', 'main', 'main', '2026-01-01T00:00:00.000000Z')",
                "INSERT INTO environments (uid, project_uid, unique_name, name, date_add) VALUES ('e', 'p', 'prod', 'prod', '2026-01-01T00:00:00.000000Z')",
                r#"INSERT INTO pages (uid, layer, environment_uid, unique_name, view, name, params, properties, revision, date_add, date_update)
                   VALUES ('a', 'published', 'e', 'one "1"', 'custom', 'Ein Ä' || char(10) || '\', '{"a": "b\n"}', '{"z":1.50,"y":{}}', 7, '2026-01-01T00:00:00.000000Z', '2026-01-02T00:00:00.000000Z'),
                          ('b', 'published', 'e', 'two', 'list', NULL, '{}', '{}', 1, '2026-01-03T00:00:00.000000Z', '2026-01-03T00:00:00.000000Z')"#,
            ] {
                conn.execute(sql, &[])?;
            }
            Ok::<_, svc_data::Error>(())
        })
        .await
        .unwrap();
    drop(before);
    let store = Store::open(folder.path()).await.unwrap();
    let prod = prod();
    let list = store.pages().list(&prod, Draft::Off, None).await.unwrap();
    assert_eq!(
        String::from_utf8_lossy(&list.json),
        concat!(
            r#"[{"uid":"a","environment":"prod","view":"custom","unique_name":"one \"1\"","name":"Ein Ä\n\\","#,
            r#""resource":null,"model":null,"params":"{\"a\": \"b\\n\"}","z":1.50,"y":{},"draft":false,"deleted":false,"#,
            r#""date_add":"2026-01-01T00:00:00.000000Z"},"#,
            r#"{"uid":"b","environment":"prod","view":"list","unique_name":"two","name":null,"#,
            r#""resource":null,"model":null,"params":"{}","draft":false,"deleted":false,"#,
            r#""date_add":"2026-01-03T00:00:00.000000Z"}]"#,
        )
    );
    let pages = store.pages();
    let revisions = pages.revisions(&prod, &"a".into()).await.unwrap();
    assert_eq!((revisions.len(), revisions[0].number), (1, 7));
    assert_eq!(revisions[0].date_add.to_string(), "2026-01-02T00:00:00Z");
}
