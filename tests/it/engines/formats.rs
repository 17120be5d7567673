//! Lists and results of SQL as CSV and NDJSON.

use serde_json::{Value, json};

use super::fixture::{ENGINES, Engines};

#[test]
fn every_engine_returns_lists_as_csv_and_ndjson() {
    let engines = Engines::shared();
    let path =
        "/models/customers?_order_by=id&_per_page=10&_fields=name,credit,extra,active,picture";
    let json = engines.read(path);
    let records = json["results"].as_array().unwrap();
    for engine in ENGINES {
        let get = |accept: &str| {
            let call = engines.service.data("GET", engine, path);
            call.header("accept", accept).expect(200)
        };
        let lines = get("application/x-ndjson");
        assert_eq!(lines.header("content-type"), "application/x-ndjson");
        let read: Vec<Value> = lines
            .body
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(&read, records, "{engine}");
        assert_eq!(lines.header("x-total-count"), "36");
        assert!(
            lines.header("link").contains("rel=\"next\""),
            "{}",
            lines.header("link")
        );

        let table = get("text/csv");
        assert_eq!(
            table.header("content-type"),
            "text/csv; charset=utf-8; header=present"
        );
        let mut reader = csv::Reader::from_reader(table.body.as_bytes());
        assert_eq!(
            reader.headers().unwrap(),
            vec!["id", "name", "active", "credit", "extra", "picture"]
        );
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 10, "{engine}");
        for (row, record) in rows.iter().zip(records) {
            assert_eq!(&row[1], record["name"].as_str().unwrap(), "{engine}");
            assert_eq!(&row[2], record["active"].to_string(), "{engine}");
            assert_eq!(
                &row[3],
                record["credit"].as_str().unwrap_or_default(),
                "{engine}"
            );
            let extra = match &row[4] {
                "" => Value::Null,
                text => serde_json::from_str(text).unwrap(),
            };
            assert_eq!(extra, record["extra"], "{engine}");
        }
        let bare = get("text/csv; header=absent");
        assert_eq!(
            bare.body.lines().next(),
            table.body.lines().nth(1),
            "{engine}"
        );
        let refused = engines
            .service
            .data("GET", engine, "/models/customers?nope=1");
        let refused = refused.header("accept", "text/csv").expect(400);
        assert_eq!(refused.header("content-type"), "application/json");
    }
}

#[test]
fn a_large_page_is_sent_completely_in_every_format() {
    let engines = Engines::new();
    let wide = "x".repeat(20);
    let records: Vec<Value> = (0..3_000).map(|_| json!({"name": wide})).collect();
    for engine in ENGINES {
        for part in records.chunks(1_000) {
            engines
                .service
                .data("POST", engine, "/models/customers/bulk_create")
                .json(&json!(part))
                .expect(200);
        }
        let path = "/models/customers?_no_pagination=1&_order_by=id";
        let whole = engines.answer(engine, "GET", path, None).json();
        let whole = whole.as_array().unwrap();
        assert_eq!(whole.len(), 3_036, "{engine}");
        let call = engines.service.data("GET", engine, path);
        let lines = call.header("accept", "application/x-ndjson").expect(200);
        let read: Vec<Value> = lines
            .body
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(&read, whole, "{engine}");
        let call = engines.service.data("GET", engine, path);
        let table = call.header("accept", "text/csv").expect(200);
        let mut reader = csv::Reader::from_reader(table.body.as_bytes());
        assert_eq!(
            reader.records().map(Result::unwrap).count(),
            3_036,
            "{engine}"
        );
    }
}

#[test]
fn results_of_sql_are_available_as_csv_and_ndjson_too() {
    let engines = Engines::shared();
    let body = json!({"query": "select id, name, credit from customers order by id", "limit": 3, "count": true});
    for engine in ENGINES {
        let ask = |accept: &str| {
            let call = engines.service.data("POST", engine, "/sql_get_query");
            call.json(&body).header("accept", accept).expect(200)
        };
        let table = ask("text/csv");
        assert_eq!(
            table.body, "id,name,credit\r\n1,ada,37.13\r\n2,Zoë,74.26\r\n3,ZOË,11.39\r\n",
            "{engine}"
        );
        assert_eq!(table.header("x-total-count"), "36", "{engine}");
        let lines = ask("application/x-ndjson");
        let first: Value = serde_json::from_str(lines.body.lines().next().unwrap()).unwrap();
        assert_eq!(
            first,
            json!({"id": 1, "name": "ada", "credit": "37.13"}),
            "{engine}"
        );
    }
}
