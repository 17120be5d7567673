//! `svc records export`: all records of a selection into a file, page by page.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Seek as _, SeekFrom, Write as _},
    path::PathBuf,
    time::{Duration, Instant},
};

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use svc_model::{ListQuery, Paginated};
use tokio::task::JoinHandle;

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

/// Records in the first request, and in any one at most.
const PER_PAGE: (u32, u32) = (1_000, 10_000);
/// How many bytes of records a page is meant to have where they are short: the service sends that many in one piece.
const PAGE_BYTES: usize = 900 << 10;
/// How often the file is flushed to the disk, so that an interrupted export can go on from there.
const FLUSHED_EVERY: Duration = Duration::from_millis(250);

/// Write all records of a table or view into a file
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc records export shop orders orders.csv\n  \
    svc records export shop orders paid.ndjson --filter status=paid --order-by created_at\n  \
    svc records export shop orders orders.csv --resume\n\n\
    The file appears under its name when it is whole; until then it is FILE.part, with FILE.state beside it, and an \
    export that was interrupted continues after the last page that was flushed to the disk.")]
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
    /// The size of the file behind the page before that.
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
        let handle = self.collection.records(&self.service)?.typed();
        let request = |query: ListQuery| -> Coming {
            let page = handle.list().query(query);
            tokio::spawn(async move { page.send().await.map_err(Error::from) })
        };
        let mut writer = RowWriter::to(BufWriter::new(file), format.into(), columns);
        let mut progress = Progress::new(context.output.shows_progress());
        let mut flushed: Option<Instant> = None;
        let mut coming = Some(request(parse(&next)?));
        while let Some(page) = coming.take() {
            let page = page
                .await
                .map_err(|error| Error::new(error.to_string()))??;
            let following = match &page.next {
                Some(link) => Some(following(link, &page.results)?),
                None => None,
            };
            // The next page is on its way while this one is written.
            coming = following.clone().map(request);
            records += page.results.len() as u64;
            writer.write_page(&page.results)?;
            progress.show(records);
            if let Some(following) = following
                && flushed.is_none_or(|time| time.elapsed() >= FLUSHED_EVERY)
            {
                let bytes = sync(&mut writer).or_io("write", &part)?;
                state_file.write(&State {
                    collection: collection.clone(),
                    asked: asked.clone(),
                    next: following.to_query_string().as_str().to_owned(),
                    bytes,
                    records,
                    columns: writer.columns().to_vec(),
                })?;
                flushed = Some(Instant::now());
            }
        }
        sync(&mut writer).or_io("write", &part)?;
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
        query.per_page = Some(PER_PAGE.0);
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

/// A page that was requested.
type Coming = JoinHandle<Result<Paginated<Box<RawValue>>, Error>>;

/// The query of the page that a link leads to. Where records are short, it has more of them than the page with these.
fn following(link: &str, records: &[Box<RawValue>]) -> Result<ListQuery, Error> {
    let query = link.split_once('?').map_or("", |(_, query)| query);
    let mut query = parse(query)?;
    // A page that goes by its number must be as long as those before it.
    if query.after.is_some() && !records.is_empty() {
        let bytes: usize = records.iter().map(|record| record.get().len() + 1).sum();
        let fitting = PAGE_BYTES / (bytes / records.len()).max(1);
        let (least, most) = PER_PAGE;
        let fitting = u32::try_from(fitting).unwrap_or(most);
        query.per_page = Some(fitting.clamp(least, most));
    }
    Ok(query)
}

/// Flushes the file to the disk, and returns its size.
fn sync(writer: &mut RowWriter<BufWriter<File>>) -> io::Result<u64> {
    let out = writer.out_mut();
    out.flush()?;
    out.get_ref().sync_data()?;
    out.get_ref().metadata().map(|metadata| metadata.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_short_records_that_go_by_a_cursor_are_longer() {
        let record = |bytes| RawValue::from_string(format!("\"{}\"", "x".repeat(bytes))).unwrap();
        let per_page = |link: &str, bytes| {
            let records: Vec<_> = (0..3).map(|_| record(bytes)).collect();
            following(link, &records).unwrap().per_page
        };
        let link = "http://host/models/t/?_per_page=1000&_after=a";
        assert_eq!(per_page(link, 10), Some(10_000));
        assert_eq!(per_page(link, 181), Some(5_008));
        assert_eq!(per_page(link, 1 << 20), Some(1_000));
        assert_eq!(
            per_page("http://host/t/?_per_page=1000&page=2", 10),
            Some(1_000)
        );
    }
}
