//! One batch of an import, written once.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use svc_data::{BulkOptions, ErrorKind, Prepared};
use svc_model::Invalid;
use svc_store::{Import, ImportStep, RefusedRow, Store};

use super::{batches::Batch, claim::Claim, file::wrong, row::RawRow, settings::Settings};
use crate::{
    api::records::bulk_create::{Outcome, create_once, refused},
    auth::access::{Access, Records, Write},
    http::{ApiError, ApiResult, error::refusal::Refusal},
    state::Shared,
};

/// How much is kept of a refused row, in bytes.
const LONGEST_SHOWN: usize = 16 << 10;

/// What became of a row that describes a record: whether one was there and was changed, or why it was refused, as JSON.
type Written = Result<bool, String>;

impl Batch {
    /// Writes the batch, or tries it where nothing is to be kept. Called again, it writes nothing a second time.
    pub(super) async fn write(
        &self,
        state: &Shared,
        import: &Import,
        claim: &Claim,
        settings: &Settings,
    ) -> ApiResult<ImportStep> {
        let records = Access::<Write>::of_starter(state, import)
            .await?
            .records()
            .await?;
        let mut options = settings.options();
        options.read.clone_from(&self.read);
        let written = match (self.bodies.is_empty(), import.dry_run) {
            (true, _) => Vec::new(),
            (false, true) => self.tried(&records, options).await?,
            (false, false) => {
                let uid = import.uid.to_string();
                let store = state.store_acting(import.actor.clone(), Some(&uid));
                options.before_commit = Some(claim.before_commit());
                self.written(state, records, options, store, &uid).await?
            }
        };
        self.step(written)
    }

    async fn written(
        &self,
        state: &Shared,
        records: Records<Write>,
        options: BulkOptions,
        store: Store,
        uid: &str,
    ) -> ApiResult<Vec<Written>> {
        let key = batch_key(uid, self.after);
        let (bodies, hash) = (Arc::clone(&self.bodies), self.hash.clone());
        let create = create_once(state, records, bodies, hash, options, store, key);
        let outcomes = Box::pin(create).await.map_err(|error| match error {
            ApiError::Undecided(_) => wrong(self.undecided()),
            error => error,
        })?;
        outcomes.into_iter().map(written_by).collect()
    }

    /// It is not known whether the batch was written.
    fn undecided(&self) -> String {
        let number = |row: Option<&(u64, RawRow, Option<Invalid>)>| row.map_or(0, |row| row.0);
        let (first, last) = (number(self.rows.first()), self.last());
        format!(
            "the service ended while rows {first} to {last} were written, and it cannot be found out whether they were, since \
             the table has no primary key or the records were changed since: look for them, and import the rest with \
             _skip={last}"
        )
    }

    /// Creates the records in a transaction that is not committed.
    async fn tried(
        &self,
        records: &Records<Write>,
        mut options: BulkOptions,
    ) -> ApiResult<Vec<Written>> {
        let seen: Arc<Mutex<Option<Vec<ApiResult<Written>>>>> = Arc::default();
        let results = Arc::clone(&seen);
        options.before_commit = Some(Arc::new(move |prepared: &Prepared<'_>| {
            let prepared = prepared.results.iter();
            let prepared = prepared.map(|result| match result {
                Ok(record) => Ok(Ok(record.before.is_some())),
                Err(error) => refused(error.clone()).map(|why| Err(errors_of(&why))),
            });
            *results.lock() = Some(prepared.collect());
            let ends = svc_data::Error::new(
                ErrorKind::PreconditionFailed,
                "nothing of a dry run is kept".to_owned(),
            );
            Box::pin(async move { Err(ends) })
        }));
        let created = records.bulk_create(&self.bodies, options).await;
        if let Some(seen) = seen.lock().take() {
            return seen.into_iter().collect();
        }
        // Nothing would have been created, so that nothing was about to be committed.
        let results = created?.into_iter();
        results
            .map(|result| match result {
                Ok(record) => Ok(Ok(record.before.is_some())),
                Err(error) => Ok(Err(errors_of(&refused(error)?))),
            })
            .collect()
    }

    /// What the batch has done.
    fn step(&self, written: Vec<Written>) -> ApiResult<ImportStep> {
        let mut written = written.into_iter();
        let mut step = ImportStep::default();
        step.after = self.after;
        step.bytes_read = self.bytes;
        for (number, raw, why) in &self.rows {
            let errors = match why {
                Some(why) => serde_json::to_string(&Refusal::from(why.clone()))
                    .map_err(|error| ApiError::Internal(error.to_string()))?,
                None => match written.next() {
                    Some(Ok(true)) => {
                        step.updated += 1;
                        continue;
                    }
                    Some(Ok(false)) => {
                        step.made += 1;
                        continue;
                    }
                    Some(Err(errors)) => errors,
                    None => {
                        return Err(ApiError::Internal(
                            "a bulk create had fewer results than records".to_owned(),
                        ));
                    }
                },
            };
            let row = shortened(raw.to_json(&self.columns));
            step.refused.push(RefusedRow::new(*number, row, errors));
        }
        Ok(step)
    }
}

/// What the batch behind so many rows is known by. No header can hold a line end, so that no caller has this key.
pub(super) fn batch_key(uid: &str, after: u64) -> String {
    format!("import\n{uid}\n{}", after + 1)
}

/// A row as JSON; of a long one the beginning, as a text.
fn shortened(row: String) -> String {
    if row.len() <= LONGEST_SHOWN {
        return row;
    }
    let end = row.floor_char_boundary(LONGEST_SHOWN);
    let beginning = row.get(..end).unwrap_or_default();
    Value::from(beginning).to_string()
}

fn written_by(outcome: Outcome) -> ApiResult<Written> {
    Ok(match outcome {
        Ok(done) => Ok(done.is_updated),
        Err(why) => Err(errors_of(&why)),
    })
}

/// The messages of what a bulk create answers about a refused record.
fn errors_of(answer: &RawValue) -> String {
    #[derive(Deserialize)]
    struct Answer<'a> {
        #[serde(borrow)]
        errors: &'a RawValue,
    }
    let answer: Result<Answer<'_>, _> = serde_json::from_str(answer.get());
    answer.map_or_else(|_| "{}".to_owned(), |answer| answer.errors.get().to_owned())
}
