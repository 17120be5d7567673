//! Marks of bulk creates that carry an idempotency key.

use svc_store::WriteKey;

use crate::{Fixture, prod};

fn key(text: &str) -> WriteKey {
    WriteKey {
        scope: prod(),
        resource: "shop".into(),
        model: "orders".to_owned(),
        idempotency_key: text.to_owned(),
    }
}

#[tokio::test]
async fn a_mark_is_prepared_by_one_try_and_settled() {
    let fixture = Fixture::new().await;
    let marks = fixture.store.write_marks();
    assert_eq!(marks.find(&key("a")).await.unwrap(), None);
    let prepare = async |seen, evidence: &str| {
        let (evidence, outcome) = (evidence.to_owned(), "{}".to_owned());
        let key = key("a");
        marks.prepare(&key, seen, "hash", evidence, outcome).await
    };
    assert!(prepare(None, "one").await.unwrap());
    assert!(
        !prepare(None, "two").await.unwrap(),
        "another try was first"
    );
    let mark = marks.find(&key("a")).await.unwrap().unwrap();
    assert_eq!(mark.evidence.as_deref(), Some("one"));
    assert!(prepare(Some(mark.attempt), "three").await.unwrap());
    assert!(!prepare(Some(mark.attempt), "four").await.unwrap());
    marks.settle(&key("a")).await.unwrap();
    let settled = marks.find(&key("a")).await.unwrap().unwrap();
    assert_eq!(
        (settled.evidence, settled.request_hash.as_str()),
        (None, "hash")
    );
    assert_eq!(marks.find(&key("b")).await.unwrap(), None);
}

#[tokio::test]
async fn a_mark_is_kept_for_a_month() {
    let fixture = Fixture::new().await;
    let marks = fixture.store.write_marks();
    let prepare = async |name: &str| {
        let text = || "{}".to_owned();
        marks
            .prepare(&key(name), None, "hash", text(), text())
            .await
            .unwrap()
    };
    assert!(prepare("old").await);
    fixture.pass(29 * 24 * 60 * 60);
    assert!(prepare("newer").await);
    assert!(marks.find(&key("old")).await.unwrap().is_some());
    fixture.pass(2 * 24 * 60 * 60);
    assert!(prepare("newest").await);
    assert_eq!(marks.find(&key("old")).await.unwrap(), None);
    assert!(marks.find(&key("newer")).await.unwrap().is_some());
}
