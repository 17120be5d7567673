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

/// A text as three parts: what it begins with like the other, what it has alone, and what it ends with like the other. Words
/// stay whole.
fn apart<'t>(text: &'t str, other: &str) -> (&'t str, &'t str, &'t str) {
    let is_between = |letter: char| !letter.is_alphanumeric();
    let start = text.get(..same(text.chars(), other.chars()));
    let start = start.unwrap_or_default();
    let begin = match text == other {
        true => text.len(),
        false => start
            .char_indices()
            .rfind(|(_, letter)| is_between(*letter))
            .map_or(0, |(at, letter)| at + letter.len_utf8()),
    };
    let (begin, rest) = text.split_at(begin);
    let other_rest = other.get(begin.len()..).unwrap_or_default();
    let shared = same(rest.chars().rev(), other_rest.chars().rev());
    let (_, shared) = rest.split_at(rest.len() - shared);
    let end = shared.find(is_between).and_then(|at| shared.get(at..));
    let end = end.unwrap_or_default();
    let (middle, end) = rest.split_at(rest.len() - end.len());
    // Digits that two numbers share mean nothing.
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let is_other_number = text != other && is_number(text) && is_number(other);
    match text.len() > MOST || is_other_number {
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
        for (old, new, one, other) in [
            (
                "M8 bolt, zinc",
                "M8 bolts, zinc",
                "M8 <del>bolt</del>, zinc",
                "M8 <ins>bolts</ins>, zinc",
            ),
            (
                "ring twice",
                "ring three times",
                "ring <del>twice</del>",
                "ring <ins>three times</ins>",
            ),
            ("paid", "pending", "<del>paid</del>", "<ins>pending</ins>"),
            ("a b", "a b c", "a <del>b</del>", "a <ins>b c</ins>"),
            ("äöü", "äü", "<del>äöü</del>", "<ins>äü</ins>"),
            ("x x", "x", "<del>x x</del>", "<ins>x</ins>"),
            ("12.50", "7.50", "<del>12.50</del>", "<ins>7.50</ins>"),
            ("same", "same", "same", "same"),
        ] {
            assert_eq!(before(old, new).into_string(), format!("<bdi>{one}</bdi>"));
            assert_eq!(after(old, new).into_string(), format!("<bdi>{other}</bdi>"));
        }
        assert_eq!(
            after("", "<b>").into_string(),
            "<bdi><ins>&lt;b&gt;</ins></bdi>"
        );
    }
}
