//! Changes of pages as lines of text.

/// A line of a summary.
pub(super) fn line(what: &str, about: &str) -> String {
    format!("{what} {about}\n")
}

/// A unified diff of what two sides have of a page, each with the name of the side; `None` where a side has none.
pub(super) fn unified(
    page: &str,
    (old, before): (&str, Option<String>),
    (new, after): (&str, Option<String>),
) -> String {
    let name = |side: &str, text: &Option<String>| match text {
        Some(_) => format!("{side}/{page}"),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = (name(old, &before), name(new, &after));
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let diff = similar::TextDiff::from_lines(&before, &after);
    let diff = diff.unified_diff().header(&old, &new).to_string();
    // Nothing that a terminal would obey comes out of a page.
    let mut shown = String::with_capacity(diff.len());
    for c in diff.chars() {
        match c.is_control() && c != '\n' {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
    }
    shown
}
