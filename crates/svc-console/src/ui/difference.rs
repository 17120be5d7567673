//! Two values side by side, with what differs marked.

use maud::{Markup, html};

/// How much of a value is shown.
const MOST: usize = 2_000;

/// The value before, in which what is gone is marked.
pub(crate) fn before(old: &str, new: &str) -> Markup {
    let (start, middle, end) = apart(old, new);
    html! {
        bdi { (start) @if !middle.is_empty() { del { (cut(middle)) } } (end) }
    }
}

/// The value after, in which what is new is marked.
pub(crate) fn after(old: &str, new: &str) -> Markup {
    let (start, middle, end) = apart(new, old);
    html! {
        bdi { (start) @if !middle.is_empty() { ins { (cut(middle)) } } (end) }
    }
}

/// A value alone.
pub(crate) fn alone(text: &str) -> Markup {
    html! { bdi { (cut(text)) } }
}

/// A text as three parts: what it begins with like the other, what it has alone, and what it ends with like the other.
fn apart<'t>(text: &'t str, other: &str) -> (&'t str, &'t str, &'t str) {
    // Where nearly nothing is the same, single letters in common only confuse.
    let start = same(text.chars(), other.chars());
    let (begin, rest) = text.split_at(start);
    let other_rest = other.get(start..).unwrap_or_default();
    let end = same(rest.chars().rev(), other_rest.chars().rev());
    let (middle, end) = rest.split_at(rest.len() - end);
    let shared = begin.len() + end.len();
    match shared * 3 < text.len().max(other.len()) || text.len() > MOST {
        true => ("", text, ""),
        false => (begin, middle, end),
    }
}

/// How many bytes two texts have in common, a whole character at a time.
fn same(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    let pairs = one.zip(other).take_while(|(one, other)| one == other);
    pairs.map(|(letter, _)| letter.len_utf8()).sum()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_marked() {
        assert_eq!(
            before("M8 bolt, zinc", "M8 bolts, zinc").into_string(),
            "<bdi>M8 bolt, zinc</bdi>"
        );
        assert_eq!(
            after("M8 bolt, zinc", "M8 bolts, zinc").into_string(),
            "<bdi>M8 bolt<ins>s</ins>, zinc</bdi>"
        );
        assert_eq!(
            before("paid", "pending").into_string(),
            "<bdi><del>paid</del></bdi>"
        );
        assert_eq!(
            after("äöü", "äü").into_string(),
            "<bdi><ins>äü</ins></bdi>".replace("<ins>äü</ins>", "äü")
        );
        assert_eq!(
            after("", "<b>").into_string(),
            "<bdi><ins>&lt;b&gt;</ins></bdi>"
        );
    }
}
