//! Running statements: what callers read from a resource at the moment, and how it is ended (wire contract, section 11).

use serde::{Deserialize, Serialize};

use crate::{ResourceName, Scope, wire::Operation};

/// The header with the ID of a statement: a caller may choose it, and answers tell it.
pub const X_STATEMENT_ID: &str = "x-statement-id";
/// The maximum length of the ID of a statement.
pub const MAX_STATEMENT_ID: usize = 100;

/// Running statements: `GET .../statements`, 200 with the caller's statements, those that began first before others. An
/// administrator sees those of all callers. Where several nodes are the service, those on all of them are listed.
#[derive(Clone, Debug, Operation)]
#[operation(GET Data "/projects/{project}/{environment}/{resource}/statements")]
#[operation(name = "statements.list", credential = StaticToken, answer = Vec<Statement>)]
#[operation(new = "Lists the running statements of a resource.")]
#[non_exhaustive]
pub struct List {
    /// The environment of the resource.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub resource: ResourceName,
}

/// Cancel: `DELETE .../statements/{statement}`, 204. The statement ends in the database, and its call is answered with
/// 409 and the code `cancelled`.
#[derive(Clone, Debug, Operation)]
#[operation(DELETE Data "/projects/{project}/{environment}/{resource}/statements/{statement}")]
#[operation(name = "statements.cancel", credential = StaticToken)]
#[operation(new = "Cancels a running statement.")]
#[non_exhaustive]
pub struct Cancel {
    /// The environment of the resource.
    #[wire(path)]
    pub scope: Scope,
    /// The resource.
    #[wire(path)]
    pub resource: ResourceName,
    /// The ID of the statement.
    #[wire(path)]
    pub statement: String,
}

/// A statement that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Statement {
    /// Its ID, unique among those of its caller.
    pub id: String,
    /// The beginning of the SQL, or the method and the path of a list or an aggregate.
    pub query: String,
    /// When it began: a date text in UTC.
    pub started: String,
    /// How long it has been running.
    pub milliseconds: u64,
    /// What people know the caller by: the prefix of a token, or an e-mail address.
    pub caller: String,
}

impl Statement {
    /// A statement that began at this time.
    pub fn new(
        id: impl Into<String>,
        query: impl Into<String>,
        started: impl Into<String>,
        milliseconds: u64,
        caller: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            query: query.into(),
            started: started.into(),
            milliseconds,
            caller: caller.into(),
        }
    }
}

/// Whether a text can be the ID of a statement: 1 to [`MAX_STATEMENT_ID`] letters, digits, hyphens and underscores of ASCII.
///
/// ```
/// use svc_model::statements::is_statement_id;
///
/// assert!(is_statement_id("report-7_b"));
/// assert!(!is_statement_id("") && !is_statement_id("a/b") && !is_statement_id(&"x".repeat(101)));
/// ```
pub fn is_statement_id(text: &str) -> bool {
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=MAX_STATEMENT_ID).contains(&text.len()) && text.bytes().all(is_fit)
}
