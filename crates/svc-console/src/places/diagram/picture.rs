//! The picture: boxes with the name, the key and the references of each model, and lines for the references.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::places::structure::key_of;

use super::{
    Place,
    graph::{Drawn, Graph, Node},
    layout::{BOX, HEAD, Layout, Link, Point, layout},
};

/// The height of a line of a box.
const ROW: f64 = 20.0;
/// The space below the lines.
const BELOW: f64 = 6.0;
/// How many references a box shows.
const ROWS: usize = 8;
/// How many characters of usual width a name and a line have.
const NAME: usize = 23;
const LINE: usize = 26;
/// The space beside texts.
const SIDE: f64 = 9.0;
/// How far the line of a reference of a model to itself goes.
const LOOP: f64 = 26.0;

/// What a box shows below its name.
struct Rows {
    key: Option<String>,
    references: Vec<String>,
    /// How many references it does not show.
    more: usize,
}

/// A reference that is drawn.
struct Line {
    from: Node,
    field: String,
    to: Node,
}

/// The picture, which scrolls by itself.
pub(super) fn picture(place: &Place<'_>, graph: &Graph<'_>, drawn: &Drawn) -> Markup {
    let texts = place.context.texts();
    let numbers: BTreeMap<Node, usize> = drawn.nodes.iter().copied().zip(0..).collect();
    let mut boxes = Vec::new();
    let (mut lines, mut links) = (Vec::new(), Vec::new());
    for (number, node) in drawn.nodes.iter().enumerate() {
        let rows = rows(graph, *node, &numbers, |row, field, to| {
            let place = HEAD + 3.0 + ROW * (row as f64 + 0.5);
            let from = *node;
            lines.push(Line { from, field, to });
            links.push((number, to, place));
        });
        boxes.push(rows);
    }
    let links = links.into_iter().filter_map(|(from, to, at)| {
        let to = *numbers.get(&to)?;
        Some(Link { from, to, at })
    });
    let links: Vec<Link> = links.collect();
    let heights: Vec<f64> = boxes.iter().map(Rows::height).collect();
    let laid = layout(&heights, &links);
    let Layout { width, height, .. } = laid;
    let about = texts.with(
        "diagram-about",
        [
            ("models", boxes.len().into()),
            ("references", lines.len().into()),
        ],
    );
    html! {
        div.diagram tabindex="0" role="region" aria-label=(texts.get("diagram")) {
            // Not an image for assistive software, since there are links in it.
            svg role="group" aria-labelledby="diagram-title" aria-describedby="diagram-about"
                width=(width) height=(height) viewBox=(format!("0 0 {width} {height}")) {
                title #diagram-title { (place.resource) }
                desc #diagram-about { (about) }
                @for (line, way) in lines.iter().zip(&laid.lines) {
                    g.reference role="img" {
                        title { (isolated(graph.name(line.from))) " " (isolated(&line.field)) " → " (isolated(graph.name(line.to))) }
                        path.way d=(path(way)) {}
                        path.arrow d=(arrow(way)) {}
                    }
                }
                @for ((node, rows), corner) in drawn.nodes.iter().zip(&boxes).zip(&laid.boxes) {
                    (shown(place, graph.name(*node), rows, *corner, drawn.chosen == Some(*node)))
                }
            }
        }
        p.small.muted { (texts.get("diagram-legend")) }
    }
}

/// What a box shows; `each` is told of the references to models that are drawn, with the number of the line of the box.
fn rows(
    graph: &Graph<'_>,
    node: Node,
    numbers: &BTreeMap<Node, usize>,
    mut each: impl FnMut(usize, String, Node),
) -> Rows {
    let key = graph.model(node).map(key_of).unwrap_or_default();
    let key = (!key.is_empty()).then(|| key.join(", "));
    // Those that lead out of the picture come last.
    let mut all: Vec<_> = graph.references(node).iter().collect();
    all.sort_by_key(|(_, to)| !numbers.contains_key(to));
    let mut references = Vec::new();
    for (relation, to) in all.iter().take(ROWS) {
        let row = usize::from(key.is_some()) + references.len();
        let field = relation.local_field.replace(',', ", ");
        if numbers.contains_key(to) {
            each(row, field.clone(), *to);
        }
        references.push(field);
    }
    Rows {
        key,
        more: all.len() - references.len(),
        references,
    }
}

impl Rows {
    fn height(&self) -> f64 {
        let more = usize::from(self.more > 0);
        match usize::from(self.key.is_some()) + self.references.len() + more {
            0 => HEAD,
            rows => HEAD + ROW * rows as f64 + BELOW,
        }
    }
}

fn shown(place: &Place<'_>, name: &str, rows: &Rows, (x, y): Point, is_chosen: bool) -> Markup {
    let key = rows.key.iter().map(|text| (text, "key"));
    let references = rows.references.iter().map(|text| (text, "field"));
    let more = place
        .context
        .texts()
        .with("diagram-more", [("count", rows.more.into())]);
    let more = (rows.more > 0).then_some((&more, "more"));
    let height = rows.height();
    html! {
        // Assistive software would take each of these for an image, with nothing to follow in it.
        svg role="none" x=(x) y=(y) width=(BOX) height=(height) {
            g.box.chosen[is_chosen] {
                rect.frame x="1" y="1" width=(BOX - 2.0) height=(height - 2.0) rx="5" {}
                a href=(place.records(name)) aria-current=[is_chosen.then_some("true")] {
                    title { (name) }
                    rect.head x="2" y="2" width=(BOX - 4.0) height=(HEAD - 4.0) rx="4" {}
                    // A picture of its own cuts off what is too wide.
                    svg role="none" width=(BOX - SIDE) height=(height) { text.name x=(SIDE) y="19" { (fitted(name, NAME)) } }
                }
                svg role="none" width=(BOX - SIDE) height=(height) {
                    @for (number, (text, class)) in key.chain(references).chain(more).enumerate() {
                        @let short = fitted(text, LINE);
                        text class=(class) x=(SIDE) y=(HEAD + 17.0 + ROW * number as f64) {
                            @if short != *text { title { (text) } }
                            (short)
                        }
                    }
                }
            }
        }
    }
}

/// A line: level in lanes, and bent between them.
fn path(way: &[Point]) -> String {
    let mut path = String::new();
    for (number, (x, y)) in way.iter().enumerate() {
        let before = number.checked_sub(1).and_then(|at| way.get(at));
        match before {
            None => path.push_str(&format!("M{x} {y}")),
            Some((_, level)) if level == y => path.push_str(&format!("H{x}")),
            Some((from, level)) => {
                let bend = if from == x {
                    x - LOOP
                } else {
                    (from + x) / 2.0
                };
                path.push_str(&format!("C{bend} {level} {bend} {y} {x} {y}"));
            }
        }
    }
    path
}

/// The end of a line.
fn arrow(way: &[Point]) -> String {
    let Some([(from, _), (x, y)]) = way.last_chunk() else {
        return String::new();
    };
    // A line from left to right, or one that comes back, ends on the left side.
    let back = if from > x { 9 } else { -9 };
    format!("M{x} {y}l{back} -4.5v9z")
}

/// A text that does not change the direction of the others beside it.
fn isolated(text: &str) -> String {
    format!("\u{2068}{text}\u{2069}")
}

/// As much of a text as has the width of so many usual characters.
fn fitted(text: &str, most: usize) -> String {
    // In thirds of a usual character.
    let most = 3 * most;
    let mut width = 0;
    let mut end = 0;
    for (at, character) in text.char_indices() {
        width += match character {
            'M' | 'W' | 'm' | 'w' | '@' | '%' => 5,
            'A'..='Z' => 4,
            // Most scripts from Hangul on have wide characters.
            '\u{1100}'.. => 6,
            _ => 3,
        };
        if width > most {
            return format!("{}…", text.get(..end).unwrap_or_default());
        }
        if width + 3 <= most {
            end = at + character.len_utf8();
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_at_characters_and_wide_ones_count_twice() {
        assert_eq!(fitted("orders", 6), "orders");
        assert_eq!(fitted("orders", 5), "orde…");
        assert_eq!(fitted("äöüßx", 4), "äöü…");
        assert_eq!(fitted("注文明細", 8), "注文明細");
        assert_eq!(fitted("注文明細", 7), "注文明…");
        assert_eq!(fitted("WWWW", 6), "WWW…");
        assert_eq!(fitted("", 4), "");
    }

    #[test]
    fn lines_end_in_an_arrow_at_the_side_from_which_they_come() {
        let leftward = [(300.0, 40.0), (208.0, 14.0)];
        assert_eq!(path(&leftward), "M300 40C254 40 254 14 208 14");
        assert_eq!(arrow(&leftward), "M208 14l9 -4.5v9z");
        assert_eq!(arrow(&[(208.0, 40.0), (300.0, 14.0)]), "M300 14l-9 -4.5v9z");
        let to_itself = [(36.0, 40.0), (36.0, 14.0)];
        assert_eq!(path(&to_itself), "M36 40C10 40 10 14 36 14");
        assert_eq!(arrow(&to_itself), "M36 14l-9 -4.5v9z");
        assert_eq!(path(&[(0.0, 0.0), (9.0, 0.0)]), "M0 0H9");
    }
}
