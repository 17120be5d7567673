//! `svc records history`: who changed a record, when, and what its fields had before and after.

use clap::Args;

use super::Item;
use crate::{
    client::{DataService, Formatted},
    context::Context,
    error::Error,
    output::{RowWriter, to_row},
};

/// Entries in a request when all are wanted.
const PER_PAGE_OF_ALL: u32 = 100;

/// Show who changed a record, when, and what its fields had before and after, the newest first
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc records history shop orders 42\n  \
    svc records history shop orders 42 --all --format ndjson")]
pub(crate) struct History {
    #[command(flatten)]
    item: Item,
    /// Entries to show: 1 to 100 [default: 25]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100), conflicts_with = "all")]
    per_page: Option<u32>,
    /// The whole history, written while it arrives
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    to: Formatted<DataService>,
}

impl History {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let Self { item, to, all, .. } = self;
        let records = item.collection.records(&to.service)?;
        let call = records.history(item.id.as_str());
        let call = match self.per_page.or(all.then_some(PER_PAGE_OF_ALL)) {
            Some(per_page) => call.per_page(per_page),
            None => call,
        };
        let format = context.output.format(to.format);
        let mut writer = RowWriter::to_stdout(format);
        let mut pages = call.by_page();
        while let Some(page) = pages.try_next().await? {
            for entry in &page.results {
                writer.write(to_row(entry)?)?;
            }
            if !all {
                break;
            }
        }
        writer.finish()
    }
}
