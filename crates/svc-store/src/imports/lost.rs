//! Imports whose file is on a node that may not come back. A node that has a file shows it by the claim of the import, which it
//! renews; where that stays the same, the others give the import up.

use uuid::Uuid;

use super::{ImportState, Imports, LOOKED_AT};
use crate::database::{row, values};
use crate::error::Result;

/// An import that runs, or waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunningImport {
    /// Identifier.
    pub uid: Uuid,
    /// Until when it is claimed. It changes as long as a node that has the file lives.
    pub claimed_until: String,
    /// Whether its file is on this machine.
    pub is_here: bool,
}

impl RunningImport {
    /// An import with its claim.
    pub fn new(uid: Uuid, claimed_until: impl Into<String>, is_here: bool) -> Self {
        Self {
            uid,
            claimed_until: claimed_until.into(),
            is_here,
        }
    }
}

impl Imports<'_> {
    /// The imports that run, those first that were begun first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn running(&self) -> Result<Vec<RunningImport>> {
        let sql = "SELECT uid, COALESCE(runner_until, '') AS claimed_until FROM imports WHERE state = ?1 \
             ORDER BY date_add, uid LIMIT ?2";
        let running = self.store.read(move |reader| {
            let values = values![ImportState::Running.as_str(), LOOKED_AT];
            reader.list(sql, &values, |row| {
                let claimed_until: String = row.get("claimed_until")?;
                Ok((row::get(row, "uid")?, claimed_until))
            })
        });
        let running = running.await?.into_iter();
        let running = running
            .map(|(uid, claimed_until)| RunningImport::new(uid, claimed_until, self.has_file(uid)));
        Ok(running.collect())
    }

    /// Shows that a node has the file of an import that waits for its turn.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn show_file(&self, uid: Uuid) -> Result<()> {
        self.store
            .write(move |tx| {
                let now = tx.now();
                let sql = "UPDATE imports SET runner_until = ?1 WHERE uid = ?2 AND state = ?3 \
                     AND (runner_until IS NULL OR runner_until < ?1)";
                let values = values![now, uid, ImportState::Running.as_str()];
                tx.housekeeping().execute(sql, &values).map(drop)
            })
            .await
    }

    /// Ends an import as failed whose node was not seen for long. `false` where the node has shown itself since, or the import
    /// does not run any more.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn give_up(&self, lost: &RunningImport, message: String) -> Result<bool> {
        let (uid, seen) = (lost.uid, lost.claimed_until.clone());
        self.store
            .write(move |tx| {
                let sql = "UPDATE imports SET state = ?1, message = ?2, date_end = ?3, runner = NULL, runner_until = NULL \
                     WHERE uid = ?4 AND state = ?5 AND COALESCE(runner_until, '') = ?6";
                let [failed, running] =
                    [ImportState::Failed, ImportState::Running].map(ImportState::as_str);
                let values = values![failed, message, tx.now(), uid, running, seen];
                Ok(tx.housekeeping().execute(sql, &values)? > 0)
            })
            .await
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use svc_model::Scope;

    use super::*;
    use crate::audit::{Actor, ActorKind};
    use crate::{NewImport, Store};

    #[tokio::test]
    async fn an_import_is_given_up_unless_its_node_has_shown_itself_since() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let imports = store.imports();
        let actor = Actor::new(ActorKind::User, Uuid::nil(), "ada@example.com");
        let new = NewImport::new(Scope::new("p", "prod"), "r".into(), "m", actor);
        let uid = imports.begin(new).await.unwrap().0.uid;
        let looked = async || imports.running().await.unwrap().remove(0);
        let given_up = async |seen| {
            let given_up = imports.give_up(seen, "lost".to_owned()).await;
            given_up.unwrap()
        };

        let waiting = looked().await;
        imports.show_file(uid).await.unwrap();
        assert!(!given_up(&waiting).await);
        let shown = looked().await;
        let (claim, hour) = (Uuid::now_v7(), SignedDuration::from_hours(1));
        assert_eq!(imports.claim(claim, hour, 9).await.unwrap(), [uid]);
        assert!(!given_up(&shown).await);
        // A claim is not shortened.
        let claimed = looked().await;
        imports.show_file(uid).await.unwrap();
        assert_eq!(looked().await, claimed);

        assert!(given_up(&claimed).await);
        assert!(!given_up(&claimed).await);
        assert!(!imports.keep(uid, claim, hour).await.unwrap());
        assert!(!imports.end(uid, claim, None).await.unwrap());
        let failed = imports.find(uid).await.unwrap().unwrap();
        assert_eq!(failed.state, ImportState::Failed);
        assert_eq!(failed.message.as_deref(), Some("lost"));
        assert!(imports.running().await.unwrap().is_empty());
        assert!(imports.resume(uid).await.unwrap());
        assert_eq!(imports.claim(claim, hour, 9).await.unwrap(), [uid]);
    }
}
