//! Creating, changing and deleting records, and refused writes.

use serde_json::{Value, json};
use svc_tests::servers::{MariadbServer, Server as _};

use super::fixture::{ENGINES, Engines};
use crate::shared::serve;

#[test]
fn every_engine_stores_and_returns_the_same_records() {
    let engines = Engines::new();
    let whole = json!({
        "name": "Grace \u{1f600} \\ \" '", "email": "g@example.com", "active": false, "since": "2026-02-28",
        "credit": "12345678.90", "score": 0.1, "wakes": "06:30:15", "seen": "2026-01-31T23:59:59+02:00",
        "extra": {"b": [1.50, null], "a": "ü"}, "token": "6f9619ff-8b86-d011-b42d-00c04fc964ff", "picture": "00ff10",
        "big": i64::MAX, "small": -32768,
    });
    let (status, created) = engines.alike("POST", "/models/customers", Some(&whole));
    assert_eq!((status, &created["id"]), (201, &json!(37)), "{created}");
    let (status, created) =
        engines.alike("POST", "/models/customers", Some(&json!({"name": "Min"})));
    assert_eq!((status, &created["small"]), (201, &json!(7)), "{created}");
    for (path, change) in [
        (
            "/models/customers/37",
            json!({"credit": 5, "seen": "2026-05-05T05:05", "active": true}),
        ),
        (
            "/models/customers/37?tz=Asia/Tokyo",
            json!({"seen": "2026-05-05T05:05"}),
        ),
        (
            "/models/customers/37",
            json!({"extra": null, "token": null, "picture": "", "name": ""}),
        ),
        (
            "/models/customers/37",
            json!({"extra": [1, "x"], "big": i64::MIN}),
        ),
        ("/models/customers/37", json!({"extra": "text"})),
        ("/models/customers/37", json!({})),
        (
            "/models/order_lines/2,1",
            json!({"what": "changed", "amount": 99}),
        ),
        ("/models/order_lines/2,1", json!({"number": 9})),
    ] {
        let (status, told) = engines.alike("PATCH", path, Some(&change));
        assert_eq!(status, 200, "{change}: {told}");
    }
    let (status, told) =
        engines.alike("PUT", "/models/customers/37", Some(&json!({"name": "New"})));
    assert_eq!(
        (status, &told["small"], &told["active"]),
        (200, &json!(7), &json!(true)),
        "{told}"
    );
    for id in ["37", "38"] {
        assert_eq!(
            engines
                .alike("DELETE", &format!("/models/customers/{id}"), None)
                .0,
            204
        );
        assert_eq!(
            engines
                .alike("GET", &format!("/models/customers/{id}"), None)
                .0,
            404
        );
        assert_eq!(
            engines
                .alike("DELETE", &format!("/models/customers/{id}"), None)
                .0,
            404
        );
    }
}

#[test]
fn every_engine_refuses_the_same_writes_with_errors_of_the_same_fields() {
    let engines = Engines::new();
    let before = engines.read("/models/customers?_no_pagination=1");
    for body in [
        json!({}),
        json!({"name": null}),
        json!({"name": "x".repeat(21)}),
        json!({"name": "x", "nope": 1}),
        json!({"name": "x", "email": "1@example.com"}),
        json!({"name": "x", "id": 1}),
        json!({"name": "x", "credit": -1}),
        json!({"name": "x", "credit": "1.005"}),
        json!({"name": "x", "credit": "123456789"}),
        json!({"name": "x", "credit": "abc"}),
        json!({"name": "x", "since": "2026-02-30"}),
        json!({"name": "x", "since": 5}),
        json!({"name": "x", "seen": "soon"}),
        json!({"name": "x", "wakes": "24:30"}),
        json!({"name": "x", "active": "maybe"}),
        json!({"name": "x", "active": null}),
        json!({"name": "x", "score": "NaN"}),
        json!({"name": "x", "big": 1.5}),
        json!({"name": "x", "token": "nope"}),
        json!({"name": "x", "picture": "0"}),
        json!({"name": 1.5, "small": true}),
        json!([1]),
    ] {
        let (status, told) = engines.alike("POST", "/models/customers", Some(&body));
        assert_eq!(status, 400, "{body}: {told}");
    }
    for (method, path, body) in [
        ("POST", "/models/orders", json!({"customer_id": 999})),
        ("PATCH", "/models/orders/1", json!({"customer_id": 999})),
        ("DELETE", "/models/customers/1", Value::Null),
        (
            "POST",
            "/models/order_lines",
            json!({"order_id": 2, "number": 1}),
        ),
        (
            "PATCH",
            "/models/customers/2",
            json!({"email": "1@example.com"}),
        ),
        ("PATCH", "/models/customers/2", json!({"name": null})),
        ("PUT", "/models/customers/2", json!({"email": null})),
    ] {
        let body = Some(&body).filter(|body| !body.is_null());
        let (status, told) = engines.alike(method, path, body);
        assert_eq!(status, 400, "{method} {path}: {told}");
    }
    assert_eq!(engines.read("/models/customers?_no_pagination=1"), before);
}

#[test]
fn many_records_are_created_independently_or_all_or_none() {
    let engines = Engines::new();
    let bodies = json!([
        {"name": "one"},
        {"name": "two", "email": "1@example.com"},
        {"nope": 1},
        {"name": "four", "credit": 1},
        {"name": "five", "credit": -5},
    ]);
    let (status, told) = engines.alike(
        "POST",
        "/models/customers/bulk_create?_atomic=1",
        Some(&bodies),
    );
    assert_eq!((status, told.as_array().map(Vec::len)), (200, Some(5)));
    assert_eq!(engines.read("/models/customers?_per_page=1")["count"], 36);
    for engine in ENGINES {
        let answer = engines.answer(
            engine,
            "POST",
            "/models/customers/bulk_create",
            Some(&bodies),
        );
        let told = answer.json();
        let outcomes: Vec<bool> = told
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["success"] == true)
            .collect();
        assert_eq!(
            outcomes,
            [true, false, false, true, false],
            "{engine}: {told}"
        );
    }
    let told = engines.read("/models/customers/aggregate?_y_func=sum&_y_column=credit&id__gt=36");
    assert_eq!(told["y_func"], "1.00", "{told}");
}

#[test]
fn refused_records_among_many_prevent_no_others() {
    let engines = Engines::new();
    // Statements create up to 256 of them at once.
    let part = 256;
    let taken = part + 44;
    let too_fine = 3 * part + 32;
    let record = |place: usize| match place {
        _ if place < part => json!({"nope": place}),
        _ if place == taken => json!({"name": "taken", "email": "1@example.com"}),
        _ if place == too_fine => {
            json!({"name": "too fine", "seen": "2026-01-01T00:00:00.123456789Z"})
        }
        _ if place < 2 * part => json!({"name": format!("n{place}")}),
        _ => match place % 3 {
            0 => json!({"name": format!("n{place}"), "small": 3}),
            _ => json!({"small": 4, "name": format!("n{place}"), "big": place}),
        },
    };
    let records: Vec<Value> = (0..4 * part - 5).map(record).collect();
    for engine in ENGINES {
        let create = |records: &[Value]| {
            let path = "/models/customers/bulk_create";
            let answer = engines.answer(engine, "POST", path, Some(&json!(records)));
            answer.json().as_array().unwrap().clone()
        };
        // SQLite keeps a date as the text that it is.
        let is_refused =
            |place| place < part || place == taken || (place == too_fine && engine != "sqlite");
        let told = create(&records);
        for (place, (told, sent)) in told.iter().zip(&records).enumerate() {
            assert_eq!(
                told["success"],
                !is_refused(place),
                "{engine}: {place} {told}"
            );
            for field in ["name", "big"] {
                let made = &told["record"][field];
                assert!(
                    is_refused(place) || *made == sent[field],
                    "{engine}: {told}"
                );
            }
        }
        // The first one of a transaction is refused before it is sent.
        let told = create(&records[too_fine..]);
        for (place, told) in (too_fine..).zip(told) {
            assert_eq!(
                told["success"],
                !is_refused(place),
                "{engine}: {place} {told}"
            );
        }
    }
}

#[test]
fn a_change_by_somebody_else_is_not_overwritten() {
    let engines = Engines::new();
    for engine in ENGINES {
        let path = "/models/customers/3";
        let read = engines.answer(engine, "GET", path, None);
        let etag = read.header("etag").to_owned();
        let change = |tag: &str, name: &str| {
            let call = engines
                .service
                .data("PATCH", engine, path)
                .header("if-match", tag);
            call.json(&json!({ "name": name })).send()
        };
        let changed = change(&etag, "first");
        assert_eq!(changed.status, 200, "{engine}: {}", changed.body);
        assert_eq!(change(&etag, "second").status, 412, "{engine}");
        assert_eq!(
            change(changed.header("etag"), "third").status,
            200,
            "{engine}"
        );
        assert_eq!(change("*", "fourth").status, 200, "{engine}");
        let call = engines
            .service
            .data("DELETE", engine, "/models/order_lines/2,1");
        assert_eq!(
            call.header("if-match", "\"other\"").send().status,
            412,
            "{engine}"
        );
    }
}

#[test]
fn the_time_to_create_records_without_a_key_does_not_grow_with_the_table() {
    let folder = tempfile::tempdir().unwrap();
    // A separate server, on which no other test reads rows.
    let server = MariadbServer::start();
    let url = server.database(
        "CREATE TABLE readings (place VARCHAR(20), value INT, kind ENUM('b', 'a') DEFAULT 'a');
         INSERT INTO readings (place, value) SELECT CONCAT('place ', seq), seq FROM seq_1_to_20000;",
    );
    let service = serve(&folder, &[&format!("x={url}")]);
    let records: Vec<Value> = (0..200)
        .map(|number| json!({"place": "new", "value": number}))
        .collect();
    let examined = || {
        server.number(
            "SELECT CAST(variable_value AS SIGNED) FROM information_schema.global_status \
             WHERE variable_name = 'Handler_read_rnd_next'",
        )
    };
    let before = examined();
    let call = service.data("POST", "x", "/models/readings/bulk_create");
    let created = call.json(&json!(records)).expect(200).json();
    let last = &created[199]["record"];
    assert_eq!(last["place"], "new", "{created}");
    assert_eq!(last["value"], 199);
    assert_eq!(last["kind"], "a", "what the database filled in is there");
    let rows = examined() - before;
    assert!(
        rows < 400_000,
        "{rows} rows were looked at for 200 new ones"
    );
}

#[test]
fn a_record_without_a_key_is_changed_only_if_no_other_record_equals_it() {
    let engines = Engines::new();
    let (status, told) = engines.alike(
        "POST",
        "/models/notes",
        Some(&json!({"text": "alone", "weight": 1})),
    );
    assert_eq!(status, 201, "{told}");
    let (status, told) = engines.alike("PATCH", "/models/notes/alone", Some(&json!({"weight": 2})));
    assert_eq!((status, &told["weight"]), (200, &json!(2)), "{told}");
    assert_eq!(engines.alike("DELETE", "/models/notes/alone", None).0, 204);
    let (status, _) = engines.alike(
        "PATCH",
        "/models/notes/note%201",
        Some(&json!({"weight": 2})),
    );
    assert_eq!(status, 400);
}
