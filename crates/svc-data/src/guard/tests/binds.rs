use super::*;

fn with(engine: Engine, sql: &str, binds: Binds<'_>) -> Result<(String, Vec<usize>), String> {
    check(sql, engine, binds)
        .map(|checked| (checked.sql, checked.binds))
        .map_err(|refusal| refusal.to_string())
}

fn named(engine: Engine, sql: &str, names: &[&str]) -> Result<(String, Vec<usize>), String> {
    with(engine, sql, Binds::Named(names))
}

fn positional(engine: Engine, sql: &str, values: usize) -> Result<(String, Vec<usize>), String> {
    with(engine, sql, Binds::Positional(values))
}

fn runs(sql: &str, binds: &[usize]) -> Result<(String, Vec<usize>), String> {
    Ok((sql.to_owned(), binds.to_vec()))
}

#[test]
fn named_binds_become_the_placeholders_of_the_engine() {
    let sql = "select * from t where a = :b and c in (:a,:b) limit :n";
    let names = ["a", "b", "n"];
    for (engine, expected, binds) in [
        (Sqlite, "a = ?1 and c in (?2,?1) limit ?3", &[1, 0, 2][..]),
        (Postgres, "a = $1 and c in ($2,$1) limit $3", &[1, 0, 2]),
        (Mysql, "a = ? and c in (?,?) limit ?", &[1, 0, 1, 2]),
    ] {
        let expected = format!("select * from t where {expected}");
        assert_eq!(named(engine, sql, &names), runs(&expected, binds));
    }
}

#[test]
fn a_bind_is_not_found_in_strings_comments_casts_and_slices() {
    for (engine, sql, expected) in [
        (
            Sqlite,
            "select ':a', \":a\", [:a] /* :a */ -- :a",
            "select ':a', \":a\", [:a]",
        ),
        (Mysql, "select ':a', ':\\':a' # :a", "select ':a', ':'':a'"),
        (
            Postgres,
            "select '1'::int, $$:a$$, E'\\':a'",
            "select '1'::int, ':a', E''':a'",
        ),
        (
            Postgres,
            "select (array[1,2,3])[1:2]",
            "select (array[1,2,3])[1:2]",
        ),
        (
            Postgres,
            "select a[lo:hi], a[:2], a[1:] from t",
            "select a[lo:hi], a[:2], a[1:] from t",
        ),
    ] {
        assert_eq!(named(engine, sql, &[]), runs(expected, &[]), "{sql}");
    }
    assert_eq!(
        named(
            Postgres,
            "select :a::int, a[:a], (:a), -:a, x=:a from t",
            &["a"]
        ),
        runs("select $1::int, a[$1], ($1), -$1, x=$1 from t", &[0])
    );
}

#[test]
fn a_bind_without_a_value_and_a_value_without_a_bind_are_named() {
    for engine in ENGINES {
        let named = |sql, names: &[&str]| named(engine, sql, names).unwrap_err();
        let positional = |sql, values| positional(engine, sql, values).unwrap_err();
        for (refusal, expected) in [
            (
                named("select :a, :missing", &["a"]),
                "the bind `:missing` has no value",
            ),
            (
                named("select :a, ':spare'", &["a", "spare"]),
                "the value `spare` has no bind `:spare` in the query",
            ),
            (
                positional("select %s, %s", 1),
                "bind 2 (`%s`) has no value, there are 1",
            ),
            (
                positional("select %s, '%s'", 2),
                "value 2 has no bind `%s` in the query",
            ),
            (
                positional("select %s, :a", 1),
                "the bind `:a` has no value; with `v` 1 binds are written `%s`",
            ),
        ] {
            assert_eq!(refusal, expected);
        }
    }
}

#[test]
fn names_of_binds_are_compared_letter_by_letter() {
    assert_eq!(
        named(Sqlite, "select :A", &["a"]),
        Err("the bind `:A` has no value".into())
    );
    assert_eq!(
        named(Sqlite, "select :größe_1", &["größe_1"]),
        runs("select ?1", &[0])
    );
}

#[test]
fn binds_by_position_take_the_values_in_order() {
    let sql = "select * from t where a = %s and b like '50%%' and c %% 2 = %s and d in (%s)";
    for (engine, [one, two, three]) in [
        (Sqlite, ["?1", "?2", "?3"]),
        (Postgres, ["$1", "$2", "$3"]),
        (Mysql, ["?"; 3]),
    ] {
        let expected = format!(
            "select * from t where a = {one} and b like '50%' and c % 2 = {two} and d in ({three})"
        );
        assert_eq!(positional(engine, sql, 3), runs(&expected, &[0, 1, 2]));
    }
    assert_eq!(
        positional(Sqlite, "select a %size, '%s', 5 % 2", 0),
        runs("select a %size, '%s', 5 % 2", &[])
    );
}

#[test]
fn a_percent_sign_is_one_when_binds_are_named() {
    assert_eq!(
        named(Sqlite, "select '100%%', a %s from t", &[]),
        runs("select '100%%', a %s from t", &[])
    );
}

#[test]
fn a_bind_may_stand_for_a_value_only() {
    for sql in [
        "select * from :a",
        "select a.:a from a",
        ":a",
        "select :a(1)",
        "select 1 as :a",
    ] {
        for engine in ENGINES {
            assert!(named(engine, sql, &["a"]).is_err(), "{engine:?}: {sql}");
        }
    }
}

#[test]
fn ten_thousand_binds_are_no_burden() {
    let names: Vec<String> = (0..10_000).map(|i| format!("v{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let list: Vec<String> = names.iter().map(|name| format!(":{name}")).collect();
    let sql = format!("select * from t where a in ({})", list.join(","));
    let checked = check(&sql, Postgres, Binds::Named(&names));
    assert_eq!(
        checked.map(|checked| checked.binds),
        Ok((0..10_000).collect::<Vec<_>>())
    );
}
