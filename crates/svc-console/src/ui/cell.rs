//! Values of records, as a reader wants to see them. They are JSON as the service has sent it: numbers keep their digits.

use maud::{Markup, html};
use serde_json::value::RawValue;
use svc_model::resources::FieldType;

use crate::texts::Texts;

/// A value of a field, of which `cut` characters exist where only the first ones were read.
pub(crate) fn cell(
    texts: &Texts,
    kind: FieldType,
    value: Option<&RawValue>,
    cut: Option<u64>,
) -> Markup {
    let raw = value.map_or("null", RawValue::get);
    match raw {
        "null" => return html! { span.null { "NULL" } },
        "true" => return html! { span.yes { (texts.get("yes")) } },
        "false" => return html! { span.no { (texts.get("no")) } },
        _ => {}
    }
    let text: Option<String> = serde_json::from_str(raw).ok();
    match (kind, text) {
        (FieldType::BinaryField, text) => html! {
            span.binary { (texts.with("bytes", [("count", bytes_of(text.as_deref(), cut).into())])) }
        },
        (FieldType::DateTimeField | FieldType::DateField, Some(text)) => html! {
            time datetime=(text) { (date_text(&text)) }
        },
        (_, Some(text)) if text.is_empty() => html! { span.empty { (texts.get("empty")) } },
        (FieldType::JsonField | FieldType::GeometryField | FieldType::ArrayField, text) => html! {
            code { bdi { (text.as_deref().unwrap_or(raw)) (more(cut)) } }
        },
        (_, Some(text)) => html! { bdi { (link_or_text(&text)) (more(cut)) } },
        (_, None) => html! { bdi { (raw) } },
    }
}

/// How many bytes hexadecimal text has, or had before it was cut.
fn bytes_of(text: Option<&str>, cut: Option<u64>) -> u64 {
    cut.unwrap_or_else(|| text.unwrap_or_default().len() as u64 / 2)
}

fn more(cut: Option<u64>) -> Markup {
    html! {
        @if cut.is_some() { span.more { "…" } }
    }
}

/// A date without what a reader does not need.
fn date_text(text: &str) -> String {
    let text = text.replacen('T', " ", 1);
    let text = text.strip_suffix('Z').unwrap_or(&text);
    text.strip_suffix("+00:00").unwrap_or(text).to_owned()
}

/// A text is a link only where its scheme is harmless.
fn link_or_text(text: &str) -> Markup {
    let is_link = ["http://", "https://", "mailto:"].iter().any(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    let is_one_word = text.bytes().all(|byte| byte > b' ') && text.len() < 2_000;
    html! {
        @if is_link && is_one_word {
            a href=(text) rel="noreferrer noopener" { (text) }
        } @else {
            (text)
        }
    }
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
