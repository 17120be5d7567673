//! The journal of writes: no write to a connected database is without a line, however its process ends.

use svc_store::{
    Actor, ActorKind, AuditEntry, AuditFilter, AuditLine, ErrorKind, Store, WriteJournal,
};
use uuid::Uuid;

use crate::{Fixture, prod};

async fn record_lines(store: &Store) -> Vec<AuditLine> {
    let mut filter = AuditFilter::default();
    filter.action = Some("records".to_owned());
    store.audit().list(&filter, 1_000).await.unwrap()
}

fn entry(action: &'static str) -> AuditEntry {
    AuditEntry::new(action)
        .scope(&prod())
        .resource("shop")
        .model("orders")
}

fn acting(store: &Store) -> Store {
    let actor = Actor::new(ActorKind::StaticToken, Uuid::from_u128(7), "svct_abc");
    store.acting(actor, Some("request-1"))
}

#[tokio::test]
async fn a_line_that_was_prepared_is_unknown_until_its_write_is_settled() {
    let fixture = Fixture::new().await;
    let store = acting(&fixture.store);
    let journal = store.audit().open_journal().await.unwrap();
    let prepare = |key: &str| {
        let begun = journal.begin(&store, entry("records.create")).unwrap();
        begun.prepare(entry("records.create").record(key).after("tag"));
        begun
    };
    let (done, failed, left) = (prepare("1"), prepare("2"), prepare("3"));
    done.sync();
    let missing = store.audit().missing_lines().await.unwrap();
    assert_eq!(missing.len(), 3);
    assert!(missing.iter().all(|noted| noted.line.outcome_is_unknown));
    done.settle(|| panic!("the line is there")).await.unwrap();
    failed.cancel();
    drop(left);
    let lines = record_lines(&store).await;
    let seen = |line: &AuditLine| (line.record.clone(), line.outcome_is_unknown);
    assert_eq!(
        lines.iter().map(seen).collect::<Vec<_>>(),
        [(Some("1".to_owned()), false)]
    );
    journal.flush().await.unwrap();
    let lines = record_lines(&store).await;
    let seen: Vec<_> = lines.iter().map(seen).collect();
    assert_eq!(
        seen,
        [(Some("3".to_owned()), true), (Some("1".to_owned()), false)]
    );
}

fn journals(store: &Store) -> usize {
    let names = std::fs::read_dir(store.dir()).unwrap();
    names
        .filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().starts_with("store.writes.")
        })
        .count()
}

/// Makes every write to the store fail with "disk full", until it is called with `false`.
async fn fill(fixture: &Fixture, full: bool) {
    let statements: &[_] = match (full, fixture.url.is_some()) {
        (true, false) => &[
            "CREATE TRIGGER is_full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'full'); END",
        ],
        (false, false) => &["DROP TRIGGER is_full"],
        (true, true) => &[
            "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql \
             AS 'BEGIN RAISE EXCEPTION ''full''; END'",
            "CREATE TRIGGER is_full BEFORE INSERT ON audit EXECUTE FUNCTION refuse()",
        ],
        (false, true) => &["DROP TRIGGER is_full ON audit"],
    };
    let database = fixture.database().await;
    let done = database.write(move |conn| {
        for statement in statements {
            conn.execute(statement, &[])?;
        }
        Ok::<_, svc_data::Error>(())
    });
    done.await.unwrap();
}

#[tokio::test]
async fn a_settled_write_has_its_line_and_leaves_no_note() {
    let fixture = Fixture::new().await;
    let store = acting(&fixture.store);
    let journal = store.audit().open_journal().await.unwrap();
    let begun = journal.begin(&store, entry("records.create")).unwrap();
    assert_eq!(journals(&store), 1);
    begun
        .settle(|| vec![entry("records.create").record("42").after("tag")])
        .await
        .unwrap();
    journal
        .begin(&store, entry("records.delete"))
        .unwrap()
        .cancel();
    let nothing = journal.begin(&store, entry("records.bulk_create")).unwrap();
    nothing.settle(Vec::new).await.unwrap();
    let lines = record_lines(&store).await;
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].record.as_deref(), Some("42"));
    assert_eq!(lines[0].request_id.as_deref(), Some("request-1"));
    assert_eq!(lines[0].actor.label.as_deref(), Some("svct_abc"));
    assert!(!lines[0].outcome_is_unknown);
    assert!(store.audit().missing_lines().await.unwrap().is_empty());
    journal.close().await;
    assert_eq!(journals(&store), 0, "a clean end leaves no journal");
}

#[tokio::test]
async fn a_write_that_a_process_did_not_finish_becomes_a_line_of_unknown_outcome() {
    let fixture = Fixture::new().await;
    let store = acting(&fixture.store);
    let journal = store.audit().open_journal().await.unwrap();
    let begun = journal
        .begin(&store, entry("records.update").record("42"))
        .unwrap();
    // As a process that was killed: its file stays, and is locked no more.
    std::mem::forget(begun);
    let missing = store.audit().missing_lines().await.unwrap();
    assert_eq!(missing.len(), 1);
    assert!(missing[0].service_runs);
    let killed: WriteJournal = journal;
    forget_and_unlock(killed, &store);
    let missing = store.audit().missing_lines().await.unwrap();
    assert!(!missing[0].service_runs);
    assert!(record_lines(&store).await.is_empty());

    for _ in 0..2 {
        drop(store.audit().open_journal().await.unwrap());
        let lines = record_lines(&store).await;
        assert_eq!(lines.len(), 1, "once, however often a service starts");
        assert_eq!(lines[0].action, "records.update");
        assert_eq!(lines[0].record.as_deref(), Some("42"));
        assert!(lines[0].outcome_is_unknown);
    }
    let mut filter = AuditFilter::default();
    filter.outcome_is_unknown = true;
    assert_eq!(store.audit().list(&filter, 10).await.unwrap().len(), 1);
}

/// Copies the journal's file, as a process that was killed would have left it, and ends the journal itself.
fn forget_and_unlock(journal: WriteJournal, store: &Store) {
    let of_journal = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("store.writes.").then_some(path)
    };
    let mut paths = std::fs::read_dir(store.dir()).unwrap();
    let path = paths.find_map(of_journal).unwrap();
    let left = store.dir().join("store.writes.left");
    std::fs::copy(&path, &left).unwrap();
    std::fs::remove_file(&path).unwrap();
    drop(journal);
}

#[tokio::test]
async fn a_line_that_the_store_does_not_take_waits_and_is_written_once_it_does() {
    let fixture = Fixture::new().await;
    let store = acting(&fixture.store);
    let journal = store.audit().open_journal().await.unwrap();
    fill(&fixture, true).await;
    let begun = journal.begin(&store, entry("records.create")).unwrap();
    let error = begun
        .settle(|| vec![entry("records.create").record("42")])
        .await
        .unwrap_err();
    assert_ne!(error.kind(), ErrorKind::Invalid);
    assert_eq!(journal.waiting(), 1);
    let missing = store.audit().missing_lines().await.unwrap();
    assert_eq!(missing.len(), 1);
    assert_eq!(missing[0].line.record.as_deref(), Some("42"));
    assert!(
        !missing[0].line.outcome_is_unknown,
        "it is known to be done"
    );
    journal.flush().await.unwrap_err();
    fill(&fixture, false).await;
    journal.flush().await.unwrap();
    assert_eq!(journal.waiting(), 0);
    let lines = record_lines(&store).await;
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].record.as_deref(), Some("42"));
    assert!(store.audit().missing_lines().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_line_that_was_written_just_before_a_process_was_killed_is_no_second_one() {
    let fixture = Fixture::new().await;
    let store = acting(&fixture.store);
    let journal = store.audit().open_journal().await.unwrap();
    // The note of a line that waits is the line itself.
    fill(&fixture, true).await;
    let begun = journal.begin(&store, entry("records.create")).unwrap();
    begun
        .settle(|| vec![entry("records.create").record("1")])
        .await
        .unwrap_err();
    let noted = store.dir().join("store.writes.left");
    let paths = std::fs::read_dir(store.dir()).unwrap();
    let path = paths
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("store.writes."))
        .unwrap();
    std::fs::copy(path, noted).unwrap();
    fill(&fixture, false).await;
    journal.flush().await.unwrap();
    drop(store.audit().open_journal().await.unwrap());
    assert_eq!(record_lines(&store).await.len(), 1);
}

#[tokio::test]
async fn many_writes_at_once_each_have_a_place_and_long_keys_are_left_out() {
    let fixture = Fixture::new().await;
    let store = acting(&fixture.store);
    let journal = store.audit().open_journal().await.unwrap();
    let long = "k".repeat(5_000);
    let begun: Vec<_> = (0..300)
        .map(|number| {
            let key = match number {
                0 => long.clone(),
                number => number.to_string(),
            };
            let entry = entry("records.update").record(key);
            journal.begin(&store, entry).unwrap()
        })
        .collect();
    let missing = store.audit().missing_lines().await.unwrap();
    assert_eq!(missing.len(), 300);
    let without = missing.iter().filter(|note| note.line.record.is_none());
    assert_eq!(without.count(), 1);
    // Nobody says how they ended.
    drop(begun);
    assert_eq!(journal.waiting(), 300);
    journal.close().await;
    let lines = record_lines(&store).await;
    assert_eq!(lines.len(), 300);
    assert!(lines.iter().all(|line| line.outcome_is_unknown));
    assert!(
        lines
            .iter()
            .any(|line| line.record.as_deref() == Some(&long))
    );
    assert_eq!(journals(&store), 0);
}
