//! CSV as files of records have it (RFC 4180): NULL is nothing between the commas, and the empty text stands in quotes, as PostgreSQL
//! writes and reads it.

/// Adds a row with its end of line. A cell of `None` is NULL.
///
/// A row of one cell always has something in it, since a line without anything is no row.
///
/// ```
/// let mut file = Vec::new();
/// svc_model::csv::push_row(&mut file, [Some("id"), Some("name"), Some("note")]);
/// svc_model::csv::push_row(&mut file, [Some("1"), Some(""), None]);
/// svc_model::csv::push_row(&mut file, [Some("2"), Some("a, \"b\""), Some("c")]);
/// assert_eq!(file, b"id,name,note\r\n1,\"\",\r\n2,\"a, \"\"b\"\"\",c\r\n");
/// ```
pub fn push_row<T: AsRef<str>>(out: &mut Vec<u8>, cells: impl IntoIterator<Item = Option<T>>) {
    let start = out.len();
    for (at, cell) in cells.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        if let Some(cell) = cell {
            push_cell(out, cell.as_ref());
        }
    }
    if out.len() == start {
        out.extend_from_slice(b"\"\"");
    }
    out.extend_from_slice(b"\r\n");
}

fn push_cell(out: &mut Vec<u8>, text: &str) {
    let is_special = |byte: u8| matches!(byte, b'"' | b',' | b'\n' | b'\r');
    if !text.is_empty() && !text.bytes().any(is_special) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    for (at, part) in text.split('"').enumerate() {
        if at > 0 {
            out.extend_from_slice(b"\"\"");
        }
        out.extend_from_slice(part.as_bytes());
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[Option<&str>]) -> String {
        let mut out = Vec::new();
        push_row(&mut out, cells.iter().copied());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn null_is_nothing_and_the_empty_text_stands_in_quotes() {
        assert_eq!(row(&[None, Some(""), None]), ",\"\",\r\n");
        assert_eq!(row(&[None, None]), ",\r\n");
        assert_eq!(row(&[None]), "\"\"\r\n", "an empty line is no row");
    }

    #[test]
    fn texts_with_signs_of_csv_stand_in_quotes() {
        let cells = ["0005", " a ", "b\"c\"", "d,e", "f\ng", "\r", "ü"];
        assert_eq!(
            row(&cells.map(Some)),
            "0005, a ,\"b\"\"c\"\"\",\"d,e\",\"f\ng\",\"\r\",ü\r\n"
        );
    }
}
