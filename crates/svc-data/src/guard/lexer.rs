//! Splits a text into tokens by the rules of its engine, and writes each as it will run.
//!
//! Comments and white space leave nothing but the gap between two tokens. Whatever an engine could read in
//! two ways, by its settings or its version, is refused or written in the way that leaves no choice.

mod strings;

use std::borrow::Cow;

use super::{
    Binds, Engine, Refusal, Rule,
    refusal::{place, shown},
};

/// A piece of the text.
#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    /// As it will run; for a bind its name, or nothing.
    pub(super) text: Cow<'a, str>,
    /// Where it begins in the text of the client, in bytes.
    pub(super) at: usize,
    /// Whether white space or a comment comes before it.
    pub(super) spaced: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A keyword or a name without quotes.
    Word,
    /// A name in quotes.
    Quoted,
    /// A string.
    Text,
    Number,
    /// A bind of the client.
    Bind,
    /// One character of an operator or a delimiter.
    Sign,
}

impl Token<'_> {
    pub(super) fn is_sign(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }
}

/// The tokens of a text, semicolons included.
///
/// # Errors
///
/// What cannot be read, or in more than one way.
pub(super) fn tokens<'a>(
    sql: &'a str,
    engine: Engine,
    binds: Binds<'_>,
) -> Result<Vec<Token<'a>>, Refusal> {
    if let Some(at) = sql.find('\0') {
        return Err(Refusal::new(
            Rule::Character,
            format!("there is a NUL character at {}", place(sql, at)),
        ));
    }
    let mut lexer = Lexer {
        sql,
        at: 0,
        engine,
        positional: matches!(binds, Binds::Positional(_)),
        spaced: false,
        tokens: Vec::new(),
    };
    while let Some(c) = lexer.peek() {
        lexer.next(c)?;
    }
    Ok(lexer.tokens)
}

struct Lexer<'a> {
    sql: &'a str,
    at: usize,
    engine: Engine,
    positional: bool,
    spaced: bool,
    tokens: Vec<Token<'a>>,
}

impl<'a> Lexer<'a> {
    fn next(&mut self, c: char) -> Result<(), Refusal> {
        match c {
            ' ' | '\t' | '\n' | '\r' => {
                self.at += 1;
                self.spaced = true;
                Ok(())
            }
            '-' if self.begins_line_comment() => self.skip_line(),
            '#' if self.engine == Engine::Mysql => self.skip_line(),
            '/' if self.rest().starts_with("/*") => self.skip_block_comment(),
            '\'' => self.string(),
            '"' if self.engine == Engine::Mysql => self.string(),
            '"' => self.quoted_name('"'),
            '`' if self.engine != Engine::Postgres => self.quoted_name('`'),
            '[' if self.engine == Engine::Sqlite => self.quoted_name(']'),
            '$' if self.engine == Engine::Postgres => self.dollar_quoted(),
            '0'..='9' => self.number(),
            '.' if self.second().is_some_and(|next| next.is_ascii_digit()) => self.number(),
            ':' => self.colon(),
            '%' if self.positional => self.percent(),
            _ if begins_word(c) => self.word(),
            _ => self.sign(c),
        }
    }

    fn word(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        let dollars = self.engine != Engine::Sqlite;
        let length = self
            .rest()
            .find(|c| !(begins_word(c) || c.is_ascii_digit() || (c == '$' && dollars)))
            .unwrap_or(self.rest().len());
        self.at += length;
        let word = self.sql.get(start..self.at).unwrap_or_default();
        if self.peek() == Some('\'') && self.prefixed_string(word, start)? {
            return Ok(());
        }
        if self.engine == Engine::Postgres
            && word.eq_ignore_ascii_case("u")
            && (self.rest().starts_with("&'") || self.rest().starts_with("&\""))
        {
            return Err(self.refuse(
                Rule::Literal,
                start,
                "unicode escapes (`U&`) are not taken; write the characters themselves",
            ));
        }
        self.push(Kind::Word, word, start);
        Ok(())
    }

    fn number(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        let glued_behind_name = !self.spaced
            && self
                .tokens
                .last()
                .is_some_and(|token| is_operand(token) || token.is_sign("."));
        let mut length = 0;
        let rest = self.rest();
        let hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
        let mut before = ' ';
        for c in rest.chars() {
            let sign_of_exponent = matches!(c, '+' | '-') && matches!(before, 'e' | 'E');
            if !(c.is_alphanumeric()
                || matches!(c, '_' | '.')
                || sign_of_exponent && !hexadecimal && length > 1)
            {
                break;
            }
            length += c.len_utf8();
            before = c;
        }
        self.at += length;
        let number = self.sql.get(start..self.at).unwrap_or_default();
        if glued_behind_name || !is_number(number) {
            return Err(self.refuse(
                Rule::Literal,
                start,
                &format!("{} is neither a number nor a name", shown(number)),
            ));
        }
        self.push(Kind::Number, number, start);
        Ok(())
    }

    /// `:name` is a bind. PostgreSQL has other uses for a colon, behind an operand or another colon.
    fn colon(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        let behind_operand = !self.spaced && self.tokens.last().is_some_and(is_operand);
        let behind_colon =
            !self.spaced && self.tokens.last().is_some_and(|token| token.is_sign(":"));
        let names = self.second().is_some_and(begins_word);
        let postgres = self.engine == Engine::Postgres;
        if !names || behind_colon || (postgres && behind_operand) {
            if postgres {
                return self.sign(':');
            }
            return Err(self.refuse(
                Rule::Character,
                start,
                "a colon can only begin a bind, as in `:name`",
            ));
        }
        let rest = self.rest().get(1..).unwrap_or_default();
        let length = rest
            .find(|c| !(begins_word(c) || c.is_ascii_digit()))
            .unwrap_or(rest.len());
        self.at += 1 + length;
        self.push(Kind::Bind, rest.get(..length).unwrap_or_default(), start);
        Ok(())
    }

    /// In positional mode `%s` is a bind and `%%` a percent sign.
    fn percent(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        let rest = self.rest();
        if rest.starts_with("%%") {
            self.at += 2;
            self.push(Kind::Sign, "%", start);
        } else if rest.starts_with("%s")
            && !rest
                .chars()
                .nth(2)
                .is_some_and(|c| begins_word(c) || c.is_ascii_digit())
        {
            self.at += 2;
            self.push(Kind::Bind, "", start);
        } else {
            return self.sign('%');
        }
        Ok(())
    }

    fn sign(&mut self, c: char) -> Result<(), Refusal> {
        let start = self.at;
        let refusal = match (c, self.engine) {
            ('(' | ')' | ',' | '.' | ';' | '+' | '-' | '*' | '/' | '<' | '>' | '=', _)
            | ('~' | '!' | '%' | '^' | '&' | '|', _)
            | ('[' | ']' | ':' | '@' | '#' | '?', Engine::Postgres) => None,
            ('@', Engine::Mysql) => Some((
                Rule::Variable,
                "variables (`@`) are neither read nor assigned by a query",
            )),
            ('?' | '@' | '$', _) => Some((
                Rule::Character,
                "placeholders are written `:name`, or `%s` with `v` 1",
            )),
            ('\\', _) => Some((
                Rule::Character,
                "a backslash is only allowed in a string; commands of a terminal are not SQL",
            )),
            _ => Some((Rule::Character, "this character has no meaning here")),
        };
        if let Some((rule, message)) = refusal {
            return Err(self.refuse(rule, start, &format!("{}: {message}", shown_sign(c))));
        }
        self.at += c.len_utf8();
        let sign = self.sql.get(start..self.at).unwrap_or_default();
        self.push(Kind::Sign, sign, start);
        Ok(())
    }

    /// MySQL wants white space behind the two dashes; without it they are two signs.
    fn begins_line_comment(&self) -> bool {
        let Some(rest) = self.rest().strip_prefix("--") else {
            return false;
        };
        self.engine != Engine::Mysql
            || rest
                .chars()
                .next()
                .is_none_or(|c| c.is_ascii_whitespace() || c.is_control())
    }

    fn skip_line(&mut self) -> Result<(), Refusal> {
        // Where the line ends is a matter of the engine; a carriage return ends it for PostgreSQL only.
        let ends: &[char] = match self.engine {
            Engine::Postgres => &['\n', '\r'],
            Engine::Sqlite | Engine::Mysql => &['\n'],
        };
        self.at += self.rest().find(ends).unwrap_or(self.rest().len());
        self.spaced = true;
        Ok(())
    }

    fn skip_block_comment(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        let opening = self.rest();
        let engine = self.engine;
        if opening.starts_with("/*!") || opening.starts_with("/*M!") {
            return Err(self.refuse(
                Rule::Comment,
                start,
                "a comment that is carried out (`/*!`) is not taken",
            ));
        }
        if engine != Engine::Sqlite && opening.starts_with("/*+") {
            return Err(self.refuse(
                Rule::Comment,
                start,
                "optimizer hints (`/*+`) are not taken; they could lift the limits of the query",
            ));
        }
        let mut open = 1_usize;
        self.at += 2;
        while open > 0 {
            let rest = self.rest();
            let Some(next) = rest.find(['*', '/']) else {
                return Err(self.refuse(Rule::Comment, start, "the comment does not end"));
            };
            self.at += next;
            if self.rest().starts_with("*/") {
                open -= 1;
                self.at += 2;
            } else if engine == Engine::Postgres && self.rest().starts_with("/*") {
                open += 1;
                self.at += 2;
            } else {
                self.at += 1;
            }
        }
        self.spaced = true;
        Ok(())
    }

    fn push(&mut self, kind: Kind, text: impl Into<Cow<'a, str>>, at: usize) {
        self.tokens.push(Token {
            kind,
            text: text.into(),
            at,
            spaced: self.spaced,
        });
        self.spaced = false;
    }

    fn rest(&self) -> &'a str {
        self.sql.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    fn refuse(&self, rule: Rule, at: usize, message: &str) -> Refusal {
        Refusal::new(rule, format!("{message} ({})", place(self.sql, at)))
    }
}

/// Letters of every script; no white space, sign or invisible character beyond ASCII, which engines and
/// people see differently.
fn begins_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || (!c.is_ascii() && c.is_alphanumeric())
}

fn is_operand(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Sign => token.text == ")" || token.text == "]",
        Kind::Word | Kind::Quoted | Kind::Text | Kind::Number | Kind::Bind => true,
    }
}

/// Decimal with fraction and exponent, or hexadecimal; digits may be grouped by `_`.
fn is_number(text: &str) -> bool {
    fn digits(text: &str, is_digit: impl Fn(char) -> bool) -> bool {
        text.split('_')
            .all(|group| !group.is_empty() && group.chars().all(&is_digit))
    }
    if let Some(hexadecimal) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return digits(hexadecimal, |c| c.is_ascii_hexdigit());
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, fraction),
        None => (mantissa, ""),
    };
    let decimal = |text: &str| text.is_empty() || digits(text, |c| c.is_ascii_digit());
    decimal(whole)
        && decimal(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| {
            digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent), |c| {
                c.is_ascii_digit()
            })
        })
}

fn shown_sign(c: char) -> String {
    if c.is_control() || c.is_whitespace() || (!c.is_ascii() && !c.is_alphanumeric()) {
        format!("U+{:04X}", u32::from(c))
    } else {
        shown(c.encode_utf8(&mut [0; 4]))
    }
}
