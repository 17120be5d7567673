//! The texts of the console: a file for each language.

use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use fluent_syntax::ast::{Entry, PatternElement};
use http::{HeaderMap, header};
use maud::Render;

use crate::ui::escaped::Escaped;

/// The languages, English first.
const LANGUAGES: [(&str, &str); 2] = [
    ("en", include_str!("../texts/en.ftl")),
    ("de", include_str!("../texts/de.ftl")),
];

static TEXTS: LazyLock<Vec<Texts>> = LazyLock::new(|| {
    let all = LANGUAGES.iter();
    all.map(|(language, source)| Texts::read(language, source))
        .collect()
});

/// The texts of a language.
pub(crate) struct Texts {
    language: &'static str,
    bundle: FluentBundle<FluentResource>,
    /// The texts without values in them, which are most: a page has hundreds.
    plain: HashMap<String, String>,
}

impl std::fmt::Debug for Texts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Texts").field(&self.language).finish()
    }
}

impl Texts {
    fn read(language: &'static str, source: &str) -> Self {
        let identifier = language.parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![identifier]);
        // Values are set apart in HTML.
        bundle.set_use_isolating(false);
        bundle.set_formatter(Some(match language {
            "de" => |value, _| grouped(value, '.'),
            _ => |value, _| grouped(value, ','),
        }));
        // A message that cannot be read is missing then, which a test sees.
        let resource = FluentResource::try_new(source.to_owned());
        let resource = resource.unwrap_or_else(|(resource, _)| resource);
        let plain = resource.entries().filter_map(plain).collect();
        let _ = bundle.add_resource(resource);
        Self {
            language,
            bundle,
            plain,
        }
    }

    /// The texts of the language that a browser would rather have.
    pub(crate) fn of(headers: &HeaderMap) -> &'static Self {
        let wanted = headers.get(header::ACCEPT_LANGUAGE);
        let wanted = wanted
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let mut wanted = wanted.split(',').filter_map(|part| {
            let language = part.split(';').next()?.trim();
            Self::of_language(language)
        });
        wanted.next().unwrap_or(&TEXTS[0])
    }

    /// The texts of all languages, English first.
    pub(crate) fn all() -> &'static [Self] {
        &TEXTS
    }

    /// The texts of a language; `None` for one that the console does not have.
    pub(crate) fn of_language(language: &str) -> Option<&'static Self> {
        let language = language.split(['-', '_']).next().unwrap_or_default();
        Self::all()
            .iter()
            .find(|texts| texts.language.eq_ignore_ascii_case(language))
    }

    /// The name of the language.
    pub(crate) fn language(&self) -> &'static str {
        self.language
    }

    /// A text.
    pub(crate) fn get(&self, id: &str) -> String {
        match self.plain.get(id) {
            Some(text) => text.clone(),
            None => self.with(id, []),
        }
    }

    /// A number as it is written in the language, with all its digits.
    pub(crate) fn number(&self, text: &str) -> String {
        let (thousands, decimal) = match self.language {
            "de" => ('.', ','),
            _ => (',', '.'),
        };
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", text),
        };
        let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
        let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_plain(whole) || !is_plain(rest) {
            return text.to_owned();
        }
        let whole = in_thousands(whole, thousands);
        match rest.is_empty() {
            true => format!("{sign}{whole}"),
            false => format!("{sign}{whole}{decimal}{rest}"),
        }
    }

    /// A text around a value of this name: for a text that is there many times.
    pub(crate) fn around(&self, id: &str, name: &'static str) -> Around {
        const HERE: &str = "\u{0}";
        let text = self.with(id, [(name, HERE.into())]);
        let (before, behind) = text.split_once(HERE).unwrap_or((&text, ""));
        Around {
            before: before.to_owned(),
            behind: behind.to_owned(),
        }
    }

    /// A text with values in it.
    pub(crate) fn with<'a, const N: usize>(
        &self,
        id: &str,
        values: [(&'static str, FluentValue<'a>); N],
    ) -> String {
        let mut arguments = FluentArgs::new();
        for (name, value) in values {
            arguments.set(name, value);
        }
        let pattern = self
            .bundle
            .get_message(id)
            .and_then(|message| message.value());
        let Some(pattern) = pattern else {
            tracing::error!(id, language = self.language, "the console has no such text");
            return id.to_owned();
        };
        let mut errors = Vec::new();
        let text: Cow<'_, str> = self
            .bundle
            .format_pattern(pattern, Some(&arguments), &mut errors);
        text.into_owned()
    }
}

/// A text but for the value in it.
#[derive(Debug)]
pub(crate) struct Around {
    before: String,
    behind: String,
}

impl Around {
    /// The text with this value.
    pub(crate) fn of<'t>(&'t self, value: &'t str) -> impl Render {
        struct With<'t>([&'t str; 3]);

        impl Render for With<'_> {
            fn render_to(&self, buffer: &mut String) {
                for part in self.0 {
                    Escaped(part).render_to(buffer);
                }
            }
        }

        With([&self.before, value, &self.behind])
    }
}

/// The identifier and the text of a message that is text alone.
fn plain(entry: &Entry<&str>) -> Option<(String, String)> {
    let Entry::Message(message) = entry else {
        return None;
    };
    let elements = message.value.as_ref()?.elements.iter();
    let texts = elements.map(|element| match element {
        PatternElement::TextElement { value } => Some(*value),
        PatternElement::Placeable { .. } => None,
    });
    let text = texts.collect::<Option<String>>()?;
    Some((message.id.name.to_owned(), text))
}

/// A number with its thousands set apart.
fn grouped(value: &FluentValue<'_>, separator: char) -> Option<String> {
    let FluentValue::Number(number) = value else {
        return None;
    };
    let digits = format!("{}", number.value);
    if digits.bytes().any(|byte| !byte.is_ascii_digit()) {
        return None;
    }
    Some(in_thousands(&digits, separator))
}

fn in_thousands(digits: &str, separator: char) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    fn ids(source: &str) -> BTreeSet<String> {
        let resource = FluentResource::try_new(source.to_owned());
        let resource = resource.unwrap_or_else(|(_, errors)| panic!("{errors:?}"));
        let entries = resource.entries();
        entries
            .filter_map(|entry| match entry {
                Entry::Message(message) => Some(message.id.name.to_owned()),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn texts_without_values_are_what_the_bundle_makes_of_them() {
        for texts in Texts::all() {
            assert!(texts.plain.len() > 500, "{}", texts.language);
            for (id, text) in &texts.plain {
                assert_eq!(*text, texts.with(id, []), "{id} in {}", texts.language);
            }
        }
    }

    #[test]
    fn every_language_has_the_same_texts() {
        let (_, english) = LANGUAGES[0];
        for (language, source) in LANGUAGES {
            assert_eq!(ids(source), ids(english), "{language}");
        }
    }

    #[test]
    fn every_text_that_is_asked_for_exists_and_every_text_is_asked_for() {
        let known = ids(LANGUAGES[0].1);
        let mut sources = String::new();
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => sources.push_str(&fs::read_to_string(path).unwrap()),
                }
            }
        }
        for id in &known {
            assert!(
                sources.contains(&format!("\"{id}\"")),
                "nothing asks for {id}"
            );
        }
        // A call may stand on several lines.
        let sources: String = sources.split_whitespace().collect();
        for call in ["texts.get(\"", "texts.with(\""] {
            for (at, _) in sources.match_indices(call) {
                let rest = &sources[at + call.len()..];
                let id = &rest[..rest.find('"').unwrap()];
                assert!(known.contains(id), "{id}");
            }
        }
    }

    #[test]
    fn a_number_keeps_all_its_digits() {
        let [english, german] = [&TEXTS[0], &TEXTS[1]];
        assert_eq!(
            english.number("-12345678901234.5000"),
            "-12,345,678,901,234.5000"
        );
        assert_eq!(german.number("1234.50"), "1.234,50");
        for text in ["1e9", "NaN", "", "2026-01-01", "12"] {
            assert_eq!(english.number(text), text);
        }
    }

    #[test]
    fn a_browser_gets_its_language_or_english() {
        let of = |accepted: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_LANGUAGE, accepted.parse().unwrap());
            Texts::of(&headers).language()
        };
        assert_eq!(of("fr-CH, de-AT;q=0.9, en;q=0.8"), "de");
        assert_eq!(of("fr, *;q=0.5"), "en");
        assert_eq!(Texts::of(&HeaderMap::new()).language(), "en");
    }
}
