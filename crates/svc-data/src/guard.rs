//! The guard in front of SQL that a client wrote: is it one query that only reads? (wire contract, section 5)
//!
//! [`check`] is a pure function. It takes the text, the [`Engine`] that will run it and the binds that
//! the caller has values for, and returns the text that may run, or a [`Refusal`] that names the rule. It is
//! the first of three locks; the others are a read-only transaction or connection, and a statement timeout
//! with caps on rows and bytes. None of them trusts the others.
//!
//! # How it decides
//!
//! 1. **Words, strings, comments.** A lexer of our own reads the text by the engine's rules and refuses
//!    what could be read in two ways: executable comments, unicode escapes, backslashes outside of
//!    strings, placeholders of the driver, unbalanced parentheses, a second statement.
//! 2. **One text for everybody.** What was read is written again: without comments, each token as it was,
//!    with strings that mean the same in every mode of the engine (a quote behind a backslash becomes two
//!    quotes, a dollar quote a plain string) and with the engine's placeholders for binds. This text is
//!    what the parser sees *and* what runs, so a comment or a quote cannot hide anything from one of them.
//!    It holds no semicolon and no comment and its parentheses close, so it can be put in parentheses.
//! 3. **The tree.** `sqlparser` parses that text in the engine's dialect. Its tokens have to begin where
//!    ours do. The tree has to be one `SELECT`, `WITH ... SELECT` or `VALUES`, set operations included, and
//!    is walked with lists of what is allowed: kinds of expressions, kinds of tables, functions.
//!
//! # What is refused
//!
//! - Every other statement, `EXPLAIN` and `TABLE x` too; a CTE that writes; `INTO`; `FOR UPDATE` and
//!   `FOR SHARE`; assignments to variables, and the variables of MySQL.
//! - **Functions that are not on the engine's list.** The lists contain the built-in functions that compute a
//!   value from their arguments: aggregates, windows, text, numbers, dates, JSON, arrays, full text, and
//!   the common ones of PostGIS, `pg_trgm` and the like. Off the list is whatever writes, waits, locks,
//!   reads files, reaches the network, runs SQL from a text, or reveals something about the server or its settings. A
//!   function of the database's own is unknown, so it is refused; a view can call it.
//! - **Relations of the engine** but those that describe the structure: of `pg_catalog`,
//!   `information_schema`, `mysql`, `performance_schema`, `sys` and the virtual tables of SQLite only a short
//!   list may be read. Passwords, other sessions, settings and samples of data live in the rest.
//! - Nesting deeper than [`MAX_NESTING`], expressions longer than [`MAX_RUN`] words, texts longer than
//!   [`MAX_BYTES`].
//!
//! # What it cannot see
//!
//! Names are resolved by the database. A view, an operator, a cast, a domain or a generated column that the
//! database's owner made can call a function, a function on the list can be shadowed by one of theirs, and
//! unqualified names depend on the schema search path. The second lock is for those. Where PostgreSQL takes a name
//! behind a dot for a call (`x.f` is `f(x)`), the engine asks the catalogue before the query runs.
//!
//! # Binds
//!
//! With [`Binds::Named`] a bind is `:name`; with [`Binds::Positional`] it is `%s`, and `%%` is a percent
//! sign, in strings too. They are found by the same lexer, so not in strings, comments, casts (`::`) or array slices.
//!
//! ```
//! use svc_data::guard::{Binds, Engine, check};
//!
//! let sql = "select name from customers where city = :city or :city is null -- all of them";
//! let checked = check(sql, Engine::Postgres, Binds::Named(&["city"]))?;
//! assert_eq!(checked.sql(), "select name from customers where city = $1 or $1 is null");
//! assert_eq!(checked.binds(), [0]);
//!
//! let refusal = check("select pg_sleep(10)", Engine::Postgres, Binds::NONE).unwrap_err();
//! assert_eq!(
//!     refusal.to_string(),
//!     "the function `pg_sleep` is not one that a query may call; a view of the database can call it",
//! );
//! # Ok::<(), svc_data::guard::Refusal>(())
//! ```

mod attributes;
mod binds;
mod functions;
mod lexer;
mod parse;
mod refusal;
mod relations;
mod statement;
#[cfg(test)]
mod tests;
mod tree;
pub(crate) use attributes::Attribute;
pub use refusal::{Refusal, Rule};

/// The longest text that is looked at, in bytes: 1 MiB.
pub const MAX_BYTES: usize = 1 << 20;
/// How many parentheses and brackets may be open at once.
pub const MAX_NESTING: usize = 50;
/// How many words and signs may follow one another without a comma, over all open parentheses together.
pub const MAX_RUN: usize = 2_000;

/// The database engine whose SQL a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// SQLite.
    Sqlite,
    /// PostgreSQL and databases with the same protocol.
    Postgres,
    /// MySQL and MariaDB.
    Mysql,
}

impl Engine {
    /// The engine's name as its makers write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
            Self::Mysql => "MySQL",
        }
    }
}

/// How binds are written in the text, and for which of them there are values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binds<'a> {
    /// `:name`; the names that have a value (`params_obj`).
    Named(&'a [&'a str]),
    /// `%s`; how many values there are (`v: 1` with `params`).
    Positional(usize),
}

impl Binds<'_> {
    /// No values. A `:name` in the text is a bind all the same, so it is refused.
    pub const NONE: Self = Binds::Named(&[]);
}

/// A text that passed: one query that only reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    sql: String,
    binds: Vec<usize>,
    attributes: Vec<Attribute>,
    is_limited: bool,
}

impl Checked {
    /// A text that nobody has looked at, to test what protects the database besides the guard.
    #[cfg(test)]
    pub(crate) fn unchecked(sql: &str) -> Self {
        Self {
            sql: sql.to_owned(),
            binds: Vec::new(),
            attributes: Vec::new(),
            is_limited: false,
        }
    }

    /// Whether the query itself says how many rows it returns at most.
    pub(crate) fn is_limited(&self) -> bool {
        self.is_limited
    }

    /// The text that may run: no comment, no semicolon, parentheses that close, and the engine's
    /// placeholders for binds (`?1` of SQLite, `$1` of PostgreSQL, `?` of MySQL). It can be used as a
    /// subselect: `select * from (<sql>) as q`.
    #[must_use]
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// The names after a dot that the database may read as calls of functions, for the engine's own lock.
    pub(crate) fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// For each placeholder in order, which of the given values it binds: an index into the names of
    /// [`Binds::Named`], or into the values of [`Binds::Positional`].
    ///
    /// A name that is used twice is one placeholder on SQLite and PostgreSQL and two on MySQL. Whatever is
    /// wrapped around the text numbers its own placeholders from here on.
    #[must_use]
    pub fn binds(&self) -> &[usize] {
        &self.binds
    }
}

/// Whether a query may call a function of the engine, by its name in lower case; for the engine's own lock.
pub(crate) fn is_function_listed(engine: Engine, name: &str) -> bool {
    functions::is_listed(engine, name)
}

/// Whether a text is exactly one query that only reads, in the engine's dialect.
///
/// The work is done on a short-lived thread whose stack fits the text, so it does not matter from where it
/// is called; on an ordinary query it takes well under a millisecond.
///
/// # Errors
///
/// A [`Refusal`] that names the rule and the word it is about, and no more of the text than that word.
pub fn check(sql: &str, engine: Engine, binds: Binds<'_>) -> Result<Checked, Refusal> {
    if sql.len() > MAX_BYTES {
        return Err(Refusal::new(
            Rule::TooLong,
            format!("the query is longer than {MAX_BYTES} bytes"),
        ));
    }
    let tokens = lexer::tokens(sql, engine, binds)?;
    let tokens = statement::single(sql, tokens)?;
    let run = statement::longest_run(sql, &tokens)?;
    let (statement, binds) = binds::place(tokens, engine, binds)?;
    let (attributes, is_limited) = parse::examine(sql, &statement, engine, run)?;
    Ok(Checked {
        sql: statement.sql,
        binds,
        attributes,
        is_limited,
    })
}
