//! The columns of a part of a diagram, and the order in them.

use std::collections::BTreeMap;

use super::Link;

/// What stands in a column: a box, by its number, or a lane, by those after the last box.
pub(super) type Item = usize;

/// The least number of boxes that a column may have.
const FEWEST: usize = 6;
/// How often the order is looked at again.
const SWEEPS: usize = 8;

/// The columns, from the left.
#[derive(Debug)]
pub(super) struct Columns {
    /// The items from above.
    columns: Vec<Vec<Item>>,
    /// The column of each item.
    column: Vec<usize>,
    /// The items to which lines lead from each: in the column left of it, and right of it.
    left: Vec<Vec<Item>>,
    right: Vec<Vec<Item>>,
    lanes: BTreeMap<(usize, usize), Vec<Item>>,
    boxes: usize,
}

impl Columns {
    /// Boxes with the links between them.
    pub(super) fn of(boxes: usize, links: &[Link]) -> Self {
        let ranks = pulled(ranks(boxes, links), links);
        let columns = split(boxes, &ranks, links);
        let mut column = vec![0; boxes];
        for (number, items) in columns.iter().enumerate() {
            for item in items {
                column[*item] = number;
            }
        }
        let mut all = Self {
            columns,
            column,
            left: vec![Vec::new(); boxes],
            right: vec![Vec::new(); boxes],
            lanes: BTreeMap::new(),
            boxes,
        };
        all.add_lanes(links);
        all.sort();
        all
    }

    pub(super) fn count(&self) -> usize {
        self.columns.len()
    }

    /// The column of an item.
    pub(super) fn column(&self, item: Item) -> usize {
        self.column[item]
    }

    /// The items of the columns.
    pub(super) fn all(&self) -> &[Vec<Item>] {
        &self.columns
    }

    pub(super) fn is_lane(&self, item: Item) -> bool {
        item >= self.boxes
    }

    /// How many items there are.
    pub(super) fn items(&self) -> usize {
        self.column.len()
    }

    pub(super) fn left(&self, item: Item) -> &[Item] {
        &self.left[item]
    }

    pub(super) fn right(&self, item: Item) -> &[Item] {
        &self.right[item]
    }

    /// The lanes of a link, from its beginning.
    pub(super) fn lanes(&self, link: &Link) -> &[Item] {
        let lanes = self.lanes.get(&(link.from, link.to));
        lanes.map_or(&[], Vec::as_slice)
    }

    /// Gives a lane to each line in each column that it passes; lines to the same box from the same side share it.
    fn add_lanes(&mut self, links: &[Link]) {
        let mut shared = BTreeMap::new();
        for link in links {
            let (from, to) = (self.column[link.from], self.column[link.to]);
            let is_leftward = to < from;
            let between: Vec<usize> = match is_leftward {
                true => (to + 1..from).rev().collect(),
                false => (from + 1..to).collect(),
            };
            let mut lanes = Vec::new();
            for column in between {
                let lane = *shared
                    .entry((link.to, is_leftward, column))
                    .or_insert_with(|| {
                        self.columns[column].push(self.column.len());
                        self.column.push(column);
                        self.left.push(Vec::new());
                        self.right.push(Vec::new());
                        self.column.len() - 1
                    });
                lanes.push(lane);
            }
            let way: Vec<Item> = [link.from]
                .into_iter()
                .chain(lanes.iter().copied())
                .chain([link.to])
                .collect();
            for step in way.windows(2) {
                let (one, other) = match is_leftward {
                    true => (step[1], step[0]),
                    false => (step[0], step[1]),
                };
                if self.column[one] < self.column[other] && !self.right[one].contains(&other) {
                    self.right[one].push(other);
                    self.left[other].push(one);
                }
            }
            self.lanes.insert((link.from, link.to), lanes);
        }
    }

    /// Puts what is connected at about the same height, so that few lines cross.
    fn sort(&mut self) {
        let mut place = vec![0.0; self.column.len()];
        let number = |items: &[Item], place: &mut Vec<f64>| {
            for (at, item) in items.iter().enumerate() {
                place[*item] = (at as f64 + 0.5) / items.len() as f64;
            }
        };
        for items in &self.columns {
            number(items, &mut place);
        }
        for sweep in 0..SWEEPS {
            let is_rightward = sweep % 2 == 0;
            let count = self.columns.len();
            for at in 0..count {
                let at = if is_rightward { at } else { count - 1 - at };
                let beside = if is_rightward {
                    &self.left
                } else {
                    &self.right
                };
                let items = &mut self.columns[at];
                let wanted: BTreeMap<Item, f64> = items
                    .iter()
                    .map(|item| (*item, mean(&beside[*item], &place).unwrap_or(place[*item])))
                    .collect();
                items.sort_by(|one, other| wanted[one].total_cmp(&wanted[other]));
                number(items, &mut place);
            }
        }
    }
}

/// The mean place of some items; `None` of none.
pub(super) fn mean(items: &[Item], places: &[f64]) -> Option<f64> {
    let sum: f64 = items.iter().map(|item| places[*item]).sum();
    (!items.is_empty()).then(|| sum / items.len() as f64)
}

/// How many references lead on from each box, at most; a reference that closes a circle does not count.
fn ranks(boxes: usize, links: &[Link]) -> Vec<usize> {
    let mut to = vec![Vec::new(); boxes];
    for link in links.iter().filter(|link| link.from != link.to) {
        to[link.from].push(link.to);
    }
    let mut ranks = vec![None; boxes];
    let mut is_on_way = vec![false; boxes];
    for first in 0..boxes {
        // The boxes on the way here, each with the next of its references.
        let mut way = vec![(first, 0)];
        while let Some((node, next)) = way.pop() {
            if ranks[node].is_some() {
                continue;
            }
            is_on_way[node] = true;
            let open = to[node].iter().enumerate().skip(next);
            let mut open = open.filter(|(_, to)| ranks[**to].is_none() && !is_on_way[**to]);
            if let Some((at, to)) = open.next() {
                way.extend([(node, at + 1), (*to, 0)]);
                continue;
            }
            let known = to[node].iter().filter_map(|to| ranks[*to]);
            ranks[node] = Some(known.max().map_or(0, |rank: usize| rank + 1));
            is_on_way[node] = false;
        }
    }
    ranks.into_iter().map(Option::unwrap_or_default).collect()
}

/// Brings what refers to nothing near to what refers to it.
fn pulled(mut ranks: Vec<usize>, links: &[Link]) -> Vec<usize> {
    let known = ranks.clone();
    for node in 0..known.len() {
        let is_last = links
            .iter()
            .all(|link| link.from != node || known[link.to] >= known[node]);
        let of = links.iter().filter(|link| link.to == node);
        let nearest = of
            .map(|link| known[link.from])
            .filter(|rank| *rank > known[node])
            .min();
        if let Some(nearest) = nearest.filter(|_| is_last) {
            ranks[node] = nearest - 1;
        }
    }
    ranks
}

/// The boxes of each rank in columns that are not too high.
fn split(boxes: usize, ranks: &[usize], links: &[Link]) -> Vec<Vec<Item>> {
    let most = ((boxes as f64).sqrt() * 1.5).ceil() as usize;
    let most = most.max(FEWEST);
    let mut by_rank: BTreeMap<usize, Vec<Item>> = BTreeMap::new();
    for (item, rank) in ranks.iter().enumerate() {
        by_rank.entry(*rank).or_default().push(item);
    }
    let mut columns = Vec::new();
    for mut items in by_rank.into_values() {
        // Those with the most lines to the left stand there.
        let lines = |item: &Item| links.iter().filter(|link| link.from == *item).count();
        items.sort_by_key(|item| usize::MAX - lines(item));
        let count = items.len().div_ceil(most);
        let each = items.len().div_ceil(count.max(1));
        columns.extend(items.chunks(each.max(1)).map(|chunk| {
            let mut chunk = chunk.to_vec();
            chunk.sort_unstable();
            chunk
        }));
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(all: &[(usize, usize)]) -> Vec<Link> {
        let link = |&(from, to): &(usize, usize)| Link { from, to, at: 0.0 };
        all.iter().map(link).collect()
    }

    fn ranked(count: usize, all: &[(usize, usize)]) -> Vec<usize> {
        pulled(ranks(count, &links(all)), &links(all))
    }

    #[test]
    fn the_longest_way_gives_the_column_and_roots_stand_near() {
        assert_eq!(ranked(4, &[(1, 0), (2, 1), (2, 0), (2, 3)]), [0, 1, 2, 1]);
        assert_eq!(ranked(3, &[(0, 1), (1, 2), (2, 0)]), [2, 1, 0]);
        assert_eq!(ranked(2, &[(0, 0), (1, 0)]), [0, 1]);
    }

    #[test]
    fn lines_are_uncrossed() {
        let columns = Columns::of(4, &links(&[(2, 1), (3, 0)]));
        let order = |column: usize| columns.all()[column].clone();
        let (left, right) = (order(0), order(1));
        assert_eq!(
            left.iter().position(|item| *item == 0),
            right.iter().position(|item| *item == 3)
        );
    }

    #[test]
    fn lines_to_the_same_box_share_a_lane() {
        let columns = Columns::of(4, &links(&[(1, 0), (2, 1), (2, 0), (3, 1), (3, 0)]));
        assert_eq!(columns.items(), 5);
        let lanes = |from| {
            columns.lanes(&Link {
                from,
                to: 0,
                at: 0.0,
            })
        };
        assert_eq!(lanes(2), lanes(3));
        assert!(columns.is_lane(lanes(2)[0]));
    }
}
