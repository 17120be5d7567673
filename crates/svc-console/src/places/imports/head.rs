//! The first rows of a CSV file (RFC 4180).

/// How many rows are shown.
const ROWS: usize = 4;
/// How many columns a file may have.
pub(super) const MOST_COLUMNS: usize = 2_000;

/// An empty cell in quotes.
const EMPTY: &str = "\"\"";

/// The columns of a file, and its first rows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) delimiter: char,
    pub(super) columns: Vec<String>,
    /// An empty cell in quotes, which is not what one without is, still has them.
    pub(super) rows: Vec<Vec<String>>,
}

impl Head {
    /// Reads the beginning of a file; `None` where it has no header, or one with too many columns. An empty delimiter is found out.
    pub(super) fn read(text: &str, delimiter: &str, is_whole: bool) -> Option<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let delimiter = delimiter.chars().next().unwrap_or_else(|| guess(text));
        let mut rows = rows(text, delimiter, ROWS + 1, is_whole);
        if rows.is_empty() {
            return None;
        }
        let mut columns = rows.remove(0);
        for name in columns.iter_mut().filter(|name| *name == EMPTY) {
            name.clear();
        }
        let is_header =
            columns.iter().any(|name| !name.is_empty()) && columns.len() <= MOST_COLUMNS;
        is_header.then_some(Self {
            delimiter,
            columns,
            rows,
        })
    }

    /// The first values of a column.
    pub(super) fn values(&self, column: usize) -> impl Iterator<Item = &str> {
        let rows = self.rows.iter();
        rows.filter_map(move |row| row.get(column).map(String::as_str))
    }
}

/// What separates the columns: of the usual signs the one that the first line has most.
fn guess(text: &str) -> char {
    let line = text.lines().next().unwrap_or_default();
    let count = |sign: char| line.matches(sign).count();
    [',', ';', '\t']
        .into_iter()
        .rev()
        .max_by_key(|sign| count(*sign))
        .unwrap_or(',')
}

/// The first rows; one that is not whole is left out.
fn rows(text: &str, delimiter: char, most: usize, is_whole: bool) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let (mut row, mut cell) = (Vec::new(), String::new());
    let mut is_quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if row.len() > MOST_COLUMNS {
            rows.push(row);
            return rows;
        }
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' if is_quoted => {
                is_quoted = false;
                let is_end = letters
                    .peek()
                    .is_none_or(|next| *next == delimiter || matches!(next, '\r' | '\n'));
                if cell.is_empty() && is_end {
                    cell.push_str(EMPTY);
                }
            }
            '"' if cell.is_empty() => is_quoted = true,
            letter if is_quoted => cell.push(letter),
            letter if letter == delimiter => row.push(std::mem::take(&mut cell)),
            '\r' if letters.peek() == Some(&'\n') => {}
            '\n' => {
                row.push(std::mem::take(&mut cell));
                let whole = std::mem::take(&mut row);
                // An empty line is no row.
                if whole != [""] {
                    rows.push(whole);
                }
                if rows.len() == most {
                    return rows;
                }
            }
            letter => cell.push(letter),
        }
    }
    if is_whole && (!cell.is_empty() || !row.is_empty()) {
        row.push(cell);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_breaks_and_delimiters_within_values_are_part_of_them() {
        let text = "\u{feff}id;\"na;me\"\r\n0005;\"a\nb\"\r\n\r\n6;\"c\"\"d\"\r\n7;cut";
        let head = Head::read(text, "", false).unwrap();
        assert_eq!(head.delimiter, ';');
        assert_eq!(head.columns, ["id", "na;me"]);
        assert_eq!(head.rows, [["0005", "a\nb"], ["6", "c\"d"]]);
        let empty = Head::read("a,\"\"\n\"\",\n", "", true).unwrap();
        assert_eq!(empty.columns, ["a", ""]);
        assert_eq!(empty.rows, [["\"\"", ""]]);
        let whole = Head::read("a,b\n1,2", "", true).unwrap();
        assert_eq!(whole.rows, [["1", "2"]]);
        assert_eq!(whole.values(1).collect::<Vec<_>>(), ["2"]);
        assert_eq!(Head::read("", "", true), None);
        let wide = "a,".repeat(MOST_COLUMNS - 1) + "a\n";
        let head = Head::read(&wide, "", true).unwrap();
        assert_eq!(head.columns.len(), MOST_COLUMNS);
        let wider = "a,".repeat(MOST_COLUMNS) + "a\n";
        assert_eq!(Head::read(&wider, "", true), None);
        assert_eq!(Head::read("a\tb\n", "", true).unwrap().delimiter, '\t');
    }
}
