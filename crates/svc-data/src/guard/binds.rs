//! Puts the engine's placeholders where the binds of the client are, and writes the text that will run.

use std::collections::HashMap;

use super::{
    Binds, Engine, MAX_BYTES, Refusal, Rule,
    lexer::{Kind, Token},
    refusal::shown,
};

/// A statement as it will run, and where its tokens are.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) sql: String,
    pub(super) places: Vec<BindPlace>,
}

/// Where a token is in the text that will run, counted as the parser counts: lines and characters
/// from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BindPlace {
    pub(super) kind: Kind,
    pub(super) line: u64,
    pub(super) column: u64,
    /// Where it is in the text of the client, in bytes.
    pub(super) source: usize,
    /// The word or sign itself, which a message may show; nothing of a string or a number.
    pub(super) word: String,
}

/// Writes the statement, and for each placeholder which value it binds.
///
/// # Errors
///
/// A bind without a value, a value without a bind.
pub(super) fn place(
    tokens: Vec<Token<'_>>,
    engine: Engine,
    binds: Binds<'_>,
) -> Result<(Statement, Vec<usize>), Refusal> {
    let mut placeholders = Placeholders::new(engine, binds);
    let mut statement = Statement {
        sql: String::new(),
        places: Vec::with_capacity(tokens.len()),
    };
    let (mut line, mut column) = (1, 1);
    let mut before: Option<Kind> = None;
    for token in tokens {
        if token.kind == Kind::Bind && statement.sql.ends_with('.') {
            return Err(Refusal::new(
                Rule::Syntax,
                "a bind stands for a value, not for a name",
            ));
        }
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
        statement.places.push(BindPlace {
            // For the parser a hexadecimal number is a string.
            kind: match token.kind {
                Kind::Number if text.starts_with("0x") || text.starts_with("0X") => Kind::Text,
                kind => kind,
            },
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
    /// Which of the named values a name is.
    names: HashMap<&'a str, usize>,
    /// For each value, the number of its last placeholder.
    numbers: Vec<Option<usize>>,
    order: Vec<usize>,
}

impl<'a> Placeholders<'a> {
    fn new(engine: Engine, binds: Binds<'a>) -> Self {
        let (names, values): (&[&str], usize) = match binds {
            Binds::Named(names) => (names, names.len()),
            // One too many in the text is refused before it is numbered.
            Binds::Positional(values) => (&[], values.min(MAX_BYTES)),
        };
        Self {
            engine,
            binds,
            names: names
                .iter()
                .enumerate()
                .map(|(index, name)| (*name, index))
                .collect(),
            numbers: vec![None; values],
            order: Vec::new(),
        }
    }

    fn placeholder(&mut self, name: &str) -> Result<String, Refusal> {
        let index = match self.binds {
            Binds::Named(_) => self.names.get(name).copied().ok_or_else(|| {
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
                // By position every placeholder binds the next value.
                let index = self.order.len();
                if index >= values {
                    return Err(Refusal::new(
                        Rule::PositionalBind,
                        format!("bind {} (`%s`) has no value, there are {values}", index + 1),
                    ));
                }
                index
            }
        };
        let Some(number) = self.numbers.get_mut(index) else {
            return Err(Refusal::new(Rule::Unavailable, "a bind has no place"));
        };
        let number = match *number {
            Some(number) if self.engine != Engine::Mysql => number,
            _ => {
                self.order.push(index);
                *number.insert(self.order.len())
            }
        };
        Ok(match self.engine {
            Engine::Sqlite => format!("?{number}"),
            Engine::Postgres => format!("${number}"),
            Engine::Mysql => "?".to_owned(),
        })
    }

    fn finish(self) -> Result<Vec<usize>, Refusal> {
        let Some(unused) = self.numbers.iter().position(Option::is_none) else {
            return Ok(self.order);
        };
        Err(match self.binds {
            Binds::Named(names) => {
                let name = names.get(unused).copied().unwrap_or_default();
                Refusal::new(
                    Rule::NamedBind,
                    format!(
                        "the value {} has no bind {} in the query",
                        shown(name),
                        shown(&format!(":{name}"))
                    ),
                )
            }
            Binds::Positional(_) => Refusal::new(
                Rule::PositionalBind,
                format!("value {} has no bind `%s` in the query", unused + 1),
            ),
        })
    }
}
