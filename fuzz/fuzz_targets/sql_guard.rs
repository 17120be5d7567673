//! The guard of SQL: what it lets through is one text, stays allowed, and SQLite itself calls it read-only.
#![no_main]

use std::cell::OnceCell;

use libfuzzer_sys::fuzz_target;
use rusqlite::Connection;
use svc_data::guard::{Binds, Engine, check};

thread_local! {
    static SQLITE: OnceCell<Connection> = const { OnceCell::new() };
}

fuzz_target!(|text: &str| {
    for engine in [Engine::Sqlite, Engine::Postgres, Engine::Mysql] {
        let Ok(checked) = check(text, engine, Binds::NONE) else {
            continue;
        };
        let again = check(checked.sql(), engine, Binds::NONE);
        let again =
            again.unwrap_or_else(|refusal| panic!("{engine:?}: {refusal}: {}", checked.sql()));
        assert_eq!(again.sql(), checked.sql(), "{engine:?}");
        if engine == Engine::Sqlite {
            assert_sqlite_only_reads(checked.sql());
        }
    }
});

fn assert_sqlite_only_reads(sql: &str) {
    SQLITE.with(|database| {
        let database = database.get_or_init(|| {
            let database = Connection::open_in_memory().expect("a database in memory opens");
            let tables = "CREATE TABLE t (a, b, x); CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT, total)";
            database.execute_batch(tables).expect("the tables can be made");
            database
        });
        for sql in [sql.to_owned(), format!("SELECT * FROM ({sql}) AS q LIMIT 5")] {
            if let Ok(statement) = database.prepare(&sql) {
                assert!(statement.readonly(), "it writes: {sql}");
            }
        }
    });
}
