//! The functions that a query may call, engine by engine.
//!
//! A function is on a list when it computes its value from its arguments, or from the rows it is given, and
//! does nothing else. Clocks and random numbers are on it. Off it is what writes, waits, locks or notifies;
//! reads or writes files; reaches the network; runs SQL that it is given as a text; reads settings, other
//! sessions or large objects; reveals something about the server rather than the data; moves a sequence; keeps
//! something in the session. What is not known is off it. How much memory and time a query takes is not decided here.

mod mysql;
mod postgres;
mod sqlite;

use std::{collections::HashSet, sync::LazyLock};

use super::Engine;

type Names = LazyLock<HashSet<&'static str>>;

static SQLITE: Names = LazyLock::new(|| sqlite::FUNCTIONS.split_whitespace().collect());
static POSTGRES: Names = LazyLock::new(|| postgres::FUNCTIONS.split_whitespace().collect());
static MYSQL: Names = LazyLock::new(|| mysql::FUNCTIONS.split_whitespace().collect());

/// Whether a function is on the engine's list, by its name in lower case.
pub(super) fn is_listed(engine: Engine, name: &str) -> bool {
    let list = match engine {
        Engine::Sqlite => &SQLITE,
        Engine::Postgres => &POSTGRES,
        Engine::Mysql => &MYSQL,
    };
    list.contains(name)
}

/// Whether a name without parentheses and quotes is a call that reveals something about the server.
pub(super) fn is_unwritten_call(engine: Engine, name: &str) -> bool {
    match engine {
        Engine::Sqlite => false,
        Engine::Postgres => matches!(
            name,
            "current_catalog"
                | "current_role"
                | "current_schema"
                | "current_user"
                | "session_user"
                | "system_user"
                | "user"
        ),
        Engine::Mysql => name == "current_user",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_hold_lower_case_names() {
        for list in [sqlite::FUNCTIONS, postgres::FUNCTIONS, mysql::FUNCTIONS] {
            let names: Vec<&str> = list.split_whitespace().collect();
            assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
            let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            assert!(names.concat().chars().all(is_plain), "{names:?}");
        }
    }

    #[test]
    fn no_list_holds_a_function_with_effects() {
        let effects = "_to_xml advisory benchmark copy dblink export get_lock import load nextval notify \
            pragma query_to readfile set_config setval sleep tokenizer ts_stat writefile";
        for list in [sqlite::FUNCTIONS, postgres::FUNCTIONS, mysql::FUNCTIONS] {
            for name in list.split_whitespace() {
                assert!(
                    !effects.split(' ').any(|effect| name.contains(effect)),
                    "{name}"
                );
                assert!(
                    !(name.starts_with("pg_") || name.starts_with("lo_")),
                    "{name}"
                );
            }
        }
    }
}
