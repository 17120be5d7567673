//! The input of a field, by its type.

use maud::{Markup, html};
use svc_model::resources::{FieldDescription, FieldType};

use super::{Entered, normal};
use crate::texts::Texts;

/// Texts that are longer than this, or have lines, get more than one line.
const ONE_LINE: usize = 80;

/// How an input is called in the form and on the page.
#[derive(Debug)]
pub(crate) struct Input<'a> {
    pub(crate) name: &'a str,
    pub(crate) id: &'a str,
    /// The element that says what is wrong with it.
    pub(crate) error: Option<&'a str>,
    /// Whether it is the cell of a table, where Enter saves: a short text has one line there.
    pub(crate) is_cell: bool,
}

/// The input of a field, which holds what was entered.
pub(crate) fn input(
    texts: &Texts,
    field: &FieldDescription,
    now: &Entered,
    named: &Input<'_>,
) -> Markup {
    let Input {
        name,
        id,
        error,
        is_cell,
    } = *named;
    // As a browser shows it.
    let shown = normal(now);
    let text = match &shown {
        Entered::Text(text) => text.as_str(),
        _ => "",
    };
    let invalid = error.map(|_| "true");
    let is_long = text.len() > ONE_LINE
        || text.contains(['\n', '\r'])
        || (field.field == FieldType::TextField && !is_cell)
        || matches!(
            field.field,
            FieldType::BinaryField
                | FieldType::JsonField
                | FieldType::ArrayField
                | FieldType::GeometryField
        );
    let keyboard = match field.field {
        FieldType::IntegerField => Some("numeric"),
        FieldType::DecimalField | FieldType::FloatField => Some("decimal"),
        _ => None,
    };
    html! {
        @if field.field == FieldType::BooleanField {
            select id=(id) name=(name) aria-invalid=[invalid] aria-describedby=[error] {
                // A column of SQLite that is called boolean holds other values too, which stay as they are.
                @if !is_true(text) && !is_false(text) { option value=(text) selected { (text) } }
                option value="true" selected[is_true(text)] { (texts.get("yes")) }
                option value="false" selected[is_false(text)] { (texts.get("no")) }
            }
        } @else if is_long {
            // A browser drops the first line break of what it is given.
            textarea id=(id) name=(name) rows=(rows(field.field, text)) aria-invalid=[invalid] aria-describedby=[error] spellcheck="false" {
                "\n" (text)
            }
        } @else {
            input id=(id) name=(name) value=(text) inputmode=[keyboard] autocomplete="off" aria-invalid=[invalid]
                aria-describedby=[error];
        }
    }
}

fn is_true(text: &str) -> bool {
    text == "true"
}

fn is_false(text: &str) -> bool {
    text == "false"
}

/// How many lines a text has in an input. Most texts are short; where a browser can, the input grows with what is typed.
fn rows(kind: FieldType, text: &str) -> usize {
    let at_least = match kind {
        FieldType::JsonField | FieldType::ArrayField | FieldType::GeometryField => 3,
        _ => 1,
    };
    let lines = text.lines().map(|line| line.len() / ONE_LINE + 1);
    lines.sum::<usize>().clamp(at_least, 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_has_one_line_in_a_cell_and_lines_stay_lines() {
        let field = FieldDescription::new("note", FieldType::TextField, "text");
        let texts = &Texts::all()[0];
        let has_lines = |text: &str, is_cell: bool| {
            let named = Input {
                name: "value:note",
                id: "f0",
                error: None,
                is_cell,
            };
            let now = Entered::Text(text.to_owned());
            input(texts, &field, &now, &named)
                .into_string()
                .contains("<textarea")
        };
        assert!(!has_lines("a note", true));
        assert!(has_lines("a note", false));
        assert!(has_lines("two\nlines", true));
        assert!(has_lines("old\rlines", true));
        assert!(has_lines(&"x".repeat(81), true));
    }

    #[test]
    fn a_short_text_has_one_line_and_a_long_one_as_many_as_it_takes() {
        let of = |text: &str| rows(FieldType::TextField, text);
        assert_eq!((of(""), of("Müller"), of("a\nb\nc")), (1, 1, 3));
        assert_eq!(of(&"x".repeat(200)), 3);
        assert_eq!(of(&"x\n".repeat(100)), 16);
        assert_eq!(rows(FieldType::JsonField, "{}"), 3);
    }
}
