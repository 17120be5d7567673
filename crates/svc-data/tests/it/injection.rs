//! Nothing that a client sends becomes SQL: every name and value position, with a corpus of attempts.

use svc_data::{Error, ErrorKind, UpdateOptions};
use svc_model::{
    Condition, FieldFilter, Filter, JsonObject, ListQuery, Lookup, OrderBy, RecordView, Relation,
};

use crate::fixture::Shop;

fn corpus() -> Vec<String> {
    let mut corpus: Vec<String> = [
        "'",
        "\"",
        "''",
        "\\",
        "\\'",
        "`",
        "]",
        ";",
        "--",
        "/*",
        "*/",
        "1 OR 1=1",
        "1; DROP TABLE t",
        "' OR '1'='1",
        "\" OR \"1\"=\"1",
        "') OR 1=1 --",
        "x' UNION SELECT sql FROM sqlite_schema --",
        "\u{2019} OR 1=1",
        "\u{ff07} OR 1=1",
        "a\0b",
        "\0",
        "?",
        "?1",
        ":a",
        "@a",
        "$a",
        "%",
        "_",
        "%%",
        "NULL",
        "id",
        "t.id",
        "rowid",
        "sqlite_schema",
        "main.t",
        "\u{202e}",
        "\u{1f600}",
        "0x1",
        "1e1",
        "-1",
        "${x}",
        "{{x}}",
        "\r\n",
        "[1]",
        "{}",
        "a,b",
        "a.b.c|d.e",
        "load_extension('x')",
        "(SELECT 1)",
        "CASE WHEN 1 THEN 1 END",
    ]
    .map(str::to_owned)
    .to_vec();
    corpus.push("A'".repeat(5_000));
    corpus
}

fn harmless<T>(what: &str, text: &str, result: Result<T, Error>) {
    if let Err(error) = result {
        assert!(
            matches!(error.kind(), ErrorKind::Invalid | ErrorKind::NotFound),
            "{what} {text:.60}: {error:?}"
        );
        let public = error.public_message();
        for leak in ["SELECT", "sqlite_schema", "syntax", "near "] {
            assert!(
                !public.contains(leak) || text.contains(leak),
                "{what} {text:.60}: {public}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_text_in_any_position_becomes_sql() {
    let shop = Shop::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, n INTEGER, r REAL, d DECIMAL(9,2), b BOOLEAN, at DATETIME,
                         day DATE, clock TIME, meta JSON, uid UUID, raw BLOB, free);
         INSERT INTO t (id, a, n) VALUES (1, 'one', 1), (2, 'two', 2);
         CREATE TABLE keys (k TEXT PRIMARY KEY, id INTEGER);
         INSERT INTO keys VALUES ('safe', 1);
         CREATE TABLE canary (secret TEXT); INSERT INTO canary VALUES ('untouched');",
    )
    .await;
    let model = shop.model("t");
    let keys = shop.model("keys");
    let fields: Vec<String> = model.fields().iter().map(|f| f.name.clone()).collect();
    let view = RecordView::default();
    let resource = &shop.resource;
    for text in corpus() {
        harmless("model", &text, resource.model(&text).map(drop));
        harmless(
            "find_model",
            &text,
            resource.find_model(&text).await.map(drop),
        );
        for id in [text.clone(), format!("{text},{text}")] {
            harmless("id", &id, resource.retrieve(&model, &id, &view).await);
            harmless("key", &id, resource.retrieve(&keys, &id, &view).await);
            harmless("delete", &id, resource.delete(&keys, &id, None).await);
        }
        for field in fields.iter().map(String::as_str).chain([text.as_str()]) {
            for lookup in Lookup::ALL {
                let condition = if lookup.takes_list() {
                    Condition::new(field, *lookup, [text.as_str(), text.as_str()])
                } else {
                    Condition::new(field, *lookup, text.as_str())
                };
                let mut query = ListQuery::new();
                query.filters.push(FieldFilter {
                    condition: condition.clone(),
                    exclude: true,
                });
                query.filter = Some(Filter::Condition(condition));
                harmless("filter", &text, resource.list(&model, &query).await);
            }
        }
        for query in [
            ListQuery::new().order_by(OrderBy::descending(text.as_str())),
            ListQuery::new().fields([text.as_str()]),
            ListQuery::new().search(text.as_str()),
            ListQuery::new().time_zone(text.as_str()),
            ListQuery::new()
                .relation(Relation::new(text.as_str(), "keys", "id").having("k", ["x"])),
            ListQuery::new().relation(Relation::new("id", text.as_str(), "id").having("k", ["x"])),
            ListQuery::new()
                .relation(Relation::new("id", "keys", text.as_str()).having("k", ["x"])),
            ListQuery::new()
                .relation(Relation::new("id", "keys", "id").having(text.as_str(), ["x"])),
            ListQuery::new()
                .relation(Relation::new("id", "keys", "id").having("k", [text.as_str()])),
        ] {
            harmless("parameter", &text, resource.list(&model, &query).await);
        }
        let mut after = ListQuery::new();
        after.after = Some(text.clone());
        harmless("cursor", &text, resource.list(&model, &after).await);
        let mut unknown = JsonObject::new();
        unknown.set(&text, "x").unwrap();
        harmless("body", &text, resource.create(&keys, &unknown, &view).await);
        let options = UpdateOptions::default();
        for field in fields.iter().filter(|field| *field != "id") {
            let mut object = JsonObject::new();
            object.set(field, &text).unwrap();
            harmless(
                "value",
                &text,
                resource.update(&model, "2", &object, &options).await,
            );
            if let Ok(record) = resource.retrieve(&model, "2", &view).await {
                let record: serde_json::Value = serde_json::from_slice(&record.body).unwrap();
                if field == "a" {
                    assert_eq!(
                        record["a"],
                        text.as_str(),
                        "a text is stored as it was sent"
                    );
                }
            }
        }
    }
    let other = shop.other();
    let tables: String = other
        .query_row(
            "SELECT group_concat(name) FROM sqlite_schema WHERE type = 'table'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(tables, "t,keys,canary");
    let untouched: String = other
        .query_row("SELECT secret FROM canary", [], |row| row.get(0))
        .unwrap();
    assert_eq!(untouched, "untouched");
    assert_eq!(shop.column("keys", "k", "").await, "\"safe\"");
    assert_eq!(shop.column("t", "a", "id=1").await, "\"one\"");
    assert_eq!(shop.list("t", "").await.len(), 2);
}
