//! Names in a request that stand for values: `{-name-}` for a secret token, `{{key}}` for a value of the context.
//!
//! A value is inserted in the form that its place needs, and is not searched for further names.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::value::RawValue;
use svc_store::OpenSecret;

use crate::http::ApiError;

/// How much of a name that is not known is shortened.
const SHOWN: usize = 64;

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'t> {
    Text(&'t str),
    Secret(&'t str),
    Context(&'t str),
}

/// The pieces of a text.
fn pieces(mut text: &str) -> impl Iterator<Item = Piece<'_>> {
    std::iter::from_fn(move || {
        let (piece, rest) = (!text.is_empty()).then(|| next_piece(text))?;
        text = rest;
        Some(piece)
    })
}

/// The next piece of a text that is not empty, and the rest.
fn next_piece(text: &str) -> (Piece<'_>, &str) {
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find('{')) {
        let at = from + found;
        let (before, rest) = text.split_at(at);
        let Some((piece, after)) = name_at(rest) else {
            from = at + 1;
            continue;
        };
        return match before.is_empty() {
            true => (piece, after),
            false => (Piece::Text(before), rest),
        };
    }
    (Piece::Text(text), "")
}

/// The name that a text begins with, and what follows it.
fn name_at(text: &str) -> Option<(Piece<'_>, &str)> {
    // No name holds a brace, so that nothing is looked at behind the next one: texts full of braces take no longer.
    let inside = text.get(1..)?;
    let mark = match inside.bytes().next()? {
        mark @ (b'-' | b'{') => mark,
        _ => return None,
    };
    let inside = inside.get(1..)?;
    let end = inside.find(|c: char| matches!(c, '{' | '}') || c.is_control())?;
    let (name, after) = (inside.get(..end)?, inside.get(end..)?);
    let (name, after, is_secret) = match mark {
        b'-' => (name.strip_suffix('-')?, after.strip_prefix('}')?, true),
        _ => (name, after.strip_prefix("}}")?, false),
    };
    let name = name.trim();
    match (name.is_empty(), is_secret) {
        (true, _) => None,
        (false, true) => Some((Piece::Secret(name), after)),
        (false, false) => Some((Piece::Context(name), after)),
    }
}

/// A value of the context.
#[derive(Debug)]
struct ContextValue {
    /// As text: that of a text, nothing of a null, else the JSON.
    text: String,
    /// As JSON.
    json: Box<RawValue>,
}

/// The values of a request's context.
#[derive(Debug, Default)]
pub(super) struct Context(BTreeMap<String, ContextValue>);

impl Context {
    /// Reads the context; an error when it is not an object.
    pub(super) fn parse(json: &str) -> Result<Self, serde_json::Error> {
        let values: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json)?;
        let values = values.into_iter().map(|(key, json)| {
            let text = match json.get() {
                "null" => String::new(),
                text if text.starts_with('"') => serde_json::from_str(text)?,
                other => other.to_owned(),
            };
            Ok((key, ContextValue { text, json }))
        });
        values.collect::<Result<_, _>>().map(Self)
    }
}

/// What is wrong with a text that contains names.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TemplateError {
    /// There is no such name, or it is not allowed here.
    Invalid(String),
    /// The values are too much.
    TooLarge,
}

impl TemplateError {
    /// The failure of a request in whose field this is wrong.
    pub(super) fn of(self, field: &str, limit: usize) -> ApiError {
        match self {
            Self::Invalid(message) => svc_model::Invalid::field(field, message).into(),
            Self::TooLarge => ApiError::PayloadTooLarge { limit },
        }
    }
}

/// A text in which names were replaced.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Expanded {
    pub(super) text: String,
    /// Whether a secret is in it.
    pub(super) secret: bool,
}

/// A value that is put into a text.
#[derive(Clone, Copy)]
pub(super) struct Put<'p> {
    /// What the text is so far.
    pub(super) before: &'p str,
    pub(super) value: &'p str,
    pub(super) is_secret: bool,
}

/// Puts values in place of names.
#[derive(Debug)]
pub(super) struct Names<'a> {
    context: &'a Context,
    secrets: &'a [OpenSecret],
    /// The only secrets that may be used; all of them when empty.
    only: HashSet<&'a str>,
    used: BTreeSet<&'a str>,
    /// How many bytes may still be made.
    left: usize,
}

impl<'a> Names<'a> {
    /// The names of a request whose texts together have this many bytes at most.
    pub(super) fn new(
        context: &'a Context,
        secrets: &'a [OpenSecret],
        only: &'a [String],
        limit: usize,
    ) -> Self {
        Self {
            context,
            secrets,
            only: only.iter().map(String::as_str).collect(),
            used: BTreeSet::new(),
            left: limit,
        }
    }

    /// The secrets that were put in.
    pub(super) fn used(&self) -> impl Iterator<Item = &'a OpenSecret> {
        let secrets = self.secrets;
        secrets
            .iter()
            .filter(|secret| self.used.contains(secret.name.as_str()))
    }

    /// Puts values in as they are.
    pub(super) fn verbatim(&mut self, text: &str) -> Result<Expanded, TemplateError> {
        self.encoded(text, |put, into| {
            into.push_str(put.value);
            Ok(())
        })
    }

    /// Puts values in through `encode`.
    pub(super) fn encoded(
        &mut self,
        text: &str,
        encode: impl Fn(Put<'_>, &mut String) -> Result<(), TemplateError>,
    ) -> Result<Expanded, TemplateError> {
        let mut expanded = Expanded::default();
        let mut encoded = String::new();
        for piece in pieces(text) {
            let (value, is_secret) = match piece {
                Piece::Text(text) => {
                    self.push(&mut expanded.text, text)?;
                    continue;
                }
                Piece::Secret(name) => (self.secret(name)?.value.expose(), true),
                Piece::Context(name) => (self.context(name)?.text.as_str(), false),
            };
            encoded.clear();
            let before = expanded.text.as_str();
            let put = Put {
                before,
                value,
                is_secret,
            };
            encode(put, &mut encoded)?;
            self.push(&mut expanded.text, &encoded)?;
            expanded.secret |= is_secret;
        }
        Ok(expanded)
    }

    /// Puts values into a text that is JSON: within a JSON text as part of it, elsewhere as JSON.
    pub(super) fn json(&mut self, text: &str) -> Result<Expanded, TemplateError> {
        let mut expanded = Expanded::default();
        let mut position = JsonPosition::default();
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) => {
                    position.pass(text);
                    self.push(&mut expanded.text, text)?;
                }
                Piece::Secret(name) => {
                    let value = quoted(self.secret(name)?.value.expose());
                    self.push(&mut expanded.text, position.part_of(&value))?;
                    expanded.secret = true;
                }
                Piece::Context(name) if position.in_text => {
                    let value = quoted(&self.context(name)?.text);
                    self.push(&mut expanded.text, position.part_of(&value))?;
                }
                Piece::Context(name) => {
                    self.push(&mut expanded.text, self.context(name)?.json.get())?;
                }
            }
        }
        Ok(expanded)
    }

    fn push(&mut self, into: &mut String, text: &str) -> Result<(), TemplateError> {
        self.left = self
            .left
            .checked_sub(text.len())
            .ok_or(TemplateError::TooLarge)?;
        into.push_str(text);
        Ok(())
    }

    fn secret(&mut self, name: &str) -> Result<&'a OpenSecret, TemplateError> {
        let found = self.secrets.iter().find(|secret| secret.name == name);
        let found = found.ok_or_else(|| {
            TemplateError::Invalid(format!(
                "the resource has no secret token {:?}",
                shortened(name)
            ))
        })?;
        if !self.only.is_empty() && !self.only.contains(name) {
            return Err(TemplateError::Invalid(format!(
                "the secret token {:?} is not named in secret_tokens",
                shortened(name)
            )));
        }
        self.used.insert(&found.name);
        Ok(found)
    }

    fn context(&self, name: &str) -> Result<&'a ContextValue, TemplateError> {
        let Context(context) = self.context;
        context.get(name).ok_or_else(|| {
            TemplateError::Invalid(format!("the context has no {:?}", shortened(name)))
        })
    }
}

/// The beginning of a name.
pub(super) fn shortened(name: &str) -> &str {
    name.char_indices()
        .nth(SHOWN)
        .map_or(name, |(end, _)| name.get(..end).unwrap_or(name))
}

/// A text as JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Where in a JSON document a text ends.
#[derive(Default)]
struct JsonPosition {
    in_text: bool,
    escaped: bool,
}

impl JsonPosition {
    fn pass(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_text => self.escaped = true,
                b'"' => self.in_text = !self.in_text,
                _ => {}
            }
        }
    }

    /// A JSON text as it is written here: within another one without its quotes.
    fn part_of<'q>(&self, quoted: &'q str) -> &'q str {
        let inner = quoted.get(1..quoted.len().saturating_sub(1));
        match self.in_text {
            true => inner.unwrap_or_default(),
            false => quoted,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use svc_store::Secret;

    use super::*;

    fn pieces(text: &str) -> Vec<Piece<'_>> {
        super::pieces(text).collect()
    }

    fn secrets() -> Vec<OpenSecret> {
        vec![
            OpenSecret::new("key", Vec::new(), Secret::new("s\"3{{id}}")),
            OpenSecret::new("other", Vec::new(), Secret::new("o")),
        ]
    }

    fn context() -> Context {
        Context::parse(r#"{"id":7,"name":"A \"B\"","no":null,"list":[1,2],"trick":"{-key-}"}"#)
            .unwrap()
    }

    fn verbatim(text: &str) -> Result<Expanded, TemplateError> {
        Names::new(&context(), &secrets(), &[], 1000).verbatim(text)
    }

    fn json(text: &str) -> Result<Expanded, TemplateError> {
        Names::new(&context(), &secrets(), &[], 1000).json(text)
    }

    /// What names were before they were read in linear time.
    fn name_by_search(text: &str) -> Option<(Piece<'_>, &str)> {
        let within = |open: &str, close: &str| {
            let (name, after) = text.strip_prefix(open)?.split_once(close)?;
            let fits = |c: char| !matches!(c, '{' | '}') && !c.is_control();
            let named = !name.trim().is_empty() && name.chars().all(fits);
            named.then_some((name.trim(), after))
        };
        within("{-", "-}")
            .map(|(name, after)| (Piece::Secret(name), after))
            .or_else(|| within("{{", "}}").map(|(name, after)| (Piece::Context(name), after)))
    }

    proptest! {
        #[test]
        fn a_name_is_found_as_by_a_search_for_its_end(text in "[{][-{]?[-{} a\n]{0,8}") {
            prop_assert_eq!(name_at(&text), name_by_search(&text));
        }
    }

    #[test]
    fn names_are_told_from_what_only_looks_like_them() {
        use Piece::{Context, Secret, Text};
        assert_eq!(
            pieces("a{-k-}b{{ c d }}"),
            [Text("a"), Secret("k"), Text("b"), Context("c d")]
        );
        assert_eq!(pieces("{-a-b-}"), [Secret("a-b")]);
        assert_eq!(pieces("{{{x}}}"), [Text("{"), Context("x"), Text("}")]);
        for text in [
            "{",
            "{{",
            "{-",
            "{--}",
            "{{}}",
            "{-}",
            "{a}",
            "{\"a\":{\"b\":{}}}",
            "{{a\n}}",
        ] {
            assert_eq!(pieces(text), [Text(text)], "{text}");
        }
    }

    #[test]
    fn values_take_the_place_of_names_and_are_not_looked_through() {
        let expanded = verbatim("{-key-}/{{id}}/{{name}}/{{no}}/{{list}}/{{trick}}").unwrap();
        assert_eq!(expanded.text, "s\"3{{id}}/7/A \"B\"//[1,2]/{-key-}");
        assert!(expanded.secret);
        assert!(!verbatim("{{trick}}").unwrap().secret);
    }

    #[test]
    fn within_json_a_value_is_part_of_a_text_or_json_of_its_own() {
        let expanded = json(
            r#"{"a":"x{{name}}\"{{id}}","b":{{list}},"c":{{name}},"d":"{-key-}","e":{-other-}}"#,
        );
        assert_eq!(
            expanded.unwrap().text,
            r#"{"a":"xA \"B\"\"7","b":[1,2],"c":"A \"B\"","d":"s\"3{{id}}","e":"o"}"#
        );
    }

    #[test]
    fn an_unknown_name_is_refused_and_shown_in_part() {
        for text in ["{-none-}", "{{none}}"] {
            let Err(TemplateError::Invalid(message)) = verbatim(text) else {
                panic!("{text}")
            };
            assert!(message.contains("\"none\""), "{message}");
        }
        let Err(TemplateError::Invalid(message)) =
            verbatim(&format!("{{{{{}}}}}", "ü".repeat(5000)))
        else {
            panic!("it is unknown")
        };
        assert!(message.chars().count() < 100);
    }

    #[test]
    fn only_secrets_that_are_named_are_used_when_some_are() {
        let (context, secrets) = (context(), secrets());
        let only = ["key".to_owned()];
        let mut names = Names::new(&context, &secrets, &only, 1000);
        names.verbatim("{-key-}").unwrap();
        assert!(matches!(
            names.verbatim("{-other-}"),
            Err(TemplateError::Invalid(_))
        ));
        let used: Vec<_> = names.used().map(|secret| secret.name.as_str()).collect();
        assert_eq!(used, ["key"]);
    }

    #[test]
    fn a_small_text_does_not_become_a_large_one() {
        let context = Context::parse(&format!(r#"{{"x":"{}"}}"#, "x".repeat(100))).unwrap();
        let mut names = Names::new(&context, &[], &[], 250);
        assert!(names.verbatim("{{x}}{{x}}").is_ok());
        assert_eq!(names.verbatim("{{x}}"), Err(TemplateError::TooLarge));
    }

    proptest! {
        #[test]
        fn a_text_without_braces_stays_and_every_text_is_read_to_its_end(text in "[a-z{}\\-\" ]{0,40}") {
            let whole: String = pieces(&text)
                .into_iter()
                .map(|piece| match piece {
                    Piece::Text(text) => text.to_owned(),
                    Piece::Secret(_) | Piece::Context(_) => String::new(),
                })
                .collect();
            if !text.contains('{') {
                prop_assert_eq!(&whole, &text);
            }
            prop_assert!(whole.len() <= text.len());
        }

        #[test]
        fn no_value_breaks_out_of_its_json_text(value in any::<String>()) {
            let json = serde_json::json!({ "v": value }).to_string();
            let context = Context::parse(&json).unwrap();
            let mut names = Names::new(&context, &[], &[], 10_000);
            let expanded = names.json(r#"{"a":"{{v}}","b":{{v}}}"#).unwrap();
            let read: serde_json::Value = serde_json::from_str(&expanded.text).unwrap();
            prop_assert_eq!(&read["a"], value.as_str());
            prop_assert_eq!(&read["b"], value.as_str());
        }
    }
}
