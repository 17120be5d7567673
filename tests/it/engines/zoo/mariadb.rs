//! The types of MariaDB and MySQL.

use svc_tests::servers::{MariadbServer, Server as _};

use super::{Species, Zoo};
use crate::shared::serve;

const NUMBERS: &[Species] = &[
    Species::new("tinyint", "TINYINT", &["-128", "0", "127"]),
    Species::new("tinyint_u", "TINYINT UNSIGNED", &["0", "255"]),
    Species::new("boolean", "TINYINT(1)", &["0", "1", "7", "-3"]),
    Species::new("smallint", "SMALLINT", &["-32768", "32767"]),
    Species::new(
        "mediumint",
        "MEDIUMINT UNSIGNED ZEROFILL",
        &["0", "16777215"],
    ),
    Species::new("int_", "INT", &["-2147483648", "5", "2147483647"]),
    Species::new(
        "bigint",
        "BIGINT",
        &["-9223372036854775808", "0", "9223372036854775807"],
    ),
    Species::new(
        "bigint_u",
        "BIGINT UNSIGNED",
        &[
            "0",
            "9223372036854775807",
            "9223372036854775808",
            "9223372036854775809",
            "18446744073709551614",
            "18446744073709551615",
        ],
    ),
    Species::new(
        "decimal_",
        "DECIMAL(40,10)",
        &[
            "-1.5",
            "0",
            "123456789012345678901234567890.0123456789",
            "123456789012345678901234567890.0123456788",
        ],
    ),
    Species::new(
        "decimal_u",
        "DECIMAL(10,2) UNSIGNED ZEROFILL",
        &["0", "1.10", "99999999.99"],
    ),
    Species::new("float_", "FLOAT", &["-1.1", "0.1", "3.4e38", "1e-30"]),
    Species::new(
        "double_",
        "DOUBLE",
        &["-1.1", "0.1", "1.7976931348623157e308", "5e-324", "0"],
    ),
    Species::new("bit1", "BIT(1)", &["b'0'", "b'1'"]),
    Species::new(
        "bit8",
        "BIT(8)",
        &["b'0'", "b'1'", "b'10000000'", "b'11111111'"],
    ),
    Species::new(
        "bit12",
        "BIT(12)",
        &["b'0'", "b'1'", "b'100000000000'", "b'1111'"],
    ),
    Species::new(
        "bit64",
        "BIT(64)",
        &[
            "0",
            "1",
            "0x7fffffffffffffff",
            "0x8000000000000000",
            "0xffffffffffffffff",
            "0xfffffffffffffffe",
        ],
    ),
];

const TIMES: &[Species] = &[
    Species::new("year_", "YEAR", &["1901", "2155", "0", "2026"]),
    Species::new("year2", "YEAR(2)", &["99", "0", "69", "70"]),
    Species::new(
        "date_",
        "DATE",
        &[
            "'2026-01-31'",
            "'0000-00-00'",
            "'2026-00-00'",
            "'2026-01-00'",
            "'9999-12-31'",
            "'0001-01-01'",
        ],
    ),
    Species::new(
        "time_",
        "TIME",
        &[
            "'-838:59:59'",
            "'-00:00:01'",
            "'00:00:00'",
            "'23:59:59'",
            "'24:00:00'",
            "'838:59:59'",
        ],
    ),
    Species::new(
        "time6",
        "TIME(6)",
        &[
            "'-838:59:59.000001'",
            "'-00:00:00.5'",
            "'10:00:00.5'",
            "'100:00:00.000001'",
        ],
    ),
    Species::new(
        "datetime_",
        "DATETIME",
        &[
            "'0000-00-00 00:00:00'",
            "'2026-00-00 10:00:00'",
            "'2026-01-31 10:00:00'",
            "'9999-12-31 23:59:59'",
        ],
    ),
    Species::new(
        "datetime6",
        "DATETIME(6)",
        &[
            "'0000-00-00 00:00:00'",
            "'2026-01-31 10:00:00.000001'",
            "'2026-01-31 10:00:00.1'",
        ],
    ),
    Species::new(
        "timestamp_",
        "TIMESTAMP NULL",
        &[
            "'0000-00-00 00:00:00'",
            "'1970-01-01 00:00:01'",
            "'2038-01-19 03:14:07'",
        ],
    )
    .no_key(),
];

const TEXTS: &[Species] = &[
    Species::new(
        "char_",
        "CHAR(10)",
        &[
            "''",
            "'a'",
            "'B'",
            "'zoë'",
            "'😀'",
            "'a,b'",
            "'aggregate'",
            "'a/b %2F'",
            "'a\\\\b'",
        ],
    ),
    Species::new(
        "varchar_",
        "VARCHAR(20)",
        &[
            "''",
            "'a'",
            "'A'",
            "'a '",
            "'bulk_create'",
            "'x''y'",
            "'%_'",
            "'group'",
        ],
    ),
    Species::new(
        "varchar_ci",
        "VARCHAR(20) COLLATE utf8mb4_general_ci",
        &["'a'", "'Ö'", "'b'", "'C'", "'😀'"],
    ),
    Species::new(
        "varchar_uni",
        "VARCHAR(20) COLLATE utf8mb4_unicode_ci",
        &["'a'", "'é'", "'f'", "'E2'", "'ß'"],
    ),
    Species::new(
        "latin1_",
        "VARCHAR(20) CHARACTER SET latin1",
        &["'a'", "'Z'", "'zoë'", "'?'", "''"],
    ),
    Species::new(
        "latin1_cs",
        "VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_general_cs",
        &["'a'", "'A'", "'zoë'", "'b'"],
    ),
    Species::new(
        "ascii_",
        "VARCHAR(20) CHARACTER SET ascii",
        &["'a'", "'B'", "'?'"],
    ),
    Species::new(
        "utf8mb3_",
        "VARCHAR(20) CHARACTER SET utf8mb3",
        &["'a'", "'日本'", "'B'"],
    ),
    Species::new(
        "ucs2_",
        "VARCHAR(20) CHARACTER SET ucs2",
        &["'a'", "'日本'", "'B'"],
    ),
    Species::new(
        "sjis_",
        "VARCHAR(20) CHARACTER SET sjis",
        &["'a'", "'日本'", "'B'"],
    ),
    Species::new(
        "text_",
        "TEXT",
        &[
            "''",
            "'a'",
            "'b'",
            "REPEAT('x', 3000)",
            "CONCAT(REPEAT('x', 3000), 'a')",
        ],
    )
    .no_key(),
    Species::new("longtext_", "LONGTEXT", &["''", "'a'", "'ü'"]).no_key(),
    Species::new(
        "json_",
        "JSON",
        &[
            "'{\"b\": 1,  \"a\": [1.10, null]}'",
            "'[]'",
            "'\"x\"'",
            "'12345678901234567890'",
        ],
    )
    .no_key()
    .no_comparison(),
    Species::new(
        "uuid_",
        "UUID",
        &[
            "'00000000-0000-4000-8000-000000000002'",
            "'ffffffff-0000-1000-8000-000000000001'",
        ],
    ),
    Species::new("inet4_", "INET4", &["'1.2.3.4'", "'10.0.0.1'", "'9.9.9.9'"]),
    Species::new(
        "inet6_",
        "INET6",
        &["'::1'", "'2001:db8::ff00:42:8329'", "'::ffff:1.2.3.4'"],
    ),
];

const WORDS: &[Species] = &[
    Species::new(
        "enum_",
        "ENUM('b','a','c d','it''s','x\\\\y')",
        &["'b'", "'a'", "'c d'", "'it''s'", "'x\\\\y'"],
    ),
    Species::new(
        "enum_digits",
        "ENUM('3','1','2','')",
        &["'3'", "'1'", "'2'", "''"],
    ),
    Species::new(
        "enum_latin1",
        "ENUM('ö','a','Z') CHARACTER SET latin1",
        &["'ö'", "'a'", "'Z'"],
    ),
    Species::new(
        "set_",
        "SET('z','a','m')",
        &["''", "'z'", "'a'", "'m'", "'z,a'", "'z,m'", "'z,a,m'"],
    ),
    Species::new(
        "set64",
        SET_OF_64,
        &[
            "''",
            "'m63'",
            "'m0,m63'",
            "'m62,m63'",
            "'m0,m62,m63'",
            "'m1'",
        ],
    ),
];

const SET_OF_64: &str = "SET('m0','m1','m2','m3','m4','m5','m6','m7','m8','m9','m10','m11','m12','m13','m14','m15','m16','m17','m18','m19','m20','m21','m22','m23','m24','m25','m26','m27','m28','m29','m30','m31','m32','m33','m34','m35','m36','m37','m38','m39','m40','m41','m42','m43','m44','m45','m46','m47','m48','m49','m50','m51','m52','m53','m54','m55','m56','m57','m58','m59','m60','m61','m62','m63')";

const BYTES: &[Species] = &[
    Species::new(
        "binary_",
        "BINARY(4)",
        &["x'00000000'", "x'ff000000'", "'a'"],
    ),
    Species::new(
        "varbinary_",
        "VARBINARY(10)",
        &["''", "x'00'", "x'ff'", "x'00ff'", "'a'"],
    ),
    Species::new("blob_", "BLOB", &["''", "x'00'", "x'ff'", "x'00ff'"]).no_key(),
    Species::new(
        "point_",
        "POINT",
        &[
            "ST_GeomFromText('POINT(1 2)')",
            "ST_GeomFromText('POINT(-1.5 2.25)', 4326)",
            "ST_GeomFromText('POINT(0 0)')",
        ],
    )
    .no_order()
    .no_key(),
    Species::new(
        "geometry_",
        "GEOMETRY",
        &[
            "ST_GeomFromText('LINESTRING(0 0,1 1)')",
            "ST_GeomFromText('POLYGON((0 0,0 1,1 1,0 0))')",
            "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2))')",
        ],
    )
    .no_order()
    .no_key(),
];

#[track_caller]
fn visit(species: &[Species]) {
    // As on old servers, which accepted such dates.
    let mut script = "SET SESSION sql_mode = '';".to_owned();
    for one in species {
        script.push_str(&one.script(""));
    }
    let url = MariadbServer::shared().database(&script);
    let folder = tempfile::tempdir().unwrap();
    Zoo::new(serve(&folder, &[&format!("z={url}")])).visit(species);
}

#[test]
fn numbers_and_bits_of_mariadb_find_what_they_show_and_have_one_order() {
    visit(NUMBERS);
}

#[test]
fn dates_and_times_of_mariadb_find_what_they_show_and_have_one_order() {
    visit(TIMES);
}

#[test]
fn texts_of_mariadb_of_every_character_set_find_what_they_show_and_have_one_order() {
    visit(TEXTS);
}

#[test]
fn enumerations_and_sets_of_mariadb_find_what_they_show_and_have_one_order() {
    visit(WORDS);
}

#[test]
fn bytes_and_geometries_of_mariadb_find_what_they_show_and_have_one_order() {
    visit(BYTES);
}
