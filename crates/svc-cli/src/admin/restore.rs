//! `svc restore`: a store of a copy.

use std::path::PathBuf;

use clap::Args;
use svc_store::Store;

use super::key_file;
use crate::{context::Context, error::Error, output::row};

/// Make a store of a backup, in an empty folder
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc restore backup-2026-11-21.db --dir /var/lib/svc --key-file store.key\n  \
    svc restore /secure/svc-2026-11-21.db --dir /var/lib/svc\n\n\
    The second backup was written with --with-key. The file is checked for damage, its version and its key before \
    anything is written, and nothing is left in the folder when it cannot be restored.\n\n\
    Credentials that were revoked after the backup are valid again, and passwords are those of that time.")]
pub(crate) struct Restore {
    /// The file that svc backup wrote
    file: PathBuf,
}

impl Restore {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let dir = context.place.named_dir().ok_or_else(|| {
            Error::usage("name the empty folder for the store: svc restore FILE --dir DIR")
        })?;
        let key = key_file::given(&context.place)?;
        let restored = Store::restore(&self.file, dir, key).await?;
        let (file, dir) = (self.file.display(), dir.display());
        context.output.note(
            "what was revoked after the backup is valid again: credentials, sessions, and removed rights",
        );
        context.output.result(
            &row! { restored: dir.to_string(), version: restored.version },
            &format!("store of {file} restored into {dir}\n"),
        )
    }
}
