//! The pages of both layers in the order of the tree.

use std::{
    cmp::Ordering,
    collections::{HashMap, HashSet},
};

use svc_model::{PageSettings, PageUid};

use super::{
    content::{order_of, parent_of, title_of},
    place::State,
};

/// A page in the tree.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) uid: PageUid,
    pub(super) title: String,
    pub(super) unique_name: String,
    pub(super) view: String,
    pub(super) state: State,
    /// How many pages are above this one.
    pub(super) depth: usize,
    /// What the page above is called.
    pub(super) above: Option<String>,
    parent: Option<String>,
    order: Option<f64>,
}

impl Entry {
    fn new(page: &PageSettings, state: State) -> Option<Self> {
        Some(Self {
            uid: page.uid()?,
            title: title_of(page),
            unique_name: page.unique_name().unwrap_or_default(),
            view: page.view().unwrap_or_default(),
            state,
            depth: 0,
            above: None,
            parent: parent_of(page),
            order: order_of(page),
        })
    }
}

/// The pages, each behind the one that it is below. A page whose parent is not there, or is below the page itself, is at
/// the top.
pub(super) fn tree(drafts: &[PageSettings], published: &[PageSettings]) -> Vec<Entry> {
    let (in_drafts, is_published) = (uids(drafts), uids(published));
    let of_drafts = drafts.iter().filter_map(|page| {
        let state = match (page.draft(), is_published.contains(&page.uid()?)) {
            (false, _) => State::Published,
            (true, true) => State::Changed,
            (true, false) => State::New,
        };
        Entry::new(page, state)
    });
    let deleted = published.iter().filter_map(|page| {
        let is_deleted = page.draft() && !in_drafts.contains(&page.uid()?);
        match is_deleted {
            true => Entry::new(page, State::Deleted),
            false => None,
        }
    });
    arranged(of_drafts.chain(deleted).collect())
}

/// The unique names of a page and of all below it.
pub(super) fn below<'e>(entries: &'e [Entry], unique_name: &str) -> Vec<&'e str> {
    let Some(at) = entries
        .iter()
        .position(|entry| entry.unique_name == unique_name)
    else {
        return Vec::new();
    };
    let depth = entries.get(at).map_or(0, |entry| entry.depth);
    let rest = entries.iter().skip(at + 1);
    let below = rest.take_while(|entry| entry.depth > depth);
    let first = entries.iter().skip(at).take(1);
    first
        .chain(below)
        .map(|entry| entry.unique_name.as_str())
        .collect()
}

fn uids(pages: &[PageSettings]) -> HashSet<PageUid> {
    pages.iter().filter_map(PageSettings::uid).collect()
}

fn arranged(mut entries: Vec<Entry>) -> Vec<Entry> {
    // Pages without a number come last, in the order in which they were made.
    entries.sort_by(|a, b| match (a.order, b.order) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (at, entry) in entries.iter().enumerate() {
        places.entry(&entry.unique_name).or_insert(at);
    }
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); entries.len()];
    let mut roots = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let parent = entry.parent.as_deref().and_then(|name| places.get(name));
        match parent.and_then(|parent| below.get_mut(*parent)) {
            Some(children) => children.push(at),
            None => roots.push(at),
        }
    }
    // Pages in a circle have no root: the first of them is made one.
    roots.extend(0..entries.len());
    let mut seen = vec![false; entries.len()];
    let mut order = Vec::with_capacity(entries.len());
    for root in roots {
        let mut open = vec![(root, 0_usize, None)];
        while let Some((at, depth, above)) = open.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            order.push((at, depth, above));
            let children = below[at].iter().rev();
            open.extend(children.map(|child| (*child, depth + 1, Some(at))));
        }
    }
    let titles: Vec<String> = entries.iter().map(|entry| entry.title.clone()).collect();
    let mut left: Vec<Option<Entry>> = entries.into_iter().map(Some).collect();
    let arranged = order.into_iter().filter_map(|(at, depth, above)| {
        let mut entry = left.get_mut(at)?.take()?;
        entry.depth = depth;
        entry.above = above.and_then(|above: usize| titles.get(above).cloned());
        Some(entry)
    });
    arranged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(rows: &[&str]) -> Vec<PageSettings> {
        let rows = rows.iter().map(|row| serde_json::from_str(row).unwrap());
        rows.collect()
    }

    fn shown(entries: &[Entry]) -> Vec<(usize, &str)> {
        let shown = entries.iter();
        shown
            .map(|entry| (entry.depth, entry.unique_name.as_str()))
            .collect()
    }

    #[test]
    fn pages_are_below_their_parents_in_their_order() {
        let drafts = pages(&[
            r#"{"uid":"1","unique_name":"a"}"#,
            r#"{"uid":"2","unique_name":"b","parent":"c","order":2}"#,
            r#"{"uid":"3","unique_name":"c","order":1}"#,
            r#"{"uid":"4","unique_name":"d","parent":"c","order":1.5}"#,
            r#"{"uid":"5","unique_name":"e","parent":"gone"}"#,
            r#"{"uid":"6","unique_name":"f","parent":"b"}"#,
        ]);
        let tree = tree(&drafts, &[]);
        let expected = [(0, "c"), (1, "d"), (1, "b"), (2, "f"), (0, "a"), (0, "e")];
        assert_eq!(shown(&tree), expected);
        assert_eq!(below(&tree, "b"), ["b", "f"]);
        assert_eq!(below(&tree, "c"), ["c", "d", "b", "f"]);
        assert_eq!(below(&tree, "gone"), Vec::<&str>::new());
    }

    #[test]
    fn every_page_is_shown_once_even_in_a_circle() {
        let drafts = pages(&[
            r#"{"uid":"1","unique_name":"a","parent":"b"}"#,
            r#"{"uid":"2","unique_name":"b","parent":"a"}"#,
            r#"{"uid":"3","unique_name":"c","parent":"c"}"#,
        ]);
        assert_eq!(shown(&tree(&drafts, &[])), [(0, "a"), (1, "b"), (0, "c")]);
    }

    #[test]
    fn the_state_of_a_page_is_what_both_layers_say() {
        let drafts = pages(&[
            r#"{"uid":"1","unique_name":"a"}"#,
            r#"{"uid":"2","unique_name":"b","draft":true}"#,
            r#"{"uid":"3","unique_name":"c","draft":true}"#,
        ]);
        let published = pages(&[
            r#"{"uid":"1","unique_name":"a"}"#,
            r#"{"uid":"2","unique_name":"b","draft":true}"#,
            r#"{"uid":"4","unique_name":"d","draft":true}"#,
        ]);
        let states: Vec<State> = tree(&drafts, &published)
            .iter()
            .map(|entry| entry.state)
            .collect();
        let expected = [State::Published, State::Changed, State::New, State::Deleted];
        assert_eq!(states, expected);
    }
}
