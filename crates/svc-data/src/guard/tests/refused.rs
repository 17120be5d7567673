use super::*;

#[test]
fn nothing_is_no_statement() {
    On(&ENGINES, Rule::Empty).refuses(&["", "   ", ";", ";;", "-- x", "/* select 1 */", "(", "(("]);
}

#[test]
fn a_second_statement_is_refused() {
    On(&ENGINES, Rule::SeveralStatements).refuses(&[
        "select 1; select 2",
        "select 1; drop table x",
        "select 1 ; /* x */ delete from t;",
        "select * from (select 1) as t; drop table x; select * from (select 1",
        "select 1) as t; drop table x; select * from (select 1",
        "insert into t values (1); select 1",
        "begin; select 1; commit",
    ]);
}

#[test]
fn parentheses_cannot_be_broken_out_of() {
    On(&ENGINES, Rule::Syntax).refuses(&[
        "select 1) as t, (select 2",
        "select 1) union (select 2",
        "select 1)",
        "(select 1",
        "select (1",
        "select 1) as t where 1 in (1",
        "select 1 from t where a in (1, 2",
        "select 1 /* ) */ from (t",
    ]);
}

#[test]
fn other_statements_are_refused_by_their_word() {
    let statements = [
        "insert into t values (1)",
        "update t set a = 1",
        "delete from t",
        "merge into t using s on t.id = s.id when matched then delete",
        "replace into t values (1)",
        "truncate t",
        "create table t (a int)",
        "create view v as select 1",
        "alter table t add column b int",
        "drop table t",
        "rename table a to b",
        "grant all on t to public",
        "revoke all on t from public",
        "explain select 1",
        "explain analyze delete from t",
        "analyze",
        "describe t",
        "desc t",
        "show tables",
        "set role admin",
        "reset all",
        "use shop",
        "copy t to '/tmp/secret'",
        "copy t from program 'secret'",
        "load data infile 'secret' into table t",
        "load 'secret'",
        "call p()",
        "do sleep(5)",
        "execute p",
        "prepare p as select 1",
        "deallocate p",
        "declare c cursor for select 1",
        "fetch all from c",
        "pragma writable_schema = 1",
        "attach database 'secret.db' as x",
        "detach x",
        "vacuum",
        "vacuum into 'secret'",
        "reindex",
        "begin",
        "start transaction",
        "commit",
        "rollback",
        "savepoint s",
        "release s",
        "listen c",
        "notify c",
        "lock table t",
        "lock tables t write",
        "unlock tables",
        "handler t open",
        "refresh materialized view v",
        "security label on table t is 'x'",
        "comment on table t is 'x'",
        "import foreign schema s from server x into y",
        "kill 5",
        "flush tables",
        "install plugin p soname 'secret'",
        "shutdown",
        "checkpoint",
        "discard all",
        "table t",
        "(table t)",
        "from t select *",
        "exec p",
        "1",
        "'select 1'",
        "\"select\" 1",
        "(delete from t)",
        "  /* select */ delete from t -- select",
    ];
    On(&ENGINES, Rule::Statement).refuses(&statements);
    for sql in &statements[..50] {
        let word = sql.split([' ', '(']).next().unwrap_or_default();
        let message = plain(Postgres, sql).unwrap_err().to_string();
        assert!(message.contains(&format!("`{word}`")), "{sql}: {message}");
    }
}

#[test]
fn the_commands_of_a_terminal_are_refused() {
    On(&ENGINES, Rule::Character).refuses(&[
        "\\copy t to 'secret'",
        "select 1 \\g",
        "select 1 \\; select 2",
        "\\! rm",
    ]);
    On(&ENGINES, Rule::Statement).refuses(&[".shell rm", ".read secret"]);
}

#[test]
fn a_write_within_a_query_is_refused() {
    On(&[Sqlite, Postgres, Mysql], Rule::Write).refuses(&[
        "with a as (select 1) delete from t",
        "with a as (select 1) update t set b = 1",
    ]);
    On(&ENGINES, Rule::Into).refuses(&["with a as (select 1) insert into t select * from a"]);
    On(&[Postgres], Rule::Write).refuses(&[
        "with d as (delete from t returning *) select * from d",
        "with d as (update t set a = 1 returning *) select * from d",
        "with a as (select 1), d as (delete from t returning *) select * from a",
        "with a as (with d as (delete from t returning *) select * from d) select * from a",
        "select * from (with d as (delete from t returning *) select * from d) x",
        "select 1 union (with d as (delete from t returning 1) select * from d)",
        "select (with d as (delete from t returning 1) select * from d)",
    ]);
    On(&[Postgres], Rule::Into)
        .refuses(&["with d as (insert into t values (1) returning *) select * from d"]);
}

#[test]
fn rows_go_nowhere_but_to_the_client() {
    On(&ENGINES, Rule::Into).refuses(&[
        "select * into t from u",
        "select * into temp t from u",
        "select a INTO b from c union select 1",
        "select 1 into outfile '/tmp/secret'",
        "select 1 from t into dumpfile '/tmp/secret'",
        "select 1 in/**/to into outfile 'x'",
        "select (select 1 into t)",
    ]);
    On(&[Mysql], Rule::Variable).refuses(&[
        "select 1 into @x",
        "select @x := 1",
        "select @a",
        "select @@version",
        "select @@global.x",
    ]);
    On(&[Mysql], Rule::Character).refuses(&["select a := 1 from t"]);
}

#[test]
fn locks_are_refused() {
    On(&ENGINES, Rule::Lock).refuses(&[
        "select * from t for update",
        "select * from t for share",
        "select * from t for no key update",
        "select * from t for key share",
        "select * from t FOR /* x */ UPDATE skip locked",
        "select * from (select * from t for update) as x",
    ]);
    On(&[Mysql], Rule::Syntax).refuses(&[
        "select * from t lock in share mode",
        "select * from t procedure analyse()",
    ]);
    On(&[Mysql], Rule::Lock).refuses(&["select high_priority * from t"]);
}

#[test]
fn text_cannot_be_hidden_in_comments_and_strings() {
    On(&[Mysql], Rule::Comment).refuses(&[
        "select 1 /*! union select sleep(5) */",
        "select /*!50000 1 */",
        "select 1 /*M! into outfile 'secret' */",
        "select /*+ max_execution_time(0) */ 1",
        "select 1 /* no end",
    ]);
    On(&[Postgres], Rule::Comment).refuses(&[
        "select 1 /* a /* b */ no end",
        "select /*+ seqscan(t) */ 1",
        "select /*! 1 */ 2",
    ]);
    On(&[Sqlite], Rule::Comment).refuses(&["select 1 /* no end", "select /*! 1 */ 2"]);
    On(&[Sqlite, Mysql], Rule::SeveralStatements)
        .refuses(&["select 1 /* a /* b */; delete from t /* */"]);
    On(&[Postgres], Rule::Literal).refuses(&[
        "select U&'\\0061'",
        "select u&\"pg\\005fsleep\"(1)",
        "select U&\"\\0070g_sleep\"(1)",
        "select 'no end",
        "select \"no end",
        "select $$no end",
        "select $a$no end$b$",
        "select E'no end\\'",
        "select E'a'\n'b\\'; delete from t --'",
        "select 'a' 'b'",
        "select N'a'",
        "select 1a",
        "select 0x",
        "select x'zz'",
        "select \"\"(1)",
    ]);
    On(&[Mysql], Rule::Literal).refuses(&[
        "select 'no end\\'",
        "select \"no end",
        "select `no end",
        "select 1e",
        "select N'a'",
        "select ``(1)",
    ]);
    On(&[Sqlite], Rule::Literal).refuses(&[
        "select 'no end\\''",
        "select [no end",
        "select `no end",
        "select 12abc",
        "select x'0'''",
    ]);
    // A backslash is a character like any other in a plain string, so this is a second statement.
    On(&[Postgres, Sqlite], Rule::SeveralStatements).refuses(&["select '\\'; drop table t; --'"]);
    assert!(plain(Mysql, "select '\\'; drop table t; --'").is_ok());
    On(&[Mysql], Rule::SeveralStatements).refuses(&["select '\\\\'; drop table t; -- '"]);
    // A carriage return ends a comment of PostgreSQL, and of no other.
    On(&[Postgres], Rule::Function).refuses(&["select 1 --\r, pg_sleep(1)"]);
    assert_eq!(
        plain(Sqlite, "select 1 --\r, f(1)")
            .as_ref()
            .map(Checked::sql),
        Ok("select 1")
    );
    // Without white space two dashes are no comment of MySQL.
    On(&[Mysql], Rule::Function).refuses(&["select 1 --sleep(5)"]);
}

#[test]
fn characters_that_engines_see_differently_are_refused() {
    On(&ENGINES, Rule::Character).refuses(&[
        "select 1\0",
        "select '\0'",
        "select\u{a0}1",
        "select\u{3000}1",
        "select \u{feff}1",
        "select \u{200b}1",
        "select 1\u{b}",
        "select \u{2018}a\u{2019}",
        "select 1\u{37e} delete from t",
        "select {fn now()}",
        "select 1 where a = $1",
        "select $x",
    ]);
    On(&[Sqlite, Mysql], Rule::Character).refuses(&["select ?", "select ?1", "select a::text"]);
    On(&[Sqlite], Rule::Character).refuses(&["select @a", "select #1", "select ::a"]);
    On(&[Postgres], Rule::Character).refuses(&["select `a`"]);
}

#[test]
fn the_syntax_of_another_engine_is_refused() {
    On(&[Sqlite], Rule::Syntax).refuses(&["select interval '1' day from t where a ilike"]);
    On(&[Postgres], Rule::Syntax).refuses(&[
        "select a:b from t",
        "select * from t settings a = 1",
        "select operator(a.+) 1",
    ]);
    On(&ENGINES, Rule::Syntax).refuses(&[
        "select top 5 * from t where",
        "select * from t format json x",
        "select 1 1 1",
        "select * from",
        "with a as select 1",
        "with a as (select 1)",
        "select * from t |> where 1",
        "select 1 end",
        "select 1 end table t",
        "select 1 end delete from t",
        "values",
    ]);
}

#[test]
fn a_refusal_names_the_place_in_the_text_of_the_client() {
    for (sql, message) in [
        (
            "select 1\n  , 'secret' frum x y",
            "this is not a query of PostgreSQL as this service understands it, near `x` (line 2, column 19)",
        ),
        (
            "select 1; select 'secret'",
            "only one statement is allowed; there is more behind the `;` at line 1, column 9",
        ),
        (
            "/* é */ delete from secret",
            "only a query (select, with ... select, values) is allowed, not `delete`",
        ),
        (
            "select 'secret",
            "the string does not end (line 1, column 8)",
        ),
        (
            "select 1\u{200b}",
            "U+200B: this character has no meaning here (line 1, column 9)",
        ),
        ("select (1", "`(` is not closed at line 1, column 8"),
    ] {
        assert_eq!(plain(Postgres, sql).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_refusal_becomes_an_error_on_the_field_that_has_to_change() {
    let error: crate::Error = plain(Sqlite, "vacuum").unwrap_err().into();
    assert_eq!(error.kind(), crate::ErrorKind::Invalid);
    assert!(
        error.to_string().starts_with("query: only a query"),
        "{error}"
    );

    let named = check("select :a", Sqlite, Binds::NONE);
    let error: crate::Error = named.unwrap_err().into();
    assert!(error.to_string().starts_with("params_obj: "), "{error}");

    let positional = check("select %s", Sqlite, Binds::Positional(0));
    let error: crate::Error = positional.unwrap_err().into();
    assert!(error.to_string().starts_with("params: "), "{error}");
}
