//! Where in a query text an error is.

use maud::{Markup, html};

/// How many lines around the one with the error are shown.
const AROUND: usize = 2;
/// How many characters of a line are shown on each side of the error.
const MOST: usize = 120;

/// A place in a text; both numbers begin at 1, columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Place {
    /// The same place in a text that has this in front.
    pub(super) fn behind(self, before: &str) -> Self {
        let last = before.rsplit('\n').next().unwrap_or_default();
        Self {
            line: self.line + before.matches('\n').count(),
            column: match self.line {
                1 => self.column + last.chars().count(),
                _ => self.column,
            },
        }
    }
}

/// The place that a message about a text names: as line and column, or by a word in quotes that is there once.
pub(super) fn place(message: &str, text: &str) -> Option<Place> {
    let exact = || {
        let (_, rest) = message.rsplit_once("line ")?;
        let (line, rest) = rest.split_once(", column ")?;
        let digits = rest.find(|c: char| !c.is_ascii_digit());
        let column = rest.get(..digits.unwrap_or(rest.len()))?;
        Some(Place {
            line: line.parse().ok().filter(|line| *line > 0)?,
            column: column.parse().ok().filter(|column| *column > 0)?,
        })
    };
    exact().or_else(|| named(message, text))
}

/// The place of the word that a database complains about.
fn named(message: &str, text: &str) -> Option<Place> {
    let mut words: Vec<&str> = Vec::new();
    for quote in ['"', '\'', '`'] {
        words.extend(message.split(quote).skip(1).step_by(2));
    }
    // "no such column: price"
    words.extend(message.rsplit_once(": ").map(|(_, word)| word));
    let at = words.into_iter().find_map(|word| {
        let word = word.rsplit('.').next().unwrap_or(word);
        let is_name = !word.is_empty() && word.chars().all(is_word);
        let mut found = text.match_indices(word).filter(|(at, _)| {
            let before = text.get(..*at).and_then(|text| text.chars().next_back());
            let after = text
                .get(at + word.len()..)
                .and_then(|text| text.chars().next());
            ![before, after].into_iter().flatten().any(is_word)
        });
        let (at, _) = found.next().filter(|_| is_name)?;
        found.next().is_none().then_some(at)
    })?;
    let before = text.get(..at)?;
    let start = before.rsplit('\n').next().unwrap_or_default();
    Some(Place {
        line: before.matches('\n').count() + 1,
        column: start.chars().count() + 1,
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The lines around a place, with their numbers; what begins there is marked.
pub(super) fn excerpt(text: &str, place: Place) -> Markup {
    let first = place.line.saturating_sub(AROUND + 1);
    let lines = text
        .split('\n')
        .enumerate()
        .skip(first)
        .take(2 * AROUND + 1);
    html! {
        pre.marked {
            @for (at, line) in lines {
                span.line-number { (at + 1) } " "
                @if at + 1 == place.line { (marked(line, place.column)) } @else { (line.chars().take(MOST).collect::<String>()) }
                "\n"
            }
        }
    }
}

fn marked(line: &str, column: usize) -> Markup {
    let skipped = column.saturating_sub(MOST);
    let before: String = line.chars().take(column - 1).skip(skipped).collect();
    let rest: Vec<char> = line.chars().skip(column - 1).take(MOST).collect();
    let length = rest.iter().take_while(|c| is_word(**c)).count().max(1);
    let word: String = rest.iter().take(length).collect();
    let after: String = rest.iter().skip(length).collect();
    html! {
        (before)
        // Where the text is over too soon there is no word.
        mark { @if word.is_empty() { "▮" } @else { (word) } }
        (after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_read_from_the_message_or_found_by_the_word_that_it_names() {
        let text = "select id,\n  prize\nfrom parts where id = 1";
        let at = |message: &str| place(message, text).map(|place| (place.line, place.column));
        assert_eq!(
            at("this is no query, near `x` (line 2, column 7)"),
            Some((2, 7))
        );
        assert_eq!(at("column \"prize\" does not exist"), Some((2, 3)));
        assert_eq!(at("Unknown column 'parts.prize' in 'SELECT'"), Some((2, 3)));
        assert_eq!(at("no such column: prize"), Some((2, 3)));
        assert_eq!(at("more behind the `;` at line 1, column 9"), Some((1, 9)));
        // A word that is there twice says nothing, nor does a part of one.
        assert_eq!(at("column \"id\" is ambiguous"), None);
        assert_eq!(at("no such function: art"), None);
        assert_eq!(at("(line 0, column 0)"), None);
    }

    #[test]
    fn a_place_in_a_part_is_one_in_the_whole_text() {
        let place = |line, column| Place { line, column };
        assert_eq!(place(1, 3).behind("a;\nä "), place(2, 5));
        assert_eq!(place(2, 3).behind("a;\nä "), place(3, 3));
        assert_eq!(place(1, 3).behind(""), place(1, 3));
    }

    #[test]
    fn the_text_around_a_place_is_shown_as_text() {
        let place = Place { line: 2, column: 3 };
        let shown = excerpt("a\n  <b> c\nd", place).into_string();
        assert!(shown.contains("<mark>&lt;</mark>b&gt; c"), "{shown}");
        let end = Place { line: 1, column: 9 };
        assert!(excerpt("a", end).into_string().contains("<mark>"));
    }
}
