//! Query strings: writing them pair by pair, and reading their pairs and the numbers in them.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The characters to escape: all but the unreserved characters and the comma of lists.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b',');

/// A query string that is being built (`application/x-www-form-urlencoded`, without the `?`).
///
/// ```
/// use svc_model::QueryString;
///
/// let mut query = QueryString::new();
/// query.push("status", "paid & shipped");
/// query.push("_per_page", "50");
/// assert_eq!(query.as_str(), "status=paid%20%26%20shipped&_per_page=50");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryString(String);

impl QueryString {
    /// An empty query string.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends `name=value`, escaped.
    pub fn push(&mut self, name: &str, value: &str) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        self.0.extend(utf8_percent_encode(name, COMPONENT));
        self.0.push('=');
        self.0.extend(utf8_percent_encode(value, COMPONENT));
    }

    /// Appends another query string.
    pub fn extend(&mut self, other: Self) {
        if self.0.is_empty() {
            self.0 = other.0;
        } else if !other.0.is_empty() {
            self.0.push('&');
            self.0.push_str(&other.0);
        }
    }

    /// Whether the query string is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A name and its value, unescaped.
pub type Pair<'q> = (Cow<'q, str>, Cow<'q, str>);

/// The pairs of a query string, unescaped; `+` is a space. A part without `=` has an empty value,
/// an empty part is skipped.
///
/// # Errors
/// [`NotUtf8`] when an unescaped part is not UTF-8.
pub fn parse_pairs(query: &str) -> Result<Vec<Pair<'_>>, NotUtf8> {
    query
        .split('&')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            Ok((unescape(name)?, unescape(value)?))
        })
        .collect()
}

/// Reads an integer of at least 1; a number that is too large for a `u64` becomes `u64::MAX`.
pub(crate) fn read_integer(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match digits.parse() {
        Ok(0) => None,
        Ok(number) => Some(number),
        Err(_) => Some(u64::MAX),
    }
}

fn unescape(text: &str) -> Result<Cow<'_, str>, NotUtf8> {
    if text.contains('+') {
        let spaced = text.replace('+', " ");
        let decoded = percent_decode_str(&spaced)
            .decode_utf8()
            .map_err(|_| NotUtf8(()))?;
        return Ok(Cow::Owned(decoded.into_owned()));
    }
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text));
    }
    percent_decode_str(text)
        .decode_utf8()
        .map_err(|_| NotUtf8(()))
}

/// The error for a query string with a part that is not UTF-8 after unescaping.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the query string is not UTF-8 once its percent escapes are undone")]
pub struct NotUtf8(());
