//! Values of records, as a reader wants to see them. They are JSON as the service has sent it: numbers keep their digits.

use maud::{Markup, Render, html};
use svc_model::resources::FieldType;

use crate::{json, texts::Texts, ui::escaped::Escaped};

/// A value of a field as JSON, of which `cut` characters exist where only the first ones were read. Nothing is NULL.
pub(crate) fn cell<'v>(
    texts: &'v Texts,
    kind: FieldType,
    json: Option<&'v str>,
    cut: Option<u64>,
) -> Cell<'v> {
    let json = json.unwrap_or("null");
    Cell {
        texts,
        kind,
        json,
        cut,
    }
}

/// A value as it is shown.
#[derive(Debug)]
pub(crate) struct Cell<'v> {
    texts: &'v Texts,
    kind: FieldType,
    json: &'v str,
    cut: Option<u64>,
}

impl Render for Cell<'_> {
    fn render_to(&self, buffer: &mut String) {
        let Self {
            texts, json, cut, ..
        } = *self;
        let shown = match (self.kind, json::text(json)) {
            _ if json == "null" => html! { span.null { "NULL" } },
            _ if json == "true" => html! { span.yes { (texts.get("yes")) } },
            _ if json == "false" => html! { span.no { (texts.get("no")) } },
            (FieldType::BinaryField, text) => html! {
                span.binary {
                    (texts.with("bytes", [("count", bytes_of(text.as_deref(), cut).into())]))
                }
            },
            (FieldType::DateTimeField | FieldType::DateField, Some(text)) if is_date(&text) => {
                html! {
                    time datetime=(Escaped(&text)) {
                        @let (day, clock) = date_parts(&text);
                        (Escaped(day)) @if !clock.is_empty() { " " (Escaped(clock)) }
                    }
                }
            }
            (FieldType::JsonField | FieldType::GeometryField | FieldType::ArrayField, text)
                if text.as_deref() != Some("") =>
            {
                html! { code { bdi { (text.as_deref().unwrap_or(json)) @if cut.is_some() { (More) } } } }
            }
            (_, Some(text)) if text.is_empty() => html! { span.empty { (texts.get("empty")) } },
            (_, Some(text)) if is_link(&text) => html! {
                bdi {
                    a href=(text) rel="noreferrer noopener" { (text) }
                    @if cut.is_some() { (More) }
                }
            },
            (_, text) => {
                // Most of the thousands of values that a table has: without a text of their own for each.
                buffer.push_str("<bdi>");
                Lines(text.as_deref().unwrap_or(json)).render_to(buffer);
                if cut.is_some() {
                    More.render_to(buffer);
                }
                buffer.push_str("</bdi>");
                return;
            }
        };
        shown.render_to(buffer);
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

/// Whether a text is a date, perhaps with a time behind it. A column of dates may hold other texts.
fn is_date(text: &str) -> bool {
    let (day, clock) = text.split_once('T').unwrap_or((text, "0"));
    let parts = day.trim_start_matches('-').split('-');
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    parts.clone().count() == 3
        && parts.into_iter().all(are_digits)
        && clock.starts_with(|first: char| first.is_ascii_digit())
}

/// The day of a date, and the time of day without what a reader does not need.
fn date_parts(text: &str) -> (&str, &str) {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let text = text.strip_suffix("+00:00").unwrap_or(text);
    text.split_once('T').unwrap_or((text, ""))
}

/// Whether a text is shown as a link: only where its scheme is harmless.
fn is_link(text: &str) -> bool {
    let begins = |scheme: &str| {
        let start = text.as_bytes().get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    let has_scheme = begins("http://") || begins("https://") || begins("mailto:");
    let is_one_word = || text.len() < 2_000 && text.bytes().all(|byte| byte > b' ');
    has_scheme && is_one_word()
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    fn shown(kind: FieldType, json: &str) -> String {
        let shown = cell(Texts::of(&HeaderMap::new()), kind, Some(json), None);
        shown.render().into_string()
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
    fn a_column_of_dates_shows_dates_for_readers_and_other_texts_as_they_are() {
        let date = shown(FieldType::DateTimeField, r#""2026-01-05T10:20:30Z""#);
        assert!(date.contains(">2026-01-05 10:20:30<"), "{date}");
        for text in ["TBD", "10 OCT 2024", "AZ", "2026-01-05Tomorrow"] {
            for kind in [FieldType::DateField, FieldType::DateTimeField] {
                let shown = shown(kind, &format!("\"{text}\""));
                assert_eq!(shown, format!("<bdi>{text}</bdi>"));
            }
        }
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
