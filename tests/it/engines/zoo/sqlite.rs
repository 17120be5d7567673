//! The types that columns of SQLite declare, and cells of all other types in them.

use std::collections::BTreeMap;

use super::{Species, Zoo};
use crate::shared::serve;

const NUMBERS: &[Species] = &[
    Species::new(
        "integer_",
        "INTEGER",
        &["-9223372036854775808", "0", "5", "9223372036854775807"],
    ),
    Species::new("tinyint", "TINYINT", &["-128", "0", "127"]),
    Species::new("big", "UNSIGNED BIG INT", &["0", "9223372036854775807"]),
    Species::new(
        "integer_odd",
        "INTEGER",
        &[
            "'n/a'",
            "x'00ff'",
            "1.5",
            "1e999",
            "7",
            "9223372036854775808",
            "''",
        ],
    )
    .no_key()
    .kept_only(),
    Species::new(
        "real_",
        "REAL",
        &[
            "-1.1",
            "0.1",
            "0",
            "1.7976931348623157e308",
            "5e-324",
            "9007199254740993",
            "1e15",
        ],
    ),
    Species::new("double_", "DOUBLE PRECISION", &["-1.5", "3.4e38"]),
    Species::new("infinite", "FLOAT", &["1e999", "-1e999", "1.5"])
        .no_key()
        .kept_only(),
    Species::new("real_odd", "REAL", &["'abc'", "x'ff'", "''", "2.5"]).kept_only(),
    Species::new(
        "decimal_",
        "DECIMAL(10,2)",
        &["1.10", "-5", "0", "99999999.99"],
    ),
    Species::new(
        "numeric_",
        "NUMERIC",
        &["1e21", "12345678901234567890", "1.125", "-0.5", "7"],
    ),
    Species::new(
        "decimal_odd",
        "DECIMAL(10,2)",
        &[
            "'abc'",
            "1e999",
            "-1e999",
            "x'00'",
            "5",
            "1.125",
            "123456789012",
        ],
    )
    .kept_only(),
    Species::new("money_", "MONEY", &["1.10", "-5"]),
    Species::new(
        "numeric_long",
        "NUMERIC(30,2)",
        &["9007199254740993", "-9223372036854775808", "1.5"],
    ),
    Species::new("boolean_", "BOOLEAN", &["0", "1"]),
    Species::new(
        "boolean_odd",
        "BOOL",
        &["0", "1", "7", "-1", "1.5", "'maybe'"],
    )
    .kept_only(),
    // Values that `true` finds are at two positions.
    Species::new("boolean_words", "BOOLEAN", &["0", "1", "'true'", "'False'"])
        .no_comparison()
        .no_key()
        .kept_only(),
];

const TIMES: &[Species] = &[
    Species::new(
        "date_",
        "DATE",
        &["'2026-01-31'", "'0001-01-01'", "'9999-12-31'"],
    ),
    Species::new(
        "date_mixed",
        "DATE",
        &[
            "'2026-01-31'",
            "'2026-02-01 00:00:00'",
            "1769990400",
            "'2026-01-31 10:00:00'",
            "'someday'",
            "2461072.5",
            "''",
        ],
    )
    .kept_only(),
    Species::new(
        "datetime_",
        "DATETIME",
        &[
            "'2026-01-31 13:30:00'",
            "'1969-12-31 23:59:59'",
            "'9999-12-31 23:59:59'",
        ],
    ),
    Species::new(
        "datetime_z",
        "TIMESTAMP WITH TIME ZONE",
        &["'2026-01-31T13:30:00.123Z'", "'2026-01-31T13:30:00.500Z'"],
    ),
    Species::new("datetime_unix", "TIMESTAMP", &["1769866200", "0", "-86400"]),
    Species::new(
        "datetime_millis",
        "DATETIME",
        &["1769866200250", "1769866200000"],
    ),
    Species::new(
        "datetime_mixed",
        "DATETIME",
        &[
            "'2026-01-31 13:30:00'",
            "'2026-01-31T14:30:00Z'",
            "'2026-01-31T13:45:00+02:00'",
            "2461072.0",
            "1769866200",
            "1769866200250",
            "'2026-01-31'",
            "'soon'",
            "'0000-00-00'",
            "'2026-01-31 13:31:00.1234567'",
            "'2026-01-31 13:32:00.12345678901'",
            "x'00ff'",
        ],
    )
    .no_key()
    .kept_only(),
    Species::new(
        "time_",
        "TIME",
        &["'09:05'", "'09:05:00'", "'23:59:59.5'", "'00:00:00'"],
    )
    .no_key(),
    Species::new(
        "time_odd",
        "TIME",
        &["'9:5'", "'25:00:00'", "930", "'noon'", "'10:00:00'"],
    )
    .kept_only(),
];

const TEXTS: &[Species] = &[
    Species::new(
        "text_",
        "TEXT",
        &[
            "''",
            "'a'",
            "'B'",
            "'zoë'",
            "'😀'",
            "'a,b'",
            "'aggregate'",
            "'a' || char(0) || 'b'",
            "'a' || char(0) || 'c'",
            "'{\"a\": 1}'",
            "'007'",
            "'null'",
            "' x '",
        ],
    ),
    Species::new("varchar_", "VARCHAR(20)", &["''", "'5'", "'05'"]),
    Species::new("char_", "CHAR(2)", &["'ab'", "'longer than declared'"]).kept_only(),
    Species::new("clob_", "CLOB", &["'a'", "'b'"]),
    Species::new(
        "nocase",
        "TEXT COLLATE NOCASE",
        &["'a'", "'A'", "'B'", "'c'"],
    )
    .no_key(),
    Species::new("rtrim_", "TEXT COLLATE RTRIM", &["'a'", "'a  '", "'b'"]).no_key(),
    Species::new("nocase_key", "TEXT COLLATE NOCASE", &["'a'", "'B'", "'c'"]),
    // Numbers, and texts that are not numbers.
    Species::new("string_", "STRING", &["'abc'", "5", "1.5", "''"]),
    // A blob and a text with the same bytes look the same in responses.
    Species::new(
        "text_odd",
        "TEXT",
        &["x'00ff'", "CAST(x'ff21' AS TEXT)", "x''", "x'61'", "'x'"],
    )
    .no_comparison()
    .kept_only(),
    Species::new(
        "typeless",
        "",
        &[
            "5",
            "2.5",
            "3.0",
            "'abc'",
            "''",
            "x'00ff'",
            "x''",
            "'7x'",
            "1e300",
            "9007199254740993",
        ],
    ),
    // A text of digits is found together with the number.
    Species::new("typeless_digits", "", &["5", "'5'", "'5.0'", "6"])
        .no_comparison()
        .no_key(),
    Species::new("typeless_broken", "", &["CAST(x'ff' AS TEXT)", "'a'", "1"])
        .no_comparison()
        .kept_only(),
    Species::new("whatever", "WHATEVER", &["5", "'abc'", "x'00ff'"]),
    Species::new("point_", "POINT", &["'POINT(1 2)'", "'POINT(0 0)'"]),
    Species::new(
        "uuid_",
        "UUID",
        &[
            "'6ba7b810-9dad-11d1-80b4-00c04fd430c8'",
            "'6BA7B811-9DAD-11D1-80B4-00C04FD430C8'",
            "'6ba7b8129dad11d180b400c04fd430c8'",
        ],
    ),
    Species::new(
        "uuid_bytes",
        "UUID",
        &[
            "x'6ba7b8109dad11d180b400c04fd430c8'",
            "x'6ba7b8119dad11d180b400c04fd430c8'",
        ],
    ),
    Species::new(
        "uuid_odd",
        "UUID",
        &[
            "x'6ba7b8109dad11d180b400c04fd430c8'",
            "'6ba7b811-9dad-11d1-80b4-00c04fd430c8'",
            "'none'",
            "7",
        ],
    )
    .kept_only(),
    Species::new("blob_", "BLOB", &["x''", "x'00'", "x'ff'", "x'00ff'"]),
    Species::new("varbinary_", "VARBINARY(4)", &["x'00'", "x'61'"]),
    Species::new(
        "blob_odd",
        "BLOB",
        &["'hello'", "'Face'", "12", "1.5", "x'00'"],
    )
    .no_comparison()
    .kept_only(),
    Species::new(
        "json_",
        "JSON",
        &[
            "'{\"b\": 1, \"a\": [1.50]}'",
            "'{\"a\":[1.5],\"b\":1}'",
            "'[1, 2]'",
            "'\"x\"'",
            "'5'",
            "'{broken'",
            "''",
            "x'00ff'",
        ],
    )
    .no_key()
    .no_comparison(),
    Species::new(
        "json_key",
        "JSON",
        &["'{\"b\": 1}'", "'[1, 2]'", "'5'", "'{broken'"],
    )
    .no_comparison(),
];

const STRICT: &[Species] = &[
    Species::new("int_", "INT", &["-5", "0", "9223372036854775807"]),
    Species::new("real_", "REAL", &["-1.5", "5", "1e300"]),
    Species::new("text_", "TEXT", &["''", "'5'", "'a'"]),
    Species::new("blob_", "BLOB", &["x''", "x'00ff'"]),
    Species::new("any_", "ANY", &["5", "2.5", "'abc'", "x'00ff'"]),
];

const WITHOUT_ROWID: &[Species] = &[
    Species::new("int_", "INT", &["-5", "0", "9223372036854775807"]),
    Species::new("text_", "TEXT COLLATE NOCASE", &["''", "'a'", "'B'"]),
    Species::new("any_", "", &["5", "2.5", "'abc'", "x'00ff'"]),
    Species::new(
        "datetime_",
        "DATETIME",
        &["'2026-01-31 13:30:00'", "0", "'soon'"],
    )
    .kept_only(),
];

#[track_caller]
fn visit(species: &[Species], suffix: &str) {
    let folder = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(folder.path().join("z.db")).unwrap();
    for one in species {
        database.execute_batch(&one.script(suffix)).unwrap();
    }
    let before: BTreeMap<&str, _> = species
        .iter()
        .map(|one| (one.name, cells(&database, one.name)))
        .collect();
    Zoo::new(serve(&folder, &["z=sqlite:z.db"])).visit(species);
    for one in species {
        let now = cells(&database, one.name);
        assert_eq!(
            now, before[one.name],
            "{}: the cells were rewritten",
            one.name
        );
    }
}

/// The cells of a table, byte for byte.
fn cells(database: &rusqlite::Connection, name: &str) -> Vec<(i64, String)> {
    let sql = format!("SELECT id, typeof(v) || ' ' || hex(v) FROM t_{name} ORDER BY id");
    let mut cells = database.prepare(&sql).unwrap();
    let cells = cells.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    cells.unwrap().map(Result::unwrap).collect()
}

#[test]
fn numbers_of_sqlite_find_what_they_show_and_have_one_order() {
    visit(NUMBERS, "");
}

#[test]
fn dates_of_sqlite_in_every_form_find_what_they_show_and_have_one_order() {
    visit(TIMES, "");
}

#[test]
fn texts_and_bytes_of_sqlite_find_what_they_show_and_have_one_order() {
    visit(TEXTS, "");
}

#[test]
fn strict_tables_of_sqlite_find_what_they_show_and_have_one_order() {
    visit(STRICT, " STRICT");
}

#[test]
fn tables_of_sqlite_without_row_ids_find_what_they_show_and_have_one_order() {
    visit(WITHOUT_ROWID, " WITHOUT ROWID");
}
