//! Rows of NDJSON: a JSON object on each line.

use std::io::{BufRead as _, BufReader, Read};

use svc_model::{Invalid, JsonObject, MAX_JSON_DEPTH, imports::Mapping, json_depth};

use super::row::{Described, RawRow, Unreadable};

/// The most properties of an object: more than any table has columns.
const MAX_PROPERTIES: usize = 10_000;

/// Reads lines.
pub(super) struct NdjsonReader<R: Read> {
    file: BufReader<R>,
    mapping: Mapping,
    longest: usize,
    line: u64,
    bytes: u64,
}

impl<R: Read> NdjsonReader<R> {
    pub(super) fn new(file: R, mapping: &Mapping, longest: usize) -> Self {
        Self {
            file: BufReader::with_capacity(64 << 10, file),
            mapping: mapping.clone(),
            longest,
            line: 0,
            bytes: 0,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn skip(&mut self) -> Result<bool, Unreadable> {
        Ok(self.line()?.is_some())
    }

    pub(super) fn next(&mut self) -> Option<Result<Described, Unreadable>> {
        let line = match self.line().transpose()? {
            Ok(line) => line,
            Err(error) => return Some(Err(error)),
        };
        Some(Ok(match String::from_utf8(line) {
            Ok(line) => {
                let record = self.record(&line);
                (RawRow::Line(line), record)
            }
            Err(error) => {
                let place = error.utf8_error().valid_up_to();
                let message = format!("line {} is not UTF-8 at byte {place}", self.line);
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                (RawRow::Line(text), Err(Invalid::general(message)))
            }
        }))
    }

    /// The next line that is not empty, without its end.
    fn line(&mut self) -> Result<Option<Vec<u8>>, Unreadable> {
        let mut line = Vec::new();
        loop {
            self.line += 1;
            let most = self.longest as u64 + 1;
            let read = (&mut self.file).take(most).read_until(b'\n', &mut line);
            let read = read.map_err(|error| Unreadable(format!("line {}: {error}", self.line)))?;
            self.bytes += read as u64;
            if read == 0 {
                return Ok(None);
            }
            if read > self.longest {
                return Err(Unreadable(format!(
                    "line {} is longer than {} bytes",
                    self.line, self.longest
                )));
            }
            let end = line.trim_ascii_end().len();
            line.truncate(end);
            if self.line == 1 && line.starts_with("\u{feff}".as_bytes()) {
                line.drain(..3);
            }
            if !line.trim_ascii_start().is_empty() {
                return Ok(Some(line));
            }
            line.clear();
        }
    }

    fn record(&self, line: &str) -> Result<JsonObject, Invalid> {
        let wrong = |message: String| Invalid::general(format!("line {}: {message}", self.line));
        // The object itself is a level above its values.
        if json_depth(line) > MAX_JSON_DEPTH + 1 {
            return Err(wrong(format!(
                "values may be nested {MAX_JSON_DEPTH} levels deep, and these are deeper"
            )));
        }
        let record = JsonObject::parse(line, MAX_PROPERTIES);
        let record = record.map_err(|error| wrong(format!("not a JSON object: {error}")))?;
        if self.mapping.is_empty() {
            return Ok(record);
        }
        let mut mapped = JsonObject::new();
        for (column, value) in record.iter() {
            let Some(field) = self.mapping.field(column) else {
                continue;
            };
            if mapped.contains(field) {
                let message = "two properties of this row become this field";
                return Err(Invalid::field(field, message));
            }
            mapped.set_raw(field, value.to_owned());
        }
        Ok(mapped)
    }
}
