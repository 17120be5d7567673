//! Upserts beside other writes of the same record, and those that one statement cannot do.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use serde_json::{Value, json};
use svc_tests::{
    Program,
    servers::{PostgresServer, Server as _},
};

use super::{ENGINES, Upserts, serve};

#[test]
fn of_many_who_change_the_same_record_each_leaves_the_tag_that_the_one_before_left() {
    const CALLERS: usize = 6;
    const TIMES: usize = 10;
    let upserts = Upserts::new();
    for engine in ENGINES {
        thread::scope(|scope| {
            for caller in 0..CALLERS {
                let upserts = &upserts;
                scope.spawn(move || {
                    for time in 0..TIMES {
                        let visits = 1 + caller * TIMES + time;
                        let body = json!({"email": "a@x", "name": "Ada", "visits": visits});
                        let answer = upserts.post(engine, "people?_on_conflict=email", &body);
                        assert!(answer.status.is_success(), "{engine}: {}", answer.body);
                    }
                });
            }
        });
    }
    let list = ["audit", "list", "--limit", "1000", "--format", "json"];
    let lines = Program::new(upserts.store.path(), &list).run_json();
    let lines = lines.as_array().unwrap();
    for engine in ENGINES {
        let is_write = |line: &&Value| line["resource"] == engine && line["model"] == "people";
        let writes = lines.iter().filter(is_write);
        let writes: Vec<_> = writes.collect();
        assert_eq!(writes.len(), CALLERS * TIMES, "{engine}");
        let tags = |name: &str| -> BTreeSet<String> {
            let tags = writes.iter().map(|line| &line[name]);
            tags.filter_map(|tag| tag.as_str().map(str::to_owned))
                .collect()
        };
        // All but the first had a tag, and all but the last tag were there before another write.
        let (before, after) = (tags("before"), tags("after"));
        assert_eq!(after.len(), CALLERS * TIMES, "{engine}");
        assert_eq!(before.len(), CALLERS * TIMES - 1, "{engine}");
        assert!(before.is_subset(&after), "{engine}");
    }
}

#[test]
fn a_record_that_others_delete_meanwhile_is_created_as_often_as_the_statuses_say() {
    const CALLERS: usize = 4;
    const TIMES: usize = 25;
    let upserts = Upserts::new();
    for engine in ENGINES {
        let (created, deleted) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for caller in 0..CALLERS {
                let (upserts, created, deleted) = (&upserts, &created, &deleted);
                scope.spawn(move || {
                    for time in 0..TIMES {
                        let body = json!({"code": "it", "name": "Italy", "size": time});
                        let answer = upserts.post(engine, "places?_on_conflict=code", &body);
                        match answer.status.as_u16() {
                            201 => created.fetch_add(1, Ordering::Relaxed),
                            200 | 503 => 0,
                            _ => panic!("{engine}: {} {}", answer.status, answer.body),
                        };
                        let path = "/models/places/it";
                        let delete = || upserts.service.data("DELETE", engine, path).send();
                        if caller % 2 == 0 && delete().status.is_success() {
                            deleted.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        let left = upserts.list(engine, "places", "code").len();
        let gone = deleted.into_inner();
        assert_eq!(created.into_inner(), gone + left, "{engine}");
        assert!(gone > 0, "{engine}");
    }
}

#[test]
fn a_table_with_rules_and_a_user_of_few_columns_change_records_by_upserts() {
    let server = PostgresServer::shared();
    let url = server.database(
        "CREATE TABLE ruled (code text PRIMARY KEY, name text);
         CREATE TABLE changes (code text);
         CREATE RULE noted AS ON UPDATE TO ruled DO ALSO INSERT INTO changes VALUES (new.code);
         INSERT INTO ruled VALUES ('a', 'x');
         CREATE TABLE narrow (code text PRIMARY KEY, name text, note text);
         INSERT INTO narrow VALUES ('a', 'x', 'y');
         DO $$ BEGIN CREATE ROLE clerk LOGIN PASSWORD 'clerk'; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
         GRANT SELECT, UPDATE, INSERT (code, name) ON narrow TO clerk;
         GRANT SELECT, UPDATE, INSERT ON ruled TO clerk;
         GRANT INSERT, SELECT ON changes TO clerk;",
    );
    let (_, rest) = url.split_once('@').unwrap();
    let connect = [format!("p=postgres://clerk:clerk@{rest}")];
    let (_store, service) = serve(&connect, &[]);
    let upsert = |model: &str, body: &Value| {
        let path = format!("/models/{model}?_on_conflict=code");
        service.data("POST", "p", &path).json(body).send()
    };
    for model in ["ruled", "narrow"] {
        let changed = upsert(model, &json!({"code": "a", "name": "z"}));
        assert_eq!(changed.status, 200, "{model}: {}", changed.body);
        assert_eq!(changed.json()["name"], "z", "{model}");
    }
    let changed = upsert("narrow", &json!({"code": "a", "note": "z"}));
    assert_eq!(changed.status, 200, "{}", changed.body);
    let noted = service.data("GET", "p", "/models/changes").ok();
    assert_eq!(noted["count"], 1, "{noted}");
    // The server refuses the insert of both.
    let refused = upsert("narrow", &json!({"code": "b", "note": "z"}));
    assert_eq!(refused.status, 400, "{}", refused.body);
    let refused = upsert("ruled", &json!({"code": "b", "name": "z"}));
    assert_eq!(refused.status, 400, "{}", refused.body);
}
