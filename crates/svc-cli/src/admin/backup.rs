//! `svc backup`: a copy of the store, while it serves.

use std::path::PathBuf;

use clap::Args;

use crate::{context::Context, error::Error, output::row};

/// Write a consistent copy of the store into a new file, while it serves
#[derive(Args)]
#[command(after_help = "Example:\n  svc backup backup-2026-11-21.db\n\n\
    The key that seals the addresses of databases is not in it: keep a copy of the file store.key of the \
    store's folder apart.")]
pub(crate) struct Backup {
    /// The file to write; it must not exist yet
    file: PathBuf,
}

impl Backup {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        if context.place.is_on_server() {
            return Err(Error::usage(
                "a store on a server is backed up with the tools of the server (pg_dump, pg_basebackup); svc store copy \
                 --to DIR makes a copy of it in a folder",
            ));
        }
        let store = context.existing_store().await?;
        store.backup_to(&self.file).await?;
        let output = &context.output;
        output.note("keep a copy of the store's key apart: the file store.key in its folder");
        output.result(
            &row! { backup: self.file.to_string_lossy() },
            &format!("store copied to {}\n", self.file.display()),
        )
    }
}
