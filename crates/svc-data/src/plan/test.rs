//! Tests of records: what a filter, a search or a relation comes to.

use std::sync::Arc;

use svc_model::JsonPath;

use crate::{Model, value::Scalar};

/// Something that holds for a record, does not hold, or is unknown.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    /// The field compares so with the value.
    Compare(usize, Comparison, Scalar),
    /// The field equals one of the values.
    In(usize, Vec<Scalar>),
    /// The text of the field matches.
    Match(usize, Match, String),
    Null(usize),
    /// NULL or the empty text.
    Empty(usize),
    /// The geometry is inside another, which is given as WKT.
    CoveredBy(usize, String),
    /// The array has these elements, or such.
    Elements(usize, Containment, Vec<Scalar>),
    /// The number of elements of the array compares so.
    Len(usize, Comparison, i64),
    /// A place inside the JSON of the field.
    Place(usize, Place),
    /// There are related records.
    Related(Vec<Step>, Box<Self>),
}

impl Test {
    /// Whether it compares texts in a way that an index seldom helps with, so that it may read all records.
    pub(crate) fn scans(&self) -> bool {
        match self {
            Self::All(tests) | Self::Any(tests) => tests.iter().any(Self::scans),
            Self::Not(test) => test.scans(),
            Self::Related(_, last) => last.scans(),
            Self::Match(..)
            | Self::CoveredBy(..)
            | Self::Place(..)
            | Self::Elements(..)
            | Self::Len(..) => true,
            _ => false,
        }
    }

    /// The tests that all have to hold.
    pub(crate) fn conjuncts(&self) -> Vec<&Self> {
        match self {
            Self::All(tests) => tests.iter().flat_map(Self::conjuncts).collect(),
            test => vec![test],
        }
    }

    /// The one field that is compared, where it is no more than that.
    #[cfg(feature = "sqlite")]
    pub(crate) fn field(&self) -> Option<usize> {
        match self {
            Self::Compare(index, ..) | Self::In(index, _) | Self::Null(index) => Some(*index),
            _ => None,
        }
    }

    /// Whether it is certain that it holds only for records with one value in the field.
    pub(crate) fn fixes(&self, field: usize) -> bool {
        let mut tests = self.conjuncts().into_iter();
        tests.any(
            |test| matches!(test, Self::Compare(index, Comparison::Equal, _) if *index == field),
        )
    }

    /// Whether it is certain that there is a field in which it holds only for records with one value.
    pub(crate) fn fixes_one(&self) -> bool {
        let mut tests = self.conjuncts().into_iter();
        tests.any(|test| matches!(test, Self::Compare(_, Comparison::Equal, _)))
    }

    /// Whether it is certain that it holds for no record with NULL in the field.
    pub(crate) fn excludes_null(&self, field: usize) -> bool {
        self.conjuncts().into_iter().any(|test| match test {
            Self::Compare(index, comparison, _) => {
                *index == field && *comparison != Comparison::Unequal
            }
            Self::In(index, _) | Self::Match(index, ..) => *index == field,
            Self::Not(test) => matches!(**test, Self::Null(index) if index == field),
            _ => false,
        })
    }

    /// Tells `visit` each value that no other engine has for a column of that kind: the related model that its field
    /// belongs to, where it is not a field of the listed one, the field and the value.
    pub(crate) fn each_special<'t>(
        &'t self,
        related: Option<&'t Model>,
        visit: &mut dyn FnMut(Option<&'t Model>, usize, &'t Scalar),
    ) {
        match self {
            Self::All(tests) | Self::Any(tests) => {
                for test in tests {
                    test.each_special(related, visit);
                }
            }
            Self::Not(test) => test.each_special(related, visit),
            Self::Compare(index, _, value @ Scalar::Special(_)) => visit(related, *index, value),
            Self::In(index, values) => {
                for value in values {
                    if matches!(value, Scalar::Special(_)) {
                        visit(related, *index, value);
                    }
                }
            }
            Self::Related(steps, last) => {
                last.each_special(steps.last().map(|step| &*step.model), visit);
            }
            _ => {}
        }
    }

    /// Whether it reads stored records only, so that it holds for the same ones as long as the database stays
    /// the same.
    pub(crate) fn reads_stored(&self) -> bool {
        match self {
            Self::All(tests) | Self::Any(tests) => tests.iter().all(Self::reads_stored),
            Self::Not(test) => test.reads_stored(),
            Self::Related(steps, last) => {
                steps.iter().all(|step| step.model.is_stored) && last.reads_stored()
            }
            _ => true,
        }
    }
}

/// A step to a related model: the model, and the pairs of a field here and the field there that equals it.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) model: Arc<Model>,
    pub(crate) fields: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Unequal,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    Contains { any_case: bool },
    Starts { any_case: bool },
    Ends { any_case: bool },
    Regex,
}

/// How an array compares with some values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Containment {
    /// It has all of them.
    All,
    /// It has at least one of them.
    Any,
    /// It has no others.
    By,
}

/// A test of a place inside a JSON column. It is unknown where the place is not there or JSON's `null`, and does not hold
/// where the place has another type.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) path: JsonPath,
    pub(crate) test: PlaceTest,
}

#[derive(Clone, Debug)]
pub(crate) enum PlaceTest {
    /// It is not there, or JSON's `null`; this is never unknown.
    Null,
    /// It equals one of the values.
    Equals(Vec<PlaceValue>),
    /// It is greater or less than a number or a text. Texts are ordered by their code points.
    Order(Comparison, PlaceValue),
    /// It is a text that matches.
    Match(Match, String),
}

/// A JSON value that a place is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlaceValue {
    Boolean(bool),
    /// The digits, without exponent.
    Number(String),
    Text(String),
    /// An object or an array, in one spelling.
    Composite(String),
}

impl PlaceValue {
    /// The value as JSON.
    pub(crate) fn json(&self) -> String {
        match self {
            Self::Boolean(truth) => truth.to_string(),
            Self::Number(json) | Self::Composite(json) => json.clone(),
            Self::Text(text) => serde_json::Value::from(text.as_str()).to_string(),
        }
    }
}
