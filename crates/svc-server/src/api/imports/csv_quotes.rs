//! Which empty cells of CSV stand in quotes: those are the empty text, and others NULL.
//!
//! The reader of rows does not say. So the bytes that it reads are looked at on their way, by the same rules.

use std::collections::VecDeque;

/// Where a byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// At the beginning of a row.
    Row,
    /// At the beginning of another cell.
    Cell,
    /// In a cell without quotes, or behind the quotes of one.
    Plain,
    /// In quotes; at once behind the first one, or later.
    Quoted { is_empty: bool },
    /// Behind a quote in quotes, which ends them unless there are two.
    Quote { is_empty: bool },
}

/// The empty cells in quotes of the rows that were looked at, and not asked for.
#[derive(Debug)]
pub(super) struct Quotes {
    delimiter: u8,
    /// Cells with a larger number are not kept.
    most: usize,
    place: Place,
    row: u64,
    cell: usize,
    /// Rows and cells, in their order.
    found: VecDeque<(u64, usize)>,
}

impl Quotes {
    /// Looks at a file from its beginning. Of each row, so many cells are looked at.
    pub(super) fn new(delimiter: u8, most: usize) -> Self {
        Self {
            delimiter,
            most,
            place: Place::Row,
            row: 0,
            cell: 0,
            found: VecDeque::new(),
        }
    }

    /// Looks at what follows.
    pub(super) fn look_at(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let is_end = matches!(byte, b'\n' | b'\r');
            self.place = match (self.place, *byte) {
                // An empty line is no row.
                (Place::Row, _) if is_end => Place::Row,
                (Place::Row | Place::Cell, b'"') => Place::Quoted { is_empty: true },
                (Place::Quoted { is_empty }, b'"') => Place::Quote { is_empty },
                (Place::Quoted { .. }, _) | (Place::Quote { .. }, b'"') => {
                    Place::Quoted { is_empty: false }
                }
                (place, byte) if is_end || byte == self.delimiter => {
                    self.end_cell(place, is_end);
                    match is_end {
                        true => Place::Row,
                        false => Place::Cell,
                    }
                }
                _ => Place::Plain,
            };
        }
    }

    fn end_cell(&mut self, place: Place, is_end: bool) {
        if place == (Place::Quote { is_empty: true }) && self.cell < self.most {
            self.found.push_back((self.row, self.cell));
        }
        match is_end {
            true => (self.row, self.cell) = (self.row + 1, 0),
            false => self.cell += 1,
        }
    }

    /// The empty cells in quotes of a row, in their order. Those of earlier rows are forgotten.
    pub(super) fn of_row(&mut self, row: u64) -> Vec<usize> {
        let mut cells = Vec::new();
        while let Some((known, cell)) = self.found.front().copied()
            && known <= row
        {
            self.found.pop_front();
            if known == row {
                cells.push(cell);
            }
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The empty cells in quotes of each row, as many as the reader of rows finds.
    fn quoted(text: &[u8]) -> Vec<Vec<usize>> {
        let mut quotes = Quotes::new(b',', 100);
        let mut file = csv::ReaderBuilder::new()
            .flexible(true)
            .has_headers(false)
            .from_reader(text);
        quotes.look_at(text);
        let rows = file.byte_records().zip(0..);
        let rows = rows.map(|(row, number)| {
            let row = row.unwrap();
            let cells = quotes.of_row(number);
            for cell in &cells {
                assert_eq!(row.get(*cell), Some(&b""[..]), "{row:?}");
            }
            cells
        });
        rows.collect()
    }

    #[test]
    fn empty_cells_in_quotes_are_told_from_those_without() {
        assert_eq!(
            quoted(b"a,b,c\n\"\",,\"\"\r\n\r\n\n,\"x\",\"\"\"\"\n\"a\n\"\"\",\"\"\r\"\"\n,\"\"\n"),
            [vec![], vec![0, 2], vec![], vec![1], vec![0], vec![1]]
        );
        // A quote within a cell is a sign like any other, and what follows quotes belongs to the cell.
        assert_eq!(quoted(b"a\"\",\"\"\n\"\"x,\"\"\n"), [vec![1], vec![1]]);
    }

    #[test]
    fn cells_are_the_same_however_the_bytes_arrive() {
        let text = b"a,b\n\"\",\"x\"\"\"\r\n1,\"\"\n";
        for size in 1..text.len() {
            let mut quotes = Quotes::new(b',', 100);
            for part in text.chunks(size) {
                quotes.look_at(part);
            }
            assert_eq!((quotes.of_row(1), quotes.of_row(2)), (vec![0], vec![1]));
        }
    }

    #[test]
    fn rows_are_counted_as_the_reader_counts_them() {
        // Every text of these signs up to a length.
        let signs = [b'"', b',', b'\n', b'\r', b'x'];
        for length in 1..7_u32 {
            for number in 0..5_usize.pow(length) {
                let mut rest = number;
                let mut text: Vec<u8> = Vec::new();
                for _ in 0..length {
                    text.push(signs[rest % 5]);
                    rest /= 5;
                }
                quoted(&text);
            }
        }
    }

    #[test]
    fn what_is_kept_of_a_row_has_an_end() {
        let mut quotes = Quotes::new(b',', 3);
        quotes.look_at("\"\",".repeat(1_000).as_bytes());
        assert_eq!(quotes.of_row(0), [0, 1, 2]);
    }
}
