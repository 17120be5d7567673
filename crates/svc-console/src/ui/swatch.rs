//! The colour of a project or an environment: a small square, and the choice of one.

use maud::{Markup, html};

use crate::texts::Texts;

/// The colours that are offered, by the name of their text.
fn offered(texts: &Texts) -> [(&'static str, String); 7] {
    [
        ("#6b7280", texts.get("people-color-gray")),
        ("#2f6fd0", texts.get("people-color-blue")),
        ("#1b8a4b", texts.get("people-color-green")),
        ("#b8860b", texts.get("people-color-yellow")),
        ("#d9730d", texts.get("people-color-orange")),
        ("#c0392b", texts.get("people-color-red")),
        ("#7e4fc4", texts.get("people-color-purple")),
    ]
}

/// A square of a colour; nothing without one, or where it is not a plain colour.
pub(crate) fn swatch(color: Option<&str>) -> Markup {
    html! {
        @if let Some(color) = color.filter(|color| is_plain(color)) {
            svg.swatch viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" {
                rect width="12" height="12" rx="3" fill=(color) {}
            }
        }
    }
}

/// What can be chosen for a colour: none, those that are offered, and the one that there is.
pub(crate) fn choices(texts: &Texts, known: Option<&str>) -> Vec<(String, String)> {
    let offered = offered(texts);
    let is_offered = |color: &str| offered.iter().any(|(value, _)| *value == color);
    let other = known.filter(|color| !color.is_empty() && !is_offered(color));
    let other = other.map(|color| (color.to_owned(), color.to_owned()));
    let none = (String::new(), texts.get("people-color-none"));
    let all = offered.map(|(value, name)| (value.to_owned(), name));
    [none].into_iter().chain(all).chain(other).collect()
}

/// Whether a text is a colour by its name or its digits, and nothing else.
fn is_plain(color: &str) -> bool {
    match color.strip_prefix('#') {
        Some(digits) => {
            matches!(digits.len(), 3 | 4 | 6 | 8) && digits.bytes().all(|it| it.is_ascii_hexdigit())
        }
        None => (3..=20).contains(&color.len()) && color.bytes().all(|it| it.is_ascii_alphabetic()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_colours_are_painted() {
        for color in ["#fff", "#2f6fd0", "rebeccapurple"] {
            assert!(swatch(Some(color)).into_string().contains(color));
        }
        for other in ["url(https://a.example/x)", "#12", "red;", "", "var(--x)"] {
            assert_eq!(swatch(Some(other)).into_string(), "", "{other}");
        }
    }
}
