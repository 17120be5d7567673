//! `svc records import`: records of a file into a table, batch by batch.

use std::{
    fs::{File, OpenOptions},
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
};

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use svc_model::{
    JsonObject,
    records::BulkResult,
    resources::{FieldDescription, FieldType, ModelDescription},
};

use super::{
    Collection, Service,
    transfer::{FileFormat, Note, beside, io_failure},
};
use crate::{context::Context, failure::Failure, progress::Progress};

/// Make records of the lines of a file
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc records import shop customers customers.csv\n  \
    svc records import shop orders orders.ndjson --batch 1000 --atomic\n  \
    svc records import shop orders orders.ndjson --resume\n\n\
    Records that are refused go to FILE.rejected.ndjson, each with its number and why; the others are made. In CSV an \
    empty cell is NULL, where the column takes it. How far the import has come is noted in FILE.state after each \
    batch. Where the answer to a batch was lost, --resume sends that batch again: with primary keys in the file its \
    records are then refused as known, without them they are made twice.")]
pub(crate) struct Import {
    #[command(flatten)]
    collection: Collection,
    /// Where the records are
    file: PathBuf,
    /// The form of the file [default: as its name tells]
    #[arg(long, value_name = "FORM")]
    file_format: Option<FileFormat>,
    /// Records that are sent at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    batch: u32,
    /// Make all records of a batch or none; one that is refused ends the import
    #[arg(long)]
    atomic: bool,
    /// Go on with an import that was interrupted
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    service: Service,
}

/// How far an import has come.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct State {
    /// Records of the file that were answered.
    records: u64,
    created: u64,
    refused: u64,
}

/// A record that was refused.
#[derive(Serialize)]
struct Rejected<'a> {
    /// Its number in the file, from 1.
    number: u64,
    errors: &'a svc_model::Invalid,
    record: &'a JsonObject,
}

impl Import {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let format = FileFormat::of(&self.file, self.file_format)?;
        let note = Note::beside(&self.file, ".state");
        let mut state = match (note.exists(), self.resume) {
            (false, _) => State::default(),
            (true, true) => note.read()?,
            (true, false) => {
                return Err(Failure::usage(format!(
                    "an import of {} was interrupted; go on with --resume, or delete {}",
                    self.file.display(),
                    note.path().display()
                )));
            }
        };
        let rejected = beside(&self.file, ".rejected.ndjson");
        let client = self.service.client(&self.collection.resource)?;
        let models = client
            .resource(self.collection.resource.clone())
            .model_descriptions()
            .await?;
        let name = self.collection.model.to_string();
        let model = models.into_iter().find(|model| model.model == name);
        let model = model.ok_or_else(|| {
            Failure::new(format!(
                "there is no model {name}; svc models shows which there are"
            ))
        })?;
        let handle = client
            .records(self.collection.resource, self.collection.model)
            .typed::<JsonObject>();
        let file =
            File::open(&self.file).map_err(|error| io_failure("read", &self.file, &error))?;
        let mut records = Reader::new(file, format, &model)?
            .skip(usize::try_from(state.records).unwrap_or(usize::MAX));
        let mut out = OpenOptions::new();
        out.create(true)
            .write(true)
            .append(self.resume)
            .truncate(!self.resume);
        let mut out = out
            .open(&rejected)
            .map_err(|error| io_failure("write", &rejected, &error))?;
        let mut progress = Progress::new(context.output.shows_progress());
        loop {
            let mut batch = Vec::new();
            for record in records.by_ref().take(self.batch as usize) {
                let number = state.records + batch.len() as u64 + 1;
                batch.push(record.map_err(|message| {
                    Failure::new(format!(
                        "record {number} of {}: {message}; {}",
                        self.file.display(),
                        so_far(state)
                    ))
                })?);
            }
            if batch.is_empty() {
                break;
            }
            let call = handle.bulk_create(&batch);
            let call = if self.atomic { call.atomic() } else { call };
            let results = call.await.map_err(|error| {
                Failure::new(format!("{error}; {}, go on with --resume", so_far(state)))
            })?;
            for (position, (record, result)) in batch.iter().zip(results).enumerate() {
                match result {
                    BulkResult::Created(_) => state.created += 1,
                    BulkResult::Refused(errors) => {
                        state.refused += 1;
                        let mut line = serde_json::to_vec(&Rejected {
                            number: state.records + position as u64 + 1,
                            errors: &errors,
                            record,
                        })
                        .map_err(|error| {
                            Failure::new(format!("a record cannot be written: {error}"))
                        })?;
                        line.push(b'\n');
                        out.write_all(&line)
                            .map_err(|error| io_failure("write", &rejected, &error))?;
                    }
                }
            }
            out.sync_data()
                .map_err(|error| io_failure("write", &rejected, &error))?;
            state.records += batch.len() as u64;
            note.write(&state)?;
            progress.show(state.records);
            if self.atomic && state.refused > 0 {
                break;
            }
        }
        progress.end();
        let kept = self.atomic && state.refused > 0;
        if note.exists() && !kept {
            note.remove()?;
        }
        if state.refused == 0 {
            std::fs::remove_file(&rejected)
                .map_err(|error| io_failure("remove", &rejected, &error))?;
            return context
                .output
                .result(&state, &format!("{} records made\n", state.created));
        }
        context.output.result(&state, "")?;
        Err(Failure::new(format!(
            "{}; {} were refused, see {}",
            so_far(state),
            state.refused,
            rejected.display()
        )))
    }
}

fn so_far(state: State) -> String {
    format!("{} records were made so far", state.created)
}

/// Reads records.
enum Reader {
    Ndjson(std::io::Lines<BufReader<File>>),
    Csv(
        csv::StringRecordsIntoIter<File>,
        Vec<Option<FieldDescription>>,
    ),
}

impl Reader {
    fn new(file: File, format: FileFormat, model: &ModelDescription) -> Result<Self, Failure> {
        if format == FileFormat::Ndjson {
            return Ok(Self::Ndjson(BufReader::new(file).lines()));
        }
        let mut reader = csv::Reader::from_reader(file);
        let header = reader
            .headers()
            .map_err(|error| Failure::new(format!("the header cannot be read: {error}")))?;
        let mut columns = Vec::new();
        for name in header {
            let field = model.fields.iter().find(|field| field.name == name);
            let field = field.ok_or_else(|| {
                Failure::new(format!(
                    "{} has no field {name:?}; correct the header of the file",
                    model.model
                ))
            })?;
            // What the database computes is left to it.
            columns.push(Some(field.clone()).filter(|field| field.editable));
        }
        Ok(Self::Csv(reader.into_records(), columns))
    }
}

impl Iterator for Reader {
    type Item = Result<JsonObject, String>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Ndjson(lines) => loop {
                match lines.next()? {
                    Err(error) => return Some(Err(error.to_string())),
                    Ok(line) if line.trim().is_empty() => {}
                    Ok(line) => {
                        let record = serde_json::from_str(&line);
                        return Some(record.map_err(|error| format!("is no JSON object: {error}")));
                    }
                }
            },
            Self::Csv(rows, columns) => {
                let row = rows.next()?;
                Some(row.map_err(|error| error.to_string()).and_then(|row| {
                    let mut record = JsonObject::new();
                    for (cell, field) in row.iter().zip(columns.iter()) {
                        let Some(field) = field else { continue };
                        if let Some(value) = value(cell, field)? {
                            record.set_raw(&field.name, value);
                        }
                    }
                    Ok(record)
                }))
            }
        }
    }
}

/// A cell as JSON; none where the database is to fill it in.
fn value(cell: &str, field: &FieldDescription) -> Result<Option<Box<RawValue>>, String> {
    let is_text = matches!(
        field.field,
        FieldType::CharField | FieldType::FixedCharField | FieldType::TextField
    );
    let json = match cell {
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
    RawValue::from_string(json)
        .map(Some)
        .map_err(|error| format!("{} is no JSON: {error}", field.name))
}
