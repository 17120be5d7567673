//! How far an import has come, as it is kept beside the file.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::output::counted;

/// How far an import has come.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct State {
    /// Where the records go, with project and environment.
    pub(super) collection: String,
    /// The name of the import, which the keys of its batches begin with.
    import: Uuid,
    /// How many records the next batch has. One that was sent is sent again with as many.
    pub(super) batch: u32,
    pub(super) atomic: bool,
    /// The unique fields by which records are found that are changed.
    #[serde(default)]
    pub(super) on_conflict: Vec<String>,
    /// Records of the file that were answered.
    pub(super) records: u64,
    pub(super) created: u64,
    #[serde(default)]
    pub(super) updated: u64,
    pub(super) refused: u64,
    /// The size of the file of refused records behind those that were answered.
    pub(super) rejected_bytes: u64,
    /// Whether the end of the file was reached.
    pub(super) complete: bool,
}

/// What an import has done. Records are changed only where that is asked for.
#[derive(Serialize)]
struct Counts {
    records: u64,
    created: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated: Option<u64>,
    refused: u64,
}

impl State {
    /// That of a new import.
    pub(super) fn new(collection: String, batch: u32, atomic: bool) -> Self {
        Self {
            collection,
            import: Uuid::new_v4(),
            batch,
            atomic,
            on_conflict: Vec::new(),
            records: 0,
            created: 0,
            updated: 0,
            refused: 0,
            rejected_bytes: 0,
            complete: false,
        }
    }

    /// The key by which the service knows the next batch again.
    pub(super) fn batch_key(&self) -> String {
        format!("{}-{}", self.import, self.records + 1)
    }

    /// What the import has done, as programs read it.
    pub(super) fn counts(&self) -> impl Serialize {
        Counts {
            records: self.records,
            created: self.created,
            updated: (!self.on_conflict.is_empty()).then_some(self.updated),
            refused: self.refused,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_has_the_same_key_until_it_is_answered() {
        let mut state = State::new("demo/prod/shop/orders".to_owned(), 500, false);
        let first = state.batch_key();
        assert_eq!(state.batch_key(), first);
        let kept = serde_json::to_string(&state).unwrap();
        let read: State = serde_json::from_str(&kept).unwrap();
        assert_eq!(read.batch_key(), first);
        state.records += 500;
        assert_ne!(state.batch_key(), first);
        assert_ne!(
            State::new("demo/prod/shop/orders".to_owned(), 500, false).batch_key(),
            first
        );
    }
}
