//! One value of a record by itself, in whole and in part.

use svc_tests::{
    Answer, Program, Service,
    servers::{MariadbServer, PostgresServer, Server as _},
};

use super::{faults::serve, fixture::ENGINES};

const TEXT: &str = "Zoë said \"日本\",\nand left.";

/// Files of an engine: bytes, texts, JSON, and values of other types.
fn script(engine: &str) -> String {
    let (bytes, json, quote) = match engine {
        "sqlite" => ("BLOB", "JSON", "\""),
        "postgres" => ("BYTEA", "JSONB", "\""),
        _ => ("LONGBLOB", "JSON", "`"),
    };
    let all: String = (0..=255).map(|byte| format!("{byte:02x}")).collect();
    let blob = |hex: &str| match engine {
        "postgres" => format!("'\\x{hex}'"),
        _ => format!("x'{hex}'"),
    };
    format!(
        "CREATE TABLE files (id INT NOT NULL PRIMARY KEY, content {bytes}, note TEXT, doc {json}, size BIGINT,
            price DECIMAL(8,2), made DATE, at TIMESTAMP NULL, {quote}references{quote} VARCHAR(9));
        INSERT INTO files VALUES (1, {content}, '{TEXT}', '{{\"a\":[1,\"é\"]}}', 9007199254740993, 1.50, '2026-01-31',
            '2026-01-31 12:00:00', 'refs');
        INSERT INTO files (id) VALUES (2);
        INSERT INTO files VALUES (3, {empty}, '', 'null', 0, 0, '2026-01-31', '2026-01-31 12:00:00', '');
        CREATE TABLE named (name VARCHAR(40) NOT NULL PRIMARY KEY, content {bytes});
        INSERT INTO named VALUES ('a\"; ö/b', {content});",
        content = blob(&all),
        empty = blob(""),
    )
}

fn files() -> (tempfile::TempDir, tempfile::TempDir, Service) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("files.db");
    let database = rusqlite::Connection::open(&file).unwrap();
    database.execute_batch(&script("sqlite")).unwrap();
    let postgres = PostgresServer::shared().database(&script("postgres"));
    let mariadb = MariadbServer::shared().database(&script("mariadb"));
    let resources = [
        format!("sqlite=sqlite:{}", file.display()),
        format!("postgres={postgres}"),
        format!("mariadb={mariadb}"),
    ];
    let (store, service) = serve(&resources, &[]);
    (folder, store, service)
}

fn get(service: &Service, engine: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut call = service.data("GET", engine, &format!("/models/{path}"));
    for (name, value) in headers {
        call = call.header(name, value);
    }
    call.send()
}

#[test]
fn a_value_is_given_as_it_is_with_its_type_and_a_name() {
    let (_folder, _store, service) = files();
    let bytes: Vec<u8> = (0..=255).collect();
    for engine in ENGINES {
        let get = |path: &str| get(&service, engine, path, &[]);
        let content = get("files/1/content");
        assert_eq!(content.status, 200, "{engine}");
        assert_eq!(content.bytes, bytes, "{engine}");
        for (name, value) in [
            ("content-type", "application/octet-stream"),
            (
                "content-disposition",
                "attachment; filename=\"files-1-content\"",
            ),
            ("content-length", "256"),
            ("accept-ranges", "bytes"),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "private, no-cache"),
        ] {
            assert_eq!(content.header(name), value, "{engine}");
        }
        for (field, media_type, expected) in [
            ("note", "text/plain; charset=utf-8", TEXT),
            ("size", "text/plain; charset=utf-8", "9007199254740993"),
            ("price", "text/plain; charset=utf-8", "1.50"),
            ("made", "text/plain; charset=utf-8", "2026-01-31"),
            ("at", "text/plain; charset=utf-8", "2026-01-31T12:00:00Z"),
            (
                "at?tz=%2B02:00",
                "text/plain; charset=utf-8",
                "2026-01-31T14:00:00+02:00",
            ),
            ("id", "text/plain; charset=utf-8", "1"),
            ("%72eferences", "text/plain; charset=utf-8", "refs"),
        ] {
            let answer = get(&format!("files/1/{field}"));
            assert_eq!(answer.body, expected, "{engine} {field}");
            assert_eq!(
                answer.header("content-type"),
                media_type,
                "{engine} {field}"
            );
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
        }
        let doc = get("files/1/doc");
        assert_eq!(doc.header("content-type"), "application/json");
        assert_eq!(doc.json()["a"][1], "é", "{engine}");
        assert_eq!(get("files/1/references").json(), serde_json::json!([]));
        let named = get("named/a%22%3B%20%C3%B6%2Fb/content");
        assert_eq!(
            named.header("content-disposition"),
            "attachment; filename=\"named-a_____b-content\"; filename*=UTF-8''named-a%22%3B%20%C3%B6%2Fb-content",
            "{engine}"
        );
    }
}

#[test]
fn null_is_no_content_and_what_is_not_there_is_404() {
    let (_folder, _store, service) = files();
    for engine in ENGINES {
        let get = |path: &str, headers: &[(&str, &str)]| get(&service, engine, path, headers);
        for field in ["content", "note", "doc", "size", "at"] {
            let null = get(&format!("files/2/{field}"), &[("range", "bytes=0-1")]);
            assert_eq!(null.status, 204, "{engine} {field}: {}", null.body);
            let tag = null.header("etag").to_owned();
            let again = get(&format!("files/2/{field}"), &[("if-none-match", &tag)]);
            assert_eq!(again.status, 304, "{engine} {field}");
            // What is empty is another value.
            let empty = get(&format!("files/3/{field}"), &[("if-none-match", &tag)]);
            assert_eq!(empty.status, 200, "{engine} {field}: {}", empty.body);
        }
        assert_eq!(get("files/3/content", &[]).header("content-length"), "0");
        assert_eq!(get("files/3/doc", &[]).body, "null", "{engine}");
        for (path, message) in [
            ("files/9/note", "no such record in \"files\""),
            ("files/x/note", "no such record in \"files\""),
            (
                "files/1/nope",
                "no field \"nope\" in \"files\"; did you mean \"note\"?",
            ),
            ("file/1/note", "did you mean \"files\"?"),
        ] {
            let answer = get(path, &[]);
            assert_eq!(answer.status, 404, "{engine} {path}");
            let detail = answer.json()["detail"].as_str().unwrap().to_owned();
            assert!(detail.contains(message), "{engine} {path}: {detail}");
        }
        for path in [
            "files/1/note?_fields=id",
            "files/1/note?x=1",
            "files/1/at?tz=nowhere",
        ] {
            assert_eq!(get(path, &[]).status, 400, "{engine} {path}");
        }
        let refused = service.data("DELETE", engine, "/models/files/1/note");
        assert_eq!(refused.expect(405).header("allow"), "GET,HEAD");
    }
}

#[test]
fn a_part_of_a_value_is_given_by_its_bytes() {
    let (_folder, _store, service) = files();
    let bytes: Vec<u8> = (0..=255).collect();
    for engine in ENGINES {
        let get = |headers: &[(&str, &str)]| get(&service, engine, "files/1/content", headers);
        let whole = get(&[]);
        let tag = whole.header("etag").to_owned();
        for (range, place, expected) in [
            ("bytes=0-0", "bytes 0-0/256", 0..1),
            ("bytes=10-19", "bytes 10-19/256", 10..20),
            ("bytes=10-", "bytes 10-255/256", 10..256),
            ("bytes=250-999", "bytes 250-255/256", 250..256),
            ("bytes=-6", "bytes 250-255/256", 250..256),
        ] {
            for more in [None, Some(("if-range", tag.as_str()))] {
                let headers: Vec<_> = [("range", range)].into_iter().chain(more).collect();
                let part = get(&headers);
                assert_eq!(part.status, 206, "{engine} {range}");
                assert_eq!(part.header("content-range"), place, "{engine}");
                assert_eq!(part.bytes, &bytes[expected.clone()], "{engine} {range}");
                assert_eq!(part.header("etag"), tag, "{engine}");
                assert_eq!(part.header("content-type"), "application/octet-stream");
            }
        }
        for headers in [
            [("range", "bytes=0-1,5-6"), ("accept", "*/*")],
            [("range", "lines=0-1"), ("accept", "*/*")],
            [("range", "bytes=9-1"), ("accept", "*/*")],
            [("range", "bytes=0-1"), ("if-range", "\"other\"")],
        ] {
            let answer = get(&headers);
            assert_eq!((answer.status.as_u16(), answer.bytes.len()), (200, 256));
        }
        let beyond = get(&[("range", "bytes=256-")]);
        assert_eq!(beyond.status, 416, "{engine}");
        assert_eq!(beyond.header("content-range"), "bytes */256");
        assert_eq!(beyond.json()["error_code"], "range_not_satisfiable");
        let same = get(&[("if-none-match", &tag), ("range", "bytes=0-1")]);
        assert_eq!((same.status.as_u16(), same.bytes.len()), (304, 0));
        assert_eq!(same.header("etag"), tag);
        // What is compressed has other bytes, so that a value is not.
        let encodings = ("accept-encoding", "gzip, br");
        let plain = get(&[encodings, ("range", "bytes=0-199")]);
        assert_eq!(plain.header("content-encoding"), "");
        let head = service.data("HEAD", engine, "/models/files/1/content");
        let head = head.header("range", "bytes=0-1").expect(200);
        assert_eq!(head.header("content-length"), "256", "{engine}");
        assert_eq!(head.header("etag"), tag, "{engine}");
        assert_eq!(head.bytes, b"");

        let change = service.data("PATCH", engine, "/models/files/1");
        change
            .json(&serde_json::json!({"content": "00ff"}))
            .expect(200);
        let changed = get(&[("range", "bytes=1-1"), ("if-range", &tag)]);
        assert_eq!(changed.bytes, [0, 255], "{engine}");
    }
}

#[test]
fn a_long_text_is_not_compressed_and_a_value_beyond_the_limit_is_refused() {
    let length = 64 << 20;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("long.db");
    let table = "CREATE TABLE long (id INT NOT NULL PRIMARY KEY, note TEXT);";
    let database = rusqlite::Connection::open(&file).unwrap();
    let fill = format!(
        "{table} INSERT INTO long VALUES (1, printf('%.*c', 5000, 'a')), (2, printf('%.*c', {}, 'a'));",
        length + 1
    );
    database.execute_batch(&fill).unwrap();
    let fill = format!(
        "{table} INSERT INTO long VALUES (1, repeat('a', 5000)), (2, repeat('a', {}));",
        length + 1
    );
    let postgres = PostgresServer::shared().database(&fill);
    let resources = [
        format!("sqlite=sqlite:{}", file.display()),
        format!("postgres={postgres}"),
    ];
    let (_store, service) = serve(&resources, &[]);
    for engine in ["sqlite", "postgres"] {
        let encodings = [("accept-encoding", "gzip, br")];
        let long = get(&service, engine, "long/1/note", &encodings);
        assert_eq!(long.header("content-encoding"), "", "{engine}");
        assert_eq!(long.body, "a".repeat(5000), "{engine}");
        let refused = get(&service, engine, "long/2/note", &[]);
        assert_eq!(refused.status, 400, "{engine}");
        assert!(refused.body.contains("64 MiB"), "{}", refused.body);
    }
}

#[test]
fn the_program_writes_a_value_to_standard_output_or_a_file() {
    let (_folder, store, service) = files();
    let token = service.text("/resources/postgres/token");
    let run = |arguments: &[&str]| {
        let url = service.text("/base_url");
        let common = [
            "--project",
            "main",
            "--api-base-url",
            url,
            "--api-token",
            token,
        ];
        let command = ["records", "value", "postgres", "files"];
        Program::new(store.path(), &[&command, arguments, &common].concat())
    };
    assert_eq!(run(&["1", "note"]).run_ok(), TEXT);
    assert_eq!(run(&["1", "size", "--range", "0-3"]).run_ok(), "9007");
    assert_eq!(run(&["1", "size", "--range", "-3"]).run_ok(), "993");
    assert_eq!(run(&["2", "note"]).run_ok(), "");
    let written = run(&["1", "content", "--output", "bytes"]).run_ok();
    assert_eq!(written, "256 bytes in bytes\n");
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(std::fs::read(store.path().join("bytes")).unwrap(), bytes);
    let (status, message) = run(&["1", "content", "--output", "bytes"]).run_err();
    assert!(status == 2 && message.contains("--force"), "{message}");
    run(&["1", "note", "--output", "bytes", "--force"]).run_ok();
    let text = std::fs::read_to_string(store.path().join("bytes")).unwrap();
    assert_eq!(text, TEXT);
    let (_, message) = run(&["1", "nope"]).run_err();
    assert!(message.contains("no field"), "{message}");
}

#[test]
fn a_cell_of_sqlite_is_given_as_what_it_is_whatever_its_column_declares() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cells.db");
    let database = rusqlite::Connection::open(&file).unwrap();
    let script = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, j JSON, b BLOB, n INTEGER, any);
        INSERT INTO t VALUES (1, x'00ff', '{broken', 'text', 'n/a', CAST(x'ff41' AS TEXT));";
    database.execute_batch(script).unwrap();
    let (_store, service) = serve(&[format!("cells=sqlite:{}", file.display())], &[]);
    for (field, media_type, expected) in [
        ("v", "application/octet-stream", &b"\x00\xff"[..]),
        ("j", "text/plain; charset=utf-8", b"{broken"),
        ("b", "text/plain; charset=utf-8", b"text"),
        ("n", "text/plain; charset=utf-8", b"n/a"),
        ("any", "application/octet-stream", b"\xffA"),
    ] {
        let answer = get(&service, "cells", &format!("t/1/{field}"), &[]);
        assert_eq!(answer.bytes, expected, "{field}");
        assert_eq!(answer.header("content-type"), media_type, "{field}");
    }
}
