//! `svc records update-all` and `svc records delete-all`: all records that filters select, in one transaction.

use clap::Args;
use svc_model::records::ChangeAllQuery;

use super::Collection;
use crate::{
    client::{DataService, selection::Selection},
    context::Context,
    error::Error,
    input,
    output::{counted, row},
};

/// Which records are changed.
#[derive(Args)]
struct Which {
    #[command(flatten)]
    selection: Selection,
    /// All records, where no filter selects some of them
    #[arg(long)]
    all: bool,
    /// Only if so many records match
    #[arg(long, value_name = "NUMBER")]
    expect: Option<u64>,
    /// UTC offset or IANA zone of date texts [default: UTC]
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    tz: Option<String>,
}

impl Which {
    fn query(&self) -> Result<ChangeAllQuery, Error> {
        let mut query = ChangeAllQuery::new(&self.selection.query(self.tz.as_deref())?);
        (query.all, query.expect) = (self.all, self.expect);
        Ok(query)
    }
}

/// Change all records that filters select, or none
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc records update-all shop orders '{\"status\": \"cancelled\"}' --filter status=pending --filter created_at__lt=2026-01-01\n  \
    svc records update-all shop products '{\"active\": true}' --all --expect 500")]
pub(crate) struct UpdateAll {
    #[command(flatten)]
    collection: Collection,
    /// The fields as a JSON object; @FILE reads a file, - standard input
    record: String,
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    service: DataService,
}

impl UpdateAll {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let query = self.which.query()?;
        let record = input::read_object(&self.record)?;
        let records = self.collection.records(&self.service)?;
        let updated = records.update_all(query, &record).send().await?.updated;
        let text = format!("{} changed\n", counted(updated, "record"));
        context.output.result(&row! { updated: updated }, &text)
    }
}

/// Delete all records that filters select, or none
#[derive(Args)]
#[command(after_help = "Example:\n  \
    svc records delete-all shop orders --filter status=cancelled --expect 12")]
pub(crate) struct DeleteAll {
    #[command(flatten)]
    collection: Collection,
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    service: DataService,
}

impl DeleteAll {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let query = self.which.query()?;
        let records = self.collection.records(&self.service)?;
        let deleted = records.delete_all(query).send().await?.deleted;
        let text = format!("{} deleted\n", counted(deleted, "record"));
        context.output.result(&row! { deleted: deleted }, &text)
    }
}
