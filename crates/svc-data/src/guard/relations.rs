//! The relations of the engines themselves: which of them a query may read.
//!
//! What describes the structure may be read. What contains passwords, settings, other sessions, samples of
//! data or files may not, and neither may anything that a later version adds. The lists are sorted.

use super::Engine;

/// Whether a query may read a relation, its name in parts (database, schema, name) as the engine compares
/// them. Relations that do not belong to the engine always may be.
pub(super) fn is_allowed(engine: Engine, parts: &[String]) -> bool {
    let mut parts = parts.iter().rev().map(String::as_str);
    let Some(name) = parts.next() else {
        return false;
    };
    let schema = parts.next();
    let is_in = |list: &str| list.split(' ').any(|known| known == name);
    match (engine, schema) {
        (Engine::Postgres, Some("information_schema")) => is_in(INFORMATION_SCHEMA),
        (Engine::Postgres, schema) => {
            let of_engine =
                name.starts_with("pg_") || schema.is_some_and(|schema| schema.starts_with("pg_"));
            !of_engine || (schema.is_none_or(|schema| schema == "pg_catalog") && is_in(PG_CATALOG))
        }
        (Engine::Mysql, Some("information_schema")) => is_in(INFORMATION_SCHEMA),
        (Engine::Mysql, schema) => !matches!(schema, Some("mysql" | "performance_schema" | "sys")),
        (Engine::Sqlite, _) if name.starts_with("sqlite_") => is_in(SQLITE_SCHEMA),
        (Engine::Sqlite, _) => !name.starts_with("pragma_") && !is_in(SQLITE_VIRTUAL),
    }
}

/// Of the standard's schema, which shows only what the connected user may reach.
const INFORMATION_SCHEMA: &str = "\
    character_sets check_constraints collations columns constraint_column_usage \
    constraint_table_usage domains key_column_usage referential_constraints schemata sequences \
    statistics table_constraints tables views";

/// Of PostgreSQL's catalog.
const PG_CATALOG: &str = "\
    pg_am pg_attrdef pg_attribute pg_class pg_collation pg_constraint pg_description pg_enum \
    pg_index pg_indexes pg_inherits pg_matviews pg_namespace pg_range pg_tables pg_type pg_views";

/// Of SQLite's own tables.
const SQLITE_SCHEMA: &str = "\
    sqlite_master sqlite_schema sqlite_sequence sqlite_temp_master sqlite_temp_schema";

/// Virtual tables that are there without being created: the inside of the file, of the library and of the
/// file system.
const SQLITE_VIRTUAL: &str = "\
    bytecode completion dbstat fsdir fts3tokenize tables_used zipfile";
