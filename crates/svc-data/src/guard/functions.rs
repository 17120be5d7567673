//! The functions that a query may call, engine by engine.
//!
//! A function is on a list when it computes its value from its arguments, or from the rows it is given, and
//! does nothing else. Clocks and random numbers are on it. Off it is what writes, waits, locks or notifies;
//! reads or writes files; reaches the network; runs SQL that it is given as a text; reads settings, other
//! sessions or large objects; tells about the server rather than the data; moves a sequence; keeps something
//! in the session. What is not known is off it. How much memory and time a query takes is not decided here.

mod mysql;
mod postgres;
mod sqlite;

use super::Engine;

/// Whether a function is on the engine's list, by its name in lower case.
pub(super) fn is_listed(engine: Engine, name: &str) -> bool {
    let list = match engine {
        Engine::Sqlite => sqlite::FUNCTIONS,
        Engine::Postgres => postgres::FUNCTIONS,
        Engine::Mysql => mysql::FUNCTIONS,
    };
    list.binary_search(&name).is_ok()
}

/// Whether a name without parentheses and quotes is a call that tells about the server.
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
            for pair in list.windows(2) {
                assert!(pair.first() < pair.last(), "{pair:?}");
            }
            for name in list {
                assert!(
                    name.chars()
                        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn no_list_holds_a_function_with_effects() {
        let effects = [
            "_to_xml",
            "advisory",
            "benchmark",
            "copy",
            "dblink",
            "export",
            "get_lock",
            "import",
            "load",
            "nextval",
            "notify",
            "pragma",
            "query_to",
            "readfile",
            "set_config",
            "setval",
            "sleep",
            "tokenizer",
            "ts_stat",
            "writefile",
        ];
        for list in [sqlite::FUNCTIONS, postgres::FUNCTIONS, mysql::FUNCTIONS] {
            for name in list {
                assert!(
                    !effects.iter().any(|effect| name.contains(effect)),
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
