//! Writes: what is taken, what is refused and where, preconditions, and many at once.

use svc_data::{ErrorKind, IfMatch, UpdateOptions};
use svc_model::RecordView;

use crate::fixture::{Shop, body, messages, object};

const SHOP: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, email TEXT NOT NULL COLLATE NOCASE UNIQUE, name TEXT DEFAULT 'anon');
    INSERT INTO customers VALUES (1, 'ada@x', 'Ada'), (2, 'bob@x', 'Bob');
    CREATE TABLE orders (
        id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers, number TEXT, year INTEGER,
        qty INTEGER DEFAULT 1 CHECK (qty > 0), price DECIMAL(10,2), note TEXT,
        total DECIMAL GENERATED ALWAYS AS (qty * price) STORED, at DATETIME DEFAULT CURRENT_TIMESTAMP, meta JSON,
        big INTEGER, ok BOOLEAN, raw BLOB, uid UUID, day DATE, clock TIME, f REAL,
        CONSTRAINT dear CHECK (price IS NULL OR price < 1000), CHECK (note <> number), UNIQUE (number, year));
    INSERT INTO orders (id, customer_id, number, year) VALUES (1, 1, 'A', 2026);
    CREATE TABLE strict (id INTEGER PRIMARY KEY, n INTEGER) STRICT;
    CREATE TABLE log (id INTEGER PRIMARY KEY, secret TEXT UNIQUE NOT NULL);
    INSERT INTO log VALUES (1, 'x');
    CREATE TABLE short (id INTEGER PRIMARY KEY, a VARCHAR(3));
    CREATE TABLE guarded (id INTEGER PRIMARY KEY, a TEXT);
    CREATE TRIGGER no_b BEFORE INSERT ON guarded WHEN NEW.a = 'b' BEGIN SELECT RAISE(ABORT, 'b is not welcome'); END;
    CREATE TRIGGER gone BEFORE INSERT ON guarded WHEN NEW.a = 'ignore' BEGIN SELECT RAISE(IGNORE); END;
    CREATE TRIGGER back BEFORE INSERT ON guarded WHEN NEW.a = 'rollback' BEGIN SELECT RAISE(ROLLBACK, 'all of it'); END;
    CREATE TRIGGER logged AFTER INSERT ON guarded WHEN NEW.a = 'log' BEGIN INSERT INTO log (secret) VALUES ('x'); END;
    CREATE TRIGGER changed AFTER INSERT ON guarded WHEN NEW.a = 'up' BEGIN UPDATE guarded SET a = 'UP' WHERE id = NEW.id; END;";

#[tokio::test(flavor = "multi_thread")]
async fn a_record_is_created_with_what_the_database_adds() {
    let shop = Shop::new(SHOP).await;
    let made = body(
        shop.create(
            "orders",
            r#"{"customer_id":2,"qty":3,"price":"1.10","meta":{"a":[1.10]},"big":9223372036854775807,"ok":true,
                "raw":"00FF","uid":"AAAAAAAA-0000-0000-0000-00000000000a","day":"2026-02-28","clock":"09:30","f":0.1,
                "at":"2026-01-01T12:00:00.25+02:00"}"#,
        )
        .await
        .unwrap(),
    );
    assert_eq!(
        made,
        "{\"id\":2,\"customer_id\":2,\"number\":null,\"year\":null,\"qty\":3,\"price\":\"1.10\",\"note\":null,\
         \"total\":\"3.3000000000000003\",\"at\":\"2026-01-01T10:00:00.25Z\",\"meta\":{\"a\":[1.10]},\
         \"big\":9223372036854775807,\"ok\":true,\"raw\":\"00ff\",\"uid\":\"AAAAAAAA-0000-0000-0000-00000000000a\",\
         \"day\":\"2026-02-28\",\"clock\":\"09:30:00\",\"f\":0.1}"
    );
    assert_eq!(shop.text("orders", "2").await, made);
    assert!(
        body(
            shop.create("customers", r#"{"id":7,"email":"c@x"}"#)
                .await
                .unwrap()
        )
        .contains("anon")
    );
    assert_eq!(
        body(shop.create("strict", "{}").await.unwrap()),
        r#"{"id":1,"n":null}"#
    );
    assert_eq!(
        body(shop.create("guarded", r#"{"a":"up"}"#).await.unwrap()),
        r#"{"id":1,"a":"UP"}"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_record_is_answered_whatever_its_table_calls_the_row_id() {
    let shop = Shop::new(
        "CREATE TABLE plain (v TEXT);
         CREATE TABLE two_taken (rowid TEXT, v TEXT, _rowid_ TEXT);
         CREATE TABLE all_taken (rowid TEXT, v TEXT, _rowid_ TEXT, OID TEXT);
         CREATE TABLE pairs (a TEXT, v TEXT, PRIMARY KEY (a, v)) WITHOUT ROWID;
         CREATE TABLE descending (id INTEGER PRIMARY KEY DESC, v TEXT);
         CREATE TABLE text_key (v TEXT PRIMARY KEY, n INTEGER DEFAULT 7);
         CREATE TABLE replacing (id INTEGER PRIMARY KEY, v TEXT UNIQUE ON CONFLICT REPLACE);
         CREATE TABLE ignoring (id INTEGER PRIMARY KEY, v TEXT UNIQUE ON CONFLICT IGNORE);",
    )
    .await;
    for (model, json, expected) in [
        ("plain", r#"{"v":"x"}"#, r#"{"v":"x"}"#),
        ("plain", "{}", r#"{"v":null}"#),
        (
            "two_taken",
            r#"{"v":"x"}"#,
            r#"{"rowid":null,"v":"x","_rowid_":null}"#,
        ),
        (
            "all_taken",
            r#"{"rowid":"1","v":"x"}"#,
            r#"{"rowid":"1","v":"x","_rowid_":null,"OID":null}"#,
        ),
        ("pairs", r#"{"v":"x","a":"y"}"#, r#"{"a":"y","v":"x"}"#),
        ("descending", r#"{"v":"x","id":9}"#, r#"{"id":9,"v":"x"}"#),
        ("text_key", r#"{"v":"x"}"#, r#"{"v":"x","n":7}"#),
        ("text_key", r#"{"n":1,"v":"y"}"#, r#"{"v":"y","n":1}"#),
        ("replacing", r#"{"v":"x"}"#, r#"{"id":1,"v":"x"}"#),
        ("replacing", r#"{"v":"x"}"#, r#"{"id":2,"v":"x"}"#),
        ("replacing", r#"{"v":"y"}"#, r#"{"id":3,"v":"y"}"#),
        ("ignoring", r#"{"v":"x"}"#, r#"{"id":1,"v":"x"}"#),
    ] {
        let made = shop.create(model, json).await;
        let made = made.unwrap_or_else(|error| panic!("{model} {json}: {error}"));
        assert_eq!(body(made), expected, "{model} {json}");
    }
    let ignored = shop.create("ignoring", r#"{"v":"x"}"#).await.unwrap_err();
    assert_eq!(
        messages(&ignored),
        r#"{"non_field_errors":["a rule of the database left the record out without saying why"]}"#
    );
    assert_eq!(shop.list("replacing", "").await.len(), 2);
    assert_eq!(shop.list("ignoring", "").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_is_told_on_its_field() {
    let shop = Shop::new(SHOP).await;
    const RULE: &str = "a rule of the database does not allow this value";
    for (model, json, expected) in [
        ("customers", r#"{}"#, r#"{"email":["this field is required"]}"#.to_owned()),
        ("customers", r#"{"email":null}"#, r#"{"email":["this field may not be null"]}"#.to_owned()),
        ("customers", r#"{"email":"ADA@x"}"#, r#"{"email":["record with the same value already exists"]}"#.to_owned()),
        ("customers", r#"{"id":1,"email":"new"}"#, r#"{"id":["record with the same value already exists"]}"#.to_owned()),
        ("customers", r#"{"email":"e","nope":1,"more":2}"#, r#"{"nope":["unknown field"],"more":["unknown field"]}"#.to_owned()),
        ("orders", r#"{"customer_id":99}"#, r#"{"customer_id":["the related record does not exist"]}"#.to_owned()),
        ("orders", r#"{"customer_id":1,"qty":0}"#, format!(r#"{{"qty":["{RULE}"]}}"#)),
        ("orders", r#"{"customer_id":1,"price":1000}"#, r#"{"price":["the value breaks the rule \"dear\""]}"#.to_owned()),
        ("orders", r#"{"customer_id":1,"number":"q","note":"q"}"#, format!(r#"{{"non_field_errors":["{RULE}"]}}"#)),
        ("orders", r#"{"customer_id":1,"number":"A","year":2026}"#,
         r#"{"number":["record with the same value already exists"],"year":["record with the same value already exists"]}"#.to_owned()),
        ("orders", r#"{"customer_id":1,"total":5}"#, r#"{"total":["the database computes this field, and the value that it computes is another one; leave it out"]}"#.to_owned()),
        ("orders", r#"{"customer_id":"x"}"#, r#"{"customer_id":["a valid integer is required"]}"#.to_owned()),
        ("orders", r#"{"customer_id":1.5}"#, r#"{"customer_id":["a valid integer is required"]}"#.to_owned()),
        ("orders", r#"{"customer_id":true}"#, r#"{"customer_id":["a valid integer is required"]}"#.to_owned()),
        ("orders", r#"{"customer_id":1,"big":9223372036854775808}"#,
         r#"{"big":["must be an integer between -9223372036854775808 and 9223372036854775807"]}"#.to_owned()),
        ("orders", r#"{"customer_id":1,"price":0.12345678901234567890}"#,
         r#"{"price":["at most 2 digits behind the point are allowed"]}"#.to_owned()),
        ("orders", r#"{"customer_id":1,"meta":123456789012345678901}"#,
         r#"{"meta":["the database keeps about 15 digits of a number exactly; this one has more"]}"#.to_owned()),
        ("orders", r#"{"customer_id":1,"f":1e999}"#, r#"{"f":["the number is too large"]}"#.to_owned()),
        ("orders", r#"{"customer_id":1,"note":["a"]}"#, r#"{"note":["must be a text"]}"#.to_owned()),
        ("orders", r#"{"customer_id":1,"note":"\ud800"}"#, r#"{"note":["is not valid text"]}"#.to_owned()),
        ("orders", r#"{"customer_id":1,"raw":"0"}"#, r#"{"raw":["must be an even number of hexadecimal digits"]}"#.to_owned()),
        ("orders", r#"{"customer_id":1,"day":"2026-02-30","clock":"25:00","uid":"1","ok":"perhaps","at":12}"#,
         r#"{"day":["must be a date such as 2026-01-31"],"clock":["must be a time such as 13:30:00"],"uid":["must be a UUID"],"ok":["must be true or false"],"at":["must be a date and time such as \"2026-01-31T13:30:00Z\""]}"#.to_owned()),
        ("guarded", r#"{"a":"b"}"#, r#"{"non_field_errors":["b is not welcome"]}"#.to_owned()),
        ("guarded", r#"{"a":"rollback"}"#, r#"{"non_field_errors":["all of it"]}"#.to_owned()),
        ("guarded", r#"{"a":"ignore"}"#,
         r#"{"non_field_errors":["a rule of the database left the record out without saying why"]}"#.to_owned()),
        // Another table refused; its name and columns stay where they are.
        ("guarded", r#"{"a":"log"}"#, r#"{"non_field_errors":["record with the same value already exists"]}"#.to_owned()),
    ] {
        let error = shop.create(model, json).await.err().unwrap_or_else(|| panic!("{json} was taken"));
        assert_eq!(messages(&error), expected, "{json}");
    }
    let counts = [("customers", 2), ("orders", 1), ("guarded", 0), ("log", 1)];
    for (model, expected) in counts {
        assert_eq!(shop.list(model, "").await.len(), expected, "{model}");
    }
    let error = shop.delete("customers", "1").await.unwrap_err();
    assert_eq!(
        messages(&error),
        r#"{"non_field_errors":["other records refer to this one; delete or change them first"]}"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_keeps_what_it_does_not_name_and_a_replacement_does_not() {
    let shop = Shop::new(SHOP).await;
    shop.create(
        "orders",
        r#"{"customer_id":1,"qty":5,"note":"keep","price":2}"#,
    )
    .await
    .unwrap();
    let updated = body(
        shop.update("orders", "2", r#"{"price":"3.5"}"#)
            .await
            .unwrap(),
    );
    assert!(
        updated.contains(r#""qty":5,"price":"3.50","note":"keep""#),
        "{updated}"
    );
    let unchanged = shop.update("orders", "2", "{}").await.unwrap();
    assert_eq!(body(unchanged), updated);
    let replaced = body(
        shop.replace("orders", "2", r#"{"customer_id":2}"#)
            .await
            .unwrap(),
    );
    assert!(
        replaced.contains(
            r#""id":2,"customer_id":2,"number":null,"year":null,"qty":1,"price":null,"note":null"#
        ),
        "{replaced}"
    );
    assert!(!replaced.contains("\"at\":null"), "{replaced}");
    let error = shop
        .replace("orders", "2", r#"{"qty":2}"#)
        .await
        .unwrap_err();
    assert_eq!(
        messages(&error),
        r#"{"customer_id":["this field is required"]}"#
    );
    let moved = body(shop.update("orders", "2", r#"{"id":77}"#).await.unwrap());
    assert!(moved.starts_with(r#"{"id":77"#));
    for error in [
        shop.update("orders", "2", r#"{"qty":2}"#)
            .await
            .unwrap_err(),
        shop.replace("orders", "2", r#"{"customer_id":2}"#)
            .await
            .unwrap_err(),
        shop.delete("orders", "2").await.unwrap_err(),
        shop.get("orders", "2").await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
    shop.delete("orders", "77").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_changed_in_between_is_not_overwritten() {
    let shop = Shop::new(SHOP).await;
    let model = shop.model("customers");
    let first = shop.get("customers", "1").await.unwrap();
    let narrow = RecordView::parse("_fields=id&tz=Asia/Tokyo").unwrap();
    assert_eq!(
        shop.resource
            .retrieve(&model, "1", &narrow)
            .await
            .unwrap()
            .etag,
        first.etag
    );
    let tag = IfMatch::parse(&first.etag).unwrap();
    let mut options = UpdateOptions::default();
    options.if_match = Some(tag.clone());
    let second = shop
        .resource
        .update(&model, "1", &object(r#"{"name":"A"}"#), &options)
        .await
        .unwrap();
    assert_ne!(second.etag, first.etag);
    assert_eq!(shop.get("customers", "1").await.unwrap().etag, second.etag);
    for error in [
        shop.resource
            .update(&model, "1", &object(r#"{"name":"B"}"#), &options)
            .await
            .unwrap_err(),
        shop.resource
            .delete(&model, "1", Some(&tag))
            .await
            .unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::PreconditionFailed);
    }
    assert!(shop.text("customers", "1").await.contains("\"A\""));
    shop.resource
        .delete(&model, "2", Some(&IfMatch::Any))
        .await
        .unwrap();
    let missing = shop
        .resource
        .delete(&model, "2", Some(&IfMatch::Any))
        .await
        .unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_writes_at_once_only_those_at_fault_fail() {
    let shop = Shop::new(SHOP).await;
    let model = shop.model("guarded");
    let tasks: Vec<_> = (0..64)
        .map(|number| {
            let (resource, model) = (shop.resource.clone(), model.clone());
            tokio::spawn(async move {
                let word = match number % 8 {
                    0 => "b",
                    // Takes the whole transaction back, those of the neighbours too.
                    1 => "rollback",
                    _ => "fine",
                };
                let body = object(&format!(r#"{{"a":"{word}"}}"#));
                (
                    number,
                    resource.create(&model, &body, &RecordView::default()).await,
                )
            })
        })
        .collect();
    let mut made = 0;
    for task in tasks {
        let (number, result) = task.await.unwrap();
        assert_eq!(result.is_ok(), number % 8 > 1, "{number}: {result:?}");
        made += usize::from(result.is_ok());
    }
    assert_eq!(shop.list("guarded", "_per_page=100").await.len(), made);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_checked_at_the_commit_is_refused_alone() {
    let shop = Shop::new(
        "CREATE TABLE p (id INTEGER PRIMARY KEY);
         CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p DEFERRABLE INITIALLY DEFERRED);
         INSERT INTO p VALUES (1);",
    )
    .await;
    let model = shop.model("c");
    let tasks: Vec<_> = (0..32)
        .map(|number| {
            let (resource, model) = (shop.resource.clone(), model.clone());
            tokio::spawn(async move {
                let body = object(&format!(r#"{{"p":{}}}"#, number % 2));
                (
                    number,
                    resource.create(&model, &body, &RecordView::default()).await,
                )
            })
        })
        .collect();
    for task in tasks {
        let (number, result) = task.await.unwrap();
        match result {
            Ok(_) => assert_eq!(number % 2, 1),
            Err(error) => {
                assert_eq!(number % 2, 0, "{error:?}");
                assert_eq!(error.kind(), ErrorKind::Invalid);
            }
        }
    }
    assert_eq!(shop.list("c", "").await.len(), 16);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_sees_the_writes_that_were_answered() {
    let shop = Shop::new("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)").await;
    for number in 1..=100 {
        let made = shop.create("t", "{}").await.unwrap();
        assert_eq!(shop.text("t", &number.to_string()).await, body(made));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_tells_what_the_record_was_before() {
    let shop = Shop::new(
        "CREATE TABLE lines (shop TEXT, number INTEGER, note TEXT, PRIMARY KEY (shop, number));
         INSERT INTO lines VALUES ('eu,de', 7, 'secret');
         CREATE TABLE names (name TEXT PRIMARY KEY COLLATE NOCASE);
         INSERT INTO names VALUES ('Ada')",
    )
    .await;
    let made = shop.get("lines", "eu%2Cde,7").await.unwrap();
    assert_eq!(made.id(&shop.model("lines")).unwrap().as_str(), "eu%2Cde,7");
    assert!(made.before.is_none());
    let updated = shop
        .update("lines", "eu%2Cde,7", r#"{"number":8}"#)
        .await
        .unwrap();
    let before = updated.before.clone().unwrap();
    assert_eq!(before.id.as_str(), "eu%2Cde,7");
    assert_eq!(before.etag, made.etag);
    assert_ne!(updated.etag, made.etag);
    assert_eq!(
        updated.id(&shop.model("lines")).unwrap().as_str(),
        "eu%2Cde,8"
    );
    let gone = shop.delete("lines", "eu%2Cde,8").await.unwrap();
    assert_eq!((gone.id.as_str(), gone.etag), ("eu%2Cde,8", updated.etag));
    // The key as it is stored, however it was asked for.
    let gone = shop.delete("names", "ADA").await.unwrap();
    assert_eq!(gone.id.as_str(), "Ada");
}
