use super::*;

/// Engines whose guard lets texts pass.
struct All<'e>(&'e [Engine]);

impl All<'_> {
    fn pass(&self, texts: &[&str]) {
        for engine in self.0 {
            for sql in texts {
                if let Err(refusal) = plain(*engine, sql) {
                    panic!("{engine:?} refused: {sql}\n{refusal}");
                }
            }
        }
    }
}

#[test]
fn queries_of_every_dialect_pass_on_every_engine() {
    All(&ENGINES).pass(&[
            "select 1",
            "SELECT * FROM orders",
            "  select 1 ;  ",
            "select 1;;;",
            "select 1 -- the end",
            "/* first */ select /* second */ 1 /* third */;",
            "select o.id, c.name from orders o join customers c on c.id = o.customer_id",
            "select * from a left join b using (id) cross join c",
            "select * from (select id from orders where total > 5) as big",
            "select (select max(total) from orders) as most",
            "select * from a where exists (select 1 from b where b.id = a.id)",
            "select * from a where id in (select id from b) and not (x = 1 or y is null)",
            "select * from a where id in (1, 2, 3) and name like 'a%' escape '!'",
            "select count(*), sum(total) from orders group by status having count(*) > 1 order by 1 desc limit 5 offset 2",
            "select count(distinct status) from orders",
            "select case when a > 1 then 'x' else 'y' end from t",
            "select case a when 1 then 2 when 3 then 4 end from t",
            "with a as (select 1 as x), b as (select x + 1 as y from a) select * from a, b",
            "with recursive n(i) as (select 1 union all select i + 1 from n where i < 10) select i from n",
            "select 1 union select 2 union all select 3",
            "select a from t intersect select a from u",
            "select a from t except select b from u order by 1",
            "select row_number() over (partition by a order by b) from t",
            "select sum(x) over w from t window w as (order by y rows between 1 preceding and current row)",
            "select cast('12' as decimal(10, 2))",
            "select coalesce(a, b, 0), nullif(a, b), upper(trim(name)), substr(name, 1, 2) from t",
            "select substring(name, 1, 2), replace(name, 'a', 'b') from t",
            "select round(avg(price), 2), min(price), max(price), abs(-1) from t",
            "select distinct a, b from t",
            "select -1, +1, 1.5, .5, 1e3, 1.5e-3",
            "select a - -1 from t",
            "select 'it''s', '--', '/* no comment */', ';' from t",
            "select current_timestamp, current_date",
            "select t.* from t",
            "select * from shop.orders",
            "select a as \"b\" from t",
            "select größe from maße",
            "select 'a' as x where 1 <> 2 and 3 != 4",
            "select a from t where b between 1 and 2",
            "select null, true, false",
            "select lower (name) from t",
            "select json_object('a', 1)",
        ]);
    All(&[Sqlite, Postgres]).pass(&["values (1, 'a'), (2, 'b')", "select a || b from t"]);
    All(&[Postgres, Mysql]).pass(&["(select 1) union (select 2) limit 1"]);
}

#[test]
fn the_dialect_of_sqlite_passes() {
    All(&[Sqlite]).pass(&[
        "select [order], `group`, \"select\" from \"from\"",
        "select [a b] from [c ; d]",
        "select * from sqlite_schema",
        "select name from main.sqlite_master where type = 'table'",
        "select * from json_each('[1, 2]')",
        "select value from t, json_each(t.tags)",
        "select x'00ff'",
        "select name glob 'a*', name regexp 'b' from t",
        "select a is not null, a == b from t",
        "select * from notes where notes match 'word'",
        "select strftime('%Y-%m', created) from t group by 1",
        "select date('now', '-1 day'), unixepoch()",
        "select group_concat(name, ', ') from t",
        "select json_extract(a, '$.b'), a ->> '$.b' from t",
        "select iif(a, 1, 2), ifnull(a, 0), typeof(a), instr(a, 'b') from t",
        "select 'C:\\temp\\' as path",
        "select a from t limit 5, 10",
        "select count(*) filter (where a > 1) from t",
    ]);
}

#[test]
fn the_dialect_of_postgresql_passes() {
    All(&[Postgres]).pass(&[
            "select 'x'::text, 1::numeric(10, 2), '{1,2}'::int[]",
            "select 'orders'::regclass",
            "select a::date, date '2026-01-31', interval '1 day' from t",
            "select date_trunc('month', created at time zone 'UTC') from t",
            "select extract(year from created), to_char(created, 'YYYY') from t",
            "select created + interval '1 month' from t",
            "select array[1, 2][1], (array[1, 2, 3])[1:2], tags[1] from t",
            "select array(select id from t)",
            "select * from t where id = any(array[1, 2])",
            "select * from generate_series(1, 10) as n",
            "select * from generate_series('2026-01-01'::timestamp, '2026-02-01', '1 day') as d",
            "select * from unnest(array[1, 2]) with ordinality as u(v, n)",
            "select * from a, lateral (select * from b where b.id = a.id) x",
            "select * from a cross join lateral jsonb_array_elements(a.tags) as tag",
            "select doc -> 'a' ->> 'b', doc #>> '{a,b}', doc @> '{\"a\": 1}', doc ? 'a' from t",
            "select jsonb_build_object('a', 1), to_jsonb(t), row_to_json(t) from t",
            "select name ilike 'a%', name ~* 'b', name similar to 'c' from t",
            "select string_agg(name, ', ' order by name) filter (where a > 1) from t",
            "select percentile_cont(0.5) within group (order by total) from orders",
            "select distinct on (customer_id) * from orders order by customer_id, id desc",
            "select * from orders fetch first 5 rows only",
            "select $$it's$$, $tag$ $$ -- ; $tag$",
            "select E'tab\\t', E'quote\\'s', 'C:\\temp'",
            "select pg_catalog.lower('A')",
            "select relname from pg_class join pg_catalog.pg_namespace n on n.oid = relnamespace",
            "select table_name from information_schema.tables",
            "select grouping(a), a from t group by rollup (a)",
            "select a from t group by grouping sets ((a), ())",
            "select position('a' in name), overlay(name placing 'x' from 1), trim(both ' ' from name) from t",
            "with a as materialized (select 1) select * from a",
            "select st_asgeojson(shape) from places where st_dwithin(shape, st_makepoint(1, 2), 5)",
            "select name <-> 'a', name % 'b', similarity(name, 'c') from t",
            "select to_tsvector('simple', body) @@ plainto_tsquery('word') from t",
            "select /* outer /* inner */ still outer */ 1",
            "select (1, 2) = (1, 2), row(1, 2)",
            "select a is distinct from b from t",
            "select x.y from x tablesample system (5)",
            "select U from t",
            "select gen_random_uuid(), now(), age(created) from t",
            "select date(created), count(*) from t group by date(created)",
            "select \"Name\" from \"Orders\" where \"a\"\"b\" = 1",
            "select b'101', x'ff'",
            "select 1_000_000",
        ]);
}

#[test]
fn the_dialect_of_mysql_passes() {
    All(&[Mysql]).pass(&[
        "select `order` from `from`",
        "select \"a string\", 'it\\'s', 'C:\\\\', \"say \\\"hi\\\"\"",
        "select 1 # the end",
        "select 5--1",
        "select if(a, 1, 2), ifnull(a, 0), concat(a, 'b') from t",
        "select date_format(created, '%Y-%m'), year(created), now() from t",
        "select date_add(created, interval 1 day), created + interval 1 month from t",
        "select group_concat(distinct name order by name separator ', ') from t",
        "select json_extract(doc, '$.a'), doc -> '$.a', doc ->> '$.a' from t",
        "select name regexp '^a', name rlike 'b' from t",
        "select * from t limit 5, 10",
        "select straight_join * from a join b on a.id = b.id",
        "select * from notes where match (title, body) against ('word' in boolean mode)",
        "select a div 2, a % 2, mod(a, 2), a xor b, a <=> b, not a, a && b from t",
        "select _utf8mb4'abc', x'ff', b'01', 0xff",
        "select convert(a using utf8mb4), cast(a as signed), cast(a as char) from t",
        "select sum(a) from t group by b with rollup",
        "values row(1, 2), row(3, 4)",
        "select table_name from information_schema.tables",
        "select * from t use index (i) where a = 1",
        "select left(name, 1), right(name, 1), char_length(name) from t",
        "select timestampdiff(day, a, b), str_to_date(c, '%Y') from t",
        "select * from shop.orders, other.things",
        "select name from users where user = 'x'",
    ]);
}

#[test]
fn what_runs_has_no_comment_and_strings_that_mean_one_thing() {
    for (engine, sql, runs) in [
        (Sqlite, "select/**/1--x\n;-- y", "select 1"),
        (Sqlite, "select 'a\\'", "select 'a\\'"),
        (Postgres, "select 1 /* a /* b */ c */ + 2", "select 1 + 2"),
        (Postgres, "select 'a\\'", "select E'a\\\\'"),
        (Postgres, "select E'a\\'b\\n'", "select E'a''b\\n'"),
        (Postgres, "select $x$it's a \\$x$", "select E'it''s a \\\\'"),
        (
            Postgres,
            "select date'2026-01-31'",
            "select date '2026-01-31'",
        ),
        (Postgres, "select 1 -- a\r+ 2", "select 1 + 2"),
        (
            Mysql,
            "select 'it\\'s', \"\\\"\\'\"",
            "select 'it''s', \"\"\"'\"",
        ),
        (Mysql, "select '\\\\'", "select '\\\\'"),
        (Mysql, "select 1--1", "select 1- -1"),
        (Mysql, "select 1 -- 1", "select 1"),
        (Mysql, "select 1#1\n+1", "select 1 +1"),
        (Mysql, "select 1-/**/-1", "select 1- -1"),
    ] {
        match plain(engine, sql) {
            Ok(checked) => assert_eq!(checked.sql(), runs, "{sql}"),
            Err(refusal) => panic!("{engine:?} refused: {sql}\n{refusal}"),
        }
    }
}
