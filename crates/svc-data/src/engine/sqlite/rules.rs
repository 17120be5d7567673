//! Finds the CHECK rules in the text of a CREATE TABLE, so that a refusal can name its columns.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::structure::Rule;

/// The CHECK rules of a table with the columns that each one names.
pub(crate) fn checks(sql: &str, columns: &[&str]) -> Vec<Rule> {
    let mut checks = Vec::new();
    // Most tables have none, and reading their text word by word takes long.
    let is_named = |text: &[u8]| text.eq_ignore_ascii_case(b"check");
    if !sql.as_bytes().windows(5).any(is_named) {
        return checks;
    }
    let tokens = tokens(sql);
    let mut at = 0;
    while at < tokens.len() {
        let is_word = |at: usize, word| tokens.get(at).is_some_and(|t: &Token<'_>| t.is_word(word));
        let opens = tokens.get(at + 1).is_some_and(|t| t.text == "(");
        if !(is_word(at, "check") && opens) {
            at += 1;
            continue;
        }
        let named = at >= 2 && is_word(at - 2, "constraint");
        let name = named.then(|| tokens.get(at - 1).map(Token::name)).flatten();
        let mut depth = 0_usize;
        let mut fields = Vec::new();
        let mut end = at + 1;
        for (position, token) in tokens.iter().enumerate().skip(at + 1) {
            end = position;
            match (token.sort, token.text) {
                (Sort::Other, "(") => depth += 1,
                (Sort::Other, ")") => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                (Sort::Word | Sort::Quoted, _) => {
                    let word = token.name();
                    if let Some(index) = columns.iter().position(|c| c.eq_ignore_ascii_case(&word))
                        && !fields.contains(&index)
                    {
                        fields.push(index);
                    }
                }
                _ => {}
            }
        }
        let text = match (tokens.get(at + 2), tokens.get(end)) {
            (Some(first), Some(last)) => sql.get(first.start..last.start).unwrap_or("").trim(),
            _ => "",
        };
        checks.push(Rule {
            name,
            text: text.to_owned(),
            fields,
        });
        at = end + 1;
    }
    checks
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Word,
    Quoted,
    Other,
}

struct Token<'a> {
    sort: Sort,
    text: &'a str,
    start: usize,
}

impl Token<'_> {
    fn is_word(&self, word: &str) -> bool {
        self.sort == Sort::Word && self.text.eq_ignore_ascii_case(word)
    }

    /// The name that the token stands for.
    fn name(&self) -> String {
        if self.sort != Sort::Quoted {
            return self.text.to_owned();
        }
        let inner = self.text.get(1..self.text.len() - 1).unwrap_or("");
        match self.text.as_bytes().first() {
            Some(b'"') => inner.replace("\"\"", "\""),
            Some(b'`') => inner.replace("``", "`"),
            _ => inner.to_owned(),
        }
    }
}

/// White space and comments, names without quotes, names in quotes, and strings; a quote without an end reaches to the
/// end of the text.
static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?xs)
        (?<gap> [\ \t\n\r\x0c]+ | --[^\n]* | /\*.*?(?:\*/|\z) )
        | (?<word> [a-zA-Z0-9_[^\x00-\x7f]] [a-zA-Z0-9_$[^\x00-\x7f]]* )
        | (?<quoted> "(?:[^"]|"")*"? | `(?:[^`]|``)*`? | \[[^\]]*\]? )
        | '(?:[^']|'')*'? | ."#,
    )
    .ok()
});

fn tokens(sql: &str) -> Vec<Token<'_>> {
    let pattern = TOKEN.iter();
    let found = pattern
        .flat_map(|pattern| pattern.captures_iter(sql))
        .filter(|found| found.name("gap").is_none());
    let token = |found: Captures<'_>| {
        let sort = match (found.name("word"), found.name("quoted")) {
            (Some(_), _) => Sort::Word,
            (_, Some(_)) => Sort::Quoted,
            _ => Sort::Other,
        };
        let range = found.get(0)?.range();
        let (start, text) = (range.start, sql.get(range)?);
        Some(Token { sort, text, start })
    };
    found.filter_map(token).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_of_a_rule_are_found_past_quotes_comments_and_parentheses() {
        let sql = "CREATE TABLE t (a INTEGER CHECK (a > (0)), -- CHECK (b)\n \
                   \"b c\" TEXT, CONSTRAINT \"the rule\" CHECK (\"b c\" <> 'a)' AND a < 9), check(`d` in ('x')), d)";
        let found = checks(sql, &["a", "b c", "d"]);
        let read: Vec<_> = found
            .iter()
            .map(|c| (c.name.as_deref(), c.text.as_str(), c.fields.as_slice()))
            .collect();
        assert_eq!(
            read,
            [
                (None, "a > (0)", &[0][..]),
                (Some("the rule"), "\"b c\" <> 'a)' AND a < 9", &[1, 0][..]),
                (None, "`d` in ('x')", &[2][..]),
            ]
        );
    }

    #[test]
    fn half_a_statement_does_no_harm() {
        for sql in [
            "CHECK (",
            "CHECK",
            "CHECK ('a",
            "/*",
            "--",
            "\"",
            "CHECK ((a)",
            "é CHECK (é)",
        ] {
            let _ = checks(sql, &["a"]);
        }
    }
}
