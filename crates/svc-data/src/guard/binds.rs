//! Puts the engine's placeholders where the binds of the client stand, and writes the text that will run.

use std::fmt::Write as _;

use super::{
    Binds, Engine, Refusal, Rule,
    lexer::{Kind, Token},
    refusal::shown,
};

/// A statement as it will run, and where its tokens stand.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) sql: String,
    pub(super) places: Vec<Place>,
}

/// Where a token stands in the text that will run, counted as the parser counts: lines and characters
/// from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) kind: Kind,
    pub(super) line: u64,
    pub(super) column: u64,
    /// Where it stands in the text of the client, in bytes.
    pub(super) source: usize,
    /// The word or sign itself, which a message may show; nothing of a string or a number.
    pub(super) word: String,
}

/// Writes the statement, and for each placeholder which value it takes.
///
/// # Errors
///
/// A bind without a value, a value without a bind.
pub(super) fn place(
    tokens: Vec<Token<'_>>,
    engine: Engine,
    binds: Binds<'_>,
) -> Result<(Statement, Vec<usize>), Refusal> {
    let mut placeholders = Placeholders {
        engine,
        binds,
        found: 0,
        order: Vec::new(),
    };
    let mut statement = Statement {
        sql: String::new(),
        places: Vec::with_capacity(tokens.len()),
    };
    let (mut line, mut column) = (1, 1);
    let mut before: Option<Kind> = None;
    for token in tokens {
        let text = if token.kind == Kind::Bind {
            placeholders.placeholder(&token.text)?.into()
        } else {
            token.text
        };
        let glued = before.is_some_and(|before| before != Kind::Sign) && token.kind != Kind::Sign;
        // Two signs can become another one, the beginning of a comment among them, only if the client
        // wrote them so; two dashes never stay together, whatever the engine.
        let dashes = token.kind == Kind::Sign && text == "-" && statement.sql.ends_with('-');
        if before.is_some() && (token.spaced || glued || dashes) {
            statement.sql.push(' ');
            column += 1;
        }
        statement.places.push(Place {
            kind: token.kind,
            line,
            column,
            source: token.at,
            word: match token.kind {
                Kind::Word | Kind::Quoted | Kind::Sign => text.chars().take(80).collect(),
                Kind::Text | Kind::Number | Kind::Bind => String::new(),
            },
        });
        for c in text.chars() {
            if c == '\n' {
                line += 1;
                column = 1;
            } else {
                column += 1;
            }
        }
        statement.sql.push_str(&text);
        before = Some(token.kind);
    }
    Ok((statement, placeholders.finish()?))
}

struct Placeholders<'a> {
    engine: Engine,
    binds: Binds<'a>,
    /// How many binds by position were found.
    found: usize,
    order: Vec<usize>,
}

impl Placeholders<'_> {
    fn placeholder(&mut self, name: &str) -> Result<String, Refusal> {
        let index = match self.binds {
            Binds::Named(names) => names.iter().position(|known| *known == name).ok_or_else(|| {
                Refusal::new(
                    Rule::NamedBind,
                    format!("the bind {} has no value", shown(&format!(":{name}"))),
                )
            })?,
            Binds::Positional(_) if !name.is_empty() => {
                return Err(Refusal::new(
                    Rule::PositionalBind,
                    format!(
                        "the bind {} has no value; with `v` 1 binds are written `%s`",
                        shown(&format!(":{name}"))
                    ),
                ));
            }
            Binds::Positional(values) => {
                self.found += 1;
                if self.found > values {
                    return Err(Refusal::new(
                        Rule::PositionalBind,
                        format!("bind {} (`%s`) has no value, there are {values}", self.found),
                    ));
                }
                self.found - 1
            }
        };
        let shared = match self.engine {
            Engine::Mysql => None,
            Engine::Sqlite | Engine::Postgres => {
                self.order.iter().position(|known| *known == index)
            }
        };
        let number = shared.unwrap_or_else(|| {
            self.order.push(index);
            self.order.len() - 1
        }) + 1;
        let mut placeholder = String::new();
        // Writing to a string cannot fail.
        let _ = match self.engine {
            Engine::Sqlite => write!(placeholder, "?{number}"),
            Engine::Postgres => write!(placeholder, "${number}"),
            Engine::Mysql => write!(placeholder, "?"),
        };
        Ok(placeholder)
    }

    fn finish(self) -> Result<Vec<usize>, Refusal> {
        match self.binds {
            Binds::Named(names) => {
                let unused = (0..names.len()).find(|index| !self.order.contains(index));
                if let Some(name) = unused.and_then(|index| names.get(index)) {
                    return Err(Refusal::new(
                        Rule::NamedBind,
                        format!(
                            "the value {} has no bind {} in the query",
                            shown(name),
                            shown(&format!(":{name}"))
                        ),
                    ));
                }
            }
            Binds::Positional(values) if self.found < values => {
                return Err(Refusal::new(
                    Rule::PositionalBind,
                    format!("value {} has no bind `%s` in the query", self.found + 1),
                ));
            }
            Binds::Positional(_) => {}
        }
        Ok(self.order)
    }
}
