//! How far an import has come, as it is kept beside the file.

use std::{fs::Metadata, time::UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use svc_model::imports;
use uuid::Uuid;

use crate::output::counted;

/// How far an import has come.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct State {
    /// Where the records go, with project and environment.
    pub(super) collection: String,
    /// How the file is read, to detect that it is to be read otherwise now.
    pub(super) settings: String,
    /// The key by which the service knows the file when it is sent again.
    pub(super) key: Uuid,
    /// The import as the service knows it; none until the file has arrived.
    pub(super) import: Option<String>,
    /// The file that was sent.
    pub(super) file: Fingerprint,
    /// What imports of earlier states of the file have done: its first rows were theirs.
    pub(super) before: Counts,
    /// What was done in all.
    #[serde(flatten)]
    pub(super) counts: Counts,
    /// The size of the file of refused records behind those of earlier imports.
    pub(super) rejected_bytes: u64,
    /// Whether the end of the file was reached.
    pub(super) complete: bool,
}

/// By what a file is known again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fingerprint {
    pub(super) bytes: u64,
    /// When it was changed, in nanoseconds since 1970.
    modified: u128,
}

impl From<&Metadata> for Fingerprint {
    fn from(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            bytes: metadata.len(),
            modified: modified.map_or(0, |time| time.as_nanos()),
        }
    }
}

/// What was done with the rows of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) records: u64,
    pub(super) created: u64,
    pub(super) updated: u64,
    pub(super) refused: u64,
}

/// What is reported. Records are changed only where that is asked for.
#[derive(Serialize)]
struct Report {
    records: u64,
    created: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated: Option<u64>,
    refused: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
}

impl Counts {
    /// What was done, as programs read it.
    pub(super) fn report(&self, may_update: bool, dry_run: bool) -> impl Serialize {
        Report {
            records: self.records,
            created: self.created,
            updated: may_update.then_some(self.updated),
            refused: self.refused,
            dry_run,
        }
    }

    pub(super) fn so_far(&self) -> String {
        let done = self.created + self.updated;
        let were = if done == 1 { "was" } else { "were" };
        let what = match self.updated {
            0 => "made",
            _ => "made or changed",
        };
        format!("{} {were} {what} so far", counted(done, "record"))
    }
}

impl State {
    /// That of a new import.
    pub(super) fn new(collection: String, settings: String, file: Fingerprint) -> Self {
        Self {
            collection,
            settings,
            key: Uuid::new_v4(),
            import: None,
            file,
            before: Counts::default(),
            counts: Counts::default(),
            rejected_bytes: 0,
            complete: false,
        }
    }

    /// Takes over how far the import is.
    pub(super) fn follow(&mut self, import: &imports::Import) {
        self.import = Some(import.uid.clone());
        self.counts = Counts {
            records: self.before.records + import.read,
            created: self.before.created + import.made,
            updated: self.before.updated + import.updated,
            refused: self.before.refused + import.refused,
        };
    }

    /// Goes on with another state of the file, behind the rows that were read.
    pub(super) fn renew(&mut self, file: Fingerprint, rejected_bytes: u64) {
        self.key = Uuid::new_v4();
        self.import = None;
        self.file = file;
        self.before = self.counts;
        self.rejected_bytes = rejected_bytes;
    }
}

#[cfg(test)]
mod tests {
    use svc_model::imports::{Import, ImportState};

    use super::*;

    #[test]
    fn a_corrected_file_goes_on_behind_the_rows_that_were_read() {
        let file = Fingerprint::default();
        let mut state = State::new("demo/prod/shop/orders".to_owned(), String::new(), file);
        let first = state.key;
        let mut import = Import::new("a", ImportState::Failed, "");
        (import.read, import.made, import.refused) = (10, 9, 1);
        state.follow(&import);
        let kept = serde_json::to_string(&state).unwrap();
        let mut state: State = serde_json::from_str(&kept).unwrap();
        assert_eq!((state.key, state.counts.records), (first, 10));
        state.renew(file, 70);
        assert_ne!(state.key, first);
        assert_eq!((state.before.records, state.rejected_bytes), (10, 70));
        (import.read, import.made, import.refused) = (5, 5, 0);
        state.follow(&import);
        assert_eq!((state.counts.records, state.counts.created), (15, 14));
        assert_eq!(state.counts.so_far(), "14 records were made so far");
    }
}
