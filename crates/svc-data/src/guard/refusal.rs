//! Why a text was refused.

use crate::Error;

/// Why the guard refused a text: the rule, and a sentence for the client with no more of the SQL than the
/// word it is about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    rule: Rule,
    message: String,
}

/// The rules of the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// The text is longer than [`MAX_BYTES`](super::MAX_BYTES).
    TooLong,
    /// Nesting or runs of words beyond [`MAX_NESTING`](super::MAX_NESTING) and [`MAX_RUN`](super::MAX_RUN).
    TooDeep,
    /// There is no statement.
    Empty,
    /// There is more than one statement.
    SeveralStatements,
    /// The statement is no `SELECT`, `WITH ... SELECT` or `VALUES`.
    Statement,
    /// `INSERT`, `UPDATE`, `DELETE` or `MERGE` within a query.
    Write,
    /// `SELECT ... INTO`.
    Into,
    /// `FOR UPDATE`, `FOR SHARE` and the like.
    Lock,
    /// A function that is not allowed.
    Function,
    /// A relation of the engine that is not allowed.
    Relation,
    /// A variable, or an assignment to one.
    Variable,
    /// A comment that an engine would carry out, or that does not end.
    Comment,
    /// A string, quoted name or number that does not end or can be read in two ways.
    Literal,
    /// A character that is not allowed where it is.
    Character,
    /// The engine's dialect does not know the text, or knows a construct that is not allowed.
    Syntax,
    /// A `:name` without a value, or a value without a `:name`.
    NamedBind,
    /// The number of `%s` is not the number of values.
    PositionalBind,
    /// The text could not be examined; a fault of this service, not of the text.
    Unavailable,
}

impl Refusal {
    pub(super) fn new(rule: Rule, message: impl Into<String>) -> Self {
        Self {
            rule,
            message: message.into(),
        }
    }

    /// The rule that the text breaks.
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.rule
    }
}

impl From<Refusal> for Error {
    /// The field of the request body that has to change: `query`, or the one that contains the values.
    fn from(refusal: Refusal) -> Self {
        let field = match refusal.rule {
            Rule::Unavailable => return Self::internal(refusal.message),
            Rule::NamedBind => "params_obj",
            Rule::PositionalBind => "params",
            _ => "query",
        };
        Self::invalid_field(field, refusal.message)
    }
}

/// A word of the SQL as a message shows it: short, and on one line.
pub(super) fn shown(word: &str) -> String {
    const LONGEST: usize = 64;
    let mut shown: String = word
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(LONGEST)
        .collect();
    if word.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    format!("`{shown}`")
}

/// A place in the text of the client, for people: both numbers begin at 1, columns count characters.
pub(super) fn place(sql: &str, at: usize) -> String {
    let before = sql.get(..at).unwrap_or(sql);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .map_or(0, |line| line.chars().count())
        + 1;
    format!("line {line}, column {column}")
}
