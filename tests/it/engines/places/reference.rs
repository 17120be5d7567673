//! What conditions on places mean, on values that keep the digits of their numbers.

use std::{cmp::Ordering, collections::BTreeMap};

use serde_json::{Value, json};

use super::Spelling;

/// Numbers as they are written, and a thousand times what they mean.
pub const NUMBERS: [(&str, i128); 20] = [
    ("0", 0),
    ("-0.0", 0),
    ("1", 1_000),
    ("1.0", 1_000),
    ("1.500", 1_500),
    ("-1", -1_000),
    ("2", 2_000),
    ("10", 10_000),
    ("1e1", 10_000),
    ("1E2", 100_000),
    ("0.1", 100),
    ("0.10", 100),
    ("25e-2", 250),
    ("9007199254740992", 9_007_199_254_740_992_000),
    ("9007199254740993", 9_007_199_254_740_993_000),
    ("9223372036854775808", 9_223_372_036_854_775_808_000),
    ("-9223372036854775809", -9_223_372_036_854_775_809_000),
    ("18446744073709551616", 18_446_744_073_709_551_616_000),
    (
        "12345678901234567890123",
        12_345_678_901_234_567_890_123_000,
    ),
    (
        "12345678901234567890123.5",
        12_345_678_901_234_567_890_123_500,
    ),
];

/// A document, or a value inside it.
#[derive(Clone, Debug)]
pub enum Doc {
    Null,
    Bool(bool),
    /// A number of [`NUMBERS`].
    Number(&'static str, i128),
    Text(String),
    Array(Vec<Self>),
    Object(BTreeMap<String, Self>),
}

impl PartialEq for Doc {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Number(_, one), Self::Number(_, other)) => one == other,
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::Array(one), Self::Array(other)) => one == other,
            (Self::Object(one), Self::Object(other)) => one == other,
            _ => false,
        }
    }
}

impl Doc {
    /// The document as JSON text.
    pub fn write(&self, spelling: Spelling) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(truth) => truth.to_string(),
            Self::Number(written, _) => (*written).to_owned(),
            Self::Text(text) => write_text(text, spelling),
            Self::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| item.write(spelling)).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Object(members) => {
                let members: Vec<_> = members
                    .iter()
                    .map(|(name, value)| {
                        format!("{}: {}", write_text(name, spelling), value.write(spelling))
                    })
                    .collect();
                format!("{{{}}}", members.join(", "))
            }
        }
    }

    fn at(&self, path: &[Step]) -> Option<&Self> {
        path.iter().try_fold(self, |here, step| match (here, step) {
            (Self::Object(members), Step::Member(name)) => members.get(name),
            (Self::Array(items), Step::Element(position)) => items.get(*position),
            _ => None,
        })
    }

    fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(_, one), Self::Number(_, other)) => Some(one.cmp(other)),
            (Self::Text(one), Self::Text(other)) => Some(one.chars().cmp(other.chars())),
            _ => None,
        }
    }
}

fn write_text(text: &str, spelling: Spelling) -> String {
    let written = Value::from(text).to_string();
    match spelling {
        Spelling::Plain => written,
        Spelling::Ascii => {
            let mut ascii = String::new();
            for c in written.chars() {
                match c {
                    '/' => ascii.push_str("\\/"),
                    ' '..='~' => ascii.push(c),
                    _ => {
                        for unit in c.encode_utf16(&mut [0; 2]) {
                            ascii.push_str(&format!("\\u{unit:04x}"));
                        }
                    }
                }
            }
            ascii
        }
    }
}

/// A part of a path.
#[derive(Clone, Debug)]
pub enum Step {
    Member(String),
    Element(usize),
}

/// A condition on a place.
#[derive(Clone, Debug)]
pub struct Condition {
    pub path: Vec<Step>,
    pub lookup: &'static str,
    pub values: Vec<Doc>,
    pub negated: bool,
}

impl Condition {
    /// The condition as `_filter`.
    pub fn filter(&self) -> String {
        let path = self.path.iter().map(|step| match step {
            Step::Member(name) => json!(name),
            Step::Element(position) => json!(position),
        });
        let path: Value = path.collect();
        let values: Vec<_> = self
            .values
            .iter()
            .map(|value| value.write(Spelling::Plain))
            .collect();
        let value = match self.lookup {
            "in" | "range" => format!("[{}]", values.join(",")),
            _ => values.concat(),
        };
        let lookup = self.lookup;
        let leaf = format!(
            r#"{{"field": "doc", "path": {path}, "lookup": "{lookup}", "value": {value}}}"#
        );
        match self.negated {
            true => format!(r#"{{"not": {leaf}}}"#),
            false => leaf,
        }
    }

    /// Whether it holds for a document; `None` is unknown.
    pub fn holds(&self, document: Option<&Doc>) -> Option<bool> {
        let found = document.and_then(|document| document.at(&self.path));
        let found = found.filter(|found| **found != Doc::Null);
        Some(self.test(found)? != self.negated)
    }

    fn test(&self, found: Option<&Doc>) -> Option<bool> {
        let value = &self.values[0];
        match self.lookup {
            "isnull" => return Some(Doc::Bool(found.is_none()) == *value),
            "isempty" => {
                let is_empty = found.is_none_or(|found| *found == Doc::Text(String::new()));
                return Some(Doc::Bool(is_empty) == *value);
            }
            _ => {}
        }
        let found = found?;
        let is = |value: &Doc, orders: &[Ordering]| {
            found
                .order(value)
                .is_some_and(|order| orders.contains(&order))
        };
        Some(match self.lookup {
            "exact" | "in" => self.values.contains(found),
            "ne" => found != value,
            "gt" => is(value, &[Ordering::Greater]),
            "gte" => is(value, &[Ordering::Greater, Ordering::Equal]),
            "lt" => is(value, &[Ordering::Less]),
            "lte" => is(value, &[Ordering::Less, Ordering::Equal]),
            "range" => {
                is(value, &[Ordering::Greater, Ordering::Equal])
                    && is(&self.values[1], &[Ordering::Less, Ordering::Equal])
            }
            lookup => match (found, value) {
                (Doc::Text(text), Doc::Text(part)) => is_match(lookup, text, part),
                _ => false,
            },
        })
    }
}

fn is_match(lookup: &str, text: &str, part: &str) -> bool {
    let (text, part) = match lookup.starts_with('i') {
        true => (text.to_lowercase(), part.to_lowercase()),
        false => (text.to_owned(), part.to_owned()),
    };
    match lookup.trim_start_matches('i') {
        "contains" => text.contains(&part),
        "startswith" => text.starts_with(&part),
        _ => text.ends_with(&part),
    }
}
