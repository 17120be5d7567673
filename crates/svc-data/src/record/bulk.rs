//! A bulk create as an engine gets it, and what its caller learns before the commit.

use std::sync::Arc;

use svc_model::wire::BoxFuture;

use super::{Note, RecordBody, taken_back};
use crate::{RecordJson, Result, record::Projection};

/// Called right before a bulk create that created something is committed. When its future fails, nothing is
/// kept and the bulk create fails with that error. It may be called several times for one bulk create; the last
/// call counts.
pub type BeforeCommit = Arc<dyn Fn(&Prepared<'_>) -> BoxFuture<'static, Result<()>> + Send + Sync>;

/// What a bulk create is about to commit.
#[derive(Debug)]
#[non_exhaustive]
pub struct Prepared<'a> {
    /// What became of each record, in their order.
    pub results: &'a [Result<RecordJson>],
    /// The name of the transaction, where the engine can say later how it ended.
    pub transaction: Option<&'a str>,
}

/// What became of each record, in their order.
pub(crate) type BulkResults = Vec<Result<RecordJson>>;

/// Records to be created in one transaction, ready for an engine.
pub(crate) struct BulkPlan {
    /// Each record, or why it is refused.
    pub(crate) records: Arc<[Result<RecordBody>]>,
    pub(crate) atomic: bool,
    pub(crate) shown: Projection,
    /// Whether the primary key is all that has to be known of most records that are created.
    pub(crate) keys_suffice: bool,
    pub(crate) before_commit: Option<BeforeCommit>,
    /// The note of the only record.
    pub(crate) note: Note,
}

impl BulkPlan {
    /// Lets the caller know what is about to be committed, where the caller wants to know.
    pub(crate) async fn before_commit(
        &self,
        results: &[Result<RecordJson>],
        transaction: Option<&str>,
    ) -> Result<()> {
        let Some(before_commit) = &self.before_commit else {
            return Ok(());
        };
        let prepared = Prepared {
            results,
            transaction,
        };
        before_commit(&prepared).await
    }

    /// Whether the key alone of a record behind these is read back: where that is enough, and one of these was read whole.
    pub(crate) fn reads_keys_alone(&self, before: &[Result<RecordJson>]) -> bool {
        self.keys_suffice && before.iter().any(Result::is_ok)
    }

    /// Whether records that are there may be changed.
    pub(crate) fn has_upserts(&self) -> bool {
        let mut records = self.records.iter().flatten();
        records.any(|record| !record.unique.is_empty())
    }

    /// Whether [`before_commit`](Self::before_commit) has to be called for these results.
    pub(crate) fn is_watched(&self, results: &[Result<RecordJson>]) -> bool {
        self.before_commit.is_some() && results.iter().any(Result::is_ok)
    }
}

/// Takes back the records that were created beside others that were refused.
pub(crate) fn take_back(results: &mut [Result<RecordJson>]) {
    for result in results.iter_mut().filter(|result| result.is_ok()) {
        *result = Err(taken_back());
    }
}
