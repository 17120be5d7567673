//! Where the boxes of a diagram are, and how the lines between them run.
//!
//! Models that refer to others stand in a column right of them. A line that passes a column has a lane of its own between
//! the boxes there, which lines to the same box share, so that no line runs behind a box. Parts that have nothing to do with each other are laid
//! out for themselves, and put beside each other and below.

mod columns;
mod heights;

use self::{
    columns::{Columns, Item},
    heights::tops,
};

/// The width of a box.
pub(super) const BOX: f64 = 208.0;
/// The height of the name of a box.
pub(super) const HEAD: f64 = 28.0;
/// The space between columns.
const BETWEEN: f64 = 80.0;
/// The space around a part, in which references of a model to itself have their lines.
const MARGIN: f64 = 36.0;
/// The least width of a row of parts.
const WIDTH: f64 = 1100.0;

/// A reference, with the height in its box at which its line begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) at: f64,
}

/// A point of the picture.
pub(super) type Point = (f64, f64);

/// Where everything is.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    /// The upper left corners of the boxes.
    pub(super) boxes: Vec<Point>,
    /// The lines of the links: where they begin, enter and leave lanes, and end.
    pub(super) lines: Vec<Vec<Point>>,
}

/// Lays out boxes of these heights.
pub(super) fn layout(boxes: &[f64], links: &[Link]) -> Layout {
    let mut all = Layout {
        boxes: vec![(0.0, 0.0); boxes.len()],
        lines: vec![Vec::new(); links.len()],
        ..Layout::default()
    };
    let mut parts = parts(boxes.len(), links);
    parts.sort_by_key(|part| usize::MAX - part.len());
    let mut widest = WIDTH;
    let (mut left, mut top, mut row) = (0.0, 0.0, 0.0_f64);
    for part in &parts {
        let (laid, inner) = of_part(part, boxes, links);
        widest = widest.max(laid.width);
        if left > 0.0 && left + laid.width > widest {
            (left, top, row) = (0.0, top + row, 0.0);
        }
        let moved = |(x, y): Point| (x + left, y + top);
        for (node, corner) in part.iter().zip(laid.boxes) {
            all.boxes[*node] = moved(corner);
        }
        for (link, line) in inner.into_iter().zip(laid.lines) {
            all.lines[link] = line.into_iter().map(moved).collect();
        }
        left += laid.width;
        row = row.max(laid.height);
        all.width = all.width.max(left);
        all.height = all.height.max(top + row);
    }
    all
}

/// The boxes that lines connect, together.
fn parts(count: usize, links: &[Link]) -> Vec<Vec<usize>> {
    let mut beside = vec![Vec::new(); count];
    for link in links {
        beside[link.from].push(link.to);
        beside[link.to].push(link.from);
    }
    let mut is_seen = vec![false; count];
    let mut parts = Vec::new();
    for first in 0..count {
        let mut part = Vec::new();
        let mut next = vec![first];
        while let Some(node) = next.pop() {
            if !std::mem::replace(&mut is_seen[node], true) {
                part.push(node);
                next.extend(&beside[node]);
            }
        }
        part.sort_unstable();
        if !part.is_empty() {
            parts.push(part);
        }
    }
    parts
}

/// Lays out a part by itself. The links in it are given with their lines.
fn of_part(part: &[usize], boxes: &[f64], links: &[Link]) -> (Layout, Vec<usize>) {
    let within = |node: usize| part.binary_search(&node).ok();
    let inner = links.iter().enumerate().filter_map(|(number, link)| {
        let (from, to) = (within(link.from)?, within(link.to)?);
        Some((number, Link { from, to, ..*link }))
    });
    let (numbers, inner): (Vec<usize>, Vec<Link>) = inner.unzip();
    let columns = Columns::of(part.len(), &inner);
    let heights = part.iter().map(|node| boxes[*node]).collect::<Vec<_>>();
    let tops = tops(&columns, &heights);
    let left = |item: Item| MARGIN + columns.column(item) as f64 * (BOX + BETWEEN);
    let corner = |item: Item| (left(item), MARGIN / 2.0 + tops[item]);
    let lines = inner.iter().map(|link| {
        let (from, to) = (corner(link.from), corner(link.to));
        let is_leftward = columns.column(link.to) <= columns.column(link.from);
        let is_within = columns.column(link.to) == columns.column(link.from);
        // Where a line leaves what is on its way, and where it enters it.
        let (leaves, enters) = match is_leftward {
            true => (0.0, BOX),
            false => (BOX, 0.0),
        };
        let mut line = vec![(from.0 + leaves, from.1 + link.at)];
        for lane in columns.lanes(link) {
            let (x, y) = corner(*lane);
            line.extend([(x + enters, y), (x + leaves, y)]);
        }
        let end = if is_within { leaves } else { enters };
        line.push((to.0 + end, to.1 + HEAD / 2.0));
        line
    });
    let lines = lines.collect();
    let bottoms = (0..part.len()).map(|item| tops[item] + heights[item]);
    let lanes = tops.iter().copied();
    let laid = Layout {
        width: 2.0 * MARGIN + columns.count() as f64 * (BOX + BETWEEN) - BETWEEN,
        height: MARGIN + bottoms.chain(lanes).fold(0.0, f64::max),
        boxes: (0..part.len()).map(corner).collect(),
        lines,
    };
    (laid, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEIGHT: f64 = 60.0;

    fn links(all: &[(usize, usize)]) -> Vec<Link> {
        let link = |&(from, to): &(usize, usize)| Link { from, to, at: 40.0 };
        all.iter().map(link).collect()
    }

    /// Lays out, and checks what always holds.
    fn laid(count: usize, all: &[(usize, usize)]) -> Layout {
        let (boxes, links) = (vec![HEIGHT; count], links(all));
        let laid = layout(&boxes, &links);
        assert_eq!(laid, layout(&boxes, &links), "the same twice");
        assert_eq!((laid.boxes.len(), laid.lines.len()), (count, all.len()));
        for (number, (x, y)) in laid.boxes.iter().enumerate() {
            assert!(*x >= 0.0 && x + BOX <= laid.width, "{number}: {laid:?}");
            assert!(*y >= 0.0 && y + HEIGHT <= laid.height, "{number}: {laid:?}");
            for (other_x, other_y) in &laid.boxes[..number] {
                let is_apart = (x - other_x).abs() >= BOX || (y - other_y).abs() >= HEIGHT;
                assert!(is_apart, "{number}: {laid:?}");
            }
        }
        for (line, link) in laid.lines.iter().zip(&links) {
            let (from, to) = (laid.boxes[link.from], laid.boxes[link.to]);
            let (first, last) = (line[0], line[line.len() - 1]);
            assert_eq!((first.1, last.1), (from.1 + link.at, to.1 + HEAD / 2.0));
            assert!([from.0, from.0 + BOX].contains(&first.0), "{line:?}");
            assert!([to.0, to.0 + BOX].contains(&last.0), "{line:?}");
            // A lane passes no box.
            for lane in line[1..line.len() - 1].chunks(2) {
                let ((one, y), (other, same)) = (lane[0], lane[1]);
                assert!(y == same && (one - other).abs() == BOX, "{line:?}");
                let meets = laid
                    .boxes
                    .iter()
                    .any(|(x, top)| *x == one.min(other) && y >= *top && y <= top + HEIGHT);
                assert!(!meets, "{line:?}: {laid:?}");
            }
        }
        laid
    }

    #[test]
    fn what_refers_stands_right_of_what_it_refers_to() {
        let laid = laid(3, &[(1, 0), (2, 1), (2, 0), (2, 0)]);
        let [a, b, c] = laid.boxes[..] else { panic!() };
        assert!(a.0 < b.0 && b.0 < c.0, "{laid:?}");
        assert_eq!(laid.lines[2].len(), 4, "it passes a column");
    }

    #[test]
    fn parts_without_relations_between_them_stand_apart() {
        let laid = laid(5, &[(0, 1), (2, 3), (3, 4)]);
        let lowest = laid.boxes[2..].iter().map(|(x, _)| x + BOX);
        let right = lowest.fold(0.0, f64::max);
        assert!(
            laid.boxes[..2]
                .iter()
                .all(|(x, y)| *x > right || *y > HEIGHT),
            "{laid:?}"
        );
    }

    #[test]
    fn cycles_and_references_to_itself_have_lines() {
        laid(1, &[(0, 0), (0, 0)]);
        laid(2, &[(0, 1), (1, 0), (1, 1)]);
        laid(4, &[(0, 1), (1, 2), (2, 3), (3, 0), (2, 0), (1, 3)]);
        laid(0, &[]);
    }

    #[test]
    fn stars_chains_and_thickets_keep_apart() {
        let star: Vec<_> = (1..60).map(|node| (node, 0)).collect();
        let outward: Vec<_> = (1..60).map(|node| (0, node)).collect();
        let chain: Vec<_> = (1..60).map(|node| (node, node - 1)).collect();
        let thicket: Vec<_> = (0..60)
            .flat_map(|node| [(node, node * 7 % 60), (node, node * 13 % 60)])
            .collect();
        let all: Vec<_> = (0..60)
            .flat_map(|one| (0..60).map(move |other| (one, other)))
            .collect();
        for links in [star, outward, chain, thicket, all] {
            laid(60, &links);
        }
    }

    #[test]
    fn a_star_is_no_tower() {
        let star: Vec<_> = (1..60).map(|node| (node, 0)).collect();
        let laid = laid(60, &star);
        assert!(laid.height < 2_000.0 && laid.width < 3_000.0, "{laid:?}");
    }
}
