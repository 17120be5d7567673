//! `svc records import`: records of a file into a table.
//!
//! The file is sent to the service as a whole, which imports it in the background, each record once. The program follows, and
//! can follow again after it was interrupted: the state beside the file names the import.

mod rejected;
mod state;
mod upload;

use std::{fs, future::Future, path::PathBuf, pin::Pin, sync::atomic::Ordering, time::Duration};

use clap::Args;
use svc_api::Imports;
use svc_model::imports::{self, EmptyCell, EmptyCells, ImportState, Mapping};
use tokio::time::sleep;

use self::{
    state::{Fingerprint, State},
    upload::upload,
};
use super::{
    Collection,
    transfer::{FileFormat, StateFile},
};
use crate::{
    client::DataService,
    context::Context,
    error::{Error, OrIo as _},
    output::{Progress, counted, shell_word},
    serve::shutdown,
};

/// How long it may take until the service has the file.
const SENT_WITHIN: Duration = Duration::from_secs(24 * 3_600);
/// How often it is asked how far the import is: at first, and later at least.
const ASKED_EVERY: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(500)];

/// Make records of the lines of a file
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc records import shop customers customers.csv\n  \
    svc records import shop customers list.csv --delimiter ';' --map 'E-mail=email' --map 'Remarks='\n  \
    svc records import shop customers list.csv --empty Name=text --empty Since=default\n  \
    svc records import shop customers list.csv --on-conflict email --dry-run\n  \
    svc records import shop orders orders.ndjson --resume\n\n\
    Records that are refused go to FILE.rejected.ndjson, each with its number and why; the others are made. In CSV an \
    empty cell is NULL, where the column allows it, unless --empty says otherwise. The service imports the file in the background, also when this program \
    ends; Ctrl-C ends the import. Which import it is is kept in FILE.state: one that was interrupted, however that \
    happened, goes on with --resume, and neither repeats nor skips a record. Columns that the database computes may be in \
    the file, with the values that it computes.")]
pub(crate) struct Import {
    #[command(flatten)]
    collection: Collection,
    /// Where the records are
    file: PathBuf,
    /// Format of the file [default: from its name]
    #[arg(long, value_name = "FORM")]
    file_format: Option<FileFormat>,
    /// What separates the columns of CSV: one character, or tab [default: a comma]
    #[arg(long, value_name = "CHARACTER", value_parser = read_delimiter)]
    delimiter: Option<char>,
    /// The field that a column of the file becomes; nothing behind = leaves the column out [default: the field of its name]
    #[arg(long, value_name = "COLUMN=FIELD", value_parser = read_mapping)]
    map: Vec<(String, String)>,
    /// What empty cells of a column of CSV become: null, text (the empty text) or default (what the database fills in)
    #[arg(long, value_name = "COLUMN=VALUE", value_parser = read_empty)]
    empty: Vec<(String, EmptyCell)>,
    /// The most records that are written in one transaction [default: 5000]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    batch: Option<u32>,
    /// Change the records that have the same values in these unique fields, where there are some
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    on_conflict: Vec<String>,
    /// Try every record, and make none
    #[arg(long, conflicts_with = "resume")]
    dry_run: bool,
    /// Go on with an import that was interrupted
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    service: DataService,
}

fn read_delimiter(text: &str) -> Result<char, &'static str> {
    let mut characters = text.chars();
    match (text, characters.next(), characters.next()) {
        ("tab" | "\\t", ..) => Ok('\t'),
        (_, Some(delimiter), None) => Ok(delimiter),
        _ => Err("it is one character, or tab"),
    }
}

fn read_mapping(text: &str) -> Result<(String, String), &'static str> {
    let (column, field) = text.rsplit_once('=').ok_or("it is COLUMN=FIELD")?;
    Ok((column.to_owned(), field.to_owned()))
}

fn read_empty(text: &str) -> Result<(String, EmptyCell), String> {
    let (column, becomes) = text.rsplit_once('=').ok_or("it is COLUMN=VALUE")?;
    let becomes = becomes.parse::<EmptyCell>();
    let becomes = becomes.map_err(|error| error.to_string())?;
    Ok((column.to_owned(), becomes))
}

/// The first signal that ends the program.
type Interrupt = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An import, and what is kept of it.
struct Followed<'i> {
    options: &'i Import,
    context: &'i Context,
    imports: Imports,
    /// Nothing is kept of a dry run.
    state_file: Option<StateFile>,
    state: State,
    progress: Progress,
    interrupt: Interrupt,
}

impl Import {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let format = FileFormat::of(&self.file, self.file_format)?;
        let metadata = fs::metadata(&self.file).or_io("read", &self.file)?;
        let file = Fingerprint::from(&metadata);
        let state_file = StateFile::beside(&self.file, ".state");
        let state = match self.dry_run {
            true => self.new_state(file),
            false => self.begun(&state_file, file)?,
        };
        let Collection { resource, model } = &self.collection;
        let client = self.service.client(resource)?;
        let imports = client.records(resource.clone(), model.clone()).imports();
        let followed = Followed {
            options: &self,
            context,
            imports,
            state_file: (!self.dry_run).then_some(state_file),
            state,
            progress: Progress::new(context.output.shows_progress()),
            interrupt: Box::pin(shutdown::requested()?),
        };
        followed.run(file, format).await
    }

    fn new_state(&self, file: Fingerprint) -> State {
        let collection = self.collection.full_name(&self.service);
        State::new(collection, self.settings(), file)
    }

    /// How the file is read, to detect that it is to be read otherwise.
    fn settings(&self) -> String {
        let Self {
            delimiter,
            map,
            empty,
            on_conflict,
            ..
        } = self;
        let settings = format!("{delimiter:?} {map:?} {on_conflict:?}");
        // Those without it are as they were before there was such an option.
        match empty.is_empty() {
            true => settings,
            false => format!("{settings} {empty:?}"),
        }
    }

    /// How far the import has come: a new one, or the one that is to go on.
    fn begun(&self, state_file: &StateFile, file: Fingerprint) -> Result<State, Error> {
        let new = self.new_state(file);
        if !state_file.exists() {
            return Ok(new);
        }
        let state: State = state_file.read()?;
        if state.complete && !self.resume {
            return Ok(new);
        }
        if state.collection != new.collection {
            return Err(Error::usage(format!(
                "{} belongs to an import into {}, and this one is into {}; continue that one, or delete the file",
                state_file.path().display(),
                state.collection,
                new.collection
            )));
        }
        if !self.resume {
            return Err(Error::usage(format!(
                "an import of {} was interrupted; go on with: {}, or delete {}",
                self.file.display(),
                self.command_to_resume(),
                state_file.path().display()
            )));
        }
        if state.settings != new.settings && !state.complete {
            return Err(Error::usage(
                "the import was begun with another --delimiter, --map, --empty or --on-conflict; go on with the same ones",
            ));
        }
        Ok(state)
    }

    /// The command that continues this import; options of the service are left out, since one of them may be
    /// a secret.
    fn command_to_resume(&self) -> String {
        let mut command = format!(
            "svc records import {} {} {} --resume",
            self.collection.resource,
            self.collection.model,
            shell_word(&self.file.display().to_string())
        );
        match self.file_format {
            Some(FileFormat::Csv) => command += " --file-format csv",
            Some(FileFormat::Ndjson) => command += " --file-format ndjson",
            None => {}
        }
        match self.delimiter {
            Some('\t') => command += " --delimiter tab",
            Some(delimiter) => {
                command += &format!(" --delimiter {}", shell_word(&delimiter.to_string()));
            }
            None => {}
        }
        for (column, field) in &self.map {
            command += &format!(" --map {}", shell_word(&format!("{column}={field}")));
        }
        for (column, becomes) in &self.empty {
            let word = format!("{column}={}", becomes.as_str());
            command += &format!(" --empty {}", shell_word(&word));
        }
        if let Some(batch) = self.batch {
            command += &format!(" --batch {batch}");
        }
        if !self.on_conflict.is_empty() {
            let fields = self.on_conflict.join(",");
            command += &format!(" --on-conflict {}", shell_word(&fields));
        }
        command
    }

    fn mapping(&self) -> Mapping {
        let mapped = self.map.iter().filter(|(_, field)| !field.is_empty());
        let mapped: Mapping = mapped.cloned().collect();
        let left_out = self.map.iter().filter(|(_, field)| field.is_empty());
        left_out.fold(mapped, |mapping, (column, _)| mapping.without(column))
    }
}

impl Followed<'_> {
    async fn run(mut self, file: Fingerprint, format: FileFormat) -> Result<(), Error> {
        let was_complete = self.state.complete;
        let import = match self.state.import.clone() {
            Some(import) => self.known(import, file).await?,
            None => None,
        };
        let import = match import {
            Some(import) => import,
            None => self.send(format).await?,
        };
        if was_complete && self.state.complete {
            let (records, file) = (self.state.counts.records, self.options.file.display());
            let text =
                format!("nothing to do: all {records} records of {file} were imported before\n");
            return self.report(&text);
        }
        self.follow(import).await
    }

    /// An import that was begun before; none where the file was changed since, so that the rest of it is sent.
    async fn known(
        &mut self,
        import: String,
        file: Fingerprint,
    ) -> Result<Option<imports::Import>, Error> {
        if self.state.complete {
            // Nothing is asked of the service, which may have forgotten it.
            let done = imports::Import::new(import, ImportState::Done, "");
            return Ok(self.unless_changed(file).then_some(done));
        }
        let found = self.imports.get(&*import).await?;
        self.state.follow(&found);
        match found.state {
            ImportState::Running => Ok(Some(found)),
            _ if !self.unless_changed(file) => Ok(None),
            ImportState::Done => Ok(Some(found)),
            _ => Ok(Some(self.imports.resume(import).await?)),
        }
    }

    /// Whether the file is the one that was sent. The rest of another one is to be sent.
    fn unless_changed(&mut self, file: Fingerprint) -> bool {
        let is_same = file == self.state.file;
        if !is_same {
            let kept = rejected::size(&rejected::path_beside(&self.options.file));
            self.state.complete = false;
            self.state.renew(file, kept);
        }
        is_same
    }

    /// Sends the file.
    async fn send(&mut self, format: FileFormat) -> Result<imports::Import, Error> {
        // The key has to be known before the file is sent.
        self.state.complete = false;
        self.keep()?;
        let options = self.options;
        let (file, sent) = upload(options.file.clone(), format);
        let mut begin = self
            .imports
            .begin(file)
            .mapping(options.mapping())
            .empty_cells(options.empty.iter().cloned().collect::<EmptyCells>())
            .on_conflict(&options.on_conflict)
            .skip(self.state.before.records)
            .idempotency_key(self.state.key.to_string())
            .deadline(SENT_WITHIN);
        if let Some(delimiter) = options.delimiter {
            begin = begin.delimiter(delimiter);
        }
        if let Some(batch) = options.batch {
            begin = begin.batch(batch);
        }
        if options.dry_run {
            begin = begin.dry_run();
        }
        let mut call = begin.into_future();
        loop {
            tokio::select! {
                answer = &mut call => {
                    return answer.map_err(|error| self.unsent(error));
                }
                () = sleep(ASKED_EVERY[1]) => {
                    let sent = sent.load(Ordering::Relaxed);
                    self.progress.show_part("sent", sent, self.state.file.bytes);
                }
                () = &mut self.interrupt => return Err(self.interrupted("before the file was sent")),
            }
        }
    }

    /// Follows an import until it ends.
    async fn follow(mut self, mut import: imports::Import) -> Result<(), Error> {
        let mut pause = ASKED_EVERY[0];
        let mut interrupted = false;
        loop {
            self.state.follow(&import);
            self.keep()?;
            if import.state != ImportState::Running {
                break;
            }
            let rows = counted(self.state.counts.records, "row");
            self.progress
                .show_part(&rows, import.bytes_read, import.bytes);
            tokio::select! {
                () = sleep(pause) => {
                    pause = (pause * 2).min(ASKED_EVERY[1]);
                    let found = self.imports.get(&*import.uid).await;
                    import = found.map_err(|error| self.lost(&error.into()))?;
                }
                () = &mut self.interrupt, if !interrupted => {
                    interrupted = true;
                    self.context.output.note("stopping after this batch; interrupt again to stop at once");
                    let ended = self.imports.cancel(&*import.uid).await;
                    import = ended.map_err(|error| self.lost(&error.into()))?;
                }
            }
        }
        self.end(import).await
    }

    /// Says what was done.
    async fn end(mut self, import: imports::Import) -> Result<(), Error> {
        let path = rejected::path_beside(&self.options.file);
        let kept = self.state.rejected_bytes;
        let has_rejected = rejected::write(&path, &self.imports, &import.uid, kept).await?;
        std::mem::replace(&mut self.progress, Progress::new(false)).end();
        let Self { options, state, .. } = &self;
        let counts = &state.counts;
        let again = options.command_to_resume();
        match import.state {
            ImportState::Cancelled => return Err(self.interrupted(&counts.so_far())),
            ImportState::Done => {}
            _ => {
                let why = import.message.unwrap_or_default();
                return Err(Error::new(format!(
                    "{}: {why}; {}; correct what is wrong and go on with: {again}",
                    options.file.display(),
                    counts.so_far()
                )));
            }
        }
        self.state.complete = true;
        self.keep()?;
        let counts = self.state.counts;
        if !has_rejected {
            let (would, made) = match self.options.dry_run {
                true => (" would be", "made"),
                false => ("", "made"),
            };
            let records = counted(counts.created, "record");
            return self.report(&match counts.updated {
                0 => format!("{records}{would} {made}\n"),
                updated => format!("{records}{would} {made}, {updated} changed\n"),
            });
        }
        self.report("")?;
        let were = if counts.refused == 1 { "was" } else { "were" };
        Err(Error::new(format!(
            "{}; {} {were} refused, see {}",
            match self.options.dry_run {
                true => format!("{} would be made", counted(counts.created, "record")),
                false => counts.so_far(),
            },
            counts.refused,
            path.display()
        )))
    }

    fn report(&self, text: &str) -> Result<(), Error> {
        let Import {
            on_conflict,
            dry_run,
            ..
        } = self.options;
        let report = self.state.counts.report(!on_conflict.is_empty(), *dry_run);
        self.context.output.result(&report, text)
    }

    /// Keeps how far the import is.
    fn keep(&self) -> Result<(), Error> {
        let file = self.state_file.as_ref();
        file.map_or(Ok(()), |file| file.write(&self.state))
    }

    fn interrupted(&self, how_far: &str) -> Error {
        Error::Interrupted(match self.state_file {
            None => format!("interrupted; {how_far}"),
            Some(_) => format!(
                "interrupted; {how_far}; go on with: {}",
                self.options.command_to_resume()
            ),
        })
    }

    /// The service has not answered that it has the file.
    fn unsent(&self, error: svc_api::Error) -> Error {
        let is_refused = error
            .status()
            .is_some_and(|status| status.is_client_error());
        let is_begun = self.state.before.records > 0;
        match &self.state_file {
            Some(file) if is_refused && !is_begun => {
                // Nothing has to be gone on with; the error is about more than this file.
                let _ = file.remove();
                error.into()
            }
            Some(_) if !is_refused => {
                let error = Error::from(error);
                let again = self.options.command_to_resume();
                Error::new(format!("{error}; send the file again with: {again}"))
            }
            _ => error.into(),
        }
    }

    /// The service does not answer any more.
    fn lost(&self, error: &Error) -> Error {
        let goes_on = "the service goes on with the import as soon as it can";
        Error::new(format!(
            "{error}; {}; {goes_on}; follow it with: {}",
            self.state.counts.so_far(),
            self.options.command_to_resume()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_what_separates_them_are_read() {
        assert_eq!(read_delimiter("tab"), Ok('\t'));
        assert_eq!(read_delimiter(";"), Ok(';'));
        assert!(read_delimiter("").is_err() && read_delimiter(";;").is_err());
        let pair = |column: &str, field: &str| Ok((column.to_owned(), field.to_owned()));
        assert_eq!(read_mapping("a=b=c"), pair("a=b", "c"));
        assert_eq!(read_mapping("a="), pair("a", ""));
        assert!(read_mapping("a").is_err());
        let text = ("a=b".to_owned(), EmptyCell::Text);
        assert_eq!(read_empty("a=b=text"), Ok(text));
        assert!(read_empty("a").is_err() && read_empty("a=").is_err());
    }
}
