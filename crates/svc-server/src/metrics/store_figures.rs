//! What of the store is counted when it is asked for: a statement for each figure, and not for each question.

use std::time::{Duration, Instant};

use svc_store::Store;
use tokio::sync::Mutex;

/// How long figures are used again.
const KEPT: Duration = Duration::from_secs(5);
/// How long the store may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// What was last counted.
#[derive(Debug, Default)]
pub(crate) struct StoreFigures(Mutex<Option<Counted>>);

#[derive(Debug)]
struct Counted {
    at: Instant,
    /// None while the store does not answer.
    figures: Option<Figures>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) sessions: u64,
    pub(crate) mails: u64,
}

impl StoreFigures {
    /// What there is in the store; `None` while it does not answer.
    pub(crate) async fn get(&self, store: &Store) -> Option<Figures> {
        let mut last = self.0.lock().await;
        if let Some(counted) = &*last
            && counted.at.elapsed() < KEPT
        {
            return counted.figures;
        }
        let counted = tokio::time::timeout(PATIENCE, count(store)).await;
        let figures = counted.ok().and_then(Result::ok);
        *last = Some(Counted {
            at: Instant::now(),
            figures,
        });
        figures
    }
}

async fn count(store: &Store) -> Result<Figures, svc_store::Error> {
    Ok(Figures {
        sessions: store.sessions().count().await?,
        mails: store.mails().count().await?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_store_that_does_not_answer_is_asked_once_and_nothing_fails() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let (before, after) = (StoreFigures::default(), StoreFigures::default());
        let figures = before.get(&store).await.unwrap();
        assert_eq!((figures.sessions, figures.mails), (0, 0));
        let file = rusqlite::Connection::open(folder.path().join("store.db")).unwrap();
        file.execute_batch("ALTER TABLE mails RENAME TO gone")
            .unwrap();
        assert!(
            before.get(&store).await.is_some(),
            "it was counted just now"
        );
        assert!(after.get(&store).await.is_none());
        file.execute_batch("ALTER TABLE gone RENAME TO mails")
            .unwrap();
        assert!(after.get(&store).await.is_none(), "it was asked just now");
    }
}
