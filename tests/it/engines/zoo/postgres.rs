//! The types of PostgreSQL.

use svc_tests::servers::{PostgresServer, Server as _};

use super::{Species, Zoo};
use crate::shared::serve;

/// The statements that create the types.
const TYPES: &str = "
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'a,b');
CREATE TYPE pair AS (n int, t text);
CREATE TYPE shapes AS (n int, p point);
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN moods AS mood;
CREATE DOMAIN prices AS numeric(10,2)[];
CREATE DOMAIN price AS numeric(10,2);
CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);";

const NUMBERS: &[Species] = &[
    Species::new("int2_", "smallint", &["-32768", "0", "32767"]),
    Species::new("int4_", "integer", &["-2147483648", "5", "2147483647"]),
    Species::new(
        "int8_",
        "bigint",
        &["-9223372036854775808", "0", "9223372036854775807"],
    ),
    Species::new(
        "numeric_",
        "numeric",
        &[
            "'NaN'",
            "'Infinity'",
            "'-Infinity'",
            "-0.5",
            "0",
            "123456789012345678901234567890.123456789",
            "1e-20",
        ],
    ),
    Species::new("numeric_s", "numeric(10,2)", &["-1.50", "0", "99999999.99"]),
    Species::new(
        "real_",
        "real",
        &["-1.1", "0.1", "3.4e38", "1e-30", "'NaN'", "'Infinity'"],
    )
    .no_key()
    .kept_only(),
    Species::new(
        "double_",
        "double precision",
        &[
            "-1.1",
            "0.1",
            "1.7976931348623157e308",
            "5e-324",
            "'-Infinity'",
        ],
    )
    .no_key()
    .kept_only(),
    Species::new("boolean_", "boolean", &["true", "false"]),
    Species::new("money_", "money", &["'-5.00'", "'1234.56'", "'0'", "'12'"]),
    Species::new("oid_", "oid", &["0", "9", "10", "4294967295"]),
    Species::new("positive_", "positive", &["1", "10", "9"]),
    Species::new("price_", "price", &["1.50", "10.00", "9.99"]),
    Species::new(
        "bit_",
        "bit(8)",
        &["B'00000001'", "B'01000000'", "B'11111111'"],
    ),
    Species::new("bit1_", "bit(1)", &["B'0'", "B'1'"]),
    Species::new(
        "varbit_",
        "bit varying(8)",
        &["B''", "B'0'", "B'1'", "B'01'", "B'001'"],
    ),
];

const TIMES: &[Species] = &[
    Species::new(
        "date_",
        "date",
        &[
            "'infinity'",
            "'-infinity'",
            "'2026-01-31'",
            "'0044-03-15 BC'",
            "'10000-01-01'",
            "'5874897-12-31'",
        ],
    ),
    Species::new(
        "time_",
        "time",
        &[
            "'00:00:00'",
            "'10:00:00.5'",
            "'23:59:59.999999'",
            "'24:00:00'",
        ],
    ),
    Species::new(
        "timetz_",
        "timetz",
        &["'10:00:00+02'", "'09:00:00+00'", "'23:59:59.5-05:30'"],
    ),
    Species::new(
        "timestamp_",
        "timestamp",
        &[
            "'infinity'",
            "'-infinity'",
            "'2026-01-31 10:00:00.000001'",
            "'0044-03-15 12:00:00 BC'",
            "'294276-12-31 23:59:59.999999'",
            "'9999-12-31 23:59:59'",
        ],
    ),
    Species::new(
        "timestamptz_",
        "timestamptz",
        &[
            "'infinity'",
            "'-infinity'",
            "'2026-01-31 10:00:00.5+00'",
            "'0044-03-15 12:00:00+00 BC'",
            "'10000-01-01 00:00:00+00'",
            "'9999-12-31 23:59:59+00'",
        ],
    ),
    Species::new(
        "interval_",
        "interval",
        &[
            "'1 mon'",
            "'30 days 1 sec'",
            "'-1 day'",
            "'10 years'",
            "'2 days'",
            "'00:00:00.5'",
            "'0'",
        ],
    ),
];

const TEXTS: &[Species] = &[
    Species::new(
        "text_",
        "text",
        &[
            "''",
            "'a'",
            "'B'",
            "'zoë'",
            "'😀'",
            "'a,b'",
            "'aggregate'",
            "'a/b %2F'",
            "E'a\\\\b'",
        ],
    ),
    Species::new(
        "varchar_",
        "varchar(20)",
        &["''", "'bulk_create'", "'x''y'", "'a '", "'%_'"],
    ),
    Species::new("bpchar_", "char(4)", &["'a'", "'ab'", "''", "'zzzz'"]),
    Species::new("citext_", "citext", &["'a'", "'B'", "'c'"]),
    Species::new("caseless_", "text COLLATE caseless", &["'a'", "'B'", "'c'"]),
    Species::new("name_", "name", &["'a'", "'B'", "''"]),
    Species::new("char_", "\"char\"", &["'a'", "'B'", "'z'"]),
    Species::new(
        "uuid_",
        "uuid",
        &[
            "'00000000-0000-4000-8000-000000000002'",
            "'ffffffff-0000-1000-8000-000000000001'",
        ],
    ),
    Species::new(
        "bytea_",
        "bytea",
        &["''", "'\\x00'", "'\\xff'", "'\\x00ff'"],
    ),
    Species::new("enum_", "mood", &["'happy'", "'ok'", "'sad'", "'a,b'"]),
    Species::new("enum_domain", "moods", &["'happy'", "'ok'", "'sad'"]),
    Species::new("xml_", "xml", &["'<a b=\"1\"/>'", "'text'", "'<z>ü</z>'"])
        .no_order()
        .no_key(),
    Species::new("tsvector_", "tsvector", &["'a fat cat'", "'zoo:1A'", "''"]),
    Species::new("tsquery_", "tsquery", &["'fat & cat'", "'a | b'"]),
];

const NETS: &[Species] = &[
    Species::new(
        "inet_",
        "inet",
        &[
            "'9.9.9.9'",
            "'10.0.0.1'",
            "'10.0.0.0/8'",
            "'::1'",
            "'2001:db8::/32'",
        ],
    ),
    Species::new(
        "cidr_",
        "cidr",
        &["'9.9.9.9/32'", "'10.0.0.0/8'", "'2001:db8::/32'"],
    ),
    Species::new(
        "macaddr_",
        "macaddr",
        &["'08:00:2b:01:02:03'", "'ff:00:00:00:00:00'"],
    ),
    Species::new(
        "macaddr8_",
        "macaddr8",
        &["'08:00:2b:01:02:03:04:05'", "'ff:00:00:00:00:00:00:00'"],
    ),
    Species::new(
        "int4range_",
        "int4range",
        &["'[1,10)'", "'[2,3)'", "'empty'", "'(,5)'"],
    ),
    Species::new(
        "numrange_",
        "numrange",
        &["'[1.5,10)'", "'[10,11]'", "'(,)'"],
    ),
    Species::new(
        "tstzrange_",
        "tstzrange",
        &["'[2026-01-01 00:00+00,2026-02-01 00:00+00)'", "'empty'"],
    ),
    Species::new(
        "multirange_",
        "int4multirange",
        &["'{[1,3),[5,9)}'", "'{}'", "'{[10,11)}'"],
    ),
    Species::new("point_", "point", &["'(1,2)'", "'(10,2)'"])
        .no_order()
        .no_key(),
    Species::new("box_", "box", &["'(1,2),(3,4)'", "'(0,0),(2,2)'"])
        .no_order()
        .no_key(),
    Species::new(
        "polygon_",
        "polygon",
        &["'((0,0),(0,1),(1,1))'", "'((0,0),(0,2),(2,2))'"],
    )
    .no_order()
    .no_key(),
    Species::new("circle_", "circle", &["'<(1,2),3>'", "'<(0,0),3>'"])
        .no_order()
        .no_key(),
    Species::new("pg_lsn_", "pg_lsn", &["'0/9'", "'0/10'", "'16/B374D848'"]),
    Species::new(
        "pair_",
        "pair",
        &["'(10,a)'", "'(9,b)'", "'(9,\"x,y\")'", "'(,)'"],
    ),
    Species::new("shapes_", "shapes", &["'(1,\"(1,2)\")'", "'(1,\"(3,2)\")'"])
        .no_order()
        .no_key(),
    Species::new(
        "hstore_",
        "hstore",
        &["'a=>1'", "'b=>NULL'", "'a=>1,b=>2'", "''"],
    ),
    Species::new("jsonpath_", "jsonpath", &["'$.a[*]'", "'$.b'"])
        .no_order()
        .no_key(),
];

const NESTED: &[Species] = &[
    Species::new(
        "json_",
        "json",
        &[
            "'{\"b\": 1,  \"a\": [1.10, null]}'",
            "'[]'",
            "'\"x\"'",
            "'12345678901234567890'",
        ],
    )
    .no_order()
    .no_key(),
    Species::new(
        "jsonb_",
        "jsonb",
        &[
            "'{\"b\": 1, \"a\": [1.10, null]}'",
            "'[]'",
            "'\"x\"'",
            "'12345678901234567890'",
        ],
    )
    .no_comparison(),
    Species::new(
        "int_array",
        "integer[]",
        &[
            "'{}'",
            "'{1,NULL,3}'",
            "'{10}'",
            "'{9}'",
            "'{{1,2},{3,4}}'",
            "'[0:2]={7,8,9}'",
        ],
    ),
    Species::new(
        "bigint_array",
        "bigint[]",
        &["'{9223372036854775807}'", "'{-9223372036854775808,0}'"],
    ),
    Species::new(
        "numeric_array",
        "numeric[]",
        &[
            "'{1.50,123456789012345678901234567890.10}'",
            "'{NaN,Infinity}'",
            "'{9}'",
            "'{10}'",
        ],
    ),
    Species::new(
        "numeric_s_array",
        "numeric(10,2)[]",
        &["'{1.50,2}'", "'{}'"],
    ),
    Species::new("boolean_array", "boolean[]", &["'{t,f,NULL}'", "'{f}'"]),
    Species::new("real_array", "real[]", &["'{1.1,-0.5}'", "'{1e30}'"]),
    Species::new(
        "text_array",
        "text[]",
        &[
            "'{}'",
            "'{\"\"}'",
            "'{NULL,\"NULL\"}'",
            "'{\"a,b\",\"c\\\"d\",\"e\\\\\\\\f\"}'",
            "'{{a,b},{c,d}}'",
            "'{ü,😀}'",
        ],
    ),
    Species::new("varchar_array", "varchar(5)[]", &["'{a,b}'", "'{}'"]),
    Species::new("bpchar_array", "char(4)[]", &["'{a,b}'", "'{zzzz}'"]),
    Species::new(
        "bytea_array",
        "bytea[]",
        &["'{\"\\\\x00ff\",\"\\\\x\"}'", "'{}'"],
    ),
    Species::new(
        "uuid_array",
        "uuid[]",
        &["'{00000000-0000-4000-8000-000000000002}'", "'{}'"],
    ),
    Species::new(
        "date_array",
        "date[]",
        &["'{infinity,2026-01-31}'", "'{0044-03-15 BC}'"],
    ),
    Species::new("time_array", "time[]", &["'{10:00:00.5,24:00:00}'", "'{}'"]),
    Species::new(
        "timestamp_array",
        "timestamp[]",
        &["'{2026-01-31 10:00:00.000001}'", "'{-infinity}'"],
    ),
    Species::new(
        "timestamptz_array",
        "timestamptz[]",
        &["'{2026-01-31 10:00:00.5+02,NULL}'", "'{infinity}'"],
    ),
    Species::new(
        "interval_array",
        "interval[]",
        &["'{1 mon,2 days}'", "'{}'"],
    ),
    Species::new("enum_array", "mood[]", &["'{happy,\"a,b\"}'", "'{sad}'"]),
    Species::new(
        "inet_array",
        "inet[]",
        &["'{10.0.0.1,9.0.0.0/8}'", "'{::1}'"],
    ),
    Species::new("bit_array", "bit(8)[]", &["'{00000001,10000000}'", "'{}'"]),
    Species::new("money_array", "money[]", &["'{\"$1,234.50\"}'", "'{-5}'"]),
    Species::new(
        "jsonb_array",
        "jsonb[]",
        &["array['{\"a\": 1}', '[1, 2]']::jsonb[]", "'{}'"],
    ),
    Species::new(
        "json_array",
        "json[]",
        &["array['{\"a\":  1}', '\"x\"']::json[]", "'{}'"],
    )
    .no_order()
    .no_key(),
    Species::new(
        "point_array",
        "point[]",
        &["array['(1,2)', '(3,4)']::point[]", "'{}'"],
    )
    .no_order()
    .no_key(),
    Species::new("box_array", "box[]", &["'{(1,1),(0,0);(2,2),(1,1)}'"])
        .no_order()
        .no_key(),
    Species::new(
        "pair_array",
        "pair[]",
        &["array['(1,a)', '(2,\"x,y\")']::pair[]", "'{}'"],
    ),
    Species::new(
        "range_array",
        "int4range[]",
        &["array['[1,3)', 'empty']::int4range[]", "'{}'"],
    ),
    Species::new("positive_array", "positive[]", &["'{1,2}'", "'{10}'"]),
    Species::new("prices_", "prices", &["'{1.50,2}'", "'{}'"]),
];

#[track_caller]
fn visit(species: &[Species]) {
    let mut script = TYPES.to_owned();
    let uses = |name: &str| species.iter().any(|one| one.declared == name);
    for extension in ["citext", "hstore"].into_iter().filter(|name| uses(name)) {
        script.push_str(&format!("CREATE EXTENSION {extension};"));
    }
    for one in species {
        script.push_str(&one.script(""));
    }
    let url = PostgresServer::shared().database(&script);
    let folder = tempfile::tempdir().unwrap();
    Zoo::new(serve(&folder, &[&format!("z={url}")])).visit(species);
}

#[test]
fn numbers_and_bits_of_postgresql_find_what_they_show_and_have_one_order() {
    visit(NUMBERS);
}

#[test]
fn dates_and_times_of_postgresql_find_what_they_show_and_have_one_order() {
    visit(TIMES);
}

#[test]
fn texts_of_postgresql_find_what_they_show_and_have_one_order() {
    visit(TEXTS);
}

#[test]
fn addresses_ranges_and_shapes_of_postgresql_find_what_they_show_and_have_one_order() {
    visit(NETS);
}

#[test]
fn json_and_arrays_of_postgresql_find_what_they_show_and_have_one_order() {
    visit(NESTED);
}
