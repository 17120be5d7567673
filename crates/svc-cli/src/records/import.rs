//! `svc records import`: records of a file into a table, batch by batch, each record once.
//!
//! Each batch carries a key made of the import and the number of its first record. The service does a batch with a
//! known key once, so that an interrupted import sends its last batch again without knowing what became of it.

mod ahead;
mod reader;
mod state;

use std::{
    fs::{self, File, OpenOptions},
    io::{Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use clap::Args;
use serde::de::IgnoredAny;
use svc_model::{
    JsonObject, Scope,
    records::{self, BulkResult},
};

use self::{
    ahead::{Batch, Unreadable, read_ahead},
    reader::Reader,
    state::State,
};
use super::{
    Collection,
    transfer::{FileFormat, StateFile, beside},
};
use crate::{
    client::DataService,
    context::Context,
    error::{Error, OrIo as _, OrJson as _},
    output::{Progress, counted, row},
    serve::shutdown,
};

/// The most records that are sent at a time, unless another number is given.
const BATCH: u32 = 5_000;

/// Make records of the lines of a file
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc records import shop customers customers.csv\n  \
    svc records import shop orders orders.ndjson --batch 1000 --atomic\n  \
    svc records import shop orders orders.ndjson --resume\n\n\
    Records that are refused go to FILE.rejected.ndjson, each with its number and why; the others are made. In CSV an \
    empty cell is NULL, where the column allows it. How far the import has come is kept in FILE.state. An import that \
    was interrupted, however that happened, goes on with --resume: it neither repeats nor skips a record. Columns that \
    the database computes may be in the file, with the values that it computes.")]
pub(crate) struct Import {
    #[command(flatten)]
    collection: Collection,
    /// Where the records are
    file: PathBuf,
    /// Format of the file [default: from its name]
    #[arg(long, value_name = "FORM")]
    file_format: Option<FileFormat>,
    /// The most records that are sent at a time; long ones are fewer
    #[arg(long, value_name = "NUMBER", default_value_t = BATCH, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    batch: u32,
    /// Make all records of a batch or none; one that is refused ends the import
    #[arg(long)]
    atomic: bool,
    /// Change the records that have the same values in these unique fields, where there are some
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    on_conflict: Vec<String>,
    /// Go on with an import that was interrupted
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    service: DataService,
}

impl Import {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let format = FileFormat::of(&self.file, self.file_format)?;
        let again = self.command_to_resume();
        let state_file = StateFile::beside(&self.file, ".state");
        let mut state = self.begun(&state_file)?;
        let Collection { resource, model } = self.collection;
        let client = self.service.client(&resource)?;
        let models = client.resource(&resource).model_descriptions().await?;
        let mut models = models.into_iter();
        let description = models
            .find(|known| known.model == model.as_str())
            .ok_or_else(|| {
                Error::new(format!(
                    "there is no model {model}; svc models shows which there are"
                ))
            })?;
        let project = client.project().map_or("", |project| project.as_str());
        let scope = Scope::new(project, client.environment());
        let collection = records::Collection::new(scope, resource, model);
        let file = File::open(&self.file).or_io("read", &self.file)?;
        let answered = usize::try_from(state.records).unwrap_or(usize::MAX);
        let records = Reader::new(file, format, &description)?.skip(answered);
        let mut batches = read_ahead(records, state.records, [state.batch, self.batch]);
        let was_complete = state.complete;
        let before = state.records;
        // The key of the first batch has to be known before the batch is sent.
        state.complete = false;
        state_file.write(&state)?;
        let mut rejected = RejectedFile::open(&self.file, &state)?;
        let mut progress = Progress::new(context.output.shows_progress());
        let mut interrupt = Box::pin(shutdown::requested()?);
        let mut interrupted = false;
        while !interrupted {
            let batch = match batches.recv().await {
                None => break,
                Some(Ok(batch)) => batch,
                Some(Err(Unreadable { number, message })) => {
                    return Err(Error::new(format!(
                        "record {number} of {}: {message}; {}; correct the file and go on with: {again}",
                        self.file.display(),
                        state.so_far()
                    )));
                }
            };
            let Batch { records, sent } = batch;
            // What is answered of the records that were made is not looked at.
            let mut create = records::BulkCreate::<IgnoredAny>::new(collection.clone(), sent);
            create.idempotency_key = Some(state.batch_key());
            create.atomic = self.atomic;
            create.on_conflict.clone_from(&self.on_conflict);
            let mut call = client.call(create).into_future();
            let answer = tokio::select! {
                answer = &mut call => answer,
                () = &mut interrupt => {
                    context.output.note("stopping after this batch; interrupt again to stop at once");
                    interrupted = true;
                    call.await
                }
            };
            let results = answer.map_err(|error| {
                let (message, so_far) = (Error::from(error), state.so_far());
                Error::new(format!("{message}; {so_far}; go on with: {again}"))
            })?;
            let refused = rejected.write(&state, &records, &results)?;
            let updated = results
                .iter()
                .filter(|result| matches!(result, BulkResult::Updated(_)));
            let updated = updated.count() as u64;
            if self.atomic && refused > 0 {
                progress.end();
                return Err(Error::new(format!(
                    "{}; none of the records {} to {} was made, since one of them was refused, see {}; correct the \
                     file and go on with: {again}",
                    state.so_far(),
                    state.records + 1,
                    state.records + records.len() as u64,
                    rejected.path.display()
                )));
            }
            state.records += records.len() as u64;
            state.created += records.len() as u64 - refused - updated;
            state.updated += updated;
            state.refused += refused;
            state.rejected_bytes = rejected.len()?;
            state.batch = self.batch;
            state_file.write(&state)?;
            progress.show(state.records);
        }
        progress.end();
        if interrupted {
            return Err(Error::Interrupted(format!(
                "interrupted; {}; go on with: {again}",
                state.so_far()
            )));
        }
        state.complete = true;
        state_file.write(&state)?;
        let report = |text: &str| context.output.result(&state.counts(), text);
        if was_complete && before == state.records {
            let file = self.file.display();
            return report(&format!(
                "nothing to do: all {before} records of {file} were imported before\n"
            ));
        }
        if state.refused == 0 {
            rejected.remove()?;
            let done = match state.updated {
                0 => format!("{} made\n", counted(state.created, "record")),
                updated => format!(
                    "{} made, {updated} changed\n",
                    counted(state.created, "record")
                ),
            };
            return report(&done);
        }
        report("")?;
        let were = if state.refused == 1 { "was" } else { "were" };
        Err(Error::new(format!(
            "{}; {} {were} refused, see {}",
            state.so_far(),
            state.refused,
            rejected.path.display()
        )))
    }

    /// How far the import has come: a new one, or the one that is to go on.
    fn begun(&self, state_file: &StateFile) -> Result<State, Error> {
        let collection = self.collection.full_name(&self.service);
        let new = || {
            let mut state = State::new(collection.clone(), self.batch, self.atomic);
            state.on_conflict.clone_from(&self.on_conflict);
            state
        };
        if !state_file.exists() {
            return Ok(new());
        }
        let state: State = state_file.read()?;
        if state.complete && !self.resume {
            return Ok(new());
        }
        if state.collection != collection {
            return Err(Error::usage(format!(
                "{} belongs to an import into {}, and this one is into {collection}; continue that one, or delete \
                 the file",
                state_file.path().display(),
                state.collection
            )));
        }
        if self.resume {
            if state.atomic != self.atomic && !state.complete {
                return Err(Error::usage(match state.atomic {
                    true => "the import was begun with --atomic; go on with it",
                    false => "the import was begun without --atomic; go on without it",
                }));
            }
            if state.on_conflict != self.on_conflict && !state.complete {
                return Err(Error::usage(match state.on_conflict.as_slice() {
                    [] => "the import was begun without --on-conflict; go on without it".to_owned(),
                    fields => format!(
                        "the import was begun with --on-conflict {}; go on with it",
                        fields.join(",")
                    ),
                }));
            }
            return Ok(state);
        }
        Err(Error::usage(format!(
            "an import of {} was interrupted; go on with: {}, or delete {}",
            self.file.display(),
            self.command_to_resume(),
            state_file.path().display()
        )))
    }

    /// The command that continues this import; options of the service are left out, since one of them may be
    /// a secret.
    fn command_to_resume(&self) -> String {
        let mut command = format!(
            "svc records import {} {} {} --resume",
            self.collection.resource,
            self.collection.model,
            quoted(&self.file)
        );
        match self.file_format {
            Some(FileFormat::Csv) => command += " --file-format csv",
            Some(FileFormat::Ndjson) => command += " --file-format ndjson",
            None => {}
        }
        if self.batch != BATCH {
            command += &format!(" --batch {}", self.batch);
        }
        if self.atomic {
            command += " --atomic";
        }
        if !self.on_conflict.is_empty() {
            let fields = self.on_conflict.join(",");
            command += &format!(" --on-conflict {}", quoted(Path::new(&fields)));
        }
        command
    }
}

/// A path as a word of a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=@%,:".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// The file of the records that were refused.
struct RejectedFile {
    path: PathBuf,
    file: File,
}

impl RejectedFile {
    /// Opens the file behind what belongs to the records that were answered.
    fn open(imported: &Path, state: &State) -> Result<Self, Error> {
        let path = beside(imported, ".rejected.ndjson");
        let open = || {
            let mut file = OpenOptions::new()
                .create(true)
                .write(true)
                .truncate(false)
                .open(&path)?;
            file.set_len(state.rejected_bytes)?;
            file.seek(SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().or_io("write", &path)?;
        Ok(Self { path, file })
    }

    /// Adds the refused records of a batch, and says how many there are.
    fn write(
        &mut self,
        state: &State,
        records: &[JsonObject],
        results: &[BulkResult<IgnoredAny>],
    ) -> Result<u64, Error> {
        if results.len() != records.len() {
            return Err(Error::new(
                "the service answered another number of records than were sent",
            ));
        }
        let mut refused = 0;
        for (number, (record, result)) in (state.records + 1..).zip(records.iter().zip(results)) {
            let BulkResult::Refused(errors) = result else {
                continue;
            };
            refused += 1;
            let rejected = row! { number: number, errors: errors, record: record };
            let line = serde_json::to_string(&rejected).or_json("a record")? + "\n";
            let written = self.file.write_all(line.as_bytes());
            written.or_io("write", &self.path)?;
        }
        if refused > 0 {
            self.file.sync_data().or_io("write", &self.path)?;
        }
        Ok(refused)
    }

    fn len(&self) -> Result<u64, Error> {
        Ok(self.file.metadata().or_io("read", &self.path)?.len())
    }

    fn remove(self) -> Result<(), Error> {
        fs::remove_file(&self.path).or_io("remove", &self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(quoted(Path::new("dir/a-1.csv")), "dir/a-1.csv");
        assert_eq!(quoted(Path::new("it's $HOME.csv")), "'it'\\''s $HOME.csv'");
        assert_eq!(quoted(Path::new("")), "''");
    }
}
