//! `svc store`: the store as a whole, moved to another place.

use std::{
    collections::BTreeMap,
    ops::ControlFlow,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use clap::{Args, Subcommand};
use serde::Serialize;
use svc_store::{Copied, CopyOptions, KEY_FILE, Secret, Store, StorePlace};

use crate::{
    context::Context,
    error::Error,
    output::{Progress, counted, row},
};

/// Move the store to another place
#[derive(Subcommand)]
pub(crate) enum StoreCommand {
    Copy(Copy),
}

/// Copy a store into an empty folder or database, also while it serves, and compare all rows
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc store copy --from /var/lib/svc --to postgres://svc:PASSWORD@db1,db2/svc\n  \
    svc store copy --from postgres://svc@db1/svc --to /var/lib/svc --key-file store.key --with-key\n\n\
    A place is a folder, or the URL of a PostgreSQL database. The copy has every write that was acknowledged before the \
    command began; to move a service without losing any, end it first. The other place must be empty, and stays empty when \
    the copy fails: then it can be run again.\n\n\
    What is sealed stays sealed with the same key, which the command names by its fingerprint and its file, and never shows. \
    --key-file and SVC_STORE_KEY are the key of the store that is copied; in a folder it is store.key.\n\n\
    A store of another version is refused: open it once with this program, which brings it to its version.")]
pub(crate) struct Copy {
    /// The store to copy: its folder, or postgres://user:password@host/database
    #[arg(
        long,
        value_name = "PLACE",
        env = "SVC_COPY_FROM",
        hide_env_values = true
    )]
    from: String,
    /// Where the copy is to be: a folder that is empty or missing, or an empty PostgreSQL database
    #[arg(
        long,
        value_name = "PLACE",
        env = "SVC_COPY_TO",
        hide_env_values = true
    )]
    to: String,
    /// Put the key into the folder of the copy too
    #[arg(long)]
    with_key: bool,
}

impl StoreCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        match self {
            Self::Copy(copy) => copy.run(context).await,
        }
    }
}

impl Copy {
    async fn run(self, context: &Context) -> Result<(), Error> {
        if context.is_flag("store") {
            return Err(Error::usage(
                "svc store copy has two stores: name them with --from and --to, in place of --store",
            ));
        }
        let (from, to) = (place("--from", &self.from)?, place("--to", &self.to)?);
        if self.with_key && matches!(to, StorePlace::Database(_)) {
            return Err(Error::usage(
                "--with-key puts the key into a folder, and a database does not hold it: leave it out, and copy the file of the \
                 key to the machines that open the store",
            ));
        }
        let mut options = CopyOptions::default();
        options.with_key = self.with_key;
        options.key = context.place.key().cloned();
        options.key_file = match (&options.key, context.place.key_file(), &from) {
            (Some(_), _, _) => None,
            (None, Some(file), _) => Some(file.to_owned()),
            // Beside a store in a database, the folder has the key.
            (None, None, StorePlace::Database(_)) => {
                let file = context.place.named_dir().map(|dir| dir.join(KEY_FILE));
                file.filter(|file| file.exists())
            }
            (None, None, _) => None,
        };
        let output = &context.output;
        let progress = Mutex::new(Progress::new(output.shows_progress()));
        let is_interrupted = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_interrupted);
        let copy = Store::copy(&from, &to, options, move |step| {
            if let Ok(mut progress) = progress.lock() {
                let what = match step.is_comparing {
                    false => "rows copied",
                    true => "rows compared",
                };
                progress.show_step(what, step.table, step.rows);
            }
            match ends.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        let mut copy = std::pin::pin!(copy);
        let copied = tokio::select! {
            copied = &mut copy => copied,
            Ok(()) = tokio::signal::ctrl_c() => {
                is_interrupted.store(true, Ordering::Relaxed);
                copy.await
            }
        };
        let copied = copied.map_err(|error| match is_interrupted.load(Ordering::Relaxed) {
            true => Error::Interrupted("interrupted; nothing was copied".to_owned()),
            false => error.into(),
        })?;
        for note in notes(&copied, &from, &to) {
            output.note(&note);
        }
        let rows = copied.rows();
        let tables = counted(copied.tables.len(), "table");
        output.result(
            &summary(&copied, &from, &to),
            &format!(
                "store {from} copied to {to}: {tables}, {}; all rows compared\n",
                counted(rows, "row")
            ),
        )
    }
}

/// The place that an option names.
fn place(option: &str, text: &str) -> Result<StorePlace, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::usage(format!(
            "{option} names a folder, or a PostgreSQL database such as postgres://user:password@host/database"
        )));
    }
    if text.starts_with("postgres://") || text.starts_with("postgresql://") {
        return Ok(StorePlace::Database(Secret::new(text)));
    }
    // The text is not quoted: it may hold a password.
    if text.contains("://") {
        return Err(Error::usage(format!(
            "{option} must be a folder or the URL of a PostgreSQL database, which begins with postgres://"
        )));
    }
    Ok(StorePlace::Folder(PathBuf::from(text)))
}

/// What is to be done now, and known.
fn notes(copied: &Copied, from: &StorePlace, to: &StorePlace) -> Vec<String> {
    let key = &copied.key;
    let mut notes = Vec::new();
    if copied.replaced_lines > 0 {
        notes.push(format!(
            "{} of the audit trail had the character U+0000, which PostgreSQL cannot keep; U+FFFD is in its place",
            counted(copied.replaced_lines, "line")
        ));
    }
    if copied.running_imports > 0 {
        let imports = counted(copied.running_imports, "import");
        let whose = match from {
            StorePlace::Folder(dir) => dir.join("imports").display().to_string(),
            _ => "imports in the folder of the service that was sent them (--dir)".to_owned(),
        };
        let own = match to {
            StorePlace::Folder(dir) => dir.join("imports").display().to_string(),
            _ => "the folder imports in that of a service (--dir)".to_owned(),
        };
        notes.push(format!(
            "{imports} had not ended: the files are in {whose}; to go on with them, copy these into {own}"
        ));
    }
    let fingerprint = match &key.fingerprint {
        Some(fingerprint) => format!("the key {fingerprint}"),
        None => "the key of the store that was copied, which was not known here and not checked"
            .to_owned(),
    };
    let found = match &key.file {
        Some(file) => format!(", which is in {}", file.display()),
        None => String::new(),
    };
    let use_it = match to {
        _ if key.is_copied => {
            "it was put there, and anyone who has it can read all secrets of the store".to_owned()
        }
        StorePlace::Folder(dir) => format!(
            "put its file there as {}, readable for its owner alone, or name it with --key-file",
            dir.join(KEY_FILE).display()
        ),
        _ => "give each service its file with --key-file, or as store.key in its folder (--dir)"
            .to_owned(),
    };
    notes.push(format!("the copy needs {fingerprint}{found}: {use_it}"));
    notes.push(
        "what is written to the store from now on is not in the copy; do not let services serve both, which would send mails that \
         wait twice"
            .to_owned(),
    );
    notes
}

/// The same for programs.
fn summary(copied: &Copied, from: &StorePlace, to: &StorePlace) -> impl Serialize {
    let tables = copied.tables.iter();
    let tables: BTreeMap<String, u64> = tables
        .map(|table| (table.name.clone(), table.rows))
        .collect();
    let key = &copied.key;
    let key = row! {
        fingerprint: key.fingerprint.clone(),
        file: key.file.as_ref().map(|file| file.display().to_string()),
        copied: key.is_copied
    };
    row! {
        copied: to.to_string(),
        from: from.to_string(),
        version: copied.version,
        rows: copied.rows(),
        tables: tables,
        key: key,
        replaced_lines: copied.replaced_lines,
        running_imports: copied.running_imports
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_folder_or_a_database_and_no_password_is_quoted() {
        assert!(matches!(
            place("--to", "/srv/svc"),
            Ok(StorePlace::Folder(_))
        ));
        let database = place("--to", "postgresql://a:hunter2@b/c").unwrap();
        assert_eq!(database.to_string(), "postgresql://a@b/c");
        for wrong in ["", " ", "mysql://a:hunter2@b/c", "sqlite:///srv/store.db"] {
            let error = place("--to", wrong).unwrap_err().to_string();
            assert!(
                error.contains("--to") && !error.contains("hunter2"),
                "{error}"
            );
        }
    }
}
