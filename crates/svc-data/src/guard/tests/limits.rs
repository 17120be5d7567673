use std::time::{Duration, Instant};

use super::*;

/// Nothing may take longer, without optimisation and beside other tests.
const SOON: Duration = Duration::from_secs(20);

/// Checks on every engine, from a thread with an ordinary stack.
fn rules(sql: &str) -> Vec<Option<Rule>> {
    ENGINES
        .into_iter()
        .map(|engine| {
            let begun = Instant::now();
            let checked = plain(engine, sql);
            assert!(
                begun.elapsed() < SOON,
                "{engine:?} took {:?}",
                begun.elapsed()
            );
            checked.err().map(|refusal| refusal.rule())
        })
        .collect()
}

fn nested(open: &str, middle: &str, close: &str, times: usize) -> String {
    format!(
        "select {}{middle}{}",
        open.repeat(times),
        close.repeat(times)
    )
}

#[test]
fn depth_without_end_is_refused_and_not_followed() {
    for sql in [
        nested("(", "1", ")", 100_000),
        nested("(select ", "1", ")", 10_000),
        nested("f(", "1", ")", 100_000),
        nested("case when ", "1", " then 1 end", 10_000),
        format!("select {} 1", "not ".repeat(10_000)),
        format!("select {} 1", "- ".repeat(100_000)),
        format!("select {}1", "1+".repeat(100_000)),
        format!("select 1 {}", "union select 1 ".repeat(10_000)),
        format!("select 1, 2 {}", "union all select 1, 2 ".repeat(10_000)),
        format!("select * from a {}", "join b ".repeat(10_000)),
        format!("select 1 {}", "is null ".repeat(10_000)),
    ] {
        let found = rules(&sql);
        assert_eq!(found, vec![Some(Rule::TooDeep); 3], "{}", &sql[..60]);
    }
    assert_eq!(rules(&"(".repeat(100_000)), vec![Some(Rule::Empty); 3]);
    let sql = format!("select {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(plain(Postgres, &sql).unwrap_err().rule(), Rule::TooDeep);
}

#[test]
fn comments_without_end_are_not_followed_by_recursion() {
    let sql = format!(
        "select 1 {} x {}",
        "/*".repeat(100_000),
        "*/".repeat(100_000)
    );
    assert_eq!(
        plain(Postgres, &sql).as_ref().map(Checked::sql),
        Ok("select 1")
    );
    let sql = format!("select 1 {}", "/* ".repeat(300_000));
    assert_eq!(rules(&sql), vec![Some(Rule::Comment); 3]);
}

#[test]
fn as_much_as_the_limits_allow_is_followed_to_its_end() {
    let run = MAX_RUN - 10;
    for (sql, engine) in [
        (nested("(", "1", ")", MAX_NESTING), Sqlite),
        (nested("(select ", "1", ")", MAX_NESTING), Postgres),
        (nested("coalesce(1, ", "1", ")", MAX_NESTING), Mysql),
        (nested("1 in (select ", "1", ")", MAX_NESTING), Postgres),
        (nested("exists (select ", "1", ")", MAX_NESTING), Sqlite),
        (
            nested("coalesce((select ", "1", "), 2)", MAX_NESTING / 2),
            Postgres,
        ),
        (nested("array[", "1", "]", MAX_NESTING), Postgres),
        (nested("cast(", "1", " as int)", MAX_NESTING), Postgres),
        (
            format!(
                "select * from {}a{}",
                "(select * from ".repeat(MAX_NESTING),
                ") as x".repeat(MAX_NESTING)
            ),
            Postgres,
        ),
        (format!("select {}1", "1+".repeat(run / 2)), Sqlite),
        (format!("select {}1", "1 or ".repeat(run / 2)), Postgres),
        (format!("select 1 {}", "is null ".repeat(run / 2)), Mysql),
        (format!("select 1{}", "::int".repeat(run / 3)), Postgres),
        (format!("select 1 {}", "! ".repeat(run)), Postgres),
        (
            format!("select a {}", "union select 1 ".repeat(run / 4)),
            Postgres,
        ),
        (
            format!("select a {}", "union select 1 ".repeat(run / 4)),
            Mysql,
        ),
        (
            format!("select * from a {}", "join b ".repeat(run / 2 - 5)),
            Postgres,
        ),
        (
            format!("select * from a {}", "join b ".repeat(run / 2 - 5)),
            Mysql,
        ),
        (
            format!("select case {} end", "when 1 then 2 ".repeat(run / 4 - 5)),
            Sqlite,
        ),
        (format!("select a{}", "[1]".repeat(run / 3)), Postgres),
        (
            format!("select '1'::int{}", "[]".repeat(run / 2 - 5)),
            Postgres,
        ),
    ] {
        let begun = Instant::now();
        let checked = plain(engine, &sql);
        assert!(checked.is_ok(), "{engine:?}: {} {checked:?}", &sql[..40]);
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    }
}

#[test]
fn lists_may_be_as_long_as_the_text() {
    let numbers: Vec<String> = (0..50_000).map(|i| i.to_string()).collect();
    let sql = format!("select * from t where a in ({})", numbers.join(","));
    assert_eq!(rules(&sql), [None, None, None]);
    let rows = vec!["(1, 'a')"; 20_000].join(",");
    assert_eq!(plain(Postgres, &format!("values {rows}")).err(), None);
    let sql = format!("select '{}'", "x".repeat(MAX_BYTES - 10));
    assert_eq!(rules(&sql), [None, None, None]);
}

#[test]
fn a_text_beyond_the_limit_is_not_looked_at() {
    let sql = format!("select '{}'", "x".repeat(MAX_BYTES));
    assert_eq!(rules(&sql), vec![Some(Rule::TooLong); 3]);
}

#[test]
fn names_behind_a_dot_are_not_multiplied_by_the_tables_that_they_may_belong_to() {
    let each = |count: usize, write: &dyn Fn(usize) -> String| {
        let all: Vec<_> = (0..count).map(write).collect();
        all.join(",")
    };
    let query = |names, tables| {
        let names = each(names, &|n| format!("x.f{n}"));
        let tables = each(tables, &|n| format!("t{n} x"));
        format!("select {names} from {tables}")
    };
    // Many of either, and few of the other.
    assert_eq!(rules(&query(5_000, 1)), [None; 3]);
    assert_eq!(rules(&query(1, 5_000)), [None; 3]);
    // Only PostgreSQL reads a name after a dot as a call.
    let too_many = [None, Some(Rule::TooDeep), None];
    assert_eq!(rules(&query(2_000, 2_000)), too_many);
    // The same name and the same table count once.
    let same = format!(
        "select {} from {}",
        "x.a,".repeat(2_000) + "x.a",
        "t x,".repeat(2_000) + "t x"
    );
    assert_eq!(rules(&same), [None; 3]);
    // Nor are they multiplied by the columns of a subquery.
    let columns = each(5_000, &|n| format!("1 f{n}"));
    let names = each(5_000, &|n| format!("x.f{n}"));
    assert_eq!(
        rules(&format!("select {names} from (select {columns}) x")),
        [None; 3]
    );
}
