//! The records of a file, one after the other.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Chain, Cursor, Lines, Read},
};

use serde_json::value::{RawValue, to_raw_value};
use svc_model::{
    JsonObject,
    resources::{FieldDescription, FieldType, ModelDescription},
};
use uuid::Uuid;

use crate::{error::Error, records::transfer::FileFormat};

/// Reads records, or says with the line why one cannot be read.
pub(super) enum Reader<R: Read> {
    Ndjson {
        lines: Lines<BufReader<R>>,
        line: u64,
    },
    Csv(CsvReader<R>),
}

impl<R: Read> Reader<R> {
    pub(super) fn new(
        file: R,
        format: FileFormat,
        model: &ModelDescription,
    ) -> Result<Self, Error> {
        Ok(match format {
            FileFormat::Ndjson => Self::Ndjson {
                lines: BufReader::new(file).lines(),
                line: 0,
            },
            FileFormat::Csv => Self::Csv(CsvReader::new(file, model)?),
        })
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<JsonObject, String>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Csv(reader) => reader.next(),
            Self::Ndjson { lines, line } => loop {
                *line += 1;
                match lines.next()? {
                    Err(error) => return Some(Err(format!("line {line}: {error}"))),
                    Ok(text) if text.trim().is_empty() => {}
                    Ok(text) => {
                        let wrong = |error| format!("line {line} is not a JSON object: {error}");
                        return Some(serde_json::from_str(&text).map_err(wrong));
                    }
                }
            },
        }
    }
}

/// Reads CSV with a header (RFC 4180).
pub(super) struct CsvReader<R: Read> {
    rows: csv::StringRecordsIntoIter<Chain<R, Cursor<String>>>,
    columns: Vec<FieldDescription>,
    /// A last row behind those of the file. When a quote is not closed, it becomes part of a value.
    end: String,
    has_ended: bool,
}

impl<R: Read> CsvReader<R> {
    fn new(file: R, model: &ModelDescription) -> Result<Self, Error> {
        let end = format!("end-{}", Uuid::new_v4());
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .from_reader(file.chain(Cursor::new(format!("\n{end}\n"))));
        let header = reader
            .headers()
            .map_err(|error| Error::new(format!("the header cannot be read: {error}")))?;
        let is_empty = header.len() == 1 && header.get(0) == Some(end.as_str());
        if !is_empty && header.iter().any(|name| name.contains(&end)) {
            return Err(Error::new(
                "the header cannot be read: a quote is opened in it and not closed",
            ));
        }
        let fields = model.fields.iter();
        let fields: HashMap<_, _> = fields.map(|field| (field.name.as_str(), field)).collect();
        let mut columns = Vec::new();
        for name in header.iter().filter(|_| !is_empty) {
            let field: Option<&&FieldDescription> = fields.get(name);
            columns.push(field.copied().cloned().ok_or_else(|| {
                Error::new(format!(
                    "{} has no field {name:?}; correct the header of the file",
                    model.model
                ))
            })?);
        }
        Ok(Self {
            rows: reader.into_records(),
            columns,
            end,
            has_ended: is_empty,
        })
    }

    fn next(&mut self) -> Option<Result<JsonObject, String>> {
        if self.has_ended {
            return None;
        }
        let row = match self.rows.next()? {
            Ok(row) => row,
            Err(error) => return Some(Err(error.to_string())),
        };
        let line = row.position().map_or(0, csv::Position::line);
        if row.iter().any(|cell| cell.contains(&self.end)) {
            self.has_ended = true;
            return match row.len() == 1 && row.get(0) == Some(self.end.as_str()) {
                true => None,
                false => Some(Err(format!(
                    "line {line}: a quote is opened in this record and not closed before the end of the file"
                ))),
            };
        }
        let record = self.record(&row);
        Some(record.map_err(|message| format!("line {line}: {message}")))
    }

    fn record(&self, row: &csv::StringRecord) -> Result<JsonObject, String> {
        if row.len() != self.columns.len() {
            return Err(format!(
                "the record has {} values, and the header names {} columns",
                row.len(),
                self.columns.len()
            ));
        }
        let values = row.iter().zip(&self.columns).filter_map(|(cell, field)| {
            let value = value(cell, field).transpose()?;
            Some(value.map(|value| (field.name.clone(), value)))
        });
        values.collect()
    }
}

/// A cell as JSON; `None` where the database is to fill it in.
fn value(cell: &str, field: &FieldDescription) -> Result<Option<Box<RawValue>>, String> {
    let is_text = matches!(
        field.field,
        FieldType::CharField | FieldType::FixedCharField | FieldType::TextField
    );
    let json = match cell {
        // What it computes is the database's to fill in.
        "" if !field.editable => return Ok(None),
        "" if field.null => "null".to_owned(),
        "" if !is_text => return Ok(None),
        _ if matches!(field.field, FieldType::JsonField | FieldType::ArrayField) => cell.to_owned(),
        // The service reads the text as the type of the column.
        text => {
            return to_raw_value(text)
                .map(Some)
                .map_err(|error| error.to_string());
        }
    };
    let value = RawValue::from_string(json).map(Some);
    value.map_err(|error| format!("{} is not JSON: {error}", field.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> ModelDescription {
        let mut model = ModelDescription::new("t", "t");
        let field = |name: &str, sort| FieldDescription::new(name, sort, "");
        model.fields = vec![
            field("id", FieldType::IntegerField),
            field("name", FieldType::TextField),
        ];
        model
    }

    fn read(text: &str, format: FileFormat) -> Vec<Result<String, String>> {
        let reader = Reader::new(text.as_bytes(), format, &model()).unwrap();
        let text = |record: JsonObject| serde_json::to_string(&record).unwrap();
        reader.map(|record| record.map(text)).collect()
    }

    #[test]
    fn a_quote_that_is_not_closed_is_an_error_with_its_line() {
        let records = read("id,name\n1,\"a \"\"b\"\"\nc\"\n2,d", FileFormat::Csv);
        let first = r#"{"id":"1","name":"a \"b\"\nc"}"#;
        assert_eq!(records[0].as_deref(), Ok(first));
        assert_eq!(records[1].as_deref(), Ok(r#"{"id":"2","name":"d"}"#));
        assert_eq!(records.len(), 2);
        let cut = read("id,name\n1,a\n2,\"b\n3,c\n", FileFormat::Csv);
        assert!(cut[0].is_ok());
        let message = cut[1].as_ref().unwrap_err();
        assert!(message.starts_with("line 3: a quote"), "{message}");
        assert_eq!(cut.len(), 2);
        assert!(Reader::new("id,\"na".as_bytes(), FileFormat::Csv, &model()).is_err());
        assert!(read("", FileFormat::Csv).is_empty());
        assert!(read("id,name\n", FileFormat::Csv).is_empty());
    }

    #[test]
    fn a_record_that_is_cut_off_is_an_error_with_its_line() {
        let cut = read("id,name\n1,a\n2", FileFormat::Csv);
        let message = cut[1].as_ref().unwrap_err();
        let wanted = "line 3: the record has 1 values, and the header names 2 columns";
        assert_eq!(message, wanted);
        let cut = read("{\"id\":1}\n\n{\"id\":", FileFormat::Ndjson);
        assert!(cut[0].is_ok());
        let message = cut[1].as_ref().unwrap_err();
        let starts = message.starts_with("line 3 is not a JSON object");
        assert!(starts, "{message}");
    }
}
