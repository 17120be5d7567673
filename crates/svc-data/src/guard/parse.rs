//! Has the text parsed in its engine's dialect, and the tree examined.

use std::{panic, thread};

use sqlparser::{
    dialect::{Dialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect},
    parser::{Parser, ParserError},
    tokenizer::{Token, TokenWithSpan, Tokenizer},
};

use super::{
    Attribute, Engine, Refusal, Rule,
    binds::{BindPlace, Statement},
    lexer::Kind,
    refusal::{place, shown},
    tree,
};

/// How deep the parser may call itself; [`MAX_NESTING`](super::MAX_NESTING) parentheses need less.
const RECURSION_LIMIT: usize = 160;
/// What the parser needs for [`RECURSION_LIMIT`], without optimisation.
const STACK_OF_PARSER: usize = 16 << 20;
/// What one step down a branch of the tree needs, without optimisation; a chain of joins needs most.
const STACK_OF_STEP: usize = 48 << 10;

/// Parses and examines a statement. `run` is the longest branch that its tree can have: the tree is parsed,
/// walked and dropped by recursion, so it gets a thread whose stack is long enough. Memory is taken for the
/// part that is used. Returns the names that may be calls, and whether the query has a limit of its own.
///
/// # Errors
///
/// What the dialect does not know, and what the rules do not allow.
pub(super) fn examine(
    sql: &str,
    statement: &Statement,
    engine: Engine,
    run: usize,
) -> Result<(Vec<Attribute>, bool), Refusal> {
    let unavailable = |_| Refusal::new(Rule::Unavailable, "the query cannot be examined right now");
    thread::scope(|scope| {
        let examiner = thread::Builder::new()
            .name("sql guard".to_owned())
            .stack_size(STACK_OF_PARSER + run * STACK_OF_STEP)
            .spawn_scoped(scope, || {
                // A fault of the parser must not be more than a refusal.
                panic::catch_unwind(panic::AssertUnwindSafe(|| parse(sql, statement, engine)))
            })
            .map_err(|_| ())
            .map_err(unavailable)?;
        match examiner.join() {
            Ok(Ok(examined)) => examined,
            Ok(Err(_)) | Err(_) => Err(Refusal::new(
                Rule::Syntax,
                "this query cannot be parsed; write it more simply",
            )),
        }
    })
}

/// How the parser reads the SQL of an engine.
pub(super) fn dialect(engine: Engine) -> &'static dyn Dialect {
    match engine {
        Engine::Sqlite => &SQLiteDialect {},
        Engine::Postgres => &PostgreSqlDialect {},
        Engine::Mysql => &MySqlDialect {},
    }
}

fn parse(
    sql: &str,
    statement: &Statement,
    engine: Engine,
) -> Result<(Vec<Attribute>, bool), Refusal> {
    let dialect = dialect(engine);
    let tokens = Tokenizer::new(dialect, &statement.sql)
        .tokenize_with_location()
        .map_err(|error| syntax(sql, statement, engine, &error.to_string()))?;
    if let Some(at) = difference(&tokens, &statement.places) {
        return Err(Refusal::new(
            Rule::Syntax,
            format!("this can be read in two ways ({})", place(sql, at)),
        ));
    }
    let mut parser = Parser::new(dialect)
        .with_recursion_limit(RECURSION_LIMIT)
        .with_tokens_with_locations(tokens);
    let query = parser.parse_query().map_err(|error| match error {
        ParserError::RecursionLimitExceeded => {
            Refusal::new(Rule::TooDeep, "the query is nested too deeply")
        }
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => {
            syntax(sql, statement, engine, &message)
        }
    })?;
    // The parser is content with the longest query at the beginning.
    let next = parser.peek_token_ref();
    if next.token != Token::EOF {
        return Err(syntax(sql, statement, engine, &next.span.start.to_string()));
    }
    let is_limited = query.limit_clause.is_some() || query.fetch.is_some();
    Ok((tree::examine(&query, engine)?, is_limited))
}

/// Where the parser's tokens are not ours, as an offset in the text of the client. Operators and numbers
/// may be split differently, words, names, strings and parentheses not.
fn difference(tokens: &[TokenWithSpan], places: &[BindPlace]) -> Option<usize> {
    let is_anchor = |place: &&BindPlace| match place.kind {
        Kind::Word | Kind::Quoted | Kind::Text => true,
        Kind::Sign => matches!(place.word.as_str(), "(" | ")" | ";"),
        Kind::Number | Kind::Bind => false,
    };
    let mut ours = places.iter().filter(is_anchor);
    let last = places.last().map_or(0, |place| place.source);
    for token in tokens {
        let kind = match &token.token {
            Token::Word(word) if word.quote_style.is_some() => Kind::Quoted,
            Token::Word(_) => Kind::Word,
            Token::SingleQuotedString(_)
            | Token::DoubleQuotedString(_)
            | Token::EscapedStringLiteral(_)
            | Token::SingleQuotedByteStringLiteral(_)
            | Token::HexStringLiteral(_) => Kind::Text,
            Token::LParen | Token::RParen => Kind::Sign,
            // Strings that we never write, comments that we leave out, and a second statement.
            Token::TripleSingleQuotedString(_)
            | Token::TripleDoubleQuotedString(_)
            | Token::DollarQuotedString(_)
            | Token::DoubleQuotedByteStringLiteral(_)
            | Token::TripleSingleQuotedByteStringLiteral(_)
            | Token::TripleDoubleQuotedByteStringLiteral(_)
            | Token::SingleQuotedRawStringLiteral(_)
            | Token::DoubleQuotedRawStringLiteral(_)
            | Token::TripleSingleQuotedRawStringLiteral(_)
            | Token::TripleDoubleQuotedRawStringLiteral(_)
            | Token::NationalStringLiteral(_)
            | Token::QuoteDelimitedStringLiteral(_)
            | Token::NationalQuoteDelimitedStringLiteral(_)
            | Token::UnicodeStringLiteral(_)
            | Token::SemiColon
            | Token::Backslash => return Some(ours.next().map_or(last, |place| place.source)),
            Token::Whitespace(space) => {
                use sqlparser::tokenizer::Whitespace::{MultiLineComment, SingleLineComment};
                if matches!(space, MultiLineComment(_) | SingleLineComment { .. }) {
                    return Some(ours.next().map_or(last, |place| place.source));
                }
                continue;
            }
            _ => continue,
        };
        let start = token.span.start;
        match ours.next() {
            Some(place)
                if place.kind == kind
                    && (place.line, place.column) == (start.line, start.column) => {}
            Some(place) => return Some(place.source),
            None => return Some(last),
        }
    }
    ours.next().map(|place| place.source)
}

/// A message of the parser ends with the place; the rest of it may quote the text, so it is left out.
fn syntax(sql: &str, statement: &Statement, engine: Engine, message: &str) -> Refusal {
    let found = message
        .rsplit_once(" at Line: ")
        .and_then(|(_, place)| place.split_once(", Column: "))
        .and_then(|(line, column)| Some((line.parse().ok()?, column.parse().ok()?)))
        .and_then(|place: (u64, u64)| {
            let next = statement
                .places
                .partition_point(|known| (known.line, known.column) <= place);
            statement.places.get(next.checked_sub(1)?)
        });
    let name = engine.name();
    let message = match found {
        Some(found) if found.word.is_empty() => format!(
            "this is not a query of {name} as this service understands it ({})",
            place(sql, found.source)
        ),
        Some(found) => format!(
            "this is not a query of {name} as this service understands it, near {} ({})",
            shown(&found.word),
            place(sql, found.source)
        ),
        None => format!(
            "this is not a query of {name} as this service understands it; it seems to be incomplete"
        ),
    };
    Refusal::new(Rule::Syntax, message)
}
