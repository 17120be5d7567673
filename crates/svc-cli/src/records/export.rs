//! `svc records export`: all records of a selection into a file, page by page.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Seek as _, SeekFrom, Write as _},
    path::PathBuf,
};

use clap::Args;
use serde::{Deserialize, Serialize};

use super::{
    Collection, View,
    transfer::{FileFormat, StateFile, beside},
};
use crate::{
    client::{
        DataService,
        selection::{Selection, parse, push_given},
    },
    context::Context,
    error::{Error, OrIo as _},
    output::{Progress, RowWriter, counted, row},
};

/// Records in a request.
const PER_PAGE: u32 = 1_000;

/// Write all records of a table or view into a file
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc records export shop orders orders.csv\n  \
    svc records export shop orders paid.ndjson --filter status=paid --order-by created_at\n  \
    svc records export shop orders orders.csv --resume\n\n\
    The file appears under its name when it is whole; until then it is FILE.part, with FILE.state beside it, and an \
    export that was interrupted continues after the last whole page.")]
pub(crate) struct Export {
    #[command(flatten)]
    collection: Collection,
    /// Where the records go
    file: PathBuf,
    /// Format of the file [default: from its name]
    #[arg(long, value_name = "FORM")]
    file_format: Option<FileFormat>,
    #[command(flatten)]
    selection: Selection,
    /// Columns to order by, with - in front from the largest
    #[arg(long, value_name = "FIELD,...", allow_hyphen_values = true)]
    order_by: Option<String>,
    #[command(flatten)]
    view: View,
    /// Go on with an export that was interrupted
    #[arg(long)]
    resume: bool,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    service: DataService,
}

/// How far an export has come.
#[derive(Serialize, Deserialize)]
struct State {
    /// Whose records, with project and environment.
    collection: String,
    /// The query of the first page, to detect that another one is given now.
    asked: String,
    /// The query of the next page.
    next: String,
    /// The size of the file behind the last whole page.
    bytes: u64,
    records: u64,
    /// The columns of a CSV file.
    columns: Vec<String>,
}

impl Export {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let format = FileFormat::of(&self.file, self.file_format)?;
        if self.file.exists() && !self.force {
            return Err(Error::usage(format!(
                "{} is there already; name another file, or replace it with --force",
                self.file.display()
            )));
        }
        let asked = self.query()?;
        let collection = self.collection.full_name(&self.service);
        let part = beside(&self.file, ".part");
        let state_file = StateFile::beside(&self.file, ".state");
        let begun = self.begun(&state_file, &collection, &asked)?;
        let mut file = OpenOptions::new();
        let mut file = file
            .write(true)
            .create(true)
            .truncate(begun.is_none())
            .open(&part)
            .or_io("write", &part)?;
        let (mut next, mut records, mut columns) = (asked.clone(), 0, None);
        if let Some(state) = begun {
            // What was written of a page that did not become whole is written again.
            let cut = file.set_len(state.bytes);
            let cut = cut.and_then(|()| file.seek(SeekFrom::End(0)));
            cut.or_io("go on with", &part)?;
            (next, records) = (state.next, state.records);
            columns = Some(state.columns).filter(|columns| !columns.is_empty());
        }
        let handle = self.collection.records(&self.service)?;
        let mut writer = RowWriter::to(BufWriter::new(file), format.into(), columns);
        let mut progress = Progress::new(context.output.shows_progress());
        loop {
            let page = handle.list().query(parse(&next)?).send().await?;
            records += page.results.len() as u64;
            for record in page.results {
                writer.write(record)?;
            }
            let bytes = sync(&mut writer).or_io("write", &part)?;
            progress.show(records);
            let Some(link) = page.next else { break };
            let query = link.split_once('?').map(|(_, query)| query.to_owned());
            next = query.unwrap_or_default();
            state_file.write(&State {
                collection: collection.clone(),
                asked: asked.clone(),
                next: next.clone(),
                bytes,
                records,
                columns: writer.columns().to_vec(),
            })?;
        }
        progress.end();
        writer.finish()?;
        fs::rename(&part, &self.file).or_io("name", &self.file)?;
        if state_file.exists() {
            state_file.remove()?;
        }
        let file = self.file.to_string_lossy();
        let text = format!("{} in {file}\n", counted(records, "record"));
        let result = row! { file: &file, records: records };
        context.output.result(&result, &text)
    }

    /// The query of the first page.
    fn query(&self) -> Result<String, Error> {
        let mut query = self.selection.query_string()?;
        query.push("_count", "none");
        push_given(&mut query, "_order_by", self.order_by.as_deref());
        push_given(&mut query, "tz", self.view.tz.as_deref());
        let mut query = parse(query.as_str())?;
        query.fields.clone_from(&self.view.fields);
        query.per_page = Some(PER_PAGE);
        Ok(query.to_query_string().as_str().to_owned())
    }

    /// How far an export of the same has come, if it is to go on.
    fn begun(
        &self,
        state_file: &StateFile,
        collection: &str,
        asked: &str,
    ) -> Result<Option<State>, Error> {
        if !state_file.exists() {
            return Ok(None);
        }
        if !self.resume {
            let (file, state_file) = (self.file.display(), state_file.path().display());
            return Err(Error::usage(format!(
                "an export to {file} was interrupted; go on with --resume, or delete {state_file}"
            )));
        }
        let state: State = state_file.read()?;
        match state.collection == collection && state.asked == asked {
            true => Ok(Some(state)),
            false => Err(Error::usage(format!(
                "the export that was interrupted was one of other records; ask for the same, or delete {} and begin \
                 again without --resume",
                state_file.path().display()
            ))),
        }
    }
}

/// Flushes the file to the disk, and returns its size.
fn sync(writer: &mut RowWriter<BufWriter<File>>) -> io::Result<u64> {
    let out = writer.out_mut();
    out.flush()?;
    out.get_ref().sync_data()?;
    out.get_ref().metadata().map(|metadata| metadata.len())
}
