//! Functions of SQLite whose cost grows with the product of their arguments, replaced by ones that take linear time
//! or look at the clock while they run: SQLite cannot end a statement inside of a function.

use std::{borrow::Cow, collections::HashSet};

use memchr::memmem;
use rusqlite::{
    Connection, Error, Result, ToSql, ffi,
    functions::{Context, FunctionFlags},
    types::{ToSqlOutput, ValueRef},
};

use crate::engine::sqlite::limiter::Limiter;

/// How many steps a function takes between two looks at the clock.
const STEPS: usize = 1 << 16;
/// The longest pattern of LIKE and GLOB, in bytes, as in SQLite.
const MAX_PATTERN: usize = 50_000;

/// What a function makes.
enum Made {
    Number(i64),
    /// A text that SQLite has given out and may be no UTF-8.
    Text(Vec<u8>),
}

impl ToSql for Made {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Number(number) => (*number).into(),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text)),
        })
    }
}

/// A function of arguments that are not NULL.
type Function = fn(&Context<'_>, &Limiter, usize) -> Result<Made>;

/// The error of a statement whose time is over.
pub(super) fn check(limiter: &Limiter) -> Result<()> {
    match limiter.is_over() {
        true => Err(failure(ffi::SQLITE_INTERRUPT, None)),
        false => Ok(()),
    }
}

fn failure(code: i32, message: Option<&str>) -> Error {
    Error::SqliteFailure(ffi::Error::new(code), message.map(str::to_owned))
}

/// Replaces the functions. No value that they make is longer than `longest` bytes.
pub(crate) fn register(connection: &Connection, limiter: &Limiter, longest: usize) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    let add = |name: &str, arguments: i32, function: Function| {
        let limiter = limiter.clone();
        connection.create_scalar_function(name, arguments, flags, move |context| {
            check(&limiter)?;
            for index in 0..context.len() {
                if matches!(context.get_raw(index), ValueRef::Null) {
                    return Ok(None);
                }
            }
            function(context, &limiter, longest).map(Some)
        })
    };
    add("instr", 2, |context, _, _| {
        let (haystack, needle) = (context.get_raw(0), context.get_raw(1));
        let place = memmem::find(&bytes(haystack), &bytes(needle));
        let both_blobs = matches!((haystack, needle), (ValueRef::Blob(_), ValueRef::Blob(_)));
        let position = place.map_or(0, |place| match both_blobs {
            true => place + 1,
            false => 1 + characters(bytes(haystack).get(..place).unwrap_or_default()),
        });
        Ok(Made::Number(position as i64))
    })?;
    for arguments in [1, 2] {
        add("trim", arguments, trim::<true, true>)?;
        add("ltrim", arguments, trim::<true, false>)?;
        add("rtrim", arguments, trim::<false, true>)?;
    }
    add("replace", 3, |context, limiter, longest| {
        let [text, from, to] = [0, 1, 2].map(|index| bytes(context.get_raw(index)));
        replaced(&text, [&from, &to], longest, limiter).map(Made::Text)
    })?;
    add("upper", 1, |context, _, _| {
        Ok(Made::Text(bytes(context.get_raw(0)).to_ascii_uppercase()))
    })?;
    add("lower", 1, |context, _, _| {
        Ok(Made::Text(bytes(context.get_raw(0)).to_ascii_lowercase()))
    })?;
    add("like", 2, |context, limiter, _| {
        like(context, limiter, None)
    })?;
    add("like", 3, |context, limiter, _| {
        let escape = bytes(context.get_raw(2)).into_owned();
        match characters(&escape) {
            1 => like(context, limiter, Some(&escape)),
            _ => Err(failure(
                ffi::SQLITE_ERROR,
                Some("ESCAPE expression must be a single character"),
            )),
        }
    })?;
    add("glob", 2, |context, limiter, _| {
        matched(
            &glob_parts(&pattern(context)?),
            &bytes(context.get_raw(1)),
            false,
            limiter,
        )
    })?;
    add("unhex", 2, |_, _, _| {
        Err(failure(
            ffi::SQLITE_ERROR,
            Some("unhex takes one argument in a query"),
        ))
    })
}

/// The bytes of a value as a text.
fn bytes(value: ValueRef<'_>) -> Cow<'_, [u8]> {
    match value {
        ValueRef::Null => Cow::Borrowed(&[]),
        ValueRef::Integer(number) => Cow::Owned(number.to_string().into_bytes()),
        ValueRef::Real(number) => Cow::Owned(real(number).into_bytes()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Cow::Borrowed(bytes),
    }
}

/// A number as SQLite writes it, which depends on its version: so it is asked, on a connection to nothing.
fn real(number: f64) -> String {
    thread_local! {
        static WRITER: Option<Connection> = Connection::open_in_memory().ok();
    }
    let written = WRITER.with(|writer| {
        let mut statement = writer
            .as_ref()?
            .prepare_cached("SELECT CAST(?1 AS TEXT)")
            .ok()?;
        statement.query_row([number], |row| row.get(0)).ok()
    });
    written.unwrap_or_else(|| number.to_string())
}

/// How many characters begin in these bytes.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| !is_continuation(**byte)).count()
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// Where the character that begins at a place ends.
fn character_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at + 1..).unwrap_or_default();
    at + 1
        + rest
            .iter()
            .take_while(|byte| is_continuation(**byte))
            .count()
}

fn trim<const START: bool, const END: bool>(
    context: &Context<'_>,
    limiter: &Limiter,
    _: usize,
) -> Result<Made> {
    let set = match context.len() {
        1 => Cow::Borrowed(&b" "[..]),
        _ => bytes(context.get_raw(1)),
    };
    let set = String::from_utf8_lossy(&set);
    let mut members = HashSet::new();
    for (count, c) in set.chars().enumerate() {
        if count.is_multiple_of(STEPS) {
            check(limiter)?;
        }
        members.insert(c);
    }
    let text = bytes(context.get_raw(0));
    let text = String::from_utf8_lossy(&text);
    let (mut steps, mut is_over) = (0_usize, false);
    let mut is_trimmed = |c: char| {
        steps += 1;
        is_over = is_over || (steps.is_multiple_of(STEPS) && limiter.is_over());
        !is_over && members.contains(&c)
    };
    let mut kept: &str = &text;
    if START {
        kept = kept.trim_start_matches(&mut is_trimmed);
    }
    if END {
        kept = kept.trim_end_matches(&mut is_trimmed);
    }
    if is_over {
        check(limiter)?;
    }
    Ok(Made::Text(kept.as_bytes().to_vec()))
}

fn replaced(
    text: &[u8],
    [from, to]: [&[u8]; 2],
    longest: usize,
    limiter: &Limiter,
) -> Result<Vec<u8>> {
    let Some(first) = from.first() else {
        return Ok(text.to_vec());
    };
    // Most replaced texts are single characters, which are found several times faster so.
    let mut one = memchr::memchr_iter(*first, text);
    let mut several = memmem::find_iter(text, from);
    let places: &mut dyn Iterator<Item = usize> = match from.len() {
        1 => &mut one,
        _ => &mut several,
    };
    let mut made = Vec::with_capacity(text.len());
    let mut at = 0;
    for (count, place) in places.enumerate() {
        if count.is_multiple_of(STEPS) {
            check(limiter)?;
        }
        made.extend_from_slice(text.get(at..place).unwrap_or_default());
        made.extend_from_slice(to);
        at = place + from.len();
        if made.len() > longest {
            return Err(failure(ffi::SQLITE_TOOBIG, Some("string or blob too big")));
        }
    }
    made.extend_from_slice(text.get(at..).unwrap_or_default());
    match made.len() > longest {
        true => Err(failure(ffi::SQLITE_TOOBIG, Some("string or blob too big"))),
        false => Ok(made),
    }
}

/// A part of a pattern.
enum Part<'p> {
    /// Any number of characters.
    Any,
    /// One character, whatever it is.
    One,
    /// This character.
    Literal(&'p [u8]),
    /// A character of the set, or none of it.
    Set {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
    /// Nothing: the pattern is broken.
    Never,
}

fn pattern<'c>(context: &'c Context<'_>) -> Result<Cow<'c, [u8]>> {
    let pattern = bytes(context.get_raw(0));
    match pattern.len() > MAX_PATTERN {
        true => Err(failure(
            ffi::SQLITE_ERROR,
            Some("LIKE or GLOB pattern too complex"),
        )),
        false => Ok(pattern),
    }
}

fn like(context: &Context<'_>, limiter: &Limiter, escape: Option<&[u8]>) -> Result<Made> {
    let pattern = pattern(context)?;
    let mut parts = Vec::new();
    let mut at = 0;
    while at < pattern.len() {
        let end = character_end(&pattern, at);
        let character = pattern.get(at..end).unwrap_or_default();
        at = end;
        parts.push(match character {
            _ if escape == Some(character) => {
                let end = character_end(&pattern, at);
                let literal = pattern.get(at..end.min(pattern.len())).unwrap_or_default();
                at = end;
                match literal.is_empty() {
                    true => Part::Never,
                    false => Part::Literal(literal),
                }
            }
            b"%" => Part::Any,
            b"_" => Part::One,
            literal => Part::Literal(literal),
        });
    }
    matched(&parts, &bytes(context.get_raw(1)), true, limiter)
}

fn glob_parts(pattern: &[u8]) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < pattern.len() {
        let end = character_end(pattern, at);
        let character = pattern.get(at..end).unwrap_or_default();
        at = end;
        parts.push(match character {
            b"*" => Part::Any,
            b"?" => Part::One,
            b"[" => {
                let (set, length) = set(pattern.get(at..).unwrap_or_default());
                at += length;
                set
            }
            literal => Part::Literal(literal),
        });
    }
    parts
}

/// Reads what follows `[` in a pattern of GLOB, and says how many bytes it has.
fn set(rest: &[u8]) -> (Part<'static>, usize) {
    let text = String::from_utf8_lossy(rest);
    let mut characters = text.chars().peekable();
    let mut length = 0;
    let mut next = |characters: &mut std::iter::Peekable<std::str::Chars<'_>>| {
        let next = characters.next();
        length += next.map_or(0, char::len_utf8);
        next
    };
    let negated = characters.peek() == Some(&'^');
    if negated {
        next(&mut characters);
    }
    let mut ranges: Vec<(char, char)> = Vec::new();
    let mut first = true;
    loop {
        match next(&mut characters) {
            None => return (Part::Never, rest.len()),
            Some(']') if !first => break,
            Some('-') if !first && !matches!(characters.peek(), Some(']') | None) => {
                let from = ranges.pop().map_or('-', |(_, last)| last);
                if let Some(to) = next(&mut characters) {
                    ranges.push((from, to));
                }
            }
            Some(c) => ranges.push((c, c)),
        }
        first = false;
    }
    (Part::Set { ranges, negated }, length)
}

/// Whether the whole text matches. On a mismatch only the last part for any number of characters is tried further
/// on, which is enough, and takes at most the product of both lengths.
fn matched(parts: &[Part<'_>], text: &[u8], any_case: bool, limiter: &Limiter) -> Result<Made> {
    let (mut part, mut at, mut steps) = (0, 0, 0_usize);
    let mut retry: Option<(usize, usize)> = None;
    let matches = loop {
        steps += 1;
        if steps.is_multiple_of(STEPS) {
            check(limiter)?;
        }
        let end = character_end(text, at).min(text.len());
        let character = text.get(at..end).unwrap_or_default();
        let fits = match parts.get(part) {
            Some(Part::Any) => {
                part += 1;
                retry = Some((part, at));
                if part == parts.len() {
                    break true;
                }
                continue;
            }
            Some(Part::Never) => break false,
            None if at >= text.len() => break true,
            None => false,
            Some(_) if at >= text.len() => break false,
            Some(Part::One) => true,
            Some(Part::Literal(literal)) => match any_case {
                true => literal.eq_ignore_ascii_case(character),
                false => *literal == character,
            },
            Some(Part::Set { ranges, negated }) => {
                let c = String::from_utf8_lossy(character).chars().next();
                let is_in = |c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c));
                c.is_some_and(|c| is_in(c) != *negated)
            }
        };
        match (fits, retry) {
            (true, _) => {
                part += 1;
                at = end;
            }
            (false, Some((after, from))) => {
                let further = character_end(text, from);
                if further > text.len() {
                    break false;
                }
                retry = Some((after, further));
                (part, at) = (after, further);
            }
            (false, None) => break false,
        }
    };
    Ok(Made::Number(matches.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What SQLite itself and the replaced functions say.
    fn both(sql: &str) -> (rusqlite::types::Value, rusqlite::types::Value) {
        let ask = |connection: &Connection| connection.query_row(sql, [], |row| row.get(0));
        let own = Connection::open_in_memory().unwrap();
        register(&own, &Limiter::default(), 1 << 20).unwrap();
        let plain = Connection::open_in_memory().unwrap();
        (ask(&plain).unwrap(), ask(&own).unwrap())
    }

    #[test]
    fn the_replaced_functions_answer_as_those_of_sqlite() {
        let texts = [
            "NULL",
            "''",
            "'abc'",
            "'aXbXc'",
            "'ÄÖÜß'",
            "x'616263'",
            "12",
            "1.5",
            "1e20",
            "-0.00001",
            "'a%b_c'",
            "'  x '",
            "'[a-c]'",
            "'日本語'",
            "123456789012345678.0",
            "0.1",
            "1e-5",
            "100000.0",
            "1e15",
            "0.1 + 0.2",
            "1.0 / 3",
        ];
        let patterns = [
            "''", "'a'", "'%'", "'a%'", "'%c'", "'_b_'", "'%B%'", "'Ä%'", "'___'", "'a\\%b%'",
            "'1%'", "x'61'", "'[a-c]*'", "'*b*'", "'[^x]bc'", "'[]]'", "'?b?'", "'[a'", "'%%_'",
            "' '", "'x '", "NULL", "2", "'日'",
        ];
        for text in texts {
            for sql in [
                format!("SELECT upper({text})"),
                format!("SELECT lower({text})"),
                format!("SELECT trim({text})"),
            ] {
                let (plain, own) = both(&sql);
                assert_eq!(plain, own, "{sql}");
            }
            for pattern in patterns {
                for sql in [
                    format!("SELECT instr({text}, {pattern})"),
                    format!("SELECT replace({text}, {pattern}, 'zz')"),
                    format!("SELECT trim({text}, {pattern})"),
                    format!("SELECT ltrim({text}, {pattern})"),
                    format!("SELECT rtrim({text}, {pattern})"),
                    format!("SELECT ({text}) LIKE {pattern}"),
                    format!("SELECT ({text}) LIKE {pattern} ESCAPE '\\'"),
                    format!("SELECT ({text}) GLOB {pattern}"),
                ] {
                    let (plain, own) = both(&sql);
                    assert_eq!(plain, own, "{sql}");
                }
            }
        }
    }

    #[test]
    fn a_function_that_runs_for_long_ends_with_the_time_of_its_statement() {
        let connection = Connection::open_in_memory().unwrap();
        let limiter = Limiter::default();
        register(&connection, &limiter, 1 << 20).unwrap();
        let sql =
            "SELECT printf('%.*c', 900000, 'a') LIKE '%' || printf('%.*c', 40000, 'a') || 'b'";
        limiter.set(Some(std::time::Instant::now()), None);
        let ended = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        assert_eq!(
            ended.unwrap_err().sqlite_error_code(),
            Some(rusqlite::ErrorCode::OperationInterrupted)
        );
    }
}
