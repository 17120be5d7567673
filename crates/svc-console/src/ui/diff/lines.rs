//! Two texts side by side, line by line.

use std::time::{Duration, Instant};

use maud::{Markup, html};
use similar::{
    DiffOp,
    algorithms::{Capture, Compact, Replace, myers},
};

use crate::texts::Texts;

/// How many equal lines are shown around what differs.
const AROUND: usize = 3;
/// How many lines are shown at most.
const MOST_LINES: usize = 1_000;
/// How much of a line is shown, in characters.
const LONGEST_LINE: usize = 2_000;
/// After this the lines are compared less well.
const PATIENCE: Duration = Duration::from_millis(200);

/// What differs between two texts, each with its name; `None` where nothing does.
pub(crate) fn side_by_side(
    texts: &Texts,
    (old_name, old): (&str, &str),
    (new_name, new): (&str, &str),
) -> Option<Markup> {
    if old == new {
        return None;
    }
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let groups = compared(&old, &new);
    let lines = |group: &Vec<DiffOp>| -> usize {
        let lengths = group.iter();
        lengths
            .map(|op| op.old_range().len().max(op.new_range().len()))
            .sum()
    };
    let total: usize = groups.iter().map(lines).sum();
    let mut left = MOST_LINES;
    let old_line = |at: usize| old.get(at).copied().unwrap_or_default();
    let new_line = |at: usize| new.get(at).copied().unwrap_or_default();
    Some(html! {
        table.diff {
            caption.visually-hidden { (old_name) " / " (new_name) }
            colgroup { col.narrow; col; col.narrow; col; }
            thead {
                tr {
                    th scope="col" colspan="2" { (old_name) }
                    th scope="col" colspan="2" { (new_name) }
                }
            }
            @for group in &groups {
                tbody {
                    @for op in group {
                        @for row in rows(op, &mut left) {
                            tr {
                                (side(texts, Side::Old, row.old.map(|at| (at, old_line(at))), row.is_same))
                                (side(texts, Side::New, row.new.map(|at| (at, new_line(at))), row.is_same))
                            }
                        }
                    }
                }
            }
        }
        @if total > MOST_LINES {
            p.muted { (texts.with("diff-more", [("count", (total - MOST_LINES).into())])) }
        }
    })
}

/// What was done to the lines, with equal ones around it. A call that chooses the algorithm would bring the code of all of them.
fn compared(old: &[&str], new: &[&str]) -> Vec<Vec<DiffOp>> {
    let mut found = Compact::new(Replace::new(Capture::new()), old, new);
    let end = Instant::now() + PATIENCE;
    let Ok(()) = myers::diff_deadline(&mut found, old, 0..old.len(), new, 0..new.len(), Some(end));
    found.into_inner().into_inner().into_grouped_ops(AROUND)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

/// The indexes of the lines that stand beside each other.
struct Row {
    old: Option<usize>,
    new: Option<usize>,
    is_same: bool,
}

/// The rows of a change, as many as are left to be shown.
fn rows(op: &DiffOp, left: &mut usize) -> Vec<Row> {
    let (mut old, mut new) = (op.old_range(), op.new_range());
    let is_same = matches!(op, DiffOp::Equal { .. });
    let count = old.len().max(new.len()).min(*left);
    *left -= count;
    let row = |_| Row {
        old: old.next(),
        new: new.next(),
        is_same,
    };
    (0..count).map(row).collect()
}

/// The number of a line, and the line with what happens to it.
fn side(texts: &Texts, side: Side, line: Option<(usize, &str)>, is_same: bool) -> Markup {
    let Some((at, line)) = line else {
        return html! { td.line-number.none {} td.none {} };
    };
    let line = line.trim_end_matches(['\n', '\r']);
    let shown: String = line.chars().take(LONGEST_LINE).collect();
    let is_cut = shown.len() < line.len();
    let text = html! { bdi { (shown) } @if is_cut { "…" } };
    html! {
        @match (is_same, side) {
            (true, Side::Old) => {
                td.line-number { (at + 1) }
                td { (text) }
            },
            // On a narrow screen a line that is the same is shown once.
            (true, Side::New) => {
                td.line-number.again { (at + 1) }
                td.again { (text) }
            },
            (false, Side::Old) => {
                td.line-number.removed { span.visually-hidden { (texts.get("diff-removed")) " " } (at + 1) }
                td.removed { del { (text) } }
            },
            (false, Side::New) => {
                td.line-number.added { span.visually-hidden { (texts.get("diff-added")) " " } (at + 1) }
                td.added { ins { (text) } }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    fn differing(old: &str, new: &str) -> Option<String> {
        let texts = Texts::of(&HeaderMap::new());
        let shown = side_by_side(texts, ("a", old), ("b", new));
        shown.map(Markup::into_string)
    }

    #[test]
    fn only_what_differs_is_shown_with_lines_around_it() {
        let old: String = (0..100).map(|at| format!("line {at}\n")).collect();
        let new = old.replace("line 50\n", "<b>\n");
        let shown = differing(&old, &new).unwrap();
        assert!(shown.contains("<del><bdi>line 50</bdi></del>"), "{shown}");
        assert!(shown.contains("<ins><bdi>&lt;b&gt;</bdi></ins>"), "{shown}");
        assert!(shown.contains("line 47") && !shown.contains("line 46"));
        assert_eq!(differing(&old, &old), None);
    }

    #[test]
    fn a_difference_of_any_size_is_cut() {
        let (old, new) = ("a\n".repeat(50_000), "b\n".repeat(50_000));
        let shown = differing(&old, &new).unwrap();
        assert!(
            shown.len() < 400_000 && shown.contains("49,000"),
            "{}",
            shown.len()
        );
        let long = differing("a", &"x".repeat(1_000_000)).unwrap();
        assert!(long.len() < 10_000);
    }
}
