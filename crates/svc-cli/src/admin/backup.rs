//! `svc backup`: a copy of the store, while it serves.

use std::path::PathBuf;

use clap::Args;
use svc_store::BackupOptions;

use crate::{context::Context, error::Error, output::row};

/// Write a consistent copy of the store into a new file, while it serves
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc backup backup-2026-11-21.db\n  \
    svc backup --with-key /secure/svc-2026-11-21.db\n\n\
    The file is checked after it was written, and appears whole or not at all. svc restore makes a store of it.\n\n\
    The key that seals addresses of databases, signing keys and secret tokens is not in it: keep a copy of the file \
    store.key of the store's folder apart. With --with-key the key is in the file, which then restores alone: \
    anyone who can read it can read all of these secrets, so keep it as you would keep the key.")]
pub(crate) struct Backup {
    /// The file to write; it must not exist yet
    file: PathBuf,
    /// Put the key of the store into the file, which is then as secret as the key
    #[arg(long)]
    with_key: bool,
}

impl Backup {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let store = context.existing_store().await?;
        let options = BackupOptions::default().with_key(self.with_key);
        store.backup_with(&self.file, options).await?;
        let output = &context.output;
        output.note(match self.with_key {
            true => "the key of the store is in this file: anyone who can read the file can read all secrets of the store",
            false => "keep a copy of the store's key apart: the file store.key in its folder",
        });
        output.result(
            &row! { backup: self.file.to_string_lossy() },
            &format!("store copied to {}\n", self.file.display()),
        )
    }
}
