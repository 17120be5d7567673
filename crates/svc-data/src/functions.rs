//! Functions and procedures that clients call (wire contract, section 11): which one is meant, its arguments, and what it
//! gives as JSON. The engines read what there is out of their catalogues.

mod answer;

use std::{collections::HashMap, fmt};

use svc_model::JsonObject;

pub(crate) use self::answer::{AnswerWriter, Returns};
use crate::{
    Error, ErrorCode, Field, Result,
    record::{check_size, refusal::Refusals},
    value::{Scalar, time::Zone},
};

/// The longest name that a call may have, with the types of arguments, in bytes.
const LONGEST_NAME: usize = 1_024;

/// A call of a client.
#[derive(Clone, Debug)]
pub(crate) struct FunctionCall {
    /// The function, as the client calls it.
    name: String,
    /// What an administrator lists under that name.
    listed: Vec<String>,
    /// The values by the names of the arguments.
    arguments: JsonObject,
}

/// A function or procedure of a database.
#[derive(Clone, Debug)]
pub(crate) struct Routine {
    pub(crate) schema: String,
    pub(crate) name: String,
    /// Whether it is meant by its name without a schema.
    pub(crate) in_default_schema: bool,
    pub(crate) is_procedure: bool,
    /// Whether the engine does not tell names apart by their case.
    pub(crate) any_case: bool,
    pub(crate) arguments: Vec<Argument>,
}

/// An argument of a function.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// Its name and type, described as a column. The declared type is that of values that are bound.
    pub(crate) field: Field,
    pub(crate) mode: Mode,
    /// Whether it has a name of its own.
    pub(crate) is_named: bool,
    pub(crate) has_default: bool,
    /// What its type is called; the first of these in messages.
    pub(crate) types: Vec<String>,
    /// Whether it accepts values of any type, of which JSON does not say which one it is.
    pub(crate) is_of_any_type: bool,
    /// Whether it is a row, which is given as an object.
    pub(crate) is_row: bool,
}

/// Which way the value of an argument goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    In,
    InOut,
    Out,
    /// Any number of values, which are given as an array.
    Variadic,
}

impl Argument {
    /// Whether the caller gives it.
    pub(crate) fn is_input(&self) -> bool {
        self.mode != Mode::Out
    }

    /// Whether it has a value when the function has ended.
    pub(crate) fn is_output(&self) -> bool {
        matches!(self.mode, Mode::Out | Mode::InOut)
    }
}

impl FunctionCall {
    /// A call by this name, where an administrator lists something under it.
    pub(crate) fn new(name: &str, listed: &[String], arguments: &JsonObject) -> Result<Self> {
        if name.len() > LONGEST_NAME {
            return Err(not_listed());
        }
        let listed = listed.iter().map(|listed| listed.trim());
        let listed = listed.filter(|listed| possible_names(listed).any(|it| may_be(it, name)));
        let listed: Vec<String> = listed.map(str::to_owned).collect();
        match listed.is_empty() {
            true => Err(not_listed()),
            false => Ok(Self {
                name: name.to_owned(),
                listed,
                arguments: arguments.clone(),
            }),
        }
    }

    /// The names, without their schema, of which one is that of the function.
    pub(crate) fn names(&self) -> Vec<&str> {
        let names = self.listed.iter().flat_map(|listed| possible_names(listed));
        let names = names.flat_map(|name| {
            let behind_dots = name
                .match_indices('.')
                .filter_map(|(dot, _)| name.get(dot + 1..));
            behind_dots.chain([name])
        });
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The function that is called, among those of its names.
    pub(crate) fn choose<'f, F: AsRef<Routine>>(&self, found: &'f [F]) -> Result<&'f F> {
        let named = |text: &str| -> Vec<&'f F> {
            let found = found.iter();
            found.filter(|it| it.as_ref().named_by(text)).collect()
        };
        let spellings = |found: &[&F]| {
            let spellings = found.iter().map(|it| it.as_ref().to_string());
            spellings.collect::<Vec<_>>().join(" or ")
        };
        let called = named(&self.name);
        let is_listed = |it: &&&F| self.listed.iter().any(|name| it.as_ref().named_by(name));
        let listed: Vec<&F> = called.iter().filter(is_listed).copied().collect();
        // One that is listed by its name alone has to be the only one.
        let is_only = |it: &&&F| {
            let mut names = self.listed.iter();
            names.any(|name| it.as_ref().named_by(name) && named(name).len() == 1)
        };
        let callable: Vec<&F> = listed.iter().filter(is_only).copied().collect();
        match (callable.as_slice(), listed.as_slice()) {
            ([only], _) => Ok(only),
            ([], []) => Err(not_listed()),
            ([], ambiguous) => Err(Error::invalid(format!(
                "several functions have this name, so that params.functions has to list the one that may be called with \
                 the types of its arguments: {}",
                spellings(ambiguous)
            ))),
            (several, _) => Err(Error::invalid(format!(
                "several functions have this name; call one with the types of its arguments: {}",
                spellings(several)
            ))),
        }
    }

    /// The values of the arguments of a function, in their order; `None` for those that are not given.
    pub(crate) fn values(&self, routine: &Routine) -> Result<Vec<Option<Scalar>>> {
        let inputs = || routine.arguments.iter().filter(|it| it.is_input());
        let mut refusals = Refusals::default();
        for (name, _) in self.arguments.iter() {
            if !inputs().any(|argument| argument.field.name == name) {
                let known: Vec<&str> = inputs().map(|it| it.field.name.as_str()).collect();
                let message = match known.is_empty() {
                    true => "unknown argument; the function has none".to_owned(),
                    false => format!("unknown argument; the function has {}", known.join(", ")),
                };
                refusals.push(name, ErrorCode::UnknownField, message);
            }
        }
        let given: HashMap<&str, _> = self.arguments.iter().collect();
        let mut values = Vec::with_capacity(routine.arguments.len());
        for argument in &routine.arguments {
            let field = &argument.field;
            let raw = given
                .get(field.name.as_str())
                .filter(|_| argument.is_input());
            let mut value = None;
            match raw {
                _ if argument.is_of_any_type && argument.is_input() => {
                    let message = "accepts values of any type, and JSON does not say which one is meant; call a function \
                         that declares its types";
                    refusals.push_field(&field.name, message);
                }
                Some(raw) => match Scalar::from_json(field, raw, &Zone::UTC) {
                    Ok(scalar) => match check_size(field, &scalar) {
                        Ok(()) => value = Some(scalar),
                        Err((code, message)) => refusals.push(&field.name, code, message),
                    },
                    Err(message) => refusals.push_field(&field.name, message),
                },
                None if argument.mode == Mode::Variadic && !argument.has_default => {
                    value = Some(Scalar::Json("[]".to_owned()));
                }
                None if argument.is_input() && !argument.has_default => {
                    refusals.push(
                        &field.name,
                        ErrorCode::Required,
                        "this argument is required",
                    );
                }
                None => {}
            }
            values.push(value);
        }
        refusals.into_result()?;
        Ok(values)
    }
}

impl AsRef<Self> for Routine {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Routine {
    /// Whether a text is its name, or its name with the types of its arguments.
    fn named_by(&self, text: &str) -> bool {
        let plain = self.in_default_schema.then_some(self.name.as_str());
        let qualified = format!("{}.{}", self.schema, self.name);
        let mut names = plain.into_iter().chain([qualified.as_str()]);
        names.any(|name| {
            let Some((begin, rest)) = text.split_at_checked(name.len()) else {
                return false;
            };
            let is_same = match self.any_case {
                true => begin.to_lowercase() == name.to_lowercase(),
                false => begin == name,
            };
            let types = rest
                .strip_prefix('(')
                .and_then(|rest| rest.strip_suffix(')'));
            is_same && (rest.is_empty() || types.is_some_and(|types| self.has_types(types)))
        })
    }

    /// Whether its arguments have these types, with commas between.
    fn has_types(&self, types: &str) -> bool {
        let inputs: Vec<&Argument> = self.arguments.iter().filter(|it| it.is_input()).collect();
        if types.trim().is_empty() {
            return inputs.is_empty();
        }
        let types: Vec<&str> = types.split(',').map(str::trim).collect();
        let is_one = |(argument, text): (&&Argument, &&str)| {
            argument
                .types
                .iter()
                .any(|name| name.eq_ignore_ascii_case(text))
        };
        types.len() == inputs.len() && inputs.iter().zip(&types).all(is_one)
    }
}

impl fmt::Display for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs = self.arguments.iter().filter(|it| it.is_input());
        let types: Vec<&str> = inputs
            .filter_map(|it| it.types.first().map(String::as_str))
            .collect();
        if !self.in_default_schema {
            write!(f, "{}.", self.schema)?;
        }
        write!(f, "{}({})", self.name, types.join(","))
    }
}

/// What may be the name of a function in a text: all of it, and where types may follow, what is before a parenthesis.
fn possible_names(text: &str) -> impl Iterator<Item = &str> {
    let has_types = text.ends_with(')');
    let parentheses = text.match_indices('(').filter(move |_| has_types);
    let names = parentheses.filter_map(|(at, _)| text.get(..at));
    [text]
        .into_iter()
        .chain(names)
        .filter(|name| !name.is_empty())
}

/// Whether a text may call a function of this name.
fn may_be(name: &str, text: &str) -> bool {
    let (name, text) = (name.to_lowercase(), text.to_lowercase());
    possible_names(&text).any(|called| called == name)
}

/// The same answer whether the database has a function of the name or not.
fn not_listed() -> Error {
    Error::not_found(
        "no function of this name may be called; an administrator lists functions in params.functions of the resource",
    )
}

/// The refusal of a value that an argument does not accept.
pub(crate) fn refused(field: &Field, message: impl Into<String>) -> Error {
    let mut refusals = Refusals::default();
    refusals.push_field(&field.name, message);
    let refused = refusals.into_result().err();
    refused.unwrap_or_else(|| Error::internal("a refusal was lost"))
}

/// The answer of an engine that has no functions.
pub(crate) fn unsupported() -> Error {
    Error::invalid(
        "the database of this resource has no functions that can be called; PostgreSQL, MySQL and MariaDB have",
    )
}

#[cfg(test)]
mod tests;
