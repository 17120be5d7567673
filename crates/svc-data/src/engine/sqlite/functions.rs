//! Functions that our connections add to SQLite: matching of texts as the contract wants it, and dates
//! of several forms made comparable.

pub(super) mod bounded;
mod date_group;
pub(super) mod exact;
pub(super) mod excerpt;

use memchr::memmem::Finder;
use rusqlite::{
    Connection, Result,
    functions::{Aggregate, Context, FunctionFlags},
    types::{Value, ValueRef},
};

use super::{limiter::Limiter, place, temporal};
use crate::plan::compile_regex;

/// A predicate over the text of a column and the text that is looked for.
type Matcher = fn(haystack: &str, needle: &str) -> bool;

/// The names under which the predicates are registered. Those that ignore case take a needle that
/// [`fold`] has been applied to.
const MATCHERS: [(&str, Matcher); 5] = [
    ("svc_contains", |haystack, needle| haystack.contains(needle)),
    ("svc_startswith", |haystack, needle| {
        haystack.starts_with(needle)
    }),
    ("svc_endswith", |haystack, needle| {
        haystack.ends_with(needle)
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

/// How many bytes of a text are searched between two looks at the clock.
const PORTION: usize = 64 << 10;

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
pub(crate) fn register(connection: &mut Connection, limiter: &Limiter) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    exact::register(connection, flags)?;
    date_group::register(connection, flags)?;
    place::register(connection, flags)?;
    excerpt::register(connection, flags, limiter)?;
    for (name, matcher) in MATCHERS {
        connection
            .create_scalar_function(name, 2, flags, move |context| match_text(context, matcher))?;
    }
    let limiter = limiter.clone();
    connection.create_scalar_function("svc_icontains", 2, flags, move |context| {
        let finder = context.get_or_create_aux(1, |needle| -> std::result::Result<_, String> {
            let needle = needle.as_str().map_err(|error| error.to_string())?;
            Ok(Finder::new(needle).into_owned())
        })?;
        let found = with_text(context.get_raw(0), |text| {
            contains_in_any_case(text, &finder, &limiter)
        });
        found.transpose()
    })?;
    connection.create_scalar_function("svc_regex", 2, flags, |context| {
        let pattern =
            context.get_or_create_aux(1, |pattern| -> std::result::Result<_, String> {
                compile_regex(pattern.as_str().map_err(|error| error.to_string())?)
            })?;
        Ok(with_text(context.get_raw(0), |text| pattern.is_match(text)))
    })?;
    connection.create_scalar_function("svc_instant", 1, flags, |context| {
        let value = context.get_raw(0);
        Ok(temporal::micros(value).map_or_else(|| owned(value), Value::Integer))
    })?;
    connection.create_scalar_function("svc_date", 1, flags, |context| {
        let value = context.get_raw(0);
        let date = temporal::date_text(value).and_then(|date| String::from_utf8(date.into()).ok());
        Ok(date.map_or_else(|| owned(value), Value::Text))
    })?;
    connection.create_scalar_function("svc_json", 1, flags, |context| {
        Ok(match context.get_raw(0) {
            ValueRef::Blob(bytes) => Some(as_hex_object(bytes)),
            ValueRef::Text(bytes) if std::str::from_utf8(bytes).is_err() => {
                Some(as_hex_object(bytes))
            }
            value => with_text(value, canonical_json),
        })
    })?;
    connection.create_aggregate_function("svc_any", 1, flags, AnyOf)
}

/// One of the values of a group: the first that comes.
struct AnyOf;

impl Aggregate<Option<Value>, Value> for AnyOf {
    fn init(&self, _: &mut Context<'_>) -> Result<Option<Value>> {
        Ok(None)
    }

    fn step(&self, context: &mut Context<'_>, one: &mut Option<Value>) -> Result<()> {
        one.get_or_insert_with(|| owned(context.get_raw(0)));
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, one: Option<Option<Value>>) -> Result<Value> {
        Ok(one.flatten().unwrap_or(Value::Null))
    }
}

/// A value, copied. A text that is not UTF-8 becomes its bytes.
fn owned(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => Value::Blob(bytes.to_vec()),
        },
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
    }
}

/// Bytes as canonical JSON, as records show them.
fn as_hex_object(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{{\"$hex\":\"{digits}\"}}")
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

/// Whether a text contains another, to which [`fold`] has been applied, in time that is linear in both. The statement
/// is ended between the portions of a long text when its time is over.
fn contains_in_any_case(text: &str, needle: &Finder<'_>, limiter: &Limiter) -> Result<bool> {
    let length = needle.needle().len();
    if text.len() >= PORTION {
        bounded::check(limiter)?;
    }
    if !text.is_ascii() {
        let folded = fold(text);
        if text.len() >= PORTION {
            bounded::check(limiter)?;
        }
        return Ok(needle.find(folded.as_bytes()).is_some());
    }
    // What two portions have in common is no more than one of them, so that each byte is read twice at most.
    let portion = PORTION.max(length);
    let mut folded = Vec::with_capacity(text.len().min(portion + length));
    for start in (0..text.len().max(1)).step_by(portion) {
        if start > 0 {
            bounded::check(limiter)?;
        }
        let end = (start + portion + length).min(text.len());
        let part = text.as_bytes().get(start..end).unwrap_or_default();
        folded.clear();
        folded.extend(part.iter().map(u8::to_ascii_lowercase));
        if needle.find(&folded).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(sql: &str) -> Option<bool> {
        let mut connection = Connection::open_in_memory().unwrap();
        register(&mut connection, &Limiter::default()).unwrap();
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
    fn a_long_text_is_searched_portion_by_portion_until_its_time_is_over() {
        let mut connection = Connection::open_in_memory().unwrap();
        let limiter = Limiter::default();
        register(&mut connection, &limiter).unwrap();
        let ask = |text: &str, needle: &str| -> Result<bool> {
            let sql = "SELECT svc_icontains(?1, ?2)";
            connection.query_row(sql, [text, needle], |row| row.get(0))
        };
        for before in [0, PORTION - 2, PORTION, 2 * PORTION - 1, 3 * PORTION + 5] {
            let text = format!("{}Needle{}", "a".repeat(before), "b".repeat(PORTION));
            assert!(ask(&text, "needle").unwrap(), "{before}");
            assert!(!ask(&text, "needles").unwrap(), "{before}");
        }
        let long = "a".repeat(200_000);
        assert!(ask(&format!("b{long}"), &long).unwrap());
        assert!(ask("", "").unwrap());
        limiter.set(Some(std::time::Instant::now()), None);
        let ended = ask(&long, "b").unwrap_err();
        assert_eq!(
            ended.sqlite_error_code(),
            Some(rusqlite::ErrorCode::OperationInterrupted)
        );
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
