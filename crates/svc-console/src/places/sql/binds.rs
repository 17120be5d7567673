//! The parameters of a query text: `:name`, or `%s` where there is no name.

use std::collections::HashSet;

/// How many parameters a text may have.
const MOST: usize = 200;

/// The parameters of a text, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Binds {
    /// Each name once.
    Named(Vec<String>),
    /// How many there are.
    Positional(usize),
}

impl Binds {
    /// Reads a text as the engine does, as far as texts, names and comments go: `is_mysql` says whether a backslash is an
    /// escape and `#` begins a comment. `None` where it has too many.
    pub(crate) fn of(text: &str, is_mysql: bool) -> Option<Self> {
        let mut names: Vec<String> = Vec::new();
        let mut known: HashSet<&str> = HashSet::new();
        let mut positions = 0;
        let mut rest = text;
        let mut before = ' ';
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '\'' | '"' | '`' => quoted(rest, first, is_mysql && first != '`'),
                '-' if rest.starts_with("--") => line(rest),
                '#' if is_mysql => line(rest),
                '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
                '$' if !is_word(before) => dollar_quoted(rest),
                ':' if !is_word(before) && !matches!(before, ':' | ')' | ']' | '"') => {
                    let name = word(rest.get(1..).unwrap_or_default());
                    if !name.is_empty() && known.insert(name) {
                        names.push(name.to_owned());
                    }
                    1 + name.len()
                }
                '%' if rest.starts_with("%%") => 2,
                '%' if rest.starts_with("%s") && !rest.chars().nth(2).is_some_and(is_word) => {
                    positions += 1;
                    2
                }
                _ => first.len_utf8(),
            };
            if names.len() > MOST || positions > MOST {
                return None;
            }
            let (read, next) = rest.split_at_checked(length).unwrap_or((rest, ""));
            before = read.chars().next_back().unwrap_or(before);
            rest = next;
        }
        Some(match names.is_empty() {
            true => Self::Positional(positions),
            false => Self::Named(names),
        })
    }

    /// What the parameters are called in a form: the names, or the positions from 1.
    pub(crate) fn into_names(self) -> Vec<String> {
        match self {
            Self::Named(names) => names,
            Self::Positional(count) => (1..=count).map(|at| at.to_string()).collect(),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The name at the beginning of a text.
fn word(text: &str) -> &str {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return "";
    }
    let end = text.find(|c| !is_word(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// The length of what is in quotes.
fn quoted(text: &str, quote: char, has_escapes: bool) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if is_escaped {
            is_escaped = false;
        } else if has_escapes && c == '\\' {
            is_escaped = true;
        } else if c == quote {
            // A doubled one ends here and begins again at once.
            return at + 1;
        }
    }
    text.len()
}

/// The length of a comment up to the end of the line.
fn line(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// The length of a text between `$tag$` and `$tag$`, or of the sign alone.
fn dollar_quoted(text: &str) -> usize {
    let rest = text.get(1..).unwrap_or_default();
    let tag = 1 + word(rest).len();
    if !text.get(tag..).is_some_and(|rest| rest.starts_with('$')) {
        return 1;
    }
    let (tag, rest) = text.split_at_checked(tag + 1).unwrap_or((text, ""));
    rest.find(tag).map_or(text.len(), |at| at + 2 * tag.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        Binds::of(text, false).unwrap().into_names()
    }

    #[test]
    fn names_are_found_once_and_not_in_texts_names_comments_and_casts() {
        let text = "select ':a', \":b\", `:c`, x::text, $$ :d $$, $t$ :e $t$ -- :f\n/* :g */ \
            from t where day >= :from and day < :to and :from <> 'it''s :h'";
        assert_eq!(names(text), ["from", "to"]);
        assert_eq!(names("select a[1:n], (x):y from t"), Vec::<String>::new());
        assert_eq!(names("where größe = :größe"), ["größe"]);
        assert_eq!(names("select '10:30', ':unfinished"), Vec::<String>::new());
    }

    #[test]
    fn positions_count_where_there_is_no_name() {
        assert_eq!(
            names("where a = %s and b like '%s' and c %% 2 = %s"),
            ["1", "2"]
        );
        assert_eq!(names("select a %salt"), Vec::<String>::new());
        assert_eq!(names("select 1"), Vec::<String>::new());
    }

    #[test]
    fn an_escaped_quote_of_mysql_does_not_end_the_text() {
        let binds = Binds::of(r"select 'a\':x', :y # :z", true);
        assert_eq!(binds, Some(Binds::Named(vec!["y".to_owned()])));
    }

    #[test]
    fn more_parameters_than_anybody_would_fill_in_are_too_many() {
        let text = |count: usize| (0..count).map(|at| format!(":n{at} ")).collect::<String>();
        assert_eq!(names(&text(MOST)).len(), MOST);
        assert_eq!(names(&text(MOST).repeat(3)).len(), MOST);
        assert_eq!(Binds::of(&text(MOST + 1), false), None);
        assert_eq!(Binds::of(&"%s ".repeat(MOST + 1), false), None);
    }
}
