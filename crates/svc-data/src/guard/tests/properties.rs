use proptest::prelude::*;
use sqlparser::{
    ast::{SetExpr, Statement as Tree, TableFactor},
    parser::Parser,
};

use super::*;

fn engine() -> impl Strategy<Value = Engine> {
    prop_oneof![Just(Sqlite), Just(Postgres), Just(Mysql)]
}

/// Pieces of SQL in any order: now and then a query, mostly not.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "select", "from", "where", "union", "with", "values", "as", "into", "for", "update",
            "delete", "insert", "case", "when", "then", "end", "not", "and", "in", "is", "null",
            "order by", "limit", "join", "on", "table", "cast", "interval", "array", "over",
        ]),
        4 => prop::sample::select(vec![
            "a", "t", "1", "'x'", "\"q\"", "`b`", "[c]", "lower", "count", "pg_sleep", "sleep",
            "load_extension",
            "sqlite_version",
            "pragma_table_info",
            "lower(",
            "randomblob(", "pg_shadow", "1.5", ":a", "%s", "E'\\''", "$$", "$x$", "U&'", "x'ff'",
        ]),
        3 => prop::sample::select(vec![
            "(", ")", "(", ")", ",", ".", "*", "+", "-", "--", "/*", "*/", "/*!", ";", "::", ":=",
            "@", "@@", "#", "\\", "'", "\"", "`", "[", "]", "$", "?", "%", "{", "}", "|>", "||",
        ]),
        1 => prop::sample::select(vec!["\n", "\r", "\t", "\0", "\u{a0}", "é", "\u{2028}"]),
    ];
    (
        prop::sample::select(vec![
            "",
            "select ",
            "with a as (select 1) select ",
            "values (1), ",
        ]),
        prop::collection::vec(
            (piece, prop::sample::select(vec!["", " ", " ", "\n"])),
            0..14,
        ),
    )
        .prop_map(|(start, pieces)| {
            pieces
                .into_iter()
                .fold(start.to_owned(), |sql, (piece, gap)| sql + piece + gap)
        })
}

/// Queries that mostly pass, with strings and comments that try to end early.
fn queries() -> impl Strategy<Value = String> {
    let inside = prop::collection::vec(
        prop::sample::select(vec![
            "a", " ", "''", "\\", "\"", "--", "/*", "*/", ";", ")", "(", "$$", "\n", "`", "]", "é",
        ]),
        0..6,
    )
    .prop_map(|parts| parts.concat());
    let atom = prop_oneof![
        Just("1".to_owned()),
        Just("a".to_owned()),
        inside.clone().prop_map(|s| format!("'{s}'")),
        inside.clone().prop_map(|s| format!("\"{s}x\"")),
        inside.clone().prop_map(|s| format!("E'{s}'")),
        inside.clone().prop_map(|s| format!("$t${s}$t$")),
        inside.clone().prop_map(|s| format!("/*{s}*/ 2")),
        inside.prop_map(|s| format!("--{s}\n3")),
    ];
    let expression = atom.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (
                inner.clone(),
                prop::sample::select(vec!["+", "-", " or ", "=", "||", "/", "*"]),
                inner.clone()
            )
                .prop_map(|(a, op, b)| format!("{a}{op}{b}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("lower({a})")),
            inner.clone().prop_map(|a| format!("(select {a} from t)")),
            inner.prop_map(|a| format!("case when {a} then 1 end")),
        ]
    });
    prop::collection::vec(expression, 1..4)
        .prop_map(|list| format!("select {} from t", list.join(", ")))
}

/// Asserts that an accepted text is one query also when it is put in parentheses, and again when checked.
fn assert_one_query(engine: Engine, checked: &Checked) {
    let wrapped = format!("select * from ({}) as q limit 5", checked.sql());
    let trees = Parser::new(parse::dialect(engine))
        .with_recursion_limit(200)
        .try_with_sql(&wrapped)
        .and_then(|mut parser| parser.parse_statements())
        .unwrap_or_else(|error| panic!("{wrapped}\n{error}"));
    let [Tree::Query(query)] = trees.as_slice() else {
        panic!("not one query: {wrapped}");
    };
    let SetExpr::Select(select) = query.body.as_ref() else {
        panic!("not one select: {wrapped}");
    };
    assert!(
        query.limit_clause.is_some(),
        "the end was swallowed: {wrapped}"
    );
    assert!(
        matches!(
            select.from.as_slice(),
            [table] if table.joins.is_empty()
                && matches!(&table.relation, TableFactor::Derived { alias: Some(alias), .. } if alias.name.value == "q")
        ),
        "broke out: {wrapped}"
    );
    if checked.binds().is_empty() {
        let again = plain(engine, checked.sql());
        assert_eq!(again.as_ref().map(Checked::sql), Ok(checked.sql()));
    }
}

/// Asserts that SQLite itself sees one statement that only reads and calls listed functions, if it sees one
/// at all.
#[cfg(feature = "sqlite")]
fn assert_sqlite_only_reads(checked: &Checked) {
    use rusqlite::{
        Batch, Connection,
        fallible_iterator::FallibleIterator as _,
        hooks::{AuthAction, AuthContext, Authorization},
    };
    use std::sync::{Arc, Mutex, PoisonError};

    let other: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = Arc::clone(&other);
    let authorizer = move |context: AuthContext<'_>| {
        let reads = match context.action {
            AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
            AuthAction::Function { function_name } => {
                functions::is_listed(Sqlite, &function_name.to_ascii_lowercase())
                    || matches!(function_name, "->" | "->>")
            }
            _ => false,
        };
        if !reads {
            let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.push(format!("{:?}", context.action));
        }
        Authorization::Allow
    };
    let mut connection = Connection::open_in_memory().unwrap_or_else(|error| panic!("{error}"));
    connection
        .execute_batch("create table t (a, b); create table a (t)")
        .and_then(|()| connection.authorizer(Some(authorizer)))
        .unwrap_or_else(|error| panic!("{error}"));
    let mut batch = Batch::new(&connection, checked.sql());
    let prepared = batch.next();
    let other = other.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(other.is_empty(), "{other:?}: {}", checked.sql());
    match prepared {
        Ok(Some(statement)) => assert!(statement.readonly(), "{}", checked.sql()),
        Ok(None) => panic!("no statement: {}", checked.sql()),
        Err(_) => return,
    }
    assert!(
        matches!(batch.next(), Ok(None)),
        "more behind: {}",
        checked.sql()
    );
}

fn examine(engine: Engine, sql: &str) {
    for binds in [Binds::NONE, Binds::Named(&["a"]), Binds::Positional(1)] {
        match check(sql, engine, binds) {
            Ok(checked) => {
                assert_one_query(engine, &checked);
                #[cfg(feature = "sqlite")]
                if engine == Sqlite {
                    assert_sqlite_only_reads(&checked);
                }
            }
            Err(refusal) => {
                assert_ne!(refusal.rule(), Rule::Unavailable, "{sql}");
                assert!(!refusal.to_string().contains('\n'));
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::tests::cases(1_000))]

    #[test]
    fn no_text_makes_it_panic_and_what_passes_is_one_query(engine in engine(), sql in any::<String>()) {
        examine(engine, &sql);
        examine(engine, &format!("select {sql}"));
    }

    #[test]
    fn pieces_of_sql_in_any_order_pass_only_as_one_query(engine in engine(), sql in pieces()) {
        examine(engine, &sql);
    }

    #[test]
    fn queries_with_strings_and_comments_stay_one_query(engine in engine(), sql in queries()) {
        examine(engine, &sql);
    }
}
