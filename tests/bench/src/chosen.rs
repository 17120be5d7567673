//! Which cases a run measures.

use std::str::FromStr;

use clap::ValueEnum;

use crate::cases::{self, CASES, Case};

/// Cases that are measured together, in a file of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The cost of the Rust client.
    Client,
    /// The cost of the HTTP proxy.
    Proxy,
    /// A database of many tables.
    Models,
    /// Calls of increasing size.
    Linear,
    /// Streams of HTTP/2 beside connections of HTTP/1.
    Http2,
    /// Memory and the size of the program.
    Footprint,
    /// The single requests that [`Chosen::cases`] names.
    #[value(skip)]
    Requests,
    /// The cost of signing in.
    Accounts,
    /// Long lists of pages.
    Pages,
    /// The administration beside the records.
    Administration,
    /// Several services over one store.
    Nodes,
    /// Creates with the audit trail beside those without.
    Audit,
    /// Related records, upserts and quick counts, each beside the call without it.
    Extensions,
    /// Requests to a large table beside those to a small one.
    Sizes,
    /// Places of the console beside what they ask of the service.
    Console,
    /// Exports and imports.
    Transfer,
    /// Attacks on the service.
    Attacks,
}

impl Part {
    /// All of them in the order in which they run. The requests add to the small table, so what depends on its size
    /// comes before them, or has a copy of its own.
    const ORDER: [Self; 17] = [
        Self::Client,
        Self::Proxy,
        Self::Models,
        Self::Linear,
        Self::Http2,
        Self::Footprint,
        Self::Requests,
        Self::Accounts,
        Self::Pages,
        Self::Administration,
        Self::Nodes,
        Self::Audit,
        Self::Extensions,
        Self::Sizes,
        Self::Console,
        Self::Transfer,
        Self::Attacks,
    ];

    /// Whether it is measured when no case is named.
    fn is_usual(self) -> bool {
        !matches!(self, Self::Linear | Self::Attacks)
    }
}

/// What `--case` names.
#[derive(Clone, Copy, Debug)]
pub enum Name {
    Case(&'static Case),
    Part(Part),
}

impl FromStr for Name {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match Part::from_str(name, false) {
            Ok(part) => Ok(Self::Part(part)),
            Err(_) => cases::named(name).map(Self::Case).map_err(|cases| {
                let parts = Part::value_variants().iter();
                let parts: Vec<_> = parts.filter_map(Part::to_possible_value).collect();
                let parts: Vec<_> = parts.iter().map(|part| part.get_name()).collect();
                format!("{cases}, {}", parts.join(", "))
            }),
        }
    }
}

/// What is measured, in its order.
#[derive(Debug)]
pub struct Chosen {
    pub parts: Vec<Part>,
    /// The cases of [`Part::Requests`].
    pub cases: Vec<&'static Case>,
}

impl Chosen {
    /// What these names choose; without a name all but what is only measured on demand.
    pub fn of(names: &[Name]) -> Self {
        if names.is_empty() {
            return Self {
                parts: Part::ORDER
                    .into_iter()
                    .filter(|part| part.is_usual())
                    .collect(),
                cases: CASES.iter().collect(),
            };
        }
        let is_named = |part: Part| {
            names.iter().any(|name| match name {
                Name::Case(_) => part == Part::Requests,
                Name::Part(named) => part == *named,
            })
        };
        let case = |name: &Name| match name {
            Name::Case(case) => Some(*case),
            Name::Part(_) => None,
        };
        Self {
            parts: Part::ORDER.into_iter().filter(|it| is_named(*it)).collect(),
            cases: names.iter().filter_map(case).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(names: &[&str]) -> Chosen {
        let names: Vec<Name> = names.iter().map(|name| name.parse().unwrap()).collect();
        Chosen::of(&names)
    }

    #[test]
    fn each_part_is_in_the_order() {
        for part in Part::value_variants() {
            assert!(Part::ORDER.contains(part), "{part:?}");
        }
    }

    #[test]
    fn without_a_name_all_that_has_a_goal_is_measured() {
        let all = chosen(&[]);
        assert_eq!(all.cases.len(), CASES.len());
        assert_eq!(all.parts.len(), Part::ORDER.len() - 2);
        assert!(!all.parts.contains(&Part::Attacks) && !all.parts.contains(&Part::Linear));
    }

    #[test]
    fn what_is_named_is_measured_alone_and_in_its_order() {
        let one = chosen(&["models"]);
        assert_eq!(one.parts, [Part::Models]);
        assert!(one.cases.is_empty());
        let several = chosen(&["pages", "retrieve", "http2"]);
        assert_eq!(several.parts, [Part::Http2, Part::Requests, Part::Pages]);
        assert_eq!(several.cases.len(), 1);
    }

    #[test]
    fn single_requests_have_no_common_name() {
        assert!("requests".parse::<Name>().is_err());
    }
}
