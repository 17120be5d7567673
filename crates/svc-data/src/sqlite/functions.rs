//! Functions that our connections add to SQLite: matching of texts as the contract wants it, and dates
//! of several forms made comparable.

mod date_group;
mod exact;

use rusqlite::{
    Connection, Result,
    functions::{Context, FunctionFlags},
    types::ValueRef,
};

use super::temporal;
use crate::plan::compile_regex;

/// A predicate over the text of a column and the text that is looked for.
type Matcher = fn(haystack: &str, needle: &str) -> bool;

/// The names under which the predicates are registered. Those that ignore case take a needle that
/// [`fold`] has been applied to.
const MATCHERS: [(&str, Matcher); 6] = [
    ("svc_contains", |haystack, needle| haystack.contains(needle)),
    ("svc_startswith", |haystack, needle| {
        haystack.starts_with(needle)
    }),
    ("svc_endswith", |haystack, needle| {
        haystack.ends_with(needle)
    }),
    ("svc_icontains", |haystack, needle| {
        if haystack.is_ascii() {
            contains_ascii(haystack.as_bytes(), needle.as_bytes())
        } else {
            fold(haystack).contains(needle)
        }
    }),
    ("svc_istartswith", |haystack, needle| {
        if haystack.is_ascii() {
            haystack
                .get(..needle.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(needle))
        } else {
            fold(haystack).starts_with(needle)
        }
    }),
    ("svc_iendswith", |haystack, needle| {
        if haystack.is_ascii() {
            haystack
                .len()
                .checked_sub(needle.len())
                .and_then(|at| haystack.get(at..))
                .is_some_and(|end| end.eq_ignore_ascii_case(needle))
        } else {
            fold(haystack).ends_with(needle)
        }
    }),
];

/// The spelling of a text that is the same whatever its case.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // There and back, so that letters with several forms become one: ẞ, ß and SS; ς and σ.
    let folded = text.to_lowercase().to_uppercase().to_lowercase();
    folded.replace('ς', "σ")
}

/// Adds our functions to a connection.
pub(crate) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    exact::register(connection, flags)?;
    date_group::register(connection, flags)?;
    for (name, matcher) in MATCHERS {
        connection
            .create_scalar_function(name, 2, flags, move |context| match_text(context, matcher))?;
    }
    connection.create_scalar_function("svc_regex", 2, flags, |context| {
        let pattern =
            context.get_or_create_aux(1, |pattern| -> std::result::Result<_, String> {
                let pattern = pattern.as_str().map_err(|error| error.to_string())?;
                compile_regex(pattern)
            })?;
        Ok(with_text(context.get_raw(0), |text| pattern.is_match(text)))
    })?;
    connection.create_scalar_function("svc_instant", 1, flags, |context| {
        Ok(temporal::micros(context.get_raw(0)))
    })?;
    connection.create_scalar_function("svc_date", 1, flags, |context| {
        Ok(temporal::date_of(context.get_raw(0)))
    })?;
    connection.create_scalar_function("svc_json", 1, flags, |context| {
        Ok(with_text(context.get_raw(0), canonical_json))
    })
}

fn match_text(context: &Context<'_>, matcher: Matcher) -> Result<Option<bool>> {
    let needle = context.get_raw(1);
    let needle = needle.as_str()?;
    Ok(with_text(context.get_raw(0), |text| matcher(text, needle)))
}

/// Runs `f` on the text of a value; NULL stays NULL.
fn with_text<T>(value: ValueRef<'_>, f: impl FnOnce(&str) -> T) -> Option<T> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(number) => Some(f(&number.to_string())),
        ValueRef::Real(number) => Some(f(&format!("{number:?}"))),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(f(&String::from_utf8_lossy(bytes))),
    }
}

/// JSON in one spelling, so that equal values are equal texts. What is no JSON stays as it is.
pub(crate) fn canonical_json(text: &str) -> String {
    serde_json::from_str::<serde_json::Value>(text)
        .map_or_else(|_| text.to_owned(), |value| value.to_string())
}

/// Whether ASCII text contains another in any case, without a copy.
fn contains_ascii(haystack: &[u8], needle: &[u8]) -> bool {
    if needle.is_empty() {
        return true;
    }
    haystack
        .windows(needle.len())
        .any(|window| window.eq_ignore_ascii_case(needle))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(sql: &str) -> Option<bool> {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection).unwrap();
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn case_is_ignored_beyond_ascii() {
        assert_eq!(ask("SELECT svc_icontains('Größe', 'gröss')"), Some(true));
        assert_eq!(fold("GRÖẞE"), fold("größe"));
        assert_eq!(fold("STRASSE"), fold("straße"));
        assert_eq!(fold("ΟΔΟΣ"), fold("οδος"));
        assert_eq!(ask("SELECT svc_istartswith('ÄPFEL', 'äp')"), Some(true));
        assert_eq!(ask("SELECT svc_iendswith('Obst', 'ST')"), Some(true));
    }

    #[test]
    fn null_stays_null_and_numbers_match_as_text() {
        assert_eq!(ask("SELECT svc_contains(NULL, 'a')"), None);
        assert_eq!(ask("SELECT svc_contains(1234, '23')"), Some(true));
        assert_eq!(ask("SELECT svc_regex('abc', '^a.c$')"), Some(true));
        assert_eq!(ask("SELECT svc_startswith('a', 'longer')"), Some(false));
        assert_eq!(ask("SELECT svc_iendswith('a', 'longer')"), Some(false));
    }

    #[test]
    fn json_is_equal_whatever_its_spelling() {
        assert_eq!(
            ask("SELECT svc_json('{\"b\": 1, \"a\":[ ]}') = svc_json('{\"a\":[],\"b\":1}')"),
            Some(true)
        );
    }
}
