//! How high the items of columns stand: near to what they are connected with, and apart from each other.

use super::columns::{Columns, Item, mean};

/// The space between boxes, and beside a lane.
const GAP: f64 = 20.0;
/// The space between lanes.
const LANE: f64 = 10.0;
/// How often the heights are looked at again.
const SWEEPS: usize = 7;

/// The upper ends of all items, with boxes of these heights.
pub(super) fn tops(columns: &Columns, heights: &[f64]) -> Vec<f64> {
    let height = |item: Item| heights.get(item).copied().unwrap_or_default();
    // How far below the top of one the next one is, at least.
    let apart = |one: Item, next: Item| {
        let gap = match columns.is_lane(one) && columns.is_lane(next) {
            true => LANE,
            false => GAP,
        };
        height(one) + gap
    };
    let mut middles = vec![0.0; columns.items()];
    for items in columns.all() {
        place(items, &vec![0.0; items.len()], apart, height, &mut middles);
    }
    for sweep in 0..SWEEPS {
        let is_last = sweep + 1 == SWEEPS;
        let is_rightward = sweep % 2 == 0;
        let count = columns.count();
        for at in 0..count {
            let at = if is_rightward { at } else { count - 1 - at };
            let Some(items) = columns.all().get(at) else {
                continue;
            };
            let wanted = items.iter().map(|item| {
                let sides = [columns.left(*item), columns.right(*item)];
                let both = sides.concat();
                let beside = match (is_last, is_rightward) {
                    (true, _) => &both,
                    (false, true) => sides[0],
                    (false, false) => sides[1],
                };
                let middle = mean(beside, &middles).unwrap_or(middles[*item]);
                middle - height(*item) / 2.0
            });
            let wanted: Vec<f64> = wanted.collect();
            place(items, &wanted, apart, height, &mut middles);
        }
    }
    let tops = middles.iter().enumerate();
    let tops: Vec<f64> = tops
        .map(|(item, middle)| middle - height(item) / 2.0)
        .collect();
    let highest = tops.iter().copied().fold(f64::INFINITY, f64::min);
    tops.into_iter()
        .map(|top| (top - highest).round())
        .collect()
}

/// Places the items of a column near to where they want to be, in their order.
fn place(
    items: &[Item],
    wanted: &[f64],
    apart: impl Fn(Item, Item) -> f64,
    height: impl Fn(Item) -> f64,
    middles: &mut [f64],
) {
    // Pushed downwards and pushed upwards: the mean of both keeps them apart too.
    let mut down = wanted.to_vec();
    for at in 1..down.len() {
        let least = down[at - 1] + apart(items[at - 1], items[at]);
        down[at] = down[at].max(least);
    }
    let mut up = wanted.to_vec();
    for at in (1..up.len()).rev() {
        let most = up[at] - apart(items[at - 1], items[at]);
        up[at - 1] = up[at - 1].min(most);
    }
    for (item, (down, up)) in items.iter().zip(down.iter().zip(&up)) {
        middles[*item] = (down + up) / 2.0 + height(*item) / 2.0;
    }
}
