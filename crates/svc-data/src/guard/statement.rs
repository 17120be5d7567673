//! What follows from the tokens alone: that there is one statement, of a kind that reads, and how deep it goes.

use super::{
    MAX_NESTING, MAX_RUN, Refusal, Rule,
    lexer::{Kind, Token},
    refusal::{place, shown},
};

/// The tokens of the one statement, without the semicolons behind it.
///
/// # Errors
///
/// No statement, several, or one of another kind.
pub(super) fn single<'a>(sql: &str, mut tokens: Vec<Token<'a>>) -> Result<Vec<Token<'a>>, Refusal> {
    while tokens.last().is_some_and(|token| token.is_sign(";")) {
        tokens.pop();
    }
    let Some(first) = tokens.iter().find(|token| !token.is_sign("(")) else {
        return Err(Refusal::new(Rule::Empty, "there is no statement"));
    };
    if let Some(semicolon) = tokens.iter().find(|token| token.is_sign(";")) {
        return Err(Refusal::new(
            Rule::SeveralStatements,
            format!(
                "only one statement is allowed; there is more behind the `;` at {}",
                place(sql, semicolon.at)
            ),
        ));
    }
    let reads = ["select", "with", "values"];
    if !reads.iter().any(|word| first.is_word(word)) {
        let message = match first.kind {
            Kind::Word if first.is_word("table") => {
                "write `select * from` instead of `table`".to_owned()
            }
            Kind::Word => format!(
                "only a query (select, with ... select, values) is allowed, not {}",
                shown(&first.text)
            ),
            _ => "a query begins with select, with or values".to_owned(),
        };
        return Err(Refusal::new(Rule::Statement, message));
    }
    for (token, next) in tokens.iter().zip(tokens.iter().skip(1)) {
        let locks = ["update", "share", "no", "key"];
        if token.is_word("for") && locks.iter().any(|word| next.is_word(word)) {
            return Err(Refusal::new(
                Rule::Lock,
                format!(
                    "a query may not lock rows: `for {}`",
                    next.text.to_ascii_lowercase()
                ),
            ));
        }
    }
    if tokens.iter().any(|token| token.is_word("into")) {
        return Err(Refusal::new(
            Rule::Into,
            "a query may not write its rows elsewhere: `into`",
        ));
    }
    Ok(tokens)
}

/// The longest run of tokens without a comma, over all parentheses that are open at once. No branch of the
/// tree is longer, so it tells how much stack the tree needs.
///
/// # Errors
///
/// Parentheses that do not match, and what goes too deep.
pub(super) fn longest_run(sql: &str, tokens: &[Token<'_>]) -> Result<usize, Refusal> {
    let mut open: Vec<(&Token<'_>, usize)> = Vec::new();
    // A chain of set operations continues across commas.
    let mut set_operations = 0_usize;
    let (mut run, mut outer, mut longest) = (0_usize, 0_usize, 0_usize);
    let too_deep = |message: String| Err(Refusal::new(Rule::TooDeep, message));
    for token in tokens {
        run += 1;
        if ["union", "except", "intersect"]
            .iter()
            .any(|word| token.is_word(word))
        {
            set_operations += 1;
        }
        match (token.kind, token.text.as_ref()) {
            (Kind::Sign, "(" | "[") => {
                if open.len() == MAX_NESTING {
                    return too_deep(format!(
                        "parentheses are nested deeper than {MAX_NESTING} at {}",
                        place(sql, token.at)
                    ));
                }
                open.push((token, run));
                outer += run;
                run = 0;
            }
            (Kind::Sign, closing @ (")" | "]")) => {
                let opening = if closing == ")" { "(" } else { "[" };
                match open.pop() {
                    Some((token, before)) if token.is_sign(opening) => {
                        outer -= before;
                        run = before;
                    }
                    _ => {
                        return Err(Refusal::new(
                            Rule::Syntax,
                            format!("`{closing}` closes nothing at {}", place(sql, token.at)),
                        ));
                    }
                }
            }
            (Kind::Sign, ",") => run = 0,
            _ => {}
        }
        longest = longest.max(outer + run + set_operations);
        if longest > MAX_RUN {
            return too_deep(format!(
                "an expression is longer than {MAX_RUN} words at {}; a list (`in (...)`) may be longer",
                place(sql, token.at)
            ));
        }
    }
    match open.pop() {
        Some((token, _)) => Err(Refusal::new(
            Rule::Syntax,
            format!("`{}` is not closed at {}", token.text, place(sql, token.at)),
        )),
        None => Ok(longest),
    }
}
