//! Writes to many records at once.

use super::*;

#[test]
fn writes_to_many_records_keep_what_they_did_to_each() {
    let audited = AuditedService::new();
    let service = &audited.service;
    for resource in RESOURCES {
        let data = |method: &str, path: &str| service.data(method, resource, path);
        let records =
            json!([{"name": "a"}, {"name": "b"}, {"name": "a"}, {"name": "c", "note": "x"}]);
        let made = data("POST", "/models/t/bulk_create")
            .json(&records)
            .expect(200)
            .json();
        let id = |index: usize| made[index]["record"]["id"].clone();
        let upserts =
            json!([{"name": "a", "amount": 7}, {"name": "d"}, {"name": "b", "amount": 7}]);
        let upsert = data("POST", "/models/t/bulk_create?_on_conflict=name");
        let made_too = upsert.json(&upserts).expect(200).json();
        let update = data("PATCH", "/models/t?name__in=a,c").json(&json!({"note": "y"}));
        update.expect(200);
        data("DELETE", "/models/t?name__in=a,b,c").expect(200);

        let new = |id: Value, name: &str, note: Value, amount: i32| {
            json!({
                "id": {"new": id}, "name": {"new": name}, "note": {"new": note}, "amount": {"new": amount}
            })
        };
        let old = |id: Value, name: &str, note: Value, amount: i32| {
            json!({
                "id": {"old": id}, "name": {"old": name}, "note": {"old": note}, "amount": {"old": amount}
            })
        };
        let history = |id: Value| changes(service, resource, &format!("/models/t/{id}"));
        let expected = |entries: Vec<(&str, Value)>| -> Vec<(String, Value)> {
            entries
                .into_iter()
                .map(|(action, changes)| (format!("records.{action}"), changes))
                .collect()
        };
        let null = Value::Null;
        assert_eq!(
            history(id(0)),
            expected(vec![
                ("delete_all", old(id(0), "a", "y".into(), 7)),
                ("update_all", json!({"note": {"old": null, "new": "y"}})),
                ("update_all", json!({"amount": {"old": 1, "new": 7}})),
                ("bulk_create", new(id(0), "a", null.clone(), 1)),
            ]),
            "{resource}"
        );
        assert_eq!(
            history(id(3)),
            expected(vec![
                ("delete_all", old(id(3), "c", "y".into(), 1)),
                ("update_all", json!({"note": {"old": "x", "new": "y"}})),
                ("bulk_create", new(id(3), "c", "x".into(), 1)),
            ]),
            "{resource}"
        );
        let alone = made_too[1]["record"]["id"].clone();
        let created = expected(vec![("bulk_create", new(alone.clone(), "d", null, 1))]);
        assert_eq!(history(alone), created, "{resource}");

        // The rows of an import have their creation, and no values.
        let import = data("POST", "/models/t/imports").header("content-type", "text/csv");
        let begun = import.body("name\nrow1\nrow2\n").expect(202).json();
        let import = format!("/models/t/imports/{}", text(&begun, "uid"));
        wait_until("the rows were read", || {
            data("GET", &import).expect(200).json()["state"] == "done"
        });
        let row = data("GET", "/models/t?name=row2").expect(200).json()["results"][0]["id"].clone();
        assert_eq!(
            history(row),
            expected(vec![("bulk_create", Value::Null)]),
            "{resource}"
        );
    }
}

#[test]
fn what_a_line_says_of_each_of_its_records_is_told_page_by_page() {
    let audited = AuditedService::new();
    let service = &audited.service;
    for resource in RESOURCES {
        let data = |method: &str, path: &str| service.data(method, resource, path);
        let history = |model: &str, query: &str| {
            let models = format!("/projects/main/prod/resources/{resource}/models");
            format!("{models}/{model}/history/{query}")
        };
        let told = |query: &str| service.app("GET", &history("t", query)).expect(200).json();
        let records: Vec<Value> = (1..=5)
            .map(|amount| json!({"name": format!("n{amount}"), "amount": amount}))
            .collect();
        let made = data("POST", "/models/t/bulk_create").json(&json!(records));
        let made = made.header("x-request-id", "made").expect(200).json();
        let keys: Vec<String> = (0..5)
            .map(|index| made[index]["record"]["id"].to_string())
            .collect();
        let change = |path: &str, amount: i32, id: &str| {
            let call = data("PATCH", path).json(&json!({"amount": amount}));
            call.header("x-request-id", id).expect(200);
        };
        change("/models/t?name__startswith=n", 9, "twice");
        change("/models/t?name__in=n1,n2,n3", 10, "changed");
        change("/models/t?name=n1", 11, "one");

        // Three records on pages of two, each with what was done to it, found by the request and by the line.
        let uid = text(&told("?request_id=changed")["results"][0], "line").to_owned();
        for named in ["request_id=changed", &format!("line={uid}")] {
            let first = told(&format!("?{named}&_per_page=2"));
            assert_eq!(
                (&first["has_more"], &first["count"]),
                (&json!(true), &json!(3))
            );
            let (_, next) = text(&first, "next").split_once('?').unwrap();
            let second = told(&format!("?{next}"));
            assert_eq!(
                (&second["has_more"], &second["next"], &second["count"]),
                (&json!(false), &Value::Null, &json!(3))
            );
            let pages = [&first, &second].map(|page| page["results"].as_array().unwrap().clone());
            let entries = pages.concat();
            for entry in &entries {
                assert_eq!(text(entry, "action"), "records.update_all");
                assert_eq!(text(entry, "line"), uid);
                assert_eq!(entry["actor"]["kind"], "static_token");
                let changes = json!({"amount": {"old": 9, "new": 10}});
                assert_eq!(entry["changes"], changes, "{resource}");
            }
            let mut told: Vec<&str> = entries.iter().map(|entry| text(entry, "record")).collect();
            told.sort_unstable();
            let mut changed: Vec<&str> = keys[..3].iter().map(String::as_str).collect();
            changed.sort_unstable();
            assert_eq!(told, changed, "{resource}");
        }

        // A line of a filter that met one record, one of many that were made, and one about one record alone.
        let one = told("?request_id=one");
        assert_eq!(
            (&one["results"][0]["record"], &one["count"]),
            (&json!(keys[0]), &json!(1))
        );
        let created = told("?request_id=made");
        let amounts = created["results"].as_array().unwrap().iter();
        let mut amounts: Vec<&Value> = amounts.map(|it| &it["changes"]["amount"]["new"]).collect();
        amounts.sort_unstable_by_key(|amount| amount.as_i64());
        assert_eq!(amounts, [1, 2, 3, 4, 5]);
        let alone = data("PATCH", &format!("/models/t/{}", keys[3])).json(&json!({"amount": 12}));
        alone.header("x-request-id", "alone").expect(200);
        assert_eq!(told("?request_id=alone")["count"], Value::Null);
        let trail = service
            .app("GET", "/projects/main/audit/?request_id=alone")
            .expect(200)
            .json();
        let alone = text(&trail["results"][0], "uid");
        let alone = told(&format!("?line={alone}"));
        assert_eq!(alone["count"], json!(1));
        assert_eq!(alone["results"][0]["record"], json!(keys[3]));
        assert_eq!(
            alone["results"][0]["changes"],
            json!({"amount": {"old": 9, "new": 12}})
        );

        // Of an ID that came twice it is the newest line; the older one is found by itself.
        let older = told("?request_id=twice");
        change("/models/t?name=n5", 1, "twice");
        let newest = told("?request_id=twice");
        assert_eq!(newest["count"], json!(1));
        assert_eq!(
            newest["results"][0]["changes"],
            json!({"amount": {"old": 9, "new": 1}})
        );
        let older = told(&format!("?line={}", text(&older["results"][0], "line")));
        assert_eq!(older["count"], json!(5));

        // Of a request that nobody made, a line that nobody wrote, and one about another model.
        let nobody = "?line=0190163d-8694-739b-aea5-966c26f8ad90";
        let nothing = [told("?request_id=nobody"), told(nobody)];
        let other = ["?request_id=changed".to_owned(), format!("?line={uid}")].map(|query| {
            service
                .app("GET", &history("pairs", &query))
                .expect(200)
                .json()
        });
        for nothing in nothing.iter().chain(&other) {
            assert_eq!(nothing["results"], json!([]));
        }
        for (wrong, field) in [
            ("", "line"),
            ("?request_id=", "line"),
            ("?line=", "line"),
            ("?line=mine", "line"),
            (&format!("?line={uid}&request_id=changed"), "line"),
            (&format!("?line={uid}&line={uid}"), "line"),
            ("?request_id=x&_order_by=id", "non_field_errors"),
            ("?request_id=x&_after=y", "_after"),
            (
                "?request_id=x&_after=0190163d8694739baea5966c26f8ad90~2",
                "_after",
            ),
            // A cursor of another line.
            (
                &format!("{nobody}&_after={}~1", uid.replace('-', "")),
                "_after",
            ),
        ] {
            let refused = service.app("GET", &history("t", wrong)).expect(400).json();
            assert!(refused[field].is_array(), "{wrong}: {refused}");
        }
        let token = service.text(&format!("/resources/{resource}/token"));
        let anyone = |model| service.app_anonymous("GET", &history(model, "?request_id=one"));
        anyone("t").authorization(token).expect(200);
        anyone("t").expect(401);
    }
}

#[test]
fn more_records_than_values_are_kept_of_have_their_changes_without_them() {
    let folder = tempfile::tempdir().unwrap();
    let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);
        WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1001)
        INSERT INTO t SELECT n, 'x' FROM n";
    let service = service(&folder, script, &[]);
    let update = |filter: &str| {
        let path = format!("/models/t?{filter}");
        service
            .data("PATCH", "h", &path)
            .json(&json!({"a": filter}))
            .expect(200);
    };
    update("_all=1");
    update("id__gt=1");
    assert_eq!(
        changes(&service, "h", "/models/t/1001"),
        [
            (
                "records.update_all".to_owned(),
                json!({"a": {"old": "_all=1", "new": "id__gt=1"}})
            ),
            ("records.update_all".to_owned(), Value::Null),
        ]
    );
}
