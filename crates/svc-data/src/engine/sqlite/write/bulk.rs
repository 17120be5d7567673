//! Many records created at once. Those that are refused are refused alone.

use std::sync::Arc;

use tokio::runtime::Handle;

use super::NewRecord;
use crate::{
    ErrorKind, Model, RecordJson, Result,
    engine::sqlite::{fault::Fault, pool::control, session::Session},
    record::{BulkPlan, BulkResults, RecordBody, take_back},
};

/// How many records share a savepoint as long as none of them is refused. A savepoint copies each page that is changed
/// after it, so that one for each record costs more than the record.
const TOGETHER: usize = 128;

/// Records to be created.
pub(crate) struct BulkCreate {
    model: Arc<Model>,
    /// Each as a statement, or why it cannot become one.
    records: Vec<Result<NewRecord>>,
    plan: BulkPlan,
    /// Where the caller is asked before the commit.
    runtime: Handle,
}

/// A record as a statement, and as it was sent.
type Pair<'a> = (&'a Result<NewRecord>, &'a Result<RecordBody>);

impl BulkCreate {
    pub(crate) fn new(model: &Arc<Model>, plan: BulkPlan, runtime: Handle) -> Self {
        let records = plan.records.iter().map(|record| match record {
            Ok(record) => NewRecord::new(model, record, plan.shown.clone()),
            Err(error) => Err(error.clone()),
        });
        let records = records.collect();
        Self {
            model: Arc::clone(model),
            records,
            plan,
            runtime,
        }
    }

    /// Creates them in the transaction of the writer.
    pub(crate) fn run(&self, session: Session<'_>) -> Result<BulkResults, Fault> {
        let run = |sql| control(&session, sql);
        session.check_version(&self.model)?;
        run("SAVEPOINT bulk")?;
        let mut results = Vec::with_capacity(self.records.len());
        let pairs: Vec<Pair<'_>> = self.records.iter().zip(&*self.plan.records).collect();
        for pairs in pairs.chunks(TOGETHER) {
            match self.create_together(session, pairs)? {
                Some(created) => results.extend(created),
                None => self.create_each(session, pairs, &mut results)?,
            }
        }
        if self.plan.atomic && results.iter().any(Result::is_err) {
            run("ROLLBACK TO bulk")?;
            take_back(&mut results);
        }
        run("RELEASE bulk")?;
        if self.plan.is_watched(&results) {
            let watched = self.plan.before_commit(&results, None);
            self.runtime.block_on(watched)?;
        }
        Ok(results)
    }

    /// The field of the record behind these of a savepoint that is enough to be known, and is so without reading the record.
    fn key_alone(&self, before: &BulkResults) -> Option<usize> {
        match self.plan.reads_keys_alone(before) {
            true => self.model.key_by_row_id(),
            false => None,
        }
    }

    /// Creates records in one savepoint, but for those that are known to be wrong. When another one is refused, nothing is
    /// done, and `None` is returned.
    fn create_together(
        &self,
        session: Session<'_>,
        pairs: &[Pair<'_>],
    ) -> Result<Option<BulkResults>, Fault> {
        let run = |sql| control(&session, sql);
        run("SAVEPOINT records")?;
        let mut results = Vec::with_capacity(pairs.len());
        for (create, record) in pairs {
            let result = match (create, self.key_alone(&results)) {
                (Ok(NewRecord::Create(create)), Some(key)) => {
                    session.translate(create.run_for_key(session, key))
                }
                (Ok(create), _) => self.create(session, create, record),
                (Err(error), _) => {
                    results.push(Err(error.clone()));
                    continue;
                }
            };
            match result {
                Ok(created) => results.push(Ok(created)),
                Err(error) if error.kind() != ErrorKind::Invalid || session.is_autocommit() => {
                    return Err(error.into());
                }
                Err(_) => {
                    run("ROLLBACK TO records")?;
                    run("RELEASE records")?;
                    return Ok(None);
                }
            }
        }
        run("RELEASE records")?;
        Ok(Some(results))
    }

    /// Creates records, each in a savepoint of its own.
    fn create_each(
        &self,
        session: Session<'_>,
        pairs: &[Pair<'_>],
        results: &mut BulkResults,
    ) -> Result<(), Fault> {
        let run = |sql| control(&session, sql);
        for (create, record) in pairs {
            let result = match create {
                Ok(create) => {
                    run("SAVEPOINT record")?;
                    let result = self.create(session, create, record);
                    if result.is_err() && !session.is_autocommit() {
                        run("ROLLBACK TO record")?;
                    }
                    if !session.is_autocommit() {
                        run("RELEASE record")?;
                    }
                    result
                }
                Err(error) => Err(error.clone()),
            };
            match result {
                Err(error) if error.kind() != ErrorKind::Invalid || session.is_autocommit() => {
                    return Err(error.into());
                }
                result => results.push(result),
            }
        }
        Ok(())
    }

    /// Creates a record, and checks the values that the database had to compute for it.
    fn create(
        &self,
        session: Session<'_>,
        new: &NewRecord,
        record: &Result<RecordBody>,
    ) -> Result<RecordJson> {
        let created = session.translate(new.run_unchecked(session))?;
        // What a record had to have before it was changed was compared then.
        if let Ok(record) = record
            && created.before.is_none()
        {
            let zone = &self.plan.shown.zone;
            record.fixed.check(&self.model, &created, zone)?;
        }
        Ok(created)
    }
}
