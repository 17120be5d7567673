//! Values of records, as a reader wants to see them. They are JSON as the service has sent it: numbers keep their digits.

use maud::{Markup, Render, html};
use serde_json::value::RawValue;
use svc_model::resources::FieldType;

use crate::{json, texts::Texts, ui::escaped::Escaped};

/// A value of a field, of which `cut` characters exist where only the first ones were read.
pub(crate) fn cell(
    texts: &Texts,
    kind: FieldType,
    value: Option<&RawValue>,
    cut: Option<u64>,
) -> Markup {
    let raw = value.map_or("null", RawValue::get);
    // One template, since a table has thousands of these.
    html! {
        @match (kind, json::text(raw)) {
            _ if raw == "null" => span.null { "NULL" },
            _ if raw == "true" => span.yes { (texts.get("yes")) },
            _ if raw == "false" => span.no { (texts.get("no")) },
            (FieldType::BinaryField, text) => span.binary {
                (texts.with("bytes", [("count", bytes_of(text.as_deref(), cut).into())]))
            },
            (FieldType::DateTimeField | FieldType::DateField, Some(text)) => time datetime=(Escaped(&text)) { (date_text(&text)) },
            (FieldType::JsonField | FieldType::GeometryField | FieldType::ArrayField, text) if text.as_deref() != Some("") => code {
                bdi { (text.as_deref().unwrap_or(raw)) @if cut.is_some() { (More) } }
            },
            (_, Some(text)) => {
                @if text.is_empty() { span.empty { (texts.get("empty")) } }
                @else { bdi {
                    @if is_link(&text) { a href=(text) rel="noreferrer noopener" { (text) } } @else { (Lines(&text)) }
                    @if cut.is_some() { (More) }
                } }
            },
            (_, None) => bdi { (Escaped(raw)) },
        }
    }
}

/// How many bytes hexadecimal text has, or had before it was cut.
fn bytes_of(text: Option<&str>, cut: Option<u64>) -> u64 {
    cut.unwrap_or_else(|| text.unwrap_or_default().len() as u64 / 2)
}

/// A text whose line breaks are there to be seen, also in a table where it has one line.
struct Lines<'t>(&'t str);

impl Render for Lines<'_> {
    fn render_to(&self, buffer: &mut String) {
        let mut rest = self.0;
        while let Some((line, others)) = rest.split_once('\n') {
            Escaped(line).render_to(buffer);
            buffer.push_str("<span class=\"break\">\n</span>");
            rest = others;
        }
        Escaped(rest).render_to(buffer);
    }
}

/// Says that there is more of a value than is shown.
struct More;

impl Render for More {
    fn render(&self) -> Markup {
        html! { span.more { "…" } }
    }
}

/// A date without what a reader does not need.
fn date_text(text: &str) -> String {
    let text = text.replacen('T', " ", 1);
    let text = text.strip_suffix('Z').unwrap_or(&text);
    text.strip_suffix("+00:00").unwrap_or(text).to_owned()
}

/// Whether a text is shown as a link: only where its scheme is harmless.
fn is_link(text: &str) -> bool {
    let has_scheme = ["http://", "https://", "mailto:"].iter().any(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    let is_one_word = || text.len() < 2_000 && text.bytes().all(|byte| byte > b' ');
    has_scheme && is_one_word()
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    fn shown(kind: FieldType, json: &str) -> String {
        let value = RawValue::from_string(json.to_owned()).unwrap();
        cell(Texts::of(&HeaderMap::new()), kind, Some(&value), None).into_string()
    }

    #[test]
    fn values_are_shown_exactly_and_never_as_markup() {
        let digits = "12345678901234567890.1234567890";
        assert_eq!(
            shown(FieldType::DecimalField, digits),
            format!("<bdi>{digits}</bdi>")
        );
        let script = shown(FieldType::TextField, r#""<script>alert(1)</script>""#);
        assert_eq!(script, "<bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>");
        assert!(shown(FieldType::TextField, "null").contains("NULL"));
        assert!(shown(FieldType::TextField, r#""NULL""#).contains("<bdi>NULL</bdi>"));
        assert!(shown(FieldType::TextField, r#""""#).contains("class=\"empty\""));
        assert!(shown(FieldType::BinaryField, r#""00010203""#).contains('4'));
        let lines = shown(FieldType::TextField, r#""a\n<b>\n""#);
        let (broken, text) = ("<span class=\"break\">\n</span>", "&lt;b&gt;");
        assert_eq!(lines, format!("<bdi>a{broken}{text}{broken}</bdi>"));
    }

    #[test]
    fn only_harmless_schemes_are_links() {
        for link in [
            "https://a.example/?x=1",
            "HTTP://a.example",
            "mailto:a@example.com",
        ] {
            let shown = shown(FieldType::TextField, &format!("\"{link}\""));
            assert!(shown.contains("<a href="), "{shown}");
        }
        for text in [
            "javascript:alert(1)",
            "data:text/html,x",
            " https://a",
            "https://a b",
        ] {
            let shown = shown(FieldType::TextField, &format!("\"{text}\""));
            assert!(!shown.contains("<a"), "{shown}");
        }
    }
}
