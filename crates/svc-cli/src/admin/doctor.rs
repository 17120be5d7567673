//! `svc doctor`: what is wrong with a store, and what to do about it. It changes nothing.

mod checks;
mod database;
mod report;

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
    svc doctor --store postgres://svc@db1,db2/svc --key-file store.key\n  \
    svc doctor --json\n\n\
    It checks that the database of the store is not damaged, its version and key, who may read its files, the journal of \
    the audit trail, free space, the clock, and that each resource can be reached. Of a store in a PostgreSQL database it \
    checks the connection, the version and key, the rights of the user, and the clock of the server. It may run beside a service, and \
    with a store that cannot be opened.\n\n\
    The exit status is 0 when all is well, 1 for warnings, 2 for errors.")]
pub(crate) struct Doctor {}

impl Doctor {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let (place, dir) = (&context.place, context.place.dir_or(DEFAULT_DIR));
        let (key, unusable) = match key_file::given(place) {
            Ok(key) => (key, None),
            Err(error) => (None, Some(error)),
        };
        let mut report = match place.database() {
            Some(url) => database::run(url, &dir, key).await,
            None => checks::run(&dir, key).await,
        };
        if let Some(error) = unusable {
            // The key in the folder, which was looked at, is not the one that is meant.
            report = report.without("key").with(checks::unusable_key(&error));
        }
        // What is in the folder was looked at already.
        let named = place.key_file().filter(|file| file.parent() != Some(&*dir));
        if let Some(check) = named.and_then(checks::readable_key) {
            report = report.with(check);
        }
        report.print(&context.output)?;
        match report.exit_status() {
            0 => Ok(()),
            status => Err(Error::Reported(status)),
        }
    }
}
