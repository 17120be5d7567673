//! Finds the CHECK rules in the text of a CREATE TABLE, so that a refusal can name its columns.

use crate::structure::Rule;

/// The CHECK rules of a table with the columns each one speaks of.
pub(crate) fn checks(sql: &str, columns: &[&str]) -> Vec<Rule> {
    let tokens = tokens(sql);
    let mut checks = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let is_check = tokens
            .get(at)
            .is_some_and(|t| t.sort == Sort::Word && t.text.eq_ignore_ascii_case("check"));
        let opens = tokens.get(at + 1).is_some_and(|t| t.text == "(");
        if !(is_check && opens) {
            at += 1;
            continue;
        }
        let named = at >= 2
            && tokens
                .get(at - 2)
                .is_some_and(|t| t.sort == Sort::Word && t.text.eq_ignore_ascii_case("constraint"));
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
    Text,
    Other,
}

struct Token<'a> {
    sort: Sort,
    text: &'a str,
    start: usize,
}

impl Token<'_> {
    /// The name that the token stands for.
    fn name(&self) -> String {
        if self.sort != Sort::Quoted {
            return self.text.to_owned();
        }
        let inner = self
            .text
            .get(1..self.text.len().saturating_sub(1))
            .unwrap_or("");
        match self.text.as_bytes().first() {
            Some(b'"') => inner.replace("\"\"", "\""),
            Some(b'`') => inner.replace("``", "`"),
            _ => inner.to_owned(),
        }
    }
}

fn tokens(sql: &str) -> Vec<Token<'_>> {
    let bytes = sql.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let sort = match byte(at) {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'-' if byte(at + 1) == b'-' => {
                while at < bytes.len() && byte(at) != b'\n' {
                    at += 1;
                }
                continue;
            }
            b'/' if byte(at + 1) == b'*' => {
                at += 2;
                while at < bytes.len() && !(byte(at) == b'*' && byte(at + 1) == b'/') {
                    at += 1;
                }
                at += 2;
                continue;
            }
            quote @ (b'\'' | b'"' | b'`' | b'[') => {
                let close = if quote == b'[' { b']' } else { quote };
                at += 1;
                while at < bytes.len() {
                    if byte(at) == close {
                        at += 1;
                        if close == b']' || byte(at) != close {
                            break;
                        }
                    }
                    at += 1;
                }
                if quote == b'\'' {
                    Sort::Text
                } else {
                    Sort::Quoted
                }
            }
            b if b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80 => {
                while byte(at).is_ascii_alphanumeric() || matches!(byte(at), b'_' | b'$' | 0x80..) {
                    at += 1;
                }
                Sort::Word
            }
            _ => {
                at += 1;
                Sort::Other
            }
        };
        at = at.min(bytes.len());
        tokens.push(Token {
            sort,
            text: sql.get(start..at).unwrap_or(""),
            start,
        });
    }
    tokens
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
