//! Structures of all sorts: what is found, what it is called, what it is.

use serde_json::{Value, json};
use svc_model::{ListQuery, Lookup, OrderBy};

use crate::fixture::{Shop, body};

#[tokio::test(flavor = "multi_thread")]
async fn a_structure_is_described_as_the_contract_says() {
    let shop = Shop::new(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(80) NOT NULL DEFAULT 'n/a');
         CREATE TABLE orders (
            id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers,
            total DECIMAL(10,2), at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
            twice INTEGER GENERATED ALWAYS AS (total * 2) VIRTUAL, meta JSON, uid UUID);
         CREATE VIEW paid AS SELECT id, total FROM orders;",
    )
    .await;
    let descriptions = serde_json::to_value(shop.resource.structure().descriptions()).unwrap();
    let names: Vec<_> = descriptions
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["model"].clone())
        .collect();
    assert_eq!(names, ["customers", "orders", "paid"]);
    let orders = &descriptions[1];
    assert_eq!(orders["primary_key_field"], "id");
    assert_eq!(orders["primary_key_auto"], false);
    assert_eq!(orders["is_view"], false);
    assert_eq!(
        orders["fields"][0],
        json!({"name": "id", "db_column": "id", "field": "IntegerField", "db_field": "INTEGER",
               "filterable": true, "indexed": true, "null": false, "editable": true, "read_only": false, "required": false, "params": {},
               "default_type": "auto_increment", "default_value": null})
    );
    assert_eq!(orders["fields"][1]["field"], "ForeignKey");
    assert_eq!(orders["fields"][1]["required"], true);
    assert_eq!(
        orders["fields"][1]["params"],
        json!({"related_model": "customers", "related_field": "id"})
    );
    assert_eq!(
        orders["fields"][2]["params"],
        json!({"precision": 10, "scale": 2})
    );
    assert_eq!(orders["fields"][3]["default_type"], "datetime_now");
    assert_eq!(orders["fields"][4]["editable"], false);
    assert_eq!(orders["fields"][5]["field"], "JSONField");
    assert_eq!(orders["fields"][6]["field"], "UUIDField");
    assert_eq!(
        orders["relations"],
        json!([{"name": "customer", "direction": "MANYTOONE", "local_field": "customer_id",
                "related_model": "customers", "related_field": "id"}])
    );
    assert_eq!(
        descriptions[0]["relations"],
        json!([{"name": "orders", "direction": "ONETOMANY", "local_field": "id",
                "related_model": "orders", "related_field": "customer_id"}])
    );
    assert_eq!(descriptions[0]["fields"][1]["default_value"], "n/a");
    assert_eq!(
        descriptions[0]["fields"][1]["params"],
        json!({"length": 80})
    );
    assert_eq!(descriptions[2]["is_view"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_that_sqlite_keeps_for_itself_are_left_out() {
    let shop = Shop::new(
        "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT);
         CREATE VIRTUAL TABLE notes USING fts5(title, text);
         INSERT INTO notes VALUES ('first', 'hello');
         CREATE VIEW broken AS SELECT * FROM gone;
         ANALYZE;",
    )
    .await;
    let structure = shop.resource.structure();
    let names: Vec<_> = structure.models().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["a", "notes"]);
    assert_eq!(
        shop.column("notes", "title", "text__icontains=HELL").await,
        "\"first\""
    );
}

const STRANGE: &[&str] = &[
    "with space",
    "quote\"d",
    "it's",
    "[b]",
    "back`tick",
    "sel;ect",
    "größe ☃",
    "a__gt",
    "exclude__x",
    "_hidden",
    "select",
    "rowid",
    "a\\b",
    "%",
    "--",
    "a.b",
    "?1",
    ":x",
    "new\nline",
    "",
];

#[tokio::test(flavor = "multi_thread")]
async fn names_of_any_characters_work_everywhere() {
    for name in STRANGE {
        let quoted = format!("\"{}\"", name.replace('"', "\"\""));
        let table = if name.is_empty() {
            "\"t\"".to_owned()
        } else {
            quoted.clone()
        };
        let model = if name.is_empty() { "t" } else { name };
        let shop = Shop::new(&format!(
            "CREATE TABLE {table} (id INTEGER PRIMARY KEY, {quoted} TEXT, other TEXT UNIQUE);
             INSERT INTO {table} ({quoted}) VALUES ('b'), ('a'), (NULL);"
        ))
        .await;
        let found = shop.model(model);
        let query = ListQuery::new()
            .filter(*name, Lookup::Icontains, "A")
            .order_by(OrderBy::descending(*name))
            .fields([*name]);
        let page = shop.resource.list(&found, &query).await.unwrap();
        let rows: Value = serde_json::from_slice(&page.results).unwrap();
        assert_eq!(rows, json!([{"id": 2, *name: "a"}]), "{name:?}");

        let walk = ListQuery::new()
            .order_by(OrderBy::ascending(*name))
            .per_page(1);
        let first = shop.resource.list(&found, &walk).await.unwrap();
        let mut second = walk.clone();
        second.after = first.after;
        let second = shop.resource.list(&found, &second).await.unwrap();
        let rows: Value = serde_json::from_slice(&second.results).unwrap();
        assert_eq!(rows[0][*name], "a", "{name:?}");

        let json = json!({ *name: "new", "other": "x" }).to_string();
        let made: Value =
            serde_json::from_str(&body(shop.create(model, &json).await.unwrap())).unwrap();
        assert_eq!(made[*name], "new", "{name:?}");
        let changed = shop
            .update(model, "4", &json!({ *name: "newer" }).to_string())
            .await
            .unwrap();
        assert!(body(changed).contains("newer"), "{name:?}");
        let error = shop.create(model, &json).await.unwrap_err();
        assert_eq!(
            crate::fixture::messages(&error),
            r#"{"other":["record with the same value already exists"]}"#
        );
        shop.delete(model, "4").await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_every_sort_find_their_record() {
    let shop = Shop::new(
        "CREATE TABLE composite (a TEXT, b INTEGER, c TEXT, PRIMARY KEY (b, a)) WITHOUT ROWID;
         INSERT INTO composite VALUES ('x,y', 7, 'found'), ('100%', 8, 'percent');
         CREATE TABLE nokey (name TEXT, n INTEGER);
         INSERT INTO nokey VALUES ('one', 1), ('two', 2), ('two', 3);
         CREATE TABLE textkey (code TEXT PRIMARY KEY, n INTEGER);
         INSERT INTO textkey VALUES ('a,b', 1), ('ä/ö', 2), (NULL, 3), (NULL, 4);
         CREATE TABLE blobkey (id UUID PRIMARY KEY, n INTEGER);
         INSERT INTO blobkey VALUES (x'00112233445566778899aabbccddeeff', 5);
         CREATE TABLE datekey (day DATE PRIMARY KEY, n INTEGER);
         INSERT INTO datekey VALUES ('2026-01-31', 6);
         CREATE VIEW v AS SELECT n, name FROM nokey;
         CREATE TABLE free (k, v); INSERT INTO free VALUES (1, 'number'), ('1x', 'text');",
    )
    .await;
    assert!(shop.text("composite", "7,x%2Cy").await.contains("found"));
    assert!(shop.text("composite", "8,100%").await.contains("percent"));
    assert!(shop.text("nokey", "one").await.contains("\"n\":1"));
    assert!(shop.model("nokey").primary_key_auto);
    assert!(shop.text("textkey", "a,b").await.contains("\"n\":1"));
    assert!(shop.text("textkey", "ä/ö").await.contains("\"n\":2"));
    let uuid = "00112233-4455-6677-8899-AABBCCDDEEFF";
    assert_eq!(
        shop.text("blobkey", uuid).await,
        format!("{{\"id\":\"{}\",\"n\":5}}", uuid.to_lowercase())
    );
    assert!(shop.text("datekey", "2026-01-31").await.contains("\"n\":6"));
    assert!(shop.text("v", "2").await.contains("two"));
    assert!(shop.text("free", "1").await.contains("number"));
    assert!(shop.text("free", "1x").await.contains("text"));
    for (model, id) in [
        ("composite", "7"),
        ("composite", "7,x,y"),
        ("composite", "x,7"),
        ("nokey", "three"),
        ("blobkey", "no-uuid"),
        ("datekey", "yesterday"),
        ("v", "9999999999999999999999"),
    ] {
        let error = shop.get(model, id).await.unwrap_err();
        assert_eq!(error.kind(), svc_data::ErrorKind::NotFound, "{model} {id}");
    }
    // Two records share the key, so neither is changed by it.
    assert!(shop.update("nokey", "two", r#"{"n":9}"#).await.is_err());
    assert!(shop.delete("nokey", "two").await.is_err());
    assert_eq!(shop.column("nokey", "n", "_order_by=n").await, "1 2 3");
    assert!(body(shop.update("nokey", "one", r#"{"n":9}"#).await.unwrap()).contains('9'));
    assert!(
        body(
            shop.update("composite", "7,x%2Cy", r#"{"a":"z"}"#)
                .await
                .unwrap()
        )
        .contains("\"a\":\"z\"")
    );
    shop.delete("composite", "7,z").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_structure_that_changed_is_read_anew_before_anybody_notices() {
    let shop =
        Shop::new("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'x')")
            .await;
    let old = shop.model("t");
    shop.other()
        .execute_batch("ALTER TABLE t ADD COLUMN b TEXT DEFAULT 'new'; CREATE TABLE u (id INTEGER PRIMARY KEY)")
        .unwrap();
    let page = shop.resource.list(&old, &ListQuery::new()).await.unwrap();
    assert_eq!(page.results, r#"[{"id":1,"a":"x","b":"new"}]"#);
    shop.resource.find_model("u").await.unwrap();
    shop.other()
        .execute_batch("ALTER TABLE t ADD COLUMN c INTEGER DEFAULT 5")
        .unwrap();
    let query = ListQuery::new().filter("c", Lookup::Exact, 5).fields(["c"]);
    let page = shop.resource.list(&old, &query).await.unwrap();
    assert_eq!(page.results, r#"[{"id":1,"c":5}]"#);
    assert!(!shop.resource.reload_if_changed().await.unwrap());
    shop.other()
        .execute_batch("ALTER TABLE t DROP COLUMN a")
        .unwrap();
    let error = shop
        .resource
        .list(&old, &ListQuery::new().filter("a", Lookup::Exact, "x"))
        .await
        .unwrap_err();
    assert_eq!(
        crate::fixture::messages(&error),
        r#"{"a":["unknown field \"a\""]}"#
    );
    shop.other().execute_batch("DROP TABLE t").unwrap();
    let error = shop
        .resource
        .list(&old, &ListQuery::new())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), svc_data::ErrorKind::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_view_is_written_where_a_trigger_does_it() {
    let shop = Shop::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL);
         CREATE VIEW plain AS SELECT id, a FROM t;
         CREATE VIEW upper AS SELECT id, upper(a) AS a FROM t;
         CREATE TRIGGER i INSTEAD OF INSERT ON UPPER BEGIN INSERT INTO t VALUES (NEW.id, NEW.a); END;
         CREATE TRIGGER d INSTEAD  OF
            DELETE ON upper BEGIN DELETE FROM t WHERE id = OLD.id; END;",
    )
    .await;
    assert!(
        shop.create("plain", r#"{"a":"x"}"#)
            .await
            .unwrap_err()
            .to_string()
            .contains("view")
    );
    assert_eq!(
        body(shop.create("upper", r#"{"id":5,"a":"x"}"#).await.unwrap()),
        r#"{"id":5,"a":"X"}"#
    );
    assert!(shop.update("upper", "5", r#"{"a":"y"}"#).await.is_err());
    shop.delete("upper", "5").await.unwrap();
    assert_eq!(shop.list("t", "").await.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_view_computes_has_the_type_of_its_values() {
    let shop = Shop::new(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, total DECIMAL(10,2));
         INSERT INTO orders VALUES (1, 'a', 1.5), (2, 'a', 2), (3, 'b', NULL);
         CREATE VIEW totals AS SELECT customer, count(*) AS orders, sum(total) AS total, upper(customer) AS name,
            sum(total) IS NULL AS is_empty FROM orders GROUP BY customer;
         CREATE VIEW slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS m FROM n;",
    )
    .await;
    let structure = shop.resource.structure();
    let types: Vec<_> = structure
        .model("totals")
        .unwrap()
        .fields()
        .iter()
        .map(|field| {
            (
                field.name.clone(),
                serde_json::to_value(field.field_type).unwrap(),
            )
        })
        .collect();
    let expected = [
        ("customer", "TextField"),
        ("orders", "IntegerField"),
        ("total", "FloatField"),
        ("name", "TextField"),
        ("is_empty", "IntegerField"),
    ];
    assert_eq!(
        types,
        expected.map(|(name, sort)| (name.to_owned(), json!(sort)))
    );
    // One that takes too long holds up nothing.
    assert!(structure.model("slow").is_some());
    let model = shop.resource.find_model("totals").await.unwrap();
    for (column, expected) in [("orders", json!(3)), ("total", json!(3.5))] {
        let query = svc_model::records::AggregateQuery::parse(
            &format!("_y_func=sum&_y_column={column}"),
            &|_| true,
        );
        let query = query.unwrap();
        let sum = shop.resource.aggregate(&model, &query).await.unwrap();
        let sum: Value = serde_json::from_slice(&sum).unwrap();
        assert_eq!(sum["y_func"], expected, "{column}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_view_without_rows_has_the_types_of_its_expressions() {
    let shop = Shop::new(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, total DECIMAL(10,2), at DATETIME);
         CREATE VIEW totals AS SELECT customer, count(*) AS orders, sum(total) AS total, avg(total) * 1.0 AS mean,
            CAST(customer AS INTEGER) AS number, CAST(total AS REAL) AS real, CAST(total AS NUMERIC) AS exact,
            coalesce(max(total), 'none') AS largest, upper(customer) AS name FROM orders GROUP BY customer;",
    )
    .await;
    let model = shop.resource.find_model("totals").await.unwrap();
    let types: Vec<_> = model
        .fields()
        .iter()
        .map(|field| serde_json::to_value(field.field_type).unwrap())
        .collect();
    assert_eq!(
        types,
        [
            "TextField",
            "IntegerField",
            "FloatField",
            "FloatField",
            "IntegerField",
            "FloatField",
            "DecimalField",
            "TextField",
            "TextField"
        ]
        .map(|sort| json!(sort))
    );
    for function in ["sum", "avg", "max"] {
        for column in ["orders", "total", "mean", "number", "real", "exact"] {
            let query = format!("_y_func={function}&_y_column={column}");
            let query = svc_model::records::AggregateQuery::parse(&query, &|_| true).unwrap();
            let answer = shop.resource.aggregate(&model, &query).await;
            assert!(answer.is_ok(), "{function} {column}: {answer:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fields_that_people_call_a_record_by_are_its_label() {
    let shop = Shop::new(
        "CREATE TABLE named (id INTEGER PRIMARY KEY, sku VARCHAR(9), Name VARCHAR(9), title TEXT);
         CREATE TABLE people (id INTEGER PRIMARY KEY, email TEXT, last_name TEXT, first_name TEXT);
         CREATE TABLE ends (id INTEGER PRIMARY KEY, city VARCHAR(9) NOT NULL, product_name TEXT);
         CREATE TABLE coded (id INTEGER PRIMARY KEY, note TEXT, sku VARCHAR(9));
         CREATE TABLE always (id INTEGER PRIMARY KEY, a VARCHAR(9), b VARCHAR(9) NOT NULL);
         CREATE TABLE numbers (name INTEGER, x INTEGER, y INTEGER, z INTEGER, w INTEGER, PRIMARY KEY (x, y, z, w));
         CREATE VIEW v AS SELECT id, sku FROM coded;",
    )
    .await;
    let label = |model: &str| shop.model(model).description().label_fields.join(",");
    assert_eq!(label("named"), "Name");
    assert_eq!(label("people"), "first_name,last_name");
    assert_eq!(label("ends"), "product_name");
    assert_eq!(label("coded"), "sku");
    assert_eq!(label("always"), "b");
    assert_eq!(label("numbers"), "x,y,z");
    let view = shop.model("v").description();
    assert!(!(view.can.create || view.can.update || view.can.delete));
    assert!(view.fields.iter().all(|field| field.read_only));
    let table = shop.model("coded").description();
    assert!(table.can.create && table.can.update && table.can.delete);
    assert!(table.fields.iter().all(|field| !field.read_only));
}
