//! Strings and quoted names, written so that they mean the same in every mode of the engine.

use super::{Engine, Kind, Lexer, Refusal, Rule, shown};

impl Lexer<'_> {
    /// A string that begins here: `'...'`, and `"..."` of MySQL.
    pub(super) fn string(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        let backslashes = self.engine == Engine::Mysql;
        let (quote, content) = self.quoted_content(backslashes)?;
        let text = match self.engine {
            Engine::Postgres => postgres_string(&content),
            Engine::Sqlite | Engine::Mysql => format!("{quote}{content}{quote}"),
        };
        self.push_string(text, start)
    }

    /// A string with a prefix that was read already; whether the prefix makes one.
    pub(super) fn prefixed_string(&mut self, prefix: &str, start: usize) -> Result<bool, Refusal> {
        let prefix = prefix.to_ascii_lowercase();
        match (prefix.as_str(), self.engine) {
            ("e", Engine::Postgres) => {
                let (_, content) = self.quoted_content(true)?;
                self.push_string(format!("E'{content}'"), start)?;
            }
            ("x", _) | ("b", Engine::Postgres | Engine::Mysql) => {
                let (_, content) = self.quoted_content(false)?;
                let is_digit = |c: char| match prefix.as_str() {
                    "x" => c.is_ascii_hexdigit(),
                    _ => matches!(c, '0' | '1'),
                };
                if !content.chars().all(is_digit) {
                    return Err(self.refuse(
                        Rule::Literal,
                        start,
                        &format!("`{prefix}'...'` contains something else than its digits"),
                    ));
                }
                self.push_string(format!("{prefix}'{content}'"), start)?;
            }
            ("n", _) => {
                return Err(self.refuse(
                    Rule::Literal,
                    start,
                    "national strings (`N'...'`) are not taken; leave the N out",
                ));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `$tag$ ... $tag$`, which becomes a plain string.
    pub(super) fn dollar_quoted(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        let rest = self.rest();
        let after = rest.get(1..).unwrap_or_default();
        let tag = after.split('$').next().unwrap_or_default();
        let is_tag = tag.len() < after.len()
            && !tag.starts_with(|c: char| c.is_ascii_digit())
            && tag.chars().all(|c| {
                c.is_alphanumeric() && !c.is_ascii() || c.is_ascii_alphanumeric() || c == '_'
            });
        if !is_tag {
            return self.sign('$');
        }
        let delimiter = format!("${tag}$");
        let body = rest.get(delimiter.len()..).unwrap_or_default();
        let Some(length) = body.find(&delimiter) else {
            return Err(self.refuse(
                Rule::Literal,
                start,
                &format!(
                    "the string that begins with {} does not end",
                    shown(&delimiter)
                ),
            ));
        };
        let content = body.get(..length).unwrap_or_default().replace('\'', "''");
        self.at += length + 2 * delimiter.len();
        self.push_string(postgres_string(&content), start)
    }

    /// A name in quotes that end with `closing`.
    pub(super) fn quoted_name(&mut self, closing: char) -> Result<(), Refusal> {
        let start = self.at;
        self.at += 1;
        loop {
            let Some(next) = self.rest().find(closing) else {
                return Err(self.refuse(Rule::Literal, start, "the quoted name does not end"));
            };
            self.at += next + 1;
            // A bracket cannot be written within brackets.
            if closing == ']' || self.peek() != Some(closing) {
                break;
            }
            self.at += 1;
        }
        let name = self.sql.get(start..self.at).unwrap_or_default();
        if name.len() == 2 {
            return Err(self.refuse(Rule::Literal, start, "a quoted name is empty"));
        }
        self.push(Kind::Quoted, name, start);
        Ok(())
    }

    /// The inside of a string that begins here, its quotes doubled, and the kind of quote. A quote behind
    /// a backslash, which is a matter of settings, is doubled instead.
    fn quoted_content(&mut self, backslashes: bool) -> Result<(char, String), Refusal> {
        let start = self.at;
        let quote = self.peek().unwrap_or('\'');
        self.at += 1;
        let mut content = String::new();
        let mut chars = self.rest().char_indices().peekable();
        while let Some((offset, c)) = chars.next() {
            if c == quote {
                if chars.peek().is_none_or(|(_, next)| *next != quote) {
                    self.at += offset + 1;
                    return Ok((quote, content));
                }
                chars.next();
                content.extend([quote, quote]);
            } else if c == '\\' && backslashes {
                match chars.next() {
                    Some((_, escaped)) if escaped == quote => content.extend([quote, quote]),
                    Some((_, escaped @ ('\'' | '"'))) => content.push(escaped),
                    Some((_, escaped)) => content.extend(['\\', escaped]),
                    None => break,
                }
            } else {
                content.push(c);
            }
        }
        Err(self.refuse(Rule::Literal, start, "the string does not end"))
    }

    fn push_string(&mut self, text: String, start: usize) -> Result<(), Refusal> {
        // The escapes of the first string would apply in the second.
        if self.engine == Engine::Postgres
            && self
                .tokens
                .last()
                .is_some_and(|token| token.kind == Kind::Text)
        {
            return Err(self.refuse(
                Rule::Literal,
                start,
                "there are two strings side by side; join them with `||`",
            ));
        }
        let text = if self.positional {
            text.replace("%%", "%")
        } else {
            text
        };
        self.push(Kind::Text, text, start);
        Ok(())
    }
}

/// A backslash in a plain string means itself or escapes, by a setting; in an `E` string it always escapes.
fn postgres_string(content: &str) -> String {
    if content.contains('\\') {
        format!("E'{}'", content.replace('\\', r"\\"))
    } else {
        format!("'{content}'")
    }
}
