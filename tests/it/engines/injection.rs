//! SQL injection: hostile texts in every name and value that a client can send.

use serde_json::{Value, json};

use super::fixture::{ENGINES, Engines};

/// Texts that could end quotes, comments, patterns and numbers in one of the engines.
fn corpus() -> Vec<String> {
    let mut texts: Vec<String> = [
        "'",
        "''",
        "\"",
        "`",
        "\\",
        "\\'",
        "' OR '1'='1",
        "1 OR 1=1",
        "1; DROP TABLE notes",
        "'; DROP TABLE notes; --",
        "\"; DROP TABLE notes; --",
        "`; DROP TABLE notes; --",
        "') UNION SELECT * FROM customers --",
        "name) OR (1=1",
        "name\" OR \"1\"=\"1",
        "/* x */",
        "--",
        "#",
        "%",
        "_",
        "\u{2019} OR 1=1",
        "\u{ff07} OR 1=1",
        "$1",
        ":name",
        "?",
        "?1",
        "{{x}}",
        "${x}",
        "\0",
        "a\0b",
        "\n\r\t",
        "day'); DROP TABLE notes; --",
        "count(*)",
        "(SELECT password FROM users)",
        "id,(SELECT 1)",
        "pg_sleep(5)",
        "E'\\x27'",
        "$$a$$",
        "CASE WHEN 1=1 THEN name END",
        "name COLLATE nocase",
        "t0.name",
        "customers.name",
        "__class__",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.push("'".repeat(10_000));
    texts.push("x".repeat(10_000));
    texts
}

/// A text in a path or a query.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

/// Every row of every table, as the engine returns it.
fn everything(engines: &Engines, engine: &str) -> Vec<Value> {
    ["customers", "orders", "order_lines", "notes", "paid"]
        .map(|model| {
            let path = format!("/models/{model}?_no_pagination=1");
            engines.answer(engine, "GET", &path, None).json()
        })
        .to_vec()
}

#[test]
fn no_text_of_a_client_is_executed_as_sql() {
    let engines = Engines::new();
    let before = ENGINES.map(|engine| everything(&engines, engine));
    for text in corpus() {
        let name = encoded(&text);
        let paths = [
            format!("/models/customers?name={name}"),
            format!("/models/customers?name__icontains={name}"),
            format!("/models/customers?name__startswith={name}"),
            format!("/models/customers?name__in={name},{name}"),
            format!("/models/customers?name__regex={name}"),
            format!("/models/customers?id={name}"),
            format!("/models/customers?since={name}"),
            format!("/models/customers?token={name}"),
            format!("/models/customers?extra={name}"),
            format!("/models/customers?{name}=1"),
            format!("/models/customers?{name}__gt=1"),
            format!("/models/customers?_order_by={name}"),
            format!("/models/customers?_fields={name}"),
            format!("/models/customers?_search={name}"),
            format!("/models/customers?_filter={name}"),
            format!("/models/customers?tz={name}"),
            format!("/models/customers?_after={name}"),
            format!("/models/customers?_relation={name}"),
            format!("/models/customers?_relation=id.orders.{name}%7Cstatus.paid"),
            format!("/models/customers?_relation=id.orders.customer_id%7Cstatus.{name}"),
            format!("/models/{name}"),
            format!("/models/customers/{name}"),
            format!("/models/order_lines/{name},{name}"),
            format!("/models/customers/aggregate?_y_func={name}"),
            format!("/models/customers/aggregate?_y_func=sum&_y_column={name}"),
            format!("/models/orders/group?_x_column={name}&_y_func=count"),
            format!("/models/orders/group?_x_column=placed&_x_lookup={name}&_y_func=count"),
            format!(
                "/models/orders/group?_x_column=placed&_x_lookup=date_day&_y_func=count&tz={name}"
            ),
        ];
        for engine in ENGINES {
            for path in &paths {
                let answer = engines.answer(engine, "GET", path, None);
                let status = answer.status.as_u16();
                let shown: String = path.chars().take(120).collect();
                assert!(
                    matches!(status, 200 | 400 | 404 | 414),
                    "{engine}: {shown}: {status} {}",
                    answer.body
                );
                if status == 400 {
                    for leak in [
                        "SELECT \"",
                        "SELECT `",
                        "FROM \"",
                        "FROM `",
                        "sqlite_",
                        "pg_catalog",
                        "/tmp/",
                    ] {
                        assert!(
                            !answer.body.contains(leak),
                            "{engine}: {shown}: {}",
                            answer.body
                        );
                    }
                }
                if status == 200 && path.contains("?name=") {
                    // Only the record with that name.
                    let found = answer.json()["count"].as_u64().unwrap();
                    let called = before[0][0].as_array().unwrap().iter();
                    let called = called.filter(|one| one["name"] == text.as_str()).count();
                    assert_eq!(found, called as u64, "{engine}: {shown}");
                }
            }
        }
    }
    assert_eq!(ENGINES.map(|engine| everything(&engines, engine)), before);
}

#[test]
fn stored_texts_are_returned_unchanged() {
    let engines = Engines::new();
    for text in corpus() {
        if text.chars().count() > 20 {
            continue;
        }
        let body = json!({"name": text, "extra": {"text": text}});
        for engine in ENGINES {
            let made = engines.answer(engine, "POST", "/models/customers", Some(&body));
            // PostgreSQL cannot store texts with a NUL.
            if engine == "postgres" && text.contains('\0') {
                assert_eq!(made.status, 400, "{}", made.body);
                continue;
            }
            assert_eq!(made.status, 201, "{engine}: {text:?}: {}", made.body);
            let made = made.json();
            assert_eq!(
                (&made["name"], &made["extra"]["text"]),
                (&json!(text), &json!(text)),
                "{engine}"
            );
            let path = format!(
                "/models/customers?name={}&id={}",
                encoded(&text),
                made["id"]
            );
            let found = engines.answer(engine, "GET", &path, None).json();
            assert_eq!(found["count"], 1, "{engine}: {text:?}: {found}");
        }
    }
}
