//! Filters: those that must all hold, and alternatives of which one must hold.

pub(super) mod builder;
pub(super) mod chips;
mod lookups;

use svc_model::{Condition, FieldFilter, Filter, ListQuery};

/// The conditions of an address, as far as a form can change them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Conditions {
    /// Those that must all hold.
    all: Vec<FieldFilter>,
    /// Groups of which one must hold as a whole.
    groups: Vec<Vec<FieldFilter>>,
    /// A tree that is deeper than the form, which can only be removed.
    other: Option<Filter>,
}

/// Where a condition is: in a group, or among those that must all hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct At {
    group: Option<usize>,
    index: usize,
}

impl At {
    /// Reads what [`text`](Self::text) writes.
    fn read(text: &str) -> Option<Self> {
        let (group, index) = match text.split_once('.') {
            Some((group, index)) => (Some(group.parse().ok()?), index),
            None => (None, text),
        };
        Some(Self {
            group,
            index: index.parse().ok()?,
        })
    }

    fn text(self) -> String {
        match self.group {
            Some(group) => format!("{group}.{}", self.index),
            None => self.index.to_string(),
        }
    }
}

impl Conditions {
    fn of(query: &ListQuery) -> Self {
        let mut conditions = Self {
            all: query.filters.clone(),
            ..Self::default()
        };
        match &query.filter {
            None => {}
            Some(tree) => match groups_of(tree) {
                Some(groups) => conditions.groups = groups,
                None => conditions.other = Some(tree.clone()),
            },
        }
        conditions
    }

    /// Writes them into a query.
    fn put_into(&self, query: &mut ListQuery) {
        query.filters.clone_from(&self.all);
        let groups = self.groups.iter().filter(|group| !group.is_empty());
        let groups: Vec<Filter> = groups
            .map(|group| Filter::and(group.iter().map(leaf)))
            .collect();
        query.filter = match (groups.is_empty(), &self.other) {
            (true, other) => other.clone(),
            (false, None) => Some(Filter::Or(groups)),
            (false, Some(other)) => Some(Filter::and([other.clone(), Filter::Or(groups)])),
        };
    }

    /// How many there are.
    fn count(&self) -> usize {
        let grouped: usize = self.groups.iter().map(Vec::len).sum();
        self.all.len() + grouped + usize::from(self.other.is_some())
    }

    fn get(&self, at: At) -> Option<&FieldFilter> {
        match at.group {
            None => self.all.get(at.index),
            Some(group) => self.groups.get(group)?.get(at.index),
        }
    }

    fn remove(&mut self, at: At) {
        let list = match at.group {
            None => Some(&mut self.all),
            Some(group) => self.groups.get_mut(group),
        };
        if let Some(list) = list.filter(|list| at.index < list.len()) {
            list.remove(at.index);
        }
    }

    /// Adds one to a group; to a new one behind the last, and with none to those that must all hold.
    fn add(&mut self, filter: FieldFilter, group: Option<usize>) {
        match group {
            None => self.all.push(filter),
            Some(group) => match self.groups.get_mut(group) {
                Some(group) => group.push(filter),
                None => self.groups.push(vec![filter]),
            },
        }
    }
}

/// A tree as alternatives; `None` where it is another one.
fn groups_of(tree: &Filter) -> Option<Vec<Vec<FieldFilter>>> {
    let Filter::Or(groups) = tree else {
        return None;
    };
    let groups = groups.iter().map(|group| match group {
        Filter::And(leaves) if !leaves.is_empty() => leaves.iter().map(filter_of).collect(),
        Filter::And(_) => None,
        one => filter_of(one).map(|one| vec![one]),
    });
    groups.collect()
}

fn filter_of(leaf: &Filter) -> Option<FieldFilter> {
    let plain = |condition: &Condition, exclude| FieldFilter {
        condition: condition.clone(),
        exclude,
    };
    match leaf {
        Filter::Condition(condition) => Some(plain(condition, false)),
        Filter::Not(inner) => match &**inner {
            Filter::Condition(condition) => Some(plain(condition, true)),
            _ => None,
        },
        _ => None,
    }
}

fn leaf(filter: &FieldFilter) -> Filter {
    let condition = Filter::Condition(filter.condition.clone());
    match filter.exclude {
        true => !condition,
        false => condition,
    }
}

#[cfg(test)]
mod tests {
    use svc_model::Lookup;

    use super::*;

    #[test]
    fn alternatives_are_read_back_and_deeper_trees_are_left_alone() {
        let one = |field: &str, exclude| FieldFilter {
            condition: Condition::new(field, Lookup::Icontains, "x"),
            exclude,
        };
        let mut conditions = Conditions::default();
        conditions.add(one("a", false), None);
        conditions.add(one("b", true), Some(0));
        conditions.add(one("c", false), Some(0));
        conditions.add(one("d", false), Some(1));
        let mut query = ListQuery::new();
        conditions.put_into(&mut query);
        assert_eq!(Conditions::of(&query), conditions);
        assert_eq!(conditions.count(), 4);
        let at = At::read("0.1").unwrap();
        assert_eq!(conditions.get(at), Some(&one("c", false)));
        assert_eq!(at.text(), "0.1");
        conditions.remove(At::read("1.0").unwrap());
        conditions.put_into(&mut query);
        assert_eq!(Conditions::of(&query).groups.len(), 1);

        let deep = Filter::and([Filter::or([])]);
        query.filter = Some(deep.clone());
        let mut conditions = Conditions::of(&query);
        assert_eq!(conditions.other, Some(deep.clone()));
        conditions.add(one("d", false), Some(0));
        conditions.put_into(&mut query);
        assert!(matches!(&query.filter, Some(Filter::And(both)) if both[0] == deep));
    }
}
