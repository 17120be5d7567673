//! `svc doctor`: what is wrong with a store, and what to do about it. It changes nothing.

mod checks;
mod report;

use std::path::PathBuf;

use clap::Args;

use super::key_file;
use crate::{
    context::{Context, DEFAULT_DIR},
    error::Error,
};

/// Check a store and its resources, and say what to do; nothing is changed
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc doctor --dir /var/lib/svc\n  \
    svc doctor --json\n\n\
    It checks that the database of the store is not damaged, its version and key, who may read its files, the journal of \
    the audit trail, free space, the clock, and that each resource can be reached. It may run beside a service, and \
    with a store that cannot be opened.\n\n\
    The exit status is 0 when all is well, 1 for warnings, 2 for errors.")]
pub(crate) struct Doctor {
    /// The key of the store, when it is not in the file store.key of its folder
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl Doctor {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let key = self.key_file.as_deref().map(key_file::read).transpose()?;
        let report = checks::run(&context.dir_or(DEFAULT_DIR), key).await;
        report.print(&context.output)?;
        match report.exit_status() {
            0 => Ok(()),
            status => Err(Error::Reported(status)),
        }
    }
}
