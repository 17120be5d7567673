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
        if let Some(tree) = &query.filter {
            conditions.read(tree);
        }
        conditions
    }

    /// Reads a tree, which holds together with what is there already.
    fn read(&mut self, tree: &Filter) {
        let parts = match tree {
            Filter::And(parts) if !parts.is_empty() => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut others = Vec::new();
        for part in parts {
            match (filter_of(part), groups_of(part)) {
                (Some(filter), _) => self.all.push(filter),
                (None, Some(groups)) if self.groups.is_empty() => self.groups = groups,
                _ => others.push(part.clone()),
            }
        }
        self.other = match others.len() {
            0 => None,
            1 => others.pop(),
            _ => Some(Filter::And(others)),
        };
        self.tidy();
    }

    /// Leaves out alternatives without conditions. Where a single one is left, its conditions must all hold.
    fn tidy(&mut self) {
        self.groups.retain(|group| !group.is_empty());
        if self.groups.len() == 1 {
            self.all.extend(self.groups.drain(..).flatten());
        }
    }

    /// Writes them into a query.
    fn put_into(&self, query: &mut ListQuery) {
        let mut conditions = self.clone();
        conditions.tidy();
        query.filters.clear();
        let mut tree = Vec::new();
        for (at, filter) in conditions.all.iter().enumerate() {
            if conditions.all.iter().take(at).any(|known| known == filter) {
                continue;
            }
            // Of a key that is there twice, only the last one would hold.
            match query.filters.iter().any(|it| has_same_key(it, filter)) {
                true => tree.push(leaf(filter)),
                false => query.filters.push(filter.clone()),
            }
        }
        if !conditions.groups.is_empty() {
            let groups = conditions.groups.iter();
            tree.push(Filter::or(groups.map(|group| match &group[..] {
                [only] => leaf(only),
                several => Filter::and(several.iter().map(leaf)),
            })));
        }
        tree.extend(conditions.other);
        query.filter = match tree.len() {
            0 => None,
            1 => tree.pop(),
            _ => Some(Filter::And(tree)),
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
        let Some(group) = group else {
            return self.all.push(filter);
        };
        if self.groups.is_empty() {
            // The first alternative is another one to all that is there.
            self.groups.push(std::mem::take(&mut self.all));
            self.groups.push(vec![filter]);
            return;
        }
        match self.groups.get_mut(group) {
            Some(group) => group.push(filter),
            None => self.groups.push(vec![filter]),
        }
    }
}

/// The query with one more filter, which holds together with those that are there.
pub(crate) fn narrowed(query: &ListQuery, filter: FieldFilter) -> ListQuery {
    let mut narrowed = query.clone();
    let mut conditions = Conditions::of(query);
    conditions.add(filter, None);
    conditions.put_into(&mut narrowed);
    narrowed
}

fn has_same_key(one: &FieldFilter, other: &FieldFilter) -> bool {
    let key = |it: &FieldFilter| (it.condition.field.clone(), it.condition.lookup, it.exclude);
    key(one) == key(other)
}

/// A tree as alternatives; `None` where it is another one.
fn groups_of(tree: &Filter) -> Option<Vec<Vec<FieldFilter>>> {
    let Filter::Or(groups) = tree else {
        return None;
    };
    // Of no alternatives none holds.
    if groups.is_empty() {
        return None;
    }
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
        conditions.add(one("b", true), None);
        conditions.add(one("c", false), None);
        conditions.add(one("d", false), Some(0));
        conditions.add(one("a", false), None);
        let mut query = ListQuery::new();
        conditions.put_into(&mut query);
        assert_eq!(Conditions::of(&query), conditions);
        assert_eq!(conditions.count(), 4);
        let at = At::read("0.1").unwrap();
        assert_eq!(conditions.get(at), Some(&one("c", false)));
        assert_eq!(at.text(), "0.1");
        // One of two alternatives was removed: the conditions of the other must all hold.
        conditions.remove(At::read("1.0").unwrap());
        conditions.put_into(&mut query);
        let all = vec![one("a", false), one("b", true), one("c", false)];
        assert_eq!(Conditions::of(&query).all, all);
        assert_eq!(query.filter, None);

        let deep = Filter::or([Filter::or([])]);
        let false_one = Filter::or([]);
        query.filter = Some(Filter::and([deep.clone(), false_one.clone()]));
        let mut conditions = Conditions::of(&query);
        let both = Some(Filter::and([deep, false_one]));
        assert_eq!(conditions.other, both);
        conditions.add(one("d", false), Some(0));
        conditions.put_into(&mut query);
        let read = Conditions::of(&query);
        assert_eq!((read.groups.len(), read.other), (2, both));
    }

    #[test]
    fn filters_of_one_field_all_hold() {
        let is_field = |name: &str| name == "n";
        let wanted = |query: &str| ListQuery::parse(query, &is_field).unwrap();
        let one = |lookup, value: &str| FieldFilter {
            condition: Condition::new("n", lookup, value),
            exclude: false,
        };
        let query = narrowed(&wanted("n__ne=3"), one(Lookup::Ne, "4"));
        let query = narrowed(&query, one(Lookup::Ne, "4"));
        let text = query.to_query_string();
        let read = Conditions::of(&wanted(text.as_str()));
        assert_eq!(read.all, [one(Lookup::Ne, "3"), one(Lookup::Ne, "4")]);
        assert_eq!((read.groups.len(), read.other), (0, None));
        let same = narrowed(&wanted("n__ne=3"), one(Lookup::Ne, "3"));
        assert_eq!(same.to_query_string().as_str(), "n__ne=3");
    }

    #[test]
    fn another_alternative_to_one_condition_is_an_or() {
        let is_field = |name: &str| name == "n";
        let mut query = ListQuery::parse("n=3", &is_field).unwrap();
        let four = FieldFilter {
            condition: Condition::new("n", Lookup::Exact, "4"),
            exclude: false,
        };
        let mut conditions = Conditions::of(&query);
        conditions.add(four, Some(0));
        conditions.put_into(&mut query);
        assert!(query.filters.is_empty());
        assert!(matches!(&query.filter, Some(Filter::Or(both)) if both.len() == 2));
    }
}
