//! What a team may do with records: the rights of the closest rule, else those that the team begins with. The service decides
//! by the same order; here it is shown.

use svc_model::administration::{rights::Rule, teams::Team};

use crate::texts::Texts;

/// What may be done with records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::places) struct Granted {
    pub(super) read: bool,
    pub(super) write: bool,
    pub(super) delete: bool,
}

impl Granted {
    pub(super) const NOTHING: Self = Self::new(false, false, false);
    pub(super) const READ: Self = Self::new(true, false, false);
    pub(super) const WRITE: Self = Self::new(true, true, false);
    pub(super) const ALL: Self = Self::new(true, true, true);

    const fn new(read: bool, write: bool, delete: bool) -> Self {
        Self {
            read,
            write,
            delete,
        }
    }

    /// The rights that these words name.
    pub(super) fn of_words<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let mut granted = Self::NOTHING;
        for word in words {
            match word {
                "read" => granted.read = true,
                "write" => granted.write = true,
                "delete" => granted.delete = true,
                _ => {}
            }
        }
        granted
    }

    /// The rights of a rule.
    pub(super) fn of(rule: &Rule) -> Self {
        Self::of_words(rule.rights.iter().map(String::as_str))
    }

    /// What a team may do where no rule says otherwise.
    pub(super) fn of_group(team: &Team) -> Self {
        match team.permissions_group.as_str() {
            "read_only" => Self::READ,
            _ => Self::ALL,
        }
    }

    /// The words of these rights.
    pub(super) fn words(self) -> Vec<&'static str> {
        let all = [
            (self.read, "read"),
            (self.write, "write"),
            (self.delete, "delete"),
        ];
        all.into_iter()
            .filter_map(|(has, word)| has.then_some(word))
            .collect()
    }

    /// The rights in words.
    pub(super) fn text(self, texts: &Texts) -> String {
        match (self.read, self.write, self.delete) {
            (false, false, false) => texts.get("rights-nothing"),
            (true, false, false) => texts.get("rights-read"),
            (true, true, false) => texts.get("rights-read-write"),
            (true, true, true) => texts.get("rights-all"),
            (true, false, true) => texts.get("rights-read-delete"),
            (false, true, false) => texts.get("rights-write"),
            (false, false, true) => texts.get("rights-delete"),
            (false, true, true) => texts.get("rights-write-delete"),
        }
    }
}

/// What rights are about: everything, a database, or one of its models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject<'s> {
    Everything,
    Resource(&'s str),
    Model(&'s str, &'s str),
}

impl<'s> Subject<'s> {
    fn resource(self) -> Option<&'s str> {
        match self {
            Self::Everything => None,
            Self::Resource(resource) | Self::Model(resource, _) => Some(resource),
        }
    }

    fn model(self) -> Option<&'s str> {
        match self {
            Self::Model(_, model) => Some(model),
            _ => None,
        }
    }

    /// Whether a rule is about this itself, and not about something that it is part of.
    pub(super) fn is_of(self, rule: &Rule) -> bool {
        rule.resource.as_ref().map(AsRef::as_ref) == self.resource()
            && rule.model.as_ref().map(AsRef::as_ref) == self.model()
    }

    /// Whether a rule is about this, or about something that it is part of.
    fn is_within(self, rule: &Rule) -> bool {
        let (resource, model) = (rule.resource.as_ref(), rule.model.as_ref());
        resource.is_none_or(|known| Some(known.as_str()) == self.resource())
            && model.is_none_or(|known| Some(known.as_str()) == self.model())
    }
}

/// A team with those of the rules that are about it and an environment.
#[derive(Debug)]
pub(super) struct TeamRights<'t> {
    pub(super) team: &'t Team,
    rules: Vec<&'t Rule>,
}

impl<'t> TeamRights<'t> {
    /// Of all rules those of a team that hold in an environment.
    pub(super) fn new(team: &'t Team, rules: &'t [Rule], environment: &str) -> Self {
        let is_here = |rule: &&Rule| {
            let wanted = rule.environment.as_ref();
            rule.team.uid == team.uid.as_str()
                && wanted.is_none_or(|wanted| wanted.as_str() == environment)
        };
        Self {
            team,
            rules: rules.iter().filter(is_here).collect(),
        }
    }

    /// The rules that are about something or what it is part of, the one that counts first.
    pub(super) fn ladder(&self, subject: Subject<'_>) -> Vec<&'t Rule> {
        let within = self.rules.iter().filter(|rule| subject.is_within(rule));
        let mut within: Vec<&Rule> = within.copied().collect();
        within.sort_by_key(|rule| {
            std::cmp::Reverse((
                rule.resource.is_some(),
                rule.model.is_some(),
                rule.environment.is_some(),
            ))
        });
        within
    }

    /// The rules about a thing itself: the one of this environment, and the one of all.
    pub(super) fn own(&self, subject: Subject<'_>) -> (Option<&'t Rule>, Option<&'t Rule>) {
        let mut own = self.rules.iter().filter(|rule| subject.is_of(rule));
        let here = own.clone().find(|rule| rule.environment.is_some());
        let all = own.find(|rule| rule.environment.is_none());
        (here.copied(), all.copied())
    }

    /// What the team may do, and whether a rule about the thing itself says so.
    pub(super) fn on(&self, subject: Subject<'_>) -> (Granted, bool) {
        if self.team.super_group {
            return (Granted::ALL, false);
        }
        match self.ladder(subject).first() {
            Some(rule) => (Granted::of(rule), subject.is_of(rule)),
            None => (Granted::of_group(self.team), false),
        }
    }

    /// What the team may do with a thing that has no rule of its own.
    pub(super) fn inherited(&self, subject: Subject<'_>) -> Granted {
        let ladder = self.ladder(subject);
        let mut above = ladder.iter().filter(|rule| !subject.is_of(rule));
        above
            .next()
            .map_or_else(|| Granted::of_group(self.team), |rule| Granted::of(rule))
    }

    /// The models of a database that have rules of their own, with what may be done with them.
    pub(super) fn exceptions(&self, resource: &str) -> Vec<(&'t str, Granted)> {
        let (whole, _) = self.on(Subject::Resource(resource));
        let of_models = self.rules.iter().filter_map(|rule| {
            let is_here = rule.resource.as_ref().map(AsRef::as_ref) == Some(resource);
            rule.model.as_ref().filter(|_| is_here)
        });
        let mut models: Vec<&str> = of_models.map(AsRef::as_ref).collect();
        models.sort_unstable();
        models.dedup();
        let granted = models
            .into_iter()
            .map(|model| (model, self.on(Subject::Model(resource, model)).0));
        granted.filter(|(_, granted)| *granted != whole).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule(place: [Option<&str>; 3], rights: &[&str]) -> Rule {
        let [environment, resource, model] = place;
        let rule = json!({
            "uid": "r", "team": {"uid": "t", "name": "Guests"}, "environment": environment, "resource": resource,
            "model": model, "rights": rights,
        });
        serde_json::from_value(rule).unwrap()
    }

    fn team(group: &str) -> Team {
        let team = json!({
            "uid": "t", "name": "Guests", "permissions_group": group, "super_group": false, "date_add": "",
        });
        serde_json::from_value(team).unwrap()
    }

    #[test]
    fn the_closest_rule_counts_and_a_model_is_closer_than_an_environment() {
        let rules = [
            rule([None, None, None], &[]),
            rule([None, Some("shop"), Some("orders")], &["read"]),
            rule([Some("prod"), Some("shop"), None], &["read", "write"]),
            rule([Some("dev"), Some("shop"), Some("orders")], &["delete"]),
        ];
        let team = team("editor");
        let here = TeamRights::new(&team, &rules, "prod");
        let orders = Subject::Model("shop", "orders");
        assert_eq!(here.on(orders), (Granted::READ, true));
        assert_eq!(here.inherited(orders), Granted::WRITE);
        assert_eq!(
            here.on(Subject::Model("shop", "parts")),
            (Granted::WRITE, false)
        );
        assert_eq!(
            here.on(Subject::Resource("other")),
            (Granted::NOTHING, false)
        );
        assert_eq!(here.exceptions("shop"), [("orders", Granted::READ)]);
        let dev = TeamRights::new(&team, &rules, "dev");
        let (of_dev, of_all) = dev.own(orders);
        assert_eq!(dev.on(orders).0.words(), ["delete"]);
        assert!(of_dev.is_some() && of_all.is_some());
    }

    #[test]
    fn a_team_without_rules_may_do_what_it_begins_with() {
        let reader = team("read_only");
        let rights = TeamRights::new(&reader, &[], "prod");
        assert_eq!(rights.on(Subject::Everything), (Granted::READ, false));
        let editor = team("editor");
        let rights = TeamRights::new(&editor, &[], "prod");
        assert_eq!(rights.on(Subject::Resource("a")), (Granted::ALL, false));
    }
}
