//! `svc records export`: all records of a selection into a file, page by page.

use std::{
    fs::{self, File, OpenOptions},
    io::BufWriter,
    path::PathBuf,
};

use clap::Args;
use serde::{Deserialize, Serialize};

use super::{
    Collection, View,
    transfer::{FileFormat, Note, beside, io_failure},
};
use crate::{
    client::{
        DataService,
        selection::{Selection, parse},
    },
    context::Context,
    failure::Failure,
    output::{Progress, RowWriter},
};

/// Records that are asked for at a time.
const PER_PAGE: u32 = 1_000;

/// Write all records of a table or view into a file
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc records export shop orders orders.csv\n  \
    svc records export shop orders paid.ndjson --filter status=paid --order-by created_at\n  \
    svc records export shop orders orders.csv --resume\n\n\
    The file appears under its name when it is whole; until then it is FILE.part, with FILE.state beside it, and an \
    export that was interrupted goes on behind the last whole page.")]
pub(crate) struct Export {
    #[command(flatten)]
    collection: Collection,
    /// Where the records go
    file: PathBuf,
    /// The form of the file [default: as its name tells]
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
    /// What was asked for, to notice that something else is asked for now.
    asked: String,
    /// The query of the next page.
    next: String,
    /// The size of the file behind the last whole page.
    bytes: u64,
    records: u64,
    /// The columns of a CSV file.
    columns: Vec<String>,
}

#[derive(Serialize)]
struct Exported<'a> {
    file: &'a str,
    records: u64,
}

impl Export {
    /// Does what was asked.
    pub(crate) async fn run(self, context: &Context) -> Result<(), Failure> {
        let format = FileFormat::of(&self.file, self.file_format)?;
        if self.file.exists() && !self.force {
            return Err(Failure::usage(format!(
                "{} is there already; name another file, or replace it with --force",
                self.file.display()
            )));
        }
        let asked = self.query()?;
        let part = beside(&self.file, ".part");
        let note = Note::beside(&self.file, ".state");
        let begun = self.begun(&note, &asked)?;
        let mut file = OpenOptions::new();
        let mut file = file
            .write(true)
            .create(true)
            .truncate(begun.is_none())
            .open(&part)
            .map_err(|error| io_failure("write", &part, &error))?;
        let (mut next, mut records, mut columns) = (asked.clone(), 0, None);
        if let Some(state) = begun {
            // What was written of a page that did not become whole is written again.
            let cut = file
                .set_len(state.bytes)
                .and_then(|()| std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)));
            cut.map_err(|error| io_failure("go on with", &part, &error))?;
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
            let bytes = sync(&mut writer).map_err(|error| io_failure("write", &part, &error))?;
            progress.show(records);
            let Some(link) = page.next else { break };
            next = link
                .split_once('?')
                .map(|(_, query)| query.to_owned())
                .unwrap_or_default();
            note.write(&State {
                asked: asked.clone(),
                next: next.clone(),
                bytes,
                records,
                columns: writer.columns().to_vec(),
            })?;
        }
        progress.end();
        writer.finish()?;
        fs::rename(&part, &self.file).map_err(|error| io_failure("name", &self.file, &error))?;
        if note.exists() {
            note.remove()?;
        }
        let file = self.file.to_string_lossy();
        let told = Exported {
            file: &file,
            records,
        };
        context
            .output
            .result(&told, &format!("{records} records in {file}\n"))
    }

    /// The query of the first page.
    fn query(&self) -> Result<String, Failure> {
        let mut query = self.selection.query_string()?;
        query.push("_count", "none");
        if let Some(order) = &self.order_by {
            query.push("_order_by", order);
        }
        if let Some(tz) = &self.view.tz {
            query.push("tz", tz);
        }
        let mut query = parse(query.as_str())?;
        query.fields.clone_from(&self.view.fields);
        query.per_page = Some(PER_PAGE);
        Ok(query.to_query_string().as_str().to_owned())
    }

    /// How far an export of the same has come, if it is to go on.
    fn begun(&self, note: &Note, asked: &str) -> Result<Option<State>, Failure> {
        match (note.exists(), self.resume) {
            (false, _) => Ok(None),
            (true, false) => Err(Failure::usage(format!(
                "an export to {} was interrupted; go on with --resume, or delete {}",
                self.file.display(),
                note.path().display()
            ))),
            (true, true) => {
                let state: State = note.read()?;
                match state.asked == asked {
                    true => Ok(Some(state)),
                    false => Err(Failure::usage(
                        "the export that was interrupted was one of other records; ask for the same, or begin anew without --resume",
                    )),
                }
            }
        }
    }
}

/// Brings what was written to the disk, and gives the size of the file.
fn sync(writer: &mut RowWriter<BufWriter<File>>) -> std::io::Result<u64> {
    let out = writer.out_mut();
    std::io::Write::flush(out)?;
    out.get_ref().sync_data()?;
    out.get_ref().metadata().map(|metadata| metadata.len())
}
