//! Revisions of pages: who made them, how they are read and restored, and how many are kept.

use serde_json::{Value, json};
use svc_model::Draft;
use svc_store::{Actor, ActorKind, ErrorKind, NewApiKey};

use super::{object, uid, value};
use crate::{Fixture, prod};

#[tokio::test]
async fn every_change_leaves_a_revision_with_its_author() {
    let fixture = Fixture::new().await;
    let key = NewApiKey::new("main", "ann@example.com");
    let key = fixture.store.api_keys().create(key).await.unwrap();
    let identity = fixture
        .store
        .api_keys()
        .authenticate(key.secret.expose())
        .await
        .unwrap()
        .unwrap();
    let key = identity.credential;
    let actor = Actor::new(ActorKind::ApiKey, key.uid, key.grant.email);
    // Anyone who changes a page signs its revision, whether the audit trail is kept or not.
    let store = fixture.store.acting(actor, None).unaudited();
    let ann = store.pages();
    let prod = prod();
    let made = ann
        .create(&prod, Draft::Off, object(r#"{"v":1}"#).into())
        .await
        .unwrap();
    let made = uid(&made);
    fixture.pass(1);
    ann.update(&prod, Draft::On, &made, object(r#"{"v":2}"#), None)
        .await
        .unwrap();
    ann.publish(&prod, None, None).await.unwrap();
    fixture.dropped(Draft::On, &made).await.unwrap();
    fixture.discard(None).await.unwrap();

    let revisions = fixture.revisions(&made).await.unwrap();
    let shown: Vec<_> = revisions
        .iter()
        .map(|revision| {
            let author = revision.author.as_deref();
            (revision.number, author, revision.draft, revision.deleted)
        })
        .collect();
    let ann = Some("ann@example.com");
    assert_eq!(
        shown,
        [
            (5, None, true, false),
            (4, None, true, true),
            (3, ann, false, false),
            (2, ann, true, false),
            (1, ann, false, false),
        ]
    );
    assert_eq!(revisions[0].date_add, fixture.now());
    assert_ne!(revisions[4].date_add, fixture.now());
}

#[tokio::test]
async fn a_revision_is_restored_into_the_draft_to_the_byte() {
    let fixture = Fixture::new().await;
    let first = fixture
        .made(Draft::Off, r#"{"name":"A","zeta":1.50,"params":"[1]"}"#)
        .await
        .unwrap();
    let made = uid(&first);
    fixture
        .patched(
            Draft::Off,
            &made,
            r#"{"name":"B","zeta":2,"more":{}}"#,
            None,
        )
        .await
        .unwrap();
    let restored = fixture.restore(&made, 1).await.unwrap();
    let as_it_was = String::from_utf8_lossy(&first.json).into_owned();
    let as_it_was = as_it_was.replace(r#""draft":false"#, r#""draft":true"#);
    assert_eq!(String::from_utf8_lossy(&restored.json), as_it_was);
    assert_eq!(
        value(&fixture.seen(Draft::Off, &made).await.unwrap())["name"],
        "B"
    );
    // It brings back what was deleted, too.
    fixture.dropped(Draft::On, &made).await.unwrap();
    assert_eq!(
        value(&fixture.restore(&made, 1).await.unwrap())["name"],
        "A"
    );
    for number in [0, 99, u64::MAX] {
        let error = fixture.restore(&made, number).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
    let error = fixture.revisions(&"x".into()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn a_revision_is_read_as_it_was_with_its_layer() {
    let fixture = Fixture::new().await;
    let first = fixture
        .made(Draft::Off, r#"{"name":"A","zeta":1.50}"#)
        .await
        .unwrap();
    let made = uid(&first);
    let second = fixture
        .patched(Draft::On, &made, r#"{"zeta":2}"#, None)
        .await
        .unwrap();
    fixture.dropped(Draft::On, &made).await.unwrap();
    let pages = fixture.store.pages();
    let revision = async |number| pages.revision(&prod(), &made, number).await;
    assert_eq!(revision(1).await.unwrap(), first.json);
    assert_eq!(revision(2).await.unwrap(), second.json);
    let deleted = revision(3).await.unwrap();
    let deleted: Value = serde_json::from_slice(&deleted).unwrap();
    assert_eq!(
        (&deleted["zeta"], &deleted["deleted"]),
        (&json!(2), &json!(true))
    );
    for number in [0, 4, u64::MAX] {
        let error = revision(number).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}

#[tokio::test]
async fn the_newest_hundred_revisions_are_kept() {
    let fixture = Fixture::new().await;
    let made = uid(&fixture.made(Draft::Off, "{}").await.unwrap());
    for number in 0..130 {
        let patch = format!(r#"{{"v":{number}}}"#);
        let draft = Draft::from(number % 2 == 0);
        fixture.patched(draft, &made, &patch, None).await.unwrap();
    }
    let revisions = fixture.revisions(&made).await.unwrap();
    assert_eq!(revisions.len(), 100);
    assert_eq!((revisions[0].number, revisions[99].number), (131, 32));
    let error = fixture.restore(&made, 31).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(value(&fixture.restore(&made, 32).await.unwrap())["v"], 30);
}
