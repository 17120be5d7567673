//! Which items are about what a team may read.
//!
//! An item says that it is about a model (`shop.orders`), about a whole database (`shop`), as queries in SQL are, or about nothing.

use std::collections::BTreeSet;

use svc_model::{Filter, Lookup, ResourceName};

use crate::people::{RightsRule, TeamRights};

impl TeamRights {
    /// Whether an item about this may be read: its model, all models of its database, or nothing that has rights.
    pub fn read_item_about(&self, model: Option<&str>) -> bool {
        match model.map(|model| model.split_once('.').ok_or(model)) {
            None => true,
            Some(Ok((resource, model))) => self.on(resource, model).read,
            Some(Err(resource)) => self.reads_all_of(resource),
        }
    }

    /// The same as a filter of a list of items.
    pub fn readable_items(&self) -> Filter {
        if self.rules().is_empty() && self.reads_rest() {
            return Filter::and([]);
        }
        let (mut read, mut hidden) = (Vec::new(), Vec::new());
        for rule in self.rules() {
            if let (Some(resource), Some(model)) = (&rule.resource, &rule.model) {
                let is_read = self.on(resource.as_str(), model.as_str()).read;
                let list = if is_read { &mut read } else { &mut hidden };
                list.push(format!("{resource}.{model}"));
            }
        }
        // The databases in which the rest is not what it is elsewhere.
        let mut unlike = Vec::new();
        for resource in self.resources() {
            let list = match self.reads_all_of(resource) {
                true => &mut read,
                false => &mut hidden,
            };
            list.push(resource.to_owned());
            if self.on_resource(resource).read != self.reads_rest() {
                let models = format!("{resource}.");
                unlike.push(Filter::field("model", Lookup::Startswith, models));
            }
        }
        let unlike = Filter::or(unlike);
        let rest = match self.reads_rest() {
            true => !unlike,
            false => unlike,
        };
        Filter::or([
            Filter::field("model", Lookup::Isnull, true),
            one_of(read),
            Filter::and([rest, !one_of(hidden)]),
        ])
    }

    /// Whether what no rule names may be read.
    fn reads_rest(&self) -> bool {
        // No resource has this name.
        self.on_resource("").read
    }

    fn reads_all_of(&self, resource: &str) -> bool {
        let is_read = |rule: &RightsRule| match (&rule.resource, &rule.model) {
            (Some(of), Some(model)) if of.as_str() == resource => {
                self.on(resource, model.as_str()).read
            }
            _ => true,
        };
        self.on_resource(resource).read && self.rules().iter().all(is_read)
    }

    /// The databases that rules name, each once.
    fn resources(&self) -> BTreeSet<&str> {
        let rules = self.rules().iter();
        let named = rules.filter_map(|rule| rule.resource.as_ref());
        named.map(ResourceName::as_str).collect()
    }
}

fn one_of(models: Vec<String>) -> Filter {
    match models.is_empty() {
        true => Filter::or([]),
        false => Filter::field("model", Lookup::In, models),
    }
}

#[cfg(test)]
mod tests {
    use svc_model::Operand;

    use super::*;
    use crate::people::Rights;

    /// What a database says of one item.
    fn holds(filter: &Filter, model: Option<&str>) -> Option<bool> {
        match filter {
            Filter::And(all) => {
                let all: Vec<_> = all.iter().map(|one| holds(one, model)).collect();
                match all.contains(&Some(false)) {
                    true => Some(false),
                    false => (!all.contains(&None)).then_some(true),
                }
            }
            Filter::Or(any) => {
                let any: Vec<_> = any.iter().map(|one| holds(one, model)).collect();
                match any.contains(&Some(true)) {
                    true => Some(true),
                    false => (!any.contains(&None)).then_some(false),
                }
            }
            Filter::Not(one) => holds(one, model).map(|holds| !holds),
            Filter::Condition(condition) => match (condition.lookup, &condition.value) {
                (Lookup::Isnull, _) => Some(model.is_none()),
                (Lookup::In, Operand::Many(all)) => {
                    model.map(|model| all.iter().any(|one| one == model))
                }
                (Lookup::Startswith, Operand::One(start)) => {
                    model.map(|model| model.starts_with(start))
                }
                _ => panic!("{condition:?}"),
            },
            _ => panic!("{filter:?}"),
        }
    }

    #[test]
    fn the_filter_of_a_list_and_the_rule_for_one_item_say_the_same() {
        let items = [
            None,
            Some("a"),
            Some("b"),
            Some("c"),
            Some("a.x"),
            Some("a.y"),
            Some("a.z.w"),
            Some("ab.x"),
            Some("b.x"),
            Some("c.x"),
            Some("c."),
            Some(""),
        ];
        let subjects: [(Option<&str>, Option<&str>); 5] = [
            (None, None),
            (Some("a"), None),
            (Some("a"), Some("x")),
            (Some("a"), Some("z.w")),
            (Some("b"), Some("x")),
        ];
        // Each subject has no rule, one that allows, or one that denies.
        for choice in 0..3_u32.pow(5) {
            for group in [true, false] {
                let mut rules = Vec::new();
                for (at, (resource, model)) in subjects.iter().enumerate() {
                    let read = match choice / 3_u32.pow(at as u32) % 3 {
                        0 => continue,
                        said => said == 1,
                    };
                    let rights = Rights::new(read, false, false);
                    let (resource, model) = (resource.map(Into::into), model.map(Into::into));
                    rules.push(RightsRule::new(resource, model, rights));
                }
                let rights = TeamRights::new(Rights::new(group, false, false), rules);
                let filter = rights.readable_items();
                for item in items {
                    assert_eq!(
                        holds(&filter, item).unwrap_or(false),
                        rights.read_item_about(item),
                        "{item:?} {rights:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_query_over_a_database_is_for_who_may_read_all_of_it() {
        let reads = |read| Rights::new(read, false, false);
        let denied = RightsRule::new(Some("a".into()), Some("x".into()), reads(false));
        let rights = TeamRights::new(reads(true), vec![denied]);
        assert!(rights.read_item_about(Some("b")) && rights.read_item_about(Some("a.y")));
        assert!(!rights.read_item_about(Some("a")) && !rights.read_item_about(Some("a.x")));
    }
}
