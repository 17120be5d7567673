//! Rows on standard output as a table, JSON, NDJSON or CSV, written while they arrive.

use std::{
    borrow::Cow,
    fmt,
    io::{self, IsTerminal, Write},
};

use comfy_table::{Cell, ColumnConstraint, ContentArrangement, Row, Table, Width, presets};
use serde::{
    Deserialize, Deserializer as _,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;
use svc_model::{JsonObject, csv};

use super::Format;
use crate::error::{Error, OrJson as _};

/// How many rows of a table are laid out together; the widths of the next ones are their own.
const TABLE_ROWS: usize = 1_000;
/// How many lines a row of a table takes at most on a terminal.
const ROW_LINES: usize = 4;

/// Writes rows while they arrive. What has begun must be [finished](Self::finish).
pub(crate) struct RowWriter<W: Write> {
    out: W,
    sink: Sink,
    /// Whether the table is drawn for a terminal.
    terminal: bool,
    written: u64,
}

enum Sink {
    Table(Vec<JsonObject>),
    Json,
    Ndjson,
    /// The columns, which the first row sets.
    Csv(Option<Vec<String>>),
}

impl RowWriter<io::BufWriter<io::Stdout>> {
    /// Writes to standard output.
    pub(crate) fn to_stdout(format: Format) -> Self {
        let terminal = io::stdout().is_terminal();
        Self::new(io::BufWriter::new(io::stdout()), format, terminal)
    }
}

impl<W: Write> RowWriter<W> {
    /// Writes to a file; in CSV behind a header of these columns, where there is one already.
    pub(crate) fn to(out: W, format: Format, columns: Option<Vec<String>>) -> Self {
        let mut writer = Self::new(out, format, false);
        if matches!(writer.sink, Sink::Csv(_)) {
            writer.sink = Sink::Csv(columns);
        }
        writer
    }

    /// Where the rows go.
    pub(crate) fn out_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// The columns of CSV, once there was a row.
    pub(crate) fn columns(&self) -> &[String] {
        match &self.sink {
            Sink::Csv(columns) => columns.as_deref().unwrap_or_default(),
            _ => &[],
        }
    }

    fn new(out: W, format: Format, terminal: bool) -> Self {
        let sink = match format {
            Format::Table => Sink::Table(Vec::new()),
            Format::Json => Sink::Json,
            Format::Ndjson => Sink::Ndjson,
            Format::Csv => Sink::Csv(None),
        };
        Self {
            out,
            sink,
            terminal,
            written: 0,
        }
    }

    /// Writes all rows there are; in CSV with the columns of all of them.
    pub(crate) fn write_all(mut self, rows: Vec<JsonObject>) -> Result<(), Error> {
        if let (Sink::Csv(header), Some(columns)) = (&mut self.sink, columns(&rows)) {
            put(&mut self.out, &names_line(&columns))?;
            *header = Some(columns);
        }
        for row in rows {
            self.write(row)?;
        }
        self.finish()
    }

    /// How many rows there were.
    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// Writes one row.
    pub(crate) fn write(&mut self, row: JsonObject) -> Result<(), Error> {
        self.written += 1;
        match &mut self.sink {
            Sink::Table(rows) => {
                rows.push(row);
                if rows.len() < TABLE_ROWS {
                    return Ok(());
                }
                let full = std::mem::take(rows);
                self.out_table(&full)
            }
            Sink::Json => {
                let before = if self.written == 1 { "[" } else { "," };
                let text = format!("{before}{}", to_json(&row)?);
                put(&mut self.out, text.as_bytes())
            }
            Sink::Ndjson => put(&mut self.out, (to_json(&row)? + "\n").as_bytes()),
            Sink::Csv(columns) => {
                let mut lines = Vec::new();
                let columns = columns.get_or_insert_with(|| {
                    let names: Vec<_> = row.iter().map(|(name, _)| name.to_owned()).collect();
                    lines = names_line(&names);
                    names
                });
                let values = columns.iter().map(|name| cell_of(row.get_raw(name)));
                csv::push_row(&mut lines, values);
                put(&mut self.out, &lines)
            }
        }
    }

    /// Writes the records of a page, which are JSON objects.
    pub(crate) fn write_page(&mut self, records: &[Box<RawValue>]) -> Result<(), Error> {
        let parse = |record: &RawValue| -> Result<JsonObject, Error> {
            serde_json::from_str(record.get()).or_json("a record")
        };
        let mut lines = Vec::new();
        match &mut self.sink {
            Sink::Table(_) | Sink::Json => {
                for record in records {
                    self.write(parse(record)?)?;
                }
                return Ok(());
            }
            Sink::Ndjson => {
                for record in records {
                    // A line can only end between the tokens of JSON, not inside them.
                    let bytes = record.get().bytes();
                    lines.extend(bytes.map(|byte| match byte {
                        b'\n' | b'\r' => b' ',
                        byte => byte,
                    }));
                    lines.push(b'\n');
                }
            }
            Sink::Csv(columns) => {
                let Some(first) = records.first() else {
                    return Ok(());
                };
                if columns.is_none() {
                    let first = parse(first)?;
                    let names: Vec<_> = first.iter().map(|(name, _)| name.to_owned()).collect();
                    lines = names_line(&names);
                    *columns = Some(names);
                }
                let columns = columns.as_deref().unwrap_or_default();
                for record in records {
                    let mut json = serde_json::Deserializer::from_str(record.get());
                    let cells = json.deserialize_map(Cells(columns)).or_json("a record")?;
                    csv::push_row(&mut lines, cells.into_iter().map(cell_of));
                }
            }
        }
        self.written += records.len() as u64;
        put(&mut self.out, &lines)
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        match &mut self.sink {
            Sink::Table(rows) => {
                let rest = std::mem::take(rows);
                self.out_table(&rest)?;
            }
            Sink::Json if self.written == 0 => put(&mut self.out, b"[]\n")?,
            Sink::Json => put(&mut self.out, b"]\n")?,
            Sink::Ndjson | Sink::Csv(_) => {}
        }
        self.out.flush().map_err(|error| Error::output(&error))
    }

    fn out_table(&mut self, rows: &[JsonObject]) -> Result<(), Error> {
        let Some(columns) = columns(rows) else {
            return Ok(());
        };
        let mut table = new_table(self.terminal);
        table.set_header(columns.iter().map(|name| cell(name)));
        for row in rows {
            let cells = columns.iter().map(|name| cell(&text_of(row, name)));
            let mut cells = Row::from(cells.collect::<Vec<_>>());
            if self.terminal {
                cells.max_height(ROW_LINES);
            }
            table.add_row(cells);
        }
        keep_short_columns_whole(&mut table);
        put(&mut self.out, format!("{}\n", table.trim_fmt()).as_bytes())
    }
}

/// One thing: a table of its properties for people, otherwise as one row, which in JSON is one object.
pub(super) fn write_one(format: Format, thing: JsonObject) -> Result<(), Error> {
    match format {
        Format::Table => super::write_out(&one_as_table(&thing, io::stdout().is_terminal())),
        Format::Json => super::write_out(&format!("{}\n", to_json(&thing)?)),
        Format::Ndjson | Format::Csv => RowWriter::to_stdout(format).write_all(vec![thing]),
    }
}

fn put(out: &mut impl Write, bytes: &[u8]) -> Result<(), Error> {
    out.write_all(bytes).map_err(|error| Error::output(&error))
}

fn one_as_table(thing: &JsonObject, terminal: bool) -> String {
    let mut table = new_table(terminal);
    for (name, value) in thing.iter() {
        table.add_row([cell(name), cell(&to_text(value.get()))]);
    }
    format!("{}\n", table.trim_fmt())
}

/// A table that fits the terminal; columns with two spaces between them where there is none.
fn new_table(terminal: bool) -> Table {
    let mut table = Table::new();
    if terminal {
        table.load_style(presets::UTF8_FULL_CONDENSED);
        table.set_content_arrangement(ContentArrangement::Dynamic);
    } else {
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.force_no_tty();
    }
    table.set_truncation_indicator("…");
    table
}

/// Gives short columns the width that they need, as far as the terminal is wide enough; names last.
fn keep_short_columns_whole(table: &mut Table) {
    let Some(available) = table.width() else {
        return;
    };
    let names = table.header().into_iter().flat_map(Row::cell_iter);
    let names = names.map(|name| name.content().chars().count());
    let names = names.map(|width| u16::try_from(width).unwrap_or(u16::MAX));
    let (names, content) = (names.collect::<Vec<_>>(), table.column_max_content_widths());
    for short in [24, 16, 12, 8, 0] {
        let widths = names.iter().zip(&content);
        let widths = widths.map(|(name, all)| (*name).max((*all).min(short)));
        // A space on each side, and the line between columns.
        let widths: Vec<u16> = widths.map(|width| width.saturating_add(2)).collect();
        let add = |sum: u16, width: &u16| sum.saturating_add(*width).saturating_add(1);
        let needed = widths.iter().fold(1, add);
        if needed <= available {
            let least = |width| ColumnConstraint::LowerBoundary(Width::Fixed(width));
            table.set_constraints(widths.into_iter().map(least));
            return;
        }
    }
}

/// The columns of rows, in the order in which they first appear.
fn columns(rows: &[JsonObject]) -> Option<Vec<String>> {
    let mut columns: Vec<String> = Vec::new();
    for row in rows {
        // Rows of one list nearly always have the same columns.
        let is_same = |((name, _), column): ((&str, _), &String)| name == column;
        if row.len() == columns.len() && row.iter().zip(&columns).all(is_same) {
            continue;
        }
        for (name, _) in row.iter() {
            if !columns.iter().any(|column| column == name) {
                columns.push(name.to_owned());
            }
        }
    }
    (!columns.is_empty()).then_some(columns)
}

/// A cell without anything that a terminal would obey.
fn cell(text: &str) -> Cell {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_control() {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    Cell::new(shown)
}

/// A JSON value as people read it: text without quotes, null as nothing.
fn to_text(json: &str) -> String {
    text(json).into_owned()
}

/// The same, borrowed where nothing in it is escaped.
fn text(json: &str) -> Cow<'_, str> {
    let inside = json
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    match inside {
        Some(inside) if !inside.contains('\\') => Cow::Borrowed(inside),
        Some(_) => serde_json::from_str(json).map_or(Cow::Borrowed(json), Cow::Owned),
        None if json == "null" => Cow::Borrowed(""),
        None => Cow::Borrowed(json),
    }
}

/// Reads the values of these columns out of an object, each as JSON; none where the object does not have it.
struct Cells<'a>(&'a [String]);

impl<'de> Visitor<'de> for Cells<'_> {
    type Value = Vec<Option<&'de str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        /// Borrowed where nothing in it is escaped.
        #[derive(Deserialize)]
        struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

        let Self(columns) = self;
        let mut cells = vec![None; columns.len()];
        let mut next = 0;
        while let Some((Name(name), value)) = object.next_entry::<Name<'de>, &'de RawValue>()? {
            // Nearly always they are in the same order.
            let place = match columns.get(next) {
                Some(column) if *column == name => Some(next),
                _ => columns.iter().position(|column| *column == name),
            };
            if let Some(place) = place {
                next = place + 1;
                if let Some(cell) = cells.get_mut(place) {
                    *cell = Some(value.get());
                }
            }
        }
        Ok(cells)
    }
}

/// A property of a row as people read it; nothing where the row has none.
fn text_of(row: &JsonObject, name: &str) -> String {
    row.get_raw(name).map_or_else(String::new, to_text)
}

fn to_json(row: &JsonObject) -> Result<String, Error> {
    serde_json::to_string(row).or_json("a record")
}

/// The line of CSV with the names of columns.
fn names_line(columns: &[String]) -> Vec<u8> {
    let mut line = Vec::new();
    csv::push_row(&mut line, columns.iter().map(Some));
    line
}

/// A value of JSON as a cell of CSV; none for NULL, and where there is no value.
fn cell_of(json: Option<&str>) -> Option<Cow<'_, str>> {
    json.filter(|json| *json != "null").map(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> JsonObject {
        serde_json::from_str(text).unwrap()
    }

    fn written(format: Format, rows: &[&str]) -> String {
        let mut out = Vec::new();
        let mut writer = RowWriter::new(&mut out, format, false);
        for text in rows {
            writer.write(row(text)).unwrap();
        }
        writer.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    const ROWS: [&str; 2] = [
        r#"{"id":9007199254740993,"name":"a, \"b\"","note":null}"#,
        r#"{"id":2,"name":"ü\nz","note":"x"}"#,
    ];

    #[test]
    fn csv_quotes_what_needs_it_and_leaves_null_empty() {
        assert_eq!(
            written(Format::Csv, &ROWS),
            "id,name,note\r\n9007199254740993,\"a, \"\"b\"\"\",\r\n2,\"ü\nz\",x\r\n"
        );
    }

    #[test]
    fn csv_keeps_to_the_columns_of_the_first_row() {
        assert_eq!(
            written(Format::Csv, &[r#"{"a":1,"b":2}"#, r#"{"b":3,"c":4}"#]),
            "a,b\r\n1,2\r\n,3\r\n"
        );
    }

    #[test]
    fn csv_of_rows_that_are_all_there_has_the_columns_of_all() {
        let mut out = Vec::new();
        let writer = RowWriter::new(&mut out, Format::Csv, false);
        let rows = [r#"{"a":1,"b":2}"#, r#"{"b":3,"c":4}"#].map(row);
        writer.write_all(rows.into()).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a,b,c\r\n1,2,\r\n,3,4\r\n");
    }

    #[test]
    fn a_page_is_written_like_its_records_one_by_one() {
        let odd = r#"{"note":"a\tb","id":3,"more":[1,
            2]}"#;
        let rows: Vec<&str> = ROWS.into_iter().chain([odd]).collect();
        for format in [Format::Csv, Format::Ndjson, Format::Json, Format::Table] {
            let raw = rows
                .iter()
                .map(|row| RawValue::from_string((*row).to_owned()));
            let raw: Vec<Box<RawValue>> = raw.collect::<Result<_, _>>().unwrap();
            let mut out = Vec::new();
            let mut writer = RowWriter::new(&mut out, format, false);
            writer.write_page(&raw).unwrap();
            assert_eq!(writer.written(), 3);
            writer.finish().unwrap();
            let text = String::from_utf8(out).unwrap();
            if format == Format::Ndjson {
                assert_eq!(text.lines().count(), 3);
            } else {
                assert_eq!(text, written(format, &rows));
            }
        }
    }

    #[test]
    fn csv_tells_null_from_the_empty_text() {
        let rows = [r#"{"a":null,"b":""}"#, r#"{"a":"","b":"x\"y"}"#];
        let text = "a,b\r\n,\"\"\r\n\"\",\"x\"\"y\"\r\n";
        assert_eq!(written(Format::Csv, &rows), text);
        let raw: Vec<Box<RawValue>> = rows.map(|row| serde_json::from_str(row).unwrap()).into();
        let mut out = Vec::new();
        let mut writer = RowWriter::new(&mut out, Format::Csv, false);
        writer.write_page(&raw).unwrap();
        writer.finish().unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), text);
    }

    #[test]
    fn json_is_one_array_on_one_line_with_every_digit() {
        let text = written(Format::Json, &ROWS);
        assert_eq!(text.lines().count(), 1);
        assert!(text.starts_with(r#"[{"id":9007199254740993,"#), "{text}");
        let array: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(array.len(), 2);
        assert_eq!(written(Format::Json, &[]), "[]\n");
    }

    #[test]
    fn ndjson_is_one_object_on_each_line() {
        let text = written(Format::Ndjson, &ROWS);
        let objects: Vec<JsonObject> = text.lines().map(row).collect();
        assert_eq!(objects[1].get_raw("id"), Some("2"));
        assert_eq!(written(Format::Ndjson, &[]), "");
    }

    #[test]
    fn a_table_has_no_character_that_a_terminal_would_obey() {
        let text = written(Format::Table, &[r#"{"id":1,"name":"\u001b[31mred\u0007"}"#]);
        assert!(!text.contains(['\u{1b}', '\u{7}']), "{text:?}");
        assert!(text.contains("\\u{1b}[31mred"), "{text:?}");
    }

    #[test]
    fn a_table_has_every_column_of_its_rows() {
        let text = written(Format::Table, &[r#"{"a":1}"#, r#"{"b":"two"}"#]);
        let header: Vec<_> = text.lines().next().unwrap().split_whitespace().collect();
        assert_eq!(header, ["a", "b"]);
        assert!(text.contains("two"));
        assert_eq!(written(Format::Table, &[]), "");
    }

    #[test]
    fn a_table_fits_its_width_and_keeps_short_columns_whole() {
        let mut table = new_table(true);
        table.force_no_tty().set_width(60);
        table.set_header(["customer_id", "status", "text"]);
        table.add_row(["1", "cancelled", &"word ".repeat(40)]);
        keep_short_columns_whole(&mut table);
        let text = table.to_string();
        for whole in ["customer_id", "cancelled"] {
            assert!(text.contains(whole), "{text}");
        }
        let fits = |line: &str| line.chars().count() <= 60;
        assert!(text.lines().all(fits), "{text}");
    }

    #[test]
    fn one_thing_is_shown_property_by_property() {
        let text = one_as_table(&row(ROWS[0]), false);
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.contains("9007199254740993"));
    }
}
