//! Changes of pages as lines of text.

use similar::{
    DiffOp,
    algorithms::{Capture, Compact, Replace, myers},
    udiff::UnifiedHunkHeader,
};

/// How many equal lines are shown around what differs.
const AROUND: usize = 3;

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
    let before: Vec<&str> = before.split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    let hunks = hunks(&before, &after);
    if hunks.is_empty() {
        return String::new();
    }
    let mut diff = format!("--- {old}\n+++ {new}\n");
    for ops in &hunks {
        diff += &format!("{}\n", UnifiedHunkHeader::new(ops));
        for change in ops.iter().flat_map(|op| op.iter_changes(&before, &after)) {
            diff += &format!("{}{}", change.tag(), change.value());
            if !change.value().ends_with('\n') {
                diff += "\n\\ No newline at end of file\n";
            }
        }
    }
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

/// What was done to the lines. A call that chooses the algorithm would bring the code of all of them.
fn hunks(before: &[&str], after: &[&str]) -> Vec<Vec<DiffOp>> {
    let mut found = Compact::new(Replace::new(Capture::new()), before, after);
    let (all_before, all_after) = (0..before.len(), 0..after.len());
    let Ok(()) = myers::diff(&mut found, before, all_before, after, all_after);
    found.into_inner().into_inner().into_grouped_ops(AROUND)
}
