//! Imports: files whose rows become records of a connected database, in the background.
//!
//! The store keeps the file, what is known of the import, and the rows that were refused. One process at a time works on an
//! import: it claims it for a while, and again with each step.

mod claim;
mod file;
mod forget;
mod lost;
mod starter;

use jiff::Timestamp;
use svc_data::Row;
use svc_model::{ResourceName, Scope};
use uuid::Uuid;

pub use self::lost::RunningImport;
pub use self::starter::StarterRights;
use crate::audit::{Actor, ActorKind};
use crate::database::row;
use crate::database::{columns, handle, stored_by_name, values};
use crate::error::{Error, Result};

/// How many imports that wait are looked at.
const LOOKED_AT: i64 = 1_000;
const COLUMNS: &str = "uid, project, environment, resource, model, actor_kind, actor_uid, actor_label, \
     request_hash, settings, state, dry_run, bytes, bytes_read, rows_read, made, updated, refused, message, date_add, date_end";

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImportState {
    /// Its rows are being read, or wait for their turn.
    Running,
    /// All rows were read.
    Done,
    /// Something prevents it from going on; [`Import::message`] says what.
    Failed,
    /// Its starter has ended it.
    Cancelled,
}

stored_by_name!(ImportState, "the store holds an unknown state of an import", {
    Running: "running",
    Done: "done",
    Failed: "failed",
    Cancelled: "cancelled",
});

/// What an import is made of.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NewImport {
    /// Identifier; its file has this name.
    pub uid: Uuid,
    /// The environment of the connected database.
    pub scope: Scope,
    /// The connected database.
    pub resource: ResourceName,
    /// The model whose records are made.
    pub model: String,
    /// Who begins it.
    pub actor: Actor,
    /// The key by which a repetition is known.
    pub idempotency_key: Option<String>,
    /// The hash of what was sent.
    pub request_hash: String,
    /// How the file is read, as a JSON object.
    pub settings: String,
    /// Whether nothing is to be kept.
    pub dry_run: bool,
    /// The size of the file, in bytes.
    pub bytes: u64,
}

impl NewImport {
    /// An import into a model, of a file without content.
    pub fn new(
        scope: Scope,
        resource: ResourceName,
        model: impl Into<String>,
        actor: Actor,
    ) -> Self {
        Self {
            uid: Uuid::now_v7(),
            scope,
            resource,
            model: model.into(),
            actor,
            idempotency_key: None,
            request_hash: String::new(),
            settings: "{}".to_owned(),
            dry_run: false,
            bytes: 0,
        }
    }
}

/// An import.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Import {
    /// Identifier.
    pub uid: Uuid,
    /// The environment of the connected database.
    pub scope: Scope,
    /// The connected database.
    pub resource: ResourceName,
    /// The model whose records are made.
    pub model: String,
    /// Who began it.
    pub actor: Actor,
    /// The hash of what was sent.
    pub request_hash: String,
    /// How the file is read, as a JSON object.
    pub settings: String,
    /// How far it is.
    pub state: ImportState,
    /// Whether nothing is kept.
    pub dry_run: bool,
    /// The size of the file, and how much of it was read, in bytes.
    pub bytes: i64,
    /// How many bytes of the file were read.
    pub bytes_read: i64,
    /// How many rows were read: the sum of the three numbers that follow.
    pub rows_read: i64,
    /// How many records were made.
    pub made: i64,
    /// How many records were there and were changed.
    pub updated: i64,
    /// How many rows were refused.
    pub refused: i64,
    /// Why it failed.
    pub message: Option<String>,
    /// When it was begun.
    pub date_add: Timestamp,
    /// When it ended.
    pub date_end: Option<Timestamp>,
}

/// A row that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedRow {
    /// Its number in the file, from 1 on.
    pub number: i64,
    /// The row, as JSON.
    pub row: String,
    /// Why, as JSON.
    pub errors: String,
}

impl RefusedRow {
    /// A row, and why it was refused, both as JSON.
    pub fn new(number: u64, row: String, errors: String) -> Self {
        Self {
            number: number.cast_signed(),
            row,
            errors,
        }
    }
}

/// What a step of an import did.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ImportStep {
    /// How many rows the import had read before the step. A step is counted once.
    pub after: u64,
    /// How many bytes of the file were read by now.
    pub bytes_read: u64,
    /// How many records were made.
    pub made: u64,
    /// How many records were there and were changed.
    pub updated: u64,
    /// The rows that were refused.
    pub refused: Vec<RefusedRow>,
}

handle! {
    /// The imports: [`Store::imports`](crate::Store::imports).
    Imports,
    /// The imports of files into connected databases.
    imports
}

impl Imports<'_> {
    /// Begins an import whose file is there. Where one with the same key was begun by the same caller, returns that one,
    /// and `false`.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn begin(&self, new: NewImport) -> Result<(Import, bool)> {
        let by_key = select(
            "WHERE project = ?1 AND environment = ?2 AND resource = ?3 AND model = ?4 AND actor_uid = ?5 \
             AND idempotency_key = ?6",
        );
        self.store
            .write(move |tx| {
                let actor = &new.actor;
                let key = values![
                    new.scope.project,
                    new.scope.environment,
                    new.resource,
                    new.model,
                    actor_uid(actor),
                    new.idempotency_key
                ];
                if let Some(import) = tx.find(&by_key, &key, from_row)? {
                    return Ok((import, false));
                }
                let row = row! {
                    uid: new.uid, project: new.scope.project, environment: new.scope.environment, resource: new.resource,
                    model: new.model, actor_kind: actor.kind.as_str(), actor_uid: actor_uid(actor),
                    actor_label: actor.label.as_deref().unwrap_or_default(), idempotency_key: new.idempotency_key,
                    request_hash: new.request_hash, settings: new.settings, state: ImportState::Running.as_str(),
                    dry_run: new.dry_run, bytes: new.bytes.cast_signed(), date_add: tx.now()
                };
                tx.housekeeping().insert("imports", &row)?;
                let sql = select("WHERE uid = ?1");
                let import = tx.find(&sql, &values![new.uid], from_row)?;
                let missing = || Error::internal("an import that was begun is not there");
                Ok((import.ok_or_else(missing)?, true))
            })
            .await
    }

    /// The import of an identifier.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn find(&self, uid: Uuid) -> Result<Option<Import>> {
        let sql = select("WHERE uid = ?1");
        self.store
            .read(move |reader| reader.find(&sql, &values![uid], from_row))
            .await
    }

    /// The refused rows of an import behind a number, at most so many.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn refused(&self, uid: Uuid, after: i64, most: u32) -> Result<Vec<RefusedRow>> {
        let sql = "SELECT row_number, row_text, errors FROM import_refusals WHERE import_uid = ?1 AND row_number > ?2 \
             ORDER BY row_number LIMIT ?3";
        self.store
            .read(move |reader| {
                reader.list(sql, &values![uid, after, i64::from(most)], |row| {
                    Ok(RefusedRow {
                        number: row.get("row_number")?,
                        row: row.get("row_text")?,
                        errors: row.get("errors")?,
                    })
                })
            })
            .await
    }

    /// Notes a step of an import, once.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn advance(&self, uid: Uuid, step: ImportStep) -> Result<()> {
        self.store
            .write(move |tx| {
                let refused = step.refused.len() as u64;
                let sql = "UPDATE imports SET rows_read = rows_read + ?1, made = made + ?2, updated = updated + ?3, \
                     refused = refused + ?4, bytes_read = ?5 WHERE uid = ?6 AND rows_read = ?7";
                let number = u64::cast_signed;
                let values = values![
                    number(step.made + step.updated + refused),
                    number(step.made),
                    number(step.updated),
                    number(refused),
                    number(step.bytes_read),
                    uid,
                    number(step.after)
                ];
                if tx.housekeeping().execute(sql, &values)? == 0 {
                    return Ok(());
                }
                let sql = "INSERT INTO import_refusals (import_uid, row_number, row_text, errors) VALUES (?1, ?2, ?3, ?4)";
                let rows = step.refused.iter();
                let mut rows = rows.map(|row| values![uid, row.number, row.row, row.errors].into());
                tx.execute_many(sql, &mut rows).map(drop)
            })
            .await
    }

    /// Cancels a running import. `false` where it had ended before. Who works on it keeps the claim until the batch that is
    /// being written has ended.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn cancel(&self, uid: Uuid) -> Result<bool> {
        self.store
            .write(move |tx| {
                let sql =
                    "UPDATE imports SET state = ?1, date_end = ?2 WHERE uid = ?3 AND state = ?4";
                let states =
                    [ImportState::Cancelled, ImportState::Running].map(ImportState::as_str);
                let values = values![states[0], tx.now(), uid, states[1]];
                Ok(tx.housekeeping().execute(sql, &values)? > 0)
            })
            .await
    }

    /// Ends an import that is claimed: all of its rows were read, or it has failed with this message. `false` where another
    /// process has it, or it does not run any more.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn end(&self, uid: Uuid, runner: Uuid, failed: Option<String>) -> Result<bool> {
        self.store
            .write(move |tx| {
                let read = match failed {
                    Some(_) => "",
                    None => ", bytes_read = bytes",
                };
                let sql = format!(
                    "UPDATE imports SET state = ?1, message = ?2, date_end = ?3, runner = NULL, runner_until = NULL{read} \
                     WHERE uid = ?4 AND state = ?5 AND runner = ?6"
                );
                let state = match failed {
                    Some(_) => ImportState::Failed,
                    None => ImportState::Done,
                };
                let running = ImportState::Running.as_str();
                let values = values![state.as_str(), failed, tx.now(), uid, running, runner];
                Ok(tx.housekeeping().execute(&sql, &values)? > 0)
            })
            .await
    }

    /// Lets an import run again that failed or was cancelled. `false` where it is neither.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn resume(&self, uid: Uuid) -> Result<bool> {
        self.store
            .write(move |tx| {
                let sql = "UPDATE imports SET state = ?1, message = NULL, date_end = NULL WHERE uid = ?2 AND state IN (?3, ?4)";
                let values = values![
                    ImportState::Running.as_str(),
                    uid,
                    ImportState::Failed.as_str(),
                    ImportState::Cancelled.as_str()
                ];
                Ok(tx.housekeeping().execute(sql, &values)? > 0)
            })
            .await
    }
}

fn select(rest: &str) -> String {
    format!("SELECT {COLUMNS} FROM imports {rest}")
}

fn actor_uid(actor: &Actor) -> String {
    actor.uid.map(|uid| uid.to_string()).unwrap_or_default()
}

fn from_row(row: &Row) -> Result<Import> {
    let kind: ActorKind = row::get(row, "actor_kind")?;
    let (actor, label): (Uuid, String) = (row::get(row, "actor_uid")?, row.get("actor_label")?);
    columns!(row => Import {
        uid, scope: row::scope(row)?, resource, model, actor: Actor::new(kind, actor, label), request_hash,
        settings, state, dry_run, bytes, bytes_read, rows_read, made, updated, refused, message, date_add, date_end
    })
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;
    use crate::{NewProject, Store};

    fn new(key: Option<&str>) -> NewImport {
        let actor = Actor::new(ActorKind::User, Uuid::nil(), "ada@example.com");
        let mut new = NewImport::new(Scope::new("p", "prod"), "r".into(), "m", actor);
        new.idempotency_key = key.map(str::to_owned);
        new
    }

    #[tokio::test]
    async fn an_import_is_begun_once_for_a_key_and_each_step_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let imports = store.imports();
        let (first, is_new) = imports.begin(new(Some("k"))).await.unwrap();
        assert!(is_new);
        let (again, is_new) = imports.begin(new(Some("k"))).await.unwrap();
        assert_eq!((again.uid, is_new), (first.uid, false));
        assert!(imports.begin(new(None)).await.unwrap().1);
        assert!(imports.begin(new(None)).await.unwrap().1);

        let mut step = ImportStep::default();
        (step.made, step.updated, step.bytes_read) = (2, 1, 40);
        step.refused = vec![RefusedRow::new(3, "{}".to_owned(), "{}".to_owned())];
        imports.advance(first.uid, step.clone()).await.unwrap();
        imports.advance(first.uid, step).await.unwrap();
        let found = imports.find(first.uid).await.unwrap().unwrap();
        assert_eq!(
            (found.rows_read, found.made, found.updated, found.refused),
            (4, 2, 1, 1)
        );
        let refused = imports.refused(first.uid, 0, 10).await.unwrap();
        assert_eq!(refused.len(), 1);
        assert!(imports.refused(first.uid, 3, 10).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn one_runner_at_a_time_has_an_import_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let imports = store.imports();
        let (import, _) = imports.begin(new(None)).await.unwrap();
        let (mine, other) = (Uuid::now_v7(), Uuid::now_v7());
        let hour = SignedDuration::from_hours(1);
        assert_eq!(imports.claim(mine, hour, 9).await.unwrap(), [import.uid]);
        assert!(imports.claim(other, hour, 9).await.unwrap().is_empty());
        assert!(imports.keep(import.uid, mine, hour).await.unwrap());
        assert!(!imports.keep(import.uid, other, hour).await.unwrap());
        let none = SignedDuration::ZERO;
        imports.release(import.uid, other, none).await.unwrap();
        assert!(imports.claim(other, hour, 9).await.unwrap().is_empty());
        // One that was given back for a while waits.
        let (waiting, _) = imports.begin(new(None)).await.unwrap();
        assert_eq!(imports.claim(mine, hour, 9).await.unwrap(), [waiting.uid]);
        imports.release(waiting.uid, mine, hour).await.unwrap();
        assert!(imports.claim(mine, hour, 9).await.unwrap().is_empty());
        imports.release(import.uid, mine, -hour).await.unwrap();
        assert!(imports.claim(mine, hour, 0).await.unwrap().is_empty());
        assert_eq!(imports.claim(mine, hour, 9).await.unwrap(), [import.uid]);
        // A claim that is over is another's.
        imports.keep(import.uid, mine, -hour).await.unwrap();
        assert_eq!(imports.claim(other, hour, 9).await.unwrap(), [import.uid]);
        assert!(!imports.resume(import.uid).await.unwrap());
        assert!(
            !imports.end(import.uid, mine, None).await.unwrap(),
            "another has it"
        );
        assert!(imports.cancel(import.uid).await.unwrap());
        assert!(!imports.cancel(import.uid).await.unwrap());
        assert!(!imports.keep(import.uid, other, hour).await.unwrap());
        assert!(
            imports.is_worked_on(import.uid).await.unwrap(),
            "its last batch may still be written"
        );
        assert!(imports.resume(import.uid).await.unwrap());
        assert!(imports.claim(mine, hour, 9).await.unwrap().is_empty());
        assert!(imports.cancel(import.uid).await.unwrap());
        imports.release(import.uid, other, -hour).await.unwrap();
        assert!(!imports.is_worked_on(import.uid).await.unwrap());
        let ended = imports.find(import.uid).await.unwrap().unwrap();
        assert!(ended.date_end.is_some());
        assert!(imports.resume(import.uid).await.unwrap());
        assert_eq!(imports.claim(mine, hour, 9).await.unwrap(), [import.uid]);
        assert!(imports.end(import.uid, mine, None).await.unwrap());
        assert!(!imports.resume(import.uid).await.unwrap());
        assert!(imports.forget_old().await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn an_import_has_the_rights_that_its_starter_has_now() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        store.projects().create(NewProject::new("p")).await.unwrap();
        let scope = Scope::new("p", "prod");
        let url = crate::Secret::new("sqlite:/x.db");
        let resource = crate::NewResource::new("r", url);
        store.resources().replace(&scope, resource).await.unwrap();
        let new = crate::NewStaticToken::new(scope.clone(), "r");
        let token = store.tokens().create(new).await.unwrap().credential;
        let actor = Actor::new(ActorKind::StaticToken, token.uid, &token.prefix);
        let rights = async |actor: &Actor, resource: &str| {
            let imports = store.imports();
            imports
                .rights_of(actor, &scope, &resource.into())
                .await
                .unwrap()
        };
        assert_eq!(rights(&actor, "r").await, Some(StarterRights::All));
        assert_eq!(rights(&actor, "other").await, None);
        store.tokens().revoke(&token.prefix).await.unwrap();
        assert_eq!(rights(&actor, "r").await, None);
        let nobody = Actor::new(ActorKind::User, Uuid::now_v7(), "");
        assert_eq!(rights(&nobody, "r").await, None);
    }
}
